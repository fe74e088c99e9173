"""`max_seconds` is kept: no call begins after it, whichever engine and runner makes it."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace

import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.subject import Subject
from dpaudit.worker import ExecutorRunner, InPlace, ProcessRunner, Task, WorkerError, deadline
from tests.sweeps import sampled

SMALL = AddRemove(Real(0, 1), max_size=3)


class Clock:
    """Stands still, but for what calls take."""

    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(deadline, "now", clock)
    return clock


@pytest.mark.parametrize("mode", ["label", "coupled", "independent"])
@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("cost", [0.4, 3.0, 100.0])
def test_no_call_of_a_task_begins_late(clock, mode, vectorized, cost):
    starts = []

    def slow(data, rng):
        starts.append(clock.time)
        clock.time += cost
        return rng.laplace()

    @dpaudit.vectorized
    def slow_rows(data, size, rng):
        starts.append(clock.time)
        clock.time += cost
        return rng.laplace(size=size)

    subject = Subject.of(slow_rows if vectorized else slow)
    for runner in (InPlace(subject), InPlace(subject)):
        runner.known.until = clock.time + 10.0
        until = runner.known.until
        tasks = [Task([1.0], [], mode, 64, (1, number)) for number in range(100)]
        with pytest.raises(WorkerError, match="allow more time") as late:
            runner.run(tasks)
        assert late.value.kind == "late"
        assert max(starts) < until


def sleeps(data, rng):
    time.sleep(0.5)
    return len(data) + rng.laplace()


def sleeps_on_pairs(data, rng):
    time.sleep(0.5 if len(data) == 2 else 0.0)
    return len(data) + rng.laplace()


@pytest.mark.parametrize(
    ("engine", "isolation", "mechanism"),
    sampled(
        itertools.product(
            ["trace", "statistical", "formal"], ["process", "none"], [sleeps, sleeps_on_pairs]
        ),
        2,
    ),
)
def test_an_audit_ends_in_its_time(engine, isolation, mechanism):
    dpaudit.audit(dpaudit_warm, PureDP(1.0), SMALL, engines=[engine], max_calls=100)
    began = time.monotonic()
    report = dpaudit.audit(
        mechanism, PureDP(1.0), SMALL, engines=[engine], max_seconds=2.0, isolation=isolation
    )
    # Without the limit the calls would sleep for ten minutes and more.
    assert time.monotonic() - began < 400.0
    if report.verdict is dpaudit.Verdict.INCONCLUSIVE and engine != "formal":
        assert "max_calls" not in report.evidence[0].reason


def dpaudit_warm(data, rng):
    return len(data) + rng.laplace()


def test_what_an_executor_runs_ends_in_its_time(clock):
    def slow(data, rng):
        clock.time += 2.0
        return rng.laplace()

    with ThreadPoolExecutor(1) as executor:
        runner = ExecutorRunner(Subject.of(slow), executor)
        runner.known.until = -1.0
        with pytest.raises(WorkerError, match="allow more time"):
            runner.run([Task([1.0], [], "label", 64, (1, 1))])


def hangs(data, rng):
    threading.Event().wait()


@pytest.mark.parametrize("what", ["run", "fresh"])
def test_a_call_that_does_not_end_is_stopped_soon_after_the_time(monkeypatch, what):
    monkeypatch.setattr(deadline, "GRACE", 0.5)
    runner = ProcessRunner(Subject.of(hangs), timeout=600.0)
    runner.known.until = time.monotonic() + 3.0  # a process that starts
    asked = {
        "run": lambda: runner.run([Task([1.0], [], "label", 4, (1,))]),
        "fresh": lambda: runner.fresh([[]], [1.0], [(1,)]),
    }
    with closing(runner), pytest.raises(WorkerError) as stopped:
        asked[what]()
    assert stopped.value.kind == "late"
    assert "Look for an endless loop" in str(stopped.value)


@pytest.mark.parametrize("timeout", [8.0, 300.0, None])
def test_what_runs_after_a_proof_has_what_the_timeout_of_verify_leaves(monkeypatch, timeout):
    """No engine may use more than is left, so that all of them end in time together."""
    from dpaudit.evidence import Evidence
    from dpaudit.formal.engine import FormalEngine
    from dpaudit.statistical import StatisticalEngine
    from dpaudit.trace.engine import TraceEngine

    clock, given = Clock(), []

    def examine(self, subject, claim, neighbors, budget, suspects=(), **options):
        seconds = budget.max_seconds
        if isinstance(self, TraceEngine):  # which cuts it to the time of its own
            seconds = min(self.seconds, seconds or self.seconds)
        given.append(seconds)
        clock.time += 0.0 if seconds is None else seconds
        return Evidence(self.name, None, "nothing was found")

    for engine in (FormalEngine, TraceEngine, StatisticalEngine):
        monkeypatch.setattr(engine, "examine", examine)
    monkeypatch.setattr("dpaudit.auditor.time.monotonic", clock)
    dpaudit.verify(lambda data, rng: rng.laplace(), PureDP(1.0), SMALL, timeout=timeout)
    expected = {8.0: [4.0, 2.0, 2.0], 300.0: [150.0, 60.0, 20.0], None: [None, 60.0, 20.0]}
    assert given == expected[timeout]


@pytest.mark.parametrize("latest", [None, 12.0])
def test_calls_that_confirm_a_refutation_have_time_of_their_own(monkeypatch, latest):
    monkeypatch.setattr("dpaudit.worker.tasks.time.monotonic", lambda: 20.0)
    monkeypatch.setattr("dpaudit.worker.tasks.CONFIRMING", 30.0)
    known = InPlace(Subject.of(dpaudit_warm)).known
    known.until, known.latest = 10.0, latest
    with known.confirming():
        assert known.until == (50.0 if latest is None else latest)
    assert known.until == 10.0
    known.until = None
    with known.confirming():
        assert known.until is None


def test_a_counterexample_that_is_found_as_time_ends_is_confirmed():
    """Its runs are few, and without them the refutation would be lost."""
    from dpaudit.evidence import Budget
    from dpaudit.formal.engine import FormalEngine

    def half_the_noise(data, rng):
        return len(data) + rng.laplace(scale=0.5)

    subject = Subject.of(half_the_noise)
    runner = InPlace(subject)
    runner.known.until = time.monotonic()  # so that no call is in time
    found = FormalEngine().examine(
        subject, dpaudit.PureDP(1.0), SMALL, Budget(1e-6, 10_000, None, 0), runner=runner
    )
    assert found.verdict is dpaudit.Verdict.REFUTED


@pytest.mark.parametrize("settled", [True, False])
def test_only_evidence_that_suffices_is_confirmed_after_the_time(monkeypatch, settled):
    """Before noise without a seed refutes, processes of its own look for memory behind it."""
    from dpaudit.statistical import state

    runner = InPlace(Subject.of(dpaudit_warm))
    runner.known.until = -1.0

    def asked(race, entry, occasion):
        deadline.in_time(race.runner.known.until)

    monkeypatch.setattr(state, "confirm_state", asked)
    race = SimpleNamespace(
        runner=runner,
        settled=settled,
        unseeded=True,
        allowance=10**6,
        budget=SimpleNamespace(max_calls=10**6),
        entries=[None],
    )
    if settled:
        assert state.remembers_behind_noise(race) is None
    else:
        with pytest.raises(WorkerError, match="allow more time"):
            state.remembers_behind_noise(race)
