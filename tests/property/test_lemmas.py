"""The lemmas' own formulas against integration, brute force, and random datasets."""

from itertools import pairwise, product
from math import asinh, exp, log

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpaudit import ApproxDP, PureDP
from dpaudit.formal.lemmas.facts import Facts
from dpaudit.formal.lemmas.integers import refuting, unsatisfiable
from dpaudit.formal.lemmas.interval import interval
from dpaudit.formal.lemmas.neighboring import Neighboring
from dpaudit.formal.lemmas.order import with_ends
from dpaudit.formal.lemmas.reading import Names
from dpaudit.formal.lemmas.smooth import smooth
from dpaudit.formal.lemmas.values import (
    SIZE,
    STEP,
    Drawn,
    Joined,
    Masses,
    Ordered,
    Point,
    Records,
    Vector,
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

HERE = Place("here.py", 1)
BETWEEN = Joined((sympy.Integer(0), sympy.Integer(4)), Records(("data",), 0, 4, True, False))
numbers = st.lists(st.integers(0, 4), max_size=7)


@given(numbers, st.integers(0, 4))
def test_order_statistics_of_neighbors_interlace(records, new):
    x, more = sorted(records), sorted([*records, new])
    for i, value in enumerate(x):
        assert more[i] <= value <= more[i + 1]


def laplace_excess(wide, narrow, shift, slope):
    """Return ∫ (p − e^a q)+ of Laplace densities of these scales."""

    def density(z, scale):
        return exp(-abs(z) / scale) / (2 * scale)

    def gain(z):
        return max(0.0, density(z, wide) - exp(slope) * density(z - shift, narrow))

    edges = [-400, -60, -20, -8, -3, 0, shift, 3, 8, 20, 60, 400]
    return sum(quad(gain, a, b, limit=200)[0] for a, b in pairwise(edges))


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.45])
@pytest.mark.parametrize("room", [0.5, 0.9])
def test_noise_of_another_scale_and_place_loses_no_more_than_the_lemma_says(rate, room):
    """Both ways, at the largest changes of scale and of place."""
    c = 2.0
    delta = (1 - exp(-rate)) * exp(-(room + rate) / (exp(rate) - 1))
    for scale, other in ((exp(rate), 1.0), (1.0, exp(rate)), (exp(rate / 2), 1.0)):
        for far in (0.0, min(scale, other) / c):
            found = laplace_excess(scale, other, far, room + 1 / c)
            assert found <= delta * (1 + 1e-6) + 1e-9
    tight = laplace_excess(exp(rate), 1.0, 0.0, room)
    assert tight == pytest.approx(delta, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("far", [1.5, 4.0, 10.0])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_answers_that_are_far_apart_lose_all_but_the_part_that_the_lemma_says(far, epsilon):
    """Of two Laplace laws, also where they are less far apart."""
    most = 1 - exp((epsilon - far) / 2)
    for part in (0.3, 0.7, 1.0):
        assert laplace_excess(1.0, 1.0, part * far, epsilon) <= most + 1e-6
    assert laplace_excess(1.0, 1.0, far, epsilon) == pytest.approx(most, rel=1e-4)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-50, 50))
def test_cauchy_noise_of_another_scale_and_place_loses_at_most_the_sum(rate, place, z):
    """ln p(z)/q(z) <= λ + 2 arsinh(d/2) <= λ + d, with s = e^λ, s' = 1 and the places d apart."""
    for s in (exp(rate), exp(-rate)):
        p = s / (s * s + z * z)
        q = 1 / (1 + (z - place) ** 2)
        assert abs(log(p / q)) <= rate + 2 * asinh(place / 2) + 1e-9
    assert 2 * asinh(place / 2) <= place


# --- profiles made of order statistics: whatever is proved of them holds for all small datasets


def profile_of(entry, names, n, dataset):
    """Return A(x, k) for k = 0, …, n on a dataset, None where an index lies outside."""
    x = sorted((0, *dataset, 4))
    found = []
    for k in range(n + 1):
        value = entry.subs({SIZE: n, STEP: k})
        for applied in value.atoms(sympy.core.function.AppliedUndef):
            index = int(applied.args[0])
            if not 0 <= index < len(x):
                return None
            value = value.subs(applied, x[index])
        found.append(int(value))
    return found


def makes_a_profile(choice):
    """Return names and a vector x(i) − x(j) with indices like those of the median."""
    more, less, up, down = choice
    names = Names()
    x = sympy.Function("x", real=True)
    names.orders[x] = Ordered(x, 2, sympy.Integer(0), sympy.Integer(4), False, BETWEEN)
    high = sympy.floor((SIZE + STEP + more) / 2) + up
    low = sympy.floor((SIZE - STEP + less) / 2) + down
    return names, Vector(SIZE + 1, x(high) - x(low)), x


CHOICES = list(product((-1, 0, 1), (-1, 0, 1), (0, 1, 2), (-1, 0)))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(CHOICES), st.integers(0, 1), st.data())
def test_what_is_proved_of_a_profile_holds_on_datasets(choice, middle, data):
    names, vector, x = makes_a_profile(choice)
    answer = x(sympy.floor((SIZE + 1) / 2) + middle)
    neighboring = Neighboring(Facts(), names, HERE)
    proofs = []
    for attempt in (
        lambda: neighboring.starts(vector),
        lambda: neighboring.grows(vector),
        lambda: neighboring.local(answer, vector),
    ):
        try:
            attempt()
        except Unsupported:
            proofs.append(False)
        else:
            proofs.append(True)
    small = data.draw(st.lists(st.integers(0, 4), max_size=4))
    large = [*small, data.draw(st.integers(0, 4))]
    for here, there in ((small, large), (large, small)):
        a = profile_of(vector.entry, names, len(here), here)
        b = profile_of(vector.entry, names, len(there), there)
        if a is None or b is None:
            return
        assert not proofs[0] or a[0] >= 0
        assert not proofs[1] or all(a[k] <= b[min(k + 1, len(there))] for k in range(len(here) + 1))
        places = [(len(d) + 1) // 2 + middle for d in (here, there)]
        if proofs[2] and all(p < len(d) + 2 for p, d in zip(places, (here, there), strict=True)):
            f, g = (sorted((0, *d, 4))[p] for p, d in zip(places, (here, there), strict=True))
            assert abs(f - g) <= min(a[0], b[0])


def test_the_median_and_its_profile_meet_every_condition():
    names, vector, x = makes_a_profile((0, 0, 1, 0))
    neighboring = Neighboring(Facts(), names, HERE)
    neighboring.starts(vector)
    neighboring.grows(vector)
    neighboring.local(x(sympy.floor((SIZE + 1) / 2)), vector)
    assert with_ends(names, vector.entry.subs(STEP, SIZE)) == 4


@given(st.sampled_from(CHOICES), st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_what_the_solver_proves_of_whole_numbers_holds(choice, n, k):
    more, less, up, down = choice
    goal = sympy.Ge(
        sympy.floor((SIZE + STEP + more) / 2) + up,
        sympy.Min(sympy.floor((SIZE - STEP + less) / 2) + down + 1, SIZE + 1),
    )
    given_ = (sympy.Le(STEP, SIZE),)
    if k <= n and unsatisfiable(refuting(goal, given_), 5.0):
        assert goal.subs({SIZE: n, STEP: k}) == sympy.true


def test_a_decay_that_is_larger_than_what_the_claim_leaves_is_refused():
    names, vector, x = makes_a_profile((0, 0, 1, 0))
    symbol = sympy.Symbol("largest", real=True)
    rate = sympy.Rational(6, 10)
    names.largest[symbol] = Vector(vector.length, vector.entry, False, rate)
    noisy = Drawn(1, "laplace", 2 * symbol, x(sympy.floor((SIZE + 1) / 2)), HERE)
    neighboring = Neighboring(Facts(), names, HERE)
    with pytest.raises(Unsupported, match="more than the claim leaves"):
        smooth(noisy, ApproxDP(1.0, 0.5), neighboring)
    assert smooth(noisy, ApproxDP(1.2, 0.5), neighboring).price.delta < 1


def test_the_interlacing_needs_one_record_only():
    """Two records more move an order statistic by two places, which nothing here allows."""
    x = np.sort([1.0, 2.0, 3.0])
    more = np.sort([1.0, 2.0, 3.0, 0.0, 0.0])
    assert more[2] < x[1]


# --- the exponential mechanism over an interval, as its programs run


def density(data, low, high, exponent):
    """Return borders and the density between them, from lengths and weights of the segments."""
    ends = [low, *sorted(min(high, max(low, x)) for x in data), high]
    weights = [(b - a) * exp(exponent(k, len(data))) for k, (a, b) in enumerate(pairwise(ends))]
    total = sum(weights)
    return lambda r: next(
        w / total / (b - a) for w, (a, b) in zip(weights, pairwise(ends), strict=True) if a < r < b
    )


SCORES = {
    "the distance to a quantile": (
        lambda k, n: -abs(k - 0.75 * n),
        sympy.Abs(STEP - sympy.Rational(3, 4) * SIZE) * -1,
    ),
    "how many are below": (lambda k, n: -k, -STEP),
    "a capped distance": (
        lambda k, n: -min(2, abs(k - n / 2)),
        -sympy.Min(2, sympy.Abs(STEP - SIZE / 2)),
    ),
    "a square": (lambda k, n: -((k - n / 2) ** 2), -((STEP - SIZE / 2) ** 2)),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("replaced", [False, True])
def test_the_density_of_neighbors_differs_by_no_more_than_the_lemma_says(name, replaced):
    exponent, formula = SCORES[name]
    order = Ordered(sympy.Function("x"), 2, sympy.Integer(0), sympy.Integer(4), False, BETWEEN)
    point = Point(Masses(order, formula, some=False), HERE)

    def proved(epsilon):
        try:
            interval(point, PureDP(epsilon), Neighboring(Facts(), Names(), HERE, replaced))
        except Unsupported:
            return False
        return True

    least = next((e for e in (0.5, 1.0, 1.5, 2.0, 2.5) if proved(e)), np.inf)
    assert (least == np.inf) is (name == "a square")
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        data = rng.integers(0, 5, size=rng.integers(0, 7)).tolist()
        other = [*data, int(rng.integers(0, 5))]
        if replaced and data:
            other.pop(0)
        p, q = (density(each, 0, 4, exponent) for each in (data, other))
        worst = max(worst, *(abs(log(p(r) / q(r))) for r in (0.5, 1.5, 2.5, 3.5)))
    assert worst <= least + 1e-9
    if name != "a square":
        assert worst > least / 3  # it says something
