"""Where in the source a scale is formed, what noise is added to, and how records are picked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program


def scale_place(program: Program, place: Place) -> Place:
    """Return where the scale of the draw at a place is formed."""
    for function in _functions(program.entry):
        for node in ir.walk(function):
            if isinstance(node, ir.Draw) and node.place == place:
                scale = node.argument("p" if node.family == "geometric" else "scale")
                if scale is not None:
                    return _formed(function, scale)
    return place


def argument_of(program: Program, draws: Sequence[Place]) -> Place | None:
    """Return where that is formed which the noise of the first of these draws is added to."""
    for drawn in draws:
        for function in _functions(program.entry):
            for node in ir.walk(function):
                other = _added_to(node, drawn)
                if other is not None:
                    return _formed(function, other)
    return None


def end_of_data(program: Program, place: Place) -> bool:
    """Whether the least or the largest of something is returned at a place."""
    for function in _functions(program.entry):
        for node in ir.walk(function):
            if isinstance(node, ir.Return) and node.place == place:
                names = {n.id for n in ir.walk(node.value) if isinstance(n, ir.Name)}
                return any(_is_end(value) for value in (node.value, *_assigned(function, names)))
    return False


def picks_by_position(program: Program) -> bool:
    """Whether records are told apart by where they stand."""
    return any(_by_position(node, program.data) for node in ir.walk(program.entry))


def uses_exp(program: Program) -> bool:
    """Whether an exponential is computed somewhere."""
    return any(
        isinstance(node, ir.Call) and node.function in ("math.exp", "numpy.exp")
        for function in _functions(program.entry)
        for node in ir.walk(function)
    )


def _by_position(node: Any, data: str) -> bool:
    match node:
        case ir.Call(function="numpy.array_split"):
            return True
        case ir.Call(function="numpy.arange" | "builtins.range", arguments=arguments):
            return any(map(_has_length, arguments))
        case ir.Subscript(value=ir.Name(id=name), index=ir.Slice()):
            return bool(name == data)
    return False


_ENDS = ("min", "max", "amin", "amax", "unique")


def _has_length(expression: Any) -> bool:
    return any(
        (isinstance(n, ir.Call) and n.function == "builtins.len")
        or (isinstance(n, ir.Attribute) and n.name in ("size", "shape"))
        for n in ir.walk(expression)
    )


def _is_end(expression: Any) -> bool:
    return any(
        isinstance(n, ir.Call)
        and isinstance(n.function, str)
        and n.function.rpartition(".")[2] in _ENDS
        for n in ir.walk(expression)
    )


def _assigned(function: ir.Function, names: set[str]) -> Iterator[Any]:
    for node in ir.walk(function):
        if isinstance(node, ir.Assign):
            targets = {n.id for n in ir.walk(node.target) if isinstance(n, ir.Name)}
            if targets & names:
                yield node.value


def _added_to(node: Any, place: Place) -> Any:
    added = ("operator.add", "operator.sub")
    if not isinstance(node, ir.Call) or node.function not in added or len(node.arguments) != 2:
        return None
    for noise, other in (node.arguments, node.arguments[::-1]):
        if any(isinstance(n, ir.Draw) and n.place == place for n in ir.walk(noise)):
            return other
    return None


def _functions(entry: ir.Function) -> Iterator[ir.Function]:
    seen: set[int] = set()
    for node in ir.walk(entry):
        if isinstance(node, ir.Function) and id(node) not in seen:
            seen.add(id(node))
            yield node


def _formed(function: ir.Function, expression: Any) -> Place:
    """Follow a local variable to the line that assigns it."""
    place: Place = expression.place
    for _ in range(4):
        if not isinstance(expression, ir.Name):
            return place
        name = expression.id
        found = [
            node
            for node in ir.walk(function)
            if isinstance(node, ir.Assign)
            and isinstance(node.target, ir.Name)
            and node.target.id == name
        ]
        if len(found) != 1:
            return place
        expression, place = found[0].value, found[0].place
    return place
