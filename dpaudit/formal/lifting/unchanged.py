"""Whether an expression leaves every list, dict and array as it is, under all of their names.

What a variable holds may stand where the variable is read only if nothing in between changes it. A
change in place need not name the variable: the object may have other names. So what is not known
to change nothing counts as a change.
"""

from __future__ import annotations

from typing import Any

from dpaudit.checker.operators import MEANING
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Call,
    Comprehension,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Name,
    Named,
    Sequence,
    Starred,
    Update,
    walk,
)

_METHODS = """
append extend insert pop popitem popleft remove discard clear update setdefault sort reverse add
fill put resize partition setfield itemset setflags byteswap appendleft extendleft rotate subtract
intersection_update difference_update symmetric_difference_update drop rename eval
"""
_CHANGING = frozenset(_METHODS.split())
_FUNCTIONS = """
setattr delattr exec eval vars locals globals copyto put place putmask fill_diagonal
put_along_axis vectorize frompyfunc
"""
_WRITING = frozenset(_FUNCTIONS.split())
_TO = frozenset({"out", "inplace", "copy", "overwrite_input"})
_READING = frozenset({*MEANING, "abs", "contains", "getitem", "index", "inv"})


def changes_nothing(node: Expression) -> bool:
    """Return whether an expression is known to change no object that has a name.

    Parameters
    ----------
    node : Expression
        The functions that it calls are read too.
    """
    return not any(isinstance(part, Starred) or may_change(part) for part in walk(node))


def may_change(part: Any) -> bool:
    """Return whether a part of an expression, for itself, may change an object that has a name."""
    if isinstance(part, Update | Evaluate | Named):
        return True
    if isinstance(part, Assign):
        return not isinstance(part.target, Name)
    if isinstance(part, For | Comprehension):
        targets = [part.target] if isinstance(part, For) else [each[0] for each in part.clauses]
        return not all(map(_names_alone, targets))
    if isinstance(part, Attribute):  # a method that somebody else calls
        return part.name in _CHANGING or part.name.startswith("__")
    if isinstance(part, Draw):
        return part.family in ("shuffle", "permuted") or part.argument("out") is not None
    if not isinstance(part, Call) or isinstance(part.function, Function):
        return False
    return not isinstance(part.function, str) or _changes(part, part.function)


def _names_alone(target: Any) -> bool:
    """Return whether what is assigned to a target is only given names."""
    if isinstance(target, Starred):
        return _names_alone(target.value)
    if isinstance(target, Sequence):
        return all(map(_names_alone, target.items))
    return isinstance(target, Name)


def _changes(call: Call, function: str) -> bool:
    library, _, word = function.partition(".")
    to = any(name in _TO for name, _ in call.keywords)
    if to or word in _WRITING or rewriting.writes_to(call):
        return True
    if library == "operator":
        return word not in _READING
    if library == "method":
        return word in _CHANGING or word.startswith("_")
    if library == "numpy":
        inside = "." in word and word != "linalg.norm"
        return inside or (word == "nan_to_num" and len(call.arguments) > 1)
    return library not in ("builtins", "math", "iterable", "series", "collections")
