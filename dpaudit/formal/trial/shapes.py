"""Structures of outputs as events: all that is no finite number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

_FINITE = "isinstance({0}, int | float | np.number) and np.isfinite({0})"
_NO_TRUTH_VALUE = "not isinstance({0}, bool | np.bool_)"


def shape_event(shape: Any) -> tuple[str, str]:
    """Return words and a Python predicate over ``output`` for a structure.

    Parameters
    ----------
    shape : Hashable
        As of `dpaudit.formal.trial.outputs.Release`; ``("told", words, source)`` stands for a
        number of which a predicate is told, with ``{0}`` in its place, and ``("set", size)``.
    """
    if shape[0] == "raises":
        return f"it raises {shape[1]}", f"False  # the call raises {shape[1]}"
    source = " and ".join(_conditions(shape, "output")) or "True"
    match shape:
        case ("array", tuple(size), tuple(below)) if _numbers(below):
            return f"output has shape {size}", source
        case ("dict", tuple(items)) if _numbers([below for _, below in items]):
            return f"the keys are {', '.join(_plain(key) for key, _ in items)}", source
        case (("list" | "tuple") as kind, tuple(items)) if _numbers(items):
            return f"output is a {kind} of {len(items)}", source
        case ("number",):
            return "output is a number", source
    return f"output is {pattern(shape)}", source


def _plain(key: object) -> str:
    """Return a key without the name of its NumPy type."""
    return re.sub(r"^np\.\w+\((.*)\)$", r"\1", str(key))


def _numbers(below: Any) -> bool:
    return all(item == ("number",) for item in below)


def _conditions(shape: Any, name: str) -> Iterator[str]:
    match shape:
        case ("value", "float", text):
            yield f"{name} != {name}" if text == "nan" else f"{name} == float({text!r})"
        case ("value", "bool", text):
            yield f"isinstance({name}, bool | np.bool_) and {name} == {text}"
        case ("value", kind, text):
            yield f"{name} is None" if kind == "NoneType" else f"{name} == {text}"
        case ("array", tuple(size), tuple(below)):
            yield f"np.shape({name}) == {size}"
            for index, item in zip(np.ndindex(*size), below, strict=True):
                if not _numbers(below):
                    yield from _conditions(item, f"{name}[{', '.join(map(str, index)) or '()'}]")
        case ("dict", tuple(items)):
            yield f"isinstance({name}, dict) and list({name}) == [{', '.join(k for k, _ in items)}]"
            for key, item in items:
                yield from _conditions(item, f"{name}[{key}]")
        case ("Series", str(labels), tuple(items)):
            yield f"type({name}).__name__ == 'Series' and {name}.index.tolist() == {labels}"
            for i, item in enumerate(items):
                yield from _conditions(item, f"{name}.iloc[{i}]")
        case ("DataFrame", (labels, columns, int(width)), tuple(items)):
            yield f"type({name}).__name__ == 'DataFrame' and {name}.index.tolist() == {labels}"
            yield f"{name}.columns.tolist() == {columns}"
            for i, item in enumerate(items):
                yield from _conditions(item, f"{name}.iloc[{i // width}, {i % width}]")
        case ("listing", str(kind), tuple(items)):
            yield f"type({name}).__name__ == {kind!r} and len({name}) == {len(items)}"
            for i, item in enumerate(items):
                yield from _conditions(item, f"{name}[{i}]")
        case (("list" | "tuple") as kind, tuple(items)):
            kinds = "tuple | np.void" if kind == "tuple" else kind  # a record is read as a tuple
            yield f"isinstance({name}, {kinds}) and len({name}) == {len(items)}"
            for i, item in enumerate(items):
                yield from _conditions(item, f"{name}[{i}]")
        case ("set", size):
            yield f"isinstance({name}, set | frozenset) and len({name}) == {size}"
        case ("told", _, str(source)):
            yield source.format(name)
        case ("number",):
            yield f"{_FINITE.format(name)} and {_NO_TRUTH_VALUE.format(name)}"


def pattern(shape: Any) -> str:
    """Return a structure as text, with dots for numbers."""
    match shape:
        case ("value" | "told", str(), str()):
            return str(shape[1] if shape[0] == "told" else shape[2])
        case ("array" | "Series" | "DataFrame" | "listing", _, tuple(below)) | (
            "list",
            tuple(below),
        ):
            return f"[{', '.join(map(pattern, below))}]"
        case ("tuple", tuple(below)):
            return f"({', '.join(map(pattern, below))})"
        case ("dict", tuple(items)):
            return f"{{{', '.join(f'{key}: {pattern(below)}' for key, below in items)}}}"
    return "…"
