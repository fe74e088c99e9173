"""What a mechanism reads from its environment is no constant, and neither is what may change."""

import importlib.util
import linecache

import pytest

from dpaudit import AddRemove, PureDP, Real, verify
from tests.sweeps import sampled

HEAD = """
import functools, locale, os, platform, random, sys, time
from os import environ, getenv
from sys import argv, flags, platform as system
import numpy as np
import scipy.stats
"""
SOUND = "def mechanism(data, rng{parameters}):\n    return len(data) + rng.laplace(scale={scale})\n"
BRANCH = (
    "def mechanism(data, rng{parameters}):\n    if {test}:\n        return len(data)\n"
    "    return len(data) + rng.laplace(scale=1.0)\n"
)
READ = [
    "os.environ.get('SCALE', '1')", "os.environ['HOME']", "os.getenv('SCALE', '1')",
    "environ.get('SCALE', '1')", "getenv('SCALE', '1')", "len(sys.argv)", "len(argv)",
    "len(os.environ)",
    "('os' in sys.modules)", "sys.flags.optimize", "flags.optimize", "(sys.platform == 'win32')",
    "(system == 'win32')", "platform.node()", "time.time()", "time.monotonic_ns()",
    "time.timezone", "len(sys.path)", "locale.getlocale()[0]", "__debug__", "(__name__ == 'a')",
    "len(__file__)", "os.cpu_count()", "os.getpid()", "os.sep", "sys.byteorder",
    "sys.getrecursionlimit()", "len(os.listdir('.'))", "os.path.exists('x')",
]  # fmt: skip
CHANGING = {
    "global": "MODE = 1\ndef turn():\n    global MODE\n    MODE = 0\n",
    "twice": "MODE = 0\nMODE = 1\n",
    "added": "MODE = 0\nMODE += 1\n",
    "loop": "for MODE in range(2):\n    pass\n",
    "list": "STATE = [1]\nMODE = 1\ndef turn():\n    STATE[0] = 0\n",
    "dict": "STATE = {0: 1}\nMODE = 1\ndef turn():\n    STATE.update({0: 0})\n",
    "array": "STATE = np.ones(1)\nMODE = 1\ndef turn():\n    STATE.fill(0)\n",
}


def verdict(tmp_path, text):
    """Return the report's verdict on `mechanism` of this source, and the report."""
    file = tmp_path / "surroundings.py"
    file.write_text(HEAD + text)
    linecache.checkcache()
    spec = importlib.util.spec_from_file_location("surroundings", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    report = verify(module.mechanism, PureDP(1.0), AddRemove(Real(0, 1)))
    return str(report.verdict), str(report)


def undecided(tmp_path, text):
    """Assert that nothing is decided, and that the reason names a line."""
    found, report = verdict(tmp_path, text)
    assert found == "INCONCLUSIVE", report
    assert "surroundings.py:" in report.partition("Inconclusive")[2], report


@pytest.mark.parametrize("read", sampled(READ, 5))
def test_what_is_read_from_the_environment_is_no_constant(read, tmp_path):
    scale = f"1.0 + bool({read})"
    undecided(tmp_path, BRANCH.format(parameters="", test=read))
    undecided(tmp_path, BRANCH.format(parameters="", test="not " + read))
    undecided(tmp_path, SOUND.format(parameters="", scale=scale))
    undecided(tmp_path, f"MODE = {read}\n" + BRANCH.format(parameters="", test="MODE"))
    again = f"FIRST = {read}\nMODE = bool(FIRST)\n"
    undecided(tmp_path, again + BRANCH.format(parameters="", test="MODE"))
    undecided(tmp_path, again + SOUND.format(parameters="", scale="1.0 + MODE"))
    by_branch = f"if {read}:\n    MODE = 1\nelse:\n    MODE = 0\n"
    undecided(tmp_path, by_branch + BRANCH.format(parameters="", test="MODE"))
    undecided(tmp_path, BRANCH.format(parameters=f", mode={read}", test="mode"))
    undecided(tmp_path, BRANCH.format(parameters=f", *, mode=not {read}", test="mode"))
    helper = f"def mode():\n    return bool({read})\n"
    undecided(tmp_path, helper + BRANCH.format(parameters="", test="mode()"))
    undecided(tmp_path, "@functools.cache\n" + helper + BRANCH.format(parameters="", test="mode()"))


@pytest.mark.parametrize("change", CHANGING)
def test_a_global_that_may_change_is_no_constant(change, tmp_path):
    name = "STATE[0]" if "STATE" in CHANGING[change] else "MODE"
    for text in (BRANCH, SOUND):
        body = text.format(parameters="", test=f"{name} == 0", scale=f"1.0 + {name}")
        undecided(tmp_path, CHANGING[change] + body)
    helper = f"def mode():\n    return {name} == 0\n"
    undecided(tmp_path, CHANGING[change] + helper + BRANCH.format(parameters="", test="mode()"))
    calibrated = (
        f"def scale():\n    try:\n        return 1.0 + {name}\n    finally:\n        pass\n"
    )
    undecided(
        tmp_path, CHANGING[change] + calibrated + SOUND.format(parameters="", scale="scale()")
    )


@pytest.mark.parametrize(
    ("before", "scale"),
    [
        ("EPSILON = 1.0\n", "1 / EPSILON"),
        ("EPSILON = 1.0\nSCALE = 1 / EPSILON\n", "SCALE"),
        ("SCALES = (1.0, 2.0)\n", "SCALES[0]"),
        ("SCALES = [1.0, 2.0]\n", "SCALES[0]"),
        ("SCALES = {'count': 1.0}\n", "SCALES['count']"),
        ("def scale(epsilon):\n    return 1 / epsilon\n", "scale(1.0)"),
        ("SCALE = float(np.exp(0.0))\n", "SCALE"),
    ],
)
def test_constants_that_are_assigned_once_are_constants(before, scale, tmp_path):
    found, report = verdict(tmp_path, before + SOUND.format(parameters="", scale=scale))
    assert found == "VERIFIED", report


@pytest.mark.parametrize(
    "made",
    sampled([
        "np.random.default_rng(None)", "np.random.default_rng(seed=None)", "random.Random(None)",
        "np.random.RandomState(None)", "np.random.RandomState(seed=None)",
        "np.random.Generator(np.random.PCG64(None))", "np.random.default_rng(SEED)",
        "np.random.default_rng(seed)", "random.Random(seed)",
    ], 2),
)  # fmt: skip
def test_a_generator_without_a_seed_has_no_known_one(made, tmp_path):
    draw = "gauss(0, 1e3)" if made.startswith("random") else "normal(0, 1e3)"
    text = f"SEED = None\ndef mechanism(data, seed=None):\n    r = {made}\n"
    found, report = verdict(tmp_path, text + f"    return len(data) + r.{draw}\n")
    assert "seed that is known" not in report
    text += "    return len(data) + r.laplace(0, 1.0)\n"
    if not made.startswith("random"):
        found, report = verdict(tmp_path, text)
        assert found != "REFUTED", report


@pytest.mark.parametrize("attempt", sampled(range(5), 2))
def test_a_module_or_function_of_random_numbers_that_is_passed_in_is_not_called(attempt, tmp_path):
    leak = "    if {draw} < 0.1:\n        return float(len(data))\n"
    rest = "    return len(data) + rng.laplace(0, 1.0)\n"
    for parameter, draw in (
        ("prng=np.random", "prng.random()"),
        ("prng=random", "prng.random()"),
        ("draw=np.random.random", "draw()"),
        ("draw=random.random", "draw()"),
        ("draw=functools.partial(random.gauss, 0, 1)", "draw()"),
        ("draw=np.random.default_rng().random", "draw()"),
        ("stats=scipy.stats", "stats.uniform.rvs()"),
    ):
        head = f"def mechanism(data, rng, {parameter}):\n"
        found, report = verdict(tmp_path, head + leak.format(draw=draw) + rest)
        assert found != "VERIFIED", report  # the count itself, once in ten calls
        sound = f"    return len(data) + 0 * int({draw}) + rng.laplace(0, 1.0)\n"
        found, report = verdict(tmp_path, head + sound)
        assert found != "REFUTED", report
