"""What is proved holds at every point that is tried; what is refuted fails where it says."""

import mpmath as mp
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.checker.file import Work
from dpaudit.checker.formula import read_condition
from dpaudit.checker.obligations import Prover
from dpaudit.checker.stated import stated
from tests.sweeps import repeated

KINDS = {"x": "real", "y": "real", "n": "integer", "t": "positive"}
BOUNDS = ["x >= -1", "x <= 2", "Abs(y) <= 1", "n >= 1", "n <= 4", "t <= 1"]
TRIVIAL = {"step": 0, "case": None, "left": "0", "relation": "<=", "right": "0"}

constants = st.builds("({}/{})".format, st.integers(-4, 4), st.integers(1, 3))
leaves = st.sampled_from(list(KINDS)) | constants
ONE = (
    "Abs({})",
    "floor({})",
    "ceiling({})",
    "exp({})",
    "sqrt(Abs({}))",
    "log(1 + Abs({}))",
    "({})**2",
)
TWO = ("({} + {})", "({} - {})", "{}*{}", "{}/(1 + ({})**2)", "Max({}, {})", "Min({}, {})")
expressions = st.recursive(
    leaves,
    lambda inner: (
        st.builds(lambda f, a: f.format(a), st.sampled_from(ONE), inner)
        | st.builds(lambda f, a, b: f.format(a, b), st.sampled_from(TWO), inner, inner)
    ),
    max_leaves=4,
)
points = st.fixed_dictionaries(
    {
        "x": st.fractions(-1, 2, max_denominator=8),
        "y": st.fractions(-1, 1, max_denominator=8),
        "n": st.integers(1, 4),
        "t": st.fractions(0, 1, max_denominator=16).filter(bool),
    }
)


def value(text, at):
    """The value in 60 digits, as sympy and mpmath read the text."""
    with mp.workdps(60):
        symbols = {name: sympy.Symbol(name, real=True) for name in KINDS}
        function = sympy.lambdify(list(symbols.values()), sympy.sympify(text, symbols), "mpmath")
        return mp.mpf(function(*(mp.mpf(at[n].numerator) / at[n].denominator for n in KINDS)))


def decided(goal, given, seconds=1.0):
    prover = Prover(stated(KINDS, given, [TRIVIAL], None, None, {}), Work(mp.inf, steps=60.0))
    return prover.decide(*read_condition(goal, KINDS, "goal"), seconds)


@settings(max_examples=repeated(12, full=60), deadline=None)
@given(
    left=expressions,
    slack=st.integers(-2, 8),
    sign=st.sampled_from(["<", "<="]),
    tried=st.lists(points, min_size=10, max_size=30),
)
def test_decisions_agree_with_what_numbers_say(left, slack, sign, tried):
    highest = max(value(left, at) for at in tried)
    bound = f"({int(mp.floor(highest * 16)) + slack}/16)"
    decision = decided(f"{left} {sign} {bound}", BOUNDS)
    gap = f"({left}) - {bound}"
    if decision.truth is True:
        assert all(value(gap, at) <= mp.mpf(10) ** -40 for at in tried)
    elif decision.truth is False:
        assert value(gap, decision.point) >= -(mp.mpf(10) ** -40)
        assert all(decision.point[name] >= low for name, low in (("x", -1), ("n", 1)))


@pytest.mark.parametrize("bits", [1, 10, 40])
def test_a_bound_that_is_almost_reached_is_told_from_one_that_is_passed(bits):
    goal = "exp(t) - 1 - t <= exp(1) - 2"
    assert decided(f"{goal} + 1/2**{bits}", ["t <= 1"]).truth is True
    assert decided(f"{goal} - 1/2**{bits}", ["t <= 1"]).truth is False
