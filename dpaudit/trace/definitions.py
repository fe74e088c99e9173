"""Where names of a program are defined: variables, attributes, entries and parameters."""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from dpaudit.trace.accumulators import begins, named
from dpaudit.trace.bodies import Body
from dpaudit.trace.fields import of_attribute, of_entry
from dpaudit.trace.modules import Modules
from dpaudit.trace.parts import (
    converted,
    is_key,
    is_reference,
    lines_of,
    parameters,
    target_of,
    value_of,
)

_DEEPEST = 8
_MOST_CALLS = 64  # of one function; what so many give it is formed in none of them alone
_OF_ARRAYS = frozenset({"size", "shape", "values", "index", "columns", "real", "imag", "T"})

_Node = TypeVar("_Node", bound=ast.stmt | ast.expr)


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement in a function."""

    line: int
    statement: ast.stmt
    function: ast.FunctionDef


class Code:
    """Files of the user's, read for what their names stand for.

    Parameters
    ----------
    modules : Modules
        Lines are numbered as there.
    ran : callable, optional
        Returns the files and lines that runs came to: what stands on others is none of theirs. All
        unless given, or where there are none.
    """

    def __init__(
        self, modules: Modules, ran: Callable[[], Set[tuple[str, int]]] = frozenset
    ) -> None:
        self._modules = modules
        self._runs = ran
        self._nodes = [n for module in modules.all for n in ast.walk(module.tree)]
        self._functions = [n for n in self._nodes if isinstance(n, ast.FunctionDef)]
        self._classes = {
            (modules.number(n), n.name): n for n in self._nodes if isinstance(n, ast.ClassDef)
        }
        self._methods: dict[int, str] = {
            id(f): n.name
            for n in self._classes.values() for f in n.body if isinstance(f, ast.FunctionDef)
        }  # fmt: skip
        self._by_name: dict[str, list[ast.FunctionDef]] = defaultdict(list)
        self._around: dict[int, list[ast.FunctionDef]] = defaultdict(list)
        for function in sorted(self._functions, key=lambda f: -f.lineno):
            self._by_name[function.name].append(function)
            for line in range(function.lineno, (function.end_lineno or 0) + 1):
                self._around[line].append(function)  # the innermost first
        self._calls: dict[str, list[ast.Call]] = defaultdict(list)
        for call in self._nodes:
            if isinstance(call, ast.Call):
                self._calls[named(call.func)].append(call)
        self._spots: dict[int, Spot | None] = {}
        self._bodies: dict[int, Body] = {}
        self._handed: dict[tuple[int, str, int], list[ast.expr]] = {}

    @cached_property
    def _ran(self) -> Set[int]:
        return self._modules.lines(self._runs())

    def place(self, line: int) -> tuple[str, int]:
        """Return the file and its own line that a line is."""
        return self._modules.place(line)

    def line(self, file: str, line: int) -> int | None:
        """Return the line that a line of a file is, None if that was not read."""
        return self._modules.line(file, line)

    def is_wiring(self, line: int) -> bool:
        """Whether a line stands in a file that declares audits."""
        return self._modules.all[self._modules.number(line)].wiring

    def is_module(self, name: ast.Name) -> bool:
        """Whether a name stands for a module, or comes from a library."""
        return self._modules.is_module(self._modules.number(name), name.id)

    def _came(self, node: ast.stmt | ast.expr) -> bool:
        """Whether a run came to one of the lines of a node."""
        return not self._ran.isdisjoint(lines_of(node))

    def _body(self, function: ast.FunctionDef) -> Body:
        if id(function) not in self._bodies:
            self._bodies[id(function)] = Body(function)
        return self._bodies[id(function)]

    def spot(self, line: int) -> Spot | None:
        """Return the statement on a line, of which a test or a loop is its head alone."""
        if line not in self._spots:
            found = (
                Spot(line, statement, function)
                for function in self._around.get(line, ())
                if (statement := self._body(function).on(line)) is not None
            )
            self._spots[line] = next(found, None)
        return self._spots[line]

    def called(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the user's that a call names, if there is one of that name.

        It is a function by its name alone, or that of a module, the first method of a class that is
        called, and a method of what is no module, the nearest one.
        """
        number = self._modules.number(call)
        match call.func:
            case ast.Name(id=name):
                return self._defined(*self._modules.home(number, name))
            case ast.Attribute(value=ast.Name() | ast.Attribute() as value, attr=name):
                base = ast.unparse(value)
                module = self._modules.module(number, base)
                if module is not None:
                    return self._defined(*self._modules.home(module, name))
                if isinstance(value, ast.Name) and not self._modules.is_module(number, base):
                    return self._nearest(
                        number, [f for f in self._by_name.get(name, ()) if id(f) in self._methods]
                    )
        return None

    def held(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the method that a call of what an object holds may be, the nearest of its name."""
        match call.func:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self")), attr=name):
                methods = [f for f in self._by_name.get(name, ()) if id(f) in self._methods]
                return self._nearest(self._modules.number(call), methods)
        return None

    def _defined(self, number: int, name: str) -> ast.FunctionDef | None:
        """Return a function of a file, or the first method of a class."""
        if (number, name) in self._classes:
            body = self._classes[number, name].body
            found = [f for f in body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
        else:
            found = [
                f for f in self._by_name.get(name, ())
                if id(f) not in self._methods and self._modules.number(f) == number
            ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def _nearest(self, number: int, found: list[_Node]) -> _Node | None:
        """Return the one thing that is found in a file, or else in those around it."""
        for files in self._modules.around(number):
            both = [each for each in found if self._modules.number(each) in files]
            if both:
                return both[0] if len(both) == 1 else None
        return None

    def argument(self, function: ast.FunctionDef, call: ast.Call, name: str) -> ast.expr | None:
        """Return what a call gives a parameter, or what that has as default."""
        given = function.args
        own = [each.arg for each in (*given.posonlyargs, *given.args)]
        if own[:1] in (["self"], ["cls"]):
            own = own[1:]
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        if name in own and own.index(name) < len(call.args):
            return call.args[own.index(name)]
        defaults = dict(zip(reversed(own), reversed(given.defaults), strict=False))
        named_only = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        return defaults.get(name) or next((d for a, d in named_only if a.arg == name), None)

    def handed(self, function: ast.FunctionDef, name: str, depth: int = 0) -> list[ast.expr]:
        """Return the expressions that form a parameter, at each call of its function."""
        key = id(function), name, depth
        if key not in self._handed:
            self._handed[key] = list(self._handing(function, name, depth))
        return self._handed[key]

    def _handing(self, function: ast.FunctionDef, name: str, depth: int) -> Iterator[ast.expr]:
        for spot, call in self.calls(function) if depth < _DEEPEST else ():
            given = self.argument(function, call, name)
            if given is not None:
                yield self.formed(spot, given, depth=depth + 1) or given

    def calls(self, function: ast.FunctionDef) -> Iterator[tuple[Spot, ast.Call]]:
        """Yield the calls of a function that others make, with where they stand."""
        by = self._methods.get(id(function), "") if function.name == "__init__" else function.name
        calls = [
            call for each in self._modules.names(by) for call in self._calls.get(each, ())
            if (not self._ran or self._came(call)) and self.called(call) is function
        ]  # fmt: skip
        for call in calls if len(calls) <= _MOST_CALLS else ():
            spot = self.spot(call.lineno)
            if spot is not None and spot.function is not function:
                yield spot, call

    def returned(self, function: ast.FunctionDef) -> ast.expr | None:
        """Return what the last statement of a function returns, or the only one that yields."""
        match function.body[-1]:
            case ast.Return(value=ast.expr() as value):
                return value
        given = [n.value for n in self._body(function).nodes if isinstance(n, ast.Yield)]
        return given[0] if len(given) == 1 else None

    def is_public(self, spot: Spot, value: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is made of what a file writes, and of nothing that is handed in."""
        nodes = list(ast.walk(value))
        inner = {id(call.func) for call in nodes if isinstance(call, ast.Call)}
        own = {n.id for c in nodes if isinstance(c, ast.comprehension)
               for n in ast.walk(c.target) if isinstance(n, ast.Name)}  # fmt: skip
        names = [n for n in nodes
                 if isinstance(n, ast.Name) and id(n) not in inner and n.id not in own]  # fmt: skip
        return depth <= _DEEPEST and all(self._is_written(spot, n, depth) for n in names)

    def _is_written(self, spot: Spot, name: ast.Name, depth: int) -> bool:
        if name.id in parameters(spot.function):
            handed = self.handed(spot.function, name.id)
            places = [(self.spot(each.lineno), each) for each in handed]
            return bool(places) and all(
                home is not None and self.is_public(home, each, depth + 1) for home, each in places
            )
        if name.id not in self._body(spot.function).stored:
            return True  # of the module
        found = next(self.assigned(spot, name.id, spot.statement), None)
        return found is not None and self.is_public(*found, depth + 1)

    def formed(
        self, spot: Spot, value: ast.expr, before: ast.stmt | None = None, depth: int = 0
    ) -> ast.expr | None:
        """Return the expression that computes what an expression at a spot only names.

        Parameters
        ----------
        spot : Spot
        value : expr
        before : stmt, optional
            The statement above which a variable is set; the spot's own unless given.
        depth : int
            How many names were followed before.
        """
        value = converted(value)
        if depth > _DEEPEST or not is_reference(value):
            return value if depth else None
        for home, found in self._setting(spot, value, before or spot.statement):
            return self.formed(home, found, depth=depth + 1) or found
        if isinstance(value, ast.Name) and value.id in parameters(spot.function):
            handed = self.handed(spot.function, value.id, depth + 1)
            if len({each.lineno for each in handed}) == 1:
                return handed[0]
        return None

    def spotted(self, spot: Spot, value: ast.expr) -> tuple[Spot, ast.expr]:
        """Return what forms an expression at a spot, or else itself, with where that stands."""
        formed = self.formed(spot, value)
        return (spot, value) if formed is None else (self.spot(formed.lineno) or spot, formed)

    def entered(self, value: ast.expr) -> ast.expr:
        """Return what a call of a function of the file returns, or else the expression itself."""
        function = self.called(value) if isinstance(value, ast.Call) else None
        match function.body[-1] if function is not None else None:
            case ast.Return(value=ast.expr() as returned) as last:
                inside = Spot(last.lineno, last, function)  # type: ignore[arg-type]
                return self.formed(inside, returned) or returned
        return value

    def _setting(
        self, spot: Spot, value: ast.expr, before: ast.stmt
    ) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what sets a variable, an attribute or an entry, the likeliest first."""
        number = self._modules.number(spot.line)
        match value:
            case ast.Name(id=name):
                yield from self.assigned(spot, name, before)
            case ast.Subscript(value=ast.Name(id=name), slice=index) if not is_key(index):
                yield from self.assigned(spot, name, before)
            case ast.Attribute(value=ast.Name(id=base), attr=name) if self._modules.is_module(
                number, base
            ) or (name in _OF_ARRAYS and base != "self"):
                return
            case ast.Attribute(attr=name):
                yield from self._only(number, of_attribute(self._nodes, name))
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                yield from self._only(number, of_entry(self._nodes, key))

    def assigned(self, spot: Spot, name: str, before: ast.stmt) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what a variable of a function is set to, the last above a statement first."""
        setting = self._body(spot.function).setting.get(name, ())
        above = [s for s in setting if s is not before and s.lineno <= before.lineno]
        ran = [s for s in above if self._came(s)]
        for statement in sorted(ran or above, key=lambda s: -s.lineno):
            home = Spot(statement.lineno, statement, spot.function)
            filler = self.filler(home)
            filler = filler if filler is not before else None
            if filler is None and begins(statement):
                continue
            found = filler if filler is not None else statement
            yield home, value_of(found)

    def _placed(self, value: ast.expr) -> tuple[Spot, ast.expr]:
        line = value.lineno
        spot = self.spot(line)
        return spot or Spot(line, ast.copy_location(ast.Expr(value), value), _NOWHERE), value

    def _only(self, number: int, found: Iterator[ast.expr]) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield the one thing that is found nearest to a file; nothing where there are several."""
        value = self._nearest(number, list({id(each): each for each in found}.values()))
        if value is not None:
            yield self._placed(value)

    def filler(self, spot: Spot) -> ast.stmt | None:
        """Return the statement that first fills the accumulator that a statement begins."""
        if not begins(spot.statement):
            return None
        target = target_of(spot.statement)
        key = ast.unparse(target) if target is not None else ""
        held, number = isinstance(target, ast.Attribute), self._modules.number(spot.line)
        found = [
            s for function in (self._functions if held else [spot.function])
            if self._modules.number(function) == number
            for s in self._body(function).filling.get(key, ())
            if s is not spot.statement and (held or s.lineno > spot.statement.lineno)
        ]  # fmt: skip
        ran = [s for s in found if self._came(s)]
        return min(ran or found, key=lambda s: s.lineno, default=None)


[_NOWHERE] = (n for n in ast.walk(ast.parse("def _(): pass")) if isinstance(n, ast.FunctionDef))


def code_of(
    file: str | None,
    others: Iterable[str] = (),
    ran: Callable[[], Set[tuple[str, int]]] = frozenset,
) -> Code | None:
    """Return a file, read; None where it has no source, or none that is Python's.

    With it are read others of the user's, and what they import.
    """
    try:
        return Code(Modules(file, others), ran) if file and linecache.getlines(file) else None
    except (SyntaxError, ValueError, MemoryError):  # the last of very many brackets
        return None
