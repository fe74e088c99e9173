"""Derivations that people copy, each refuted at the step that is false, and what is true."""

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from dpaudit.collect import collect
from dpaudit.evidence import Verdict
from tests.sweeps import sampled

FOLDER = Path(__file__).parents[2] / "audits" / "derivations"

# name: index of the first false step
FALSE = {
    "composition.py::advanced_is_better": 0,
    "composition.py::generic_exponential": 1,
    "composition.py::noisy_max_one_step": 0,
    "composition.py::noisy_mean_total": 1,
    "composition.py::parallel_replace_as_add": 0,
    "composition.py::propose_test_release_total": 1,
    "definitions.py::catastrophe_pure": 0,
    "definitions.py::largest_kl": 0,
    "definitions.py::output_by_output": 1,
    "definitions.py::sampled_rows": 0,
    "definitions.py::second_order_covers_pure": 0,
    "definitions.py::two_coins_as_one": 1,
    "definitions.py::with_probability": 0,
    "gaussian.py::classical_at_ten": 0,
    "gaussian.py::classical_for_every_epsilon": 0,
    "gaussian.py::short_at_eight": 0,
    "gaussian.py::short_for_large_delta": 0,
    "local_sensitivity.py::fewer_parts": 0,
    "local_sensitivity.py::low_threshold": 1,
    "local_sensitivity.py::shifted_parts": 0,
    "local_sensitivity.py::smooth_at_zero": 0,
    "local_sensitivity.py::smooth_noise_at_twenty": 0,
    "local_sensitivity.py::smooth_up_to_n": 0,
    "mean.py::forgets_removal": 3,  # the case that is not there
    "mean.py::negative_sum": 0,
    "mean.py::private_scale": 1,
    "mean.py::removal_as_addition": 3,  # the bound of the removal
    "sums.py::one_sided_clip": 0,
    "sums.py::range_for_sum": 0,
    "sums.py::range_for_sum_of_data": 0,
    "sums.py::replaced_as_added": 0,
    "sums.py::replaced_gradient_as_added": 0,
    "sums.py::scaled_by_n": 1,
    "sums.py::squared_as_given": 0,
    "sums.py::squared_by_upper_bound": 0,
}


@cache
def declared():
    found = collect([FOLDER])
    assert not found.failures
    return {collected.name.rpartition("/")[2]: collected.audit for collected in found.audits}


@cache
def report_of(name):
    return declared()[name].run()


def test_every_derivation_is_listed_or_true():
    expected = {name for name, audit in declared().items() if audit.expect == "DPA113"}
    assert expected == set(FALSE)
    assert all(a.expect == "VERIFIED" for name, a in declared().items() if name not in FALSE)


@pytest.mark.parametrize("name", sampled(sorted(FALSE), 5))
def test_a_false_derivation_is_refuted_at_the_right_step(name):
    report = report_of(name)
    assert report.verdict is Verdict.REFUTED
    assert report.step == FALSE[name]
    assert declared()[name].met_by(report)


# `make audit` tries all that are true, as does a full sweep.
@pytest.mark.parametrize("name", sampled(sorted(set(declared()) - set(FALSE)), 3))
def test_what_is_true_instead_is_verified(name):
    report = report_of(name)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.certificate is not None


def test_removal_moves_the_mean_by_more_than_an_addition():
    numbers = report_of("mean.py::removal_as_addition").witness.values
    n, s, x, u = (numbers[name] for name in "nsxu")
    assert 0 <= x <= u
    assert x <= s <= x + (n - 1) * u
    assert abs((s - x) / (n - 1) - s / n) > u / (n + 1)


def test_a_negative_sum_breaks_the_inequality_of_the_mean():
    numbers = report_of("mean.py::negative_sum").witness.values
    n, s, x, u = (numbers[name] for name in "nsxu")
    assert max(abs(x), abs(s) / n) <= u
    assert abs((s + x) / (n + 1) - s / n) > abs((s + x) / (n + 1) - s / (n + 1))


def test_fewer_parts_than_asked_for():
    numbers = report_of("local_sensitivity.py::fewer_parts").witness.values
    n, k = int(numbers["n"]), int(numbers["k"])
    size = -(-n // k)
    assert -(-n // size) < k
    assert -(-101 // -(-101 // 100)) == 51


def test_the_gaussian_of_the_classical_formula_at_ten_spends_twice_its_delta():
    from mpmath import e, erfc, log, mp, sqrt

    mp.dps = 30
    s = sqrt(2 * log(1.25e5))
    spent = erfc((s - 10 / (2 * s)) / sqrt(2)) / 2 - e**10 * erfc((s + 10 / (2 * s)) / sqrt(2)) / 2
    left = report_of("gaussian.py::classical_at_ten").witness.left
    middle, radius = (Fraction(part) for part in left.split(" ± "))
    assert abs(Fraction(str(spent)) - middle) < radius + Fraction(1, 10**20)
    assert round(float(middle), 7) == 2.27e-05
