"""Operators of Python: the one table of their names, their syntax, their symbols and their meaning.

A name is that of the function in the module `operator`, which is what an operator means on known
values.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

# The name, its class in `ast`, its symbol, and how tightly it binds.
_INFIX_ROWS = """
or_ BitOr | 5
xor BitXor ^ 6
and_ BitAnd & 7
lshift LShift << 8
rshift RShift >> 8
add Add + 9
sub Sub - 9
mul Mult * 10
truediv Div / 10
floordiv FloorDiv // 10
mod Mod % 10
matmul MatMult @ 10
pow Pow ** 12
lt Lt < 4
le LtE <= 4
gt Gt > 4
ge GtE >= 4
eq Eq == 4
ne NotEq != 4
is_ Is is 4
is_not IsNot is_not 4
"""
_PREFIX_ROWS = """
neg USub - 11
pos UAdd + 11
invert Invert ~ 11
not_ Not not_ 3
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
    getattr(ast, syntax): name for name, syntax, _, _ in (*_INFIX, *_PREFIX)
}
INFIX = {name: (symbol.replace("_", " "), int(level)) for name, _, symbol, level in _INFIX}
PREFIX = {name: (symbol.replace("_", " "), int(level)) for name, _, symbol, level in _PREFIX}
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
INEQUALITIES = ("lt", "le", "gt", "ge")
LOGIC = frozenset({"and_", "or_", "xor"})
FIELD = frozenset({"add", "sub", "mul", "truediv"})  # what IEEE 754 rounds to the nearest float
ARITHMETIC = FIELD | {"pow", "floordiv", "mod"}
