"""How often the search by path cost finds the pair that tells, where parts go by position.

A record that comes or goes moves the records after it into other parts. On most pairs that changes
nothing, or one part; the bug is in the pairs on which it changes several. Two calls with frozen
noise price a pair, so that 200 pairs are a search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np
from common import jobs_option, print_provenance, print_table, resumable, save_option

from dpaudit import AddRemove, PureDP, Real
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.replay import Allowance
from dpaudit.trace.search import CLEAR_SHARE, search
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position

STATISTICS: dict[str, Callable[[Any], Any]] = {
    "max": np.max,
    "median": np.median,
    "mean": np.mean,
}


@dataclass(frozen=True, slots=True)
class Row:
    """Parts of so many records, with one statistic each."""

    statistic: str
    parts: int
    size: int

    @property
    def name(self) -> str:
        return f"{self.statistic} in {self.parts} parts of {self.size} records"


ROWS = tuple(Row(f, k, n) for f in STATISTICS for k in (3, 5, 8) for n in (16, 40))


def searched(item: tuple[Row, int, int]) -> tuple[float, int]:
    """Return the largest cost, as a share of the claim, and the pairs that it took."""
    row, pairs, seed = item
    mechanism = partial(
        sample_and_aggregate_by_position, f=STATISTICS[row.statistic], parts=row.parts
    )
    key, claim = (seed, 2**30), PureDP(1.0)
    with Bench(Subject.of(mechanism), None) as bench:
        found = search(
            bench,
            AddRemove(Real(0, 100), max_size=row.size),
            Allowance.of(claim),
            np.random.default_rng(key),
            key,
            max_calls=50 * pairs,
            max_pairs=pairs,
            max_seconds=None,
        )
    return found.share, found.pairs


@click.command()
@jobs_option
@save_option
@click.option("--seeds", default=11, show_default=True, help="Searches of each mechanism.")
@click.option("--pairs", default=200, show_default=True, help="Pairs of a search.")
def main(jobs: int, save: Any, seeds: int, pairs: int) -> None:
    """Search with seeds 0 to SEEDS − 1."""
    print_provenance()
    items = [(row, pairs, seed) for row in ROWS for seed in range(seeds)]
    results = resumable(searched, items, jobs, save)
    rows, every = [], 0
    for at, row in enumerate(ROWS):
        shares = [share for share, _ in results[at * seeds : (at + 1) * seeds]]
        found = sum(share > CLEAR_SHARE for share in shares)
        every += found
        rows.append((row.name, f"{found} of {seeds}", f"{max(shares):.2f}"))
    rows.append(("all", f"{every} of {len(items)}", ""))
    print_table(("mechanism", f"cost above {CLEAR_SHARE:g} found", "largest share"), rows)


if __name__ == "__main__":
    main()
