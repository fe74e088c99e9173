"""Comparisons of noises with one another, and noise of no known law, in the search of pairs.

Probabilities are compared with runs of the code: 4,000 draws at a fixed seed, within five standard
deviations of each frequency (1 seed in some 40,000 would fail a test of these).
"""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, QueryAnswers
from dpaudit.formal.balls import precision
from dpaudit.formal.clock import fresh, now
from dpaudit.formal.counterexample import refute
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.trial.outputs import released
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject

DRAWS = 4_000
DATA = np.array([1.0, 0.0, 2.0])


def above_a_noisy_threshold(data, rng):
    threshold = 1.0 + rng.laplace(scale=2.0)
    return [bool(value + rng.laplace(scale=3.0) >= threshold) for value in data]


def the_last_one_above(data, rng):
    found, threshold = -1, rng.exponential(scale=2.0)
    for i, value in enumerate(data):
        if value + rng.laplace() > threshold:
            found = i
    return found


def a_threshold_that_is_carried_along(data, rng):
    best, at = rng.laplace(), -1
    for i, value in enumerate(data):
        noisy = value + rng.laplace()
        if noisy > best:
            best, at = noisy, i
    return at


def an_interval_and_a_comparison(data, rng):
    one, other = data[0] + rng.laplace(), data[1] + rng.uniform()
    if one < 0:
        return "low"
    return "less" if one < other else "more"


def a_rounded_number_is_tested_after_it(data, rng):
    noisy = data[0] + rng.laplace()
    if noisy > 0.2:
        return "far" if round(noisy) > 1 else "near"
    return "below" if int(noisy) < -1 else "at"


def a_difference_of_counts_is_cut(data, rng):
    noisy = int(data[0]) + int(rng.geometric(0.5)) - int(rng.geometric(0.5))
    cut = max(0, min(noisy, 3))
    return ["none", "few", "many"][(cut > 0) + (cut >= 3)]


def a_logarithm_of_a_uniform_draw(data, rng):
    u = rng.random()
    noise = -np.log(1 - u) if u <= 0.5 else np.log(u)
    return bool(data[0] + noise > 1.25)


def discrete_noise_is_asked_for_a_value(data, rng):
    return bool(int(rng.geometric(0.3)) == 2)


WEIGHED = [
    above_a_noisy_threshold,
    the_last_one_above,
    a_threshold_that_is_carried_along,
    an_interval_and_a_comparison,
    a_rounded_number_is_tested_after_it,
    a_difference_of_counts_is_cut,
    a_logarithm_of_a_uniform_draw,
    discrete_noise_is_asked_for_a_value,
]


@pytest.mark.parametrize("mechanism", WEIGHED, ids=lambda f: f.__name__)
def test_outputs_are_as_likely_as_in_runs(mechanism):
    found = Counter()
    with fresh(), precision(120):
        trial = Trial(lift(Subject.of(mechanism)))
        for outcome in trial.outcomes(DATA, deadline=now() + 60):
            mass = released(outcome).mass
            assert mass.rad() < 1e-12
            found[shown(outcome.output)] += float(mass.mid())
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    rng = np.random.default_rng(3)
    seen = Counter(shown(mechanism(DATA.copy(), rng)) for _ in range(DRAWS))
    assert seen.keys() <= {output for output, mass in found.items() if mass > 0}
    for output, mass in found.items():
        spread = math.sqrt(max(0.0, mass * (1 - mass)) / DRAWS)
        assert abs(seen[output] / DRAWS - mass) <= 5 * spread + 1e-9, output


def shown(output):
    return repr(getattr(output, "constant", output))


def every_answer_costs(data, rng):
    threshold = rng.laplace(scale=2.0)
    return [bool(value + rng.laplace(scale=2.0) >= threshold) for value in data]


def the_first_answer_costs(data, rng):
    threshold = rng.laplace(scale=2.0)
    for i, value in enumerate(data):
        if value + rng.laplace(scale=4.0) >= threshold:
            return i
    return -1


def two_noises_are_too_small(data, rng):
    return data.sum() + rng.laplace(scale=1.0) + rng.laplace(scale=1.0)


def two_noises_are_large(data, rng):
    return data.sum() + rng.laplace(scale=3.0) + rng.laplace(scale=3.0)


def the_length_of_noise_goes_nowhere(data, rng):
    noisy = data + rng.laplace(scale=1.0, size=len(data))
    length = np.linalg.norm(noisy)
    noted = {"length": float(length * length)}
    return noisy if noted else None


def the_same_with_noise_that_pays(data, rng):
    noisy = data + rng.laplace(scale=3.0, size=len(data))
    length = np.linalg.norm(noisy)
    noted = {"length": float(length * length)}
    return noisy if noted else None


def a_value_beside_a_choice_of_no_known_chance(data, rng):
    one, other = rng.laplace(), rng.laplace()
    return data.sum(), 1 if one * other > 1.0 else 0


def a_choice_of_no_known_chance(data, rng):
    one, other = rng.laplace(), rng.laplace()
    return bool(one * other > 1.0)


def what_is_used_up_is_tested_again(data, rng):
    noisy = rng.laplace(scale=100.0, size=len(data))
    at = int(np.argmax(noisy))
    return bool(noisy[0] > 50.0) or at == 0


def what_is_a_maximum_is_compared_with_its_parts(data, rng):
    noisy = rng.laplace(scale=100.0, size=len(data))
    return bool(np.max(noisy) == noisy[0])


def noise_beside_another_structure(data, rng):
    if rng.random() < 0.1:
        return "nothing"
    return data[0] + rng.laplace(scale=1.0)


ANSWERS = QueryAnswers(3, 1.0, "linf")


@pytest.mark.parametrize(
    "broken",
    [
        every_answer_costs,
        two_noises_are_too_small,
        the_length_of_noise_goes_nowhere,
        a_value_beside_a_choice_of_no_known_chance,
    ],
    ids=lambda f: f.__name__,
)
def test_is_refuted(broken):
    assert refutation(broken, PureDP(1.0), ANSWERS) is not None


@pytest.mark.parametrize(
    "sound",
    [
        the_first_answer_costs,
        noise_beside_another_structure,
        two_noises_are_large,
        the_same_with_noise_that_pays,
        a_choice_of_no_known_chance,
        what_is_used_up_is_tested_again,
        what_is_a_maximum_is_compared_with_its_parts,
    ],
    ids=lambda f: f.__name__,
)
def test_is_not_refuted(sound):
    assert refutation(sound, PureDP(1.0), ANSWERS) is None


def a_staircase_that_leaves_a_gap(data, rng):
    sign = 1 if rng.random() < 0.5 else -1
    return len(data) + sign * (int(rng.geometric(0.3)) + 0.5 * rng.uniform())


def test_an_interval_without_noise_is_an_event():
    found = refutation(a_staircase_that_leaves_a_gap, PureDP(5.0), AddRemove(Integer(0, 1)))
    assert found is not None
    assert "<= output <=" in found.event.source


def refutation(mechanism, claim, neighbors):
    subject = Subject.of(mechanism)
    with fresh():
        try:
            return refute(lift(subject), claim, neighbors, subject, deadline=now() + 4, pairs=8)
        except Unsupported:
            return None


def gap_that_was_compared(data, rng):
    first, second = rng.laplace(scale=1.0), rng.laplace(scale=1.0)
    return first - second if first > second else None


def test_the_law_of_a_difference_that_a_test_saw_is_the_law_given_the_test():
    """Pr[X - Y > t] = (1/2 + t/4) e^-t for t >= 0; given that it is positive, twice that."""
    program = lift(gap_that_was_compared)
    with precision(160):
        ends = Trial(program).outcomes([0.0], deadline=math.inf)
        (found,) = (end for end in ends if end.output is not None)
        law = found.oracle.together(found.output.terms)
        assert abs(found.mass() - 0.5) < 1e-12
        for t in (0.5, 1.0, 4.0):
            assert (
                abs(law.below(Fraction(t), strict=False) - 1 + (1 + t / 2) * math.exp(-t)) < 1e-12
            )
