"""Local privacy and the shuffle model: counts and means estimated from randomized reports."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np

from mechanisms import (
    count_mean_sketch,
    duchi_mean,
    frequency_oracle,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    piecewise_mean,
    randomized_response,
    rappor,
    rappor_decoding,
    shuffled_reports,
    unary_encoding,
)
from tools.utility import Utility

VALUES = (0, 0, 0, 1, 2, 2, 2, 2)  # what eight respondents hold, among 0, ..., 3
HELD, N = VALUES.count(0), len(VALUES)
BITS = np.array([0, 1, 1, 0, 1, 1, 1, 0, 1, 1])
NUMBERS = np.linspace(-0.6, 1.0, 8)
SKETCHED, HASHES, WIDTH = (0, 0, 3, 3, 3, 3), 4, 8
COUNT = "squared error of the count of one value among eight respondents"
MEAN = "squared error of the mean of eight numbers in [-1, 1]"
WANG = "Wang, Blocki, Li & Jha 2017, on pure protocols"


def _pure(p: float, q: float) -> float:
    return float(frequency_oracle.variance(N, HELD, p=p, q=q))


def _k_ary(epsilon: float, rng: np.random.Generator) -> float:
    answers = [randomized_response.k_randomized_response(v, rng, epsilon=epsilon) for v in VALUES]
    counts = randomized_response.estimated_k_counts(np.array(answers), epsilon=epsilon)
    return float(counts[0] - HELD) ** 2


def _k_ary_variance(epsilon: float) -> float:
    total = exp(epsilon) + 3
    return _pure(exp(epsilon) / total, 1 / total)


def _unary(epsilon: float, rng: np.random.Generator) -> float:
    reports = np.array([unary_encoding.unary_encoding(v, rng, epsilon=epsilon) for v in VALUES])
    return float(unary_encoding.estimated_counts(reports, epsilon=epsilon)[0] - HELD) ** 2


def _optimized(epsilon: float, rng: np.random.Generator) -> float:
    client = optimized_unary_encoding.optimized_unary_encoding
    reports = np.array([client(v, rng, epsilon=epsilon) for v in VALUES])
    return float(optimized_unary_encoding.estimated_counts(reports, epsilon=epsilon)[0] - HELD) ** 2


def _server(epsilon: float, rng: np.random.Generator) -> float:
    """Loss of the server alone: how many of the reports support a value that nobody holds."""
    p, q = optimized_unary_encoding.probabilities(epsilon)
    return float(frequency_oracle.estimated_counts(rng.binomial(100, q), 100, p=p, q=q)) ** 2


def _hashing(epsilon: float, rng: np.random.Generator) -> float:
    reports = np.array([local_hashing.local_hashing(v, rng, epsilon=epsilon) for v in VALUES])
    counts = local_hashing.estimated_counts(reports, np.array([0]), epsilon=epsilon)
    return float(counts[0] - HELD) ** 2


def _hashing_variance(epsilon: float) -> float:
    g = local_hashing.hash_range(epsilon)
    return _pure(exp(epsilon) / (exp(epsilon) + g - 1), 1 / g)


def _share(epsilon: float) -> float:
    """Return the f for which two filters 8 bits apart cost epsilon."""
    return 2 / (1 + exp(epsilon / 8))


FILTER = rappor.bloom_filter(0)
SET = int(np.flatnonzero(FILTER)[0])
HOLDERS = sum(int(rappor.bloom_filter(v)[SET]) for v in VALUES)


def _rappor(epsilon: float, rng: np.random.Generator) -> float:
    f = _share(epsilon)
    reports = np.array([rappor.permanent_response(v, rng, f=f) for v in VALUES])
    return float(rappor_decoding.estimated_bits(reports, f=f, p=0, q=1)[SET] - HOLDERS) ** 2


def _rappor_variance(epsilon: float) -> float:
    low, high = rappor.marginals(_share(epsilon))
    noise = HOLDERS * high * (1 - high) + (N - HOLDERS) * low * (1 - low)
    return noise / (high - low) ** 2


def _decoding(epsilon: float, rng: np.random.Generator) -> float:
    f = _share(epsilon)
    reports = np.array([rappor.permanent_response(v, rng, f=f) for v in VALUES])
    bits = rappor_decoding.estimated_bits(reports, f=f, p=0, q=1)
    return float(rappor_decoding.decoded_counts(bits, range(4))[0] - HELD) ** 2


def _decoding_variance(epsilon: float) -> float:
    low, high = rappor.marginals(_share(epsilon))
    held = np.sum([rappor.bloom_filter(v) for v in VALUES], axis=0)
    noise = (held * high * (1 - high) + (N - held) * low * (1 - low)) / (high - low) ** 2
    inverse = np.linalg.pinv(rappor_decoding.design(range(4)))
    return float(inverse[0] ** 2 @ noise)


def _sketch(epsilon: float, rng: np.random.Generator) -> float:
    hashes = count_mean_sketch.public_hashes(HASHES, rng)
    client = count_mean_sketch.count_mean_sketch
    reports = [client(v, rng, hashes=hashes, m=WIDTH, epsilon=epsilon) for v in SKETCHED]
    estimate = count_mean_sketch.estimated_count(
        reports, 0, hashes=hashes, m=WIDTH, epsilon=epsilon
    )
    return (estimate - SKETCHED.count(0)) ** 2


def _sketch_variance(epsilon: float) -> float:
    c = (exp(epsilon / 2) + 1) / (exp(epsilon / 2) - 1)
    others = len(SKETCHED) - SKETCHED.count(0)
    collisions = others * (1 + (others - 1) / HASHES) * (WIDTH - 1) / WIDTH**2
    return (WIDTH / (WIDTH - 1)) ** 2 * (len(SKETCHED) * (c**2 - 1) / 4 + collisions)


def _hadamard(epsilon: float, rng: np.random.Generator) -> float:
    columns = [hadamard_response.hadamard_response(v, rng, epsilon=epsilon) for v in VALUES]
    support = np.array([hadamard_response.hadamard(1, y) == 1 for y in columns]).sum(keepdims=True)
    return float(hadamard_response.estimated_counts(support, N, epsilon=epsilon)[0] - HELD) ** 2


def _hadamard_bit(epsilon: float, rng: np.random.Generator) -> float:
    reports = [hadamard_response.one_bit_hadamard(v, rng, epsilon=epsilon) for v in VALUES]
    fits = [hadamard_response.hadamard(1, y) == bit for y, bit in reports]
    support = np.array(fits).sum(keepdims=True)
    return float(hadamard_response.estimated_counts(support, N, epsilon=epsilon)[0] - HELD) ** 2


def _hadamard_variance(epsilon: float) -> float:
    return N * ((exp(epsilon) + 1) / (exp(epsilon) - 1)) ** 2 - HELD


def _mean(
    client: Callable[..., float], server: Callable[..., float]
) -> Callable[[float, np.random.Generator], float]:
    def loss(epsilon: float, rng: np.random.Generator) -> float:
        reports = np.array([client(x, rng, epsilon=epsilon) for x in NUMBERS.tolist()])
        return (server(reports) - float(NUMBERS.mean())) ** 2

    return loss


def _duchi_variance(epsilon: float) -> float:
    b = (exp(epsilon) + 1) / (exp(epsilon) - 1)
    return float(b**2 - np.mean(NUMBERS**2)) / len(NUMBERS)


def _piecewise_variance(epsilon: float) -> float:
    less = exp(epsilon / 2) - 1
    return float(np.mean(NUMBERS**2) / less + (less + 4) / (3 * less**2)) / len(NUMBERS)


def _shuffled(epsilon: float, rng: np.random.Generator) -> float:
    reports = shuffled_reports.shuffled_reports(BITS, rng, local_epsilon=epsilon)
    estimate = shuffled_reports.estimated_ones(reports, local_epsilon=epsilon)
    return (estimate - float(BITS.sum())) ** 2


def _shuffled_variance(epsilon: float) -> float:
    return len(BITS) * exp(epsilon) / (exp(epsilon) - 1) ** 2


UTILITIES: tuple[Utility, ...] = (
    Utility(
        "frequency_oracle",
        "squared error of a count of 0 among 100, optimized unary encoding",
        _server,
        lambda epsilon: 4 * 100 * exp(epsilon) / (exp(epsilon) - 1) ** 2,
        WANG,
    ),
    Utility("randomized_response", COUNT, _k_ary, _k_ary_variance, WANG),
    Utility(
        "unary_encoding",
        COUNT,
        _unary,
        lambda epsilon: _pure(*unary_encoding.probabilities(epsilon)),
        WANG,
    ),
    Utility(
        "optimized_unary_encoding",
        COUNT,
        _optimized,
        lambda epsilon: _pure(*optimized_unary_encoding.probabilities(epsilon)),
        WANG,
    ),
    Utility("local_hashing", COUNT, _hashing, _hashing_variance, WANG),
    Utility(
        "rappor",
        "squared error of how many of eight filters have one bit, one-time reports",
        _rappor,
        _rappor_variance,
        "Erlingsson, Pihur & Korolova 2014, the variance of a sum of coins",
        draws=1000,
    ),
    Utility(
        "rappor_decoding",
        COUNT,
        _decoding,
        _decoding_variance,
        "covariance of least squares",
        draws=1000,
    ),
    Utility(
        "count_mean_sketch",
        "squared error of a count of two among six respondents, four hash functions",
        _sketch,
        _sketch_variance,
        "Apple 2017, with the covariance of collisions",
        draws=1000,
    ),
    Utility(
        "hadamard_response",
        COUNT,
        _hadamard,
        _hadamard_variance,
        "Acharya, Sun & Zhang 2019, the variance of their estimate",
    ),
    Utility(
        "hadamard_response",
        f"{COUNT}, one bit each",
        _hadamard_bit,
        _hadamard_variance,
        "Bassily & Smith 2015, the variance of their estimate",
    ),
    Utility(
        "duchi_mean",
        MEAN,
        _mean(duchi_mean.duchi_mean, duchi_mean.estimated_mean),
        _duchi_variance,
        "Duchi, Jordan & Wainwright 2018",
    ),
    Utility(
        "piecewise_mean",
        MEAN,
        _mean(piecewise_mean.piecewise_mean, piecewise_mean.estimated_mean),
        _piecewise_variance,
        "Wang et al. 2019",
    ),
    Utility(
        "shuffled_reports",
        "squared error of the count of ones among ten, by the local epsilon",
        _shuffled,
        _shuffled_variance,
        "variance of a sum of coins",
    ),
)
