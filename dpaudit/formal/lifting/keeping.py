"""Keeping: the values that a module hands over, or looks at, without any of their code being run.

A table of functions, a record, or a list that the module fills holds what it is given. A function
that is only held runs when code that may run names the variable that holds it. To look at a field
of such a record, to count or to compare runs none of them either.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from dpaudit.formal.lifting.flow_syntax import is_stored

_PUTTING = frozenset({"append", "extend", "add", "update", "insert", "setdefault"})
_LOOKING_WORDS = """
all any bool dict enumerate float frozenset int isinstance len list max min print range repr
reversed set sorted str sum tuple type zip
"""
_LOOKING = frozenset(_LOOKING_WORDS.split())
_VIEWS = frozenset({"items", "keys", "values"})
_HOLDERS = frozenset({"dict", "list", "tuple"})
_LOOKS = (
    ast.Constant, ast.Name, ast.expr_context, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop,
    ast.UnaryOp, ast.Not, ast.IfExp, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Starred, ast.Subscript,
    ast.Slice, ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.Call,
)  # fmt: skip
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Kept(NamedTuple):
    """What a statement only keeps.

    Attributes
    ----------
    variables : tuple of str
        By which it can be reached from then on.
    nodes : list of expr
    """

    variables: tuple[str, ...]
    nodes: list[ast.expr]


class Keeping(NamedTuple):
    """What a module may call, or read, and run no code of the values that it hands over.

    Attributes
    ----------
    makers : dict of str to tuple of str
        Functions that put what they are given into something, with the variables of the module
        that hold it beside what they return.
    modules : frozenset of str
        Names that modules are imported under.
    held : frozenset of str
        Variables that are a list, a dict or a set which the module makes.
    fields : frozenset of str
        Attributes that records alone have.
    looking : frozenset of str
        Functions of Python's that call nothing that is inside of what they are given.
    """

    makers: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    modules: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    looking: frozenset[str] = frozenset()

    @classmethod
    def of(cls, body: list[ast.stmt], known: frozenset[str], bound: set[str]) -> Keeping:
        """Return what a module keeps.

        Parameters
        ----------
        body : list of stmt
            Its statements.
        known : frozenset of str
            Decorators and bases that are Python's own.
        bound : set of str
            Names that it binds.
        """
        every = [node for statement in body for node in ast.walk(statement)]
        imported = [n for node in every if isinstance(node, ast.Import) for n in node.names]
        modules = {alias.asname or alias.name.partition(".")[0] for alias in imported} - bound
        named = [node for node in every if isinstance(node, ast.ClassDef | _Function)]
        once = _bound_once(body)
        held = {
            name
            for node in every
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_display(node.value)
            for name in variables(node)
        } & once
        made: dict[str, tuple[str, ...]] = dict.fromkeys(_HOLDERS - bound, ())
        froms = [n for n in every if isinstance(n, ast.ImportFrom) and n.module == "functools"]
        if any((a.name, a.asname) == ("partial", None) for node in froms for a in node.names):
            made["partial"] = ()
        classes = [n for n in every if isinstance(n, ast.ClassDef)]
        records = [kind for kind in classes if _is_record(kind, known)]
        methods = {n.name for kind in classes for n in kind.body if isinstance(n, _Function)}
        for node in named:
            if isinstance(node, ast.ClassDef) and node in records:
                made[node.name] = ()
            elif isinstance(node, ast.FunctionDef):
                into = _kept_in(node, made, frozenset(held))
                made |= {} if into is None else {node.name: into}
        fields = {
            statement.target.id
            for node in records
            for statement in node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        }
        attributes = {n.attr for n in every if isinstance(n, ast.Attribute) and is_stored(n)}
        return cls(
            {name: into for name, into in made.items() if name in _HOLDERS or name in once},
            frozenset(modules),
            frozenset(held),
            frozenset(fields - methods - attributes),
            frozenset(_LOOKING - bound),
        )

    def kept(self, body: Iterable[ast.stmt]) -> Iterator[Kept]:
        """Yield what statements that run on import only keep."""
        for statement in body:
            yield from (Kept((), [node]) for node in self._put_into(statement))
            match statement:
                case ast.FunctionDef(name=name) if name in self.makers:
                    inside = (n for each in statement.body for n in self._put_into(each))
                    yield from (Kept((), [node]) for node in inside)
                case ast.Assign() | ast.AnnAssign() if statement.value is not None:
                    yield from self._assigned(statement, statement.value)
                case ast.AugAssign(target=ast.Name(id=name), value=value) if name in self.held:
                    yield Kept((name,), list(self._parts(value)))
                case ast.Expr(value=ast.Call() as call):
                    yield from self._called(call)
                case ast.Assert(test=test) if self._looks(test):
                    yield Kept((), [test])
                case ast.For() | ast.If():
                    yield from self.kept(statement.body)
                    yield from self.kept(statement.orelse)

    def _put_into(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Yield the name of what a statement puts something into."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=word))):
                if name in self.held and word in _PUTTING:
                    yield statement.value.func  # type: ignore[attr-defined]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name) as node)]):
                yield from [node] if name in self.held else []

    def _assigned(self, node: ast.Assign | ast.AnnAssign, value: ast.expr) -> Iterator[Kept]:
        names = variables(node)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        match targets:
            case [ast.Subscript(value=ast.Name(id=name))] if name in self.held:
                names = (name,)
        if names and not isinstance(targets[0], ast.Subscript) and self._looks(value):
            yield Kept(names, [value])
        elif names:
            yield Kept(names, list(self._parts(value)))

    def _called(self, call: ast.Call) -> Iterator[Kept]:
        match call.func:
            case ast.Name(id=name) if name in self.makers:
                yield Kept(self.makers[name], list(self._given(call)))
            case ast.Attribute(value=ast.Name(id=name), attr=word):
                if name in self.held and word in _PUTTING:
                    yield Kept((name,), list(self._given(call)))

    def _given(self, call: ast.Call) -> Iterator[ast.expr]:
        for each in (*call.args, *(keyword.value for keyword in call.keywords)):
            yield from self._parts(each)

    def _parts(self, node: ast.expr) -> Iterator[ast.expr]:
        match node:
            case ast.Lambda(args=arguments):
                defaults = (*arguments.defaults, *filter(None, arguments.kw_defaults))
                if all(isinstance(default, ast.Name | ast.Constant) for default in defaults):
                    yield node
            case ast.Name() | ast.Constant():
                yield node
            case ast.Attribute(value=ast.Name(id=base)) if base in self.modules:
                yield node
            case ast.List(elts=inside) | ast.Tuple(elts=inside) | ast.Dict(values=inside):
                for each in inside:
                    yield from self._parts(each)
            case ast.Call(func=ast.Name(id=made)) if self.makers.get(made) == ():
                yield from self._given(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="functools"), attr="partial")):
                yield from self._given(node) if "functools" in self.modules else ()

    def _looks(self, node: ast.expr) -> bool:
        """Return whether an expression calls nothing that is inside of what it names."""
        return all(isinstance(part, _LOOKS) and self._is_look(part) for part in ast.walk(node))

    def _is_look(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                return name in self.looking
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=word), args=[]):
                return name in self.held and word in _VIEWS and not node.keywords
            case ast.Call():
                return False
            case ast.Attribute(attr=word):
                return word in self.fields or word in _VIEWS
        return True


def _bound_once(body: list[ast.stmt]) -> set[str]:
    """Return the names that one statement of a module binds, and no function."""
    times: Counter[str] = Counter()
    rest: list[ast.AST] = list(body)
    while rest:
        node = rest.pop()
        if isinstance(node, ast.ClassDef | _Function):
            times[node.name] += 1
            inside = (n for n in ast.walk(node) if isinstance(n, ast.Global))
            times.update(2 * [name for n in inside for name in n.names])
            continue
        if isinstance(node, ast.alias):
            times[node.asname or node.name.partition(".")[0]] += 1
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            times[str(node.name)] += 1
        elif isinstance(node, ast.Name) and is_stored(node):
            times[node.id] += 1
        rest += ast.iter_child_nodes(node)
    return {name for name, count in times.items() if count == 1}


def variables(statement: ast.stmt) -> tuple[str, ...]:
    """Return the variables that an assignment is to, none where it is to anything else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else (
        [statement.target] if isinstance(statement, ast.AnnAssign) else []
    )  # fmt: skip
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return tuple(names) if len(names) == len(targets) else ()


def _is_display(node: ast.expr | None) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="list" | "dict" | "set"), args=[], keywords=[]):
            return True
    return isinstance(node, ast.List | ast.Dict | ast.Set)


def _is_record(node: ast.ClassDef, known: frozenset[str]) -> bool:
    """Return whether a class is a dataclass or a named tuple without methods of Python's own."""
    decorators = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    made = [getattr(d, "id", "") for d in (*decorators, *node.bases)]
    names = [n.name for n in node.body if isinstance(n, _Function | ast.ClassDef)]
    names += [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and is_stored(n)]
    hooks = any(name.startswith("__") for name in names)
    values = [n.value for n in node.body if isinstance(n, ast.Assign | ast.AnnAssign) and n.value]
    plain = all(_is_default(value) for value in values)
    return bool(made) and set(made) <= known & {"dataclass", "NamedTuple"} and plain and not hooks


def _is_default(node: ast.expr) -> bool:
    """Return whether the default of a field is no object that could answer for the field."""
    match node:
        case ast.Call(func=ast.Name(id="field")):
            return True
    return not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node))


def _kept_in(
    function: ast.FunctionDef, makers: dict[str, tuple[str, ...]], held: frozenset[str]
) -> tuple[str, ...] | None:
    """Return the variables that a function puts its arguments into, None where it does more."""
    arguments = function.args
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    parameters |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    into: list[str] = []
    for statement in function.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Return(value=value) if value is not None:
                given = [value]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=word))):
                if name not in held - parameters or word not in _PUTTING:
                    return None
                into.append(name)
                call = statement.value
                given = [*call.args, *(k.value for k in call.keywords)]  # type: ignore[attr-defined]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)]):
                if name not in held - parameters:
                    return None
                into.append(name)
                given = [at, statement.value]
            case _:
                return None
        if not all(_only_holds(each, makers, parameters) for each in given):
            return None
    return None if function.decorator_list else tuple(into)


def _only_holds(node: ast.expr, makers: dict[str, tuple[str, ...]], parameters: set[str]) -> bool:
    plain = ast.Dict | ast.List | ast.Tuple | ast.keyword | ast.Name | ast.Constant | ast.Load
    return all(
        makers.get(part.func.id) == () and part.func.id not in parameters
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
        else isinstance(part, plain | ast.Starred)
        for part in ast.walk(node)
    )
