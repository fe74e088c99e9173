"""A cause has its line in the code under audit, though this module computes what that is handed.

Every refutation here is proved, or the outputs on its two datasets never meet, so that no test
rests on draws that could come out otherwise.
"""

from __future__ import annotations

import functools
import linecache
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, PureDP, Real, ReplaceOne, Verdict
from tests.wild.programs import wired_library as library

ONE = PureDP(1.0)
HUNDRED = AddRemove(Real(0, 100), max_size=6)
FIVE = ReplaceOne(Real(0, 10), size=5)


def widest(data):
    return library.noisy(float(data.sum()), library.dropped_one_by_one(data))


CAUSES = {
    "median": (
        lambda data: library.Releaser().release(np.median(data)),
        FIVE,
        ("DPA105", "DPA104"),
        "scale = self.sensitivity / self.epsilon",
    ),
    "several_sums": (
        lambda data: library.Releaser().release(np.array([data.sum(), data.sum() / 2])),
        AddRemove(Real(0, 1), max_size=6),
        ("DPA105", "DPA106", "DPA107"),
        "scale = self.sensitivity / self.epsilon",
    ),
    "local_scale": (widest, FIVE, ("DPA103",), "widest = max(answers) - min(answers)"),
    "raw_entry": (
        lambda data: library.describe(len(data), float(np.clip(data, 0, 10).sum())),
        HUNDRED,
        ("DPA101",),
        "summary = {",
    ),
    "other_order": (
        lambda data: library.shuffled(data),
        FIVE,
        ("DPA101",),
        "return np.random.choice(records",
    ),
    "interval_around": (
        lambda value: library.drawn_around(value, 1.0),
        AnyPair(Real(-2, 2)),
        ("DPA106",),
        "return float(np.random.uniform(value - width",
    ),
    "no_width": (
        lambda data: library.fading([float(data.sum()), float(len(data))]),
        AddRemove(Real(0, 1), max_size=6),
        ("DPA106", "DPA101"),
        "scale = number / epsilon",
    ),
    "raises_within_numpy": (
        lambda data: library.other_than_first(data),
        FIVE,
        ("DPA108",),
        "kinds = sorted(set(values))",
    ),
}


@functools.cache
def audited(name):
    mechanism, neighbors, _, _ = CAUSES[name]
    return dpaudit.audit(mechanism, ONE, neighbors, progress=False, max_calls=20_000)


@pytest.mark.parametrize("name", CAUSES)
def test_the_line_is_in_the_library_and_not_in_its_wiring(name):
    report, (_, _, ids, line) = audited(name), CAUSES[name]
    assert report.verdict is Verdict.REFUTED
    error = report.findings[0]
    assert Path(error.file).name == "wired_library.py", error
    assert error.id in ids, error
    assert line in linecache.getline(error.file, error.line), error


@pytest.mark.parametrize("name", ["median", "local_scale", "no_width"])
def test_verify_names_what_audit_names(name):
    mechanism, neighbors, _, _ = CAUSES[name]
    found, other = audited(name).findings[0], dpaudit.verify(mechanism, ONE, neighbors).findings[0]
    assert (found.id, found.line) == (other.id, other.line)


def test_a_line_of_this_module_that_adds_the_noise_itself_stays_the_cause():
    def own(data):
        return library.describe(len(data) > 3, 0.0)["visits"], float(np.median(data))

    report = dpaudit.audit(own, ONE, FIVE, progress=False, max_calls=20_000, max_seconds=None)
    assert report.verdict is Verdict.REFUTED
    assert Path(report.findings[0].file) == Path(__file__)


@pytest.mark.parametrize(
    "sound",
    [
        lambda data: library.Releaser(sensitivity=10.0).release(float(np.median(data))),
        lambda data: library.noisy(float(np.clip(data, 0, 10).sum()), 10.0),
        lambda data: library.drawn_around(float(len(data)), 1.0),  # the number of them is public
    ],
)
def test_sound_twins_are_not_refuted(sound):
    report = dpaudit.audit(sound, ONE, FIVE, progress=False, max_calls=1_000, max_seconds=None)
    assert report.verdict is not Verdict.REFUTED, report.findings
