"""Deterministic functions of the libraries: those that an evaluator may call for real.

They are those that the table says are repeatable (`dpaudit.checker.pure`), and all of some modules.
"""

from __future__ import annotations

from dpaudit.checker.pure import is_ufunc, marks
from dpaudit.checker.writing import IN_PLACE

_WHOLE = frozenset({"cmath", "itertools", "math", "operator"})
_WHOLE_PARTS = ("numpy.linalg.", "numpy.fft.", "scipy.special.", "scipy.linalg.", "scipy.fft.")
_DISTRIBUTIONS_WORDS = """
cdf entropy interval isf logcdf logpdf logpmf logsf mean median pdf pmf ppf sf stats std support
var
"""
_DISTRIBUTIONS = frozenset(_DISTRIBUTIONS_WORDS.split())
_ACTS = frozenset({"operator.attrgetter", "operator.call", "operator.methodcaller"})
_DRAWING = ("scipy.linalg.clarkson_woodruff_transform", "scipy.linalg.interpolative.")


def is_deterministic(name: str) -> bool:
    """Return whether the library function of a canonical name is on the list."""
    root, _, rest = name.partition(".")
    if "repeatable" in marks(name):
        return True
    if name in _ACTS or "__" in name or name.startswith(_DRAWING):
        return False
    if root in _WHOLE and "." not in rest:
        return True
    if any(name.startswith(part) for part in _WHOLE_PARTS):
        return True
    if root == "numpy":
        return is_ufunc(name)
    if name.startswith("scipy.stats."):
        parts = name.split(".")
        return len(parts) == 4 and parts[3] in _DISTRIBUTIONS
    return root == "builtins" and rest.endswith(("Error", "Exception", "Warning", "Iteration"))


def is_in_place(name: str) -> bool:
    """Return whether a name is one of a function that does what a statement such as += does.

    Evaluators call it for such statements; no program names it.
    """
    return name in IN_PLACE
