"""Write docs/mechanisms.md: every reference mechanism, its privacy, its error, what breaks it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from dpaudit.violations import VIOLATIONS
from tools.declared import AUDITS, all_declared, declared, title_of
from tools.description import ROOT, Description, described
from tools.markdown import escaped, table_row

PAGE = ROOT / "docs" / "mechanisms.md"
IMAGES = ROOT / "docs" / "images"
# Files of audits/ in the order of the page; a mechanism is shown with the first that audits it.
FAMILIES = (
    "additive",
    "selection",
    "sparse_vector",
    "local",
    "shuffle",
    "summary_statistics",
    "histograms",
    "local_sensitivity",
    "composition",
    "streams",
    "federated",
    "learning",
    "synthetic_data",
    "nonprivate",
)
HEAD = """# The mechanisms

This page shows the reference mechanisms, as their files in `mechanisms/` describe them. Below each
are its flawed twins, which differ from it by one defect. [paper_mapping.md](paper_mapping.md) names
the paper behind each mechanism. [privacy_and_utility.md](privacy_and_utility.md) explains the
pictures. `make gallery` writes this page from the files and from a run of the audits, and
`tools/plots.py` draws the figures.
"""
SHOWN = 40  # characters of a dataset; longer ones are told by how they differ
NOTHING = "not by sampling: its audit says why"
TWINS = "| flawed twin | defect | violation | true ε | information limit | refuted by |\n" + (
    "| --- | --- | --- | --- | --- | --- |"
)


@cache
def family_of() -> dict[str, str]:
    """Return the file of audits/ that each mechanism belongs to.

    Returns
    -------
    dict of str to str
        Module of the mechanism to the first of `FAMILIES` that audits it.
    """
    found: dict[str, str] = {}
    for family in FAMILIES:
        for audit in declared(AUDITS / f"{family}.py"):
            for mechanism in audit.mechanisms:
                found.setdefault(mechanism.rpartition(".")[0], family)
    return found


def section(description: Description) -> str:
    """Return what the page says of a mechanism that its file says itself.

    Parameters
    ----------
    description : Description

    Returns
    -------
    str
    """
    link = description.path.relative_to(ROOT).as_posix()
    parts = [f"### {description.name}", f"{description.title}. [Source](../{link})"]
    if description.definition:
        parts.append(f"```text\n{description.definition}\n```")
    shown = {k: v for k, v in description.fields.items() if k != "Violation"}
    parts.append("\n".join(f"- **{name}:** {text}" for name, text in shown.items()))
    return "\n\n".join(parts)


def twin_row(twin: Description) -> str:
    """Return the cells of a flawed twin that its file states, without what refutes it.

    Parameters
    ----------
    twin : Description

    Returns
    -------
    str
    """
    link = twin.path.relative_to(ROOT).as_posix()
    violation = twin.fields["Violation"]
    cells = (
        f"[{twin.name}](../{link})",
        twin.fields["Defect"],
        f"{violation} {VIOLATIONS[violation].name}",
        twin.fields["True epsilon"],
        twin.fields["Information limit"],
    )
    return table_row(cells)


def page(results: Mapping[str, str]) -> str:
    """Return the whole page.

    Parameters
    ----------
    results : mapping of str to str
        Name of a flawed or nonprivate mechanism to what refuted it.

    Returns
    -------
    str
    """
    families = family_of()
    twins: dict[str, list[Description]] = {}
    for twin in described("flawed"):
        twins.setdefault(twin.fields["Twin"], []).append(twin)
    everything = [*described(), *described("nonprivate")]
    parts = [HEAD]
    for family in FAMILIES:
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n\n{title_of(family)}")
        parts += [
            _entry(description, twins.get(description.name, ()), results)
            for description in everything
            if families.get(description.module) == family
        ]
    return "\n\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def results_of(report: Mapping[str, Any]) -> dict[str, str]:
    """Read what refuted which mechanism from what `dpaudit run --json` wrote.

    Parameters
    ----------
    report : mapping

    Returns
    -------
    dict of str to str
        Module of each mechanism to its cheapest refutation, in words.
    """
    reached = {audit.name: audit for audit in all_declared()}
    missing = {name for name, audit in reached.items() if audit.expect in VIOLATIONS}
    calls: dict[str, int] = {}
    found: dict[str, str] = {}
    for audit in report["audits"]:
        result, written = audit["report"], reached.get(audit["name"])
        if written is None or written.expect not in VIOLATIONS:
            continue  # a derivation, or nothing to refute
        if result is None or result["verdict"] != "REFUTED":
            raise click.ClickException(f"{audit['name']} was not refuted; run the audits again")
        missing.discard(audit["name"])
        for module in {name.rpartition(".")[0] for name in written.mechanisms}:
            if result["calls"] <= calls.get(module, result["calls"]):
                calls[module], found[module] = result["calls"], _refuted_by(result)
    if missing:
        raise click.ClickException(f"not in the results: {', '.join(sorted(missing))}")
    return found


def _entry(
    description: Description, twins: Sequence[Description], results: Mapping[str, str]
) -> str:
    parts = [section(description)]
    image = IMAGES / "utility" / f"{description.name}.svg"
    if image.exists():
        parts.append(f"![error of {description.name} against epsilon](images/utility/{image.name})")
    if description.path.parent.name == "nonprivate":
        parts.append(f"Refuted by: {results.get(description.module, NOTHING)}.")
    if twins:
        rows = (f"{twin_row(twin)} {results.get(twin.module, NOTHING)} |" for twin in twins)
        parts.append("\n".join([TWINS, *rows]))
    return "\n\n".join(parts)


def _refuted_by(result: Mapping[str, Any]) -> str:
    """Return who found it, and on what."""
    finding, witness = result["findings"][0], result["witness"]
    words = f"{finding['engine']} engine ({finding['id']}), {result['calls']:,} calls"
    if witness is None:
        return words
    shown = [f"`{witness[side]['text']}`" for side in ("left", "right")]
    if max(map(len, shown)) > SHOWN:
        return escaped(f"{words}: {witness['how']}")
    return escaped(f"{words}: {shown[0]} against {shown[1]}")


@click.command()
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(results: Path) -> None:
    """Write the page from the files and from RESULTS, which `dpaudit run --json` wrote."""
    found = results_of(json.loads(results.read_text(encoding="utf-8")))
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
