"""Audit noisy gradient descent from one training run, by membership inference.

A thousand canaries, each included by a fair coin, are added to ordinary records; after one run on
the lot each canary is looked for in the iterates that were released. The more coins are guessed
right, the less private the run was. Canary i is large in a coordinate of its own, so that its
clipped gradient has length C in that direction and no other canary disturbs it.

    python examples/one_run_gradient_descent.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpaudit import GaussianDP
from dpaudit.estimates.estimate import Estimate
from dpaudit.estimates.one_run import one_run
from mechanisms.noisy_gradient_descent import noisy_gradient_descent

Array = NDArray[np.float64]

FEATURES = 8  # of the ordinary records
LENGTH = 1e3  # of a canary: its gradient is clipped at every step
LEARNING_RATE = 1e-4  # keeps the canaries' gradients saturated


def ordinary(records: int, width: int, rng: np.random.Generator) -> Array:
    """Return records (x, y) that a linear model explains, in the first coordinates."""
    x = np.zeros((records, width))
    x[:, :FEATURES] = rng.normal(size=(records, FEATURES))
    y = np.where(x[:, :FEATURES].sum(axis=1) + rng.logistic(size=records) > 0, 1.0, -1.0)
    return np.column_stack((x, y))


def canaries(count: int) -> Array:
    """Return records (x, 1), each long in a coordinate of its own."""
    x = np.zeros((count, FEATURES + count))
    x[np.arange(count), FEATURES + np.arange(count)] = LENGTH
    return np.column_stack((x, np.ones(count)))


def train(data: Array, rng: np.random.Generator, steps: int, noise: float) -> Array:
    """Return what the one run released."""
    return noisy_gradient_descent(data, rng, steps=steps, noise=noise, learning_rate=LEARNING_RATE)


def audit_one_run(
    count: int = 1000, steps: int = 4, noise: float = 1.0, delta: float = 1e-5, seed: int = 0
) -> dict[str, Estimate]:
    """Return bounds on epsilon from one run, beside what is guaranteed: (√T/σ)-Gaussian DP."""
    rng = np.random.default_rng(seed)
    included = rng.random(count) < 0.5  # the coins
    planted = canaries(count)
    data = np.concatenate((ordinary(500, FEATURES + count, rng), planted[included]))
    released = train(data, rng, steps, noise)
    scores = released[-1, FEATURES:]  # gradients of canaries that are in push their coordinates up
    claim = GaussianDP(steps**0.5 / noise)
    return {
        "of any algorithm": one_run(scores, included, delta=delta, claim=claim),
        "of a Gaussian one": one_run(scores, included, method="fdp", delta=delta, claim=claim),
    }


def main() -> None:
    """Print the bounds."""
    for whose, found in audit_one_run().items():
        low = found.confidence_interval.low
        print(f"{whose}: epsilon at least {low:.3f}, guaranteed at most {found.bound:.3f}")
        print(found, end="\n\n")


if __name__ == "__main__":
    main()
