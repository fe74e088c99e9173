"""Thresholds at the ends of the outputs: fair at the claim, and early where one side has an end."""

import itertools
import math

import numpy as np
import pytest

from dpaudit import ApproxDP, PureDP
from dpaudit.outputs import Columns, encode, encode_rows
from dpaudit.statistical.bandit import Outlook
from dpaudit.statistical.book import Book, Labels, Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.edges import _PRIOR, NO_END, Edges
from dpaudit.statistical.one_sided import WEIGHTS
from dpaudit.worker import Draws

NONE = Columns(0)
ROUNDING = 1e-9


def labelled(values, labels, past=((), ())):
    edges = Edges()
    sides = [encode_rows(np.array(side)) if len(side) else NONE for side in past]
    edges.add(encode_rows(np.array(values)), np.array(labels, np.uint8), *sides)
    return edges


def drawn(mode, size, labels=None, **outputs):
    columns = {
        name: encode_rows(outputs[name]) if name in outputs else None
        for name in ("left", "right", "outputs")
    }
    return Draws(mode, size, size, 0.0, labels=labels, flags=frozenset(), **columns)


def test_the_weights_of_models_sum_to_one():
    assert NO_END + 2 * np.exp(_PRIOR).sum() == pytest.approx(1)  # either side may be high
    assert Edges().log_wealth(1.0) == 0.0


PASTS = {
    "nothing": ((), ()),
    "ends of either side": (np.linspace(0, 1, 40), np.linspace(0.3, 1.3, 40)),
    "one number": ([0.5] * 5, [0.5] * 5),
    "infinite and missing": ([-math.inf, 0.0, math.nan], [math.inf, math.inf]),
}


@pytest.mark.parametrize("past", PASTS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 400.0])
def test_a_batch_gains_nothing_at_any_allowed_posteriors(past, epsilon):
    """Exact means over the labels of four outputs; they are linear in each posterior."""
    values = [-0.5, 0.5, 1.2, math.inf]
    earned = {
        labels: math.exp(labelled(values, labels, PASTS[past]).log_wealth(epsilon))
        for labels in itertools.product((0, 1), repeat=4)
    }
    likely = 1 / (1 + math.exp(-epsilon))
    for ones in itertools.product((likely, 1 - likely), repeat=4):
        mean = sum(
            wealth * math.prod(p if label else 1 - p for p, label in zip(ones, labels, strict=True))
            for labels, wealth in earned.items()
        )
        assert mean <= 1 + ROUNDING


def test_past_outputs_say_where_to_bet_and_are_no_evidence():
    past = np.linspace(0, 1, 200), np.linspace(0.3, 1.3, 200)
    known = labelled([0.5], [0], past)
    assert abs(known.log_wealth(1.0)) < 0.5
    assert 0.04 < known.promised(*(encode_rows(side) for side in past), 1.0) < 0.08
    values = [0.01, 0.05, 0.1, 0.15, 1.15, 1.2, 1.25, 1.29]
    assert labelled(values, [0] * 4 + [1] * 4, past).log_wealth(1.0) > 1.5  # of 2.5 at most
    assert labelled(values, [0] * 4 + [1] * 4).log_wealth(1.0) < 1
    assert labelled(values, [0, 1] * 4, past).log_wealth(1.0) < -1


def test_equal_numbers_are_bet_on_together():
    """One value in a tenth of the outputs comes from the left alone, the others from both."""
    values, labels = np.tile([0.0, 1, 1, 1, 2, 2, 2, 3, 3, 3], 12), np.tile([0, 1] * 5, 12)
    assert labelled(values, labels).log_wealth(1.0) > 0
    assert labelled(values, 1 - labels).log_wealth(1.0) > 0
    assert labelled(values, np.arange(120) // 10 % 2).log_wealth(1.0) <= 0


def test_outputs_that_are_not_single_numbers_are_left_to_ends():
    edges = Edges()
    edges.add(encode_rows(np.zeros((8, 2))), np.zeros(8, np.uint8), NONE, NONE)
    edges.add(encode([1.0, None]), np.zeros(2, np.uint8), NONE, NONE)
    assert edges.path is None
    assert edges.log_wealth(1.0) == edges.promised(NONE, NONE, 1.0) == 0.0
    missing = labelled([math.nan, 1.0, math.nan], [0, 1, 0], ([math.nan], [2.0]))
    assert missing.path is not None
    assert math.isfinite(missing.log_wealth(1.0))


def test_ends_of_uniform_noise_are_found_in_the_first_draws():
    """After 100 draws; so they were with each of 300 other seeds."""
    rng = np.random.default_rng(5)
    contender = Contender(None, 0, ("label", "coupled"), (0,), vectorized=True)
    for size in (32, 28, 40):
        labels = rng.integers(0, 2, size).astype(np.uint8)
        outputs = rng.random(size) + 0.6 * labels
        contender.take(drawn("label", size, outputs=outputs, labels=labels))
    bets = contender.books["label"].one_sided_bets(Stakes.of(PureDP(0.1)))
    assert np.all(bets[len(WEIGHTS) :] > math.log(20))


def test_the_ends_of_single_numbers_are_bet_on_by_thresholds_alone():
    book, stakes = Book(Labels(), edges=labelled([0.0, 1.0, 2.0], [0, 0, 0])), Stakes.of(PureDP(1))
    bets = book.one_sided_bets(stakes)
    assert np.all(bets[: len(WEIGHTS)] == 0)
    assert np.all(bets[len(WEIGHTS) :] == book.edges.log_wealth(1.0))
    assert np.all(book.one_sided_bets(Stakes.of(PureDP(3))) <= 0)


@pytest.mark.parametrize(("apart", "told"), [(0.3, True), (0.0, False)])
def test_labels_are_credited_with_what_coupled_draws_show_at_the_ends(apart, told):
    """Uniform noise. It was told with 100 of 100 other seeds, without a difference with none."""
    rng = np.random.default_rng(3)
    contender = Contender(None, 0, ("label", "coupled"), (0,), vectorized=True)
    labels, noise = rng.integers(0, 2, 32).astype(np.uint8), rng.random(32)
    contender.take(drawn("label", 32, outputs=noise + apart * labels, labels=labels))
    outlook = Outlook(Stakes.of(PureDP(0.1)), math.log(20))
    noise = rng.random(100)
    contender.take(drawn("coupled", 100, left=noise, right=noise + apart))
    assert (outlook.promised(contender) > 0.05) == told
    assert Outlook(Stakes.of(ApproxDP(0.1, 1e-6)), math.log(20)).promised(contender) == 0
