"""The listing of audits on a terminal."""

import io
import re

import pytest

from dpaudit.report.table import print_listing

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
