"""The listing of audits on a terminal."""

import io
import re

import pytest

from dpaudit.evidence import Finding
from dpaudit.report.table import Found, Row, located, print_listing, print_table

ROWS = [
    ("audits/sums.py::one", "shop:one", "PureDP(1.0)", "QueryAnswers(10)", "NOT_REFUTED", "proved"),
    ("audits/sums.py::two" * 3, "shop:two" * 9, "PureDP(1.0)", "Pairs(" + "9" * 500, "DPA103", ""),
]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("width", [80, 120, 200])
def test_listing_fits_the_terminal_with_every_column(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    print_listing(ROWS, file)
    lines = [re.sub(r"\x1b\[\d*m", "", line) for line in file.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    told = [line for line in lines if "DPA103" in line or "NOT_REFUTED" in line]
    assert len(told) == 2
    assert len({line.index("PureDP") for line in told}) == 1
    assert ("proved" in told[0]) is (width == 200)


def test_below_the_table_each_located_cause_is_a_sentence_for_a_ticket():
    scale = "mean: the scale of the laplace noise is 50 on one dataset and 100 on its neighbor"
    told = f"{scale}. Confirmed by sampling: …"
    traced = Finding("DPA103", "error", told, file="shop.py", line=7, engine="trace")
    found = Found("REFUTED", ("DPA103",), 1.0, 500, 1.0, causes=(located(traced),))
    row = Row("audits/shop.py::mean", "PureDP(1.0)", "DPA103", "ok", found)
    file = io.StringIO()
    print_table([row, row], file)
    assert file.getvalue().splitlines()[-1] == f"shop.py:7: DPA103: {scale}"
    assert file.getvalue().count(scale) == 1


def test_what_no_trace_has_located_has_no_sentence():
    assert located(Finding("DPA201", "error", "violated", engine="statistical")) is None
    assert (
        located(Finding("DPA103", "error", "seen", file="shop.py", line=7, engine="static")) is None
    )
