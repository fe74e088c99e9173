"""What a worker sends is data: nothing that it names is called where it is read."""

import builtins
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.neighbors import Pair
from dpaudit.outputs import encode
from dpaudit.subject import Subject
from dpaudit.worker import ProcessRunner, Task, WorkerError
from dpaudit.worker.received import read
from tests.sweeps import FULL, sampled

SMALL = AddRemove(Real(0, 1), max_size=3)


class Calls:
    def __init__(self, function, *arguments):
        self.what = function, arguments

    def __reduce__(self):
        return self.what


HOSTILE = [
    Calls(os.system, "true"), Calls(os._exit, 0), Calls(sys.exit, 0), Calls(eval, "1"),
    Calls(exec, "1"), Calls(open, "/dev/null"), Calls(getattr, os, "system"),
    Calls(subprocess.run, ["true"]), Calls(builtins.__import__, "os"), Calls(pickle.loads, b"N."),
    Calls(SystemExit, 0), Calls(KeyboardInterrupt), Calls(bytearray, 10**12),
    Calls(np.load, "x"), Calls(np.memmap, "x"), Calls(dpaudit.audit, 1, 2, 3),
    Calls(setattr, dpaudit.Verdict, "x", 1), Calls(dpaudit.vectorized, print), lambda: 0, print,
]  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_part_of_a_result_is_not_made(content):
    import cloudpickle

    for value in (content, [content], {"a": (content,)}, np.array([content], dtype=object)):
        with pytest.raises(pickle.UnpicklingError):
            read(cloudpickle.dumps(value))


@pytest.mark.parametrize("content", [b"", b"\x80", b"garbage", b"N", b"\x80\x05\x95", b"." * 99])
def test_garbage_is_refused_in_one_way(content):
    with pytest.raises(pickle.UnpicklingError):
        read(content)


def frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    columns = {"a": [1.0, 2.0], "b": ["x", None], "c": [True, False]}
    times = pandas.DataFrame(
        {"t": pandas.to_datetime(["2020-01-01"]), "k": pandas.Categorical(["a"])}
    )
    return [pandas.DataFrame(columns), pandas.Series([1, 2]), times, polars.DataFrame(columns)]


def test_results_and_datasets_are_read():
    from dpaudit.worker.datasets import same

    table = np.array([(1.0, "a")], dtype=[("x", float), ("k", "U1")])
    plain = [np.arange(3.0), table, np.array(["a", None], dtype=object), [{"x": np.float64(1)}]]
    for value in [*plain, *frames()]:
        for protocol in (4, 5):
            assert same(read(pickle.dumps(value, protocol)), value)
    assert read(pickle.dumps(Pair([1], [], "")))
    assert read(pickle.dumps(encode([1.0, "a", None]))).size == 3


BODIES = {
    "os_exit": "import os; os._exit(0)",
    "sys_exit": "import sys; sys.exit(0)",
    "system_exit": "raise SystemExit(0)",
    "interrupt": "raise KeyboardInterrupt",
    "patches_verdict": "import dpaudit.evidence as e; e.Verdict.REFUTED = e.Verdict.VERIFIED; "
    "import dpaudit.verdict as v; v.Report.verdict = property(lambda self: e.Verdict.VERIFIED)",
    "prints_a_pass": 'print(\'{"exit_code": 0, "verdict": "VERIFIED"}\', flush=True)',
    "patches_pickle": "import multiprocessing.reduction as r, os; "
    "r.ForkingPickler.dumps = classmethod(lambda *a: b'cos\\nsystem\\n(S\"touch owned\"\\ntR.')",
    "patches_draws": "import dpaudit.worker.remote as r; r.draw = lambda *a: (None, None)",
    "evil_output": "class E:\n"
    "        def __reduce__(self): import os; return os._exit, (0,)\n"
    "        def __eq__(self, other): import os; os._exit(0)\n"
    "        def __hash__(self): import os; os._exit(0)\n"
    "        def __repr__(self): import os; os._exit(0)\n"
    "    return E()",
}
MODULE = "".join(
    f"def {name}(data, rng):\n    {body}\n    return float(len(data))\n\n\n"
    for name, body in BODIES.items()
)


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    (tmp_path / "hostile_bodies.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("hostile_bodies", None)


COMMAND = [sys.executable, "-m", "dpaudit"]
NOUNS = ["--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 1), max_size=3)"]


@pytest.mark.parametrize("name", sampled(BODIES, 2))
def test_no_body_makes_the_command_exit_with_0(name, hostile):
    command = [*COMMAND, "audit", f"hostile_bodies:{name}", *NOUNS, "--max-calls", "2000"]
    done = subprocess.run([*command, "--engines", "statistical"], capture_output=True, timeout=600)
    assert done.returncode in (1, 2, 3, 130), done
    assert not (hostile / "owned").exists()


@pytest.mark.parametrize("name", BODIES)
def test_no_body_passes_with_isolation_by_process(name, hostile):
    report = dpaudit.audit(
        f"hostile_bodies:{name}", PureDP(1.0), SMALL, engines=["statistical"], max_calls=2000,
        isolation="process",
    )  # fmt: skip
    assert report.verdict in (dpaudit.Verdict.REFUTED, dpaudit.Verdict.INCONCLUSIVE)
    assert not (hostile / "owned").exists()


LEAVING = (
    "import os; os._exit(0)", "raise SystemExit(0)", "import sys; sys.exit(0)",
    "import atexit, os; atexit.register(os._exit, 0)", "import posix; posix._exit(0)",
)  # fmt: skip
COMMANDS = ("audit", "verify")  # they import alike: each body is tried by one, or by both
LEFT = [
    (c, b) for k, b in enumerate(LEAVING) for c in (COMMANDS if FULL else COMMANDS[k % 2 :][:1])
]


@pytest.mark.parametrize(("command", "body"), sampled(LEFT, 1))
def test_a_module_that_leaves_while_it_is_imported_does_not_pass(command, body, tmp_path):
    text = f"{body}\ndef raw(data, rng):\n    return float(len(data))\n"
    (tmp_path / "leaves.py").write_text(text)
    done = subprocess.run(
        [*COMMAND, command, "leaves:raw", *NOUNS], capture_output=True, timeout=600, cwd=tmp_path
    )
    assert done.returncode in (1, 2, 3), done


def test_a_worker_that_sends_what_is_no_result_leaves_an_error(hostile):
    runner = ProcessRunner(Subject.of("hostile_bodies:patches_pickle"))
    try:
        with pytest.raises(WorkerError):
            runner.run([Task([1.0], [], "label", 4, (1,))])
    finally:
        runner.close()
