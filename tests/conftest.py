"""What all tests share."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import dpaudit
from dpaudit import auditor
from tests.sweeps import TURNS, in_turn, turn
from tools.durations import recorded

# A machine under load is slow, and the same examples are tried each time.
settings.register_profile("dpaudit", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("dpaudit")

# Hypothesis tries constants of the modules that are imported. What one test tries would depend on
# the others that were collected, and each worker would parse all modules.
providers._get_local_constants = lambda: providers._local_constants

# What an audit finds depends on its calls. By default a minute of time ends it too, which on a busy
# machine is before the calls that a test counts on.
dpaudit.audit.__kwdefaults__["max_seconds"] = None

# Where a process holds millions of objects, looking for garbage takes a tenth of its time.
gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Look for no doctests in tests: there are none, and the search takes seconds."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


def pytest_report_header() -> str | None:
    """Say which cases `make test` tries, and how to try them again."""
    taken = turn()
    return None if taken is None else f"cases of turn {taken} of {TURNS}: DPAUDIT_SWEEPS={taken}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases of other turns."""
    taken = turn()
    if taken is None:
        return
    kept = in_turn(items, taken, recorded())
    left = set(items) - set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = kept


@pytest.fixture(autouse=True)
def _os_exit_as_it_was() -> Iterator[None]:
    """Undo what a command does to ``os._exit`` of its process, where tests run it in theirs."""
    yield
    leaving = sys.modules.get("dpaudit.worker.leaving")
    while leaving is not None and leaving._held:
        leaving._held.pop()()


# What is proved is asked of the prover alone: running what it leaves open takes ten times as long.
# To run what it has proved on a few pairs takes longer than the proof: tests of the first three
# rooms leave it out.
_PROVER = ("formal", "checker", "floats", "golden", "property", "wild")


@pytest.fixture(autouse=True)
def _prover_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not set(_PROVER).isdisjoint(request.path.parts):
        from tests.proving import prover_alone

        monkeypatch.setattr(auditor, "_verifying", prover_alone)
    if not set(_PROVER[:3]).isdisjoint(request.path.parts):
        from dpaudit.formal import attempts

        monkeypatch.setattr(attempts, "FEW", 0)
