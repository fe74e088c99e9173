"""Write the page of the functions that the prover follows, from the tables that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpaudit.report.functions import KINDS, PRIVATE, PUBLIC, followed
from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "functions.md"
_HEAD = """# Functions that proofs follow

These are the functions that `dpaudit.verify` and the formal engine follow. A report of
INCONCLUSIVE names the line of a call that they do not follow. Many functions are followed with
some of their arguments only; the report then says which one stopped the proof. Functions that you
define yourself are read, whatever they are called. `make readme` writes this page;
`dpaudit explain functions` prints its lists.

Data frames have methods of their own, which [Audit mechanisms on data frames](frames.md) describes.
"""
_PRIVATE = f"""## {PRIVATE}

The engine knows how these change when one record does, or what they make of noise.
"""
_PUBLIC = f"""## {PUBLIC}

What is computed from public numbers and released answers alone costs no privacy. There, these are
followed too, and all functions of `math` and all universal functions of NumPy and `scipy.special`.
"""


def functions_page() -> str:
    """Return the page."""
    lists = followed()
    parts = [_HEAD, _PRIVATE, _table(lists[PRIVATE]), _PUBLIC, _table(lists[PUBLIC])]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(libraries: Mapping[str, Sequence[str]]) -> str:
    """Return a table with a row for each library."""
    rows = [
        (KINDS.get(kind, f"`{kind}`"), " ".join(f"`{name}`" for name in names))
        for kind, names in libraries.items()
    ]
    return "\n".join(map(table_row, [("of", "functions"), ("---", "---"), *rows]))
