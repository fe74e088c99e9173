"""Processes for whole audits, when they die."""

import threading
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import pytest

from dpaudit import Audit, Pairs, PureDP
from dpaudit.apart import Stopped, apart


def count(data, rng):
    return len(data) + rng.laplace()


AUDIT = Audit(count, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]))


class Dying:
    """A pool whose processes die as they start."""

    def submit(self, *arguments):
        future = Future()
        future.set_exception(BrokenProcessPool("a process was terminated abruptly"))
        return future

    def shutdown(self, **options):
        pass


def test_processes_that_ctrl_c_ends_as_they_start_count_as_interrupted():
    with apart(2, lambda index, progress: None) as processes:
        processes._pools = [Dying()]
        threading.Timer(0.1, processes.stop).start()
        with pytest.raises(Stopped):
            processes.run(0, 0, AUDIT, {})


def test_processes_that_die_by_themselves_are_an_error():
    with apart(2, lambda index, progress: None) as processes:
        processes._pools = [Dying()]
        with pytest.raises(BrokenProcessPool):
            processes.run(0, 0, AUDIT, {})
