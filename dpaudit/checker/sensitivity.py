"""Bounds how far a query moves, by following both runs on every pair of neighboring datasets.

The prover asks `bound_of` for a bound; `check` computes it anew from the certificate's program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from dpaudit.checker.around import given, statement
from dpaudit.checker.cost import spent
from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.claim_check import written
from dpaudit.checker.cost.conclusion import followed
from dpaudit.checker.cost.ends import INF, ONE, ZERO, End, is_finite, most
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.run import Run, carefully
from dpaudit.checker.cost.statement import neighbors_of, program_of
from dpaudit.checker.cost.values import Unknown, is_known
from dpaudit.checker.exact.numbers import SAME_NUMBERS, Number
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, proof_of
from dpaudit.checker.number_text import number_told

__all__ = ["MostMoved", "bound_of", "check", "is_within"]

NORMS = ("l1", "l2", "linf", "l0")
INFINITE = "oo"
_SUBJECT = {"query": str, "neighbors": str, "norm": str, "bound": str, "claimed": str | None}
_PROOF = {"kind": str, "bound": str, "norm": str, "assumptions": list}
IDEALIZED = (
    "arithmetic is that of real numbers (sums of n floats are off by at most about "
    "(n − 1)·2⁻⁵³·Σ|xᵢ|)",
    "the source that was read is the code that runs",
)


@dataclass(frozen=True, slots=True)
class MostMoved:
    """How far a query may move.

    Attributes
    ----------
    bound : str
        As a formula of rational numbers; ``"oo"`` where nothing bounds it.
    paths : tuple of (str, str)
        Where each path ends, and how far the query moves on it.
    """

    bound: str
    paths: tuple[tuple[str, str], ...]


def bound_of(program: dict[str, Any], neighbors: Any, norm: str, work: Work) -> MostMoved:
    """Return how far a query may move between neighbors, as a norm of the change.

    Parameters
    ----------
    program : dict
        As certificates hold it.
    neighbors : Neighbors
    norm : {"l1", "l2", "linf", "l0"}
    work : Work

    Raises
    ------
    RejectedError, NotCheckedError
        Where the query is not understood; the error has the place.
    """
    most_of: dict[str, End] = {}
    for run, value in followed(program, neighbors, work, _entries):
        if value is None:  # both runs end in an exception
            continue
        far = _distance(run, value, norm)
        most_of[run.place] = most((most_of.get(run.place, ZERO), far))
    found = [(place, _text(far, norm)) for place, far in most_of.items()]
    return MostMoved(_text(most((ZERO, *most_of.values())), norm), tuple(found))


@carefully
def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``sensitivity``; return what was taken on trust.

    Parameters
    ----------
    document : Document
    work : Work

    Raises
    ------
    RejectedError
        Where it proves nothing.
    NotCheckedError
        Where it could not be checked; the message names the line.
    """
    subject = document.subject
    statement(subject, _SUBJECT)
    proof = proof_of(document, "sensitivity", _PROOF)
    program, trusted = program_of(document, subject["query"])
    neighbors = neighbors_of(subject, work)
    own = (*neighbors.assumptions(), *IDEALIZED)
    if tuple(proof["assumptions"]) != own or document.assumptions != own:
        raise RejectedError("`assumptions` are not those on which such a proof rests")
    for name in ("bound", "norm"):
        if proof[name] != subject[name]:
            raise RejectedError(f"`proof.{name}` is not that of `subject`")
    if subject["norm"] not in NORMS:
        raise RejectedError(f"`subject.norm` is {subject['norm']!r:.40}")
    found = bound_of(program, neighbors, subject["norm"], work).bound
    if found != subject["bound"]:
        raise RejectedError(f"`bound` is {subject['bound']!r:.60}, and {found!r:.60} was found")
    claimed = subject["claimed"]
    if claimed is not None and not is_within(found, claimed):
        raise RejectedError(f"`bound` is {found:.60}, more than the claimed {claimed:.60}")
    return (
        *trusted,
        *given(neighbors, work),
        *SAME_NUMBERS,
    )


def is_within(bound: str, claimed: str) -> bool:
    """Whether a bound is no more than what is claimed.

    Parameters
    ----------
    bound, claimed : str
        Formulas of rational numbers.

    Raises
    ------
    NotCheckedError
        Where what is claimed is no such formula.
    """
    try:
        limit = number_told(claimed)
    except RejectedError:
        raise NotCheckedError(f"not checked: the claimed bound {claimed!r:.60}") from None
    if bound == INFINITE:
        return False
    own = number_told(bound)
    if own.known_square() is not None and limit.known_square() is not None and limit.ball >= 0:
        return bool((own.squared() - limit.squared()).sign() <= 0)
    return bool((own - limit).sign() <= 0)


def _entries(run: Run, value: Any) -> list[Unknown]:
    if run.ledger.items or run.ledger.uses or run.ledger.calls:
        raise run.refused("a query that draws noise")
    return list(_changing(run, value))


def _changing(run: Run, value: Any, depth: int = 0) -> Iterator[Unknown]:
    """Yield the numbers of an output that differ between the runs."""
    if depth > 50:
        raise run.refused("an output that holds itself")
    if isinstance(value, list | tuple | dict | Arr):
        inside = value.cells.flat if isinstance(value, Arr) else value
        for item in inside.values() if isinstance(inside, dict) else inside:
            yield from _changing(run, item, depth + 1)
    elif isinstance(value, Unknown):
        if not value.shared or not value.regular:
            yield value
    elif not is_known(value) or isinstance(value, str):
        raise run.refused("an answer that is not understood")


def _distance(run: Run, entries: list[Unknown], norm: str) -> End:
    """Return a bound on the change, its square for ``"l2"``."""
    if norm == "l0":
        return Number(Fraction(len(entries)))
    if not all(entry.regular and is_finite(entry.change.far()) for entry in entries):
        return INF
    if norm == "linf":
        return most([ZERO, *(e.change.far() for e in entries)])
    law = "laplace" if norm == "l1" else "normal"
    items = [Item(law, ONE, e.change, run.place, 0) for e in entries]
    return spent.additive(items) if norm == "l1" else spent.squared_mu(items)


def _text(far: End, norm: str) -> str:
    """Return a bound as a formula of rational numbers, which is exact where it can be."""
    if not is_finite(far):
        return INFINITE
    square = far if norm == "l2" else far.known_square()
    if square is None or square.fraction is None:
        return written(far) if norm != "l2" else f"sqrt({written(far)})"
    exact = square.fraction
    roots = isqrt(exact.numerator), isqrt(exact.denominator)
    if (roots[0] ** 2, roots[1] ** 2) == (exact.numerator, exact.denominator):
        return str(Fraction(*roots))
    return f"sqrt({exact})"
