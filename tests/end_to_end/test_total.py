"""`dpaudit run --total`: the first tier of all audits, then what may gain most, in one time."""

import importlib
import json
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import dpaudit.auditor
import dpaudit.cli.auditing
import dpaudit.examination
import dpaudit.family
import dpaudit.staged
import dpaudit.turns
from dpaudit import tiers
from dpaudit.cli import cli
from dpaudit.statistical import race

HOUSE = """
import ticking

def slow(data, rng):
    ticking.seconds[0] += 1.0
    ticking.calls.append("slow")
    return len(data) + rng.laplace(scale={scale})

def slower(data, rng):
    ticking.seconds[0] += 2.0
    if len(ticking.calls) >= ticking.stop[0]:
        raise KeyboardInterrupt
    ticking.calls.append("slower")
    return len(data) + rng.laplace(scale={scale})

def half(data, rng):
    ticking.seconds[0] += 4.0
    ticking.calls.append("half")
    return len(data) + rng.laplace(scale=0.5)

def raw(data, rng):
    ticking.seconds[0] += 1.0
    ticking.calls.append("raw")
    return float(len(data))
"""
AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from house import half, raw, slow, slower

PAIRS = Pairs([([1.0], [1.0, 1.0])])
options = {{"max_calls": 8_000, "alpha": 1e-3, "engines": ["statistical"]}}
{audits}
"""
SOUND = """
first = Audit(slow, PureDP(1.0), PAIRS, **options)
second = Audit(slower, PureDP(1.0), PAIRS, **options)
"""
BROKEN = 'third = Audit(half, PureDP(1.9), PAIRS, expect="REFUTED", **options)\n'
RAW = 'fourth = Audit(raw, PureDP(1.0), PAIRS, expect="REFUTED", **options)\n'


PLAIN = """
from dpaudit import Audit, Pairs, PureDP

PAIRS = Pairs([([1.0], [1.0, 1.0])])

def count(data, rng):
    return len(data) + rng.laplace()

counts = [
    Audit(count, PureDP(epsilon), PAIRS, max_calls=8_000, alpha=1e-3, engines=["statistical"])
    for epsilon in (1.0, 1.1, 1.2, 1.3)
]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Four mechanisms, of which each call takes its time on a clock that else stands still."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "ticking.py").write_text("seconds, calls, stop = [0.0], [], [10**9]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    ticking = importlib.import_module("ticking")
    began = time.monotonic()  # processes that start have this clock too
    clock = SimpleNamespace(monotonic=lambda: began + ticking.seconds[0])
    clock.perf_counter = clock.monotonic
    for module in ("examination", "family", "staged", "turns", "cli.auditing"):
        monkeypatch.setattr(sys.modules[f"dpaudit.{module}"], "time", clock)
    monkeypatch.setattr(race, "time", clock)
    monkeypatch.setattr(dpaudit.worker.deadline, "now", clock.monotonic)
    monkeypatch.setattr(tiers, "FIRST", 500)
    write(tmp_path)
    yield tmp_path
    for name in ("ticking", "house"):
        sys.modules.pop(name, None)


def write(project, audits=SOUND, scale=1.0):
    (project / "house.py").write_text(HOUSE.format(scale=scale))
    (project / "audits" / "counts.py").write_text(AUDITS.format(audits=audits))


def run(*options):
    """Run in this process; return exit code, what was printed, and the audits by name."""
    for name in [each for each in sys.modules if each == "house" or each.endswith("counts")]:
        del sys.modules[name]
    sys.modules["ticking"].calls.clear()
    command = ["run", "--isolation", "none", "--json", "run.json", *options]
    done = CliRunner().invoke(cli, command)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    with open("run.json") as file:
        found = json.load(file)
    audits = {each["name"].partition("::")[2]: each for each in found["audits"]}
    return done.exit_code, done.output, audits


def order():
    """Return the mechanisms in the order in which they were called, each stretch once."""
    calls = sys.modules["ticking"].calls
    return [c for c, before in zip(calls, ["", *calls], strict=False) if c != before]


def reached(audit):
    return audit.get("unfinished")


def found(audit):
    report = audit["report"]
    return report["verdict"], report["calls"], report["epsilon"], report["alpha_spent"]


def test_time_that_suffices_changes_nothing_but_the_order(project):
    _, _, without = run()
    assert order() == ["slow", "slower"]
    code, said, audits = run("--total", "10h")
    assert order() == ["slow", "slower", "slow", "slower", "slow", "slower"][: len(order())]
    assert len(order()) > 2
    assert code == 0
    assert "--total" not in said
    assert not any(map(reached, audits.values()))
    assert {n: found(a) for n, a in audits.items()} == {n: found(a) for n, a in without.items()}


def test_an_audit_that_is_stopped_after_a_tier_is_as_that_tier_repeats_it(project):
    code, said, audits = run("--total", "13000s")
    stopped = audits["second"]
    assert reached(stopped) == {"tier": 2, "tiers": 3}
    assert reached(audits["first"]) is None
    assert (code, stopped["status"]) == (0, "OK")
    assert "ok (tier 2 of 3)" in said
    assert "1 stopped by --total before the last tier" in said
    notes = stopped["report"]["evidence"][-1]["notes"]
    assert any("tier=2 repeats it" in note for note in notes)
    assert stopped["options"]["tier"] == 2
    again = run("--tier", "2", "--select", "second")[2]["second"]
    assert found(again) == found(stopped)
    assert again["report"]["evidence"][-1]["pairs"] == stopped["report"]["evidence"][-1]["pairs"]


def test_a_refutation_that_is_expected_and_not_there_yet_could_not_be_completed(project):
    """The noise is close to what is claimed: no tier within the time refutes it."""
    write(project, SOUND + BROKEN)
    code, said, audits = run("--total", "5500s")
    third = audits["third"]
    assert (code, third["status"]) == (3, "INCOMPLETE")
    assert third["report"]["verdict"] in ("NOT_REFUTED", "INCONCLUSIVE")
    assert "the time of --total ended it after tier" in said
    assert [a["status"] for n, a in audits.items() if n != "third"] == ["OK", "OK"]


def test_what_is_undecided_goes_first_after_the_first_tier_and_the_shortest_of_others(project):
    write(project, SOUND + BROKEN)
    _, _, audits = run("--total", "90h")
    # Tiers of `half` take the longest, and all of them come first while its refutation is missing.
    assert order()[:5] == ["slow", "slower", "half", "slow", "slower"]
    assert "half" not in order()[3:]
    assert audits["third"]["report"]["calls"] > 2_000  # beyond two tiers


def test_an_interrupted_run_goes_on_with_its_command(project):
    sys.modules["ticking"].stop[0] = 1_200
    code, said, audits = run("--total", "90h")
    assert code == 130
    assert "dpaudit run --resume --total 90h" in said
    assert "INTERRUPTED" in {audit["status"] for audit in audits.values()}
    sys.modules["ticking"].stop[0] = 10**9
    done = CliRunner().invoke(cli, ["run", "--resume", "--total", "80h"])
    assert done.exit_code == 2
    assert "total 90h, now 80h" in done.output
    code, _, audits = run("--resume", "--total", "90h")
    assert code == 0
    assert {audit["status"] for audit in audits.values()} == {"OK"}


def test_a_first_tier_for_which_there_is_no_time_is_never_a_pass(project):
    code, said, audits = run("--total", "700s")
    assert code == 3
    assert reached(audits["second"]) == {"tier": 0, "tiers": 3}
    assert audits["second"]["status"] == "INCOMPLETE"
    assert "within its first tier of calls" in said
    code, said, audits = run("--total", "400s")
    assert code == 3
    assert "the time of --total was over before it began" in said
    # The one that was not complete in the last run began.
    assert [audits[name]["report"] is None for name in ("first", "second")] == [True, False]


def test_a_refutation_needs_no_further_tier(project):
    write(project, RAW)
    code, _, audits = run("--total", "2000s")
    assert (code, reached(audits["fourth"])) == (0, None)


def test_what_changed_since_the_last_run_goes_first(project):
    run()
    source = HOUSE.format(scale=1.0)
    place = source.index("scale=1.0", source.index("def slower"))
    (project / "house.py").write_text(source[:place] + "scale=1.1" + source[place + 9 :])
    run("--total", "10h")
    assert order()[:3] == ["slower", "slow", "slower"]


def test_what_changed_or_was_not_as_expected_goes_first_without_a_limit_too(project):
    run()
    assert order() == ["slow", "slower"]
    write(
        project,
        SOUND.replace("slower, PureDP(1.0), PAIRS", 'slower, PureDP(1.0), PAIRS, expect="REFUTED"'),
    )
    code, said, _ = run()
    assert order() == ["slower", "slow"]
    assert (code, "NOT REFUTED, expected REFUTED" in said) == (1, True)
    run()
    assert order() == ["slower", "slow"]
    run("--select", "first")
    write(project)
    run()
    run()
    assert order() == ["slow", "slower"]


def timeless(value):
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "provenance")}
    return list(map(timeless, value)) if isinstance(value, list) else value


def in_processes(project, *options):
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "run", "--json", "run.json", *options],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr, json.loads((project / "run.json").read_text())["audits"]


def test_audits_that_pause_in_processes_of_their_own_say_what_others_say(tmp_path):
    """Both jobs hold paused audits: what a process has begun goes on there, and is cached."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(PLAIN)
    _, without = in_processes(tmp_path)
    said, found = in_processes(tmp_path, "--total", "9h", "--jobs", "2", "--cache", "kept")
    assert "4 audits: 4 as expected" in said
    assert timeless(found) == timeless(without)
    said, _ = in_processes(tmp_path, "--total", "9h", "--cache", "kept")
    assert "4 of 4 audits are unchanged" in said


@pytest.mark.parametrize("value", ["5", "m", "-1s", "0s", "nans", "infh", "5 minutes", ""])
def test_what_is_no_duration_is_refused_with_the_remedy(project, value):
    done = CliRunner().invoke(cli, ["run", "--total", value])
    assert done.exit_code == 2
    assert "write 90s, 5m or 1h" in done.output


@pytest.mark.parametrize("other", [["--accumulate"], ["--beacon", "3f2a9c1"], ["--self-test"]])
def test_what_fixes_the_calls_before_is_refused_beside_it(project, other):
    done = CliRunner().invoke(cli, ["run", "--total", "5m", *other])
    assert done.exit_code == 2
    assert "leave" in done.output
