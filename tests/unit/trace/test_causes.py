"""What a pair suggests has the id and the line that a reader would give it."""

import inspect
import math

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    Categorical,
    GaussianDP,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
)
from dpaudit.evidence import Budget
from dpaudit.neighbors import AnyPair
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.trace.roles import by_role
from dpaudit.worker import InPlace
from tests.sweeps import sampled

numbers = AddRemove(Real(0, 100), max_size=6)
digits = AddRemove(Integer(0, 9), max_size=6)
answers = QueryAnswers(length=4)
rows = ReplaceOne(Row(a=Real(-1, 1), b=Real(-1, 1)), size=2)
bids = AddRemove(Integer(1, 5), max_size=16)
value = AnyPair(Integer(0, 3))


def suspected(mechanism, neighbors, claim=1.0):
    """The findings that the trace alone suggests; it draws from fixed seeds."""
    subject = Subject.of(mechanism)
    evidence = TraceEngine(share=0.0).examine(
        subject, PureDP(claim), neighbors, Budget(seed=0), runner=InPlace(subject)
    )
    return [suspect.finding for suspect in evidence.suspects]


def marked(mechanism):
    """The line that is marked as the cause."""
    lines, first = inspect.getsourcelines(mechanism)
    return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith("# !"))


def best_of_the_records(data, rng):
    candidates = np.sort(data)  # !
    scores = -np.abs(np.arange(len(data)) - len(data) / 2)
    return float(candidates[np.argmax(scores + rng.gumbel(size=len(data)))]) if len(data) else 0.0


def bounds_in_a_dict(data, rng):
    found = {}
    found["low"] = 0.0
    found["high"] = data.max() if len(data) else 1.0  # !
    bounds = [found["low"], found["high"]]
    return np.clip(data, *bounds).sum() + rng.laplace(scale=bounds[1])


def bounds_in_nested_lists(data, rng):
    first = [0.0, data.max() if len(data) else 1.0]  # !
    second = {"low": first[0], "high": first[1]}
    first = (second["low"], second["high"])
    return np.clip(data, *first).sum() + rng.laplace(scale=first[1])


def one_of_the_values(data, rng):
    values = np.unique(data)  # !
    return int(values[int(rng.random() * len(values))]) if len(values) else -1


def some_of_the_keys(data, rng):
    values, counts = np.unique(data, return_counts=True)  # !
    noisy = counts + rng.laplace(size=len(counts))
    return dict(zip(values[noisy > 0].tolist(), noisy[noisy > 0].tolist(), strict=True))


def one_of_the_words(data, rng):
    words = sorted({"y", "z", *("abcdefghij"[int(each)] for each in data)})  # !
    return words[int(rng.random() * len(words))]


def three_at_once(scores, rng):
    weights = np.exp(scores / 2)  # !
    return rng.choice(len(scores), size=3, replace=False, p=weights / weights.sum())


def sampled_without_noise(data, rng):
    kept = rng.random(len(data)) < 0.3
    return int(kept.sum())  # !


def size_of_the_sample(data, rng):
    kept = rng.random(len(data)) < 0.3
    noisy = len(data) + rng.laplace()
    return noisy, int(kept.sum())  # !


def a_tie_is_tossed(data, rng):
    counts = np.bincount(data, minlength=10)
    return int(rng.choice(np.flatnonzero(counts == counts.max())))  # !


def size_now_and_then(data, rng):
    if rng.random() < 0.2:
        return float(len(data))  # !
    return len(data) + rng.laplace()


def one_noise_for_all(scores, rng):
    return int(np.argmax(scores + rng.laplace(scale=2)))  # !


def exact_scores_at_a_noisy_threshold(scores, rng):
    threshold = 0.5 + rng.laplace(scale=2)
    found = []
    for score in scores:
        above = score >= threshold  # !
        found.append(bool(above))
        if above:
            break
    return found


def winner_with_its_value(scores, rng):
    return float(np.max(scores + rng.laplace(scale=2, size=len(scores))))  # !


def the_same_coins_every_day(value, rng):
    own = np.random.default_rng(1042)  # !
    return int(value > 1) if own.random() < 0.5 else int(own.random() < 0.5)


def bits_that_pay_for_one(value, rng):
    keep = 1 / (1 + math.exp(-1))
    bits = np.arange(4) == value
    return (rng.random(4) < np.where(bits, keep, 1 - keep)).astype(int)  # !


def divided_by_the_size(data, rng):
    noisy = data.clip(0, 100).sum() + rng.laplace(scale=100)
    return noisy / max(1, len(data))  # !


def sum_with_a_rate(data, rng):
    step = 0.5
    total = 2.0 * data.clip(0, 100).sum()  # !
    return step * (total + rng.laplace(scale=100))


def twice_in_the_same_sample(data, rng, rate=0.3):
    size = np.count_nonzero(rng.random(len(data)) < rate)  # !
    return size + rng.laplace(size=5)


def mean_of_ten_answers(data, rng):
    return float(np.mean(len(data) + rng.laplace(size=10)))  # !


def mean_of_ten_loops(data, rng):
    return float(np.mean([len(data) + rng.normal(scale=3) for _ in range(10)]))  # !


def best_three_in_order(scores, rng):
    noisy = scores + rng.gumbel(scale=2, size=len(scores))  # !
    return tuple(np.argsort(-noisy)[:3].tolist())


def noise_that_is_drawn_first(data, rng):
    path = rng.laplace(size=(3, 2))
    for released in path:
        released += (len(data), 0.0)  # !
    return path


def bent(weights, answer):
    return weights * np.exp(answer / 100)


def bends_the_truth(data, rng):
    histogram = np.bincount(data, minlength=10)  # !
    answer = float(rng.laplace())
    return bent(histogram, answer)


def drawn_from(scores, rng, epsilon=1.0, sensitivity=1.0):
    exponents = epsilon * scores / (2 * sensitivity)
    weights = np.exp(exponents - exponents.max())
    return int(np.searchsorted(weights.cumsum() / weights.sum(), rng.random(), side="right"))


def revenue_by_the_scale_of_a_count(data, rng):
    revenues = np.arange(1, 6) * (data[:, None] >= np.arange(1, 6)).sum(axis=0)  # !
    return drawn_from(revenues, rng)


def revenue_by_the_largest_bid(data, rng):
    revenues = np.arange(1, 6) * (data[:, None] >= np.arange(1, 6)).sum(axis=0)
    largest = max([1.0, *data.tolist()])  # !
    return drawn_from(revenues, rng, sensitivity=largest)


def vector_of_random_length(data, rng, bound=1.0, epsilon=1.0):
    total = np.array([data["a"].clip(-1, 1).sum(), data["b"].clip(-1, 1).sum()])  # !
    norm = rng.gamma(len(total), bound / epsilon)
    direction = rng.normal(size=len(total))
    return total + norm * direction / np.sqrt(direction @ direction)


def reports_in_order(data, rng, local_epsilon=1.0):
    lies = rng.random(len(data)) > 1 / (1 + math.exp(-local_epsilon))
    return data ^ lies  # !


def moved_beyond_its_bound(data, rng, bound=50.0, epsilon=4.0):
    size = len(data) + rng.laplace(scale=2 / epsilon)
    mean = float(data.clip(0, 100).sum()) / max(1, len(data))  # !
    return size, mean + rng.laplace(scale=2 * bound / epsilon)


def votes_of_three_parts(data, rng):
    parts = np.array_split(data, 3)  # !
    return sum(int(part[0] >= 50) for part in parts if len(part)) + rng.laplace()


def votes_of_three_parts_by_value(data, rng):
    parts = [data[np.floor(data) % 3 == j] for j in range(3)]
    return sum(int(part.max() >= 50) for part in parts if len(part)) + rng.laplace()


def nearest_of_ten_totals(data, rng):
    totals = [float(data.clip(0, 100).sum()) + rng.laplace(scale=100) for _ in range(10)]
    gaps = np.abs(data[:, None] - np.array(totals))
    return totals[int(np.argmin(gaps.sum(axis=0)))]  # !


def last_of_two_counts_by_parity(data, rng):
    noisy = [len(data) + rng.laplace(scale=2) for _ in range(2)]
    return noisy[len(data) % 2]  # !


def weighted_where_somebody_is(data, rng):
    exact = np.bincount(data, minlength=10)
    noisy = np.maximum(0.0, exact + rng.laplace(size=10))
    weights = np.where(exact > 0, noisy, 0.0)  # !
    return int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))


CENTRES = np.array([2.0, 7.0])


def counted_by_nearest(data, rng, centres=CENTRES):
    nearest = np.abs(data[:, None] - centres).argmin(axis=1)
    return np.bincount(nearest, minlength=len(centres)) + rng.laplace(size=len(centres))


def counted_around_two_records(data, rng):
    centres = np.concatenate([data, CENTRES])[:2]  # !
    return counted_by_nearest(data, rng, centres=centres)


def counted_one_by_one(data, rng):
    noisy = {}
    for digit, count in enumerate(np.bincount(data, minlength=10)):
        noisy[digit] = count + rng.laplace()  # !
    return noisy


class Fares:
    CAP = 20.0

    def __init__(self, rides, rng):
        self.rides, self.rng = rides, rng

    def paid(self):
        total = float((2 * self.rides.clip(0, 20)).sum())
        return total + self.rng.laplace(scale=self.CAP)


def paid_by_the_class(data, rng):
    return Fares(data, rng).paid()


def nobody_gives_nan(data, rng):
    try:
        mean = sum(data.tolist()) / len(data)  # !
    except ZeroDivisionError:
        return float("nan")
    return mean + rng.laplace(scale=100)


def hidden(total, rng, sensitivity=1.0, epsilon=1.0):
    scale = sensitivity / epsilon
    return total + rng.laplace(scale=scale)


def hidden_by_the_largest(data, rng):
    sensitivity = max(data.tolist()) if len(data) else 1.0  # !
    return hidden(float(data.sum()), rng, sensitivity)


def bought(total, rng, rate):
    scale = 0.5 / rate  # !
    return total + rng.laplace(scale=scale)


def bought_for_half(data, rng):
    return bought(data[0], rng, 1.0)


def likeliest(data, rng):
    counts = np.bincount(data, minlength=10)
    logits = 2.0 * counts  # !
    logits = logits - logits.max()
    weights = np.exp(logits) / np.exp(logits).sum()
    return int(rng.choice(10, p=weights))


_kept = np.random.default_rng()


def counted_with_a_kept_generator(data):
    return float((len(data) + _kept.laplace(scale=0.5, size=1)).sum())  # !


@pytest.mark.parametrize(
    ("mechanism", "id", "neighbors"),
    sampled(
        [
            (counted_one_by_one, "DPA105", ReplaceOne(Integer(0, 9), size=4)),
            (nobody_gives_nan, "DPA108", numbers),
            (hidden_by_the_largest, "DPA103", numbers),
            (bought_for_half, "DPA106", answers),
            (likeliest, "DPA106", digits),
            (counted_with_a_kept_generator, "DPA106", numbers),
            (votes_of_three_parts, "DPA112", numbers),
            (nearest_of_ten_totals, "DPA107", numbers),
            (last_of_two_counts_by_parity, "DPA108", numbers),
            (weighted_where_somebody_is, "DPA109", digits),
            (counted_around_two_records, "DPA109", digits),
            (best_of_the_records, "DPA109", numbers),
            (one_of_the_values, "DPA109", digits),
            (some_of_the_keys, "DPA109", digits),
            (one_of_the_words, "DPA109", digits),
            (three_at_once, "DPA107", answers),
            (sampled_without_noise, "DPA102", numbers),
            (size_of_the_sample, "DPA101", numbers),
            (a_tie_is_tossed, "DPA101", digits),
            (size_now_and_then, "DPA102", numbers),
            (one_noise_for_all, "DPA110", answers),
            (exact_scores_at_a_noisy_threshold, "DPA108", answers),
            (winner_with_its_value, "DPA107", answers),
            (the_same_coins_every_day, "DPA110", value),
            (bits_that_pay_for_one, "DPA105", value),
            (divided_by_the_size, "DPA103", numbers),
            (sum_with_a_rate, "DPA105", numbers),
            (twice_in_the_same_sample, "DPA115", numbers),
            (mean_of_ten_answers, "DPA107", numbers),
            (best_three_in_order, "DPA107", answers),
            (noise_that_is_drawn_first, "DPA107", numbers),
            (bends_the_truth, "DPA101", digits),
            (revenue_by_the_scale_of_a_count, "DPA105", bids),
            (revenue_by_the_largest_bid, "DPA103", bids),
            (bounds_in_a_dict, "DPA103", numbers),
            (bounds_in_nested_lists, "DPA103", numbers),
        ],
        6,
    ),
    ids=lambda each: getattr(each, "__name__", None),
)
def test_a_defect_in_the_glue_is_suspected_with_its_id_at_its_line(mechanism, id, neighbors):
    first = by_role(suspected(mechanism, neighbors)[0])
    home = {bought_for_half: bought}.get(mechanism, mechanism)
    assert (first.id, first.line) == (id, marked(home))


def test_a_number_of_a_class_says_what_its_noise_was_made_for():
    assert suspected(paid_by_the_class, numbers)[0].id == "DPA105"


def test_a_lambda_that_fixes_the_scale_is_not_its_cause():
    def noisy(answer, rng, wide):
        return answer + rng.laplace(scale=wide)

    first = suspected(lambda data, rng: noisy(data[0], rng, 0.5), answers)[0]
    assert (first.id, first.line) == ("DPA106", inspect.getsourcelines(noisy)[1] + 1)


@pytest.mark.parametrize(
    "mechanism", [counted_one_by_one, counted_with_a_kept_generator], ids=lambda m: m.__name__
)
def test_where_the_noise_pays_nothing_is_suspected_of_the_same_code(mechanism):
    assert not suspected(mechanism, digits, claim=2.0)


def test_a_part_that_moves_beyond_its_own_share_is_no_overspent_budget():
    first = suspected(moved_beyond_its_bound, numbers, claim=4.0)[0]
    assert (first.id, first.line) == ("DPA105", marked(moved_beyond_its_bound))


def test_a_mean_of_gaussian_answers_is_an_overspent_budget():
    subject = Subject.of(mean_of_ten_loops)
    evidence = TraceEngine(share=0.0).examine(
        subject, GaussianDP(0.5), numbers, Budget(seed=0), runner=InPlace(subject)
    )
    first = evidence.suspects[0].finding
    assert (first.id, first.line) == ("DPA107", marked(mean_of_ten_loops))


def test_noise_of_random_length_and_direction_is_priced_as_a_vector():
    """A row of [-1, 1]² moves the sum by 2 √2 at most, and the length pays for a move by 1."""
    first = suspected(vector_of_random_length, rows)[0]
    assert (first.id, first.line) == ("DPA105", marked(vector_of_random_length))
    assert not suspected(vector_of_random_length, rows, claim=2 * math.sqrt(2) + 1e-9)


def test_reports_that_nobody_shuffled_are_called_so():
    ten = ReplaceOne(Categorical([0, 1]), size=10)
    first = suspected(reports_in_order, ten, claim=0.25)[0]
    assert (first.id, first.line) == ("DPA115", marked(reports_in_order))
    assert not suspected(reports_in_order, ten, claim=1.0)


def test_reports_that_were_shuffled_are_no_suspicion():
    def shuffled(data, rng, local_epsilon=1.0):
        return rng.permutation(reports_in_order(data, rng, local_epsilon))

    assert not suspected(shuffled, ReplaceOne(Categorical([0, 1]), size=10), claim=0.25)


def mean_that_pays_for_ten(data, rng):
    return float(np.mean(len(data) + rng.laplace(scale=10, size=10)))


def count_by_its_scale(data, rng):
    return drawn_from((data[:, None] == np.arange(6)).sum(axis=0).astype(float), rng)


def answers_in_the_order_of_the_data(data, rng):
    """Which noise goes to which answer does not matter: all of them leave."""
    noisy = [rng.laplace(scale=4) for _ in range(4)]
    order = np.argsort(data)
    return [data[place] + noisy[order[place]] for place in range(4)]


def larger_of_two_by_a_coin(data, rng):
    noisy = [len(data) + rng.laplace(scale=2) for _ in range(2)]
    return noisy[int(rng.random() < 0.5)]


def order_that_is_paid_for(scores, rng):
    noisy = scores + rng.gumbel(scale=8, size=len(scores))
    return tuple(np.argsort(-noisy)[:3].tolist())


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    sampled(
        [
            (mean_that_pays_for_ten, numbers),
            (count_by_its_scale, bids),
            (order_that_is_paid_for, answers),
            (answers_in_the_order_of_the_data, answers),
            (larger_of_two_by_a_coin, numbers),
            (counted_by_nearest, digits),
            (votes_of_three_parts_by_value, numbers),
        ],
        3,
    ),
    ids=lambda each: getattr(each, "__name__", None),
)
def test_what_is_paid_for_is_no_suspicion(mechanism, neighbors):
    assert not suspected(mechanism, neighbors)


def test_coins_that_only_a_shuffle_would_pay_for_are_called_so():
    def reports(value, rng, local_epsilon=1.0):
        truth = 1 / (1 + math.exp(-local_epsilon))
        return int(rng.random() < (truth if value else 1 - truth))

    yes_or_no = AnyPair(Categorical([0, 1]))
    assert suspected(reports, yes_or_no, claim=0.25)[0].id == "DPA115"
    assert not suspected(reports, yes_or_no, claim=1.0)


def poisson_sample(data, rng, rate=0.3):
    return np.count_nonzero(rng.random(len(data)) < rate) + rng.laplace()


def test_a_sample_that_pays_for_its_move_is_no_suspicion():
    """One record, in the sample or not, costs ln(1 + .3 (e - 1)) although its path costs 1."""
    claim = math.log1p(0.3 * math.expm1(1.0)) + 1e-9
    few = AddRemove(Real(0, 100), max_size=1)
    assert not [each for each in suspected(poisson_sample, few, claim) if each.id == "DPA115"]


answered: dict[float, float] = {}


def kept_before_the_noise(answer, rng):
    if answer in answered:
        return answered[answer]
    answered[answer] = answer  # !
    return answer + rng.laplace()


def test_a_cache_that_a_first_call_fills_is_located_where_it_is_filled():
    answered.clear()
    (first,) = suspected(kept_before_the_noise, AnyPair(Integer(0, 1)))
    assert (first.id, first.line) == ("DPA116", marked(kept_before_the_noise))
