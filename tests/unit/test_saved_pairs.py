"""Saved pairs: what refuted an audit in one run is tried first in the next ones."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit import AddRemove, Audit, Integer, PureDP, Real
from dpaudit.cli import cli
from dpaudit.collect import CollectedAudit
from dpaudit.outcome import Outcome
from dpaudit.saved_pairs import MOST, SavedPairs

VALUES = AddRemove(Real(0, 100), max_size=8)


def raw(data, rng):
    return float(len(data))


def count(data, rng):
    return len(data) + rng.laplace()


@cache
def refuted():
    pair = dpaudit.Pairs([([0.0], [])])
    return dpaudit.audit(raw, PureDP(1.0), pair, engines=["statistical"], max_calls=400)


def outcome_of(left, right, expect="NOT_REFUTED"):
    audit = Audit(raw, PureDP(1.0), VALUES, expect=expect)
    [evidence] = refuted().evidence
    witness = replace(evidence.witness, left=left, right=right)
    report = replace(refuted(), evidence=(replace(evidence, witness=witness),))
    return Outcome(CollectedAudit("audits.py::raw", audit), report)


def file_of(root):
    [file] = (root / ".dpaudit" / "examples").iterdir()
    return file


def test_the_pair_of_an_unexpected_refutation_is_saved_and_read_exactly(tmp_path):
    outcome = outcome_of(np.array([0.1, 0.2]), np.array([0.1]))
    saved = SavedPairs(tmp_path)
    assert not saved.options_of(outcome.collected)
    saved.keep(outcome)
    [(left, right)] = saved.options_of(outcome.collected)["saved"]
    sides = sorted((left.tolist(), right.tolist()))
    assert sides == [[0.1], [0.1, 0.2]]
    assert left.dtype == right.dtype == np.float64
    assert (tmp_path / ".dpaudit" / ".gitignore").is_file()


def test_the_pair_of_an_expected_refutation_is_not_saved(tmp_path):
    SavedPairs(tmp_path).keep(outcome_of([1.0, 2.0], [1.0], expect="REFUTED"))
    assert not (tmp_path / ".dpaudit").exists()


def test_the_newest_pairs_stay_and_each_once(tmp_path):
    saved = SavedPairs(tmp_path)
    for size in (*range(1, MOST + 3), 3):
        outcome = outcome_of([0.0] * size, [0.0] * (size - 1))
        saved.keep(outcome)
    found = saved.options_of(outcome.collected)["saved"]
    assert [max(map(len, pair)) for pair in found] == [3, 6, 5, 4]


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"layout": 2, "audit": "audits.py::raw", "pairs": []}',
        '{"layout": 1, "audit": "another", "pairs": [[1, 2]]}',
        '{"layout": 1, "audit": "audits.py::raw", "pairs": [[1]]}',
        '{"layout": 1, "audit": "audits.py::raw", "pairs": [[["evil", "x"], 1]]}',
        '{"layout": 1, "audit": "audits.py::raw", "pairs": 3}',
    ],
)
def test_a_file_of_another_kind_counts_as_none(tmp_path, text):
    outcome = outcome_of([1.0, 2.0], [1.0])
    saved = SavedPairs(tmp_path)
    saved.keep(outcome)
    file_of(tmp_path).write_text(text)
    assert not saved.options_of(outcome.collected)
    assert saved.text("audits.py::raw") == ""


def test_a_link_out_of_the_project_is_not_written_through(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    project = tmp_path / "project"
    (project / ".dpaudit").mkdir(parents=True)
    (project / ".dpaudit" / "examples").symlink_to(away)
    with pytest.raises(OSError, match="link"):
        SavedPairs(project).keep(outcome_of([1.0, 2.0], [1.0]))
    assert not list(away.iterdir())


def test_saved_pairs_of_other_neighbors_are_left_out_and_the_others_named():
    pairs = [([1.0, 2.0], [1.0]), ([1.0, 2.0, 3.0], [1.0]), ("text", None)]
    options = {"engines": ["statistical"], "max_calls": 200}
    report = dpaudit.audit(count, PureDP(1.0), VALUES, saved=pairs, **options)
    [note] = [note for note in report.evidence[-1].notes if "earlier refutations" in note]
    assert note.startswith("the audit tried the saved pairs of earlier refutations first (1 of ")
    report = dpaudit.audit(count, PureDP(1.0), AddRemove(Integer(5, 6)), saved=pairs, **options)
    assert not any("earlier refutations" in note for note in report.evidence[-1].notes)


HOUSE = """
import numpy as np
from dpaudit import AddRemove, Audit, PureDP, Real

def count(data, rng):
    return len(data) + rng.laplace(scale=SCALE if 37.25 in data else 1.0)

counts = Audit(
    count, PureDP(1.0), AddRemove(Real(0, 100), max_size=3), engines=["statistical"], max_calls=400
)
"""


def test_a_run_tries_what_refuted_an_earlier_one(tmp_path, monkeypatch):
    """The defect shows on datasets with 37.25 alone, which no pattern holds.

    The seeds are fixed; a sound mechanism would be refuted with probability at most 1e-6.
    """
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("")
    Path("audits").mkdir()

    def run(scale, name):
        Path("audits/counts.py").write_text(HOUSE.replace("SCALE", scale))
        made = CliRunner().invoke(cli, ["run", "--jobs", "1", "--json", f"{name}.json"])
        [audit] = json.loads(Path(f"{name}.json").read_text())["audits"]
        return made.exit_code, audit["report"]

    def saved(pair):
        examples = tmp_path / ".dpaudit" / "examples"
        name = "audits/counts.py::counts"
        file = SavedPairs(tmp_path)._file(name)
        examples.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"layout": 1, "audit": name, "pairs": [pair]}))

    saved([["list", 37.25, 1.0], ["list", 1.0]])
    code, report = run("0.05", "found")
    assert (code, report["verdict"]) == (1, "REFUTED")
    assert len(json.loads(file_of(tmp_path).read_text())["pairs"]) == 2  # the witness is smaller
    code, report = run("1.0", "repaired")
    assert report["verdict"] != "REFUTED"
    assert any("earlier refutations first" in note for note in report["evidence"][-1]["notes"])
