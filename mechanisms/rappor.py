"""RAPPOR: a Bloom filter, randomized once for ever and once more for each report.

    B  = Bloom filter of v: h hash functions set bits of k
    B' = fair coin with probability f, else B_i             (permanent: drawn once, remembered)
    S  = 1 with probability q where B'_i = 1, with p where B'_i = 0          (for each report)

Theorem: one report is (h ln(q* (1 − p*)/(p* (1 − q*))), 0)-differentially private, where
q* = f (p + q)/2 + (1 − f) q and p* = f (p + q)/2 + (1 − f) p. Any number of reports, B' itself
included, is so with p = 0, q = 1: 2h ln((1 − f/2)/(f/2)) (Erlingsson, Pihur & Korolova 2014).
Sensitivity: two Bloom filters differ in at most 2h bits, h set in the one and h in the other.
Relation: local, any two records.
Utility: that of `rappor_decoding`, which estimates counts from one report of each respondent.
"""

from hashlib import blake2b
from math import log

import numpy as np
from numpy.typing import NDArray

BITS, HASHES = 20, 4
Array = NDArray[np.int64]


def bloom_filter(value: object) -> Array:
    """Return B."""
    digest = blake2b(str(value).encode(), digest_size=4 * HASHES).digest()
    return np.bincount(np.frombuffer(digest, dtype="<u4") % BITS, minlength=BITS).clip(max=1)


def permanent_response(value: object, rng: np.random.Generator, *, f: float = 0.95) -> Array:
    """Return B', which is also the report of one-time RAPPOR."""
    chance, coin = rng.random((2, BITS))
    return np.where(chance < f, coin < 0.5, bloom_filter(value)).astype(np.int64)


def rappor(
    value: object,
    rng: np.random.Generator,
    *,
    reports: int = 1,
    f: float = 0.75,
    p: float = 0.45,
    q: float = 0.55,
) -> Array:
    """Return reports S of the same respondent, shape (reports, BITS)."""
    permanent = permanent_response(value, rng, f=f)
    return (rng.random((reports, BITS)) < np.where(permanent, q, p)).astype(np.int64)


def marginals(f: float, p: float = 0.0, q: float = 1.0) -> tuple[float, float]:
    """Return p* and q*."""
    return f * (p + q) / 2 + (1 - f) * p, f * (p + q) / 2 + (1 - f) * q


def spent(f: float, p: float = 0.0, q: float = 1.0) -> float:
    """Return the epsilon of one report, or of any number of them for p = 0 and q = 1."""
    p, q = marginals(f, p, q)
    return HASHES * log(q * (1 - p) / (p * (1 - q)))
