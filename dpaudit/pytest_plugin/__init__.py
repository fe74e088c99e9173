"""The pytest plugin: audits as tests, and a fixture for audits inside of tests.

Until a suite has an audit, nothing but the standard library and pytest is imported.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dpaudit.pytest_plugin.fixture import Auditor
from dpaudit.pytest_plugin.options import MARKER, add_options
from dpaudit.pytest_plugin.places import Places
from dpaudit.pytest_plugin.rows import ROWS

if TYPE_CHECKING:
    from dpaudit.pytest_plugin.items import AuditFile

__tracebackhide__ = True
_PLACES = pytest.StashKey[Places]()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options and the setting."""
    add_options(parser)
    # pytest rewrites every assert of what ships a plugin, which makes importing the engines slow.
    hook = getattr(pluginmanager, "rewrite_hook", None)
    marked = getattr(hook, "_must_rewrite", None)
    if isinstance(marked, set):
        marked.discard("dpaudit")


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker, and listen for rows of the table where they are to be printed."""
    config.addinivalue_line("markers", MARKER)
    config.stash[_PLACES] = Places.of(config)
    if not hasattr(config, "workerinput"):
        from dpaudit.pytest_plugin.summary import Summary

        config.pluginmanager.register(Summary(), "dpaudit-summary")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say where there are audits that this run leaves out."""
    return config.stash[_PLACES].left_out(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> AuditFile | None:
    """Collect the audits of audit files."""
    places = parent.config.stash[_PLACES]
    if not places.hold(file_path, named=parent.session.isinitpath(file_path)):
        return None
    from dpaudit.pytest_plugin.items import AuditFile

    file: AuditFile = AuditFile.from_parent(parent, path=file_path)
    return file


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests that use the fixture, unless it is somebody else's of the same name."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    if any(getattr(each.func, "__module__", "") == __name__ for each in known.get("dp", ())[-1:]):
        item.add_marker("dpaudit")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send the rows of an item with its report, which crosses from process to process."""
    report = yield
    if item.stash.get(ROWS, None):
        report.dpaudit_rows = item.stash[ROWS]  # type: ignore[attr-defined]
        del item.stash[ROWS]
    return report


@pytest.fixture
def dp(request: pytest.FixtureRequest) -> Auditor:
    """Audits mechanisms: `audit`, `assert_not_refuted`, `assert_verified`, `frozen_noise`."""
    return Auditor(request.node)
