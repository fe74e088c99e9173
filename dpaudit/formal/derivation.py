"""A sensitivity derivation as it is stated: variables, conditions, and steps that follow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.checker.file import RejectedError
from dpaudit.checker.formula import read_term
from dpaudit.checker.stated import WAYS, Stated, stated
from dpaudit.checker.stated import Step as Link
from dpaudit.reference import reference

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
    stated: Stated = field(init=False, repr=False)
    file: str | None = field(init=False, repr=False)
    line: int | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if hasattr(self.query, "free_symbols"):  # an expression of sympy
            object.__setattr__(self, "query", str(self.query))
        _validate(self)
        given, steps = tuple(self.given), tuple(map(tuple, self.steps))
        cases = dict(self.cases or {})
        try:
            read = stated(
                self.variables,
                given,
                _written(steps, cases),
                self.query
                if self.query is None or isinstance(self.query, str)
                else reference(self.query),
                self.neighbors,
                self.changes or {},
            )
            if isinstance(self.query, str):
                read_term(self.query, read.variables, "`query`")
        except RejectedError as error:
            raise ValueError(str(error)) from None
        frame = sys._getframe(2)
        for name, value in (
            ("variables", dict(self.variables)),
            ("given", given),
            ("steps", steps),
            ("stated", read),
            ("file", frame.f_code.co_filename),
            ("line", frame.f_lineno),
        ):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        said = "; ".join(map(str, self.links[:3])) or "no steps"
        return f"Derivation({said}{'; …' if len(self.links) > 3 else ''})"

    @property
    def links(self) -> tuple[Link, ...]:
        """All steps as they were read: first `steps`, then those of the cases."""
        return self.stated.steps

    @property
    def missing(self) -> tuple[str, ...]:
        """The kinds of neighbors without a case."""
        return self.stated.missing


def _validate(derivation: Derivation) -> None:
    """Refuse what is of another type than what a derivation is made of."""
    variables: object = derivation.variables
    query: object = derivation.query
    cases: object = derivation.cases
    changes: object = derivation.changes
    if not isinstance(variables, Mapping):
        raise TypeError(
            f'`variables` must map names to kinds such as {{"n": "integer"}}, got {variables!r}'
        )
    if query is not None and not callable(query) and not isinstance(query, str):
        raise TypeError(
            f"`query` must be a function of a dataset or an expression as text, got {query!r}"
        )
    if cases is not None and not isinstance(cases, Mapping):
        raise TypeError(f'`cases` must map "add", "remove", "replace" to steps, got {cases!r}')
    neighbors = derivation.neighbors
    if neighbors is None and (query is not None or cases is not None):
        raise ValueError(
            "`query` and `cases` refer to neighboring datasets, and `neighbors` is missing; "
            "pass it, such as AddRemove(Real(0, 100))"
        )
    if neighbors is not None and type(neighbors).__name__ not in WAYS:
        raise TypeError(f"`neighbors` must be one of {', '.join(WAYS)}, got {neighbors!r}")
    if changes is not None and (not isinstance(changes, Mapping) or not isinstance(query, str)):
        raise TypeError(
            "`changes` says what each way does to the variables of a `query` that is text, "
            f"got {changes!r}; pass query='s/n' and changes={{'add': {{'n': 'n + 1'}}}}"
        )
    for text in _listed(derivation.given, "given"):
        _validate_text(text, "given")
    chains: list[tuple[str | None, Any]] = [(None, derivation.steps), *(cases or {}).items()]
    for case, steps in chains:
        name = "steps" if case is None else f"cases[{case!r}]"
        listed = _listed(steps, name)
        if case is not None and not listed:
            raise ValueError(f"`{name}` is empty; state its steps, or leave the case out")
        for i, step in enumerate(listed):
            if isinstance(step, str) or not isinstance(step, Sequence) or len(step) != 3:
                raise TypeError(
                    f"`{name}[{i}]` must be (left, relation, right), got {step!r}; "
                    'such as ("x/n", "<=", "u/n")'
                )
            for text in step:
                _validate_text(text, f"{name}[{i}]")


def _listed(texts: object, name: str) -> Sequence[Any]:
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise TypeError(f"`{name}` must be a sequence, got {texts!r}; use [{texts!r}]")
    return texts


def _validate_text(text: object, where: str) -> None:
    if not isinstance(text, str):
        raise TypeError(
            f"`{where}` must be text in sympy's notation, got {text!r}; write it as a string"
        )


def _written(steps: Sequence[Any], cases: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the steps as certificates hold them."""
    chains = [(None, steps), *cases.items()]
    listed = [(case, step) for case, chain in chains for step in chain]
    return [
        {"step": i, "case": case, "left": left, "relation": sign, "right": right}
        for i, (case, (left, sign, right)) in enumerate(listed)
    ]
