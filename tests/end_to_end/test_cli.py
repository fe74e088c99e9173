"""The command line, as users run it."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from tests.sweeps import sampled

MECHANISMS = '''
import os
import time
import numpy as np

def sound(data, rng):
    """Laplace, as it should be."""
    return len(data) + rng.laplace(scale=1.0)

def broken(data, rng):
    return len(data) + rng.laplace(scale=0.1)

def raw(data, rng):
    return len(data)

def many(data, size, rng):
    return len(data) + rng.laplace(scale=1.0, size=size)

def dies(data, rng):
    os._exit(3)

def hangs(data, rng):
    while True:
        time.sleep(0.01)
'''

AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from house import counts

NEIGHBORS = Pairs([([1.0], [1.0, 1.0])])

def declare(mechanism, **options):
    return Audit(mechanism, PureDP(1.0), NEIGHBORS, max_calls=30_000, alpha=1e-3, **options)

"""


PROVED = """
from dpaudit import AddRemove, Real

people = AddRemove(Real(0, 1), max_size=4)
sound = Audit(counts.sound, PureDP(1.0), people, max_calls=30_000, alpha=1e-3)
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "counts.py").write_text(MECHANISMS)
    (tmp_path / "audits").mkdir()
    return tmp_path


def declare(project, body, name="counts"):
    (project / "audits" / f"{name}.py").write_text(AUDITS + body)


def environment():
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR")}
    return {**kept, "PYTHONWARNINGS": "error"}


def dpaudit(project, *arguments, timeout=600):
    return subprocess.run(
        [sys.executable, "-m", "dpaudit", *map(str, arguments)],
        cwd=project,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def in_this_process(project, monkeypatch, *arguments):
    """Run a command that imports nothing of the project, without a process of its own."""
    monkeypatch.chdir(project)
    return CliRunner().invoke(cli, list(map(str, arguments)))


def rows(output):
    """Return the table's rows by the audit's name."""
    found = {}
    for line in output.splitlines():
        if line.startswith("audits/") and "::" in line:
            name, *cells = re.split(r"\s{2,}|\t", line.strip())
            found[name.split("::")[1].split()[0]] = " ".join([name, *cells])
    return found


def test_run_prints_a_row_an_audit_and_exits_0_when_all_is_as_expected(project):
    declare(
        project,
        "sound = declare(counts.sound)\n"
        "broken = declare(counts.broken, expect='REFUTED', reason='scale 0.1 gives epsilon 10')\n",
    )
    done = dpaudit(project, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    table = rows(done.stdout)
    assert re.search(r"NOT REFUTED.*ok$", table["sound"])
    assert re.search(r"\bREFUTED REFUTED DPA\d{3}.*ok$", table["broken"])
    assert done.stdout.splitlines()[-1].startswith("2 audits: 2 as expected; ")
    assert "\x1b" not in done.stdout + done.stderr


def test_unexpected_verdict_exits_1_and_shows_the_whole_report(project):
    declare(project, "broken = declare(counts.broken)\nsound = declare(counts.sound)\n")
    done = dpaudit(project, "run")
    assert done.returncode == 1
    assert "UNEXPECTED" in rows(done.stdout)["broken"]
    assert "audits/counts.py::broken: expected NOT REFUTED" in done.stdout
    assert "NOT_REFUTED" not in done.stdout + done.stderr + dpaudit(project, "list").stdout
    for part in ("Witness", "event", "epsilon of at least", "1 as expected, 1 UNEXPECTED"):
        assert part in done.stdout


def test_file_that_does_not_import_exits_3_while_others_run(project):
    declare(project, "sound = declare(counts.sound)\n")
    declare(project, "import nowhere_at_all\n", "broken")
    done = dpaudit(project, "run")
    assert done.returncode == 3
    assert "ok" in rows(done.stdout)["sound"]
    assert "audits/broken.py does not import" in done.stdout
    assert "1 file could not be used" in done.stdout


@pytest.mark.parametrize(("mechanism", "seconds"), [("dies", 600), ("hangs", 10)])
def test_worker_that_dies_or_hangs_ends_its_audit_alone(project, mechanism, seconds):
    declare(project, f"ill = declare(counts.{mechanism})\nsound = declare(counts.sound)\n")
    done = dpaudit(project, "run", "--timeout", seconds)
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert "ok" in rows(done.stdout)["sound"]
    assert " ok" not in rows(done.stdout)["ill"]
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "no audits were collected"),
        (["run", "nowhere"], "nowhere does not exist"),
        (["run", "--jobs", "0"], "--jobs"),
        (["run", "--alpha", "1"], "--alpha"),
        (["run", "--json", "missing/x.json"], "cannot be written"),
        (["run", "--isolation", "jail"], "process"),
        (["run", "--engines", "foo"], "no engine 'foo'; there are static, formal, trace"),
        (["run", "--engines", ","], "no engine is named"),
        (["run", "--engines", "trace, trace"], "engine 'trace' is named more than once"),
        (["run", "--max-seconds", "nan"], "not a finite number"),
        (["run", "--timeout", "inf"], "not a finite number"),
        (["explain", "DPA1033"], "did you mean DPA103"),
        (["list", "pyproject.toml"], "no Python file"),
        (["init", "counts:sound", "--output", "first.txt"], "audit files end in .py"),
        (["unknown"], "unknown"),
    ],
)
def test_usage_error_exits_2_with_the_remedy(project, monkeypatch, arguments, message):
    done = in_this_process(project, monkeypatch, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["def f(:", "x = '\0'"])
def test_where_no_file_can_be_used_the_remedy_is_to_mend_them(project, text):
    (project / "audits").mkdir(exist_ok=True)
    (project / "audits" / "broken.py").write_text(text)
    done = dpaudit(project, "run")
    assert done.returncode == 2
    assert "no audits were collected; mend the files above" in done.stderr
    assert "line None" not in done.stderr


def test_selection_of_nothing_exits_2(project):
    declare(project, "sound = declare(counts.sound)\n")
    done = dpaudit(project, "run", "--select", "other")
    assert done.returncode == 2
    assert "none of 1 audits is selected by 'other'" in done.stderr


def test_json_on_stdout_is_the_whole_output_and_the_table_goes_to_stderr(project):
    declare(project, "one = declare(counts.sound)\ntwo = declare(counts.sound)\n")
    done = dpaudit(project, "run", "--json", "-", "--select", "two", "--max-calls", 500)
    read = json.loads(done.stdout)
    assert (read["schema_version"], read["exit_code"]) == (1, done.returncode)
    [audit] = read["audits"]
    assert audit["name"] == "audits/counts.py::two"
    assert audit["report"]["calls"] <= 500
    assert "audits/counts.py::two" in done.stderr


def _without_times(text):
    read = json.loads(text)
    assert read.pop("provenance")["date"]
    for audit in read["audits"]:
        for part in (audit["report"], *audit["report"]["evidence"]):
            del part["seconds"]
    return read


def test_results_and_their_order_are_the_same_for_any_jobs_and_isolation(project):
    declare(
        project,
        "one = declare(counts.broken, expect='REFUTED')\n"
        "two = declare(counts.sound)\nthree = declare(counts.raw, expect='REFUTED')\n"
        "from dpaudit import vectorized\nfour = declare(vectorized(counts.many))\n",
    )
    first = dpaudit(project, "run", "--json", "-", "--seed", 3)
    for options in sampled([["--jobs", 3], ["--jobs", 7], ["--isolation", "none"]], 2):
        other = dpaudit(project, "run", "--json", "-", "--seed", 3, *options)
        assert _without_times(other.stdout) == _without_times(first.stdout)
    names = [audit["name"].split("::")[1] for audit in json.loads(first.stdout)["audits"]]
    assert names == ["one", "two", "three", "four"]


COMMAND = [
    "audit",
    "house.counts:broken",
    "--claim",
    "PureDP(1.0)",
    "--neighbors",
    "AddRemove(Real(0, 1), max_size=3)",
]


def test_audit_of_one_mechanism_prints_the_report_and_writes_a_replay(project):
    done = dpaudit(project, *COMMAND, "--script", "replay.py", "--json", "out.json")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("REFUTED")
    read = json.loads((project / "out.json").read_text())
    assert read["audits"][0]["report"]["verdict"] == "REFUTED"
    replay = subprocess.run(
        [sys.executable, "replay.py", "2000"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "these counts contradict PureDP(1.0)" in replay.stdout


def test_what_is_said_of_an_entry_of_a_list_runs_that_entry_again_and_writes_its_script(project):
    both = "declare(counts.sound), declare(counts.raw, expect='DPA101'), declare(counts.raw)"
    declare(project, f"counted = [{both}]\n")
    done = dpaudit(project, "run", "--max-calls", "2000", "--engines", "statistical")
    [said] = [line for line in done.stdout.splitlines() if line.startswith("  replay ")]
    command, _, what = said.removeprefix("  replay ").partition(" writes ")
    assert what == "a Python file that makes these counts again; it runs without dpaudit"
    words = shlex.split(command)
    assert words[:3] == ["dpaudit", "run", "audits/counts.py::counted[2]"]
    assert words[-2:] == ["--scripts", "FOLDER"]
    again = dpaudit(project, *words[1:])
    assert again.returncode == 1
    assert "1 audit: 0 as expected, 1 UNEXPECTED" in again.stdout
    assert "1 script in FOLDER" in again.stdout


def test_a_counterexample_is_written_as_a_script(project):
    words = ["verify", "house.counts:broken", *COMMAND[2:], "--script", "replay.py"]
    done = dpaudit(project, *words)
    assert done.returncode == 1, done.stderr
    assert "replay dpaudit verify with --script FILE writes a Python file" in done.stdout
    compile((project / "replay.py").read_text(), "replay.py", "exec")


def test_witnesses_of_a_run_are_written_as_scripts(project):
    declare(
        project, "bad = declare(counts.broken, expect='REFUTED')\ngood = declare(counts.sound)\n"
    )
    done = dpaudit(project, "run", "--scripts", "witnesses", "--max-calls", "20000")
    assert "1 script in witnesses" in done.stdout, done.stdout + done.stderr
    [script] = (project / "witnesses").iterdir()
    assert script.name == "audits_counts.py_bad.py"
    replay = subprocess.run(
        [sys.executable, str(script), "2000"], cwd=project, capture_output=True, text=True
    )
    assert "these counts contradict PureDP(1.0)" in replay.stdout, replay.stderr


def test_files_for_packages_that_are_not_installed_are_skipped_and_said_so(project):
    declare(project, "good = declare(counts.sound)\n")
    (project / "audits" / "other.py").write_text("REQUIRES = ('nowhere_at_all',)\n")
    done = dpaudit(project, "run", "--max-calls", "20000", "--json", "out.json")
    assert done.returncode == 0, done.stdout
    assert "audits/other.py skipped: nowhere_at_all is not installed" in done.stdout
    written = json.loads((project / "out.json").read_text())
    assert written["audits"][0]["options"] == {"max_calls": 20_000}
    [skipped] = written["skipped"]
    assert skipped == {"file": "audits/other.py", "missing": ["nowhere_at_all"]}
    alone = dpaudit(project, "run", "audits/other.py")
    assert alone.returncode == 2
    assert "nowhere_at_all is not installed" in alone.stderr


def test_audit_that_expects_a_refutation_exits_0(project):
    assert dpaudit(project, *COMMAND, "--expect", "REFUTED").returncode == 0


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        (3, "PureDp(1.0)", "did you mean PureDP"),
        (3, "__import__('os')", "column"),
        (5, "AddRemove(Real(0, 1), size=3)", "max_size"),
        (1, "house.counts", "such as 'house:counts'"),
        (1, "nowhere_at_all:f", "nowhere_at_all"),
    ],
)
def test_bad_claim_neighbors_or_module_exits_2(project, monkeypatch, place, text, message):
    command = COMMAND.copy()
    command[place] = text
    done = in_this_process(project, monkeypatch, *command)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [("nothing", "nothing"), ("sound.x", "give 'house.counts:sound' itself")],
)
def test_bad_mechanism_exits_2(project, mechanism, message):
    done = dpaudit(project, COMMAND[0], f"house.counts:{mechanism}", *COMMAND[2:])
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_list_names_audits_without_running_them(project):
    declare(project, "ill = declare(counts.hangs, expect='DPA108', reason='it never ends')\n")
    done = dpaudit(project, "list")
    assert done.returncode == 0
    for part in ("audits/counts.py::ill", "house.counts:hangs", "PureDP(1.0)", "DPA108"):
        assert part in done.stdout
    assert "it never ends" in done.stdout


def test_list_has_aligned_columns_and_shortens_long_neighbors(project):
    declare(
        project,
        "short = declare(counts.sound)\n"
        "long = Audit(counts.sound, PureDP(1.0), Pairs([([0.0] * 99, [0.0] * 98)]))\n",
    )
    head, *lines = dpaudit(project, "list").stdout.splitlines()
    assert len(lines) == 2
    assert {line.index("PureDP") for line in lines} == {head.index("claim")}
    assert "…" in lines[1]
    assert len(lines[1].rstrip()) < 250


def test_help_names_the_defaults_that_hold(project):
    import inspect

    from dpaudit.auditor import audit
    from dpaudit.worker import ProcessRunner

    defaults = {name: p.default for name, p in inspect.signature(audit).parameters.items()}
    timeout = inspect.signature(ProcessRunner).parameters["timeout"].default
    said = {c: " ".join(dpaudit(project, c, "--help").stdout.split()) for c in ("audit", "run")}
    for value in (f"{defaults['max_calls']:,}", f"{defaults['seed']}", "1e-6"):
        assert f"[default: {value}" in said["audit"]
        assert f"[default: as declared, else {value}" in said["run"]
    assert defaults["alpha"] == 1e-6
    assert all(f"[default: {timeout:g}" in text for text in said.values())
    assert "declared" not in said["audit"]


def test_explain_prints_statement_examples_remedy_and_references(project):
    done = dpaudit(project, "explain", "DPA103")
    for part in ("leaked-local-sensitivity", "Broken", "Fixed", "Remedy", "Nissim"):
        assert part in done.stdout
    assert len(dpaudit(project, "explain").stdout.splitlines()) == 17


def test_interrupt_prints_what_was_finished_and_exits_130(project):
    declare(project, "sound = declare(counts.sound)\nill = declare(counts.hangs)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "dpaudit", "run", "--json", "out.json", "--timeout", "600"],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = process.stderr.readline()
    assert "sound" in said
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in out + err, out + err
    assert "ok" in rows(out)["sound"]
    assert "INTERRUPTED" in rows(out)["ill"]
    read = json.loads((project / "out.json").read_text())
    assert [a["status"] for a in read["audits"]] == ["OK", "INTERRUPTED"]


def test_a_claim_and_neighbors_that_are_missing_are_shown_by_an_example(project):
    done = dpaudit(project, "audit", "house.counts:sound")
    assert '--claim "PureDP(1.0)"' in done.stderr
    done = dpaudit(project, "audit", "house.counts:sound", "--claim", "PureDP(1.0)")
    assert '--neighbors "AddRemove(Real(0, 100), max_size=20)"' in " ".join(done.stderr.split())


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
def test_interrupt_ends_a_command_whose_output_nobody_reads(project):
    """The thread of the audit is no reason to wait for its end, which may be far."""
    read, write = os.pipe()
    slow = "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 1))"
    process = subprocess.Popen(
        [sys.executable, "-m", "dpaudit", "audit", "house.counts:hangs", "--claim", *slow],
        cwd=project, env=environment(), stdout=write, stderr=write,
    )  # fmt: skip
    os.close(write)
    assert os.read(read, 1)  # it has begun
    os.close(read)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) in (1, 130)  # 1 where a line could not be written before


def test_interrupt_in_python_says_what_was_done_and_how_to_go_on(project):
    script = (
        "import dpaudit, os, signal\n"
        "from dpaudit import AddRemove, PureDP, Real\n"
        "def stops(data, rng):\n"
        "    return len(data) + rng.laplace(scale=1.0)\n"
        "def heard(progress):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "dpaudit.audit(stops, PureDP(1.0), AddRemove(Real(0, 1)), progress=heard,\n"
        "              engines=['statistical'])\n"
    )
    (project / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=project, env=environment(), capture_output=True,
        text=True, timeout=600,
    )  # fmt: skip
    assert re.search(
        r"KeyboardInterrupt: interrupted after [\d,]+ of 1,000,000 calls; ", done.stderr
    )
    assert "dpaudit run --accumulate" in done.stderr
    assert done.stderr.count("File ") == 2, done.stderr


def test_certificates_of_what_is_proved_are_written_and_accepted(project):
    declare(
        project,
        PROVED + "broken = declare(counts.broken, expect='REFUTED')\n",
    )
    done = dpaudit(project, "run", "--certificates", "proofs")
    assert done.returncode == 0, done.stdout
    assert "1 certificate in proofs" in done.stdout
    [file] = (project / "proofs").iterdir()
    assert json.loads(file.read_text())["subject"]["mechanism"] == "house.counts:sound"


def test_one_engine_alone_may_be_asked(project):
    declare(project, PROVED)
    done = dpaudit(project, "run", "--engines", "statistical", "--json", "out.json")
    assert done.returncode == 0, done.stdout
    [audit] = json.loads((project / "out.json").read_text())["audits"]
    assert [e["engine"] for e in audit["report"]["evidence"]] == ["statistical"]
    proved = dpaudit(project, "run", "--engines", "formal", "--json", "out.json")
    [audit] = json.loads((project / "out.json").read_text())["audits"]
    assert audit["report"]["verdict"] == "VERIFIED", proved.stdout
    assert audit["report"]["calls"] == 0
