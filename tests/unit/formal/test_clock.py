"""Proofs end by steps of work, so that no machine's speed, load or hash seed decides a verdict."""

import ast
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import dpaudit
from dpaudit import AddRemove, Derivation, PureDP, QueryAnswers, Real, Verdict, check_derivation
from dpaudit.evidence import Budget
from dpaudit.formal import attempts
from dpaudit.formal.clock import (
    NET,
    SECOND,
    OutOfSteps,
    bounded,
    charge,
    fresh,
    now,
    steps,
)
from dpaudit.formal.engine import SECONDS, VERIFYING, FormalEngine
from dpaudit.formal.limit import OutOfTime
from dpaudit.subject import Subject
from mechanisms.flawed.svt_unbalanced import svt_unbalanced
from tests.sweeps import sampled

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "dpaudit"
SAMPLE = (
    "audits/additive.py::laplace_scalar",
    "audits/additive.py::few_seeds",
    "audits/local_sensitivity.py::distance_of_the_median",
    "audits/sparse_vector.py::first_hit",
    "audits/sparse_vector.py::half_noise",
    "audits/streams.py::binary_tree",
    "audits/survey.py::frequencies_that_occur",
)
MANY_SHAPES = "audits/sparse_vector.py::value_for_gap"  # of outputs, each with its events
STEPS_OF_SAMPLE = """
import json, sys, time
slowed = [0.0]
def later(clock):
    def slow():
        slowed[0] += 5.0
        return clock() + slowed[0]
    return slow
if sys.argv[1] == "slow":
    for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
        setattr(time, name, later(getattr(time, name)))
import dpaudit
from dpaudit.collect import collect
found = {}
audits = {a.name: a.audit for a in collect(["audits"]).audits}
for name in sys.argv[2:]:
    audit = audits[name]
    report = dpaudit.audit(
        audit.mechanism, audit.claim, audit.neighbors, engines=["formal"], max_calls=20_000,
        max_seconds=None,
    )
    [evidence] = report.evidence
    found[name] = [str(report.verdict), evidence.steps, evidence.reason]
print(json.dumps(found))
"""


def steps_of(names, seed, speed="usual"):
    """Return verdict, steps and reason of each audit, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", STEPS_OF_SAMPLE, speed, *names],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_verdicts_and_steps_are_the_same_whatever_the_hash_seed_the_order_and_the_clock():
    names = (*sampled(SAMPLE, 3), MANY_SHAPES)
    first = steps_of(names, 1)
    assert {verdict for verdict, *_ in first.values()} == {"VERIFIED", "REFUTED"}
    assert steps_of(names[::-1], 2, "slow") == first  # all three are otherwise


def test_the_second_of_two_equal_questions_takes_as_many_steps_as_the_first():
    def asked():
        report = dpaudit.audit(
            svt_unbalanced, PureDP(1.0), QueryAnswers(4), engines=["formal"], max_calls=20_000
        )
        return report.evidence[0].steps

    first = asked()
    assert first > 0
    assert asked() == first


CLOCKS = {"clock_gettime", "monotonic", "perf_counter", "process_time", "thread_time", "time"}
LIMITS = {"timeout", "tlimit", "tlimit-per"}


def clocks_read(path):
    """Yield lines of a module that read a clock, or that give a solver a limit on time."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "time" and node.attr.removesuffix("_ns") in CLOCKS:
                yield node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            first = node.args[0] if node.args else None
            named = isinstance(first, ast.Constant) and first.value in LIMITS
            if node.func.attr in ("set", "setOption") and named:
                yield node.lineno


@pytest.mark.parametrize(("room", "clock"), [("formal", "clock.py"), ("checker", "limits.py")])
def test_no_module_reads_a_clock_but_one(room, clock):
    places = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        if path != PACKAGE / room / clock
        for line in clocks_read(path)
    ]
    assert places == []
    assert list(clocks_read(PACKAGE / room / clock))


def test_sleep_takes_no_steps_and_charges_add_up():
    with fresh():
        time.sleep(0.05)
        assert steps() == 0
        charge(SECOND // 2)
        assert now() == 0.5


def test_steps_that_are_used_up_end_the_work_at_the_next_charge_and_at_each_after_it():
    seen = []

    def work():
        while True:
            try:
                charge(1_000)
            except Exception:  # what libraries do must not keep the limit from holding
                continue
            seen.append(1)

    with fresh():
        with pytest.raises(OutOfSteps):
            bounded(1.0, work)
        assert len(seen) == SECOND // 1_000
        charge(10 * SECOND)  # nothing holds outside


def test_an_inner_limit_does_not_lengthen_an_outer_one():
    def outer():
        with pytest.raises(OutOfSteps):
            bounded(5.0, lambda: charge(2 * SECOND))
        charge(0)

    with fresh(), pytest.raises(OutOfSteps):
        bounded(1.0, outer)


def test_threads_count_for_themselves():
    told = []

    def other():
        charge(7)
        told.append(steps())

    with fresh():
        charge(3)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert (steps(), told) == (3, [7])


def test_an_undecided_step_takes_the_same_steps_each_time():
    derivation = Derivation(
        {"x": "positive", "y": "positive"},
        steps=[("x*y - y**2/7", "<=", "exp(x)*log(1 + y)")],
    )
    took = []
    for _ in range(2):
        with fresh():
            check_derivation(derivation, timeout=0.2)
            took.append(steps())
    assert took[0] == took[1] > 0


def count(data, rng):
    return len(data) + rng.laplace()


@pytest.mark.parametrize(
    ("timeout", "most", "seconds", "real"),
    [
        (None, None, SECONDS, None),
        (700.0, None, 700.0, 700.0),
        (None, 15.0, SECONDS, 15.0),
        (700.0, 15.0, 700.0, 15.0),
    ],
)
def test_real_time_counts_only_where_a_user_limits_it(monkeypatch, timeout, most, seconds, real):
    seen = []

    def decided(subject, claim, neighbors, given, limit, runner, check=None):
        seen.append((given, limit.working))
        assert limit.left() == pytest.approx(NET * given if real is None else real, rel=0.1)
        return attempts.Answer(None, reason="looked at")

    monkeypatch.setattr(attempts, "decided_by", decided)
    people = AddRemove(Real(0, 1))
    engine = FormalEngine(timeout)
    engine.examine(Subject.of(count), PureDP(1.0), people, Budget(max_seconds=most))
    assert seen == [(seconds, real is None)]


def endless(*arguments, deadline, **keywords):
    while True:
        time.sleep(0.01)


def test_a_report_says_that_the_limit_of_the_user_ended_a_proof(monkeypatch):
    monkeypatch.setattr("dpaudit.formal.cost.prove_by_cost", endless)
    report = dpaudit.verify(count, PureDP(1.0), AddRemove(Real(0, 1)), timeout=0.5)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "0.5 s of real time ended the " in report.reason
    assert "raise `timeout` or `max_seconds`" in report.reason


def test_a_report_says_what_stopped_the_proofs_before_the_one_that_the_limit_ended(monkeypatch):
    def too_little(data, rng):
        return len(data) + rng.laplace(scale=0.5)

    def ends(*arguments, deadline):
        raise OutOfTime

    monkeypatch.setattr("dpaudit.formal.lemma.prove_by_lemma", ends)
    report = dpaudit.verify(too_little, PureDP(1.0), AddRemove(Real(0, 1)), timeout=60.0)
    assert report.verdict is Verdict.INCONCLUSIVE
    stopped, ended = report.reason.split("; 60 s of real time ended the ")
    assert "may cost 2" in stopped
    assert ended.startswith("proof by lemmas; raise")


def spinning(*arguments, deadline, **keywords):
    while True:
        pass


def test_work_that_charges_nothing_is_reported_as_a_fault(monkeypatch):
    monkeypatch.setattr("dpaudit.formal.cost.prove_by_cost", spinning)
    monkeypatch.setattr("dpaudit.formal.clock.NET", 0.02)
    report = dpaudit.audit(
        count,
        PureDP(1.0),
        AddRemove(Real(0, 1)),
        engines=["formal"],
        max_calls=1,
        max_seconds=None,
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "fault of dpaudit" in report.reason


def test_evidence_says_its_steps_and_its_budget():
    report = dpaudit.verify(count, PureDP(1.0), AddRemove(Real(0, 1)))
    [evidence] = report.evidence
    assert 0 < evidence.steps < evidence.steps_budget == VERIFYING * SECOND
    told = report.to_dict()["evidence"][0]
    assert (told["steps"], told["steps_budget"]) == (evidence.steps, evidence.steps_budget)


def test_steps_that_run_out_are_the_reason_and_never_a_pass():
    engine = FormalEngine(budget=1e-9)
    report = dpaudit.audit(count, PureDP(1.0), QueryAnswers(3), engines=[engine], max_calls=1)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "the steps ran out" in report.reason
