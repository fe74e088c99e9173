"""Searches two neighboring datasets on which the real code certainly breaks a claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import Event, Suspect
from dpaudit.formal.balls import precision
from dpaudit.formal.clock import charge, now
from dpaudit.formal.program import Generator, Program, walk
from dpaudit.formal.refutation import Counterexample, interval
from dpaudit.formal.trial.blame import Case, blamed
from dpaudit.formal.trial.check import EASY, calls_needed, refuting
from dpaudit.formal.trial.events import Telling
from dpaudit.formal.trial.execute import TooManyPaths, Trial
from dpaudit.formal.trial.outputs import Release, released, single
from dpaudit.formal.trial.replay import Replay, agrees, first_run, replay_of
from dpaudit.formal.unsupported import Unconfirmed, Unsupported
from dpaudit.neighbors import Neighbors, Pair, QueryAnswers
from dpaudit.reference import declares_audits
from dpaudit.subject import Subject
from dpaudit.worker.replayed import Replayed
from dpaudit.worker.tasks import Runner

BITS, DIGITS = 160, 20
MOST_PAIRS = 40
FAR = ((36.0, -12.0), (30.0, -10.0))  # answers far above a threshold, and one below
MOST_SHRINKS = 60
MOST_SUSPECTS = 4
PAIR = 3.0  # seconds on the clock of steps for a pair, or a third of those that are left
MOST_TIRING = 2  # pairs with more random paths than are followed
REPLAYING = 30.0  # seconds of one run in another process, which may have to start
MOST_RARE = 4  # pairs that a rare event breaks the claim on, of which the best is taken
PATIENCE = 1  # seconds of a quiet machine, for a better pair than one that was found
_CHECKED = 4


@dataclass(frozen=True, slots=True)
class _Broken:
    pair: Pair
    telling: Telling
    epsilon: float
    case: Case


def refute(
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    mechanism: Callable[..., Any] | Subject,
    *,
    deadline: float,
    first: tuple[Pair, ...] = (),
    pairs: int = MOST_PAIRS,
    runner: Runner | None = None,
) -> Counterexample:
    """Return a certified counterexample.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    mechanism : callable or Subject
        The real code, which is run with frozen noise to confirm what the program says.
    deadline : float
        In terms of `dpaudit.formal.clock.now`.
    first : tuple of Pair
        Pairs to try before others.
    pairs : int
        How many others to try.
    runner : Runner, optional
        Where the real code is run; in this process unless given.

    Raises
    ------
    Unsupported
        Where none is found; this proves nothing.

    Notes
    -----
    On each dataset the program is run with its noise as symbols, along every branch that the
    noise may take. Noise is ideal: independent draws of real numbers of the stated law. Events
    have closed forms, evaluated in balls; an excess must be larger than a millionth of the
    event's probability, far above the rounding of the deterministic part.
    """
    subject = Subject.of(mechanism)
    replay = replay_of(subject, runner, REPLAYING) if _draws_from_argument(program) else None
    reason: Unsupported | None = None
    suspects: list[Suspect] = []
    tiring, rescaled = 0, False
    late: _Broken | None = None
    patience, spare = math.inf, MOST_RARE
    trial = Trial(program)
    with precision(BITS):
        for pair in _pairs(neighbors, first, pairs):
            until = min(deadline, patience)
            if now() > until:
                break
            try:
                found = _broken(trial, claim, neighbors, subject, pair, until)
            except Unsupported as error:
                reason = reason or error
                tiring += isinstance(error, TooManyPaths)
                if tiring == MOST_TIRING:
                    break
                continue
            if found is None:
                continue
            if replay is not None:
                runs = list(_first_runs(found, replay))
                rescaled = rescaled or any(run.rescaled for run in runs)
                if _is_open(found) or any(run.method is not None for run in runs):
                    # A sampler that the code has written itself has no frozen noise, nor has what
                    # no law is known of.
                    replay = None
            if not found.case.emits and _confirmed(subject, found, replay):
                rare = calls_needed(claim, found.telling) > EASY
                if rare or (_is_empty(pair) and late is None):
                    # Who divides by no records breaks other claims too. Of rare events, one that
                    # needs fewer calls is a better witness.
                    late = _better(claim, late, found)
                    patience = min(patience, now() + PATIENCE)
                    spare -= rare
                    if spare:
                        continue
                    break
                found = late if late is not None and _is_empty(pair) else found
                small = _shrunk(trial, claim, neighbors, subject, found, deadline, replay)
                return _refutation(small, replayed=replay is not None and not rescaled)
            suspects.append(_suspect(found))
        if late is not None:
            small = _shrunk(trial, claim, neighbors, subject, late, deadline, replay)
            return _refutation(small, replayed=replay is not None and not rescaled)
    if suspects:
        what = "the program breaks the claim on a pair where the code does something else"
        raise Unconfirmed(what, program.entry.place, tuple(suspects[:MOST_SUSPECTS]))
    if reason is not None:
        raise reason
    raise Unsupported("no pair that was tried breaks the claim", program.entry.place)


def _better(claim: Claim, one: _Broken | None, two: _Broken) -> _Broken:
    """Return the one whose event needs fewer calls, the first of equals."""
    if one is None:
        return two
    needed = [calls_needed(claim, each.telling) for each in (one, two)]
    return two if needed[1] < needed[0] else one


def _suspect(found: _Broken) -> Suspect:
    event = Event(found.telling.words, found.telling.source)
    why = "the program that was read breaks the claim on it"
    return Suspect(found.pair, event, why, blamed(found.case))


def _pairs(neighbors: Neighbors, first: tuple[Pair, ...], count: int) -> Iterator[Pair]:
    """Yield pairs; first come those on which sparse vector and its kin lose most."""
    yield from first
    if count and isinstance(neighbors, QueryAnswers) and neighbors.container == "array":
        n, d = neighbors.length, neighbors.distance
        for high, low in FAR:
            left = np.array([high * d] * (n - 1) + [low * d])
            right = left + np.array([d] * (n - 1) + [-d])
            pair = Pair(left, right, "all answers but the last rise, the last falls")
            if neighbors.contains(pair):
                yield pair
    yield from islice(neighbors.pairs(np.random.default_rng(0)), count)


def _broken(
    trial: Trial,
    claim: Claim,
    neighbors: Neighbors,
    subject: Subject,
    pair: Pair,
    deadline: float,
) -> _Broken | None:
    charge(700)
    until = min(deadline, now() + max(PAIR, (deadline - now()) / 3))
    take = single if subject.vectorized else None
    takes: tuple[tuple[Callable[[Any], Any] | None, bool], ...] = ((take, False),)
    if trial.program.prints:  # what is returned alone, then with the texts
        alone = (lambda output: single(output[0])) if subject.vectorized else _returned
        takes = ((alone, False),) if subject.vectorized else ((alone, False), (None, True))
    ends = [tuple(trial.outcomes(data, deadline=until)) for data in (pair.left, pair.right)]
    for each, emitted in takes:
        left, right = ([released(o, each) for o in side] for side in ends)
        try:
            found = refuting(claim, left, right)
        except OverflowError:  # numbers beyond those of floats, in which events are written
            continue
        if found is not None:
            telling, epsilon, form = found
            wiring = declares_audits(getattr(subject.mechanism, "__globals__", {}))
            case = Case(
                trial.program, neighbors, pair, telling, form, left, right, emitted,
                trial.program.entry.place.file if wiring else "", _epsilon(claim),
            )  # fmt: skip
            return _Broken(pair, telling, epsilon, case)
    return None


def _epsilon(claim: Claim) -> float | None:
    """Return the parameter of a pure claim, None of any other one."""
    own = claim.parameter
    pure = own is not None and own[0] == "epsilon" and not claim.declared_delta
    return own[1] if pure and own is not None else None


def _is_empty(pair: Pair) -> bool:
    """Return whether one of the datasets has no record."""
    sizes = [len(side) for side in (pair.left, pair.right) if hasattr(side, "__len__")]
    return 0 in sizes


def _returned(output: Any) -> Any:
    """Return what a mechanism that prints returned, which is what runs of the code show."""
    return output[0]


def _draws_from_argument(program: Program) -> bool:
    """Return whether all noise is drawn from the generator that is passed in, or is known."""
    nodes = (node for node in walk(program.entry) if isinstance(node, Generator))
    return all(node.origin in ("argument", "seeded") for node in nodes)


def _is_open(found: _Broken) -> bool:
    """Return whether a way was taken whose probability is not known."""
    return any(r.outcome.oracle.guessed for r in (*found.case.left, *found.case.right))


def _first_runs(found: _Broken, replay: Replay) -> Iterator[Replayed]:
    sides = (found.case.pair.left, found.case.left), (found.case.pair.right, found.case.right)
    yield from (first_run(data, r, replay) for data, rs in sides for r in list(rs)[:1])


def _confirmed(subject: Subject, found: _Broken, replay: Replay | None) -> bool:
    """Run the real code with frozen noise on both datasets, where there is such noise."""
    if replay is None:
        return True  # draws are made before it is said
    case = found.case
    sides: tuple[tuple[Any, list[Release]], ...] = (
        (case.pair.left, list(case.left)),
        (case.pair.right, list(case.right)),
    )
    return all(agrees(subject, data, r, replay) for data, rs in sides for r in rs[:_CHECKED])


def _shrunk(
    trial: Trial,
    claim: Claim,
    neighbors: Neighbors,
    subject: Subject,
    found: _Broken,
    deadline: float,
    replay: Replay | None,
) -> _Broken:
    """Return a simpler pair that breaks the claim for the same reason."""
    wanted = blamed(found.case).id
    most = max(EASY, calls_needed(claim, found.telling))
    until = min(deadline, now() + 2)
    moved = True
    while moved and now() < until:
        moved = False
        for pair in islice(neighbors.shrink(found.pair), MOST_SHRINKS):
            if now() > until:
                break
            try:
                smaller = _broken(trial, claim, neighbors, subject, pair, until)
            except Unsupported:
                continue
            if smaller is None or blamed(smaller.case).id != wanted:
                continue
            if calls_needed(claim, smaller.telling) > most:
                continue
            if _confirmed(subject, smaller, replay):
                found, moved = smaller, True
                break
    return found


def _refutation(found: _Broken, *, replayed: bool) -> Counterexample:
    telling, pair = found.telling, found.pair
    if telling.swapped:
        pair = Pair(pair.right, pair.left, pair.how)
    how = "computed from the distribution functions, in interval arithmetic"
    how = f"{telling.because} exceeds the claim; {how}" if telling.because else how
    p, q = telling.p.str(DIGITS), telling.q.str(DIGITS)
    return Counterexample(
        pair.left, pair.right, pair.how, Event(telling.words, telling.source), found.epsilon,
        f"probabilities {p} and {q}: {how}", blamed(found.case), interval(p), interval(q), replayed,
    )  # fmt: skip
