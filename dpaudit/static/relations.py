"""What a neighboring relation says about a mechanism, read from how it is written."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class Relation:
    """What is known of the neighbors; None where it is not.

    Attributes
    ----------
    kind : {"add", "replace", "local", "queries", "pairs"} or None
    size_private : bool or None
        Whether neighbors differ in their number of records.
    nan : bool or None
        Whether a record may be NaN.
    low, high : float or None
        A range that all records are in.
    bounded : bool or None
        Whether records have a range that somebody enforces.
    norm : str or None
        Of query answers.
    monotone : bool
    length : float or None
        Number of answers, or of records where that is public.
    least : float or None
        Records that every dataset has.
    columns : bool
        Whether a record has several, which the range is of.
    names : tuple of str
        Of the columns, where they are known.
    categories : bool
        Whether a record, or a column of it, is one of the values that are listed.
    """

    kind: str | None = None
    size_private: bool | None = None
    nan: bool | None = None
    low: float | None = None
    high: float | None = None
    bounded: bool | None = None
    norm: str | None = None
    monotone: bool = False
    length: float | None = None
    least: float | None = None
    columns: bool = True
    names: tuple[str, ...] = ()
    categories: bool = False


UNKNOWN = Relation()
_KINDS = {
    "AddRemove": ("add", True),
    "ReplaceOne": ("replace", False),
    "ZeroOut": ("replace", False),
    "AnyPair": ("local", False),
    "QueryAnswers": ("queries", False),
    "Pairs": ("pairs", None),
}
_DOMAINS = ("Real", "Integer", "Categorical", "Row")


def relation_of(neighbors: Neighbors) -> Relation:
    """Return what a relation says, from the call that builds it.

    Parameters
    ----------
    neighbors : Neighbors

    Returns
    -------
    Relation
    """
    try:
        written = ast.parse(str(neighbors), mode="eval").body
    except (SyntaxError, ValueError):
        kind, private = _KINDS.get(type(neighbors).__name__, (None, None))
        return Relation(kind, private)
    return relation_in(written, {})


def relation_in(written: ast.expr | None, names: Mapping[str, ast.expr]) -> Relation:
    """Return what the expression of a relation says.

    Parameters
    ----------
    written : ast.expr or None
    names : mapping of str to ast.expr
        What is bound to names around it.

    Returns
    -------
    Relation
    """
    call = _resolved(written, names)
    if not isinstance(call, ast.Call):
        return UNKNOWN
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "around":
        function = function.value
    last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if last not in _KINDS:
        return UNKNOWN
    kind, private = _KINDS[last]
    keywords = {k.arg: k.value for k in call.keywords if k.arg}
    invariant = keywords.get("invariant")
    if kind == "add" and invariant is not None:
        private = None if _constant(invariant) != "length" else False
    if kind == "queries":
        norm = _constant(keywords.get("norm")) or "linf"
        monotone = bool(_constant(keywords.get("monotone")))
        length = _constant(keywords.get("length") or (call.args[0] if call.args else None))
        return Relation(
            kind,
            private,
            nan=False,
            norm=str(norm),
            monotone=monotone,
            length=float(length) if isinstance(length, int | float) else None,
        )
    found = _with_records(kind, private, [*call.args, *keywords.values()], names)
    least = _constant(keywords.get("min_size"))
    size = keywords.get("size") or (call.args[1] if len(call.args) > 1 else None)
    length = _constant(size) if kind == "replace" else None
    return replace(
        found,
        least=float(least) if isinstance(least, int | float) else None,
        length=float(length) if isinstance(length, int | float) else None,
    )


def _with_records(
    kind: str, private: bool | None, parts: list[ast.expr], names: Mapping[str, ast.expr]
) -> Relation:
    domains = [d for part in parts if (d := _resolved(part, names)) is not None and _is_domain(d)]
    if not domains:
        return Relation(kind, private)
    reals = [
        node
        for domain in domains
        for node in _walked(domain, names)
        if isinstance(node, ast.Call) and _name(node.func) in ("Real", "Integer")
    ]
    options = [{k.arg: _constant(k.value) for k in real.keywords if k.arg} for real in reals]
    nan = any(o.get("allow_nan") or o.get("allow_missing") for o in options)
    nan = nan or any(
        isinstance(part, ast.Constant) and (part.value is None or part.value != part.value)
        for domain in domains
        for call in ast.walk(domain)
        if isinstance(call, ast.Call) and _name(call.func) == "Categorical"
        for part in ast.walk(call)
    )
    bounded = all(o.get("enforced", True) is not False for o in options)
    ranges = [tuple(map(_number, real.args[:2])) for real in reals]
    lows = [r[0] for r in ranges if len(r) == 2]
    highs = [r[1] for r in ranges if len(r) == 2]
    low = min((x for x in lows if x is not None), default=None)
    high = max((x for x in highs if x is not None), default=None)
    if None in lows or None in highs or not bounded:
        low = high = None
    rows = [d for d in domains if isinstance(d, ast.Call) and _name(d.func) == "Row"]
    listed = [p for d in domains for p in _walked(d, names) if _is_domain(p)]
    return Relation(
        kind, private, nan=nan, low=low, high=high, bounded=bounded if reals else None,
        columns=bool(rows),
        names=tuple(k.arg for row in rows for k in row.keywords if k.arg),
        categories=any(isinstance(p, ast.Call) and _name(p.func) == "Categorical" for p in listed),
    )  # fmt: skip


def _walked(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 3) -> list[ast.AST]:
    """Return a domain's parts, those behind names included."""
    found: list[ast.AST] = []
    for part in ast.walk(node):
        found.append(part)
        if isinstance(part, ast.Name) and part.id in names and depth:
            found += _walked(names[part.id], names, depth - 1)
    return found


def _is_domain(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in _DOMAINS


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _resolved(node: ast.expr | None, names: Mapping[str, ast.expr]) -> ast.expr | None:
    for _ in range(5):
        if not (isinstance(node, ast.Name) and node.id in names):
            break
        node = names[node.id]
    return node


def _constant(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _constant(node.left), _constant(node.right)
        small = isinstance(base, int) and isinstance(power, int) and abs(base) < 100
        return float(base**power) if small and 0 <= power < 50 else None  # type: ignore[operator]
    value = _constant(node)
    return float(value) if isinstance(value, int | float) else None
