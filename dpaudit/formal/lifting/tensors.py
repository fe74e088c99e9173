"""Tensors of PyTorch, lowered to arrays of NumPy: their kinds, operations and entries.

What a variable holds is known by its kind, as of objects: a tensor of float64, of int64 or of
truths, of no dimension or of any. Such tensors and arrays do the same, but for what is refused:

* float32, torch's default, is never an operand: neither noise nor sums of it are followed;
* nothing changes a tensor in place, so that tensors may share memory, as views do. What would let
  others change one (`from_numpy`, `as_tensor`) is refused, and an array of `numpy()` is read only;
* what stands beside a tensor is surely a number: an array has another type, or raises an exception.

The names of torch stand in `tensor_calls` and `tensor_makers`. Nothing here imports torch.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence as Several

from dpaudit.checker.operators import COMPARISONS, OF_FIELD
from dpaudit.formal.lifting.numbers import kind_of_number
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import Tensor, tensor
from dpaudit.formal.program import (
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Place,
    Subscript,
)
from dpaudit.formal.unsupported import Unsupported

FLOAT, INT, BOOL = "float64", "int64", "bool"
ROUNDS = "float32, the default type of torch (24 bits)"
DEFAULT = f"{ROUNDS}: pass dtype=torch.float64"
_TYPES = {"torch.float64": FLOAT, "torch.int64": INT, "torch.bool": BOOL}
_LOGIC = frozenset(["operator.and_", "operator.or_", "operator.xor"])
_WHOLE = frozenset(["operator.add", "operator.sub", "operator.mul"])


def kind(node: Expression, scope: Scope) -> Tensor | None:
    """Return what is known of a tensor, of its array or of a law; None of anything else."""
    shape = scope.lifter.shape_of(node)
    return shape if isinstance(shape, Tensor) else None


def as_tensor(node: Expression, dtype: str, scope: Scope, *, flat: bool = False) -> Expression:
    """Return an expression, known to be a tensor of a type, of no dimension where it is flat."""
    return scope.lifter.with_shape(node, tensor("tensor", dtype, flat))


def is_flat(node: Expression, scope: Scope) -> bool:
    """Return whether an operand is a number, or a tensor that surely has no dimension."""
    of = kind(node, scope)
    return of is None or of.flat


def dtype_of(node: Expression) -> str | None:
    """Return the type that an object of torch stands for, None of those that are not followed."""
    value = node.value if isinstance(node, Constant) else None
    of_torch = type(value).__module__ == "torch" and type(value).__name__ == "dtype"
    return _TYPES.get(repr(value)) if of_torch else None


def operation(
    function: str, sides: Several[Expression], nodes: Several[ast.expr], scope: Scope
) -> Expression | None:
    """Return an operation on tensors and numbers, None where none of its operands is a tensor.

    Parameters
    ----------
    function : str
        The canonical name of the operator.
    sides : sequence of Expression
    nodes : sequence of expr
        How the operands are written.
    scope : Scope
    """
    if not any(kind(side, scope) for side in sides):
        return None
    place = sides[0].place
    types = [_type_beside(s, n, scope) for s, n in zip(sides, nodes, strict=True)]
    made = _type_of(function, types, place)
    flat = all(is_flat(side, scope) for side in sides) and function != "operator.matmul"
    if function == "operator.invert" and flat:  # of what may be Python's truth value
        function = "numpy.logical_not"
    return as_tensor(Call(place, function, tuple(sides)), made, scope, flat=flat)


def item(base: Expression, index: Expression, node: ast.Subscript, scope: Scope) -> Expression:
    """Return some entries of a tensor: by numbers, slices, or a tensor of truths."""
    of, marks = kind(base, scope), kind(index, scope)
    if of is None or of.role != "tensor" or of.flat:
        raise scope.refuse("an item of a tensor of no dimension, or of an array of one", node)
    each = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    masked = marks is not None and (marks.role, marks.dtype) == ("tensor", BOOL) and not marks.flat
    if not masked and not all(_is_index(one, scope) for one in each):
        raise scope.refuse("an index of a tensor that is no number, slice or mask", node)
    return as_tensor(Subscript(base.place, base, index), of.dtype, scope)


def attribute(base: Expression, node: ast.Attribute, scope: Scope) -> Expression:
    """Return the shape of a tensor."""
    of = kind(base, scope)
    if node.attr != "shape" or of is None or of.role != "tensor":
        raise scope.refuse(f"the attribute {node.attr!r} of a tensor", node)
    return shape_of(base, scope.place(node), scope)


def shape_of(base: Expression, place: Place, scope: Scope) -> Expression:
    """Return the shape of a tensor, which a number that stands for one does not have."""
    validate_named(base, scope)
    return Constant(place, ()) if is_flat(base, scope) else Attribute(place, base, "shape")


def validate_named(base: Expression, scope: Scope) -> None:
    """Raise where a tensor of no dimension is computed, as by a function that prints too.

    Nothing would run it where only its shape is asked.
    """
    if is_flat(base, scope) and not isinstance(base, Name):
        raise Unsupported("the shape of a tensor that has no name: write y = ... first", base.place)


def refuse_update(node: ast.AugAssign, scope: Scope) -> None:
    """Raise where an operator would change a tensor in place."""
    of = node.target
    while isinstance(of, ast.Subscript):
        of = of.value  # type: ignore[assignment]
    if isinstance(of, ast.Name) and isinstance(scope.holders.find(of.id), Tensor):
        raise scope.refuse("a tensor that is changed in place: write x = x + y", node)


def _is_index(node: ast.expr, scope: Scope) -> bool:
    if not isinstance(node, ast.Slice):
        return kind_of_number(node, scope) == "int"
    ends = (end for end in (node.lower, node.upper) if end is not None)
    return node.step is None and all(_is_index(end, scope) for end in ends)


def _type_beside(side: Expression, node: ast.expr, scope: Scope) -> str:
    """Return the type of an operand: of a tensor, or "int" or "float" of a number."""
    of = kind(side, scope)
    if of is not None:
        if of.role != "tensor":
            raise Unsupported(f"an operation on {of.said}", side.place)
        return of.dtype
    number = kind_of_number(node, scope)
    if number is None:
        raise Unsupported("a tensor beside what may be an array: write float(...) of a number, or "
                          "torch.tensor(x, dtype=torch.float64)", side.place)  # fmt: skip
    return number


def _type_of(function: str, types: list[str], place: Place) -> str:
    """Return the type of an operation's result."""
    given = set(types)
    if function in COMPARISONS and BOOL not in given and given != {INT, "float"}:
        return BOOL
    if given == {BOOL} and (function in _LOGIC or function == "operator.invert"):
        return BOOL
    if function == "operator.neg" and given <= {FLOAT, INT}:
        return types[0]
    if function == "operator.matmul" and given == {FLOAT}:
        return FLOAT
    masks = BOOL in given and function != "operator.mul"
    if function in OF_FIELD and FLOAT in given and not masks:
        return FLOAT
    if function in _WHOLE and given <= {INT, "int"}:
        return INT
    if BOOL not in given and INT in given:
        raise Unsupported(f"what an integer tensor gives here ({ROUNDS}): write x.double()", place)
    raise Unsupported(f"{function} of tensors of {' and '.join(types)}", place)
