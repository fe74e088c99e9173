"""How many of the proved audits the kernel proves alone, in what time, and how long its code is.

Each audit that is expected VERIFIED is lowered to Core, and the kernel replays the derivation; of
those that it proves the old way by cost and its checker are timed too. Nothing else of an audit is
run: no float obligations, no lifting, no second look.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from common import print_provenance, print_table

from dpaudit.checker.cost import within
from dpaudit.checker.file import RejectedError, Work
from dpaudit.collect import collect
from dpaudit.core.proof import prove_by_core, replay
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

ROOT = Path(__file__).parents[1]


def seconds(act: Callable[[], Any], *refusals: type[Exception]) -> tuple[Any, float]:
    """Return what a function returns, None where it refuses, and its processor time."""
    began = time.process_time()
    try:
        found = act()
    except refusals:
        found = None
    return found, time.process_time() - began


def code_lines(folder: Path) -> int:
    """Return the lines that are neither blank nor comments nor docstrings."""
    count = 0
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        documented = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        for number, line in enumerate(text.splitlines(), 1):
            count += bool(line.strip()) and not line.strip().startswith("#") and (
                number not in documented
            )  # fmt: skip
    return count


@click.command()
@click.option("--old/--no-old", default=True, help="Whether the old way is timed beside it.")
def main(old: bool) -> None:
    """Print the table, and the totals."""
    print_provenance()
    rows: list[list[str]] = []
    tried = old_proves = 0
    totals = [0.0, 0.0, 0.0, 0.0]
    for found in collect([ROOT / "audits"]).audits:
        audit = found.audit
        if audit.expect != "VERIFIED" or audit.claim is None:
            continue
        try:
            program = lift(audit.mechanism)
        except Unsupported:
            continue
        tried += 1
        given = (program, audit.claim, audit.neighbors)
        proof, proving = seconds(lambda given=given: prove_by_core(*given), Unsupported)
        if proof is None:
            continue
        steps = proof.to_dict()["steps"]
        _, checking = seconds(lambda given=given, steps=steps: replay(*given, steps))
        times = [proving, checking, 0.0, 0.0]
        if old:
            by_cost, times[2] = seconds(lambda given=given: prove_by_cost(*given), Unsupported)
            old_proves += by_cost is not None
            content = to_dict(program)
            _, times[3] = seconds(
                lambda audit=audit, content=content: within(
                    content, audit.claim, audit.neighbors, Work(float("inf"))
                ),
                RejectedError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError,
            )  # fmt: skip
        totals = [a + b for a, b in zip(totals, times, strict=True)]
        rows.append([found.name, str(len(steps)), *(f"{value:.3f}" for value in times)])
    heads = ["audit", "steps", "kernel proves", "checks", "cost proves", "checks"]
    print_table(heads, rows)
    print(f"{len(rows)} of {tried} proved by the kernel, {old_proves} of those by the old way too")
    print("processor seconds:", ", ".join(f"{value:.2f}" for value in totals))
    for folder in ("core", "kernel"):
        print(f"dpaudit/{folder}: {code_lines(ROOT / 'dpaudit' / folder)} lines of code")


if __name__ == "__main__":
    main()
