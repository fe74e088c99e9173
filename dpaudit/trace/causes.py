"""Which violation two coupled runs suggest, and the line that it comes from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.neighbors import Neighbors
from dpaudit.outputs import Raised
from dpaudit.trace.budget import budget_suspicion, unnoised_order
from dpaudit.trace.chosen import chosen_suspicion
from dpaudit.trace.coins import coins_suspicion, flipped_suspicion
from dpaudit.trace.compare import Difference
from dpaudit.trace.comparison import Comparison
from dpaudit.trace.draws import Place, place_of_line
from dpaudit.trace.emitted import emitted_suspicion
from dpaudit.trace.entered import formed
from dpaudit.trace.forms import condition_around, goes_through
from dpaudit.trace.habits import STRUCTURE, Habits
from dpaudit.trace.laws import law_of
from dpaudit.trace.lines import (
    History,
    as_given,
    entry_formed_at,
    first_holding,
    first_where,
    formed_at,
    parted_at,
    proportional_at,
    source_of,
)
from dpaudit.trace.record import Bench, Run
from dpaudit.trace.relations import not_finite, other_mask
from dpaudit.trace.replay import Allowance, Trial, moved_noise, same_noise
from dpaudit.trace.seeds import guessable_seed, weak_randomness
from dpaudit.trace.seen import Seen, close
from dpaudit.trace.slices import origin_at
from dpaudit.trace.structure import structure
from dpaudit.trace.support import impossible, listed_at
from dpaudit.trace.suspicion import Suspicion, number_text, related
from dpaudit.trace.tape import Sink
from dpaudit.trace.unmasked import unmasked_suspicion
from dpaudit.trace.wiring import beyond_wiring

MORE_LOOKS = 128  # runs on each dataset, before it is said that no coin ever changes an output
SOLVED = 1e-6  # the relative error with which noise is moved so that all else is alike
REVEALING = 32  # more runs on each dataset, before it is said that an output occurs on one alone


@dataclass(eq=False)
class Case:
    """All that is known of one pair when its cause is looked for.

    Attributes
    ----------
    bench : Bench
    trial : Trial
    claim : Claim
    allowance : Allowance
    habits : Habits
        What the outputs look like under other noise.
    key : tuple of int
        Seed of the trial's noise.
    neighbors : Neighbors
    unbounded : callable
        Whether records further out cost more without limit.
    """

    bench: Bench
    trial: Trial
    claim: Claim
    allowance: Allowance
    habits: Habits
    key: tuple[int, ...]
    neighbors: Neighbors
    unbounded: Callable[[], bool]

    @property
    def group(self) -> int:
        """How many records may differ."""
        return int(getattr(self.neighbors, "group", 1))

    @property
    def runs(self) -> tuple[Run, Run]:
        """The two coupled runs."""
        return self.trial.comparison.left, self.trial.comparison.right

    def revealed(self, difference: Difference) -> tuple[bool, bool]:
        """Whether the number of one run never occurs on the other dataset, under fresh noise.

        And whether other runs on its own dataset give it, and others yet have none in its place.
        What no other run gives may hold noise: it is revealed where all noise is followed.
        """
        looks = Habits.of(self.bench, self.trial.datasets, (*self.key, 5), REVEALING).columns
        found = [columns.numbers.get(difference.path) for columns in looks]
        shown = float(difference.left), float(difference.right)
        rare = recurs = False
        for values, own, other in zip(found, shown, shown[::-1], strict=True):
            if values is None:
                continue
            if np.any(np.isclose(values, other, rtol=1e-9, atol=0)):
                return False, False
            again = np.isclose(values, own, rtol=1e-9, atol=0)
            recurs |= bool(again.any())
            rare |= bool(again.any() and np.isnan(values).any())
        return recurs or all(run.followed for run in self.runs), rare

    def draw_of(self, sink: Sink) -> int | None:
        """Return the number of a noise call that a sink of the left run holds."""
        tape = self.runs[0].tape
        cells = [each for cell in sink.cells.tolist() for each in tape.terms(cell)]
        return tape.draw_of(cells[0]) if cells else None

    @cached_property
    def histories(self) -> tuple[History, History]:
        """Both runs, line by line, with their noise."""
        both = []
        noise = same_noise(self.trial), moved_noise(self.trial)
        for dataset, answer in zip(self.trial.datasets, noise, strict=True):
            history = History()
            self.bench.run(
                dataset, self.key, traced=False, answer=_marking(history, answer), watch=history
            )
            both.append(history)
        return both[0], both[1]

    def line_of(
        self, values: tuple[Any, Any], otherwise: Place | None, draw: int | None = None
    ) -> Place | None:
        """Return where a value that differs is formed, or else the line that uses it.

        A line that leaves a variable as it was in one run is seen in the other one alone.
        """
        left, right = self.histories
        found = formed_at(left, right, values, draw)
        return found or formed_at(right, left, values[::-1], draw) or otherwise


def _marking(history: History, answer: Any) -> Any:
    """Return an answer to noise calls that notes in a history where they are made."""

    def marked(number: int, request: Any, value: Any) -> Any:
        history.marks.setdefault(number, len(history.steps))
        if history.lines:
            history.drawing.setdefault(number, history.lines[-1])
        return answer(number, request, value)

    return marked


def suspicions(case: Case) -> Iterator[Suspicion]:
    """Yield what the runs suggest, most specific first.

    Parameters
    ----------
    case : Case
    """
    for rule in (
        _exception,
        _not_a_number,
        chosen_suspicion,
        unmasked_suspicion,
        _weak_randomness,
        structure,
        _always_raw,
        emitted_suspicion,
        _unnoised_branch,
        flipped_suspicion,
        _raw_release,
        unnoised_order,
        _rescaled,
        impossible,
        _cost,
        coins_suspicion,
        _guessable_seed,
    ):
        found = rule(case)
        if found is not None:
            yield beyond_wiring(case, found)


def _exception(case: Case) -> Suspicion | None:
    """Find one dataset that always raises, while the other never does."""
    rates = case.habits.raised
    if sorted(rates) != [0.0, 1.0]:
        return None
    side = int(rates[1] == 1.0)
    run = (case.trial.comparison.left, case.trial.comparison.right)[side]
    if not isinstance(run.output, Raised):
        return None
    place = run.raised_at
    if place is not None and source_of(place).startswith("raise"):
        around = condition_around(place.file, place.line)
        parted = parted_at(*case.histories) or place
        place = parted if around is None else replace(place, line=around)
    elif place is not None:
        origin = origin_at(*case.histories, place)
        place = place if origin.file == case.histories[0].wiring != place.file else origin
    what = (
        f"{run.output.kind} is raised on one dataset and not on its neighbor"
        f" ({run.output.message!r:.60})"
    )
    return Suspicion("DPA108", what, math.inf, place, related(case.trial))


def _not_a_number(case: Case) -> Suspicion | None:
    """Find NaN or infinity that reaches the noise on one dataset alone.

    Where the noise itself is as wide as the data say, that is what tells on every other pair.
    """
    comparison = case.trial.comparison
    if comparison.rescaled:
        return None
    for one, two in comparison.sinks:
        bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
        if bool(np.isfinite(bases[0]).all()) == bool(np.isfinite(bases[1]).all()):
            continue
        line = first_where(*case.histories, partial(_made_infinite, case))
        used = place_of_line(one.line)
        if line is not None and not as_given(*case.histories, bases):
            used = line[0]
        place = case.line_of(bases, used, case.draw_of(one))
        side = int(bool(np.isfinite(bases[0]).all()))
        bad = bases[side][~np.isfinite(bases[side])][0]
        what = f"{number_text(bad)} reaches the noise on one dataset and not on its neighbor"
        return Suspicion("DPA104", what, math.inf, place, related(case.trial))
    return None


def _made_infinite(case: Case, one: Seen, two: Seen) -> bool:
    """Whether one of two values alone is not finite, and not what the mechanism was given."""
    given = (held.numbers for held in case.histories[0].arguments.values())
    numbers = one.numbers
    known = numbers is not None and any(close(each, numbers) for each in given)
    return not known and not_finite(one, two)


def _weak_randomness(case: Case) -> Suspicion | None:
    return weak_randomness(case.trial, case.habits)


def _guessable_seed(case: Case) -> Suspicion | None:
    return guessable_seed(case.trial)


def _unnoised_branch(case: Case) -> Suspicion | None:
    """Find an output that varies on one dataset, and never on its neighbor.

    A branch parts the two runs, or a mask does for all records at once.
    """
    settled = case.habits.settled_on_one
    if not settled or any(isinstance(run.output, Raised) for run in case.runs):
        return None
    if case.trial.comparison.rescaled:
        return None  # noise without width on one dataset
    parted = parted_at(*case.histories)
    left, right = (history.before_noise() for history in case.histories)
    masked = first_where(left, right, other_mask) if parted is None else None
    place = parted if masked is None else masked[0]
    if place is None or source_of(place).startswith("for "):
        return None  # records that a loop goes through decide nothing by themselves
    what = f"output{settled[0]} varies on one dataset, and is {settled[1]} always on its neighbor"
    if settled[0].endswith(STRUCTURE) and masked is None and goes_through(source_of(place)):
        what = f"{what}; a list that the data makes is gone through"
        return Suspicion("DPA109", what, math.inf, place, related(case.trial), ("DPA108", "DPA102"))
    return Suspicion("DPA108", what, math.inf, place, related(case.trial), ("DPA101",))


def _always_raw(case: Case) -> Suspicion | None:
    """Find a part of the output that has no noise in any call."""
    if any(isinstance(run.output, Raised) for run in case.runs):
        return None
    constant = [d for d in case.trial.differences if case.habits.shows(d)]
    if constant and any(law_of(d).family == "bounded" for run in case.runs for d in run.noise):
        looks = Habits.of(case.bench, case.trial.datasets, (*case.key, 6), MORE_LOOKS)
        constant = [d for d in constant if looks.shows(d)]  # a coin seldom falls the other way
    if not constant:
        return None
    first = constant[0]
    what = (
        f"output{first.path} has no noise: it is {first.left} in every call on one dataset, "
        f"{first.right} on its neighbor"
    )
    listed = _listed(case, first)
    if listed is not None:
        return Suspicion("DPA109", what, math.inf, listed, related(case.trial), ("DPA101",))
    return Suspicion("DPA101", what, math.inf, formed(case, first), related(case.trial))


def _raw_release(case: Case) -> Suspicion | None:
    """Find a part of the output that has no noise now and then, or beside that of the rest."""
    if any(isinstance(run.output, Raised) for run in case.runs):
        return None
    numeric = [d for d in case.trial.differences if d.numeric and "nan" not in (d.left, d.right)]
    # What is as close as the noise is solved for may be what that has left.
    unmoved = [
        d for d in numeric if not np.isclose(float(d.left), float(d.right), rtol=SOLVED, atol=0)
    ]
    if not unmoved or not _all_seen(case.trial.comparison):
        return None
    if any(run.tape.pinned for run in case.runs) and not _told_alike(case):
        return None  # noise that nobody follows may be in it
    first = unmoved[0]
    revealed, rare = case.revealed(first)
    if not revealed:
        return None
    rare = (rare and not first.path) or case.trial.comparison.tossed
    shown = f"{first.left} on one dataset and {first.right} on its neighbor"
    id, also = ("DPA102", "DPA101") if rare else ("DPA101", "DPA102")
    when = "now and then" if rare else "once the noise of the rest is known"
    what = f"output{first.path} has no noise {when}: it is {shown}, and never the other"
    place = formed(case, first)
    return Suspicion(id, what, math.inf, place, related(case.trial), (also,))


def _listed(case: Case, difference: Difference) -> Place | None:
    """Return the line that lists what a whole output was chosen from, where the data makes it."""
    if difference.path or not difference.numeric or not any(run.noise for run in case.runs):
        return None
    values = float(difference.left), float(difference.right)
    places = [listed_at(case, value, side) for side, value in enumerate(values)]
    return next(filter(None, places), None)


def _told_alike(case: Case) -> bool:
    """Whether a number of the output that varies is the same in both runs."""
    differing = {difference.path for difference in case.trial.differences}
    paths = case.habits.columns[0].numbers.keys() & case.habits.columns[1].numbers.keys()
    return bool(paths - differing - case.habits.constant)


def _all_seen(comparison: Comparison) -> bool:
    """Whether the noise of both runs is known, and was moved so that all else is alike."""
    coupling = comparison.coupling
    if not comparison.same_path or comparison.rescaled:
        return False
    if not coupling.solved or coupling.conflicts:
        return False
    for ours, others in comparison.sinks:  # whole numbers may not move as far as they should
        alike = np.allclose(ours.values, others.values, rtol=SOLVED, atol=1e-9, equal_nan=True)
        if ours.kind == "equal" and not alike:
            return False
    runs = comparison.left, comparison.right
    if any(run.tape.escaped or not run.noise for run in runs):
        return False
    for one, two in zip(comparison.left.noise, comparison.right.noise, strict=False):
        if np.shape(one.value) != np.shape(two.value) and law_of(one).family != "bounded":
            return False
    return all(draw.first >= 0 for run in runs for draw in run.noise)


def _rescaled(case: Case) -> Suspicion | None:
    """Find noise whose width depends on the data."""
    found = case.trial.comparison.rescaled
    if not found:
        return None
    first = found[0]
    used = first.draw.place if first.sink is None else place_of_line(first.sink.line)
    number = case.runs[0].draws.index(first.draw)
    both = first.left, first.right
    drawing = case.histories[0].drawing.get(number)
    place = case.line_of(both, None, number)
    place = proportional_at(*case.histories, both, number, place or drawing) or place
    place = place or entry_formed_at(*case.histories, both, drawing)
    if place is None and first.sink is not None:
        place = first_holding(case.histories[0], first.sink.values)
    place = place or used
    scale = "scale" if first.sink is None else "factor"
    what = (
        f"the {scale} of the {first.draw.kind} noise is {number_text(abs(first.left))} on one "
        f"dataset and {number_text(abs(first.right))} on its neighbor"
    )
    return Suspicion("DPA103", what, math.inf, place, related(case.trial, first.draw))


def _cost(case: Case) -> Suspicion | None:
    """Find moves of the noise that cost more than the claim."""
    if not case.trial.share > 1 + 1e-6 or case.trial.comparison.rescaled:
        return None
    if case.trial.comparison.coupling.conflicts:
        return None  # no moves meet all demands, so that none have a price
    return budget_suspicion(case)
