"""What a derivation states: variables, conditions and steps, read and validated."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError, fields
from dpaudit.checker.formula import (
    RESERVED,
    Condition,
    Relation,
    Term,
    number,
    read_condition,
    read_term,
)

RELATIONS = ("==", "<=", "<", ">=")
_SUBJECT = {
    "variables": dict,
    "given": list,
    "steps": list,
    "missing": list,
    "query": str | None,
    "neighbors": str | None,
    "changes": dict,
}
_STEP = {"step": int, "case": str | None, "left": str, "relation": str, "right": str}
_WORDS = frozenset({"real", "integer", "positive", "nonnegative"})
WAYS = {
    "AddRemove": ("add", "remove"),
    "Around": ("add", "remove"),
    "ReplaceOne": ("replace",),
    "ZeroOut": ("replace",),
    "AnyPair": ("replace",),
    "QueryAnswers": ("replace",),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation.

    Attributes
    ----------
    index : int
        Counted through the steps of no case and then through the cases in their order.
    case : str or None
        The way to be neighbors that it belongs to.
    left, right : Term
    sign : str
    first : bool
        Whether a chain begins with it.
    starts, ends : str
        The sides as they were written.
    """

    index: int
    case: str | None
    left: Term
    sign: str
    right: Term
    first: bool
    starts: str
    ends: str

    def __str__(self) -> str:
        return f"{self.starts} {self.sign} {self.ends}"

    def to_dict(self) -> dict[str, Any]:
        """Return the step as a certificate holds it."""
        said = {"left": self.starts, "relation": self.sign, "right": self.ends}
        return {"step": self.index, "case": self.case, **said}


@dataclass(frozen=True, slots=True)
class Stated:
    """All that a derivation states.

    Attributes
    ----------
    variables : dict of str to frozenset of str
        The words of each variable's kind.
    kinds : dict of str to str
        The kinds as they were written.
    given : tuple of str
    conditions : tuple of Condition
        What `given` says, and the variables' kinds say of their signs.
    steps : tuple of Step
    missing : tuple of str
        The kinds of neighbors without a case.
    query : str or None
    neighbors : Neighbors or None
    moved : dict of str to dict of str to str
        What each way does to the variables of the query.
    """

    variables: dict[str, frozenset[str]]
    kinds: dict[str, str]
    given: tuple[str, ...]
    conditions: tuple[Condition, ...]
    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    query: str | None
    neighbors: Any
    moved: dict[str, dict[str, str]]

    @property
    def whole(self) -> dict[str, bool]:
        """The variables, and whether they are integers."""
        return {name: "integer" in words for name, words in self.variables.items()}

    def change(self, way: str | None) -> tuple[Term, dict[str, Term]] | None:
        """Return the query and what a way does to its variables, None where that is not stated."""
        if way not in self.moved or self.query is None:
            return None
        moved = self.moved[way].items()
        where = f"`changes[{way!r}]`"
        terms = {name: read_term(text, self.variables, where) for name, text in moved}
        return read_term(self.query, self.variables, "`query`"), terms

    def to_dict(self) -> dict[str, Any]:
        """Return the subject of a certificate."""
        return {
            "variables": self.kinds,
            "given": list(self.given),
            "steps": [step.to_dict() for step in self.steps],
            "missing": list(self.missing),
            "query": None if self.neighbors is None else self.query or "the query",
            "neighbors": None if self.neighbors is None else str(self.neighbors),
            "changes": self.moved,
        }


def read_stated(subject: Mapping[str, Any]) -> Stated:
    """Return what a certificate's subject states.

    Raises
    ------
    RejectedError
        Where it is no derivation, or lacks a case.
    """
    fields(subject, _SUBJECT, "`subject`")
    if not all(isinstance(text, str) for text in subject["given"]):
        raise RejectedError("`given` must hold texts")
    for i, entry in enumerate(subject["steps"]):
        fields(entry, _STEP, f"`steps[{i}]`")
    found = stated(
        subject["variables"],
        subject["given"],
        subject["steps"],
        subject["query"],
        _neighbors(subject["neighbors"]),
        subject["changes"],
    )
    for way in (*found.missing, *subject["missing"]):
        raise RejectedError(f"the case {way!r:.40} is missing: {found.neighbors} has it")
    return found


def _neighbors(text: str | None) -> Any:
    from dpaudit.notation import NotationError, parse_neighbors

    if text is None:
        return None
    try:
        neighbors = parse_neighbors(text)
    except NotationError:
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text:.80}") from None
    if str(neighbors) != text or type(neighbors).__name__ not in WAYS:
        raise RejectedError(f"`neighbors` is {text!r:.80}, which is not known")
    return neighbors


def stated(
    kinds: Mapping[str, str],
    given: Sequence[str],
    steps: Sequence[Mapping[str, Any]],
    query: str | None,
    neighbors: Any,
    moved: Mapping[str, Mapping[str, str]],
) -> Stated:
    """Return what is stated, read.

    Parameters
    ----------
    kinds : mapping of str to str
    given : sequence of str
    steps : sequence of mapping
        As `Step.to_dict` writes them.
    query : str or None
    neighbors : Neighbors or None
    moved : mapping of str to mapping

    Raises
    ------
    RejectedError
        Saying what cannot be read, and what to write instead.
    """
    variables = {name: _words(name, kind) for name, kind in kinds.items()}
    signs = tuple(
        (Relation(Term("variable", name=name), sign, number(0)),)
        for name, words in variables.items()
        for word, sign in (("positive", ">"), ("nonnegative", ">="))
        if word in words
    )
    conditions = tuple(
        read_condition(text, variables, f"`given[{i}]`") for i, text in enumerate(given)
    )
    read = tuple(_steps(steps, variables))
    found = Stated(
        variables,
        dict(kinds),
        tuple(given),
        (*conditions, *signs),
        read,
        _missing(neighbors, query, {step.case for step in read} - {None}),
        query,
        neighbors,
        {way: dict(texts) for way, texts in _moved(moved, variables, read, query)},
    )
    for way in found.moved:
        found.change(way)
    if not found.steps and not found.missing:
        raise RejectedError("`steps` is empty; state at least one (left, relation, right)")
    return found


def _words(name: object, kind: object) -> frozenset[str]:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise RejectedError(f"`variables` holds {name!r:.40}, no name; use letters, digits and _")
    if name in RESERVED or name.startswith("__"):
        raise RejectedError(f"`variables` declares {name!r}, which has a meaning; rename it")
    words = frozenset(kind.replace("-", "").split()) if isinstance(kind, str) else frozenset()
    if not words or not words <= _WORDS:
        raise RejectedError(
            f"`variables[{name!r}]` must be of the words {', '.join(sorted(_WORDS))}, "
            f'got {kind!r:.40}; "integer" and "real" are usual'
        )
    return words


def _steps(
    listed: Sequence[Mapping[str, Any]], variables: Mapping[str, frozenset[str]]
) -> Iterator[Step]:
    cases: list[str | None] = []
    ways: dict[tuple[str | None, bool], int] = {}
    for i, entry in enumerate(listed):
        case, sign = entry["case"], entry["relation"]
        where = f"step {i}" if case is None else f"step {i} (case {case!r:.40})"
        if entry["step"] != i:
            raise RejectedError(f"{where} says that it is step {entry['step']}")
        if sign not in RELATIONS:
            hint = "turn the step round" if sign == ">" else "sides are apart from it"
            raise RejectedError(
                f"{where} has the relation {sign!r:.40}; use one of {', '.join(RELATIONS)}; {hint}"
            )
        first = not cases or cases[-1] != case
        if first and (case in cases or (case is None and cases)):
            raise RejectedError(f"{where} is apart from the other steps of its case")
        cases.append(case)
        if sign != "==":
            ways.setdefault((case, sign == ">="), i)
        if {(case, True), (case, False)} <= ways.keys():
            raise RejectedError(
                f"`steps` goes up at step {ways[case, False]} and down at step {ways[case, True]}, "
                "so that nothing follows of its ends. Turn one of them round, or state two "
                "derivations"
            )
        left, right = (
            read_term(entry[side], variables, f"the {side} side of {where}")
            for side in ("left", "right")
        )
        yield Step(i, case, left, sign, right, first, entry["left"], entry["right"])


def _missing(neighbors: Any, query: str | None, cases: set[Any]) -> tuple[str, ...]:
    """Return the ways to be neighbors of which there is no case."""
    if neighbors is None:
        if cases or query is not None:
            raise RejectedError("`neighbors` is null, and `steps` or `query` refers to them")
        return ()
    kind = type(neighbors).__name__
    ways = WAYS[kind]
    for case in sorted(cases - set(ways)):
        raise RejectedError(
            f"`cases` has {case!r:.40}, which is no way to be neighbors under {kind}; "
            f"it has {' and '.join(map(repr, ways))}"
        )
    return tuple(way for way in ways if way not in cases)


def _moved(
    changes: Mapping[str, Any],
    variables: Mapping[str, Any],
    steps: Sequence[Step],
    query: str | None,
) -> Iterator[tuple[str, Mapping[str, str]]]:
    cases = {step.case for step in steps}
    if changes and query is None:
        raise RejectedError("`changes` changes a `query` that is missing; state it")
    for way, moved in changes.items():
        if way not in cases:
            raise RejectedError(f"`changes` has {way!r:.40}, of which `cases` has no steps")
        known = isinstance(moved, Mapping) and all(name in variables for name in moved)
        if not known or not all(isinstance(text, str) for text in moved.values()):
            raise RejectedError(
                f"`changes[{way!r}]` must map declared variables to expressions, got {moved!r:.80}"
            )
        yield way, moved


def assumptions(found: Stated) -> tuple[str, ...]:
    """Return what a derivation rests on, in sentences."""
    listed = [f"{name} is {kind}" for name, kind in found.kinds.items()]
    listed += found.given
    if found.neighbors is not None:
        listed += found.neighbors.assumptions()
        listed += unproved(found)
        for way, moved in found.moved.items():
            does = ", ".join(f"{name} becomes {text}" for name, text in moved.items())
            listed.append(f"in the case {way!r} {does}, and nothing else changes")
    return tuple(listed)


def unproved(found: Stated) -> list[str]:
    """Return, for each case without a formula of the change, that it is taken on trust."""
    query = found.query or "the query"
    return [
        f"{step.starts} bounds the change of {query} in the case {step.case!r} (not proved)"
        for step in found.steps
        if step.first and step.case is not None and step.case not in found.moved
    ]
