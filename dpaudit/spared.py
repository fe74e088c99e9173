"""What is made after a verdict, which cannot take the verdict away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
D = TypeVar("D")


def spared(what: str, make: Callable[[], T], failures: list[str], otherwise: D) -> T | D:
    """Return what is made, or something else where that fails.

    Parameters
    ----------
    what : str
        For the sentence about a failure, such as ``"the picture of the outputs"``.
    make : callable
        Without arguments.
    failures : list of str
        Gets a sentence where it fails; a report has them among its notes.
    otherwise : object
        What stands in its place then.
    """
    try:
        return make()
    except BrokenPipeError:  # the reader has gone, and wants no more
        raise
    except Exception as error:  # a fault of ours, of the mechanism's objects, or of the disk
        failures.append(f"{what} could not be made ({_named(error)}); the verdict stands")
        return otherwise


def _named(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # a text of the mechanism's own making
        return type(error).__name__
