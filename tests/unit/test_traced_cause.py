"""What is only suspected, and the line of what is refuted."""

import inspect
import json
import random

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from dpaudit.evidence import Budget, Evidence, Finding, Suspect
from dpaudit.neighbors import Pair
from dpaudit.report.formats import render
from dpaudit.report.table import Found
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.verdict import Report
from dpaudit.worker import InPlace
from tests.reporting import run_of
from tests.sweeps import sampled

PEOPLE = AddRemove(Real(0, 100), max_size=6)
SUSPECTED = Finding("DPA105", "error", "f: it moves too far", file="f.py", line=3, engine="trace")
IN_SOURCE = [
    Finding("DPA103", "error", "f: a scale", file="f.py", line=4, engine="static"),
    Finding("DPA108", "error", "f: a branch", file="f.py", line=5, engine="static"),
    Finding("DPA111", "warning", "f: low bits", file="f.py", line=6, engine="static"),
]


class Engine:
    def __init__(self, data):
        self.data = data

    def mean(self, rng):
        self.count = max(1, len(self.data))
        scale = 100 / self.count
        return float(self.data.sum()) / self.count + rng.laplace(scale=scale)


def engine_mean(data, rng):
    return Engine(data).mean(rng)


class Silent:
    """A trace engine by name, which sees nothing."""

    name = "trace"

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        return Evidence("trace", None, "nothing was seen")


def report_of(verdict):
    pair = Pair(np.zeros(1), np.zeros(2))
    evidence = (
        Evidence("static", None, findings=tuple(IN_SOURCE)),
        Evidence("trace", None, suspects=(Suspect(pair, finding=SUSPECTED),)),
        Evidence("statistical", verdict, detectable_epsilon=2.0),
    )
    return Report("m:f", PureDP(1.0), "", (), evidence)


def test_what_nothing_confirmed_is_a_note_or_for_precise_kinds_a_warning():
    found = report_of(Verdict.NOT_REFUTED).findings
    assert [(f.id, f.level) for f in found] == [
        ("DPA103", "warning"),
        ("DPA105", "note"),
        ("DPA108", "note"),
        ("DPA111", "note"),
    ]


def test_a_proof_answers_every_suspicion():
    assert report_of(Verdict.VERIFIED).findings == ()


def test_a_note_is_in_summary_table_and_json():
    report = report_of(Verdict.NOT_REFUTED)
    assert "note DPA105" in report.summary()
    assert Found.of(report).causes == ("not confirmed: f.py:3: DPA105: f: it moves too far",)
    levels = [finding["level"] for finding in report.to_dict()["findings"]]
    assert levels == ["warning", "note", "note", "note"]


def test_a_suspicion_of_the_trace_is_a_note_with_its_line_in_sarif():
    run = run_of(("audits/f.py::f", report_of(Verdict.NOT_REFUTED), "NOT_REFUTED"))
    results = json.loads(render(run, "sarif"))["runs"][0]["results"]
    [noted] = [result for result in results if result["ruleId"] == "DPA105"]
    assert noted["level"] == "note"
    assert "Not confirmed" in noted["message"]["text"]
    [place] = noted["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "f.py"
    assert place["physicalLocation"]["region"]["startLine"] == 3


def line_of(text):
    source, first = inspect.getsourcelines(Engine)
    return first + next(i for i, line in enumerate(source) if text in line)


@pytest.mark.parametrize("engines", sampled([None, [Silent(), "statistical"]], 1))
def test_a_refutation_has_the_line_of_its_cause(engines):
    """A fresh seed would change the verdict with probability at most 1e-6.

    Where the trace engine saw nothing before, the witness of sampling is traced afterwards.
    """
    report = dpaudit.audit(engine_mean, PureDP(1.0), PEOPLE, engines=engines, max_calls=40_000)
    assert report.verdict is Verdict.REFUTED
    first = report.findings[0]
    assert first.id == "DPA103"
    assert first.line in (line_of("self.count = "), line_of("scale = "))


def test_without_the_trace_engine_no_witness_is_traced():
    """A fresh seed would change the verdict with probability at most 1e-6."""
    report = dpaudit.audit(
        engine_mean, PureDP(1.0), PEOPLE, engines=["statistical"], max_calls=40_000
    )
    assert report.verdict is Verdict.REFUTED
    assert report.findings[0].line == engine_mean.__code__.co_firstlineno


def tossed(count):
    sign = 1 if random.random() < 0.7 else -1
    size = 0
    while random.random() < 0.5:
        size += 1
    return max(0, count + sign * size)


def test_without_a_cause_the_line_of_the_chance_is_named():
    """Coins have no scale: their chances are wrong."""
    subject = Subject.of(lambda data: tossed(len(data)))
    engine = TraceEngine(pairs=2, share=0, unlocated=True)
    found = engine.examine(subject, PureDP(1.0), PEOPLE, Budget(seed=0), runner=InPlace(subject))
    first = found.suspects[-1].finding
    line = inspect.getsourcelines(tossed)[1] + 1
    assert (first.id, first.line) == ("DPA106", line)


class Teacher:
    def __init__(self, records):
        self.vote = int(sum(records) > len(records) / 2)


def taught(data):
    size = len(data) // 3
    return [Teacher(data[i * size : (i + 1) * size]) for i in range(3)]


def votes_of_teachers(data, rng):
    return sum(each.vote for each in taught(data)) + rng.laplace(scale=0.5)


def test_parts_by_position_that_are_only_handed_over_are_unstable():
    """Two runs of one pair; nothing is sampled."""
    subject = Subject.of(votes_of_teachers)
    pair = Pair([0, 0, 0, 1, 1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1, 1, 0, 0])
    only = dpaudit.Pairs([(pair.left, pair.right)])
    found = TraceEngine(pairs=1, share=0).examine(
        subject, PureDP(1.0), only, Budget(seed=0), runner=InPlace(subject)
    )
    [first, *_] = [s.finding for s in found.suspects if s.finding]
    line = inspect.getsourcelines(taught)[1] + 2
    assert (first.id, first.line) == ("DPA112", line)
