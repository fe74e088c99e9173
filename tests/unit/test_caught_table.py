"""The page of what NOT REFUTED rules out has every sound mechanism, and the engine's numbers."""

import re

from tools.caught_table import PAGE, Ran, page, ran
from tools.declared import sound


def test_every_sound_audit_is_on_the_page_once():
    listed, file = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            file = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| audit", "| ---")):
            name = line.split("|")[1].replace("∗", "").strip().replace(" ", "_")
            listed.append(f"audits/{file}.py::{name}")
    assert sorted(listed) == sorted(each.name for each in sound())


def test_the_page_counts_the_audits_that_catch_twice_their_claim():
    text = PAGE.read_text(encoding="utf-8")
    strong, every = map(int, re.search(r"(\d+) of (\d+) would have caught twice", text).groups())
    assert every == len(sound())
    assert every - strong == text.count(" ∗ |")


def test_a_row_has_what_the_report_says():
    one = next(each for each in sound() if each.name.endswith("::laplace_scalar"))
    row = ran(one, 12_000)
    assert (row.verdict, row.calls, row.pairs, row.weak) == ("NOT_REFUTED", 12_000, 3, True)
    coupled, independent = row.sizes[0]
    assert coupled is not None
    assert f"| {row.pairs} | {coupled:.3g} / {independent:.3g} |" in page([row])


def test_a_cell_without_a_number_says_none_and_a_weak_audit_is_marked():
    sizes = [(1.5, 2.25), (None, None)] * 2 + [(None, None)]
    rows = [
        Ran("local.py::coin", "PureDP(1.0)", "NOT_REFUTED", 2_000, 3, sizes, True),
        Ran("local.py::die", "PureDP(1.0)", "INCONCLUSIVE", 90, 1, [], True),
    ]
    text = page(rows)
    assert "| coin ∗ | `PureDP(1.0)` | 2,000 | 3 | 1.5 / 2.25 | none / none |" in text
    assert "| die ∗ | `PureDP(1.0)` | 90 | 1 | INCONCLUSIVE |  |" in text
    assert "0 of 2 would have caught twice" in text
