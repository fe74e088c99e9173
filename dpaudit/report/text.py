"""A report as text for people."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING

from dpaudit.evidence import Finding, Nights, Repair, StepWitness, Verdict, Witness
from dpaudit.report.caught import (
    an_epsilon,
    at_delta,
    caught_on_common_events,
    caught_where,
    claimed_epsilon,
    epsilon_of,
    says_all,
    table_lines,
)
from dpaudit.report.escape import plain
from dpaudit.report.family import family_sentence, row_lines
from dpaudit.report.next_steps import next_steps
from dpaudit.report.numbers import duration, e_value, lower, upper
from dpaudit.report.paths import local, shown
from dpaudit.report.script import needs
from dpaudit.spared import spared
from dpaudit.verdict import UNCONFIRMED
from dpaudit.violations import UNLOCATED, VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.verdict import Report

_LONGEST = 300


def summary(
    report: Report, *, diff: bool = True, script: str | None = None, saved: str | None = None
) -> str:
    """Return a report as lines of text.

    Parameters
    ----------
    report : Report
    diff : bool
        Whether the diff of a repair is shown as well.
    script : str, optional
        The command that writes the script of the witness, for who has no report at hand.
    saved : str, optional
        The file in which the certificate is saved already.

    Returns
    -------
    str

    Notes
    -----
    No text says that a mechanism is private: NOT REFUTED names the violation that the run would
    have caught, and VERIFIED what the proof assumes. A section that cannot be made is named among
    the notes.
    """
    head = [f"{headline(report)}  {plain(report.mechanism)}"]
    made: dict[str, Callable[[], list[str]]] = {
        "the first lines": lambda: [f"{head[0]}  {_claim(report)}", *_where(report)],
        "the contradiction": lambda: _contradiction(report),
        "the verdict as a sentence": lambda: [_opening(report)],
        "the table of the settings": lambda: row_lines(report.rows),
        "the next steps": lambda: _listed("Next", _steps(report, script, saved)),
        "the list of findings": lambda: _findings(report),
        "the description of the witness": lambda: _witness(report.witness, script),
        "the description of the evidence": lambda: _evidence(report),
        "the table of what would have been caught": lambda: _table(report),
        "the description of the repair": lambda: _repair(report.repair, diff=diff),
        "the list of assumptions": lambda: _listed("Assumptions", report.assumptions),
    }
    failures: list[str] = []
    sections = [spared(what, make, failures, head[:0]) for what, make in made.items()]
    sections[0] = sections[0] or head
    notes = dict.fromkeys([*(n for e in report.evidence for n in e.notes), *failures])
    sections.append(_listed("Notes", tuple(notes)))
    return local("\n\n".join("\n".join(lines) for lines in sections if lines))


def _table(report: Report) -> list[str]:
    # Beside a proof, what draws would have detected limits nothing.
    proved = report.verdict is Verdict.VERIFIED
    return [] if proved else table_lines(report.detectable, report.claim)


def _steps(report: Report, script: str | None, saved: str | None) -> tuple[str, ...]:
    return tuple(next_steps(report, command=script is not None, saved=saved))


def _contradiction(report: Report) -> list[str]:
    if not report.contradiction:
        return []
    return [f"CONTRADICTION: {plain(report.contradiction)}."]


def headline(report: Report) -> str:
    """Return the verdict in words, a proof that the checker did not accept set apart.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    return str(report.verdict)


def sentence(report: Report) -> str:
    """Return the verdict as sentences that say no more than the evidence does.

    What is suspected and not confirmed comes first.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    return " ".join([*_suspected(report), _decided(report)])


def _decided(report: Report) -> str:
    if report.rows:
        told = next(row for row in report.rows if row.decides)
        return f"{family_sentence(report)} At {plain(told.words)}: {_decided(told.report)}"
    match report.verdict:
        case Verdict.REFUTED:
            return _refuted(report)
        case Verdict.NOT_REFUTED:
            return _not_refuted(report)
        case Verdict.VERIFIED:
            what = _claim(report)
            if report.claim is None:
                what = "Every step of the derivation"
            checked = "The checker accepted the certificate."
            proved = f"{what} is proved under the assumptions below. {checked}"
            return f"{proved}{_cross_check(report)}"
    reason = plain(report.reason).rstrip(".") or "no engine reached an answer"
    return f"Inconclusive: {reason}."


def _opening(report: Report) -> str:
    """Return the verdict as sentences, without reasons that the evidence gives by engine."""
    failed = [plain(e.reason).rstrip(".") for e in report.evidence if not e.completed and e.reason]
    if report.verdict is not Verdict.INCONCLUSIVE or report.rows or not report.reason:
        return sentence(report)
    reasons = "the audit decided nothing. The reasons are under Evidence"
    return " ".join([*_suspected(report), f"Inconclusive: {failed[-1] if failed else reasons}."])


def _suspected(report: Report) -> list[str]:
    """Say first that the audit suspects what it did not confirm, and where."""
    suspected = [f for f in report.findings if UNCONFIRMED in f.message and f.id in VIOLATIONS]
    places = dict.fromkeys(
        f"{VIOLATIONS[f.id]}" + ("" if f.line is None else f" at {plain(shown(f.file))}:{f.line}")
        for f in suspected
    )
    return [f"Suspected but not confirmed: {', '.join(places)} (see Findings)."] if places else []


def _cross_check(report: Report) -> str:
    """Say that the code was run beside a proof, where it was run enough to say anything."""
    if not any(e.verdict is Verdict.NOT_REFUTED for e in report.evidence):
        return ""
    return f" The code also ran, and {report.calls:,} calls did not refute the claim."


def _refuted(report: Report) -> str:
    if report.step is not None:
        return f"Step {report.step} of the derivation is false: {plain(report.reason)}."
    first, *others = _bounds(report) or ["the outputs contradict it"]
    bounds = [f"{_claim(report)} is false: {first}.", *(f"{each}." for each in others)]
    return " ".join([*bounds, *_kind(report), *_seen(report.witness)])


def _kind(report: Report) -> list[str]:
    """Say which kind of violation it is, or that its cause is not known."""
    errors = [f.id for f in report.findings if f.level == "error"]
    if not errors or errors[0] not in VIOLATIONS:
        return []
    if errors[0] == UNLOCATED:
        return [f"The cause is not located ({VIOLATIONS[UNLOCATED]})."]
    return [f"The cause is {VIOLATIONS[errors[0]]}."]


def _bounds(report: Report) -> list[str]:
    """Say the lower bound of the claim's own parameter first, then that of epsilon."""
    confidence = f"{_confidence(report.confidence)}{at_delta(report.claim)}"
    epsilon = epsilon_of(report.claim)
    said = []
    own = _own_bound(report)
    if own is not None:
        name, bound = own
        said.append(f"{name} is at least {lower(bound)}{confidence}")
    if math.isinf(report.epsilon):
        said.append(f"{'No' if own else 'no'} finite {epsilon} holds{confidence}")
    elif report.epsilon > 0 and own is None:
        # The bound itself is refuted: at the claim it says that the true epsilon is larger.
        claimed = claimed_epsilon(report)
        said.append(f"{epsilon} is {_beyond(report.epsilon, claimed)}{confidence}")
    return said


def _beyond(epsilon: float, refuted: float | None) -> str:
    """Write a lower bound on epsilon: more than a refuted claim, where it is written as that is."""
    more = "more than" if refuted and lower(epsilon) == lower(refuted) else "at least"
    return f"{more} {lower(epsilon)}"


def _seen(witness: Witness | StepWitness | None) -> list[str]:
    """Say how often the event was seen, or that it is impossible, where one side shows none."""
    if not isinstance(witness, Witness):
        return []
    if witness.counts is None:
        if math.isinf(witness.epsilon) and witness.confidence == 1:
            return ["An event is possible on one dataset and impossible on its neighbor."]
        return []
    counts = witness.counts
    if counts.right or not counts.left:
        return []
    return [
        f"An event was seen in {counts.left:,} of {counts.left_calls:,} runs on one dataset and "
        f"in none of {counts.right_calls:,} on its neighbor."
    ]


def _not_refuted(report: Report) -> str:
    pairs = _pairs(report.pairs_tried)
    nights = _nights(report.nights)
    first = caught_on_common_events(report)
    spent = f"{first} " if first else ""
    spent += (
        f"No violation was found at α = {report.alpha:g} with {report.calls:,} calls on "
        f"{pairs}{nights}."
    )
    if not math.isfinite(report.detectable_epsilon):
        return f"{spent} This run was too short to detect a violation of any size."
    both = report.pairs_tried, report.pairs_sampled
    if says_all(report):
        return f"{spent}{caught_where(*both)}"
    return (
        f"{spent} This run would have detected {an_epsilon(report.claim)} of "
        f"{upper(report.detectable_epsilon)} or more{at_delta(report.claim)} with probability 0.9, "
        f"on a searched event of probability {report.detectable_probability:g} or "
        f"more.{caught_where(*both)}"
    )


def finding_lines(finding: Finding) -> list[str]:
    """Return a finding as lines of text.

    Parameters
    ----------
    finding : Finding

    Returns
    -------
    list of str
    """
    kind = VIOLATIONS[finding.id].name if finding.id in VIOLATIONS else ""
    also = f" (also {', '.join(map(plain, finding.also))})" if finding.also else ""
    lines = [f"  {finding.level} {plain(finding.id)} {kind}{also}: {plain(finding.message)}"]
    if finding.file is not None:
        line = "" if finding.line is None else f":{finding.line}"
        lines.append(f"    at {plain(shown(finding.file))}{line}")
    lines += [
        f"    {plain(what)} at {plain(shown(file))}:{line}"
        for file, line, what in finding.elsewhere
    ]
    lines.append(f"    found by the {plain(finding.engine)} engine")
    return lines


def _findings(report: Report) -> list[str]:
    if not report.findings:
        return []
    return ["Findings", *(line for f in report.findings for line in finding_lines(f))]


def _witness(witness: Witness | StepWitness | None, script: str | None) -> list[str]:
    if witness is None:
        return []
    if isinstance(witness, StepWitness):
        from dpaudit.report.step import step_lines

        return step_lines(witness)
    from dpaudit.neighbors import dataset_to_text

    lines = [
        "Witness",
        f"  left   {plain(dataset_to_text(witness.left), _LONGEST)}",
        f"  right  {plain(dataset_to_text(witness.right), _LONGEST)}",
        f"  differ {plain(witness.how)}",
        f"  event  {plain(witness.event, _LONGEST)}",
    ]
    if witness.counts is not None:
        lines.append(f"  seen   {witness.counts} calls (left against right)")
    if witness.epsilon > 0:
        suffix = _confidence(witness.confidence)
        epsilon = epsilon_of(witness.claim)
        bound = f"{epsilon} of {_beyond(witness.epsilon, claimed_epsilon(witness))}"
        bound = f"no finite {epsilon} holds" if math.isinf(witness.epsilon) else bound
        lines.append(f"  shows  {bound}{at_delta(witness.claim)}{suffix}")
        if witness.confidence < 1:
            alone = "" if witness.counts is None else ", not from these counts alone"
            lines[-1] += f" (from all calls of the audit{alone})"
    what = "counts the event" if witness.counts is None else "makes these counts again"
    where = "report.witness.script() returns" if script is None else f"{script} writes"
    lines.append(f"  replay {where} a Python file that {what}; it runs without dpaudit")
    lines += [f"         {more}" for more in [needs(witness)] if more]
    return lines


def _evidence(report: Report) -> list[str]:
    lines = ["Evidence"]
    refutes = f"{1 / report.alpha:,.10g} or more refutes the claim"
    if report.rows:
        lines = ["Evidence at " + next(plain(row.words) for row in report.rows if row.decides)]
        refutes = (
            f"an average of {1 / report.alpha:,.10g} or more over the settings refutes the claim"
        )
    for evidence in report.evidence:
        undecided = evidence.verdict is None or (
            # Beside a proof it is no answer that sampling alone decided nothing.
            evidence.verdict is Verdict.INCONCLUSIVE and report.verdict is Verdict.VERIFIED
        )
        answer = "no verdict" if undecided else str(evidence.verdict)
        if (evidence.verdict, report.verdict) == (Verdict.NOT_REFUTED, Verdict.VERIFIED):
            answer = "found nothing against the proof"
        # Of a family, `sentence` has given the reasons.
        said = report.verdict is Verdict.INCONCLUSIVE and report.rows
        reason = f": {plain(evidence.reason)}" if evidence.reason and not said else ""
        lines.append(f"  {plain(evidence.engine)}  {answer}{reason}")
        if evidence.calls:
            lines.append(
                f"    {evidence.calls:,} calls on {_pairs(evidence.pairs_tried)} in "
                f"{duration(evidence.seconds)}"
            )
            if evidence.log_e_value:  # 0 where nothing was bet
                lines[-1] += f"; e-value {e_value(evidence.log_e_value)} ({refutes})"
        if evidence.nights is not None:
            calls = f"{evidence.nights.calls:,} calls"
            lines.append(f"    calls and evidence{_nights(evidence.nights)}; {calls} in this one")
    if report.claim is None and not report.calls:
        return lines  # a derivation: nothing was drawn, and no epsilon is claimed
    claimed = claimed_epsilon(report) if report.verdict is Verdict.REFUTED else None
    same = claimed is not None and lower(report.epsilon) == lower(claimed)
    epsilon = epsilon_of(report.claim)
    bound = (
        f"no finite {epsilon} holds"
        if math.isinf(report.epsilon)
        else f"{epsilon} {'more than ' * same}{lower(report.epsilon)}"
    )
    lines.append(f"  lower bound: {bound}{at_delta(report.claim)}{_own(report)}")
    lines.append(
        f"  error probability: {upper(report.alpha_spent)} spent of {report.alpha:g}; "
        f"seed {report.seed}"
    )
    if not report.completed:
        lines.append("  the audit could not be completed")
    return lines


def _repair(repair: Repair | None, *, diff: bool) -> list[str]:
    if repair is None:
        return []
    costs = (
        "" if repair.noise is None else f"; the noise there is {repair.noise:.4g} times as large"
    )
    costs = "; no noise is added" if repair.noise == 1 else costs
    return [
        "Repair",
        f"  {plain(repair.what)}{costs}",
        f"  With this change the claim is proved {plain(repair.scope)}. dpaudit does not apply it.",
        *(f"  {plain(line)}" for line in repair.diff.splitlines() if diff),
    ]


def _own(report: Report) -> str:
    """Return the bound on the claim's own parameter where that is not epsilon."""
    own = _own_bound(report)
    return "" if own is None else f", {own[0]} {lower(own[1])}"


def _own_bound(report: Report) -> tuple[str, float] | None:
    """Return the claim's parameter and its bound, None where that is epsilon or unknown."""
    parameter = None if report.claim is None else report.claim.parameter
    if parameter is None or not report.parameter_bound:
        return None
    order = getattr(report.claim, "order", None)
    name = parameter[0] if order is None else f"Rényi divergence of order {order:g}"
    return None if name == "epsilon" else (name, report.parameter_bound)


def _where(report: Report) -> list[str]:
    sizes = sizes_of_runs(report.neighbors, report.verdict.name) if report.calls else ""
    more = f"; {sizes}" if sizes else ""
    lines = [f"  neighbors {plain(report.neighbors, _LONGEST)}{more}"] if report.neighbors else []
    if report.file is not None:
        line = "" if report.line is None else f":{report.line}"
        lines.append(f"  defined at {plain(shown(report.file))}{line}")
    return lines


def sizes_of_runs(neighbors: str, verdict: str) -> str:
    """Return the most records of a run where neighbors do not say it and the verdict rests on it.

    Parameters
    ----------
    neighbors : str
        A constructor call, which leaves out what is as by default.
    verdict : str
        Name of a verdict.
    """
    from dpaudit.neighbors import AddRemove

    if not neighbors.startswith("AddRemove(") or "max_size=" in neighbors:
        return ""
    if verdict not in ("NOT_REFUTED", "INCONCLUSIVE"):
        return ""
    most = signature(AddRemove).parameters["max_size"].default
    return f"at most {most} records in runs (max_size)"


def _nights(nights: Nights | None) -> str:
    if nights is None:
        return ""
    return f" of {nights.number:,} {'night' if nights.number == 1 else 'nights'}"


def _pairs(number: int) -> str:
    return f"{number:,} pair{'' if number == 1 else 's'}"


def _claim(report: Report) -> str:
    return "no claim" if report.claim is None else plain(report.claim, _LONGEST)


def _confidence(confidence: float) -> str:
    """Say with which confidence a bound holds: without one where it was computed exactly."""
    return f" with confidence {_percent(confidence)}" if 0 < confidence < 1 else ""


def _percent(confidence: float) -> str:
    """Write a confidence without rounding it up to certainty."""
    return f"1 - {1 - confidence:.2g}" if confidence > 0.999 else f"{lower(100 * confidence)} %"


def _listed(title: str, sentences: tuple[str, ...]) -> list[str]:
    return [title, *(f"  - {plain(s)}" for s in sentences)] if sentences else []
