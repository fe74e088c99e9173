"""Frames of pandas: spellings of a mask, each written as the comparisons that it stands for.

``df.query("a > 3 and b == 'x'")`` is ``df[(df["a"] > 3) & (df["b"] == "x")]``;
``df.loc[test, "a"]`` is ``df[test]["a"]``; ``x.between(1, 2)`` and ``x.isin([1, 2])`` are
comparisons of ``x``. What is written twice is a function of variables alone, so that it is the same
value both times.
"""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Callable
from typing import Any

from dpaudit.checker.operators import BY_SYNTAX, ORDERS
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Call,
    Choice,
    Closure,
    Constant,
    Expression,
    Mapping,
    Name,
    Place,
    Return,
    Sequence,
    Slice,
    Subscript,
    walk,
)

_Parts = tuple[Any, ...]
_Loop = tuple[Name, Expression, _Parts]
_INCLUSIVE = {
    "both": ("ge", "le"),
    "neither": ("gt", "lt"),
    "left": ("ge", "lt"),
    "right": ("gt", "le"),
}
_OF_MISSING = ("isna", "isnull", "notna", "notnull")
_PURE = frozenset(
    {
        "copy",
        "astype",
        "clip",
        "fillna",
        *_OF_MISSING,
        "dropna",
        "abs",
        "round",
        "to_numpy",
        "drop_duplicates",
        "assign",
    }
)
_TESTS = frozenset(f"operator.{word}" for word in (*ORDERS, "and_", "or_", "invert")) | {
    f"method.{word}" for word in _OF_MISSING
}
_LIMITS = {
    "operator.gt": "upper", "operator.ge": "upper", "operator.lt": "lower", "operator.le": "lower"
}  # fmt: skip
_MOST_VALUES = 64
_AT = "_of_the_caller_"  # stands for the @ before the name of a variable


_AGGREGATES = frozenset({"sum", "mean", "count", "min", "max", "median", "std", "var", "size"})


def frame_call(
    name: str,
    receiver: Expression,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    variable: Callable[[str], Expression],
) -> Expression | None:
    """Return what a method of a frame or a series stands for, None where it is left as it is.

    `variable` gives what a name stands for where the method is called: a query says ``@name``.
    """
    if name in ("agg", "aggregate") and len(positional) == 1 and not keywords:
        how = positional[0].value if isinstance(positional[0], Constant) else None
        return Call(place, f"method.{how}", (receiver,)) if how in _AGGREGATES else None
    if name == "fillna" and not positional and [key for key, _ in keywords] == ["value"]:
        positional, keywords = (keywords[0][1],), ()
        named = Call(place, "method.fillna", (receiver, *positional))
        return frame_call(name, receiver, positional, keywords, place, variable) or named
    if not is_pure(receiver):
        return None
    if name == "fillna" and len(positional) == 1 and not keywords:
        return _filled(receiver, positional[0], place)
    if name == "assign" and not positional and any(isinstance(v, Closure) for _, v in keywords):
        return _assigned(receiver, keywords, place) if all(map(_computes, keywords)) else None
    if name == "query" and len(positional) == 1 and not keywords:
        return _query(receiver, positional[0], place, variable)
    if name == "isin" and len(positional) == 1 and not keywords:
        return _isin(receiver, positional[0], place)
    if name == "between":
        return _between(receiver, positional, dict(keywords), place)
    return None


def _assigned(
    of: Expression, columns: tuple[tuple[str, Expression], ...], place: Place
) -> Expression:
    """Return a frame with more columns, one after the other: a function gets what is there so far.

    Each is written wherever a later one reads the frame, and so none may draw noise.
    """
    for name, value in columns:
        column = _operator(place, "call", value, of) if isinstance(value, Closure) else value
        of = Call(place, "method.assign", (of,), ((name, column),))
    return of


def _filled(of: Expression, value: Expression, place: Place) -> Expression | None:
    """Return ``frame.assign(a=frame["a"].fillna(0))`` for ``frame.fillna({"a": 0})``."""
    items = value.items if isinstance(value, Mapping) else ()
    names = [key.value for key, _ in items if isinstance(key, Constant)]
    plain = all(isinstance(v, Constant) for _, v in items)
    if not items or not plain or len(names) < len(items) or not all(map(_is_text, names)):
        return None
    columns = (
        (str(name), Call(place, "method.fillna", (Subscript(place, of, key), fill)))
        for name, (key, fill) in zip(names, items, strict=True)
    )
    return Call(place, "method.assign", (of,), tuple(dict(columns).items()))


def _is_text(value: object) -> bool:
    return type(value) is str


def _computes(column: tuple[str, Expression]) -> bool:
    """Return whether what a column is made by draws nothing and changes nothing."""
    value = column[1]
    if isinstance(value, Closure):
        body = value.function.body
        result = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
        return result is not None and changes_nothing(result) and not rewriting.draws(result)
    return is_pure(value)


def located(value: Expression, index: Expression, place: Place) -> Expression | None:
    """Return what ``frame.loc[index]`` stands for, None where the index may hold labels."""
    if not isinstance(value, Attribute) or value.name != "loc":
        return None
    parts = index.items if isinstance(index, Sequence) and index.kind == "tuple" else (index,)
    rows, columns = parts[0], parts[1:]
    everything = isinstance(rows, Slice) and rows.start is rows.stop is rows.step is None
    if isinstance(rows, Name):  # of two labels this is an error, and of two slices
        rows = _operator(place, "and_", rows, rows)
    if len(columns) > 1 or not (_is_test(rows) or (everything and columns)):
        return None
    if not is_pure(rows) and not everything:
        return None
    found: Expression = value.value if everything else Subscript(place, value.value, rows)
    return Subscript(place, found, columns[0]) if columns and _is_column(columns[0]) else (
        None if columns else found
    )  # fmt: skip


def stored_where(node: Assign) -> Assign | None:
    """Return ``frame["a"] = frame["a"].mask(test, 0)`` for ``frame.loc[test, "a"] = 0``.

    No name but that of the frame sees either, since pandas 3. An array is none of such values: it
    must have as many entries as the test is true for.
    """
    match node.target, node.value:
        case (
            Subscript(
                value=Attribute(value=Name() as of, name="loc"),
                index=Sequence(kind="tuple", items=(test, Constant(value=str()) as name)),
            ),
            value,
        ) if _is_test(test) and is_pure(test) and _has_labels(value, of) and copies_on_write():
            column = Subscript(node.place, of, name)
            held = Call(node.place, "method.mask", (column, test, value))
            return Assign(node.place, column, limited(held) or held)
    return None


def _has_labels(node: Expression, frame: Name) -> bool:
    """Return whether a value is a number, or made of columns of a frame, which have labels."""
    match node:
        case Constant():
            return True
        case Subscript(value=Name(id=name), index=Constant(value=str())):
            return name == frame.id
        case Call(function=str(function), arguments=parts, keywords=()) if is_pure(node):
            to_array = function == "method.to_numpy"
            return not to_array and all(_has_labels(part, frame) for part in parts)
    return False


def limited(node: Call) -> Call | None:
    """Return ``x.clip(None, 9)`` for ``x.mask(x > 9, 9)``."""
    match node.arguments:
        case (of, Call(function=str(name), arguments=(tested, limit)), Constant() as bound) if (
            name in _LIMITS and is_pure(of) and rewriting.same(of, tested)
        ):
            if not isinstance(limit, Constant) or not rewriting.same(limit, bound):
                return None
            none = Constant(node.place, None)
            ends = (none, bound) if _LIMITS[name] == "upper" else (bound, none)
            return Call(node.place, "method.clip", (of, *ends))
    return None


def copies_on_write() -> bool:
    """Return whether no frame of pandas shares memory with another: since pandas 3."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and not pandas.__version__.startswith("2.")


def is_pure(node: Expression) -> bool:
    """Whether an expression is a function of variables, which changes nothing."""
    for each in walk(node):
        match each:
            case Name() | Constant() | Attribute() | Subscript() | Slice() | Sequence() | Choice():
                continue
            case Call(function=str() as function):
                library, _, word = function.partition(".")
                if library == "operator" and not word.startswith("i") and word != "call":
                    continue
                if word in ("invert", "listed") or (library == "method" and word in _PURE):
                    continue
        return False
    return True


def _is_test(node: Expression) -> bool:
    """Whether an expression is a comparison, and so no label."""
    return isinstance(node, Call) and node.function in _TESTS


def _is_column(node: Expression) -> bool:
    names = node.items if isinstance(node, Sequence) and node.kind == "list" else (node,)
    return all(isinstance(name, Constant) and isinstance(name.value, str) for name in names)


def _operator(place: Place, word: str, *operands: Expression) -> Call:
    return Call(place, f"operator.{word}", operands)


def _between(
    x: Expression, positional: tuple[Expression, ...], named: dict[str, Expression], place: Place
) -> Expression | None:
    given = dict(zip(("left", "right", "inclusive"), positional, strict=False)) | named
    inclusive = given.pop("inclusive", Constant(place, "both"))
    words = inclusive.value if isinstance(inclusive, Constant) else None
    known = isinstance(words, str) and words in _INCLUSIVE
    if set(given) != {"left", "right"} or len(positional) > 3 or not known:
        return None
    if not all(map(is_pure, given.values())):
        return None
    low, high = _INCLUSIVE[str(words)]
    tests = _operator(place, low, x, given["left"]), _operator(place, high, x, given["right"])
    return _operator(place, "and_", *tests)


def listed(node: Expression) -> list[Any] | None:
    """Return the values of a display or of a constant, in one order; None where not known."""
    if isinstance(node, Sequence):
        values = [item.value if isinstance(item, Constant) else math.nan for item in node.items]
    elif isinstance(node, Constant) and isinstance(node.value, list | tuple | set | frozenset):
        values = list(node.value)
    else:
        return None
    for kind in (str, int):
        if values and all(type(value) is kind for value in values):
            return sorted(set(values))
    return None


def _isin(x: Expression, among: Expression, place: Place) -> Expression | None:
    values = listed(among)
    if values is None or len(values) > _MOST_VALUES:
        return None
    found: Expression = _operator(place, "eq", x, Constant(place, values[0]))
    for value in values[1:]:
        found = _operator(place, "or_", found, _operator(place, "eq", x, Constant(place, value)))
    return found


def _query(
    frame: Expression, text: Expression, place: Place, variable: Callable[[str], Expression]
) -> Expression | None:
    if not isinstance(text, Constant) or not isinstance(text.value, str) or _AT in text.value:
        return None
    try:  # `column` is no name
        tree = ast.parse(re.sub(r"@(?=\w)", _AT, text.value.strip()), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    kinds = {type(node) for node in ast.walk(tree)}
    if kinds & {ast.BitAnd, ast.BitOr} and kinds & {ast.And, ast.Or, ast.Not}:
        return None  # pandas reads & as `and`, which binds less than Python's &
    mask = _Reader(frame, place, variable).test(tree)
    return None if mask is None else Subscript(place, frame, mask)


class _Reader:
    """Reads the text of a query as comparisons of columns."""

    def __init__(
        self, frame: Expression, place: Place, variable: Callable[[str], Expression]
    ) -> None:
        self._frame, self._place, self._variable = frame, place, variable

    def test(self, node: ast.expr) -> Expression | None:
        """Return a truth value for each record, None where the text says something else."""
        match node:
            case ast.BoolOp(op=op, values=values):
                return self._joined("and_" if isinstance(op, ast.And) else "or_", values)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as op, left=left, right=right):
                return self._joined("and_" if isinstance(op, ast.BitAnd) else "or_", [left, right])
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
                inner = self.test(operand)
                return None if inner is None else _operator(self._place, "invert", inner)
            case ast.Compare():
                return self._comparison(node)
        return None

    def _joined(self, word: str, nodes: list[ast.expr]) -> Expression | None:
        tests = [self.test(node) for node in nodes]
        found = tests[0]
        for test in tests[1:]:
            if found is None or test is None:
                return None
            found = _operator(self._place, word, found, test)
        return found

    def _comparison(self, node: ast.Compare) -> Expression | None:
        found: Expression | None = None
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            one = self._compared(left, operator, right)
            if one is None:
                return None
            found = one if found is None else _operator(self._place, "and_", found, one)
        return found

    def _compared(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Expression | None:
        a = self._operand(left)
        if a is None:
            return None
        if isinstance(operator, ast.In | ast.NotIn):
            return self._inside(a, right, isinstance(operator, ast.NotIn))
        b = self._operand(right)
        if b is None or BY_SYNTAX[type(operator)] not in ORDERS:
            return None
        if isinstance(a, Constant) and isinstance(b, Constant):
            return None
        return _operator(self._place, BY_SYNTAX[type(operator)], a, b)

    def _inside(self, x: Expression, among: ast.expr, outside: bool) -> Expression | None:
        if not isinstance(among, ast.List | ast.Tuple) or isinstance(x, Constant):
            return None
        items = tuple(self._operand(item) for item in among.elts)
        if not all(isinstance(item, Constant) for item in items):
            return None
        listed_values = Sequence(self._place, "list", items)  # type: ignore[arg-type]
        found = _isin(x, listed_values, self._place)
        return _operator(self._place, "invert", found) if found is not None and outside else found

    def _operand(self, node: ast.expr) -> Expression | None:
        match node:
            case ast.Constant(value=str() | int() | float() as value):
                return Constant(self._place, value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return Constant(self._place, -value)
            case ast.Name(id=name) if name.startswith(_AT):
                found = self._variable(name.removeprefix(_AT))
                return found if is_pure(found) else None
            case ast.Name(id=name) if name not in ("index", "True", "False", "None"):
                return Subscript(self._place, self._frame, Constant(self._place, name))
        return None
