"""Mechanisms that choose functions from tables, or keep accounts: "sound" ones hold their claim."""

import math
import random
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass, field, replace

import numpy as np


def _count(data):
    return len(data)


def _total(data):
    return np.clip(data, 0, 100).sum()


QUERIES = {"count": (_count, 1), "total": (_total, 100)}


def sound_table_of_pairs(data, rng):
    out = {}
    for name, (query, sensitivity) in QUERIES.items():
        out[name] = query(data) + rng.laplace(scale=2 * sensitivity)
    return out


def table_of_pairs_whose_sensitivity_is_left_out(data, rng):
    out = {}
    for name, (query, _) in QUERIES.items():
        out[name] = query(data) + rng.laplace(scale=2)
    return out


def table_of_pairs_with_one_budget_for_both(data, rng):
    return [query(data) + rng.laplace(scale=wide) for _, (query, wide) in QUERIES.items()]


def table_of_pairs_read_with_a_name_twice(data, rng):
    out = []
    for wide, (query, wide) in QUERIES.items():
        out.append(query(data) + rng.laplace(scale=wide))
    return out


def sound_list_of_steps(data, rng):
    steps = [("count", len, 1), ("total", lambda d: np.clip(d, 0, 100).sum(), 100)]
    return {name: f(data) + rng.laplace(scale=2 * wide) for name, f, wide in steps}


def list_of_steps_with_swapped_widths(data, rng):
    steps = [("count", len, 100), ("total", lambda d: np.clip(d, 0, 100).sum(), 1)]
    return {name: f(data) + rng.laplace(scale=2 * wide) for name, f, wide in steps}


def sound_first_and_rest(data, rng):
    first, *rest = [0.5, 0.25, 0.25]
    answers = [len(data) + rng.laplace(scale=1 / first)]
    for share, limit in zip(rest, (30, 60), strict=True):
        answers.append(np.count_nonzero(data > limit) + rng.laplace(scale=1 / share))
    return answers


def first_and_rest_of_too_large_shares(data, rng):
    first, *rest = [0.5, 0.5, 0.25]
    answers = [len(data) + rng.laplace(scale=1 / first)]
    for share, limit in zip(rest, (30, 60), strict=True):
        answers.append(np.count_nonzero(data > limit) + rng.laplace(scale=1 / share))
    return answers


def sound_middle(data, rng):
    low, *_, high = [0, 5, 9, 100]
    return np.clip(data, low, high).sum() + rng.laplace(scale=high)


def middle_of_which_another_one_is_the_width(data, rng):
    low, *_, wide, high = [0, 5, 9, 100]
    return np.clip(data, low, high).sum() + rng.laplace(scale=wide)


def rest_of_the_records(data, rng):
    _, *rest = list(data)
    return len(rest) + rng.laplace()


def sound_shuffled_answers(data, rng):
    counts = [(data > limit).sum() + rng.laplace(scale=2) for limit in (20, 60)]
    rng.shuffle(counts)
    return counts


def sound_order_of_the_questions(data, rng):
    limits = [20, 60]
    rng.shuffle(limits)
    return [(limit, (data > 30).sum() + rng.laplace(scale=2)) for limit in limits]


def shuffled_answers_of_too_little_noise(data, rng):
    counts = [(data > limit).sum() + rng.laplace(scale=1) for limit in (20, 60)]
    rng.shuffle(counts)
    return counts


def shuffled_counts(data, rng):
    counts = [int((data > limit).sum()) for limit in (20, 60)]
    rng.shuffle(counts)
    return [counts[0] + rng.laplace()]


def shuffled_records(data, rng):
    values = list(data)
    rng.shuffle(values)
    return len(values[:3]) + rng.laplace(scale=0.1)


def shuffled_beside_another_name(data, rng):
    counts = [len(data) + rng.laplace(), 0.0]
    same = counts
    rng.shuffle(counts)
    same[0] = len(data)
    return counts


def sound_shares_by_name(data, rng):
    spent = defaultdict(float)
    for name in ("count", "high", "high"):
        spent[name] += 1 / 3
    many = len(data) + rng.laplace(scale=4)
    high = (data > 50).sum() + rng.laplace(scale=2)
    return many, high, dict(spent), sum(spent.values())


def sound_answers_by_name(data, rng):
    answers = defaultdict(list)
    answers["counts"].append(len(data) + rng.laplace(scale=2))
    answers["counts"].append((data > 50).sum() + rng.laplace(scale=2))
    return dict(answers.items())


def counts_by_name(data, rng):
    held = defaultdict(float)
    held["count"] = len(data)
    return (data > 50).sum() + rng.laplace(), list(held.values())


def keys_that_records_bring(data, rng):
    high = defaultdict(int)
    keys = high.keys()
    for value in data:
        high["high" if value > 50 else "low"] += 1
    return list(keys), high["high"] + rng.laplace()


def keys_that_a_lambda_brings(data, rng):
    seen = defaultdict(int)
    count = lambda value: 1 + seen["any"]  # noqa: E731
    many = sum(count(value) for value in data)
    return many + rng.laplace(), len(seen)


def key_of_each_record(data, rng):
    seen = defaultdict(int)
    for _ in data:
        seen["any"] += 1
    return seen["any"] + rng.laplace(), len(seen)


def key_that_a_counter_does_not_keep(data, rng):
    seen = Counter()
    seen["one"] += 1
    seen["other"]
    return (data > 50).sum() + rng.laplace(), len(data) if len(seen) == 1 else 0


def _generator(rng=None):
    """Return a generator, the one that is given where there is one."""
    if rng is None:
        return np.random.default_rng()
    return rng


def _system():
    return random.SystemRandom()


def _seeded(seed=7):
    return np.random.default_rng(seed)


def _of_two_kinds(old=False):
    if old:
        return np.random.RandomState()
    return np.random.default_rng()


def _rebound(rng=None):
    rng = rng or 3
    return rng


class Asked:
    def __init__(self, rng=None):
        self.rng = _generator(rng)

    def count(self, data, wide=1.0):
        return len(data) + self.rng.laplace(0, wide)


def sound_generator_of_a_helper(data, rng):
    return len(data) + _generator(rng).laplace() / 1


def sound_generator_that_a_helper_makes(data):
    rng = _generator()
    return len(data) + rng.laplace()


def sound_generator_of_a_helper_in_an_object(data, rng):
    return Asked(rng).count(data)


def sound_uniform_numbers_of_the_system(data):
    rng = _system()
    u = rng.random() - 0.5
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def generator_of_a_helper_with_half_the_noise(data, rng):
    return Asked(rng).count(data, 0.5)


def generator_of_a_helper_with_a_seed(data):
    return len(data) + _seeded().laplace()


def generator_of_a_helper_seeded_by_the_data(data):
    return len(data) + _seeded(len(data)).laplace()


def generator_handed_on_with_a_seed(data):
    return len(data) + _generator(np.random.default_rng(3)).laplace()


def generator_of_one_of_two_kinds(data):
    return len(data) + _of_two_kinds(old=len(data) > 3).standard_normal() * 100


def generator_that_is_a_number(data):
    return len(data) + _rebound().laplace()


def _is_number(value):
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and math.isfinite(value)


def sound_records_that_are_checked(data, rng):
    total = 0.0
    for value in data.tolist():
        if not _is_number(value):
            raise ValueError("a record that is no number")
        total += min(max(value, 0.0), 100.0)
    return total + rng.laplace(scale=100)


def sound_records_of_a_type(data, rng):
    known = [value for value in data if isinstance(value, (int, float, np.floating))]
    return sum(min(max(value, 0.0), 100.0) for value in known) + rng.laplace(scale=100)


def records_of_which_large_ones_raise(data, rng):
    total = 0.0
    for value in data.tolist():
        if not _is_number(value) or value > 50:
            raise ValueError("a record that is no number")
        total += min(max(value, 0.0), 100.0)
    return total + rng.laplace(scale=100)


def records_of_a_type_that_count_twice(data, rng):
    return sum(2 for value in data if isinstance(value, (int, float))) + rng.laplace()


def records_of_no_type_that_are_all(data, rng):
    return sum(1 for value in data if not isinstance(value, bool)) + rng.laplace(scale=0.5)


def sound_copies_of_another_type(data, rng):
    return data.clip(0, 100).astype(np.float64, copy=True).sum() + rng.laplace(scale=100)


def copies_that_may_be_views(data, rng):
    kept = data.astype(np.float64, copy=False)
    kept *= 2
    return data.clip(0, 200).sum() + rng.laplace(scale=100)


Parameters = namedtuple("Parameters", "epsilon cap")


@dataclass
class Settings:
    epsilon: float = 1.0
    cap: float = 100.0
    wide: float = field(init=False)

    def __post_init__(self):
        self.wide = self.cap / self.epsilon

    def spend(self):
        self.epsilon = 100.0
        return 100.0


class CopiedByItself(Parameters):
    def _replace(self, **_):
        return CopiedByItself(100.0, self.cap)


class MadeByItself(Parameters):
    @classmethod
    def _make(cls, _):
        return cls(100.0, 100.0)


def named_tuple_that_copies_itself(data, rng):
    whole = CopiedByItself(1.0, 100.0)
    copy = whole._replace(cap=100.0)
    return data.clip(0, 100).sum() + rng.laplace(scale=copy.cap / copy.epsilon)


def named_tuple_that_makes_its_copies(data, rng):
    whole = MadeByItself(1.0, 100.0)
    copy = whole._replace(cap=100.0)
    return data.clip(0, 100).sum() + rng.laplace(scale=copy.cap / copy.epsilon)


def named_tuple_that_is_no_dataclass(data, rng):
    whole = Parameters(1.0, 100.0)
    copy = replace(whole, cap=100.0)
    return data.clip(0, 100).sum() + rng.laplace(scale=copy.cap / copy.epsilon)


def sound_halves_of_a_named_tuple(data, rng):
    whole = Parameters(1.0, 100.0)
    half = whole._replace(epsilon=whole.epsilon / 2)
    total = data.clip(0, half.cap).sum() + rng.laplace(scale=half.cap / half.epsilon)
    return total, len(data) + rng.laplace(scale=1 / half.epsilon)


def sound_halves_of_settings(data, rng):
    whole = Settings()
    half = replace(whole, epsilon=whole.epsilon / 2)
    return data.clip(0, half.cap).sum() + rng.laplace(scale=half.wide), len(data) + rng.laplace(
        scale=2
    )


def named_tuple_of_another_cap(data, rng):
    whole = Parameters(1.0, 100.0)
    half = whole._replace(cap=50.0)
    return data.clip(0, whole.cap).sum() + rng.laplace(scale=half.cap / half.epsilon)


def settings_of_which_the_width_is_computed_anew(data, rng):
    whole = Settings()
    whole.wide = 100.0
    other = replace(whole, cap=50.0)
    return data.clip(0, 100).sum() + rng.laplace(scale=other.wide)


def settings_that_change_while_they_are_copied(data, rng):
    whole = Settings()
    other = replace(whole, cap=whole.spend())
    return data.clip(0, 100).sum() + rng.laplace(scale=other.wide)
