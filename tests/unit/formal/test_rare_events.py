"""The event of a counterexample: of several, one that few calls show."""

import math
import re
from pathlib import Path

import pytest

import dpaudit
from dpaudit import AddRemove, Categorical, PureDP, Real, ReplaceOne, Row, Verdict
from dpaudit.claims import ApproxDP, ZeroConcentratedDP
from dpaudit.claims.power import calls_to_show, least_calls

PEOPLE = ReplaceOne(Row(income=Real(0, 1000), group=Categorical(["a", "b"])), size=50)


def mean_of_a_group(data, rng):
    part = data["income"][data["group"] == "a"]
    size = max(1, len(part))
    return part.sum() / size + rng.laplace(scale=1000 / size)


def test_an_event_that_few_calls_show_is_preferred_to_a_rare_one():
    """On the first pairs, of 49 and of 50 zeros, only outputs beyond 65 noise scales break it."""
    report = dpaudit.verify(mean_of_a_group, PureDP(1.0), PEOPLE, progress=False)
    assert report.verdict is Verdict.REFUTED
    p, q = report.witness.probabilities
    assert p > 1e-3
    assert calls_to_show(report.claim, p, q) < 10_000_000


@pytest.mark.parametrize("neighbors", [AddRemove(Real(0, 100), max_size=4)])
def test_a_rare_event_stands_where_there_is_no_better_one(neighbors):
    def tail(data, rng):
        return rng.laplace(scale=1000.0 + len(data))

    report = dpaudit.verify(tail, PureDP(0.01), neighbors, progress=False)
    assert report.verdict is Verdict.REFUTED
    assert "too rare, or the difference too small" in report.summary()


@pytest.mark.parametrize(
    ("claim", "p", "q", "least", "most"),
    [
        (PureDP(1.0), 1.0, 0.0, 5, 20),
        (PureDP(1.0), 0.5, 0.0677, 100, 500),
        (ApproxDP(1.0, 1e-6), 1e-3, 1e-30, 10_000, 50_000),
        (ZeroConcentratedDP(0.1), 1.0, 0.0, 2, 20),
        (PureDP(1.0), 0.5, 1e-300, 5, 50),
        (PureDP(1.0), 8e-29, 2e-29, float("inf"), float("inf")),
        (PureDP(1.0), 0.5, 0.4, float("inf"), float("inf")),
        (PureDP(1.0), 0.0, 0.0, float("inf"), float("inf")),
    ],
)
def test_calls_that_show_an_event(claim, p, q, least, most):
    assert least <= calls_to_show(claim, p, q) <= most


def test_the_table_of_calls_in_the_docs_is_what_the_function_says():
    text = (Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8")
    table = text.partition("## How many calls a violation needs")[2].partition("Plan with")[0]
    rows = re.findall(r"^\| (0\.\d+) \| (.*) \|$", table, re.M)
    assert len(rows) == 4
    for name, cells in rows:
        p = float(name)
        found = [least_calls(PureDP(1.0), p, p * math.exp(-e)) for e in (1.1, 1.5, 2, 4)]
        assert cells.split(" | ") == [f"{calls:,.0f}" for calls in found]


@pytest.mark.parametrize(
    ("claim", "p", "q", "least", "most"),
    [
        (PureDP(1.0), 1.0, 0.0, 55, 65),
        (PureDP(1.0), 0.5, 0.3, math.inf, math.inf),
        (ApproxDP(1.0, 1e-5), 1e-4, 0.0, 5e5, 2e6),
        (PureDP(1.0), 0.97, 0.9, 5e4, 6e4),  # the complement of an event of 0.03 and 0.1
    ],
)
def test_least_calls_by_the_divergence_to_what_the_claim_allows(claim, p, q, least, most):
    assert least <= least_calls(claim, p, q) <= most
    mirrored = least_calls(claim, 1 - q, 1 - p)
    assert mirrored == pytest.approx(least_calls(claim, p, q))
