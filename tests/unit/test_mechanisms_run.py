"""Every mechanism answers on every dataset that its audits can give it."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

from dpaudit.collect import collect
from dpaudit.declare import Audit
from dpaudit.neighbors import AddRemove
from dpaudit.subject import Subject
from mechanisms import gaussian, laplace, randomized_response
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.count_accumulates import count_accumulates
from mechanisms.flawed.count_raises_on_empty import count_raises_on_empty
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from tests.sweeps import sampled
from tools.declared import AUDITS

CRASHES = {"count_raises_on_empty"}  # those whose defect it is
WRAPS = {"geometric_int8_overflow"}  # NumPy warns where an integer overflows
PAIRS = 24


@cache
def audits() -> dict[str, Audit]:
    """Return the audits that run something, derivations aside."""
    return {
        found.name.removeprefix("audits/"): found.audit
        for found in collect([AUDITS]).audits
        if found.audit.neighbors is not None and found.audit.over is None
    }


def datasets(audit: Audit) -> Iterator[Any]:
    for pair in islice(audit.neighbors.pairs(np.random.default_rng(20)), PAIRS):
        yield pair.left
        yield pair.right


def called(subject: Subject, data: Any, rng: np.random.Generator) -> Any:
    if subject.vectorized:
        return subject.function(data, 2, rng)
    return subject.function(data, rng) if subject.takes_rng else subject.function(data)


def answers_and_leaves_its_data(audit: Audit) -> None:
    subject, rng = Subject.of(audit.mechanism), np.random.default_rng(21)
    wraps = any(wrapping in audit.mechanism_name for wrapping in WRAPS)
    with np.errstate(over="ignore" if wraps else "raise", invalid="raise"):
        for data in datasets(audit):
            before = pickle.dumps(data)
            called(subject, data, rng)
            assert pickle.dumps(data) == before, "the dataset was changed"


def test_mechanisms_answer_on_every_dataset_and_leave_it_as_it_was() -> None:
    wrong = {}
    for name, audit in sampled(audits().items(), 150):
        if not CRASHES & set(audit.mechanism_name.split(":")):
            try:
                answers_and_leaves_its_data(audit)
            except Exception as error:  # each mechanism fails in its own way
                wrong[name] = repr(error)
    assert not wrong
    assert len(audits()) > 300


def test_the_empty_dataset_is_among_those_that_are_tried() -> None:
    of_any_size = [n for n, a in audits().items() if isinstance(a.neighbors, AddRemove)]
    assert len(of_any_size) > 100
    for name in of_any_size:
        sizes = {len(data) for data in datasets(audits()[name])}
        around_real_records = min(sizes) > 16
        assert 0 in sizes or around_real_records, name


def test_the_error_channel_raises_on_the_empty_dataset() -> None:
    with pytest.raises(ValueError, match="no records"):
        count_raises_on_empty(np.array([]), np.random.default_rng(0))


def test_nan_passes_the_flawed_clip_and_not_the_sound_one() -> None:
    rng, data = np.random.default_rng(0), np.array([1.0, np.nan])
    assert math.isnan(sum_minmax_nan(data, rng))
    assert math.isfinite(clipped_sum(data, rng))


def test_the_sound_clip_holds_for_values_outside_the_range() -> None:
    rng, data = np.random.default_rng(0), np.array([-np.inf, np.inf, -1e308, 1e308])
    assert abs(clipped_sum(data, rng) - 200) < 40 * 100


def test_the_accumulating_count_remembers_earlier_calls() -> None:
    rng = np.random.default_rng(0)
    first = count_accumulates(range(1000), rng)
    second = count_accumulates(range(1000), rng)
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
