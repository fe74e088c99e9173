"""Write the declared verdicts: a summary into README.md, all of them into docs/verdicts.md."""

from __future__ import annotations

import re

from dpaudit.collect import CollectedAudit, Collection, collect
from dpaudit.evidence import Verdict
from dpaudit.violations import VIOLATIONS
from tools.declared import AUDITS, title_of
from tools.description import ROOT
from tools.markdown import table_row

LIBRARIES = "audits/libraries/"
README, PAGE = ROOT / "README.md", ROOT / "docs" / "verdicts.md"
BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"
HEAD = """# The verdicts

Every audit in `audits/`, with the verdict that `make audit` must reach: VERIFIED where the source
proves it, NOT REFUTED where running it is all that is asked (a proof would do as well). An id in
brackets is the declared cause. The report's finding has that id, or another that lists it under
"also", or `DPA201` where outputs alone do not tell the cause. `make readme` writes this page.
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
        rows.append((f"[{file}](audits/{file}.py)", title_of(file), *map(str, counts)))
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
    parts = [HEAD]
    for file, audits in _by_file(collection).items():
        rows = [("audit", "mechanism", "claim", "verdict", "because"), ("---",) * 5]
        rows += [
            (
                found.name.rpartition("::")[2].replace("_", " "),
                f"`{called(found.audit.mechanism_name)}`",
                "" if found.audit.claim is None else f"`{short(str(found.audit.claim))}`",
                _expected(found.audit.expect),
                found.audit.reason or "",
            )
            for found in audits
        ]
        parts.append(f"## {file}\n\n{title_of(file)}\n\n" + "\n".join(map(table_row, rows)))
    return "\n\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def written(text: str) -> str:
    """Return the table that stands in a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def main() -> None:
    """Put the verdicts of today's audits into the README and on their page."""
    found = collect([AUDITS])
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    README.write_text(f"{head}{BEGIN}\n{summary(found)}\n{END}{tail}", encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")


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
