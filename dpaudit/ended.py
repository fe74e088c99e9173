"""Generators and coroutines, run to their end: what they give and return is one output.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import AsyncIterator, Generator
from typing import Any

MOST = 10_000  # values of one generator, which may have no end: the audit calls it many times


def ended(made: Any) -> Any:
    """Return what the call of a generator function, or of an async one, comes to.

    Parameters
    ----------
    made : object
        What the call gave. Anything but a generator or a coroutine is returned as it is.

    Returns
    -------
    object
        Of a generator the list of what it yields, each value as it was then; beside what it
        returns, if that is not None. A coroutine runs on an event loop of its own.

    Notes
    -----
    An exception holds what was yielded before it, as its attribute ``yielded_before``. So does that
    for a generator that continues after `MOST` values. A coroutine that is cancelled raises a
    RuntimeError, as `asyncio.CancelledError` is none of the exceptions that an output may be.
    """
    if inspect.isgenerator(made):
        return _listed(made)
    if inspect.isasyncgen(made):
        return _run(_gathered(made))
    return _run(made) if inspect.iscoroutine(made) else made


def _listed(made: Generator[Any, Any, Any]) -> Any:
    values: list[Any] = []
    try:
        while True:
            _add(values, next(made))
    except StopIteration as end:
        return values if end.value is None else (values, end.value)
    except (Exception, SystemExit) as error:
        vars(error)["yielded_before"] = values
        raise


async def _gathered(made: AsyncIterator[Any]) -> list[Any]:
    values: list[Any] = []
    try:
        async for value in made:
            _add(values, value)
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        vars(error)["yielded_before"] = values
        raise
    return values


def _add(values: list[Any], value: Any) -> None:
    if len(values) == MOST:
        raise RuntimeError(f"the generator continues after {MOST:,} values")
    values.append(_as_it_is(value))


def _as_it_is(value: Any) -> Any:
    """Return a copy: who gets a value sees it before the generator goes on, and changes it."""
    try:
        return copy.deepcopy(value)
    except Exception:  # nothing else can be said of it
        return value


def _run(coroutine: Any) -> Any:
    """Run a coroutine, in a notebook too, whose own event loop waits meanwhile."""
    around = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return asyncio.run(coroutine)
    except asyncio.CancelledError as error:
        stopped = RuntimeError(f"the coroutine was cancelled: {error}")
        vars(stopped).update(vars(error))
        raise stopped from error
    finally:
        asyncio._set_running_loop(around)
