"""Programs that break the claim where a law is read into them, for `test_laws`."""

import math

import numpy as np


def noise_where_a_private_number_is_positive(data, rng):
    s = np.sum(data > 5) - 3
    e = rng.exponential(1.0) - rng.exponential(1.0)
    return len(data) + (e if s > 0 else 0.0 * e)


def each_part_where_a_private_number_is_positive(data, rng):
    s = np.sum(data > 5) - 3
    return (
        len(data)
        + (rng.exponential(1.0) if s > 0 else 0.0)
        - (rng.exponential(1.0) if s > 0 else 0.0)
    )


def noise_unless_there_is_nothing(data, rng):
    n = len(data)
    e = rng.exponential(1.0) - rng.exponential(1.0)
    if n > 0:  # noqa: SIM108
        z = e
    else:
        z = 0.0
    return n + z


def inverse_unless_there_is_nothing(data, rng):
    n = len(data)
    u = rng.random() - 0.5
    if n > 0:
        return n - np.sign(u) * np.log(1 - 2 * abs(u))
    return n + 0.0 * u


def where_there_is_something(data, rng):
    n = len(data)
    e = rng.exponential(1.0) - rng.exponential(1.0)
    return n + np.where(n > 0, e, 0.0)


def sign_of_a_coin_that_is_zero(data, rng):
    s = np.sign(rng.integers(0, 2) - 1)
    return len(data) + s * rng.exponential(1.0)


def scale_taken_from_a_list_before_it_changes(data, rng):
    scales = [0.001, 5.0]
    side = scales[0] * rng.choice([-1, 1])
    old = scales.pop(0)  # noqa: F841
    e = rng.exponential(1.0)
    noise = side * e
    return len(data) + noise


def scale_stored_over(data, rng):
    scales = [0.001, 5.0]
    u = rng.random() - 0.5
    v = scales[0] * np.sign(u)
    old = scales.pop(0)  # noqa: F841
    return len(data) - v * np.log(1 - 2 * abs(u))


def _of(epsilon):
    return 1 / epsilon


def _less_itself(e):
    return e - e


def draw_less_itself(data, rng):
    return len(data) + _less_itself(rng.exponential(_of(1.0)))


def _noise_and_another(u, other):
    return -np.sign(u) * np.log(1 - 2 * abs(u))


def _noise_after_division(u, n):
    z = 1 / n  # noqa: F841
    return -np.sign(u) * np.log(1 - 2 * abs(u))


def argument_that_raises(data, rng):
    return len(data) + _noise_and_another(rng.random() - 0.5, 1 / len(data))


def variable_that_raises(data, rng):
    return len(data) + _noise_after_division(rng.random() - 0.5, len(data))


def zero_times_what_raises(data, rng):
    e = rng.exponential(1.0) - rng.exponential(1.0) + 0 * (1 / len(data))
    return len(data) + e


def plus_and_minus_what_raises(data, rng):
    x = 1 / len(data)
    e = rng.exponential(1.0) + x - rng.exponential(1.0) - x
    return len(data) + e


def times_and_over_what_may_be_zero(data, rng):
    n = len(data)
    return n + (n * (rng.exponential(1.0) - rng.exponential(1.0))) / n


def laplace_times_and_over_what_may_be_zero(data, rng):
    n = len(data)
    return n + (n * rng.laplace(0, 1.0)) / n


def weights_shifted_out_of_range(data, rng):
    scores = [np.sum(data > t) for t in (2, 5, 8)]
    m = max([2000.0 * len(data)])
    w = [math.exp(s / 2 - m) for s in scores]
    t = sum(w)
    return int(rng.choice(3, p=[x / t for x in w]))


def logarithm_of_a_scaled_uniform(data, rng, epsilon=1.0):
    return len(data) + math.log(epsilon * rng.random())


def key_of_a_dict_of_other_values(data, rng):
    labels = {0: "x", 1: "x", 2: "x"}
    return max(labels, key=lambda i: np.sum(data > 3 * i) + rng.laplace(0, 0.01))


ATTACKS = (
    noise_where_a_private_number_is_positive, each_part_where_a_private_number_is_positive,
    noise_unless_there_is_nothing, inverse_unless_there_is_nothing, where_there_is_something,
    sign_of_a_coin_that_is_zero, scale_taken_from_a_list_before_it_changes, scale_stored_over,
    draw_less_itself, argument_that_raises, variable_that_raises, zero_times_what_raises,
    plus_and_minus_what_raises, times_and_over_what_may_be_zero,
    laplace_times_and_over_what_may_be_zero, weights_shifted_out_of_range,
    logarithm_of_a_scaled_uniform, key_of_a_dict_of_other_values,
)  # fmt: skip
