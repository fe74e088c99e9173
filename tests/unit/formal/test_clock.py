"""Proofs end by the processor's time, so that other work on the machine does not decide."""

import threading
import time

import pytest
import z3

from dpaudit import AddRemove, PureDP, Real
from dpaudit.evidence import Budget
from dpaudit.formal import attempts, clock
from dpaudit.formal.clock import LONGER, QUICK, Limit, elsewhere, longest, now, processor_time
from dpaudit.formal.engine import SECONDS, FormalEngine
from dpaudit.formal.limit import OutOfTime, within
from dpaudit.formal.solver import asked
from dpaudit.formal.trial.replay import replay_of
from dpaudit.subject import Subject
from dpaudit.worker.replayed import Replayed

pytestmark = pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="this system counts no thread's time"
)


def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_time_in_which_others_work_does_not_count():
    """Sleep stands for a processor that is with others."""
    with processor_time():
        began = now()
        time.sleep(0.3)
        assert now() - began < 0.1
        work(0.1)
        assert now() - began >= 0.1
    began = now()
    time.sleep(0.1)
    assert now() - began >= 0.1


def test_a_limit_spares_what_waits_and_ends_what_works():
    with processor_time():
        assert within(0.2, lambda: time.sleep(0.6) or "slept") == "slept"
        with pytest.raises(OutOfTime):
            within(0.2, lambda: work(60))
    with pytest.raises(OutOfTime):
        within(0.2, lambda: [time.sleep(0.01) for _ in range(6_000)])


def test_what_waits_forever_is_ended_by_the_wall_clock():
    with processor_time(), pytest.raises(OutOfTime):
        within(0.05, lambda: [time.sleep(0.01) for _ in range(6_000)])


def test_another_thread_reads_what_is_left_even_when_the_first_is_gone():
    kept = []

    def first():
        with processor_time():
            kept.append(Limit(1.0))
            work(0.2)

    thread = threading.Thread(target=first)
    thread.start()
    thread.join()
    assert kept[0].left() <= 1.0
    with processor_time():
        limit, told = Limit(5.0), []
        time.sleep(0.1)
        other = threading.Thread(target=lambda: told.append(limit.left()))
        other.start()
        other.join()
    assert 4.5 < told[0] <= 5.0


def test_slow_code_elsewhere_is_charged_and_quick_code_is_not():
    with processor_time():
        began = now()
        with elsewhere():
            time.sleep(QUICK / 4)
        assert now() - began < QUICK / 4
        with elsewhere():
            time.sleep(QUICK + 0.3)
        assert now() - began > 0.25


class Slow:
    """A runner that takes its time, as one whose process has to start."""

    def replay(self, data, tape, seconds):
        time.sleep(QUICK + 0.3)
        return Replayed(output=data)


def test_that_a_process_starts_is_not_charged_and_that_the_mechanism_is_slow_is():
    replay = replay_of(Subject.of(count), Slow(), 30.0)
    with processor_time():
        began = now()
        assert replay([1.0], None).output == [1.0]
        assert now() - began < 0.2
        replay([1.0], None)
        assert now() - began > 0.25


def test_a_solver_is_stopped_by_the_clock_of_its_proof():
    x, y, z = z3.Ints("x y z")
    hard = z3.Solver()
    hard.add(x * x * x + y * y * y + z * z * z == 114, x != y)
    with processor_time():
        began = now()
        assert asked(hard, 0.3) == z3.unknown
        assert now() - began < longest(0.3) == 0.3 * LONGER
        easy = z3.Solver()
        easy.add(x > 3, x < 2)
        assert asked(easy, 5.0) == z3.unsat  # what stopped the one does not stop the next


def count(data, rng):
    return len(data) + rng.laplace()


@pytest.mark.parametrize(
    ("timeout", "most", "seconds", "working"),
    [
        (None, None, SECONDS, True),
        (7.0, None, 7.0, False),
        (None, 3.0, 3.0, False),
        (7.0, 3.0, 3.0, False),
    ],
)
def test_time_that_is_limited_is_the_wall_clocks(monkeypatch, timeout, most, seconds, working):
    seen = []

    def decided(subject, claim, neighbors, given, runner):
        seen.append((given, clock._here.working))
        return attempts.Answer(None, reason="looked at")

    monkeypatch.setattr(attempts, "decided_by", decided)
    people = AddRemove(Real(0, 1))
    engine = FormalEngine() if timeout is None else FormalEngine(timeout)
    engine.examine(Subject.of(count), PureDP(1.0), people, Budget(max_seconds=most))
    assert seen == [(seconds, working)]
    assert not clock._here.working
