"""Write audits/NOT_PROVED.md: the sound mechanisms that the formal engine does not prove, and why.

What is said of each is the engine's own reason, so that the page stays true. An audit is tried with
its claim and its neighbors for as long as `dpaudit.audit` would; what depends on the time is said
to be so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

import dpaudit
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Verdict
from dpaudit.formal.engine import SECONDS
from tools.declared import sound
from tools.description import ROOT
from tools.markdown import table_row
from tools.verdict_table import called, short

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

PAGE = ROOT / "audits" / "NOT_PROVED.md"
HEAD = """# What is not proved

This page lists the sound mechanisms of `audits/` whose claims the formal engine does not prove. All
of them are run, and not refuted. The last column has the reasons of the engine, one for each
proof method ([formal.md](../docs/formal.md)). A reason names the line, or a limit of the method.
Derivations are not counted. Claims that are false although no run shows it are not counted either;
their reasons in [VERDICTS.md](VERDICTS.md) begin with "true ε". `make unproved` writes this page.
"""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the engine said of one audit.

    Attributes
    ----------
    name : str
        File and variable.
    mechanism, claim : str
    verdict : str
    reasons : tuple of str
        Where there is no proof.
    """

    name: str
    mechanism: str
    claim: str
    verdict: str
    reasons: tuple[str, ...] = ()


def tried(found: CollectedAudit, seconds: float = SECONDS) -> Tried:
    """Ask the formal engine for a proof of an audit.

    Parameters
    ----------
    found : CollectedAudit
    seconds : float

    Returns
    -------
    Tried
    """
    audit = found.audit
    claim, neighbors = cast("Claim", audit.claim), cast("Neighbors", audit.neighbors)
    report = dpaudit.verify(audit.mechanism, claim, neighbors, timeout=seconds)
    proved = report.verdict is Verdict.VERIFIED
    said = "; ".join(e.reason for e in report.evidence if e.engine == "formal")
    reasons = () if proved else reasons_of(said)
    name = found.name.removeprefix("audits/")
    return Tried(name, str(audit.mechanism_name), str(claim), report.verdict.name, reasons)


def reasons_of(text: str) -> tuple[str, ...]:
    """Return the reasons in what the engine says, with files as they are called in the project.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of str
    """
    shown = text.replace(f"{ROOT}/", "")
    return tuple(dict.fromkeys(part.strip() for part in shown.split("; ")))


def page(results: Iterable[Tried]) -> str:
    """Return the whole page.

    Parameters
    ----------
    results : iterable of Tried

    Returns
    -------
    str
    """
    results = list(results)
    proved = [each for each in results if each.verdict == Verdict.VERIFIED.name]
    rest = [each for each in results if each not in proved]
    parts = [HEAD, f"Proved: {len(proved)} of {len(results)} sound audits.\n"]
    files = Counter(each.name.partition(".py::")[0] for each in rest)
    for file in files:
        rows = [("audit", "mechanism", "claim", "what stopped it"), ("---",) * 4]
        for each in rest:
            if each.name.startswith(f"{file}.py::"):
                word = each.name.rpartition("::")[2].replace("_", " ")
                why = "; ".join(each.reasons)
                rows.append((word, f"`{called(each.mechanism)}`", f"`{short(each.claim)}`", why))
        parts.append(f"## {file}\n\n" + "\n".join(map(table_row, rows)) + "\n")
    return "\n".join(parts)


@click.command()
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
@click.option("--seconds", default=SECONDS, show_default=True, help="Of each audit.")
def main(results: Path | None, seconds: float) -> None:
    """Try every sound audit, and write audits/NOT_PROVED.md."""
    known: dict[str, Tried] = {}
    if results is not None and results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            known[row["name"]] = Tried(**{**row, "reasons": tuple(row["reasons"])})
    for found in sound():
        name = found.name.removeprefix("audits/")
        if name in known:
            continue
        known[name] = tried(found, seconds)
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(known[name])) + "\n")
    PAGE.write_text(page(known.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
