"""What is made after a verdict, and what becomes of the verdict where that fails."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit import AnyPair, PureDP, Real, Verdict
from dpaudit.cli.files import kept
from dpaudit.evidence import Evidence, Finding
from dpaudit.outputs import encode
from dpaudit.statistical import conclude
from dpaudit.statistical.binning import binned
from dpaudit.verdict import Report

FLOATS = st.floats(width=64) | st.sampled_from(
    [1.7e308, -1.7e308, 1e308, 5e-324, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e308 * (1 - 2**-53)]
)
OUTPUTS = st.lists(FLOATS, min_size=2, max_size=80)


def leaky(data, rng):
    return data * 1e308 + rng.laplace(0, 1e300)


@given(OUTPUTS, OUTPUTS, st.floats(), st.booleans())
def test_any_floats_can_be_drawn(left, right, cut, upper):
    sides = encode(left), encode(right)
    on = tuple(
        (np.array(side) > cut) if upper else (np.array(side) <= cut) for side in (left, right)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for event in (on, (np.zeros(len(left), bool), np.zeros(len(right), bool))):
            bins = binned(sides, event, ("",) if cut < 1 else (), sides)
            assert len(bins.names or bins.edges[1:]) == len(bins.left) == len(bins.right)
            assert all(a < b for a, b in zip(bins.edges, bins.edges[1:], strict=False))


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1), st.integers(0, 99))
def test_many_floats_of_any_size_and_spread_can_be_drawn(centre, spread, seed):
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        values = centre + abs(centre) * spread * rng.normal(size=(2, 60))
    sides = encode(values[0].tolist()), encode(values[1].tolist())
    on = values[0] > centre, values[1] > centre
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bins = binned(sides, on, ("",), sides)
    assert len(bins.edges) < 10_000


def test_a_refutation_near_the_largest_float_is_a_verdict_with_a_picture():
    report = dpaudit.audit(
        leaky, PureDP(0.1), AnyPair(Real(0, 1)), engines=["statistical"], max_calls=50_000
    )
    assert report.verdict is Verdict.REFUTED
    assert report.evidence[0].sightings is not None


def test_a_picture_that_fails_leaves_the_verdict_and_says_so(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("no picture")

    monkeypatch.setattr(conclude, "sightings", fail)
    report = dpaudit.audit(
        leaky, PureDP(0.1), AnyPair(Real(0, 1)), engines=["statistical"], max_calls=50_000
    )
    assert report.verdict is Verdict.REFUTED
    assert "no picture" in report.summary()


@pytest.mark.parametrize("error", [OSError("disk"), ValueError("form"), OverflowError("large")])
def test_a_file_that_cannot_be_made_is_named_and_takes_nothing_away(capsys, error):
    def fail():
        raise error

    assert kept("run.sarif", fail) is None
    assert f"run.sarif could not be made ({type(error).__name__}" in capsys.readouterr().err


def contradicting(id, also=()):
    finding = Finding(id, "error", "seen", also=also)
    proof = Evidence("formal", Verdict.VERIFIED)
    seen = Evidence("statistical", Verdict.REFUTED, findings=(finding,))
    return Report("m:f", PureDP(1.0), "", (), (proof, seen))


def test_a_refutation_that_no_rounding_explains_contradicts_a_proof_and_the_first_lines_say_so():
    report = contradicting("DPA102")
    assert report.verdict is Verdict.REFUTED
    first = report.summary().split("\n\n")[1]
    assert first.startswith("CONTRADICTION")
    assert "fault of dpaudit" in first
    assert report.to_dict()["contradiction"]


@pytest.mark.parametrize(
    "report",
    [contradicting("DPA104"), contradicting("DPA111"), contradicting("DPA201", ("DPA111",))],
)
def test_overflow_and_rounding_are_no_contradiction_to_a_proof(report):
    assert report.verdict is Verdict.REFUTED
    assert report.contradiction == ""
    assert "CONTRADICTION" not in report.summary()
