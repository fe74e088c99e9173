"""What docs/ci.md says is true: its project turns red, and its commands run."""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
import yaml

from dpaudit.report.text import summary
from tests.reporting import refuted
from tests.sweeps import sampled

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
GITLAB = ROOT / "gitlab-template.yml"
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
MECHANISM, AUDIT, TESTS, FAMILY = re.findall(r"^```py\n(.*?)^```", PAGE, re.M | re.S)
COMMANDS = re.findall(r"^pytest (.*?) *#", PAGE, re.M)
SHELL = re.findall(r"^dpaudit (.*?) *#", PAGE, re.M)
[SETTINGS] = re.findall(r"^```toml\n(.*?)^```", PAGE, re.M | re.S)
WORKFLOWS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
LEAK = 1 + next(n for n, line in enumerate(MECHANISM.splitlines()) if "scale=" in line)

# pytest's own loader would rewrite every module of a distribution that has a plugin.
LOADED = """
def pytest_terminal_summary(terminalreporter):
    from dpaudit.declare import __file__, __spec__
    terminalreporter.write_line(f"{type(__spec__.loader).__name__} of {__file__}")
"""


@pytest.fixture
def shop(pytester):
    """Set up the project of the documents."""
    pytester.makepyprojecttoml("")
    for name, text in (("shop/release.py", MECHANISM), ("audits/release.py", AUDIT)):
        file = pytester.path / name
        file.parent.mkdir()
        file.write_text(text)
    return pytester


def test_project_that_adds_the_plugin_and_six_lines_gets_a_red_run_with_file_and_line(
    shop, monkeypatch, tmp_path_factory
):
    """A fresh environment gets the wheel; what it requires comes from that of the tests."""
    from hatchling.builders.wheel import WheelBuilder

    assert len(AUDIT.splitlines()) == 6
    folder = tmp_path_factory.mktemp("fresh")
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    Path(site.strip(), "required.pth").write_text(sysconfig.get_path("purelib"))
    install = ("pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    subprocess.run([sys.executable, "-m", *install], check=True, env=elsewhere())
    shop.makeconftest(LOADED)
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.setenv(name, "true")
    done = subprocess.run(
        [python, "-m", "pytest"], capture_output=True, text=True, check=False, env=elsewhere()
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    [shown] = re.findall(r"^FAILED .*(?=…$)", PAGE, re.M)
    assert f"shop/release.py:{LEAK}: " in shown
    assert shown in done.stdout
    assert f"\n::error file=shop/release.py,line={LEAK},title=DPA103 " in done.stdout
    assert f"\nSourceFileLoader of {Path(site.strip(), 'dpaudit')}" in done.stdout


def test_away_from_ci_pytest_cuts_the_last_line_and_the_failure_has_the_whole(shop, monkeypatch):
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lines = shop.runpytest_subprocess("-p", "dpaudit.pytest_plugin").outlines
    [shown] = re.findall(r"^FAILED .*(?=…$)", PAGE, re.M)
    [cut] = [line for line in lines if line.startswith("FAILED ")]
    assert (len(cut), cut[-3:], shown.startswith(cut[:-3])) == (80, "...", True)
    assert any(line.startswith(shown.partition(" - ")[2]) for line in lines)


def elsewhere():
    """Return the environment of a shell that knows nothing of this checkout."""
    ours = {"PYTHONPATH", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_ADDOPTS"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def test_an_audit_of_several_settings_is_made_as_the_page_says(shop):
    last = "report = totals.run(max_calls=6_000)\nprint(report.verdict.name, len(report.rows))\n"
    (shop.path / "settings.py").write_text(f"{FAMILY}\n{last}")
    ran = subprocess.check_output([sys.executable, "settings.py"], cwd=shop.path, text=True)
    assert ran.split() == ["VERIFIED", "9"]


@pytest.mark.parametrize("command", sampled(COMMANDS, 2))
def test_command_of_the_documents_runs(shop, command, monkeypatch):
    """With less to do than a reader's."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--dpaudit-max-calls=1000 --dpaudit-engines=statistical")
    (shop.path / "tests").mkdir()
    (shop.path / "tests" / "test_shop.py").write_text(f"{TESTS}\ndef test_else(): pass\n")
    result = shop.runpytest_subprocess(
        "-p", "dpaudit.pytest_plugin", "-p", "xdist", *shlex.split(command)
    )
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    outcomes = result.parseoutcomes()
    assert outcomes.get("passed", 0) + outcomes.get("failed", 0) >= 1
    assert not outcomes.get("errors")


def test_commands_without_pytest_run_one_after_the_other(shop):
    """With less to do than a reader's: the settings of the documents, but for the calls."""
    few = SETTINGS.replace("200_000", "1_000")
    (shop.path / "pyproject.toml").write_text(few + 'engines = ["statistical"]\n')
    who = ("-c", "user.name=shop", "-c", "user.email=shop@example.com")
    for words in (("init", "-q", "-b", "main"), ("add", "."), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=shop.path, check=True)
    assert len(SHELL) == 15
    (shop.path / "dpaudit-baseline.toml").touch()  # so few calls may refute nothing to accept
    for command in SHELL:
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", *shlex.split(command)],
            cwd=shop.path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
    assert {"run.json", "run.sarif", "run.md"} <= {file.name for file in shop.path.iterdir()}


def test_a_test_with_the_fixture_finds_the_project_as_the_page_says(shop):
    [setting] = re.findall(r"`(pythonpath = .*?)`", PAGE)
    (shop.path / "tests").mkdir()
    (shop.path / "tests" / "test_release.py").write_text(f"import shop.release\n{TESTS}")
    own = ("-P", "-m", "pytest", "-p", "dpaudit.pytest_plugin", "-k", "nobody", "tests")
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ends = []
    for settings in ("", f"[tool.pytest.ini_options]\n{setting}\n"):
        (shop.path / "pyproject.toml").write_text(settings)
        done = subprocess.run([sys.executable, *own], cwd=shop.path, env=env, check=False)
        ends.append(done.returncode)
    assert ends == [2, 0]


def test_workflows_use_what_is_there():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    read = [yaml.safe_load(text) for text in WORKFLOWS]
    steps = [s for flow in read for job in flow.get("jobs", {}).values() for s in job["steps"]]
    [step] = [s for s in steps if str(s.get("uses")).startswith("OWNER/")]
    assert set(step["with"]) <= set(action["inputs"])
    [repository] = [repo for flow in read for repo in flow.get("repos", [])]
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}


def matched(lines):
    """Return what GitHub takes from printed lines: file, line, severity, code."""
    matchers = json.loads((ROOT / "problem-matcher.json").read_text())["problemMatcher"]
    for matcher in matchers:
        patterns = matcher["pattern"]
        for start in range(len(lines) - len(patterns) + 1):
            found = {}
            for pattern, line in zip(patterns, lines[start:], strict=False):
                hit = re.search(pattern["regexp"], line)
                if hit is None:
                    break
                found |= {k: hit[n] for k, n in pattern.items() if k != "regexp"}
            else:
                yield tuple(found[key] for key in ("file", "line", "severity", "code"))


def test_problem_matcher_reads_what_lint_and_run_print(shop):
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "lint", "shop"],
        cwd=shop.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ("shop/release.py", str(LEAK), "error", "DPA103") in [*matched(done.stdout.splitlines())]
    text = summary(refuted()).splitlines()
    assert [*matched(text)] == [("shop/release.py", "12", "error", "DPA103")]


def test_action_installs_the_copy_of_the_repository_that_it_lies_in(tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    [step] = [s for s in action["runs"]["steps"] if s["name"] == "Install"]
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "python").chmod(0o755)
    given = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_ACTION_PATH": "/copy"}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        env={**given, "EXTRAS": "pandas"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "-m pip install /copy[pandas]\n"


def test_nothing_is_installed_by_a_name_on_a_registry():
    for text in [*WORKFLOWS, (ROOT / "action.yml").read_text(), GITLAB.read_text("utf-8")]:
        for line in re.findall(r"pip install (.*)", text):
            given = r"dpaudit\S* @ (?:git\+https\S+|\$\{DPAUDIT:\?.*?\})"
            named = re.sub(given, "", line.partition("#")[0])
            assert "dpaudit" not in named, line


def test_gitlab_job_extends_the_template_and_gives_a_run_options_that_it_takes():
    from dpaudit.cli import cli

    [job] = [
        flow["privacy-audits"]
        for flow in map(yaml.safe_load, WORKFLOWS)
        if "privacy-audits" in flow
    ]
    template = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))[job["extends"]]
    assert set(job["variables"]) == set(template["variables"])
    [line] = [line for line in template["script"] if line.startswith("dpaudit run")]
    line = line.replace("$DPAUDIT_OPTIONS", job["variables"]["DPAUDIT_OPTIONS"])
    run = cli.commands["run"]
    params = run.make_context("run", shlex.split(line)[2:]).params
    kept = template["artifacts"]
    assert params["jobs"] == 2
    assert [str(params["cache_folder"])] == template["cache"]["paths"]
    assert {params["json_file"], *params["reports"]} == {*kept["paths"], kept["reports"]["junit"]}


def test_action_keeps_the_folder_of_the_cache_that_it_gives_to_the_run(shop, tmp_path):
    """A false `cache` gives no folder; each run stores a cache of its own key."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    [kept] = [s for s in steps if str(s.get("uses", "")).startswith("actions/cache@")]
    [audit] = [s for s in steps if s["name"] == "Audit"]
    assert steps.index(kept) < steps.index(audit)
    assert kept["if"] == "${{ inputs.cache == 'true' }}"
    assert kept["with"]["key"].startswith(kept["with"]["restore-keys"])
    assert "github.run_id" in kept["with"]["key"]
    (tmp_path / "dpaudit").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "dpaudit").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for cache, given in (("true", True), ("false", False)):
        said = subprocess.run(
            ["bash", "-e", "-c", audit["run"]],
            cwd=shop.path, check=True, capture_output=True, text=True,
            env={**os.environ, "PATH": path, "PATHS": "", "OPTIONS": "--jobs 2", "CACHE": cache},
        ).stdout  # fmt: skip
        assert (f"--cache {kept['with']['path']}" in said) is given


def test_action_gives_the_run_its_words_and_keeps_its_exit_code(shop, tmp_path):
    """Its own script runs here as there, and shows its table in the summary."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    [step] = [s for s in action["runs"]["steps"] if s["name"] == "Audit"]
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "dpaudit").write_text(f'#!/bin/sh\nexec {sys.executable} -m dpaudit "$@"\n')
    (commands / "dpaudit").chmod(0o755)
    given = {
        "PATHS": "audits",
        "OPTIONS": "--max-calls 1000 --engines statistical --select $(touch injected)",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
    }
    for options, code in ((given["OPTIONS"], 2), (given["OPTIONS"].partition(" --sel")[0], 1)):
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=shop.path, env={**os.environ, **given, "OPTIONS": options}, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
    assert not (shop.path / "injected").exists()
    assert "1 UNEXPECTED" in (tmp_path / "summary.md").read_text()
