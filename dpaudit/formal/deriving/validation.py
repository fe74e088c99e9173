"""Reads what a derivation is made of, and refuses what cannot be read."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.deriving.formulas import RESERVED, Formula, read_expression

RELATIONS = ("==", "<=", "<", ">=")
_WORDS = frozenset({"real", "integer", "positive", "nonnegative"})
_WAYS = {
    "AddRemove": ("add", "remove"),
    "Around": ("add", "remove"),
    "ReplaceOne": ("replace",),
    "ZeroOut": ("replace",),
    "AnyPair": ("replace",),
    "QueryAnswers": ("replace",),
}


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a derivation that was read.

    Attributes
    ----------
    index : int
        Counted through `steps` and then through the cases in their order.
    case : str or None
        The way to be neighbors that it belongs to.
    left, right : Formula
    relation : str
    first : bool
        Whether a chain begins with it.
    """

    index: int
    case: str | None
    left: Formula
    relation: str
    right: Formula
    first: bool

    def __str__(self) -> str:
        return f"{self.left.text} {self.relation} {self.right.text}"


def validated_variables(variables: object) -> dict[str, frozenset[str]]:
    """Return each variable's words."""
    if not isinstance(variables, Mapping):
        raise TypeError(
            f'`variables` must map names to kinds such as {{"n": "integer"}}, got {variables!r}'
        )
    found = {}
    for name, kind in variables.items():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"`variables` holds {name!r}, no name; use letters, digits and _")
        if name in RESERVED or name.startswith("__"):
            raise ValueError(f"`variables` declares {name!r}, which has a meaning; rename it")
        words = frozenset(kind.replace("-", "").split()) if isinstance(kind, str) else frozenset()
        if not words or not words <= _WORDS:
            raise ValueError(
                f"`variables[{name!r}]` must be of the words {', '.join(sorted(_WORDS))}, "
                f'got {kind!r}; "integer" and "real" are usual'
            )
        found[name] = words
    return found


def validated_texts(texts: object, name: str) -> tuple[Any, ...]:
    """Return a sequence of texts as a tuple."""
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise TypeError(f"`{name}` must be a sequence of texts, got {texts!r}; use [{texts!r}]")
    return tuple(texts)


def validated_nouns(query: object, neighbors: object, cases: object) -> tuple[str, ...]:
    """Return the ways to be neighbors that need a case."""
    if query is not None and not callable(query) and not isinstance(query, str):
        raise TypeError(
            f"`query` must be a function of a dataset or an expression as text, got {query!r}"
        )
    if cases is not None and not isinstance(cases, Mapping):
        raise TypeError(f'`cases` must map "add", "remove", "replace" to steps, got {cases!r}')
    if neighbors is None:
        if query is not None or cases is not None:
            raise ValueError(
                "`query` and `cases` speak of neighboring datasets, and `neighbors` is missing; "
                "pass it, such as AddRemove(Real(0, 100))"
            )
        return ()
    kind = type(neighbors).__name__
    if isinstance(neighbors, type) or kind not in _WAYS:
        raise TypeError(
            "`neighbors` must be AddRemove, ReplaceOne, ZeroOut, AnyPair or QueryAnswers, "
            f"got {neighbors!r}"
        )
    ways = _WAYS[kind]
    extra = [way for way in cases or () if way not in ways]
    if extra:
        raise ValueError(
            f"`cases` has {extra[0]!r}, which is no way to be neighbors under {kind}; "
            f"it has {' and '.join(map(repr, ways))}"
        )
    return ways


def validated_changes(
    changes: object, query: object, cases: object, words: Mapping[str, frozenset[str]]
) -> dict[str, dict[str, Formula]]:
    """Return what each way does to the variables, read."""
    if changes is None:
        return {}
    if not isinstance(changes, Mapping) or not isinstance(query, str):
        raise TypeError(
            "`changes` says what each way does to the variables of a `query` that is text, "
            f"got {changes!r}; pass query='s/n' and changes={{'add': {{'n': 'n + 1'}}}}"
        )
    found: dict[str, dict[str, Formula]] = {}
    for way, moved in changes.items():
        if way not in (cases if isinstance(cases, Mapping) else {}):
            raise ValueError(f"`changes` has {way!r}, of which `cases` has no steps; add them")
        if not isinstance(moved, Mapping) or any(name not in words for name in moved):
            raise ValueError(
                f"`changes[{way!r}]` must map declared variables to expressions, got {moved!r}"
            )
        found[way] = {
            name: read_expression(text, f"`changes[{way!r}][{name!r}]`", words)
            for name, text in moved.items()
        }
    return found


def read_links(
    steps: object, cases: Mapping[str, object], words: Mapping[str, frozenset[str]]
) -> Iterator[Link]:
    """Yield the steps, read, those of the cases after those of none."""
    index = 0
    chains: list[tuple[str | None, object]] = [(None, steps), *cases.items()]
    for case, chain in chains:
        name = "steps" if case is None else f"cases[{case!r}]"
        listed = validated_texts(chain, name)
        if case is not None and not listed:
            raise ValueError(f"`{name}` is empty; state its steps, or leave the case out")
        read = [_read_step(step, f"`{name}[{i}]`", words) for i, step in enumerate(listed)]
        _validate_direction([operator for _, operator, _ in read], name)
        for place, (left, operator, right) in enumerate(read):
            yield Link(index, case, left, operator, right, first=place == 0)
            index += 1


def _read_step(
    step: object, where: str, words: Mapping[str, frozenset[str]]
) -> tuple[Formula, str, Formula]:
    if isinstance(step, str) or not isinstance(step, Sequence) or len(step) != 3:
        raise TypeError(
            f'{where} must be (left, relation, right), got {step!r}; such as ("x/n", "<=", "u/n")'
        )
    left, operator, right = step
    if operator not in RELATIONS:
        hint = "turn the step round" if operator == ">" else "sides are apart from it"
        raise ValueError(
            f"{where} has the relation {operator!r}; use one of {', '.join(RELATIONS)}; {hint}"
        )
    return (
        read_expression(left, f"the left side of {where}", words),
        operator,
        read_expression(right, f"the right side of {where}", words),
    )


def _validate_direction(operators: Sequence[str], name: str) -> None:
    up = [i for i, operator in enumerate(operators) if operator in ("<=", "<")]
    down = [i for i, operator in enumerate(operators) if operator == ">="]
    if up and down:
        raise ValueError(
            f"`{name}` goes up at step {up[0]} and down at step {down[0]}, so that nothing follows "
            "of its ends; turn one of them round, or state two derivations"
        )
