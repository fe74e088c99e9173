"""Write docs/constructs.md: what each engine says of constructs that public DP code has.

Each construct of `tests/constructs.py` has a sound and a broken mechanism. Nothing depends on time:
the audits count calls and steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import dpaudit
from dpaudit import Verdict
from dpaudit.formal.engine import FormalEngine
from dpaudit.report.text import headline
from dpaudit.trace.engine import TraceEngine
from tests.constructs import CONSTRUCTS, Construct
from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "constructs.md"
CALLS = 4_000
STEPS = 10.0  # of a proof, in seconds of an ordinary machine
HEAD = f"""# What dpaudit understands of real code

This page has one sound and one broken mechanism for each construct that is frequent in public code
for differential privacy, the most frequent first. `tests/constructs.py` has their sources.
`make constructs` writes this page.

- *static* has the ids of errors in the source.
- *proof* is what the formal engine says with a budget of steps, some 10 s of work.
- *trace* has the id that the trace suspects, without any sampling.
- *audit* is the verdict of the four engines together, with {CALLS:,} calls. More calls decide more.

The right answers are VERIFIED or NOT REFUTED for a sound mechanism, and REFUTED for a broken one.
A dash says that an engine found nothing or gave no answer.

"""


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table, each as it is known."""
    for construct in CONSTRUCTS:
        yield row(construct, sound=True)
        yield row(construct, sound=False)


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
        construct.name if sound else "",
        f"`{mechanism.__name__}`",
        "sound" if sound else f"broken: {', '.join(construct.ids)}",
        ", ".join(dict.fromkeys(f.id for f in by_engine["static"].findings if f.level == "error"))
        or "—",
        "—" if proof is None else str(proof),
        suspected[0] if suspected else "—",
        headline(report) + (f" {refuted[0]}" if report.verdict is Verdict.REFUTED else ""),
    )


def main() -> None:
    """Run every mechanism, and write docs/constructs.md."""
    heads = ("construct", "mechanism", "label", "static", "proof", "trace", "audit")
    lines = [table_row(heads), table_row(("---",) * len(heads))]
    for each in rows():
        lines.append(table_row(each))
        print(lines[-1], flush=True)
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
