"""Utility of mechanisms whose noise follows the data, on data where that pays."""

from __future__ import annotations

from math import exp, log

import numpy as np

from mechanisms.distance_to_instability import distance_to_instability, noisy_distance
from mechanisms.local_sensitivity import median_profile, sum_profile
from mechanisms.propose_test_release import propose_test_release
from mechanisms.sample_and_aggregate import part_estimates, sample_and_aggregate
from mechanisms.sample_and_aggregate_median import sample_and_aggregate_median
from mechanisms.smooth_median import median, smooth_median, smooth_median_cauchy
from mechanisms.smooth_sensitivity import noisy_smooth_sensitivity, smooth_sensitivity
from mechanisms.stability_histogram import stability_histogram
from mechanisms.stable_mode import stable_mode
from tools.utility import Utility

DELTA = 1e-5
AGES = np.linspace(20.0, 60.0, 101)
ITEM = np.repeat([3.0], 30)
VOTES = np.repeat([0, 1], [40, 10])  # D = 40 − 10 + 1 − 1 = 30


def _below(x: float) -> float:
    """Return the probability that Lap(1) lies below x."""
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


def _smooth(beta: float) -> float:
    return smooth_sensitivity(median_profile(AGES, 0.0, 100.0), beta)


def _noisy_sum(epsilon: float, rng: np.random.Generator) -> float:
    return float(rng.laplace(scale=sum_profile(AGES, 0.0, 100.0)[0] / epsilon) ** 2)


def _distance(epsilon: float, rng: np.random.Generator) -> float:
    distance = distance_to_instability(median_profile(AGES, 0.0, 100.0), 20.0)
    return (noisy_distance(AGES, rng, epsilon=epsilon) - distance) ** 2


def _log_smooth(epsilon: float, rng: np.random.Generator) -> float:
    noisy = noisy_smooth_sensitivity(AGES, rng, beta=0.1, epsilon=epsilon)
    return log(noisy / _smooth(0.1)) ** 2


def _median(epsilon: float, rng: np.random.Generator) -> float:
    return (smooth_median(AGES, rng, epsilon=epsilon, delta=DELTA) - 40.0) ** 2


def _median_variance(epsilon: float) -> float:
    return 8 * (_smooth(epsilon / (2 * log(2 / DELTA))) / epsilon) ** 2


def _far_from_median(epsilon: float, rng: np.random.Generator) -> float:
    error = abs(smooth_median_cauchy(AGES, rng, epsilon=epsilon) - 40.0)
    return float(error > 6 * _smooth(epsilon / 6) / epsilon)


def _no_mean(epsilon: float, rng: np.random.Generator) -> float:
    return float(propose_test_release(AGES[::2], rng, epsilon=epsilon, delta=DELTA) is None)


def _no_mean_probability(epsilon: float) -> float:
    distance = len(AGES[::2]) - 19  # of 20 or more records none moves the mean by more than 5
    return _below(log(1 / (2 * DELTA)) - epsilon * distance / 2)


def _no_mode(epsilon: float, rng: np.random.Generator) -> float:
    return float(stable_mode(VOTES, rng, epsilon=epsilon, delta=DELTA) is None)


def _no_item(epsilon: float, rng: np.random.Generator) -> float:
    return float(not stability_histogram(ITEM, rng, epsilon=epsilon, delta=DELTA))


def _over_parts(parts: int) -> Utility:
    about = float(part_estimates(AGES, np.max, parts, 0, 0.0, 100.0).mean())

    def measure(epsilon: float, rng: np.random.Generator) -> float:
        noisy = sample_and_aggregate(AGES, rng, f=np.max, parts=parts, epsilon=epsilon)
        return (noisy - 60.0) ** 2

    return Utility(
        mechanism="sample_and_aggregate",
        loss=f"squared error of the maximum, {parts} parts",
        measure=measure,
        expected=lambda epsilon: 2 * (100 / (parts * epsilon)) ** 2 + (about - 60.0) ** 2,
        source="Nissim, Raskhodnikova & Smith 2007, on sample and aggregate",
        draws=200,
    )


def _far_from_parts(epsilon: float, rng: np.random.Generator) -> float:
    z = part_estimates(AGES, np.max, 20, 0, 0.0, 100.0)
    smooth = smooth_sensitivity(median_profile(z, 0.0, 100.0), epsilon / 12)
    noisy = sample_and_aggregate_median(AGES, rng, f=np.max, parts=20, epsilon=epsilon)
    return float(abs(noisy - median(z, 0.0, 100.0)) > 12 * smooth / epsilon)


_SMOOTH = "Nissim, Raskhodnikova & Smith 2007, on admissible noise"
_LAPLACE = "Dwork & Roth 2014, Theorem 3.6"

UTILITIES: tuple[Utility, ...] = (
    Utility(
        mechanism="local_sensitivity",
        loss="squared error of a sum",
        measure=_noisy_sum,
        expected=lambda epsilon: 2 * (100 / epsilon) ** 2,
        source=_LAPLACE,
    ),
    Utility(
        mechanism="distance_to_instability",
        loss="squared error of the distance",
        measure=_distance,
        expected=lambda epsilon: 2 / epsilon**2,
        source=_LAPLACE,
    ),
    Utility(
        mechanism="smooth_sensitivity",
        loss="squared error of ln S, β = 0.1",
        measure=_log_smooth,
        expected=lambda epsilon: 2 * (0.1 / epsilon) ** 2,
        source=_LAPLACE,
    ),
    Utility(
        mechanism="smooth_median",
        loss="squared error of the median, δ = 1e-5",
        measure=_median,
        expected=_median_variance,
        source=_SMOOTH,
        epsilons=(0.1, 0.2, 0.5, 1.0),
        draws=1000,
    ),
    Utility(
        mechanism="smooth_median",
        loss="probability of an error above 6 S/ε, Cauchy noise",
        measure=_far_from_median,
        expected=lambda epsilon: 0.5,
        source=_SMOOTH,
        draws=1000,
    ),
    Utility(
        mechanism="propose_test_release",
        loss="probability of no answer, 51 records, δ = 1e-5",
        measure=_no_mean,
        expected=_no_mean_probability,
        source="Dwork & Roth 2014, section 7.2",
        epsilons=(0.45, 0.55, 0.65, 0.75, 0.85, 0.95),
    ),
    Utility(
        mechanism="stable_mode",
        loss="probability of no answer, 40 against 10 votes, δ = 1e-5",
        measure=_no_mode,
        expected=lambda epsilon: _below(log(1 / (2 * DELTA)) - 30 * epsilon),
        source="Dwork & Roth 2014, section 7.3",
        epsilons=(0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    ),
    _over_parts(5),
    _over_parts(20),
    _over_parts(50),
    Utility(
        mechanism="sample_and_aggregate_median",
        loss="probability of an error above 12 S/ε, 20 parts",
        measure=_far_from_parts,
        expected=lambda epsilon: 0.5,
        source=_SMOOTH,
        draws=200,
    ),
    Utility(
        mechanism="stability_histogram",
        loss="probability that a value of 30 records is missing, δ = 1e-5",
        measure=_no_item,
        expected=lambda epsilon: _below(log(1 / (2 * DELTA)) - 29 * epsilon),
        source="Korolova et al. 2009; Vadhan 2017, on stability-based histograms",
        epsilons=(0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    ),
)
