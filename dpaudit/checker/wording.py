"""What values, operations and constructs are called where an evaluator cannot follow them."""

from __future__ import annotations

from typing import Any, Final

_KINDS: Final = {
    "bool": "a truth value",
    "int": "a known number",
    "Fraction": "a known number",
    "Number": "a known number",
    "float": "NaN or an infinity",
    "str": "a text",
    "NoneType": "None",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a dict",
    "slice": "a slice",
    "FixedList": "a list that other calls share",
    "FixedDict": "a dict that other calls share",
    "Arr": "an array",
    "Unfilled": "a column that is not filled yet",
    "Named": "a function or a type",
    "Lookup": "a function or a type",
    "Closure": "a function",
    "Opaque": "an object",
    "Generator": "a generator of noise",
    "Once": "an iterator",
    "Row": "a row of a frame",
    "Frame": "a frame",
    "Series": "a series",
    "ByNumber": "the entries of a frame by number",
    "Groups": "groups of rows",
    "Grouped": "one number for each group",
    "Tally": "one number for each label",
    "Labelled": "a series of known labels",
    "Keyed": "a dict with private keys",
    "Growing": "a list that records fill",
    "Noisy": "a noisy value",
    "Later": "noise entry by entry",
    "Flips": "random bits",
    "Answers": "randomized responses",
    "Mark": "a random threshold",
    "Weight": "a private weight",
    "Ranking": "an order of noisy values",
    "Coins": "a uniform draw for each record",
    "SampleMask": "the mask of a sample",
    "MarkedPlaces": "the places of the records in a sample",
    "View": "some of the records",
    "Rows": "a column of records",
    "Table": "rows of records",
    "Fields": "the type of rows",
    "Sorted": "sorted records",
    "Distinct": "the distinct records",
    "Places": "the places of some records",
    "Centered": "records less their mean",
    "Squares": "products of records less their means",
    "Flat": "the entries of all rows",
    "Records": "records in a loop",
    "OfUsers": "rows of which a user has any number",
    "Record": "one record",
    "Parts": "a list of dicts, lists or tuples",
    "At": "the place of a record",
    "ByPlace": "an entry for each record",
    "Filling": "a column that a loop fills",
    "Hidden": "a variable that a loop over records changes",
    "Sofar": "a running value of a loop over records",
    "Unknown": "a private number",
    "Vague": "a record without bounds",
    "Pick": "a private choice among values",
    "Var": "a record's value",
    "Text": "a private text",
    "Shared": "a released value",
    "Unset": "memory that is not set",
    "Word": "a random word",
    "Drawn": "a draw",
    "Stepped": "a draw",
    "Fixed": "a draw",
    "Bytes": "random bytes",
    "Draws": "an array of draws",
    "Undecided": "what depends on a draw",
    "Unsigned": "an unsigned integer",
}
_OPERATIONS: Final = {
    "add": "a sum",
    "sub": "a difference",
    "mul": "a product",
    "truediv": "a quotient",
    "floordiv": "an integer quotient",
    "mod": "a remainder",
    "pow": "a power",
    "matmul": "a matrix product",
    "and_": "a bitwise and",
    "or_": "a bitwise or",
    "xor": "a bitwise xor",
    "lshift": "a shift of bits",
    "rshift": "a shift of bits",
    "invert": "a bitwise complement",
    "neg": "the negative",
    "pos": "the positive",
    "abs": "the absolute value",
    "lt": "a comparison",
    "le": "a comparison",
    "gt": "a comparison",
    "ge": "a comparison",
    "eq": "a comparison",
    "ne": "a comparison",
    "is_": "a test for identity",
    "contains": "a test for membership",
}
_CONSTRUCTS: Final = {
    "Constant": "a constant",
    "Name": "a variable",
    "Generator": "a generator of noise as a value",
    "Draw": "a draw of noise",
    "Call": "a call",
    "Starred": "a starred argument",
    "Slice": "a slice",
    "Subscript": "an entry",
    "Attribute": "an attribute",
    "Sequence": "a list or tuple",
    "Mapping": "a dict",
    "Comprehension": "a comprehension",
    "Choice": "a choice between two values",
    "Logic": "a logical operation",
    "Named": "an assignment inside an expression",
    "Closure": "a function as a value",
    "Assign": "an assignment",
    "Update": "an update in place",
    "Evaluate": "a call whose value is not used",
    "Branch": "a branch",
    "For": "a loop",
    "While": "a while loop",
    "Return": "a return",
    "Leave": "a break or continue",
    "Raise": "an exception",
    "Define": "a function defined inside",
}


def described(value: Any) -> str:
    """Return what a value is, as a noun with its article, for a user."""
    kind = type(value)
    known = _KINDS.get(kind.__name__)
    own = kind.__module__.partition(".")[0] == "dpaudit"
    return known or ("a value of this kind" if own else f"a value of the type {kind.__name__}")


def in_words(name: str) -> str:
    """Return what an operation or a function is called, as a noun."""
    kind, _, word = name.partition(".")
    if name in _OPERATIONS or kind == "operator":
        return _OPERATIONS.get(word or name, f"the operator `{word}`")
    if kind in ("method", "attribute", "draw"):
        return f"the {kind} `{word:.60}`"
    return f"`{word:.60}`" if kind == "builtins" else name[:160]


def construct(kind: str) -> str:
    """Return what a node of a program is, as a noun with its article."""
    return _CONSTRUCTS.get(kind, "a construct of this kind")
