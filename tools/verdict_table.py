"""Write the declared verdicts into audits/VERDICTS.md: how many of each file, and all of them."""

from __future__ import annotations

import re

from dpaudit.collect import CollectedAudit, Collection, collect
from dpaudit.evidence import Verdict
from dpaudit.violations import VIOLATIONS
from tools.declared import AUDITS, title_of
from tools.description import ROOT
from tools.markdown import table_row

LIBRARIES = "audits/libraries/"
PAGE = ROOT / "audits" / "VERDICTS.md"
HEAD = """# The verdicts of the reference mechanisms

This page lists every audit in `audits/` with the verdict that `make audit` must reach. VERIFIED
asks for a proof. NOT REFUTED asks that no run refutes the claim; a proof is accepted too. An id in
brackets is the declared cause. The finding of the report has that id, lists it under "also", or is
`DPA201` if the cause is not located. `make readme` writes this page.
"""


def summary(collection: Collection) -> str:
    """Return how many audits of each file expect what, as a table in Markdown.

    Parameters
    ----------
    collection : Collection

    Returns
    -------
    str
    """
    head = ("audits", "of", "must be proved", "must not be refuted", "must be refuted")
    rows: list[tuple[str, ...]] = [head]
    rows.append(("---", "---", "--:", "--:", "--:"))
    for file, audits in _by_file(collection).items():
        proved = sum(found.audit.expect == Verdict.VERIFIED.name for found in audits)
        refuted = sum(_is_refuted(found.audit.expect) for found in audits)
        counts = (proved, len(audits) - proved - refuted, refuted)
        rows.append((f"[{file}]({file}.py)", title_of(file), *map(str, counts)))
    return "\n".join(map(table_row, rows))


def page(collection: Collection) -> str:
    """Return every declared verdict, a table a file.

    Parameters
    ----------
    collection : Collection

    Returns
    -------
    str
    """
    parts = [HEAD, summary(collection)]
    for file, audits in _by_file(collection).items():
        rows = [("audit", "mechanism", "claim", "verdict", "because"), ("---",) * 5]
        rows += [
            (
                found.name.rpartition("::")[2].replace("_", " "),
                f"`{called(found.audit.mechanism_name)}`",
                "" if found.audit.claim_text is None else f"`{short(found.audit.claim_text)}`",
                _expected(found.audit.expect),
                found.audit.reason or "",
            )
            for found in audits
        ]
        parts.append(f"## {file}\n\n{title_of(file)}\n\n" + "\n".join(map(table_row, rows)))
    return "\n\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def main() -> None:
    """Put the verdicts of today's audits on their page."""
    PAGE.write_text(page(collect([AUDITS])), encoding="utf-8")


def _by_file(collection: Collection) -> dict[str, list[CollectedAudit]]:
    """Group audits; those of other libraries are left out, which are not installed everywhere."""
    files: dict[str, list[CollectedAudit]] = {}
    for found in collection.audits:
        path = found.name.partition("::")[0]
        if path.startswith(LIBRARIES):
            continue
        files.setdefault(path.removeprefix("audits/").removesuffix(".py"), []).append(found)
    return files


def _is_refuted(expect: str) -> bool:
    return expect == "REFUTED" or expect in VIOLATIONS


def _expected(expect: str) -> str:
    return f"REFUTED ({expect})" if expect in VIOLATIONS else expect.replace("_", " ")


def called(mechanism: str) -> str:
    """Write a partial as a call with what it fixes."""
    name = mechanism.rpartition(":")[2]
    if not mechanism.startswith("functools.partial("):
        return name
    function, _, fixed = name.removesuffix(")").partition(", ")
    return f"{function}({fixed})"


def short(claim: str, longest: int = 40) -> str:
    """Round the numbers of a long claim; the audit file has them in full."""
    if len(claim) <= longest and not any(len(part) > 12 for part in claim.split(".")):
        return claim
    return re.sub(r"\d+\.\d{5,}", lambda m: f"{float(m[0]):.4g}…", claim)


if __name__ == "__main__":
    main()
