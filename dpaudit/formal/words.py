"""What nodes of programs, abstract values and conditions are called in a reason for a user."""

from __future__ import annotations

import re
from typing import Any

import sympy

_WORDS = {
    # nodes of `dpaudit.formal.program`
    "Place": "a place",
    "Node": "this code",
    "Constant": "a constant",
    "Name": "a name",
    "Generator": "a generator of random numbers",
    "Draw": "a draw of noise",
    "Call": "a call",
    "Starred": "starred arguments",
    "Slice": "a slice",
    "Subscript": "an item or slice",
    "Attribute": "an attribute",
    "Sequence": "a list or tuple",
    "Mapping": "a dict",
    "Comprehension": "a comprehension",
    "Choice": "a conditional expression",
    "Logic": "`and` or `or`",
    "Named": "an assignment within an expression",
    "Closure": "a lambda or nested function",
    "Assign": "an assignment",
    "Update": "`+=` or another assignment with an operator",
    "Evaluate": "an expression whose value is not used",
    "Branch": "an `if`",
    "For": "a `for` loop",
    "While": "a `while` loop",
    "Return": "a `return`",
    "Leave": "a `break` or `continue`",
    "Raise": "a `raise`",
    "Define": "a nested function",
    "Function": "a function",
    # values of `dpaudit.formal.domain` and of those who add to them
    "Known": "a constant",
    "Number": "a number",
    "Rows": "records",
    "Unaligned": "records whose order is unknown",
    "Array": "an array",
    "Table": "a table",
    "Tuple": "a tuple",
    "ListValue": "a list",
    "DictValue": "a dict",
    "ClosureValue": "a lambda or nested function",
    "FunctionValue": "a function",
    "Both": "a value that differs between the two datasets",
    "Foreign": "a value of another kind",
    "Noise": "noise",
    "Noisy": "a noisy value",
    "Ranking": "an order of noisy values",
    "Share": "weights that are normalised",
    "Coins": "one coin for each record",
    "Released": "a released value",
    "Flips": "coins of randomized response",
    "Answers": "randomized answers",
    "Triangle": "a sum of two uniform draws",
    "Half": "the absolute value of noise",
    "Mirrored": "noise with a random sign",
}
_SYMBOLS = (
    (r"released_\d+", "a released value"),
    (r"rows_\d+", "the number of records"),
    (r"(value|sum|test|extreme|place|whole)_\d+", "a value that is not known"),
)
_RELATIONS = {
    sympy.Ne: "is not",
    sympy.Eq: "is",
    sympy.Gt: "is more than",
    sympy.Ge: "is at least",
    sympy.Lt: "is less than",
    sympy.Le: "is at most",
}


def in_words(thing: object) -> str:
    """Return what a node or an abstract value is called.

    Parameters
    ----------
    thing : object
    """
    name = type(thing).__name__
    return _WORDS.get(name, f"an object of {name}")


def condition_in_words(condition: Any) -> str:
    """Return a condition on the symbols of a proof as a clause.

    Parameters
    ----------
    condition : sympy expression

    Examples
    --------
    >>> condition_in_words(sympy.Ne(sympy.Symbol("released_9"), 0))
    'a released value is not 0'
    """
    for kind, words in _RELATIONS.items():
        if isinstance(condition, kind):
            return f"{_term(condition.lhs)} {words} {_term(condition.rhs)}"
    return _term(condition)


def _term(term: Any) -> str:
    text = str(term)
    for pattern, words in _SYMBOLS:
        if re.fullmatch(pattern, text):
            return words
        text = re.sub(rf"\b{pattern}\b", f"({words})", text)
    return text
