"""Checks a derivation: its conditions can be met, its steps hold, its query keeps the bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.obligations import Decision, Prover, obligations
from dpaudit.checker.points import Point
from dpaudit.evidence import Evidence, Verdict
from dpaudit.formal.clock import now, wall
from dpaudit.formal.conclusion import working
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.query import Breach, breach
from dpaudit.formal.deriving.report import ENGINE, Checked, certificate, refutations


def check(derivation: Derivation, timeout: float) -> tuple[Evidence, int | None]:
    """Return what is found of a derivation, and the index of its first false step if it has one."""
    start = wall()
    deadline = now() + timeout
    prover = Prover(derivation.stated, working(deadline))
    checked: list[Checked] = []
    met: bool | None = None
    broken = meets = None
    try:
        meets = prover.example()
        met = True if meets is not None else prover.meets(None)
        if met is False:
            raise ValueError(
                f"`given` contradicts itself: no numbers satisfy {', '.join(derivation.given)}; "
                "anything would follow, so take a condition away"
            )
    except NotCheckedError:  # the steps ran out
        pass
    checked = list(_decided(derivation, prover, deadline))
    false = any(c.decision.truth is False for c in checked)
    if not false and not derivation.missing:
        broken = breach(derivation, prover, deadline)
    evidence = _evidence(derivation, checked, met, meets, broken)
    evidence = replace(evidence, seconds=wall() - start)
    return evidence, _false_step(derivation, checked, broken)


def _decided(derivation: Derivation, prover: Prover, deadline: float) -> Iterator[Checked]:
    todo = list(obligations(derivation.stated))
    false: set[int] = set()
    for place, obligation in enumerate(todo):
        if obligation.step.index in false:
            continue  # once is enough
        # Most steps take a moment; a hard one may use a good part of what is left.
        share = (deadline - now()) / min(3, len(todo) - place)
        try:
            decision = prover.decide(obligation.needs, max(share, 0.0))
        except NotCheckedError:
            decision = Decision(None)
        if decision.truth is False:
            false.add(obligation.step.index)
        yield Checked(obligation, decision)


def _false_step(
    derivation: Derivation, checked: Sequence[Checked], broken: Breach | None
) -> int | None:
    false = [c.obligation.step.index for c in checked if c.decision.truth is False]
    if broken is not None:
        false.append(broken.step)
    if derivation.missing:
        false.append(len(derivation.links))
    return min(false, default=None)


def _evidence(
    derivation: Derivation,
    checked: Sequence[Checked],
    met: bool | None,
    meets: Point | None,
    broken: Breach | None,
) -> Evidence:
    findings, witness = refutations(derivation, checked, broken)
    if findings:
        return Evidence(
            ENGINE, Verdict.REFUTED, findings[0].message, findings=findings, witness=witness
        )
    unknown = {c.obligation.step.index: c for c in checked if c.decision.truth is None}
    if unknown:
        first, *others = unknown
        said = unknown[first].said
        reason = f"step {first} ({unknown[first].obligation.step}) is not decided: that {said}"
        if others:
            reason += f"; nor {'are steps' if others[1:] else 'is step'} "
            reason += ", ".join(map(str, others))
        return Evidence(ENGINE, None, reason)
    if not met:
        return Evidence(
            ENGINE,
            None,
            "no numbers were found that satisfy all conditions, so the steps may say nothing; "
            "simplify `given`",
        )
    return Evidence(
        ENGINE,
        Verdict.VERIFIED,
        f"all {len(derivation.links)} steps hold for all values",
        certificate=certificate(derivation, checked, meets),
    )
