"""CheckDP's sixteen programs: the verdict of randomness alignment, and how long it takes.

Each is proved for every number of answers, all epsilon and all N, or refuted at epsilon 1. The
goal: all sixteen right, each within 5 seconds, all within 30. CheckDP's seconds are those of a
re-run of its published artifact with arrays of five answers (unloaded machine in brackets).
"""

from __future__ import annotations

import time
from functools import partial

import click
from common import print_provenance, print_table

from dpaudit import PureDP, QueryAnswers
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.clock import now
from dpaudit.formal.counterexample import refute
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests import formal_programs as programs
from tests.formal_programs import ALL, ONE, ONE_WAY

# Program, neighbors, claim, whether it holds, CheckDP's seconds.
ROWS = (
    ("partial_sum", ONE, "epsilon", True, "4.6"),
    ("smart_sum", ONE, "2*epsilon", True, "6.8"),
    ("svt", ALL, "epsilon", True, "44.3 (9.4)"),
    ("svt_monotone", ONE_WAY, "epsilon", True, "47.1, 15.9"),
    ("gap_svt", ALL, "epsilon", True, "21.0 (7.2)"),
    ("num_svt", ALL, "epsilon", True, "34.1"),
    ("adaptive_svt", ALL, "epsilon", True, "217"),
    ("report_noisy_max", ALL, "epsilon", True, "> 420, gave up"),
    ("bad_partial_sum", ONE, "epsilon", False, "2.4"),
    ("bad_smart_sum", ONE, "2*epsilon", False, "5.8"),
    ("bad_svt1", ALL, "epsilon", False, "7.3"),
    ("bad_svt2", ALL, "epsilon", False, "163 (30.5)"),
    ("bad_svt3", ALL, "epsilon", False, "191 (44.5)"),
    ("bad_gap_svt", ALL, "epsilon", False, "244 (53.1)"),
    ("bad_report_noisy_max", ALL, "epsilon", False, "27.7"),
    ("bad_adaptive_svt", ALL, "epsilon", False, "> 420, gave up"),
)
SECONDS = 60.0


def decided(name: str, neighbors: QueryAnswers, claim: str) -> tuple[str, str, float, float]:
    """Return verdict, loss, seconds on the wall and seconds of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    loss = ""
    try:
        prove_by_alignment(
            lift(getattr(programs, name)), claim, neighbors, deadline=now() + SECONDS
        )
        verdict = "VERIFIED"
    except Unsupported:
        verdict, loss = refuted(name, neighbors, 2.0 if claim.startswith("2") else 1.0)
    return verdict, loss, time.perf_counter() - wall, time.process_time() - processor


def refuted(name: str, neighbors: QueryAnswers, claimed: float) -> tuple[str, str]:
    """Return the verdict and the loss of a program with epsilon 1, by running it on symbols."""
    mechanism = partial(getattr(programs, name), epsilon=1.0)
    try:
        found = refute(
            lift(mechanism), PureDP(claimed), neighbors, mechanism, deadline=now() + SECONDS
        )
    except Unsupported:
        return "INCONCLUSIVE", ""
    return "REFUTED", f"{found.epsilon:.4f}"


@click.command()
def main() -> None:
    print_provenance()
    table, right, total = [], 0, 0.0
    for name, neighbors, claim, holds, published in ROWS:
        verdict, loss, wall, processor = decided(name, neighbors, claim)
        correct = verdict == ("VERIFIED" if holds else "REFUTED")
        right, total = right + correct, total + wall
        table.append(
            (
                name,
                claim,
                verdict,
                "" if correct else "WRONG",
                loss,
                f"{wall:.2f}",
                f"{processor:.2f}",
                published,
            )
        )
    print_table(
        ("program", "claim", "verdict", "", "exact loss", "s", "processor s", "CheckDP, s"), table
    )
    print(f"{right} of {len(ROWS)} right in {total:.1f} s")
    raise SystemExit(right < len(ROWS))


if __name__ == "__main__":
    main()
