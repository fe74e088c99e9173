"""The parts of repairs: edits, products and quotients, and the least factor.

They evaluate texts, which no file may do whose mechanisms are read.
"""

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.formal.repairing.arithmetic import over, times, without
from dpaudit.formal.repairing.edits import Edit, Text
from dpaudit.formal.repairing.factors import least, spellings


def test_edits_that_overlap_are_refused():
    text = Text("file.py", "abcdef")
    assert text.edited([Edit(0, 2, "X", 1), Edit(2, 3, "Y", 1)]) == "XYdef"
    assert text.edited([Edit(0, 3, "X", 1), Edit(2, 4, "Y", 1)]) is None


SCALES = ["a / b", "a / (2 * b)", "a + b", "-a", "sqrt(a) * b", "a**2 / b", "0.5 * a", "a - b / 3"]


@pytest.mark.parametrize("text", SCALES)
@pytest.mark.parametrize("factor", ["2", "1.5", "3 / 2", "5**0.5", "c", "(c + 1)", "(a - b)"])
def test_products_and_quotients_are_what_they_say(text, factor):
    names = {"a": 3.7, "b": 1.9, "c": 4, "sqrt": np.sqrt}

    def evaluated(expression):
        return eval(compile(ast.parse(expression, mode="eval"), "", "eval"), names)

    assert evaluated(times(text, factor)) == pytest.approx(evaluated(text) * evaluated(factor))
    assert evaluated(over(text, factor)) == pytest.approx(evaluated(text) / evaluated(factor))


def test_a_factor_is_left_out_of_a_quotient():
    assert without("(high - low) / (n * epsilon)", "epsilon") == ["(high - low) / epsilon"]
    assert without("sensitivity + n", "epsilon") == []


@given(st.floats(0.05, 5000), st.booleans())
def test_the_least_factor_is_found_and_written_down(threshold, below):
    """What is written holds; it is too much by half a percent, rounded up, at most."""

    def holds(text):
        return eval(text, {}) >= threshold

    found = least(holds, below_one=below)
    if found is None:
        assert threshold <= 1e-10
        return
    lo, hi = found
    if not below and threshold <= 2:
        return  # the search starts from what does not hold at 1
    written = [v for text, v in spellings(lo, hi) if holds(text)]
    assert threshold <= written[0] <= threshold * 1.016
