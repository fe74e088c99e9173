"""The page of the public objects, from which autosummary makes one page for each."""

from __future__ import annotations

from pathlib import Path

import dpaudit

# Where a public object is defined, and what such objects are for; the first that fits.
GROUPS = {
    "dpaudit.auditor": "Audit and prove",
    "dpaudit.claims": "Claims",
    "dpaudit.neighbors": "Neighboring datasets",
    "dpaudit.estimates": "Estimates from samples",
    "dpaudit": "Declarations, reports and tools",
}


def groups() -> dict[str, list[str]]:
    """Return the public names under the heading that each belongs to."""
    found: dict[str, list[str]] = {heading: [] for heading in GROUPS.values()}
    for name in sorted(set(dpaudit.__all__) - {"__version__"}):
        home = getattr(dpaudit, name).__module__
        heading = next(h for m, h in GROUPS.items() if f"{home}.".startswith(f"{m}."))
        found[heading].append(name)
    return found


def write_api_pages(page: Path) -> None:
    """Write the page that lists the public objects.

    Parameters
    ----------
    page : Path
        A reStructuredText file; the pages of the objects come beside it, in ``api/``.
    """
    parts = ["Public objects\n==============\n", ".. currentmodule:: dpaudit\n"]
    for heading, names in groups().items():
        listed = "\n".join(f"   {name}" for name in names)
        table = f".. autosummary::\n   :toctree: api\n\n{listed}\n"
        parts.append(f"{heading}\n{'-' * len(heading)}\n\n{table}")
    page.write_text("\n".join(parts), encoding="utf-8")
