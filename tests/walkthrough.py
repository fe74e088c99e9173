"""A page of the documents, carried out block after block as its reader would do it."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
# The pages in docs/ that are carried out as a whole.
WALKED = (
    "tutorial", "neighbors", "claims", "frames", "false_alarm", "slow_mechanism", "review",
    "scikit_learn", "training", "floating_point", "nightly", "cluster",
)  # fmt: skip
_COMMENT = re.compile(r"\s+#.*$")


def installed(folder):
    """Make an environment with the wheel; what the wheel requires comes from that of the tests."""
    from hatchling.builders.wheel import WheelBuilder

    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    venv.create(folder / "venv", with_pip=False)
    commands = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    site = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    Path(site.strip(), "required.pth").write_text(sysconfig.get_path("purelib"))
    install = ("pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    subprocess.run([sys.executable, "-m", *map(str, install)], check=True)
    return commands


def blocks_of(page):
    """Return the (language, text) of each block."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page, re.M | re.S)


def carried_out(page, folder, commands):
    """Do what a page says, and return what each command printed.

    A Python block that begins with the comment ``# name.py`` is saved under that name, any other
    runs. Each line of a shell block runs, but for the installation, and ends with exit code 0 or
    the one that its comment names; so does each step of a workflow that is a command of dpaudit.
    A text block repeats the output of the command before it, with … in place of the rest of a line
    or of whole lines.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = kept | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    printed, last = {}, ""

    def run(command, code=0):
        words = shlex.split(command)
        if words[0] == "pytest":
            words = ["python", "-m", "pytest", "-p", "no:cacheprovider", *words[1:]]
        done = subprocess.run(
            [commands / words[0], *words[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
        printed[command] = done.stdout
        return done.stdout

    for language, block in blocks_of(page):
        if language == "python":
            named = re.match(r"# (\S+\.py)\n", block)
            file = folder / (named[1] if named else "example.py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(block, encoding="utf-8")
            last = "" if named else run("python -W error example.py")
        elif language == "sh":
            for line in block.splitlines():
                code = re.search(r"# exit code (\d)", line)
                if line and not line.startswith(("pip install", "mkdir", "git ")):
                    last = run(_COMMENT.sub("", line), int(code[1]) if code else 0)
        elif language == "yaml":
            steps = [s for job in yaml.safe_load(block)["jobs"].values() for s in job["steps"]]
            for step in steps:
                if step.get("run", "").startswith("dpaudit") and step["run"] not in printed:
                    run(step["run"])
        elif language in ("toml", "ini"):
            (folder / "pyproject.toml").write_text(block, encoding="utf-8")
        elif language == "text":
            for line in block.splitlines():
                assert line.partition("…")[0].rstrip() in last, (line, last)
    return printed
