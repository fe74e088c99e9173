"""Causes in reports as people write them: texts, own noise, redrawn numbers, what occurs."""

import inspect
import json
import math
import random

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
)
from dpaudit.evidence import Budget
from dpaudit.neighbors import AnyPair
from dpaudit.outputs.text import parts_of_text
from dpaudit.static import StaticEngine
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.trace.roles import by_role
from dpaudit.worker import InPlace
from tests.wild.programs import glue_statistics as statistics

ten = AddRemove(Real(0, 10), max_size=6)
words = AddRemove(Categorical(["a", "b", "c"]), max_size=6, container="list")
bits = ReplaceOne(Integer(0, 1), size=4)
unit = AnyPair(Real(0, 1))
points = AnyPair(Row(x=Real(0, 5), y=Real(0, 5)))


def suspected(mechanism, neighbors, *, unlocated=False):
    """What the trace suggests first; it draws from fixed seeds."""
    subject = Subject.of(mechanism)
    evidence = TraceEngine(share=0.0, unlocated=unlocated).examine(
        subject, PureDP(1.0), neighbors, Budget(seed=0), runner=InPlace(subject)
    )
    return next((suspect.finding for suspect in evidence.suspects), None)


def line_with(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def in_json(data, rng):
    noisy = data.sum() + rng.laplace(scale=10)
    return json.dumps({"total": round(noisy, 1), "most": float(data.max(initial=0))})


def in_a_sentence(data, rng):
    noisy = data.sum() + rng.laplace(scale=10)
    return f"{len(data)} people spent {noisy:.2f}"


def sound_sentence(data, rng):
    return f"people spent {data.sum() + rng.laplace(scale=10):.2f}"


@pytest.mark.parametrize("mechanism", [in_json, in_a_sentence], ids=lambda m: m.__name__)
def test_an_exact_number_in_a_text_is_a_raw_release(mechanism):
    found = suspected(mechanism, ten)
    assert (found.id, found.line) == ("DPA101", line_with(mechanism, "return"))


def test_a_noisy_number_in_a_text_is_not_suspected():
    assert suspected(sound_sentence, ten) is None


def test_a_text_is_read_as_json_or_with_its_numbers_beside_it():
    assert parts_of_text('{"a": [1, 2.5]}') == {"a": [1, 2.5]}
    assert parts_of_text("no number") == "no number"
    assert parts_of_text("7 of -2.5") == {"its text": "{} of {}", "its numbers": [7.0, -2.5]}
    assert parts_of_text("12") == {"its text": "{}", "its numbers": [12.0]}


def test_noise_that_no_trace_follows_is_no_raw_release():
    found = suspected(statistics.amplitude, unit, unlocated=True)
    assert (found.id, found.line) == ("DPA106", line_with(statistics.amplitude, "wave ="))


def test_a_radius_in_two_directions_is_miscalibrated_noise():
    found = suspected(statistics.blurred_place, points)
    assert (found.id, found.line) == ("DPA106", line_with(statistics.blurred_place, "radius ="))


def one_noise_and_a_rounded_one(point, rng):
    steps = int(rng.laplace())
    noise = rng.laplace(scale=10)
    return point["x"] + noise, point["y"] * 2 + noise, steps


def test_one_noise_of_two_values_is_weak_randomness_beside_noise_that_is_rounded():
    found = suspected(one_noise_and_a_rounded_one, points)
    assert (found.id, found.line) == ("DPA110", line_with(one_noise_and_a_rounded_one, "noise ="))


def seldom_a_lie(data):
    truth = math.exp(3.5) / (1 + math.exp(3.5))
    return [int(bit) if random.random() < truth else 1 - int(bit) for bit in data]


def test_a_coin_that_seldom_falls_the_other_way_is_one_with_a_wrong_chance():
    """Of seeds for the noise, hardly one in a thousand would show no lie in 256 runs."""
    found = suspected(seldom_a_lie, bits)
    assert (found.id, found.line) == ("DPA106", line_with(seldom_a_lie, "truth ="))


def within_range(value, rng):
    while True:
        noisy = value + rng.laplace(scale=1)
        if noisy >= 0:
            return noisy


def best_of_four(data, rng):
    best = None
    for count in np.bincount(data, minlength=4):
        noisy = count + rng.laplace(scale=1)
        if best is None or noisy > best:
            best = noisy
    return best


def test_a_number_that_is_drawn_again_until_it_fits_has_the_line_of_the_test():
    found = suspected(within_range, unit)
    assert (found.id, found.line) == ("DPA106", line_with(within_range, "if noisy"))


def test_the_largest_of_several_noisy_numbers_is_told_beside_its_place():
    found = suspected(best_of_four, AddRemove(Integer(0, 3), max_size=6))
    assert found is None or found.id != "DPA106"


def test_what_is_empty_without_records_is_a_domain_from_the_data():
    found = suspected(statistics.dashboard, words)
    assert (found.id, found.line) == ("DPA109", line_with(statistics.dashboard, "largest = shown"))


def test_a_scale_is_followed_by_its_name_where_another_variable_has_the_value():
    mechanism = statistics.limited_by_the_largest_user
    found = suspected(mechanism, AddRemove(Integer(0, 9), max_size=8, container="list"))
    assert (found.id, found.line) == ("DPA103", line_with(mechanism, "limit = max("))


def test_one_noise_of_several_groups_is_no_noise_that_leaves_alone():
    neighbors = AddRemove(Real(0, 10), max_size=6, min_size=1)
    found = suspected(statistics.blended_centers, neighbors, unlocated=True)
    assert found.id != "DPA101"


def leaves_and_pairs(data, rng):
    bits = [int(each) for each in data]
    leaves = [bit + rng.laplace(scale=1) for bit in bits]
    pairs = [bits[i] + bits[i + 1] + rng.laplace(scale=1) for i in (0, 2)]
    return leaves, pairs


def test_answers_that_a_comprehension_makes_noisy_cost_too_much_on_its_line():
    found = suspected(leaves_and_pairs, bits)
    assert (found.id, found.line) == ("DPA107", line_with(leaves_and_pairs, "pairs ="))


def histogram_of(records, rng):
    bins = np.linspace(records.min(), records.max(), 4)
    counts, _ = np.histogram(records, bins)
    return counts + rng.laplace(size=3)


def test_the_source_names_the_line_of_a_helper_that_makes_bins_of_the_data():
    subject = Subject.of(lambda data, rng: histogram_of(data, rng))
    evidence = StaticEngine().examine(
        subject, PureDP(1.0), ten, Budget(seed=0), runner=InPlace(subject)
    )
    lines = [f.line for f in evidence.findings if f.id == "DPA109"]
    assert lines == [line_with(histogram_of, "bins =")]


def sum_beside_a_sample(data, rng):
    chosen = rng.permutation(len(data))[: len(data) // 4]
    sample = data[chosen]
    total = data.sum() + 0 * len(sample)
    return total + rng.laplace(scale=0.8)


def test_a_sample_that_changes_nothing_before_the_noise_is_drawn_in_vain():
    found = suspected(sum_beside_a_sample, ReplaceOne(Real(0, 1), size=8))
    assert (found.id, found.line) == ("DPA115", line_with(sum_beside_a_sample, "total ="))


def steps(data, rng):
    weights, history = np.zeros(2), []
    for _ in range(4):
        gradient = np.array([data.mean(), data.sum() / 9])
        gradient = np.clip(gradient, 0.1, 1)
        noise = rng.laplace(scale=1.0, size=2)
        weights = 0.9 * weights - 0.5 * (gradient + noise)
        history.append(weights.copy())
    return weights


def test_noisy_steps_are_no_parts_of_the_records_and_the_gradient_moves():
    found = suspected(steps, ReplaceOne(Real(0, 9), size=8))
    assert found.id != "DPA112"
    assert found.line == line_with(steps, "np.clip(gradient")


def summary(data, rng):
    counted = {
        "version": 1,
        "rows": len(data),
    }
    body = {"total": data.sum() + rng.laplace(scale=10)}
    return {"body": body, "meta": counted}


def test_an_entry_of_a_variable_in_a_display_leaves_by_its_own_line():
    found = suspected(summary, ten)
    assert (found.id, found.line) == ("DPA101", line_with(summary, '"rows"'))


def hidden_by_formula(value, sensitivity, delta):
    variance = 2 * math.log(1.25 / delta) * sensitivity**2
    return value + np.random.default_rng().normal(0, variance)


def answer_by_formula(data):
    return hidden_by_formula(float(np.clip(data, 0, 1).mean()), 1 / len(data), 1e-5)


def test_a_formula_of_the_scale_is_the_line_and_not_who_gives_it_numbers():
    subject = Subject.of(answer_by_formula)
    evidence = TraceEngine(share=0.0).examine(
        subject, ApproxDP(1.0, 1e-5), ReplaceOne(Real(0, 1), size=8), Budget(seed=0),
        runner=InPlace(subject),
    )  # fmt: skip
    found = by_role(evidence.suspects[0].finding)
    assert (found.id, found.line) == ("DPA106", line_with(hidden_by_formula, "variance ="))


def rare_choice(data, rng):
    counts = np.bincount(data, minlength=3)
    weights = np.exp(counts - counts.max())
    return int(np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random()))


def test_a_choice_that_is_rare_on_the_neighbor_is_not_said_to_be_impossible():
    found = suspected(rare_choice, ReplaceOne(Integer(0, 2), size=4))
    assert (found.id, found.line) == ("DPA106", line_with(rare_choice, "np.exp"))


def beside_a_short_seed(data, rng):
    noise = np.random.RandomState(int(rng.integers(2**31))).laplace(scale=10)
    return {"sum": data.sum() + noise, "records": len(data)}


def sum_with_a_short_seed(data, rng):
    return data.sum() + np.random.RandomState(int(rng.integers(2**31))).laplace(scale=10)


def test_seeds_that_only_guessing_finds_are_the_cause_of_nothing_that_draws_show():
    found = suspected(beside_a_short_seed, ten)
    assert (found.id, found.line) == ("DPA101", line_with(beside_a_short_seed, "return"))
    assert suspected(sum_with_a_short_seed, ten).id == "DPA110"


def own_normal(sigma):
    radius = math.sqrt(-2 * math.log(1 - random.random()))
    return sigma * radius * math.cos(2 * math.pi * random.random())


def largest_of_answers(answers):
    noisy = [answer + own_normal(2.0) for answer in answers]
    return max(noisy)


def index_and_largest(answers):
    noisy = [answer + own_normal(2.0) for answer in answers]
    best = noisy.index(max(noisy))
    return best, noisy[best]


def all_answers(answers):
    return [answer + own_normal(2.0) for answer in answers]


def test_the_largest_of_several_numbers_with_own_noise_is_overspent_and_not_raw():
    answers = QueryAnswers(length=4)
    for mechanism in (largest_of_answers, index_and_largest):
        found = suspected(mechanism, answers, unlocated=True)
        assert (found.id, found.line) == ("DPA107", line_with(mechanism, "return "))
    assert suspected(all_answers, answers, unlocated=True).id == "DPA106"
