"""Operators of Python: the one table of their names, their syntax, their symbols and their meaning.

A name is that of the function in the module `operator`, which is what an operator means on known
values.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

# The name, its class in `ast`, and its symbol.
_INFIX_ROWS = """
or_ BitOr |
xor BitXor ^
and_ BitAnd &
lshift LShift <<
rshift RShift >>
add Add +
sub Sub -
mul Mult *
truediv Div /
floordiv FloorDiv //
mod Mod %
matmul MatMult @
pow Pow **
lt Lt <
le LtE <=
gt Gt >
ge GtE >=
eq Eq ==
ne NotEq !=
is_ Is is
is_not IsNot is_not
"""
_PREFIX_ROWS = """
neg USub -
pos UAdd +
invert Invert ~
not_ Not not
"""
# Functions of NumPy that do what an operator does, of numbers and arrays of them: lists are arrays.
_UFUNC_ROWS = """
add add
subtract sub
multiply mul
divide truediv
true_divide truediv
floor_divide floordiv
remainder mod
power pow
bitwise_and and_
bitwise_or or_
bitwise_xor xor
less lt
less_equal le
greater gt
greater_equal ge
equal eq
not_equal ne
negative neg
positive pos
"""
_INFIX = [row.split() for row in _INFIX_ROWS.split("\n") if row]
_PREFIX = [row.split() for row in _PREFIX_ROWS.split("\n") if row]

BY_SYNTAX: dict[type[ast.AST], str] = {
    getattr(ast, syntax): name for name, syntax, _ in (*_INFIX, *_PREFIX)
}
INFIX = {name: symbol.replace("_", " ") for name, _, symbol in _INFIX}
PREFIX = {name: symbol for name, _, symbol in _PREFIX}
MEANING: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name) for name in (*INFIX, *PREFIX)
}
UFUNCS = {
    f"numpy.{word}": name for word, name in (row.split() for row in _UFUNC_ROWS.split("\n") if row)
}
# The same of truth values alone: of numbers they are none, and operators work bit by bit.
OF_TRUTHS = {"numpy.logical_and": "and_", "numpy.logical_or": "or_", "numpy.logical_xor": "xor"}
ORDERS = {  # which ways for two numbers to lie make each true
    "lt": frozenset("<"),
    "le": frozenset("<="),
    "gt": frozenset(">"),
    "ge": frozenset(">="),
    "eq": frozenset("="),
    "ne": frozenset("<>"),
}
TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
SIGNS = {INFIX[name]: MEANING[name] for name in ORDERS}  # what they mean, by their symbols
TURNED_SIGNS = {INFIX[name]: INFIX[turned] for name, turned in TURNED.items()}
INEQUALITIES = ("lt", "le", "gt", "ge")
BELOW, ABOVE = ("operator.lt", "operator.le"), ("operator.gt", "operator.ge")  # as calls name them
ORDERED = (*BELOW, *ABOVE)
COMPARISONS = frozenset({*ORDERED, "operator.eq", "operator.ne"})
LOGIC = frozenset({"and_", "or_", "xor"})
SHIFTS = frozenset({"lshift", "rshift"})
FIELD = frozenset({"add", "sub", "mul", "truediv"})  # what IEEE 754 rounds to the nearest float
ARITHMETIC = FIELD | {"pow", "floordiv", "mod"}
OF_FIELD = frozenset(f"operator.{name}" for name in FIELD)


class Compared:
    """Values of which one method, `_compared`, answers all comparisons."""

    __slots__ = ()

    def _compared(self, compare: Callable[[Any, Any], Any], other: Any) -> Any:
        """Return what a comparison of the module `operator` says of this and another value."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> Any:
        return self._compared(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compared(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(operator.ge, other)

    def __eq__(self, other: object) -> Any:
        return self._compared(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._compared(operator.ne, other)
