"""Known noise: refutes mechanisms whose files seed their noise as they are imported.

The first call of every process then gives the same output. Calls in new processes show it, which
nobody seeds. The first of them choose an event, and others count it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.claims.bound import parameter_at_least
from dpaudit.evidence import Counts, Event, Evidence, Finding, Verdict, Witness
from dpaudit.reference import reference
from dpaudit.static.engine import definition_of
from dpaudit.static.kept_seeds import KeptSeed, seeds_behind
from dpaudit.static.modules import Project, UnreadableError
from dpaudit.worker.first_calls import FirstCall, Origin, OtherSeed, first_outputs, origin_of
from dpaudit.worker.tasks import WorkerError

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.evidence import Budget
    from dpaudit.neighbors import Neighbors, Pair
    from dpaudit.outputs import Columns
    from dpaudit.subject import Subject

SHARE = 0.1  # of α
MOST_PAIRS, MOST_CALLS = 8, 600
# So many are tried instead of each that is written; more where the first change nothing.
OTHER_SEEDS = (1, 7)
TIMEOUT = 20.0  # seconds for one call with its imports
_REMEDY = (
    'put it in a module and import it, or audit it under `if __name__ == "__main__":` in the script'
)
_WRAPPED = "write a function of the module that calls it, and audit that"
_UNSEEN = (
    "no new process looked for a seed of the noise, as the mechanism is defined in a script or "
    "notebook. If a seed is set, put the mechanism in a module and import it"
)
_APART = 1e-6  # between outputs, relative to them: far above rounding


@dataclass(slots=True)
class _Processes:
    """Makes calls in new processes."""

    origin: Origin
    until: float | None
    calls: int = 0

    def run(self, calls: Sequence[FirstCall]) -> list[dict[str, float]]:
        """Return the numbers in each output, by their place."""
        self.calls += len(calls)
        outputs = first_outputs(self.origin, calls, timeout=TIMEOUT, until=self.until)
        return [_numbers(each) for each in outputs]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A pair whose outputs differ at a place, where each side's number is always the same."""

    pair: Pair
    path: str
    left: float
    right: float


def known_noise(
    subject: Subject, claim: Claim, neighbors: Neighbors, budget: Budget
) -> Evidence | None:
    """Return REFUTED where the noise of a first call is known; None where no seed is kept.

    Where a seed is kept and no new process could be looked at, the evidence is not completed: other
    engines seed the noise themselves, and what they find says nothing of a seed that is written.
    They do not where all that is drawn from it is drawn as the file is imported.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget

    Notes
    -----
    Let the claim hold, and p and q be the probabilities of the event on the two datasets. They lie
    in its half-planes ``a p - b q <= c``, so that ``p + 1 - q <= 2 t`` with ``t = (b + c) / (a +
    b)``. The event in all of k calls on the left, and in none of k on the right, has the
    probability ``(p (1 - q))^k <= t^(2 k)``. The number k is chosen before, so that this is at most
    the part of α that is spent here.

    A seed is the cause only where another one in its place changes the output.
    """
    evidence = Evidence("trace", None, claim=str(claim), source_hash=subject.source_hash)
    seeds = _seeds(subject)
    if not seeds:
        in_script = subject.module == "__main__" and not subject.takes_rng
        return replace(evidence, notes=(_UNSEEN,)) if in_script else None
    first = seeds[0]
    place = f"{first.module.shown}:{first.line}"
    origin = origin_of(subject)
    alpha = SHARE * budget.alpha
    most = min((p.b + p.c) / (p.a + p.b) for p in claim.half_planes() if min(p.a, p.b) >= 0)
    each = MOST_CALLS if most >= 1 else math.ceil(math.log(alpha) / math.log(most) / 2)
    untried = f"{place} seeds noise as it is imported; no new process was started to show it, since"
    if origin is None:
        why = f"the mechanism is no function that importing a module makes; {_WRAPPED}"
        if subject.module == "__main__":
            why = f"the mechanism is defined in a script or notebook; {_REMEDY}"
        if all(seed.is_used_up for seed in seeds):
            return None
        return replace(evidence, reason=f"{untried} {why}", completed=False)
    if each > MOST_CALLS / 2:
        return replace(evidence, notes=(f"{untried} {claim} would take too many of them",))
    until = None if budget.max_seconds is None else time.monotonic() + budget.max_seconds
    processes = _Processes(origin, until)
    try:
        chosen = _chosen(processes, neighbors)
        cause = None if chosen is None else _cause(processes, chosen, seeds)
        if chosen is None or cause is None:
            return replace(evidence, calls=processes.calls)
        sides = [(chosen.pair.left, None)] * each + [(chosen.pair.right, None)] * each
        seen = processes.run(sides)
    except WorkerError as error:
        said = f"{place} seeds noise as it is imported; new processes did not show it: {error}"
        late = error.kind == "late"
        unshown = replace(evidence, reason=said, completed=False, cut_short=late)
        return replace(unshown, calls=processes.calls)
    spent = replace(evidence, calls=processes.calls, alpha_spent=alpha)
    expected = [chosen.left] * each + [chosen.right] * each
    if [numbers.get(chosen.path) for numbers in seen] != expected:
        return spent
    return _refuted(spent, subject, origin, claim, chosen, cause, each)


def _seeds(subject: Subject) -> tuple[KeptSeed, ...]:
    if subject.file is None or subject.vectorized or "return" not in subject.observes:
        return ()
    project = Project((Path.cwd(),))
    try:
        function = definition_of(project.module(Path(subject.file)), subject)
        return () if function is None else seeds_behind(project, function)
    except (UnreadableError, RecursionError):
        return ()


def _numbers(output: Columns) -> dict[str, float]:
    values = {path: float(column[0]) for path, column in output.numbers.items()}
    return {p: v for p, v in values.items() if math.isfinite(v) and p.rpartition("]")[2] == ""}


def _apart(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return False
    return abs(one - two) > _APART * max(1.0, abs(one), abs(two))


def _chosen(processes: _Processes, neighbors: Neighbors) -> _Chosen | None:
    """Return the first pair that the outputs of two new processes on each side tell apart."""
    pairs = list(islice(neighbors.pairs(np.random.default_rng(0)), MOST_PAIRS))
    once, again = processes.run([(pairs[0].left, None)] * 2)
    if once != again:
        return None
    seen = processes.run([(side, None) for p in pairs for side in (p.left, p.right)] * 2)
    left, right = seen[0 : 2 * len(pairs) : 2], seen[1 : 2 * len(pairs) : 2]
    if seen[: 2 * len(pairs)] != seen[2 * len(pairs) :]:
        return None
    found = [
        _Chosen(pair, path, one[path], two[path])
        for pair, one, two in zip(pairs, left, right, strict=True)
        for path in one
        if _apart(one[path], two.get(path))
    ]
    return min(found, key=lambda each: _is_empty(each.pair), default=None)


def _is_empty(pair: Pair) -> bool:
    return any(hasattr(side, "__len__") and not len(side) for side in (pair.left, pair.right))


def _cause(processes: _Processes, chosen: _Chosen, seeds: Sequence[KeptSeed]) -> KeptSeed | None:
    """Return the first seed that changes an output where another one stands in its place."""
    start = 1
    for number in OTHER_SEEDS:
        for seed in seeds:
            others = [_other(seed, value) for value in range(start, start + number)]
            pair = chosen.pair
            seen = processes.run([(side, o) for o in others for side in (pair.left, pair.right)])
            was = [chosen.left, chosen.right] * number
            if any(_apart(n.get(chosen.path), w) for n, w in zip(seen, was, strict=True)):
                return seed
        start += number
    return None


def _other(seed: KeptSeed, number: int) -> OtherSeed:
    apart = 7_919_000 + number  # hardly one that a file would write
    return OtherSeed(str(seed.module.path), seed.line, seed.node.col_offset, apart)


def _refuted(
    evidence: Evidence,
    subject: Subject,
    origin: Origin,
    claim: Claim,
    chosen: _Chosen,
    cause: KeptSeed,
    each: int,
) -> Evidence:
    """Return the refutation, with what so many calls on each side bound."""
    most = evidence.alpha_spent ** (0.5 / each)
    epsilon = math.log((most - claim.declared_delta) / (1 - most))
    output = f"output{chosen.path}"
    pair = chosen.pair
    confidence = 1 - evidence.alpha_spent
    message = (
        f"{subject.name}: the seed of the noise is written in the code, so that the first call of "
        f"every process gives the same. {output} is {chosen.left:.6g} on one dataset, "
        f"{chosen.right:.6g} on the other"
    )
    finding = Finding(
        "DPA110", "error", message, file=cause.module.shown, line=cause.line, engine="trace",
        pair=(pair.left, pair.right),
    )  # fmt: skip
    witness = Witness(
        pair.left,
        pair.right,
        Event(f"{output} = {chosen.left:.6g}", f"{output} == {chosen.left!r}"),
        Counts(each, each, 0, each),
        pair.how,
        reference(subject.mechanism),
        claim,
        epsilon,
        confidence,
        takes_rng=origin.rng is not None,
        source=subject.source or "",
        file=subject.file,
        first_calls=True,
    )
    said = f"{each} new processes on each dataset, of which each made one call"
    return replace(
        evidence,
        verdict=Verdict.REFUTED,
        reason=f"the output of a first call is known, as {said} show",
        findings=(finding,),
        witness=witness,
        epsilon=epsilon,
        parameter_bound=parameter_at_least(claim, most, 1 - most),
        confidence=confidence,
        log_e_value=-math.log(evidence.alpha_spent),
        pairs_tried=1,
    )
