"""Checks proofs by a lemma: follows the program on two neighboring datasets, in a solver's words.

The prover writes sums and order statistics as formulas of n, and compares their indices. Here both
datasets are there at once: what is read from their sorted values are values of two functions of the
place, of which cvc5 is told how they interlace. The program says which lemma may be about it; each
condition is asked anew, and what the lemma gives is computed anew and compared with the claim. The
lemmas themselves are taken on trust.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.run import carefully
from dpaudit.checker.cost.statement import neighbors_of, program_of
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, fields
from dpaudit.checker.lemma.flips import permute_and_flip
from dpaudit.checker.lemma.follow import Follower
from dpaudit.checker.lemma.lemmas import Found, applied, validate_within
from dpaudit.checker.lemma.scene import Scene
from dpaudit.checker.lemma.steps import density_lemma
from dpaudit.checker.lemma.told import claim_of, draws_of, validate_told
from dpaudit.checker.lemma.values import Column
from dpaudit.checker.lemma.ways import record, ways
from dpaudit.checker.number_text import number_told
from dpaudit.checker.program import functions_of
from dpaudit.neighbors import AddRemove, AnyPair, Integer, QueryAnswers, Real, ReplaceOne

__all__ = ["check"]

_PROOF = {
    "kind": str,
    "claim": dict,
    "lemma": dict,
    "numbers": dict,
    "price": dict,
    "spent": str,
    "allowed": str,
    "rule": str,
    "facts": list,
    "place": str,
    "assumptions": list,
}


@carefully
def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``lemma``; return what was taken on trust.

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
    fields(document.proof, _PROOF, "`proof`")
    if document.proof["kind"] != "lemma":
        raise RejectedError(f"`proof.kind` is {document.proof['kind']!r:.40}, not 'lemma'")
    claim = claim_of(document)
    neighbors = neighbors_of(document.subject, work)
    program, trusted = program_of(document, document.subject["mechanism"])
    told = document.proof["numbers"].get("G")
    far = None if told is None else number_told(told).fraction
    scene = Scene(work, type(neighbors) is ReplaceOne, far)
    if type(neighbors) is AnyPair:
        found = _of_a_number(scene, program, neighbors.records, claim)
    elif type(neighbors) is QueryAnswers:
        found = permute_and_flip(scene, functions_of(program["entry"]), program, neighbors)
    else:
        found = _found(scene, program, _records(neighbors), claim)
    validate_within(found, claim)
    validate_told(document, found, claim, neighbors, draws_of(program["entry"]))
    return (
        *trusted,
        *sorted(scene.trusted),
        f"the lemma on {found.name}",
        "the balls of flint",
    )


def _of_a_number(scene: Scene, program: dict[str, Any], records: Any, claim: Any) -> Found:
    """Follow a program of one number on all its ways."""
    if type(records) not in (Real, Integer) or getattr(records, "allow_missing", False):
        raise NotCheckedError("not checked: lemmas about such a record")
    data = record(records)
    ends = ways(scene, functions_of(program["entry"]), program, data)
    return density_lemma(ends, claim)


def _found(scene: Scene, program: dict[str, Any], data: Column, claim: Any) -> Found:
    """Follow the program on both datasets, for either outcome of a trial."""
    functions = functions_of(program["entry"])
    ends: dict[bool, list[Any]] = {}
    trials = []
    for passed in (True, False):
        for side in "xy":
            follower = Follower(scene, functions, side, passed)
            ends.setdefault(passed, []).append(follower.start(program, data))
            if passed:
                trials.append(follower.trial)
        if passed and trials == [None, None]:
            return applied(scene, ends[True], (), claim)
    if None in trials:
        raise NotCheckedError("not checked: a test that one dataset alone meets")
    above = {trial.above for trial in trials if trial is not None}
    if len(above) != 1:
        raise NotCheckedError("not checked: two kinds of tests")
    stable = above.pop()
    pairs = list(zip(trials, ends[not stable], strict=True))
    return applied(scene, ends[stable], pairs, claim)


def _records(neighbors: Any) -> Column:
    """Return the column that the records are."""
    relation, numbers = type(neighbors) in (AddRemove, ReplaceOne), (Real, Integer)
    plain = relation and type(neighbors.records) in numbers
    if not plain or neighbors.group != 1 or neighbors.unit is not None:
        raise NotCheckedError("not checked: lemmas under these neighbors")
    if neighbors.container != "array" or neighbors.invariant:
        raise NotCheckedError("not checked: lemmas under these neighbors")
    records = neighbors.records
    whole = type(records) is Integer and not records.allow_missing
    nan = bool(records.allow_missing or getattr(records, "allow_nan", False))
    infinite = not records.enforced or getattr(records, "allow_infinity", False)
    low, high = Fraction(records.low), Fraction(records.high)
    if infinite:
        return Column(("data",), -math.inf, math.inf, whole, nan)
    return Column(("data",), low, high, whole, nan)
