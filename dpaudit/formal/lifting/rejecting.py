"""Loops that draw one of a few values until it passes a test, as one draw from those that pass.

``while y == x: y = random.choice(values)`` leaves y distributed as the draw is, given that it
passes: each round draws anew, and nothing else changes between rounds (J. von Neumann 1951). So
``y = random.choice([v for v in values if v != x])`` has the same law. Without a value that passes,
the loop would not end, and the draw raises an error.

``while u == 0.0: u = random.random()`` draws again with probability 0: that is one draw. So is
``u = random.random() - 0.5`` before ``if u == 0: return 0.0``, which returns with probability 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.checker.operators import COMPARISONS, MEANING, ORDERS, TURNED
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.selecting import fresh
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Comprehension,
    Constant,
    Draw,
    Expression,
    Leave,
    Logic,
    Name,
    Return,
    Statement,
    Subscript,
    While,
)

Block = tuple[Statement, ...]
_MOST = 1000  # values
_TESTS = COMPARISONS | {"operator.not_"}


def without_rejection(
    body: Block, parameters: tuple[str, ...], defaults: Mapping[str, Constant]
) -> Block:
    """Return the body of a function without loops that only draw and test.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
    defaults : dict of str to Constant
    """
    nodes = [n for s in body for n in rewriting.inner(s)]
    branches = any(isinstance(n, Branch) for n in nodes) and any(isinstance(n, Draw) for n in nodes)
    if not branches and not any(isinstance(n, While) for n in nodes):
        return body
    return _Drawn(body, parameters, defaults).block(body)


class _Drawn:
    def __init__(
        self, body: Block, parameters: tuple[str, ...], defaults: Mapping[str, Constant]
    ) -> None:
        self.taken = {*rewriting.reads(*body), *rewriting.stores(*body), *parameters}
        stored = rewriting.stores(*body)
        self.known: dict[str, Expression] = {n: c for n, c in defaults.items() if not stored[n]}
        for statement in body:
            if isinstance(statement, Assign) and isinstance(statement.target, Name):
                name = statement.target.id
                if stored[name] == 1 and name not in parameters:
                    self.known[name] = statement.value

    def block(self, statements: Block) -> Block:
        """Return a block, the blocks inside too."""
        found: list[Statement] = []
        for statement in statements:
            whole = rewriting.with_blocks(statement, self.block)
            if isinstance(whole, Branch):
                found += self.branch(whole, found)
            else:
                found += self.loop(whole, found) if isinstance(whole, While) else [whole]
        return tuple(found)

    def branch(self, branch: Branch, before: list[Statement]) -> tuple[Statement, ...]:
        """Return what stands for a branch: what is left of one that a draw never takes.

        The way that is never taken must do no more than to name or return numbers: a draw that is
        rounded takes it seldom.
        """
        names = rewriting.reads(branch.test)
        drawn = next((s for s in reversed(before) if set(rewriting.stores(s)) & set(names)), None)
        seldom = _Seldom.of(drawn) if isinstance(drawn, Assign) else None
        if seldom is not None and seldom.never(branch.test) and all(map(_is_harmless, branch.yes)):
            return branch.no
        return (branch,)

    def loop(self, loop: While, before: list[Statement]) -> list[Statement]:
        """Return what stands for a loop after some statements; of these it may take the last."""
        if loop.otherwise or not loop.body or not isinstance(loop.body[0], Assign):
            return [loop]
        first, *rest = loop.body
        assert isinstance(first, Assign)
        always = isinstance(loop.test, Constant) and loop.test.value is True
        if not isinstance(first.target, Name):
            return [loop]
        name, seldom = first.target.id, _Seldom.of(first)
        if not rest and not always:
            start = before[-1] if before else None
            begun = isinstance(start, Assign) and _is_name(start.target, name)
            if begun and seldom is not None and seldom.never(loop.test):
                assert isinstance(start, Assign)
                if _Seldom.of(start) == seldom:
                    return []
                if isinstance(start.value, Constant) and seldom.holds(loop.test, start.value.value):
                    before.pop()
                    return [first]
            test = call(loop.place, "operator.not_", loop.test)
            drawn = self.given(first.value, name, test)
            if drawn is not None:
                return [Branch(loop.place, loop.test, (replace(first, value=drawn),), ())]
        last = rest[0] if len(rest) == 1 else None
        if always and isinstance(last, Branch) and not last.no and len(last.yes) == 1:
            end = last.yes[0]
            breaks = isinstance(end, Leave) and end.how == "break"
            sure = seldom is not None and seldom.surely(last.test)
            if sure and (breaks or isinstance(end, Return)):
                return [first] if breaks else [first, end]
            if isinstance(end, Return) and _is_name(end.value, name):
                drawn = self.given(first.value, name, last.test)
                if drawn is not None:
                    return [replace(first, value=drawn), end]
        return [loop]

    def given(self, value: Expression, name: str, test: Expression) -> Expression | None:
        """Return a draw from the values that pass a test, None where those are not known."""
        draw = value.index if isinstance(value, Subscript) else value
        if not isinstance(draw, Draw) or rewriting.reads(value)[name] or not _is_test(test):
            return None
        if isinstance(value, Subscript) and not isinstance(value.value, Name):
            return None
        among = self.among(draw)
        if among is None:
            return None
        place = draw.place
        if isinstance(value, Subscript):
            at = fresh("at", place, self.taken)
            item: Expression = Subscript(place, value.value, at)
            among = Comprehension(place, "list", item, ((at, among, ()),))
        one = fresh(name, place, self.taken)
        passing = Comprehension(
            place, "list", one, ((one, among, (rewriting.filled(test, {name: one}),)),)
        )
        return Draw(place, "choice", (("a", passing),), draw.generator)

    def among(self, draw: Draw) -> Expression | None:
        """Return the values of a draw, each alike likely; None where they may be many."""
        given = dict(draw.arguments)
        if draw.family == "choice" and set(given) == {"a"}:
            values = given["a"]
            if self.is_listed(values):
                return values
            if _is_place(values) and self.held(values) is None:
                return _either(values)
            return call(draw.place, "builtins.range", values) if self.is_small(values) else None
        if draw.family != "integers" or set(given) - {"low", "high", "endpoint"}:
            return None
        ends = [given[end] for end in ("low", "high") if end in given]
        endpoint = given.get("endpoint")
        if not ends or not all(map(self.is_small, ends)):
            return None
        if endpoint is not None:
            if not isinstance(endpoint, Constant) or type(endpoint.value) is not bool:
                return None
            if endpoint.value:
                ends[-1] = call(draw.place, "operator.add", ends[-1], Constant(draw.place, 1))
        return call(draw.place, "builtins.range", *ends)

    def held(self, node: Expression) -> Expression | None:
        """Return what a variable holds, None where that is not known."""
        return self.known.get(node.id) if isinstance(node, Name) else None

    def is_small(self, node: Expression) -> bool:
        """Return whether an expression is an integer, and none that is known to be large."""
        if isinstance(node, Name):
            held = self.known.get(node.id)
            return _is_place(node) if held is None else self.is_small(held)
        if isinstance(node, Constant):
            return type(node.value) is int and abs(node.value) <= _MOST
        if not isinstance(node, Call) or node.keywords:
            return _is_place(node)
        if node.function == "builtins.len":
            return self.is_listed(node.arguments[0]) or _is_place(node.arguments[0])
        arithmetic = node.function in ("operator.add", "operator.sub")
        return arithmetic and all(map(self.is_small, node.arguments))

    def is_listed(self, node: Expression) -> bool:
        """Return whether an expression is a list or tuple of a few values."""
        if isinstance(node, Name):
            held = self.known.get(node.id)
            return held is not None and self.is_listed(held)
        if isinstance(node, Constant):
            return isinstance(node.value, list | tuple | str) and len(node.value) <= _MOST
        return type(node).__name__ == "Sequence"


@dataclass(frozen=True, slots=True)
class _Seldom:
    """Tests of a continuous uniform draw that have the same outcome with probability 1."""

    name: str
    low: float
    high: float

    @classmethod
    def of(cls, statement: Assign) -> _Seldom | None:
        """Return what is known of a variable that holds a draw, or one that is moved.

        None where it holds anything else.
        """
        target = statement.target
        ends = _ends(statement.value) if isinstance(target, Name) else None
        if ends is None or not ends[0] < ends[1]:
            return None
        assert isinstance(target, Name)
        return cls(target.id, *ends)

    def never(self, test: Any) -> bool:
        """Whether a test is true with probability 0."""
        return self.is_asked(test) and self._is_sure(test, wanted=False)

    def surely(self, test: Any) -> bool:
        """Whether a test is true with probability 1."""
        return self.is_asked(test) and self._is_sure(test, wanted=True)

    def is_asked(self, test: Any) -> bool:
        """Whether a test does no more than to compare this variable with numbers."""
        return all(
            _compares(part, "builtins.abs") and getattr(part, "id", self.name) == self.name
            for part in rewriting.inner(test)
        )

    def _is_sure(self, test: Any, *, wanted: bool) -> bool:
        if isinstance(test, Logic):
            parts = [self._is_sure(each, wanted=wanted) for each in test.operands]
            return all(parts) if (test.operator == "and") is wanted else any(parts)
        if not isinstance(test, Call) or test.keywords or not isinstance(test.function, str):
            return False
        sign = test.function.removeprefix("operator.")
        if sign == "not_":
            return self._is_sure(test.arguments[0], wanted=not wanted)
        if sign not in ORDERS:
            return False
        one, other = test.arguments
        if _is_name(other, self.name):
            one, other, sign = other, one, TURNED[sign]
        if not isinstance(other, Constant) or not _is_real(other.value):
            return False
        if sign in ("eq", "ne") and isinstance(one, Call) and one.function == "builtins.abs":
            (one,) = one.arguments
        if not _is_name(one, self.name):
            return False
        if sign in ("eq", "ne"):
            return (sign == "ne") is wanted
        above = sign in ("gt", "ge")  # the draw lies above the number
        return bool(other.value <= self.low if above is wanted else other.value >= self.high)

    def holds(self, test: Any, value: Any) -> bool:
        """Whether a test, which is one of this variable and numbers, is true of a number."""
        if isinstance(test, Logic):
            parts = [self.holds(each, value) for each in test.operands]
            return all(parts) if test.operator == "and" else any(parts)
        if not isinstance(test, Call) or not _is_real(value) or not isinstance(test.function, str):
            return False
        given = [value if _is_name(n, self.name) else getattr(n, "value", None)
                 for n in test.arguments]  # fmt: skip
        known = test.function.removeprefix("operator.") in ORDERS and all(map(_is_real, given))
        return known and bool(MEANING[test.function.removeprefix("operator.")](*given))


def _ends(value: Expression) -> tuple[float, float] | None:
    """Return between what a uniform draw lies, to which a number may be added."""
    if isinstance(value, Call) and value.function in ("operator.add", "operator.sub"):
        drawn, number = value.arguments
        ends = _ends(drawn)
        by = getattr(number, "value", None)
        if ends is None or not _is_real(by):
            return None
        assert by is not None
        move = -by if value.function == "operator.sub" else by
        return ends[0] + move, ends[1] + move
    if not isinstance(value, Draw):
        return None
    given = dict(value.arguments) if value.family == "uniform" else {}
    known = [getattr(given.get(end), "value", end == "high") for end in ("low", "high")]
    plain = value.family in ("random", "uniform") and len(given) == len(value.arguments)
    if not plain or set(given) - {"low", "high"} or not all(map(_is_real, known)):
        return None
    return float(known[0]), float(known[1])


def _is_harmless(statement: Statement) -> bool:
    """Return whether a statement names a number, or returns one, and does no more."""
    if not isinstance(statement, Assign | Return):
        return False
    named = isinstance(statement, Return) or isinstance(statement.target, Name)
    return named and isinstance(statement.value, Constant) and _is_real(statement.value.value)


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _is_place(node: Any) -> bool:
    """Return whether an expression is a variable, or an attribute of an object."""
    while isinstance(node, Subscript) and isinstance(node.index, Constant):
        node = node.value
    return isinstance(node, Name)


def _either(values: Expression) -> Expression:
    """Return what NumPy chooses from: below a number, or what is listed."""
    place = values.place
    number = call(place, "builtins.isinstance", values, Constant(place, int))
    return Choice(place, number, call(place, "builtins.range", values), values)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, Name) and node.id == name


def _is_test(node: Expression) -> bool:
    """Return whether an expression compares variables and attributes, and does no more."""
    return all(_compares(part) for part in rewriting.inner(node))


def _compares(part: Any, *also: str) -> bool:
    if isinstance(part, Call):
        return part.function in (*_TESTS, *also) and not part.keywords
    return isinstance(part, Name | Constant | Logic) or _is_place(part)
