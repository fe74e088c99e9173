"""What is made after a verdict, which cannot take the verdict away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def spared(what: str, make: Callable[[], T], failures: list[str]) -> T | None:
    """Return what is made, or None where that fails.

    Parameters
    ----------
    what : str
        For the sentence about a failure, such as ``"the picture of the outputs"``.
    make : callable
        Without arguments.
    failures : list of str
        Gets a sentence where it fails.
    """
    try:
        return make()
    except BrokenPipeError:  # the reader has gone, and wants no more
        raise
    except Exception as error:  # a fault of ours, or of the disk
        said = f"{what} could not be made ({type(error).__name__}: {error}); the verdict stands"
        failures.append(said)
        return None
