"""How often a suspicion is of a broken mechanism, kind by kind, before anything confirms it.

The mechanisms are those of `audits/` and of `tests/wild`. The source is read (errors of the static
engine), or `--pairs` pairs are traced and nothing is sampled. Precision is the part of suspicions
of a kind that are of broken mechanisms; intervals are Clopper and Pearson's at 95 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
from common import print_provenance, print_table
from statsmodels.stats.proportion import proportion_confint

from dpaudit import Verdict
from dpaudit.collect import collect
from dpaudit.evidence import Budget
from dpaudit.static.engine import StaticEngine
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.worker import InPlace
from tests.wild.cases import CASES

_SOUND = (Verdict.VERIFIED.name, Verdict.NOT_REFUTED.name)


def mechanisms() -> Iterator[tuple[Any, Any, Any, bool]]:
    """Yield mechanism, claim, neighbors, and whether the claim holds."""
    for declared in collect(["audits"]).audits:
        audit = declared.audit
        if audit.claim is not None and audit.over is None:
            yield audit.mechanism, audit.claim, audit.neighbors, audit.expect in _SOUND
    for case in CASES:
        yield case.mechanism, case.claim, case.neighbors, case.sound


@click.command(help=__doc__)
@click.option("--engine", type=click.Choice(["static", "trace"]), default="static")
@click.option("--pairs", default=32, show_default=True, help="To trace.")
def main(engine: str, pairs: int) -> None:
    """Print the table."""
    print_provenance()
    budget = Budget(1e-6, 20_000, None, 0, "real")
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    tried: Counter[bool] = Counter()
    for mechanism, claim, neighbors, sound in mechanisms():
        subject = Subject.of(mechanism)
        asked = StaticEngine() if engine == "static" else TraceEngine(pairs, 0)
        found = asked.examine(subject, claim, neighbors, budget, runner=InPlace(subject))
        findings = [*found.findings, *(s.finding for s in found.suspects if s.finding)]
        seen[sound].update({f.id for f in findings if f.level == "error"})
        tried[sound] += 1
    print(f"{tried[True]} sound mechanisms, {tried[False]} broken ones\n")
    rows = []
    for kind in sorted({*seen[True], *seen[False]}):
        right, wrong = seen[False][kind], seen[True][kind]
        low, high = proportion_confint(right, right + wrong, method="beta")
        share = f"{right / (right + wrong):.0%} ({low:.0%} to {high:.0%})"
        rows.append((kind, str(right), str(wrong), share))
    print_table(("kind", "of broken ones", "of sound ones", "precision"), rows)


if __name__ == "__main__":
    main()
