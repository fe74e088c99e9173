"""A plugin of pytest that records the processor time of tests: ``pytest -p tools.durations``.

The time of processes that a test waits for is counted. At the end tools/durations.json is written:
of each file that was run, the tests that take `ALONE` seconds or more, with all their parameters,
and under the empty name all others together. Files that were not run stay as they were.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("durations.json")
ALONE = 1.0  # seconds from which a test is recorded by its name
_PROPERTY = "processor seconds"
_ended = 0.0  # processor time of this process when the last phase of a test had ended
_seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))


def recorded() -> dict[str, dict[str, float]]:
    """Return the recorded processor seconds.

    Returns
    -------
    dict of str to dict of str to float
        Of each file, by the names of its tests.
    """
    content: dict[str, dict[str, float]] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def merged(
    known: dict[str, dict[str, float]], measured: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """Return records in which the measured files are new.

    Parameters
    ----------
    known, measured : dict of str to dict of str to float
        Seconds of each file, by the names of its tests.

    Returns
    -------
    dict of str to dict of str to float
    """
    new = dict(known)
    for file, tests in measured.items():
        alone = {name: round(s, 1) for name, s in sorted(tests.items()) if s >= ALONE}
        rest = sum(s for s in tests.values() if s < ALONE)
        new[file] = {"": round(rest, 1), **alone}
    return dict(sorted(new.items()))


def pytest_runtest_logstart() -> None:
    """Start to measure a test."""
    global _ended
    _ended = sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell the process that collects reports what a phase of a test took."""
    global _ended
    report = yield
    now = sum(os.times()[:4])
    report.user_properties = [*report.user_properties, (_PROPERTY, now - _ended)]
    _ended = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what the phases of a test took."""
    file, _, name = report.nodeid.partition("[")[0].partition("::")
    phases = (s for label, s in report.user_properties if label == _PROPERTY)
    _seconds[file][name] += sum(s for s in phases if isinstance(s, float))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the record, in the process that has all reports."""
    if not hasattr(session.config, "workerinput"):
        new = merged(recorded() if FILE.exists() else {}, _seconds)
        FILE.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
