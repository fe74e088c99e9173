"""What the certificate of a derivation states, validated."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError, fields
from dpaudit.checker.formula import Condition, Relation, Term, number, read_term

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
_RISES, _FALLS = frozenset({"<=", "<"}), frozenset({">="})
_WAYS = {
    "AddRemove": ("add", "remove"),
    "ReplaceOne": ("replace",),
    "ZeroOut": ("replace",),
    "AnyPair": ("replace",),
    "QueryAnswers": ("replace",),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `first` where a chain begins with it."""

    index: int
    case: str | None
    left: Term
    sign: str
    right: Term
    first: bool
    text: str
    starts: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Stated:
    """All that a derivation states."""

    variables: dict[str, frozenset[str]]
    kinds: dict[str, str]
    given: tuple[str, ...]
    steps: tuple[Step, ...]
    query: str | None
    neighbors: Any
    changes: dict[str, dict[str, Term]]
    moved: dict[str, dict[str, str]]

    def domains(self) -> Iterator[Condition]:
        """Yield what the words of the variables say of their signs."""
        for name, words in self.variables.items():
            variable = Term("variable", name=name)
            if "positive" in words:
                yield (Relation(variable, ">", number(0)),)
            elif "nonnegative" in words:
                yield (Relation(variable, ">=", number(0)),)


def read_stated(subject: Mapping[str, Any]) -> Stated:
    """Return what a certificate's subject states.

    Raises
    ------
    RejectedError
        Where it is no derivation, or lacks a case.
    """
    fields(subject, _SUBJECT, "`subject`")
    if subject["missing"]:
        raise RejectedError(f"the case {subject['missing'][0]!r:.40} is missing")
    variables = {name: _words(name, kind) for name, kind in subject["variables"].items()}
    steps = tuple(_steps(subject["steps"], variables))
    neighbors = _neighbors(subject["neighbors"], subject["query"], steps)
    given = subject["given"]
    if not all(isinstance(text, str) for text in given):
        raise RejectedError("`given` must hold texts")
    moved = _moved(subject["changes"], variables, steps, subject["query"])
    changes = {
        way: {name: read_term(text, variables, f"`changes[{way!r}]`") for name, text in m.items()}
        for way, m in moved.items()
    }
    return Stated(
        variables,
        dict(subject["variables"]),
        tuple(given),
        steps,
        subject["query"],
        neighbors,
        changes,
        moved,
    )


def _words(name: str, kind: object) -> frozenset[str]:
    words = frozenset(kind.replace("-", "").split()) if isinstance(kind, str) else frozenset()
    plain = name.isidentifier() and not keyword.iskeyword(name)
    if not plain or name in ("E", "pi", "True", "true") or not words or not words <= _WORDS:
        raise RejectedError(f"`variables` holds {name!r:.40}: {kind!r:.40}, which is not known")
    return words


def _steps(listed: Sequence[Any], variables: Mapping[str, frozenset[str]]) -> Iterator[Step]:
    if not listed:
        raise RejectedError("`steps` is empty: nothing is proved")
    cases: list[str | None] = []
    signs: dict[str | None, set[str]] = {}
    for i, entry in enumerate(listed):
        where = f"`steps[{i}]`"
        fields(entry, _STEP, where)
        case, sign = entry["case"], entry["relation"]
        if entry["step"] != i:
            raise RejectedError(f"{where} says that it is step {entry['step']}")
        if sign not in ("==", "<=", "<", ">="):
            raise RejectedError(f"{where} has the relation {sign!r:.40}")
        first = not cases or cases[-1] != case
        if first and (case in cases or (case is None and cases)):
            raise RejectedError(f"{where} is apart from the other steps of its case")
        cases.append(case)
        chain = signs.setdefault(case, set())
        chain.add(sign)
        if chain & _RISES and chain & _FALLS:
            raise RejectedError(f"{where} goes another way than the steps before it")
        left, right = (
            read_term(entry[side], variables, f"`{side}` of {where}") for side in ("left", "right")
        )
        text = f"{entry['left']} {sign} {entry['right']}"
        yield Step(i, case, left, sign, right, first, text, entry["left"])


def _neighbors(text: str | None, query: str | None, steps: Sequence[Step]) -> Any:
    from dpaudit.notation import NotationError, parse_neighbors

    cases = {step.case for step in steps if step.case is not None}
    if text is None:
        if cases or query is not None:
            raise RejectedError("`neighbors` is null, and `steps` or `query` speak of them")
        return None
    try:
        neighbors = parse_neighbors(text)
    except NotationError:
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text:.80}") from None
    kind = type(neighbors).__name__
    if str(neighbors) != text or kind not in _WAYS:
        raise RejectedError(f"`neighbors` is {text!r:.80}, which is not known")
    for way in _WAYS[kind]:
        if way not in cases:
            raise RejectedError(f"the case {way!r} is missing: {text:.80} has it")
    for case in cases:
        if case not in _WAYS[kind]:
            raise RejectedError(f"the case {case!r:.40} is no way to be neighbors under {kind}")
    return neighbors


def _moved(
    changes: Mapping[str, Any],
    variables: Mapping[str, Any],
    steps: Sequence[Step],
    query: str | None,
) -> dict[str, dict[str, str]]:
    cases = {step.case for step in steps}
    if changes and query is None:
        raise RejectedError("`changes` changes a `query` that is null")
    for way, moved in changes.items():
        known = way in cases and isinstance(moved, dict) and all(n in variables for n in moved)
        if not known or not all(isinstance(text, str) for text in moved.values()):
            raise RejectedError(f"`changes[{way!r:.40}]` is not known")
    return dict(changes)
