"""The order of noisy numbers in every spelling, its ends, and sums and clips in other words."""

import numpy as np
import pytest

from dpaudit import PureDP, QueryAnswers
from tests.proving import is_proved

ANSWERS, CLAIM = QueryAnswers(4), PureDP(1.0)


def largest_by_argsort(answers, rng):
    return int(np.argsort(answers + rng.gumbel(scale=2.0, size=len(answers)))[-1])


def largest_by_an_order_backwards(answers, rng):
    noisy = answers + rng.exponential(scale=2.0, size=len(answers))
    return int(np.argsort(noisy)[::-1][0])


def largest_by_sorted(answers, rng):
    noisy = answers + rng.laplace(scale=2.0, size=len(answers))
    return sorted(range(len(noisy)), key=lambda i: noisy[i])[-1]


def largest_by_a_helper(answers, rng):
    def last(scores):
        return sorted(range(len(scores)), key=lambda i: scores[i])[-1]

    return last(answers + rng.gumbel(scale=2.0, size=len(answers)))


def largest_by_a_lambda(answers, rng):
    last = lambda scores: max(range(len(scores)), key=lambda i: scores[i])  # noqa: E731
    return last(answers + rng.gumbel(scale=2.0, size=len(answers)))


def two_largest(answers, rng):
    return list(np.argsort(answers + rng.gumbel(scale=4.0, size=len(answers)))[-2:])


SOUND = (
    largest_by_argsort,
    largest_by_an_order_backwards,
    largest_by_sorted,
    largest_by_a_helper,
    largest_by_a_lambda,
    two_largest,
)


def both_ends(answers, rng):
    order = np.argsort(answers + rng.laplace(scale=2.0, size=len(answers)))
    return int(order[0]), int(order[-1])


def smallest_of_gumbel(answers, rng):
    return int(np.argsort(answers + rng.gumbel(scale=2.0, size=len(answers)))[0])


def two_largest_for_the_price_of_one(answers, rng):
    return list(np.argsort(answers + rng.gumbel(scale=2.0, size=len(answers)))[-2:])


def middle(answers, rng):
    return int(np.argsort(answers + rng.gumbel(scale=2.0, size=len(answers)))[1])


def whole_order(answers, rng):
    return np.argsort(answers + rng.gumbel(scale=2.0, size=len(answers))).tolist()


def one_noise_for_all(answers, rng):
    noise = rng.laplace(scale=2.0)
    return sorted(range(len(answers)), key=lambda i: answers[i] + noise)[-1]


def too_little_noise(answers, rng):
    noisy = answers + rng.laplace(scale=1.9, size=len(answers))
    return sorted(range(len(noisy)), key=lambda i: noisy[i])[-1]


def noise_of_the_first_alone(answers, rng):
    noisy = answers + rng.laplace(scale=2.0, size=len(answers))
    return sorted(range(len(noisy)), key=lambda i: noisy[0] + answers[i])[-1]


def key_that_hides_a_name(answers, rng):
    def last(scores, i):
        return sorted(range(len(scores)), key=lambda i: scores[i])[-1] + i

    return last(answers + rng.gumbel(scale=2.0, size=len(answers)), answers[0])


BROKEN = (
    both_ends,
    smallest_of_gumbel,
    two_largest_for_the_price_of_one,
    middle,
    whole_order,
    one_noise_for_all,
    too_little_noise,
    noise_of_the_first_alone,
    key_that_hides_a_name,
)


@pytest.mark.parametrize("mechanism", SOUND)
def test_an_end_of_an_order_of_noisy_numbers_is_proved(mechanism):
    assert is_proved(mechanism, CLAIM, ANSWERS)


@pytest.mark.parametrize("mechanism", BROKEN)
def test_more_than_an_end_of_an_order_is_not(mechanism):
    assert not is_proved(mechanism, CLAIM, ANSWERS)
