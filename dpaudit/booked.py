"""A run that is booked: every audit is stored as it ends, and one that was stopped goes on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpaudit.changed import may_be_changed
from dpaudit.collect import CollectedAudit
from dpaudit.formal.derivation import Derivation
from dpaudit.outcome import INTERRUPTED, Outcome, Status
from dpaudit.running import Watch, run_all
from dpaudit.sources import SourceReader
from dpaudit.spared import spared
from dpaudit.store import INSTALLED, Store, StoreError, code_hash

_IN_WORDS = {"baseline": "another baseline", "accumulate": "--accumulate on one side alone"}
# Those that a run which goes on repeats.
_UNDONE = (Status.INCOMPLETE.name, Status.INTERRUPTED.name)
_SETTLED = (Status.OK.name, Status.ACCEPTED.name)


@dataclass(frozen=True, slots=True)
class Booked:
    """A run and its place in the store.

    Attributes
    ----------
    store : Store
    number : int
    recalled : mapping
        What an earlier process finished, by name.
    code : str
        Of `dpaudit.store.code_hash`.
    """

    store: Store
    number: int
    recalled: Mapping[str, Mapping[str, Any]]
    code: str

    @staticmethod
    def begin(
        store: Store,
        command: Mapping[str, Any],
        code: Mapping[str, str],
        audits: Sequence[CollectedAudit],
        root: Path,
        *,
        resume: bool,
    ) -> Booked:
        """Book a run, or take up the last one.

        Parameters
        ----------
        store : Store
        command : mapping
            What was asked.
        code : mapping
            Of `dpaudit.store.code_of`.
        audits : sequence of CollectedAudit
        root : Path
            The project's folder.
        resume : bool

        Raises
        ------
        StoreError
            Where there is nothing to take up, or what was asked or a file that an audit depends on
            has changed: a verdict holds for the code that was run.
        """
        if not resume:
            return Booked(store, store.begin(command, code), {}, code_hash(code))
        last = store.unfinished()
        if last is None:
            raise StoreError("the last run has ended, or there was none; run without --resume")
        number, asked, ran = last
        told = json.loads(json.dumps(command))
        if asked != told:
            raise StoreError(
                f"the run that was stopped was asked otherwise: {differences(asked, told)}; "
                "repeat its command, or run without --resume"
            )
        _validate_unchanged(ran, code, audits, root)
        kept = store.kept(number)
        done = {n: a for n, a in kept.items() if a.get("status") not in _UNDONE}
        return Booked(store, number, done, code_hash(code))

    def run(
        self,
        audits: Sequence[CollectedAudit],
        *,
        jobs: int,
        options: Mapping[str, Any],
        defaults: Mapping[str, Any],
        watch: Watch,
        own: Callable[[CollectedAudit], Mapping[str, Any]] | None = None,
        judge: Callable[[Outcome], Outcome] = lambda outcome: outcome,
        until: float | None = None,
    ) -> list[Outcome]:
        """Run the audits that are not recalled, and store each; see `dpaudit.running.run_all`.

        What `judge` makes of an outcome is stored and returned; where it fails, the outcome says
        so.
        """

        def judged(outcome: Outcome) -> Outcome:
            failures: list[str] = []
            made = spared("its entry in the baseline", lambda: judge(outcome), failures, outcome)
            return replace(made, not_made=(*made.not_made, *failures))

        def keep(outcome: Outcome) -> None:
            if outcome.status is not Status.INTERRUPTED:
                self.store.keep(self.number, judged(outcome).to_keep())

        todo = [audit for audit in audits if audit.name not in self.recalled]
        made = iter(
            run_all(
                todo,
                jobs=jobs,
                options=options,
                watch=watch,
                defaults=defaults,
                keep=keep,
                own=own,
                until=until,
                first=self._first(todo),
            )
        )
        return [
            Outcome(audit, recalled=self.recalled[audit.name])
            if audit.name in self.recalled
            else judged(next(made))
            for audit in audits
        ]

    def _first(self, audits: Sequence[CollectedAudit]) -> frozenset[str]:
        """Return the names of audits that changed, or that were not as expected the last time.

        The store then has no result of the same mechanism that is as expected. Nothing is known to
        have changed where nothing was stored, or where that cannot be read.
        """
        last: Mapping[str, Mapping[str, Any]] = {}
        with suppress(StoreError, sqlite3.Error):
            last = self.store.latest(self.number)
        first = (each.name for each in audits if not _is_settled(each, last.get(each.name, {})))
        return frozenset(first if last else ())

    def finish(self, result: Mapping[str, Any]) -> None:
        """Store that the run has ended, unless it was interrupted.

        Parameters
        ----------
        result : mapping
            Of `dpaudit.outcome.run_to_dict`.
        """
        if result["exit_code"] != INTERRUPTED:
            self.store.finish(self.number, result)


def _validate_unchanged(
    ran: Mapping[str, Any], code: Mapping[str, str], audits: Sequence[CollectedAudit], root: Path
) -> None:
    """Refuse to go on where an audit may depend on what has changed, and name that."""
    changed = sorted(name for name in {**ran, **code} if ran.get(name) != code.get(name))
    reader = SourceReader() if changed else None
    for name in changed:
        file = root.resolve() / name
        used = name == INSTALLED or any(
            may_be_changed(reader.sources_of(each), [file]) for each in audits if reader is not None
        )
        if used:
            how = "is new" if name not in ran else "is gone" if name not in code else "has changed"
            how = "have changed" if name == INSTALLED else how
            raise StoreError(
                f"{name} {how} since that run began, and its audits may depend on it; "
                "run without --resume"
            )


def differences(asked: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """Say in which ways two commands differ.

    Parameters
    ----------
    asked : mapping
        Of the run that was stopped.
    told : mapping
        Of the one that is to go on with it.

    Returns
    -------
    str

    Examples
    --------
    >>> differences({"paths": [], "options": {"seed": 7}}, {"paths": [], "options": {}})
    'seed 7, now not given'
    """
    found = []
    for key in sorted({**asked, **told}):
        before, now = asked.get(key), told.get(key)
        if before == now:
            continue
        if key in _IN_WORDS:
            found.append(_IN_WORDS[key])
        elif isinstance(before, dict) and isinstance(now, dict):
            where = " in the settings" if key == "settings" else ""
            names = sorted(n for n in {**before, **now} if before.get(n) != now.get(n))
            found += [f"{n} {_said(before.get(n))}, now {_said(now.get(n))}{where}" for n in names]
        else:
            found.append(f"{key} {_said(before)}, now {_said(now)}")
    return "; ".join(found)


def _said(value: object) -> str:
    if value is None or value == []:
        return "not given"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_settled(collected: CollectedAudit, kept: Mapping[str, Any]) -> bool:
    """Whether what is kept is a result of an audit as it is declared now, and as expected."""
    from dpaudit.recalled import is_usable
    from dpaudit.subject import Subject

    mechanism = collected.audit.mechanism
    if kept.get("status") not in _SETTLED or not is_usable(collected, kept):
        return False
    if isinstance(mechanism, Derivation):
        return True
    with suppress(Exception, SystemExit):  # its audit says what is wrong
        return bool(kept["report"]["source_hash"] == Subject.of(mechanism).source_hash)
    return False


def import_named(audits: Sequence[CollectedAudit]) -> None:
    """Import the mechanisms that audits only name, so that their code counts as the run's."""
    from dpaudit.subject import imported

    for collected in audits:
        if isinstance(collected.audit.mechanism, str):
            with suppress(Exception, SystemExit):  # its audit says what is wrong
                imported(collected.audit.mechanism)
