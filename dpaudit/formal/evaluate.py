"""The values of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpaudit.formal import program as ir
from dpaudit.formal.calls import apply, apply_value
from dpaudit.formal.clock import charge
from dpaudit.formal.constants import lasting, truth_number
from dpaudit.formal.domain import (
    Array,
    ClosureValue,
    DictValue,
    FunctionValue,
    Known,
    ListValue,
    Number,
    Tuple,
    Value,
)
from dpaudit.formal.joins import join
from dpaudit.formal.lifting.known import Opaque, is_inert
from dpaudit.formal.refine import narrowed, refined
from dpaudit.formal.running import NotConcreteError, concrete
from dpaudit.formal.states import check_own, contents
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def evaluate(walk: Walk, node: ir.Expression) -> Value:
    """Return the value of an expression."""
    charge(60)
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise Unsupported(in_words(node), node.place)
    return handler(walk, node)


def evaluated_arguments(walk: Walk, nodes: tuple[ir.Expression, ...]) -> list[Value]:
    """Return the values of arguments or items, starred ones spread out."""
    values: list[Value] = []
    for node in nodes:
        if not isinstance(node, ir.Starred):
            values.append(walk.evaluate(node))
            continue
        from dpaudit.formal.loops import items_of

        values.extend(items_of(walk, walk.evaluate(node.value), node.place))
    return values


def _constant(_walk: Walk, node: ir.Constant) -> Value:
    plain = not callable(node.value) or isinstance(node.value, ir.Node)
    if plain and not isinstance(node.value, ir.Node) and not is_inert(node.value):
        return Known(Opaque(node.value))
    return lasting(node.value) if plain else FunctionValue(node.value)


def _name(walk: Walk, node: ir.Name) -> Value:
    frame = walk.frames[-1]
    while True:
        if node.id in frame.variables:
            return narrowed(walk, frame.variables[node.id])
        if frame.parent is None:
            raise Unsupported(f"the variable `{node.id}`, which may not be set here", node.place)
        frame = frame.parent


def _generator(walk: Walk, node: ir.Generator) -> Value:
    return walk.hooks.generator(node, walk)


def _draw(walk: Walk, node: ir.Draw) -> Value:
    arguments = {name: walk.evaluate(value) for name, value in node.arguments}
    return walk.hooks.draw(node, arguments, walk)


def _call(walk: Walk, node: ir.Call) -> Value:
    if not isinstance(node.function, str) or node.function == "operator.call":
        for each in (*node.arguments, *(value for _, value in node.keywords)):
            check_eager(each)
    args = evaluated_arguments(walk, node.arguments)
    keywords = {name: walk.evaluate(value) for name, value in node.keywords}
    if node.function == "operator.call":
        return apply_value(walk, args[0], args[1:], keywords, node.place)
    return apply_value(walk, node.function, args, keywords, node.place)


def _subscript(walk: Walk, node: ir.Subscript) -> Value:
    from dpaudit.formal.indexing import item

    value = walk.evaluate(node.value)
    return item(walk, value, index_of(walk, node.index), node.place)


def index_of(walk: Walk, node: ir.Expression) -> Any:
    """Return the index of a subscript: a value, a Python slice of values, or a tuple of those."""
    if isinstance(node, ir.Slice):
        ends = (None if e is None else walk.evaluate(e) for e in (node.start, node.stop, node.step))
        return slice(*ends)
    if isinstance(node, ir.Sequence) and node.kind == "tuple":
        return tuple(index_of(walk, each) for each in node.items)
    return walk.evaluate(node)


def _attribute(walk: Walk, node: ir.Attribute) -> Value:
    from dpaudit.formal.attributes import attribute

    return attribute(walk, walk.evaluate(node.value), node.name, node.place)


def _sequence(walk: Walk, node: ir.Sequence) -> Value:
    items = evaluated_arguments(walk, node.items)
    if node.kind == "tuple":
        return Tuple(tuple(items))
    if node.kind == "list":
        return ListValue(items)
    try:
        return Known({concrete(item) for item in items})
    except (NotConcreteError, TypeError):
        raise Unsupported("a set of values that are not known", node.place) from None


def _mapping(walk: Walk, node: ir.Mapping) -> Value:
    items: dict[Any, Value] = {}
    for key, value in node.items:
        try:
            items[concrete(walk.evaluate(key))] = walk.evaluate(value)
        except (NotConcreteError, TypeError):
            raise Unsupported("a dict whose keys are not known", key.place) from None
    return DictValue(items)


LAZY = frozenset({"map", "filter", "zip", "enumerate", "reversed", "iter"})


def check_eager(node: ir.Node) -> None:
    """Refuse to keep what is computed when it is asked for, and only once."""
    if isinstance(node, ir.Comprehension) and node.kind == "generator":
        raise Unsupported("a generator that is kept", node.place)
    if isinstance(node, ir.Call) and isinstance(node.function, str):
        module, _, name = node.function.partition(".")
        if module == "itertools" or (module == "builtins" and name in LAZY):
            raise Unsupported(f"a {name} that is kept", node.place)


def _comprehension(walk: Walk, node: ir.Comprehension) -> Value:
    from dpaudit.formal.loops import comprehension

    return comprehension(walk, node)


def _choice(walk: Walk, node: ir.Choice) -> Value:
    test = walk.evaluate(node.test)
    if isinstance(test, Array) and test.element:
        sides = walk.evaluate(node.yes), walk.evaluate(node.no)
        return apply(walk, "numpy.where", [test, *sides], {}, node.place)
    outcome = walk.truth(test, node.place)
    if outcome is not None:
        refined(walk, test, outcome)
        return walk.evaluate(node.yes if outcome else node.no)
    walk.hooks.private_test(test, node, walk)
    values, facts, known = [], walk.facts, dict(walk.values)
    before = [dict(frame.variables) for frame in walk.frames]
    for side, truth in ((node.yes, True), (node.no, False)):
        walk.facts = dict(facts)
        walk.private.append((test, node.place))
        try:
            refined(walk, test, truth)
            values.append(_without_effect(walk, side))
        finally:
            walk.private.pop()
            walk.facts, walk.values = facts, dict(known)
            for frame, variables in zip(walk.frames, before, strict=True):
                frame.variables = dict(variables)  # what one side knows of them, no other does
    if values[0] is not values[1]:
        for value in values:
            check_own(walk.frames, value, node.place)
    return join(values[0], values[1], test, node.place, walk.hooks)


def _without_effect(walk: Walk, node: ir.Expression) -> Value:
    """Return the value of what runs or not by a private test; it may change nothing."""
    before = contents(walk.frames)
    value = walk.evaluate(node)
    after = contents(walk.frames)
    if len(before) != len(after) or any(a is not b for a, b in zip(before, after, strict=True)):
        raise Unsupported("a change that depends on a test on private data", node.place)
    return value


def _logic(walk: Walk, node: ir.Logic) -> Value:
    stops = node.operator == "or"
    pending: list[Value] = []
    last = len(node.operands) - 1
    for i, operand in enumerate(node.operands):
        value = _without_effect(walk, operand) if pending else walk.evaluate(operand)
        if isinstance(value, Array) and value.element:
            pending.append(value)
            continue
        if i == last and not pending:
            return value
        outcome = walk.truth(value, operand.place)
        if outcome is None:
            pending.append(value)
        elif outcome is stops:
            if not pending:
                return value
            pending.append(truth_number(stops))
            break
        elif i == last:
            pending.append(value)
    if len(pending) == 1 and _truth_value(pending[0]):
        return pending[0]
    return _combined(walk, node, pending)


def _combined(walk: Walk, node: ir.Logic, values: list[Value]) -> Value:
    if not all(_truth_value(value) for value in values):
        raise Unsupported(f"`{node.operator}` of private values that are no tests", node.place)
    walk.hooks.private_test(values[0], node, walk)
    name = "operator.and_" if node.operator == "and" else "operator.or_"
    result = values[0]
    for value in values[1:]:
        result = apply(walk, name, [result, value], {}, node.place)
    return result


def _truth_value(value: Value) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, bool)
    return isinstance(value, Number | Array) and value.boolean


def _named(walk: Walk, node: ir.Named) -> Value:
    value = walk.evaluate(node.value)
    walk.frames[-1].variables[node.target.id] = value
    return value


def _closure(walk: Walk, node: ir.Closure) -> Value:
    return ClosureValue(node.function, walk.frames[-1])


_HANDLERS: dict[type, Callable[[Walk, Any], Value]] = {
    ir.Constant: _constant,
    ir.Name: _name,
    ir.Generator: _generator,
    ir.Draw: _draw,
    ir.Call: _call,
    ir.Subscript: _subscript,
    ir.Attribute: _attribute,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Comprehension: _comprehension,
    ir.Choice: _choice,
    ir.Logic: _logic,
    ir.Named: _named,
    ir.Closure: _closure,
}
