"""How far `dpaudit run --total 5m` comes with many audits: each in a file of its own.

The audits are those of the wild set (`tests/wild`) and, spread over all files, of `audits/`. A
temporary folder gets a file for each, and one run takes all of them. Counted is how many had their
first tier done in the time, how many of the broken ones were refuted, and how many sound ones were
(none may be). Audits whose packages are not installed are left out.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
from common import jobs_option, print_provenance, print_table

from dpaudit.collect import collect
from dpaudit.declare import Audit
from tests.wild.cases import CASES

ROOT = Path(__file__).resolve().parents[1]
_WILD = """\
from dpaudit import Audit
from tests.wild.cases import CASES

[_case] = [case for case in CASES if case.name == {name!r}]
audited = Audit(_case.mechanism, _case.claim, _case.neighbors, expect={expect!r})
"""
_DECLARED = "from {module} import {name} as audited\n"
_NOT_DONE = "the audit within its first tier of calls"  # a note of audits that time ended there


def _wild() -> list[tuple[str, bool]]:
    """Return a file for each case of the wild set, and whether it is sound."""
    found = []
    for case in CASES:
        expect = "NOT_REFUTED" if case.sound else "REFUTED"
        found.append((_WILD.format(name=case.name, expect=expect), case.sound))
    return found


def _declared(number: int) -> list[tuple[str, bool]]:
    """Return a file for each of so many audits of the repository, and whether it is sound."""
    found = []
    for each in collect([ROOT / "audits"]).audits:
        file, _, name = each.name.partition("::")
        module = Path(file).resolve().relative_to(ROOT).with_suffix("")
        if isinstance(each.audit, Audit) and name.isidentifier():
            text = _DECLARED.format(module=".".join(module.parts), name=name)
            sound = str(each.audit.expect) in ("NOT_REFUTED", "VERIFIED", "INCONCLUSIVE")
            found.append((text, sound))
    step = max(1.0, len(found) / max(1, number))
    places = [int(i * step) for i in range(number)]
    return [found[place] for place in places if place < len(found)]


def _written(folder: Path, files: list[tuple[str, bool]]) -> dict[str, bool]:
    """Write the files; return which of them are of sound mechanisms."""
    truth = {}
    for number, (text, sound) in enumerate(files):
        name = f"audit_{number:03d}.py"
        (folder / name).write_text(text, encoding="utf-8")
        truth[name] = sound
    return truth


def _adopt() -> None:
    """Let Linux give us the workers of a run that has ended, so that their work is counted."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def _is_begun(audit: dict[str, Any]) -> bool:
    """Return whether the first tier of an audit was done, or it had ended before."""
    report = audit["report"]
    notes = [] if report is None else [n for e in report["evidence"] for n in e["notes"]]
    return report is not None and not any(_NOT_DONE in note for note in notes)


@click.command()
@jobs_option
@click.option("--audits", "number", default=300, show_default=True, help="How many.")
@click.option("--total", default="5m", show_default=True, help="As of `dpaudit run`.")
def main(jobs: int, number: int, total: str) -> None:
    """Run them all, and count."""
    print_provenance()
    half = min(len(CASES), number // 2)
    wild = _wild()
    chosen = [wild[int(i * len(wild) / half)] for i in range(half)] if half else []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        truth = _written(folder, chosen + _declared(number - half))
        results = folder / "results.json"
        command = [sys.executable, "-m", "dpaudit", "run", str(folder), "--total", total]
        command += ["--jobs", str(jobs), "--json", str(results)]
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        _adopt()
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        environment = {**os.environ, "PYTHONPATH": paths}
        ended = subprocess.run(
            command, env=environment, check=False, capture_output=True, text=True
        )
        seconds = time.monotonic() - begun
        with contextlib.suppress(ChildProcessError):
            while True:  # workers that outlive the run for a moment
                os.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not results.exists():
            raise click.ClickException(ended.stderr)
        audits = json.loads(results.read_text(encoding="utf-8"))["audits"]
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    _print(audits, truth, ended.returncode, seconds, work)


def _print(
    audits: list[dict[str, Any]], truth: dict[str, bool], code: int, seconds: float, work: float
) -> None:
    rows = [(truth[Path(each["name"].partition("::")[0]).name], each) for each in audits]
    broken = [each for sound, each in rows if not sound]
    sound = [each for sound, each in rows if sound]

    def refuted(each: dict[str, Any]) -> bool:
        return each["report"] is not None and each["report"]["verdict"] == "REFUTED"

    def proved(each: dict[str, Any]) -> bool:
        return each["report"] is not None and each["report"]["verdict"] == "VERIFIED"

    print_table(
        ("of all audits", "number"),
        [
            ("run", f"{len(rows)} of {len(truth)}"),
            ("first tier done", f"{sum(map(_is_begun, audits))} of {len(rows)}"),
            ("broken, refuted", f"{sum(map(refuted, broken))} of {len(broken)}"),
            ("sound, verified", f"{sum(map(proved, sound))} of {len(sound)}"),
            ("sound, refuted (wrong)", f"{sum(map(refuted, sound))} of {len(sound)}"),
            ("seconds", f"{seconds:.0f}"),
            ("seconds of processor time", f"{work:.0f}"),
            ("exit code", str(code)),
        ],
    )


if __name__ == "__main__":
    main()
