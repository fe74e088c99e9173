"""A report as HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dpaudit.evidence import Event, Verdict
from dpaudit.report.page import run_html
from tests.reporting import (
    ROWS,
    evidence,
    finding,
    inconclusive,
    not_refuted,
    refuted,
    report,
    run_of,
    witness,
)


class _Balance(HTMLParser):
    """Checks that tags nest, and remembers them."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _parsed(fragment):
    parser = _Balance()
    parser.feed(fragment)
    parser.close()
    assert parser.open == []
    return parser.seen


@pytest.mark.parametrize(
    "given_report",
    [refuted(), not_refuted(), inconclusive(), report()],
    ids=lambda r: r.verdict.name,
)
def test_fragment_nests_and_shows_the_verdict(given_report):
    fragment = given_report._repr_html_()
    assert _parsed(fragment) <= {"div", "p", "span", "code", "table", "tr", "th", "td", "b", "br"}
    assert str(given_report.verdict) in fragment


def test_what_would_have_been_caught_is_a_table_here_and_a_curve_and_a_table_on_the_page():
    made = not_refuted(detectable=ROWS)
    page = run_html(run_of(("count", made, "NOT_REFUTED")))
    for text in (made._repr_html_(), page):
        for part in ("1.41", "2.5", "none", "most searched pair"):
            assert part in text
    assert "Smallest epsilon that would have been caught, by the probability" in page


def test_what_would_have_been_caught_is_not_shown_beside_a_proof():
    proved = report(
        evidence(Verdict.VERIFIED, engine="formal"),
        evidence(Verdict.NOT_REFUTED, detectable=ROWS, detectable_epsilon=1.3),
    )
    page = run_html(run_of(("count", proved, "VERIFIED")))
    for text in (proved._repr_html_(), page):
        assert "VERIFIED" in text
        for part in ("1.41", "most searched pair", "would have detected an epsilon"):
            assert part not in text
    assert "does not rest on a search for violations" in page


def test_the_sizes_of_runs_are_shown_where_the_neighbors_do_not_say_them():
    shown = "at most 16 records in runs"
    sized = replace(not_refuted(), neighbors="AddRemove(Real(0, 100), max_size=20)")
    for made, there in ((not_refuted(), True), (sized, False), (refuted(), False)):
        for text in (made._repr_html_(), made.summary()):
            assert (shown in text) is there


def test_refutation_shows_datasets_and_counts():
    fragment = refuted()._repr_html_()
    for part in ("DPA103", "shop/release.py:12", "output &gt; 1.5", "900/1,000 against 1/1,000"):
        assert part in fragment


def test_datasets_stand_side_by_side_and_their_difference_is_marked():
    pair = witness(left=[1.0, 2.5, 4.0], right=[1.0, 3.5, 4.0])
    shown = run_html(run_of(("a.py::x", refuted(witness=pair), "REFUTED")))
    [columns] = re.findall(r'<dl class="pair">(.*?)</dl>', shown, re.S)
    assert re.findall(r"<mark>(.*?)</mark>", columns) == ["2.5", "3.5"]
    whole = re.sub(r"</?mark>", "", columns)
    assert "[1, 2.5, 4]" in whole
    assert "[1, 3.5, 4]" in whole


def test_markup_in_untrusted_text_is_escaped():
    bad = "<script>alert('x')</script>\x1b\"&"
    fragment = report(
        evidence(
            Verdict.REFUTED,
            findings=(finding(id=bad, message=bad, file=bad),),
            witness=witness(left=[bad], right=[bad], event=Event(bad, "True")),
        ),
        mechanism=bad,
        neighbors=bad,
        assumptions=(bad,),
    )._repr_html_()
    assert "script" not in _parsed(fragment)
    assert "\x1b" not in fragment
