"""The static engine in an audit: it explains, and decides nothing."""

import inspect
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, PureDP, Real, ReplaceOne, Verdict
from dpaudit.evidence import Evidence, Finding
from dpaudit.verdict import Report, explained

PEOPLE = AddRemove(Real(0, 100), max_size=8)


def noisy_range_mean(data, rng, epsilon=1.0):
    spread = float(np.ptp(data)) if len(data) else 0.0
    return float(data.sum()) + rng.laplace(scale=spread / epsilon)


def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)


def per_record(data, rng, epsilon=1.0):
    return float(data.mean()) + rng.laplace(scale=100 / (len(data) * epsilon))


def found(mechanism, neighbors=PEOPLE):
    return dpaudit.audit(mechanism, PureDP(1.0), neighbors, engines=["static"])


def test_alone_it_refutes_nothing_and_passes_nothing():
    leaky, fine = found(noisy_range_mean), found(noisy_count)
    assert leaky.verdict is fine.verdict is Verdict.INCONCLUSIVE
    assert "reports suspicions only" in leaky.reason
    assert {f.level for f in leaky.findings} == {"note", "warning"}
    assert "DPA103" in {f.id for f in leaky.findings}
    assert "DPA103" not in {f.id for f in fine.findings}


def test_it_reads_under_the_neighbors_of_the_audit():
    private = found(per_record, PEOPLE).evidence[0].findings
    public = found(per_record, ReplaceOne(Real(0, 100), size=5)).evidence[0].findings
    assert "DPA103" in {f.id for f in private if f.level == "error"}
    assert "DPA103" not in {f.id for f in public}


@pytest.mark.parametrize(
    "mechanism",
    [
        partial(noisy_count, epsilon=0.5),
        lambda data, rng: len(data) + rng.laplace(),
        len,
        "math:fsum",
    ],
)
def test_any_mechanism_may_be_asked_about(mechanism):
    assert found(mechanism).verdict is Verdict.INCONCLUSIVE


def another_answer(value, rng, epsilon=1.0):
    answers = ["yes", "no", "perhaps"]
    if rng.random() <= np.exp(epsilon) / (np.exp(epsilon) + 2):
        return value
    others = [each for each in answers if each != value]
    return others[int(rng.integers(2))] if epsilon < 0 else rng.choice(others)


def keys_that_occur(data, rng):
    counts = Counter(data.tolist())
    return {key: counts[key] + rng.laplace() for key in counts}


def test_a_lambda_that_hands_on_is_judged_by_the_way_out_of_what_it_calls():
    choice = AnyPair(Categorical(["yes", "no", "perhaps"]))
    sound = found(lambda data, rng: another_answer(data, rng), choice).evidence[0].findings
    assert "DPA109" not in {f.id for f in sound}
    leaky = found(lambda data, rng: keys_that_occur(data, rng)).evidence[0].findings
    keyed = next(f for f in leaky if f.id == "DPA109")
    assert keyed.line == inspect.getsourcelines(keys_that_occur)[1] + 2


def test_a_refutation_by_sampling_lists_what_the_source_shows():
    """A fresh seed would change the verdict with probability at most 1e-6."""
    report = dpaudit.audit(
        noisy_range_mean,
        PureDP(1.0),
        PEOPLE,
        engines=["static", "statistical"],
        max_calls=100_000,
    )
    assert report.verdict is Verdict.REFUTED
    error = next(f for f in report.findings if f.level == "error")
    assert error.engine == "statistical"
    assert "DPA103" in (error.id, *error.also)
    assert any(line == noisy_range_mean.__code__.co_firstlineno + 2 for _, line, _ in error.related)


def shown(id, line, level="error"):
    return Finding(id, level, f"f: {id}", file="f.py", line=line, engine="static")


def sampled(id="DPA201"):
    return Finding(id, "error", "the outputs tell", file="f.py", line=1)


def test_a_cause_that_is_not_located_takes_the_id_and_line_of_the_source():
    first, *rest = explained([shown("DPA103", 7), sampled()], Verdict.REFUTED)
    assert (first.id, first.line, first.engine) == ("DPA103", 7, "statistical")
    assert first.also == ("DPA201",)
    assert [f.level for f in rest] == ["warning"]


def test_a_cause_that_sampling_located_keeps_its_id():
    first, *_ = explained([shown("DPA103", 7), sampled("DPA108")], Verdict.REFUTED)
    assert (first.id, first.line, first.also) == ("DPA108", 1, ("DPA103",))
    assert first.related == (("f.py", 7, "DPA103 in the source"),)


def test_a_cause_of_the_same_id_takes_the_line_of_the_source():
    first, *_ = explained([shown("DPA103", 7), sampled("DPA103")], Verdict.REFUTED)
    assert (first.id, first.line, first.also) == ("DPA103", 7, ())


def test_too_little_noise_that_a_trace_has_seen_keeps_its_id():
    seen = replace(sampled("DPA106"), engine="trace", line=4)
    first, *_ = explained([shown("DPA109", 7), seen], Verdict.REFUTED)
    assert (first.id, first.line, first.also) == ("DPA106", 4, ("DPA109",))


def test_two_explanations_leave_the_cause_open():
    found = [shown("DPA103", 7), shown("DPA101", 9), sampled()]
    first, *_ = explained(found, Verdict.REFUTED)
    assert (first.id, first.also) == ("DPA201", ("DPA103", "DPA101"))


def test_advice_explains_nothing():
    first, *_ = explained([shown("DPA111", 7, "warning"), sampled()], Verdict.REFUTED)
    assert first == sampled()


def test_without_a_refutation_the_source_warns():
    evidence = (
        Evidence("static", None, findings=(shown("DPA103", 7),)),
        Evidence("statistical", Verdict.NOT_REFUTED, detectable_epsilon=2.0),
    )
    report = Report("m:f", PureDP(1.0), "", (), evidence)
    assert report.verdict is Verdict.NOT_REFUTED
    assert [f.level for f in report.findings] == ["warning"]


def test_a_text_that_joins_names_is_no_module():
    """`"/"` as the name of a module was the root of the file system, which ended the audit."""

    def mechanism(data, rng):
        cells = ["/".join(cell) for cell in (("a", "b"), ("a", "c"))]
        return {cell: len(data) + rng.laplace(scale=2.0) for cell in cells}

    report = dpaudit.audit(mechanism, PureDP(1.0), PEOPLE, engines=["static"])
    assert "reports suspicions only" in report.reason


def test_a_fault_in_reading_the_source_ends_no_audit(monkeypatch):
    def fail(*given):
        raise ValueError

    monkeypatch.setattr("dpaudit.static.engine._examined", fail)
    report = dpaudit.audit(noisy_count, PureDP(1.0), PEOPLE, engines=["static", "trace"])
    assert [e.reason for e in report.evidence if e.engine == "static"] == [
        "reading the source failed (ValueError). This is a fault of dpaudit; please report it with "
        "the mechanism's source"
    ]
