"""Calls of PyTorch on tensors, by one name each: functions, and methods of the same name."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.lifting.numbers import kind_of_number
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import Tensor, tensor
from dpaudit.formal.lifting.tensors import (
    BOOL,
    DEFAULT,
    FLOAT,
    INT,
    as_tensor,
    dtype_of,
    is_flat,
    kind,
    shape_of,
    validate_named,
)
from dpaudit.formal.program import Attribute, Call, Constant, Expression, Place, Subscript
from dpaudit.formal.unsupported import Unsupported

# Functions of the entries of a tensor of floats.
_OF_ENTRIES = {
    "abs": "numpy.absolute", "exp": "numpy.exp", "log": "numpy.log", "sqrt": "numpy.sqrt",
    "square": "numpy.square", "tanh": "numpy.tanh",
}  # fmt: skip
# Functions of all entries; of those along one dimension too, where the third field says so. The
# types of which they are taken, and the type of what they give, None where it is that.
_OF_ALL: dict[str, tuple[str, tuple[str, ...], bool, str | None]] = {
    "sum": ("numpy.sum", (FLOAT, INT, BOOL), True, None),
    "mean": ("numpy.mean", (FLOAT,), True, None),
    "norm": ("numpy.linalg.norm", (FLOAT,), True, None),
    "max": ("numpy.max", (FLOAT, INT), False, None),
    "min": ("numpy.min", (FLOAT, INT), False, None),
    "argmax": ("numpy.argmax", (FLOAT,), False, INT),
    "any": ("numpy.any", (BOOL,), False, BOOL),
    "all": ("numpy.all", (BOOL,), False, BOOL),
}
_OF_TWO = {"minimum": "numpy.minimum", "maximum": "numpy.maximum", "matmul": "operator.matmul"}
_ITSELF = frozenset(["detach", "cpu", "clone", "contiguous"])
_CASTS = {"double": FLOAT, "long": INT, "to": None, "type": None, "float": None, "half": None}
_NUMPY_NUMBERS = {FLOAT: "numpy.float64", INT: "numpy.int64"}
_PYTHON_NUMBERS = {FLOAT: "builtins.float", INT: "builtins.int", BOOL: "builtins.bool"}
FUNCTIONS = frozenset([*_OF_ENTRIES, *_OF_ALL, *_OF_TWO, "clamp", "clip", "where"])
NORMS = frozenset(["torch.linalg.norm", "torch.linalg.vector_norm"])


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A call of torch: what it is given, and how that is written."""

    given: tuple[Expression, ...]
    named: dict[str, Expression]
    node: ast.Call
    scope: Scope

    @property
    def place(self) -> Place:
        """Where the call is written."""
        return self.scope.place(self.node)

    def refused(self, what: str) -> Unsupported:
        """Return the exception that says what is not read."""
        return self.scope.refuse(what, self.node)

    def by_name(self, names: tuple[str, ...]) -> tuple[dict[str, Expression], dict[str, ast.expr]]:
        """Return all arguments by their names, and how they are written.

        Parameters
        ----------
        names : tuple of str
            Of the positional ones that are written in the call.
        """
        behind = len(self.given) - len(self.node.args)  # the receiver of a method
        given = self.given[behind:]
        if len(given) > len(names):
            raise self.refused("a call of torch with more arguments")
        every = dict(zip(names, given, strict=False))
        if every.keys() & self.named.keys():
            raise self.refused("an argument that is given twice")
        order = [n for n, v in self.named.items() if not isinstance(v, Constant)]
        if order != [n for n in names if n in order] + [n for n in order if n not in names]:
            raise self.refused("arguments of torch in another order than that of its parameters")
        written = dict(zip(names, self.node.args, strict=False))
        written |= {k.arg: k.value for k in self.node.keywords if k.arg}
        return every | self.named, written

    def floats(self, node: Expression) -> Tensor:
        """Return what is known of a tensor of floats."""
        of = kind(node, self.scope)
        if of is None or (of.role, of.dtype) != ("tensor", FLOAT):
            raise self.refused("what is no tensor of float64; write x.double()")
        return of

    def are_floats(self, given: dict[str, Expression], written: dict[str, ast.expr]) -> bool:
        """Return whether there is a tensor of float64 among arguments; the others are numbers."""
        held = {name: kind(each, self.scope) for name, each in given.items()}
        for name, of in held.items():
            if of is not None or kind_of_number(written[name], self.scope) is None:
                self.floats(given[name])
        return any(held.values())

    def only(self, count: int) -> None:
        """Refuse other arguments than so many by position."""
        if len(self.given) != count or self.named:
            raise self.refused("a call of torch with these arguments")


def conversion(value: Any, call: Request) -> Expression | None:
    """Return a tensor as a number of Python's, its length or its magnitude, None of all else."""
    of = kind(call.given[0], call.scope) if len(call.given) == 1 and not call.named else None
    if of is None or of.role != "tensor":
        return None
    if value is abs:
        return _of_entries("abs", call)
    if value is len:
        return Call(call.place, "builtins.len", call.given)
    if value is float or value is int:
        return Call(call.place, f"builtins.{value.__name__}", (_number(call),))
    return None


def of_tensor(name: str, call: Request) -> Expression:
    """Return the call of a method, or of the function of its name, on the first argument."""
    of = kind(call.given[0], call.scope) if call.given else None
    if name == "where":
        return _where(call)
    if of is None or of.role not in ("tensor", "array"):
        raise call.refused(f"{name!r} of what is no tensor")
    alone = len(call.given) == 1 and not call.named
    if name == "item" and alone:
        return _number(call)
    if name == "tolist" and alone:
        return _number(call) if of.flat else Call(call.place, "method.tolist", call.given)
    if of.role == "array":
        raise call.refused(f"the method {name!r} of {of.said}")
    if name == "numpy" and alone:
        array = Call(call.place, "numpy.array", call.given)
        return call.scope.lifter.with_shape(array, tensor("array", of.dtype, of.flat))
    if name in _ITSELF and alone:
        return call.given[0]
    if name in ("flatten", "ravel") and alone:
        return as_tensor(Call(call.place, "numpy.ravel", call.given), of.dtype, call.scope)
    if name in ("numel", "dim", "size"):
        return _size(name, call)
    if name in _CASTS:
        return _cast(name, of, call)
    if name in _OF_ENTRIES:
        return _of_entries(name, call)
    if name in _OF_ALL:
        return _of_all(name, of, call)
    if name in _OF_TWO:
        return _of_two(name, call)
    if name in ("clamp", "clip"):
        return _clipped(call)
    how = "changes a tensor in place" if name.endswith("_") else "is not read"
    raise call.refused(f"the method {name!r} of a tensor, which {how}")


def _number(call: Request) -> Call:
    """Return the number of a tensor of one entry: one of no dimension may be a number already."""
    of = kind(call.given[0], call.scope)
    if of is not None and of.flat and of.role == "tensor":
        return Call(call.place, _PYTHON_NUMBERS[of.dtype], call.given[:1])
    return Call(call.place, "method.item", call.given[:1])


def _of_entries(name: str, call: Request) -> Expression:
    call.only(1)
    of = call.floats(call.given[0])
    return as_tensor(
        Call(call.place, _OF_ENTRIES[name], call.given), FLOAT, call.scope, flat=of.flat
    )


def _of_two(name: str, call: Request) -> Expression:
    call.only(2)
    flat = [call.floats(each).flat for each in call.given]
    flat_too = all(flat) and name != "matmul"
    return as_tensor(Call(call.place, _OF_TWO[name], call.given), FLOAT, call.scope, flat=flat_too)


def _of_all(name: str, of: Tensor, call: Request) -> Expression:
    function, types, by_dimension, made = _OF_ALL[name]
    if of.dtype not in types:
        raise call.refused(f"{name!r} of a tensor of {of.dtype}; write x.double()")
    names = ("p", "dim", "keepdim") if name == "norm" else ("dim", "keepdim")
    method = len(call.given) > len(call.node.args)
    given, _ = call.by_name(names if method else ("input", *names))
    given.pop("input", None)
    known = {n: v.value if isinstance(v, Constant) else ... for n, v in given.items()}
    order, by, keep = (known.pop(n, None) for n in ("p", "dim", "keepdim"))
    wrong = order not in (None, 2) or type(by) not in (int, type(None)) or known
    if wrong or (by is not None and not by_dimension) or keep not in (None, False, True):
        raise call.refused(f"{name!r} with these arguments")
    if keep is not None and by is None:
        raise call.refused(f"{name!r} with these arguments")
    words = (("axis", by), ("keepdims", keep))
    keywords = tuple((n, Constant(call.place, v)) for n, v in words if v is not None)
    made = made or (INT if of.dtype == BOOL else of.dtype)
    found = Call(call.place, function, call.given[:1], keywords)
    return as_tensor(found, made, call.scope, flat=by is None)


def _clipped(call: Request) -> Expression:
    method = len(call.given) > len(call.node.args)
    of = call.floats(call.given[0])
    ends, written = call.by_name(("min", "max") if method else ("input", "min", "max"))
    ends.pop("input", None)
    ends = {n: e for n, e in ends.items() if not (isinstance(e, Constant) and e.value is None)}
    if not ends or not ends.keys() <= {"min", "max"}:
        raise call.refused("clamp with these arguments")
    if any(kind_of_number(written[name], call.scope) is None for name in ends):
        raise call.refused("clamp between what may be no numbers")
    limits = [ends[name] for name in ("min", "max") if name in ends]
    one = "numpy.maximum" if "min" in ends else "numpy.minimum"
    function = "numpy.clip" if len(limits) == 2 else one
    found = Call(call.place, function, (call.given[0], *limits))
    return as_tensor(found, FLOAT, call.scope, flat=of.flat)


def _where(call: Request) -> Expression:
    call.only(3)
    if len(call.node.args) < 3:
        raise call.refused("the method 'where' of a tensor")
    given, written = call.by_name(("condition", "input", "other"))
    marks = kind(given.pop("condition"), call.scope)
    if marks is None or (marks.role, marks.dtype) != ("tensor", BOOL):
        raise call.refused("torch.where without a tensor of truths")
    if not call.are_floats(given, written):
        raise call.refused(f"torch.where of Python numbers: {DEFAULT}")
    return as_tensor(Call(call.place, "numpy.where", call.given), FLOAT, call.scope)


def _cast(name: str, of: Tensor, call: Request) -> Expression:
    base, *asked = *call.given, *call.named.values()
    to = _CASTS[name]
    if name in ("to", "type") and len(asked) == 1 and call.named.keys() <= {"dtype"}:
        to = dtype_of(asked[0])
    elif asked:
        to = None
    if to is None:
        raise call.refused(f"the method {name!r} to what may be another type: {DEFAULT}")
    if to == of.dtype:
        return base
    if to == BOOL or of.dtype == FLOAT:
        raise call.refused("a cast that cuts numbers off")
    if of.flat:
        return as_tensor(Call(call.place, _NUMPY_NUMBERS[to], (base,)), to, call.scope, flat=True)
    import numpy as np

    types: dict[str, Any] = {FLOAT: np.float64, INT: np.int64}
    cast = Call(call.place, "method.astype", (base, Constant(call.place, types[to])))
    return as_tensor(cast, to, call.scope)


def _size(name: str, call: Request) -> Expression:
    base, *rest = call.given
    if call.named or len(rest) > (name == "size"):
        raise call.refused(f"the method {name!r} with these arguments")
    if name != "size":
        validate_named(base, call.scope)
        if is_flat(base, call.scope):
            return Constant(call.place, int(name == "numel"))
        return Attribute(call.place, base, "size" if name == "numel" else "ndim")
    shape = shape_of(base, call.place, call.scope)
    return Subscript(call.place, shape, rest[0]) if rest else shape
