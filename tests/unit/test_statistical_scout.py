"""Scouting: distances of two small samples, and the pair that tells among many that do not."""

from types import SimpleNamespace

import pytest

from dpaudit.claims import PureDP
from dpaudit.evidence import Budget
from dpaudit.neighbors import Pair, Pairs
from dpaudit.outputs import encode
from dpaudit.statistical.engine import _first
from dpaudit.statistical.race import Race
from dpaudit.statistical.scout import distances, scouted
from dpaudit.subject import Subject
from dpaudit.worker import InPlace


def noisy_unless_seven(data, rng):
    """Return noise, or −1 where the sum is 7."""
    return -1 if sum(data) == 7 else int(rng.integers(0, 1_000))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([1.0, 2.0], [3.0, 4.0], 1.0),
        ([1.0, 3.0], [2.0, 4.0], 0.5),
        ([1.0, 1.0], [1.0, 1.0], 0.0),
        (["a", "b"], ["a", "b"], 0.0),
        (["a", "a"], ["b", "b"], 1.0),
        ([None, None], [1.0, 2.0], 1.0),
        ([1.0], [1.0, 1.0, 2.0, 2.0], 0.5),
    ],
)
def test_the_distance_is_that_of_the_distribution_functions(left, right, expected):
    assert distances(encode(left), encode(right)).max() == pytest.approx(expected)


def test_outputs_without_columns_do_not_differ():
    assert distances(encode([None, None]), encode([None])).max() == 0.0


def test_the_one_pair_that_tells_is_first():
    """A fresh seed fails where another of the 241 pairs, of one distribution, looks as different.

    That takes a distance of 1 at 8 draws a side, 2/C(16, 8) each, and again at 32: below 1e-9.
    """
    pairs = [Pair([i], [i + 1]) for i in range(8, 248)]
    pairs.insert(117, Pair([6], [7]))
    subject = Subject.of(noisy_unless_seven)
    race = Race(
        subject, PureDP(1.0), Pairs(pairs), Budget(max_calls=50_000), InPlace(subject), (), None
    )
    best = scouted(race, pairs, 4)
    assert best[0] is pairs[117]
    assert len(best) == 4
    assert 0 <= race.calls - 2 * (8 * 241 + 32 * 60 + 128 * 15) <= 16  # a first trial


@pytest.mark.parametrize(
    ("made", "calls", "first"), [(400, 1_000, [1]), (600, 1_000, [0, 1]), (0, 600_000, [0, 1])]
)
def test_suspects_have_half_of_the_calls_at_first_and_nothing_beyond_others_later(
    made, calls, first
):
    pairs = [SimpleNamespace(index=i, total_calls=n) for i, n in enumerate((calls - made, made))]
    race = SimpleNamespace(
        suspected={1: None}, calls=calls, budget=Budget(max_calls=1_000_000), entries=pairs
    )
    assert [pair.index for pair in _first(race, pairs)] == first
