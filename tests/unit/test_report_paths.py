"""How reports name files, and the lines of source that they carry."""

import json
from pathlib import Path

import pytest

from dpaudit.report.excerpt import AROUND, excerpt
from dpaudit.report.json import report_to_dict
from dpaudit.report.paths import is_inside, local, shown
from dpaudit.roots import repository_root
from tests.reporting import evidence, finding, refuted, report


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop" / "inner").mkdir(parents=True)
    (tmp_path / "shop" / "pyproject.toml").write_text("")
    (tmp_path / "shop" / "release.py").write_text("".join(f"line {n}\n" for n in range(1, 41)))
    monkeypatch.chdir(tmp_path / "shop" / "inner")
    return tmp_path


def test_files_are_relative_to_the_repository_and_not_to_the_folder_or_package(repository):
    assert repository_root(Path.cwd()) == repository
    assert shown(str(repository / "shop" / "release.py")) == "shop/release.py"
    assert shown("../release.py") == "shop/release.py"
    assert shown("notes.py") == "shop/inner/notes.py"


def test_what_is_outside_or_no_file_keeps_its_name(repository):
    assert shown("/usr/lib/python3/random.py") == "/usr/lib/python3/random.py"
    assert shown("<string>") == "<string>"
    assert shown(None) is None
    assert shown("a\0b" + "x" * 5_000) is not None


def test_text_names_files_relative_to_the_repository(repository):
    said = f"{repository}/shop/release.py:3: a draw; {repository}/other.py:4: another"
    assert local(said) == "shop/release.py:3: a draw; other.py:4: another"
    assert local(f"{repository}s/x.py") == f"{repository}s/x.py"


def test_without_a_repository_the_project_is_the_root(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert repository_root(Path.cwd()) == tmp_path


@pytest.mark.parametrize("file", ["", None, "<string>", "/etc/passwd", "../x.py", "C:/x.py"])
def test_file_elsewhere_is_not_inside(file):
    assert not is_inside(file)


def test_excerpt_holds_the_cause_and_what_is_near(repository):
    file = str(repository / "shop" / "release.py")
    alone = excerpt(file, 20)
    assert alone == {"first": 17, "lines": [f"line {n}" for n in range(17, 24)]}
    wider = excerpt(file, 20, [(file, 26, "noise"), (file, 39, "output"), ("other.py", 1, "x")])
    assert (wider["first"], len(wider["lines"])) == (17, 26 + AROUND - 17 + 1)
    assert excerpt(file, 1)["first"] == 1
    assert excerpt(file, 40)["lines"][-1] == "line 40"


@pytest.mark.parametrize("place", [(None, 3), ("nowhere.py", 3), ("\0", 1), (__file__, 10**6)])
def test_there_is_no_excerpt_of_what_cannot_be_read(place):
    assert excerpt(*place) is None


def test_no_part_of_the_json_names_the_folder_of_the_repository(repository):
    file = str(repository / "shop" / "release.py")
    said = f"{file}:3: it is so"
    made = refuted(
        findings=(finding(file=file, message=said, related=((file, 13, said),)),),
        reason=said,
        notes=(said,),
    )
    text = json.dumps(report_to_dict(made)) + made.summary() + made._repr_html_()
    assert str(repository) not in text
    assert "shop/release.py" in text


def test_trail_is_thinned_to_its_last_point():
    long = tuple((n, n / 7) for n in range(1, 301))
    [written] = report_to_dict(report(evidence(None, trail=long)))["evidence"]
    assert len(written["trail"]) <= 64
    assert written["trail"][-1] == [300, float(f"{300 / 7:.6g}")]
    [empty] = report_to_dict(report(evidence(None, trail=(), sightings=None)))["evidence"]
    assert (empty["trail"], empty["sightings"]) == ([], None)


def test_curves_of_a_claim_are_its_own():
    curves = report_to_dict(report())["claim_curves"]
    assert curves["betas"][0] == 1.0
    assert curves["deltas"][curves["epsilons"].index(1.0)] == 0.0
    assert 0.46 < curves["deltas"][0] < 0.47  # tanh(1/2)
