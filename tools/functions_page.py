"""Write the page of the functions that the prover follows, from the tables that it reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from dpaudit.checker.cost import library
from dpaudit.checker.pure import marked
from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "functions.md"
_HEAD = """# Functions that proofs follow

These are the functions that `dpaudit.verify` and the formal engine follow. A report of
INCONCLUSIVE names the line of a call that they do not follow. Many functions are followed with
some of their arguments only; the report then says which one stopped the proof. Functions that you
define yourself are read, whatever they are called. `make readme` writes this page.

Data frames have methods of their own, which [Audit mechanisms on data frames](frames.md) describes.
"""
_PRIVATE = """## Of private data and noisy values

The engine knows how these change when one record does, or what they make of noise.
"""
_PUBLIC = """## Of public and released values

What is computed from public numbers and released answers alone costs no privacy. There, these are
followed too, and all functions of `math` and all universal functions of NumPy and `scipy.special`.
"""
_KINDS = {
    "builtins": "Python",
    "draw": "draws of noise",
    "method": "methods",
    "attribute": "attributes",
}
_INSIDE = ("operator", "exception", "generator")  # parts of the language


def functions_page() -> str:
    """Return the page."""
    private = {*library.FUNCTIONS, *library.OF_NUMBERS, *library.UNARY}
    public = {*marked("repeatable"), *marked("shared")} - private
    parts = [_HEAD, _PRIVATE, _table(private), _PUBLIC, _table(public)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(names: Iterable[str]) -> str:
    """Return a table with a row for each library."""
    words = defaultdict(list)
    for name in sorted(names):
        kind, _, word = name.partition(".")
        words[kind.removeprefix("_")].append(f"`{word}`")
    order = sorted(words.keys() - {*_INSIDE}, key=lambda kind: (kind not in _KINDS, kind))
    rows = [(_KINDS.get(kind, f"`{kind}`"), " ".join(words[kind])) for kind in order]
    return "\n".join(map(table_row, [("of", "functions"), ("---", "---"), *rows]))
