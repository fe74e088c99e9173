"""Lemmas about noise that depends on the data: what they prove, and what they must not."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, ApproxDP, GaussianDP, Integer, PureDP, Real, ReplaceOne, Verdict
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from mechanisms.distance_to_instability import distance_to_instability, noisy_distance
from mechanisms.flawed.ptr_forgets_removal import ptr_forgets_removal
from mechanisms.flawed.ptr_low_threshold import ptr_low_threshold
from mechanisms.flawed.ptr_overspent import ptr_overspent
from mechanisms.flawed.ptr_unnoised_test import ptr_unnoised_test
from mechanisms.flawed.smooth_median_at_zero import smooth_median_at_zero
from mechanisms.flawed.smooth_median_gaussian import smooth_median_gaussian
from mechanisms.flawed.smooth_median_sample_range import smooth_median_sample_range
from mechanisms.flawed.smooth_median_without_end import smooth_median_without_end
from mechanisms.flawed.smooth_median_wrong_beta import smooth_median_wrong_beta
from mechanisms.flawed.stability_histogram_low_threshold import stability_histogram_low_threshold
from mechanisms.flawed.stability_histogram_threshold_before_noise import (
    stability_histogram_threshold_before_noise,
)
from mechanisms.flawed.stability_histogram_without_threshold import (
    stability_histogram_without_threshold,
)
from mechanisms.local_sensitivity import bounded_order, mean_profile, median_profile
from mechanisms.propose_test_release import mean, propose_test_release
from mechanisms.smooth_median import median, smooth_median, smooth_median_cauchy
from mechanisms.smooth_sensitivity import noisy_smooth_sensitivity, smooth_sensitivity
from mechanisms.stability_histogram import stability_histogram
from tests.checking import proved_by_lemma

RECORDS = AddRemove(Real(0, 100))
VALUES = AddRemove(Integer(0, 3))
CLAIM = ApproxDP(1.0, 0.01)


def proved(mechanism, claim=CLAIM, neighbors=RECORDS):
    return proved_by_lemma(mechanism, claim, neighbors)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors", "lemma"),
    [
        (smooth_median, CLAIM, RECORDS, "smooth sensitivity"),
        (smooth_median_cauchy, PureDP(0.34), RECORDS, "smooth sensitivity"),
        (noisy_smooth_sensitivity, PureDP(1.0), RECORDS, "the logarithm of a smooth bound"),
        (noisy_distance, PureDP(1.0), RECORDS, "the distance to instability"),
        (partial(noisy_distance, profile=mean_profile), PureDP(1.0), RECORDS, None),
        (propose_test_release, CLAIM, RECORDS, "propose-test-release"),
        (
            partial(ptr_low_threshold, delta=0.0008),
            CLAIM,
            RECORDS,
            "propose-test-release of a bounded answer",
        ),
        (stability_histogram, CLAIM, VALUES, "stability-based histograms"),
    ],
)
def test_a_mechanism_is_proved_by_the_lemma_on_it(mechanism, claim, neighbors, lemma):
    proof = proved(mechanism, claim, neighbors)
    assert lemma in (None, proof.conclusion.lemma.name)
    assert any(proof.conclusion.lemma.source in assumption for assumption in proof.assumptions)


def test_the_report_lists_the_lemma_with_its_source():
    report = dpaudit.verify(smooth_median_cauchy, PureDP(1.0), RECORDS)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.certificate.to_dict()["kind"] == "lemma"
    assert "Nissim, Raskhodnikova & Smith 2007" in " ".join(report.assumptions)


@pytest.mark.parametrize(
    "mechanism",
    [
        smooth_median_at_zero,
        smooth_median_gaussian,
        smooth_median_sample_range,
        smooth_median_without_end,
        smooth_median_wrong_beta,
        partial(smooth_median, epsilon=20.0, delta=1e-6),
        ptr_forgets_removal,
        ptr_low_threshold,
        partial(ptr_low_threshold, delta=0.00082),  # √(δ/8) is .01012, of which .9889 is lost
        ptr_overspent,
        ptr_unnoised_test,
        stability_histogram_low_threshold,
        stability_histogram_threshold_before_noise,
        stability_histogram_without_threshold,
    ],
)
def test_no_flawed_twin_is_proved(mechanism):
    large = isinstance(mechanism, partial) and mechanism.func is smooth_median
    claim = ApproxDP(20.0, 1e-6) if large else CLAIM
    for neighbors in (RECORDS, VALUES):
        with pytest.raises(Unsupported):
            proved(mechanism, claim, neighbors)


# --- one condition of a lemma broken each


def median_of_other_gap(data, rng):
    """Bounds how far x_⌈n/2⌉ moves by the gap two places on."""
    x, n, k = bounded_order(data, 0.0, 100.0), len(data), np.arange(len(data) + 1)
    profile = x[np.minimum((n + k) // 2 + 2, n + 1)] - x[np.minimum((n - k) // 2 + 1, n + 1)]
    return median(data, 0.0, 100.0) + 6 * smooth_sensitivity(profile, 1 / 6) * rng.standard_cauchy()


def median_that_grows_slowly(data, rng):
    """Steps of two records widen the gap by two places."""
    x, n, k = bounded_order(data, 0.0, 100.0), len(data), np.arange(len(data) + 1)
    profile = x[(n + k // 2) // 2 + 1] - x[(n - k // 2) // 2]
    return median(data, 0.0, 100.0) + 6 * smooth_sensitivity(profile, 1 / 6) * rng.standard_cauchy()


def median_without_ends(data, rng):
    """Sorts the records alone, so that there is no end to go to."""
    x, n, k = np.sort(np.fmin(np.fmax(data, 0.0), 100.0)), len(data), np.arange(len(data) + 1)
    profile = x[(n + k) // 2 - 1] - x[(n - k) // 2]
    return median(data, 0.0, 100.0) + 6 * smooth_sensitivity(profile, 1 / 6) * rng.standard_cauchy()


def growing_bound(data, rng):
    """e^(+k/6) favors what is far away."""
    smooth = smooth_sensitivity(median_profile(data, 0.0, 100.0), -1 / 6)
    return median(data, 0.0, 100.0) + 6 * smooth * rng.standard_cauchy()


def two_answers_one_noise(data, rng):
    """Tests and answers with one draw."""
    noise = rng.laplace(scale=2.0)
    distance = distance_to_instability(mean_profile(data, 0.0, 100.0), 5.0)
    if distance + noise <= 8.0:
        return None
    return mean(data, 0.0, 100.0) + noise


def shown_where_it_is_not_stable(data, rng):
    """Answers where the distance is small."""
    distance = distance_to_instability(mean_profile(data, 0.0, 100.0), 5.0)
    if distance + rng.laplace(scale=2.0) > 8.0:
        return None
    return mean(data, 0.0, 100.0) + rng.laplace(scale=10.0)


def sorted_under_two_names(data, rng):
    """Sorts the array that another name holds, and reads that as if it were not sorted."""
    x = np.concatenate(([0.0, 100.0], data))
    y = x
    x.sort()
    return y[1] + 600 * rng.standard_cauchy()


def distance_that_may_not_be_reached(data, rng):
    """The first place where nothing is above the bound is 0 too."""
    return (median_profile(data, 0.0, 100.0) > 200.0).argmax() + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        median_of_other_gap,
        median_that_grows_slowly,
        median_without_ends,
        growing_bound,
        two_answers_one_noise,
        shown_where_it_is_not_stable,
        sorted_under_two_names,
        distance_that_may_not_be_reached,
    ],
)
def test_what_misses_a_condition_is_not_proved(mechanism):
    for claim in (PureDP(3.0), ApproxDP(3.0, 0.5)):
        with pytest.raises(Unsupported):
            proved(mechanism, claim)


def test_a_bound_on_the_range_must_be_enforced_by_someone():
    """Records beyond the ends are not between x(0) and x(n + 1)."""

    def unclipped(data, rng):
        x, n, k = np.sort(np.concatenate(([0.0, 100.0], data))), len(data), np.arange(len(data) + 1)
        smooth = smooth_sensitivity(x[(n + k) // 2 + 1] - x[(n - k) // 2], 1 / 6)
        return float(x[(n + 1) // 2]) + 6 * smooth * rng.standard_cauchy()

    assert proved(unclipped, PureDP(1.0))
    for records in (Real(0, 200), Real(0, 100, enforced=False), Real(0, 100, allow_nan=True)):
        with pytest.raises(Unsupported):
            proved(unclipped, PureDP(1.0), AddRemove(records))


def test_what_is_no_ones_lemma_is_out_of_scope():
    for claim, neighbors in (
        (GaussianDP(1.0), RECORDS),
        (CLAIM, ReplaceOne(Real(0, 100), size=5)),
        (CLAIM, AddRemove(Real(0, 100), group=2)),
    ):
        with pytest.raises(OutOfScope):
            proved(smooth_median, claim, neighbors)


def test_a_condition_that_fails_is_the_reason_that_is_given():
    report = dpaudit.verify(smooth_median_wrong_beta, CLAIM, RECORDS)
    assert report.verdict is not Verdict.VERIFIED
    assert "smooth_median_wrong_beta.py:" in report.reason or report.verdict is Verdict.REFUTED


# --- floats that are not the real numbers of a lemma


def rounds_the_sum(data, rng):
    """The sums 0.9 and 1.8 become 0 and 2."""
    return data.sum() + 1e16 - 1e16 + rng.laplace(scale=1.0)


def rounds_the_records(data, rng):
    return (data + 1e16 - 1e16).sum() + rng.laplace(scale=1.0)


def rounds_the_sum_by_the_size(data, rng):
    n = len(data)
    return data.sum() + 1e17 * n - 1e17 * n + rng.laplace(scale=1.0)


def swallows_the_noise(data, rng):
    """Noise is rounded to multiples of 16 before the sum comes."""
    return 1e17 + rng.laplace(scale=1.0) + data.sum()


def rounds_the_median(data, rng):
    x, n, k = bounded_order(data, 0.0, 1.0), len(data), np.arange(len(data) + 1)
    smooth = smooth_sensitivity(x[(n + k) // 2 + 1] - x[(n - k) // 2], 1 / 6)
    return float(x[(n + 1) // 2]) + 1e17 - 1e17 + 6 * smooth * rng.standard_cauchy()


@pytest.mark.parametrize(
    "mechanism",
    [
        rounds_the_sum,
        rounds_the_records,
        rounds_the_sum_by_the_size,
        swallows_the_noise,
        rounds_the_median,
    ],
)
def test_what_floats_lose_is_not_proved(mechanism):
    with pytest.raises(Unsupported):
        proved(mechanism, PureDP(1.0), AddRemove(Real(0, 1)))


# --- exceptions that tell how many records there are, before anything is released


def shows(data, rng):
    """Return the histogram that is proved where nothing stands before it."""
    values, counts = np.unique(data, return_counts=True)
    noisy = counts + rng.laplace(scale=1.0, size=len(values))
    kept = noisy > 8.0
    return dict(zip(values[kept].tolist(), noisy[kept].tolist(), strict=True))


def keeps_the_sixth(data, rng):
    sixth = np.sort(data)[5]  # noqa: F841 - or an exception leaves
    return shows(data, rng)


def keeps_the_first_six(data, rng):
    first = np.sort(data)[np.arange(6)]  # noqa: F841
    return shows(data, rng)


def divides_by_the_size(data, rng):
    share = 1 / len(data)  # noqa: F841
    return shows(data, rng)


def divides_by_the_places(data, rng):
    shares = 1 / np.arange(len(data) + 1)  # noqa: F841 - floats warn, and callers may raise
    return shows(data, rng)


@pytest.mark.parametrize(
    "mechanism",
    [
        keeps_the_sixth,
        keeps_the_first_six,
        divides_by_the_size,
        divides_by_the_places,
    ],
)
def test_an_entry_that_may_not_be_there_is_not_read_before_a_proof(mechanism):
    assert proved(shows, CLAIM, VALUES)
    with pytest.raises(Unsupported, match="may not be there"):
        proved(mechanism, CLAIM, VALUES)


# --- numbers of 64 bits that are not the whole numbers of a proof


def wraps_around(data, rng):
    """From 7 records on all entries are negative."""
    n = len(data)
    entries = np.minimum((np.arange(n + 1) + n) * 1152921504606846976 + 1152921504606846976, 1)
    return np.max(np.exp(-0.5 * np.arange(n + 1)) * entries) * np.exp(rng.laplace(scale=0.5))


def doubles_until_it_wraps(data, rng):
    entries = np.full(len(data) + 1, 2305843009213693952)
    entries = entries + entries
    return (entries + entries > 3.0).argmax() + rng.laplace(scale=1.0)


def counts_from_afar(data, rng):
    n = len(data)
    entries = np.arange(n + 9223372036854775800, 9223372036854775799, -1)
    return (entries > 3.0).argmax() + rng.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [wraps_around, doubles_until_it_wraps, counts_from_afar])
def test_arrays_of_integers_that_overflow_are_not_proved(mechanism):
    with pytest.raises(Unsupported, match="no lemma speaks"):
        proved(mechanism, PureDP(1.0))


def keeps_the_sign_of_zero(data, rng):
    """Of −0 and 0 the one is shown that the sort leaves first."""
    return shows(data + -0.0, rng)


def keeps_a_computed_sign(data, rng):
    return shows(data + 0.0 * -1.0, rng)


def test_values_that_occur_are_told_apart_as_arrays_do():
    def drops_it(data, rng):
        return shows(data + 0.0, rng)

    assert proved(drops_it)
    for mechanism in (keeps_the_sign_of_zero, keeps_a_computed_sign):
        with pytest.raises(Unsupported, match=r"0\.0|no lemma speaks"):
            proved(mechanism)


# --- tests of public numbers


def validated(data, rng, *, low=0.0, high=100.0, least=0.3):
    if low >= high:
        raise ValueError(low)
    if least < 0.1:
        raise ValueError(least)
    distance = distance_to_instability(mean_profile(data, low, high), 5.0)
    return int(distance) + rng.laplace(scale=1.0)


def test_public_numbers_are_compared_as_python_compares_them():
    assert proved(validated, PureDP(1.0))
    assert proved(partial(validated, least=0.1 + 2.0**-50), PureDP(1.0))
    for mechanism in (partial(validated, least=0.1 - 2.0**-50), partial(validated, low=100.0)):
        with pytest.raises(Unsupported):
            proved(mechanism, PureDP(1.0))
