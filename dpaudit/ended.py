"""Generators and coroutines, run to their end: what they give and return is one output.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import AsyncIterator, Generator
from typing import Any


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
    An exception holds what was yielded before it, as its attribute ``yielded_before``.
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
            values.append(_as_it_is(next(made)))
    except StopIteration as end:
        return values if end.value is None else (values, end.value)
    except (Exception, SystemExit) as error:
        vars(error)["yielded_before"] = values
        raise


async def _gathered(made: AsyncIterator[Any]) -> list[Any]:
    values: list[Any] = []
    try:
        async for value in made:
            values.append(_as_it_is(value))  # noqa: PERF401  # kept where it raises
    except (Exception, SystemExit) as error:
        vars(error)["yielded_before"] = values
        raise
    return values


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
    finally:
        asyncio._set_running_loop(around)
