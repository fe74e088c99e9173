"""Proofs end when their time is over, in the middle of whatever they do but a solver's work."""

import random
import threading
import time

import pytest

from dpaudit import AddRemove, PureDP, Real, Verdict, verify
from dpaudit.formal.clock import Limit
from dpaudit.formal.limit import OutOfTime, shielded, within


def forever():
    while True:
        try:
            sum(range(100))
        except Exception:  # what libraries do must not keep the limit from holding
            continue


def test_a_loop_that_never_ends_is_ended():
    with pytest.raises(OutOfTime):
        within(Limit(0.1), forever)


def test_what_ends_in_time_returns_its_value_and_hears_nothing_later():
    assert within(Limit(2.0), lambda: 7) == 7
    time.sleep(2.2)


def test_the_limit_holds_in_the_thread_that_set_it():
    seen = []

    def work():
        try:
            within(Limit(0.1), forever)
        except OutOfTime:
            seen.append(threading.current_thread())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [thread]


class LeavesSlowly:
    """Takes its time to be deleted, as terms of a solver may; what is raised then is dropped."""

    def __del__(self):
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_limit_holds_where_a_destructor_drops_the_first_sign():
    def slowly():
        LeavesSlowly()
        forever()

    with pytest.raises(OutOfTime):
        within(Limit(0.1), slowly)


def test_nothing_is_raised_long_after_a_limit_that_held():
    with pytest.raises(OutOfTime):
        within(Limit(0.05), forever)
    time.sleep(0.8)


def test_a_limit_inside_of_another_ends_alone():
    def outer():
        with pytest.raises(OutOfTime):
            within(Limit(0.05), forever)
        return "went on"

    assert within(Limit(600.0), outer) == "went on"


def test_what_is_shielded_is_finished_before_the_limit_holds():
    done = []

    def work():
        with shielded():
            end = time.monotonic() + 0.3
            while time.monotonic() < end:
                pass
            done.append(True)
        forever()

    with pytest.raises(OutOfTime):
        within(Limit(0.05), work)
    assert done == [True]


def test_nothing_comes_up_in_a_shield_however_often_limits_pass():
    half_done = []
    rng = random.Random(0)

    def work():
        while True:
            with shielded():
                half_done.append(1)
                sum(range(20))
                half_done.pop()

    before = threading.active_count()
    for _ in range(150):
        with pytest.raises(OutOfTime):
            within(Limit(rng.random() * 0.004), work)
        assert not half_done
    end = time.monotonic() + 600
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= before  # no clock goes on


def test_a_fault_after_a_finished_verdict_does_not_lose_it(monkeypatch):
    def broken(*arguments, **keywords):
        raise RuntimeError("a fault of the second look")

    monkeypatch.setattr("dpaudit.formal.counterexample.refute", broken)
    report = verify(noisy_count, PureDP(1.0), AddRemove(Real(0, 1)), timeout=600)
    assert report.verdict is Verdict.VERIFIED


def noisy_count(data, rng):
    return len(data) + rng.laplace(scale=1.0)
