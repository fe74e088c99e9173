"""Runs the code before a refutation from its source is said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.worker import InPlace, WorkerError
from dpaudit.worker.tasks import Task

if TYPE_CHECKING:
    from dpaudit.evidence import Budget
    from dpaudit.formal.refutation import Counterexample, Interval
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

DRAWS = 20_000  # at most, both datasets together
CERTAIN, USUAL = 100, 1_000  # draws a dataset of what is all but certain, and of other events
SURE = 0.99
SIGHTINGS = 50  # of the event that are wanted
ENOUGH = 10  # sightings predicted; fewer say nothing
LEVEL = 1e-6  # probability that true predictions are contradicted
SLACK = 1e-5  # of a probability: events have tolerances, and floats do not hold every number
FIRST, SECONDS = 10, 2.0  # draws after which a slow mechanism is known, and what it may take
KEY = 0x5EE4  # apart from the seeds of other engines


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What running the code said of a predicted refutation.

    Attributes
    ----------
    how : {"", "replayed", "sampled", "consistent only"}
        Empty where the code contradicts it.
    said : str
        What was seen, or what was predicted and seen instead.
    calls : int
    """

    how: str
    said: str
    calls: int


def confirmed(
    subject: Subject, found: Counterexample, budget: Budget, runner: Runner | None
) -> Confirmation:
    """Draw from the mechanism on both datasets, and compare with the predicted probabilities.

    Parameters
    ----------
    subject : Subject
    found : Counterexample
    budget : Budget
        Its seed and its calls.
    runner : Runner, optional
        Where the mechanism runs; in this process unless given.

    Returns
    -------
    Confirmation

    Notes
    -----
    The number of draws follows from the prediction, not from the draws. Four exact binomial
    tails have a quarter of `LEVEL` each.
    """
    draws = min(_wanted(found), max(1, budget.max_calls // 2))
    try:
        left, right, made, calls = _drawn(subject, found, draws, budget.seed, runner)
    except (WorkerError, SyntaxError) as error:
        return Confirmation("", f"the counterexample could not be run: {error}", 0)
    seen = f"{left:,} and {right:,} times in {made:,} runs each"
    predicted = f"{_text(found.p)} and {_text(found.q)}"
    if not (_plausible(left, made, found.p) and _plausible(right, made, found.q)):
        said = (
            f"a refutation from the source was contradicted by running the code ({found.event}: "
            f"predicted with probability {predicted}, seen {seen}): the source was misread"
        )
        return Confirmation("", said, calls)
    how = "sampled" if found.p[0] * made >= ENOUGH else "consistent only"
    if found.replayed:
        how = "replayed"
    rare = "; the event is too rare for these runs to say more" if how == "consistent only" else ""
    said = f"{how}: predicted with probability {predicted}, seen {seen}{rare}"
    return Confirmation(how, said, calls)


def _wanted(found: Counterexample) -> int:
    """Return the draws on each dataset that the predicted probabilities ask for."""
    p, q = found.p[0], found.q[1]
    if p > SURE and q < 1 - SURE:
        return CERTAIN
    return min(DRAWS // 2, max(USUAL, math.ceil(SIGHTINGS / max(p, 1 / DRAWS))))


def _drawn(
    subject: Subject, found: Counterexample, draws: int, seed: int, runner: Runner | None
) -> tuple[int, int, int, int]:
    """Return the sightings on both datasets, the draws on each, and the calls that they took."""
    running = InPlace(subject) if runner is None else runner
    counts, made, calls = [0, 0], 0, 0
    size = min(FIRST, draws)
    while size > 0:
        key = (seed, KEY, made)
        task = Task(found.left, found.right, "independent", size, key, event=found.event)
        [seen] = running.run([task])
        for side, columns in enumerate((seen.left, seen.right)):
            assert columns is not None
            counts[side] += int(columns.numbers[""].sum())
        made, calls = made + size, calls + seen.calls
        if made == size:  # the first of them tell how many there is time for
            draws = min(draws, max(made, int(made * SECONDS / max(seen.seconds, 1e-9))))
        size = draws - made
    return counts[0], counts[1], made, calls


def _plausible(count: int, draws: int, probability: Interval) -> bool:
    """Whether a count may be one of an event with a probability in this interval."""
    from scipy.stats import binom

    low, high = max(0.0, probability[0] - SLACK), min(1.0, probability[1] + SLACK)
    above, below = binom.sf(count - 1, draws, high), binom.cdf(count, draws, low)
    return bool(min(above, below) >= LEVEL / 4)


def _text(probability: Interval) -> str:
    return f"{(probability[0] + probability[1]) / 2:.4g}"
