"""What a mechanism prints, logs and warns of is part of what it puts out."""

import itertools
import logging
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from dpaudit.outputs.observed import observed
from dpaudit.subject import Subject
from dpaudit.worker import InPlace
from dpaudit.worker.tasks import Task
from tests.sweeps import repeated, sampled
from tests.unit.observed_programs import (
    BROKEN,
    SOUND,
    Accountant,
    formats_the_size,
    logs_below_the_level,
    logs_the_time_and_the_size,
    prints_the_date,
    prints_the_size,
    saves_the_data,
    warns_of_no_records,
    writes_the_size,
)

INCOMES = AddRemove(Real(0, 100), max_size=6)
ONE = PureDP(1.0)
LEVEL = 1e-4
FEW = 99  # calls; the search for memory between calls needs more


def run(mechanism, **options):
    return dpaudit.audit(
        mechanism, ONE, INCOMES, engines=["statistical"], progress=False, **options
    )


@pytest.mark.parametrize("mechanism", sampled(SOUND, 2), ids=lambda m: m.__name__)
def test_texts_of_noisy_numbers_are_no_violation(mechanism):
    """Fails with probability at most 1e-4 a case under a fresh seed: the level of each audit.

    A full sweep (tests/sweeps.py) makes 8,000 calls.
    """
    assert Subject.of(mechanism).emits
    report = run(mechanism, alpha=LEVEL, max_calls=repeated(800, full=8_000), max_seconds=None)
    assert report.verdict is not Verdict.REFUTED


def test_calls_that_refute_what_leaks_by_texts_refute_nothing_that_is_sound():
    """All of them in every run of the tests; `FEW` calls take a fifth of a second each.

    A fresh seed would refute one of the sound ones with probability at most 32 * 1e-4. The broken
    ones leak with probability 1.
    """

    def refuted(mechanisms):
        options = {"alpha": LEVEL, "max_calls": FEW, "max_seconds": None}
        reports = {mechanism.__name__: run(mechanism, **options) for mechanism in mechanisms}
        return {name for name, each in reports.items() if each.verdict is Verdict.REFUTED}

    assert len(SOUND) >= 20
    assert refuted(SOUND) == set()
    broken = [prints_the_size, logs_the_time_and_the_size, writes_the_size]
    assert refuted(broken) == {each.__name__ for each in broken}


@pytest.mark.parametrize("mechanism", BROKEN, ids=lambda m: m.__name__)
def test_texts_that_hold_private_values_are_refuted(mechanism):
    """Events of probability 1 against 0, and one of two equations: a fresh seed never fails."""
    report = run(mechanism, alpha=LEVEL, max_calls=20_000, max_seconds=None)
    assert report.verdict is Verdict.REFUTED


def test_a_text_that_belongs_to_the_dataset_is_named_as_a_raw_value():
    report = run(prints_the_size, max_calls=5_000)
    [finding] = [f for f in report.findings if f.level == "error"]
    assert finding.id == "DPA101"
    assert "printed" in finding.message


@pytest.mark.parametrize("mechanism", [prints_the_size, logs_below_the_level, formats_the_size])
def test_a_refutation_from_the_source_is_confirmed_by_what_runs_print(mechanism):
    report = dpaudit.verify(mechanism, ONE, INCOMES)
    assert report.verdict is Verdict.REFUTED
    [finding] = [f for f in report.findings if f.level == "error"]
    assert finding.id == "DPA101"
    lines = Path(finding.file).read_text(encoding="utf-8").splitlines()
    assert lines[finding.line - 1].strip().startswith(("print", "log"))


def test_the_script_of_a_witness_sees_the_texts(tmp_path):
    report = run(prints_the_size, max_calls=5_000)
    script = tmp_path / "witness.py"
    script.write_text(report.witness.script(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), "200"], capture_output=True, text=True, check=True
    )
    assert "these counts contradict" in done.stdout
    lines = done.stdout.splitlines()
    assert not any(line.startswith("records") for line in lines)  # what the mechanism prints


def test_entries_are_templates_with_their_numbers():
    def loud(n):
        print("n =", n, "of 1e3")
        logging.info("exact %d and %s", n, "x2")
        warnings.warn(f"only {n}", stacklevel=2)
        print("at 0x7f00aa11bb22 on 2026-01-02T03:04:05.678Z")

    returned, entries = observed(loud)(7)
    assert returned is None
    assert entries == (
        ("written", "n = {} of {}", 7.0, 1000.0),
        ("INFO", "exact %d and %s", 7, "x2"),
        ("UserWarning", "only {}", 7.0),
        ("written", "at … on …"),
    )


def test_clocks_and_streams_are_as_before_afterwards():
    before = time.time, perf_counter, sys.stdout, logging.Logger.handle, warnings.showwarning
    with pytest.raises(ZeroDivisionError):
        observed(lambda data: print(1 / data))(0)
    observed(prints_the_date)([], np.random.default_rng(0))
    after = time.time, perf_counter, sys.stdout, logging.Logger.handle, warnings.showwarning
    assert before == after


def silent(data, rng):
    return np.log(len(data) + 2) + rng.laplace()


def test_only_mechanisms_whose_code_names_what_emits_are_observed():
    assert not Subject.of(silent).emits
    assert not Subject.of(partial(silent)).emits
    assert Subject.of(partial(prints_the_size)).emits
    assert Subject.of(lambda data, rng: Accountant(1.0).count(data, rng)).emits
    assert Subject.of(Accountant(1.0).count).emits


def at_line(report, text):
    """Return whether the first error is of a line with this text."""
    finding = next(f for f in report.findings if f.level == "error")
    lines = Path(finding.file).read_text(encoding="utf-8").splitlines()
    return finding.id == "DPA101" and text in lines[finding.line - 1]


@pytest.mark.parametrize(
    ("mechanism", "text"),
    sampled(
        [
            (prints_the_size, "print("),
            (logs_below_the_level, "log.debug("),
            (logs_the_time_and_the_size, "log.info("),
            (warns_of_no_records, "warnings.warn("),
            (writes_the_size, "open("),
            (saves_the_data, "np.savetxt("),
        ],
        3,
    ),
)
def test_a_trace_finds_the_line_that_emits_a_private_value(mechanism, text):
    """Events of probability 1 against 0: a fresh seed never fails."""
    report = dpaudit.audit(mechanism, ONE, INCOMES, engines=["trace"], max_calls=3_000)
    assert report.verdict is Verdict.REFUTED
    assert at_line(report, text)


def test_files_of_the_user_are_neither_written_nor_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = {name: tmp_path / name for name in ("size.txt", "old.csv")}
    for path in kept.values():
        path.write_text("mine", encoding="utf-8")
    beside = tmp_path / "folder" / "new.txt"

    def writes(data, rng):
        assert Path("size.txt").read_text(encoding="utf-8") == "mine"
        Path("size.txt").write_text("yours", encoding="utf-8")
        assert Path("size.txt").read_text(encoding="utf-8") == "yours"
        kept["old.csv"].unlink()
        beside.parent.mkdir()
        beside.write_text("new", encoding="utf-8")
        assert beside.exists()
        return 0

    before = Path.cwd()
    _, entries = observed(writes)([], None)
    assert Path.cwd() == before
    assert {path.read_text(encoding="utf-8") for path in kept.values()} == {"mine"}
    assert not beside.parent.exists()
    assert [entry[1].rpartition("/")[2] for entry in entries] == ["new.txt: new", "size.txt: yours"]


@pytest.mark.parametrize(
    ("mechanism", "left"),
    sampled(
        [
            (logs_below_the_level, ("return", "print", "warnings", "files", "exceptions")),
            (prints_the_size, ("return", "logging")),
            (warns_of_no_records, ("return", "logging")),
            (writes_the_size, ("return", "logging")),
        ],
        2,
    ),
)
def test_what_stays_inside_refutes_no_claim_and_is_listed(mechanism, left):
    """Fails with probability at most 1e-4 a case under a fresh seed: the level of each audit."""
    report = dpaudit.audit(
        mechanism, ONE, INCOMES, alpha=LEVEL, max_calls=4_000, max_seconds=None, observes=left
    )
    assert report.verdict is not Verdict.REFUTED
    assert any("does not see" in sentence for sentence in report.assumptions)


def test_a_proof_leaves_out_what_stays_inside():
    report = dpaudit.verify(logs_below_the_level, ONE, INCOMES, observes=["return", "exceptions"])
    assert report.verdict is Verdict.VERIFIED
    report = dpaudit.verify(logs_below_the_level, ONE, INCOMES, observes=["return", "logging"])
    assert report.verdict is not Verdict.VERIFIED


def raises_the_size(data, rng):
    raise ValueError(f"{len(data)} records")


def test_the_text_of_an_exception_leaves_unless_it_stays_inside():
    assert run(raises_the_size, max_calls=2_000).verdict is Verdict.REFUTED
    inside = ("return", "print")
    report = run(raises_the_size, max_calls=2_000, observes=inside)
    assert report.verdict is not Verdict.REFUTED


def test_what_is_no_way_out_is_refused():
    with pytest.raises(ValueError, match="must name some of"):
        run(silent, observes=["stdout"])


@pytest.mark.parametrize("first", [0, 1])
def test_a_counter_does_not_tell_which_side_was_called_first(first):
    """The number of the call is even on either side about half the time; 20 standard errors."""
    numbers = itertools.count(first)

    def parity(data, rng):
        return float(next(numbers) % 2)

    task = Task(np.zeros(1), np.zeros(2), "coupled", 2000, (1,))
    [draws] = InPlace(Subject.of(parity)).run([task])
    assert abs(draws.left.numbers[""].mean() - 0.5) < 20 * 0.5 / 2000**0.5
