"""What a variable holds, in a form in which two runs can be compared."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from dpaudit.trace.draws import is_users_file
from dpaudit.trace.tape import Floats

MOST_ATTRIBUTES = 40  # of an object that are looked at
MOST_NUMBERS = 4_000  # of a variable that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a variable held.

    Attributes
    ----------
    structure : tuple
        Type, and length, shape or keys.
    numbers : ndarray of float or None
        Its numbers, in order; None where it holds others things too.
    text : str
        Of what has no numbers.
    parts : tuple of Seen
        Of a list or tuple of containers.
    """

    structure: tuple[Any, ...]
    numbers: Floats | None
    text: str = ""
    parts: tuple[Seen, ...] = ()

    def same_as(self, other: Seen) -> bool:
        """Whether both hold the same."""
        if self.structure != other.structure or self.text != other.text:
            return False
        if len(self.parts) != len(other.parts):
            return False
        if not all(map(Seen.same_as, self.parts, other.parts)):
            return False
        if self.numbers is None or other.numbers is None:
            return self.numbers is other.numbers
        return bool(np.array_equal(self.numbers, other.numbers, equal_nan=True))


def seen(value: Any, depth: int = 2) -> Seen:
    """Return what a value holds, in a form that can be compared.

    Parameters
    ----------
    value : Any
    depth : int
        How deep containers are looked into.
    """
    kind = type(value).__name__
    try:
        return _seen(value, kind, depth)
    except Exception:  # whatever a strange object does when it is looked at
        return Seen((kind,), None)


def attributes(value: Any) -> dict[str, Any]:
    """Return what an object of a class of the user's holds, by name; numbers of its class too.

    Parameters
    ----------
    value : Any
    """
    kind: Any = type(value)
    if isinstance(value, (type, ModuleType)) or not _is_users(kind.__module__):
        return {}
    held = getattr(value, "__dict__", None)
    if not isinstance(held, dict):
        return {}
    return dict(itertools.islice((_constants(kind) | held).items(), MOST_ATTRIBUTES))


@lru_cache(maxsize=256)
def _constants(kind: type) -> dict[str, Any]:
    """Return the numbers that a class of the user's, or one that it is made from, has names for."""
    of_class = [vars(each) for each in reversed(kind.__mro__) if _is_users(each.__module__)]
    every = {name: value for held in of_class for name, value in held.items()}
    return {name: value for name, value in every.items() if type(value) in (int, float)}


@lru_cache(maxsize=1024)
def _is_users(name: str) -> bool:
    module = sys.modules.get(name)
    return is_users_file(getattr(module, "__file__", None) or "")


def _seen(value: Any, kind: str, depth: int) -> Seen:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return Seen((kind,), np.array([float(value)]))
    if isinstance(value, str):
        return Seen((kind,), None, value[:200])
    if isinstance(value, type):
        return Seen((kind,), None, value.__qualname__)
    if type(value).__module__.startswith(("pandas", "polars")):
        return _seen_frame(value, kind)
    if isinstance(value, np.ndarray):
        return _seen_array(value, kind)
    if isinstance(value, dict):
        keys = tuple(map(_text, itertools.islice(value, MOST_NUMBERS)))
        inner = _numbers(list(value.values()))
        return Seen((kind, len(value), keys), inner, parts=_parts(value.values(), inner, depth))
    if isinstance(value, (list, tuple, set, frozenset)):
        inner = _numbers(list(value))
        return Seen((kind, len(value)), inner, parts=_parts(value, inner, depth))
    return Seen((kind,), None)


def _parts(values: Any, numbers: Floats | None, depth: int) -> tuple[Seen, ...]:
    if numbers is not None or depth == 0 or len(values) > 200:
        return ()
    return tuple(seen(each, depth - 1) for each in values)


def _numbers(values: Sequence[Any]) -> Floats | None:
    if len(values) > MOST_NUMBERS:
        return None
    if not all(isinstance(each, (bool, int, float, np.number, np.bool_)) for each in values):
        return None
    return np.array([float(each) for each in values])


def _seen_array(value: Any, kind: str) -> Seen:
    structure = (kind, str(value.dtype), value.shape)
    if value.size > MOST_NUMBERS:
        return Seen(structure, None)
    if value.dtype.kind in "fiub":
        return Seen(structure, value.astype(np.float64).ravel())
    return Seen(structure, None, repr(value.tolist())[:2000])


def _seen_frame(value: Any, kind: str) -> Seen:
    columns = tuple(map(_text, getattr(value, "columns", ())))
    index = tuple(map(_text, itertools.islice(getattr(value, "index", ()), MOST_NUMBERS)))
    mask = ("bool",) if str(getattr(value, "dtype", "")) == "bool" else ()
    structure = (kind, np.shape(value), columns, index, *mask)
    try:
        numbers = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        return Seen(structure, None, str(value)[:2000])
    return Seen(structure, numbers if len(numbers) <= MOST_NUMBERS else None)


def _text(value: Any) -> str:
    return repr(value)[:80]


def close(one: Floats | None, two: Floats) -> bool:
    """Whether numbers are the same but for rounding."""
    if one is None or one.size != two.size:
        return False
    with np.errstate(all="ignore"):
        scale = 1e-9 * (np.abs(one) + np.abs(two)) + 1e-12
        return bool(np.all((np.abs(one - two) <= scale) | (np.isnan(one) & np.isnan(two)) |
                           (one == two)))  # fmt: skip
