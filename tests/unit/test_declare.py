"""An audit as it is declared."""

import functools
import re

import numpy as np
import pytest

import dpaudit.auditor
from dpaudit.claims import PureDP
from dpaudit.declare import Audit
from dpaudit.evidence import Verdict
from dpaudit.neighbors import AddRemove, Real
from tests.reporting import evidence, finding, inconclusive, not_refuted, refuted, report

CLAIM, NEIGHBORS = PureDP(1.0), AddRemove(Real(0, 1))


def release(data, rng):
    return rng.laplace()


def declared(**options):
    return Audit(release, CLAIM, NEIGHBORS, **options)


def with_finding(**changes):
    return refuted(findings=(finding(**changes),))


@pytest.mark.parametrize(
    ("expect", "given_report", "met"),
    [
        ("NOT_REFUTED", not_refuted(), True),
        ("NOT_REFUTED", report(evidence(Verdict.VERIFIED)), True),
        ("NOT_REFUTED", inconclusive(), False),
        ("NOT_REFUTED", refuted(), False),
        ("VERIFIED", not_refuted(), False),
        ("INCONCLUSIVE", inconclusive(), True),
        ("INCONCLUSIVE", not_refuted(), True),
        ("INCONCLUSIVE", refuted(), False),
        ("REFUTED", refuted(), True),
        ("REFUTED", not_refuted(), False),
        ("REFUTED", report(evidence(Verdict.VERIFIED)), False),
        ("DPA103", with_finding(id="DPA103", also=()), True),
        ("DPA103", with_finding(id="DPA105", also=("DPA103",)), True),
        ("DPA103", with_finding(id="DPA201", also=()), True),
        ("DPA103", with_finding(id="DPA105", also=()), False),
        ("DPA103", with_finding(id="DPA103", level="warning"), False),
        ("DPA103", not_refuted(findings=(finding(id="DPA103"),)), False),
        ("NOT_REFUTED", not_refuted(completed=False), False),
    ],
)
def test_expectation_is_met_by_what_the_report_says(expect, given_report, met):
    assert declared(expect=expect).met_by(given_report) is met


@pytest.mark.parametrize("written", ["not_refuted", "NOT REFUTED", Verdict.NOT_REFUTED])
def test_expectation_may_be_written_in_words_or_as_a_verdict(written):
    assert declared(expect=written).expect == "NOT_REFUTED"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"expect": "REFUTE"}, ValueError, "did you mean 'REFUTED'"),
        ({"expect": "DPA999"}, ValueError, "violation id"),
        ({"expect": 3}, TypeError, "DPA103"),
        ({"max_calls": 0}, ValueError, "positive integer, got 0"),
        ({"max_calls": 10.5}, ValueError, "positive integer"),
        ({"max_calls": True}, ValueError, "positive integer"),
        ({"max_seconds": -1}, ValueError, "positive"),
        ({"max_seconds": float("nan")}, ValueError, "positive"),
        ({"alpha": 1.0}, ValueError, r"in \(0, 1\), got 1.0"),
        ({"seed": -1}, ValueError, "at least 0"),
        ({"engines": "statistical"}, TypeError, "sequence"),
        ({"engines": []}, ValueError, "at least one"),
        ({"engines": ["formal", "formal"]}, ValueError, "'formal' is named more than once"),
        ({"arithmetic": "exact"}, ValueError, "real"),
        ({"reason": 5}, TypeError, "words"),
        ({"name": ""}, TypeError, "words"),
    ],
)
def test_bad_option_is_refused_with_the_remedy(options, error, message):
    with pytest.raises(error, match=message):
        declared(**options)


@pytest.mark.parametrize(
    ("nouns", "error", "message"),
    [
        ((3, CLAIM, NEIGHBORS), TypeError, "callable"),
        (("release", CLAIM, NEIGHBORS), ValueError, "module:function"),
        ((release, PureDP, NEIGHBORS), TypeError, re.escape("such as PureDP(1.0)")),
        ((release, 1.0, NEIGHBORS), TypeError, re.escape("such as PureDP(1.0)")),
        ((release, CLAIM, AddRemove), TypeError, "AddRemove"),
        ((release, CLAIM, Real(0, 1)), TypeError, "AddRemove"),
    ],
)
def test_nouns_in_the_wrong_place_are_refused(nouns, error, message):
    with pytest.raises(error, match=message):
        Audit(*nouns)


def test_numpy_numbers_are_numbers():
    options = {"max_calls": np.int64(5), "alpha": np.float64(0.5), "seed": np.uint8(1)}
    assert declared(**options).max_calls == 5


def test_options_must_be_named_and_the_declaration_is_frozen():
    with pytest.raises(TypeError):
        Audit(release, CLAIM, NEIGHBORS, "REFUTED")
    with pytest.raises(AttributeError):
        declared().expect = "REFUTED"


def test_run_passes_declared_options_and_lets_overrides_win(monkeypatch):
    heard = {}

    def fake(mechanism, claim, neighbors, **options):
        heard.update(options, nouns=(mechanism, claim, neighbors))
        return not_refuted()

    monkeypatch.setattr(dpaudit.auditor, "audit", fake)
    audit = declared(max_calls=100, alpha=0.01, seed=3)
    audit.run(max_calls=7, seed=None, isolation="process")
    assert heard == {
        "nouns": (release, CLAIM, NEIGHBORS),
        "max_calls": 7,
        "max_seconds": None,
        "alpha": 0.01,
        "seed": 3,
        "arithmetic": "real",
        "isolation": "process",
    }


def test_mechanism_has_a_name_however_it_is_given():
    here = f"{__name__}:release"
    assert declared().mechanism_name == here
    assert Audit("a.b:c", CLAIM, NEIGHBORS).mechanism_name == "a.b:c"
    partial = functools.partial(release, rng=None)
    assert here in Audit(partial, CLAIM, NEIGHBORS).mechanism_name


def test_a_function_that_is_joined_by_a_dot_is_named_with_a_colon():
    with pytest.raises(ValueError, match=r"such as 'shop.release:total'$"):
        Audit("shop.release.total", PureDP(1.0), AddRemove(Real(0, 1)))
