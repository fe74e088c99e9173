"""Soundness by mutation: no program with a small mistake may be VERIFIED unless it is private.

The sound reference mechanisms are changed in one place each (`tools/mutation.py`) and given to the
formal engine with the claim and the neighbors of their audits. Each that is VERIFIED is then run by
the statistical engine at α = 1e-6, on the pairs that it would try anyway; a REFUTED there is a
false proof. The goal: none.

With `--results FILE` every mutant is written down as it ends; the same command goes on where it was
stopped.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from common import each_in_processes, jobs_option, met, print_provenance, seed_option

import dpaudit
from tools.mutation import Case, cases, load


def decided(case: Case, calls: int, timeout: float) -> dict[str, Any]:
    """Return what the formal engine says of a mutant, and sampling of those it verifies."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            mechanism = load(case.mutant, case.mechanism, Path(folder), f"mutant_{case.number}")
        except Exception as error:  # a mutant may fail in any way when it is imported
            return {"number": case.number, "verdict": "BROKEN", "why": type(error).__name__}
        report = dpaudit.verify(mechanism, case.claim, case.neighbors, timeout=timeout)
        result = {
            "number": case.number,
            "audit": case.audit,
            "change": case.mutant.change,
            "verdict": report.verdict.name,
            "findings": [finding.id for finding in report.findings],
            "seconds": round(report.seconds, 3),
        }
        if report.verdict is dpaudit.Verdict.VERIFIED:
            sampled = dpaudit.audit(
                mechanism,
                case.claim,
                case.neighbors,
                engines=["statistical"],
                max_calls=calls,
                max_seconds=30.0,
            )
            result["sampled"] = sampled.verdict.name
    return result


@click.command()
@click.option("--mutants", default=2_000, show_default=True, help="How many, drawn at random.")
@click.option("--calls", default=40_000, show_default=True, help="Of a verified mutant.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds of a proof.")
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
@seed_option
@jobs_option
def main(
    mutants: int, calls: int, timeout: float, results: Path | None, seed: int, jobs: int
) -> None:
    """Count what becomes of mutants, and false proofs among them."""
    print_provenance()
    everything = cases()
    chosen = np.random.default_rng(seed).permutation(len(everything))[:mutants]
    done = [] if results is None or not results.exists() else _read(results)
    known = {result["number"] for result in done}
    todo = [everything[i] for i in sorted(chosen) if i not in known]
    for result in each_in_processes(partial(decided, calls=calls, timeout=timeout), todo, jobs):
        done.append(result)
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    counts = Counter(result["verdict"] for result in done)
    print(f"{len(done)} mutants: " + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    false = [result for result in done if result.get("sampled") == "REFUTED"]
    for result in false:
        print(f"FALSE PROOF {result['audit']}: {result['change']}")
    print(f"{len(false)} false proofs: {met(not false)}")


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
