"""What it costs to find the telling pair: an audit's own search against the cheapest known pair.

The mechanisms are the broken ones of `audits/` and of `tests/wild`. C is the calls that the
statistical engine needs on the cheapest of a fixed list of pairs: pairs found by hand, and the
first `LISTED` that the neighbors propose. The cheapest one is the first to refute with seed 0, all
pairs being tried with 500 calls, 2,000, 8,000 and so on, and the better half of them each time; C
is the median over three seeds on it. Mechanisms that C does not show `--within` so many calls are
left out. Then audits look for a pair themselves, with all engines and with the statistical one
alone. Calls of every engine count up to the refutation; those for a smaller witness or a line do
not. An audit is stopped, and counts as missed, once it has made 30 C + 20,000 calls.

The goal with all engines: 3 C + 2,000 calls in the median, 10 C + 2,000 at the ninth decile, and at
most 2 % missed. So the table shows (calls − 2,000)/C, and the goals in its last rows. A sample of
60 cases with 3 seeds and all engines takes some 15 minutes of one core:
`python benchmarks/bench_search.py --sample 60 --seeds 3 --engines all`.

`--limits FILE` keeps C, so that it is the same for two versions of the search.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
from common import met, print_provenance, print_table

import dpaudit
from dpaudit import Verdict
from dpaudit.auditor import ENGINES, named_engine
from dpaudit.collect import collect
from dpaudit.evidence import Evidence, Progress
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.trace.only import Only
from tests.wild.cases import CASES
from tools.declared import AUDITS, kind_of

LISTED = 24  # pairs that the neighbors propose
STEP = (500, 4)  # calls of each pair at first, and how many times as many next
STOPPED = (30, 20_000)  # times C, and calls, after which a search is given up
GOALS = ((0.5, 3.0), (0.9, 10.0))
SPARED = 2_000  # calls
MISSED = 0.02
ROUNDING = 1e-9


def _blocks(*values: float, of: int) -> np.ndarray:
    return np.repeat(np.array(values), of)


# Found by hand, as the docstrings of the mechanisms tell.
BY_HAND = {
    "sample_and_aggregate_by_position": (
        _blocks(0.0, 100.0, 0.0, 100.0, 0.0, of=2),
        _blocks(0.0, 100.0, 0.0, 100.0, 0.0, of=2)[1:],
    ),
    "noisy_vote_teachers_by_position": (
        np.tile([0, 0, 1, 1], 4),
        np.tile([0, 0, 1, 1], 4)[1:],
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism that breaks its claim, and a pair that is known to show it, if any."""

    name: str
    mechanism: Callable[..., Any]
    claim: Any
    neighbors: Neighbors
    by_hand: tuple[Any, Any] | None = None

    def pairs(self) -> list[Pair]:
        """Return the pairs that are fixed beforehand."""
        proposed = islice(self.neighbors.pairs(np.random.default_rng(12_345)), LISTED)
        first = [] if self.by_hand is None else [Pair(*self.by_hand, "found by hand")]
        return [*first, *proposed]


@cache
def cases() -> dict[str, Case]:
    """Return the broken mechanisms by name."""
    found = []
    for declared in collect([AUDITS]).audits:
        audit = declared.audit
        if kind_of(audit) == "flawed" and audit.observes is None and audit.arithmetic == "real":
            function = getattr(audit.mechanism, "func", audit.mechanism)
            by_hand = BY_HAND.get(getattr(function, "__name__", ""))
            found.append(
                Case(declared.name, audit.mechanism, audit.claim, audit.neighbors, by_hand)
            )
    for case in CASES:
        if not case.sound:
            pair = (case.label.left, case.label.right)
            found.append(Case(case.name, case.mechanism, case.claim, case.neighbors, pair))
    return {case.name: case for case in found}


class GivenUpError(Exception):
    """An audit has refuted, or has made too many calls."""


@dataclass(slots=True)
class Counted:
    """An engine whose calls are counted until it refutes; it is stopped there, or after `most`."""

    engine: Any
    others: list[Counted]
    most: float
    calls: int = 0
    refuted: bool = False

    @property
    def name(self) -> str:
        """Not that of the engine: what an audit does after a verdict is no search."""
        return f"counted {self.engine.name}"

    def examine(self, *given: Any, progress: Any = None, **options: Any) -> Evidence:
        """Return what the engine finds."""

        def heard(progress: Progress) -> None:
            made = sum(other.calls for other in self.others) + progress.calls
            if (
                self.engine.name == "statistical"
                and progress.log_e_value >= progress.target - ROUNDING
            ):
                self.calls, self.refuted = progress.calls, True
                raise GivenUpError
            if made > self.most:
                self.calls = progress.calls
                raise GivenUpError

        found: Evidence = self.engine.examine(*given, progress=heard, **options)
        self.calls, self.refuted = found.calls, found.verdict is Verdict.REFUTED
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an audit: calls until it refuted, infinite if it did not."""

    calls: float
    by: str
    seconds: float
    spent: dict[str, int] = field(default_factory=dict)


def audited(
    case: Case, neighbors: Neighbors, engines: Sequence[str], seed: int, *, most: float, calls: int,
    seconds: float,
) -> Outcome:  # fmt: skip
    """Audit until a refutation, or until too many calls are made."""
    began, counted = time.monotonic(), []
    for place, name in enumerate(engines):
        engine = named_engine(name, last="statistical" not in engines[place:])
        counted.append(Counted(engine, list(counted), most))
    with contextlib.suppress(GivenUpError):
        dpaudit.audit(
            case.mechanism, case.claim, neighbors, engines=counted, max_calls=calls, seed=seed,
            max_seconds=seconds, progress=False,
        )  # fmt: skip
    spent = {each.engine.name: each.calls for each in counted}
    by = next((each.engine.name for each in counted if each.refuted), "")
    total = sum(spent.values()) if by else math.inf
    return Outcome(total, by, time.monotonic() - began, spent)


def cheapest(case: Case, seeds: int, seconds: float, within: int) -> float | None:
    """Return C, None where no pair shows the violation within so many calls."""
    pairs, (step, times) = case.pairs(), STEP

    def alone(pair: Pair, seed: int, calls: int) -> tuple[float, float]:
        relation = Only(pair, case.neighbors)
        report = dpaudit.audit(
            case.mechanism, case.claim, relation, engines=["statistical"], max_calls=calls,
            seed=seed, max_seconds=seconds, progress=False,
        )  # fmt: skip
        refuted = report.verdict is Verdict.REFUTED
        return (report.calls if refuted else math.inf), -(report.evidence[0].log_e_value or 0.0)

    while True:
        ranked = sorted((*alone(pair, 0, step), i) for i, pair in enumerate(pairs))
        if math.isfinite(ranked[0][0]):
            best = pairs[ranked[0][2]]
            rest = [alone(best, seed, within)[0] for seed in range(1, seeds)]
            found = median([ranked[0][0], *rest])
            return found if math.isfinite(found) else None
        if step == within:
            return None
        pairs = [pairs[i] for _, _, i in ranked[: max(3, len(pairs) // 2)]]
        step = min(times * step, within)


def limits(
    chosen: Sequence[str], seeds: int, seconds: float, within: int, kept: Path | None
) -> dict[str, Any]:
    """Return C by name of the case; those in the file are not measured again."""
    known = {} if kept is None or not kept.exists() else json.loads(kept.read_text())
    for name in chosen:
        if name not in known:
            known[name] = cheapest(cases()[name], seeds, seconds, within)
            if kept is not None:
                kept.write_text(json.dumps(known, indent=1))
    return known


def goals(found: Sequence[tuple[float, Outcome]], *, asked: bool) -> list[tuple[str, ...]]:
    """Return the last rows of a table: what all audits together reach, beside the goals."""
    ratios = np.array([(outcome.calls - SPARED) / limit for limit, outcome in found])
    missed = float(np.mean(np.isinf(ratios)))
    rows = []
    for name, (q, goal) in zip(("median", "ninth decile"), GOALS, strict=True):
        share = float(np.quantile(ratios, q, method="higher"))
        within = f"{np.mean(ratios <= goal):.1%} within {goal:g}"
        rows.append((name, "", "", f"{share:.2f}", "", met(share <= goal) if asked else "", within))
    seconds = f"{sum(outcome.seconds for _, outcome in found):.0f} s"
    audits = f"{len(found)} audits, {seconds}"
    rows.append(
        ("missed", "", "", "", f"{missed:.1%}", met(missed <= MISSED) if asked else "", audits)
    )
    return rows


@click.command(help=__doc__)
@click.option("--sample", type=int, help="Cases, drawn with `--draw`; all unless given.")
@click.option("--draw", default=0, show_default=True, help="Seed of the sample.")
@click.option("--select", default="", help="Only cases whose name contains this.")
@click.option("--seeds", default=11, show_default=True, help="Of each case, from 0.")
@click.option("--seconds", default=60.0, show_default=True, help="Of an audit, at most.")
@click.option("--calls", default=1_000_000, show_default=True, help="The budget of an audit.")
@click.option("--within", default=50_000, show_default=True, help="Calls that C is at most.")
@click.option("--limits", "kept", type=click.Path(path_type=Path), help="Where C is kept.")
@click.option("--shown", default=15, show_default=True, help="Worst cases in the table.")
@click.option(
    "--engines",
    default="all,statistical",
    show_default=True,
    help="Which audits: `all`, and names of engines joined by +.",
)
def main(
    sample: int | None, draw: int, select: str, seeds: int, seconds: float, calls: int,
    within: int, kept: Path | None, shown: int, engines: str,
) -> None:  # fmt: skip
    """Measure C, then what audits take."""
    print_provenance()
    chosen = sorted(name for name in cases() if select in name)
    random.Random(draw).shuffle(chosen)
    chosen = chosen[:sample]  # a larger sample holds a smaller one
    known = limits(chosen, min(seeds, 3), seconds, within, kept)
    shown_by_c = [name for name in chosen if known[name] is not None]
    print(f"{len(chosen)} broken mechanisms, {len(shown_by_c)} shown within {within:,} calls\n")
    for kind in engines.split(","):
        asked = ENGINES if kind == "all" else kind.split("+")
        rows, every = [], []
        for name in shown_by_c:
            case, limit = cases()[name], known[name]
            most = STOPPED[0] * limit + STOPPED[1]
            found = [
                audited(case, case.neighbors, asked, seed, most=most, calls=calls, seconds=seconds)
                for seed in range(seeds)
            ]
            every += [(limit, each) for each in found]
            typical = median(each.calls for each in found)
            missed = sum(math.isinf(each.calls) for each in found)
            spent = [median(each.spent[engine] for each in found) for engine in asked]
            by = "/".join(sorted({each.by or "missed" for each in found}))
            ratio = (typical - SPARED) / limit
            row = (
                name, f"{limit:,.0f}", f"{typical:,.0f}", f"{ratio:.2f}", f"{missed} of {seeds}",
                by, " ".join(f"{made:,.0f}" for made in spent),
            )  # fmt: skip
            rows.append((ratio, row))
        rows.sort(reverse=True)
        print(f"engines: {kind}; the dearest {shown} in the median, then all together")
        head = ("case", "C", "calls", "(calls − 2,000)/C", "missed", "by", "calls of engines")
        print_table(head, [*(row for _, row in rows[:shown]), *goals(every, asked=kind == "all")])
        print()


if __name__ == "__main__":
    main()
