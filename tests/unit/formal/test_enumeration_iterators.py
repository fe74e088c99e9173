"""Functions that go through an iterator see all of it, as in Python."""

import pytest

import dpaudit
from dpaudit import AnyPair, ApproxDP, Categorical, Verdict


def summed(x, rng):
    return sum(x for _ in range(2)), bool(rng.random() < 0.5)


def summed_from(x, rng):
    return sum((x for _ in range(2)), 3), bool(rng.random() < 0.5)


def chosen(x, rng):
    return sum(k for k in range(3) if k != x) if rng.random() < 0.5 else 7


def greatest(x, rng):
    return max(x for _ in range(2)), bool(rng.random() < 0.5)


def ordered(x, rng):
    return sorted(x for _ in range(2)), bool(rng.random() < 0.5)


def listed(x, rng):
    return list(x for _ in range(2)), bool(rng.random() < 0.5)  # noqa: C400


def some(x, rng):
    return any(x == 1 for _ in range(2)), bool(rng.random() < 0.5)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (summed, 1.0), (summed_from, 1.0), (chosen, 0.5), (greatest, 1.0), (ordered, 1.0),
        (listed, 1.0), (some, 1.0),
    ],
)  # fmt: skip
def test_what_is_made_of_an_iterator_is_not_taken_for_empty(mechanism, delta):
    bits = AnyPair(Categorical([0, 1]))
    too_small = dpaudit.verify(mechanism, ApproxDP(0.01, 0.9 * delta), bits)
    assert too_small.verdict is Verdict.REFUTED
    if delta < 1:
        assert dpaudit.verify(mechanism, ApproxDP(0.01, 1.1 * delta), bits).checked
