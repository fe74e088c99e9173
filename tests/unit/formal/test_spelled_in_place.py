"""Quotients with rest, weights made in place and dicts with pairs as keys, as people write them."""

import itertools
from collections import Counter

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Row
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Draw, walk
from tests.proving import is_proved

NAMES = ["a", "b", "c"]
SIDES = ["x", "y"]
CELLS = list(itertools.product(NAMES, SIDES))
EVENTS = AddRemove(Categorical(NAMES), max_size=9, container="list")
PAIRS = AddRemove(
    Row(name=Categorical(NAMES), side=Categorical(SIDES)), max_size=9, container="list"
)
MORE = AddRemove(
    Row(name=Categorical([*NAMES, "d"]), side=Categorical(SIDES)), max_size=9, container="list"
)


def _table(rows):
    table = np.zeros((3, 2))
    for row in rows:
        table[NAMES.index(row["name"]), SIDES.index(row["side"])] += 1
    return table


def _synthetic(rows, rng, scale):
    noisy = np.maximum(_table(rows) + rng.laplace(0, scale, (3, 2)), 0)
    p = noisy / noisy.sum()
    cells = rng.choice(6, size=15, p=p.ravel())
    found = []
    for cell in cells:
        i, j = divmod(int(cell), 2)
        found.append((i, j))
    return found


def synthetic(rows, rng):
    return _synthetic(rows, rng, 1.0)


def synthetic_of_half_the_noise(rows, rng):
    return _synthetic(rows, rng, 0.5)


def rest_of_a_count(rows, rng):
    return divmod(len(rows), 2)


def _whole_noise(rng):
    return round(float(rng.laplace(scale=0.02)))  # almost always 0, so that no run shows the defect


def rest_of_what_the_divisor_renames(rows, rng):
    n = _whole_noise(rng)
    rest = divmod(n, (n := 1000))[1]
    return len(rows) + rng.laplace(scale=0.001 if rest else 1.0)


def _overwritten(found):
    found[0] = 0
    return 1000


def rest_of_what_the_divisor_overwrites(rows, rng):
    found = [_whole_noise(rng), 5]
    _, rest = divmod(found[0], _overwritten(found))
    return len(rows) + rng.laplace(scale=0.001 if rest else 1.0)


class _Kept:
    def __init__(self, n):
        self.n = n

    def forget(self):
        self.n = 0
        return 1000


def rest_of_what_a_method_forgets(rows, rng):
    kept = _Kept(_whole_noise(rng))
    _, rest = divmod(kept.n, kept.forget())
    return len(rows) + rng.laplace(scale=0.001 if rest else 1.0)


def _logits(events, epsilon=0.8):
    tally = Counter(events)
    return epsilon * np.asarray([tally.get(name, 0) for name in NAMES], dtype=float)


def _picked(logits, rng):
    weights = np.exp(logits)
    return NAMES[rng.choice(len(NAMES), p=weights / weights.sum())]


def shifted_in_place(events, rng):
    logits = _logits(events)
    logits -= logits.max()
    return _picked(logits, rng)


def shifted_of_twice_the_weight(events, rng):
    logits = _logits(events, 1.7)
    logits -= logits.max()
    return _picked(logits, rng)


def shifted_twice(events, rng):
    logits = _logits(events)
    most = logits.max()
    logits -= 2000.0
    logits -= most
    return _picked(logits, rng)


def shifted_after_another_name_did(events, rng):
    logits = _logits(events)
    view, most = logits[:], logits.max()
    view -= 2000.0
    logits -= most
    return _picked(logits, rng)


def shifted_by_the_greatest_of_others(events, rng):
    logits, others = _logits(events), _logits(events) + 2000.0
    logits -= others.max()
    return _picked(logits, rng)


def pairs_as_keys(rows, rng):
    counts = dict.fromkeys(CELLS, 0)
    for row in rows:
        counts[(row["name"], row["side"])] += 1
    return [counts[cell] + rng.laplace(scale=1.0) for cell in CELLS]


def pairs_as_keys_twice(rows, rng):
    counts = dict.fromkeys(CELLS, 0)
    for row in rows:
        counts[(row["name"], row["side"])] += 1
        counts[("a", "x")] += 1
    return [counts[cell] + rng.laplace(scale=1.0) for cell in CELLS]


def pairs_released(rows, rng):
    counts = dict.fromkeys(CELLS, 0)
    for row in rows:
        counts[(row["name"], row["side"])] = 1
    return [counts[cell] for cell in CELLS]


def one_list_for_all_pairs(rows, rng):
    groups = dict.fromkeys(CELLS, [])  # noqa: RUF024 - that is the defect
    for row in rows:
        groups[(row["name"], row["side"])].append(1)
    return [len(groups[cell]) + rng.laplace(scale=1.0) for cell in CELLS]


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [(synthetic, 1, PAIRS), (shifted_in_place, 0.81, EVENTS), (pairs_as_keys, 1, PAIRS)],
)
def test_what_is_spelled_so_is_proved(mechanism, epsilon, neighbors):
    assert is_proved(mechanism, PureDP(epsilon), neighbors)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [
        (synthetic_of_half_the_noise, 1, PAIRS),
        (rest_of_a_count, 1, PAIRS),
        (rest_of_what_the_divisor_renames, 1, EVENTS),
        (rest_of_what_the_divisor_overwrites, 1, EVENTS),
        (rest_of_what_a_method_forgets, 1, EVENTS),
        (shifted_of_twice_the_weight, 0.81, EVENTS),
        (shifted_twice, 0.81, EVENTS),
        (shifted_after_another_name_did, 0.81, EVENTS),
        (shifted_by_the_greatest_of_others, 0.81, EVENTS),
        (pairs_as_keys_twice, 1, PAIRS),
        (pairs_as_keys, 1, MORE),  # a key that is missing raises an exception
        (pairs_released, 1, PAIRS),
        (one_list_for_all_pairs, 1, PAIRS),
    ],
)
def test_a_twin_with_a_defect_is_not_proved(mechanism, epsilon, neighbors):
    assert not is_proved(mechanism, PureDP(epsilon), neighbors)


def drawn_and_divided(data, rng):
    return divmod(int(rng.integers(10)), 3)


def test_a_draw_that_is_divided_with_rest_is_drawn_once():
    assert sum(isinstance(node, Draw) for node in walk(lift(drawn_and_divided).entry)) == 1
