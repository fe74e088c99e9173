"""Numbers of a certificate, which are written as formulas of rational numbers."""

from __future__ import annotations

from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import RejectedError
from dpaudit.checker.formula import Term, constant, read_term

_LONGEST = 20_000


def number_told(text: Any) -> Number:
    """Return a number that is written with + - * / ** exp log sqrt."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise RejectedError("a number of `proof` is no text, or too long")
    return _value(read_term(text, (), "a number of `proof`", longest=_LONGEST))


def _value(term: Term) -> Number:
    known = constant(term)
    if known is not None:
        return Number(known)
    args = [_value(arg) for arg in term.args]
    found: Number
    match term.op, args:
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
            raise RejectedError("a number of `proof` is no number")
    return found
