"""Hostile mechanisms: each ends its own audit at most, is named, and leaves the others alone."""

import json
import os
import re
import subprocess
import sys

import pytest

MECHANISMS = """
import os, random, signal, sys, threading, time
import numpy as np

def honest(data, rng):
    return float(len(data) + rng.laplace())

def exits(data, rng):
    os._exit(0)

def kills_itself(data, rng):
    os.kill(os.getpid(), signal.SIGKILL)

def recurses(data, rng):
    return recurses(data, rng)

def allocates(data, rng):
    kept = []
    while True:
        kept.append(np.empty(2**28))

def ignores_signals(data, rng):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        time.sleep(1)

def spawns_threads(data, rng):
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(0.01,)).start()
    return honest(data, rng)

def closes_streams(data, rng):
    for stream in (0, 1, 2):
        try:
            os.close(stream)
        except OSError:
            pass
    return honest(data, rng)

def prints(data, rng):
    print("\\x1b[2J VERIFIED", flush=True)
    os.write(2, b"all audits as expected\\n")
    return honest(data, rng)

def moves(data, rng):
    os.chdir("/")
    return honest(data, rng)

def patches_numpy(data, rng):
    np.log = np.exp = lambda *args, **named: 0.0
    np.random.default_rng = None
    return honest(data, rng)

def reseeds(data, rng):
    np.random.seed(0)
    random.seed(0)
    sys.setrecursionlimit(60)
    return honest(data, rng)

def yields(data, rng):
    yield honest(data, rng)

class Rude:
    def _no(self, *args, **named):
        raise RuntimeError("no")
    __eq__ = __repr__ = __hash__ = __len__ = __array__ = __bool__ = __reduce_ex__ = _no

def returns_rude_object(data, rng):
    return Rude()

def returns_generator(data, rng):
    return (x for x in data)

class Worse(BaseException):
    def __str__(self):
        raise RuntimeError("no")

def raises_worse(data, rng):
    raise Worse()

def raises_escapes(data, rng):
    raise ValueError("\\x1b[2J\\x1b]0;owned\\x07 <script>alert(1)</script>")
"""

AUDITS = """
import mechanisms_under_test as m
from dpaudit import Audit, Pairs, PureDP

for name, value in list(vars(m).items()):
    if callable(value) and not isinstance(value, type):
        globals()[name] = Audit(value, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]),
                                expect="NOT_REFUTED", max_calls=3_000, alpha=1e-3)
"""

CONTAINED = {
    "exits": "worker process died",
    "kills_itself": "worker process died",
    "recurses": "RecursionError",
    "allocates": "memory",
    "ignores_signals": "took more than 20 seconds",
    "returns_rude_object": "does not show what it holds",
    "returns_generator": "does not show what it holds",
    "raises_worse": "Worse: unprintable",
    "raises_escapes": "gave no output in any call",
}
HARMLESS = (
    "honest", "spawns_threads", "closes_streams", "prints", "moves", "patches_numpy", "reseeds",
    "yields",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    project = tmp_path_factory.mktemp("hostile")
    (project / "pyproject.toml").write_text("")
    (project / "mechanisms_under_test.py").write_text(MECHANISMS)
    (project / "audits").mkdir()
    (project / "audits" / "hostile.py").write_text(AUDITS)
    command = [sys.executable, "-m", "dpaudit", "run", "--jobs", "2", "--timeout", "20"]
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR")}
    done = subprocess.run(
        [*command, "--engines", "statistical", "--json", "results.json"],
        cwd=project,
        env=kept,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return done, json.loads((project / "results.json").read_text())


def test_every_audit_is_reported_once(run):
    _, results = run
    names = [re.sub(".*::", "", audit["name"]) for audit in results["audits"]]
    assert sorted(names) == sorted([*CONTAINED, *HARMLESS])


@pytest.mark.parametrize("name", CONTAINED)
def test_what_cannot_be_audited_is_named_and_never_passes(run, name):
    _, results = run
    (audit,) = [a for a in results["audits"] if a["name"].endswith(f"::{name}")]
    assert audit["status"] in ("INCOMPLETE", "UNEXPECTED")
    assert CONTAINED[name] in json.dumps(audit)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_no_harm_to_its_outputs_is_audited(run, name):
    """A fresh seed refutes a sound mechanism once in 1,000 audits at most."""
    _, results = run
    (audit,) = [a for a in results["audits"] if a["name"].endswith(f"::{name}")]
    assert audit["report"]["verdict"] == "NOT_REFUTED"


def test_the_run_says_that_it_is_incomplete_or_unexpected(run):
    done, _ = run
    assert done.returncode == 1  # an output that hides is INCONCLUSIVE, which was not expected


def test_nothing_that_a_mechanism_says_reaches_the_terminal_as_it_is(run):
    done, _ = run
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\x07" not in done.stdout + done.stderr
    assert b"all audits as expected" not in done.stdout + done.stderr
