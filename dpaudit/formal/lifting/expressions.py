"""Expressions: operators, displays, comprehensions, subscripts, names."""

from __future__ import annotations

import ast
import types
from typing import Any, Literal

from dpaudit.checker.operators import BY_SYNTAX
from dpaudit.formal.lifting import rewriting, tensors
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.containers import (
    contents_of,
    display_of,
    each_of,
    elapsed,
    item_of,
    present,
)
from dpaudit.formal.lifting.dispatch import (
    expression,
    expression_if_run,
    lifts,
    reference,
    refuse_held,
)
from dpaudit.formal.lifting.enumerations import is_member
from dpaudit.formal.lifting.environment import is_frozen
from dpaudit.formal.lifting.existing import existing, existing_record
from dpaudit.formal.lifting.folding import decided, folded, tells
from dpaudit.formal.lifting.frames import located
from dpaudit.formal.lifting.generators import surely_generator
from dpaudit.formal.lifting.known import is_disguised
from dpaudit.formal.lifting.objects import validate_store
from dpaudit.formal.lifting.partial import clause_of
from dpaudit.formal.lifting.scope import (
    Live,
    Scope,
    is_property,
    is_sink,
    object_shape,
    resolve,
    shared_stream,
    stored_names,
)
from dpaudit.formal.lifting.shapes import Contents, Shape, Value, What, in_class
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.lifting.unrolled import rounds
from dpaudit.formal.program import (
    Attribute,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Expression,
    Generator,
    Logic,
    Mapping,
    Name,
    Named,
    Place,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Target,
)

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def operator_name(operator: ast.operator, *, in_place: bool = False) -> str:
    """Return the canonical name of ``+``, or of ``+=``."""
    word = BY_SYNTAX[type(operator)]
    return f"operator.i{word.rstrip('_')}" if in_place else f"operator.{word}"


def of_live(live: Live, node: ast.expr, scope: Scope) -> Expression:
    """Return a live object as a constant."""
    kind = shared_stream(node, scope)
    if kind is not None:
        return scope.lifter.stream(scope.place(node), kind)
    if is_sink(live.value):
        raise scope.refuse("a logger or a stream as a value", node)
    if isinstance(live.value, types.ModuleType):
        raise scope.refuse("a module as a value", node)
    if is_disguised(live.value) and not is_member(live.value):
        raise scope.refuse(f"a {type(live.value).__name__}, whose operators are not read", node)
    place = scope.place(node)
    made = functions_of(live.value, node, scope) or existing(live.value, place, scope.lifter)
    made = made or _objects_of(live.value, place, scope)
    return made or Constant(place, live.value)


def functions_of(value: Any, node: ast.expr, scope: Scope) -> Sequence | None:
    """Return a list or tuple of the user's functions as one that the program makes, else None."""
    from dpaudit.formal.lifting.functions import read

    place = scope.place(node)
    if type(value) not in (list, tuple) or not value:
        return None
    if not all(type(each) is types.FunctionType and canonical_name(each) is None for each in value):
        return None
    if any(each.__code__ in scope.lifter.stack for each in value):
        return None
    lifted = [read(each, scope.lifter, {}, {}) for each in value]
    if any(id(each) in scope.lifter.results for each in lifted):
        raise scope.refuse("a function that returns an object, in a list", node)
    kind: Literal["tuple", "list"] = "list" if type(value) is list else "tuple"
    return Sequence(place, kind, tuple(Closure(place, each) for each in lifted))


def _objects_of(value: Any, place: Place, scope: Scope) -> Expression | None:
    """Return a list or tuple of frozen objects of one class as a list that the program makes."""
    plain = type(value) in (list, tuple) and len(set(map(type, value))) == 1
    if not plain or not all(map(is_frozen, value)):
        return None
    lifter = scope.lifter
    made = [existing(v, place, lifter) or existing_record(v, place, lifter) for v in value]
    items = tuple(each for each in made if each is not None)
    if len(items) < len(made) or not all(map(lifter.shape_of, items)):
        return None
    return display_of(Sequence(place, "list", items), items, scope)


@lifts(ast.Constant)
def _constant(node: ast.Constant, scope: Scope) -> Expression:
    return Constant(scope.place(node), node.value)


@lifts(ast.Name)
def _name(node: ast.Name, scope: Scope) -> Expression:
    if node.id == scope.rng:
        return Generator(scope.place(node), "argument", library="numpy")
    live = resolve(node, scope)
    if live is not None:
        return of_live(live, node, scope)
    shape, made = scope.holders.find(node.id), Name(scope.place(node), node.id)
    scope.holders.hold(node.id, shape, made.place)
    return scope.lifter.with_shape(made, shape)


@lifts(ast.Attribute)
def _attribute(node: ast.Attribute, scope: Scope) -> Expression:
    live = resolve(node, scope)
    if live is not None:
        return of_live(live, node, scope)
    if node.attr.startswith("__"):
        raise scope.refuse(f"the attribute {node.attr!r}", node)
    base = present(reference(node.value, scope), scope)
    if tensors.kind(base, scope) is not None:
        return tensors.attribute(base, node, scope)
    if scope.lifter.shape_of(base) is not None:
        from dpaudit.formal.lifting.methods import attribute_of

        return attribute_of(base, node, scope)
    if isinstance(base, Constant) and is_property(base.value, node.attr):
        raise scope.refuse(f"the property {node.attr!r} of an object that may change", node)
    return Attribute(scope.place(node), base, node.attr)


@lifts(ast.BinOp)
def _binary(node: ast.BinOp, scope: Scope) -> Expression:
    sides = reference(node.left, scope), reference(node.right, scope)
    if isinstance(node.op, ast.Add | ast.Sub):
        time = elapsed(sides, scope.place(node), scope)
        if time is not None:
            return time
    function = operator_name(node.op)
    of_tensors = tensors.operation(function, sides, (node.left, node.right), scope)
    if of_tensors is not None:
        return of_tensors
    refuse_held(sides, node, scope)
    return Call(scope.place(node), function, sides)


@lifts(ast.UnaryOp)
def _unary(node: ast.UnaryOp, scope: Scope) -> Expression:
    function = f"operator.{BY_SYNTAX[type(node.op)]}"
    if isinstance(node.op, ast.Not):
        return Call(scope.place(node), function, (truth(node.operand, scope),))
    operand = reference(node.operand, scope)
    of_tensors = tensors.operation(function, (operand,), (node.operand,), scope)
    if of_tensors is not None:
        return of_tensors
    refuse_held((operand,), node, scope)
    minus = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    if minus and isinstance(operand, Constant) and isinstance(operand.value, int | float):
        return Constant(operand.place, -operand.value)
    return Call(scope.place(node), function, (operand,))


@lifts(ast.BoolOp)
def _logic(node: ast.BoolOp, scope: Scope) -> Expression:
    word: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
    first, *rest = node.values
    if word == "or" and (is_true(first, scope) or surely_generator(first, scope) is not None):
        return reference(first, scope)
    if decided(first, scope) is not None and folded(node, scope) is None:  # the rest decides
        return reference(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest), scope)
    operands = (truth(first, scope), *(expression(value, scope) for value in rest))
    return Logic(scope.place(node), word, operands)


def is_true(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is an object whose class does not say what is false."""
    shape = object_shape(node, scope)
    return shape is not None and not any(in_class(shape.cls, n) for n in ("__bool__", "__len__"))


def truth(node: ast.expr, scope: Scope) -> Expression:
    """Return an expression that is only asked whether it is true."""
    if is_true(node, scope):
        return Constant(scope.place(node), True)
    lifted = reference(node, scope)
    if scope.lifter.shape_of(lifted) is None or contents_of(lifted, scope) is not None:
        return lifted  # a list is true if it is not empty, whatever it holds
    return expression(node, scope)


@lifts(ast.Compare)
def _compare(node: ast.Compare, scope: Scope) -> Expression:
    """Return ``a < b < c`` as ``a < b and b < c``, b evaluated once."""
    place = scope.place(node)
    first = _is_none(node, 0, scope)
    if first is not None and len(node.ops) == 1:
        return first
    if len(node.ops) == 1 and isinstance(node.ops[0], _ORDERED):
        nodes = (node.left, node.comparators[0])
        sides = reference(nodes[0], scope), reference(nodes[1], scope)
        made = tensors.operation(f"operator.{BY_SYNTAX[type(node.ops[0])]}", sides, nodes, scope)
        refuse_held(sides if made is None else (), node, scope)
        return _compared(node.ops[0], *sides) if made is None else made
    left = expression(node.left, scope)
    parts: list[Expression] = []
    last = len(node.ops) - 1
    for i, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = expression(comparator, scope)
        again = right
        if i < last and not isinstance(right, Name | Constant):
            again = Name(right.place, f"·{comparator.lineno}.{comparator.col_offset}")
            right = Named(right.place, again, right)
        known = _is_none(node, i, scope)
        if isinstance(operator, ast.In | ast.NotIn) and not _as_well_first(left, right):
            raise scope.refuse("a value that is looked for in what changes it", node)
        parts.append(_compared(operator, left, right) if known is None else known)
        left = again
    return parts[0] if len(parts) == 1 else Logic(place, "and", tuple(parts))


def _is_none(node: ast.Compare, at: int, scope: Scope) -> Expression | None:
    """Return whether a generator or an object is None, None where that is not what is asked."""
    operator, right = node.ops[at], node.comparators[at]
    if not isinstance(operator, ast.Is | ast.IsNot) or ast.unparse(right) != "None":
        return None
    named = isinstance(node.left, ast.Name) and scope.holders.find(node.left.id)
    if isinstance(named, Contents) and named.kind == "found" and not at:
        place = scope.place(node)
        return _compared(operator, reference(node.left, scope), Constant(place, None))
    surely = surely_generator(node.left, scope) or object_shape(node.left, scope)
    if at or surely is None:
        return None
    return Constant(scope.place(node), isinstance(operator, ast.IsNot))


def _as_well_first(left: Expression, right: Expression) -> bool:
    """Return whether the right one may as well be evaluated before the left one."""
    if isinstance(left, Constant | Name):
        return True
    drawn = rewriting.draws(left) and rewriting.draws(right)
    return not drawn and changes_nothing(right) and changes_nothing(left)


def _compared(operator: ast.cmpop, left: Expression, right: Expression) -> Expression:
    place = left.place
    if isinstance(operator, ast.In | ast.NotIn):
        inside = Call(place, "operator.contains", (right, left))
        return inside if isinstance(operator, ast.In) else Call(place, "operator.not_", (inside,))
    return Call(place, f"operator.{BY_SYNTAX[type(operator)]}", (left, right))


@lifts(ast.IfExp)
def _choice(node: ast.IfExp, scope: Scope) -> Expression:
    test = truth(node.test, scope)
    if isinstance(test, Constant) and type(test.value) is bool and not tells(node):
        return reference(node.body if test.value else node.orelse, scope)
    parts = (expression_if_run(part, scope) for part in (node.body, node.orelse))
    return Choice(scope.place(node), test, *parts)


@lifts(ast.NamedExpr)
def _named(node: ast.NamedExpr, scope: Scope) -> Expression:
    place = scope.place(node)
    return Named(place, Name(place, node.target.id), expression(node.value, scope))


@lifts(ast.Subscript)
def _subscript(node: ast.Subscript, scope: Scope) -> Expression:
    place, value = scope.place(node), reference(node.value, scope)
    if tensors.kind(value, scope) is not None:
        return tensors.item(value, reference(node.slice, scope), node, scope)
    index = expression(node.slice, scope)
    return (
        item_of(value, index, scope)
        or located(value, index, place)
        or Subscript(place, value, index)
    )


@lifts(ast.Slice)
def _slice(node: ast.Slice, scope: Scope) -> Expression:
    written = (node.lower, node.upper, node.step)
    ends = (None if end is None else expression(end, scope) for end in written)
    return Slice(scope.place(node), *ends)


@lifts(ast.Starred)
def _starred(node: ast.Starred, scope: Scope) -> Expression:
    return Starred(scope.place(node), expression(node.value, scope))


@lifts(ast.Tuple, ast.List, ast.Set)
def _sequence(node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Expression:
    words: dict[type, Literal["tuple", "list", "set"]]
    words = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}
    items = tuple(reference(item, scope) for item in node.elts)
    made = Sequence(scope.place(node), words[type(node)], items)
    return display_of(made, items, scope)


@lifts(ast.Dict)
def _mapping(node: ast.Dict, scope: Scope) -> Expression:
    items = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise scope.refuse("** in a dict display", node)
        items.append((expression(key, scope), reference(value, scope)))
    made = Mapping(scope.place(node), tuple(items))
    return display_of(made, tuple(value for _, value in items), scope)


@lifts(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def _comprehension(node: Any, scope: Scope) -> Expression:
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        raise scope.refuse(":= inside a comprehension", node)
    if any(generator.is_async for generator in node.generators):
        raise scope.refuse("an asynchronous comprehension", node)
    names = {name for g in node.generators for name in stored_names(g.target)}
    inner = scope.inner(frozenset(names), later=isinstance(node, ast.GeneratorExp))
    written = _written_out(node, inner)
    if written is not None:
        return display_of(written, _values(written), scope)
    clauses = []
    for i, generator in enumerate(node.generators):
        around = inner if i else scope
        later = isinstance(node, ast.GeneratorExp)
        clause = generator if later else clause_of(generator, around, names)
        iterable = reference(clause.iter, around)
        goes = each_of(clause.target, iterable, inner)
        conditions = tuple(expression(test, inner) for test in clause.ifs)
        clauses.append((goes or target(clause.target, inner), iterable, conditions))
    words: dict[type, Literal["list", "set", "dict", "generator"]] = {
        ast.ListComp: "list",
        ast.SetComp: "set",
        ast.GeneratorExp: "generator",
        ast.DictComp: "dict",
    }
    place = scope.place(node)
    if isinstance(node, ast.DictComp):
        pair = (expression(node.key, inner), expression(node.value, inner))
        element: Expression = Sequence(place, "tuple", pair)
    else:
        element = reference(node.elt, inner)
    made = Comprehension(place, words[type(node)], element, tuple(clauses))
    return display_of(made, (element,), scope)


def _written_out(node: Any, inner: Scope) -> Sequence | Mapping | None:
    """Return a comprehension over a list of code as its items, None of any other."""
    (clause,) = node.generators if len(node.generators) == 1 else (None,)
    if clause is None or clause.ifs or not isinstance(node, ast.ListComp | ast.DictComp):
        return None
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    given = rounds(clause.target, clause.iter, parts, inner)
    if given is None:
        return None
    place, items = inner.place(node), []
    for held in given:
        inner.settings.update(held)
        constants = {n: Constant(place, value) for n, value in held.items()}
        read = (reference(part, inner) for part in parts)
        items.append(tuple(rewriting.filled(part, dict(constants)) for part in read))
    if isinstance(node, ast.DictComp):
        return Mapping(place, tuple(items))  # type: ignore[arg-type]
    return Sequence(place, "list", tuple(item for (item,) in items))


def _values(made: Sequence | Mapping) -> tuple[Expression, ...]:
    return made.items if isinstance(made, Sequence) else tuple(value for _, value in made.items)


@lifts(ast.JoinedStr)
def _joined(node: ast.JoinedStr, scope: Scope) -> Expression:
    place = scope.place(node)
    parts = tuple(expression(value, scope) for value in node.values)
    return Call(place, "method.join", (Constant(place, ""), Sequence(place, "list", parts)))


@lifts(ast.FormattedValue)
def _formatted(node: ast.FormattedValue, scope: Scope) -> Expression:
    place = scope.place(node)
    value = expression(node.value, scope)
    convert = {115: "builtins.str", 114: "builtins.repr", 97: "builtins.ascii"}.get(node.conversion)
    if convert is not None:
        value = Call(place, convert, (value,))
    spec = Constant(place, "") if node.format_spec is None else expression(node.format_spec, scope)
    return Call(place, "builtins.format", (value, spec))


def target(node: ast.expr, scope: Scope) -> Target:
    """Return what is assigned to."""
    place = scope.place(node)
    if isinstance(node, ast.Name):
        scope.holders.hold(node.id, None, place)
        return Name(place, node.id)
    if isinstance(node, ast.Tuple | ast.List):
        kind: Literal["tuple", "list"] = "tuple" if isinstance(node, ast.Tuple) else "list"
        return Sequence(place, kind, tuple(target(item, scope) for item in node.elts))
    if isinstance(node, ast.Starred):
        return Starred(place, target(node.value, scope))
    if isinstance(node, ast.Subscript):
        scope.refuse_change(node)
        return Subscript(place, expression(node.value, scope), expression(node.slice, scope))
    if isinstance(node, ast.Attribute):
        return attribute_target(node, None, scope)
    raise scope.refuse(f"an assignment to {type(node).__name__}", node)


def attribute_target(
    node: ast.Attribute, what: What, scope: Scope, value: Value | None = None
) -> Subscript:
    """Return the attribute of an object that is assigned to, and say what it holds."""
    place, outlives = scope.place(node), resolve(node.value, scope) is not None
    base = None if outlives else present(reference(node.value, scope), scope)
    shape = None if base is None else scope.lifter.shape_of(base)
    if base is None or not isinstance(shape, Shape):
        raise scope.refuse(f"an attribute set on an object ({ast.unparse(node)})", node)
    validate_store(shape, node.attr, place)
    shape.hold(node.attr, what, place, value)
    return Subscript(place, base, Constant(place, node.attr))
