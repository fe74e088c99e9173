"""Quotients of noisy numbers that are NumPy's or Python's, of which one raises at 0."""

import pytest

from dpaudit import AddRemove, PureDP, Real, Row, Verdict, audit

ROWS = AddRemove(Row(x=Real(0, 1)), max_size=6, container="list")


def noisy(rows, rng):
    n = total = 0.0  # of Python where there are no rows
    for row in rows:
        n += 1
        total += row["x"]
    return tuple(each + rng.laplace(0, 2.0) for each in (n, total))


def guarded(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    return None if below <= 0.1 else n / below


def guarded_both(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    if below <= 0.1 or n < 1:
        return None
    slope = total / below
    return slope, (total - slope) / n


def guarded_elsewhere(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    return None if below <= -0.1 else n / below


def guarded_on_the_other_side(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    return n / below if below <= 0.1 else None


def guarded_by_another(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    return None if total * total - n * total <= 0.1 else n / max(below, 0.0)


def guarded_then_changed(rows, rng):
    n, total = noisy(rows, rng)
    below = n * total - total * total
    if below <= 0.1:
        return None
    below = max(0.0, below - 1.0)
    return n / below


def guarded_by_private(rows, rng):
    n = total = 0.0
    for row in rows:
        n += 1
        total += row["x"]
    return None if total <= 0.1 else n / total + rng.laplace(0, 10.0)


@pytest.mark.parametrize("mechanism", [guarded, guarded_both])
def test_a_released_divisor_that_a_test_told_from_0_is_free(mechanism):
    report = audit(mechanism, PureDP(1.0), ROWS, engines=["formal"])
    assert report.verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    "mechanism",
    [guarded_elsewhere, guarded_on_the_other_side, guarded_by_another, guarded_then_changed],
)
def test_a_quotient_that_may_raise_for_one_of_two_types_is_named(mechanism):
    report = audit(mechanism, PureDP(1.0), ROWS, engines=["formal"])
    assert "NumPy's number or Python's" in str(report.reason)


def test_a_test_of_private_values_tells_nothing_that_is_free():
    report = audit(guarded_by_private, PureDP(1.0), ROWS, engines=["formal"])
    assert report.verdict is not Verdict.VERIFIED
