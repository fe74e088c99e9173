"""What the exact engine computes is what the code does: its outputs, drawn, have those chances."""

# ruff: noqa: NPY002 - the older functions are among what is tested

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from dpaudit.checker.exact.laws import plugged
from dpaudit.checker.exact.numbers import Number, precisely
from dpaudit.checker.file import NotCheckedError
from dpaudit.collect import collect
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.binomial import binomial
from mechanisms.duchi_mean import duchi_mean
from mechanisms.exponential import exponential
from mechanisms.geometric import geometric
from mechanisms.hadamard_response import hadamard_response, one_bit_hadamard
from mechanisms.mode import mode
from mechanisms.optimized_unary_encoding import optimized_unary_encoding
from mechanisms.permute_and_flip import permute_and_flip
from mechanisms.randomized_response import k_randomized_response, randomized_response
from mechanisms.shuffled_reports import shuffled_reports
from mechanisms.subsampled import subsampled_count
from mechanisms.truncated_geometric import truncated_geometric
from mechanisms.unary_encoding import unary_encoding
from tests import ordinary_programs
from tests.exact_laws import law_on
from tests.sweeps import repeated, sampled

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
    (shuffled_reports, np.array([0, 1, 1])),
    (binomial, 3),
    (geometric, np.array([0, 1, 1])),
    (rounded_noise, 0.3),
    (truncated_noise, -1.6),
    (floor_of_noise, 2.0),
    (ceiling_of_turned_noise, -0.75),
]


CASES += [
    (ordinary_programs.by_a_class_with_methods, "no"),
    (ordinary_programs.by_a_dataclass, 1),
    (ordinary_programs.by_counting_in_a_dict, ["a", "b", "a"]),
    (ordinary_programs.by_an_array_of_zeros, 2),
    (ordinary_programs.by_weighted_choices, 1),
    (ordinary_programs.by_an_early_return, [0, 1, 1]),
    (ordinary_programs.by_an_early_return, [3, 1]),
    (ordinary_programs.by_a_loop_that_ends, 10),
    (ordinary_programs.by_lambdas_in_a_list, 1),
    (ordinary_programs.by_helper_functions, [True, False, False]),
    (ordinary_programs.by_one_draw_used_twice, 0.25),
    (ordinary_programs.by_a_permutation, [1, 2, 4]),
    (ordinary_programs.by_a_list_that_is_shared, [0]),
    (ordinary_programs.by_a_closure_that_counts, [1, 2]),
    (ordinary_programs.by_clamped_noise, 3),
]


def as_key(output):
    """Return an output as the exact engine keys it, numbers rounded and without their types."""
    if isinstance(output, np.ndarray):
        output = output.ravel().tolist()  # in keys the entries follow the shape in one row
    if isinstance(output, list | tuple):
        return tuple(as_key(item) for item in output)
    return output if output is None or isinstance(output, str) else round(float(output), 9)


def key_as_read(key):
    kind, *rest = key
    if kind in ("int", "real", "bool"):
        (value,) = rest
        return round(float(value.ball.mid() if isinstance(value, Number) else value), 9)
    if kind == "array":
        return tuple(map(key_as_read, rest[1]))
    if kind in ("tuple", "list"):
        return tuple(map(key_as_read, rest[0]))
    assert kind == "plain"
    return rest[0]


def exact_chances(mechanism, data):
    chances = Counter()
    found = law_on(mechanism, data, steps=5.0)
    with precisely():
        for key, mass in points_of(found):
            chances[key_as_read(key)] += float(mass.ball.mid())
        if found.pieces:
            raise NotCheckedError("not checked: outputs with a density")
        for tails in found.tails.values():
            for tail in tails:
                for z in range(-40, 40):
                    measure = tail.noise.measure(z - tail.place, z - tail.place + 1)
                    chances[float(z)] += float((tail.weight * measure).ball.mid())
    return chances


def points_of(found):
    """Yield outputs and their probabilities, those of independent parts multiplied out."""
    yield from found.points.items()
    for weight, product in found.products:
        if math.prod(map(len, product.parts)) > 4096:
            raise NotCheckedError("not checked: very many outputs")
        for each in itertools.product(*(part.items() for part in product.parts)):
            mass = weight
            for _, chance in each:
                mass = mass * chance
            yield plugged(product.shape, [key for key, _ in each]), mass


def assert_alike(chances, counts, calls):
    """Accept what has a chance of 1e-9 or more, by Bernstein's inequality for each output."""
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-9)
    assert set(counts) <= set(chances)
    log = math.log(2e9 * len(chances))
    for output, chance in chances.items():
        spread = math.sqrt(2 * calls * chance * (1 - chance) * log) + log
        assert abs(counts[output] - calls * chance) <= spread, output


@pytest.mark.parametrize(("mechanism", "data"), sampled(CASES, 7))
def test_outputs_have_the_chances_that_were_computed(mechanism, data):
    """One in 10^9 fails where outputs come from `secrets`, which has no seed."""
    rng = np.random.default_rng(7)
    random.seed(7)
    np.random.seed(7)
    counts = Counter(as_key(mechanism(data, rng)) for _ in range(CALLS))
    assert_alike(exact_chances(mechanism, data), counts, CALLS)


def test_noise_without_a_finite_distribution_is_not_claimed_to_have_one():
    for mechanism, data in ((subsampled_count, np.zeros(2)), (mode, np.array([1, 2, 2]))):
        with pytest.raises((Unsupported, NotCheckedError)):
            law_on(mechanism, data)


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
        except (Unsupported, NotCheckedError):
            continue
        rng = np.random.default_rng(7)
        outputs = (subject.function(pair.left, rng) for _ in range(CALLS))
        assert_alike(chances, Counter(map(as_key, outputs)), CALLS)
        checked += 1
    assert checked >= 25
