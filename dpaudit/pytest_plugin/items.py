"""Audit files and their audits, as pytest collects them."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dpaudit.collect import CollectedAudit, CollectionError, collect_file, missing_packages
from dpaudit.outcome import Status
from dpaudit.pytest_plugin.options import accepted, given, settled, written
from dpaudit.pytest_plugin.rows import add_row, cause, headline, text
from dpaudit.report.escape import plain
from dpaudit.running import attempt
from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.outcome import Outcome
    from dpaudit.verdict import Report

__tracebackhide__ = True


class AuditError(AssertionError):
    """An audit is not as expected, or could not be completed."""

    def __init__(self, outcome: Outcome, replay: str) -> None:
        super().__init__(text(outcome, replay))
        self.outcome = outcome


class AuditFile(pytest.File):
    """A Python module that declares audits."""

    def collect(self) -> Iterator[AuditItem]:
        """Yield its audits; a file that cannot be used is an error, as for ``dpaudit run``."""
        missing = missing_packages(self.path)
        if missing:
            pytest.skip(f"{' and '.join(missing)} not installed", allow_module_level=True)
        patterns = self.config.getini("python_files")
        holds_tests = any(fnmatchcase(self.path.name, pattern) for pattern in patterns)
        try:
            found = collect_file(self.path, may_be_empty=holds_tests)
        except CollectionError as error:
            raise self.CollectError(plain(f"{self.nodeid} {error}")) from None
        names: set[str] = set()
        for collected in found:
            name = first = plain(collected.name.partition("::")[2])
            while name in names:
                name = f"{first} ({len(names) + 1})"
            names.add(name)
            yield AuditItem.from_parent(self, name=name, collected=collected)


class AuditItem(pytest.Item):
    """An audit, which passes when its verdict is the expected one."""

    def __init__(self, *, collected: CollectedAudit, **rest: Any) -> None:
        super().__init__(**rest)
        audit = collected.audit
        self._where = collected.name  # as `dpaudit run` takes it
        self.collected = replace(collected, name=self.nodeid)
        self.add_marker("dpaudit")
        nouns = [audit.expect, audit.mechanism_name]
        nouns += [] if audit.claim_text is None else [audit.claim_text]
        self.extra_keyword_matches.update(nouns)

    def runtest(self) -> None:
        """Run the audit."""
        options = {"isolation": "process", **given(self.config)}
        outcome = attempt(self.collected, lambda: self._run(options))
        outcome = replace(outcome, accepted=accepted(self.config, outcome, self._where))
        failures: list[str] = []
        spared("its row of the table", lambda: add_row(self, outcome), failures, None)
        outcome = replace(outcome, not_made=(*outcome.not_made, *failures))
        if outcome.accepted is not None:
            pytest.xfail(plain(outcome.accepted))
        if outcome.status is not Status.OK or outcome.not_made:
            command = f"dpaudit run {shlex.quote(plain(self._where))}{written(self.config, '--')}"
            raise AuditError(outcome, command)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the text alone, and as its place the line of the cause."""
        if not isinstance(excinfo.value, AuditError):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value")
        if self.config.getoption("tbstyle", "auto") == "line":
            shown.reprtraceback.reprentries = []
        place = shown.reprcrash
        if place is not None:
            outcome = excinfo.value.outcome
            file, line = cause(outcome)
            place.path = str(self.path if file is None else file)
            place.lineno = line or outcome.collected.line or 1
            place.message = headline(outcome)
        return shown

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the audit is declared."""
        line = self.collected.line
        return self.path, None if line is None else line - 1, f"audit {self.name}"

    def _run(self, options: dict[str, Any]) -> Report:
        audit = self.collected.audit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a suite's "-W error" changes no verdict
            return audit.run(**{**audit.undeclared(settled(self.config)), **options})
