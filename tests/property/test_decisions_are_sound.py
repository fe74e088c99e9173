"""What is proved holds at every point that is tried; what is refuted fails where it says."""

import mpmath as mp
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Le, Lt, Max, Min, Rational, ceiling, exp, floor, log, sqrt

from dpaudit.formal.decide import Truth, decide

x, y = sympy.symbols("x y", real=True)
n = sympy.Symbol("n", integer=True)
t = sympy.Symbol("t", positive=True)
SYMBOLS = (x, y, n, t)
BOUNDS = [x >= -1, x <= 2, Abs(y) <= 1, n >= 1, n <= 4, t <= 1]

constants = st.builds(Rational, st.integers(-4, 4), st.integers(1, 3))
leaves = st.sampled_from(SYMBOLS) | constants
ONE = (Abs, floor, ceiling, exp, lambda a: sqrt(Abs(a)), lambda a: log(1 + Abs(a)), lambda a: a**2)
TWO = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (1 + b**2),
    Max,
    Min,
)
expressions = st.recursive(
    leaves,
    lambda inner: (
        st.builds(lambda f, a: f(a), st.sampled_from(ONE), inner)
        | st.builds(lambda f, a, b: f(a, b), st.sampled_from(TWO), inner, inner)
    ),
    max_leaves=4,
)
points = st.fixed_dictionaries(
    {
        x: st.fractions(-1, 2, max_denominator=8),
        y: st.fractions(-1, 1, max_denominator=8),
        n: st.integers(1, 4),
        t: st.fractions(0, 1, max_denominator=16).filter(bool),
    }
)


def gap(goal, at):
    """Left minus right, in 60 digits."""
    with mp.workdps(60):
        function = sympy.lambdify(list(at), goal.args[0] - goal.args[1], "mpmath")
        return mp.mpf(function(*(mp.mpf(v.numerator) / v.denominator for v in at.values())))


@settings(max_examples=60, deadline=None)
@given(
    left=expressions,
    slack=st.integers(-2, 8),
    strict=st.booleans(),
    tried=st.lists(points, min_size=10, max_size=30),
)
def test_decisions_agree_with_what_numbers_say(left, slack, strict, tried):
    if not left.free_symbols:
        return
    free = [{s: at[s] for s in SYMBOLS if s in left.free_symbols} for at in tried]
    highest = max(gap(Le(left, 0, evaluate=False), at) for at in free)
    bound = Rational(int(mp.floor(highest * 16)) + slack, 16)
    goal = (Lt if strict else Le)(left, bound, evaluate=False)
    decision = decide(goal, BOUNDS, timeout=1.0)
    if decision.truth is Truth.PROVED:
        assert all(gap(goal, at) <= mp.mpf(10) ** -40 for at in free)
    elif decision.truth is Truth.REFUTED:
        at = {s: decision.values[s.name] for s in left.free_symbols}
        assert gap(goal, at) >= -(mp.mpf(10) ** -40)
        assert all(decision.values[s.name] >= low for s, low in ((x, -1), (n, 1)))


@pytest.mark.parametrize("bits", [1, 10, 40])
def test_a_bound_that_is_almost_reached_is_told_from_one_that_is_passed(bits):
    margin = Rational(1, 2**bits)
    goal = exp(t) - 1 - t
    top = sympy.E - 2
    assert decide(Le(goal, top + margin, evaluate=False), [t <= 1]).truth is Truth.PROVED
    assert decide(Le(goal, top - margin, evaluate=False), [t <= 1]).truth is Truth.REFUTED
