"""Arguments are bound as Python binds them, in every way of proving: calls are made at random."""

from __future__ import annotations

import importlib.util
import itertools
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpaudit
from dpaudit import AddRemove, PureDP, QueryAnswers, Real, Verdict
from tests.proving import is_proved

_counter = itertools.count()

SIGNATURES = [
    "value, rng, scale=0.25",
    "value, rng, first=0.25, scale=0.25",
    "value, rng, *, scale=0.25",
    "value, rng, *labels, scale=0.25",
    "value, rng, /, scale=0.25",
    "value, rng, first=0.25, /, scale=0.25",
    "value, rng, first=0.25, *labels, scale=0.25",
    "value, rng, scale=0.25, *labels",
    "value, rng, scale, first=0.25",
    "value, rng, *scales",
    "value, rng, **options",
    "value, rng, scale=0.25, **options",
]
ARGUMENTS = ["1.0", "0.25", "scale=1.0", "scale=0.25", "first=1.0", "*[1.0]", "*[0.25]", "**KEYS"]


class Recorder:
    """A generator that remembers the scale that it is asked for."""

    def __init__(self):
        self.scales = []

    def laplace(self, scale=1.0):
        self.scales.append(scale)
        return 0.0


def written(tmp_path, signature, arguments, kind):
    """Return a mechanism that calls a function of that signature so."""
    used = "scale" if "scale" in signature.replace("scales", "") else ""
    used = used or ("scales[0]" if "scales" in signature else "options['scale']")
    body = f"value + rng.laplace(scale={used})"
    call = ", ".join(["len(data)", "rng", *arguments])
    texts = {
        "function": (
            f"def noisy({signature}):\n    return {body}\n"
            f"def mechanism(data, rng):\n    return noisy({call})\n"
        ),
        "nested": (
            f"def mechanism(data, rng):\n    def noisy({signature}):\n        return {body}\n"
            f"    return noisy({call})\n"
        ),
        "lambda": (
            f"def mechanism(data, rng):\n    noisy = lambda {signature}: {body}\n"
            f"    return noisy({call})\n"
        ),
        "partial": (
            f"import functools\ndef noisy({signature}):\n    return {body}\n"
            f"fixed = functools.partial(noisy)\n"
            f"def mechanism(data, rng):\n    return fixed({call})\n"
        ),
        "method": (
            f"class Noisy:\n    def of(self, {signature}):\n        return {body}\n"
            f"made = Noisy()\n"
            f"def mechanism(data, rng):\n    return made.of({call})\n"
        ),
    }
    name = f"bound_{next(_counter)}"
    file = tmp_path / f"{name}.py"
    file.write_text("KEYS = {'scale': 1.0}\n" + texts[kind])
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.mechanism


def order(arguments):
    """Return arguments in an order that Python's grammar allows."""
    return sorted(arguments, key=lambda a: ("**" in a, "=" in a or "**" in a))


@settings(
    max_examples=120, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    st.sampled_from(SIGNATURES),
    st.lists(st.sampled_from(ARGUMENTS), max_size=3).map(order),
    st.sampled_from(["function", "nested", "lambda", "partial", "method"]),
)
def test_a_proof_reads_a_call_as_python_runs_it(tmp_path, signature, arguments, kind):
    try:
        mechanism = written(tmp_path, signature, arguments, kind)
    except SyntaxError:
        return
    recorder = Recorder()
    try:
        mechanism(np.zeros(3), recorder)
        [scale] = recorder.scales
    except (TypeError, IndexError, KeyError):
        scale = None
    report = dpaudit.verify(mechanism, PureDP(1.0), AddRemove(Real(0, 1)), timeout=20.0)
    if scale is None:
        assert report.verdict is Verdict.INCONCLUSIVE, report.summary()
    elif report.verdict is Verdict.VERIFIED:
        assert scale >= 1.0
    elif report.verdict is Verdict.REFUTED:
        assert scale < 1.0


def labelled(value, rng, *labels, scale=0.25):
    return value + rng.laplace(scale=scale)


def positional_after_labels(data, rng):
    return labelled(len(data), rng, 1.0)


def test_a_positional_argument_never_reaches_a_keyword_only_parameter():
    assert not is_proved(positional_after_labels, PureDP(1.0), AddRemove(Real(0, 1)))


def given_twice(answers, rng):
    def threshold(level, scale=2.0):
        return level + rng.laplace(scale=scale)

    bar = threshold(0.5, level=0.5)
    return [bool(answer + rng.laplace(scale=4.0) >= bar) for answer in answers]


@pytest.mark.parametrize("neighbors", [QueryAnswers(3)])
def test_a_call_that_raises_is_no_proof_by_alignment(neighbors):
    report = dpaudit.verify(given_twice, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.INCONCLUSIVE
