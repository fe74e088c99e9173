"""Loops of which each turn tosses coins: what one turn leaves reaches others in many ways."""

import math
import random

import numpy as np

LIE = 1 / (1 + math.exp(1.0))


def one_hot_by_branches(x, rng):
    bits = np.zeros(5)
    bits[x] = 1
    for i, bit in enumerate(bits):
        if bit == 0:
            bits[i] = (bit + 1) % 2 if rng.random() < LIE else bit
        elif rng.random() < 0.5:
            bits[i] = bit
        else:
            bits[i] = (bit + 1) % 2
    return bits


def two_stages(x, rng):
    bits = [0] * 2
    bits[x] = 1
    for i in range(2):
        u = rng.uniform(0, 1)
        if u * 2 < 0.5:
            bits[i] = 1
        elif u < 0.5:
            bits[i] = 0
    for i in range(2):
        u = rng.uniform(0, 1)
        if (bits[i] == 1 and u < 0.75) or (bits[i] == 0 and u < 0.25):
            bits[i] = 1
        else:
            bits[i] = 0
    return bits


def _flipped(bit, rng):
    return bit if rng.random() > LIE else 1 - bit


def by_a_helper(x, rng):
    return [_flipped(int(x == i), rng) for i in range(4)]


def counted_too(x, rng):
    bits, lies = [0] * 4, 0
    bits[x] = 1
    for i in range(4):
        if rng.random() < LIE:
            bits[i] = 1 - bits[i]
            lies += 1
    return bits[0], lies


def by_one_coin(x, rng):
    u, found = rng.random(), []
    for i in range(4):
        if u < LIE + i / 100:
            found.append(int(x == i))
        else:
            found.append(2)
    return found


def carried_on(x, rng):
    found, last = [], 7
    for i in range(4):
        if rng.random() < LIE:
            last = int(x == i)
        found.append(last)
    return found


def in_two_lists(x, rng):
    bits = [int(x == i) for i in range(4)]
    same, copied = bits, list(bits)
    for i in range(4):
        if rng.random() < LIE:
            same[i] = 1 - same[i]
    return bits, copied


def rows_that_are_one(x, rng):
    rows = [[0, 0]] * 2
    for i in range(2):
        if rng.random() < LIE:
            rows[i][0] += x + 1
    return rows


def rows_of_their_own(x, rng):
    rows = []
    for i in range(3):
        row = []
        row.append(_flipped(int(x == i), rng))
        rows.append(row)
        row.append(i)
    return rows


def kept_for_later(x, rng):
    rows, kept = [], []
    for _ in range(3):
        row = [0]
        if rng.random() < LIE:
            row[0] = x
        rows.append(row)
        kept.append(row)
    kept[1][0] = 9
    return rows


def in_a_dict(x, rng):
    found = {}
    for i in range(3):
        if rng.random() < LIE:
            found[i] = x
        else:
            found[i] = -1
    return found


def only_some_keys(x, rng):
    found = {}
    for i in range(3):
        if rng.random() < LIE:
            found[i] = x
    return found


def longer_or_not(x, rng):
    found = []
    for _ in range(3):
        if rng.random() < LIE:
            found += [x]
    return found


def loops_in_loops(x, rng):
    table = np.zeros((2, 2), dtype=int)
    for i in range(2):
        for j in range(2):
            if rng.random() < LIE:
                table[i, j] = x
            elif i and rng.random() < 0.25:
                table[i, j] = table[i - 1, j] + 5
    return table


def drawn_before(x, rng):
    draws, found = rng.random(3), []
    for u in draws:
        found += [x if u < LIE else -1]
    return found, int(draws[0] < 0.5)


def left_early(x, rng):
    found = []
    for i in range(4):
        if rng.random() < LIE:
            break
        found.append(x + i)
    return found


def by_a_closure(x, rng):
    seen = [0]

    def flip(bit):
        if rng.random() < LIE:
            seen[0] += 1
            return 1 - bit
        return bit

    return [flip(int(x == i)) for i in range(3)], seen


def cut_to_integers(x, rng):
    found = np.zeros(3, dtype=int)
    for i in range(3):
        found[i] = x + 0.75 if rng.random() < LIE else 2.5
    return found


def drawn_integers(x, rng):
    found = []
    for i in range(3):
        k = rng.integers(3)
        found.append(int(k == x))
        if found[0] and i:
            found[i] += 10
    return found


def none_or_a_value(x, rng):
    found = [None] * 3
    for i in range(3):
        if rng.random() < LIE:
            found[i] = x
    return [value is None for value in found]


def swapped(x, rng):
    one, two = [x], [5]
    for _ in range(3):
        if rng.random() < LIE:
            one, two = two, one
        one[0] += 1
    return one, two


def by_while(x, rng):
    found, i = [0] * 3, 0
    while i < 3:
        if rng.random() < LIE:
            found[i] = x
            i += 1
            continue
        found[i] = found[i - 1] + 1
        i += 1
    return found


def of_a_fresh_generator(x):
    found = []
    for _ in range(3):
        found += [x if random.random() < LIE else 7]
    return found


SAME_LAW = [
    one_hot_by_branches, two_stages, by_a_helper, counted_too, by_one_coin, carried_on,
    in_two_lists, rows_that_are_one, rows_of_their_own, kept_for_later, in_a_dict, only_some_keys,
    longer_or_not, loops_in_loops, drawn_before, left_early, by_a_closure, cut_to_integers,
    drawn_integers, none_or_a_value, swapped, by_while, of_a_fresh_generator,
]  # fmt: skip
FOLLOWED = {
    "one_hot_by_branches", "two_stages", "by_a_helper", "counted_too", "by_one_coin",
    "carried_on", "in_two_lists", "rows_of_their_own", "in_a_dict", "loops_in_loops",
    "by_while", "of_a_fresh_generator",
}  # fmt: skip
