"""What nodes of programs are called in a reason for a user."""

from __future__ import annotations

_WORDS = {
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
}


def in_words(thing: object) -> str:
    """Return what a node is called.

    Parameters
    ----------
    thing : object
    """
    name = type(thing).__name__
    return _WORDS.get(name, f"an object of {name}")
