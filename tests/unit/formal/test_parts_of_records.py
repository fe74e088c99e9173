"""Lists of dicts, lists and tuples, one a record, are columns: what is made of them is proved."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.checking import check

PEOPLE = AddRemove(
    Row(age=Integer(0, 120), sex=Categorical(["f", "m"])), max_size=6, container="list"
)
POINTS = Row(a=Real(-10, 10), b=Real(-10, 10))
REPLACED = ReplaceOne(POINTS, size=5, container="list")
ADDED = AddRemove(POINTS, max_size=6, container="list")
BITS = AddRemove(Integer(0, 1), max_size=8, container="list")
ONE = PureDP(1.0)
Person = namedtuple("Person", "age sex")


@dataclass
class Patient:
    age: int
    sex: str


def kept_rows(rows, rng):
    adults = [r for r in rows if r["age"] >= 18]
    return len(adults) + rng.laplace(0, 1)


def rows_as_lists(rows, rng):
    table = []
    for r in rows:
        row = [r["sex"], r["age"]]
        table.append(row)
    return sum(1 for row in table if row[1] > 40 and row[0] == "f") + rng.laplace(0, 1)


def rows_as_tuples(rows, rng):
    pairs = [(r["sex"], (r["age"], 1)) for r in rows]
    return sum(min(age, 100) * one for _, (age, one) in pairs) + rng.laplace(0, 100)


def named_tuples(rows, rng):
    people = [Person(r["age"], r["sex"]) for r in rows]
    return sum(1 for p in people if p.age >= 30) + rng.laplace(0, 1)


def dataclasses(rows, rng):
    patients = [Patient(r["age"], r["sex"]) for r in rows]
    return len([p for p in patients if p.sex == "m"]) + rng.laplace(0, 1)


def rows_by_group(rows, rng):
    groups = {"f": [], "m": []}
    for r in rows:
        groups[r["sex"]].append((r["age"], 1))
    return [sum(min(age, 100) for age, _ in held) + rng.laplace(0, 100) for held in groups.values()]


def zipped_columns(rows, rng):
    pairs = list(zip([r["age"] for r in rows], [r["sex"] for r in rows], strict=True))
    return sum(1 for age, sex in pairs if age > 20 and sex == "m") + rng.laplace(0, 1)


def mean_of_tuples(rows, rng):
    points = [(min(max(r["a"], 0), 1), r["b"]) for r in rows]
    return sum(p[0] for p in points) / len(points) + rng.laplace(0, 0.2)


def array_of_rows(rows, rng):
    points = np.array([[r["a"], r["b"]] for r in rows])
    return np.clip(points, 0, 1).sum(axis=0) + rng.laplace(0, 2, size=2)


def mean_of_rows(rows, rng):
    return np.mean([(r["a"], r["b"]) for r in rows], axis=0) + rng.laplace(0, 8, size=2)


def proof(mechanism, claim=ONE, neighbors=PEOPLE):
    """Return the proof by cost, the text of why there is none."""
    try:
        return prove_by_cost(lift(mechanism), claim, neighbors)
    except Unsupported as error:
        return str(error)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (kept_rows, PEOPLE), (rows_as_lists, PEOPLE), (rows_as_tuples, PEOPLE),
        (named_tuples, PEOPLE), (dataclasses, PEOPLE), (rows_by_group, PEOPLE),
        (zipped_columns, PEOPLE), (mean_of_tuples, REPLACED), (array_of_rows, REPLACED),
        (mean_of_rows, REPLACED),
    ],
)  # fmt: skip
def test_what_is_made_of_parts_of_records_is_proved_and_no_smaller_claim(mechanism, neighbors):
    report = dpaudit.audit(mechanism, ONE, neighbors, engines=("formal",), seed=0)
    assert report.verdict is dpaudit.Verdict.VERIFIED, str(report)
    result = check(report.certificate.to_dict())
    assert result.accepted, result.reason
    assert "may cost" in proof(mechanism, PureDP(0.99), neighbors)


def one_list_for_all(rows, rng):
    one = [0]
    table = [one for r in rows]
    one[0] = 100
    return sum(row[0] for row in table) + rng.laplace(0, 1)


def changed_lists(rows, rng):
    table = [[min(r["age"], 1)] for r in rows]
    for row in table:
        row[0] = 100
    return sum(row[0] for row in table) + rng.laplace(0, 1)


def changed_before_the_record_is_through(rows, rng):
    table = []
    for r in rows:
        row = [r["age"] / 120]
        table.append(row)
        row[0] = r["age"]
    return sum(row[0] for row in table) + rng.laplace(0, 1)


def changed_in_a_copy_of_the_list(rows, rng):
    table = [[min(r["age"], 1), 1] for r in rows]
    other = table.copy()
    other[0][0] = 50
    return sum(x for x, _ in table) + rng.laplace(0, 1)


def several_lengths(rows, rng):
    table = [(1,) if r["age"] > 30 else (1, 2) for r in rows]
    return sum(len(row) for row in table) + rng.laplace(0, 1)


def keys_of_records(rows, rng):
    table = [{r["sex"]: r["age"]} for r in rows]
    return sum(1 for row in table if "m" in row) + rng.laplace(0, 1)


def first_tuple(rows, rng):
    people = [(r["age"], r["sex"]) for r in rows]
    return people[0][0] + rng.laplace(0, 120)


def released_tuples(rows, rng):
    return [(r["age"], r["sex"]) for r in rows]


def emptiness(rows, rng):
    people = [(r["age"], r["sex"]) for r in rows]
    return rng.laplace(0, 1) if people else 7.0


def two_columns_for_one(rows, rng):
    pairs = [(r["age"] / 120, r["age"] / 120) for r in rows]
    return sum(a for a, _ in pairs) + sum(b for _, b in pairs) + rng.laplace(0, 1)


def running_sums(rows, rng):
    found, total = [], 0
    for r in rows:
        total += r["age"] / 120
        found.append((total, 1))
    return sum(s for s, _ in found) + rng.laplace(0, 1)


def sorted_tuples(rows, rng):
    people = [(r["age"], r["sex"]) for r in rows]
    people.sort(key=lambda p: p[0])
    return sum(age for age, _ in people[:1]) / 120 + rng.laplace(0, 1)


@pytest.mark.parametrize(
    "mechanism",
    [
        one_list_for_all, changed_lists, changed_before_the_record_is_through,
        changed_in_a_copy_of_the_list, several_lengths, keys_of_records, first_tuple,
        released_tuples, emptiness, two_columns_for_one, running_sums, sorted_tuples,
    ],
)  # fmt: skip
def test_a_broken_use_of_parts_of_records_is_not_proved(mechanism):
    assert isinstance(proof(mechanism), str)


def even_columns(rows, rng):
    points = np.array([[r["a"], r["b"]] for r in rows])
    return np.clip(points[:, 0], 0, 1).sum() + rng.laplace(0, 1)


def rows_below_one_another(rows, rng):
    points = [np.array([r["a"], r["b"]]) for r in rows]
    return np.clip(points, 0, 1).sum(axis=0) + rng.laplace(0, 2, size=2)


@pytest.mark.parametrize("mechanism", [even_columns, rows_below_one_another])
def test_an_array_of_no_rows_has_no_columns(mechanism):
    with pytest.raises((IndexError, np.exceptions.AxisError)):
        np.array([])[:, 0]
    assert "no columns where there are no records" in proof(mechanism, PureDP(2.0), ADDED)
    some = AddRemove(POINTS, max_size=6, min_size=1, container="list")
    assert not isinstance(proof(mechanism, PureDP(2.0), some), str)


def noise_below_rounding(rows, rng):
    shifted = [((r["a"] + 1e17) - 1e17, 1) for r in rows]
    return sum(min(max(a, 0), 1) for a, _ in shifted) + rng.laplace(0, 1)


def test_rounding_inside_of_a_tuple_is_seen():
    report = dpaudit.audit(noise_below_rounding, ONE, REPLACED, engines=("formal",), seed=0)
    assert report.verdict is not dpaudit.Verdict.VERIFIED


def odd_places_by_numbers(data, rng):
    pairs = [(i, x) for i, x in enumerate(data)]
    return sum(x for i, x in pairs if i == 3 or i == 5) + rng.laplace(0, 1)


def odd_places_by_a_list(data, rng):
    at = list(range(len(data)))
    return sum(x for i, x in zip(at, data, strict=True) if i == 3 or i == 5) + rng.laplace(0, 1)


def places_of_ones_counted(data, rng):
    at = [i for i, x in enumerate(data) if x]
    return at.count(3) + at.count(5) + rng.laplace(0, 1)


@pytest.mark.parametrize(
    "mechanism", [odd_places_by_numbers, odd_places_by_a_list, places_of_ones_counted]
)
def test_the_place_of_a_record_which_another_one_shifts_is_not_compared(mechanism):
    assert sum([0, 0, 0, 1, 0, 1][i] for i in (3, 5)) == 2
    assert sum([0, 0, 0, 0, 1, 0, 1][i] for i in (3, 5)) == 0
    assert isinstance(proof(mechanism, ONE, BITS), str)


def places_of_ones(data, rng):
    return len([i for i, x in enumerate(data) if x]) + rng.laplace(0, 1)


def test_how_many_places_there_are_is_counted():
    assert not isinstance(proof(places_of_ones, ONE, BITS), str)
