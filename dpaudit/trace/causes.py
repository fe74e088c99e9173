"""Which violation two coupled runs suggest, and the line that it comes from."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.neighbors import Neighbors
from dpaudit.outputs import Raised
from dpaudit.trace.budget import budget_suspicion
from dpaudit.trace.compare import Difference
from dpaudit.trace.draws import Place
from dpaudit.trace.habits import Habits
from dpaudit.trace.lines import History, first_where, formed_at, not_finite, parted_at
from dpaudit.trace.record import Bench, Run
from dpaudit.trace.replay import Allowance, Trial, moved_noise, same_noise
from dpaudit.trace.seeds import weak_randomness
from dpaudit.trace.suspicion import Suspicion, number_text, related


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

    @cached_property
    def histories(self) -> tuple[History, History]:
        """Both runs, line by line, with their noise."""
        both = []
        noise = same_noise(self.trial), moved_noise(self.trial)
        for dataset, answer in zip(self.trial.datasets, noise, strict=True):
            history = History()
            self.bench.run(dataset, self.key, traced=False, answer=answer, watch=history)
            both.append(history)
        return both[0], both[1]

    def line_of(self, values: tuple[Any, Any], otherwise: Place | None) -> Place | None:
        """Return where a value that differs is formed, or else the line that uses it."""
        return formed_at(*self.histories, values) or otherwise


def suspicions(case: Case) -> list[Suspicion]:
    """Return what the runs suggest, most specific first.

    Parameters
    ----------
    case : Case
    """
    found = [
        rule(case)
        for rule in (
            _exception,
            _not_a_number,
            _weak_randomness,
            _structure,
            _unnoised_branch,
            _raw_release,
            _rescaled,
            _cost,
        )
    ]
    return [each for each in found if each is not None]


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
    if place is not None and _source(place).startswith("raise"):
        place = parted_at(*case.histories) or place
    what = (
        f"{run.output.kind} is raised on one dataset and not on its neighbor"
        f" ({run.output.message!r:.60})"
    )
    return Suspicion("DPA108", what, math.inf, place, related(case.trial))


def _not_a_number(case: Case) -> Suspicion | None:
    """Find NaN or infinity that reaches the noise on one dataset alone."""
    comparison = case.trial.comparison
    for one, two in comparison.sinks:
        bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
        if bool(np.isfinite(bases[0]).all()) == bool(np.isfinite(bases[1]).all()):
            continue
        line = first_where(*case.histories, not_finite)
        place = line[0] if line else _sink_place(one.line)
        side = int(bool(np.isfinite(bases[0]).all()))
        bad = bases[side][~np.isfinite(bases[side])][0]
        what = f"{number_text(bad)} reaches the noise on one dataset and not on its neighbor"
        return Suspicion("DPA104", what, math.inf, place, related(case.trial))
    return None


def _weak_randomness(case: Case) -> Suspicion | None:
    return weak_randomness(case.trial, case.habits)


def _structure(case: Case) -> Suspicion | None:
    """Find a type, shape or key of the output that belongs to the dataset, whatever the noise."""
    paths = case.habits.telling_words
    if not paths or isinstance(case.trial.comparison.left.output, Raised):
        return None
    if isinstance(case.trial.comparison.right.output, Raised):
        return None
    path, (left, right) = next(iter(paths.items()))
    shown = f"output{path} is {left!r:.60} on one dataset and {right!r:.60} on its neighbor"
    parted = parted_at(*case.histories)
    text = _source(parted) if parted is not None else ""
    if parted is not None and text.startswith(("if ", "elif ", "while ", "return")):
        also = ("DPA109",)
        return Suspicion("DPA108", shown, math.inf, parted, related(case.trial), also)
    place = _domain_line(case) or parted
    return Suspicion("DPA109", shown, math.inf, place, related(case.trial), ("DPA108",))


def _unnoised_branch(case: Case) -> Suspicion | None:
    """Find an output that varies on one dataset, and never on its neighbor."""
    settled = case.habits.settled_on_one
    if not settled or any(isinstance(run.output, Raised) for run in case.runs):
        return None
    place = parted_at(*case.histories)
    if place is None:
        return None
    what = f"output{settled[0]} varies on one dataset, and is {settled[1]} always on its neighbor"
    return Suspicion("DPA108", what, math.inf, place, related(case.trial), ("DPA101",))


def _domain_line(case: Case) -> Place | None:
    """Return the first line that forms what the shape or the keys of the output are."""
    sizes = [_sizes(run.output) for run in (case.trial.comparison.left,
                                            case.trial.comparison.right)]  # fmt: skip

    def sets_it(one: Any, two: Any) -> bool:
        if one.structure[1:] == two.structure[1:]:
            return False
        own = [s.structure[1] if len(s.structure) > 1 else None for s in (one, two)]
        shapes = [s.structure[2] if len(s.structure) > 2 else None for s in (one, two)]
        return all(
            size in (o, (sh[0] if isinstance(sh, tuple) and sh else None))
            for size, o, sh in zip(sizes, own, shapes, strict=True)
        )

    line = first_where(*case.histories, sets_it)
    return None if line is None else line[0]


def _sizes(output: Any) -> int | None:
    return len(output) if hasattr(output, "__len__") else None


def _raw_release(case: Case) -> Suspicion | None:
    """Find a part of the output that never varies, and differs between the two datasets."""
    constant: list[Difference] = [
        d for d in case.trial.differences if d.path in case.habits.constant
    ]
    if not constant:
        return None
    if isinstance(case.trial.comparison.left.output, Raised):
        return None
    first = constant[0]
    values: tuple[Any, Any] = (math.nan, math.nan)
    if first.numeric:
        values = float(first.left), float(first.right)
    place = case.line_of(values, _last_line(case))
    what = (
        f"output{first.path} has no noise: it is {first.left} in every call on one dataset, "
        f"{first.right} on its neighbor"
    )
    return Suspicion("DPA101", what, math.inf, place, related(case.trial))


def _last_line(case: Case) -> Place | None:
    lines = case.histories[0].lines
    return lines[-1] if lines else None


def _rescaled(case: Case) -> Suspicion | None:
    """Find noise whose width depends on the data."""
    found = case.trial.comparison.rescaled
    if not found:
        return None
    first = found[0]
    used = first.draw.place if first.sink is None else _sink_place(first.sink.line)
    place = case.line_of((first.left, first.right), used)
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
    return budget_suspicion(case)


def _sink_place(line: Any) -> Place | None:
    if line is None:
        return None
    code, number = line
    return Place(code.co_filename, number, code.co_qualname)


def _source(place: Place) -> str:
    return linecache.getline(place.file, place.line).strip()
