"""What `sensitivity` reports."""

import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy

from dpaudit import AddRemove, Categorical, Integer, Real, ReplaceOne, Row, Verdict
from dpaudit.formal.extremal import distance
from dpaudit.formal.sensitivity import sensitivity
from dpaudit.neighbors import dataset_to_text

ADDED = AddRemove(Real(0, 100))


def total(data):
    return data.clip(0, 100).sum()


def test_a_report_says_how_far_each_path_moves_and_where_it_ends():
    report = sensitivity(total, ADDED)
    (line,) = report.derivation
    assert "test_sensitivity.py" in line
    assert "moves by at most 100" in line
    assert "n" not in str(report.bound)
    assert report.verdict is None


def test_the_bound_is_attained_by_a_pair_that_was_run():
    report = sensitivity(total, ADDED)
    left, right = total(report.attained_by.left), total(report.attained_by.right)
    assert abs(left - right) == 100
    assert ADDED.contains(report.attained_by)


def test_the_smallest_datasets_found_refute_a_claim():
    report = sensitivity(total, ADDED, claimed=99)
    assert {len(report.refuted_by.left), len(report.refuted_by.right)} == {0, 1}
    assert "100" in dataset_to_text(report.refuted_by.left)


def test_a_claim_that_is_larger_than_the_bound_is_verified():
    report = sensitivity(total, ADDED, claimed=sympy.Integer(101))
    assert report.verdict is Verdict.VERIFIED
    assert report.certificate.subject["claimed"] == "101"


def test_an_unknown_norm_is_refused():
    with pytest.raises(ValueError, match="`norm` must be one of"):
        sensitivity(total, ADDED, "l3")


def largest(data):
    return data.max()


def test_a_query_that_raises_on_the_empty_dataset_is_never_verified():
    report = sensitivity(largest, ADDED, claimed=100)
    assert report.bound is None
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "records that may be none" in report.reason


def average(data):
    return data.mean()


def test_a_mean_that_is_nan_on_the_empty_dataset_has_no_bound():
    report = sensitivity(average, ADDED, claimed=1e9)
    assert report.bound is None
    assert report.verdict is Verdict.REFUTED


def noisy(data, rng):
    return data.sum() + rng.laplace()


def test_draws_are_left_to_the_provers():
    report = sensitivity(noisy, ADDED)
    assert report.bound is None
    assert "a query that draws noise" in report.reason


def overflowing(data):
    return np.tanh(data * 10.0 - data * 10.0).sum()


def test_records_of_any_size_may_overflow_to_nan():
    report = sensitivity(overflowing, AddRemove(Real(0, 1, enforced=False)), claimed=1)
    assert report.bound is None
    assert "may overflow" in report.reason
    assert sensitivity(overflowing, AddRemove(Real(0, 1)), claimed=1).verdict is Verdict.VERIFIED


def replaced_by_numpy(data):
    return np.nan_to_num(data, posinf=None).sum()


def test_the_greatest_float_that_numpy_puts_for_infinity_is_no_bound():
    anything = AddRemove(Real(0, 1, enforced=False, allow_infinity=True), max_size=4)
    assert sensitivity(replaced_by_numpy, anything, norm="l1").bound is None


def test_a_distance_beyond_the_floats_is_known_exactly():
    greatest = sys.float_info.max
    for norm in ("l1", "l2", "linf"):
        found = distance(np.array([greatest]), np.array([-greatest]), norm)
        assert Fraction(found) / Fraction(greatest) == pytest.approx(2)


def sums_of_groups(data):
    return [data["x"][data["group"] == g].sum() for g in ("a", "b", "c")]


def test_values_of_disjoint_parts_do_not_all_change():
    rows = Row(group=Categorical(["a", "b", "c"]), x=Real(0, 10))
    assert sensitivity(sums_of_groups, AddRemove(rows)).bound == 10
    assert sensitivity(sums_of_groups, ReplaceOne(rows, size=4)).bound == 20


def listed(data):
    return sum(min(row["x"], 5) for row in data if row["group"] == "a")


def test_lists_of_dicts_are_read_record_by_record():
    rows = Row(group=Categorical(["a", "b"]), x=Integer(-1, 10))
    report = sensitivity(listed, AddRemove(rows, container="list"))
    assert report.bound == 5


def test_a_user_of_several_rows_counts_as_many():
    rows = Row(user=Integer(1, 9), x=Real(0, 10))

    def query(data):
        return data["x"].sum()

    neighbors = AddRemove(rows, max_size=4, unit="user", rows_per_unit=3)
    assert sensitivity(query, neighbors).bound == 30
    replaced = ReplaceOne(rows, size=4, unit="user", rows_per_unit=3)
    assert "users that are replaced" in sensitivity(query, replaced).reason
    unbounded = sensitivity(query, AddRemove(rows, max_size=4, unit="user"))
    assert unbounded.bound is None
    assert "rows_per_unit" in unbounded.reason


def narrow_type(data):
    return data.clip(0, 10**9).astype(np.int32).sum(dtype=np.int32)


def test_a_type_that_overflows_moves_by_all_that_it_holds():
    report = sensitivity(narrow_type, AddRemove(Integer(0, 10**9)), claimed=10**9)
    assert report.bound is None
    assert report.verdict is Verdict.REFUTED


def test_what_one_side_of_a_choice_knows_is_forgotten_after_it():
    def chosen(data):
        total, edge = data.clip(-1.0, 1.0).sum(), min(max(len(data), 1), 1)
        scale = 2.0 if total > edge else 0.5
        return min(max(scale * total, -1.0), 1.5)

    two, one = np.array([3.0, 3.0]), np.array([3.0])
    assert chosen(two) - chosen(one) == 1.0
    assert sensitivity(chosen, AddRemove(Real(-2, 3), max_size=6)).bound >= 1

    def both(data):
        return chosen(data) + (1.0 if data.clip(-1.0, 1.0).sum() > 1.0 else 0.0)

    assert both(two) - both(one) == 2.0
    assert sensitivity(both, AddRemove(Real(-2, 3), max_size=6)).bound >= 2


def test_floats_are_the_rational_numbers_that_they_are():
    def query(data):
        return 0.1 * data.sum()

    assert sensitivity(query, ADDED).bound == 100 * sympy.Rational(*(0.1).as_integer_ratio())


def by_position(data):
    return data[0]


def bins_of_data(data):
    return np.histogram(data, bins=5)[0]


def bins_without_end(data):
    return np.bincount(data.astype(int))


def type_of_private_kind(data):
    return None if len(data) < 3 else 1.0


@pytest.mark.parametrize(
    "query", [by_position, bins_of_data, bins_without_end, type_of_private_kind]
)
def test_private_values_where_public_ones_belong_have_no_bound_and_are_named(query):
    report = sensitivity(query, ADDED)
    assert report.bound is None
    assert "test_sensitivity.py" in report.reason


def aliased(data):
    other = data
    other += 1.0
    return data.sum()


def test_a_change_in_place_of_the_records_has_no_bound():
    assert sensitivity(aliased, ADDED).bound is None


def appended_to_two_names(data):
    one = []
    two = one
    two.append(data.sum())
    return one


def test_a_list_is_one_object_for_all_its_names():
    assert sensitivity(appended_to_two_names, ADDED).bound == 100


KEPT = np.array([1.0, 2.0])


def changes_a_global(data):
    kept = KEPT
    kept += 1.0
    return data.sum() * KEPT[0]


def changes_a_default(data, *, found=[]):  # noqa: B006 - what lasts from call to call
    found.append(1)
    return len(found) * data.sum()


@pytest.mark.parametrize("query", [changes_a_global, changes_a_default])
def test_what_outlives_the_call_is_not_changed_in_it(query):
    assert sensitivity(query, ADDED).bound is None
