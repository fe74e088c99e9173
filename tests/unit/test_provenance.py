"""What results say of where they come from."""

import hashlib
import html
import importlib
import json
import re
import subprocess
import sys

import pytest

import dpaudit
from dpaudit.checker import check
from dpaudit.report import provenance
from dpaudit.report.environment import environment_of, line_of
from dpaudit.report.formats import render
from dpaudit.report.provenance import of_mechanism, of_run
from dpaudit.report.sarif import run_sarif
from dpaudit.review.dossier import dossier
from tests.reporting import run_of
from tests.stored_runs import declared


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository whose mechanism imports two modules of its own, and NumPy."""
    package = tmp_path / "shop_of_provenance"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "bounds.py").write_text("import scipy\nHIGH = 1\n")
    (package / "release.py").write_text(
        "import numpy as np\nfrom .bounds import HIGH\ndef total(data): return data.sum() + HIGH\n"
    )
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "unused.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    yield tmp_path
    for name in [n for n in sys.modules if n.startswith(package.name)]:
        del sys.modules[name]


def test_run_names_commit_date_and_packages(project):
    made = of_run({"jobs": 2, "paths": ("audits",), "json_file": str(project / "run.json")})
    assert len(made["commit"]) == 40
    assert made["dirty"] is False
    assert made["packages"]["numpy"]
    assert made["options"] == {"jobs": 2, "paths": ["audits"], "json_file": "run.json"}
    assert str(project) not in json.dumps(made)


def test_changed_file_makes_the_commit_dirty(project):
    (project / "unused.py").write_text("x = 1\n")
    assert of_run()["dirty"] is True


def test_outside_of_a_repository_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert of_run()["commit"] is None


def test_mechanism_names_its_files_and_the_packages_that_they_import(project):
    release = importlib.import_module("shop_of_provenance.release")
    made = of_mechanism(release.__file__)
    assert sorted(made["files"]) == [
        "shop_of_provenance/__init__.py",
        "shop_of_provenance/bounds.py",
        "shop_of_provenance/release.py",
    ]
    content = (project / "shop_of_provenance" / "bounds.py").read_bytes()
    assert made["files"]["shop_of_provenance/bounds.py"] == hashlib.sha256(content).hexdigest()
    assert sorted(made["packages"]) == ["numpy", "scipy"]


def test_file_outside_of_the_repository_is_not_read(project):
    assert of_mechanism(json.__file__) == {"files": {}, "packages": {}}


def test_a_mechanism_in_an_installed_package_has_its_version_and_a_hash(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    (folder / "vendored").mkdir(parents=True)
    info = folder / "vendored-1.2.dist-info"
    info.mkdir()
    code = folder / "vendored" / "__init__.py"
    code.write_text("x = 1\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendored\nVersion: 1.2\n")
    (info / "top_level.txt").write_text("vendored\n")
    (info / "RECORD").write_text("vendored/__init__.py,,\nvendored-1.2.dist-info/METADATA,,\n")
    monkeypatch.syspath_prepend(str(folder))

    def found():
        for cached in (provenance._of_package, provenance._distributions, provenance._version):
            cached.cache_clear()
        return of_mechanism(str(code))

    first = found()
    assert first["packages"] == {"vendored": "1.2"}
    assert re.fullmatch("[0-9a-f]{64}", first["hashes"]["vendored"])
    assert found() == first
    code.write_text("x = 2\n")
    assert found()["hashes"] != first["hashes"]
    run = {"provenance": {}, "audits": [{"report": {"provenance": first}}]}
    assert environment_of(run)["vendored"].startswith("1.2, SHA-256 of its files ")
    provenance._distributions.cache_clear()


def test_dossier_shows_the_environment_of_the_run_not_its_own():
    run = run_of(("audits/a.py::mean", None, "NOT_REFUTED"))
    run["provenance"] |= {"python": "CPython 3.99", "packages": {"numpy": "9.9"}}
    found = dossier(run, {"findings": [], "ignored": [], "failures": []}, {})["environment"]
    assert (found["python"], found["numpy"]) == ("CPython 3.99", "9.9")


def test_older_run_does_not_get_the_environment_of_this_one():
    assert environment_of({"audits": []}) == {
        "environment": "not stated in the run; run the audits anew"
    }
    assert line_of({"audits": []}) == ""


def stored():
    """A run with a commit, options and packages of a mechanism."""
    run = declared()
    run["provenance"] = {
        "date": "2026-05-04T03:02:01+00:00", "commit": "c0ffee", "dirty": True,
        "python": "CPython 3.12.9", "platform": "Linux-6", "packages": {"numpy": "2.9.9"},
        "options": {"jobs": 2, "seed": 77, "total": None},
    }  # fmt: skip
    run["audits"][0]["report"]["provenance"] = {"files": {}, "packages": {"polars": "1.2.3"}}
    return run


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown"])
def test_every_report_states_date_commit_python_platform_packages_seeds_and_options(form):
    shown = html.unescape(render(stored(), form))
    parts = ("2026-05-04T03:02:01", "c0ffee with changes", "CPython 3.12.9", "Linux-6")
    for part in (*parts, "2.9.9", "polars", "1.2.3", "seeds", "jobs=2, seed=77"):
        assert part in shown, part
    assert "total=" not in shown


def test_times_of_a_run_are_where_sarif_and_junit_have_them():
    [written] = json.loads(render(stored(), "sarif"))["runs"]
    assert written["invocations"][0]["endTimeUtc"] == "2026-05-04T03:02:01Z"
    assert 'timestamp="2026-05-04T03:02:01Z"' in render(stored(), "junit")


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown"])
def test_a_run_without_an_environment_does_not_get_one(form):
    run = declared()
    del run["provenance"]
    shown = render(run, form)
    assert "nvironment" not in shown
    assert "endTimeUtc" not in shown
    assert "timestamp" not in shown


def test_sarif_names_the_version_of_its_driver():
    run = run_of(("audits/a.py::mean", None, "NOT_REFUTED"))
    driver = json.loads(run_sarif(run))["runs"][0]["tool"]["driver"]
    assert driver["version"] == run["dpaudit"]


def test_certificate_and_script_hold_no_absolute_path(project):
    (project / "shop_of_provenance" / "noise.py").write_text(
        "def total(data, rng):\n    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)\n"
        "def raw(data, rng):\n    return data.clip(0, 1).sum() + rng.laplace(scale=0.01)\n"
    )
    noise = importlib.import_module("shop_of_provenance.noise")
    near = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    proved = dpaudit.verify(noise.total, dpaudit.PureDP(1.0), near)
    assert str(project) not in json.dumps(proved.certificate.to_dict())
    assert check(proved.certificate.to_dict(), mechanism=noise.total).accepted
    refuted = dpaudit.audit(noise.raw, dpaudit.PureDP(1.0), near, engines=["statistical"])
    script = refuted.witness.script()
    assert str(project) not in script
    (project / "w").mkdir()
    (project / "w" / "witness.py").write_text(script)
    command = [sys.executable, str(project / "w" / "witness.py"), "100"]
    subprocess.run(command, check=True, cwd="/", capture_output=True)
