"""Write docs/verdicts.md: what an audit of each sound reference mechanism would have caught.

The statistical engine alone runs, with the same number of calls for each, however many its audit
declares: fewer only if that is declared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

import dpaudit
from dpaudit.collect import CollectedAudit
from dpaudit.report.caught import size, weak
from dpaudit.statistical.detection import ROWS
from tools.declared import sound, title_of
from tools.description import ROOT
from tools.markdown import table_row
from tools.verdict_table import short

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

PAGE = ROOT / "docs" / "verdicts.md"
CALLS = 32_000  # those of three tiers
HEAD = f"""# What NOT REFUTED rules out, for each mechanism

This page shows how much a `NOT REFUTED` says. For each sound mechanism of `audits/` it has the
smallest ε that an audit would have caught with probability .9. An audit here has {CALLS:,} calls of
the statistical engine, or fewer if it declares fewer. α is 1e-6, and the seed is 0. The audits
themselves use all engines, and prove most of these claims ([VERDICTS.md](../audits/VERDICTS.md)).

A cell has two numbers: for draws with a common seed, and for independent draws. The head of its
column is the probability of the event. [statistics.md](statistics.md#numbers-in-the-report)
describes the event. The numbers are those of the least searched pair of datasets. A larger budget
tries more pairs, up to 16, before it makes more calls on each. So more calls lower these numbers
only beyond about 200,000 calls. The command line makes 1,000,000 calls unless told otherwise.

`make caught` writes this page.
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What an audit without an event would have caught.

    Attributes
    ----------
    name : str
        File and variable.
    claim, verdict : str
    calls, pairs : int
    sizes : sequence of (float or None, float or None)
        Of coupled and of independent draws, by `ROWS`; empty where nothing is known.
    weak : bool
        Whether it would not have caught twice the claim on common events.
    """

    name: str
    claim: str
    verdict: str
    calls: int
    pairs: int
    sizes: Sequence[tuple[float | None, float | None]]
    weak: bool


def ran(found: CollectedAudit, calls: int = CALLS) -> Ran:
    """Run the statistical engine on an audit.

    Parameters
    ----------
    found : CollectedAudit
    calls : int
        At most.

    Returns
    -------
    Ran
    """
    audit = found.audit
    claim, neighbors = cast("Claim", audit.claim), cast("Neighbors", audit.neighbors)
    report = dpaudit.audit(
        audit.mechanism,
        claim,
        neighbors,
        engines=["statistical"],
        max_calls=min(calls, audit.max_calls or calls),
        max_seconds=None,
        progress=False,
    )
    sizes = [(row.coupled, row.independent) for row in report.detectable]
    return Ran(
        found.name.removeprefix("audits/"),
        str(claim),
        report.verdict.name,
        report.calls,
        report.pairs_tried,
        sizes,
        weak(report),
    )


def page(results: Iterable[Ran]) -> str:
    """Return the whole page.

    Parameters
    ----------
    results : iterable of Ran

    Returns
    -------
    str
    """
    results = list(results)
    strong = sum(not each.weak for each in results)
    parts = [
        HEAD,
        f"{strong} of {len(results)} would have caught twice the claimed ε by independent draws, "
        "on events of\nprobability .1. The others are marked with ∗, and their reports say so "
        "first. A claim that has\nno ε is marked only if nothing is caught there.",
    ]
    for file in dict.fromkeys(each.name.partition(".py::")[0] for each in results):
        rows: list[Sequence[str]] = [
            ("audit", "claim", "calls", "pairs", *(f"{p:g}" for p in ROWS)),
            ("---", "---", *["--:"] * (2 + len(ROWS))),
        ]
        for each in results:
            if each.name.startswith(f"{file}.py::"):
                word = each.name.rpartition("::")[2].replace("_", " ") + " ∗" * each.weak
                cells = [" / ".join(map(size, both)) for both in each.sizes]
                if each.verdict != "NOT_REFUTED":
                    cells = [each.verdict.replace("_", " "), *[""] * (len(ROWS) - 1)]
                claim, calls = f"`{short(each.claim)}`", f"{each.calls:,}"
                rows.append((word, claim, calls, str(each.pairs), *cells))
        parts.append(f"## {file}\n\n{title_of(file)}\n\n" + "\n".join(map(table_row, rows)))
    return "\n\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


@click.command()
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
def main(results: Path | None) -> None:
    """Run every sound audit, and write docs/verdicts.md."""
    known: dict[str, Ran] = {}
    if results is not None and results.exists():
        rows = map(json.loads, results.read_text(encoding="utf-8").splitlines())
        known = {row["name"]: Ran(**row) for row in rows}
    for found in sound():
        name = found.name.removeprefix("audits/")
        if name not in known:
            known[name] = ran(found)
            if results is not None:
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(known[name])) + "\n")
    PAGE.write_text(page(known.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
