"""Write docs/constructs.md: what each engine says of constructs that public DP code has.

Each construct of `tests/constructs.py` and of the two files beside it has a sound and a broken
mechanism. Nothing depends on time: the audits count calls and steps. Names of mechanisms as
arguments run those alone, and the other rows of the page stay.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import dpaudit
from dpaudit import Verdict
from dpaudit.formal.engine import FormalEngine
from dpaudit.report.text import headline
from dpaudit.trace.engine import TraceEngine
from tests.constructs import CONSTRUCTS, Construct
from tests.constructs_of_data import OF_DATA
from tests.constructs_of_programs import OF_PROGRAMS
from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "constructs.md"
CALLS = 4_000
STEPS = 10.0  # of a proof, in seconds of an ordinary machine
HEAD = f"""# What dpaudit understands of real code

This page has one sound and one broken mechanism for each construct that is frequent in public code
for differential privacy, the most frequent first. `tests/constructs.py` has their sources.
[Further forms](#further-forms) follow. `make constructs` writes this page.

- *static* has the ids of errors in the source.
- *proof* is what the formal engine says with a budget of steps, some 10 s of work.
- *trace* has the id that the trace suspects, without any sampling.
- *audit* is the verdict of the four engines together, with {CALLS:,} calls. More calls decide more.

The right answers are VERIFIED or NOT REFUTED for a sound mechanism, and REFUTED for a broken one.
A dash says that an engine found nothing or gave no answer, and a question mark that the row was not
run yet.

"""
FURTHER = (*OF_DATA, *OF_PROGRAMS)
FURTHER_HEAD = """
## Further forms

These forms were seen in other public code, in no order of frequency. Their sources are in
`tests/constructs_of_data.py` and `tests/constructs_of_programs.py`.

"""


def page(lines: Mapping[str, str]) -> str:
    """Return the page from the rows that are known, by the mechanism's name."""
    return HEAD + _table(CONSTRUCTS, lines) + FURTHER_HEAD + _table(FURTHER, lines)


def known(text: str) -> dict[str, str]:
    """Return the rows of a page, by the mechanism's name."""
    lines = [line for line in text.splitlines() if "| `" in line]
    return {line.split(" | ")[1].strip("`"): line for line in lines}


def _table(constructs: Iterable[Construct], lines: Mapping[str, str]) -> str:
    heads = ("construct", "mechanism", "label", "static", "proof", "trace", "audit")
    rows = [table_row(heads), table_row(("---",) * len(heads))]
    for construct in constructs:
        for sound in (True, False):
            labels = _labels(construct, sound=sound)
            rows.append(lines.get(labels[1].strip("`")) or table_row((*labels, *"????")))
    return "\n".join(rows) + "\n"


def _labels(construct: Construct, *, sound: bool) -> tuple[str, str, str]:
    if sound:
        return construct.name, f"`{construct.sound.__name__}`", "sound"
    return "", f"`{construct.broken.__name__}`", f"broken: {', '.join(construct.ids)}"


def row(construct: Construct, *, sound: bool) -> tuple[str, ...]:
    """Return what each engine says of a mechanism.

    Parameters
    ----------
    construct : Construct
    sound : bool
        Whether it is the sound mechanism of the construct, or the broken one.
    """
    mechanism = construct.sound if sound else construct.broken
    given = mechanism, construct.claim, construct.neighbors
    report = dpaudit.audit(
        *given,
        engines=["static", FormalEngine(budget=STEPS), "trace", "statistical"],
        max_calls=CALLS,
        max_seconds=None,
    )
    by_engine = {evidence.engine: evidence for evidence in report.evidence}
    proof = by_engine["formal"].verdict
    seen = dpaudit.audit(
        *given, engines=[TraceEngine(share=0.0)], max_calls=CALLS, max_seconds=None
    ).evidence[0]
    suspected = [s.finding.id for s in seen.suspects if s.finding is not None]
    refuted = [f.id for f in report.findings if f.level == "error"]
    return (
        *_labels(construct, sound=sound),
        ", ".join(dict.fromkeys(f.id for f in by_engine["static"].findings if f.level == "error"))
        or "—",
        "—" if proof is None else str(proof),
        suspected[0] if suspected else "—",
        headline(report) + (f" {refuted[0]}" if report.verdict is Verdict.REFUTED else ""),
    )


def main(names: Iterable[str]) -> None:
    """Run the named mechanisms, or every one, and write docs/constructs.md after each."""
    asked = set(names)
    lines = known(PAGE.read_text(encoding="utf-8")) if asked else {}
    for construct in (*CONSTRUCTS, *FURTHER):
        for sound in (True, False):
            name = _labels(construct, sound=sound)[1].strip("`")
            if not asked or name in asked:
                lines[name] = table_row(row(construct, sound=sound))
                print(lines[name], flush=True)
                PAGE.write_text(page(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
