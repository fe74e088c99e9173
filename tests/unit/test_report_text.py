"""A report as text."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.claims import ApproxDP, GaussianDP
from dpaudit.evidence import Detectable, Verdict
from dpaudit.report.caught import table_lines
from dpaudit.report.escape import plain
from dpaudit.report.numbers import e_value, lower, upper
from dpaudit.report.text import finding_lines, sentence, summary
from dpaudit.statistical.refutation import located
from dpaudit.verdict import UNCONFIRMED
from dpaudit.violations import NOT_LOCATED
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
        "No violation was found at α = 1e-06 with 200,000 calls on 14 pairs. This run would have "
        "detected an epsilon of 1.31 or more with probability 0.9, on a searched event of "
        "probability 0.01 or more. The figure is for the least-called of these pairs."
    )


@pytest.mark.parametrize(
    ("sampled", "named"),
    [(1, "the one."), (9, "the least-called one.")],
)
def test_pairs_without_a_sample_are_not_among_those_that_would_have_been_caught(sampled, named):
    said = sentence(not_refuted(pairs_sampled=sampled))
    assert "calls on 14 pairs" in said
    assert f"14 pairs were tried, and {sampled} of them sampled. The figure is for {named}" in said


@pytest.mark.parametrize(
    "claim", [GaussianDP(1.0), dpaudit.ZeroConcentratedDP(0.5), dpaudit.RenyiDP(2, 1.0)]
)
def test_an_epsilon_that_the_claim_does_not_state_is_said_to_be_of_pure_dp(claim):
    found = replace(not_refuted(detectable=ROWS), claim=claim)
    broken = replace(refuted(witness=witness(claim=claim)), claim=claim)
    assert "a pure-DP epsilon of 1.31 or more with" in sentence(found)
    assert "Smallest pure-DP epsilon that this run" in summary(found)
    assert "shows  pure-DP epsilon of at least 4.56" in summary(broken)
    assert "lower bound: pure-DP epsilon 4.56" in summary(broken)
    unlimited = replace(refuted(epsilon=math.inf), claim=claim)
    assert "finite pure-DP epsilon holds" in sentence(unlimited)


def test_an_epsilon_at_a_delta_names_it():
    claim = ApproxDP(1.0, 1e-5)
    found = replace(not_refuted(detectable=ROWS), claim=claim)
    broken = replace(refuted(witness=witness(claim=claim)), claim=claim)
    assert "an epsilon of 1.31 or more at delta 1e-05 with" in sentence(found)
    assert "shows  epsilon of at least 4.56 at delta 1e-05" in summary(broken)


def test_not_refuted_says_first_what_would_have_been_caught_on_common_events():
    assert sentence(not_refuted(detectable=ROWS)).startswith(
        "This run would have detected an epsilon of 1.41 or more on common events (probability "
        "0.1). No violation was found at α = 1e-06 with 200,000 calls on 14 pairs. This run would"
    )


@pytest.mark.parametrize(
    ("size", "first"),
    [
        (
            2.05,
            "This run was weak: on common events (probability 0.1) it would have detected an "
            "epsilon of 2.05 or more, and the claim is 1. No violation",
        ),
        (
            None,
            "By independent draws, this run would detect no violation on common events "
            "(probability 0.1). No violation",
        ),
    ],
)
def test_an_audit_that_could_not_catch_twice_the_claim_says_so_first(size, first):
    row = Detectable(0.1, 1.2, size, 1.2, 1.2)
    assert sentence(not_refuted(detectable=(row,))).startswith(first)


def test_claim_without_an_epsilon_is_not_doubled():
    made = report(
        evidence(Verdict.NOT_REFUTED, detectable_epsilon=9.0, detectable=ROWS),
        claim=GaussianDP(0.1),
    )
    assert sentence(made).startswith(
        "This run would have detected a pure-DP epsilon of 1.41 or more"
    )


def test_the_table_of_what_would_have_been_detected_explains_its_columns():
    lines = table_lines(ROWS)
    assert lines[0].startswith("Smallest epsilon that this run would have detected")
    assert "Its probability is the larger of its probabilities on the two datasets." in lines[1]
    assert lines[2].startswith("  In coupled draws, both datasets get the same seed,")
    assert "none means that no epsilon would be detected" in lines[3]


def test_a_table_in_which_nothing_would_have_been_detected_is_left_out():
    nothing = Detectable(0.1, None, None, None, None)
    assert "Smallest epsilon" not in summary(not_refuted(detectable=(nothing,)))


def test_a_lower_bound_that_is_the_claim_itself_says_that_epsilon_is_larger():
    at_claim = report(evidence(Verdict.REFUTED, epsilon=1.0))
    assert "PureDP(1.0) is false: epsilon is more than 1" in sentence(at_claim)


def test_a_finding_without_a_located_cause_does_not_ask_to_change_its_line():
    text = summary(refuted(findings=(finding(id="DPA201"),)))
    assert "The cause is in the mechanism at shop/release.py:12" in text
    assert "Change shop/release.py:12" not in text


def test_an_engine_that_bets_nothing_has_no_e_value():
    drawn = summary(report(evidence(Verdict.REFUTED, epsilon=2.0, calls=9, log_e_value=0.0)))
    assert "9 calls on" in drawn
    assert "e-value" not in drawn


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
        "epsilon of at least 4.56 with confidence 99 % (from all calls of the audit",
        "the last of 2 records is removed",
        "witness.script()",
        "every record lies in [0, 100]",
        "seed 7",
        "or more refutes the claim)",
    ):
        assert part in text


def test_inconclusive_gives_its_reason():
    assert "the state of the generator is shared" in sentence(inconclusive())
    assert summary(inconclusive()).count("the state of the generator is shared") == 1
    shown = summary(inconclusive())
    assert "The reasons are under Evidence." in shown
    assert "statistical  INCONCLUSIVE: the state of the generator is shared" in shown


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


def test_a_line_of_a_finding_is_named_once():
    related = ("a.py", 3, "x"), ("b.py", 1, "y"), ("b.py", 1, "z")
    lines = finding_lines(replace(finding(), file="a.py", line=3, related=related))
    assert [line.strip() for line in lines[1:3]] == ["at a.py:3", "y and z at b.py:1"]


def test_a_failure_of_the_mechanism_is_the_first_reason():
    failed = evidence(None, reason="it raised", completed=False)
    assert "Inconclusive: it raised." in summary(report(failed))


def test_sampling_that_decided_nothing_is_no_verdict_beside_a_proof():
    proof = evidence(Verdict.VERIFIED, engine="formal")
    short = evidence(Verdict.INCONCLUSIVE, reason="too few")
    assert "  statistical  no verdict: too few" in summary(report(proof, short))
    assert "  statistical  INCONCLUSIVE: too few" in summary(report(short))


def two_counts(data, rng):
    return [len(data) + rng.laplace(), len(data) + rng.laplace()]


def ten_counts(data, rng):
    return [len(data) + rng.laplace() for _ in range(10)]


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (two_counts, "output[0] >= 1.0 and output[1] >= 1.0"),
        (ten_counts, "output[0] >= 0.75, and so on for each of 10 noisy numbers"),
    ],
)
def test_an_event_of_several_noisy_numbers_is_written_out_if_it_is_short(mechanism, words):
    witness = dpaudit.verify(mechanism, PureDP(1.0), AddRemove(Real(0, 1), max_size=3)).witness
    assert str(witness.event) == words
    assert witness.event.source.count(">=") == (2 if mechanism is two_counts else 10)


def test_a_suspicion_that_is_not_confirmed_stands_in_the_first_lines_with_its_line():
    suspected = finding(level="note", message=f"too little noise{UNCONFIRMED}: more calls may")
    for made in (not_refuted(findings=(suspected,)), report(evidence(None, findings=(suspected,)))):
        said = "Suspected but not confirmed: DPA103 leaked-local-sensitivity at shop/release.py:12"
        assert sentence(made).startswith(said)
        assert said in summary(made).split("\n\n")[1]
    assert "Suspected" not in sentence(refuted())


@pytest.mark.parametrize(("id", "named"), [("DPA103", True), ("DPA107", False), ("DPA110", False)])
def test_the_number_of_records_is_named_only_where_it_may_be_the_cause(id, named):
    made = refuted(findings=(finding(id=id, also=()),))
    assert ("Where the number of records is public" in summary(made)) == named


def test_a_cause_that_is_located_stands_beside_no_sentence_that_there_is_none():
    seen = finding(id="DPA201", message=f"f violates PureDP(1.0): {NOT_LOCATED}; output > 1.5: 9")
    suspected = finding(message="the noise has scale 1")
    said = located(seen, suspected).message
    assert (
        said == "the noise has scale 1. Confirmed by sampling: f violates PureDP(1.0): "
        "output > 1.5: 9"
    )
    bare = replace(seen, message=f"f violates PureDP(1.0): {NOT_LOCATED}")
    assert NOT_LOCATED not in located(bare, suspected).message


def test_few_calls_beside_a_proof_are_no_lack_of_the_audit():
    def count(data, rng):
        return len(data) + rng.laplace(scale=1.0)

    audited = dpaudit.audit(count, PureDP(1.0), AddRemove(Real(0, 1), max_size=3), max_calls=200)
    assert audited.verdict is Verdict.VERIFIED
    assert "too few" not in summary(audited)
    assert "too few" not in audited.reason
    assert "stands by itself" in summary(audited)


def test_a_refuted_claim_is_no_lower_bound():
    """At the claim, the bound is itself refuted: every line says that epsilon is more."""
    made = refuted(epsilon=1.0, witness=witness(epsilon=1.0))
    said = summary(made)
    assert "at least 1 " not in said
    assert "shows  epsilon of more than 1" in said
    assert "lower bound: epsilon more than 1" in said
