"""Tiers of work: between them, and only there, a limit of time ends an audit.

The first tier ends after 2,000 calls of sampling, each later one after four times as many, the last
where the budget of calls does. Pairs that are traced, steps of a proof and runs with steered noise
grow with them. The last tier allows all that an engine ever takes. Wealth goes on from tier to
tier, and so do the pairs; more of them join where there are calls for more. What one tier does
hangs on counts alone, so that an audit that time ended after tier N is repeated on any machine by
asking for tier N.
"""

from __future__ import annotations

from collections.abc import Iterator

FIRST = 2_000  # calls
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


def grown(first: float, tier: int) -> float:
    """Return how much of something a tier allows.

    Parameters
    ----------
    first : float
        What the first tier allows.
    tier : int
        From 1.
    """
    return first * float(GROWTH) ** (tier - 1)
