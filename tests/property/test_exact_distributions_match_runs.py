"""What the exact engine computes is what the code does: its outputs, drawn, have those chances."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest

from dpaudit.collect import collect
from dpaudit.formal.clock import now
from dpaudit.formal.enumeration.measures import distribution, expanded, key_of
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.paths import OutOfTimeError, until
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.binomial import binomial
from mechanisms.duchi_mean import duchi_mean
from mechanisms.exponential import exponential
from mechanisms.geometric import geometric
from mechanisms.hadamard_response import hadamard_response, one_bit_hadamard
from mechanisms.mode import mode
from mechanisms.noisy_max import report_noisy_max_gumbel
from mechanisms.optimized_unary_encoding import optimized_unary_encoding
from mechanisms.permute_and_flip import permute_and_flip
from mechanisms.quantile import quantile_on_grid
from mechanisms.randomized_response import k_randomized_response, randomized_response
from mechanisms.shuffled_reports import shuffled_reports
from mechanisms.subsampled import subsampled_count
from mechanisms.truncated_geometric import truncated_geometric
from mechanisms.unary_encoding import unary_encoding
from tests.sweeps import repeated

CALLS = repeated(5_000, full=20_000)


def rounded_noise(answer, rng):
    return round(answer + rng.laplace(scale=0.7))


def truncated_noise(answer, rng):
    return int(answer - 2 * rng.laplace(0.25, 0.5))


def floor_of_noise(answer, rng):
    return math.floor((answer + rng.laplace(scale=3.0)) / 2)


def ceiling_of_turned_noise(answer, rng):
    return math.ceil(answer - rng.laplace())


CASES = [
    (randomized_response, 1),
    (k_randomized_response, 2),
    (unary_encoding, 2),
    (optimized_unary_encoding, 0),
    (duchi_mean, 0.3),
    (duchi_mean, math.nan),
    (duchi_mean, math.inf),
    (hadamard_response, 2),
    (one_bit_hadamard, 1),
    (truncated_geometric, 3),
    (exponential, np.array([0.0, 1.0, 3.0])),
    (permute_and_flip, np.array([0.0, 1.0, 3.0])),
    (report_noisy_max_gumbel, np.array([0.0, 1.0, 3.0])),
    (partial(quantile_on_grid, grid=np.array([0.0, 1.0, 2.0])), np.array([0.5, 1.0, 1.5])),
    (shuffled_reports, np.array([0, 1, 1])),
    (binomial, 3),
    (geometric, np.array([0, 1, 1])),
    (rounded_noise, 0.3),
    (truncated_noise, -1.6),
    (floor_of_noise, 2.0),
    (ceiling_of_turned_noise, -0.75),
]


def as_key(output):
    """Return an output as the exact engine keys it, numbers rounded and without their types."""
    if isinstance(output, np.ndarray | list | tuple):
        return tuple(as_key(item) for item in output)
    return None if output is None else round(float(output), 9)


def key_as_read(key):
    kind, *rest = key
    if kind in ("int", "real", "bool"):
        return round(float(rest[0]), 9)
    if kind == "array":
        return tuple(map(key_as_read, rest[1:]))
    if kind in ("tuple", "list"):
        return tuple(map(key_as_read, rest))
    return None if kind == "NoneType" else rest[0]


def exact_chances(mechanism, data):
    with until(now() + 5):  # on the clock of steps
        measure = expanded(distribution(lift(mechanism), data))
    chances = Counter()
    for key, mass in measure.points.items():
        whole = key if isinstance(key[0], str) else key[0]
        chances[key_as_read(whole)] += float(mass)
    for family in measure.families.values():
        for z in range(-40, 40):
            chances[float(z)] += float(family.mass(z))
    return chances


def assert_alike(chances, counts, calls):
    """Accept what has a chance of 1e-9 or more, by Bernstein's inequality for each output."""
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-9)
    assert set(counts) <= set(chances)
    log = math.log(2e9 * len(chances))
    for output, chance in chances.items():
        spread = math.sqrt(2 * calls * chance * (1 - chance) * log) + log
        assert abs(counts[output] - calls * chance) <= spread, output


@pytest.mark.parametrize(("mechanism", "data"), CASES)
def test_outputs_have_the_chances_that_were_computed(mechanism, data):
    rng = np.random.default_rng(7)
    counts = Counter(as_key(mechanism(data, rng)) for _ in range(CALLS))
    assert_alike(exact_chances(mechanism, data), counts, CALLS)


def test_noise_without_a_finite_distribution_is_not_claimed_to_have_one():
    for mechanism, data in ((subsampled_count, np.zeros(2)), (mode, np.array([1, 2, 2]))):
        with pytest.raises(Unsupported):
            distribution(lift(mechanism), data)


@pytest.mark.slow
def test_every_audited_mechanism_that_is_gone_through_has_the_chances_that_were_computed():
    checked = 0
    for collected in collect(["audits/local.py", "audits/hidden.py", "audits/selection.py"]).audits:
        subject = Subject.of(collected.audit.mechanism)
        pair = next(collected.audit.neighbors.pairs(np.random.default_rng(0)))
        if subject.vectorized or not subject.takes_rng:
            continue
        try:
            chances = exact_chances(collected.audit.mechanism, pair.left)
        except (Unsupported, OutOfTimeError, NotFiniteError):
            continue
        rng = np.random.default_rng(7)
        outputs = (subject.function(pair.left, rng) for _ in range(CALLS))
        assert_alike(chances, Counter(map(as_key, outputs)), CALLS)
        checked += 1
    assert checked >= 25
    assert key_of(1) == ("int", 1)
