"""What a counterexample from the source is called, and the line that it names."""

import inspect
import math
import random

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Integer, PureDP, QueryAnswers, Real, ReplaceOne, Verdict
from tests.unit.formal import handed_programs as handed
from tests.wild.programs import glue_statistics as statistics

people = AddRemove(Integer(0, 3), max_size=6)
people3 = AddRemove(Integer(0, 2), max_size=4)


def refuted(mechanism, neighbors):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.REFUTED
    return report.findings[0]


def line_of(function, number):
    return inspect.getsourcelines(function)[1] + number


def waiting_time(mean):
    return -mean * math.log(1 - random.random())


def count_later(data):
    return len(data) + waiting_time(1.0)


def test_noise_that_is_never_negative_is_miscalibrated():
    found = refuted(count_later, people)
    assert (found.id, found.line) == ("DPA106", line_of(waiting_time, 1))


def hours_with_whole_noise(data, rng):
    total = np.clip(data, 0, 8).sum()
    return total + rng.geometric(0.1) - rng.geometric(0.1)


def people_with_whole_noise(data, rng):
    return len(data) + rng.geometric(0.9) - rng.geometric(0.9)


def test_whole_noise_on_numbers_that_are_not_whole_is_miscalibrated():
    found = refuted(hours_with_whole_noise, AddRemove(Real(0, 8), max_size=4))
    assert found.id == "DPA106"
    assert "on a grid" in found.message
    found = refuted(people_with_whole_noise, AddRemove(Real(0, 8), max_size=4))
    assert "on a grid" not in found.message


def count_of_threes(data, rng):
    return int((data >= 3).sum()) + rng.laplace(scale=0.5)


def test_noise_on_both_sides_that_is_too_small_keeps_its_kind():
    assert refuted(count_of_threes, people).id == "DPA105"


def counts_of_each(data, rng):
    return [int((data == value).sum()) + rng.laplace() for value in range(4)]


def test_two_counts_of_a_replaced_record_are_one_release():
    found = refuted(counts_of_each, ReplaceOne(Integer(0, 3), size=3))
    assert found.id == "DPA105"
    assert "DPA107" in found.also


def largest(scores):
    top = scores.max()
    return float(top)


def choice_by_share(data, rng):
    if not len(data):
        raise ValueError("no votes")
    return rng.choice([0, 1], p=[0.5, 0.5])


def test_an_exception_of_one_dataset_is_the_cause_where_noise_chooses_on_the_other():
    found = refuted(choice_by_share, people)
    assert (found.id, found.line) == ("DPA108", line_of(choice_by_share, 1))


def test_what_a_helper_returns_raw_is_at_its_line():
    found = refuted(lambda data: largest(data), QueryAnswers(4))
    assert (found.id, found.line) == ("DPA101", line_of(largest, 2))


def line_with(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if text in line)


def noise_in_a_variable(data, rng):
    total = data.sum()
    noise = rng.laplace(scale=1.0)
    total = total / 2 + noise
    return float(total)


def test_noise_is_followed_through_a_variable_to_what_it_is_added_to():
    found = refuted(noise_in_a_variable, people)
    assert (found.id, found.line) == ("DPA105", line_with(noise_in_a_variable, "/ 2 + noise"))


def counts_with_noise_added_in_place(data, rng):
    counts = np.bincount(data, minlength=4).astype(float)
    counts += rng.laplace(scale=0.2, size=4)
    return counts


def test_noise_that_is_added_in_place_is_followed_to_what_it_is_added_to():
    found = refuted(counts_with_noise_added_in_place, people)
    assert found.line == line_with(counts_with_noise_added_in_place, "np.bincount")


def two_of_three_noisy(value):
    part = random.random()
    if part < 0.3:
        return value + random.uniform(-9.0, 9.0)
    elif part < 0.6:
        return 2 * value + random.uniform(-9.0, 9.0)
    else:
        return 3 * value


def test_a_way_on_which_records_leave_without_noise_is_the_cause():
    found = refuted(two_of_three_noisy, AnyPair(Integer(0, 3)))
    assert (found.id, found.line) == ("DPA102", line_with(two_of_three_noisy, "3 * value"))


def words_of_a_way(value):
    if random.random() < 0.5:
        return "none"
    if value > 2:
        return "many"
    return "few"


def test_words_that_a_private_test_chooses_are_no_record():
    found = refuted(words_of_a_way, AnyPair(Integer(0, 3)))
    assert (found.id, found.line) == ("DPA108", line_with(words_of_a_way, "if value"))


def side_by_value(value):
    inner = random.random()
    if inner < 0.1:
        return random.uniform(-1.0, 1.0)
    outer = random.random()
    if outer <= value:
        return random.uniform(-1.0, 0.0)
    return random.uniform(0.0, 1.0)


def test_the_chance_that_private_data_set_is_the_cause_of_coins():
    found = refuted(side_by_value, AnyPair(Real(0, 1)))
    assert (found.id, found.line) == ("DPA106", line_with(side_by_value, "outer <= value"))


def count_beside_noise(data, rng):
    count = len(data)
    return {
        "noisy": count + rng.laplace(),
        "exact": count,
    }


def test_an_entry_of_a_display_leaves_by_its_own_line():
    found = refuted(count_beside_noise, people)
    assert (found.id, found.line) == ("DPA101", line_with(count_beside_noise, '"exact"'))


def values_and_counts(data, rng):
    values, counts = np.unique(data, return_counts=True)
    labels = values.tolist()
    return {
        "size": 3,
        "labels": labels,
        "counts": (counts + rng.laplace(size=len(counts))).tolist(),
    }


def test_the_part_of_the_output_that_differs_in_length_is_followed():
    found = refuted(values_and_counts, people)
    assert (found.id, found.line) == ("DPA109", line_with(values_and_counts, "labels ="))


def suppressed_if_few(data):
    few = len(data) < 3
    if few:
        return {"status": "suppressed"}
    sign = random.choice([-1, 1])
    return {"status": "ok", "count": max(len(data) + sign * random.expovariate(1.0), 3)}


def test_a_private_test_before_coins_decides_which_outputs_there_are():
    found = refuted(suppressed_if_few, people)
    assert (found.id, found.line) == ("DPA108", line_with(suppressed_if_few, "if few"))


def table_by_record(data, rng):
    table = {}
    for value in data.tolist():
        table[value] = table.get(value, 0) + 1
    return {value: count + rng.laplace() for value, count in table.items()}


def test_keys_are_made_where_records_fill_the_table():
    found = refuted(table_by_record, people)
    assert (found.id, found.line) == ("DPA109", line_with(table_by_record, "table.get"))


def misspelt(data, rng):
    return rng.laplace() if len(data) == 0 else data.summ() + rng.laplace()


def test_a_mistake_in_the_code_is_said_to_be_one():
    found = refuted(misspelt, people)
    assert found.id == "DPA108"
    assert "AttributeError is raised" in found.message
    assert "mistake in the code" in found.message


def first_of_many(data, rng):
    shown = 0.0
    if len(data) > 4:
        shown = 1.0
    return shown + data.tolist()[0] + rng.laplace(scale=9.0)


def test_an_exception_that_no_test_states_is_at_the_line_that_raises_it():
    found = refuted(first_of_many, people)
    assert (found.id, found.line) == ("DPA108", line_with(first_of_many, "tolist()[0]"))


def mean_of_none(data, rng):
    total = data.sum() / np.float64(len(data))
    return total + rng.laplace(scale=100.0)


def test_a_number_that_is_none_is_unbounded():
    with np.errstate(all="ignore"):
        found = refuted(mean_of_none, people)
    assert (found.id, found.line) == ("DPA104", line_with(mean_of_none, "total = "))
    assert "nan reaches the output" in found.message


def test_of_what_the_wiring_hands_over_the_scale_is_the_cause():
    found = refuted(lambda data: handed.Noisy(1.0).answer(data.sum()), people)
    assert found.file == handed.__file__
    assert found.line == line_with(handed.Noisy, "Sensitivity(1.0)")
    found = refuted(lambda data: handed.with_noise(data.sum()), people)
    assert (found.file, found.line) == (handed.__file__, line_with(handed.with_noise, "noise = "))


def test_a_scale_that_the_wiring_asks_for_is_formed_where_it_is_computed():
    one = ReplaceOne(Integer(0, 3), size=6)
    found = refuted(lambda data: handed.spread(data.sum(), handed.spread_by_halves(data), 1.0), one)
    assert (found.id, found.file) == ("DPA103", handed.__file__)
    assert found.line == line_with(handed.spread_by_halves, "max(halves)")


def scaled_in_steps(data, rng):
    spread = max(data) - min(data)
    half = spread / 2
    width = max(0.5, half)
    return float(data.sum()) + rng.laplace(scale=width / 1.0)


def test_a_scale_is_followed_by_its_private_factor_to_the_line_that_computes_it():
    found = refuted(scaled_in_steps, ReplaceOne(Real(0, 9), size=3))
    assert (found.id, found.line) == ("DPA103", line_with(scaled_in_steps, "spread = "))


def clipped_noise(data, rng):
    noise = rng.laplace(scale=4.0)
    noise = np.clip(noise, -6.0, 6.0)
    return float(data.sum()) + noise


def test_noise_that_is_cut_off_has_the_line_of_the_limit():
    found = refuted(clipped_noise, people)
    assert (found.id, found.line) == ("DPA106", line_with(clipped_noise, "np.clip"))


def no_trials(data, rng):
    chance = max(0.0, 1 - 40 / 8)
    counts = np.bincount(data, minlength=4)
    noisy = counts + rng.binomial(8, chance)
    return noisy - 8 * chance


def test_noise_without_width_is_the_cause_where_nothing_else_hides_a_value():
    found = refuted(no_trials, people)
    assert (found.id, found.line) == ("DPA106", line_with(no_trials, "rng.binomial"))


def test_a_place_among_the_other_answers_sets_no_chance_of_a_coin():
    found = refuted(statistics.response_of_four, AnyPair(Integer(0, 3)))
    line = line_with(statistics.response_of_four, "keep = ")
    assert (found.id, found.line) == ("DPA106", line)


def first_alarm(data, rng):
    for limit in (1, 2, 3):
        if int((data >= limit).sum()) + rng.laplace(scale=2.0) > 3:
            return limit
    return None


def test_tests_that_are_each_within_the_claim_overspend_the_budget_together():
    found = refuted(first_alarm, people)
    assert (found.id, found.line) == ("DPA107", line_with(first_alarm, "rng.laplace"))


def first_alarm_with_little_noise(data, rng):
    for limit in (1, 2, 3):
        if int((data >= limit).sum()) + rng.laplace(scale=0.25) > 3:
            return limit
    return None


def test_one_test_that_costs_more_than_the_claim_has_too_little_noise():
    assert refuted(first_alarm_with_little_noise, people).id == "DPA105"


def most_common(data, rng):
    counts = np.bincount(data, minlength=4)
    exponents = 1.0 * (counts - counts.max())
    weights = np.exp(exponents)
    return int(rng.choice(4, p=weights / weights.sum()))


def test_weights_of_a_choice_that_differ_too_much_are_the_formula_of_their_exponents():
    found = refuted(most_common, ReplaceOne(Integer(0, 3), size=4))
    assert (found.id, found.line) == ("DPA106", line_with(most_common, "exponents ="))


def sum_beside_a_sample(data, rng):
    keep = rng.random(len(data)) < 0.25
    sample = data[keep]
    total = data.sum()
    return total + rng.laplace(scale=1.5) if len(sample) >= 0 else None


def sum_of_a_sample(data, rng):
    keep = rng.random(len(data)) < 0.25
    total = data[keep].sum()
    return total + rng.laplace(scale=0.2)


def test_a_sample_that_is_drawn_and_not_used_amplifies_nothing():
    found = refuted(sum_beside_a_sample, people)
    assert (found.id, found.line) == ("DPA115", line_with(sum_beside_a_sample, "total ="))


def test_a_sample_that_is_used_is_not_said_to_be_drawn_in_vain():
    assert refuted(sum_of_a_sample, people).id != "DPA115"


def own_laplace(scale):
    u = random.random() - 0.5
    return -scale * math.copysign(1.0, u) * math.log(1 - 2 * abs(u) + 1e-300)


def sum_with_own_noise(data):
    total = int(data.sum())
    return total + own_laplace(2 / 1.0)


def sum_with_own_noise_of_a_wrong_scale(data):
    total = int(data.sum())
    return total + own_laplace(7 / 10)


def test_noise_of_a_right_sampler_that_pays_for_a_written_number_is_no_wrong_sampler():
    found = refuted(sum_with_own_noise, people)
    assert (found.id, found.line) == ("DPA105", line_with(sum_with_own_noise, "total ="))


def test_noise_of_a_sampler_that_pays_for_no_number_of_the_source_is_miscalibrated():
    assert refuted(sum_with_own_noise_of_a_wrong_scale, people).id == "DPA106"


def noisy(value, rng):
    value = np.asarray(value, dtype=float)
    return value + rng.laplace(scale=1.0, size=value.shape)


def answered_by_a_helper(data, rng):
    total = np.array([data.sum(), 2 * data.sum()])
    return noisy(total, rng)


def test_a_value_that_a_helper_converts_is_formed_where_it_was_before():
    found = refuted(answered_by_a_helper, people)
    assert found.line == line_with(answered_by_a_helper, "total =")


def mean_of_two_or_more(data, rng):
    n = len(data)
    if n < 2:
        return rng.laplace(scale=3)
    width = 3 / n
    return data.sum() / n + rng.laplace(scale=width)


def sum_of_two_or_more(data, rng):
    if len(data) < 2:
        return rng.laplace(scale=3)
    return data.sum() + rng.laplace(scale=30)


def test_a_private_scale_behind_a_test_of_the_size_is_the_cause():
    found = refuted(mean_of_two_or_more, people)
    assert (found.id, found.line) == ("DPA103", line_with(mean_of_two_or_more, "width ="))


def test_two_public_scales_that_the_size_chooses_between_are_a_private_branch():
    assert refuted(sum_of_two_or_more, people).id == "DPA108"


def drawn_laplace(scale):
    u = random.random() - 0.5
    return -scale * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def largest_by_own_noise(answers):
    noisy = [answer + drawn_laplace(1.5) for answer in answers]
    return max(noisy)


def largest_by_gumbel_noise(data, rng):
    counts = np.bincount(data, minlength=3)
    noisy = counts + rng.gumbel(scale=2.0, size=3)
    return float(noisy.max())


def winner_beside_its_count(data, rng):
    counts = np.bincount(data, minlength=3)
    winner = int(np.argmax(counts + rng.gumbel(scale=2.0, size=3)))
    return winner, int(counts[winner])


def exact_winner(answers, rng):
    return float(answers[np.argmax(answers + rng.gumbel(scale=2.0, size=3))])


def record_near_the_middle(data, rng):
    records = np.sort(data)
    scores = -np.abs(np.arange(len(data)) - len(data) / 2)
    return int(records[np.argmax(scores + rng.gumbel(size=len(data)))]) if len(data) else -1


three = QueryAnswers(length=3)


@pytest.mark.parametrize(
    ("mechanism", "neighbors", "id"),
    [
        (largest_by_own_noise, QueryAnswers(length=2), "DPA107"),
        (largest_by_gumbel_noise, AddRemove(Integer(0, 2), max_size=4), "DPA107"),
        (winner_beside_its_count, AddRemove(Integer(0, 2), max_size=4), "DPA101"),
        (exact_winner, three, "DPA101"),
        (record_near_the_middle, people, "DPA109"),
    ],
)
def test_a_noisy_winner_that_leaves_itself_is_overspent_and_an_exact_one_raw(
    mechanism, neighbors, id
):
    found = refuted(mechanism, neighbors)
    assert found.id == id
    if id != "DPA109":
        assert found.line == line_with(mechanism, "return ")


def winner_beside_a_noisy_count(data, rng):
    counts = np.zeros(3)
    for value in data:
        counts[value] += 1
    winner = int(np.argmax(counts + rng.laplace(scale=1.0, size=3)))
    return winner, counts[winner] + rng.laplace(scale=1.0)


def hidden_below_three(data, rng):
    table = {}
    for value in range(2):
        count = int((data == value).sum())
        if count < 3:
            table[value] = "few"
            continue
        table[value] = max(0, count + rng.laplace(scale=1.0))
    return table


def count_and_majority(data, rng):
    counts = np.bincount(data, minlength=3)
    return len(data) + rng.laplace(scale=1.0), bool(counts.max() > len(data) / 2)


def one_of_two_ends(x, rng):
    chance = (x + 1) / 2
    return 2 if rng.random() < chance else -2


@pytest.mark.parametrize(
    ("mechanism", "neighbors", "id", "text"),
    [
        (winner_beside_a_noisy_count, people3, "DPA107", "return winner"),
        (hidden_below_three, AddRemove(Integer(0, 1), max_size=4), "DPA108", "if count < 3"),
        (count_and_majority, people3, "DPA101", "return len"),
        (one_of_two_ends, AnyPair(Real(-1, 1)), "DPA106", "return 2"),
    ],
)
def test_the_cause_is_what_decides_and_not_what_begins_a_table(mechanism, neighbors, id, text):
    found = refuted(mechanism, neighbors)
    assert (found.id, found.line) == (id, line_with(mechanism, text))


def noise_of(scale, rng):
    return rng.laplace(scale=scale)


def answers_above(data, rng):
    answers, found = [], 0
    for least in (1, 2):
        count = int((data >= least).sum())
        if count + noise_of(4.0, rng) >= 1.5:
            answers.append(count + noise_of(4.0 * found, rng))
            found += 1
    return answers


def test_noise_without_width_is_the_cause_where_noise_decides_too():
    found = refuted(answers_above, AddRemove(Integer(0, 2), max_size=2))
    assert (found.id, found.line) == ("DPA106", line_of(answers_above, 5))


def shifted(value, rng):
    low = value / 2
    if rng.random() < 0.6:
        return low + rng.random()
    if rng.random() <= value:
        return low - rng.random()
    return low + 1 + rng.random()


def test_a_chance_that_a_record_sets_is_named_before_a_public_one():
    found = refuted(shifted, AnyPair(Real(0, 1)))
    assert found.id in ("DPA106", "DPA108", "DPA102")
    assert found.line != line_of(shifted, 2)
