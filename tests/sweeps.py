"""Sweeps: parametrized tests whose many cases differ little, and statistical repetitions.

The environment variable `DPAUDIT_SWEEPS` says how many cases are tried. Where it is not set, tests
that use `sampled`, `thinned` or `repeated` try a fixed sample, and others all cases. With ``full``,
which `make test-full` sets, all tests try all cases. With ``turn``, which `make test` sets, each
parametrized test tries one of five of its cases, at least one, and a test that takes `COSTLY`
seconds or more is tried in one turn of five. The commit chooses them, so that the same commit
always tries the same cases, and the commits take turns. With a number from 1 to 5 that turn is
taken.
"""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import pytest

Case = TypeVar("Case")

CHOSEN = os.environ.get("DPAUDIT_SWEEPS", "")
FULL = CHOSEN == "full"
TURNS = 5
COSTLY = 2.0  # processor seconds of a case, as tools/durations.json has recorded them


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


def turn() -> int | None:
    """Return the turn that is taken, from 1; None where no test is thinned by turns."""
    if CHOSEN != "turn":
        return int(CHOSEN) if CHOSEN.isdigit() else None
    return _commit() % TURNS + 1


def alternated(cases: Iterable[Case]) -> list[Case]:
    """Return the one case that the commit chooses, for costly cases; all in a full sweep.

    On average, each case is tried in one of as many commits as there are cases.
    """
    every = list(cases)
    return every if FULL else [every[_commit() % len(every)]]


def _commit() -> int:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return int(commit[:8] or "0", 16)


def in_turn(
    items: Sequence[pytest.Item], taken: int, durations: Mapping[str, Mapping[str, float]]
) -> list[pytest.Item]:
    """Return the tests of one turn; in five turns each is tried.

    Of a parametrized test these are one of five cases, at least one. A costly test with fewer
    cases is tried in the turns that its name gives, each case in one of five.
    """
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    kept: set[int] = set()
    for test, cases in tests.items():
        file, _, name = test.partition("::")
        recorded = durations.get(file, {}).get(name, 0.0)
        turns, first = min(TURNS, len(cases)), 0
        if len(cases) < TURNS and recorded >= COSTLY * len(cases):
            turns, first = TURNS, crc32(test.encode())
        kept |= {
            id(case)
            for place, case in enumerate(cases)
            if (first + place) % TURNS == (taken - 1) % turns
        }
    return [item for item in items if id(item) in kept]
