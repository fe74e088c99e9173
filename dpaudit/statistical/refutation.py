"""From a rejected claim to what people read: the finding and its witness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.claims import Claim
from dpaudit.evidence import Finding, Witness
from dpaudit.neighbors import Pair, dataset_to_text
from dpaudit.reference import reference
from dpaudit.spared import spared
from dpaudit.statistical.attribute import Cause, attribute
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender
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
    return told, finding, witness


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
