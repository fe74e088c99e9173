"""Programs that differ from a sound mechanism by one small mistake.

Each mutation is what a tired author might do: a factor two, a sign, a bound or a budget in the
wrong place, arguments swapped, a clip or a break forgotten, one name for another.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dpaudit.subject import MARK, vectorized

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

_OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}
_OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Lt: ast.GtE,
    ast.Eq: ast.NotEq,
}
_OTHER_FUNCTION = {
    "max": "min",
    "min": "max",
    "fmax": "fmin",
    "fmin": "fmax",
    "maximum": "minimum",
    "argmax": "max",
    "laplace": "normal",
    "normal": "laplace",
    "gumbel": "laplace",
    "exponential": "gumbel",
    "sum": "max",
    "len": "sum",
    "sqrt": "exp",
    "log": "exp",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed program.

    Attributes
    ----------
    change : str
        ``before -> after``, with the line.
    source : str
        Text of the whole module.
    """

    change: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A mutant with what its original claims.

    Attributes
    ----------
    number : int
        Its place in `cases`.
    audit : str
        Name of the audit that the original comes from.
    mutant : Mutant
    mechanism : callable
        The original.
    claim : Claim
    neighbors : Neighbors
    vectorized : bool
        Whether the audit marked the original: a function that is sent to another process is
        imported there, without the mark.
    """

    number: int
    audit: str
    mutant: Mutant
    mechanism: Callable[..., Any]
    claim: Claim
    neighbors: Neighbors
    vectorized: bool


def cases() -> list[Case]:
    """Return all mutants of the sound mechanisms in audits/, each mechanism once.

    Returns
    -------
    list of Case
    """
    from dpaudit.collect import collect
    from tools.declared import AUDITS, kind_of

    found: list[Case] = []
    seen = set[Any]()
    for collected in collect([AUDITS]).audits:
        audit = collected.audit
        if kind_of(audit) != "sound" or audit.claim is None or audit.neighbors is None:
            continue
        mechanism: Any = audit.mechanism
        original = definition_of(mechanism)
        if not _is_mechanism(original):
            continue
        source = source_of(original)
        if source is None or original in seen:
            continue
        seen.add(original)
        name, marked = collected.name, _is_marked(mechanism)
        claim, neighbors = cast("Claim", audit.claim), cast("Neighbors", audit.neighbors)
        for mutant in mutants(source, original.__name__):
            found.append(Case(len(found), name, mutant, mechanism, claim, neighbors, marked))
    return found


def mutants(source: str, function: str) -> Iterator[Mutant]:
    """Yield the single mutations of a function and of the helpers beside it.

    Parameters
    ----------
    source : str
        Text of a module.
    function : str
        Name of the function that is audited; its helpers in the module are changed too.

    Yields
    ------
    Mutant
        Without those that do not compile, in the order of the text.
    """
    tree = ast.parse(source)
    reached = _reached(tree, function)
    seen = {ast.unparse(tree)}
    for definition in tree.body:
        if not (isinstance(definition, ast.FunctionDef) and definition.name in reached):
            continue
        names = _numbers_of(definition)
        for node in ast.walk(definition):
            for changed in _changes(node, names):
                text = _replaced(tree, node, changed)
                if text is not None and text not in seen:
                    seen.add(text)
                    yield Mutant(_described(node, changed), text)


def load(
    mutant: Mutant,
    mechanism: Callable[..., Any],
    folder: Path,
    name: str,
    *,
    marked: bool = False,
) -> Any:
    """Write a mutant to a file and return the mechanism that it makes of the original.

    Parameters
    ----------
    mutant : Mutant
    mechanism : callable
        The original; what `functools.partial` fixed is fixed in the mutant too.
    folder : Path
        Where the file goes.
    name : str
        Of the module; must be new.
    marked : bool
        Whether the original was vectorized where it was audited; seen by itself in that process.

    Returns
    -------
    callable
    """
    path = folder / f"{name}.py"
    path.write_text(mutant.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    rebuilt = _rebuilt(mechanism, module)
    # The mark was set on the original by whoever audits it, and is no part of its text.
    return vectorized(rebuilt) if marked or _is_marked(mechanism) else rebuilt


def definition_of(mechanism: Any) -> Callable[..., Any]:
    """Return the function below partials; of a mechanism that glue is given, the mechanism's."""
    bottom = mechanism
    while isinstance(bottom, functools.partial):
        inner = _wrapped(bottom)
        bottom = bottom.func if inner is None else inner
    return bottom  # type: ignore[no-any-return]


def _wrapped(layer: functools.partial[Any]) -> Any:
    """Return the mechanism among the arguments of a partial of another function, if there is."""
    bottom: Any = layer
    while isinstance(bottom, functools.partial):
        bottom = bottom.func
    if _is_mechanism(bottom):
        return None
    given = [*layer.args, *layer.keywords.values()]
    return next((v for v in given if callable(v) and _is_mechanism(definition_of(v))), None)


def _is_mechanism(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith("mechanisms.")


def source_of(mechanism: Any) -> str | None:
    """Return the text of the module that defines a mechanism, None where it has no file."""
    function = definition_of(mechanism)
    file = inspect.getsourcefile(function) if inspect.isfunction(function) else None
    return None if file is None else Path(file).read_text(encoding="utf-8")


def _rebuilt(mechanism: Any, module: Any) -> Any:
    if isinstance(mechanism, functools.partial):
        inside = _wrapped(mechanism)
        if inside is None:
            inner = _rebuilt(mechanism.func, module)
            return functools.partial(inner, *mechanism.args, **mechanism.keywords)
        rebuilt = _rebuilt(inside, module)
        args = [rebuilt if v is inside else v for v in mechanism.args]
        named = {k: rebuilt if v is inside else v for k, v in mechanism.keywords.items()}
        return functools.partial(mechanism.func, *args, **named)
    return getattr(module, mechanism.__name__)


def _is_marked(mechanism: Any) -> bool:
    return any(getattr(layer, MARK, False) for layer in (mechanism, definition_of(mechanism)))


def _reached(tree: ast.Module, function: str) -> set[str]:
    """Return the function and those of the module that it calls, whatever the depth."""
    definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    todo, reached = [function], set[str]()
    while todo:
        name = todo.pop()
        if name in definitions and name not in reached:
            reached.add(name)
            todo += [n.id for n in ast.walk(definitions[name]) if isinstance(n, ast.Name)]
    return reached


def _numbers_of(definition: ast.FunctionDef) -> list[str]:
    """Return the keyword-only parameters with a number as default: scales, bounds, budgets."""
    arguments = definition.args
    return [
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if isinstance(default, ast.Constant) and isinstance(default.value, int | float)
    ]


def _changes(node: ast.AST, names: list[str]) -> Iterator[ast.AST | None]:
    """Yield what may stand in a node's place; None for a statement that goes away."""
    match node:
        case ast.Constant(value=bool() | str() | None):
            return
        case ast.Constant(value=int() | float() as value):
            yield from (ast.Constant(v) for v in (2 * value, value + 1, value / 2, -value, 0))
        case ast.BinOp(left=left, op=operator, right=right):
            if type(operator) in _OTHER_OPERATOR:
                yield ast.BinOp(left, _OTHER_OPERATOR[type(operator)](), right)
                yield ast.BinOp(right, operator, left)
            yield left
            yield right
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            if type(operator) in _OTHER_COMPARISON:
                yield ast.Compare(left, [_OTHER_COMPARISON[type(operator)]()], [right])
            yield ast.Constant(True)
            yield ast.Constant(False)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            if len(arguments) >= 2:
                yield ast.Call(function, [arguments[1], arguments[0], *arguments[2:]], keywords)
            if len(arguments) >= 1:
                yield arguments[0]
            yield from _with_other_function(node)
        case ast.Name(id=name, ctx=ast.Load()) if name in names:
            yield from (ast.Name(other, ast.Load()) for other in names if other != name)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield operand
        case ast.Break() | ast.AugAssign() | ast.If(orelse=[]):
            yield None


def _with_other_function(call: ast.Call) -> Iterator[ast.AST]:
    match call.func:
        case ast.Name(id=name) if name in _OTHER_FUNCTION:
            yield ast.Call(ast.Name(_OTHER_FUNCTION[name], ast.Load()), call.args, call.keywords)
        case ast.Attribute(value=value, attr=name) if name in _OTHER_FUNCTION:
            function = ast.Attribute(value, _OTHER_FUNCTION[name], ast.Load())
            yield ast.Call(function, call.args, call.keywords)


class _Put(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        if node is not self.old:
            return self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if self.new is None else self.new


def _replaced(tree: ast.Module, old: ast.AST, new: ast.AST | None) -> str | None:
    memo: dict[int, Any] = {id(old): old}  # the copy keeps the node that is to be found
    copied = copy.deepcopy(tree, memo)
    changed = ast.fix_missing_locations(_Put(old, new).visit(copied))
    text = ast.unparse(changed)
    try:
        compile(text, "<mutant>", "exec")
    except (SyntaxError, ValueError):
        return None
    return text


def _described(old: ast.AST, new: ast.AST | None) -> str:
    after = "nothing" if new is None else ast.unparse(new)
    return f"line {getattr(old, 'lineno', 0)}: {ast.unparse(old)} -> {after}".replace("\n", " ")
