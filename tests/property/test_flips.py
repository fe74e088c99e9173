"""The formula for permute-and-flip against its definition, and its losses against the theorem's."""

from itertools import permutations
from math import exp, factorial, log

import numpy as np
import pytest

from dpaudit import QueryAnswers
from mechanisms.permute_and_flip import permute_and_flip
from tests.unit.formal.test_flips import proved

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)  # exact for polynomials of degree 23


def formula(scores, a):
    """Return q_i ∫ Π (1 − t q_j) dt for every candidate i."""
    q = np.exp(a * (np.asarray(scores) - max(scores)))
    t = (NODES + 1) / 2
    others = [
        np.prod([1 - t * q[j] for j in range(len(q)) if j != i], axis=0) for i in range(len(q))
    ]
    return [float(q[i] * (others[i] * WEIGHTS).sum() / 2) for i in range(len(q))]


def definition(scores, a):
    """Return the chances to be first with heads, over all orders."""
    q = [exp(a * (u - max(scores))) for u in scores]
    found = [0.0] * len(q)
    for order in permutations(range(len(q))):
        left = 1.0 / factorial(len(q))
        for i in order:
            found[i] += left * q[i]
            left *= 1 - q[i]
    return found


def test_coins_at_uniform_times_are_coins_in_a_random_order():
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 5):
        scores = rng.integers(0, 4, size=size).tolist()
        assert formula(scores, 0.7) == pytest.approx(definition(scores, 0.7))


@pytest.mark.parametrize(
    ("neighbors", "epsilon"),
    [
        (QueryAnswers(3), 1.0),
        (QueryAnswers(3, monotone=True), 0.5),
        (QueryAnswers(3, norm="l0"), 0.5),
        (QueryAnswers(3, norm="l1"), 0.5),
        (QueryAnswers(3, norm="l2"), 1.0),
    ],
)
def test_no_neighbors_lose_more_than_the_theorem_says(neighbors, epsilon):
    assert proved(permute_and_flip, epsilon, neighbors)
    rng = np.random.default_rng(11)
    worst = 0.0
    for pair, _ in zip(neighbors.pairs(rng), range(400), strict=False):
        p, q = (formula(side, 0.5) for side in (pair.left, pair.right))
        worst = max(worst, *(abs(log(a / b)) for a, b in zip(p, q, strict=True)))
    assert 0.5 * epsilon < worst <= epsilon + 1e-9
