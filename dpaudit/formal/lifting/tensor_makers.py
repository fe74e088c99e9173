"""Tensors of PyTorch that are made: of data and numbers, and of noise of its default generator."""

from __future__ import annotations

import ast
from typing import Any

from dpaudit.formal.lifting.canonical import held_under
from dpaudit.formal.lifting.folding import setting
from dpaudit.formal.lifting.numbers import assigned, kind_of_number
from dpaudit.formal.lifting.scope import Scope, resolve
from dpaudit.formal.lifting.shapes import tensor
from dpaudit.formal.lifting.streams import TORCH_SEED
from dpaudit.formal.lifting.tensor_calls import FUNCTIONS, NORMS, Request, conversion, of_tensor
from dpaudit.formal.lifting.tensors import (
    DEFAULT,
    FLOAT,
    ROUNDS,
    as_tensor,
    dtype_of,
    is_flat,
    kind,
    shape_of,
)
from dpaudit.formal.program import (
    Attribute,
    Call,
    Constant,
    Draw,
    Expression,
    Name,
    Sequence,
    Starred,
    Subscript,
)

_FILLED = {"zeros": 0.0, "ones": 1.0}
_DRAWN = {"randn": "standard_normal", "rand": "random"}
_LAWS = {"torch.distributions.Laplace": "laplace", "torch.distributions.Normal": "normal"}
_OWN = ("tensor", "normal", "randn_like", *_FILLED, *_DRAWN, *sorted(FUNCTIONS))
_NAMES = (*(f"torch.{name}" for name in _OWN), *NORMS, *_LAWS)
_SHARING = frozenset(["from_numpy", "as_tensor", "asarray", "frombuffer"])
_PLAIN: dict[str, tuple[Any, ...]] = {
    "device": ("cpu", None), "requires_grad": (False,), "generator": (None,),
}  # fmt: skip
_OF_JAX = "a call of JAX (float32 by default, keys that may come twice); use NumPy and float64"


def called(
    value: Any, positional: tuple[Expression, ...], keywords: tuple[tuple[str, Expression], ...],
    node: ast.Call, scope: Scope,
) -> Expression | None:  # fmt: skip
    """Return the call of a function of torch, or of Python's on a tensor; None of any other.

    Raises
    ------
    Unsupported
        Where the call is of torch, or of JAX, and not read.
    """
    call = Request(positional, dict(keywords), node, scope)
    root = str(getattr(value, "__module__", None)).partition(".")[0]
    if root in ("jax", "jaxlib") and callable(value):
        raise call.refused(_OF_JAX)
    if root != "torch" or not callable(value):
        return conversion(value, call)
    own = str(getattr(value, "__name__", value))
    if any(isinstance(each, Starred) for each in positional):
        raise call.refused("* in a call of torch")
    if own in _SHARING:
        raise call.refused(f"torch.{own}, whose tensor shares memory with what it is made of: "
                           "write torch.tensor(x, dtype=torch.float64)")  # fmt: skip
    name = next((name for name in _NAMES if held_under(name) is value), None)
    if name is None:
        raise call.refused(f"a call of torch.{own}, which is not read")
    if name in _LAWS:
        return _law(_LAWS[name], call)
    short = name.rpartition(".")[2]
    if name in NORMS:
        if len(positional) > 1 or "ord" in call.named:
            raise call.refused("a norm of torch.linalg with an order")
        return of_tensor("norm", call)
    if short in _FILLED or short in _DRAWN:
        return _made(short, call)
    own_way = {"tensor": _copied, "normal": _normal, "randn_like": _like}.get(short)
    return of_tensor(short, call) if own_way is None else own_way(call)


def method(
    base: Expression, name: str, positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...], node: ast.Call, scope: Scope,
) -> Expression:  # fmt: skip
    """Return the call of a method of a tensor, or of a distribution."""
    call, of = Request((base, *positional), dict(keywords), node, scope), kind(base, scope)
    if any(isinstance(each, Starred) for each in positional):
        raise call.refused("* in a call of a method of a tensor")
    if of is not None and of.role not in ("tensor", "array"):
        return _sample(name, call)
    return of_tensor(name, call)


def _copied(call: Request) -> Expression:
    """Return ``torch.tensor`` of the data, a column of it, numbers or noise.

    There are arrays that torch refuses (with negative strides, of objects), so that it takes none
    that is computed. What is no number raises an exception in both.
    """
    given, written = call.by_name(("data",))
    dtype = given.pop("dtype", None)
    if len(call.given) != 1 or not _are_plain(given, "data"):
        raise call.refused("torch.tensor with these arguments")
    _validate_type(dtype, "torch.tensor", call)
    of, node, place = given["data"], written["data"], call.place
    if kind_of_number(node, call.scope) is not None:
        return as_tensor(Call(place, "numpy.float64", (of,)), FLOAT, call.scope, flat=True)
    row = node.elts if isinstance(node, ast.List | ast.Tuple) else ()
    several = bool(row) and all(kind_of_number(each, call.scope) for each in row)
    drawn = isinstance(of, Draw) and of.argument("dtype") is None and of.argument("size")
    if not (several or drawn or _is_data(node, call.scope)):
        raise call.refused("a tensor of what is not the data itself, a column of it or numbers")
    array = Call(place, "numpy.asarray", (of,))
    return as_tensor(Call(place, "operator.mul", (array, Constant(place, 1.0))), FLOAT, call.scope)


def _is_data(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is what the mechanism gets, or a column of it."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return isinstance(node.slice.value, str) and _is_data(node.value, scope)
    entry = scope.lifter.entry
    if entry is None or scope.lifter.stack[-1] is not entry or not isinstance(node, ast.Name):
        return False
    unknown = {*entry.co_varnames[: entry.co_argcount]} - {*scope.live}
    return node.id in unknown and scope.once(node.id)


def _made(name: str, call: Request) -> Expression:
    """Return zeros, ones, or noise, of a shape."""
    named = dict(call.named)
    _validate_type(named.pop("dtype", None), f"torch.{name}", call)
    given, nodes = call.given, call.node.args
    if "size" in named and not given:
        given, nodes = (named.pop("size"),), []
    if not _are_plain(named):
        raise call.refused(f"torch.{name} with these arguments")
    size = _size(given, nodes, call)
    if name in _DRAWN:
        return _drawn(_DRAWN[name], {}, size, call)
    if size is None:
        raise call.refused(f"torch.{name} of no dimension")
    value = Constant(call.place, _FILLED[name])
    return as_tensor(Call(call.place, "numpy.full", (size, value)), FLOAT, call.scope)


def _like(call: Request) -> Expression:
    given, _ = call.by_name(("input",))
    base, dtype = given.pop("input", None), given.pop("dtype", None)
    of = None if base is None else kind(base, call.scope)
    if base is None or of is None or of.role != "tensor" or not _are_plain(given):
        raise call.refused("torch.randn_like with these arguments")
    if dtype is not None or of.dtype != FLOAT:
        _validate_type(dtype, "torch.randn_like", call)
    shape = shape_of(base, call.place, call.scope)
    size = None if of.flat else shape
    return _drawn("standard_normal", {}, size, call)


def _normal(call: Request) -> Expression:
    given, written = call.by_name(("mean", "std", "size"))
    size, dtype = given.pop("size", None), given.pop("dtype", None)
    if not {"mean", "std"} <= given.keys() or not _are_plain(given, "mean", "std"):
        raise call.refused("torch.normal with these arguments")
    arguments = {"loc": given["mean"], "scale": given["std"]}
    tensors = call.are_floats(arguments, {"loc": written["mean"], "scale": written["std"]})
    if size is None and tensors and dtype is None:
        return _drawn("normal", arguments, None, call)
    if size is None or tensors:
        raise call.refused("torch.normal with these arguments")
    _validate_type(dtype, "torch.normal", call)
    return _drawn("normal", arguments, _size((size,), [], call), call)


def _law(family: str, call: Request) -> Expression:
    """Return a distribution: what its noise is drawn with."""
    given, written = call.by_name(("loc", "scale"))
    if given.keys() != {"loc", "scale"}:
        raise call.refused("a distribution with these arguments")
    if not call.are_floats(given, written):
        raise call.refused(f"a distribution of Python numbers, which draws {ROUNDS}: pass "
                           "torch.tensor(scale, dtype=torch.float64)")  # fmt: skip
    scale = _known(written["scale"], call.scope)
    if _known(written["loc"], call.scope) is None and (scale is None or scale <= 0):
        raise call.refused("a distribution whose location an exception tells in its text where the "
                           "scale is not positive: add the noise to the value")  # fmt: skip
    pair = given["loc"], given["scale"]
    flat = all(is_flat(each, call.scope) for each in pair)
    made = Sequence(call.place, "tuple", pair)
    return call.scope.lifter.with_shape(made, tensor(family, FLOAT, flat))


def _known(node: ast.expr, scope: Scope) -> float | None:
    """Return the constant that a tensor, or a number, has in all entries; None if it may vary."""
    value = setting(node, scope)
    if value is not None:
        return value[1] if value[0] in (int, float) else None
    if isinstance(node, ast.Name):
        written = assigned(node.id, scope)
        return None if written is None else _known(written, scope)
    live = resolve(node.func, scope) if isinstance(node, ast.Call) else None
    if live is None or not isinstance(node, ast.Call):
        return None
    for name, filled in _FILLED.items():
        if live.value is held_under(f"torch.{name}"):
            return filled
    if live.value is held_under("torch.tensor") and len(node.args) == 1:
        return _known(node.args[0], scope)
    return None


def _sample(name: str, call: Request) -> Expression:
    base, *shape = call.given
    of = kind(base, call.scope)
    if of is None or name not in ("sample", "rsample") or len(shape) > 1 or call.named:
        raise call.refused(f"the method {name!r} of a distribution")
    if shape and not of.flat:
        raise call.refused("several samples of noise of several entries")
    if not isinstance(base, Sequence | Name):  # both of its parts would run it
        raise call.refused("a distribution that a function returns: write law = ... first")
    if isinstance(base, Sequence):
        loc, scale = base.items
    else:
        loc, scale = (Subscript(call.place, base, Constant(call.place, i)) for i in range(2))
    size = _size(tuple(shape), [], call)
    arguments = {"loc": loc, "scale": scale}
    return _drawn(of.role, arguments, size, call, several=not of.flat)


def _drawn(
    family: str, arguments: dict[str, Expression], size: Expression | None, call: Request, *,
    several: bool = False,
) -> Expression:  # fmt: skip
    """Return noise of the generator that all callers share.

    Noise of several parameters is an array of as many, also if it is of one: NumPy draws a number.
    """
    generator = call.scope.of_all_callers(call.node, TORCH_SEED)
    flat = all(is_flat(each, call.scope) for each in arguments.values()) and not several
    given = {name: _number_of(value) for name, value in arguments.items()}
    given |= {} if size is None else {"size": size}
    draw: Expression = Draw(call.place, family, tuple(given.items()), generator)
    if size is None and not flat:
        draw = Call(call.place, "numpy.asarray", (draw,))
    return as_tensor(draw, FLOAT, call.scope, flat=flat and size is None)


def _number_of(node: Expression) -> Expression:
    """Return the number of a tensor that was made of one, where it is only a parameter of noise."""
    match node:
        case Call(function="numpy.float64", arguments=(number,)):
            return number
    return node


def _size(shape: tuple[Expression, ...], nodes: list[ast.expr], call: Request) -> Expression | None:
    """Return the shape of what is made, None of no dimension.

    Parameters
    ----------
    shape : tuple of Expression
        One shape, or its numbers.
    nodes : list of expr
        How the numbers are written, empty of a shape.
    call : Request
    """
    match shape:
        case () | (Sequence(items=()) | Constant(value=()),):
            return None
        case (Sequence(kind="tuple" | "list") as only,) | (Attribute(name="shape") as only,):
            return only
        case (Constant(value=int() | tuple()) as only,):
            return only
    if not nodes or any(kind_of_number(node, call.scope) != "int" for node in nodes):
        raise call.refused("a shape that is no tuple and no numbers")
    return shape[0] if len(shape) == 1 else Sequence(call.place, "tuple", shape)


def _validate_type(dtype: Expression | None, name: str, call: Request) -> None:
    if dtype is None or dtype_of(dtype) != FLOAT:
        raise call.refused(f"{name} without dtype=torch.float64 ({DEFAULT})")


def _are_plain(given: dict[str, Expression], *known: str) -> bool:
    """Return whether arguments, but for known ones, say only what holds anyway."""
    return all(
        name in known or (isinstance(value, Constant) and value.value in _PLAIN.get(name, ()))
        for name, value in given.items()
    )
