"""Bins that the records make are named as the cause, wherever they are made."""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real

RECORDS = AddRemove(Real(0, 100), max_size=6)


def five_bins(data, rng):
    counts, _ = np.histogram(data, bins=5)
    return counts + rng.laplace(scale=1.0, size=5)


def usual_bins(data, rng):
    counts, _ = np.histogram(data)
    return [count + rng.laplace(scale=1.0) for count in counts]


class Counter:
    def __init__(self, rng):
        self.rng = rng

    def counts(self, data):
        counts, _ = np.histogram(data, bins=4)
        return [max(0, int(count + self.rng.laplace(scale=1.0))) for count in counts]


def bins_below(data, rng):
    return Counter(rng).counts(data)


def public_bins(data, rng):
    counts, _ = np.histogram(data, bins=5, range=(0, 100))
    return counts + rng.laplace(scale=1.0, size=5)


def line_of(function, text):
    """Return the line of the file on which a function, or one that it calls, has a text."""
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = function.__code__.co_firstlineno
    return next(at for at, line in enumerate(lines, 1) if at > first and text in line)


@pytest.mark.parametrize("mechanism", [five_bins, usual_bins], ids=lambda m: m.__name__)
def test_a_refutation_names_the_line_that_makes_the_bins(mechanism):
    finding = dpaudit.verify(mechanism, PureDP(1.0), RECORDS).findings[0]
    assert finding.id == "DPA109"
    assert finding.line == line_of(mechanism, "np.histogram")


def test_what_the_prover_saw_explains_what_sampling_refutes():
    """The power is above 0.99 with a fresh seed."""
    report = dpaudit.audit(
        bins_below, PureDP(1.0), RECORDS, engines=["formal", "statistical"], max_calls=60_000
    )
    assert report.verdict is dpaudit.Verdict.REFUTED
    assert report.findings[0].id == "DPA109"
    assert report.findings[0].line == line_of(Counter.counts, "np.histogram")


def test_public_bins_are_no_finding():
    report = dpaudit.audit(public_bins, PureDP(1.0), RECORDS, engines=["formal"])
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert not report.findings
