"""Pipes, devices, folders and files without an end, where a command wants a file."""

import os
import resource
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from dpaudit.untrusted import LONGEST, contents

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")

ACCEPT = ("--reason", "known", "--until", "2999-01-01")
COMMANDS = {
    "check": (("check", "{}"), 3),
    "check two": (("check", "good.json", "{}"), 3),
    "check --source": (("check", "good.json", "--source", "{}"), 3),
    "report": (("report", "{}", "--format", "html"), 2),
    "compare": (("compare", "{}", "{}"), 2),
    "review --run": (("review", "code.py", "--run", "{}"), 2),
    "baseline": (("baseline", "{}", *ACCEPT), 2),
    "baseline --output": (("baseline", "good.json", *ACCEPT, "--output", "{}"), 2),
    "run --baseline": (("run", "--baseline", "{}"), 2),
    "lint": (("lint", "{}"), 3),
    "run": (("run", "{}"), 2),
}
MEMORY = 1_500_000_000  # bytes of data; a file of 2 GiB that is read whole needs more
SECONDS = 600  # that only a wait without end takes


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "code.py").write_text("x = 1\n")
    (tmp_path / "good.json").write_text('{"audits": [], "schema_version": 1}')
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2**31)  # of which nothing is on the disk
    (tmp_path / "link").symlink_to("pipe")
    return tmp_path


ODD = ("pipe", "large", "/dev/zero", "link", ".")
TAKE_FOLDERS = ("lint", "run")


@pytest.mark.parametrize(
    ("name", "what"),
    [(n, w) for n in COMMANDS for w in ODD if w != "." or n not in TAKE_FOLDERS],
)
def test_what_is_no_file_is_refused_at_once_and_named(folder, name, what, monkeypatch):
    command, code = COMMANDS[name]
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(cli, [word.format(what) for word in command])
    assert done.exit_code in (2, code), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output


@pytest.mark.parametrize("what", ["pipe", "large", "/dev/zero"])
@pytest.mark.parametrize("command", [("check",), ("report", "--format", "html")])
def test_a_process_neither_waits_for_one_nor_fills_memory(folder, what, command):
    def limited():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", command[0], what, *command[1:]],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, preexec_fn=limited,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode in (2, 3), done.stderr
    fact = "2,147,483,648 bytes long, at most" if what == "large" else "a pipe or a device"
    assert fact in " ".join((done.stdout + done.stderr).split())


def test_a_folder_with_pipes_among_its_files_is_collected_and_linted(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "audits").mkdir()
    os.mkfifo(folder / "audits" / "waits.py")
    done = CliRunner().invoke(cli, ["run", "audits"])
    assert done.exit_code == 2
    assert "audits/waits.py is no regular file; remove it or rename it" in done.output
    assert CliRunner().invoke(cli, ["lint", "audits"]).exit_code in (2, 3)


def test_a_file_is_read_to_its_limit_and_no_further(folder):
    assert contents(folder / "code.py") == b"x = 1\n"
    for name in ("pipe", "large", "link", os.devnull):
        with pytest.raises(ValueError, match=r"no regular file|at most 200,000,000 are read"):
            contents(folder / name)
    with pytest.raises(IsADirectoryError):
        contents(folder)
    assert LONGEST == 200_000_000


NOUNS = ("--neighbors", "AddRemove(Real(0, 1))")


@pytest.mark.parametrize(
    ("claim", "names"),
    [("PureDP(epsilon)", "epsilon"), ("PureDP(2 * epsilon)", "epsilon"), ("GaussianDP(mu)", "mu"),
     ("ApproxDP(epsilon, delta)", "epsilon, delta"), ("RenyiDP(2, eps)", "eps")],
)  # fmt: skip
def test_a_claim_that_names_parameters_is_sent_to_verify(folder, monkeypatch, claim, names):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(cli, ["audit", "code:f", "--claim", claim, *NOUNS])
    told = " ".join(done.output.split())
    assert done.exit_code == 2
    assert f"names {names}, and an audit needs numbers" in told
    assert "decide it for all values with dpaudit verify" in told


@pytest.mark.parametrize(
    "mechanism",
    ["json:loads", "os:system", "builtins:print", "dpaudit:audit", "numpy:sum", "code:x",
     "code:nothing", "nothing:here", "no colon", "subprocess:run", "dpaudit.cli:cli"],
)  # fmt: skip
def test_a_mechanism_that_no_certificate_can_be_about_is_a_usage_error(
    folder, monkeypatch, mechanism
):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(cli, ["check", "good.json", "--mechanism", mechanism])
    assert done.exit_code == 2, done.output
    assert "Error: --mechanism: " in done.output
