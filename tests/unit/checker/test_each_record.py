"""Programs that answer each record by itself are proved on one record, and others are not."""

from __future__ import annotations

import collections
import copy
import math
import operator
import random

import numpy as np
import pytest

from dpaudit import ApproxDP, Categorical, Integer, PureDP, Real, ReplaceOne, Row
from tests.proving import is_proved
from tests.sweeps import thinned

SIX = ReplaceOne(Integer(0, 9), size=6)
LISTED = ReplaceOne(Integer(0, 9), size=6, container="list")
BITS = ReplaceOne(Integer(0, 1), size=50)
KEPT = math.e / (1 + math.e)
SEEN = []
MATRIX = np.zeros(4)


# --- sound


def appended(data, rng):
    answers = []
    for value in data:
        truth = value > 4
        if rng.random() < math.e / (1 + math.e):
            answers.append(truth)
        else:
            answers.append(not truth)
    return answers


def by_entry(data, rng):
    truth = np.array(data) > 4
    keep = rng.random(len(truth)) < math.e / (1 + math.e)
    return np.where(keep, truth, ~truth).mean()


def by_helper(data, rng):
    def respond(value):
        if rng.random() < math.e / (math.e + 9):
            return value
        others = [x for x in range(10) if x != value]
        return random.choice(others)

    return collections.Counter(respond(value) for value in data)


def unary(data, rng):
    total = np.zeros(10)
    for value in data:
        code = np.zeros(10)
        code[value] = 1
        sent = [rng.random() < (0.5 if bit else 1 / (math.e + 1)) for bit in code]
        total += np.array(sent)
    return (total - len(data) / (math.e + 1)) / (0.5 - 1 / (math.e + 1))


def into_places(data, rng):
    answers = np.zeros((len(data), 2))
    for i in range(len(data)):
        for k in range(2):
            kept = rng.random() < math.exp(0.5) / (1 + math.exp(0.5))
            answers[i, k] = data[i] if kept else 1 - data[i]
    return answers.mean(axis=0)


def counted(data, rng):
    counts = {0: 0, 1: 0}
    for _i, value in enumerate(data):
        answer = int(value) if rng.random() < math.e / (1 + math.e) else 1 - int(value)
        counts[answer] += 1
    return counts


def within_a_function(data, rng):
    def collect(values, epsilon, generator):
        chance = math.exp(epsilon) / (1 + math.exp(epsilon))
        return sum(v if generator.random() < chance else 1 - v for v in values)

    return collect(data, 1.0, rng)


def of_a_range(data, rng):
    factor = (math.e + 1) / (math.e - 1)
    sent = []
    for x in data:
        up = rng.random() < 0.5 + x / (2 * factor)
        sent.append(factor if up else -factor)
    return sum(sent) / len(sent)


def names_used_again(data, rng):
    answers = []
    for value in data:
        truth = int(value)
        answers.append(truth if rng.random() < math.e / (1 + math.e) else 1 - truth)
    ones = 0
    for value in answers:
        truth = value == 1
        if truth:
            ones += 1
    return ones


class Unary:
    def __init__(self, size, eps=1.0):
        if eps <= 0:
            raise ValueError("eps must be positive")
        self.size, self.p = size, 0.5
        self.q = 1 / (math.exp(eps) + 1)

    def respond(self, value):
        return [rng_bit(self.p if k == value else self.q) for k in range(self.size)]


def rng_bit(chance):
    return 1 if random.random() < chance else 0


def by_object(data):
    oracle = Unary(10)
    answers = [oracle.respond(value) for value in data]
    return np.sum(answers, axis=0)


def signs(data, rng):
    values = np.asarray(data, dtype=float)
    e = math.exp(1.0)
    sent = rng.binomial(1, (e - 1) / (2 * e + 2) * values + 0.5)
    return np.mean(2 * sent - 1) * (e + 1) / (e - 1)


def flipped(data, rng):
    bits = np.array(data, dtype=int)
    return (bits + rng.binomial(1, 1 / (1 + np.exp(1.0)), size=bits.shape)) % 2


def total_moved(data, rng):
    answers = []
    for value in data:
        if rng.integers(0, 2) == 0:
            answers.append(value)
        else:
            answers.append(rng.integers(0, 2))
    return 2 * np.mean(answers) - 0.5


def added(data, rng):
    total = 0
    for value in data:
        total += value if rng.random() < math.e / (math.e + 1) else 1 - value
    return total / len(data)


SURVEY = Row(smokes=Integer(0, 1), drinks=Integer(0, 1))
ROWS = ReplaceOne(SURVEY, size=9, container="list")
TABLE = ReplaceOne(SURVEY, size=9)


def both_answers(rows):
    return [{"smokes": half(row["smokes"]), "drinks": half(row["drinks"])} for row in rows]


def half(bit):
    return bit if random.random() < math.exp(0.5) / (1 + math.exp(0.5)) else 1 - bit


def yes_of_each(rows):
    smokes = drinks = 0
    for row in rows:
        smokes += half(row["smokes"])
        drinks += half(row["drinks"])
    return smokes / len(rows), drinks / len(rows)


def answers_by_name(rows):
    return [{name: half(row[name]) for name in ("smokes", "drinks")} for row in rows]


def counts_by_name(rows):
    counts = {"smokes": 0, "drinks": 0}
    for row in rows:
        for name in ("smokes", "drinks"):
            counts[name] += half(row[name])
    return counts


SOUND = [
    (both_answers, ROWS), (yes_of_each, ROWS), (answers_by_name, ROWS), (yes_of_each, TABLE),
    (counts_by_name, TABLE),
    (by_object, SIX), (signs, ReplaceOne(Real(-1, 1), size=9)), (flipped, BITS),
    (added, BITS),
    (names_used_again, BITS),
    (appended, SIX), (by_entry, SIX), (by_helper, LISTED), (unary, SIX), (into_places, BITS),
    (counted, BITS), (within_a_function, BITS), (of_a_range, ReplaceOne(Real(-1, 1), size=9)),
    (of_a_range, ReplaceOne(Real(-1, 1), size=9, container="list")),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_each_record_is_proved_by_itself(mechanism, neighbors):
    """However many records there are."""
    assert is_proved(mechanism, PureDP(1.0), neighbors)


def test_coins_of_one_half_are_worth_the_logarithm_of_3():
    """Also where the mean of the answers is moved and scaled."""
    assert is_proved(total_moved, PureDP(1.1), BITS)
    assert not is_proved(total_moved, PureDP(1.09), BITS)


def test_the_claim_is_that_of_one_record():
    """A smaller one is not proved, and one with a delta is."""
    assert not is_proved(appended, PureDP(0.99), SIX)
    assert is_proved(appended, ApproxDP(0.9, 0.1), SIX)


# --- broken


def one_coin(data, rng):
    keep = rng.random() < KEPT
    return [v if keep else 1 - v for v in data]


def one_coin_later(data, rng):
    answers = []
    for v in data:
        if not answers:
            keep = rng.random() < math.e / (1 + math.e)
        answers.append(v if keep else 1 - v)
    return answers


def last_kept(data, rng):
    last, answers = 0, []
    for v in data:
        if rng.random() < math.e / (1 + math.e):
            last = v
        answers.append(last)
        answers.append(v if rng.random() < 0.5 else 1 - v)
    return answers


def read_back(data, rng):
    answers = []
    for v in data:
        if len(answers) > 1:
            answers.append(v)
        else:
            answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers


def first_alone(data, rng):
    answers = []
    for i, v in enumerate(data):
        answers.append(v if i or rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers


def by_number(data, rng):
    n = len(data)
    chance = 1 - 0.5 / n  # a half for one record
    return [v if rng.random() < chance else 1 - v for v in data]


def neighbor(data, rng):
    answers = []
    for i in range(len(data)):
        keep = rng.random() < math.e / (1 + math.e)
        answers.append(data[i - 1] if keep else 1 - data[i - 1])
        answers.append(data[i] if keep else 1 - data[i])
    return answers


def kept_outside(data, rng):
    answers = []
    for v in data:
        SEEN.append(v)
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, SEEN


def changed_outside(data, rng):
    answers = []
    for v in data:
        row = MATRIX
        row += v
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, MATRIX


def held_inside(data, rng):
    table, answers = np.zeros(1), []
    for v in data:
        box = [table]
        box[0] += v
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, table


def by_argument(data, rng):
    table = [0]

    def respond(value, total):
        total[0] += value
        return value if rng.random() < math.e / (1 + math.e) else 1 - value

    return [respond(v, table) for v in data], table


def raw_beside(data, rng):
    answers = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    return answers, max(data)


def last_record(data, rng):
    answers = []
    for v in data:
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, v


def coin_told(data, rng):
    keep = rng.random(len(data)) < math.e / (1 + math.e)
    return np.where(keep, data, 1 - data), keep


def copied_generator(data, rng):
    def respond(value, generator):
        return value if generator.random() < math.e / (1 + math.e) else 1 - value

    return [respond(v, copy.copy(rng)) for v in data]


def seeded_each_time(data, rng):
    answers = []
    for v in data:
        generator = np.random.default_rng(5)
        answers.append(v if generator.random() < math.e / (1 + math.e) else 1 - v)
    return answers


def another_shape(data, rng):
    keep = rng.random(50) < math.e / (1 + math.e)
    return np.where(keep, data, 1 - data) + np.array([0] * 49 + [2]) * data


def stopped(data, rng):
    answers = []
    for v in data:
        if v == 1:
            break
        answers.append(rng.random() < 0.5)
    return answers


def set_or_added(data, rng):
    totals = np.zeros(1)
    for v in data:
        if v:
            totals[0] += 1
        else:
            totals[0] = 1
    return totals


def twice(data, rng):
    first = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    second = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    return first, second


def again_later(data, rng):
    total = sum(v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data)
    if total > 3:
        return sum(v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data)
    return total


def another_name(data, rng):
    answers = []
    told = answers
    for v in data:
        rng.random()
        answers.append(v)
    return told


def coin_of_each_column(data, rng):
    rows = np.array([[v] * 50 for v in data])
    keep = rng.random(len(data)) < math.e / (1 + math.e)
    return np.where(keep, rows, 1 - rows)


def begun_with_records(data, rng):
    box = [data] * len(data)
    for i in range(len(data)):
        if rng.random() < 0.5:
            box[i] = data[i] if rng.random() < math.e / (1 + math.e) else 1 - data[i]
    return box


def two_at_a_time(data, rng):
    each = (v for v in data)
    return [(a, b) for a, b in zip(each, each)]  # noqa: B905


def array_of_objects(data, rng):
    both = [np.zeros(1), np.zeros(2)]
    answers = []
    for v in data:
        held = np.array(both, object)
        held[0] += v
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, both[0]


def product_of_all(data, rng):
    squares = np.matmul(data, data)
    keep = rng.random(len(data)) < math.e / (1 + math.e)
    return np.where(keep, squares > 1, 0)


def two_results(data, rng):
    return [part.sum() > 1 for part in np.divmod(data, 1)]


def loop_of_none(data, rng):
    answers = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    most = max(answers)
    for data in []:  # noqa: B007
        most = 1
    else:
        most = data
    return most


def stored_beside(data, rng):
    answers = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    most = max(answers)
    _, data[0] = 1, 0
    return most, data


def stored_by_a_loop(data, rng):
    answers = [v if rng.random() < math.e / (1 + math.e) else 1 - v for v in data]
    most = max(answers)
    out = 0
    for data[0] in [1]:
        out = out + data
    return most, out


def place_set_anew(data, rng):
    answers = []
    for i in range(len(data)):
        keep = rng.random() < math.e / (1 + math.e)
        near = [data[i] for i in range(1)]
        answers.append(near[0] if keep else 1 - near[0])
    return answers


def told_by_type(data, rng):
    answers = [1 if v else 1.0 for v in data]
    return [isinstance(answer, float) for answer in answers]


def told_by_type_of_all(data, rng):
    return np.array([1 if v else 1.0 for v in data]).dtype == float


def told_by_what_is_shared(data, rng):
    one, other, answers = [0], [0], []
    for v in data:
        rng.random()
        answers.append(one if v else other)
    answers[0].append(1)
    return [len(answer) for answer in answers]


def told_by_numpy(data, rng):
    answers = [v * 0 if v else 0 for v in data]
    return [1 / answer for answer in answers]


def column_by_another_name(data, rng):
    chances = [0.0] + [1.0] * 49
    return [
        data[i] if rng.random() < max([data[i] for data in [chances]]) else 0
        for i in range(len(data))
    ]


def stored_by_a_clause(data, rng):
    table, answers = [0], []
    for v in data:
        told = len([1 for table[0] in [v]])
        answers.append(told * (rng.random() < 0.5))
    return answers, table


def difference_of_truths(data, rng):
    """NumPy's truth values have no difference: an error tells the type, and so the record."""
    answers = [np.bool_(True) if v else True for v in data]
    return max(answers) - min(answers)


def one_draw_for_a_row(data, rng):
    rows = np.asarray([[v] * 9 for v in data], dtype=int)
    return (rows + rng.binomial(1, 1 / (1 + math.e), size=len(rows))) % 2


def chance_of_the_first(data, rng):
    values = np.asarray(data, dtype=float)
    return rng.binomial(1, 0.4 + values[0] / 5, size=len(values)) + 0 * values


def chance_set_later(data, rng):
    chance = 0.3
    answers = np.asarray(data, dtype=int)
    for v in data:
        chance = v
    return (answers + rng.binomial(1, chance, size=len(answers))) % 2


class Remembering(Unary):
    def respond(self, value):
        self.q = 1.0 if value else self.q
        return Unary.respond(self, value)


def by_an_object_that_remembers(data):
    oracle = Remembering(10)
    answers = [oracle.respond(value) for value in data]
    return np.sum(answers, axis=0)


def iterator_of_chances(data, rng):
    chances = iter([0.0] + [1.0] * 49)
    answers = []
    for v in data:
        for chance in chances:
            answers.append(v if rng.random() < chance else 0)
            break
    return answers


def chances_in_a_list(data, rng):
    chances = [iter([0.0] + [1.0] * 49)]
    return [v if rng.random() < len(list(chances[0])) else 0 for v in data]


def keys_by_reading(data, rng):
    table = collections.defaultdict(int)
    answers = []
    for v in data:
        table[v]
        answers.append(v if rng.random() < math.e / (1 + math.e) else 1 - v)
    return answers, len(table)


def read_later(data, rng):
    chance = math.e / (1 + math.e)
    each = (v if rng.random() < chance else 1 - v for v in data)
    chance = 2.0
    return list(each)


def told_by_a_common_type(data, rng):
    both = np.array([0.5 if v else 7 for v in data])
    return [1 if isinstance(each, float) and each == 7 else 0 for each in both]


def told_by_wrapping(data, rng):
    both = np.array([2**62 if v else 0.25 for v in data])
    return np.where(both * 4 > 1, 1, 0)


def number_of_keys(data, rng):
    found = {}
    for v in data:
        found[v] = 1
    return [1 for _ in found]


def entries_of_a_sum(data, rng):
    total = np.zeros(2)
    for v in data:
        one = np.zeros(2)
        one[v] = 1
        total += one
    return [1 if each.sum() > 5 else 0 for each in total]


def entries_of_places(data, rng):
    pairs = np.zeros((len(data), 2))
    for i in range(len(data)):
        pairs[i] = [data[i], 1]
    return [pair[0] for pair in pairs]


def places_by_another_name(data, rng):
    answers = np.zeros(len(data))
    other = answers
    for i in range(len(data)):
        answers[i] = 1
        other[i] = data[i]
    return answers


def iterator_put_by_another_name(data, rng):
    chances = [0]
    other = chances
    other[0] = iter([0.0] + [1.0] * 49)
    answers = []
    for v in data:
        for chance in chances[0]:
            answers.append(v if rng.random() < chance else 0)
            break
    return answers


def iterator_put_by_a_function(data, rng):
    def put(x):
        x[0] = iter([0.0] + [1.0] * 49)

    chances = [0]
    put(chances)
    answers = []
    for v in data:
        for chance in chances[0]:
            answers.append(v if rng.random() < chance else 0)
            break
    return answers


def iterator_put_by_a_loop(data, rng):
    chances = [[0]]
    for each in chances:
        each.append(iter([0.0] + [1.0] * 49))
    answers = []
    for v in data:
        for chance in chances[0][1]:
            answers.append(v if rng.random() < chance else 0)
            break
    return answers


def objects_of_several_types(data, rng):
    mixed = np.where(data == 1, data.astype(object) * 2**62, 0.25)
    return np.where(np.array(list(mixed)) * 4 > 1, 1, 0)


def name_of_the_last(data, rng):
    answers = []
    for value in data:
        keep = rng.random() < math.e / (1 + math.e)
        answers.append(value if keep else 1 - value)
    if sum(answers) > 10:
        value = 0
    return value


def name_of_no_turn(data, rng):
    answers = []
    for value in data:
        keep = rng.random() < math.e / (1 + math.e)
        answers.append(value if keep else 1 - value)
    for value in answers[50:]:
        answers[0] = value
    return value


def starred(data, rng):
    def collect(weights, values, generator):
        return [v if generator.random() < 1.0 else 0 for v in values], weights

    return collect(*[data], data, rng)


def told_by_which_integer(data, rng):
    large = 10**20
    answers = [large if v else large + 0 for v in data]
    return [answers[0] is answer for answer in answers]


def told_by_which_integers(data, rng):
    large = 10**20
    answers = [large if v else large + 0 for v in data]
    return list(map(operator.is_, answers, answers[::-1]))


def told_by_which_nan(data, rng):
    one, other = float("nan"), float("nan")
    answers = [[one] if v else [other] for v in data]
    return [answer == answers[0] for answer in answers]


def told_by_how_many_nans(data, rng):
    nan = float("nan")
    return len(set([nan if v else nan * 1 for v in data]))  # noqa: C403


def told_by_keys_that_are_nan(data, rng):
    nan = float("nan")
    found = {}
    for answer in [nan if v else nan * 1 for v in data]:
        found[answer] = 1
    return list(found)


def records_in_the_place_of_a_generator(data, rng):
    rng = data

    def told(v, others):
        return 1 if sum(others) > 1 else 0

    return [told(v, rng) for v in data]


def last_record_in_the_place_of_a_generator(data, rng):
    def told(v, others):
        return others if v > 5 else 0

    answers = []
    other = np.random.default_rng()
    for v in data:
        answers.append(told(9, other))
        other = v
    return answers


def zeros_added(data, rng):
    places = [-0.0] * len(data)
    for i, v in enumerate(data):
        places[i] += -0.0 if v == 1 else 0.0
    return [str(place) for place in places]


def truths_added_to_a_truth(data, rng):
    total = False
    for v in data:
        total += v >= 0 if v == 1 else int(v) + 1
    return total


def truths_of_two_types_added(data, rng):
    total = False
    for v in data:
        total += v >= 0 if v == 1 else True
    return total


def type_of_entries_added(data, rng):
    total = np.zeros(1, dtype=bool)
    for v in data:
        total += np.ones(1, dtype=bool) if v == 1 else np.ones(1, dtype=int)
    return total


def added_and_written_over(data, rng):
    total = np.full(1, -0.0)
    for v in data:
        change = np.zeros(1)
        change *= -1 if v == 1 else 1
        total += change
        change[0] = 0.0
    return str(total[0])


def numbers_of_two_types(data):
    return [v * 0 + 1 if v == 1 else 1 for v in data]


def sum_over_nothing(data, rng):
    return sum(numbers_of_two_types(data)) / len([v for v in data if rng.random() < 0.5])


def sum_that_wraps(data, rng):
    return sum([v * 0 + 2**62 if v == 1 else 2**62 for v in data])


def sum_from_a_truth(data, rng):
    return sum([v >= 0 if v == 1 else True for v in data], False)


def truth_that_is_rounded(data, rng):
    return round(max([v >= 0 if v == 1 else True for v in data]))


def decimals(data, rng):
    return round(min([v * 0.0 + 2.675 if v == 1 else 2.675 for v in data]), 2)


def method_of_a_number(data, rng):
    return max([v * 0.0 + 2.0 if v == 1 else 2.0 for v in data]).tolist()


BROKEN = [
    difference_of_truths, one_draw_for_a_row, chance_of_the_first, chance_set_later,
    by_an_object_that_remembers,
    zeros_added, truths_added_to_a_truth, truths_of_two_types_added, type_of_entries_added,
    added_and_written_over, sum_over_nothing, sum_that_wraps, sum_from_a_truth,
    truth_that_is_rounded, decimals, method_of_a_number,
    name_of_the_last, name_of_no_turn, starred,
    records_in_the_place_of_a_generator, last_record_in_the_place_of_a_generator,
    told_by_which_integer, told_by_which_integers, told_by_which_nan, told_by_how_many_nans,
    told_by_keys_that_are_nan,
    number_of_keys, entries_of_a_sum, entries_of_places, places_by_another_name,
    iterator_put_by_another_name, iterator_put_by_a_function, iterator_put_by_a_loop,
    objects_of_several_types,
    told_by_a_common_type, told_by_wrapping,
    read_later,
    one_coin, one_coin_later, last_kept, read_back, first_alone, by_number, neighbor,
    kept_outside, changed_outside, held_inside, by_argument, raw_beside, last_record, coin_told,
    copied_generator, seeded_each_time, another_shape, stopped, set_or_added, twice,
    again_later, another_name, coin_of_each_column, begun_with_records, two_at_a_time,
    array_of_objects, product_of_all, two_results, loop_of_none, stored_beside,
    stored_by_a_loop, place_set_anew, told_by_type, told_by_type_of_all, told_by_what_is_shared,
    told_by_numpy, column_by_another_name, stored_by_a_clause, iterator_of_chances,
    chances_in_a_list, keys_by_reading,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", thinned(BROKEN))
def test_what_is_no_answer_of_one_record_is_not_proved(mechanism):
    """State between turns, one coin for several records, numbers of records, records told."""
    assert not is_proved(mechanism, PureDP(1.0), BITS)


def three_coins(rows):
    return [(half(row["smokes"]), half(row["drinks"]), half(row["drinks"])) for row in rows]


def one_coin_for_two(rows):
    answers = []
    for row in rows:
        kept = half(0) == 0
        answers.append([bit if kept else 1 - bit for bit in (row["smokes"], row["drinks"])])
    return answers


def one_bit_as_it_is(rows):
    return [{"smokes": half(row["smokes"]), "drinks": row["drinks"]} for row in rows]


def bit_of_the_last(rows):
    answers, last = [], 0
    for row in rows:
        answers.append((half(row["smokes"] ^ last), half(row["drinks"])))
        last = row["drinks"]
    return answers


def rows_changed(rows):
    for row in rows:
        row["smokes"] = half(row["smokes"])
    return [row["smokes"] for row in rows], [row["drinks"] for row in rows]


def rows_beside(rows):
    return [(half(row["smokes"]), row) for row in rows]


FEW_ROWS = [ReplaceOne(SURVEY, size=2, container=held) for held in ("list", "array")]


@pytest.mark.parametrize("neighbors", FEW_ROWS, ids=("list", "array"))
@pytest.mark.parametrize(
    "mechanism",
    [three_coins, one_coin_for_two, one_bit_as_it_is, bit_of_the_last, rows_changed, rows_beside],
)
def test_rows_that_are_told_by_more_than_two_coins_are_not_proved(mechanism, neighbors):
    """A coin more, one coin for two bits, a bit without one, a bit of another row, rows."""
    assert not is_proved(mechanism, PureDP(1.0), neighbors)


HABITS = ("never", "monthly", "weekly")
ANSWERS = ReplaceOne(Categorical(list(HABITS)), size=9, container="list")
FEW_ANSWERS = ReplaceOne(Categorical(list(HABITS)), size=2, container="list")


def respond(value, epsilon=1.0):
    if random.random() < math.exp(epsilon) / (math.exp(epsilon) + 2):
        return value
    return random.choice([other for other in HABITS if other != value])


def answers_and_their_counts(data):
    answers = [respond(value) for value in data]
    p = math.exp(1.0) / (math.exp(1.0) + 2)
    q = (1 - p) / 2
    found = {}
    for habit in HABITS:
        found[habit] = (answers.count(habit) - len(answers) * q) / (p - q)
    return {"answers": list(answers), "found": found}


def tally_by_key(data):
    answers = [respond(value) for value in data]
    tally = collections.Counter(answers)
    return {"first": tally["never"], "last": tally.get("weekly", 0)}


@pytest.mark.parametrize("mechanism", [answers_and_their_counts, tally_by_key])
def test_counts_of_answers_tell_no_type_of_them(mechanism):
    """A text may be NumPy's, or Python's: both are equal to what is counted."""
    assert is_proved(mechanism, PureDP(1.0), ANSWERS)


def counts_of_louder_answers(data):
    answers = [respond(value, 1.1) for value in data]
    return [answers.count(habit) for habit in HABITS]


def counts_of_data_beside(data):
    answers = [respond(value) for value in data]
    return answers.count("never"), data.count("never")


def counts_of_what_occurs(data):
    answers = [respond(value) for value in data]
    return {value: answers.count(value) for value in data}


def of_numpy(value):
    if np.random.random() < math.e / (math.e + 2):  # noqa: NPY002
        return value
    return np.random.choice([other for other in HABITS if other != value])  # noqa: NPY002


def text_beside_the_counts(data):
    answers = [of_numpy(value) for value in data]
    return str(answers), answers.count("never")


def types_beside_the_counts(data):
    answers = [of_numpy(value) for value in data]
    return [isinstance(each, np.str_) for each in answers], answers.count("never")


def text_of_another_name(data):
    answers = [of_numpy(value) for value in data]
    other = answers
    return {"count": answers.count("never"), "text": repr(other)}


def text_of_the_tally(data):
    answers = [of_numpy(value) for value in data]
    tally = collections.Counter(answers)
    return {"count": tally["never"], "text": repr(tally)}


def type_that_a_default_tells(data):
    answers = [of_numpy(value) for value in data]
    tally = collections.Counter(answers)
    return {"count": tally.get("never", answers[0]), "text": str([answers[0]])}


@pytest.mark.parametrize(
    "mechanism",
    [
        counts_of_louder_answers, counts_of_data_beside, counts_of_what_occurs,
        text_beside_the_counts, types_beside_the_counts, text_of_another_name,
        text_of_the_tally, type_that_a_default_tells,
    ],
)  # fmt: skip
def test_what_tells_more_than_counts_of_answers_is_not_proved(mechanism):
    """Chances that are too large, records, and types that tell which answer was kept."""
    assert not is_proved(mechanism, PureDP(1.0), FEW_ANSWERS)
