"""Says how to run the twin of the mechanism that the reader names."""

from __future__ import annotations

import copy
import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.exact.generator import Generator
from dpaudit.checker.exact.paths import Path
from dpaudit.checker.exact.shims import exact
from dpaudit.checker.exact.twin import Twins
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, fields

_PROGRAM = {
    "schema_version": int,
    "entry": dict,
    "data": str,
    "rng": (str, types.NoneType),
    "fixed": dict,
    "symbolic": list,
    "sources": dict,
}
_MOST_VALUES = 10_000  # of an array whose values are written out, besides their hash


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism that is at hand.

    Attributes
    ----------
    function : function
    fixed : dict of str to Any
        Arguments that the certificate's subject fixes.
    data, rng : str
        Names of the parameters that take the dataset and the generator; None for the latter where
        the code takes its randomness from elsewhere.
    size : str or None
        Of the parameter that takes the number of outputs, where there is one.
    free : dict of str to Number
        What stands for parameters that the proof is about all values of.
    """

    function: types.FunctionType
    fixed: dict[str, Any]
    data: str
    rng: str | None
    size: str | None
    free: dict[str, Any]

    def runner(self, twins: Twins, data: Any) -> Callable[[Path], Any]:
        """Return what runs the mechanism's twin on a dataset and a path."""
        twin = twins.of(self.function)
        fixed = {name: twins.value(value) for name, value in self.fixed.items()}
        if self.size is not None:
            fixed[self.size] = 1

        def run(path: Path) -> Any:
            twins.shared.generator = rng = Generator(path)
            given = {self.data: exact(copy.deepcopy(data))}
            if self.rng is not None:
                given[self.rng] = rng
            return twin(**given, **fixed, **self.free)

        return run


def mechanism_of(
    document: Document, work: Work, values: Mapping[str, Any] | None = None
) -> Mechanism:
    """Return the mechanism that the reader names, whose parameters must be the program's.

    Parameters
    ----------
    document : Document
    work : Work
    values : mapping of str to Number, optional
        What stands for parameters that the proof is about all values of.

    Raises
    ------
    NotCheckedError, RejectedError
    """
    function, fixed = _named(work.mechanism)
    names = list(inspect.signature(function).parameters.values())
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY) for p in names):
        raise NotCheckedError("not checked: a mechanism with parameters of unusual kinds")
    if document.program is None:
        raise RejectedError("`program` is null")
    program = document.program
    fields(program, _PROGRAM, "`program`")
    free = [p.name for p in names if p.name not in fixed]
    rng, size = program["rng"], None
    if rng is None:
        lacking = [p.name for p in names if p.name in free[1:] and p.default is p.empty]
        if not free or lacking:
            raise RejectedError("`program.rng` is null, and the code takes more than a dataset")
    elif len(free) > 2 and free[2] == rng and free[1] in program["fixed"]:
        size = free[1]  # one output of many that are drawn at once
    elif len(free) < 2 or rng != free[1]:
        raise RejectedError(f"`program.rng` is {rng!r:.40}, which is not so in the code")
    if program["data"] != free[0]:
        raise RejectedError(f"`program.data` is not {free[0]!r}, as in the code")
    _validate_entry(program, function, names)
    if program["sources"] != document.sources or program["schema_version"] != 1:
        raise RejectedError("`program.sources` or `program.schema_version` is another")
    every = dict(values or {})
    if sorted(program["symbolic"]) != sorted(every) or set(every) & {*fixed, free[0], rng, size}:
        raise NotCheckedError("not checked: a proof for all values of other parameters")
    _validate_fixed(program, names, fixed, {free[0], rng, *every}, size)
    return Mechanism(function, fixed, free[0], rng, size, every)


def _validate_entry(
    program: Mapping[str, Any], function: types.FunctionType, names: list[inspect.Parameter]
) -> None:
    entry = program["entry"]
    if entry.get("name") != function.__name__:
        raise RejectedError(f"`program.entry` is of {entry.get('name')!r:.60}")
    if entry.get("parameters") != [p.name for p in names]:
        raise RejectedError("`program.entry` has other parameters than the code")


def _named(mechanism: Any) -> tuple[types.FunctionType, dict[str, Any]]:
    """Return the function that the reader names, and the arguments that are fixed."""
    fixed: dict[str, Any] = {}
    while isinstance(mechanism, functools.partial):
        if mechanism.args:
            raise NotCheckedError("not checked: arguments that are fixed by position")
        mechanism, fixed = mechanism.func, {**mechanism.keywords, **fixed}
    if type(mechanism) is not types.FunctionType:
        said = getattr(mechanism, "__qualname__", type(mechanism).__name__)
        raise NotCheckedError(f"not checked: {said!r:.80} is no function of its module")
    return mechanism, fixed


def _validate_fixed(
    program: Mapping[str, Any],
    parameters: list[inspect.Parameter],
    fixed: Mapping[str, Any],
    given: set[str | None],
    size: str | None,
) -> None:
    """Refuse a program whose parameters have other values than those of the code."""
    stated = program["fixed"]
    live = {p.name: fixed.get(p.name, p.default) for p in parameters if p.name not in given}
    if size is not None:
        live[size] = 1
    if set(stated) != set(live):
        raise RejectedError("`program.fixed` has other parameters than the code")
    for name, value in live.items():
        written, wanted = stated[name], _written(value)
        if not isinstance(written, dict) or (wanted is not None and written.get("value") != wanted):
            raise RejectedError(f"`program.fixed[{name!r}]` is not the value that the code has")


def _written(value: Any) -> Any:
    """Return a value as programs in certificates hold it, None for other kinds."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = hashlib.sha256(value.tobytes()).hexdigest()
        held = value.ravel().tolist() if value.size <= _MOST_VALUES else None
        listed = None if held is None else [_written(item) for item in held]
        return {"array": [str(value.dtype), list(value.shape), content, listed]}
    return None
