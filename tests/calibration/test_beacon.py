"""False alarms of the bets that a certificate rests on."""

import numpy as np
from scipy.stats import binom

from dpaudit import PureDP
from dpaudit.beacon.bets import best_bets, half_planes
from dpaudit.beacon.derive import digest
from dpaudit.beacon.play import Draws, play
from dpaudit.neighbors import Pair
from dpaudit.subject import Subject, vectorized
from dpaudit.worker import InPlace
from tests.sweeps import repeated

RUNS = repeated(50, full=300)
LEVEL = 0.1


@vectorized
def tight(data, size, rng):
    """Spends all of its claim: Laplace noise for epsilon 1."""
    return data + rng.laplace(size=size)


def test_bets_refute_a_sound_mechanism_less_often_than_at_their_level():
    """H0: each run refutes with probability at most .1. More than a binomial test at 2e-4 allows
    (22 of 100, 49 of 300 in a full sweep) would come up with a fresh seed once in 5,000 trials.

    Each chooses its bets on 256 pairs of draws, and settles them on 1,000 others.
    """
    planes = half_planes(PureDP(1.0))
    refuted = 0
    for number in range(RUNS):
        pilot = Draws(InPlace(Subject.of(tight)), Pair(0.0, 1.0))
        pilot.draw((number, 1), 256)
        bets = best_bets(pilot.left, pilot.right, planes)
        draws = Draws(InPlace(Subject.of(tight)), pilot.pair)
        opened = digest("calibration", number)
        target = -np.log(LEVEL)
        played = play(draws, bets, opened, 1_000, target, lambda pairs, wealth: True)
        refuted += played.log_e_value >= target
    assert refuted <= binom.isf(2e-4, RUNS, LEVEL)


def test_the_same_bets_find_noise_that_is_too_small():
    """At level 1e-6 with 8,000 pairs of draws; a fresh seed fails in less than one of a million."""

    @vectorized
    def small(data, size, rng):
        return data + rng.laplace(scale=0.7, size=size)

    pilot = Draws(InPlace(Subject.of(small)), Pair(0.0, 1.0))
    pilot.draw((1,), 2_048)
    bets = best_bets(pilot.left, pilot.right, half_planes(PureDP(1.0)))
    draws = Draws(InPlace(Subject.of(small)), pilot.pair)
    target = -np.log(1e-6)
    played = play(draws, bets, digest("power", 1), 8_000, target, lambda pairs, wealth: True)
    assert played.log_e_value >= target
