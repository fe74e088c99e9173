"""Runs the code before a refutation from its source is said."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpaudit.evidence import Event
from dpaudit.worker import InPlace, WorkerError
from dpaudit.worker.tasks import Task

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.evidence import Budget
    from dpaudit.formal.refutation import Counterexample, Interval
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

DRAWS = 20_000  # at most, both datasets together
CERTAIN, USUAL = 100, 1_000  # draws a dataset of what is all but certain, and of other events
SURE = 0.99
SIGHTINGS = 50  # of the event that are wanted
ENOUGH = 10  # sightings predicted; fewer say nothing
TAILS = 100  # of a normal law: (5 + 5)², for both errors
LEVEL = 1e-6  # probability that true predictions are contradicted
SLACK = 1e-9  # of a probability: events have tolerances, and floats do not hold every number
FIRST, SECONDS = 10, 2.0  # draws after which a slow mechanism is known, and what all may take
WAITING = 5  # times that, for a mechanism that waits, or where others keep the machine busy
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
    subject: Subject, claim: Claim, found: Counterexample, budget: Budget, runner: Runner | None
) -> Confirmation:
    """Draw from the mechanism on both datasets, and compare with the predicted probabilities.

    Parameters
    ----------
    subject : Subject
    claim : Claim
        That is refuted.
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
    The number of draws follows from the prediction and the claim, not from the draws: where a
    mechanism that keeps the claim would show another frequency, there are enough of them to see
    it, up to `DRAWS`. Slow code is drawn from less often: what its quickest draws take of a
    processor tells how many there is time for, not how busy the machine is. Four exact binomial
    tails have a quarter of `LEVEL` each. One sighting of an event that is predicted to be
    impossible contradicts.
    """
    rare = _Rarity.of(claim, found)
    draws = min(rare.wanted, max(1, budget.max_calls // 2))
    if draws < CERTAIN and not found.replayed:
        said = (
            f"a refutation from the source was not checked by running the code: max_calls="
            f"{budget.max_calls:,} leaves {draws:,} runs on each dataset. Set it to "
            f"{2 * CERTAIN:,} or more"
        )
        return Confirmation("", said, 0)
    running: Runner = InPlace(subject) if runner is None else runner
    try:
        with running.known.confirming():
            left, right, made, calls = _drawn(found, draws, budget.seed, running)
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
    how = "sampled" if rare.least * made >= ENOUGH else "consistent only"
    if found.replayed:
        how = "replayed"
    said = f"predicted with probability {predicted}, seen {seen}"
    said = said if how == "consistent only" else f"{how}: {said}"
    return Confirmation(how, said, calls)


def as_returned(
    subject: Subject, found: Counterexample, seed: int, runner: Runner | None
) -> Counterexample:
    """Return a counterexample whose event names fields of the objects that the code returns.

    The lifted program has dicts in their place.

    Parameters
    ----------
    subject : Subject
    found : Counterexample
    seed : int
    runner : Runner, optional
        As of `confirmed`.
    """
    if not re.search(r"output\S*\['|, dict\)", found.event.source):
        return found
    running: Runner = InPlace(subject) if runner is None else runner
    task = Task(found.left, found.right, "independent", FIRST, (seed, KEY, FIRST))
    try:
        with running.known.confirming():
            [seen] = running.run([task])
    except (WorkerError, SyntaxError):
        return found  # `confirmed` says it
    fields: dict[str, None] = {}
    types: dict[str, str] = {}
    for columns in filter(None, (seen.left, seen.right)):
        types |= {path[:-5]: words[0] for path, (_, words) in columns.labels.items()
                  if path.endswith(":type") and len(words) == 1}  # fmt: skip
        fields |= dict.fromkeys((*columns.numbers, *columns.labels))
    event = found.event
    words, source, message = event.words, event.source, found.finding.message
    for path in sorted(types, key=len):
        names = {m[1] for f in fields if (m := re.match(re.escape(path) + r"\.(\w+)", f))}
        if "keys" in names and names <= {"keys", "length", "truncated"}:
            continue  # a dict, as in the lifted program
        listed = rf"isinstance\({re.escape(f'output{path}')}, dict\) and list\(\S+\) == \[[^]]*\]"
        source = re.sub(listed, f"type(output{path}).__name__ == {types[path]!r}", source)
        for name in names:
            old, new = f"output{path}[{name!r}]", f"output{path}.{name}"
            words, source, message = (t.replace(old, new) for t in (words, source, message))
    finding = replace(found.finding, message=message)
    return replace(found, event=Event(words, source), finding=finding)


@dataclass(frozen=True, slots=True)
class _Rarity:
    """How many draws a prediction asks for.

    Attributes
    ----------
    wanted : int
        Draws on each dataset.
    least : float
        The smaller of the event's probability on the left, as predicted, and of that on the right
        which the claim asks for.
    """

    wanted: int
    least: float

    @staticmethod
    def of(claim: Claim, found: Counterexample) -> _Rarity:
        p, q = found.p[0], found.q[1]
        allowed = _least_allowed(claim, p)
        wanted: float = CERTAIN
        if not (p > SURE and q < 1 - SURE):
            wanted = max(USUAL, SIGHTINGS / max(p, 1 / DRAWS))
        if not found.replayed:
            wanted = max(wanted, _telling(q, allowed), _telling(p, 1 - claim.beta(q)))
        return _Rarity(math.ceil(min(DRAWS // 2, wanted)), min(p, allowed))


def _least_allowed(claim: Claim, p: float) -> float:
    """Return the least probability on the right that the claim allows beside `p` on the left."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if claim.beta(middle) <= 1 - p else (middle, high)
    return high


def _telling(predicted: float, allowed: float) -> float:
    """Return the draws after which a probability that is allowed contradicts the predicted one."""
    if predicted == 0:
        return math.log(4 / LEVEL) / max(allowed, 1 / DRAWS)
    spread = max(predicted * (1 - predicted), allowed * (1 - allowed))
    return TAILS * spread / max(abs(allowed - predicted), 1 / DRAWS) ** 2


def _drawn(
    found: Counterexample, draws: int, seed: int, runner: Runner
) -> tuple[int, int, int, int]:
    """Return the sightings on both datasets, the draws on each, and the calls that they took."""
    counts, made, calls = [0, 0], 0, 0
    size, pace = min(FIRST, draws), math.inf
    while size > 0:
        key = (seed, KEY, made)
        task = Task(found.left, found.right, "independent", size, key, event=found.event)
        [seen] = runner.run([task])
        for side, columns in enumerate((seen.left, seen.right)):
            assert columns is not None
            counts[side] += int(columns.numbers[""].sum())
        made, calls = made + size, calls + seen.calls
        pace = min(pace, max(seen.worked, seen.seconds / WAITING, 1e-9) / size)
        time = max(0 if found.replayed else CERTAIN, int(SECONDS / pace))
        size = min(made, min(draws, time) - made)  # as many again: no pause of the machine counts
    return counts[0], counts[1], made, calls


def _plausible(count: int, draws: int, probability: Interval) -> bool:
    """Whether a count may be one of an event with a probability in this interval."""
    from scipy.special import bdtr, bdtrc

    if (count and not probability[1]) or (count < draws and probability[0] == 1):
        return False
    low, high = max(0.0, probability[0] - SLACK), min(1.0, probability[1] + SLACK)
    above, below = bdtrc(count - 1, draws, high), bdtr(count, draws, low)
    return bool(min(above, below) >= LEVEL / 4)


def _text(probability: Interval) -> str:
    return f"{(probability[0] + probability[1]) / 2:.4g}"
