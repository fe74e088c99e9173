"""Bounds, bins and candidates that the data choose."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from dpaudit.static.facts import Call, Facts, Place
from dpaudit.static.library import DOMAIN_NAMES
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import PUBLIC, Value

_BINNING = frozenset({"digitize", "histogram", "cut", "searchsorted"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield calls whose bounds or bins tell of the data."""
    if not facts.released:
        return
    yield from _scaled(facts)
    said: set[str] = set()
    for call in facts.calls:
        for name, value in (call.parameters or call.keywords).items():
            named = (
                DOMAIN_NAMES.match(name) and call.depth == 0 and _may_be_domain(call, name, value)
            )
            if named and name not in said and _from_records(facts, value):
                said.add(name)
                yield Hit(_formed(call, name), f"`{name}` is computed from the data")
        if call.name == "histogram" and call.result.tells and _chooses_its_range(call):
            yield Hit(call.place, "the range of the bins is computed from the data")
        if call.name in ("cut", "qcut") and call.result.tells and _chooses_its_range(call):
            yield Hit(call.place, "the range of the bins is computed from the data")
        if call.name == "linspace" and any(_from_records(facts, v) for v in call.arguments[:2]):
            yield Hit(call.place, "the range of the grid is computed from the data")


def _may_be_domain(call: Call, name: str, value: Value) -> bool:
    """Whether a value is a bound by more than its name: given as one, or asked of all records."""
    spec = None if call.function is None else call.function.node.args
    given = spec is None or name in {p.arg for p in (*spec.args, *spec.kwonlyargs)}
    return given or bool(value.marks & _OF_ALL)


_OF_ALL = frozenset({"aggregate", "extreme", "domain", "keys", "keyed", "key", "range", "summed"})


def _formed(call: Call, name: str) -> Place:
    """Return where a called function makes a variable of its own, or else the call."""
    if call.function is not None:
        for node in ast.walk(call.function.node):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                return replace(call.place, inner=(call.function.module.shown, node.lineno))
    return call.place


def _scaled(facts: Facts) -> Iterator[Hit]:
    """Yield divisions by the range or deviation of the data, to which records are relative then."""
    for operation in facts.operations:
        right = operation.right if operation.operator == "Div" else PUBLIC
        if right.has("range") and operation.left.tells and facts.private(right.tells):
            yield Hit(operation.place, "records are scaled by the range of the data")
        each = operation.left.tells and not operation.left.has("aggregate")
        if right.has("deviation") and each and facts.private(right.tells):
            yield Hit(operation.place, "records are scaled by the deviation of the data")


def _from_records(facts: Facts, value: Value) -> bool:
    """Return whether a value tells of records, and is not the records that are asked about."""
    return "records" in facts.private(value.tells) and not value.has("own", "vector")


def _chooses_its_range(call: Call) -> bool:
    bins = call.keywords.get("bins") or (call.arguments[1] if len(call.arguments) > 1 else None)
    counted = bins is None or bins.number is not None
    return counted and "range" not in call.keywords and len(call.arguments) < 3


RULE = Rule(
    "DPA109",
    "bounds-from-data",
    "Bounds, bins, candidates or starting points are computed from the data.",
    bad="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts, _ = np.histogram(data, bins=10)
    return counts + rng.laplace(scale=1 / epsilon, size=10)
""",
    good="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts, _ = np.histogram(data, bins=10, range=(0, 100))
    return counts + rng.laplace(scale=1 / epsilon, size=10)
""",
    look=look,
    also=("DPA103",),
)
