"""What is shown of a running audit, and that nothing is where it is not wanted."""

import io
import re
import time
from dataclasses import replace

import pytest

import dpaudit
from dpaudit import Pairs, PureDP
from dpaudit.evidence import Progress
from dpaudit.outputs.clocks import Clocks
from dpaudit.report import progress
from dpaudit.report.numbers import duration
from dpaudit.report.progress import Lines, Single, moment

PAIR = Pairs([(0.0, 1.0)])
NOW = Progress(20_000, 100_000, 3.21, 13.82, 10.0, 2, 1.504)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def laplace(answer, rng):
    return answer + rng.laplace()


def audited(**options):
    return dpaudit.audit(laplace, PureDP(2.0), PAIR, engines=["statistical"], **options)


def test_a_line_holds_calls_pair_evidence_what_would_be_caught_and_the_time_left():
    assert moment(NOW) == (
        "20,000 of 100,000 calls, now on pair 2; evidence 3.2 (refutes at 13.8), "
        "would detect epsilon 1.51; at most 40.0 s left"
    )
    assert "caught" not in moment(Progress(1, 10, 0.0, 13.8, 1.0))


def test_a_log_gets_a_line_every_half_minute(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    log = io.StringIO()
    with Single("m:laplace", log) as heard:
        for clock[0] in (1.0, 29.0, 31.0, 45.0, 60.0, 62.0):
            heard(NOW)
    assert log.getvalue().splitlines() == [f"m:laplace: {moment(NOW)}"] * 2


def test_the_time_left_is_the_smaller_of_what_calls_and_the_limit_leave():
    limited = replace(NOW, max_seconds=26.0)
    assert moment(limited).endswith("at most 16.0 s left")
    assert replace(NOW, max_seconds=600.0).seconds_left == NOW.seconds_left == 40.0
    assert replace(NOW, max_seconds=9.0).seconds_left == 0.0
    moments = []
    audited(max_calls=4_000, max_seconds=600.0, progress=moments.append)
    assert [each.max_seconds for each in moments] == pytest.approx([600.0] * len(moments), abs=60)


def test_a_line_is_not_due_because_clocks_stand_still_while_a_mechanism_runs():
    log = io.StringIO()
    with Lines(1, log) as lines:
        lines.started(0, "m:prints")
        with Clocks():
            lines.remind()
            lines.progress(0, NOW)
    assert not log.getvalue()


def test_several_audits_say_lines_of_their_own(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    log = io.StringIO()
    with Lines(2, log) as lines:
        lines.started(0, "one")
        clock[0] = 20.0
        lines.started(1, "two")
        clock[0] = 40.0
        lines.progress(0, NOW)
        lines.progress(1, NOW)
        lines.ended(0, "one", "VERIFIED", 40.0)
        lines.progress(0, NOW)
    assert [line.partition(":")[0] for line in log.getvalue().splitlines()] == ["one", "[1/2] one"]


def test_a_log_gets_a_line_while_nothing_is_called(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    log = io.StringIO()
    audits = Lines(1, log)
    audits.started(0, "one")
    for clock[0] in (10.0, 31.0, 40.0):
        audits.remind()
    audits.progress(0, NOW)
    for clock[0] in (62.0, 70.0):
        audits.remind()
    audits.ended(0, "one", "VERIFIED", 75.0)
    clock[0] = 200.0
    audits.remind()
    lines = log.getvalue().splitlines()
    assert lines[0] == "one: no call is counted after 31.0 s; proofs and traces come first"
    assert lines[1] == f"one: {moment(NOW)}"
    assert [line.partition(":")[0] for line in lines[2:]] == ["[1/1] one"]


def test_what_is_unexpected_is_shown_on_a_terminal_at_once():
    terminal = Terminal()
    with progress.Bars(2, terminal) as bars:
        for index, (name, said) in enumerate([("one", "REFUTED"), ("two", "VERIFIED")]):
            bars.started(index, name)
            bars.ended(index, name, said, 1.0, unexpected=said == "REFUTED")
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert f"one: REFUTED ({duration(1.0)})" in shown
    assert "two: VERIFIED" not in shown


def test_a_terminal_shows_a_bar_after_a_while_and_takes_it_away(monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER", 0.05)
    terminal = Terminal()
    with Single("m:laplace", terminal) as heard:
        while not terminal.getvalue():
            time.sleep(0.01)
        heard(NOW)
        while "20,000 calls" not in terminal.getvalue():
            time.sleep(0.01)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert "m:laplace" in shown
    assert "20,000 calls" in shown
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is erased


def test_a_short_audit_shows_nothing_on_a_terminal():
    terminal = Terminal()
    with Single("m:laplace", terminal) as heard:
        heard(NOW)
    assert not terminal.getvalue()


@pytest.mark.parametrize("wanted", [False, lambda moment: None])
def test_nothing_is_shown_to_whom_it_is_not_wanted(monkeypatch, wanted):
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    audited(max_calls=20_000, progress=wanted)
    assert not stderr.getvalue()


def test_an_audit_from_python_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    audited(max_calls=20_000)
    lines = stderr.getvalue().splitlines()
    assert lines
    assert all(line.startswith("tests.unit.test_progress:laplace: ") for line in lines)


def test_what_would_be_caught_is_told_while_an_audit_runs(monkeypatch):
    monkeypatch.setattr("dpaudit.statistical.race.TOLD_EVERY", 0.0)
    moments = []
    report = audited(max_calls=60_000, progress=moments.append)
    sizes = [m.detectable_epsilon for m in moments if m.detectable_epsilon < float("inf")]
    assert sizes
    assert sizes[-1] == pytest.approx(report.detectable_epsilon, rel=0.2)
    assert all(m.pair == 1 for m in moments)
