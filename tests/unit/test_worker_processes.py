import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import Pairs, PureDP
from dpaudit.subject import Subject, vectorized
from dpaudit.worker import InPlace, ProcessRunner, Task, WorkerError, fresh_outputs
from dpaudit.worker.leaving import no_silent_exit

ROOT = Path(__file__).parents[2]
LEFT, RIGHT = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])
TASKS = [
    Task(LEFT, RIGHT, mode, 100, (1, i))
    for i in range(3)
    for mode in ("label", "coupled", "independent")
]


def laplace(data, rng):
    return data.sum() + rng.laplace()


@vectorized
def many(data, size, rng):
    return data.sum() + rng.laplace(size=size)


def assert_same_draws(draws, others):
    for one, other in zip(draws, others, strict=True):
        assert (one.calls, one.flags, one.mode) == (other.calls, other.flags, other.mode)
        for name in ("left", "right", "outputs"):
            a, b = getattr(one, name), getattr(other, name)
            assert (a is None) is (b is None)
            assert a is None or a.same_as(b)


def run(mechanism, **options):
    with closing(ProcessRunner(Subject.of(mechanism), **options)) as runner:
        return runner.run(TASKS[:3])


def failure(mechanism, **options):
    with pytest.raises(WorkerError) as caught:
        run(mechanism, **options)
    return caught.value


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("mechanism", [laplace, many, lambda data: len(data)])
def test_draws_are_the_same_in_place_and_in_any_number_of_processes(mechanism, workers):
    subject = Subject.of(mechanism)
    with closing(ProcessRunner(subject, workers=workers)) as runner:
        in_processes = runner.run(TASKS)
    assert_same_draws(InPlace(subject).run(TASKS), in_processes)


def test_the_worker_is_another_process_with_a_fixed_hash_seed():
    draws = run(lambda data: (os.getpid(), os.environ["PYTHONHASHSEED"], hash("a")))
    assert draws[0].outputs.numbers["[0]"][0] != os.getpid()
    assert draws[0].outputs.labels["[1]"][1] == ("0",)


def test_the_worker_loads_no_heavy_package():
    heavy = ("sklearn", "scipy", "pandas", "sympy", "statsmodels")

    def loaded(data):
        return [name for name in heavy if name in sys.modules]

    assert run(loaded)[0].outputs.labels[":type"][1] == ("list(0)",)


def test_a_mechanism_that_always_raises_gives_outputs():
    def fails(data):
        raise ValueError("never")

    assert run(fails)[0].outputs.labels[":type"][1] == ("raises ValueError",)


def test_a_mechanism_that_hangs_is_stopped():
    error = failure(lambda data: time.sleep(3_600), timeout=0.5)
    assert error.kind == "timeout"
    assert "more than 0.5 seconds" in str(error)


@pytest.mark.parametrize(
    ("mechanism", "how"),
    [
        (lambda data: os._exit(3), "exit code 3"),
        (lambda data: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    ],
)
def test_a_mechanism_that_kills_its_process_is_reported(mechanism, how):
    error = failure(mechanism)
    assert error.kind == "died"
    assert how in str(error)


def now_and_then(data, rng):
    if rng.random() < 0.01:
        os._exit(0)
    return 1.0


def bound_early(data, rng, leave=os._exit):
    if rng.random() < 0.01:
        leave(0)
    return 1.0


@pytest.mark.parametrize("mechanism", [now_and_then, bound_early])
def test_a_mechanism_that_leaves_with_code_zero_is_reported_at_once(mechanism):
    error = failure(mechanism, timeout=600.0)
    assert error.kind == "died"  # who waits for its limit says "timeout"
    assert "exit code 0" in str(error)


def test_a_child_of_a_mechanism_may_leave_with_code_zero():
    def forks(data):
        child = os.fork()
        if child == 0:
            os._exit(0)
        return float(os.waitpid(child, 0)[1])

    assert set(run(forks)[0].outputs.numbers[""]) == {0.0}


def test_exiting_is_as_before_once_the_mechanism_has_run():
    leave = os._exit
    with no_silent_exit():
        assert os._exit is not leave
    assert os._exit is leave


def test_a_mechanism_that_eats_its_memory_is_stopped():
    def hungry(data):
        hoard = []
        while True:
            hoard.append(np.ones(2**22))

    error = failure(hungry, memory=2**29)
    assert error.kind == "memory"
    assert "more than 0.5 GiB" in str(error)


def test_a_runner_survives_the_death_of_a_worker(tmp_path):
    marker = tmp_path / "died"

    def mortal(data):
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return 1.0

    with closing(ProcessRunner(Subject.of(mortal))) as runner:
        with pytest.raises(WorkerError):
            runner.run(TASKS[:1])
        assert runner.run(TASKS[:1])[0].outputs.size == 100


def test_a_mechanism_that_prints_megabytes_is_kept_quiet(capfd):
    def loud(data):
        print("x" * 1_000_000)
        os.write(1, b"y" * 100_000)
        os.write(2, b"z" * 100_000)
        return 1.0

    assert (run(loud)[0].outputs.numbers["[1].length"] == 2).all()
    assert capfd.readouterr() == ("", "")


def test_a_mechanism_that_changes_its_dataset_gets_copies():
    def change(data, rng):
        data += 1
        return data.sum()

    draws = run(change)
    assert "mutates-input" in draws[0].flags
    assert set(draws[0].outputs.numbers[""]) == {9.0, 5.0}


def test_outputs_that_cannot_be_pickled_come_back_encoded():
    class Local:
        __hash__ = None

        def __reduce__(self):
            raise TypeError("stays here")

    def strange(data, rng):
        return [threading.Lock(), Local(), (i for i in ()), {}, lambda: 0][rng.integers(5)]

    words = run(strange)[0].outputs.labels[":type"][1]
    assert set(words) == {"lock", "Local", "generator", "dict", "function"}


def test_a_mechanism_that_cannot_be_pickled_is_refused_with_the_remedy():
    lock = threading.Lock()

    def locked(data):
        with lock:
            return 1.0

    error = failure(locked)
    assert error.kind == "not-picklable"
    assert "inside the mechanism" in str(error)


def test_a_mechanism_that_raises_something_unheard_of_ends_its_own_audit_alone():
    class Unheard(BaseException):
        pass

    def fails(data):
        raise Unheard("of")

    error = failure(fails)
    assert error.kind == "raised"
    assert "Unheard: of" in str(error)


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"timeout": 0.0}, {"timeout": float("nan")}, {"memory": 1000}]
)
def test_impossible_limits_are_refused(options):
    with pytest.raises(ValueError, match="must be"):
        ProcessRunner(Subject.of(laplace), **options)


SCRIPT = """
    import os, sys
    import numpy as np
    from dpaudit.subject import Subject
    from dpaudit.worker import ProcessRunner, Task
    print("main", flush=True)
    offset = 5
    def mechanism(data):
        {body}
        return offset + len(data)
    runner = ProcessRunner(Subject.of(mechanism), workers=2)
    draws = runner.run([Task(np.ones(1), np.ones(2), "coupled", 3, (i,)) for i in range(4)])
    print(draws[0].left.numbers[""].tolist())
    runner.close()
"""


def start_script(tmp_path, body):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT).format(body=body))
    return subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_script_without_a_main_guard_works_and_runs_once(tmp_path):
    with start_script(tmp_path, "pass") as process:
        out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert out.split("\n")[:2] == ["main", "[6.0, 6.0, 6.0]"]
    assert out.count("main") == 1


def test_an_interrupt_stops_the_workers_promptly(tmp_path):
    pids = tmp_path / "pids"
    # Files that a mechanism opens are kept away, and its process id stands still.
    flags = "os.O_APPEND | os.O_CREAT | os.O_WRONLY"
    opened = f"os.open({str(pids)!r}, {flags}, 0o600)"
    body = f"import posix, time; os.write({opened}, b'%d ' % posix.getpid()); time.sleep(3_600)"
    with start_script(tmp_path, body) as process:
        while not (pids.exists() and pids.read_text()):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert "KeyboardInterrupt" in err
    for pid in set(pids.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_what_a_call_leaves_behind_is_seen_and_nothing_else():
    seen = []

    def keeps(data):
        seen.append(len(data))
        return sum(seen)

    columns = fresh_outputs(
        Subject.of(keeps), [[], [LEFT], [LEFT, RIGHT], []], RIGHT, [(i,) for i in range(4)]
    )
    assert columns.numbers[""].tolist() == [2.0, 5.0, 7.0, 2.0]
    assert not seen


def test_the_last_call_is_seeded_by_its_key_alone():
    columns = fresh_outputs(
        Subject.of(laplace), [[], [LEFT, LEFT], [RIGHT]], RIGHT, [(7,), (7,), (8,)]
    )
    first, second, third = columns.numbers[""]
    assert first == second != third


class Pool:
    """A mechanism that a thread of its own does the work of, as in the runtime of JAX."""

    def __init__(self):
        self.asked, self.answers = queue.SimpleQueue(), queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        done = 0
        while True:
            done += len(self.asked.get())
            self.answers.put(done)

    def __reduce__(self):
        return Pool, ()

    def __call__(self, data):
        self.asked.put(data)
        return self.answers.get(timeout=60)


def pooled(data):
    """Start the thread at the first call."""
    if not pools:
        pools.append(Pool())
    return pools[0](data)


pools = []


@pytest.mark.parametrize("chained", [False, True])
@pytest.mark.parametrize("made", [Pool, lambda: pooled])
def test_a_mechanism_with_threads_is_called_where_they_live(made, chained):
    """A fork lacks the threads of the process, and would wait for them for ever."""
    histories = [[], [LEFT], [LEFT, RIGHT]]
    columns = fresh_outputs(
        Subject.of(made()), histories, RIGHT, [(1,), (2,), (3,)], chained=chained
    )
    assert columns.numbers[""].tolist() == [2.0, 5.0, 7.0]
    assert not pools


@pytest.mark.parametrize(
    ("mechanism", "seconds", "kind"),
    [(lambda data: time.sleep(3_600), 0.5, "timeout"), (lambda data: os._exit(1), 600, "died")],
)
def test_a_fresh_process_that_hangs_or_dies_is_reported(mechanism, seconds, kind):
    with pytest.raises(WorkerError) as caught:
        fresh_outputs(Subject.of(mechanism), [[]], LEFT, [(1,)], timeout=seconds)
    assert caught.value.kind == kind


def test_a_fresh_process_that_dies_is_reported_with_the_remedy():
    subject = Subject.of(lambda data: os._exit(1))
    with closing(ProcessRunner(subject)) as runner, pytest.raises(WorkerError) as caught:
        runner.fresh([[]], LEFT, [(1,)])
    assert str(caught.value).count("look for os._exit") == 1


def test_one_process_starts_for_hundreds_of_fresh_ones_which_are_its_forks():
    """To start Python takes a second, to fork milliseconds."""

    def family(data, rng, number=os.getpid):  # the module's stands still
        return [number(), os.getppid(), rng.random()]

    keys = [(i,) for i in range(200)]
    columns = fresh_outputs(Subject.of(family), [[LEFT]] * 200, RIGHT, keys)
    own, parents, drawn = (columns.numbers[f"[{i}]"] for i in range(3))
    assert len(set(drawn)) == 200
    if hasattr(os, "fork"):
        assert len(set(own)) > 100  # a system may use a number again
        assert len(set(parents)) == 1
        assert os.getpid() not in {*own, *parents}


def _audited_in_a_pool(_):
    neighbors = Pairs([(LEFT, RIGHT)])
    options = {"max_calls": 4_000, "engines": ["statistical"]}
    report = dpaudit.audit(laplace, PureDP(5.0), neighbors, isolation="none", **options)
    try:
        dpaudit.audit(laplace, PureDP(5.0), neighbors, isolation="process", **options)
    except WorkerError as error:
        return report.evidence[0].notes, str(error)
    return report.evidence[0].notes, ""


def test_a_daemonic_process_starts_no_other_and_says_so():
    """An audit in one process goes on without the check that needs another."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [(notes, refused)] = pool.map(_audited_in_a_pool, [0])
    assert any("a daemonic process" in note for note in notes)
    assert "use concurrent.futures.ProcessPoolExecutor" in refused


def test_a_program_that_ends_while_a_worker_starts_shows_no_traceback():
    """The server of forks would show one: nothing comes of the task that it waits for."""
    ends = """
        import os
        from multiprocessing import forkserver
        from dpaudit.worker.contexts import worker_context
        worker_context()
        forkserver.connect_to_new_process([])
        os._exit(0)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ends)],
        cwd=ROOT,
        capture_output=True,  # read until the server has ended too
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
