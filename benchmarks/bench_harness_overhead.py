"""What the harness costs a call, against a bare loop over the same mechanism.

Both are timed by turns in one run, in processor time; each figure is the median over the rounds.
The goal: at most 1 µs a call below 5 µs, at most 15 % above.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import click
import numpy as np
from common import met, print_provenance, print_table, seed_option

from dpaudit.randomness import Mode
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, Task

MODES: tuple[Mode, ...] = ("label", "independent", "coupled")
LEFT, RIGHT = 3.0, 4.0


def busy(turns: int) -> Callable[[float, np.random.Generator], float]:
    """Return a pure-Python mechanism that takes longer the more turns it makes."""

    def mechanism(data: float, rng: np.random.Generator) -> float:
        total = data
        for _ in range(turns):
            total += 0.5
        return total + rng.random()

    return mechanism


def uneven(turns: int) -> Callable[[float, np.random.Generator], float]:
    """Return one that draws a different number of times on the two datasets."""

    def mechanism(data: float, rng: np.random.Generator) -> float:
        total = data
        for _ in range(turns + int(data)):
            total += rng.random()
        return total

    return mechanism


def vector(entries: int) -> Callable[[float, np.random.Generator], np.ndarray]:
    """Return one with an array as its output."""

    def mechanism(data: float, rng: np.random.Generator) -> np.ndarray:
        return data + rng.laplace(size=entries)

    return mechanism


MECHANISMS = {
    "scalar, no loop": busy(0),
    "scalar, 25 turns": busy(25),
    "scalar, 150 turns": busy(150),
    "scalar, 600 turns": busy(600),
    "10 entries": vector(10),
    "100 entries": vector(100),
    "uneven, 20 draws": uneven(20),
}


def bare(mechanism: Callable[..., object], calls: int, seed: int) -> float:
    """Return the seconds of a bare loop."""
    rng = np.random.default_rng(seed)
    start = time.process_time()
    for _ in range(calls // 2):
        mechanism(LEFT, rng)
        mechanism(RIGHT, rng)
    return time.process_time() - start


def harnessed(runner: InPlace, mode: Mode, calls: int, key: tuple[int, int]) -> float:
    """Return the seconds of one task in the harness, encoding of outputs included."""
    size = calls if mode == "label" else calls // 2
    start = time.process_time()
    runner.run([Task(LEFT, RIGHT, mode, size, key)])
    return time.process_time() - start


def measured(
    mechanism: Callable[..., object], mode: Mode, calls: int, rounds: int, seed: int
) -> tuple[float, float]:
    """Return the microseconds of a bare call, and what the harness adds to it."""
    runner = InPlace(Subject.of(mechanism))
    harnessed(runner, mode, calls, (seed, 0))
    times = [
        (bare(mechanism, calls, seed), harnessed(runner, mode, calls, (seed, 1 + i)))
        for i in range(rounds)
    ]
    own = statistics.median(b for b, _ in times) / calls * 1e6
    return own, statistics.median(h - b for b, h in times) / calls * 1e6


@click.command()
@click.option("--rounds", default=15, show_default=True)
@click.option("--milliseconds", default=40, show_default=True, help="Length of one bare loop.")
@seed_option
def main(rounds: int, milliseconds: int, seed: int) -> None:
    """Print a table of the cost of a call."""
    print_provenance()
    table = []
    for name, mechanism in MECHANISMS.items():
        calls = 2 * max(200, round(0.0005 * milliseconds * 1000 / bare(mechanism, 1000, seed)))
        for mode in MODES:
            own, added = measured(mechanism, mode, calls, rounds, seed)
            goal = 1.0 if own < 5.0 else 0.15 * own
            table.append(
                [
                    f"{name}, {mode}",
                    f"{own:.2f}",
                    f"{added:.2f}",
                    f"{1 + added / own:.2f}",
                    f"≤ {goal:.2f}: {met(added <= goal)}",
                ]
            )
    print_table(("mechanism and mode", "bare µs", "added µs", "ratio", "goal"), table)


if __name__ == "__main__":
    main()
