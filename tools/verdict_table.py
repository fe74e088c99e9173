"""Write the verdict table of README.md from the audits that are declared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from dpaudit.collect import Collection, collect
from dpaudit.violations import VIOLATIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"
HEADER = ("audit", "mechanism", "claim", "verdict")


def table(collection: Collection) -> str:
    """Return the declared verdicts as a table in Markdown.

    Parameters
    ----------
    collection : Collection

    Returns
    -------
    str
    """
    rows = [HEADER, tuple("---" for _ in HEADER)]
    for collected in collection.audits:
        audit = collected.audit
        file, _, name = collected.name.rpartition("/")[2].partition("::")
        rows.append(
            (
                f"{file.removesuffix('.py')}: {name.replace('_', ' ')}",
                f"`{_called(audit.mechanism_name)}`",
                f"`{_short(str(audit.claim))}`",
                _expected(audit.expect),
            )
        )
    return "\n".join(_line(row) for row in rows)


def written(text: str) -> str:
    """Return the table that stands in a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def main() -> None:
    """Put the table of today's audits into the README."""
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    fresh = table(collect([ROOT / "audits"]))
    README.write_text(f"{head}{BEGIN}\n{fresh}\n{END}{tail}", encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _expected(expect: str) -> str:
    return f"REFUTED ({expect})" if expect in VIOLATIONS else expect.replace("_", " ")


def _called(mechanism: str) -> str:
    """Write a partial as a call with what it fixes."""
    name = mechanism.rpartition(":")[2]
    if not mechanism.startswith("functools.partial("):
        return name
    function, _, fixed = name.removesuffix(")").partition(", ")
    return f"{function}({fixed})"


def _short(claim: str, longest: int = 40) -> str:
    """Round the numbers of a long claim; the audit file has them in full."""
    if len(claim) <= longest and not any(len(part) > 12 for part in claim.split(".")):
        return claim
    return re.sub(r"\d+\.\d{5,}", lambda m: f"{float(m[0]):.4g}…", claim)


if __name__ == "__main__":
    main()
