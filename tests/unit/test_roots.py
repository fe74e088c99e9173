"""Which folder is a file's project, and which its repository."""

import json
from pathlib import Path

import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.collect import CollectedAudit, CollectionFailure
from dpaudit.declare import Audit
from dpaudit.outcome import Outcome, run_to_dict
from dpaudit.report.formats import render
from dpaudit.report.lint import lint_to_dict
from dpaudit.report.sarif import lint_sarif
from dpaudit.roots import project_file, project_root, repository_root
from dpaudit.settings import read_settings
from dpaudit.static.lint import lint


@pytest.fixture
def monorepo(tmp_path, monkeypatch):
    """A repository of two projects, of which one is the working directory."""
    (tmp_path / ".git").mkdir()
    for name in ("shop", "bank"):
        (tmp_path / name / "audits").mkdir(parents=True)
        (tmp_path / name / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path


def test_project_is_the_nearest_pyproject_and_the_repository_is_around_it(monorepo):
    for name in ("shop", "bank"):
        inside = monorepo / name / "audits"
        assert project_root(inside) == monorepo / name
        assert project_file(inside) == monorepo / name / "pyproject.toml"
        assert repository_root(inside) == monorepo


def test_without_pyproject_the_project_is_where_one_works_if_the_folder_is_in_it(
    tmp_path, monkeypatch
):
    (tmp_path / "here" / "audits").mkdir(parents=True)
    (tmp_path / "there" / "audits").mkdir(parents=True)
    (tmp_path / "there" / ".git").write_text("gitdir: elsewhere")  # a worktree
    (tmp_path / "alone").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert project_file(tmp_path / "here") is None
    assert project_root(tmp_path / "here" / "audits") == tmp_path / "here"
    assert project_root(tmp_path / "there" / "audits") == tmp_path / "there"
    assert project_root(tmp_path / "alone") == tmp_path / "alone"
    assert repository_root(tmp_path / "here" / "audits") == tmp_path / "here"


def test_folder_called_pyproject_is_no_project(tmp_path, monkeypatch):
    (tmp_path / "inner" / "pyproject.toml").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert project_root(tmp_path / "inner") == tmp_path
    assert read_settings(tmp_path / "inner").paths == ("audits",)


def test_sarif_of_a_run_names_files_from_the_root_of_the_repository(monorepo):
    audit = Audit(len, PureDP(1.0), AddRemove(Real(0, 1)))
    dead = Outcome(CollectedAudit("audits/a.py::x", audit, 7), error="it died")
    failed = CollectionFailure("audits/b.py", "does not import: SyntaxError (line 3)")
    run = json.loads(json.dumps(run_to_dict([dead], [failed], 3)))
    assert _places(render(run, "sarif")) == [("shop/audits/a.py", 7), ("shop/audits/b.py", 3)]
    [written] = run["audits"]
    assert written["name"] == "audits/a.py::x"  # as dpaudit run takes it here


def test_sarif_of_lint_names_files_from_the_root_of_the_repository(monorepo):
    Path("odd.py").write_text("def release(data, rng):\n    return (\n")
    linted = lint_to_dict(lint(["odd.py"]), 3)
    assert [file for file, _ in _places(lint_sarif(linted))] == ["shop/odd.py"]


def _places(sarif):
    places = [
        result["locations"][0]["physicalLocation"]
        for result in json.loads(sarif)["runs"][0]["results"]
    ]
    return [(p["artifactLocation"]["uri"], p["region"]["startLine"]) for p in places]
