"""The lemmas' own formulas against integration, brute force, and random datasets."""

from fractions import Fraction
from itertools import pairwise, product
from math import asinh, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpaudit import ApproxDP, PureDP
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import RejectedError, Work
from dpaudit.checker.lemma.cells import Inside, Logs
from dpaudit.checker.lemma.closed import ZERO, closed
from dpaudit.checker.lemma.conditions import grows, local, starts
from dpaudit.checker.lemma.interval import interval
from dpaudit.checker.lemma.smooth import smooth
from dpaudit.checker.lemma.smt_context import Order, Scene
from dpaudit.checker.lemma.values import Column, InOrder, Largest, Mixed, Noise, Num, Steps

ENDS = (Fraction(0), Fraction(4))
BETWEEN = Mixed(Column(("data",), *ENDS, True, False), ENDS)
SIZES = {"x": "n", "y": "(+ n 1)"}
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


def whole(text):
    return Num(None, text, True)


def order_of(scene, side):
    """Return the records of a dataset in order, between 0 and 4."""
    name = scene.order(("data", "0", "4"), Order(*ENDS))
    return InOrder(name, 2, whole(f"(+ {SIZES[side]} 2)"), BETWEEN)


def profile_of(scene, choice, side, *, decay=ZERO):
    """Return a vector x(i) − x(j) with indices like those of the median."""
    more, less, up, down = (str(e) if e >= 0 else f"(- {-e})" for e in choice)
    order, n = order_of(scene, side), SIZES[side]

    def entry(k):
        high = scene.entry(order, side, whole(f"(+ (div (+ {n} {k} {more}) 2) {up})"))
        low = scene.entry(order, side, whole(f"(+ (div (+ (- {n} {k}) {less}) 2) {down})"))
        return Num(None, f"(- {high} {low})", False)

    return Steps(whole(f"(+ {n} 1)"), entry, False, decay)


def answer_of(scene, middle, side):
    """Return the entry in the middle, or the one after it."""
    place = whole(f"(+ (div (+ {SIZES[side]} 1) 2) {middle})")
    return Num(None, scene.entry(order_of(scene, side), side, place), False)


def computed(choice, dataset):
    """Return the profile of a dataset; None where an index lies outside."""
    more, less, up, down = choice
    x, n = sorted((0, *dataset, 4)), len(dataset)
    pairs = [((n + k + more) // 2 + up, (n - k + less) // 2 + down) for k in range(n + 1)]
    if not all(0 <= i < len(x) for pair in pairs for i in pair):
        return None
    return [x[high] - x[low] for high, low in pairs]


CHOICES = list(product((-1, 0, 1), (-1, 0, 1), (0, 1, 2), (-1, 0)))
MEDIAN = (0, 0, 1, 0)


def conditions_of(choice, middle):
    """Return which conditions of a lemma are proved of a profile."""
    scene = Scene(Work(float("inf")))
    vectors = [profile_of(scene, choice, side) for side in "xy"]
    proofs = []
    for attempt in (
        lambda: starts(scene, *vectors),
        lambda: grows(scene, *vectors),
        lambda: local(scene, [answer_of(scene, middle, side) for side in "xy"], *vectors),
    ):
        try:
            with scene.aside():
                attempt()
        except RejectedError:
            proofs.append(False)
        else:
            proofs.append(True)
    return proofs


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(CHOICES), st.integers(0, 1), st.data())
def test_what_is_proved_of_a_profile_holds_on_datasets(choice, middle, data):
    proofs = conditions_of(choice, middle)
    small = data.draw(st.lists(st.integers(0, 4), max_size=4))
    large = [*small, data.draw(st.integers(0, 4))]
    for here, there in ((small, large), (large, small)):
        a, b = computed(choice, here), computed(choice, there)
        if a is None or b is None:
            return
        assert not proofs[0] or a[0] >= 0
        assert not proofs[1] or all(a[k] <= b[min(k + 1, len(there))] for k in range(len(here) + 1))
        places = [(len(d) + 1) // 2 + middle for d in (here, there)]
        if proofs[2] and all(p < len(d) + 2 for p, d in zip(places, (here, there), strict=True)):
            f, g = (sorted((0, *d, 4))[p] for p, d in zip(places, (here, there), strict=True))
            assert abs(f - g) <= min(a[0], b[0])


def test_the_median_and_its_profile_meet_every_condition():
    assert conditions_of(MEDIAN, 0) == [True, True, True]
    assert not all(conditions_of(MEDIAN, 1))


def test_a_decay_that_is_larger_than_what_the_claim_leaves_is_refused():
    rate = closed(Fraction(6, 10))

    def applied(claim):
        scene = Scene(Work(float("inf")))
        with precisely():
            noises = [
                Noise(1, "laplace", "here.py:1",
                      Largest(profile_of(scene, MEDIAN, side, decay=rate), closed(2)),
                      answer_of(scene, 0, side))
                for side in "xy"
            ]  # fmt: skip
            return smooth(scene, *noises, claim)

    with pytest.raises(RejectedError, match="more than the claim leaves"):
        applied(ApproxDP(1.0, 0.5))
    assert (applied(ApproxDP(1.2, 0.5)).delta - 1).sign() < 0


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


def far(place, middle):
    return f"(ite (>= {place} {middle}) (- {place} {middle}) (- {middle} {place}))"


SCORES = {
    "the distance to a quantile": (
        lambda k, n: -abs(k - 0.75 * n),
        lambda k, n: f"(- {far(k, f'(* 0.75 {n})')})",
    ),
    "how many are below": (lambda k, n: -k, lambda k, _n: f"(- {k})"),
    "a capped distance": (
        lambda k, n: -min(2, abs(k - n / 2)),
        lambda k, n: f"(- (ite (<= {far(k, f'(/ {n} 2.0)')} 2.0) {far(k, f'(/ {n} 2.0)')} 2.0))",
    ),
    "a square": (
        lambda k, n: -((k - n / 2) ** 2),
        lambda k, n: f"(- (* (- {k} (/ {n} 2.0)) (- {k} (/ {n} 2.0))))",
    ),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("replaced", [False, True])
def test_the_density_of_neighbors_differs_by_no_more_than_the_lemma_says(name, replaced):
    exponent, formula = SCORES[name]

    def inside(scene, side):
        n = "n" if replaced else SIZES[side]
        order = order_of(scene, side)

        def added(place):
            return Num(None, formula(f"(to_real {place})", f"(to_real {n})"), False)

        return Inside(Logs(order, Steps(whole(f"(+ {n} 1)"), added, False), False), "here.py:1")

    def proved(epsilon):
        scene = Scene(Work(float("inf")), replaced)
        try:
            interval(scene, inside(scene, "x"), inside(scene, "y"), PureDP(epsilon))
        except RejectedError:
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
