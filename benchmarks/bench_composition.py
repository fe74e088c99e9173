"""Numeric composition of sampled Gaussian steps, against dp-accounting on the same machine.

Each case is run by turns; the time is the median over the rounds, of one event with one epsilon and
one delta read off. The goal: epsilon at delta = 1e-5 at most a percent above dp-accounting's, in no
more time; delta at epsilon = 2 never below dp-accounting's optimistic estimate.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import click
import dp_accounting as dp
from common import met, print_provenance, print_table
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as pld

from dpaudit.claims import Claim, from_dp_event

CASES = (
    (0.01, 1.0, 1_000),
    (0.001, 0.8, 5_000),
    (0.1, 1.0, 3),
    (0.02, 2.0, 20_000),
    (0.0001, 0.6, 10_000),
    (0.01, 1.0, 100_000),
)
DELTA, EPSILON = 1e-5, 2.0


def ours(event: Any) -> tuple[float, float]:
    """Return epsilon at `DELTA` and delta at `EPSILON` of the claim."""
    claim = from_dp_event(event)
    return _epsilon(claim), claim.delta(EPSILON)


def theirs(event: Any) -> tuple[float, float]:
    """Return the same of dp-accounting."""
    accountant = PLDAccountant().compose(event)
    return float(accountant.get_epsilon(DELTA)), float(accountant.get_delta(EPSILON))


def _epsilon(claim: Claim) -> float:
    low, high = 0.0, 500.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if claim.delta(middle) > DELTA else (low, middle)
    return high


def _least_delta(rate: float, noise: float, steps: int) -> float:
    step = pld.from_gaussian_mechanism(
        noise, sampling_prob=rate, pessimistic_estimate=False, use_connect_dots=False
    )
    return float(step.self_compose(steps).get_delta_for_epsilon(EPSILON))


@click.command(help=__doc__)
@click.option("--rounds", default=5, show_default=True)
def main(rounds: int) -> None:
    """Print the table."""
    print_provenance()
    rows, good = [], True
    for rate, noise, steps in CASES:
        step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise))
        event = dp.SelfComposedDpEvent(step, steps)
        seconds: dict[Any, list[float]] = {ours: [], theirs: []}
        values: dict[Any, tuple[float, float]] = {}
        for _ in range(rounds):
            for which, times in seconds.items():
                start = time.perf_counter()
                values[which] = which(event)
                times.append(time.perf_counter() - start)
        (mine, delta), (other, their_delta) = values[ours], values[theirs]
        least = _least_delta(rate, noise, steps)
        spent = [statistics.median(times) for times in seconds.values()]
        good = good and mine <= 1.01 * other and spent[0] <= spent[1]
        good = good and delta >= least * (1 - 1e-9) - 1e-13
        rows.append(
            [
                f"{rate:g}, {noise:g}, {steps:,}",
                *(f"{mine:.4f}", f"{other:.4f}", f"{mine / other:.4f}"),
                *(f"{delta:.3e}", f"{their_delta:.3e}", f"{least:.3e}"),
                *(f"{spent[0]:.2f}", f"{spent[1]:.2f}", f"{spent[0] / spent[1]:.2f}"),
            ]
        )
    head = ["rate, noise, steps", "epsilon", "dp-accounting", "ratio"]
    head += ["delta", "dp-accounting", "optimistic", "seconds", "dp-accounting", "ratio"]
    print_table(head, rows)
    print(f"\nwithin a percent, never below, no slower: {met(good)}")


if __name__ == "__main__":
    main()
