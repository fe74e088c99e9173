"""A report as text."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.claims import ApproxDP, GaussianDP
from dpaudit.evidence import Detectable, Verdict
from dpaudit.report.escape import plain
from dpaudit.report.numbers import e_value, lower, upper
from dpaudit.report.text import sentence, summary
from tests.reporting import (
    ROWS,
    evidence,
    finding,
    inconclusive,
    not_refuted,
    refuted,
    report,
    witness,
)


def test_not_refuted_says_which_violation_would_have_been_caught():
    assert sentence(not_refuted()) == (
        "not refuted at α = 1e-06 with 200,000 calls on 14 pairs; an epsilon of 1.31 or more, "
        "reached on an event of probability 0.01 or more that the searched features can isolate, "
        "would have been caught on the least-called of these pairs with probability 0.9."
    )


@pytest.mark.parametrize(
    ("sampled", "named"),
    [(1, "the only one of these pairs"), (9, "the least-called of the 9 of these pairs")],
)
def test_pairs_without_a_sample_are_not_among_those_that_would_have_been_caught(sampled, named):
    said = sentence(not_refuted(pairs_sampled=sampled))
    assert "calls on 14 pairs" in said
    assert f"caught with probability 0.9 on {named} that gave outputs to sampling" in said


def test_not_refuted_says_first_what_would_have_been_caught_on_common_events():
    assert sentence(not_refuted(detectable=ROWS)).startswith(
        "Would have caught an epsilon of 1.41 or more on common events (probability 0.1). "
        "Not refuted at α = 1e-06 with 200,000 calls on 14 pairs; an epsilon of 1.31 or more"
    )


@pytest.mark.parametrize(
    ("size", "least"), [(2.05, "an epsilon of 2.05 or more"), (None, "no epsilon at all")]
)
def test_an_audit_that_could_not_catch_twice_the_claim_says_so_first(size, least):
    row = Detectable(0.1, 1.2, size, 1.2, 1.2)
    assert sentence(not_refuted(detectable=(row,))).startswith(
        "Could not have caught an epsilon of 2, twice the claim, on common events (probability "
        f"0.1): it would have caught {least} there. Not refuted"
    )


def test_claim_without_an_epsilon_is_not_doubled():
    made = report(
        evidence(Verdict.NOT_REFUTED, detectable_epsilon=9.0, detectable=ROWS),
        claim=GaussianDP(0.1),
    )
    assert sentence(made).startswith("Would have caught an epsilon of 1.41 or more")


def test_table_of_what_would_have_been_caught_is_in_the_summary():
    lines = summary(not_refuted(detectable=ROWS)).splitlines()
    words = [line.split() for line in lines]
    assert ["0.1", "1.3", "1.41", "1.12", "1.2"] in words
    assert ["0.001", "none", "none", "2.5", "none"] in words
    alone = Detectable(0.1, 1.3, 1.41, 1.3, 1.41)
    words = [line.split() for line in summary(not_refuted(detectable=(alone,))).splitlines()]
    assert ["0.1", "1.3", "1.41"] in words


@pytest.mark.parametrize(
    "given_report",
    [refuted(), not_refuted(), inconclusive(), report(evidence(Verdict.VERIFIED)), report()],
    ids=lambda r: r.verdict.name,
)
def test_no_report_says_private_or_passes(given_report):
    text = summary(given_report).casefold()
    assert not re.search(r"\b(private|passe[sd]|safe|secure)\b", text)


def test_refutation_shows_finding_place_datasets_event_counts_and_bound():
    text = summary(refuted())
    for part in (
        "REFUTED  shop.release:count  PureDP(1.0)",
        "DPA103 leaked-local-sensitivity",
        "(also DPA105)",
        "at shop/release.py:12",
        "event  output > 1.5",
        "900/1,000 against 1/1,000",
        "epsilon of at least 4.56 with confidence 99 %, by all bets of the audit together",
        "last of 2 records removed",
        "witness.script()",
        "every record lies in [0, 100]",
        "seed 7",
        "40.00 nats against the claim",
    ):
        assert part in text


def test_inconclusive_gives_its_reason():
    assert "the state of the generator is shared" in sentence(inconclusive())
    assert summary(inconclusive()).count("the state of the generator is shared") == 1


def test_report_without_any_engine_is_inconclusive():
    assert "no engine reached an answer" in sentence(report())


def test_delta_and_own_parameter_are_named_where_the_claim_has_them():
    with_delta = report(evidence(Verdict.REFUTED, epsilon=2.0), claim=ApproxDP(1.0, 1e-6))
    assert "epsilon 2 at delta 1e-06" in summary(with_delta)
    gaussian = report(
        evidence(Verdict.REFUTED, epsilon=2.0, parameter_bound=1.239), claim=GaussianDP(1.0)
    )
    assert "mu 1.23" in summary(gaussian)


def test_unfinished_audit_says_so():
    assert "could not be completed" in summary(not_refuted(completed=False))


def test_escape_sequences_of_a_mechanism_do_not_reach_the_terminal():
    bad = "\x1b]0;owned\x07\r\n\u202e\x9b31m"
    text = summary(
        report(
            evidence(
                Verdict.REFUTED,
                reason=bad,
                notes=(bad,),
                findings=(finding(message=bad, file=bad),),
                witness=witness(how=bad, left=[bad], right=[]),
            ),
            mechanism=bad,
            neighbors=bad,
        )
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "\\x1b]0;owned" in text


@given(st.text())
def test_plain_text_is_printable_and_of_one_line(text):
    assert plain(text).isprintable()
    assert len(plain(text, 20)) <= 20


@given(st.floats(min_value=1e-9, max_value=1e9), st.integers(2, 6))
def test_bounds_are_written_on_the_safe_side(value, digits):
    assert float(lower(value, digits)) <= value <= float(upper(value, digits))


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [(0.0, "0", "0"), (1.0, "1", "1"), (math.inf, "∞", "∞"), (1.3051, "1.3", "1.31")],
)
def test_bounds_are_short(value, low, high):
    assert (lower(value), upper(value)) == (low, high)


def test_e_values_beyond_floats_are_written():
    assert e_value(math.log(20)) == "20" or e_value(math.log(20)) == "19.9"
    assert e_value(10_000.0) == "8.8e+4342"
    assert e_value(-math.inf) == "0"
