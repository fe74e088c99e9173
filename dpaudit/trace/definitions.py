"""Where names of a file are defined: variables, attributes, entries, properties and parameters."""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from dpaudit.trace.accumulators import begins, fills, named, sets

_DEEPEST = 8
_MOST_CALLS = 64  # of one function; what so many give it is formed in none of them alone
_CASTS = frozenset({"float", "int", "asarray", "array", "float64"})
_RELABELS = frozenset(
    {"astype", "to_numpy", "tolist", "copy", "reindex", "reset_index", "fillna", "item", "rename"}
)
_OF_ARRAYS = frozenset({"size", "shape", "values", "index", "columns", "real", "imag", "T"})


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement in a function."""

    line: int
    statement: ast.stmt
    function: ast.FunctionDef


class Code:
    """A file of the user's, read for what its names stand for.

    Parameters
    ----------
    source : str
    ran : callable, optional
        Returns the lines that runs came to: what stands on others is none of theirs. All unless
        given, or where there are none.
    """

    def __init__(self, source: str, ran: Callable[[], Set[int]] = frozenset) -> None:
        self._runs = ran
        self._nodes = list(ast.walk(ast.parse(source)))
        self._functions = [n for n in self._nodes if isinstance(n, ast.FunctionDef)]
        self._classes = {n.name: n for n in self._nodes if isinstance(n, ast.ClassDef)}
        self._imported = {
            (each.asname or each.name).partition(".")[0]
            for n in self._nodes if isinstance(n, ast.Import | ast.ImportFrom) for each in n.names
        }  # fmt: skip
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
        self._handed: dict[tuple[int, str, int], list[ast.expr]] = {}

    @cached_property
    def _ran(self) -> Set[int]:
        return self._runs()

    def _came(self, node: ast.stmt | ast.expr) -> bool:
        """Whether a run came to one of the lines of a node."""
        return not self._ran.isdisjoint(_lines(node))

    def spot(self, line: int) -> Spot | None:
        """Return the statement on a line, of which a test or a loop is its head alone."""
        if line not in self._spots:
            found = (
                Spot(line, statement, function)
                for function in self._around.get(line, ())
                for statement in reversed(list(map(_head, ast.walk(function))))
                if statement is not None and line in _lines(statement)
            )
            self._spots[line] = next(found, None)
        return self._spots[line]

    def called(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the file that a call names, if there is one of that name.

        It is a function by its name alone, the first method of a class that is called, and a method
        of what is no module.
        """
        found: list[ast.FunctionDef] = []
        match call.func:
            case ast.Name(id=name) if name in self._classes:
                body = self._classes[name].body
                found = [f for f in body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
            case ast.Name(id=name):
                found = [f for f in self._by_name.get(name, ()) if id(f) not in self._methods]
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base not in self._imported:
                found = [f for f in self._by_name.get(name, ()) if id(f) in self._methods]
        return found[0] if len(found) == 1 else None

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
        by = self._methods.get(id(function), "") if function.name == "__init__" else function.name
        calls = [
            call for call in (self._calls.get(by, ()) if depth < _DEEPEST else ())
            if (not self._ran or self._came(call)) and self.called(call) is function
        ]  # fmt: skip
        for call in calls if len(calls) <= _MOST_CALLS else ():
            given = self.argument(function, call, name)
            spot = self.spot(call.lineno)
            if given is not None and spot is not None and spot.function is not function:
                yield self.formed(spot, given, depth=depth + 1) or given

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
        value = _converted(value)
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
        match value:
            case ast.Name(id=name):
                yield from self.assigned(spot, name, before)
            case ast.Subscript(value=ast.Name(id=name), slice=index) if not _is_key(index):
                yield from self.assigned(spot, name, before)
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base in self._imported or (
                name in _OF_ARRAYS and base != "self"
            ):
                return
            case ast.Attribute(attr=name):
                yield from self._only(self._of_attribute(name))
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                yield from self._only(self._of_entry(key))

    def assigned(self, spot: Spot, name: str, before: ast.stmt) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what a variable of a function is set to, the last above a statement first."""
        setting = [
            s for s in ast.walk(spot.function)
            if s is not before and isinstance(s, ast.stmt) and sets(s, name)
        ]  # fmt: skip
        above = [s for s in setting if s.lineno <= before.lineno]
        ran = [s for s in above if self._came(s)]
        for statement in sorted(ran or above, key=lambda s: -s.lineno):
            home = Spot(statement.lineno, statement, spot.function)
            filler = self.filler(home)
            filler = filler if filler is not before else None
            if filler is None and begins(statement):
                continue
            found = filler if filler is not None else statement
            yield home, _value_of(found)

    def _of_attribute(self, name: str) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what is set as an attribute, returned by a property, or given to a dataclass."""
        for node in self._nodes:
            match node:
                case (
                    ast.Assign(targets=[ast.Attribute(attr=attribute)], value=value)
                    | ast.AnnAssign(target=ast.Attribute(attr=attribute), value=ast.expr() as value)
                ) if attribute == name:
                    yield self._placed(node, value)
                case ast.FunctionDef(name=called, body=[*_, ast.Return(value=ast.expr() as value)]):
                    wraps = [named(each) for each in node.decorator_list]
                    if called == name and set(wraps) & {"property", "cached_property"}:
                        yield self._placed(node.body[-1], value)
                case ast.Call(keywords=keywords) if named(node.func)[:1].isupper():
                    for keyword in keywords:
                        if keyword.arg == name:
                            yield self._placed(node, keyword.value)

    def _of_entry(self, key: str) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what is set as an entry of that key."""
        for node in self._nodes:
            match node:
                case ast.Assign(
                    targets=[ast.Subscript(slice=ast.Constant(value=written))], value=value
                ) if written == key:
                    yield self._placed(node, value)
                case ast.Dict(keys=keys, values=values):
                    for each, value in zip(keys, values, strict=True):
                        if isinstance(each, ast.Constant) and each.value == key:
                            yield self._placed(value, value)
                case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                    for keyword in keywords:
                        if keyword.arg == key:
                            yield self._placed(node, keyword.value)

    def _placed(self, node: ast.AST, value: ast.expr) -> tuple[Spot, ast.expr]:
        line = value.lineno
        spot = self.spot(line)
        return spot or Spot(line, ast.copy_location(ast.Expr(value), value), _NOWHERE), value

    def _only(self, found: Iterator[tuple[Spot, ast.expr]]) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield the one thing that is found; nothing where there are several."""
        both = list(found)
        if len(both) == 1:
            yield both[0]

    def filler(self, spot: Spot) -> ast.stmt | None:
        """Return the statement that first fills the accumulator that a statement begins."""
        if not begins(spot.statement):
            return None
        target = _target(spot.statement)
        key = ast.unparse(target) if target is not None else ""
        held = isinstance(target, ast.Attribute)
        found = [
            s for function in (self._functions if held else [spot.function])
            for s in ast.walk(function)
            if isinstance(s, ast.stmt) and s is not spot.statement and fills(s, key)
            and (held or s.lineno > spot.statement.lineno)
        ]  # fmt: skip
        ran = [s for s in found if self._came(s)]
        return min(ran or found, key=lambda s: s.lineno, default=None)


def _head(node: ast.AST) -> ast.stmt | None:
    """Return a simple statement, or what one with a body computes before it."""
    match node:
        case ast.If(test=value) | ast.While(test=value) | ast.For(iter=value):
            return ast.copy_location(ast.Expr(value), value)
        case ast.stmt() if not hasattr(node, "body"):
            return node
    return None


[_NOWHERE] = (n for n in ast.walk(ast.parse("def _(): pass")) if isinstance(n, ast.FunctionDef))


def code_of(file: str | None, ran: Callable[[], Set[int]] = frozenset) -> Code | None:
    """Return a file, read; None where it has no source, or none that is Python's."""
    try:
        source = "".join(linecache.getlines(file or ""))
        return Code(source, ran) if source else None
    except (SyntaxError, ValueError):
        return None


def is_reference(value: ast.expr) -> bool:
    """Whether an expression only names a value, an attribute or an entry."""
    match _converted(value):
        case ast.Name():
            return True
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return is_reference(inner)
    return False


def _lines(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def parameters(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's parameters."""
    given = function.args
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _converted(value: ast.expr) -> ast.expr:
    """Return what is only given another type, or other labels."""
    while True:
        match value:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _RELABELS:
                value = inner
            case ast.Call(func=function, args=[inner], keywords=[]) if named(function) in _CASTS:
                value = inner
            case _:
                return value


def _is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _target(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return target
    return None


def _value_of(statement: ast.stmt) -> ast.expr:
    """Return the expression of a statement, on its line."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value
        case ast.AugAssign():
            # What is added is one part of it: the statement forms the sum.
            return ast.copy_location(
                ast.BinOp(statement.target, statement.op, statement.value), statement
            )
        case ast.Expr(value=value):
            return value
    return ast.copy_location(ast.Constant(None), statement)
