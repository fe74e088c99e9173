"""Displays of objects, context managers of the user's, and best items: seen through, no further."""

import sys
import types

import pytest

from dpaudit import AddRemove, Integer, PureDP, Verdict, verify
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal import gone_through_programs

AGES = AddRemove(Integer(0, 120), max_size=8)
OVERLAPPING = {"sound_best_key_alone": PureDP(2.0), "value_of_queries_that_overlap": PureDP(1.0)}
EVERY = [
    f
    for f in vars(gone_through_programs).values()
    if isinstance(f, types.FunctionType) and f.__code__.co_varnames[:1] == ("data",)
]
SOUND = [f for f in EVERY if f.__name__.startswith("sound")]
TWINS = [f for f in EVERY if f not in SOUND]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", sampled(SOUND, 4), ids=named)
def test_what_is_gone_through_or_entered_is_seen_through(mechanism):
    report = verify(mechanism, OVERLAPPING.get(mechanism.__name__, PureDP(1.0)), AGES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked


@pytest.mark.parametrize("mechanism", sampled(TWINS, 4), ids=named)
def test_twins_that_leak_or_mean_something_else_are_not_proved(mechanism):
    claim = OVERLAPPING.get(mechanism.__name__, PureDP(1.0))
    assert not is_proved(mechanism, claim, AGES)


def test_there_are_as_many_as_are_written():
    assert (len(SOUND), len(TWINS)) == (19, 31)


# Each leaks where a noisy count is beyond 500, which no trial on a few records shows. A name of
# theirs is one that dpaudit writes itself, or a function of Python's that the module has replaced.
_LATER = """
    n = len(data) + rng.laplace(scale=2)
    if n > 500:
        {then}
    return [n]
"""
_RELEASE = "return [n, len(data) + rng.laplace(scale=1 / {})]"
_CLASS = "class Count:\n    def __init__(self, e, rng):\n        self.e = e\n"
TEXTS = {
    "ending": """
def ending(data, rng):
    ending·6 = len(data) < 500
    if not ending·6:
        return 0.0 + rng.laplace(scale=1)
    return len(data) + rng.laplace(scale=1)
""",
    "entered": "import contextlib\n@contextlib.contextmanager\ndef spend(e):\n    yield e\n\n"
    "def entered(data, rng):"
    + _LATER.format(
        then="entered·10·8 = 10.0\n        with spend(0.5):\n            "
        + _RELEASE.format("entered·10·8")
    ),
    "greek": "def greek(data, rng):"
    + _LATER.format(then="a\u0387 = 10.0; " + _RELEASE.format("a\u00b7")),
    "replaced": f"import own_replaced as me\n{_CLASS}me.zip = lambda *a: [(1, 10.0)]\n"
    + "def replaced(data, rng):"
    + _LATER.format(
        then="qs = [Count(0.25, rng), Count(0.25, rng)]\n        return "
        "[len(data) + rng.laplace(scale=1 / e) for q, e in zip(qs, (0.25, 0.25))]"
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_names_of_the_user_s_are_not_taken_for_those_that_are_written_here(
    name, tmp_path, monkeypatch
):
    (tmp_path / f"own_{name}.py").write_text(TEXTS[name], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__(f"own_{name}")
    try:
        assert not is_proved(getattr(module, name), PureDP(1.0), AGES)
    finally:
        del sys.modules[f"own_{name}"]
