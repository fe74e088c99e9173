"""The places of a function that set how much noise there is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dpaudit.formal.repairing.arithmetic import over, times, without
from dpaudit.formal.repairing.edits import Edit, Text

# The position of the scale among the arguments of a draw.
SCALED = {"laplace": 1, "normal": 1, "gumbel": 1, "logistic": 1, "exponential": 0}
STANDARD = ("standard_normal", "standard_exponential")
GROWING = ("sensitivity", "scale", "sigma", "std", "noise", "noise_multiplier", "b")
SHRINKING = ("epsilon", "eps", "mu", "budget", "per_answer", "epsilon_each")
Turn = Callable[[str], tuple[Edit, ...]]


@dataclass(frozen=True, slots=True)
class Knob:
    """What makes noise larger.

    Attributes
    ----------
    turn : callable
        Takes the factor as an expression of Python, and returns the edits.
    lines : tuple of int
    places : int
        How many stretches of the source it changes.
    what : str
        What is multiplied, for people.
    scale : str or None
        The scale that is multiplied where another is written for it; None where the one that was
        there is multiplied.
    before : str
        What stands there now: the lines, or the scale where another is written for it.
    """

    turn: Turn
    lines: tuple[int, ...]
    places: int
    what: str
    scale: str | None = None
    before: str = ""


def knobs(node: ast.FunctionDef, text: Text, names: dict[str, Any], epsilon: str) -> list[Knob]:
    """Return what sets the noise of a function: each place alone, all together, and rewritten.

    Parameters
    ----------
    node : FunctionDef
    text : Text
    names : dict of str to object
        What the function finds by its globals.
    epsilon : str
        The budget as an expression: a parameter of the function, or the number that is claimed.

    Returns
    -------
    list of Knob
    """
    draws = list(_scales(node, text))
    arguments = list(_arguments(node, text, names))
    parameters = list(_parameters(node, text, [k.node for k in (*draws, *arguments)]))
    single = [_knob([place]) for place in (*draws, *arguments)]
    together = [draws, *_alike(arguments), *_alike(parameters)]
    budgets = [place for place in (*arguments, *parameters) if place.what.startswith("1/")]
    together.append([*draws, *budgets])
    groups = [group for group in together if group]
    anew = [*_anew(draws, epsilon), *_geometric(node, text, names, epsilon)]
    return _distinct([*single, *map(_knob, groups), *anew])


def _alike(places: Sequence[_Place]) -> list[list[_Place]]:
    """Return the places of each parameter by themselves."""
    return [[p for p in places if p.what == what] for what in dict.fromkeys(p.what for p in places)]


def is_drawing(node: ast.FunctionDef, text: Text) -> bool:
    """Return whether a function draws noise itself."""
    geometric = ("geometric", "random", "integers", "choice", "binomial")
    return any(getattr(call.func, "attr", "") in geometric for call in _calls(node)) or bool(
        list(_scales(node, text))
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """One expression that sets noise."""

    node: ast.expr | None
    line: int
    turn: Callable[[str], Edit]
    what: str
    around: str  # the line
    scale: str = ""
    rewrite: Callable[[str], Edit] | None = None  # puts another scale


def _knob(places: Sequence[_Place]) -> Knob:
    def turn(factor: str) -> tuple[Edit, ...]:
        return tuple(place.turn(factor) for place in places)

    lines = tuple(sorted({place.line for place in places}))
    return Knob(turn, lines, len(places), places[0].what, before=" ".join(p.around for p in places))


def _distinct(found: list[Knob]) -> list[Knob]:
    seen = {tuple(sorted(knob.turn("7"))): knob for knob in reversed(found)}
    return [knob for knob in found if seen[tuple(sorted(knob.turn("7")))] is knob]


def _scales(node: ast.FunctionDef, text: Text) -> Iterator[_Place]:
    """Yield the scales of draws."""
    for call in _calls(node):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name in SCALED:
            scale = _argument(call, "scale", SCALED[name])
            yield _given(scale, text) if scale is not None else _missing(call, text, "scale")
        elif name in STANDARD:
            product = next((p for p in _products(node) if call in (p.left, p.right)), None)
            yield _standard(call, product, text)


def _argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == name), None)
    if named is not None or len(call.args) <= position:
        return named
    return call.args[position]


def _given(node: ast.expr, text: Text) -> _Place:
    written = text.segment(node)
    return _Place(
        node,
        node.lineno,
        lambda factor: text.replaced(node, times(written, factor)),
        "the scale of the noise",
        text.line(node.lineno),
        written,
        lambda scale: text.replaced(node, scale),
    )


def _products(node: ast.FunctionDef) -> Iterator[ast.BinOp]:
    for inner in chain.from_iterable(map(ast.walk, node.body)):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult):
            yield inner


def _standard(call: ast.Call, product: ast.BinOp | None, text: Text) -> _Place:
    """Return the place of a draw that takes no scale, and perhaps is multiplied by one."""
    assert isinstance(call.func, ast.Attribute)
    whole: ast.expr = call if product is None else product
    other = None if product is None else product.right if product.left is call else product.left
    scale = "1" if other is None else text.segment(other)
    draw = f"{text.segment(call.func.value)}.{call.func.attr.removeprefix('standard_')}"
    size = [f"size={text.segment(a)}" for a in call.args[:1]]
    size += [f"{k.arg}={text.segment(k.value)}" for k in call.keywords]

    def put(scale: str) -> Edit:
        return text.replaced(whole, f"{draw}({', '.join([f'scale={scale}', *size])})")

    return _Place(whole, whole.lineno, lambda factor: put(times(scale, factor)),
                  "the scale of the noise", text.line(whole.lineno), scale, put)  # fmt: skip


def _missing(call: ast.Call, text: Text, name: str) -> _Place:
    """Return the place of an argument that is 1 unless it is given."""
    end = text.span(call)[1] - 1
    comma = ", " if call.args or call.keywords else ""

    def put(scale: str) -> Edit:
        return Edit(end, end, f"{comma}{name}={scale}", call.lineno)

    line = text.line(call.lineno)
    return _Place(call, call.lineno, put, "the scale of the noise", line, "1", put)


def _arguments(node: ast.FunctionDef, text: Text, names: dict[str, Any]) -> Iterator[_Place]:
    """Yield the budgets and scales that are handed to functions of the user's."""
    for call in _calls(node):
        target = names.get(call.func.id) if isinstance(call.func, ast.Name) else None
        code = getattr(getattr(target, "func", target), "__code__", None)
        if code is None:
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            if name not in GROWING + SHRINKING:
                continue
            if name in given:
                yield _handed(given[name], text, name)
            elif (default := _default(target, name)) is not None:
                yield _left_out(call, text, name, default)


def _default(function: Any, name: str) -> str | None:
    """Return the default of a keyword-only parameter, as it is written."""
    value = (getattr(function, "__kwdefaults__", None) or {}).get(name)
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _handed(node: ast.expr, text: Text, name: str) -> _Place:
    written, change = text.segment(node), times if name in GROWING else over
    return _Place(
        node,
        node.lineno,
        lambda factor: text.replaced(node, change(written, factor)),
        f"`{name}`" if name in GROWING else f"1/{name}",
        text.line(node.lineno),
    )


def _left_out(call: ast.Call, text: Text, name: str, default: str) -> _Place:
    end, change = text.span(call)[1] - 1, times if name in GROWING else over
    comma = ", " if call.args or call.keywords else ""
    return _Place(
        call,
        call.lineno,
        lambda factor: Edit(end, end, f"{comma}{name}={change(default, factor)}", call.lineno),
        f"`{name}`" if name in GROWING else f"1/{name}",
        text.line(call.lineno),
    )


def _parameters(
    node: ast.FunctionDef, text: Text, covered: Sequence[ast.expr | None]
) -> Iterator[_Place]:
    """Yield the uses of the budget as a parameter outside of the places above."""
    below = {id(inner) for outer in covered if outer is not None for inner in ast.walk(outer)}
    own = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    own &= {*SHRINKING, *GROWING}
    for parent in chain.from_iterable(map(ast.walk, node.body)):
        for inner in ast.iter_child_nodes(parent):
            if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load):
                continue
            if id(inner) not in below and inner.id in own:
                yield _used(inner, text, bare=not isinstance(parent, ast.BinOp | ast.UnaryOp))


def _used(node: ast.Name, text: Text, *, bare: bool) -> _Place:
    change = times if node.id in GROWING else over
    form = "{}" if bare else "({})"
    return _Place(
        node,
        node.lineno,
        lambda factor: text.replaced(node, form.format(change(node.id, factor))),
        f"`{node.id}`" if node.id in GROWING else f"1/{node.id}",
        text.line(node.lineno),
    )


def _anew(draws: Sequence[_Place], epsilon: str) -> Iterator[Knob]:
    """Yield draws whose scale is written anew: short of a factor, or as a multiple of 1/epsilon."""
    for place in draws:
        for scale in (*without(place.scale, epsilon), f"1 / {epsilon}"):
            if place.rewrite is not None:
                turn = _rewriting(place.rewrite, scale)
                yield Knob(turn, (place.line,), 1, place.what, scale, place.scale)


def _rewriting(rewrite: Callable[[str], Edit], scale: str) -> Turn:
    return lambda factor: (rewrite(times(scale, factor) if factor != "1" else scale),)


def _geometric(
    node: ast.FunctionDef, text: Text, names: dict[str, Any], epsilon: str
) -> Iterator[Knob]:
    """Yield the parameters of all geometric draws, written anew from the budget."""
    exp = _exponential(names)
    found = [
        argument
        for call in _calls(node)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "geometric"
        if (argument := _argument(call, "p", 0)) is not None
    ]
    if not found or exp is None:
        return

    def turn(factor: str) -> tuple[Edit, ...]:
        rate = over(epsilon, factor)
        return tuple(text.replaced(node, f"1 - {exp}(-{_negated(rate)})") for node in found)

    lines = tuple(sorted({node.lineno for node in found}))
    yield Knob(turn, lines, len(found), "the scale of the noise", f"1 / {epsilon}")


def _negated(rate: str) -> str:
    node = ast.parse(rate, mode="eval").body
    plus = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
    return f"({rate})" if plus else rate


def _exponential(names: dict[str, Any]) -> str | None:
    """Return how the function can write the exponential."""
    import math

    for name, value in names.items():
        if value is math.exp:
            return name
        if getattr(value, "__name__", "") in ("numpy", "math") and hasattr(value, "exp"):
            return f"{name}.exp"
    return None


def _calls(node: ast.FunctionDef) -> Iterator[ast.Call]:
    for inner in chain.from_iterable(map(ast.walk, node.body)):
        if isinstance(inner, ast.Call):
            yield inner
