"""Bets on coupled draws are fair whatever rows share, and whatever noise calls keep.

`benchmarks/bench_false_alarms.py --kind coupled` plays more of the same laws, all exactly at
PureDP(.1). The other streams draw fresh numbers for each call; coupled ones do not.
"""

import math
import random

import numpy as np
import pytest
from scipy.stats import binom

import dpaudit
from benchmarks.coupled_laws import CLAIM, ROWS, SPARES, USES, laws, play, rows_law, spare_law
from dpaudit import Pairs
from dpaudit.evidence import Budget
from dpaudit.statistical.nightly import take_up
from dpaudit.statistical.race import Race
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, Task
from tests.nights import Kept
from tests.sweeps import repeated

LEVEL = 0.05
RUNS = 1  # of each law
CALLS = 600
SURE = 1e-4
CALLED = 8  # pairs of draws in a task
TASKS = repeated(300, full=800)
STAKE = 0.9
ALIKE = ("reflection", "antithetic")  # the others are more telling when negated


def factors(one, other):
    """Half-plane bets that 1 is too likely on one side, and 0, at the claim of the laws."""
    slope = math.exp(0.1)
    return [1 + STAKE * (a - slope * b) / slope for a, b in ((one, other), (1 - one, 1 - other))]


@pytest.mark.parametrize("name", ROWS)
def test_bets_on_all_rows_of_a_task_multiply_to_a_mean_of_at_most_one(name):
    """H0: E[e] ≤ 1 for the product of eight bets. Five standard errors above one would come up
    less than once in 10,000 runs with fresh seeds. Drawn in one call a side, all products but
    those of another reflection and of shared sums had a mean from 3 to 4."""
    runner = InPlace(Subject.of(rows_law(name, 1.0 if name in ALIKE else -1.0)))
    drawn = runner.run([Task(0, 1, "coupled", CALLED, (17, i)) for i in range(TASKS)])
    left, right = (
        np.stack([getattr(each, side).numbers[""] for each in drawn]) for side in ("left", "right")
    )
    assert abs(left.mean() - 1 / (1 + math.exp(0.1))) < 0.03
    assert abs(right.mean() - 1 / (1 + math.exp(-0.1))) < 0.03
    for pays in (*factors(left, right), *factors(right, left)):
        products = pays.prod(axis=1)
        assert products.mean() <= 1 + 5 * products.std(ddof=1) / math.sqrt(TASKS)


def test_coupled_draws_refute_no_more_often_than_alpha_says_and_earn_at_most_one_on_average():
    """H0: each of 58 plays is refuted with probability at most .05, and has mean e-value at most
    1. Fresh seeds fail less than once in 10,000 runs."""
    played = [play(make(), seed, CALLS, LEVEL) for _, make in laws() for seed in range(RUNS)]
    assert sum(each.refuted for each in played) <= binom.isf(SURE, len(played), LEVEL)
    values = np.exp([each.log_e_value for each in played])
    assert values.mean() <= 1 + 4 * values.std(ddof=1) / math.sqrt(len(values))


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("spare", SPARES)
def test_noise_that_is_kept_between_calls_is_noticed_on_the_stream_that_is_bet_on(spare, use):
    """Of 64 pairs or more that are repeated in six tasks, all alike by chance has probability
    below 1e-9 for these coins; in 'unseeded' the trial was first."""
    runner = InPlace(Subject.of(spare_law(spare, use)))
    drawn = runner.run([Task(0, 1, "coupled", 256, (19, i)) for i in range(6)])
    assert any(each.flags & {"keeps-state", "unseeded"} for each in drawn)


def without_memory(answer, rng):
    return answer + rng.normal()


def with_global_numpy(answer):
    return answer + np.random.normal()  # noqa: NPY002


def with_global_python(answer):
    return answer + random.gauss(0, 1)


def sometimes_more(answer, rng):
    return answer + (rng.normal() if rng.random() < 0.5 else rng.laplace() + rng.random())


def raises(answer, rng):
    if rng.random() < 0.3:
        raise ValueError("seldom")
    return answer


def counts_calls(answer, rng, seen=[]):  # noqa: B006
    seen.append(answer)
    return answer + rng.normal()


@dpaudit.vectorized
def rows(answer, size, rng):
    return answer + rng.laplace(size=(size, 2))


@pytest.mark.parametrize(
    "mechanism",
    [
        without_memory,
        with_global_numpy,
        with_global_python,
        sometimes_more,
        raises,
        counts_calls,
        rows,
    ],
)
def test_mechanisms_whose_outputs_do_not_depend_on_earlier_calls_are_coupled(mechanism):
    runner = InPlace(Subject.of(mechanism))
    for i in range(4):
        (draws,) = runner.run([Task(0, 1, "coupled", 100, (23, i))])
        assert not draws.flags & {"keeps-state", "unseeded"}


@pytest.mark.parametrize("seed", range(4))
def test_what_coupled_draws_earned_is_discarded_once_an_output_depends_on_earlier_calls(seed):
    assert play(spare_law("closure", "negated"), seed, CALLS, LEVEL).log_e_value == -math.inf


def test_discarded_draws_of_every_pair_stay_discarded_in_later_nights():
    """The night ends after the pair that showed the memory was kept; the other pair was not."""
    memory, subject = Kept(), Subject.of(spare_law("closure", "negated"))
    for memory.night in (1, 2):
        budget, pairs = Budget(LEVEL, 2_000, None, memory.night), Pairs([(0, 1), (1, 0)])
        race = Race(subject, CLAIM, pairs, budget, InPlace(subject), ("label", "coupled"), None)
        take_up(race, memory, ())
        if memory.night == 1:
            first, second = (race.enter(pair, 0.4) for pair in race.proposals)
            race.draw(second, "label", race.room)
            race.draw(second, "coupled", 40)
            while not first.contender.flags & {"keeps-state", "unseeded"}:
                race.draw(first, "coupled", race.room)
        for entry in race.entries:
            assert entry.contender.is_void("coupled")
            assert entry.contender.earned("coupled", race.stakes).alone == -math.inf
            assert race.earned[entry.contender.index, "coupled"].alone == -math.inf
