"""Certificates by a lemma: what the lemma needs is asked anew, of both datasets at once."""

import json
from functools import cache, partial

import pytest

from dpaudit import AddRemove, ApproxDP, Integer, PureDP, Real, ReplaceOne
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lemma import prove_by_lemma
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from mechanisms.distance_to_instability import noisy_distance
from mechanisms.exponential_segments import exponential_segments
from mechanisms.flawed.ptr_low_threshold import ptr_low_threshold
from mechanisms.local_sensitivity import mean_profile
from mechanisms.propose_test_release import propose_test_release
from mechanisms.quantile import quantile
from mechanisms.smooth_median import smooth_median, smooth_median_cauchy
from mechanisms.smooth_sensitivity import noisy_smooth_sensitivity
from mechanisms.stability_histogram import stability_histogram
from tests.checking import check
from tests.sweeps import sampled
from tests.unit.checker.mutations import changed, mutations, sealed
from tests.unit.formal.test_segments import of_integers, with_a_cap, with_a_mask

RECORDS, VALUES = AddRemove(Real(0, 100)), AddRemove(Integer(0, 3))
FIVE = ReplaceOne(Real(0, 100), size=5)
TESTED = partial(ptr_low_threshold, delta=0.0008)
QUANTILE = partial(quantile, q=0.75, sensitivity=0.75)
CLAIM = ApproxDP(1.0, 0.01)
# Versions, words, places.
HARMLESS = (
    r"versions\..*",
    r"trusted\.\d+",
    r"program\..*place",
    # −0 and 0 are one value of whole numbers, and a strict threshold is as good as another.
    r"program\.entry\.body\.0\.value\.arguments\.0\.arguments\.1\.value\.float",
    r"program\.entry\.body\.3\.value\.arguments\.0\.keywords\.0\.1\.value",
    r"program\.entry\.body\.2\.value\.function",
    r"program\.entry\.defaults\.\w+\.value\.float",
)


@cache
def certificate(mechanism, claim=CLAIM, neighbors=RECORDS):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_lemma(program, claim, neighbors)
    made = certificate_of(subject, claim, neighbors, program, proof).to_dict()
    return json.dumps(made)


def loaded(*given):
    return json.loads(certificate(*given))


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    sampled(
        [
            (smooth_median, CLAIM, RECORDS),
            (smooth_median_cauchy, PureDP(1.0), RECORDS),
            (propose_test_release, CLAIM, RECORDS),
            (partial(noisy_distance, profile=mean_profile), PureDP(1.0), RECORDS),
            (noisy_distance, PureDP(1.0), RECORDS),
            (noisy_smooth_sensitivity, PureDP(1.0), RECORDS),
            (TESTED, CLAIM, RECORDS),
            (stability_histogram, CLAIM, VALUES),
            (quantile, PureDP(1.0), FIVE),
            (QUANTILE, PureDP(1.0), RECORDS),
            (partial(quantile, q=0.0, sensitivity=0.5), PureDP(1.0), RECORDS),
            (exponential_segments, PureDP(1.0), RECORDS),
            (with_a_mask, PureDP(1.0), AddRemove(Real(0, 1))),
            (with_a_cap, PureDP(1.0), AddRemove(Real(0, 1))),
        ],
        3,
    ),
)
def test_a_proof_by_a_lemma_is_accepted(mechanism, claim, neighbors):
    checked = check(loaded(mechanism, claim, neighbors), timeout=600.0)
    assert checked.accepted, checked.reason
    assert any(sentence.startswith("the lemma on ") for sentence in checked.trusted)


def test_a_function_that_the_certificate_does_not_hold_is_not_followed():
    made = loaded(noisy_distance, PureDP(1.0))
    [call] = _calls(made["program"]["entry"], "median_profile")
    named = {"kind": "Name", "place": call["place"], "id": "profile"}
    call["function"], call["arguments"] = "operator.call", [named, *call["arguments"]]
    checked = check(sealed(made))
    assert not checked.accepted
    assert not checked.decided
    assert "`operator.call` of these" in checked.reason


def _calls(node, name):
    """Return the calls of a function that the program holds."""
    inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    found = [call for part in inside for call in _calls(part, name)]
    called = node.get("function") if isinstance(node, dict) else None
    own = isinstance(called, dict) and called.get("name") == name and node["kind"] == "Call"
    return [node, *found] if own else found


def test_no_field_of_a_certificate_can_be_changed():
    """But for words and versions."""
    made = loaded(stability_histogram, CLAIM, VALUES)
    accepted = [
        name
        for name, free, other in mutations(made, HARMLESS)
        if not free and check(other, source=False).accepted
    ]
    assert accepted == []


def replaced(made, *pairs):
    """Return a certificate with other texts in its program, and the digests that fit."""
    text = json.dumps(made["program"])
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return sealed({**made, "program": json.loads(text)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("builtins.float", "builtins.int"),
        ("numpy.concatenate", "numpy.append"),
        ("method.max", "method.min"),
        ("standard_cauchy", "standard_normal"),
        ("operator.floordiv", "operator.mod"),
    ],
)
def test_another_program_is_not_what_was_proved(old, new):
    made = loaded(smooth_median_cauchy, PureDP(1.0))
    assert not check(replaced(made, (old, new)), source=False, timeout=30.0).accepted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"0x1.8000000000000p-1"', '"0x1.7000000000000p-1"'),  # q or Δ: 0.72
        ('"operator.gt"', '"operator.ge"'),
        ('"inf"', '"0x1.0000000000000p+1"'),
        ('"gumbel"', '"laplace"'),
        ('"numpy.argmax"', '"numpy.argmin"'),
        ('"numpy.diff"', '"numpy.cumsum"'),
        ('"numpy.sort"', '"numpy.unique"'),
        ('"uniform"', '"normal"'),
    ],
)
def test_another_program_is_not_a_quantile_of_an_interval(old, new):
    made = loaded(QUANTILE, PureDP(1.0))
    assert not check(replaced(made, (old, new)), source=False, timeout=30.0).accepted


@pytest.mark.parametrize("told", ["50", "99", "-100", "exp(5)", "1000"])
def test_how_far_a_tested_answer_moves_is_proved_anew(told):
    """A bound that is too large is one too, but gives another price."""
    made = loaded(TESTED, CLAIM, RECORDS)
    made = changed(made, ("proof", "numbers", "G"), lambda _old: told)
    assert not check(made, source=False, timeout=60.0).accepted


def test_lengths_of_integers_that_overflow_are_not_accepted():
    made = loaded(of_integers, PureDP(1.0), AddRemove(Integer(-1000, 1000)))
    assert check(made, source=False).accepted
    far = json.loads(json.dumps(made).replace("1000", str(6 * 10**18)))
    result = check(sealed(far), source=False)
    assert not result.accepted
    assert "sort" in result.reason


def test_a_quantile_of_an_interval_costs_no_less():
    made = loaded(exponential_segments, PureDP(1.0), RECORDS)
    assert check(made, source=False).accepted
    for path, value in (
        (("subject", "claim"), "PureDP(0.9)"),
        (("subject", "neighbors"), "ReplaceOne(Real(0.0, 100.0), size=5)"),
        (("proof", "spent"), "1/2"),
        (("proof", "numbers", "u"), "1/4"),
        (("proof", "lemma", "name"), "the Laplace mechanism"),
    ):
        checked = check(changed(made, path, lambda _old, value=value: value), source=False)
        assert not checked.accepted, path


def test_a_smaller_price_than_the_lemmas_is_rejected():
    made = loaded(stability_histogram, CLAIM, VALUES)
    for path, value in (
        (("proof", "spent"), "(1, 1/1000)"),
        (("proof", "numbers", "T"), "7"),
        (("proof", "lemma", "name"), "propose-test-release"),
        (("subject", "claim"), "ApproxDP(1.0, 0.001)"),
    ):
        checked = check(changed(made, path, lambda _old, value=value: value), source=False)
        assert not checked.accepted
        assert checked.decided
