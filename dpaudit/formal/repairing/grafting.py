"""The mechanism as it would be if its file read otherwise, without running the file again."""

from __future__ import annotations

import functools
import types
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from dpaudit.formal.lifting.source import names_in, same_code
from dpaudit.formal.unsupported import Unsupported


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """A function that a mechanism may call, and how many calls away it is."""

    function: types.FunctionType
    depth: int


def reached(mechanism: Any, files: Collection[str]) -> list[Reached]:
    """Return the functions of some files that a mechanism may call, nearest first.

    Parameters
    ----------
    mechanism : callable
    files : collection of str

    Returns
    -------
    list of Reached
    """
    found: dict[int, Reached] = {}
    todo: list[tuple[Any, int]] = [(mechanism, 0)]
    while todo:
        value, depth = todo.pop(0)
        for function in _functions(value):
            if id(function) in found or function.__code__.co_filename not in files:
                continue
            found[id(function)] = Reached(function, depth)
            todo += [(value, depth + 1) for value in _seen_by(function)]
    return list(found.values())


def _functions(value: Any) -> Iterator[types.FunctionType]:
    """Yield the functions that a callable is made of."""
    if isinstance(value, types.FunctionType):
        yield value
    elif isinstance(value, functools.partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            yield from _functions(part)
    elif isinstance(value, types.MethodType):
        yield from _functions(value.__func__)


def _seen_by(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function finds by its names: globals, cells and defaults."""
    for name in names_in(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
    yield from (function.__kwdefaults__ or {}).values()
    yield from function.__defaults__ or ()


def grafted(mechanism: Any, files: Collection[str], file: str, before: str, after: Path) -> Any:
    """Return the mechanism whose functions of one file are compiled from another.

    Parameters
    ----------
    mechanism : callable
        A function, or partials and methods of functions.
    files : collection of str
        Whose functions are rebuilt, so that they call the changed ones.
    file : str
        The file that is replaced.
    before : str
        Its content.
    after : Path
        What replaces it; it has the same functions in the same order.

    Returns
    -------
    callable

    Raises
    ------
    Unsupported
        Where the two files do not match.
    """
    old = compile(before, file, "exec", dont_inherit=True)
    new = compile(after.read_text("utf-8"), str(after), "exec", dont_inherit=True)
    called = frozenset(id(one.function) for one in reached(mechanism, files))
    return _Graft(called, file, tuple(_matched(old, new))).value(mechanism)


def _matched(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code of each function before and after."""
    one = [c for c in old.co_consts if isinstance(c, CodeType)]
    other = [c for c in new.co_consts if isinstance(c, CodeType)]
    if [c.co_qualname for c in one] != [c.co_qualname for c in other]:
        raise Unsupported(f"other functions than before in {new.co_filename}")
    for left, right in zip(one, other, strict=True):
        yield left, right
        yield from _matched(left, right)


@dataclass(slots=True, eq=False)
class _Graft:
    """Rebuilds functions that may be called; those that call each other stay together."""

    called: frozenset[int]
    file: str
    codes: tuple[tuple[CodeType, CodeType], ...]
    made: dict[int, Any] = field(default_factory=dict)
    spaces: dict[int, dict[str, Any]] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)  # so that no id is given twice

    def value(self, value: Any) -> Any:
        """Return what stands for a value in the changed program."""
        if isinstance(value, types.FunctionType) and id(value) in self.called:
            return self.function(value)
        if isinstance(value, functools.partial):
            named = {name: self.value(part) for name, part in value.keywords.items()}
            return functools.partial(self.value(value.func), *map(self.value, value.args), **named)
        if isinstance(value, types.MethodType):
            return types.MethodType(self.value(value.__func__), value.__self__)
        return value

    def function(self, function: types.FunctionType) -> types.FunctionType:
        if id(function) in self.made:
            return self.made[id(function)]  # type: ignore[no-any-return]
        self.kept.append(function)
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(
            self.code(function.__code__),
            self.space(function.__globals__),
            function.__name__,
            None,
            cells,
        )
        self.made[id(function)] = made
        for cell, given in zip(cells, function.__closure__ or (), strict=True):
            try:
                cell.cell_contents = self.value(given.cell_contents)
            except ValueError:  # empty on either side
                continue
        made.__defaults__ = function.__defaults__ and tuple(map(self.value, function.__defaults__))
        made.__kwdefaults__ = function.__kwdefaults__ and {
            name: self.value(value) for name, value in function.__kwdefaults__.items()
        }
        made.__dict__.update({k: self.value(v) for k, v in vars(function).items()})
        made.__qualname__, made.__module__ = function.__qualname__, function.__module__
        made.__doc__, made.__annotations__ = function.__doc__, function.__annotations__
        return made

    def code(self, code: CodeType) -> CodeType:
        if code.co_filename != self.file:
            return code
        same = [
            new
            for old, new in self.codes
            if old.co_firstlineno == code.co_firstlineno and same_code(old, code)
        ]
        if len(same) != 1:
            raise Unsupported(f"the source of {code.co_name!r} is not what runs")
        return same[0]

    def space(self, names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in self.spaces:
            self.kept.append(names)
            space = self.spaces[id(names)] = dict(names)
            for name, value in names.items():
                if any(id(function) in self.called for function in _functions(value)):
                    space[name] = self.value(value)
        return self.spaces[id(names)]
