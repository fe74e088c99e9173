"""The page of what is not proved says so of the right audits, in the engine's words."""

import re

from dpaudit.evidence import Verdict
from tools.declared import sound
from tools.unproved_table import PAGE, Tried, page, tried


def listed():
    """Return the audits on the page, as file and variable."""
    found, file = set(), ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            file = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| audit", "| ---")):
            name = line.split("|")[1].strip().replace(" ", "_")
            found.add(f"{file}.py::{name}")
    return found


def test_no_audit_that_must_be_proved_stands_on_the_page_and_none_that_is_not_sound():
    rest = {
        each.name.removeprefix("audits/")
        for each in sound()
        if each.audit.expect != Verdict.VERIFIED.name
    }
    assert listed() <= rest, f"make unproved: {listed() - rest}"


def test_the_page_counts_what_it_does_not_list():
    text = PAGE.read_text(encoding="utf-8")
    proved, known = map(int, re.search(r"Proved: (\d+) of (\d+)", text).groups())
    assert known == len(sound())
    assert proved + len(listed()) == known


def test_a_reason_is_the_engines_own():
    one = next(each for each in sound() if each.name.endswith("::mode_if_stable"))
    row = tried(one, 5.0)
    assert row.verdict != Verdict.VERIFIED.name
    assert any("stable_mode.py:" in reason for reason in row.reasons)
    assert row.reasons[0] in page([row])


def test_what_is_proved_is_counted_and_not_listed():
    rows = [
        Tried("a.py::sums", "m:sums", "PureDP(1.0)", "VERIFIED"),
        Tried("a.py::maxima", "m:maxima", "PureDP(1.0)", "INCONCLUSIVE", ("m.py:1: no | rule",)),
    ]
    text = page(rows)
    assert "Proved: 1 of 2 sound audits." in text
    assert r"| maxima | `maxima` | `PureDP(1.0)` | m.py:1: no \| rule |" in text
    assert "sums |" not in text
