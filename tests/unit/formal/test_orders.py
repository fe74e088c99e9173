"""The order of noisy numbers in every spelling, its ends, and sums and clips in other words."""

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, GaussianDP, PureDP, QueryAnswers, ReplaceOne
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


COUNTED = AddRemove(Categorical([0, 1, 2, 3, 4]), max_size=20)
REPLACED = ReplaceOne(Categorical([0, 1, 2, 3, 4]), size=20)
L1, L2 = QueryAnswers(5, norm="l1"), QueryAnswers(5, norm="l2")


def counts_of(data):
    return np.bincount(data, minlength=5)[:5]


def sorted_counts(data, rng):
    return np.sort(counts_of(data))[::-1] + rng.laplace(0, 1.0, size=5)


def sorted_list(data, rng):
    counts = sorted([int(np.sum(data == k)) for k in range(5)], reverse=True)
    return [max(0, round(count + rng.laplace(0, 1.0))) for count in counts[:3]]


def sorted_in_place(data, rng):
    counts = counts_of(data).astype(float)
    part = counts[:3]
    part.sort()
    return counts + rng.laplace(0, 1.0, size=5)


def sorted_list_in_place(data, rng):
    counts = [np.sum(data == k) for k in range(5)]
    counts.sort(reverse=True)
    return [round(count + rng.laplace(0, 1.0), 2) for count in counts]


def sorted_answers(answers, rng):
    return np.sort(answers) + rng.laplace(0, 1.0, size=5)


def sorted_answers_with_normal_noise(answers, rng):
    return np.array(sorted(answers)) + rng.normal(0, 1.0, size=5)


def largest_three(data, rng):
    return np.argsort(counts_of(data) + rng.laplace(0, 1.0, size=5))[::-1][:3].tolist()


def largest_three_with_their_values(data, rng):
    noisy = counts_of(data) + rng.laplace(0, 1.0, size=5)
    top = np.argsort(-noisy)[:3]
    return top, noisy[top]


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (sorted_counts, CLAIM, COUNTED),
        (sorted_counts, PureDP(2.0), REPLACED),
        (sorted_list, CLAIM, COUNTED),
        (sorted_in_place, CLAIM, COUNTED),
        (sorted_list_in_place, CLAIM, COUNTED),
        (sorted_answers, CLAIM, L1),
        (sorted_answers, PureDP(5.0), QueryAnswers(5)),
        (sorted_answers_with_normal_noise, GaussianDP(1.0), L2),
        (largest_three, CLAIM, COUNTED),
        (largest_three_with_their_values, CLAIM, COUNTED),
    ],
)
def test_numbers_in_order_move_no_further_than_they_did(mechanism, claim, neighbors):
    assert is_proved(mechanism, claim, neighbors)


def names_of_the_largest(data, rng):
    counts = counts_of(data)
    return np.argsort(counts)[::-1], np.sort(counts) + rng.laplace(0, 1.0, size=5)


def counts_at_a_noisy_order(data, rng):
    counts = counts_of(data)
    top = np.argsort(counts + rng.laplace(0, 1.0, size=5))[:2]
    return counts[top]


def sorted_twice(data, rng):
    ordered = np.sort(counts_of(data))
    return ordered + rng.laplace(0, 1.0, size=5), ordered[0] + rng.laplace(0, 1.0)


def sorted_and_as_it_was(data, rng):
    counts = counts_of(data).astype(float)
    part = counts[:3]
    part.sort()
    return counts[0] + rng.laplace(0, 1.0), part + rng.laplace(0, 1.0, size=3)


def weighted(data, rng):
    return np.sort(counts_of(data) * np.array([1, 1, 1, 1, 3])) + rng.laplace(0, 1.0, size=5)


def sorted_in_a_private_branch(data, rng):
    numbers = [3, 1, 2]
    if len(data) > 3:
        numbers.sort()
    return numbers


def sorted_by_a_record(data, rng):
    numbers = [3, 1, 2]
    for value in data:
        if value == 2:
            numbers.sort()
    return numbers


def types_in_order(data, rng):
    numbers = [len(data[data == 1]), np.sum(data == 2)]
    numbers.sort()
    return str([n + rng.geometric(0.6) - rng.geometric(0.6) for n in numbers])


def types_in_order_after_conversion(data, rng):
    number = np.sum(data == 1)
    numbers = sorted([int(number), number, np.sum(data == 2)])
    return str([n + rng.geometric(0.6) - rng.geometric(0.6) for n in numbers])


def one_answer_twice(answers, rng):
    return np.sort(np.array([answers[0], answers[0], answers[1]])) + rng.laplace(0, 1.0, size=3)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (sorted_counts, PureDP(0.9), COUNTED),
        (sorted_counts, PureDP(1.9), REPLACED),
        (sorted_answers, CLAIM, L2),
        (sorted_answers, PureDP(4.9), QueryAnswers(5)),
        (sorted_answers_with_normal_noise, GaussianDP(1.0), QueryAnswers(5)),
        (names_of_the_largest, CLAIM, COUNTED),
        (counts_at_a_noisy_order, CLAIM, COUNTED),
        (sorted_twice, CLAIM, COUNTED),
        (sorted_and_as_it_was, CLAIM, COUNTED),
        (weighted, CLAIM, COUNTED),
        (sorted_in_a_private_branch, CLAIM, COUNTED),
        (sorted_by_a_record, CLAIM, COUNTED),
        (types_in_order, PureDP(100.0), COUNTED),
        (types_in_order_after_conversion, PureDP(100.0), COUNTED),
        (one_answer_twice, CLAIM, L1),
        (largest_three, PureDP(0.9), COUNTED),
    ],
)
def test_a_mistake_about_numbers_in_order_is_not_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
