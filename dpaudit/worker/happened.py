"""Whether an output lies in an event, asked where the mechanism runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.outputs import Raised

if TYPE_CHECKING:
    from dpaudit.evidence import Event

RAISES = "the call raises "  # in the source of an event that is an error
ERROR = "the error "  # begins the words of one


def is_error(event: Event) -> bool:
    """Whether an event is, at least in part, an error of the mechanism."""
    return event.words.startswith(ERROR) or RAISES in event.source


def happened(event: Event, outputs: Sequence[Any]) -> list[float]:
    """Return 1.0 for outputs in the event and 0.0 for others.

    Parameters
    ----------
    event : Event
        Its source was written by an engine, never read from a file.
    outputs : sequence
        As of the mechanism; exceptions are wrapped in `Raised`.

    Returns
    -------
    list of float
    """
    return [float(_is_in(event, output)) for output in outputs]


def _is_in(event: Event, output: Any) -> bool:
    if isinstance(output, Raised):
        said = event.words if event.words.startswith(ERROR) else event.source
        return is_error(event) and output.kind in said
    if event.words.startswith(ERROR):
        return False
    try:
        return bool(eval(_compiled(event.source), {"math": math, "np": np, "output": output}))
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        return False  # an output of another shape


@lru_cache(maxsize=16)
def _compiled(source: str) -> CodeType:
    return compile(source.strip(), "<event>", "eval")
