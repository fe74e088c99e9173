"""Parts of values: an entry, a slice, what a mask leaves."""

from __future__ import annotations

import ast

from dpaudit.static.values import KEEPS, NOTHING, Value, changed, joined, mixed

_OF_COLLECTIONS = frozenset({"vector", "keys", "counts", "grows", "running", "dict", "fields"})


def element(value: Value) -> Value:
    """Return what is known of an entry of a collection."""
    if value.has("zipped") and value.items is not None:
        items = tuple(element(part) for part in value.items)
        return changed(joined(*items), items=items)
    if value.items is not None:
        return joined(*value.items)
    marks = (value.marks - _OF_COLLECTIONS) | {"entry"}
    kept = value.shape - {"size"} if value.has("nested") else NOTHING
    marks |= {"key"} if value.has("keys") else set()
    tells = value.tells | (value.shape if value.has("keys") else NOTHING)
    return changed(
        value, tells=tells, shape=kept, marks=marks, number=None, form=None, function=None,
        fields=(),
    )  # fmt: skip


def iterated(value: Value) -> Value:
    """Return what is gone through: the keys of a dictionary, else the value itself."""
    if not value.has("dict") or value.has("keyed") or value.has("keys"):
        return value
    marks = frozenset({"vector", *({"keys"} if value.shape else ())})
    return Value(value.shape, value.shape, marks=marks)


def indexed(base: Value, index: Value, node: ast.expr) -> Value:
    """Return a part of a value: what it tells, and what the index tells."""
    tells = base.tells | index.tells
    varies = base.has("vector") or not base.noise or base.has("entry")
    result = changed(
        base,
        tells=tells,
        loops=base.loops | index.loops if varies else base.loops,
        params=base.params | index.params,
        items=None,
        fields=(),
        number=None,
        form=None,
        branch=base.branch,
    )
    broadcast = isinstance(node, ast.Tuple) and any(
        isinstance(e, ast.Constant) and e.value is None for e in node.elts
    )
    if broadcast:
        return result.marked("broadcast")
    if index.has("slice"):
        cut = changed(result, shape=base.shape | index.tells)
        return cut.marked("slice-of", *(index.marks & {"prefix"}))
    if index.text and not index.tells:  # a column
        return result
    if index.covered and base.tells:
        if index.has("index") or index.has("drawn-index"):
            one = index.has("index") and not index.has("vector")
            kept = (result.marks & ({"one"} if one else {"vector"})) | {"picked"}
            # What was asked about the data is no record of it, wherever it is picked from.
            kept |= {"answer"} if base.marks & {"aggregate", "counted", "dict"} else set()
            return changed(result, marks=kept)
        if index.noise:
            return changed(result, shape=base.shape).marked("sampled")
        kind = "few" if index.has("positive") else "kept"
        return changed(mixed((base, index)), tells=NOTHING, hidden=True).marked(kind)
    if index.covered:
        hidden = base.hidden or index.hidden
        return changed(result, draws=base.draws | index.draws, hidden=hidden, shape=NOTHING)
    if index.has("mask") or index.tells:
        marks = {"by-position"} if index.tells == {"size"} and base.tells else set()
        marks |= {"part"} if index.has("mask") and base.tells else set()
        if base.has("own") and not base.has("table") and index.marks & KEEPS:
            marks |= {mark.removeprefix("keeps-") for mark in index.marks & KEEPS} | {"nan"}
        marks |= {"of-public"} if index.has("mask") and base.public else set()
        marks |= {f"part-{side}" for side in ("above", "below") if index.has(f"ordered-{side}")}
        single = index.has("scalar") or index.has("entry")
        kept = base.shape if base.has("nested") or base.has("table") else NOTHING
        shape = kept if single and not index.has("mask") else base.shape | index.tells
        return changed(result, shape=shape).marked(*marks)
    single = not isinstance(node, ast.Tuple) and not index.shape
    if single and base.has("vector") and not base.has("table"):
        return changed(element(result), marks=(element(result).marks | {"one"}) - {"vector"})
    return result
