"""Calls that say what another one says: each has one name, which the provers know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.lazy import as_generator
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.trees import rewritten
from dpaudit.formal.program import Call, Constant, Expression, Sequence, Subscript

_LESS = ("operator.lt", "operator.le")
_ORDERS = (*_LESS, "operator.gt", "operator.ge")


def named(statement: Any) -> Any:
    """Return a statement in which such calls have the name that is known."""
    return rewritten(statement, _named)


def _named(node: Any) -> Any:
    if isinstance(node, Subscript):
        marks = _marked(node.index)
        return None if marks is None else replace(node, index=marks)
    if not isinstance(node, Call) or not isinstance(node.function, str) or node.keywords:
        return None
    if node.function == "numpy.average" and len(node.arguments) == 1:
        return replace(node, function="numpy.mean")
    if node.function == "numpy.where" and len(node.arguments) == 3:
        return _clipped(node)
    if node.function == "numpy.isin" and len(node.arguments) == 2:
        return _one_of(node)
    if node.function == "builtins.sum" and len(node.arguments) == 1:
        (of,) = node.arguments
        made = as_generator(of) if isinstance(of, Call) else None
        return None if made is None else replace(node, arguments=(made,))
    return None


def _marked(index: Expression) -> Expression | None:
    """Return c of ``x[np.where(c)]``."""
    if not isinstance(index, Call) or index.function not in ("numpy.where", "numpy.flatnonzero"):
        return None
    marks = index.arguments[0] if len(index.arguments) == 1 and not index.keywords else None
    compared = isinstance(marks, Call) and str(marks.function).startswith("operator.")
    return marks if compared else None


def _clipped(node: Call) -> Expression | None:
    """Return the smaller or the larger of a value and a number for ``np.where(x < 5, x, 5)``."""
    test, yes, no = node.arguments
    if not isinstance(test, Call) or test.function not in _ORDERS or not rewriting.is_quiet(test):
        return None
    first, second = test.arguments
    if isinstance(first, Constant) is isinstance(second, Constant):
        return None  # of two arrays either may be NaN
    upright = rewriting.same(yes, first) and rewriting.same(no, second)
    if not upright and not (rewriting.same(yes, second) and rewriting.same(no, first)):
        return None
    smaller = (test.function in _LESS) is upright
    if isinstance(no, Constant):  # which takes the place of NaN
        name = "numpy.fmin" if smaller else "numpy.fmax"
    else:
        name = "numpy.minimum" if smaller else "numpy.maximum"
    value, number = (second, first) if isinstance(first, Constant) else (first, second)
    return call(node.place, name, value, number)


def _one_of(node: Call) -> Expression | None:
    """Return ``(x == a) | (x == b)`` for ``np.isin(x, [a, b])``."""
    value, among = node.arguments
    items: Any = among.items if isinstance(among, Sequence) else getattr(among, "value", None)
    if not isinstance(items, tuple | list) or not items or not is_pure(value):
        return None
    constants = [i if isinstance(i, Constant) else Constant(node.place, i) for i in items]
    if not all(type(c.value) in (int, float, str) for c in constants):
        return None
    value = call(node.place, "numpy.asarray", value)  # a list equals no number
    tests = [call(node.place, "operator.eq", value, constant) for constant in constants]
    whole: Expression = tests[0]
    for test in tests[1:]:
        whole = call(node.place, "operator.or_", whole, test)
    return whole
