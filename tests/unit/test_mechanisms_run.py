"""Every mechanism answers on the empty dataset, on one record and on many."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mechanisms import (
    above_threshold,
    clipped_sum,
    count,
    exponential,
    gaussian,
    geometric,
    histogram,
    laplace,
    mean,
    noisy_max,
    randomized_response,
    subsampled,
)

FLAWED = Path(__file__).parents[2] / "mechanisms/flawed"
NUMBERS = [np.array([]), np.array([37.5]), np.linspace(0, 100, 1000)]
INTEGERS = [np.array([], dtype=np.int64), np.array([3]), np.arange(1000) % 10]
ANSWERS = [np.array([0.0]), np.zeros(5), np.arange(1000.0)]
BITS = [0, 1]

SOUND: list[tuple[Callable[..., Any], list[Any]]] = [
    (laplace.laplace, [0.0, 1.0]),
    (laplace.laplace_vector, [np.array([]), *ANSWERS]),
    (geometric.geometric, INTEGERS),
    (gaussian.gaussian, [np.array([]), *ANSWERS]),
    (exponential.exponential, ANSWERS),
    (randomized_response.randomized_response, BITS),
    (randomized_response.k_randomized_response, [0, 1, 2, 3]),
    (noisy_max.report_noisy_max, ANSWERS),
    (noisy_max.report_noisy_max_exponential, ANSWERS),
    (above_threshold.above_threshold, [np.array([]), *ANSWERS]),
    (count.count, [[], *NUMBERS]),
    (clipped_sum.clipped_sum, NUMBERS),
    (mean.mean_public_size, NUMBERS),
    (mean.mean_private_size, NUMBERS),
    (histogram.histogram, NUMBERS),
    (subsampled.subsampled_count, [[], *NUMBERS]),
]

FLAWED_INPUTS: dict[str, list[Any]] = {
    "catastrophe": [0.0, 1.0],
    "count_accumulates": NUMBERS,
    "count_raises_on_empty": NUMBERS[1:],
    "count_zero_without_noise": NUMBERS,
    "exponential_private_candidates": INTEGERS,
    "exponential_without_two": ANSWERS,
    "gaussian_half_sigma": ANSWERS,
    "gaussian_linf_sensitivity": ANSWERS,
    "geometric_wrong_parameter": INTEGERS,
    "histogram_data_keys": INTEGERS,
    "histogram_data_range": NUMBERS,
    "histogram_inverted_scale": NUMBERS,
    "histogram_replace": NUMBERS,
    "laplace_fixed_seed": [0.0, 1.0],
    "laplace_half_scale": [0.0, 1.0],
    "laplace_linf_sensitivity": ANSWERS,
    "laplace_shared_noise": ANSWERS,
    "laplace_truncated": [0.0, 1.0],
    "mean_epsilon_twice": NUMBERS,
    "mean_local_sensitivity": NUMBERS,
    "mean_raw_count": NUMBERS,
    "noisy_max_half_scale": ANSWERS,
    "noisy_max_value": ANSWERS,
    "randomized_response_binary_weight": [0, 1, 2, 3],
    "randomized_response_wrong_coin": BITS,
    "subsampled_all_rows": NUMBERS,
    "subsampled_without_noise": NUMBERS,
    "sum_empirical_bound": NUMBERS,
    "sum_minmax_nan": NUMBERS,
    "sum_one_sided_clip": NUMBERS,
    "sum_range_sensitivity": NUMBERS,
    "svt_no_query_noise": ANSWERS,
    "svt_no_stop": ANSWERS,
    "svt_unbalanced": ANSWERS,
}


def flawed(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(
        importlib.import_module(f"mechanisms.flawed.{name}"), name
    )
    return function


def outputs_are_finite(output: Any) -> bool:
    if isinstance(output, dict):
        return all(map(outputs_are_finite, output.values()))
    if isinstance(output, tuple | list | np.ndarray):
        return all(map(outputs_are_finite, output))
    return math.isfinite(output)


def assert_answers(mechanism: Callable[..., Any], inputs: list[Any]) -> None:
    rng = np.random.default_rng(20)
    for data in inputs:
        before = np.array(data, copy=True)
        assert all(outputs_are_finite(mechanism(data, rng)) for _ in range(20))
        assert np.array_equal(before, np.asarray(data)), "the dataset was changed"


@pytest.mark.parametrize(("mechanism", "inputs"), SOUND, ids=[m.__name__ for m, _ in SOUND])
def test_a_sound_mechanism_answers_on_any_dataset(
    mechanism: Callable[..., Any], inputs: list[Any]
) -> None:
    assert_answers(mechanism, inputs)


@pytest.mark.parametrize(
    "name", sorted(p.stem for p in FLAWED.glob("*.py") if p.stem != "__init__")
)
def test_a_flawed_mechanism_answers_wherever_the_crash_is_not_its_defect(name: str) -> None:
    assert_answers(flawed(name), FLAWED_INPUTS[name])


def test_the_error_channel_raises_on_the_empty_dataset() -> None:
    with pytest.raises(ValueError, match="no records"):
        flawed("count_raises_on_empty")([], np.random.default_rng(0))


def test_nan_passes_the_flawed_clip_and_not_the_sound_one() -> None:
    rng, data = np.random.default_rng(0), np.array([1.0, np.nan])
    assert math.isnan(flawed("sum_minmax_nan")(data, rng))
    assert math.isfinite(clipped_sum.clipped_sum(data, rng))


def test_the_sound_clip_holds_for_values_outside_the_range() -> None:
    rng, data = np.random.default_rng(0), np.array([-np.inf, np.inf, -1e308, 1e308])
    assert abs(clipped_sum.clipped_sum(data, rng) - 200) < 40 * 100


def test_the_accumulating_count_remembers_earlier_calls() -> None:
    accumulate, rng = flawed("count_accumulates"), np.random.default_rng(0)
    first = accumulate(range(1000), rng)
    second = accumulate(range(1000), rng)
    assert second - first > 900


@pytest.mark.parametrize(
    ("mechanism", "many", "data"),
    [
        (laplace.laplace, laplace.laplace_many, 3.0),
        (gaussian.gaussian, gaussian.gaussian_many, np.array([3.0, 4.0])),
        (randomized_response.randomized_response, randomized_response.randomized_response_many, 1),
    ],
    ids=["laplace", "gaussian", "randomized_response"],
)
def test_many_outputs_at_once_have_the_shape_and_mean_of_single_ones(
    mechanism: Callable[..., Any], many: Callable[..., Any], data: Any
) -> None:
    """Two means of 4,000 outputs, z-test at 6 standard errors: fails once in 10^8 fresh seeds."""
    n = 4000
    rng = np.random.default_rng(21)
    single = np.array([mechanism(data, rng) for _ in range(n)])
    batch = many(data, n, rng)
    assert batch.shape == single.shape
    error = np.sqrt((single.var(axis=0) + batch.var(axis=0)) / n)
    assert np.all(np.abs(single.mean(axis=0) - batch.mean(axis=0)) < 6 * error)
