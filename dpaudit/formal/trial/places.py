"""Where in the source a scale is formed, what noise is added to, and how records are picked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program


def scale_place(program: Program, place: Place) -> Place:
    """Return where the scale of the draw at a place is formed."""
    for function in _functions(program.entry):
        for node in _own(function):
            if isinstance(node, ir.Draw) and node.place == place:
                scale = node.argument("p" if node.family == "geometric" else "scale")
                if scale is not None:
                    return _formed(program.entry, function, _computed(program, function, scale))
    return place


def _computed(program: Program, function: ir.Function, expression: Any) -> Any:
    """Return the variable that the rest of an expression only divides, if there is one."""
    above = expression
    while isinstance(above, ir.Call) and above.function == "operator.truediv":
        above = above.arguments[0]
    is_set = _assigning(program.entry, function, above) is not None
    return above if is_set else expression


def keys_place(program: Program, place: Place) -> Place:
    """Return where the keys are formed that are gone through in what is returned at a place."""
    for function in _functions(program.entry):
        for node in _own(function):
            if isinstance(node, ir.Return) and node.place == place:
                for inner in ir.walk(node.value):
                    if isinstance(inner, ir.Comprehension):
                        return _formed(program.entry, function, _gone_through(inner))
    return place


def _gone_through(node: ir.Comprehension) -> Any:
    iterable = node.clauses[0][1]
    while isinstance(iterable, ir.Call) and iterable.function in _VIEWS and iterable.arguments:
        iterable = iterable.arguments[0]
    return iterable


def entry_place(program: Program, place: Place, path: str) -> Place:
    """Return where an entry is formed of what is returned at a place, for one in a display.

    Parameters
    ----------
    program : Program
    place : Place
        Of the return.
    path : str
        Of the entry in the output, such as ``"['total']"`` or ``"[0]"``.
    """
    for function in _functions(program.entry):
        for node in _own(function):
            if isinstance(node, ir.Return) and node.place == place:
                entries: dict[str, Any] = {}
                if isinstance(node.value, ir.Mapping):
                    entries = {f"[{getattr(k, 'value', None)!r}]": v for k, v in node.value.items}
                elif isinstance(node.value, ir.Sequence):
                    entries = {f"[{i}]": v for i, v in enumerate(node.value.items)}
                if path in entries:
                    return _formed(program.entry, function, entries[path])
    return place


def argument_of(program: Program, draws: Sequence[Place]) -> Place | None:
    """Return where that is formed which the noise of the first of these draws is added to."""
    for drawn in draws:
        for function in _functions(program.entry):
            for node in _own(function):
                other = _added_to(node, drawn) or _around(node, drawn)
                if other is not None:
                    return _formed(program.entry, function, other)
    return None


def chance_place(program: Program) -> Place | None:
    """Return where a chance is formed that a uniform draw is compared with, if there is one."""
    for function in _functions(program.entry):
        for node in _own(function):
            if isinstance(node, ir.Call) and node.function in _COMPARED:
                sides = node.arguments
                for draw, other in (sides, sides[::-1]):
                    step = _assigning(program.entry, function, draw)
                    if any(isinstance(n, ir.Draw) for n in ir.walk(step[1] if step else draw)):
                        return _formed(program.entry, function, other)
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


_COMPARED = ("operator.lt", "operator.le", "operator.gt", "operator.ge")
_VIEWS = ("method.items", "method.keys", "builtins.sorted", "builtins.enumerate", "builtins.list")
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


def _around(node: Any, place: Place) -> Any:
    """Return the value that noise is drawn around."""
    centre = node.argument("loc") if isinstance(node, ir.Draw) and node.place == place else None
    return None if isinstance(centre, ir.Constant) else centre


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


def _formed(entry: ir.Function, function: ir.Function, expression: Any) -> Place:
    """Follow a value to the line that forms it.

    A variable is followed to the one assignment that it has, an attribute of an object likewise,
    and what a function makes of its parameters alone to the call that gives them.
    """
    place: Place = expression.place
    for _ in range(8):
        if _calls(expression):
            return place
        step = _assigning(entry, function, expression) or _given(entry, function, expression)
        if step is None:
            return place
        function, expression, place = step
    return place


def _calls(expression: Any) -> bool:
    """Whether an expression computes more than sums and products: what it says is formed there."""
    calls = (node.function for node in ir.walk(expression) if isinstance(node, ir.Call))
    return any(not isinstance(name, str) or not name.startswith("operator.") for name in calls)


_Step = tuple[ir.Function, Any, Place]


def _assigning(entry: ir.Function, function: ir.Function, expression: Any) -> _Step | None:
    """Return the value that a variable or an attribute has, and where it gets it."""
    if isinstance(expression, ir.Name):
        homes = [function]
    elif isinstance(expression, ir.Subscript) and isinstance(expression.index, ir.Constant):
        homes = list(_functions(entry))
    else:
        return None
    found = [
        (home, node)
        for home in homes
        for node in _own(home)
        if isinstance(node, ir.Assign) and _is_same(node.target, expression)
    ]
    if not found or (len(found) > 1 and not isinstance(expression, ir.Name)):
        return None
    home, last = found[-1]
    return (home, last.value, last.place) if last.value is not expression else None


def _is_same(target: Any, expression: Any) -> bool:
    if isinstance(target, ir.Name):
        return isinstance(expression, ir.Name) and target.id == expression.id
    both = isinstance(target, ir.Subscript) and isinstance(expression, ir.Subscript)
    keys = [getattr(each.index, "value", None) for each in (target, expression)] if both else []
    return both and isinstance(keys[0], str) and keys[0] == keys[1]


def _given(entry: ir.Function, function: ir.Function, expression: Any) -> _Step | None:
    """Return the call that gives a function all that an expression is made of, and what it gives.

    Records are no such thing: who is given them forms the answer itself.
    """
    names = {node.id for node in ir.walk(expression) if isinstance(node, ir.Name)}
    if function is entry or not names or not names <= set(function.parameters):
        return None
    if any(map(_is_attribute, ir.walk(expression))):
        return None  # what an object holds was formed elsewhere, and is used here
    for home in _functions(entry):
        for node in _own(home):
            if isinstance(node, ir.Call) and node.function is function:
                bound = dict(zip(function.parameters, node.arguments, strict=False))
                bound |= dict(node.keywords)
                given = [bound[name] for name in function.parameters if name in names & set(bound)]
                if not given or any(_is_data(entry, home, each) for each in given):
                    return None
                return home, given[0], node.place
    return None


def _is_attribute(node: Any) -> bool:
    index = node.index if isinstance(node, ir.Subscript) else None
    return isinstance(index, ir.Constant) and isinstance(index.value, str)


def _is_data(entry: ir.Function, home: ir.Function, given: Any) -> bool:
    """Whether the parameter of the mechanism that takes the records is passed on, or an object."""
    records = home is entry and isinstance(given, ir.Name) and given.id == entry.parameters[0]
    return records or isinstance(given, ir.Mapping)


def _own(function: ir.Function) -> Iterator[Any]:
    """Yield the nodes of a function, without those of functions that it calls or defines."""
    rest: list[Any] = list(function.body)
    while rest:
        node = rest.pop(0)
        yield node
        rest += [child for child in ir.children(node) if not isinstance(child, ir.Function)]
