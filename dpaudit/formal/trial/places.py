"""Where in the source a scale is formed, what noise is added to, and how records are picked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.operators import ORDERED
from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.dependence import (
    Dependence,
    functions_of,
    nodes_of,
    of_data,
    of_noise,
    own,
)


def scale_place(program: Program, place: Place, wiring: str) -> Place:
    """Return where the scale of the draw at a place is formed, of private data if it is.

    What the wiring of an audit forms is followed to the line that it hands it to.
    """
    for name in ("scale", "p"):  # a chance is the scale of geometric noise
        function, scale = draw_argument(program, place, name)
        if scale is not None:
            found = _formed_privately(program, function, scale, wiring)
            return found or _formed(program.entry, function, _shared(scale))
    return place


def has_private_scale(program: Program, place: Place) -> bool:
    """Whether private data set the scale of the draw at a place."""
    data = of_data(program)
    scales = (draw_argument(program, place, name) for name in ("scale", "p"))
    return any(scale is not None and data.holds(function, scale) for function, scale in scales)


def sensitivity_place(program: Program, drawn: Place) -> Place | None:
    """Return the line that computes what the scale of a draw divides by a budget.

    None where that is a number which is written or handed over: it says how far the argument may
    move, and what moves further is the cause. One that is computed is itself the step that fails.
    """
    home, value = draw_argument(program, drawn, "scale")
    shared = False
    for _ in range(16 if value is not None else 0):
        place: Place = value.place
        match value:
            case ir.Call(function="operator.truediv", arguments=(value, ir.Call() as below)):
                if shared or (_computes(below) and below.function == "operator.mul"):
                    return place
                shared = True
            case ir.Call(function="operator.truediv", arguments=(value, _)):
                if shared:
                    return place
                shared = True
        factors = [f for f in _factors(value) if not _is_formula(f)]
        computed = factors[:1] if len(factors) > 1 else [*filter(_computes, factors)]
        if computed or not factors:
            return next((factor.place for factor in computed), None)
        factor, entry = factors[0], program.entry
        handed, step = _handed_on(entry, factor), _assigning(entry, home, factor)
        found = handed or step or _given(entry, home, factor)
        if found is None:
            break
        home, value = found[0], found[1]
    return None


def draw_argument(program: Program, drawn: Place, name: str) -> tuple[Any, Any]:
    """Return what a draw is given by a name, with the function that makes it."""
    for function, node in nodes_of(program.entry):
        if isinstance(node, ir.Draw) and node.place == drawn and node.argument(name) is not None:
            return function, node.argument(name)
    return None, None


def _computes(value: Any) -> bool:
    """Whether a number is computed here from two others, or more; not from written ones alone."""
    if not isinstance(value, ir.Call) or not isinstance(value.function, str):
        return False
    nodes = list(ir.walk(value))
    handed = {n.value for n in nodes if isinstance(n, ir.Constant) and n.place != value.place}
    return len({n.id for n in nodes if isinstance(n, ir.Name)}) + len(handed) > 1


def _is_formula(factor: Any) -> bool:
    """Whether a factor of a scale is a number, or one of a delta, which has a logarithm."""
    return isinstance(factor, ir.Constant) or any(
        isinstance(n, ir.Call) and str(n.function).rpartition(".")[2] in ("log", "log2", "log1p")
        for n in ir.walk(factor)
    )


def _formed_privately(
    program: Program, function: ir.Function, value: Any, wiring: str
) -> Place | None:
    """Follow the private factor of a number to the line that computes it from records.

    None where there is none. Products, quotients, conversions and limits hand on what is private
    in them, and calls of the user's functions what they are given. Where that is more than one
    number, or what a number is divided by, the line forms it.
    """
    data = of_data(program)
    place: Place = value.place
    if not data.holds(function, value):
        return None
    for _ in range(16):
        private = [each for each in _factors(value) if data.holds(function, each)]
        if len(private) != 1 or _is_data(program.entry, function, private[0]):
            break
        step = _assigning(program.entry, function, private[0])
        step = step or _given(program.entry, function, private[0])
        if step is not None and step[2].file == wiring != place.file:
            inside = _handed_on(program.entry, step[1])
            step = None if inside is None else (*inside, inside[1].place)
        if step is None:
            break
        function, value, place = step
    return place


def factor_place(program: Program) -> Place | None:
    """Return where noise is first multiplied, or divided, by what private data set."""
    data, noise = of_data(program), of_noise(program)
    for function, node in nodes_of(program.entry):
        match node:
            case ir.Call(function="operator.mul" | "operator.truediv", arguments=(_, _) as sides):
                noisy = [noise.holds(function, side) for side in sides]
                if any(
                    not noisy[i] and noisy[1 - i] and data.holds(function, side)
                    for i, side in enumerate(sides)
                ):
                    place: Place = node.place
                    return place
    return None


def _factors(value: Any) -> Iterator[Any]:
    """Yield the numbers of which a value is a multiple, or which limits let through."""
    match value:
        case ir.Call(function="operator.truediv", arguments=(above, _)):
            yield from _factors(above)
        case ir.Call(function=str(name), arguments=parts) if name in _HANDING and (
            len(parts) > 1 or name not in ("builtins.max", "builtins.min")
        ):
            for part in parts:
                yield from _factors(part)
        case _:
            yield value


def only_hands_on(program: Program, place: Place) -> bool:
    """Whether a statement only gives a parameter of its function another name."""
    return any(
        isinstance(node, ir.Assign) and node.place == place
        and isinstance(node.value, ir.Name) and node.value.id in function.parameters
        for function, node in nodes_of(program.entry)
    )  # fmt: skip


def _shared(expression: Any) -> Any:
    """Return what an expression only divides; a number that it divides says nothing."""
    above = expression
    while isinstance(above, ir.Call) and above.function == "operator.truediv":
        above = above.arguments[0]
    return expression if isinstance(above, ir.Constant) else above


def keys_place(program: Program, place: Place, path: str = "") -> Place:
    """Return where the keys are formed of what is returned at a place.

    Parameters
    ----------
    program : Program
    place : Place
        Of the return.
    path : str
        Of the part of the output that has these keys.
    """
    found = _returned_at(program, place)
    return place if found is None else _keys_of(program, *_entry(program, *found, path)[:2])


def candidates_place(program: Program) -> Place | None:
    """Return where the values are formed that noise chooses from, if private data make them."""
    data = of_data(program)
    for function, node in nodes_of(program.entry):
        given = node.argument("a") if isinstance(node, ir.Draw) else None
        if given is not None and data.holds(function, given):
            return _keys_of(program, function, given)
    return None


def _keys_of(program: Program, function: ir.Function, value: Any) -> Place:
    """Follow keys, and what they are taken from, to the line that makes them of records."""
    data = of_data(program)
    for _ in range(8):
        inner = next((n for n in ir.walk(value) if isinstance(n, ir.Comprehension)), None)
        value = _viewed(value if inner is None else inner.clauses[0][1])
        filling = _filling(function, value, data)
        if filling is not None:
            step, value = filling
            if isinstance(value, ir.Name) and value.id in function.parameters:
                place: Place = step.place
                return place  # records make keys on that line
            continue
        found = _assigning(program.entry, function, value)
        if found is None or _calls(value) or _calls(_viewed(found[1])):
            break
        function, value, _ = found
    return _formed(program.entry, function, value)


def _viewed(value: Any) -> Any:
    while isinstance(value, ir.Call) and value.function in _VIEWS and value.arguments:
        value = value.arguments[0]
    return value


def _filling(function: ir.Function, value: Any, data: Dependence) -> tuple[Any, Any] | None:
    """Return the statement that gives a container its entries, and what its loop goes through."""
    loops = [node for node in own(function) if isinstance(node, ir.For)]
    for loop in loops if isinstance(value, ir.Name) else ():
        for step in (node for each in loop.body for node in ir.walk(each)):
            into = step.target if isinstance(step, ir.Assign | ir.Update) else None
            filled = isinstance(into, ir.Subscript) and _is_same(into.value, value)
            if filled and data.holds(function, loop.iterable):
                return step, _viewed(loop.iterable)
    return None


def entry_place(program: Program, place: Place, path: str) -> Place:
    """Return the line of an entry of what is returned at a place: it leaves by this line.

    Parameters
    ----------
    program : Program
    place : Place
        Of the return.
    path : str
        Of the entry in the output, such as ``"['total']"`` or ``"[0]"``.
    """
    found = _returned_at(program, place)
    return place if found is None else _entry(program, *found, path)[2]


def only_noise(program: Program, place: Place, path: str) -> bool:
    """Whether an entry of what is returned at a place is computed from noise, and from no data."""
    found = _returned_at(program, place)
    if found is None:
        return False
    function, value, _ = _entry(program, *found, path)
    return of_noise(program).holds(function, value) and not of_data(program).holds(function, value)


def _returned_at(program: Program, place: Place) -> tuple[ir.Function, Any] | None:
    for function, node in nodes_of(program.entry):
        if isinstance(node, ir.Return) and node.place == place:
            return function, node.value
    return None


def _entry(
    program: Program, function: ir.Function, value: Any, path: str
) -> tuple[ir.Function, Any, Place]:
    """Return an entry of a value, with its line in a display; variables are followed."""
    home, inner, place = function, value, value.place
    for _ in range(8):
        entries: dict[str, Any] = {}
        if isinstance(inner, ir.Mapping):
            entries = {f"[{getattr(k, 'value', None)!r}]": v for k, v in inner.items}
        elif isinstance(inner, ir.Sequence):
            entries = {f"[{i}]": v for i, v in enumerate(inner.items)}
        key = next((key for key in entries if path.startswith(key)), None)
        if key is not None:
            inner, path = entries[key], path[len(key) :]
            function, value, place = home, inner, inner.place
            continue
        step = _assigning(program.entry, home, inner)
        if step is None or not path:
            break
        home, inner, _ = step
    return function, value, place


@dataclass(frozen=True, slots=True)
class Hidden:
    """What noise is added to.

    Attributes
    ----------
    formed : Place
        Where it is formed.
    added : Place
        Where the noise is added.
    drawn : Place
        Where the noise is drawn.
    limited : Place
        Where private data that it is computed from pass a limit last, or else where it is formed.
    counted : bool
        Whether it is a number of records.
    """

    formed: Place
    added: Place
    drawn: Place
    limited: Place
    counted: bool


def hidden_by(program: Program, draws: Sequence[Place]) -> Hidden | None:
    """Return what the noise of the first of these draws is added to, private data if it can be."""
    data = of_data(program)
    found = [each for drawn in draws for each in hidden_in(program, drawn)]
    private = (each for each in found if data.holds(*each[:2]))
    first = next(private, found[0] if found else None)
    if first is None:
        return None
    function, value, added, drawn = first
    formed = _formed(program.entry, function, value)
    limits = (n for f, n in nodes_of(program.entry) if _limits(n) and data.holds(f, n))
    passed = [n.place for n in limits if _reaches(program, n, function, value)]
    counted = any(
        isinstance(n, ir.Call) and n.function in _COUNTING and n.place == formed
        for n in ir.walk(program.entry)
    )
    return Hidden(formed, added, drawn, passed[-1] if passed else formed, counted)


def _limits(node: Any) -> bool:
    """Whether an expression is one of its values, as far as a limit allows."""
    match node:
        case ir.Call(function=str(name)):
            return name.rpartition(".")[2] in _LIMITS
        case ir.Choice(test=ir.Call(function=str(name), arguments=sides), yes=yes, no=no):
            return name in ORDERED and any(_is_same(s, w) for s in sides for w in (yes, no))
    return False


def _reaches(program: Program, node: Any, function: ir.Function, value: Any) -> bool:
    """Whether a value is computed from what a node is."""
    return Dependence(program.entry, lambda each: each is node).holds(function, value)


def hidden_in(program: Program, drawn: Place) -> Iterator[tuple[ir.Function, Any, Place, Place]]:
    """Yield what noise is added to, first in the function that draws it."""

    def draws(node: Any) -> bool:
        return isinstance(node, ir.Draw) and node.place == drawn

    noise = Dependence(program.entry, draws)
    homes = sorted(functions_of(program.entry), key=lambda f: not any(map(draws, own(f))))
    for function in homes:
        for node in own(function):
            sides, into = _summands(node)
            if isinstance(node, ir.Draw) and draws(node) and node.argument("loc") is not None:
                sides = node, node.argument("loc")
            # Noise that is added to a variable is in it only afterwards.
            held = [noise.holds(function, s) and not _is_part(s, into) for s in sides]
            for other, has in zip(sides, held, strict=True):
                if any(held) and not has and not isinstance(other, ir.Constant):
                    yield function, other, node.place, drawn


def _summands(node: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the two sides of a sum, and the variable that it is assigned to."""
    match node:
        case ir.Assign(value=ir.Call() as value):
            return _summands(value)[0], node.target
        case ir.Update(function="operator.iadd" | "operator.isub"):
            return (node.target, node.value), node.target
        case ir.Call(function="operator.add" | "operator.sub", arguments=(_, _) as sides):
            return sides, None
    return (), None


def _is_part(value: Any, whole: Any) -> bool:
    """Whether a value is computed from a variable, or from parts of it."""
    while isinstance(whole, ir.Subscript) and not isinstance(whole.index, ir.Constant):
        whole = whole.value
    return any(_is_same(whole, each) for each in ir.walk(value))


def chance_place(program: Program, wiring: str, *, private: bool = False) -> Place | None:
    """Return where a chance is formed: one that private data set, or else the first.

    If `private` only one that private data set.

    It is compared with a draw, or is what a coin is thrown with. What a whole number is compared
    with is a place among others, and sets no chance of its own. Where the wiring of an audit forms
    it, that is the line which uses it.
    """
    data, noise = of_data(program), of_noise(program)
    whole = Dependence(
        program.entry, lambda node: isinstance(node, ir.Draw) and node.family == "integers"
    )

    def set_by_data(function: ir.Function, chance: Any, compared: Any) -> bool:
        return data.holds(function, chance) and not whole.holds(function, compared)

    found: list[tuple[bool, ir.Function, Any, Place]] = []
    for function, node in nodes_of(program.entry):
        if isinstance(node, ir.Call) and node.function in ORDERED:
            held = [noise.holds(function, side) for side in node.arguments]
            sides = zip(node.arguments, held, strict=True)
            found += [(set_by_data(function, s, node), function, s, node.place)
                      for s, h in sides if any(held) and not h]  # fmt: skip
        elif isinstance(node, ir.Draw) and node.argument("p") is not None:
            chance = node.argument("p")
            found.append((data.holds(function, chance), function, chance, node.place))
    for set_by, function, chance, used in sorted(found, key=lambda each: not each[0]):
        if private and not set_by:
            break
        formed = _formed(program.entry, *_weight(program.entry, function, chance))
        return used if formed.file == wiring else formed
    return None


def _weight(entry: ir.Function, function: ir.Function, chance: Any) -> tuple[ir.Function, Any]:
    """Return the exponent of a weight that is divided by a sum, or else what a chance is."""
    home, value = function, chance
    for _ in range(8):
        value = _converted(value)
        step = _handed_on(entry, value) or _assigning(entry, home, value)
        match value:
            case _ if step is not None:
                home, value = step[:2]
            case ir.Call(function=str(name), arguments=(exponent, *_)) if (
                name.rpartition(".")[2] == "exp"
            ):
                return home, exponent
            case _:
                break
    return function, chance


def cut_place(program: Program, drawn: Place) -> Place:
    """Return where noise is cut off at a limit before it is added to anything, or its draw."""
    data = of_data(program)
    noise = Dependence(
        program.entry, lambda node: isinstance(node, ir.Draw) and node.place == drawn
    )
    for function, node in nodes_of(program.entry):
        name = node.function if isinstance(node, ir.Call) else None
        if isinstance(name, str) and name.rpartition(".")[2] in _LIMITS:
            held = [each for each in node.arguments if noise.holds(function, each)]
            if held and not any(data.holds(function, each) for each in held):
                place: Place = node.place
                return place
    return drawn


def tests_coin(program: Program, place: Place, coins: Collection[str]) -> bool:
    """Whether the test of a branch or a loop at a place reads a draw of one of these families."""
    noise = Dependence(
        program.entry, lambda node: isinstance(node, ir.Draw) and node.family in coins
    )
    return _tests(program, place, noise)


def tests_data(program: Program, place: Place) -> bool:
    """Whether the test of a branch or a loop at a place reads private data."""
    return _tests(program, place, of_data(program))


def _tests(program: Program, place: Place, what: Dependence) -> bool:
    return any(
        isinstance(node, ir.Branch | ir.While | ir.Choice)
        and node.place == place
        and what.holds(function, node.test)
        for function, node in nodes_of(program.entry)
    )


def returns_records(program: Program, place: Place) -> bool:
    """Whether what is returned at a place is computed from private data, and not from noise."""
    found = _returned_at(program, place)
    return (
        found is not None and of_data(program).holds(*found) and not of_noise(program).holds(*found)
    )


def is_public_noise(program: Program) -> bool:
    """Whether private data reach no draw and no test: they meet the noise where it is added."""
    data = of_data(program)
    return not any(
        data.holds(function, node.test if isinstance(node, ir.Branch | ir.While) else node)
        for function, node in nodes_of(program.entry)
        if isinstance(node, ir.Branch | ir.While | ir.Draw)
    )


def uses_exp(program: Program) -> bool:
    """Whether a power of e is computed, as what is smooth over the distance to a dataset has."""
    return any(
        isinstance(node, ir.Call) and node.function in ("math.exp", "numpy.exp")
        for node in ir.walk(program.entry)
    )


def split_place(program: Program) -> Place | None:
    """Return the line that splits private data into parts by where records stand."""
    data = of_data(program)
    for function, node in nodes_of(program.entry):
        inside: tuple[Any, ...] = (node,) if isinstance(node, ir.Call) else ()
        if isinstance(node, ir.Comprehension):
            inside = tuple(ir.walk(node.element))
        elif isinstance(node, ir.For):
            inside = tuple(n for step in node.body for n in ir.walk(step))
        for each in inside:
            match each:
                case ir.Call(function="numpy.array_split" | "numpy.split", arguments=(first, *_)):
                    split = first
                case ir.Subscript(value=split, index=ir.Slice()) if each is not node:
                    pass
                case _:
                    continue
            if data.holds(function, split):
                place: Place = each.place
                return place
    return None


def picks_by_position(program: Program) -> bool:
    """Whether records are told apart by where they stand."""
    return any(_by_position(node, program.data) for node in ir.walk(program.entry))


def _by_position(node: Any, data: str) -> bool:
    match node:
        case ir.Call(function="numpy.array_split"):
            return True
        case ir.Call(function="numpy.arange" | "builtins.range", arguments=arguments):
            return any(map(_has_length, arguments))
        case ir.Subscript(value=ir.Name(id=name), index=ir.Slice()):
            return bool(name == data)
    return False


_HANDING = (
    *("operator.mul", "operator.neg", "builtins.float", "builtins.int", "builtins.abs"),
    *("numpy.float64", "builtins.max", "builtins.min", "numpy.maximum", "numpy.minimum"),
)
_LIMITS = ("clip", "minimum", "maximum", "min", "max", "fmin", "fmax")
_COUNTING = ("builtins.len", "numpy.count_nonzero", "method.count")
_CONVERSIONS = (
    *("builtins.float", "numpy.float64", "numpy.asarray", "numpy.array", "numpy.atleast_1d"),
    *("method.copy", "method.item", "method.astype", "method.tolist"),
)
_VIEWS = (
    "method.items",
    "method.keys",
    "method.tolist",
    "builtins.sorted",
    "builtins.enumerate",
    "builtins.list",
)


def _has_length(expression: Any) -> bool:
    return any(
        (isinstance(n, ir.Call) and n.function == "builtins.len")
        or (isinstance(n, ir.Attribute) and n.name in ("size", "shape"))
        for n in ir.walk(expression)
    )


def _formed(entry: ir.Function, function: ir.Function, expression: Any) -> Place:
    """Follow a value to the line that forms it.

    A variable is followed to the one assignment that it has, an attribute of an object likewise,
    what a function returns into it, and what a function makes of its parameters alone to the call
    that gives them.
    """
    place: Place = expression.place
    entered: set[int] = set()
    for _ in range(16):
        inside = _handed_on(entry, expression)
        if inside is not None and id(inside[0]) not in entered:
            entered.add(id(inside[0]))
            function, expression = inside
            place = expression.place
            continue
        inner = _converted(expression)
        if _calls(inner):
            return place
        step = _assigning(entry, function, inner) or _given(entry, function, inner)
        if step is None:
            return place
        function, expression, place = step
    return place


def _handed_on(entry: ir.Function, expression: Any) -> tuple[ir.Function, Any] | None:
    """Return what a function that is called returns last, or the attribute that it divides."""
    called = expression.function if isinstance(expression, ir.Call) else None
    if not isinstance(called, ir.Function):
        return None
    values = [node.value for node in own(called) if isinstance(node, ir.Return)]
    if not values:
        return None
    step = _assigning(entry, called, values[-1]) if isinstance(values[-1], ir.Name) else None
    above = _shared(values[-1] if step is None else step[1])
    inside = (called, above) if _is_attribute(above) else _handed_on(entry, above)
    return inside if inside is not None and _is_attribute(inside[1]) else (called, values[-1])


def _converted(expression: Any) -> Any:
    """Return what is only given another type, or divided by its own sum."""
    while isinstance(expression, ir.Call):
        match expression:
            case ir.Call(function=str(name), arguments=(inner, *_)) if name in _CONVERSIONS:
                expression = inner
            case ir.Call(
                function="operator.truediv",
                arguments=(inner, ir.Call(function=str(name), arguments=(summed, *_))),
            ) if name.rpartition(".")[2] == "sum" and _is_same(inner, summed):
                expression = inner
            case _:
                break
    return expression


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
        homes = list(functions_of(entry))
    else:
        return None
    found = [
        (home, node)
        for home in homes
        for node in own(home)
        if isinstance(node, ir.Assign) and _is_same(node.target, expression)
        and not _is_same(_converted(node.value), expression)
    ]  # fmt: skip
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
    for home, node in nodes_of(entry):
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
