"""Sweeps: parametrized tests whose many cases differ little, and statistical repetitions.

`make test` tries a fixed sample of each sweep; ``python benchmarks/full_sweeps.py`` tries all cases
of all sweeps, by setting the environment variable `DPAUDIT_SWEEPS` to ``full``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

FULL = os.environ.get("DPAUDIT_SWEEPS") == "full"


def sampled(cases: Iterable[Case], count: int) -> list[Case]:
    """Return that many cases, evenly spread in their order; all of them in a full sweep."""
    every = list(cases)
    if FULL or len(every) <= count:
        return every
    return [every[(2 * k + 1) * len(every) // (2 * count)] for k in range(count)]


def thinned(cases: Iterable[Case]) -> list[Case]:
    """Return one case of three, evenly spread in their order; all of them in a full sweep."""
    every = list(cases)
    return sampled(every, -(-len(every) // 3))


def repeated(count: int, full: int) -> int:
    """Return how often something is repeated: `count` times, `full` times in a full sweep."""
    return full if FULL else count
