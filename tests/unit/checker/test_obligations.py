"""Whether a relation holds for all values: proofs, counterexamples, and honest ignorance."""

from fractions import Fraction

import pytest

from dpaudit.checker.file import RejectedError, Work
from dpaudit.checker.formula import Relation, read_condition, read_term
from dpaudit.checker.obligations import Prover
from dpaudit.checker.points import breaking_point, fails_at, holds_at, lacks_value
from dpaudit.checker.stated import stated

KINDS = {
    **dict.fromkeys("xys", "real"),
    **dict.fromkeys("nk", "integer"),
    **dict.fromkeys("ut", "positive"),
}
PROVED = [
    ("1/n <= 1/2", ["n >= 2"]),
    ("Abs((s + x)/(n + 1) - s/n) <= 2*u/(n + 1)", ["n >= 1", "Abs(x) <= u", "Abs(s) <= n*u"]),
    ("Abs(Min(Max(x, -u), u) - Min(Max(y, -u), u)) <= 2*u", []),
    ("x*y <= (x**2 + y**2)/2", []),
    ("sqrt(x*y) <= (x + y)/2", ["x >= 0", "y >= 0"]),
    ("2*floor(x/2) <= x", []),
    ("2*ceiling(n/2) <= n + 1", []),
    ("Mod(n, 3) <= 2", []),
    ("exp(t) >= 1 + t", []),
    ("exp(2*t) >= exp(t)", []),
    ("exp(t) <= 1 + 2*t", ["t <= 1"]),
    ("log(1 + t) <= t", []),
    ("2**n >= n + 1", ["n >= 0", "n <= 30"]),
    ("(x + y)**2 == x**2 + 2*x*y + y**2", []),
    ("sqrt(2)*sqrt(3) <= sqrt(6)", []),
    ("exp(1) < 2.7183", []),
    ("x*Piecewise((1/x, x > 0), (0, True)) <= 1", []),
    ("n != 1/2", []),
    ("n**2 >= n", []),
    ("floor(n/2) >= (n - 1)/2", []),
    ("floor(n/2) == -1", ["n == -1"]),
    ("0 == 1", ["x >= 1", "x <= 0"]),
]
REFUTED = [
    ("1/n <= 1/3", ["n >= 2"], {"n": 2}),
    ("sqrt(x) <= x", ["x >= 0"], {}),
    ("exp(t) <= 1 + 3/2*t", ["t <= 1"], {"t": 1}),
    ("Abs(Min(Max(x, y), u)) <= u - y", ["y <= u"], {}),
    ("2*ceiling(n/2) <= n", [], {}),
    ("exp(1) < 2.7182", [], {}),
    ("n**2 != 16", ["n >= 0"], {"n": 4}),
    ("0 == 1", ["x >= 1", "x <= 2"], {"x": 1}),
    ("x**2 <= u", ["Abs(x) <= 1"], {}),
    ("x**2 >= x", [], {}),
    ("Piecewise((sqrt(x), x >= 0), (-1, True)) >= 0", [], {}),
    ("Piecewise((floor(1/x), x > 0), (-1, True)) >= 0", [], {}),
    ("x <= y", ["x + y == 1", "x >= y"], {}),
]
UNDECIDED = [
    ("x**2 != 2", []),  # false at √2, which is no rational number
    ("k*ceiling(n/k) <= n + k - 1", ["k >= 1"]),  # true
    ("log(8) == 3*log(2)", []),  # true
    ("n**3 + k**3 != 42 + s**3", ["s == floor(s)"]),
]
NO_VALUE = [
    ("1/x", []),
    ("1/x", ["x >= 0", "x <= 0"]),
    ("log(x)", []),
    ("log(x)", ["x >= 0"]),
    ("sqrt(x)", ["x <= 1"]),
    ("x**(-1/2)", ["x >= 0"]),
    ("x**y", []),
    ("(-1)**y", []),
    ("x*(1/(x - y))", ["x == y"]),
    ("Piecewise((1/x, x >= 0), (0, True))", []),
    ("Piecewise((1, 1/x > 0), (0, True))", []),
    ("0*(x/x)", []),
]
VALUE = [
    ("1/x", ["x > 0"]),
    ("(-1)**n", ["n >= 0", "n <= 9"]),
    ("sqrt(x**2)", []),
    ("log(1 + t)", []),
    ("Piecewise((1/x, x > 0), (0, True))", []),
    ("Piecewise((sqrt(x), x >= 0), (sqrt(-x), True))", []),
]


def prover(given):
    return Prover(stated(KINDS, given, [_TRIVIAL], None, None, {}), Work(float("inf"), steps=60.0))


_TRIVIAL = {"step": 0, "case": None, "left": "0", "relation": "<=", "right": "0"}


def decided(goal, given, seconds=5.0):
    [needs] = read_condition(goal, KINDS, "goal")
    return prover(given).decide(needs, seconds)


@pytest.mark.parametrize(("goal", "given"), PROVED, ids=str)
def test_what_holds_for_all_values_is_proved(goal, given):
    decision = decided(goal, given)
    assert decision.truth is True
    assert decision.method in ("numbers", "boxes", "solver")


@pytest.mark.parametrize(("goal", "given", "values"), REFUTED, ids=str)
def test_what_is_false_somewhere_is_refuted_by_numbers_that_keep_the_conditions(
    goal, given, values
):
    decision = decided(goal, given)
    assert decision.truth is False
    assert values.items() <= decision.point.items()
    found = prover(given)
    assert all(holds_at(condition, decision.point) is True for condition in found.given)
    assert holds_at(read_condition(goal, KINDS, "goal"), decision.point) is False


@pytest.mark.parametrize(("goal", "given"), UNDECIDED, ids=str)
def test_what_has_no_rational_counterexample_is_neither(goal, given):
    assert decided(goal, given, 0.5).truth is None


@pytest.mark.parametrize(("text", "given"), NO_VALUE, ids=str)
def test_a_term_without_a_value_somewhere_is_refuted(text, given):
    term = read_term(text, KINDS, "term")
    decision = prover(given).decide(term, 1.0)
    assert decision.truth is False
    assert lacks_value(term, decision.point)


@pytest.mark.parametrize(("text", "given"), VALUE, ids=str)
def test_a_term_that_has_a_value_is_not_refuted(text, given):
    assert prover(given).decide(read_term(text, KINDS, "term"), 1.0).truth is not False


def test_what_balls_do_not_tell_from_zero_is_not_said_to_be_zero():
    nearly = "(exp(1)*exp(-1) - 1)"
    point = dict.fromkeys(KINDS, Fraction(1))
    for text in (f"1/{nearly}", f"log({nearly})", f"sqrt({nearly})", f"{nearly}**(-1)"):
        assert not lacks_value(read_term(text, KINDS, "term"), point)
        assert not fails_at(Relation(read_term(text, KINDS, "term"), "==", read_term("1", (), "")),
                            point)  # fmt: skip


def test_points_keep_equations_that_are_linear_in_one_variable():
    given = ["x + y == 1", "s == n*x", "u == 100"]
    found = prover(given)
    point = breaking_point(
        *(read_condition("0 == 1", KINDS, "goal")), found.given, found.whole, found.work, 50
    )
    assert point["x"] + point["y"] == 1
    assert point["s"] == point["n"] * point["x"]
    assert point["u"] == 100


def test_conditions_that_contradict_each_other_are_told():
    for given in (["n >= 2", "n <= 1"], ["n > 1", "n < 2"], ["x**2 < 0"]):
        assert prover(given).example() is None
        assert prover(given).meets(None) is False
    assert prover(["n >= 2"]).example()["n"] == 2


@pytest.mark.parametrize("text", ["9**9**9", "2**1000000", "10**-100000", "(1/3)**(4*10**6)"])
def test_a_power_that_would_not_end_is_not_read(text):
    with pytest.raises(RejectedError, match="too large"):
        read_term(text, (), "term")
