"""Numbers of a certificate, which are written as formulas of rational numbers."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import RejectedError
from dpaudit.checker.formula import Term, constant, read_term

_LONGEST = 20_000
OPERATIONS = frozenset({"add", "sub", "mul", "div", "neg", "exp", "log", "sqrt", "power"})


def number_told(text: Any) -> Number:
    """Return a number that is written with + - * / ** exp log sqrt."""
    what = "a number of `proof`"
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise RejectedError(f"{what} is no text, or too long")
    return value_of(read_term(text, (), what, longest=_LONGEST), what)


def value_of(term: Term, what: str, operations: Set[str] = OPERATIONS) -> Number:
    """Return the number that a term without variables is.

    Parameters
    ----------
    term : Term
    what : str
        What it is, for an error.
    operations : set of str
        Those that may occur.

    Raises
    ------
    RejectedError
        Where another operation occurs, or one where it is not defined.
    """
    known = constant(term)
    if known is not None:
        return Number(known)
    args = [value_of(arg, what, operations) for arg in term.args]
    found: Number
    match term.op if term.op in operations else "", args:
        case "add", [a, b]:
            found = a + b
        case "sub", [a, b]:
            found = a - b
        case "mul", [a, b]:
            found = a * b
        case "div", [a, b] if b.sign() != 0:
            found = a / b
        case "neg", [a]:
            found = -a
        case "exp", [a]:
            found = a.exp()
        case "log", [a] if a.sign() > 0:
            found = a.log()
        case "sqrt", [a] if a.sign() >= 0:
            found = a.sqrt()
        case "power", [a, b] if a.sign() > 0:
            found = a**b
        case _:
            raise RejectedError(f"{what} is no number")
    return found
