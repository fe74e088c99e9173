"""Floats that are computed of a record of a range, where they decide otherwise than numbers."""

import math
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpaudit import AnyPair, ApproxDP, Integer, PureDP, Real
from dpaudit.checker.exact.affine import CutError, Span, UnsureError
from dpaudit.checker.exact.conclusion import conclude
from dpaudit.checker.exact.numbers import number, precisely
from dpaudit.checker.exact.rounded_record import Rounded, record
from dpaudit.checker.file import NotCheckedError
from tests.exact_laws import UNLIMITED, program_of
from tests.unit.checker import rounded_programs as programs
from tests.unit.checker.test_continuum import keeps

UNIT, THREE = AnyPair(Real(0, 1)), AnyPair(Real(0, 3))
ANY = AnyPair(Real(0, 1, enforced=False))


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (programs.lost_beside_one, UNIT),
        (programs.rounded_by_a_large_number, UNIT),
        (programs.thirds, UNIT),
        (programs.cut_off, UNIT),
        (programs.on_a_grid, UNIT),
        (programs.divided_and_multiplied, UNIT),
        (programs.of_a_constant_that_cancels, UNIT),
        (programs.at_the_ends_of_two_ranges, UNIT),
        (programs.beyond_the_largest, ANY),
        (programs.infinity_less_itself, ANY),
        (programs.below_the_smallest, UNIT),
        (programs.with_a_draw, UNIT),
        (programs.rounded_quotient, UNIT),
    ],
)
def test_what_rounding_decides_of_a_record_is_looked_at_both_ways(mechanism, neighbors):
    for claim in (PureDP(0.1), ApproxDP(0.1, 0.01)):
        with suppress(NotCheckedError):
            assert not keeps(mechanism, claim, neighbors)


TIGHT = PureDP(math.log(3) + 1e-12)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (programs.affine, PureDP(math.log(7 / 3) + 1e-9), UNIT),
        (programs.clipped, TIGHT, UNIT),
        (programs.clipped, TIGHT, AnyPair(Real(0, 1, enforced=False))),
        (programs.standardized, TIGHT, AnyPair(Real(0, 120))),
        (programs.standardized, TIGHT, AnyPair(Real(0, 120, enforced=False))),
        (programs.thresholds, TIGHT, UNIT),
        (programs.to_a_grid, PureDP(math.log(7) + 1e-9), UNIT),
    ],
)
def test_a_claim_that_rounding_does_not_touch_is_kept(mechanism, claim, neighbors):
    assert keeps(mechanism, claim, neighbors)
    less = PureDP(claim.epsilon - 1e-3)
    assert not keeps(mechanism, less, neighbors)


@pytest.mark.parametrize(
    "mechanism",
    [
        programs.draw_on_a_coarse_grid,
        programs.integer_as_a_float,
        programs.integer_times_one,
    ],
)
def test_the_ends_of_a_range_do_not_tell_of_draws_that_lose_digits(mechanism):
    with precisely(), suppress(NotCheckedError):
        program = program_of(mechanism)
        assert not conclude(program, PureDP(1.0), AnyPair(Integer(0, 1)), UNLIMITED).at_ends


def _sides(made, low, high, target):
    """Return what a comparison comes to on the parts of a range."""
    spans, found = [Span(number(low), number(high))], []
    while spans:
        span = spans.pop()
        span._path = type("Whole", (), {"lazy": False, "outer": None, "taken": [], "open": []})
        try:
            found.append((span, made(record(span)) > number(target)))
        except CutError as cut:
            ends = [span.low, *cut.at, span.high]
            spans += [Span(a, b) for a, b in pairwise(ends)]
        except UnsureError:
            found.append((span, None))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_floats_compare_as_they_are_said_to(seed):
    rng = np.random.default_rng(seed)
    steps = []
    for _ in range(rng.integers(1, 6)):
        value = float(rng.choice([0.1, 3.0, 0.7, 2.0**26, 1e-7, 1e12, 49.0, 0.5]))
        steps.append((rng.integers(4), value * float(rng.choice([1, -1]))))

    def made(x):
        y = x
        for kind, step in steps:
            value = step if isinstance(x, float) else number(step)
            y = (y + value, y * value, y / value, y - x)[kind]
        return y

    points = [float(x) for x in rng.random(200)]
    target = made(points[0])
    points += [float(np.nextafter(points[0], end)) for end in (0.0, 1.0)]
    if not isinstance(made(record(Span(number(0.0), number(1.0)))), Rounded):
        return  # the same for all records, which a run on floats tells
    with precisely():
        found = _sides(made, 0.0, 1.0, target)
        for x in points:
            sides = {side for span, side in found if span.low < Fraction(x) < span.high}
            assert not sides or sides == {None} or (made(x) > target) in sides
