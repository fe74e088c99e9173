"""Forms that are common in public code, for `test_public_code`: sound ones and broken twins."""

import math
import random
from types import SimpleNamespace

import numpy as np

from dpaudit import AddRemove, AnyPair, Integer, PureDP, QueryAnswers, Real, ReplaceOne, Row

ONE = PureDP(1.0)
KINDS = AddRemove(Integer(0, 3))
PERSON = Row(**{"Capital Gain": Real(0, 90), "age": Integer(0, 9)})
PEOPLE = AddRemove(PERSON, container="pandas")
WAGES = ReplaceOne(Row(wage=Real(0, 900)), size=6, container="pandas")
HOLES = AddRemove(Row(wage=Real(0, 900, allow_nan=True)), container="pandas")
ANSWER = AnyPair(Integer(0, 2))
EIGHT = ReplaceOne(Real(0, 100), size=8, container="list")
AGES = AddRemove(Real(0, 100), container="list")
SCORES = QueryAnswers(5)
FEW = ReplaceOne(Integer(0, 2), size=3)
VOTES = AddRemove(Integer(0, 2))
UNITS = AddRemove(Real(0, 1))


# --- a name of a column that is no identifier; a range by NumPy's words; the shape of a number


def capped_gain(df, rng):
    return df["Capital Gain"].clip(-50, 50).sum() + rng.laplace(0, 50)


def gain_without_a_cap(df, rng):
    return df["Capital Gain"].sum() + rng.laplace(0, 50)


def noise_of_its_shape(value, scale, rng):
    return value + rng.laplace(loc=0, scale=scale, size=np.shape(value))


def capped_wages(df, rng):
    capped = np.clip(df["wage"].dropna() / 10, a_min=0, a_max=30)
    return noise_of_its_shape(np.sum(capped), 30, rng) / len(df)


def wages_over_what_dropna_leaves(df, rng):  # true, and not proved
    capped = np.clip(df["wage"].dropna() / 10, a_min=0, a_max=30)
    return noise_of_its_shape(np.sum(capped), 30, rng) / len(capped)


def wages_with_a_floor_alone(df, rng):
    return noise_of_its_shape(np.sum(np.clip(df["wage"] / 10, a_min=0, a_max=None)), 30, rng)


def wages_over_those_that_are_known(df, rng):
    capped = np.clip(df["wage"].dropna(), a_min=0, a_max=30)
    return noise_of_its_shape(np.sum(capped), 30, rng) / len(capped)


def wages_whose_shape_tells(df, rng):
    return (*np.shape(df["wage"]), rng.laplace(0, 30))


# --- functions of what attributes tell too


def mean_by_its_size(data, rng):
    n = np.size(data)
    if np.ndim(data) != 1 or len(data) != n:
        raise ValueError("one number for each person")
    return np.clip(data, 0, 1).sum() / n + rng.laplace(scale=1 / n)


def records_by_size(data, rng):
    return np.size(data) + rng.laplace(size=np.ndim(data))


def records_by_size_with_half_the_noise(data, rng):
    return np.size(data) + rng.laplace(scale=0.5)


# --- an entry of a list at an index that was released


def noisy_counts(data, rng):
    return [count + rng.laplace(0, 1.0) for count in np.bincount(data, minlength=4)]


def largest_above_a_threshold(data, rng):
    scores = noisy_counts(data, rng)
    best = np.argmax(scores)
    if scores[best] < 2:
        return None, None
    return best, scores[best]


def count_at_random(data, rng):
    counts = [int((data == k).sum()) for k in range(4)]
    return counts[rng.integers(4)] + rng.laplace(0, 1.0)


def exact_count_of_the_largest(data, rng):
    counts = [int((data == k).sum()) for k in range(4)]
    best = np.argmax([count + rng.laplace(0, 1.0) for count in counts])
    return best, counts[best]


def exact_count_at_random(data, rng):
    counts = [int((data == k).sum()) for k in range(4)]
    return counts[rng.integers(4)]


def entry_at_a_private_index(data, rng):
    scores = noisy_counts(data, rng)
    return scores[int((data == 0).sum()) % 4]


# --- powers of e, a test for arrays, an error that no run meets


def bits(value, chance, rng):
    if not isinstance(value, np.ndarray):
        raise TypeError("no array", type(value))
    size = len(value)
    return np.where(value == 1, rng.binomial(1, chance, size), rng.binomial(1, 1 - chance, size))


def kept(epsilon):
    return np.e**epsilon / (np.e**epsilon + 1)


def unary_encoding(value, rng):
    return bits(np.eye(3, dtype=int)[value], kept(0.5), rng)


def unary_encoding_at_the_whole_epsilon(value, rng):
    return bits(np.eye(3, dtype=int)[value], kept(1.0), rng)


def unary_encoding_of_a_list(value, rng):
    return bits(np.eye(3, dtype=int)[value].tolist(), kept(0.5), rng)


def unary_encoding_that_tells_of_an_array(value, rng):
    encoded = np.eye(3, dtype=int)[value]
    return encoded if isinstance(encoded, (list, np.ndarray)) else bits(encoded, kept(0.5), rng)


def unary_encoding_that_fails_for_one(value, rng):
    if value == 2:
        raise ValueError("not a value", value)
    return bits(np.eye(3, dtype=int)[value], kept(0.5), rng)


def response_by_a_power(value, rng):
    chance = math.e**1.0 / (math.e**1.0 + 2)
    if rng.random() < chance:
        return value
    return [other for other in range(3) if other != value][int(rng.integers(2))]


def response_by_a_larger_power(value, rng):
    chance = math.e**1.5 / (math.e**1.5 + 2)
    if rng.random() < chance:
        return value
    return [other for other in range(3) if other != value][int(rng.integers(2))]


# --- how often True or False is in a list of what was shown


def hits(scores, scale, rng, *, shown=(True, False)):
    found = []
    limit = 1 + rng.laplace(scale=2.0)
    for score in scores:
        if score + rng.laplace(scale=scale) >= limit:
            found.append(shown[0])
            break
        found.append(shown[1])
    return found


def misses_before_a_hit(scores, rng):
    return hits(scores, 4.0, rng).count(False)


def whether_there_was_a_hit(scores, rng):
    return hits(scores, 4.0, rng).count(True)


def misses_with_less_noise(scores, rng):
    return hits(scores, 2.0, rng).count(False)


def misses_among_numbers(scores, rng):
    return hits(scores, 4.0, rng, shown=(True, 1)).count(True)


def exact_hits(scores, rng):
    found = []
    for score in scores:
        if score >= 1:
            found.append(True)
        else:
            found.append(False)
    return found.count(True)


def exact_hits_beside_noise(scores, rng):
    found = hits(scores, 4.0, rng)
    for score in scores:
        found.append(score >= 1)
    return found.count(True)


# --- settings in a namespace, tests of public numbers, arrays of Python's integers

SETTINGS = SimpleNamespace(epsilon=1.0)


def success(epsilon):
    if not math.isfinite(epsilon) or epsilon <= 0:
        raise ValueError("epsilon must be finite and positive")
    chance = -math.expm1(-epsilon)
    if not 0 < chance <= 1:
        raise ValueError("no chance")
    return chance


def whole_noise(data, rng, *, epsilon=1.0):
    counts = np.asarray(np.bincount(data, minlength=4), dtype=object)
    up = rng.geometric(success(epsilon), size=counts.shape).astype(object) - 1
    down = rng.geometric(success(epsilon), size=counts.shape).astype(object) - 1
    return counts + (up - down)


def whole_noise_of_one_sign(data, rng):
    counts = np.asarray(np.bincount(data, minlength=4), dtype=object)
    return counts + rng.geometric(success(1.0), size=counts.shape).astype(object) - 1


def whole_noise_of_half_the_size(data, rng):
    return whole_noise(data, rng, epsilon=2.0)


def count_by_settings(data, rng):
    return len(data) + rng.laplace(0, 1 / SETTINGS.epsilon)


def error_for_an_infinite_sum(data, rng):
    if not math.isfinite(sum(data) / max(len(data) - 1, 0.5) ** 400):
        raise ValueError("too much")
    return len(data) + rng.laplace(0, 1)


# --- a noisy value that each record is compared with


def variance_about_a_noisy_mean(data, rng, *, share=0.5):
    known = np.clip(data, 0, 100)
    mean = np.mean(known) + rng.laplace(0, 100 / 8 / share)
    squares = [(value - mean) ** 2 for value in known]
    return np.mean(np.clip(squares, 0, 10000)) + rng.laplace(0, 10000 / 8 / share)


def squares_of_a_column(data, rng):
    mean = np.mean(data) + rng.laplace(0, 100 / 8 / 0.5)
    return np.mean(np.clip((np.array(data) - mean) ** 2, 0, 10000)) + rng.laplace(0, 20000 / 8)


def count_above_a_noisy_count(data, rng):
    limit = len(data) + rng.laplace(0, 2)
    found = 0
    for value in data:
        if value > 50 and value > limit:
            found += 1
    return found + rng.laplace(0, 2)


def variance_at_the_whole_epsilon_twice(data, rng):
    return variance_about_a_noisy_mean(data, rng, share=1.0)


def variance_about_the_mean(data, rng):
    mean = np.mean(data)
    squares = [(value - mean) ** 2 for value in data]
    return np.mean(np.clip(squares, 0, 10000)) + rng.laplace(0, 10000 / 8)


def count_that_forgets_its_limit(data, rng):
    limit = len(data) + rng.laplace(0, 1)
    return sum(1 for value in data if value > 50 and value > limit) + rng.laplace(0, 1)


def noise_that_records_saw(data, rng):
    noise = rng.laplace(0, 100)
    found = sum(1 for value in data if value > noise)
    return sum(data) + noise, found + rng.laplace(0, 1)


def noise_that_only_some_records_saw(data, rng):
    noise = rng.laplace(0, 100)
    total = 0
    for value in data:
        if value > 99:
            total += 100 * (noise > 0)
    return sum(data) + noise, total + rng.laplace(0, 100)


# --- weights that are gathered in dicts, lists and arrays


def weights_of(data, epsilon):
    return [math.exp(epsilon * int((data == k).sum()) / 2) for k in range(3)]


def powers_of(data, epsilon=1.0):
    scores = [int((data == k).sum()) for k in range(3)]
    best = max(scores)
    return [math.exp(epsilon * (score - best) / 2) for score in scores]


def choice_from_a_dict(data, rng, *, epsilon=1.0):
    chances, total = {}, 0.0
    for k, weight in enumerate(weights_of(data, epsilon)):
        chances[k] = weight
        total += weight
    for k in chances:
        chances[k] /= total
    return random.choices(list(chances.keys()), weights=list(chances.values()), k=1)[0]


def choice_from_an_array(data, rng):
    weights = np.zeros(3)
    for k in range(3):
        weights[k] = np.exp(int((data == k).sum()) / 2)
    weights /= np.sum(weights)
    return rng.choice(range(3), p=weights)


def choice_by_a_search(data, rng):
    weights = np.exp(np.bincount(data, minlength=3) / 2)
    shares = weights / sum(weights)
    return shares.cumsum().searchsorted(rng.random())


def choice_by_powers_in_a_dict(data, rng):
    powers = dict(enumerate(powers_of(data)))
    total = sum(powers.values())
    return rng.choice(list(powers), p=[w / total for w in powers.values()])


def choice_by_adding_up(data, rng):
    powers, reached = powers_of(data), 0.0
    mark = random.uniform(0, sum(powers))
    for k, power in enumerate(powers):
        reached += power
        if mark < reached:
            return k
    return 2


def choice_by_taking_away(data, rng, *, epsilon=1.0):
    powers, total = powers_of(data, epsilon), 0
    for power in powers:
        total += power
    mark = random.random() * total
    for k, power in enumerate(powers):
        if mark < power:
            return k
        mark -= power


def choice_at_twice_the_epsilon(data, rng):
    return choice_from_a_dict(data, rng, epsilon=2.0)


def taking_away_at_twice_the_epsilon(data, rng):
    return choice_by_taking_away(data, rng, epsilon=2.0)


def two_choices(data, rng):
    weights = weights_of(data, 1.0)
    shares = [weight / sum(weights) for weight in weights]
    return rng.choice(3, p=shares), rng.choice(3, p=shares)


def choice_beside_the_sum(data, rng):
    weights = weights_of(data, 1.0)
    total = sum(weights)
    return rng.choice(3, p=[weight / total for weight in weights]), total


def choice_where_the_sum_is_small(data, rng):
    weights = weights_of(data, 1.0)
    total = sum(weights)
    if total > 5:
        return None
    return rng.choice(3, p=[weight / total for weight in weights])


def choice_over_another_sum(data, rng):
    weights = weights_of(data, 1.0)
    total = sum(weights) + weights[0]
    return rng.choice(3, p=[weight / total for weight in weights])


def search_among_some(data, rng):
    weights = np.exp(np.bincount(data, minlength=3) / 2)
    shares = weights / sum(weights)
    return shares[:2].cumsum().searchsorted(rng.random())


def weights_in_a_text(data, rng):
    return f"{weights_of(data, 1.0)}"


def two_marks(data, rng):
    powers = powers_of(data)
    total = powers[0] + powers[1] + powers[2]
    return random.random() * total < powers[0], random.random() * total < powers[0]


def a_mark_below_two_powers(data, rng):
    powers = powers_of(data)
    mark = random.random() * (powers[0] + powers[1] + powers[2])
    return mark < powers[0], mark < powers[1]


def a_mark_beside_its_draw(data, rng):
    powers = powers_of(data)
    drawn = random.random()
    return drawn * (powers[0] + powers[1] + powers[2]) < powers[0], drawn


def a_mark_below_some(data, rng):
    powers = powers_of(data)
    mark = random.random() * (powers[0] + powers[1])
    return mark < powers[2]


def powers_beyond_the_floats(data, rng):
    weights = weights_of(data, 1.0)
    return rng.choice(3, p=[weight / sum(weights) for weight in weights])


def powers_beyond_the_floats_by_a_sign(data, rng):
    scores = np.bincount(data, minlength=3)
    weights = np.exp(-0.5 * (scores - scores.max()))
    return rng.choice(3, p=weights / weights.sum())


def chosen_by_powers(scores, factor, rng):
    weights = np.exp((scores - scores.max()) * factor)
    return rng.choice(3, p=weights / weights.sum())


def powers_with_a_factor(data, rng):
    return chosen_by_powers(np.bincount(data, minlength=3), 0.5, rng)


def powers_with_a_negative_factor(data, rng):
    return chosen_by_powers(np.bincount(data, minlength=3), -0.5, rng)


def powers_with_a_factor_of_another_sign(data, rng):
    half = 0.5
    return chosen_by_powers(np.bincount(data, minlength=3), -half, rng)


def powers_that_may_all_be_zero(data, rng):
    sums = np.cumsum([math.exp(-int((data == k).sum()) / 2) for k in range(3)])
    return sums.searchsorted(rng.random() * sums[-1])


def marks_that_may_all_be_zero(data, rng):
    weights = [math.exp(-int((data == k).sum()) / 2) for k in range(3)]
    reached, mark = 0, random.random() * sum(weights)
    for k, weight in enumerate(weights):
        reached += weight
        if mark < reached:
            return k
    return None


def powers_of_votes(data):
    scores = np.bincount(data, minlength=4) / 2
    return scores, np.exp(scores - scores.max())


def powers_without_the_greatest(data, rng):
    _, powers = powers_of_votes(data)
    return rng.choice(3, p=powers[1:] / powers[1:].sum())


def powers_less_the_greatest_of_more(data, rng):
    scores, _ = powers_of_votes(data)
    powers = np.exp(scores[:2] - scores.max())
    return rng.choice(2, p=powers / powers.sum())


def powers_over_a_sum_of_some(data, rng):
    _, powers = powers_of_votes(data)
    some = powers.cumsum()[1]
    return rng.choice(2, p=[powers[0] / some, powers[1] / some])


def powers_of_a_row(data, rng):
    scores = np.bincount(data, minlength=4).reshape(2, 2) / 2
    powers = np.exp(scores - scores.max())
    return rng.choice(2, p=powers[0] / powers.sum(axis=1)[0])


def choice_by_a_search_up_to_the_last(data, rng):
    _, powers = powers_of_votes(data)
    sums = powers.cumsum()
    return sums.searchsorted(rng.random() * sums[-1])


def powers_less_another_score(data, rng):
    scores = [int((data == k).sum()) for k in range(3)]
    powers = [math.exp((score - scores[k // 2]) / 2) for k, score in enumerate(scores)]
    mark = random.random() * (powers[0] + powers[1] + powers[2])
    return mark < powers[2]


# --- branches and loops on released values


def shares_of(data, rng, parts, scale):
    return [(data > k / parts).sum() + rng.laplace(0, scale) for k in range(parts)]


def counts_that_are_not_negative(data, rng):
    counts = []
    for count in shares_of(data, rng, 9, 9):
        if count < 0:
            count = 0.0
        counts.append(count)
    return counts


def noisy_centres(data, rng):
    centres = np.array([0.2, 0.8])
    for _ in range(3):
        nearest = np.abs(data[:, None] - centres[None, :]).argmin(axis=1)
        moved = centres.copy()
        for k in range(2):
            members = data[nearest == k]
            size = len(members) + rng.laplace(0, 6)
            total = members.sum() + rng.laplace(0, 6)
            if size >= 1:
                moved[k] = np.clip(total / size, 0, 1)
        centres = moved
    return centres


def as_many_draws_as_were_counted(data, rng):
    drawn = []
    for _ in range(round(max(1, len(data) + rng.laplace(0, 1)))):
        drawn.append(rng.uniform(0, 1))
    return drawn


def halved_until_it_is_small(data, rng):
    count, steps = len(data) + rng.laplace(0, 1), 0
    while count > 1:
        count = count / 2
        steps += 1
    return steps


def drawn_again_where_it_is_negative(data, rng):
    counts = np.array([(data > 0.5).sum(), (data <= 0.5).sum()]) + rng.laplace(0, 1, size=2)
    below = (counts < 0).sum()
    while below > 0:
        counts[counts < 0] = rng.laplace(0, 1, size=below)
        below = (counts < 0).sum()
    return counts


def scale_in_an_array_that_may_be_either(data, rng):
    first, second = np.array([2.0]), np.array([2.0])
    either = first
    for count in shares_of(data, rng, 6, 12):
        if count > 3:
            either = second
    either[0] = 0.1
    return len(data) + rng.laplace(0, first[0])


def scale_in_an_array_that_a_branch_changed(data, rng):
    scales = np.array([2.0])
    same = scales
    for count in shares_of(data, rng, 6, 12):
        if count > 3:
            scales -= 0.24
    return len(data) + rng.laplace(0, same[0])


def scale_in_an_array_that_a_loop_changed(data, rng):
    scales = np.array([2.0])
    same = scales
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        scales *= 0.5
    return len(data) + rng.laplace(0, same[0])


def scale_at_the_end_of_a_list_that_grew(data, rng):
    scales = [2.0]
    same = scales
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        scales.append(0.1)
    return len(data) + rng.laplace(0, same[-1])


def scale_in_a_list_that_another_name_changed(data, rng):
    scales, either = [2.0], []
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        either = scales
        either.append(0.1)
    return len(data) + rng.laplace(0, scales[-1])


def scale_in_a_list_that_was_gone_through(data, rng):
    scales = [2.0]
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        for each in [scales]:
            each.append(0.1)
    return len(data) + rng.laplace(0, scales[-1])


def scale_in_an_array_that_another_name_changed(data, rng):
    scales, either = np.array([2.0]), np.array([1.0])
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        either = scales
        either *= 0.1
    return len(data) + rng.laplace(0, scales[0])


def scale_in_an_array_that_changes_after_a_loop(data, rng):
    scales, either = np.array([2.0]), 0
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        either = scales
    either[0] = 0.1
    return len(data) + rng.laplace(0, scales[0])


def sum_as_often_as_was_released(data, rng):
    total = 0.0
    for _ in range(round(len(data) + rng.laplace(0, 2))):
        total += data.sum() + rng.laplace(0, 2)
    return total


def counted_until_it_is_small(data, rng):
    count = len(data) + rng.laplace(0, 2)
    while count > 3:
        count = len(data) + rng.laplace(0, 2)
    return count


SOUND = [
    (counts_that_are_not_negative, ONE, UNITS),
    (noisy_centres, ONE, UNITS),
    (as_many_draws_as_were_counted, ONE, UNITS),
    (halved_until_it_is_small, ONE, UNITS),
    (drawn_again_where_it_is_negative, ONE, UNITS),
    (choice_from_a_dict, ONE, FEW),
    (choice_from_an_array, ONE, FEW),
    (choice_by_a_search, ONE, FEW),
    (choice_by_a_search_up_to_the_last, ONE, VOTES),
    (choice_by_powers_in_a_dict, ONE, VOTES),
    (choice_by_adding_up, ONE, VOTES),
    (choice_by_taking_away, ONE, VOTES),
    (variance_about_a_noisy_mean, ONE, EIGHT),
    (squares_of_a_column, ONE, EIGHT),
    (count_above_a_noisy_count, ONE, AGES),
    (whole_noise, ONE, KINDS),
    (count_by_settings, ONE, KINDS),
    (misses_before_a_hit, ONE, SCORES),
    (whether_there_was_a_hit, ONE, SCORES),
    (mean_by_its_size, PureDP(1), ReplaceOne(Real(0, 1), size=5)),
    (records_by_size, PureDP(1), AddRemove(Real(0, 1))),
    (capped_gain, ONE, PEOPLE),
    (capped_wages, ONE, WAGES),
    (largest_above_a_threshold, ONE, KINDS),
    (count_at_random, ONE, KINDS),
    (unary_encoding, ONE, ANSWER),
    (response_by_a_power, ONE, ANSWER),
    (powers_with_a_factor, ONE, VOTES),
]
BROKEN = [
    (scale_in_an_array_that_may_be_either, ONE, UNITS),
    (scale_in_an_array_that_a_branch_changed, ONE, UNITS),
    (scale_in_an_array_that_a_loop_changed, ONE, UNITS),
    (scale_at_the_end_of_a_list_that_grew, ONE, UNITS),
    (scale_in_a_list_that_another_name_changed, ONE, UNITS),
    (scale_in_a_list_that_was_gone_through, ONE, UNITS),
    (scale_in_an_array_that_another_name_changed, ONE, UNITS),
    (scale_in_an_array_that_changes_after_a_loop, ONE, UNITS),
    (sum_as_often_as_was_released, ONE, UNITS),
    (counted_until_it_is_small, ONE, UNITS),
    (powers_beyond_the_floats, ONE, VOTES),
    (powers_beyond_the_floats_by_a_sign, ONE, VOTES),
    (powers_with_a_negative_factor, ONE, VOTES),
    (powers_with_a_factor_of_another_sign, ONE, VOTES),
    (powers_that_may_all_be_zero, ONE, VOTES),
    (marks_that_may_all_be_zero, ONE, VOTES),
    (powers_without_the_greatest, ONE, VOTES),
    (powers_less_the_greatest_of_more, ONE, VOTES),
    (powers_over_a_sum_of_some, ONE, VOTES),
    (powers_of_a_row, ONE, VOTES),
    (choice_at_twice_the_epsilon, ONE, FEW),
    (taking_away_at_twice_the_epsilon, ONE, FEW),
    (two_choices, ONE, FEW),
    (choice_beside_the_sum, ONE, FEW),
    (choice_where_the_sum_is_small, ONE, FEW),
    (choice_over_another_sum, ONE, FEW),
    (search_among_some, PureDP(0.4), FEW),
    (two_marks, ONE, FEW),
    (a_mark_below_two_powers, ONE, FEW),
    (a_mark_beside_its_draw, ONE, FEW),
    (a_mark_below_some, ONE, FEW),
    (powers_less_another_score, ONE, VOTES),
    (weights_in_a_text, ONE, VOTES),
    (variance_at_the_whole_epsilon_twice, ONE, EIGHT),
    (variance_about_the_mean, ONE, EIGHT),
    (count_that_forgets_its_limit, ONE, AGES),
    (noise_that_records_saw, ONE, AGES),
    (noise_that_only_some_records_saw, ONE, AGES),
    (whole_noise_of_one_sign, ONE, KINDS),
    (whole_noise_of_half_the_size, ONE, KINDS),
    (count_by_settings, PureDP(0.5), KINDS),
    (error_for_an_infinite_sum, ONE, KINDS),
    (misses_with_less_noise, ONE, SCORES),
    (misses_among_numbers, PureDP(0.1), SCORES),
    (exact_hits, ONE, SCORES),
    (exact_hits_beside_noise, ONE, SCORES),
    (gain_without_a_cap, ONE, PEOPLE),
    (wages_with_a_floor_alone, ONE, WAGES),
    (wages_over_those_that_are_known, ONE, HOLES),
    (mean_by_its_size, PureDP(1), AddRemove(Real(0, 1))),
    (records_by_size_with_half_the_noise, PureDP(1), AddRemove(Real(0, 1))),
    (wages_whose_shape_tells, ONE, HOLES),
    (exact_count_of_the_largest, ONE, KINDS),
    (exact_count_at_random, ONE, KINDS),
    (entry_at_a_private_index, ONE, KINDS),
    (unary_encoding_at_the_whole_epsilon, ONE, ANSWER),
    (unary_encoding_of_a_list, ONE, ANSWER),
    (unary_encoding_that_tells_of_an_array, ONE, ANSWER),
    (unary_encoding_that_fails_for_one, ONE, ANSWER),
    (response_by_a_larger_power, ONE, ANSWER),
]
