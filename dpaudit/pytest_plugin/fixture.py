"""Audits inside of ordinary tests."""

from __future__ import annotations

import inspect
import os
import shlex
import warnings
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.pytest_plugin.options import given, marked, settled, written

if TYPE_CHECKING:
    import pytest

    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.outcome import Outcome
    from dpaudit.verdict import Report

__tracebackhide__ = True


class Auditor:
    """What the fixture ``dp`` gives: audits with the options of the session.

    Notes
    -----
    Options of the command line take the place of those of a call, these of those of the marker
    ``dpaudit``, these of those in ``[tool.dpaudit]``, and these of the defaults of
    `dpaudit.audit`, but that mechanisms run in worker processes unless ``isolation="none"`` is
    said. Equal seeds give equal reports, whichever tests ran before.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def audit(
        self,
        mechanism: Any,
        claim: Claim | None = None,
        neighbors: Neighbors | None = None,
        **options: Any,
    ) -> Report:
        """Audit a mechanism; what the report says is left to the test.

        Parameters
        ----------
        mechanism : callable, str or Derivation
        claim : Claim, optional
            The privacy it promises (nats); a derivation has none.
        neighbors : Neighbors, optional
            Which datasets count as neighboring; a derivation names its own.
        **options
            Of `dpaudit.audit`.

        Returns
        -------
        Report
            Shown beside the failure of a test that fails.

        Raises
        ------
        TypeError, ValueError
            If an argument is unusable; the message names the remedy.
        """
        outcome = self._outcome("INCONCLUSIVE", mechanism, claim, neighbors, options)
        return self._noted(outcome)

    def assert_not_refuted(
        self,
        mechanism: Any,
        claim: Claim | None = None,
        neighbors: Neighbors | None = None,
        **options: Any,
    ) -> Report:
        """Audit a mechanism, and fail the test unless it is NOT REFUTED or VERIFIED.

        Parameters
        ----------
        mechanism, claim, neighbors, **options
            As for `audit`.

        Returns
        -------
        Report

        Raises
        ------
        AssertionError
            Where the claim is refuted, where no engine reached an answer, and where the audit
            could not be completed.
        """
        return self._met(self._outcome("NOT_REFUTED", mechanism, claim, neighbors, options))

    def assert_verified(
        self,
        mechanism: Any,
        claim: Claim | None = None,
        neighbors: Neighbors | None = None,
        **options: Any,
    ) -> Report:
        """Audit a mechanism, and fail the test unless its claim is proved.

        Parameters
        ----------
        mechanism, claim, neighbors, **options
            As for `audit`.

        Returns
        -------
        Report

        Raises
        ------
        AssertionError
            Where the verdict is any other, and where the audit could not be completed.
        """
        return self._met(self._outcome("VERIFIED", mechanism, claim, neighbors, options))

    def frozen_noise(
        self, *, seed: int | None = None, zero: bool = False
    ) -> AbstractContextManager[None]:
        """Make all noise inside repeat, or vanish; see `dpaudit.frozen_noise`.

        Parameters
        ----------
        seed : int, optional
            That of the test (``--dpaudit-seed``, the marker, else 0) unless given.
        zero : bool

        Returns
        -------
        context manager
        """
        from dpaudit.trace.frozen import frozen_noise

        if seed is None and not zero:
            seed = int(self._options({}).get("seed", 0))
        return frozen_noise(seed=seed, zero=zero)

    def _options(self, called: dict[str, Any]) -> dict[str, Any]:
        from dpaudit.auditor import audit

        options = marked(self._item)
        known = list(inspect.signature(audit).parameters)[3:]
        for name in [*options, *called]:
            if name not in known:
                raise TypeError(
                    f"an audit has no option {name!r}; there are {', '.join(sorted(known))}"
                )
        config = self._item.config
        isolated = {"isolation": "process"}
        return {**isolated, **settled(config), **options, **called, **given(config)}

    def _outcome(
        self,
        expect: str,
        mechanism: Any,
        claim: Claim | None,
        neighbors: Neighbors | None,
        called: dict[str, Any],
    ) -> Outcome:
        from dpaudit.collect import CollectedAudit
        from dpaudit.declare import Audit
        from dpaudit.outcome import Outcome

        options = self._options(called)
        try:
            declared = Audit(mechanism, claim, neighbors, expect=expect)
        except (TypeError, ValueError) as error:
            raise error.with_traceback(None) from None  # the message says all, and at the call
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a suite's "-W error" changes no verdict
            report = declared.run(**options)
        return Outcome(CollectedAudit(self._item.nodeid, declared), report)

    def _noted(self, outcome: Outcome) -> Report:
        from dpaudit.pytest_plugin.rows import add_row

        assert outcome.report is not None
        add_row(self._item, outcome, expected=False)
        self._item.add_report_section("call", "dpaudit", outcome.report.summary())
        return outcome.report

    def _met(self, outcome: Outcome) -> Report:
        from dpaudit.outcome import Status
        from dpaudit.pytest_plugin.rows import add_row, text

        assert outcome.report is not None
        add_row(self._item, outcome)
        if outcome.status is not Status.OK:
            raise AssertionError(text(outcome, self._replay()))
        return outcome.report

    def _replay(self) -> str:
        config = self._item.config
        file = os.path.relpath(self._item.path, config.invocation_params.dir)
        where = "::".join([Path(file).as_posix(), *self._item.nodeid.split("::")[1:]])
        return f"pytest {shlex.quote(where)}{written(config, '--dpaudit-')}"
