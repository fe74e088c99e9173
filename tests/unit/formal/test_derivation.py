"""Derivations: what is read, which step is false, and what is said of the query."""

import json
import pickle

import numpy as np
import pytest

from dpaudit import Derivation, check_derivation
from dpaudit.claims import PureDP
from dpaudit.declare import Audit
from dpaudit.evidence import Verdict
from dpaudit.neighbors import AddRemove, AnyPair, Real, ReplaceOne

REAL = {"x": "real", "y": "real"}
HALVES = {"variables": {"n": "integer"}, "given": ["n >= 2"]}
NEIGHBORS = AddRemove(Real(0, 10))


def checked(steps, variables=REAL, given=(), **rest):
    return check_derivation(Derivation(variables, given, steps, **rest), timeout=10.0)


def test_a_chain_that_holds_is_verified_with_a_certificate():
    report = checked(
        [("Abs(x)/n", "<=", "1/n"), ("1/n", "<=", "1/2"), ("0.5", "<", "0.6")],
        {"n": "integer", "x": "real"},
        ["n >= 2", "Abs(x) <= 1"],
    )
    assert report.verdict is Verdict.VERIFIED
    assert report.step is None
    assert report.witness is None
    assert report.certificate.kind == "derivation"
    proof = report.certificate.to_dict()["proof"]["obligations"]
    assert {entry["kind"] for entry in proof} == {"defined", "joins", "holds"}
    assert "n >= 2" in report.assumptions
    json.dumps(report.to_dict())


def test_the_first_false_step_is_named_with_numbers():
    report = checked(
        [("x", "<=", "x + 1"), ("x + 1", "<=", "1"), ("1", "<=", "0")], given=["x >= 0"]
    )
    assert report.verdict is Verdict.REFUTED
    assert report.step == 1
    assert report.witness["x"] > 0
    assert report.witness.left == report.witness["x"] + 1
    assert [finding.id for finding in report.findings] == ["DPA113", "DPA113"]
    assert "step 1" in report.findings[0].message
    assert "Step 1 of the derivation is false" in report.summary()
    assert "x = " in report.witness.script()
    assert report.to_dict()["step"] == 1
    assert report._repr_html_()


def test_a_step_that_does_not_begin_where_the_last_ended_is_false():
    report = checked([("x", "<=", "x + 1"), ("x", "<=", "x + 2")])
    assert report.step == 1
    assert "does not begin where the step before ended" in report.findings[0].message


def test_sides_that_are_equal_in_other_words_join():
    report = checked([("(x + y)**2", ">=", "0*x"), ("0", "==", "x - x")])
    assert report.verdict is Verdict.VERIFIED


def test_a_step_without_a_value_for_what_is_allowed_is_false():
    for left in ("x/x", "(x**2 - x)/x - x + 2", "sqrt(x)**2 - x + 1", "x**0.5/x**0.5"):
        report = checked([(left, "==", "1")], given=["x >= -1"])
        assert report.step == 0, left
        assert "has no value" in report.findings[0].message
    assert checked([("x/x", "==", "1")], given=["x > 0"]).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("power", ["(-1)**n", "x**n", "x**(2*n)", "0**n", "(-2)**(n - n)"])
def test_a_power_that_has_a_value_is_not_said_to_have_none(power):
    variables = {"n": "nonnegative integer", "x": "real"}
    report = checked([(power, "<=", f"Abs({power}) + 1")], variables)
    assert report.verdict is not Verdict.REFUTED
    variables = {"n": "real", "x": "real"}
    given = ["n == 2"]
    report = checked([(power, "<=", f"Abs({power}) + 1")], variables, given)
    assert report.verdict is not Verdict.REFUTED


@pytest.mark.parametrize("power", ["(-1)**n", "x**n"])
def test_a_power_without_a_real_value_makes_a_step_false(power):
    report = checked([(power, "<=", f"Abs({power}) + 1")], {"n": "real", "x": "real"})
    assert report.verdict is Verdict.REFUTED
    assert "has no value" in report.findings[0].message


def test_a_condition_is_meant_where_it_has_a_value():
    report = checked([("1/x", "<=", "1")], given=["1/x <= 1"])
    assert report.verdict is Verdict.VERIFIED


def test_decimals_are_what_is_written_and_not_floats():
    assert checked([("0.1 + 0.2", "==", "0.3")]).verdict is Verdict.VERIFIED
    assert checked([("1e-5*10**5", "==", "1")]).verdict is Verdict.VERIFIED


def test_what_is_not_decided_is_inconclusive_and_named():
    report = checked([("x", "<=", "x"), ("x", "==", "x + exp(exp(y)) - exp(exp(y)) + 0*y")])
    assert report.verdict is Verdict.VERIFIED
    report = checked([("a**5 + b**5", "<", "c**5 + 1")], dict.fromkeys("abc", "positive integer"),
                     given=["a**5 + b**5 == c**5"])  # fmt: skip
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.step is None


def test_a_step_may_be_refuted_after_one_that_is_not_decided():
    undecided = ("sinh(x)*0 + x", "<=", "x + sinh(y)**2")
    report = checked([undecided, ("x + sinh(y)**2", "<=", "x - 1")])
    assert report.verdict is Verdict.REFUTED
    assert report.step == 1


@pytest.mark.parametrize("given", [["n >= 2", "n <= 1"], ["n > 1", "n < 2"], ["n**2 < 0"]])
def test_conditions_that_contradict_each_other_are_refused(given):
    with pytest.raises(ValueError, match="`given` contradicts itself"):
        checked([("1", "<=", "0")], {"n": "integer"}, given)


def test_conditions_that_only_irrational_numbers_meet_are_no_contradiction():
    report = checked([("x**4", "==", "4")], given=["x**2 == 2"])
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "no numbers were found that satisfy all conditions" in report.reason


@pytest.mark.parametrize(
    ("steps", "error", "said"),
    [
        ([], ValueError, "`steps` is empty"),
        ([("x", "<=", "z")], ValueError, "'z' is not declared"),
        ([("x", "=<", "y")], ValueError, "has the relation '=<'"),
        ([("x", "!=", "y")], ValueError, "use one of =="),
        ([("x", ">", "y")], ValueError, "turn the step round"),
        ([("x +", "<=", "y")], ValueError, "cannot be read"),
        ([("x", "<=", "")], ValueError, "is empty"),
        ([("x", "<=", 1)], TypeError, "must be text"),
        (["x <= y"], TypeError, "must be \\(left, relation, right\\)"),
        ("x <= y", TypeError, "sequence"),
        ([("x", "<=")], TypeError, "must be \\(left, relation, right\\)"),
        ([("x^2", "<=", "y")], ValueError, "powers are written \\*\\*"),
        ([("x <= y", "<=", "y")], ValueError, "is a relation"),
        ([("f(x)", "<=", "y")], ValueError, "is no function"),
        ([("x.real", "<=", "y")], ValueError, "is not allowed"),
        ([("__import__('os')", "<=", "y")], ValueError, "is no function"),
        ([("().__class__", "<=", "y")], ValueError, "is not allowed"),
        ([("(lambda: 1)()", "<=", "y")], ValueError, "is no function"),
        ([("[x for x in y]", "<=", "y")], ValueError, "is not allowed"),
        ([("x if y else x", "<=", "y")], ValueError, "is not allowed"),
        ([("sqrt(x, y)", "<=", "y")], ValueError, "sqrt takes 1"),
        ([("'x'", "<=", "y")], ValueError, "is no real number"),
        ([("1j*x", "<=", "y")], ValueError, "is no real number"),
        ([("x" + "+x" * 9000, "<=", "y")], ValueError, "characters"),
        ([("x", "<=", "y"), ("y", ">=", "x")], ValueError, "goes up at step 0 and down at step 1"),
    ],
)
def test_a_step_that_cannot_be_read_is_refused_with_a_remedy(steps, error, said):
    with pytest.raises(error, match=said):
        Derivation(REAL, [], steps)


@pytest.mark.parametrize("huge", ["9**9**9", "2**1000000", "10**-100000"])
def test_a_power_that_would_not_end_is_refused(huge):
    with pytest.raises(ValueError, match="too large"):
        checked([("x", "<=", huge)])


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        (["x"], TypeError),
        ({"x": "complex"}, ValueError),
        ({"x": 3}, ValueError),
        ({"2x": "real"}, ValueError),
        ({"exp": "real"}, ValueError),
        ({"lambda": "real"}, ValueError),
        ({"__x": "real"}, ValueError),
    ],
)
def test_variables_must_be_names_with_a_kind(variables, error):
    with pytest.raises(error, match="`variables"):
        Derivation(variables, [], [("1", "<=", "1")])


@pytest.mark.parametrize("given", ["x <= 1", [3], ["x"], ["x = 1"], ["x in y"], ["x and y"]])
def test_conditions_must_be_relations(given):
    with pytest.raises((TypeError, ValueError), match="given"):
        Derivation(REAL, given, [("1", "<=", "1")])


def test_a_missing_case_is_a_false_step_after_all_others():
    report = checked(
        [],
        {"u": "positive"},
        neighbors=NEIGHBORS,
        query=np.sum,
        cases={"add": [("u", "<=", "u + 1"), ("u + 1", "==", "1 + u")]},
    )
    assert report.verdict is Verdict.REFUTED
    assert report.step == 2
    assert "'remove' is missing" in report.findings[0].message


@pytest.mark.parametrize(
    ("neighbors", "cases", "said"),
    [
        (None, {"add": []}, "`neighbors` is missing"),
        (NEIGHBORS, {"replace": [("x", "<=", "x")]}, "no way to be neighbors"),
        (ReplaceOne(Real(0, 1)), {"add": [("x", "<=", "x")]}, "no way to be neighbors"),
        (NEIGHBORS, {"add": []}, "is empty"),
    ],
)
def test_cases_must_belong_to_the_neighbors(neighbors, cases, said):
    with pytest.raises(ValueError, match=said):
        Derivation(REAL, [], [], neighbors=neighbors, cases=cases)


def total(data):
    return float(data.sum())


def test_a_bound_that_the_query_breaks_is_shown_by_two_datasets():
    bound = [("u", "==", "9")]
    report = checked(
        [], {"u": "real"}, ["u == 9"],
        query=total, neighbors=NEIGHBORS, cases={"add": bound, "remove": bound},
    )  # fmt: skip
    assert report.verdict is Verdict.REFUTED
    assert report.step == 0
    assert sorted(map(len, (report.witness.left, report.witness.right))) == [0, 1]
    assert "np.array" in report.witness.script() or "[]" in report.witness.script()
    json.dumps(report.to_dict())


def test_what_is_not_proved_of_the_query_is_an_assumption():
    bound = [("u", "==", "10")]
    report = checked(
        [], {"u": "real"}, ["u == 10"],
        query=total, neighbors=NEIGHBORS, cases={"add": bound, "remove": bound},
    )  # fmt: skip
    assert report.verdict is Verdict.VERIFIED
    assert any("(not proved)" in sentence for sentence in report.assumptions)


def test_datasets_of_sizes_that_the_conditions_leave_out_break_no_bound():
    def mean(data):
        return float(data.mean()) if len(data) else 0.0

    bound = [("10/n", "<=", "10/n")]
    report = checked(
        [], {"n": "integer"}, ["n >= 3"],
        query=mean, neighbors=NEIGHBORS, cases={"add": bound, "remove": bound},
    )  # fmt: skip
    assert report.verdict is Verdict.VERIFIED


def test_the_change_of_an_expression_is_proved():
    steps = {
        "variables": {"n": "integer", "s": "real", "x": "real"},
        "given": ["n >= 1", "0 <= x", "x <= 1", "0 <= s", "s <= n"],
        "query": "s/n",
        "neighbors": NEIGHBORS,
        "changes": {"add": {"s": "s + x", "n": "n + 1"}, "remove": {"s": "s + x", "n": "n + 1"}},
    }
    true = [("Abs(x - s/n)/(n + 1)", "<=", "1/(n + 1)")]
    false = [("Abs(x)/(n + 1)", "<=", "1/(n + 1)")]
    report = check_derivation(Derivation(**steps, cases={"add": true, "remove": true}))
    assert report.verdict is Verdict.VERIFIED
    assert not any("(not proved)" in sentence for sentence in report.assumptions)
    report = check_derivation(Derivation(**steps, cases={"add": true, "remove": false}))
    assert report.step == 1
    assert "begins with less than the change of the query" in report.findings[0].message


def test_local_neighbors_have_one_case():
    report = checked(
        [], neighbors=AnyPair(Real(0, 1)), cases={"replace": [("Abs(x - y)", ">=", "0")]}
    )
    assert report.verdict is Verdict.VERIFIED


@pytest.mark.parametrize("neighbors", [AddRemove, "add", 3])
def test_neighbors_must_be_a_relation(neighbors):
    with pytest.raises(TypeError, match="`neighbors` must be"):
        Derivation(REAL, [], [("x", "<=", "x")], neighbors=neighbors)


def test_a_derivation_is_declared_as_an_audit_without_claim_and_neighbors():
    wrong = Derivation(**HALVES, steps=[("1/n", "<=", "1/3")])
    audit = Audit(wrong, expect="DPA113")
    assert audit.met_by(audit.run())
    assert "1/n <= 1/3" in audit.mechanism_name
    right = Audit(Derivation(**HALVES, steps=[("1/n", "<=", "1/2")]))
    assert right.met_by(right.run(max_seconds=600.0, isolation="process", jobs=1))
    with pytest.raises(TypeError, match="no claim"):
        Audit(wrong, PureDP(1.0))


def test_a_mechanism_still_needs_claim_and_neighbors():
    with pytest.raises(TypeError, match="`claim` must be a claim"):
        Audit(total)


def test_a_derivation_can_be_sent_to_another_process():
    sent = pickle.loads(pickle.dumps(Derivation(**HALVES, steps=[("1/n", "<=", "1/3")])))
    assert check_derivation(sent).step == 0


@pytest.mark.parametrize(
    ("argument", "timeout", "error"),
    [("1 <= 2", 1.0, TypeError), (None, 1.0, TypeError), (Derivation, 1.0, TypeError)],
)
def test_only_a_derivation_is_checked(argument, timeout, error):
    with pytest.raises(error, match="must be a Derivation"):
        check_derivation(argument, timeout=timeout)


@pytest.mark.parametrize("timeout", [0, -1.0, True])
def test_the_time_must_be_positive(timeout):
    with pytest.raises(ValueError, match="`timeout` must be positive"):
        check_derivation(Derivation(**HALVES, steps=[("1", "<=", "1")]), timeout=timeout)
