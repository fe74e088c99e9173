"""The ways of reasoning in their order, until one decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dpaudit.evidence import DEFECT, SOURCE, Finding, ProofCheck, Suspect
from dpaudit.formal.clock import Limit, OutOfSteps, bounded, now
from dpaudit.formal.limit import OutOfTime, within
from dpaudit.formal.reasons import Stop, why
from dpaudit.formal.refutation import UNLOCATED, Counterexample
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Pair

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.program import Program
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

# Seconds on the clock of steps, `dpaudit.formal.clock`.
LOCATING = 3.0  # to find the cause of a violation that is certified already
GRACE = 0.5  # that an attempt may take to see its deadline by itself
SECOND_LOOK, FEW = 1.0, 8  # for a look at so many pairs, on which the code of a proof is run
# Shares of the steps that are left.
SEEDED, COST, LEMMAS, ALIGNMENT, ENUMERATION, RUNNING = 0.1, 0.2, 0.5, 0.5, 0.25, 0.5
AT_ENDS = (
    "each way that the draws can fall was run on floats too, within 2^-30 of both ends of what it "
    "says of each draw"
)
KEPT = 0.1  # at most, for the second look


RAN_OUT = "the steps ran out"
_Result = TypeVar("_Result")


class Proof(Protocol):
    """What an attempt returns where the claim holds."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the proof rests on."""

    def to_dict(self) -> dict[str, Any]:
        """Return what a checker needs, with its ``kind``."""


class Attempt(Protocol):
    """One way of reasoning; raises `Unsupported` where it cannot decide."""

    def __call__(
        self, program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        """Decide the claim before the deadline, on the clock of `dpaudit.formal.clock.now`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What all attempts together came to.

    Attributes
    ----------
    program : Program or None
        None where the source is not understood.
    result : Proof, Counterexample or None
        None where nothing was decided.
    reason : str
        Why nothing was.
    suspects : tuple of Suspect
        Pairs that would break the claim if the code did what was read from it.
    seen : tuple of Finding
        What the source shows that would explain a refutation.
    late : bool
        Whether a limit on real time ended it; the reason then says in which part.
    before : str
        What stopped the ways that came before that part.
    ran_out : bool
        Whether an attempt that decided nothing took all its steps: with more it may decide.
    floats : str
        What the rounding of floats adds to the proof.
    checked : ProofCheck or None
        What the checker said of the proof; None where none was given.
    """

    program: Program | None
    result: Proof | Counterexample | None = None
    reason: str = ""
    suspects: tuple[Suspect, ...] = ()
    seen: tuple[Finding, ...] = ()
    late: bool = False
    floats: str = ""
    checked: ProofCheck | None = None
    ran_out: bool = False
    before: str = ""


Check = Callable[["Program", Proof], ProofCheck]


def rounding_of(proof: Proof, program: Program, claim: Claim, neighbors: Neighbors) -> str:
    """Return what the rounding of floats adds to a proof about real numbers.

    Raises
    ------
    Unsupported
        Where the float obligations do not hold, or are not known to.
    """
    from dpaudit.floats import Refused, float_bounds
    from dpaudit.formal.hashing import to_dict

    written = proof.to_dict()
    if written.get("at_ends"):
        return AT_ENDS
    try:
        kind = str(written["kind"])
        return float_bounds(to_dict(program), claim, neighbors, kind).sentence()
    except Refused as refused:
        raise Unsupported(f"the proof is of real numbers, not of floats: {refused}") from None


def decided_by(
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    seconds: float,
    limit: Limit,
    runner: Runner | None = None,
    check: Check | None = None,
) -> Answer:
    """Return the program with what was proved or refuted of it, or why neither was.

    A proof that the checker does not accept decides nothing, and the next way is tried.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    seconds : float
        On the clock of steps.
    limit : Limit
        On real time.
    runner : Runner, optional
        Where the mechanism is run to confirm what was found; in this process unless given.
    check : callable, optional
        Asks the checker about a proof.
    """
    from dpaudit.formal.lift import lift

    attempts = _attempts(subject, runner)
    end = now() + seconds
    deadline = end - min(SECOND_LOOK + GRACE, KEPT * seconds)
    try:
        program = _bounded(deadline - now() + GRACE, limit, lambda: lift(subject))
    except Unsupported as stopped:
        said = why([Stop("reading of the source", stopped.what, stopped.place)])
        return Answer(None, reason=f"the source is not understood: {said}")
    except OutOfSteps:
        return Answer(None, reason=f"{RAN_OUT} in the reading of the source", ran_out=True)
    except OutOfTime:
        return Answer(None, reason="reading of the source", late=True)
    stops: list[Stop] = []
    suspects: list[Suspect] = []
    seen: dict[Finding, None] = {}
    ran_out, until = False, math.inf
    for part, what, attempt in attempts:
        ran_out |= now() >= until
        if now() >= deadline:
            stops.append(Stop(what, RAN_OUT))
            break
        until = now() + part * (deadline - now())
        try:
            tried = partial(attempt, program, claim, neighbors, deadline=until)
            found = _bounded(until - now() + GRACE, limit, tried)
        except OutOfSteps:
            stops.append(Stop(what, f"{RAN_OUT} in the {what}"))
        except OutOfTime:
            before = why([stop for stop in stops if stop.applies])
            told = tuple(suspects), tuple(seen)
            return Answer(program, None, what, *told, late=True, before=before)
        except OutOfScope as stopped:
            stops.append(Stop(what, stopped.what, stopped.place, applies=False))
        except Unsupported as stopped:
            proves = attempt is not attempts[-1][-1]
            stops.append(Stop(what, stopped.what, stopped.place, stopped.understood, proves))
            suspects += getattr(stopped, "suspects", ())
            seen |= dict.fromkeys(_seen(stopped))
        except ImportError:
            raise
        except Exception as error:  # a fault of ours must not end the audit, nor pass for a proof
            stops.append(_fault(what, error))
        else:
            given = (subject, program, claim, neighbors, runner, limit)
            if isinstance(found, Counterexample):
                if found.finding.id == UNLOCATED:
                    left = max(0.0, min(LOCATING, end - now()))
                    pair = Pair(found.left, found.right, found.how)
                    found = _second_look(found, *given, seconds=left, pairs=0, first=(pair,))
                return Answer(program, found)
            try:
                floats = rounding_of(found, program, claim, neighbors)
            except Unsupported as stopped:
                stops.append(Stop(what, str(stopped)))
                continue
            except Exception as error:  # another way of proving may do without what fails here
                stops.append(_fault("float obligations", error))
                continue
            checked = None if check is None else check(program, found)
            if checked is not None and not checked.accepted:
                stops.append(Stop(what, checked.reason))
                continue
            result = _second_look(found, *given, seconds=SECOND_LOOK, pairs=FEW)
            return Answer(program, result, floats=floats, checked=checked)
    ran_out |= now() >= until or any(RAN_OUT in stop.said for stop in stops)
    return Answer(program, None, why(stops), tuple(suspects), tuple(seen), ran_out=ran_out)


def _fault(what: str, error: Exception) -> Stop:
    return Stop(what, f"the prover failed ({type(error).__name__}: {error}). {DEFECT}")


def _seen(stopped: Unsupported) -> tuple[Finding, ...]:
    """Return what a prover saw in the source when it stopped: bins that the records make."""
    place = stopped.place
    if not stopped.violation or place is None:
        return ()
    return (Finding(stopped.violation, "error", stopped.what, file=place.file, line=place.line,
                    engine=SOURCE),)  # fmt: skip


def _bounded(seconds: float, limit: Limit, act: Callable[[], _Result]) -> _Result:
    """Return what a function returns, within so many steps and within the time of a user."""
    return within(limit, lambda: bounded(seconds, act))


def _attempts(subject: Subject, runner: Runner | None) -> tuple[tuple[float, str, Attempt], ...]:
    """Return the proofs, quickest first, and last what runs the program on pair after pair.

    Each with its part of the steps that are then left, and with words for a report.
    """
    from dpaudit.formal.cost import prove_by_cost
    from dpaudit.formal.counterexample import refute
    from dpaudit.formal.exact import prove_exact
    from dpaudit.formal.fixed_seed import refute_seeded
    from dpaudit.formal.lemma import prove_by_lemma

    def by_alignment(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        try:
            from dpaudit.formal.alignment.prove import prove_by_alignment
        except ModuleNotFoundError as missing:
            raise Unsupported(f"{missing.name} is not installed, which alignments need") from None
        return prove_by_alignment(program, claim, neighbors, deadline=deadline)

    def by_enumeration(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        found = prove_exact(program, claim, neighbors, deadline=deadline)
        if program.prints and isinstance(found, Counterexample):
            raise Unsupported("it is refuted with what it prints, which runs do not show")
        return found

    def by_running(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        return refute(program, claim, neighbors, subject, deadline=deadline, runner=runner)

    def by_seeds(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        return refute_seeded(program, claim, neighbors, subject, deadline=deadline, runner=runner)

    return (
        (SEEDED, "run with the seeds that the code sets", by_seeds),
        (COST, "proof by cost", prove_by_cost),
        (LEMMAS, "proof by lemmas", prove_by_lemma),
        (ALIGNMENT, "proof by alignment", by_alignment),
        (ENUMERATION, "proof by exact distributions", by_enumeration),
        (RUNNING, "search for counterexamples", by_running),
    )


def _second_look(
    found: Proof | Counterexample,
    subject: Subject,
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    runner: Runner | None,
    limit: Limit,
    *,
    seconds: float,
    **pairs: Any,
) -> Proof | Counterexample:
    """Return a counterexample that runs show, which beats a proof and has a cause; else `found`."""
    from dpaudit.formal.counterexample import refute

    until = now() + seconds

    def look() -> Counterexample:
        return refute(program, claim, neighbors, subject, deadline=until, runner=runner, **pairs)

    try:
        return _bounded(seconds + GRACE, limit, look)
    except (Exception, OutOfSteps, OutOfTime):  # what was found stands, whatever fails here
        return found
