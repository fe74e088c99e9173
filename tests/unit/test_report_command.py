"""`dpaudit report`, and the formats of `dpaudit lint`."""

import json
import sys

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from tests.reporting import not_refuted, refuted, run_of

BROKEN = '''
import numpy as np

def dp_mean(data, rng):
    """A private mean."""
    scale = np.max(data) / len(data)
    return np.mean(data) + rng.laplace(scale=scale)
'''


@pytest.fixture
def run_file(tmp_path):
    run = run_of(
        ("audits/shop.py::leak", refuted(), "NOT_REFUTED"),
        ("audits/shop.py::fine", not_refuted(), "NOT_REFUTED"),
    )
    file = tmp_path / "run.json"
    file.write_text(json.dumps(run))
    return file


def dpaudit(*arguments, **options):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], **options)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.html", "<!DOCTYPE html>"),
        ("out.sarif", '{\n  "$schema"'),
        ("out.xml", "<?xml"),
        ("out.md", "## dpaudit"),
    ],
)
def test_report_is_in_the_format_that_its_file_is_named_after(run_file, tmp_path, name, start):
    done = dpaudit("report", run_file, "--output", tmp_path / name)
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / name).read_text().startswith(start)


def test_report_reads_stdin_and_prints(run_file):
    done = dpaudit("report", "-", "--format", "github", input=run_file.read_text())
    assert done.exit_code == 0
    assert done.output.startswith("::error file=shop/release.py,line=12,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json", "--format", "sarif"], "No such file"),
        (["nowhere.json"], "No such file"),
        (["{run}"], "give --format"),
        (["{run}", "--output", "out.pdf"], "give --format"),
        (["{run}", "--format", "pdf"], "sarif"),
        (["{run}", "--output", "nowhere/out.sarif"], "cannot be written"),
    ],
)
def test_report_says_what_is_wrong_with_its_usage(run_file, arguments, message):
    done = dpaudit("report", *(a.format(run=run_file) for a in arguments))
    assert done.exit_code == 2
    assert message in done.output


@pytest.mark.parametrize(
    ("name", "text"), [("e.csv", ""), ("b.json", '{"a":'), ("c.csv", "\0\xff")]
)
def test_file_of_records_that_cannot_be_read_is_named(tmp_path, monkeypatch, name, text):
    (tmp_path / "house_of_counts.py").write_text("def count(data, rng):\n    return 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / name).write_text(text, encoding="latin-1")
    asked = ("house_of_counts:count", "--claim", "PureDP(1)", "--around", name)
    done = dpaudit("audit", *asked)
    assert done.exit_code == 2
    assert f"Error: --around {name!r} cannot be read (" in done.output


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{}", "\x1b[31m", '{"audits": []}'])
def test_file_that_is_no_run_is_refused(tmp_path, text):
    (tmp_path / "odd.json").write_text(text)
    done = dpaudit("report", tmp_path / "odd.json", "--format", "sarif")
    assert done.exit_code == 2
    assert "cannot be used" in done.output
    assert "\x1b" not in done.output


@pytest.mark.parametrize("form", ["html", "sarif", "junit", "github", "markdown"])
def test_lint_writes_its_findings_in_every_format(tmp_path, monkeypatch, form):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "release.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path / "shop")
    done = dpaudit("lint", ".", "--format", form, "--output", "../found", "--fail-on", "warning")
    assert (done.exit_code, done.output) == (1, "")
    text = (tmp_path / "found").read_text()
    assert "DPA103" in text
    assert "shop/release.py" in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.sarif", "{"), ("a.xml", "<?xml"), ("a.md", "## "), ("a.json", "{"), ("a.txt", "release")],
)
def test_lint_writes_the_format_that_a_file_is_named_after(tmp_path, monkeypatch, name, begins):
    (tmp_path / "release.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    dpaudit("lint", "release.py", "--output", name)
    assert (tmp_path / name).read_text().startswith(begins)


def test_run_refuses_a_report_that_names_no_format_before_it_runs(tmp_path):
    done = dpaudit("run", tmp_path, "--report", "out.pdf")
    assert done.exit_code == 2
    assert "names no format" in done.output
