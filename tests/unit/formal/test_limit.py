"""Proofs end when their time is over, in the middle of whatever they do."""

import threading
import time

import pytest

from dpaudit.formal.limit import OutOfTime, time_limit


def forever():
    while True:
        try:
            sum(range(100))
        except Exception:  # what libraries do must not keep the limit from holding
            continue


def test_a_loop_that_never_ends_is_ended():
    with pytest.raises(OutOfTime), time_limit(0.1):
        forever()


def test_nothing_is_raised_after_the_block():
    with time_limit(0.05):
        pass
    time.sleep(0.15)


def test_the_limit_holds_in_the_thread_that_set_it():
    seen = []

    def work():
        try:
            with time_limit(0.1):
                forever()
        except OutOfTime:
            seen.append(threading.current_thread())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
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

    with pytest.raises(OutOfTime), time_limit(0.1):
        slowly()


def test_nothing_is_raised_long_after_a_limit_that_held():
    with pytest.raises(OutOfTime), time_limit(0.05):
        forever()
    time.sleep(0.8)
