"""Runs and findings as they are stored, friendly and hostile, for tests of the formats."""

from __future__ import annotations

import json
from dataclasses import replace

from dpaudit.collect import CollectionFailure
from dpaudit.evidence import Event
from dpaudit.report.lint import lint_to_dict
from dpaudit.static.lint import LintFailure, LintReport
from tests.reporting import (
    SEEN,
    TRAIL,
    finding,
    inconclusive,
    not_refuted,
    refuted,
    run_of,
    witness,
)

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'`|\x1b[31m\x07\x00\r\n"
    "::error::fake %0A ]]> --> ](http://evil) {0} @all \u202e\ud800 www.evil.example \x85\u2028 "
    "</code></details></style>"
)


def declared(*, failures=()):
    """A run with an audit of each status, and one that expects its refutation."""
    return run_of(
        ("audits/shop.py::leak", refuted(trail=TRAIL, sightings=SEEN), "NOT_REFUTED"),
        ("audits/shop.py::known", refuted(), "DPA103"),
        ("audits/shop.py::fine", not_refuted(trail=TRAIL, sightings=SEEN), "NOT_REFUTED"),
        ("audits/shop.py::missed", not_refuted(), "REFUTED"),
        ("audits/more.py::dead", None, "NOT_REFUTED"),
        failures=failures,
    )


def hostile():
    """A run whose every text is hostile, as far as a mechanism or its author chooses it."""
    bad = refuted(
        findings=(
            finding(message=HOSTILE, file=HOSTILE, related=((HOSTILE, 3, HOSTILE),)),
            finding(message=HOSTILE, level="warning", related=(("shop/release.py", 3, HOSTILE),)),
        ),
        witness=witness(left=[HOSTILE], right=[HOSTILE], event=Event(HOSTILE, "True"), how=HOSTILE),
        reason=HOSTILE,
        notes=(HOSTILE,),
    )
    bad = replace(bad, mechanism=HOSTILE, file=HOSTILE, assumptions=(HOSTILE,), neighbors=HOSTILE)
    return run_of(
        (f"audits/a.py::{HOSTILE}", bad, "NOT_REFUTED"),
        (HOSTILE, None, "NOT_REFUTED"),
        (f"{HOSTILE}::x", inconclusive(HOSTILE), "NOT_REFUTED"),
        error=HOSTILE,
        failures=(CollectionFailure(HOSTILE, HOSTILE), CollectionFailure("audits/b.py", HOSTILE)),
    )


def linted(message="the scale is computed from the data", **changes):
    report = LintReport(
        (finding(message=message, **changes), finding(message=message, level="warning")),
        ((finding(message=message, line=20), message),),
        (LintFailure("shop/odd.py", message),),
        2,
        40,
        3,
    )
    return json.loads(json.dumps(lint_to_dict(report, 1)))
