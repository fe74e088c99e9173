"""A run beside its baseline: which unexpected refutations are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from dpaudit.baseline.file import Baseline, Entry, Trouble
from dpaudit.outcome import Outcome, Status


def judged(outcome: Outcome, baseline: Baseline, today: date) -> Outcome:
    """Return an outcome, accepted where the baseline says so.

    Parameters
    ----------
    outcome : Outcome
    baseline : Baseline
    today : date

    Returns
    -------
    Outcome

    Notes
    -----
    Only an unexpected refutation can be accepted, and only where each kind of violation in it is:
    another one, an audit that decided nothing and one that was not completed stay as they are.
    """
    if outcome.status is not Status.UNEXPECTED:
        return outcome
    found = baseline.accepted(outcome.collected.name, outcome.refuting_ids, today)
    return outcome if found is None else replace(outcome, accepted=found)


def troubles(
    outcomes: Sequence[Outcome], baseline: Baseline, today: date, *, selected: bool
) -> list[Trouble]:
    """Return the entries on audits that have expired or accept nothing any more.

    Parameters
    ----------
    outcomes : sequence of Outcome
        As `judged` returned them.
    baseline : Baseline
    today : date
    selected : bool
        Whether only some of the audits of their files were run: nothing is known of the others.
        An audit that was interrupted, or not completed, tells nothing either.
    """
    ran = {each.collected.name: each for each in outcomes}
    files = {name.partition("::")[0] for name in ran}
    unheard = (Status.INCOMPLETE, Status.INTERRUPTED)

    def is_about(entry: Entry) -> bool:
        if not entry.is_live(today):
            return True
        if entry.audit in ran:
            return ran[entry.audit].status not in unheard
        return not selected and entry.audit.partition("::")[0] in files

    about = [entry for entry in baseline.entries if entry.audit and is_about(entry)]
    unexpected = (Status.UNEXPECTED, Status.ACCEPTED)
    found = {
        name: each.refuting_ids if each.status in unexpected else () for name, each in ran.items()
    }
    return baseline.troubles(about, found, today)
