"""Checks certificates by randomness alignment: both runs are followed anew, in cvc5's terms."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import cvc5

from dpaudit.checker.alignment.content import read
from dpaudit.checker.alignment.execute import Execution
from dpaudit.checker.alignment.runs import Obligation, TwoRuns
from dpaudit.checker.alignment.state import Stretch
from dpaudit.checker.alignment.terms import Terms, unknowns
from dpaudit.checker.alignment.values import Data, Plain, terms_in
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work
from dpaudit.checker.program import validated
from dpaudit.checker.proofs import emitted

__all__ = ["check", "followed"]

_SECONDS = 20.0  # of one obligation


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``alignment``; return what was taken on trust.

    Parameters
    ----------
    document : Document
    work : Work

    Raises
    ------
    RejectedError
        Where it proves nothing.
    NotCheckedError
        Where it could not be checked.
    """
    try:
        return _checked(document, work)
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        if isinstance(error, RecursionError):
            raise
        what = f"{type(error).__name__}: {error}"
        raise RejectedError(f"the program or the proof is malformed: {what:.200}") from None


def _checked(document: Document, work: Work) -> tuple[str, ...]:
    program = validated(document.program, document.sources)
    content = read(document)
    execution = followed(program, content.whole, content.container, work)
    terms = execution.terms
    for part in content.parts:
        for obligation in TwoRuns(execution, content, part).obligations():
            _discharge(obligation, terms, work)
    return (
        *content.assumed,
        f"cvc5 {cvc5.__version__} is right",
    )


def followed(program: Any, whole: frozenset[str], container: str, work: Work) -> Execution:
    """Follow all paths of a program on answers that nobody knows.

    Parameters
    ----------
    program : dict
        As `dpaudit.checker.program.validated` leaves it.
    whole : frozenset of str
        Parameters that are whole numbers.
    container : str
        How the mechanism receives the answers.
    work : Work
    """
    data = Plain(Data()) if container == "list" else Data()
    execution = Execution.of(program, data, Terms(whole), work)
    for stretch in execution.stretches:
        _validate_own(stretch, program["symbolic"])
    return execution


def _validate_own(stretch: Stretch, symbolic: list[str]) -> None:
    """Refuse values that outlive the stretch in which they have a meaning."""
    terms = [*stretch.truths, *(r.index for r in stretch.reads)]
    terms += [t for value in stretch.after.values() for t in terms_in(value)]
    terms += terms_in(stretch.output)
    for name in unknowns(terms):
        if name not in (*symbolic, "%n") and name.rpartition("@")[2] != stretch.start:
            raise NotCheckedError(f"not checked: {name} is used after a loop")


def _discharge(obligation: Obligation, terms: Terms, work: Work) -> None:
    goals = [goal for _, goal in obligation.goals]
    denied = [*obligation.given, terms.negation(terms.both(goals))]
    if _unsatisfiable(denied, terms, work) is True:
        names = ", ".join(name for name, _ in obligation.goals)
        _keep_proof(f"{names}: {obligation.title}", denied, terms, work)
        return
    for name, goal in obligation.goals:
        denied = [*obligation.given, terms.negation(goal)]
        answer = _unsatisfiable(denied, terms, work)
        if answer is None:
            raise NotCheckedError(f"not checked: cvc5 gave up on {name}: {obligation.title}")
        if not answer:
            raise RejectedError(f"{name} does not follow: {obligation.title}")
        _keep_proof(f"{name}: {obligation.title}", denied, terms, work)


def _keep_proof(what: str, formulas: list[Any], terms: Terms, work: Work) -> None:
    if work.proofs is not None:
        with suppress(LookupError):
            seconds = min(_SECONDS, work.left())
            work.proofs.append(emitted(what, formulas, terms.manager, seconds))


def _unsatisfiable(formulas: list[Any], terms: Terms, work: Work) -> bool | None:
    answer, _ = terms.asked(formulas, min(_SECONDS, work.left()))
    return None if answer is None else not answer
