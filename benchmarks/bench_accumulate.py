"""Nights that add up: false alarms of mechanisms at their claim, and what small nights find.

`--kind alarms`: mechanisms exactly at their claim, some forty nights each, at α = .05. Between two
nights all that is known goes through the bytes that `dpaudit run --accumulate` stores. H0: the
wealth of all nights together is a test supermartingale, so that a row of nights, however long, is
refuted with probability at most α.

`--kind long`: the same with rows of a thousand nights.

`--kind power`: mechanisms that break their claim by too little for one night, at α = 1e-6, audited
as users do. "Resumed" nights go on with what was learned; "restarted" ones begin anew, and their
e-values are multiplied; "alone" is the share of nights that refute by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from common import (
    jobs_option,
    met,
    print_provenance,
    print_table,
    resumable,
    save_option,
    seed_option,
)
from numpy.typing import NDArray
from scipy.stats import binom

from dpaudit import ApproxDP, GaussianDP, Pairs, PureDP, RenyiDP, vectorized
from dpaudit.evidence import Budget
from dpaudit.outputs import Columns
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.nightly import take_up
from dpaudit.statistical.race import Race
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, WorkerError

LEVEL, STRICT = 0.05, 1e-6
PAIR = Pairs([(0, 1)])
Output = NDArray[Any]


def laplace(x: int, size: int, rng: np.random.Generator, epsilon: float) -> Output:
    return np.asarray(x + rng.laplace(scale=1 / epsilon, size=size))


def gaussian(x: int, size: int, rng: np.random.Generator, mu: float) -> Output:
    return np.asarray(x * mu + rng.normal(size=size))


def response(x: int, size: int, rng: np.random.Generator, epsilon: float) -> Output:
    return np.where(rng.random(size) < 1 / (1 + np.exp(-epsilon)), x, 1 - x)


def entries(x: int, size: int, rng: np.random.Generator, epsilon: float) -> Output:
    """Four entries, one of which depends on x: a score has to be learned."""
    noisy = rng.laplace(size=(size, 4))
    noisy[:, 2] += x * epsilon
    return noisy


def spread(x: int, size: int, rng: np.random.Generator, epsilon: float) -> Output:
    """Six entries, each of which depends on x a little."""
    return np.asarray(x * epsilon / 6 + rng.laplace(size=(size, 6)))


def catastrophe(x: int, size: int, rng: np.random.Generator, p: float) -> Output:
    return np.where(rng.random(size) < p, 10.0 + x, rng.normal(size=size))


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism and what it promises of 0 against 1."""

    name: str
    mechanism: Callable[..., Output]
    claim: Any


AT_THEIR_CLAIM = (
    Case("Laplace, ε = 1", partial(laplace, epsilon=1.0), PureDP(1.0)),
    Case("Laplace, ε = .1", partial(laplace, epsilon=0.1), PureDP(0.1)),
    Case("randomized response, ε = .5", partial(response, epsilon=0.5), PureDP(0.5)),
    Case("four entries, ε = 1", partial(entries, epsilon=1.0), PureDP(1.0)),
    Case("six entries, ε = 1", partial(spread, epsilon=1.0), PureDP(1.0)),
    Case("Gaussian, μ = 1", partial(gaussian, mu=1.0), GaussianDP(1.0)),
    Case("Gaussian, order 2", partial(gaussian, mu=1.0), RenyiDP(2, 1.0)),
    Case("a catastrophe of probability δ", partial(catastrophe, p=0.05), ApproxDP(0.0, 0.05)),
)
BROKEN = (
    Case("Laplace, ε = 1.2", partial(laplace, epsilon=1.2), PureDP(1.0)),
    Case("Laplace, ε = .2", partial(laplace, epsilon=0.2), PureDP(0.1)),
    Case("randomized response, ε = .7", partial(response, epsilon=0.7), PureDP(0.5)),
    Case("four entries, ε = 1.5", partial(entries, epsilon=1.5), PureDP(1.0)),
    Case("six entries, ε = 2", partial(spread, epsilon=2.0), PureDP(1.0)),
    Case("Gaussian, μ = 1.15", partial(gaussian, mu=1.15), GaussianDP(1.0)),
)


class Quick(InPlace):
    """Draws in this process; looks for no state between calls, which takes processes."""

    def fresh(
        self, histories: Sequence[Sequence[Any]], then: Any, keys: Sequence[tuple[int, ...]]
    ) -> Columns:
        raise WorkerError("not-picklable", "laws of this file keep none")


@dataclass
class Kept:
    """What is stored between two nights, without a file."""

    night: int = 0
    held: dict[str, bytes] = field(default_factory=dict)

    def parts(self) -> Mapping[str, bytes]:
        return dict(self.held)

    def write(self, parts: Mapping[str, bytes], calls: int, log_e_value: float) -> None:
        self.held.update(parts)


def subject_of(case: Case) -> Subject:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Output:
        return case.mechanism(data, size, rng)

    return Subject.of(vectorized(mechanism))


def at_its_claim(work: tuple[int, int], nights: int, calls: int) -> tuple[int, float]:
    """Return the night of a refutation, or 0, and the log e-value after the last one."""
    index, row = work
    case = AT_THEIR_CLAIM[index]
    subject, memory, evidence = subject_of(case), Kept(), 0.0
    streams = ("label", "coupled") if isinstance(case.claim, PureDP) else ("coupled", "independent")
    for memory.night in range(1, nights + 1):
        seed = (row * nights + memory.night) * len(AT_THEIR_CLAIM) + index
        budget = Budget(LEVEL, calls, None, seed)
        race = Race(subject, case.claim, PAIR, budget, Quick(subject), streams, None)
        take_up(race, memory, ())
        [entry] = race.entries or [race.enter(next(race.proposals), 0.98)]
        turn = memory.night
        while race.room >= 2 and not race.settled:
            evidence = race.draw(entry, streams[turn % 2], race.room)
            turn += 1
        if race.settled:
            return memory.night, evidence
    return 0, evidence


def broken(work: tuple[int, int, bool], nights: int, calls: int) -> tuple[int, float, int]:
    """Return the night of a refutation, or 0; the log e-value; nights that refute alone."""
    index, row, resumed = work
    case = BROKEN[index]
    subject, memory, total, alone = subject_of(case), Kept(), 0.0, 0
    for memory.night in range(1, nights + 1):
        seed = (row * nights + memory.night) * len(BROKEN) + index
        engine = StatisticalEngine(memory=memory) if resumed else StatisticalEngine()
        runner = Quick(subject)
        budget = Budget(STRICT, calls, None, seed)
        found = engine.examine(subject, case.claim, PAIR, budget, runner=runner)
        total = found.log_e_value if resumed else total + found.log_e_value
        alone += not resumed and found.verdict is not None and found.verdict.name == "REFUTED"
        if total >= -np.log(STRICT):
            return memory.night, total, alone
    return 0, total, alone


def print_alarms(
    cases: Sequence[Case], results: list[tuple[int, float]], rows: int, nights: int
) -> bool:
    """Print a row for each mechanism, and whether alarms are as rare as they must be."""
    table = []
    each = [(c.name, results[i * rows : (i + 1) * rows]) for i, c in enumerate(cases)]
    for name, found in [*each, ("all", results)]:
        alarms = sum(night > 0 for night, _ in found)
        e_values = np.exp([log for _, log in found])
        played = sum(night or nights for night, _ in found)
        shown = f"{e_values.mean():.3f}", f"{e_values.max():.2f}"
        table.append([name, str(len(found)), f"{played:,}", str(alarms), *shown])
    header = ("at their claim", "rows", "nights", "refuted", "mean e-value", "largest")
    print_table(header, table)
    alarms, allowed = sum(n > 0 for n, _ in results), int(binom.isf(1e-3, len(results), LEVEL))
    print(f"\n{alarms} of {len(results)} rows of {nights} nights refuted; {allowed} are allowed")
    return alarms <= allowed


def print_power(
    cases: Sequence[Case], results: list[tuple[int, float, int]], rows: int, nights: int
) -> bool:
    """Print a row for each mechanism, and whether resumed nights find more than restarted ones."""
    table, sums = [], [0, 0]
    for index, case in enumerate(cases):
        both = [results[(2 * index + way) * rows : (2 * index + way + 1) * rows] for way in (0, 1)]
        cells = []
        for way, found in enumerate(both):
            when = [night for night, *_ in found if night]
            sums[way] += len(when)
            cells += [f"{len(when)} of {rows}", f"{np.median(when):g}" if when else "-"]
            cells.append(f"{np.mean([log for _, log, _ in found]):.1f}")
        played = sum(night or nights for night, *_ in both[0])
        cells.append(f"{sum(alone for *_, alone in both[0])} of {played:,}")
        table.append([case.name, *cells])
    header = (
        "broken", "restarted", "night", "nats", "resumed", "night", "nats", "alone",
    )  # fmt: skip
    print_table(header, table)
    every = rows * len(cases)
    print(f"\nfound within {nights} nights: restarted {sums[0]}, resumed {sums[1]} of {every}")
    return sums[1] > sums[0]


@click.command()
@click.option("--kind", default="alarms", type=click.Choice(["alarms", "long", "power"]))
@click.option("--rows", default=25, show_default=True, help="Rows of nights a mechanism.")
@click.option("--nights", type=int, help="Nights a row. [default: 40; 1,000 where long]")
@click.option("--calls", default=400, show_default=True, help="Calls a night.")
@click.option("--only", default="", metavar="TEXT", help="Mechanisms whose name has this.")
@seed_option
@jobs_option
@save_option
def main(
    kind: str,
    rows: int,
    nights: int | None,
    calls: int,
    only: str,
    seed: int,
    jobs: int,
    save: Path | None,
) -> None:
    """Count false alarms, or what is found, over rows of nights."""
    print_provenance()
    started = time.perf_counter()
    nights = nights or (1_000 if kind == "long" else 40)
    numbers = range(seed * rows, (seed + 1) * rows)
    every = BROKEN if kind == "power" else AT_THEIR_CLAIM
    chosen = [i for i, case in enumerate(every) if only in case.name]
    cases = [every[i] for i in chosen]
    if kind == "power":
        work = [(i, r, way) for i in chosen for way in (False, True) for r in numbers]
        found = resumable(partial(broken, nights=nights, calls=calls), work, jobs, save)
        good = print_power(cases, found, rows, nights)
    else:
        rest = [(i, r) for i in chosen for r in numbers]
        alarms = resumable(partial(at_its_claim, nights=nights, calls=calls), rest, jobs, save)
        good = print_alarms(cases, alarms, rows, nights)
    print(f"{time.perf_counter() - started:.0f} s")
    print(met(good))


if __name__ == "__main__":
    main()
