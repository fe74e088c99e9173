"""Library functions that others define: each of these is lowered here, and known nowhere else.

A line holds the name of a function and what a call of it is, in Python. Both sides do the same for
all arguments: values, types, errors. What has two definitions has different arguments in each. A
parameter with a default stands for an argument that a call may leave out. A test compares each
definition with the library.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from dpaudit.checker.operators import BY_SYNTAX
from dpaudit.formal.program import Call, Constant, Expression, Name, Place, Sequence, Starred

DEFINITIONS = """
builtins.pow: lambda base, exp: base**exp
math.log: lambda x, base, /: math.log(x) / math.log(base)
method.isnull: lambda self, /: method.isna(self)
method.notnull: lambda self, /: method.notna(self)
numpy.append: lambda arr, values: numpy.concatenate((numpy.ravel(arr), numpy.ravel(values)))
numpy.average: lambda a, axis=None: numpy.mean(numpy.asarray(a), axis=axis)
numpy.copy: lambda a: numpy.array(a)
numpy.identity: lambda n, dtype=None: numpy.eye(n, dtype=dtype)
numpy.isinf: lambda x, /: numpy.absolute(x) == 1e999
numpy.isneginf: lambda x, /: 0.0 - numpy.minimum(x, 0.0) == 1e999
numpy.isposinf: lambda x, /: numpy.maximum(x, 0.0) == 1e999
numpy.ones: lambda shape: numpy.full(shape, 1.0)
numpy.ones: lambda shape, dtype: numpy.full(shape, 1, dtype=dtype)
numpy.zeros: lambda shape: numpy.full(shape, 0.0)
numpy.zeros: lambda shape, dtype: numpy.full(shape, 0, dtype=dtype)
scipy.special.expit: lambda x, /: (1.0 + numpy.tanh(x / 2.0)) / 2.0
"""


_READ = [line.split(": ", 1) for line in DEFINITIONS.strip().split("\n")]
_BY_NAME = {name: [ast.parse(t).body[0] for n, t in _READ if n == name] for name, _ in _READ}
DEFINED = frozenset(_BY_NAME)


def defined(node: Call) -> Expression | None:
    """Return what a call of a library function is in terms of others, None where nothing says so.

    Parameters
    ----------
    node : Call
    """
    for definition in _BY_NAME.get(str(node.function), ()):
        of: Any = definition.value  # type: ignore[attr-defined]
        given = _bound(of.args, node)
        if given is not None:
            written: Expression = _written(of.body, given, node.place)
            return written
    return None


def _bound(parameters: ast.arguments, node: Call) -> dict[str, Expression] | None:
    """Return the arguments of a call by the parameters of a definition, None where they differ.

    What comes after the first argument cannot fail: what is computed of the first may come before.
    """
    by_place = [each.arg for each in (*parameters.posonlyargs, *parameters.args)]
    given = dict(zip(by_place, node.arguments, strict=False))
    more = dict(node.keywords)
    known = {each.arg for each in parameters.args}
    every = {**given, **more}
    needed = by_place[: len(by_place) - len(parameters.defaults)]
    if len(node.arguments) > len(by_place) or not more.keys() <= known - given.keys():
        return None
    if not every.keys() >= set(needed) or list(every) != [n for n in by_place if n in every]:
        return None
    first, *others = every.values()
    plain = all(isinstance(value, Name | Constant) for value in others)
    typed = "dtype" not in every or _is_of_numbers(every["dtype"])
    return every if plain and typed and not isinstance(first, Starred) else None


def _is_of_numbers(dtype: Expression) -> bool:
    """Return whether a type is known to be one of numbers, which a number can fill."""
    value = dtype.value if isinstance(dtype, Constant) else None
    try:
        return value is not None and np.dtype(value).kind in "biuf"
    except (TypeError, ValueError):
        return False


def _written(tree: Any, given: dict[str, Expression], place: Place) -> Any:
    """Return a definition for arguments; None for one that is left out."""
    match tree:
        case ast.Name(id=name):
            return given.get(name)
        case ast.Constant(value=value):
            return Constant(place, value)
        case ast.BinOp(left=left, op=operator, right=right):
            sides = (_written(left, given, place), _written(right, given, place))
            return Call(place, f"operator.{BY_SYNTAX[type(operator)]}", sides)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            sides = (_written(left, given, place), _written(right, given, place))
            return Call(place, "operator.eq", sides)
        case ast.Tuple(elts=items):
            return Sequence(place, "tuple", tuple(_written(i, given, place) for i in items))
    arguments = tuple(_written(each, given, place) for each in tree.args)
    named = ((k.arg, _written(k.value, given, place)) for k in tree.keywords)
    keywords = tuple((name, value) for name, value in named if value is not None)
    return Call(place, ast.unparse(tree.func), arguments, keywords)
