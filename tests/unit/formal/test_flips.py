"""Permute-and-flip: what is proved of it, and what must not be."""

from functools import partial

import numpy as np
import pytest

from dpaudit import PureDP, QueryAnswers
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.permute_and_flip_gives_up import permute_and_flip_gives_up
from mechanisms.permute_and_flip import permute_and_flip
from tests.checking import proved_by_lemma

FOUR = QueryAnswers(4)


def proved(mechanism, epsilon=1.0, neighbors=FOUR):
    return proved_by_lemma(mechanism, PureDP(epsilon), neighbors)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [
        (permute_and_flip, 1.0, FOUR),
        (permute_and_flip, 0.5, QueryAnswers(4, monotone=True)),
        (permute_and_flip, 0.5, QueryAnswers(3, norm="l1")),
        (permute_and_flip, 0.5, QueryAnswers(3, norm="l0")),
        (permute_and_flip, 1.0, QueryAnswers(3, norm="l2")),
        (permute_and_flip, 2.0, QueryAnswers(2, distance=2.0)),
        (partial(permute_and_flip, epsilon=0.1, sensitivity=3.0), 0.1, QueryAnswers(2, 3.0)),
    ],
)
def test_permute_and_flip_is_proved_by_the_theorem_on_it(mechanism, epsilon, neighbors):
    proof = proved(mechanism, epsilon, neighbors)
    assert proof.conclusion.lemma.name == "permute-and-flip"
    with pytest.raises(Unsupported):
        proved(mechanism, 0.99 * epsilon, neighbors)


# --- other ways to write it


def orders_the_coins(scores, rng):
    halves = scores / 2
    chances = np.exp((halves - np.max(halves)) * 1.0)
    heads = chances > rng.random(4)
    order = rng.permutation(4)
    return order[np.argmax(heads[order])]


@pytest.mark.parametrize("epsilon", [1.0])
def test_the_order_may_be_drawn_last(epsilon):
    assert proved(orders_the_coins, epsilon)


def scaled_there_and_back(scores, rng, *, by=2.0):
    order = rng.permutation(4)
    scores = scores * by * by
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / by / by / 2)
    return int(order[heads.argmax()])


@pytest.mark.parametrize("by", [1e200, 1e-161])
def test_scores_that_overflow_or_keep_few_bits_are_not_proved(by):
    assert proved(scaled_there_and_back)
    with pytest.raises(Unsupported):
        proved(partial(scaled_there_and_back, by=by))


# --- one step changed each


def without_an_order(scores, rng):
    chances = np.exp((scores - scores.max()) / 2)
    return int((rng.random(4) < chances).argmax())


def another_order_at_the_end(scores, rng):
    order, other = rng.permutation(4), rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2)
    return int(other[heads.argmax()])


def place_in_the_order(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2)
    return int(heads.argmax())


def order_and_winner(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2)
    return int(order[heads.argmax()]), order


def one_coin_for_all(scores, rng):
    order = rng.permutation(4)
    heads = rng.random() < np.exp((scores[order] - scores.max()) / 2)
    return int(order[heads.argmax()])


def below_the_least(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.min()) / 2)
    return int(order[heads.argmax()])


def the_other_way_round(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) > np.exp((scores[order] - scores.max()) / 2)
    return int(order[heads.argmax()])


def falling_scores(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((-1 * scores[order] - scores.max()) / 2)
    return int(order[heads.argmax()])


def scaled_apart(scores, rng):
    """Floats of 0.1·u and of u·0.1/0.3·0.3 differ, so that no coin need show heads."""
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp(0.1 * scores[order] - scores.max() / 10)
    return int(order[heads.argmax()])


def raised_chances(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2 - 1.0)
    return int(order[heads.argmax()])


def by_private_coins(scores, rng):
    order = rng.permutation(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2)
    return bool(heads.all())


def a_fixed_order(scores, rng):
    order = np.arange(4)
    heads = rng.random(4) < np.exp((scores[order] - scores.max()) / 2)
    return int(order[heads.argmax()])


@pytest.mark.parametrize(
    "mechanism",
    [
        permute_and_flip_gives_up,
        without_an_order,
        another_order_at_the_end,
        place_in_the_order,
        order_and_winner,
        one_coin_for_all,
        below_the_least,
        the_other_way_round,
        falling_scores,
        scaled_apart,
        raised_chances,
        by_private_coins,
        a_fixed_order,
    ],
)
def test_what_is_not_permute_and_flip_is_not_proved(mechanism):
    with pytest.raises(Unsupported):
        proved(mechanism, 9.0)


def test_scores_in_a_list_have_no_largest_of_their_own():
    with pytest.raises(Unsupported):
        proved(permute_and_flip, 1.0, QueryAnswers(4, container="list"))
