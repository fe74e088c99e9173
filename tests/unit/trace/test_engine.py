"""The engine: suspects with id and line, findings only where sampling confirms them."""

import copy
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, QueryAnswers, Real, ReplaceOne, Verdict
from dpaudit.evidence import Budget
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.worker import InPlace
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.count_raises_on_empty import count_raises_on_empty
from mechanisms.flawed.histogram_data_range import histogram_data_range
from mechanisms.flawed.laplace_fixed_seed import laplace_fixed_seed
from mechanisms.flawed.mean_data_bounds import mean_data_bounds
from mechanisms.flawed.mean_epsilon_twice import mean_epsilon_twice
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.mean_raw_count import mean_raw_count
from mechanisms.flawed.subsampled_bootstrap import subsampled_bootstrap
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from mechanisms.flawed.sum_range_sensitivity import sum_range_sensitivity
from mechanisms.flawed.svt_no_stop import svt_no_stop

records = AddRemove(Real(0, 100), max_size=8)


def traced(mechanism, neighbors=records, **options):
    subject = Subject.of(mechanism)
    engine = TraceEngine(pairs=40, **{"share": 0.0, **options})
    return engine.examine(subject, PureDP(1.0), neighbors, Budget(), runner=InPlace(subject))


def line_with(mechanism, text):
    source = Path(mechanism.__code__.co_filename).read_text().splitlines()
    return next(i for i, line in enumerate(source, 1) if text in line)


def test_traces_that_time_ended_say_after_how_many_calls(monkeypatch):
    assert not traced(clipped_sum).notes
    looks = itertools.count(0.0)
    monkeypatch.setattr("dpaudit.worker.deadline.now", lambda: next(looks))
    evidence = traced(clipped_sum, seconds=30.0)
    assert evidence.cut_short
    assert any("time ended the traces, after 29 calls" in note for note in evidence.notes)


CASES = {
    "DPA101": (mean_raw_count, records, "return noisy_sum"),
    "DPA103": (mean_local_sensitivity, records, "return float("),
    "DPA104": (sum_minmax_nan, AddRemove(Real(0, 100, allow_nan=True), max_size=8), "total ="),
    "DPA105": (sum_range_sensitivity, AddRemove(Real(100, 125), max_size=8), "total ="),
    "DPA107": (mean_epsilon_twice, records, "noisy_count ="),
    "DPA108": (count_raises_on_empty, records, "if len(data) == 0"),
}


@pytest.mark.parametrize("id", CASES)
def test_the_cause_has_its_id_and_its_line(id):
    mechanism, neighbors, text = CASES[id]
    if id == "DPA105":
        from functools import partial

        evidence = traced(partial(mechanism, low=100.0, high=125.0), neighbors)
    else:
        evidence = traced(mechanism, neighbors)
    finding = evidence.suspects[0].finding
    assert finding.id == id
    assert (finding.file, finding.line) == (
        mechanism.__code__.co_filename,
        line_with(mechanism, text),
    )
    assert mechanism.__code__.co_filename not in finding.message


def test_a_fixed_seed_is_found_where_it_is_set():
    finding = traced(laplace_fixed_seed, dpaudit.AnyPair(Real(0, 1))).suspects[0].finding
    assert finding.id == "DPA110"
    assert finding.line == line_with(laplace_fixed_seed, "default_rng(0)")


def test_a_suspicion_alone_is_no_verdict():
    evidence = traced(mean_local_sensitivity)
    assert evidence.verdict is None
    assert evidence.findings == ()
    assert "DPA103" in evidence.reason


def test_what_sampling_confirms_is_a_refutation_with_the_line():
    report = dpaudit.audit(sum_range_sensitivity_of_125, PureDP(1.0), far, engines=["trace"])
    (finding,) = report.findings
    assert report.verdict is Verdict.REFUTED
    assert (finding.id, finding.engine) == ("DPA105", "trace")
    assert finding.line == line_with(sum_range_sensitivity, "total =")
    assert finding.related
    assert report.witness is not None
    assert report.alpha_spent <= report.alpha


far = AddRemove(Real(100, 125), max_size=8)


def sum_range_sensitivity_of_125(data, rng):
    return sum_range_sensitivity(data, rng, low=100.0, high=125.0)


def test_engines_share_calls_and_error_probability():
    report = dpaudit.audit(
        clipped_sum, PureDP(1.0), records, engines=["trace", "statistical"], max_calls=4_000
    )
    assert report.findings == ()
    assert report.calls <= 4_000
    assert report.alpha_spent <= report.alpha


def test_what_shows_in_every_output_is_refuted_before_noise_is_steered():
    """Equal records get no noise at all: a few hundred plain calls on the suspect's pair do."""
    report = dpaudit.audit(
        mean_data_bounds,
        PureDP(1.0),
        ReplaceOne(Real(0, 100), size=5),
        engines=["trace", "statistical"],
        max_calls=100_000,
    )
    assert [finding.id for finding in report.findings] == ["DPA103"]
    assert "confirmed by sampling" in report.evidence[0].reason
    assert report.calls < 900
    assert report.alpha_spent <= report.alpha


def test_a_suspect_that_earns_nothing_is_left_to_the_sampling_that_follows():
    """The dearest path is that of a record drawn often, on a pair that tells little."""
    evidence = TraceEngine(share=0.4, followed=True).examine(
        subject := Subject.of(subsampled_bootstrap),
        PureDP(1.0),
        ReplaceOne(Real(0, 1), size=10),
        Budget(max_calls=1_000_000),
        runner=InPlace(subject),
    )
    assert evidence.verdict is None
    assert evidence.suspects
    assert evidence.calls < 8_000  # of 400,000


def test_a_suspect_that_earns_is_drawn_from_until_it_refutes():
    """Some 7,000 calls with seeds 0 to 2, of which 4,000 do not suffice."""
    evidence = TraceEngine(share=0.4, followed=True).examine(
        subject := Subject.of(svt_no_stop),
        PureDP(1.0),
        QueryAnswers(20),
        Budget(max_calls=1_000_000),
        runner=InPlace(subject),
    )
    assert evidence.verdict is Verdict.REFUTED
    assert evidence.alpha_spent <= 1e-6


def test_a_sound_mechanism_of_infinite_identity_cost_has_no_finding():
    """Rejection into a range: the path tells the data apart, and the outputs do not.

    With a fresh seed a false alarm has probability at most 1e-6.
    """

    def redrawn(data, rng):
        while True:
            noisy = rng.normal(0.0, 1.0)
            if abs(noisy) < 2:
                return noisy

    report = dpaudit.audit(
        redrawn, PureDP(1.0), records, engines=["trace", "statistical"], max_calls=4_000
    )
    assert report.findings == ()


def test_a_mechanism_that_remembers_is_suspected_at_the_line_that_keeps():
    evidence = traced(remembering)
    finding = evidence.suspects[0].finding
    assert finding.id == "DPA116"
    assert finding.line == remembering.__code__.co_firstlineno + 1


seen_before = [0]


def remembering(data, rng):
    seen_before[0] += len(data)
    return seen_before[0] + rng.laplace()


hidden = (np.random.default_rng(5),)  # in a tuple nobody can replace it


def test_noise_that_nobody_sees_is_reported():
    def unseen(data):
        return hidden[0].laplace()

    evidence = traced(unseen)
    assert evidence.verdict is None
    assert evidence.suspects == ()
    assert evidence.reason == "noise not visible: 0 draws seen, output varies"


def test_noise_of_a_copied_generator_is_seen():
    def copied(data, rng):
        again = copy.deepcopy(copy.copy(rng))
        return len(data) + again.laplace(scale=0.5)

    finding = traced(copied).suspects[0].finding
    assert finding.id in ("DPA105", "DPA106")
    assert finding.line == copied.__code__.co_firstlineno + 2


def test_a_worker_process_finds_what_this_one_does():
    options = {"engines": [TraceEngine(pairs=40, share=0.0)], "max_calls": 2_000}
    reports = [
        dpaudit.audit(mean_local_sensitivity, PureDP(1.0), records, isolation=isolation, **options)
        for isolation in ("none", "process")
    ]
    here, apart = (report.evidence[0] for report in reports)
    assert [s.finding.message for s in apart.suspects] == [s.finding.message for s in here.suspects]
    assert apart.suspects
    assert (apart.calls, apart.pairs_tried, apart.reason) == (
        here.calls,
        here.pairs_tried,
        here.reason,
    )


def test_a_worker_that_dies_is_no_pass():
    def dying(data, rng):
        os._exit(3)

    report = dpaudit.audit(
        dying, PureDP(1.0), records, engines=["trace"], isolation="process", max_calls=100
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "worker process" in report.evidence[0].reason


def test_a_mechanism_without_end_is_no_pass():
    def endless(data, rng):
        while True:
            rng.laplace()

    evidence = traced(endless)
    assert evidence.verdict is None
    assert "without end" in evidence.reason


def test_a_mechanism_that_checks_types_strictly_is_run_with_plain_numbers():
    def strict(data, rng):
        noise = rng.laplace(scale=100.0)
        if type(noise) is not float:
            raise TypeError("a float is wanted")
        return float(data.sum()) + noise

    evidence = traced(strict)
    assert evidence.suspects == ()


@pytest.mark.parametrize("options", [{"pairs": 0}, {"share": 1.0}, {"share": -0.1}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match="usual"):
        TraceEngine(**options)


def test_a_histogram_of_the_datas_range_is_suspected():
    assert traced(histogram_data_range).suspects


def one_of_three_noises_and_a_count(data, rng):
    noises = [rng.laplace(scale=1.0) for _ in range(3)]
    return noises[len(data) % 3], len(data) + rng.laplace(scale=0.2)


def test_noise_that_hides_nothing_is_no_answer_that_the_data_chooses():
    evidence = traced(one_of_three_noises_and_a_count)
    found = [each.finding.id for each in evidence.suspects if each.finding is not None]
    assert found[0] == "DPA106"
    assert not {"DPA107", "DPA108"} & set(found)
