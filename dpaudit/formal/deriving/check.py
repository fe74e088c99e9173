"""Checks a derivation: its conditions can be met, its steps hold, its query keeps the bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy

from dpaudit.evidence import Evidence, Verdict
from dpaudit.formal.clock import now, wall
from dpaudit.formal.decide import Decision, Truth, decide, satisfiable
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.obligations import Checked, obligations
from dpaudit.formal.deriving.query import Breach, breach
from dpaudit.formal.deriving.told import ENGINE, certificate, refutations
from dpaudit.formal.deriving.translate import relation, symbols_for, translate_condition


def check(derivation: Derivation, timeout: float) -> tuple[Evidence, int | None]:
    """Return what is found of a derivation, and the index of its first false step if it has one."""
    start = wall()
    deadline = now() + timeout
    symbols = symbols_for(derivation.words)
    conditions = [translate_condition(formula, symbols) for formula in derivation.conditions]
    given = [condition.value for condition in conditions]
    given += [need for condition in conditions for need in condition.needs]
    meets = satisfiable(_with_domains(given, symbols), timeout=min(timeout * 0.2, 10.0))
    if meets.truth is Truth.PROVED:
        raise ValueError(
            f"`given` contradicts itself: no numbers satisfy {', '.join(derivation.given)}; "
            "anything would follow, so take a condition away"
        )
    checked = list(_decided(derivation, symbols, given, deadline))
    broken = None
    false = any(c.decision.truth is Truth.REFUTED for c in checked)
    if not false and not derivation.missing:
        broken = breach(derivation, symbols, given, deadline)
    evidence = _evidence(derivation, checked, meets, broken)
    evidence = replace(evidence, seconds=wall() - start)
    return evidence, _false_step(derivation, checked, broken)


def _with_domains(given: Sequence[Any], symbols: Mapping[str, sympy.Symbol]) -> list[Any]:
    """Return conditions that mention every variable, so that numbers are found for each."""
    return [*given, *(relation(s, "==", s) for s in symbols.values())]


def _decided(
    derivation: Derivation,
    symbols: Mapping[str, sympy.Symbol],
    given: Sequence[Any],
    deadline: float,
) -> Iterator[Checked]:
    todo = list(obligations(derivation, symbols))
    false: set[int] = set()
    for place, obligation in enumerate(todo):
        if obligation.link.index in false:
            continue  # once is enough
        left = deadline - now()
        if left <= 0:
            decision = Decision(Truth.UNKNOWN, "none", reason="no time was left")
        else:
            # Most steps take a moment; a hard one may use a good part of what is left.
            share = left / min(4, len(todo) - place)
            decision = decide(obligation.goal, given, timeout=share)
        if decision.truth is Truth.REFUTED:
            false.add(obligation.link.index)
        yield Checked(obligation, _filled(decision, symbols))


def _filled(decision: Decision, symbols: Mapping[str, sympy.Symbol]) -> Decision:
    if decision.values is None:
        return decision
    order = [name for name in symbols if name in decision.values]
    return replace(decision, values={name: decision.values[name] for name in order})


def _false_step(
    derivation: Derivation, checked: Sequence[Checked], broken: Breach | None
) -> int | None:
    false = [c.obligation.link.index for c in checked if c.decision.truth is Truth.REFUTED]
    if broken is not None:
        false.append(broken.step)
    if derivation.missing:
        false.append(len(derivation.links))
    return min(false, default=None)


def _evidence(
    derivation: Derivation, checked: Sequence[Checked], meets: Decision, broken: Breach | None
) -> Evidence:
    findings, witness = refutations(derivation, checked, broken)
    if findings:
        return Evidence(
            ENGINE,
            Verdict.REFUTED,
            findings[0].message,
            findings=findings,
            witness=witness,
            certificate=certificate(derivation, checked, meets, broken),
        )
    unknown = [c for c in checked if c.decision.truth is Truth.UNKNOWN]
    if unknown:
        first = unknown[0]
        steps = sorted({c.obligation.link.index for c in unknown})
        reason = (
            f"step {first.obligation.link.index} ({first.obligation.link}) is not decided: "
            f"{first.decision.reason}"
        )
        if len(steps) > 1:
            reason += f"; nor {'are steps' if len(steps) > 2 else 'is step'} "
            reason += ", ".join(map(str, steps[1:]))
        return Evidence(ENGINE, None, reason)
    if meets.truth is not Truth.REFUTED and not meets.evidence.get("model"):
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
        certificate=certificate(derivation, checked, meets, None),
    )
