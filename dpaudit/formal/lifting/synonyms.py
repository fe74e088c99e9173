"""Calls that say what another one says: each has one name, which the provers know."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from dpaudit.checker.operators import BELOW, ORDERED
from dpaudit.checker.pure import is_ufunc
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.definitions import defined
from dpaudit.formal.lifting.frame_tables import respelled
from dpaudit.formal.lifting.frames import is_pure, limited, stored_where
from dpaudit.formal.lifting.lazy import as_generator
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.rows_of_displays import in_columns
from dpaudit.formal.lifting.trees import rewritten
from dpaudit.formal.program import (
    Assign,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Draw,
    Evaluate,
    Expression,
    Name,
    Named,
    Return,
    Sequence,
    Slice,
    Subscript,
)

_OF_ENTRIES = ("numpy.clip", "numpy.round", "method.clip", "method.round")
_AT_ONCE = ("builtins.sorted", "builtins.max", "builtins.min", "collections.Counter")


def named(statement: Any, once: frozenset[str] = frozenset()) -> Any:
    """Return a statement in which such calls have the name that is known.

    Parameters
    ----------
    statement : Statement
    once : frozenset of str
        Variables that are iterators.
    """
    return rewritten(statement, partial(_named, once=once))


def _named(node: Any, once: frozenset[str]) -> Any:
    if isinstance(node, Evaluate):
        return _in_place(node)
    if isinstance(node, Assign):
        return stored_where(node)
    table = respelled(node)
    if table is not None:
        return table
    tossed = _tossed(node)
    if tossed is not None:
        return tossed
    if isinstance(node, Subscript):
        marks = _marked(node.index)
        return None if marks is None else replace(node, index=marks)
    if not isinstance(node, Call) or not isinstance(node.function, str):
        return None
    if node.function == "method.astype" and _copies(node):
        return replace(node, keywords=())
    other = in_columns(node, once) or defined(node)
    if other is not None or node.keywords:
        return other
    if node.function == "numpy.where" and len(node.arguments) == 3:
        return _clipped(node)
    if node.function == "numpy.where" and len(node.arguments) == 1:
        return _places(node)
    if node.function == "method.mask":
        return limited(node)
    if node.function == "numpy.isin" and len(node.arguments) == 2:
        return _one_of(node)
    if node.function == "numpy.nansum" and len(node.arguments) == 1:
        return _sum_of_known(node)
    if node.function == "builtins.sum" and len(node.arguments) == 1:
        (of,) = node.arguments
        made = _as_it_is(of)
        return None if made is None else replace(node, arguments=(made,))
    if node.function == "builtins.list" and len(node.arguments) == 1:
        made = as_generator(node.arguments[0])
        return None if made is None else replace(made, kind="list")
    if node.function in _AT_ONCE and len(node.arguments) == 1:
        (of,) = node.arguments
        if isinstance(of, Comprehension) and of.kind == "generator" and len(of.clauses) == 1:
            return replace(node, arguments=(replace(of, kind="list"),))
        return None
    if node.function == "operator.truediv" and len(node.arguments) == 2:
        return _logistic(node)
    if node.function == "functools.reduce" and len(node.arguments) == 3:
        return _added_up(node)
    if node.function == "numpy.clip" and len(node.arguments) == 3:
        return _clipped_with_nan(node)
    return None


def _places(node: Call) -> Call:
    """Return what NumPy says that ``np.where(c)`` is short for."""
    return call(node.place, "numpy.nonzero", *node.arguments)


def _sum_of_known(node: Call) -> Call:
    """Return ``np.sum(np.where(np.isnan(x), 0, x))`` for ``np.nansum(x)``."""
    held = Name(node.place, f"·known_{node.place.line}")
    made = Named(node.place, held, call(node.place, "numpy.asarray", *node.arguments))
    missing = call(node.place, "numpy.isnan", made)
    known = call(node.place, "numpy.where", missing, Constant(node.place, 0), held)
    return call(node.place, "numpy.sum", known)


def _tossed(node: Any) -> Expression | None:
    """Return draws below p for draws of ``binomial(1, p, n)`` that are asked whether they are 1."""
    match node:
        case (
            Call(function="operator.eq", arguments=(Draw() as draw, Constant(value=1)))
            | Call(function="operator.gt", arguments=(Draw() as draw, Constant(value=0)))
        ):
            return _coins(draw)
        case Call(function="method.astype", arguments=(Draw() as draw, Constant(value=to))):
            return _coins(draw) if to is bool else None
        case Call(
            function="numpy.where" | "numpy.nonzero" | "method.nonzero" | "numpy.flatnonzero",
            arguments=(Draw() as draw,),
            keywords=(),
        ):
            coins = _coins(draw)
            return None if coins is None else replace(node, arguments=(coins,))
    return None


def _coins(draw: Draw) -> Expression | None:
    """Return what says of each draw of ``binomial(1, p, n)``, n no number, whether it is 1.

    NumPy draws it by inversion of a uniform number, from the side on which there is less.
    """
    n, p, size = map(draw.argument, ("n", "p", "size"))
    once = isinstance(n, Constant) and type(n.value) is int and n.value == 1
    if draw.family != "binomial" or not once or p is None or isinstance(size, Constant | None):
        return None
    if not isinstance(p, Name | Constant):
        return None
    place = draw.place
    uniform = replace(draw, family="random", arguments=(("size", size),))
    rest = call(place, "operator.sub", Constant(place, 1), p)
    few = call(place, "operator.le", p, Constant(place, 0.5))
    above = call(place, "operator.gt", uniform, rest)
    return Choice(place, few, above, call(place, "operator.le", uniform, p))


def _in_place(node: Evaluate) -> Assign | None:
    """Return ``f(x, out=y)`` as ``y[:] = f(x)``, where f is a function of entries."""
    match node.value:
        case Call(function=str(name), keywords=(("out", Name() as to),)) if (
            name in _OF_ENTRIES or is_ufunc(name, methods=False)
        ):
            every = Subscript(node.place, to, Slice(node.place, None, None, None))
            return Assign(node.place, every, replace(node.value, keywords=()))
    return None


def _copies(node: Call) -> bool:
    """Return whether ``x.astype(t, copy=True)`` says only what is so anyway."""
    ((name, value), *more) = node.keywords or (("", node),)
    return name == "copy" and isinstance(value, Constant) and value.value is True and not more


def _as_it_is(items: Expression) -> Expression | None:
    """Return xs for ``x for x in xs``."""
    if not isinstance(items, Comprehension) or items.kind not in ("generator", "list"):
        return None
    (target, through, conditions), *more = items.clauses
    plain = isinstance(target, Name) and not conditions and not more
    return through if plain and rewriting.same(items.element, target) else None


def _clipped_with_nan(node: Call) -> Expression | None:
    """Return ``fmin(fmax(x, low), high)`` for ``clip(where(isnan(x), low, x), low, high)``."""
    held, low, high = node.arguments
    if not isinstance(held, Call) or held.function != "numpy.where" or held.keywords:
        return None
    test, instead, value = (*held.arguments, None, None)[:3]
    missing = call(node.place, "numpy.isnan", value) if value is not None else None
    if not (rewriting.same(test, missing) and rewriting.same(instead, low)):
        return None
    if not (rewriting.is_quiet(low) and rewriting.is_quiet(held)):
        return None
    above = call(node.place, "numpy.fmax", value, low)  # type: ignore[arg-type]
    return call(node.place, "numpy.fmin", above, high)


def _logistic(node: Call) -> Expression | None:
    """Return what ``1 / (1 + np.exp(-x))`` is without a number that may overflow."""
    one, below = node.arguments
    if not _is_one(one) or not isinstance(below, Call) or below.function != "operator.add":
        return None
    first, second = below.arguments
    power = second if _is_one(first) else first
    if not (_is_one(first) or _is_one(second)) or not isinstance(power, Call):
        return None
    of: Any = power.arguments[0] if len(power.arguments) == 1 and not power.keywords else None
    if power.function != "numpy.exp" or not isinstance(of, Call) or of.function != "operator.neg":
        return None  # `math.exp` raises an error where the result is too large
    return defined(call(node.place, "scipy.special.expit", *of.arguments))


def _is_one(node: Expression) -> bool:
    return isinstance(node, Constant) and type(node.value) in (int, float) and node.value == 1


def _added_up(node: Call) -> Expression | None:
    """Return a sum for ``reduce(lambda total, x: total + f(x), items, 0)``."""
    step, items, start = node.arguments
    if not isinstance(start, Constant) or type(start.value) not in (int, float):
        return None
    added = items
    if isinstance(step, Closure):
        made = _summand(step, items)
        if made is None:
            return None
        added = _as_it_is(made) or made
    elif not isinstance(step, Constant) or canonical_name(step.value) != "operator.add":
        return None
    total = call(node.place, "builtins.sum", added)
    return total if start.value == 0 else call(node.place, "operator.add", start, total)


def _summand(step: Closure, items: Expression) -> Comprehension | None:
    """Return what is added at each step of a sum, None where the total so far decides it."""
    of = step.function
    plain = len(of.parameters) == 2 and not of.defaults and of.starred is None
    value = of.body[0].value if len(of.body) == 1 and isinstance(of.body[0], Return) else None
    if not plain or not isinstance(value, Call) or value.function != "operator.add":
        return None
    total, own = of.parameters
    first, second = value.arguments
    if not isinstance(first, Name) or first.id != total:
        first, second = second, first
    alone = isinstance(first, Name) and first.id == total and total not in rewriting.reads(second)
    if not alone or any(isinstance(part, Named) for part in rewriting.inner(second)):
        return None
    clause = (Name(step.place, own), items, ())
    return Comprehension(step.place, "generator", second, (clause,))


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
    if not isinstance(test, Call) or test.function not in ORDERED or not rewriting.is_quiet(test):
        return None
    first, second = test.arguments
    if isinstance(first, Constant) is isinstance(second, Constant):
        return None  # of two arrays either may be NaN
    upright = rewriting.same(yes, first) and rewriting.same(no, second)
    if not upright and not (rewriting.same(yes, second) and rewriting.same(no, first)):
        return None
    smaller = (test.function in BELOW) is upright
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
