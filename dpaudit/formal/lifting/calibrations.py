"""Calibrations: functions of public constants, which are run to know what they return.

The scale of noise may come from a search, such as that of the analytic Gaussian mechanism, or from
a table that loops fill. What such a function returns takes the place of its call if it gives the
same in every process (`dpaudit.formal.lifting.known`) and all of its arguments are constants. A
function that is one formula, or adds up and compares, is read instead: proofs read that as real
numbers.
"""

from __future__ import annotations

import ast
import copy
import math
import sys
import types
import warnings
from typing import Any, Literal

import numpy as np

from dpaudit.formal.clock import charge
from dpaudit.formal.lifting.folding import folded, has_stars
from dpaudit.formal.lifting.known import is_plain, pure_functions
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import is_scalar
from dpaudit.formal.lifting.source import names_in, source_of
from dpaudit.formal.program import Call, Constant, Expression, Place, Sequence
from dpaudit.formal.unsupported import Unsupported

MOST = 1_000_000  # lines of code that a call may run
_DEEPEST = 100  # calls inside of one another, far fewer than Python allows
_STEPS = 3  # on the clock of proofs, of a line
_WARNED: tuple[Literal["ignore"], Literal["error"]] = ("ignore", "error")  # one run with each
_ARITHMETIC_WORDS = """
abs append ceil enumerate fabs float floor int isinstance isfinite isinf isnan items len list max
min range reversed round sqrt sum values zip TypeError ValueError
"""
_ARITHMETIC = frozenset(_ARITHMETIC_WORDS.split())
_FORMULA = _ARITHMETIC | {"exp", "expm1", "log", "log10", "log1p", "log2", "pow"}
_LARGE_WORDS = """
arange comb empty factorial full identity ones perm pow power prod repeat tile zeros
"""
_LARGE = frozenset(_LARGE_WORDS.split())  # whose results may be large
_ONE_BY_ONE = frozenset({"combinations", "enumerate", "permutations", "reversed", "zip"})
_POWER, _BITS = 64, 4096  # the largest exponent; bits of a whole number
_LOOPS = (ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NO_FORMULA = (ast.While, ast.Try, ast.FunctionDef, ast.Lambda, ast.NamedExpr, ast.With, ast.Match)


def result_of(function: Any, node: ast.Call, scope: Scope) -> Expression | None:
    """Return what a call of constants returns, None where the function is to be read.

    Parameters
    ----------
    function : function
        Of the user's.
    node : Call
    scope : Scope

    Raises
    ------
    Unsupported
        Where the function would have to be run, and only its text is at hand.
    """
    if not isinstance(function, types.FunctionType) or has_stars(node):
        return None
    named = {keyword.arg: folded(keyword.value, scope) for keyword in node.keywords}
    given = [*(folded(argument, scope) for argument in node.args), *named.values()]
    if None in named or not all(live is not None and is_plain(live.value) for live in given):
        return None
    used = pure_functions(function)
    if not used or _is_formula(function, set()):
        return None
    held = [(name, f.__globals__.get(name, [])) for f in used for name in {*names_in(f.__code__)}]
    if any(scope.lifter.may_change(name, value) for name, value in held):
        return None
    place = scope.place(node)
    if any(type(each.__globals__) is not dict for each in used):
        what = f"the result of {function.__name__!r}, which is known by running it"
        raise Unsupported(f"{what}; name the mechanism, so that its module is imported", place)
    try:
        sources = {f"{each.__code__.co_filename}:{each.__qualname__}": source_of(each.__code__)
                   for each in used}  # fmt: skip
    except Unsupported:
        return None
    trees = [source.tree for source in sources.values()]
    if any(_asks_how_it_runs(tree) or _takes_long(tree) for tree in trees):
        return None
    positional = [live.value for live in given[: len(node.args)] if live is not None]
    keywords = {str(name): live.value for name, live in named.items() if live is not None}
    results = [run(function, positional, keywords, warned) for warned in _WARNED]
    written = [None if made is None else _written(made[0], place) for made in results]
    if None in written or repr(results[0]) != repr(results[1]):
        return None
    scope.lifter.sources.update({name: source.digest for name, source in sources.items()})
    return written[0]


def run(
    function: types.FunctionType,
    positional: list[Any],
    keywords: dict[str, Any],
    warned: Literal["ignore", "error"],
) -> tuple[Any] | None:
    """Return what a function returns; None where it raises, takes long, or changes an argument.

    Where calls nest deeply, a program may find out how deep its caller is.
    """
    given, named = copy.deepcopy((positional, keywords))
    unchanged = repr((given, named))
    before, lines, depth = sys.gettrace(), 0, 0

    def count(frame: types.FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines, depth
        lines += event == "line"
        depth += (event == "call") - (event == "return")
        large = any(type(v) is int and v.bit_length() > _BITS for v in frame.f_locals.values())
        if lines > MOST or depth > _DEEPEST or large:
            raise _TooLongError
        return count

    try:
        with warnings.catch_warnings():
            warnings.simplefilter(warned)
            sys.settrace(count)
            try:
                result = function(*given, **named)
            finally:
                sys.settrace(before)
    except (Exception, _TooLongError):
        return None
    finally:
        charge(_STEPS * min(lines, MOST))
    return (result,) if repr((given, named)) == unchanged else None


class _TooLongError(BaseException):
    """A call runs more than it may; no handler of a function that is run catches it."""


def _asks_how_it_runs(tree: ast.AST) -> bool:
    """Return whether code may catch `_TooLongError`, or be other code where Python optimizes.

    That no handler names ``BaseException`` is known of functions that may run.
    """
    return any(
        (isinstance(node, ast.ExceptHandler) and node.type is None)
        or (isinstance(node, ast.Name) and node.id == "__debug__")
        for node in ast.walk(tree)
    )


def _takes_long(tree: ast.AST) -> bool:
    """Return whether one line may run for minutes, which no count of lines shows.

    Whole numbers of any size come from powers, shifts and factorials; what is made of a range at
    once may be as long as that.
    """
    nodes = list(ast.walk(tree))
    iterated = [n.iter for n in nodes if isinstance(n, ast.For | ast.comprehension)]
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    for call in calls:
        if _called(call) in _ONE_BY_ONE:
            iterated += call.args
    ranges = {id(call) for call in calls if _called(call) == "range"}
    return bool(ranges - set(map(id, iterated))) or any(
        _called(call) in _LARGE for call in calls
    ) or any(isinstance(node, ast.BinOp) and _may_be_large(node) for node in nodes)  # fmt: skip


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _may_be_large(node: ast.BinOp) -> bool:
    if isinstance(node.op, ast.Mult):
        parts = (node.left, node.right)
        lists = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr)
        return any(
            isinstance(part, lists) or (isinstance(part, ast.Constant) and type(part.value) is str)
            for part in parts
        )
    if not isinstance(node.op, ast.Pow):
        return isinstance(node.op, ast.LShift)
    of_float = isinstance(node.left, ast.Constant) and type(node.left.value) is float
    by = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
    power = by.value if isinstance(by, ast.Constant) else None
    return not (of_float or (isinstance(power, int | float) and power <= _POWER))


def _written(value: Any, place: Place) -> Expression | None:
    """Return an expression that yields a result: a number, a text, or a tuple of them."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if is_scalar(value):
        return Constant(place, value)
    if type(value) is np.float64:
        return Call(place, "numpy.float64", (Constant(place, float(value)),))
    if type(value) is tuple:
        items = [_written(item, place) for item in value]
        made = tuple(item for item in items if item is not None)
        return Sequence(place, "tuple", made) if len(made) == len(items) else None
    return None


def _is_formula(function: types.FunctionType, seen: set[int]) -> bool:
    """Return whether a function is a formula, or a loop of sums and products."""
    if id(function) in seen:
        return False  # it calls itself
    seen = {*seen, id(function)}
    try:
        tree = source_of(function.__code__).tree
    except Unsupported:
        return False
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    nodes = [node for statement in body for node in ast.walk(statement)]
    loops = any(isinstance(node, _LOOPS) for node in nodes)
    for node in nodes:
        if isinstance(node, _NO_FORMULA):
            return False
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        called = function.__globals__.get(name) if isinstance(node.func, ast.Name) else None
        own = isinstance(called, types.FunctionType) and _is_formula(called, seen)
        if not own and name not in (_ARITHMETIC if loops else _FORMULA):
            return False
    return True
