"""Repair: how many of the flawed reference mechanisms a change of their source makes VERIFIED.

Of the kinds that a repair is for: a scale, a sensitivity or a clip, a split of the budget (DPA103
to DPA107). What is counted was verified by the whole engine; `noise` is how many times as large
the noise becomes, empty where its scale is written anew.
"""

from __future__ import annotations

import importlib
import time
from collections import Counter
from pathlib import Path

import click
from common import each_in_processes, jobs_option, print_provenance, print_table

from dpaudit import Audit
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.repair import repair
from dpaudit.formal.unsupported import Unsupported

KINDS = ("DPA103", "DPA104", "DPA105", "DPA106", "DPA107")
ROOT = Path(__file__).parents[1]
Row = tuple[str, str, str, str, str]


def flawed(only: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return (module, name) of the audits that expect one of the kinds."""
    found = []
    for file in sorted((ROOT / "audits").glob("[!_]*.py")):
        module = f"audits.{file.stem}"
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, Audit) and not isinstance(value.mechanism, Derivation):
                asked = not only or any(part in f"{file.stem}.{name}" for part in only)
                if value.expect in KINDS and asked:
                    found.append((module, name))
    return found


def repaired(item: tuple[str, str, float]) -> Row:
    """Return the row of one audit."""
    module, name, seconds = item
    audit = getattr(importlib.import_module(module), name)
    began = time.perf_counter()
    try:
        found = repair(audit.mechanism, audit.claim, audit.neighbors, timeout=seconds)
    except Unsupported as none:
        what, noise = f"no: {none.what}", ""
    else:
        what = found.what
        noise = "" if found.noise is None else f"{found.noise:.3g}"
    took = f"{time.perf_counter() - began:.0f}"
    return f"{module.partition('.')[2]}.{name}", audit.expect, what[:110], noise, took


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="For each mechanism.")
@click.option("--only", multiple=True, help="Audits whose name has this; may be repeated.")
@jobs_option
def main(seconds: float, only: tuple[str, ...], jobs: int) -> None:
    print_provenance()
    items = [(*place, seconds) for place in flawed(only)]
    rows = sorted(each_in_processes(repaired, items, jobs))
    print_table(("audit", "kind", "repair", "noise", "s"), rows)
    made = [row for row in rows if not row[2].startswith("no: ")]
    of, got = Counter(row[1] for row in rows), Counter(row[1] for row in made)
    print("; ".join(f"{kind}: {got[kind]} of {of[kind]}" for kind in KINDS))
    print(f"{len(made)} of {len(rows)} are VERIFIED after the change")


if __name__ == "__main__":
    main()
