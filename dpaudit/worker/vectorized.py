"""Vectorized calls: many outputs at once, each side with random numbers of its own.

The contract of a vectorized mechanism says that the rows of one call are independent and alike. It
says nothing of the rows of two calls with the same random numbers: row i of one side may depend on
the numbers of every row of the other. So draws with a common seed are made one row a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpaudit.outputs import Columns, Raised, encode, encode_rows
from dpaudit.randomness import Source
from dpaudit.worker.deadline import in_time
from dpaudit.worker.happened import happened
from dpaudit.worker.raising import raised_at
from dpaudit.worker.tasks import Task, WorkerError

if TYPE_CHECKING:
    from dpaudit.evidence import Event


def one_row(function: Callable[..., Any]) -> Callable[[Any, Generator], Any]:
    """Return a mechanism that asks a vectorized one for a single row.

    Parameters
    ----------
    function : callable
        ``(data, size, rng)``.
    """

    def call(dataset: Any, rng: Generator) -> Any:
        outputs = function(dataset, 1, rng)
        _validate_rows(outputs, 1)
        return outputs[0]

    return call


def call_many(
    function: Callable[..., Any],
    datasets: tuple[Any, Any],
    source: Source,
    task: Task,
    coins: NDArray[np.uint8] | None,
) -> tuple[Columns, int]:
    """Call a vectorized mechanism once on each side, and again where it raised.

    Returns
    -------
    outputs : Columns
        In the order of the coins, or as left, right, left, right, … for independent pairs.
    repeated : int
        Outputs asked for a second time.
    """
    repeated = 0

    def rows(dataset: Any, size: int, rng: Generator) -> Columns:
        nonlocal repeated
        in_time(task.until)
        outputs, again = _rows(function, dataset, size, rng, task.event, source)
        repeated += again
        return outputs

    if coins is not None:
        ones = int(coins.sum())
        sides = [
            rows(dataset, size, rng)
            for dataset, size, rng in zip(
                datasets, (task.size - ones, ones), source.generators, strict=True
            )
            if size
        ]
        order = np.empty(task.size, dtype=np.intp)
        order[coins == 0] = np.arange(task.size - ones)
        order[coins == 1] = np.arange(task.size - ones, task.size)
        # Columns in the order of the sides would tell which row came from which.
        return Columns.concat(sides).take(order).canonical(), repeated
    left, right = (
        rows(dataset, task.size, rng)
        for dataset, rng in zip(datasets, source.generators, strict=True)
    )
    order = np.arange(2 * task.size).reshape(2, task.size).T.ravel()
    return Columns.concat([left, right]).take(order), repeated


def _rows(
    function: Callable[..., Any],
    dataset: Any,
    size: int,
    rng: Generator,
    event: Event | None,
    source: Source,
) -> tuple[Columns, int]:
    """Return the outputs of one call, and how many were asked for again."""
    try:
        outputs = function(dataset, size, rng)
    except MemoryError as error:
        raise WorkerError("memory", "the mechanism ran out of memory") from error
    except (Exception, SystemExit) as error:
        _confirm_raises(function, dataset, size, rng, error)
        source.raised_at = source.raised_at or raised_at(error)
        raised = [Raised(error)] * size
        return encode(raised if event is None else happened(event, raised)), size
    _validate_rows(outputs, size)
    if event is not None:
        return encode(happened(event, outputs)), 0
    return (encode_rows if isinstance(outputs, np.ndarray) else encode)(outputs), 0


def _validate_rows(outputs: Any, size: int) -> None:
    if isinstance(outputs, np.ndarray):
        if outputs.ndim and len(outputs) == size:
            return
    elif isinstance(outputs, (list, tuple)) and len(outputs) == size:
        return
    got = f"{type(outputs).__name__}"
    if hasattr(outputs, "__len__"):
        got += f" of shape {np.shape(outputs)}" if isinstance(outputs, np.ndarray) else (
            f" of length {len(outputs)}"
        )  # fmt: skip
    raise WorkerError(
        "wrong-size",
        f"a vectorized mechanism must return an array or list of {size} outputs when called "
        f"with size={size}, got {got}. Make `size` the first axis, or drop @dpaudit.vectorized",
    )


def _confirm_raises(
    function: Callable[..., Any], dataset: Any, size: int, rng: Generator, error: BaseException
) -> None:
    """Make sure that an exception stands for every row: by chance it would for one alone."""
    try:
        function(dataset, size, rng)
    except (Exception, SystemExit):
        return
    raise WorkerError(
        "raised",
        f"a vectorized mechanism raised {type(error).__name__} in one call and none in the next; "
        "its outputs are not independent: drop @dpaudit.vectorized",
    )
