"""Runs the engines on one mechanism, cheapest first, and folds their evidence."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from dpaudit.evidence import (
    Budget,
    Engine,
    Evidence,
    Progress,
    Repair,
    Suspect,
    Verdict,
    interrupted_after,
)
from dpaudit.examination import LEAST_SECONDS, Examination, all_assumptions, as_held
from dpaudit.examples import SAVED, examples_of, seed_with
from dpaudit.family import Family, family_of
from dpaudit.proof_check import proof_check, with_check
from dpaudit.reference import reference
from dpaudit.spared import spared
from dpaudit.staged import Limit, Stage, held_by, stages
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.conclude import TOO_FEW
from dpaudit.statistical.held import Held
from dpaudit.subject import Subject
from dpaudit.verdict import Report
from dpaudit.worker import InPlace, Runner
from dpaudit.worker.quiet import own_float_errors

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dpaudit.claims import Claim
    from dpaudit.formal.derivation import Derivation
    from dpaudit.neighbors import Neighbors

ENGINES = ("static", "formal", "trace", "statistical")  # those that are there, cheapest first
ALONE = 0.9  # of the calls, for traces to confirm what they suspect where no sampling follows
SEARCH_SECONDS = 60.0  # of real time, in which `verify` traces the code where it found no proof
SAMPLED, SAMPLE_SECONDS = 20_000, 20.0  # calls and time for sampling what traces do not decide
BATCH_SECONDS = 100.0  # of traces, or a batch of calls, of `verify` in a worker process
TRACED = 0.6  # of the calls of `verify`, for traces to confirm what they suspect
_TRIED = (
    "the audit tried the saved pairs of earlier refutations first ({} of them). Another run gives "
    "the same results only if it has the same saved pairs"
)


def audit(
    mechanism: Any,
    claim: Claim | Callable[..., Claim],
    neighbors: Neighbors | Callable[..., Neighbors],
    *,
    engines: Sequence[str | Engine] | None = None,
    alpha: float = 1e-6,
    max_calls: int = 1_000_000,
    max_seconds: float | None = 60.0,
    tier: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    isolation: Literal["none", "process"] = "none",
    arithmetic: Literal["real", "float"] = "real",
    workers: int = 1,
    timeout: float | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
    observes: Sequence[str] | None = None,
    over: Mapping[str, Iterable[Any]] | None = None,
    saved: Sequence[tuple[Any, Any]] = (),
) -> Report:
    """Audit a mechanism against the privacy that it claims.

    Parameters
    ----------
    mechanism : callable or str
        ``(data)``, ``(data, rng)``, or, marked by `dpaudit.vectorized`, ``(data, size, rng)``; a
        string ``"module:function"`` is imported.
    claim : Claim
        What is promised, for example ``PureDP(1.0)`` (nats); with `over` also a function.
    neighbors : Neighbors
        Which datasets count as neighboring; with `over` also a function.
    engines : sequence of str or Engine, optional
        Names (``"static"``, ``"formal"``, ``"trace"``, ``"statistical"``) or engines, cheapest
        first; all four unless given. Sampling comes last in any case.
    alpha : float
        Probability of a false refutation, over everything that this audit tries.
    max_calls : int
        Mechanism calls, both datasets together.
    max_seconds : float or None
        Real time for the audit. It continues with the next tier, which is four times as large, if
        that fits in the time at the present pace. In the first one, an engine that others follow
        takes at most half of what is left. If a tier takes longer than expected, no call begins
        after this time. The result is then that of the tier before, and INCONCLUSIVE if
        there is none. A refutation stands. In a worker process, a call that still runs ten seconds
        later is stopped, and the result is INCONCLUSIVE.
    tier : int, optional
        The last tier, from 1: with ``max_seconds=None`` it repeats on any machine a run that time
        ended there. A tier is a number of calls, of pairs that are traced, and of steps of a proof.
    seed : int
        Of all randomness, wherever the mechanism runs.
    executor : concurrent.futures.Executor, optional
        Where the mechanism runs; ``isolation`` and ``workers`` do not apply then.
    isolation : {"none", "process"}
        In this process, or in a worker process with limits on time and memory. With ``"none"`` the
        mechanism can do all that the auditor can: end the process, or patch dpaudit and choose its
        own verdict. Use ``"process"`` for code of others, as the commands and pytest do.
        docs/threat_model.md names the remaining risks.
    arithmetic : {"real", "float"}
        ``"float"`` also bets on the low-order bits of continuous floats.
    workers : int
        Worker processes with ``isolation="process"``.
    timeout : float, optional
        Seconds that one batch may take in a worker process.
    progress : callable or bool, optional
        Unless it is False, stderr shows the progress. A terminal or a notebook shows a bar after
        two seconds, other outputs a line every half minute. A callable is called with a `Progress`
        after every batch instead.
    observes : sequence of str, optional
        The outputs that an observer sees, of ``"return"``, ``"print"``, ``"logging"``,
        ``"warnings"``, ``"files"`` and ``"exceptions"``; all unless given. The report lists what is
        left out. Without ``"exceptions"`` their class and text stay inside; that a call failed is
        still an output.
    over : mapping of str to iterable, optional
        Values by name of a parameter: every combination is audited, as a family under one
        `alpha` and one `max_calls`. The mechanism gets those parameters that it has. ``claim`` and
        ``neighbors`` may be functions, or classes, that take some of the parameters by name.
    saved : sequence of (Any, Any)
        Pairs of datasets that refuted earlier versions. Those that are neighboring are tried first,
        as those of `dpaudit.example`.

    Returns
    -------
    Report

    Raises
    ------
    TypeError, ValueError
        If an argument is unusable; the message names the remedy.
    KeyboardInterrupt
        At Ctrl-C; the message says how many calls were made, and how to keep them.

    Notes
    -----
    The verdict NOT_REFUTED is a statement about this run; see `Report.detectable_epsilon`.

    After a refutation no further engine runs. If the cause has no line yet, and the trace engine is
    among those chosen, it traces the witness. It may make 2,000 calls for this, beyond `max_calls`
    too. After a proof, sampling still runs the code, with a tenth of the calls. A proof is about
    real numbers, and the outputs show overflow, rounding and NaN. The trace engine is left out
    unless it is named. Proofs end by steps of work, which every machine counts alike. Equal seeds
    give equal reports up to the last tier that was complete; the report says where time ended a
    run.
    """
    last: list[Progress] = []
    try:
        with contextlib.ExitStack() as stack:
            planned = _planned(
                mechanism,
                claim,
                neighbors,
                over,
                _validated(alpha, max_calls, max_seconds, tier, seed, arithmetic),
                engines,
                lambda subject: runner_for(subject, executor, isolation, workers, timeout),
                observes,
                _noting(_heard(progress, reference(mechanism), stack), last),
                saved,
            )
            if isinstance(planned, Family):
                return planned.whole()
            run, chosen, budget = planned
            return run(chosen, budget)
    except KeyboardInterrupt:  # frames of dpaudit say nothing to who asked for it
        raise _interrupted(last) from None


def audit_in_stages(
    mechanism: Any,
    claim: Claim | Callable[..., Claim],
    neighbors: Neighbors | Callable[..., Neighbors],
    limit: Limit,
    progress: Callable[[Progress], None],
    **options: Any,
) -> Iterator[Stage]:
    """Audit a mechanism as `audit` does, and pause after each tier of calls.

    Parameters
    ----------
    mechanism, claim, neighbors, progress, **options
        As for `audit`.
    limit : Limit
        See `dpaudit.staged.stages`.

    Returns
    -------
    iterator of Stage
    """
    given = {**(audit.__kwdefaults__ or {}), **options}
    ways = [given[name] for name in ("executor", "isolation", "workers", "timeout")]
    planned = _planned(
        mechanism,
        claim,
        neighbors,
        given["over"],
        _validated(*(given[name] for name in _BUDGET)),
        given["engines"],
        lambda subject: runner_for(subject, *ways),
        given["observes"],
        progress,
        given["saved"],
    )
    return planned.stages(limit) if isinstance(planned, Family) else stages(*planned, limit)


_BUDGET = ("alpha", "max_calls", "max_seconds", "tier", "seed", "arithmetic")


def _planned(
    mechanism: Any,
    claim: Any,
    neighbors: Any,
    over: Mapping[str, Iterable[Any]] | None,
    budget: Budget,
    engines: Sequence[str | Engine] | None,
    runner_of: Callable[[Subject], Runner],
    observes: Sequence[str] | None,
    heard: Callable[[Progress], None] | None,
    saved: Sequence[tuple[Any, Any]],
) -> Family | tuple[Callable[[Sequence[Engine], Budget], Report], list[Engine], Budget]:
    """Return a family that is to be audited, or how one mechanism is, by what, and within what."""
    if over is None:
        _validate_nouns(claim, neighbors)
    chosen = _engines(engines)
    one = partial(
        _audit_one,
        observes=observes,
        runner_of=runner_of,
        idle=_idle_after_proof(engines is None, chosen),
        saved=saved,
    )
    if over is None:

        def run(engines: Sequence[Engine], budget: Budget) -> Report:
            return one(mechanism, claim, neighbors, engines, budget, heard=heard)

        return run, held_by(Held(budget.alpha, math.inf), chosen), budget
    return family_of(
        mechanism,
        claim,
        neighbors,
        over,
        budget=budget,
        engines=lambda: _engines(engines),
        audit_one=one,
        heard=heard,
    )


def _audit_one(
    mechanism: Any,
    claim: Claim,
    neighbors: Neighbors,
    engines: Sequence[Engine],
    budget: Budget,
    *,
    heard: Callable[[Progress], None] | None,
    observes: Sequence[str] | None,
    runner_of: Callable[[Subject], Runner],
    idle: frozenset[str],
    saved: Sequence[tuple[Any, Any]],
) -> Report:
    """Let the engines examine one mechanism with one claim, one after the other."""
    subject = as_held(Subject.of(mechanism).observing(observes), engines)
    examples, declared = examples_of(subject, neighbors, saved), budget
    budget = replace(budget, seed=seed_with(budget.seed, examples))
    named, related = reference(mechanism), str(neighbors)
    assumed = (*neighbors.assumptions(), *subject.assumptions())
    examined = Examination(
        subject, claim, neighbors, budget, runner_of=runner_of, heard=heard, idle=idle
    )
    with own_float_errors():
        examined.run(engines, examples)
    subject, evidence = examined.subject, examined.evidence
    tried = sum(each.pair.how == SAVED for each in examples)
    notes = (*((_TRIED.format(tried),) if tried else ()), *examined.failures)
    evidence[-1] = replace(evidence[-1], notes=(*evidence[-1].notes, *notes))
    return Report(
        named,
        claim,
        related,
        all_assumptions(assumed, evidence),
        tuple(evidence),
        seed=declared.seed,
        alpha=budget.alpha,
        file=subject.file,
        line=subject.line,
        source_hash=subject.source_hash,
    )


def _heard(
    progress: Callable[[Progress], None] | bool | None, name: str, stack: contextlib.ExitStack
) -> Callable[[Progress], None] | None:
    """Return who hears how far an audit is: the caller, a display of our own, or nobody."""
    if progress is False:
        return None
    if progress is None or progress is True:
        from dpaudit.report.progress import Single

        return stack.enter_context(Single(name, sys.stderr))
    return progress


def _noting(
    heard: Callable[[Progress], None] | None, last: list[Progress]
) -> Callable[[Progress], None]:
    """Return who notes how far an audit is, and hands it on."""

    def note(progress: Progress) -> None:
        last[:] = [progress]
        if heard is not None:
            heard(progress)

    return note


def _interrupted(last: list[Progress]) -> KeyboardInterrupt:
    """Return an interrupt that says what was done and how to go on."""
    done = interrupted_after(last[0]) if last else "interrupted before the first calls"
    return KeyboardInterrupt(f"{done}; {_INTERRUPTED}")


_INTERRUPTED = (
    "nothing of them is kept. An audit in an audit file keeps its calls with `dpaudit run "
    "--accumulate`; `max_seconds` or `tier` ends one earlier, with a report"
)


def verify(
    mechanism: Any,
    claim: Claim | str,
    neighbors: Neighbors,
    *,
    timeout: float | None = None,
    fix: bool = False,
    isolation: Literal["none", "process"] = "none",
    progress: bool | None = None,
    observes: Sequence[str] | None = None,
) -> Report:
    """Decide a claim by proof, or by a counterexample.

    Parameters
    ----------
    mechanism : callable or str
        As for `audit`. What is lifted is the code object that will run.
    claim : Claim or str
        What is promised (nats). A text such as ``"PureDP(epsilon)"`` or ``"ApproxDP(2 * epsilon,
        delta)"`` names parameters of the mechanism. It is proved for all positive values of them,
        and they need no default.
    neighbors : Neighbors
        Which datasets count as neighboring.
    timeout : float, optional
        A limit in seconds of real time. The proof takes at most half of it, so that the rest is for
        running what it leaves open. A repair has as many seconds again. One call of the mechanism,
        or of a solver, is left to end. Unless given, only a number of steps ends the proof, about
        60 seconds of work on a quiet machine. So every machine proves the same. What follows a
        proof that is not found has limits of real time of its own: see Notes.
    fix : bool
        Whether to look for the smallest change of the source with which the claim verifies, where
        it does not as it is. See `Report.repair`; no file is changed.
    isolation : {"none", "process"}
        Where counterexamples are confirmed: in this process, or in a worker process with limits.
    progress : bool, optional
        False shows no bar on a terminal, which else comes after two seconds.
    observes : sequence of str, optional
        As for `audit`.

    Returns
    -------
    Report
        VERIFIED comes with a certificate for ``dpaudit check``. REFUTED comes with a counterexample
        whose loss is certified, or which draws confirm with confidence 1 - 1e-6. INCONCLUSIVE names
        the line that stopped the proof.

    Raises
    ------
    TypeError, ValueError
        If an argument is unusable; the message names the remedy.

    Notes
    -----
    A proof is about real numbers and noise drawn exactly from its distribution. The report lists
    its assumptions. Functions that the mechanism calls on known values, such as calibrations, run
    to learn the constants that it uses. The mechanism itself runs to confirm a counterexample.

    It also runs where the source decides nothing. It is then traced with equal noise on neighboring
    datasets, for at most 60 seconds. What that suspects is refuted if draws on that pair confirm
    it. If nothing is confirmed, draws on likely pairs may refute the claim, for at most 20 seconds
    and 20,000 calls. Nothing raises these limits; `audit` takes other numbers. All this
    takes at most 60,000 calls. The probability of a false refutation is at most 1e-6.
    """
    from dpaudit.formal.confirm import DRAWS

    if timeout is not None:
        _validate_timeout(timeout)
    if isinstance(claim, str):
        if fix:
            raise ValueError("`fix` takes a claim of numbers; give one such as PureDP(1.0)")
        return _for_all(mechanism, claim, neighbors, timeout)
    report = audit(
        mechanism,
        claim,
        neighbors,
        engines=_verifying(timeout),
        max_calls=2 * DRAWS + SAMPLED,
        max_seconds=timeout,
        isolation=isolation,
        timeout=max(BATCH_SECONDS, timeout or 0.0) if isolation == "process" else None,
        progress=progress,
        observes=observes,
    )
    if not fix or report.verdict is Verdict.VERIFIED:
        return report
    return _with_repair(report, mechanism, claim, neighbors, timeout)


def _verifying(timeout: float | None) -> list[Engine]:
    """Return the engines of `verify`: one that proves, and two that run what it cannot decide."""
    from dpaudit.trace.engine import TraceEngine

    return [_Prover(timeout), TraceEngine(share=TRACED, seconds=SEARCH_SECONDS), _Sampler()]


def _idle_after_proof(default: bool, engines: Sequence[Engine]) -> frozenset[str]:
    """Return the engines that do not run after a proof.

    Traces look for causes, and none is left. `verify` runs nothing that is proved.
    """
    if any(isinstance(each, _Prover) for each in engines):
        return frozenset({"trace", "statistical"})
    return frozenset({"trace"} if default else ())


class _Prover:
    """The formal engine; what it suspects and cannot certify is left to draws on that very pair."""

    name = "formal"

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return VERIFIED, REFUTED by a counterexample or by draws, or no verdict."""
        from dpaudit.formal.confirm import DRAWS
        from dpaudit.formal.engine import VERIFYING, FormalEngine
        from dpaudit.trace.confirm import confirmed

        began = time.monotonic()
        prover = FormalEngine(self._timeout, budget=VERIFYING, check=proof_check)
        found = prover.examine(subject, claim, neighbors, budget, suspects, runner=runner)
        if found.verdict is not None or not found.suspects or runner is None:
            return found
        seconds = budget.max_seconds
        if seconds is not None:
            seconds = max(seconds - (time.monotonic() - began), LEAST_SECONDS)
        alpha = budget.alpha / 2 / len(found.suspects)
        allowed = replace(budget, alpha=alpha, max_calls=DRAWS, max_seconds=seconds)
        return confirmed(
            found, list(found.suspects), subject, claim, neighbors, allowed, runner, progress
        )


class _Sampler:
    """Sampling of what proofs and traces leave open: it refutes the claim, or gives no verdict."""

    name = "statistical"

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return REFUTED, or no verdict: what is not refuted here was sampled too little."""
        calls = min(budget.max_calls, SAMPLED)
        seconds = min(SAMPLE_SECONDS, budget.max_seconds or SAMPLE_SECONDS)
        allowed = replace(budget, max_calls=calls, max_seconds=seconds)
        found = StatisticalEngine().examine(
            subject, claim, neighbors, allowed, suspects, runner=runner, progress=progress
        )
        if found.verdict is Verdict.REFUTED or not found.completed:
            return found
        few = found.verdict is Verdict.NOT_REFUTED or TOO_FEW in found.reason
        if not few and not found.cut_short:
            return replace(found, verdict=None)
        pairs = f"{found.pairs_tried:,} pair{'s' * (found.pairs_tried != 1)}"
        reason = f"{found.calls:,} calls on {pairs} found no violation"
        if found.cut_short:
            reason += f". Sampling had {seconds:.3g} seconds here, which ended it"
        # Nobody sets a tier or a time for samples here, so that no advice about them applies.
        notes = tuple(note for note in found.notes if "max_seconds" not in note)
        return replace(found, verdict=None, reason=reason, notes=notes)


def _for_all(mechanism: Any, claim: str, neighbors: Neighbors, timeout: float | None) -> Report:
    """Decide a claim that names parameters of the mechanism."""
    from dpaudit.claims.symbolic import SymbolicClaim
    from dpaudit.formal.for_all import verify_for_all
    from dpaudit.subject import imported

    function = imported(mechanism) if isinstance(mechanism, str) else mechanism
    stated = SymbolicClaim.of(claim)
    with own_float_errors():
        found = verify_for_all(function, stated, neighbors, timeout=timeout, check=proof_check)
        evidence = with_check(found, stated, neighbors, function)
    return Report(
        reference(mechanism),
        cast("Claim", stated),
        str(neighbors),
        all_assumptions(neighbors.assumptions(), (evidence,)),
        (evidence,),
    )


def _with_repair(
    report: Report, mechanism: Any, claim: Claim, neighbors: Neighbors, timeout: float | None
) -> Report:
    """Return the report with a change that verifies, or a note why there is none."""
    from dpaudit.formal.repair import repair
    from dpaudit.formal.unsupported import Unsupported

    evidence, *others = report.evidence
    notes: list[str] = []

    def look() -> Repair | None:
        try:
            return repair(mechanism, claim, neighbors, timeout=timeout)
        except Unsupported as none:
            notes.append(f"no repair: {none.what}")
            return None

    found = spared("a repair", look, notes, None)
    evidence = replace(evidence, repair=found, notes=(*evidence.notes, *notes))
    return replace(report, evidence=(evidence, *others))


def check_derivation(derivation: Derivation, *, timeout: float = 60.0) -> Report:
    """Prove every step of a derivation for all values, or show numbers that break one.

    Parameters
    ----------
    derivation : Derivation
    timeout : float
        For all steps together, in seconds of a quiet machine: steps of work are counted, so that
        the verdict is the same on every machine.

    Returns
    -------
    Report
        VERIFIED with a certificate if every step is proved. REFUTED with `.step`, the index of the
        first false step, and numbers as the witness. Else INCONCLUSIVE, with the steps that are not
        decided. A case that is missing counts as a false step after all others.

    Raises
    ------
    TypeError
        Where it is no `Derivation`.
    ValueError
        Where the conditions contradict each other, so that anything would follow from them.

    Notes
    -----
    What is proved is the chain from its first side to its last. That the first side is the change
    of the query is proved where the query is an expression with `changes`. For a callable it is
    not: neighboring datasets are searched for one that breaks the bound, and the report lists it
    as an assumption.

    Examples
    --------
    >>> from dpaudit.formal.derivation import Derivation
    >>> wrong = Derivation({"n": "integer"}, ["n >= 2"], [("1/n", "<=", "1/3")])
    >>> report = check_derivation(wrong)
    >>> report.step, report.witness.values
    (0, {'n': Fraction(2, 1)})
    """
    from dpaudit.formal.derivation import Derivation

    if not isinstance(derivation, Derivation):
        raise TypeError(
            f"`derivation` must be a Derivation, got {derivation!r}; build it with "
            "dpaudit.Derivation(variables=…, given=…, steps=…)"
        )
    _validate_timeout(timeout)
    from dpaudit.checker.stated import assumptions
    from dpaudit.formal.deriving.check import check

    evidence, step = check(derivation, timeout)
    evidence = with_check(evidence)
    return Report(
        f"derivation: {derivation.links[0]}" if derivation.links else "derivation",
        None,
        "" if derivation.neighbors is None else str(derivation.neighbors),
        assumptions(derivation.stated),
        (evidence,),
        file=derivation.file,
        line=derivation.line,
        step=step,
    )


def _validate_timeout(timeout: float) -> None:
    if isinstance(timeout, bool) or not timeout > 0:
        raise ValueError(f"`timeout` must be positive, got {timeout!r}; 60.0 seconds is usual")


def _validate_nouns(claim: Any, neighbors: Any) -> None:
    if isinstance(claim, type) or not hasattr(claim, "log_slopes"):
        raise TypeError(f"`claim` must be a claim such as PureDP(1.0), got {claim!r}")
    if isinstance(neighbors, type) or not hasattr(neighbors, "pairs"):
        raise TypeError(
            f"`neighbors` must be a relation such as AddRemove(Real(0, 100)), got {neighbors!r}"
        )


def _validated(
    alpha: float,
    max_calls: int,
    max_seconds: float | None,
    tier: int | None,
    seed: int,
    arithmetic: Literal["real", "float"],
) -> Budget:
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must lie in (0, 1), got {alpha!r}; 1e-6 is usual")
    if isinstance(max_calls, bool) or int(max_calls) != max_calls or max_calls < 1:
        raise ValueError(f"`max_calls` must be a positive integer, got {max_calls!r}")
    if max_seconds is not None and not max_seconds > 0:
        raise ValueError(f"`max_seconds` must be positive or None, got {max_seconds!r}")
    if tier is not None and (isinstance(tier, bool) or int(tier) != tier or tier < 1):
        raise ValueError(f"`tier` must be a positive integer or None, got {tier!r}")
    if isinstance(seed, bool) or int(seed) != seed or seed < 0:
        raise ValueError(f"`seed` must be a non-negative integer, got {seed!r}")
    if arithmetic not in ("real", "float"):
        raise ValueError(f'`arithmetic` must be "real" or "float", got {arithmetic!r}')
    return Budget(alpha, int(max_calls), max_seconds, int(seed), arithmetic, tier)


def _engines(engines: Sequence[str | Engine] | None) -> list[Engine]:
    if isinstance(engines, str):
        raise TypeError(f"`engines` must be a sequence, got {engines!r}; use [{engines!r}]")
    chosen: list[Engine] = []
    named = list(ENGINES if engines is None else engines)
    validate_once(named)
    for engine in named:
        if isinstance(engine, str):
            chosen.append(named_engine(engine, last="statistical" not in named))
        elif hasattr(engine, "examine"):
            chosen.append(engine)
        else:
            raise TypeError(f"an engine is a name of {ENGINES} or has `examine`, got {engine!r}")
    if not chosen:
        raise ValueError(f"`engines` is empty; name at least one of {ENGINES}, or leave it out")
    # It goes on in later tiers, with the error probability that the others have left.
    return sorted(chosen, key=lambda engine: isinstance(engine, StatisticalEngine))


def named_engines(text: str) -> tuple[str, ...]:
    """Read names of engines with commas between them.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of str

    Raises
    ------
    ValueError
        Where it names none, one that there is not, or one twice.
    """
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in ENGINES]
    if unknown or not names:
        what = f"there is no engine {unknown[0]!r}" if unknown else "no engine is named"
        raise ValueError(f"{what}; there are {', '.join(ENGINES)}")
    validate_once(names)
    return names


def validate_once(engines: Sequence[object]) -> None:
    """Refuse names of engines that are given twice: with equal seeds they would say the same.

    Parameters
    ----------
    engines : sequence of str or Engine

    Raises
    ------
    ValueError
    """
    names = [engine for engine in engines if isinstance(engine, str)]
    twice = [name for name in ENGINES if names.count(name) > 1]
    if twice:
        raise ValueError(f"engine {twice[0]!r} is named more than once; name each once")


def named_engine(name: str, *, last: bool) -> Engine:
    """Return an engine by name; the trace confirms more by itself where no sampling follows.

    Parameters
    ----------
    name : str
    last : bool
        Whether no sampling follows.
    """
    if name == "static":
        from dpaudit.static import StaticEngine

        return StaticEngine()
    if name == "trace":
        from dpaudit.trace.engine import TraceEngine

        return TraceEngine(share=ALONE if last else 0.4, followed=not last)
    if name == "formal":
        from dpaudit.formal.engine import VERIFYING, FormalEngine

        return FormalEngine(budget=VERIFYING, check=proof_check)
    if name == "statistical":
        return StatisticalEngine()
    raise ValueError(f"there is no engine {name!r}; there are {', '.join(ENGINES)}")


def runner_for(
    subject: Subject,
    executor: Executor | None,
    isolation: str,
    workers: int,
    timeout: float | None,
) -> Runner:
    """Return what calls a mechanism, as the options of `audit` say."""
    if isinstance(workers, bool) or workers < 1:
        raise ValueError(f"`workers` must be at least 1, got {workers!r}; one is the default")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"`timeout` must be positive or None, got {timeout!r}")
    if executor is not None:
        from dpaudit.worker import ExecutorRunner

        return ExecutorRunner(subject, executor)
    if isolation == "none":
        return InPlace(subject)
    if isolation == "process":
        from dpaudit.worker import ProcessRunner

        if timeout is None:
            return ProcessRunner(subject, workers=workers)
        return ProcessRunner(subject, workers=workers, timeout=timeout)
    raise ValueError(f'`isolation` must be "none" or "process", got {isolation!r}')
