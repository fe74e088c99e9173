"""Certificates of sensitivity: how far a query moves is computed anew."""

import copy
import json
from functools import partial

import numpy as np
import pytest
import sympy

import dpaudit
from dpaudit import AddRemove, Categorical, QueryAnswers, Real, ReplaceOne, Row, Verdict
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from mechanisms.sequential_composition import counts_above
from tests.checking import check
from tests.unit.checker.mutations import changed, mutations, sealed

ADDED = AddRemove(Real(0, 100))
REPLACED = ReplaceOne(Real(0, 100), size=4)
HARMLESS = (
    r"versions\..*",
    r"trusted\.\d+",
    r"program\..*place",
    r"subject\.claimed",  # a larger one, which follows as well
    r"program\.entry\.body\.0\.value\.items\.0.*\.value\.int",  # to [1, 100]; to [0, 1001]
)


def total(data):
    return data.clip(0, 100).sum()


def unclipped(data):
    return data.sum()


def histogram(data):
    return np.bincount(np.searchsorted(np.array([20.0, 40.0]), data, side="right"), minlength=3)


def sum_and_count(data):
    return data.clip(0, 100).sum(), len(data)


def twice(answers):
    return 2 * answers


def sums_of_groups(data):
    return [data["x"][data["group"] == name].sum() for name in ("a", "b")]


def deviations(data):
    centred = data - data.sum() / max(1, len(data))
    return centred @ centred


def branching(data):
    if np.count_nonzero(data > 50) > 2:
        return 0.0
    return 1.0


def of_a_list(data):
    a = [0.0]
    b = a
    b[0] = 2.0 * len(data)
    return a[0]


GROUPS = Row(group=Categorical(["a", "b"]), x=Real(0, 10))
BOUNDS = [
    (total, ADDED, "l1", 100),
    (total, REPLACED, "l2", 100),
    (histogram, ADDED, "l1", 1),
    (histogram, REPLACED, "l1", 2),
    (histogram, REPLACED, "l2", "sqrt(2)"),
    (histogram, REPLACED, "linf", 1),
    (histogram, REPLACED, "l0", 2),
    (sum_and_count, ADDED, "l2", "sqrt(10001)"),
    (counts_above, ADDED, "l1", 3),
    (twice, QueryAnswers(3, norm="l2"), "l2", 2),
    (twice, QueryAnswers(3, norm="l2"), "l1", "2*sqrt(3)"),
    (twice, QueryAnswers(3, norm="l1"), "l1", 2),
    (sums_of_groups, AddRemove(GROUPS), "l1", 10),
    (sums_of_groups, ReplaceOne(GROUPS, size=4), "l1", 20),
    (deviations, ReplaceOne(Real(0, 1), size=4), "l1", "3/4"),
]


def certificate(query, neighbors, norm="l1", claimed=None):
    report = dpaudit.sensitivity(query, neighbors, norm, claimed=claimed)
    return json.loads(json.dumps(report.certificate.to_dict()))


@pytest.mark.parametrize(("query", "neighbors", "norm", "bound"), BOUNDS)
def test_the_bound_that_is_reported_is_accepted(query, neighbors, norm, bound):
    found = certificate(query, neighbors, norm)
    assert sympy.sympify(found["subject"]["bound"]) == sympy.sympify(bound)
    result = check(found)
    assert result.accepted, result.reason


@pytest.mark.parametrize(("query", "neighbors", "norm", "bound"), BOUNDS)
def test_a_bound_that_is_claimed_is_accepted_and_a_smaller_one_is_not(
    query, neighbors, norm, bound
):
    report = dpaudit.sensitivity(query, neighbors, norm, claimed=bound)
    assert report.verdict is Verdict.VERIFIED
    found = json.loads(json.dumps(report.certificate.to_dict()))
    assert sympy.sympify(found["subject"]["claimed"]) == sympy.sympify(bound)
    assert check(found).accepted
    smaller = copy.deepcopy(found)
    for part, name in (("subject", "bound"), ("subject", "claimed"), ("proof", "bound")):
        smaller[part][name] = f"({bound})*999/1000"
    result = check(sealed(smaller))
    assert result.decided
    assert "was found" in result.reason


def test_every_change_of_a_field_is_rejected_or_harmless():
    found = certificate(sum_and_count, ADDED, claimed=101)
    for where, free, mutated in mutations(found, HARMLESS):
        result = check(mutated)
        assert not result.accepted or free, where


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("subject", "norm"), "l0"),
        (("subject", "claimed"), "50"),
        (("subject", "bound"), "oo"),
        (("subject", "bound"), "n"),
        (("subject", "neighbors"), "ReplaceOne(Real(0, 100))"),
        (("subject", "query"), "tests.unit.checker.test_sensitivity:unclipped"),
    ],
)
def test_a_certificate_that_says_something_else_is_not_accepted(path, value):
    found = certificate(total, ADDED, claimed=100)
    assert not check(changed(found, path, lambda _: value)).accepted


@pytest.mark.parametrize(
    ("query", "neighbors"),
    [
        (unclipped, AddRemove(Real(0, 100, enforced=False))),
        (total, AddRemove(Real(0, 100, allow_nan=True))),
        (total, AddRemove(Real(0, 100), group=2)),
        (branching, ADDED),
        (of_a_list, ADDED),
        (sums_of_groups, ReplaceOne(Row(group=Categorical(["a", "b"]), x=Real(0, 99)), size=3)),
    ],
)
def test_a_bound_that_was_made_up_is_not_accepted(query, neighbors):
    made_up = certificate(total, ADDED)
    real = dpaudit.sensitivity(query, neighbors)
    assumptions = [*neighbors.assumptions(), *made_up["assumptions"][-2:]]
    name = f"tests.unit.checker.test_sensitivity:{query.__name__}"
    made_up["subject"] |= {"query": name, "neighbors": str(neighbors), "bound": "1/2"}
    made_up["proof"] |= {"bound": "1/2", "assumptions": assumptions}
    made_up["assumptions"] = assumptions
    made_up["program"] = json.loads(json.dumps(to_dict(lift(query))))
    made_up["sources"] = made_up["program"]["sources"]
    result = check(sealed(made_up))
    assert not result.accepted
    assert real.bound is None or real.bound > 0.5


def scaled(data, *, high):
    return data.clip(0, high).sum()


def test_a_parameter_without_a_value_has_no_bound_and_the_report_says_what_to_do():
    report = dpaudit.sensitivity(scaled, ADDED)
    assert report.bound is None
    assert report.certificate is None
    assert "a bound for all values of high; give values by `partial`" in report.reason
    assert dpaudit.sensitivity(partial(scaled, high=50), ADDED).bound == 50
