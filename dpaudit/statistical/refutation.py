"""From a rejected claim to what people read: the finding and its witness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from dpaudit.claims import Claim
from dpaudit.evidence import Finding, Witness
from dpaudit.neighbors import Pair, dataset_to_text
from dpaudit.reference import reference
from dpaudit.spared import spared
from dpaudit.statistical.attribute import Cause, attribute
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.emitted_words import in_words, wording
from dpaudit.statistical.telling import Told, telling_event
from dpaudit.subject import Subject
from dpaudit.violations import NOT_LOCATED, UNLOCATED, once_located

_UNKNOWN = Cause(UNLOCATED, NOT_LOCATED)


def refutation(
    subject: Subject,
    claim: Claim,
    stakes: Stakes,
    contender: Contender,
    epsilon: float,
    confidence: float,
    failures: list[str],
) -> tuple[Told, Finding, Witness]:
    """Return the telling event, the finding and the witness that a rejecting pair gives.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    stakes : Stakes
        Of the claim.
    contender : Contender
        The pair with its kept outputs.
    epsilon, confidence : float
        Lower bound on epsilon over the whole audit (nats), and its confidence.
    failures : list of str
        Gets a sentence where the cause cannot be told.
    """
    sides = contender.pool.side(0), contender.pool.side(1)
    told = telling_event(*sides, stakes, low_bits=contender.low_bits)
    if subject.emits:
        told = replace(told, event=in_words(told.event, *sides))
    order = (1, 0) if told.mirrored else (0, 1)
    cause = spared(
        "the kind of the violation",
        lambda: attribute(told, sides[order[0]], sides[order[1]], emits=subject.emits),
        failures,
        _UNKNOWN,
    )
    datasets: tuple[Any, Any] = contender.pair.left, contender.pair.right
    left, right = datasets[order[0]], datasets[order[1]]
    witness = Witness(
        left,
        right,
        told.event,
        told.counts,
        contender.pair.how,
        reference(subject.mechanism),
        claim,
        epsilon,
        confidence,
        reproducible="unseeded" not in contender.flags,
        takes_rng=subject.takes_rng,
        vectorized=subject.vectorized,
        source=subject.source or "",
        file=subject.file,
        own_generators="copies-generator" in contender.flags,
        observed=subject.emits,
        observes=subject.observes,
    )
    message = (
        f"{subject.name} violates {claim}: {cause.what}; "
        f"{told.event.words}: {told.counts} on {dataset_to_text(left)} and "
        f"{dataset_to_text(right)}"
    )
    if not told.shows:
        message += "; this event alone does not refute the claim: many bets together do"
    finding = Finding(
        cause.id,
        "error",
        message,
        also=cause.also,
        file=subject.file,
        line=subject.line,
        pair=(left, right),
    )
    given: object = subject.mechanism
    if isinstance(given, Located):
        text = wording(told.event, sides[order[0]]) if subject.emits else None
        finding = _located_elsewhere(finding, given, left, text, failures)
    return told, finding, witness


@runtime_checkable
class Located(Protocol):
    """A mechanism that runs elsewhere, and says which line there a refutation is about."""

    def cause(self, data: Any, text: str | None = None) -> tuple[str, int] | None:
        """Return a file and a line, as `dpaudit.Remote` does."""


def _located_elsewhere(
    finding: Finding, mechanism: Located, data: Any, text: str | None, failures: list[str]
) -> Finding:
    """Return a finding at the code that an adapter calls, which is related to it."""
    what = "the line of the cause in the other interpreter"
    place = spared(what, lambda: mechanism.cause(data, text), failures, None)
    if place is None or finding.file is None or finding.line is None:
        return finding
    adapter = (finding.file, finding.line, "the adapter")
    return replace(finding, file=place[0], line=place[1], related=(*finding.related, adapter))


def unexplained(subject: Subject, claim: Claim, pair: Pair) -> Finding:
    """Return the finding of a refutation of which no event can be named.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    pair : Pair
        That refutes the claim.
    """
    return Finding(
        UNLOCATED,
        "error",
        f"{subject.name} violates {claim}: {_UNKNOWN.what}",
        file=subject.file,
        line=subject.line,
        pair=(pair.left, pair.right),
    )


def located(seen: Finding, suspected: Finding) -> Finding:
    """Return a finding with the cause that another engine suspected on the same pair.

    Parameters
    ----------
    seen : Finding
        What the outputs show.
    suspected : Finding
        Its id, line and related places hold, now that its pair has refuted the claim.
    """
    fits = (suspected.id, UNLOCATED)
    also = tuple(dict.fromkeys(id for id in (*suspected.also, seen.id) if id not in fits))
    how = "Proved" if seen.engine == "formal" else "Confirmed by sampling"
    seen_there = once_located(seen.message)
    shown = seen_there.removeprefix(f"{suspected.message}. ")  # where both name the cause already
    message = f"{suspected.message}. {shown if shown != seen_there else f'{how}: {shown}'}"
    return replace(suspected, message=message, also=also, pair=seen.pair)
