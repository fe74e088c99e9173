"""A sensitivity derivation as it is stated: variables, conditions, and steps that follow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.formal.deriving.formulas import Formula, read_condition, read_expression
from dpaudit.formal.deriving.validation import (
    Link,
    read_links,
    validated_changes,
    validated_nouns,
    validated_texts,
    validated_variables,
)

if TYPE_CHECKING:
    from dpaudit.neighbors import Neighbors

Step = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """A chain of steps, each of which must hold for all values of its variables.

    Parameters
    ----------
    variables : mapping of str to str
        ``"integer"`` or ``"real"``, perhaps with ``"positive"`` or ``"nonnegative"``:
        ``{"n": "positive integer", "x": "real"}``.
    given : sequence of str
        Conditions under which the steps are meant: ``"n >= 2"``, ``"0 <= x <= u"``.
    steps : sequence of (str, str, str)
        ``(left, relation, right)`` in sympy's notation, with one of ``==``, ``<=``, ``<``,
        ``>=``. Each step begins where the one before ended. Decimals are the numbers that are
        written: 0.1 is 1/10.
    query : callable or str, optional
        What the derivation is about: a function of a dataset, or an expression in the variables.
    neighbors : Neighbors, optional
        Which datasets count as neighboring.
    cases : mapping of str to steps, optional
        For each way to be neighbors (``"add"`` and ``"remove"``, or ``"replace"``) the steps from
        the change of the query to its bound.
    changes : mapping of str to mapping, optional
        For a `query` that is an expression: what each way does to its variables, such as
        ``{"add": {"s": "s + x", "n": "n + 1"}}``.

    Raises
    ------
    TypeError, ValueError
        For text that cannot be read, names that are not declared, and chains that go both up and
        down.

    Notes
    -----
    Roots, logarithms and powers are the real ones. A step that divides by zero, or takes the root
    of a negative number, is false for those values.

    Examples
    --------
    >>> Derivation({"n": "integer"}, ["n >= 2"], [("1/n", "<=", "1/2")]).steps
    (('1/n', '<=', '1/2'),)
    """

    variables: Mapping[str, str]
    given: Sequence[str] = ()
    steps: Sequence[Step] = ()
    query: Callable[[Any], Any] | str | None = None
    neighbors: Neighbors | None = None
    cases: Mapping[str, Sequence[Step]] | None = None
    changes: Mapping[str, Mapping[str, str]] | None = None
    words: Mapping[str, frozenset[str]] = field(init=False, repr=False)
    conditions: tuple[Formula, ...] = field(init=False, repr=False)
    links: tuple[Link, ...] = field(init=False, repr=False)
    missing: tuple[str, ...] = field(init=False, repr=False)
    expression: Formula | None = field(init=False, repr=False)
    changed: Mapping[str, Mapping[str, Formula]] = field(init=False, repr=False)
    file: str | None = field(init=False, repr=False)
    line: int | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if hasattr(self.query, "free_symbols"):  # an expression of sympy
            object.__setattr__(self, "query", str(self.query))
        words = validated_variables(self.variables)
        given = validated_texts(self.given, "given")
        ways = validated_nouns(self.query, self.neighbors, self.cases)
        conditions = tuple(
            read_condition(text, f"`given[{i}]`", words) for i, text in enumerate(given)
        )
        links = tuple(read_links(self.steps, self.cases or {}, words))
        missing = tuple(way for way in ways if way not in (self.cases or {}))
        if not links and not missing:
            raise ValueError("`steps` is empty; state at least one (left, relation, right)")
        expression = None
        if isinstance(self.query, str):
            expression = read_expression(self.query, "`query`", words)
        frame = sys._getframe(2)
        for name, value in (
            ("variables", dict(self.variables)),
            ("given", given),
            ("steps", tuple(map(tuple, self.steps))),
            ("words", words),
            ("conditions", conditions),
            ("links", links),
            ("missing", missing),
            ("expression", expression),
            ("changed", validated_changes(self.changes, self.query, self.cases, words)),
            ("file", frame.f_code.co_filename),
            ("line", frame.f_lineno),
        ):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        said = "; ".join(map(str, self.links[:3])) or "no steps"
        return f"Derivation({said}{'; …' if len(self.links) > 3 else ''})"

    @property
    def chains(self) -> dict[str | None, tuple[Link, ...]]:
        """The steps by the case that they belong to; None for `steps`."""
        found: dict[str | None, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.case, []).append(link)
        return {case: tuple(links) for case, links in found.items()}
