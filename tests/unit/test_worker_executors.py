import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from dpaudit.subject import Subject
from dpaudit.worker import ExecutorRunner, InPlace, Task, WorkerError

LEFT, RIGHT = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])
TASKS = [
    Task(LEFT, RIGHT, mode, 100, (1, i))
    for i in range(3)
    for mode in ("label", "coupled", "independent")
]


def laplace(data, rng):
    return data.sum() + rng.laplace()


def legacy(data):
    return data.sum() + np.random.normal()  # noqa: NPY002


def assert_same_draws(draws, others):
    for one, other in zip(draws, others, strict=True):
        assert (one.calls, one.flags, one.mode) == (other.calls, other.flags, other.mode)
        for name in ("left", "right", "outputs"):
            a, b = getattr(one, name), getattr(other, name)
            assert (a is None) is (b is None)
            assert a is None or a.same_as(b)


@pytest.fixture
def process_pool():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        yield executor


@pytest.mark.parametrize("mechanism", [laplace, legacy])
def test_threads_take_turns_and_draw_the_same_as_in_place(mechanism):
    subject = Subject.of(mechanism)
    with ThreadPoolExecutor(4) as executor:
        draws = ExecutorRunner(subject, executor).run(TASKS)
    assert_same_draws(draws, InPlace(subject).run(TASKS))


def test_a_process_pool_draws_the_same_as_in_place(process_pool):
    subject = Subject.of(lambda data, rng: laplace(data, rng) + 1)
    draws = ExecutorRunner(subject, process_pool).run(TASKS)
    assert_same_draws(draws, InPlace(subject).run(TASKS))


def test_a_pool_that_breaks_is_reported(process_pool):
    with pytest.raises(WorkerError, match="the executor failed") as caught:
        ExecutorRunner(Subject.of(lambda data: os._exit(1)), process_pool).run(TASKS)
    assert caught.value.kind == "died"


def test_a_task_that_takes_too_long_is_reported():
    import threading

    release = threading.Event()
    with ThreadPoolExecutor(1) as executor:
        executor.submit(release.wait, 20)
        runner = ExecutorRunner(Subject.of(laplace), executor, timeout=0.1)
        with pytest.raises(WorkerError) as caught:
            runner.run(TASKS[:1])
        release.set()
    assert caught.value.kind == "timeout"


def test_what_is_no_executor_is_refused():
    with pytest.raises(TypeError, match=r"for dask pass client\.get_executor\(\)"):
        ExecutorRunner(Subject.of(laplace), 3)


def test_an_executor_that_was_shut_down_is_reported():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(WorkerError, match="after shutdown"):
        ExecutorRunner(Subject.of(laplace), executor).run(TASKS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_local_dask_cluster_draws_the_same_as_in_place():
    distributed = pytest.importorskip("distributed")
    subject = Subject.of(lambda data, rng: laplace(data, rng) + 1)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as c,
        distributed.Client(c) as client,
    ):
        draws = ExecutorRunner(subject, client.get_executor()).run(TASKS)
    assert_same_draws(draws, InPlace(subject).run(TASKS))


def test_no_limit_is_longer_than_systems_can_wait():
    from dpaudit.worker.deadline import LONGEST, at_most, now

    assert at_most(None, None) is None
    assert at_most(3.0, None) == 3.0
    assert at_most(1e300, None) == at_most(None, 1e300) == at_most(1e300, 1e300) == LONGEST
    assert at_most(3.0, now() + 1e300) == 3.0
    assert at_most(1e300, now() + 5.0) < 20.0
