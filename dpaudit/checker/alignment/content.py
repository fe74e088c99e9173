"""What a certificate of this kind says: read, and refused where it says too little or too much."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio, parsed
from dpaudit.checker.file import (
    IDEALIZED,
    Document,
    NotCheckedError,
    RejectedError,
    fields,
    proof_of,
)
from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.neighbors import QueryAnswers
from dpaudit.notation import NotationError, parse_claim, parse_neighbors

Form = list[Any]

_PROOF = {
    "kind": str,
    "claim": str,
    "epsilon": str,
    "unit": str,
    "parameters": list,
    "relations": list,
    "assumptions": list,
    "solver": str,
    "seconds": int | float,
}
_RELATION = {
    "relation": str,
    "alignment": list,
    "invariant": dict,
    "obligations": list,
    "heads": dict,
    "paths": list,
}
IDEAL = (IDEALIZED, "answers are finite numbers")


@dataclass(frozen=True, slots=True)
class Relation:
    """One way for two vectors of answers to be neighbors.

    Attributes
    ----------
    distance : Fraction
        Most that an answer changes; most that all change together where `total`.
    total : bool
    sign : int
        1 where no answer falls, -1 where none rises, 0 where each does as it likes.
    """

    distance: Fraction
    total: bool
    sign: int

    def __str__(self) -> str:
        what = "the changes add up to" if self.total else "each answer changes by"
        way = {1: ", none falls", -1: ", none rises", 0: ""}[self.sign]
        return f"{what} at most {self.distance}{way}"


@dataclass(frozen=True, slots=True)
class Shifts:
    """By how much each draw moves on one path between two cuts."""

    draws: tuple[tuple[str, str], ...]  # place and family of each
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """The proof for one relation.

    Attributes
    ----------
    relation : Relation
    heads : dict of str to (str, list)
        Where each loop is, and what holds at its head.
    paths : dict
        Shifts by start and tests.
    scales : dict
        By place and family of the draw, its scale as it is told to a reader.
    """

    relation: Relation
    heads: dict[str, tuple[str, list[Form]]]
    paths: dict[tuple[str, tuple[tuple[str, bool], ...]], Shifts]
    scales: dict[tuple[str, str], set[str]]


@dataclass(frozen=True, slots=True)
class Content:
    """All that is to be checked.

    Attributes
    ----------
    budget : Ratio
        The epsilon that is claimed (nats).
    unit : Ratio
        In which costs are counted (nats).
    whole, positive : frozenset of str
        Parameters that are taken for whole, for positive.
    container : str
        How the mechanism receives the answers.
    parts : tuple of Part
    """

    budget: Ratio
    unit: Ratio
    whole: frozenset[str]
    positive: frozenset[str]
    container: str
    parts: tuple[Part, ...]
    assumed: tuple[str, ...]


def read(document: Document) -> Content:
    """Read a certificate.

    Raises
    ------
    RejectedError
    """
    program = document.program
    proof = proof_of(document, "alignment", _PROOF)
    fields(document.subject, dict.fromkeys(("mechanism", "claim", "neighbors"), str), "`subject`")
    if program is None:
        raise RejectedError("`program` is missing")
    whole, positive = _parameters(proof["parameters"], program["symbolic"])
    budget = _budget(document.subject["claim"], program["symbolic"])
    if proof["claim"] != document.subject["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    if parsed(proof["epsilon"], program["symbolic"], "`proof.epsilon`") != budget:
        raise RejectedError("`proof.epsilon` is not the epsilon of the claim")
    unit = parsed(proof["unit"], program["symbolic"], "`proof.unit`")
    if not unit.positive(positive):
        raise RejectedError("`proof.unit` may not be positive")
    neighbors = _neighbors(document.subject["neighbors"])
    parts = _parts(proof["relations"], relations_of(neighbors))
    assumed = _assumptions(proof["assumptions"], document.assumptions, whole, positive)
    return Content(budget, unit, whole, positive, neighbors.container, parts, assumed)


def _parameters(listed: list[Any], symbolic: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    for found in listed:
        fields(found, {"name": str, "whole": bool, "positive": bool}, "a parameter")
    if [found["name"] for found in listed] != symbolic or len(set(symbolic)) != len(symbolic):
        raise RejectedError("`proof.parameters` are not those of the program without a value")
    return (
        frozenset(found["name"] for found in listed if found["whole"]),
        frozenset(found["name"] for found in listed if found["positive"]),
    )


def _budget(text: str, symbolic: list[str]) -> Ratio:
    """Return the epsilon that suffices for a claim."""
    try:
        claim: Claim = parse_claim(text)
    except NotationError:
        if symbolic:  # for all parameters
            return parsed(text, symbolic, "`subject.claim`")
        raise RejectedError(f"`subject.claim` is {text!r:.60}, which is no claim") from None
    if not isinstance(claim, PureDP | ApproxDP):
        raise NotCheckedError(f"not checked: the claim {text:.60} by alignment")
    return Ratio.of(Fraction(claim.epsilon))


def _neighbors(text: str) -> QueryAnswers:
    try:
        neighbors = parse_neighbors(text)
    except NotationError:
        raise RejectedError(f"`subject.neighbors` is {text!r:.60}, no relation") from None
    if not isinstance(neighbors, QueryAnswers):
        raise NotCheckedError("not checked: neighbors that are no query answers, by alignment")
    if neighbors.container not in ("array", "list"):
        raise NotCheckedError(f"not checked: answers in a container {neighbors.container!r}")
    return neighbors


def relations_of(neighbors: QueryAnswers) -> tuple[Relation, ...]:
    """Return relations which together hold every neighboring pair, in either order."""
    total = neighbors.norm in ("l0", "l1")  # an L2 distance bounds each entry
    signs = (1, -1) if neighbors.monotone else (0,)
    return tuple(Relation(Fraction(neighbors.distance), total, sign) for sign in signs)


def _parts(listed: list[Any], relations: tuple[Relation, ...]) -> tuple[Part, ...]:
    if len(listed) != len(relations):
        raise RejectedError(f"`proof.relations` has {len(listed)} of {len(relations)} relations")
    return tuple(_part(found, r) for found, r in zip(listed, relations, strict=True))


def _part(found: Any, relation: Relation) -> Part:
    fields(found, _RELATION, "a relation")
    if found["relation"] != str(relation):
        raise RejectedError(f"`relation` is {found['relation']!r:.80}, not {str(relation)!r}")
    for obligation in found["obligations"]:
        what = dict.fromkeys(("name", "smtlib", "expected", "result"), str)
        fields(obligation, what, "an obligation")
        if not obligation["expected"] == obligation["result"] == "unsat":
            raise RejectedError("an obligation of the prover was not found unsatisfiable")
    heads = {}
    for name, head in found["heads"].items():
        fields(head, {"place": str, "holds": list}, "the head of a loop")
        heads[name] = (head["place"], head["holds"])
    if set(found["invariant"]) - set(heads):
        raise RejectedError("`invariant` names a loop that `heads` does not")
    scales = _words(found["alignment"], found)
    return Part(relation, heads, _paths(found["paths"]), scales)


def _words(listed: list[Any], found: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    """Refuse words for a reader that speak of other draws than the exact form."""
    told, scales = [], dict[tuple[str, str], set[str]]()
    for words in listed:
        what = dict.fromkeys(("family", "scale", "file", "where", "shift"), str)
        fields(words, {**what, "line": int}, "`alignment`")
        told.append((f"{words['file']}:{words['line']}", words["family"]))
        scales.setdefault(told[-1], set()).add(words["scale"])
    exact = [shift for path in found["paths"] for shift in path["shifts"]]
    if told != [(shift["place"], shift["family"]) for shift in exact]:
        raise RejectedError("`alignment` tells of other draws than `paths`")
    return scales


def _paths(listed: list[Any]) -> dict[tuple[str, tuple[tuple[str, bool], ...]], Shifts]:
    paths: dict[tuple[str, tuple[tuple[str, bool], ...]], Shifts] = {}
    for found in listed:
        fields(found, {"start": str, "tests": list, "shifts": list}, "a path")
        for test in found["tests"]:
            if not isinstance(test, list) or list(map(type, test)) != [str, bool]:
                raise RejectedError("a test of a path is no place with its outcome")
        for shift in found["shifts"]:
            fields(shift, {"place": str, "family": str, "shift": list}, "a shift")
        key = found["start"], tuple((place, truth) for place, truth in found["tests"])
        if key in paths:
            raise RejectedError(f"a path from {found['start']!r:.40} stands twice")
        paths[key] = Shifts(
            tuple((shift["place"], shift["family"]) for shift in found["shifts"]),
            tuple(shift["shift"] for shift in found["shifts"]),
        )
    return paths


def rational(text: object) -> Fraction:
    """Read ``p/q``."""
    value = parsed(text, (), "a number").constant if isinstance(text, str) else None
    if value is None:
        raise RejectedError(f"{text!r:.40} is no rational number")
    return value


def _assumptions(
    listed: list[Any],
    of_certificate: tuple[str, ...],
    whole: frozenset[str],
    positive: frozenset[str],
) -> tuple[str, ...]:
    """Return what the proof rests on; the certificate must say all of it."""
    needed = list(IDEAL)
    for name in sorted(positive):
        kind = "a positive whole number" if name in whole else "positive"
        needed.append(f"the parameter {name} is {kind}")
    for sentence in needed:
        if sentence not in listed or sentence not in of_certificate:
            raise RejectedError(f"the assumptions do not say: {sentence}")
    needed += [f"the parameter {name} is a whole number" for name in sorted(whole - positive)]
    return tuple(needed)
