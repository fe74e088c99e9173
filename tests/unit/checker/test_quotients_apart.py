"""Quotients of noisy numbers that are NumPy's or Python's, of which one raises at 0."""

from dpaudit import AddRemove, PureDP, Real, Row, audit

ROWS = AddRemove(Row(x=Real(0, 1)), max_size=6, container="list")


def release(rows, rng):
    n = total = 0.0  # of Python where there are no rows
    for row in rows:
        n += 1
        total += row["x"]
    n, total = (each + rng.laplace(0, 2.0) for each in (n, total))
    below = n * total - total * total
    return None if below <= 0.1 else n / below


def test_a_quotient_that_may_raise_for_one_of_two_types_is_named():
    report = audit(release, PureDP(1.0), ROWS, engines=["formal"])
    assert "NumPy's number or Python's" in str(report.reason)
