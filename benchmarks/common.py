"""What the benchmarks share: options, processes, tables, and where a figure comes from."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

import click

Item = TypeVar("Item")
Result = TypeVar("Result")

seed_option = click.option("--seed", default=0, show_default=True, help="Of all randomness.")
jobs_option = click.option("--jobs", default=2, show_default=True, help="Processes.")


def in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> list[Result]:
    """Return the function's value for each item, in order, from `jobs` processes."""
    todo = list(items)
    if jobs == 1:
        return [function(item) for item in todo]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_one_thread) as pool:
        return list(pool.map(function, todo, chunksize=max(1, len(todo) // (8 * jobs))))


def each_in_processes(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int
) -> Iterator[Result]:
    """Yield the function's values as they come, in any order, from `jobs` processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_one_thread) as pool:
        for future in as_completed([pool.submit(function, item) for item in items]):
            yield future.result()


def _one_thread() -> None:
    """Keep the thread pools of several processes out of each other's way."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def print_provenance() -> None:
    """Print the command and the commit that the figures below come from."""
    command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    print(f"{command}\ncommit {_commit()}, Python {sys.version.split()[0]}\n")


def _commit() -> str:
    """Return the short hash, marked where the checkout differs from it."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            [*git, "status", "--porcelain", "../dpaudit", "../audits", "../mechanisms", "."],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + (" with changes" if changed.stdout.strip() else "")


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows below their header; the first column is text, the others are numbers."""
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def met(condition: bool) -> str:
    """Return how a goal is reported."""
    return "met" if condition else "MISSED"
