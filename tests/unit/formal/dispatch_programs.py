"""Mechanisms that choose functions from tables, or keep accounts: "sound" ones hold their claim."""

from collections import Counter, defaultdict

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
