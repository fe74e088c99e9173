"""Whether a relation holds for all values: proofs, counterexamples, and honest ignorance."""

import time
from fractions import Fraction

import pytest
import sympy
from sympy import (
    Abs,
    Eq,
    Ge,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    ceiling,
    erf,
    exp,
    floor,
    log,
    sqrt,
    tanh,
)

from dpaudit.formal.decide import Truth, decide, satisfiable

x, y, s = sympy.symbols("x y s", real=True)
n, k = sympy.symbols("n k", integer=True)
u, t = sympy.symbols("u t", positive=True)

PROVED = [
    (1 / n <= Rational(1, 2), [n >= 2]),
    (Abs((s + x) / (n + 1) - s / n) <= 2 * u / (n + 1), [n >= 1, Abs(x) <= u, Abs(s) <= n * u]),
    (Abs(Min(Max(x, -u), u) - Min(Max(y, -u), u)) <= 2 * u, []),
    (x * y <= (x**2 + y**2) / 2, []),
    (sqrt(x * y) <= (x + y) / 2, [x >= 0, y >= 0]),
    (2 * floor(x / 2) <= x, []),
    (2 * ceiling(n / sympy.Integer(2)) <= n + 1, []),
    (sympy.Mod(n, 3) <= 2, []),
    (k * ceiling(n / k) <= n + k - 1, [k >= 1]),
    (ceiling(n / ceiling(n / k)) <= k, [k >= 1, n >= k]),
    (exp(t) >= 1 + t, []),
    (exp(2 * t) >= exp(t), []),
    (exp(t) <= 1 + 2 * t, [t <= 1]),
    (log(1 + t) <= t, []),
    (log(exp(t) + 1) <= t + log(2), []),
    (tanh(t / 2) <= t / 2, []),
    (erf(t) <= 1, []),
    (2**n >= n + 1, [n >= 0, n <= 30]),
    (Eq((x + y) ** 2, x**2 + 2 * x * y + y**2, evaluate=False), []),
    (Eq(log(8), 3 * log(2), evaluate=False), []),
    (Le(sqrt(2) * sqrt(3), sqrt(6), evaluate=False), []),
    (Lt(exp(1), Rational(27183, 10000), evaluate=False), []),
    (x * Piecewise((1 / x, x > 0), (0, True)) <= 1, []),
    (Ne(n, Rational(1, 2), evaluate=False), []),
    (sympy.false, [x >= 1, x <= 0]),
]
REFUTED = [
    (1 / n <= Rational(1, 3), [n >= 2], {"n": 2}),
    (sqrt(x) <= x, [x >= 0], None),
    (exp(t) <= 1 + Rational(3, 2) * t, [t <= 1], {"t": 1}),
    (Abs(Min(Max(x, y), u)) <= u - y, [y <= u], None),
    (2 * ceiling(n / sympy.Integer(2)) <= n, [], None),
    (Lt(exp(1), Rational(27182, 10000), evaluate=False), [], {}),
    (Ne(n**2, 16, evaluate=False), [n >= 0], {"n": 4}),
    (sympy.false, [x >= 1, x <= 2], {"x": 1}),
    (x**2 <= u, [Abs(x) <= 1], None),
]
UNDECIDED = [
    (1 / x <= 5, [x >= 0, x <= 0]),  # undefined where the conditions hold
    (log(x) <= x - 1, []),  # undefined for x ≤ 0
    (sqrt(x) >= 0, []),
    (Ne(x**2, 2, evaluate=False), []),  # false at √2, which is no rational number
    (Piecewise((1, x > 0), (0, x < 0)) <= 1, []),  # no case for 0
]


@pytest.mark.parametrize(("goal", "given"), PROVED, ids=str)
def test_what_holds_for_all_values_is_proved(goal, given):
    decision = decide(goal, given)
    assert decision.truth is Truth.PROVED
    assert decision.obligation or decision.evidence or decision.reason


@pytest.mark.parametrize(("goal", "given", "values"), REFUTED, ids=str)
def test_what_is_false_somewhere_is_refuted_by_numbers_that_keep_the_conditions(
    goal, given, values
):
    decision = decide(goal, given)
    assert decision.truth is Truth.REFUTED
    if values is not None:
        assert decision.values == values
    numbers = {
        symbol: Rational(*decision.values.get(symbol.name, Fraction(1)).as_integer_ratio())
        for symbol in (x, y, s, n, k, u, t)
    }
    assert all(condition.subs(numbers) == True for condition in given)  # noqa: E712
    assert goal.subs(numbers).doit() == False or not goal.free_symbols  # noqa: E712


@pytest.mark.parametrize(("goal", "given"), UNDECIDED, ids=str)
def test_what_has_no_value_or_no_rational_counterexample_is_neither(goal, given):
    decision = decide(goal, given, timeout=1.0)
    assert decision.truth is Truth.UNKNOWN
    assert decision.reason


def test_a_float_is_refused_since_it_is_not_the_number_that_was_written():
    decision = decide(x**2 >= sympy.Float(0.1))
    assert decision.truth is Truth.UNKNOWN
    assert "0.1" in decision.reason


def test_a_rational_number_reaches_the_solver_unrounded():
    tenth = Rational(*(0.1).as_integer_ratio())
    assert decide(x <= tenth, [x <= Rational(1, 10)]).truth is Truth.PROVED
    assert decide(x <= Rational(1, 10), [x <= tenth]).truth is Truth.REFUTED


def test_division_by_zero_proves_nothing():
    assert decide(1 / x >= 1, [Eq(x, 0)]).truth is Truth.UNKNOWN
    assert decide(x * (1 / (x - y)) <= x, [Eq(x, y)]).truth is Truth.UNKNOWN


def test_facts_about_a_branch_that_is_not_taken_exclude_nothing():
    root = Piecewise((sqrt(x), x >= 0), (-1, True))
    assert decide(root >= 0).truth is Truth.REFUTED
    quotient = Piecewise((floor(1 / x), x > 0), (-1, True))
    assert decide(quotient >= 0).truth is Truth.REFUTED


def test_a_condition_that_need_not_be_defined_is_not_assumed_to_be():
    either = sympy.Or(Eq(x, 0), 1 / x >= 1)
    assert decide(x > 0, [either]).truth is not Truth.PROVED


def test_integers_are_not_reals():
    assert decide(Ge(n**2, n)).truth is Truth.PROVED
    assert decide(Ge(x**2, x)).truth is Truth.REFUTED


def test_negative_integers_are_rounded_down():
    assert decide(floor(n / sympy.Integer(2)) >= (n - 1) / 2).truth is Truth.PROVED
    assert decide(Eq(floor(n / sympy.Integer(2)), -1), [Eq(n, -1)]).truth is Truth.PROVED


def test_conditions_that_contradict_each_other_are_told():
    assert satisfiable([n >= 2, n <= 1]).truth is Truth.PROVED
    assert satisfiable([n > 1, n < 2]).truth is Truth.PROVED
    assert satisfiable([n >= 2]).values == {"n": 2}


def test_a_proof_is_a_text_that_another_solver_finds_unsatisfiable():
    cvc5 = pytest.importorskip("cvc5")
    for goal, given in PROVED[:5]:
        solver = cvc5.Solver(cvc5.TermManager())
        parser = cvc5.InputParser(solver)
        text = decide(goal, given).obligation
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "proof")
        answers = []
        while not (command := parser.nextCommand()).isNull():
            answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
        assert [answer for answer in answers if answer] == ["unsat"]


def test_time_is_kept():
    a, b, c, d = sympy.symbols("a b c d", integer=True)
    start = time.monotonic()
    decision = decide(Ne(a**3 + b**3 + c**3, 42 + d**3, evaluate=False), timeout=1.0)
    assert time.monotonic() - start < 3.0
    assert decision.truth is not Truth.PROVED


def test_a_symbol_of_unknown_kind_is_not_decided():
    assert "real" in decide(sympy.Symbol("z") ** 2 >= 0).reason


@pytest.mark.parametrize("goal", [x, 1, "x <= 1"])
def test_what_is_no_relation_is_refused(goal):
    with pytest.raises(TypeError, match="must be a sympy relation"):
        decide(goal)


def test_a_time_limit_must_be_positive():
    with pytest.raises(ValueError, match="must be positive"):
        decide(x <= 1, timeout=0)


def test_a_decision_can_be_written_as_json():
    import json

    for goal in (1 / u >= 0, x <= 1, log(x) <= 1):
        json.dumps(decide(goal, timeout=1.0).to_dict())
