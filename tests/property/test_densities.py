"""Densities that are constant on pieces, against brute force and against what the code draws."""

from functools import partial
from itertools import accumulate
from math import exp, floor, log

import numpy as np
import pytest

from dpaudit.checker.exact.laws import law_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import Work
from dpaudit.formal.conclusion import stated
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.piecewise_mean import piecewise_mean
from tests.unit.formal.test_densities import ONE, proved, with_one_number_for_coin_and_place


def noisy(value, rng, *, a, b, p, q, rate):
    """Add ±(G + Y) to a value, where Y is on pieces of widths a, b, … and shares p, q, …."""
    step = rng.geometric(1 - exp(-rate)) - 1
    u = rng.random()
    if u < p:
        part = a * (u / p)
    elif u < p + q:
        part = a + b * (u - p) / q
    else:
        part = a + b + (1 - a - b) * (u - p - q) / (1 - p - q)
    sign = 1 if rng.random() < 0.5 else -1
    return value + sign * (step + part)


def largest_loss(widths, shares, rate):
    """Return the largest log-ratio of densities at places at most 1 apart, on a fine grid."""
    (a, b), (p, q) = widths, shares
    ends = list(accumulate((a, b, 1 - a - b)))
    heights = [p / a, q / b, (1 - p - q) / (1 - a - b)]

    def density(z):
        period = floor(abs(z))
        piece = next(i for i, end in enumerate(ends) if abs(z) - period <= end + 1e-12)
        return exp(-rate * period) * heights[piece]

    grid = (np.arange(-48, 48) + 0.5) / 16
    return max(
        abs(log(density(z) / density(z + far)))
        for z in grid
        for far in (0.0625 * np.arange(17)).tolist()
    )


@pytest.mark.parametrize("seed", range(12))
def test_pieces_in_periods_have_the_largest_ratio(seed):
    """Widths and chances are eighths and sixteenths, which floats hold."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(1, 4, size=2) / 8).tolist()
    p, q = (rng.integers(2, 8, size=2) / 16).tolist()
    rate = float(rng.integers(1, 9) / 8)
    mechanism = partial(noisy, a=a, b=b, p=p, q=q, rate=rate)
    truth = largest_loss((a, b), (p, q), rate)
    assert proved(mechanism, truth + 1e-6, ONE)
    with pytest.raises(Unsupported):
        proved(mechanism, truth - 1e-6, ONE)


@pytest.mark.parametrize(
    ("mechanism", "low"),
    [
        (partial(piecewise_mean, epsilon=1.5), -1),
        (with_one_number_for_coin_and_place, 0),
    ],
)
@pytest.mark.parametrize("place", [0.0, 0.3, 1.0])
def test_pieces_have_the_probabilities_with_which_they_are_drawn(mechanism, low, place):
    """Records are cut off at `low` and 1; `place` is a part of the way between."""
    value = low + (1 - low) * place
    rng = np.random.default_rng(7)
    drawn = np.array([mechanism(value, rng) for _ in range(4000)])
    work = Work(float("inf"))
    program, _ = stated(lift(mechanism), ONE, work)
    total = 0.0
    with precisely():
        law = law_of(Mechanism(program, work).runner(value), work)
        [pieces] = law.pieces.values()
        for piece in pieces:
            start, stop = float(piece.start.ball), float(piece.stop.ball)
            chance = float(piece.weight.ball)
            assert np.mean((drawn >= start) & (drawn < stop)) == pytest.approx(chance, abs=0.035)
            total += chance
    assert total == pytest.approx(1.0)
