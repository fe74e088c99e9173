"""Calls per second through dask's `distributed`, and what many workers would catch.

`--kind speed`: the same large batch of calls in this process, and through one and two local
workers, for mechanisms of 1 µs, 100 µs and 10 ms. *Efficiency* is the processor time of the calls
alone over that of all processes, the scheduler included, so that other work on the machine does not
count; beside it are the calls per second as they were.

`--kind spread`: how an audit's batches spread over workers. The batches are those of an audit that
refutes nothing; each is ended before the next begins. Seconds are those of the calls, a task's own
cost and the engine's time between batches left out.

`--kind night`: the epsilon that is caught with probability .9 after a night of 1,000 cores, of an
event of probability p planted into otherwise identical outputs. By formula it is that at which the
limit of independent draws is reached; by simulation that at which .9 of 40 games are won with the
stakes of the engine on that event alone.

`--kind lost`: an audit whose worker is killed in the middle, beside one whose worker is not.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable
from functools import partial

import click
import numpy as np
from common import met, print_provenance, print_table, seed_option

import dpaudit
from dpaudit import Pairs, PureDP
from dpaudit.claims.power import least_calls
from dpaudit.statistical import contender
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.subject import Subject
from dpaudit.worker import ExecutorRunner, InPlace, Task

PAIR = Pairs([(0.0, 1.0)])
COSTS = {"1 µs": 1e-6, "100 µs": 1e-4, "10 ms": 1e-2}
LEAST = 0.8
NIGHT = 8 * 3600 * 1_000  # seconds of processors
ALPHA = 1e-6
PLANTED = (0.1, 0.01, 0.001, 1e-4, 1e-5)


def slow(answer: float, rng: np.random.Generator, *, seconds: float) -> float:
    """Return a noisy answer after so much processor time."""
    end = time.thread_time() + seconds
    noisy = answer + rng.laplace()
    while seconds > 1e-5 and time.thread_time() < end:
        pass
    return noisy


def tasks(count: int, size: int, seed: int) -> list[Task]:
    """Return tasks as those of a late batch."""
    return [Task(0.0, 1.0, "label", size, (seed, k)) for k in range(count)]


def speed(seed: int, calls: dict[str, int]) -> None:
    """Print calls per second and efficiency of one and of two workers."""
    from distributed import Client, LocalCluster

    rows = []
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as here,
            Client(here) as client,
        ):
            for name, seconds in COSTS.items():
                subject = Subject.of(partial(slow, seconds=seconds))
                batch = tasks(8, calls[name] // 8, seed)
                alone, in_place = _timed(InPlace(subject).run, batch, time.process_time)
                clock = partial(_processor_time, client)
                runner = ExecutorRunner(subject, client.get_executor())
                runner.run(tasks(2, 64, seed + 1))  # imports, and the trial
                spent, rate = _timed(runner.run, batch, clock)
                rows.append(
                    (name, str(workers), f"{in_place:,.0f}", f"{rate:,.0f}",
                     f"{alone / spent:.2f}", met(alone / spent >= LEAST) if seconds > 1e-5 else "")
                )  # fmt: skip
    header = ("a call", "workers", "calls/s in place", "calls/s", "efficiency", "goal")
    print_table(header, sorted(rows, key=lambda row: list(COSTS).index(row[0])))


def _timed(
    run: Callable[..., object], batch: list[Task], clock: Callable[[], float]
) -> tuple[float, float]:
    """Return processor time, and calls per second."""
    started, before = time.perf_counter(), clock()
    run(batch)
    spent = clock() - before
    return spent, sum(task.size for task in batch) / (time.perf_counter() - started)


def _processor_time(client: object) -> float:
    """Return the processor time of this process, the scheduler in it, and of all workers."""
    return time.process_time() + sum(client.run(time.process_time).values())  # type: ignore[attr-defined]


def spread(seed: int) -> None:
    """Print how long the batches of an audit take with so many workers."""
    batches: list[list[int]] = []
    planned = contender.Contender.plan

    def noting(self: contender.Contender, *arguments: object) -> list[Task]:
        found = planned(self, *arguments)  # type: ignore[arg-type]
        batches.append([task.calls for task in found])
        return found

    contender.Contender.plan = noting  # type: ignore[assignment, method-assign]
    try:
        rows = []
        for most in (100_000, 1_000_000):
            batches.clear()
            dpaudit.audit(
                partial(slow, seconds=0.0), PureDP(1.0), PAIR, engines=["statistical"],
                max_calls=most, max_seconds=None, seed=seed,
            )  # fmt: skip
            alone = sum(map(sum, batches))
            spans = [sum(_span(batch, workers) for batch in batches) for workers in (2, 8, 64)]
            shares = [f"{alone / span:.1f}" for span in spans]
            rows.append((f"{most:,} calls", f"{len(batches)}", *shares))
    finally:
        contender.Contender.plan = planned  # type: ignore[method-assign]
    print_table(("an audit of", "batches", "2 workers", "8", "64: times as fast"), rows)


def _span(batch: list[int], workers: int) -> int:
    """Return the longest worker's calls, each task going to whoever is free first."""
    busy = [0] * workers
    for size in batch:
        busy[busy.index(min(busy))] += size
    return max(busy)


def night(seed: int) -> None:
    """Print what a night of 1,000 cores would catch."""
    rng = np.random.default_rng(seed)
    rows = []
    for name, seconds in COSTS.items():
        calls = int(NIGHT / seconds)
        for p in PLANTED:
            formula = _least(lambda e, p=p, n=calls: _limit(p, e) <= n)
            played = _least(lambda e, p=p, n=calls: _wins(p, e, n, rng) >= 0.9)
            rows.append((name, f"{calls:.1e}", f"{p:g}", f"{formula:.4f}", f"{played:.4f}"))
    print_table(("a call", "calls", "probability", "by the limit", "by simulation"), rows)


def _limit(p: float, epsilon: float) -> float:
    """Return the least expected calls that refute ε = 1."""
    return least_calls(PureDP(1.0), p, p * math.exp(-epsilon), ALPHA)


def _wins(p: float, epsilon: float, calls: int, rng: np.random.Generator) -> float:
    """Return the part of 40 games that reach 1/α after all calls, with independent pairs."""
    q = p * math.exp(-epsilon)
    x, y = np.array([1 - p, p]), np.array([1 - q, q])
    counts = rng.multinomial(calls // 2, np.outer(x, y).ravel(), size=40).reshape(40, 2, 2)
    logs = half_plane_log_wealth(counts, [np.arange(2)], np.array([1.0]), np.array([0.0]))
    return float((logs >= math.log(1 / ALPHA)).mean())


def _least(holds: Callable[[float], bool]) -> float:
    """Return the least epsilon above 1, up to 12, from which on something holds."""
    low, high = 0.0, math.log(11.0)  # of 1 + excess
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(math.exp(middle)) else (middle, high)
    return math.exp(high)


def lost(seed: int) -> None:
    """Print verdict, calls and evidence with and without the death of a worker."""
    from distributed import Client, LocalCluster

    rows = []
    for killed in (False, True):
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here,
            Client(here) as client,
        ):
            pid = next(iter(client.run(os.getpid).values()))
            alarm = threading.Timer(2.0, os.kill, (pid, signal.SIGKILL))
            if killed:
                alarm.start()
            report = dpaudit.audit(
                partial(slow, seconds=1e-3), PureDP(1.0), PAIR, engines=["statistical"],
                executor=client.get_executor(), max_calls=5_000, max_seconds=None, seed=seed,
            )  # fmt: skip
            alarm.cancel()
            died = pid not in client.run(os.getpid).values()
        evidence = report.evidence[0].log_e_value
        rows.append((str(died), str(report.verdict), f"{report.calls:,}", f"{evidence:.6f}"))
    print_table(("a worker died", "verdict", "calls", "log e-value"), rows)
    print(f"\nthe same: {met(rows[0][1:] == rows[1][1:])}, died: {met(rows[1][0] == 'True')}")


@click.command(help=__doc__)
@click.option("--kind", type=click.Choice(["speed", "spread", "night", "lost"]), default="speed")
@seed_option
def main(kind: str, seed: int) -> None:
    """Print one table."""
    print_provenance()
    if kind == "speed":
        speed(seed, {"1 µs": 65_536, "100 µs": 16_384, "10 ms": 512})
    else:
        {"spread": spread, "night": night, "lost": lost}[kind](seed)


if __name__ == "__main__":
    main()
