"""Checks certificates of sensitivity: how far a query moves on every pair, computed anew."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpaudit.checker.around import given, statement
from dpaudit.checker.cost import spent
from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import ONE, ZERO, most
from dpaudit.checker.cost.execute import Machine, functions_of
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.relations import cases
from dpaudit.checker.cost.run import Run, carefully, paths
from dpaudit.checker.cost.statement import neighbors_of, program_of
from dpaudit.checker.cost.told import number_told
from dpaudit.checker.cost.values import Unknown, is_known
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, fields

__all__ = ["check"]

_SUBJECT = {"query": str, "neighbors": str, "norm": str, "bound": str, "claimed": str | None}
_PROOF = {
    "kind": str,
    "bound": str,
    "norm": str,
    "steps": list,
    "conditions": list,
    "hazards": list,
    "assumptions": list,
    "decision": dict | None,
}
_DECISION = {
    "truth": str,
    "method": str,
    "obligation": str | None,
    "values": dict | None,
    "reason": str,
    "evidence": dict,
}
_METHODS = ("rational", "ball", "smt", "algebra", "boxes", "slope")
_IDEALIZED = (
    "arithmetic is that of real numbers (sums of n floats are off by at most about "
    "(n − 1)·2⁻⁵³·Σ|xᵢ|)",
    "the source that was read is the code that runs",
)


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
    subject, proof = document.subject, document.proof
    statement(subject, _SUBJECT)
    fields(proof, _PROOF, "`proof`")
    program, trusted = program_of(document, subject["query"])
    if proof["conditions"]:
        raise NotCheckedError("not checked: a bound for all values of a parameter")
    if proof["hazards"]:
        raise NotCheckedError("not checked: a bound that leaves datasets out")
    neighbors = neighbors_of(subject, work)
    own = (*neighbors.assumptions(), *_IDEALIZED)
    if tuple(proof["assumptions"]) != own or document.assumptions != own:
        raise RejectedError("`assumptions` are not those on which such a proof rests")
    bound = _stated(subject, proof)
    for moved in distances(program, neighbors, subject["norm"], work):
        _validate_bound(moved, bound, subject["norm"])
    return (
        *trusted,
        *given(neighbors, work),
        "the balls of flint, and that two numbers which agree in 400 bits and at a random point "
        "of a field are the same",
    )


def _stated(subject: dict[str, Any], proof: dict[str, Any]) -> Number:
    """Return the bound that is stated, which must be within the one that is claimed."""
    if proof["kind"] != "sensitivity":
        raise RejectedError(f"`proof.kind` is {proof['kind']!r:.40}, not 'sensitivity'")
    for name in ("bound", "norm"):
        if proof[name] != subject[name]:
            raise RejectedError(f"`proof.{name}` is not that of `subject`")
    if subject["norm"] not in ("l1", "l2", "linf", "l0"):
        raise RejectedError(f"`subject.norm` is {subject['norm']!r:.40}")
    for step in proof["steps"]:
        fields(step, {"rule": str, "place": str, "says": str}, "a step")
    bound = _number(subject["bound"], "bound")
    claimed, decision = subject["claimed"], proof["decision"]
    if (claimed is None) is not (decision is None):
        raise RejectedError("`proof.decision` and `subject.claimed` do not fit")
    if decision is not None:
        fields(decision, _DECISION, "`proof.decision`")
        proved = decision["truth"] == "proved" and decision["values"] is None
        if not proved or decision["method"] not in _METHODS:
            raise RejectedError("`proof.decision` does not say that the claimed bound is proved")
        limit = _number(claimed, "claimed")
        if _exceeds(bound, limit):
            raise RejectedError(f"`bound` is {bound.shown}, more than the claimed {limit.shown}")
    return bound


def _number(text: str, name: str) -> Number:
    try:
        return number_told(text)
    except RejectedError:
        what = f"not checked: `subject.{name}` is {text!r:.60}, which is no number"
        raise NotCheckedError(what) from None


def _exceeds(one: Number, other: Number) -> bool:
    """Whether a number that is not negative exceeds another; roots are compared by squares."""
    if one.known_square() is not None and other.known_square() is not None and other.ball >= 0:
        return bool((one.squared() - other.squared()).sign() > 0)
    return bool((one - other).sign() > 0)


def distances(
    program: dict[str, Any], neighbors: Any, norm: str, work: Work
) -> Iterator[tuple[Number, str]]:
    """Yield how far a query may move on each path, with where that path ends.

    Parameters
    ----------
    program : dict
    neighbors : Neighbors
    norm : {"l1", "l2", "linf", "l0"}
    work : Work

    Yields
    ------
    (Number, str)
        A bound in the norm, the square of it for ``"l2"``.
    """
    functions = functions_of(program["entry"])
    for case in cases(neighbors):

        def follow(run: Run, case: Any = case) -> tuple[str, Any]:
            return Machine(run, functions).start(program, case(run))

        for run, (how, value) in paths(work, follow):
            if run.ledger.items:
                raise run.refused("a query that draws noise")
            if how == "return":
                yield _distance(run, list(_entries(run, value)), norm), run.place


def _entries(run: Run, value: Any, depth: int = 0) -> Iterator[Unknown]:
    """Yield the numbers of an output that differ between the runs."""
    if depth > 50:
        raise run.refused("an output that holds itself")
    if isinstance(value, list | tuple | dict | Arr):
        inside = value.cells.flat if isinstance(value, Arr) else value
        for item in inside.values() if isinstance(inside, dict) else inside:
            yield from _entries(run, item, depth + 1)
    elif isinstance(value, Unknown):
        if not value.regular:
            raise run.refused("an answer that may be NaN or infinite")
        if not value.shared:
            yield value
    elif not is_known(value) or isinstance(value, str):
        raise run.refused("an answer that is not understood")


def _distance(run: Run, entries: list[Unknown], norm: str) -> Number:
    if norm == "l0":
        return Number(Fraction(len(entries)))
    if norm == "linf":
        return spent.finite(most([ZERO, *(e.change.far() for e in entries)]), run.place)
    law = "laplace" if norm == "l1" else "normal"
    items = [Item(law, ONE, e.change, run.place, 0) for e in entries]
    return spent.additive(items) if norm == "l1" else spent.squared_mu(items)


def _validate_bound(moved: tuple[Number, str], bound: Number, norm: str) -> None:
    far, place = moved
    limit = bound.squared() if norm == "l2" else bound
    if bound.ball < 0 or _exceeds(far, limit):
        root = far.sqrt() if norm == "l2" else far
        raise RejectedError(f"the query may move by {root.shown}, more than {bound.shown}, {place}")
