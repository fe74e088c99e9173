"""What the benchmarks share: options, processes, tables, and where a figure comes from."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

import click

Item = TypeVar("Item")
Result = TypeVar("Result")

seed_option = click.option("--seed", default=0, show_default=True, help="Of all randomness.")
jobs_option = click.option("--jobs", default=2, show_default=True, help="Processes.")
save_option = click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where results are kept as they come; the same command goes on from there.",
)


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


def resumable(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int, save: Path | None
) -> list[Result]:
    """Return the function's value for each item, in order; with `save` nothing is done twice.

    Items are told apart by their `repr`, results must be JSON. A file that another command or
    commit began is refused.
    """
    begun = {"command": _command(without="--save"), "commit": _commit()}
    known: dict[str, Result] = {}
    if save is not None and save.exists():
        head, *lines = save.read_text().splitlines()
        if json.loads(head) != begun:
            raise click.UsageError(f"{save} was begun by {head}, not by {begun}; name another file")
        known = dict(json.loads(line) for line in lines if line.endswith("]"))
    elif save is not None:
        save.write_text(json.dumps(begun) + "\n")
    todo = [item for item in items if repr(item) not in known]
    for item, result in each_in_processes(_Labelled(function), todo, jobs):
        known[repr(item)] = result
        if save is not None:
            with save.open("a") as file:
                file.write(json.dumps([repr(item), result]) + "\n")
    return [known[repr(item)] for item in items]


class _Labelled:
    """A function that returns its argument too."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, item: Any) -> tuple[Any, Any]:
        return item, self.function(item)


def _one_thread() -> None:
    """Keep the thread pools of several processes out of each other's way."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def print_provenance() -> None:
    """Print the command and the commit that the figures below come from."""
    print(f"{_command()}\ncommit {_commit()}, Python {sys.version.split()[0]}\n")


def _command(without: str | None = None) -> str:
    """Return the command line, if wanted without an option and its value."""
    options = list(sys.argv[1:])
    if without in options:
        at = options.index(without)
        del options[at : at + 2]
    return " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *options])


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
