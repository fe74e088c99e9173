"""Certificates of derivations: what is proved is accepted, and what is not is not."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from dpaudit import AddRemove, Derivation, Real, check_derivation
from dpaudit.checker.obligations import Decision, obligations
from dpaudit.checker.stated import assumptions
from dpaudit.collect import collect
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.deriving import report
from tests.checking import check
from tests.unit.checker.mutations import changed, mutations, sealed

FOLDER = Path(__file__).parents[3] / "audits" / "derivations"
# Words, versions, and hints that the checker does not use.
HARMLESS = (
    r"versions\..*",
    r"trusted\.\d+",
)


def certificate(*args, **named):
    report = check_derivation(Derivation(*args, **named))
    return report.certificate.to_dict()


@pytest.fixture(autouse=True)
def _fewer_steps(monkeypatch):
    monkeypatch.setattr("dpaudit.checker.BUDGET", 20.0)


@pytest.fixture(scope="module")
def two_sided():
    return certificate(
        {"x": "real", "l": "real", "u": "real"},
        given=["l <= u"],
        steps=[("Abs(Min(Max(x, l), u))", "<=", "Max(Abs(l), Abs(u))")],
    )


@pytest.fixture(scope="module")
def mean():
    joins = [("Abs(s + x - s)", "==", "Abs(x)"), ("Abs(x)", "<=", "u")]
    leaves = [("Abs(s - x - s)", "==", "Abs(x)"), ("Abs(x)", "<=", "u")]
    return certificate(
        {"s": "real", "x": "real", "u": "positive"},
        given=["0 <= x", "x <= u"],
        query="s",
        neighbors=AddRemove(Real(0, 100)),
        cases={"add": joins, "remove": leaves},
        changes={"add": {"s": "s + x"}, "remove": {"s": "s - x"}},
    )


@pytest.fixture(scope="module")
def logarithm():
    return certificate(
        {"epsilon": "positive"},
        given=["epsilon <= 1"],
        steps=[("exp(epsilon) - 1", "<=", "2*epsilon"), ("2*epsilon", "<=", "2")],
    )


def test_what_the_prover_hands_over_is_accepted(two_sided, mean, logarithm):
    for found in (two_sided, mean, logarithm):
        result = check(found)
        assert result.accepted, result.reason


@pytest.mark.parametrize("name", ["two_sided", "mean", "logarithm"])
def test_every_change_of_a_field_is_rejected_or_harmless(name, request):
    for where, free, found in mutations(request.getfixturevalue(name), HARMLESS):
        result = check(found)
        if where.startswith("proof.meets") and result.accepted:
            continue  # other numbers that meet the conditions show as well that some do
        assert result.accepted == free, (where, result.reason)


def test_a_change_without_a_new_digest_is_noticed(mean):
    found = copy.deepcopy(mean)
    found["subject"]["given"][0] = "1 <= x"
    assert "digest" in check(found).reason


STEPS = ("subject", "steps")


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ((*STEPS, 0, "right"), "Max(l, u)", "step 0"),
        ((*STEPS, 0, "right"), "u - l", "step 0"),
        ((*STEPS, 0, "relation"), "<", "step 0"),
        ((*STEPS, 0, "left"), "Abs(x)", "step 0"),
        ((*STEPS, 0, "right"), "Max(Abs(l), Abs(u))*x/x", "step 0"),
        ((*STEPS, 0, "right"), "Max(Abs(l), Abs(u)) + sqrt(x) - sqrt(x)", "step 0"),
        ((*STEPS, 0, "right"), "__import__('os').getpid()", "is no function"),
        ((*STEPS, 0, "right"), "Max(Abs(l), Abs(v))", "is not declared"),
        (("subject", "given"), ["l <= u", "u < l"], ""),
        ((*STEPS,), [], "steps"),
        (("subject", "variables", "x"), "integer", "assumptions"),
    ],
)
def test_a_derivation_that_does_not_hold_is_rejected(two_sided, path, value, reason):
    found = changed(two_sided, path, lambda _: value)
    found["assumptions"] = [
        *(f"{name} is {kind}" for name, kind in found["subject"]["variables"].items()),
        *found["subject"]["given"],
    ]
    if path[-1] == "x":
        found["assumptions"][0] = "x is real"
    result = check(sealed(found))
    assert not result.accepted
    assert reason in result.reason


def test_a_case_that_is_left_out_is_missed(mean):
    found = copy.deepcopy(mean)
    found["subject"]["steps"] = found["subject"]["steps"][:2]
    found["subject"]["changes"].pop("remove")
    obligations = found["proof"]["obligations"]
    found["proof"]["obligations"] = [o for o in obligations if o["step"] < 2]
    assert "'remove' is missing" in check(sealed(found)).reason


def test_a_first_side_below_the_change_of_the_query_is_rejected(mean):
    found = copy.deepcopy(mean)
    found["subject"]["changes"]["add"]["s"] = "s + 2*x"
    found["assumptions"] = [
        text.replace("s becomes s + x", "s becomes s + 2*x") for text in found["assumptions"]
    ]
    result = check(sealed(found))
    assert result.decided
    assert "bounds the query's change" in result.reason


def test_steps_that_do_not_join_are_rejected(mean):
    found = copy.deepcopy(mean)
    found["subject"]["steps"][1]["left"] = "Abs(x)/2"
    assert "begins where the step before ended" in check(sealed(found)).reason


def test_a_false_step_is_shown_with_numbers(logarithm):
    found = copy.deepcopy(logarithm)
    found["subject"]["steps"][0]["right"] = "3*epsilon/2"
    found["subject"]["steps"][1]["left"] = "3*epsilon/2"
    result = check(sealed(found))
    assert result.decided
    assert "is false at epsilon = " in result.reason


def test_an_assumption_that_is_left_out_is_missed():
    found = certificate(
        {"x": "real"},
        given=["Abs(x) <= 1"],
        neighbors=AddRemove(Real(-1, 1)),
        cases={"add": [("Abs(x)", "<=", "1")], "remove": [("Abs(x)", "<=", "1")]},
    )
    assert any("not proved" in text for text in check(found).trusted)
    found["assumptions"] = [text for text in found["assumptions"] if "not proved" not in text]
    assert "`assumptions` lacks" in check(sealed(found)).reason


def test_conditions_that_contradict_each_other_prove_nothing(two_sided):
    found = copy.deepcopy(two_sided)
    found["subject"]["given"] = ["l <= u", "u < l"]
    found["assumptions"] = [*found["assumptions"], "u < l"]
    found["proof"]["meets"] = None
    assert "contradicts itself" in check(sealed(found)).reason


def test_a_step_that_cannot_be_decided_is_not_called_false(logarithm):
    result = check(logarithm, timeout=1e-6)
    assert not result.accepted
    assert not result.decided


def forged(derivation):
    """Return a certificate that says of every step that it is proved."""
    stated = replace(derivation.stated, missing=())
    listed = [report.Checked(each, Decision(True, "solver")) for each in obligations(stated)]
    proof = {"meets": None, "obligations": [entry.to_dict() for entry in listed]}
    made = Certificate("derivation", stated.to_dict(), None, {}, proof, assumptions(stated))
    return made.to_dict()


@pytest.mark.slow
def test_no_forged_certificate_of_a_false_derivation_is_accepted():
    on_trust = []
    for collected in collect([FOLDER]).audits:
        if collected.audit.expect == "VERIFIED":
            continue
        result = check(forged(collected.audit.mechanism))
        if result.accepted:
            on_trust.append(collected.name.rpartition("::")[2])
            assert "(not proved)" in result.trusted[0]
    # Its steps are true; that they bound the change of a Python function is taken on trust.
    assert on_trust == ["range_for_sum_of_data"]
