"""What a mechanism prints, logs and warns of is part of what it puts out."""

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
from tests.sweeps import repeated
from tests.unit.observed_programs import (
    BROKEN,
    SOUND,
    Accountant,
    formats_the_size,
    logs_below_the_level,
    prints_the_date,
    prints_the_size,
)

INCOMES = AddRemove(Real(0, 100), max_size=6)
ONE = PureDP(1.0)
LEVEL = 1e-4


def run(mechanism, **options):
    return dpaudit.audit(
        mechanism, ONE, INCOMES, engines=["statistical"], progress=False, **options
    )


@pytest.mark.parametrize("mechanism", SOUND, ids=lambda m: m.__name__)
def test_texts_of_noisy_numbers_are_no_violation(mechanism):
    """Fails with probability at most 1e-4 a case under a fresh seed: the level of each audit.

    A full sweep (tests/sweeps.py) makes 8,000 calls.
    """
    assert Subject.of(mechanism).emits
    report = run(mechanism, alpha=LEVEL, max_calls=repeated(3_000, full=8_000), max_seconds=None)
    assert report.verdict is not Verdict.REFUTED


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
    assert "records" not in done.stdout


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
