"""The unknowns of a loop's head, in both runs."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.checker.alignment.formulas import View
from dpaudit.checker.alignment.kinds import Head, is_public, number_at
from dpaudit.checker.alignment.terms import Term, Terms, replaced
from dpaudit.checker.alignment.values import Listing


def unknowns_of(terms: Terms, head: Head | None) -> Iterator[tuple[Term, bool]]:
    """Yield the unknowns of a head, and whether each is one in both runs."""
    if head is None:
        return
    for name, kind in head.kinds.items():
        if kind.name in ("whole", "real", "truth"):
            yield head.unknown(name, kind.name, terms), is_public(name)
        if kind.name == "list":
            yield head.unknown(f"{name}.len", "whole", terms), False
            if kind.total != "none":
                yield head.unknown(f"{name}.sum", kind.of_sum, terms), False


def in_second_run(terms: Terms, unknown: Term) -> Term:
    """Return what an unknown of the first run is in the second."""
    return terms.unknown(f"second {unknown.getSymbol()}", unknown.getSort())


def same_list(terms: Terms, name: str, loop: str) -> Term:
    """Return that a list of a loop's head is one in both runs."""
    return terms.unknown(f"same {name}@{loop}", terms.bool)


def head_view(terms: Terms, head: Head | None, by: dict[Term, Term]) -> View:
    """Return what the variables of a head are; without one there are none."""
    if head is None:
        return View(lambda name: None, lambda name: None, lambda name: None)
    values = head.values(terms)

    def first(name: str) -> Term | None:
        found = number_at(values, name, terms)
        return None if found is None else terms.number(found)

    def second(name: str) -> Term | None:
        found = first(name)
        return None if found is None else replaced(found, by)

    def one(name: str) -> Term | None:
        return same_list(terms, name, head.name) if isinstance(values.get(name), Listing) else None

    cost = terms.unknown(f"paid so far@{head.name}", terms.real)
    return View(first, second, one, cost, terms.unknown(f"changes so far@{head.name}", terms.real))
