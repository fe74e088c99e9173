"""Float obligations of a proof about real numbers, asked anew of the program of a certificate."""

from __future__ import annotations

from typing import Any

from dpaudit.checker.file import Document, NotCheckedError, RejectedError
from dpaudit.floats import Refused, float_bounds
from dpaudit.notation import NotationError, parse_claim, parse_neighbors

KINDS = frozenset({"alignment", "cost", "exact", "lemma"})


UNKNOWN = "the float obligations of the proof were not checked anew"


def validate_floats(document: Document) -> tuple[str, ...]:
    """Refuse a proof whose program is not known to keep what it proves on floats.

    Returns
    -------
    tuple of str
        What is taken on trust: all of it for records that the file does not hold, claims that no
        text gives back, and parameters without a value.

    Raises
    ------
    RejectedError
        Where an obligation does not hold, or the analysis does not know.
    """
    program = document.program
    if document.kind not in KINDS or program is None:
        return ()
    if document.kind == "exact" and document.proof["at_ends"]:
        return ()  # which was found anew
    neighbors = _neighbors(document)
    if neighbors is None or program["symbolic"]:
        return (UNKNOWN,)
    try:
        claim: Any = parse_claim(document.subject["claim"])
    except NotationError:
        return (UNKNOWN,)
    try:
        float_bounds(program, claim, neighbors, document.kind)
    except Refused as refused:
        raise RejectedError(f"the proof is of real numbers, not of floats: {refused}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        said = f"{type(error).__name__}: {error!s:.100}"
        raise NotCheckedError(f"not checked: the float obligations ({said})") from None
    return ()


def _neighbors(document: Document) -> Any:
    if "around" in document.subject:
        return None  # whose records are not in the file
    try:
        return parse_neighbors(document.subject["neighbors"])
    except NotationError:
        return None
