"""What the linter found, as a list with the lines of source."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.report.page.markup import Markup, tag
from dpaudit.report.results import Result


def finding_list(results: Sequence[Result]) -> Markup:
    """Return results one after the other, those that are set aside last.

    Parameters
    ----------
    results : sequence of Result

    Returns
    -------
    Markup
    """
    if not results:
        return tag("p", "Nothing was found.")
    ordered = sorted(results, key=lambda r: (r.accepted is not None, r.level != "error"))
    return tag("section", tag("h2", "Findings"), [_entry(result) for result in ordered])


def _entry(result: Result) -> Markup:
    level = "aside" if result.accepted is not None else result.level
    said = "set aside" if level == "aside" else level
    steps = [
        tag("li", f"{what}: ", tag("code", f"{file}:{line}")) for file, line, what in result.related
    ]
    shown = tag(
        "ol",
        tag("li", tag("span", result.line, class_="at"), tag("span", result.text, class_="text"),
            class_="cause"),
        class_="source",
        tabindex="0",
        aria_label="source",
    )  # fmt: skip
    return tag(
        "article",
        tag("h3", tag("span", said, class_=f"badge {level}"), " ", result.title),
        tag("p", result.message),
        tag("p", tag("code", f"{result.file}:{result.line}"), class_="small"),
        shown if result.text else None,
        tag("ul", steps) if steps else None,
        None if result.accepted is None else tag("p", f"Set aside because: {result.accepted}"),
    )
