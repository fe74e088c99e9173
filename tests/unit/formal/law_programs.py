"""Noise and selections as people write them, and twins that look the same and are not private."""

# ruff: noqa: SIM108

from __future__ import annotations

import math

import numpy as np


def laplace_noise(scale, rng):
    u = rng.uniform(-0.5, 0.5)
    return -scale * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def laplace_by_cases(mu, b, rng):
    u = rng.random()
    if u < 0.5:
        return mu + b * math.log(2 * u)
    else:
        return mu - b * math.log(2 * (1 - u))


def inverse(p, scale):
    q = p - 0.5
    return -scale * np.sign(q) * np.log(1 - 2 * abs(q))


# --- counts with Laplace noise


def inverse_of_sign(data, rng):
    u = rng.random() - 0.5
    b = 1 / 1.0
    return len(data) - b * np.sign(u) * np.log(1 - 2 * abs(u))


def inverse_in_helper(data, rng, epsilon=1.0):
    return float(np.sum(data > 5)) + laplace_noise(1.0 / epsilon, rng)


def inverse_by_cases(data, rng, epsilon=1.0):
    return laplace_by_cases(len(data), 1 / epsilon, rng)


def inverse_of_argument(data, rng, epsilon=1.0):
    p = rng.random()
    return len(data) + inverse(p, 1 / epsilon)


def inverse_with_sign_variable(data, rng):
    u = rng.random()
    if u < 0.5:
        sign = -1
    else:
        sign = 1
    return len(data) + sign * -math.log(1 - 2 * abs(u - 0.5))


def difference_of_exponentials(data, rng):
    e1 = rng.exponential(1.0)
    e2 = rng.exponential(1.0)
    return len(data) + e1 - e2


def difference_of_logarithms(data, rng):
    return len(data) + 1.0 * (math.log(1 - rng.random()) - math.log(1 - rng.random()))


def logarithm_of_ratio(data, rng):
    return len(data) + np.log(rng.random() / rng.random())


def exponential_with_sign(data, rng):
    sign = 1 if rng.random() < 0.5 else -1
    return len(data) + sign * rng.exponential(1.0)


def exponential_with_coin(data, rng):
    s = 2 * rng.integers(2) - 1
    return len(data) + s * rng.exponential(1.0)


def scaled_standard(data, rng):
    return len(data) + 2.0 * rng.laplace(0, 0.5)


def around_the_value(data, rng, epsilon=1.0):
    return rng.laplace(len(data), 1 / epsilon)


def geometric_by_floor(data, rng):
    a = math.exp(-1.0)
    g1 = math.floor(math.log(rng.random()) / math.log(a))
    g2 = math.floor(math.log(rng.random()) / math.log(a))
    return len(data) + g1 - g2


def geometric_from_zero(data, rng):
    a = math.exp(-1.0)
    x = rng.geometric(1 - a) - 1
    y = rng.geometric(1 - a) - 1
    return int(len(data) + x - y)


def best_from_the_first_turn(data, rng):
    best = arg = 0
    for i, c in enumerate(range(4)):
        v = np.sum(data == c) + rng.exponential(2.0)
        if i == 0 or v > best:
            best, arg = v, i
    return arg


# --- twins of these


def best_from_the_second_turn(data, rng):
    best = arg = 0
    for i, c in enumerate(range(4)):
        v = np.sum(data == c) + rng.exponential(2.0)
        if i == 1 or v > best:
            best, arg = v, i
    return arg


def best_from_a_turn_that_is_changed(data, rng):
    best = arg = 0
    for i in range(4):
        v = np.sum(data == i) + rng.exponential(2.0)
        i = len(data)
        if i == 0 or v > best:
            best, arg = v, i
    return arg


def best_of_turns_counted_from_one(data, rng):
    best = arg = len(data)
    for i, c in enumerate(range(4), 1):
        v = np.sum(data == c) + rng.exponential(2.0)
        if i == 0 or v > best:
            best, arg = v, i
    return arg


def half_the_scale(data, rng):
    u = rng.random() - 0.5
    return len(data) - 0.5 * np.sign(u) * np.log(1 - 2 * abs(u))


def uniform_is_returned(data, rng):
    u = rng.random() - 0.5
    return u, len(data) - np.sign(u) * np.log(1 - 2 * abs(u))


def no_sign(data, rng):
    u = rng.random() - 0.5
    return len(data) - np.log(1 - 2 * abs(u))


def factor_left_out(data, rng):
    u = rng.random() - 0.5
    return len(data) - np.sign(u) * np.log(1 - abs(u))


def cut_off(data, rng):
    u = rng.random() - 0.5
    return len(data) - np.sign(u) * np.log(1 - 2 * abs(u) + 1e-3)


def clipped_uniform(data, rng):
    u = rng.uniform(-0.49, 0.49)
    return len(data) - np.sign(u) * np.log(1 - 2 * abs(u))


def one_draw_twice(data, rng):
    e = rng.exponential(1.0)
    return len(data) + e - e


def one_draw_for_two_answers(data, rng):
    u = rng.random() - 0.5
    noise = -4 * np.sign(u) * np.log(1 - 2 * abs(u))
    return len(data) + noise, np.sum(data > 5) + noise


def uneven_sign(data, rng):
    sign = 1 if rng.random() < 0.9 else -1
    return len(data) + sign * rng.exponential(1.0)


def sign_seen(data, rng):
    sign = 1 if rng.random() < 0.5 else -1
    return sign, len(data) + sign * rng.exponential(1.0)


def unequal_exponentials(data, rng):
    return len(data) + rng.exponential(1.0) - rng.exponential(0.2)


def wrong_case(data, rng):
    u = rng.random()
    if u < 0.25:
        return len(data) + math.log(4 * u)
    else:
        return len(data) - math.log(4 * (1 - u) / 3)


def changed_in_between(data, rng):
    b = 1.0
    u = rng.random() - 0.5
    noise = np.sign(u) * np.log(1 - 2 * abs(u))
    b = 0.25
    return len(data) - b * noise


def scale_from_data(data, rng):
    u = rng.random() - 0.5
    return len(data) - (1 + len(data)) * np.sign(u) * np.log(1 - 2 * abs(u))


def one_noise_around_an_array(data, rng):
    counts = np.array([np.sum(data == c) for c in range(4)])
    return counts + rng.laplace(0, 8.0)


def scales_of_one_uniform(data, rng):
    counts = np.array([np.sum(data == c) for c in range(4)])
    u = rng.random() - 0.5
    return counts - np.array([8.0, 8.0, 8.0, 8.0]) * np.sign(u) * np.log(1 - 2 * abs(u))


# --- selections


def score(data, candidate):
    return -abs(float(np.sum(data > candidate)) - 3)


def weights_over_sum(data, rng):
    scores = np.array([np.sum(data == c) for c in range(4)])
    w = np.exp(1.0 * (scores - scores.max()) / 2)
    return rng.choice(4, p=w / w.sum())


def weights_over_norm(data, rng, candidates=("a", "b", "c"), epsilon=1.0):
    scores = [np.sum(data > 2), np.sum(data > 3), np.sum(data < 2)]
    top = max(scores)
    probs = [np.exp(epsilon * (s - top) / 2) for s in scores]
    probs = probs / np.linalg.norm(probs, ord=1)
    return rng.choice(candidates, 1, p=probs)[0]


def weights_over_total(data, rng, epsilon=1.0):
    cands = ["a", "b", "c"]
    scores = [float(np.sum(data == i)) for i, c in enumerate(cands)]
    top = max(scores)
    weights = [math.exp(epsilon * (s - top) / (2 * 1.0)) for s in scores]
    total = sum(weights)
    probs = [w / total for w in weights]
    return cands[rng.choice(len(cands), p=probs)]


def softmax_of_scores(data, rng, epsilon=1.0, sensitivity=1.0):
    options = [1, 2, 3]
    scores = np.array([score(data, c) for c in options])
    scores = scores - np.max(scores)
    probs = np.exp(epsilon * scores / (2 * sensitivity))
    probs = probs / probs.sum()
    return rng.choice(options, p=probs)


def largest_in_list(data, rng):
    noisy = [np.sum(data == c) + rng.laplace(0, 2.0) for c in range(4)]
    return int(np.argmax(noisy))


def index_of_max(data, rng):
    noisy = [np.sum(data == c) + rng.laplace(0, 2.0) for c in range(4)]
    return noisy.index(max(noisy))


def max_by_key(data, rng):
    noisy = [np.sum(data == c) + rng.laplace(0, 2.0) for c in range(4)]
    return max(range(4), key=lambda i: noisy[i])


def first_of_sorted(data, rng):
    noisy = [np.sum(data == c) + rng.gumbel(scale=2.0) for c in range(4)]
    return sorted(range(4), key=lambda i: noisy[i], reverse=True)[0]


def max_of_dict(data, rng):
    noisy = {c: np.sum(data == c) + rng.laplace(0, 2.0) for c in range(4)}
    return max(noisy, key=noisy.get)


def best_of_loop(data, rng):
    best, arg = -math.inf, None
    for c in range(4):
        v = np.sum(data == c) + rng.exponential(2.0)
        if v > best:
            best, arg = v, c
    return arg


# --- twins of these


def no_half(data, rng):
    scores = np.array([np.sum(data == c) - np.sum(data == c + 1) for c in range(4)])
    w = np.exp(1.0 * scores)
    return rng.choice(4, p=w / w.sum())


def total_is_returned(data, rng):
    scores = np.array([1.0 * np.sum(data == c) for c in range(3)])
    w = np.exp(scores / 2)
    return w.sum(), rng.choice(3, p=w / w.sum())


def candidates_from_data(data, rng):
    scores = np.array([np.sum(data == c) for c in range(3)])
    w = np.exp(scores / 2)
    return rng.choice(data[:3], p=w / w.sum())


def weights_changed_under_another_name(data, rng):
    scores = np.array([1.0 * np.sum(data == c) for c in range(3)])
    w = np.exp(scores / 2)
    p = w
    p[0] = p[0] * len(data) ** 4
    return rng.choice(3, p=w / w.sum())


def scores_scaled_under_another_name(data, rng):
    scores = np.array([1.0 * np.sum(data == c) for c in range(3)]) / 2
    other = scores
    other *= 40
    w = np.exp(scores)
    return rng.choice(3, p=w / w.sum())


def one_gumbel_for_all(data, rng):
    scores = np.array([np.sum(data == c) for c in range(4)])
    return int(np.argmax(scores / 2 + rng.gumbel()))


def value_too(data, rng):
    noisy = [np.sum(data == c) + rng.laplace(0, 0.5) for c in range(4)]
    i = noisy.index(max(noisy))
    return i, noisy[i], sum(noisy)


def best_value_too(data, rng):
    best, arg = -math.inf, None
    for c in range(4):
        v = np.sum(data == c) + rng.laplace(0, 0.5)
        if v > best:
            best, arg = v, c
    return arg, best


def one_noise_for_all(data, rng):
    z = rng.laplace(0, 2.0)
    noisy = [np.sum(data == c) + z for c in range(4)]
    return noisy.index(max(noisy))


def too_little_noise(data, rng):
    noisy = [2 * np.sum(data == c) + rng.laplace(0, 1.0) for c in range(4)]
    return noisy.index(max(noisy))


def exponential_on_the_wrong_side(data, rng):
    noisy = [np.sum(data == c) + rng.exponential(1.0) for c in range(4)]
    return noisy.index(min(noisy))


def one_entry_without_noise(data, rng):
    noisy = [np.sum(data == c) + rng.laplace(0, 2.0) for c in range(3)]
    noisy.append(len(data))
    return noisy.index(max(noisy))


def opposite_scores(data, rng):
    noisy = [
        np.sum(data > 5) + rng.laplace(0, 1.0),
        -np.sum(data > 5) + rng.laplace(0, 1.0),
    ]
    return noisy.index(max(noisy))


class Inverse:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    @property
    def scale(self):
        return 1 / self.epsilon

    def quantile(self, p):
        if p < 0.5:
            return self.scale * math.log(2 * p)
        return -self.scale * math.log(2 - 2 * p)

    def upper_half(self, p):
        return self.scale * math.log(2 * p) if p < 0.5 else self.scale * math.log(2 - 2 * p)


def quantile_of_an_object(data, rng):
    return len(data) + Inverse(1.0).quantile(rng.random())


def quantile_of_half_the_scale(data, rng):
    return len(data) + Inverse(2.1).quantile(rng.random())


def quantile_on_one_side(data, rng):
    return len(data) + Inverse(1.0).upper_half(rng.random())


def _unless_in_the_middle(scale, rng):
    if scale <= 0:
        return 0.0
    u = rng.random() - 0.5
    if u == 0 or abs(u) == 0.5:
        return 0.0
    return -scale * math.copysign(math.log(1 - 2 * abs(u)), u)


def zero_in_the_middle(data, rng):
    return len(data) + _unless_in_the_middle(1.0, rng)


def moved_from_the_end(data, rng):
    u = rng.uniform(-0.5, 0.5)
    if u == -0.5:
        u = -0.4999
    return len(data) - np.sign(u) * np.log(1 - 2 * np.abs(u))


def limited_below_the_finest_draw(data, rng):
    u = rng.random() - 0.5
    return len(data) - math.copysign(1.0, u) * math.log(max(1e-300, 1 - 2 * abs(u)))


def limited_and_multiplied(data, rng):
    u = rng.random() - 0.5
    size = math.log(max(1e-300, 1 - 2 * abs(u))) * 1e-300 * 1e300
    return len(data) - math.copysign(1.0, u) * size


def limit_multiplied_before_the_logarithm(data, rng):
    u = rng.random() - 0.5
    return len(data) - math.copysign(1.0, u) * math.log(1e300 * max(1e-300, 1 - 2 * abs(u)))


def limited_above_the_finest_draw(data, rng):
    u = rng.random() - 0.5
    return len(data) - math.copysign(1.0, u) * math.log(max(1e-2, 1 - 2 * abs(u)))


def zero_in_a_part(data, rng):
    u = rng.random() - 0.5
    if u == 0.25 or u > 0.3:
        return 0.0
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def value_in_the_middle(data, rng):
    u = rng.random() - 0.5
    if u == 0:
        return float(len(data))
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def what_raises_before_the_middle(data, rng):
    u = rng.random() - 0.5
    if 1 / len(data) > 0 and u == 0:
        return 0.0
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def what_is_shown_before_another_draw(data, rng):
    u = 0.0
    while print(len(data)) is None and u == 0.0:
        u = rng.random()
    return len(data) + rng.choice([-1, 1]) * math.log(u)


def zero_in_the_middle_of_what_was_changed(data, rng):
    u = rng.random() - 0.5
    if len(data) > 3:
        u = 0.0
    if u == 0:
        return 0.0
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def quantile_of_a_scale(u, scale):
    return scale * math.log(2 * u) if u < 0.5 else -scale * math.log(2 - 2 * u)


def quantile_of_two_arguments(data, rng):
    scale = 1.0
    return len(data) + quantile_of_a_scale(rng.random(), scale)


def quantile_of_a_private_scale(data, rng):
    scale = 1.0 + len(data)
    return len(data) + quantile_of_a_scale(rng.random(), scale)


SOUND = (
    inverse_of_sign, inverse_in_helper, inverse_by_cases, inverse_of_argument,
    inverse_with_sign_variable, difference_of_exponentials, difference_of_logarithms,
    logarithm_of_ratio, exponential_with_sign, exponential_with_coin, scaled_standard,
    around_the_value, geometric_by_floor, geometric_from_zero, weights_over_sum,
    weights_over_norm, weights_over_total, softmax_of_scores, largest_in_list, index_of_max,
    max_by_key, first_of_sorted, max_of_dict, best_of_loop, best_from_the_first_turn,
    quantile_of_an_object, zero_in_the_middle, moved_from_the_end, limited_below_the_finest_draw,
    quantile_of_two_arguments,
)  # fmt: skip
BROKEN = (
    half_the_scale, uniform_is_returned, no_sign, factor_left_out, cut_off, clipped_uniform,
    one_draw_twice, one_draw_for_two_answers, uneven_sign, sign_seen, unequal_exponentials,
    wrong_case, changed_in_between, scale_from_data, one_noise_around_an_array,
    scales_of_one_uniform, no_half, total_is_returned, candidates_from_data,
    weights_changed_under_another_name, scores_scaled_under_another_name, one_gumbel_for_all,
    best_from_the_second_turn, best_from_a_turn_that_is_changed, best_of_turns_counted_from_one,
    value_too, best_value_too, one_noise_for_all, too_little_noise,
    exponential_on_the_wrong_side, one_entry_without_noise, opposite_scores,
    quantile_of_half_the_scale, quantile_on_one_side, limited_above_the_finest_draw,
    limited_and_multiplied, limit_multiplied_before_the_logarithm,
    zero_in_a_part, value_in_the_middle, what_raises_before_the_middle,
    what_is_shown_before_another_draw, zero_in_the_middle_of_what_was_changed,
    quantile_of_a_private_scale,
)  # fmt: skip
