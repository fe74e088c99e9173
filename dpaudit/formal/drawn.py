"""What a call of the generator returns: noise of a public law and a public shape."""

from __future__ import annotations

from typing import Any

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.domain import Array, Known, ListValue, Number, Rows, Tuple, Unaligned, Value
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import Distance, Noise, broadcast, distance
from dpaudit.formal.postprocessing import plain
from dpaudit.formal.rounding import keeps_chance
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Walk

SCALED = {
    "laplace": "laplace",
    "normal": "normal",
    "standard_normal": "normal",
    "exponential": "exponential",
    "standard_exponential": "exponential",
    "gumbel": "gumbel",
}


def law_of(node: ir.Draw, given: dict[str, Value], walk: Walk) -> tuple[str, Any]:
    """Return family and scale of a draw, both public."""
    if node.family in SCALED:
        name = "scale"
    elif node.family == "geometric":
        name = "p"
    elif node.family == "random" and not given:
        return "random", sympy.Integer(1)
    elif node.family == "uniform":
        return _uniform(node, given)
    else:
        raise Unsupported(f"draws of {node.family} noise", node.place)
    scale = given.pop(name, None)
    centre = given.pop("loc", None)
    if given or not (centre is None or is_zero(centre)):
        raise Unsupported(f"{node.family} noise with these arguments", node.place)
    if scale is None:
        return SCALED[node.family], sympy.Integer(1)
    return SCALED.get(node.family, "geometric"), _public_scale(scale, node, walk)


def is_zero(value: Value) -> bool:
    """Return whether a value is the number 0."""
    return isinstance(value, Number) and value.expr == 0


def _public_scale(scale: Value, node: ir.Draw, walk: Walk) -> Any:
    if not isinstance(scale, Number):
        raise Unsupported("a scale that is no number", node.place)
    if not scale.public:
        place = node.place
        raise Unpaid("DPA103", "the scale of the noise depends on the data", place, node.place)
    expression = scale.expr
    if expression is None or expression.has(sympy.oo, sympy.nan):
        raise Unsupported("a scale that is not known", node.place)
    positive = expression > 0
    conditions = [positive]
    if node.family == "geometric":
        conditions.append(expression < 1)
        if not expression.free_symbols and not keeps_chance(sympy.N(expression, 30)):
            raise Unsupported("geometric noise whose chance floats do not tell", node.place)
    for condition in conditions:
        if condition == sympy.true:
            continue
        names = {symbol.name for symbol in expression.free_symbols}
        if condition == sympy.false or not names <= set(walk.program.symbolic):
            raise Unsupported(f"a scale that may not satisfy {condition}", node.place)
        walk.assume(condition, node.place)
    return expression


def _uniform(node: ir.Draw, given: dict[str, Value]) -> tuple[str, Any]:
    ends = [given.pop(name, None) for name in ("low", "high")]
    numbers = [e.expr for e in ends if isinstance(e, Number) and e.public and e.expr is not None]
    if given or len(numbers) != 2:
        raise Unsupported("uniform noise with these arguments", node.place)
    width = sympy.simplify(numbers[1] - numbers[0])
    if width.is_positive is not True:
        raise Unsupported(
            f"uniform noise of the width {width}, which may not be positive", node.place
        )
    return "uniform", width


def shape_of(size: Value | None, node: ir.Draw) -> tuple[tuple[Any, ...] | None, Rows | None]:
    """Return the public shape of a draw, or the records that it has a draw for each of."""
    if size is None or (isinstance(size, Known) and size.value is None):
        return None, None
    items = size.items if isinstance(size, Tuple | ListValue) else [size]
    shape = []
    for item in items:
        item = plain(item)
        if isinstance(item, Number) and item.public and item.expr is not None:
            shape.append(item.expr)
            continue
        rows = item.source if isinstance(item, Number) else None
        term = getattr(item, "term", None)
        if rows is not None and len(items) == 1 and term == rows.length().term:
            return None, rows
        what = "the number of noisy answers depends on the data"
        raise Unpaid("DPA109", what, node.place, node.place)
    return tuple(shape), None


def centred_shape(centre: Value, place: Any) -> tuple[Any, ...] | None:
    """Return the shape of draws around a location: one for each of its entries."""
    value = plain(centre)
    if isinstance(value, Number):
        return None
    if not isinstance(value, Array) or not value.aligned:
        raise Unsupported("noise around a location whose shape is not known", place)
    shape = tuple(map(length, value.shape))
    if None in shape:
        raise Unsupported("noise around a location whose shape is not known", place)
    return shape


def two_sided(left: Noise, right: Noise, sign: int) -> Noise | None:
    """Return the difference of two geometric draws of one law."""
    same = left.family == right.family == "geometric" and left.scale == right.scale
    fits = left.shape == right.shape and left.sign * right.sign * sign == -1
    if not same or not fits or set(left.draw) & set(right.draw) or left.rows or right.rows:
        return None
    alpha = sympy.simplify(1 - left.scale)
    return Noise((*left.draw, *right.draw), "two-sided", alpha, left.shape, left.place)


def same_shape(value: Array, noise: Noise) -> bool:
    """Whether every entry meets a noise of its own."""
    if not value.aligned or noise.shape is None or noise.rows is not None:
        return False
    return tuple(map(length, value.shape)) == noise.shape


def length(axis: Any) -> Any:
    """Return the public length of an axis."""
    if isinstance(axis, Rows):
        return axis.length().expr
    if isinstance(axis, Unaligned):
        return None
    return axis


def aligned(value: Number | Array, noise: Noise) -> Distance:
    """Return the distances of the value as the noise meets it, entry by entry."""
    if noise.rows is not None:
        raise Unsupported("as many draws as there are records", noise.place)
    if isinstance(value, Array) and not value.aligned:
        raise Unpaid("DPA109", "the shape of the output depends on the data", noise.place)
    shape = () if isinstance(value, Number) else tuple(map(length, value.shape))
    own = noise.shape or ()
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]  # an axis of length 1 in front repeats nothing
    if shape == own:
        return distance(value)
    if not shape and noise.shape is not None:
        return broadcast(distance(value), sympy.Mul(*noise.shape))
    if noise.shape is None:
        raise Unpaid("DPA110", "one noise is added to several values", noise.place, noise.place)
    raise Unsupported(f"noise of shape {noise.shape} on a value of shape {shape}", noise.place)
