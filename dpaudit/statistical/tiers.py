"""Tiers of calls: between them, and only there, a limit of time ends the sampling.

The first tier ends after 2,000 calls, each later one after four times as many, the last where the
budget of calls does. Wealth goes on from tier to tier, and so do the pairs; more of them join where
there are calls for more. What one tier does hangs on calls alone, so that a run that time ended
after tier N is repeated on any machine by asking for tier N.
"""

from __future__ import annotations

from collections.abc import Iterator

FIRST = 2_000
GROWTH = 4


def ends(calls: int) -> Iterator[int]:
    """Yield how many calls are made up to the end of each tier; the last has at least half its own.

    Parameters
    ----------
    calls : int
        That the budget allows.
    """
    end = FIRST
    while 2 * end <= calls:
        yield end
        end *= GROWTH
    yield calls
