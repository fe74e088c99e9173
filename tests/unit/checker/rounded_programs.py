"""Programs that compute with floats of a record, for tests."""

import math


def lost_beside_one(x, rng):
    return bool(rng.random() < (1.0 if 1 + x == 1 and x > 0 else 0.5))


def rounded_by_a_large_number(x, rng):
    far = abs((x + 0.13 + 2.0**52) - 2.0**52 - (x + 0.13)) > 0.499
    return bool(rng.random() < (0.9 if far else 0.5))


def thirds(x, rng):
    return bool(rng.random() < (0.9 if int(x * 3 * (1 / 3) * 3) > 3 * x else 0.5))


def cut_off(x, rng):
    return bool(rng.random() < (0.9 if int(x * 49) - 49 * x > 0 else 0.5))


def on_a_grid(x, rng):
    return bool(rng.random() < (0.9 if (x + 2.0**26) - 2.0**26 == x else 0.5))


def divided_and_multiplied(x, rng):
    return bool(rng.random() < (0.9 if x / 3 * 3 == x else 0.5))


def of_a_constant_that_cancels(x, rng):
    moved = (1e7 + 0.3) - 1e7
    return bool(rng.random() < (0.9 if x <= 0.2 and x + moved > 0.5 else 0.5))


def at_the_ends_of_two_ranges(x, rng):
    return bool(rng.random() < (0.9 if x < 0.1 and x * 10 >= 1 else 0.5))


def beyond_the_largest(x, rng):
    return bool(rng.random() < (0.9 if (x * 1e300) * 1e-300 > 1e10 else 0.5))


def infinity_less_itself(x, rng):
    y = x * 1e10
    return bool(rng.random() < (0.9 if y - y == 0 else 0.5))


def below_the_smallest(x, rng):
    return bool(rng.random() < (0.9 if x > 0 and x * 1e-300 == 0 else 0.5))


def with_a_draw(x, rng):
    k = rng.integers(3)
    return bool((x + k + 2.0**26) - 2.0**26 - k > x)


def rounded_quotient(x, rng):
    return bool(rng.random() < (0.9 if (x + 1) / (x + 1 + 2.0**-60) != 1 else 0.5))


def affine(x, rng):
    return bool(rng.random() < 0.3 + 0.4 * x)


def clipped(x, rng):
    return bool(rng.random() < min(0.75, max(0.25, 0.1 + 0.8 * x)))


def standardized(x, rng):
    y = (x - 18) / (65 - 18)
    return bool(rng.random() < 0.25 + 0.5 * min(1.0, max(0.0, y)))


def to_a_grid(x, rng):
    level = math.floor(x * 5)
    up = rng.random() < x * 5 - level
    keep = rng.random() < 0.5
    return int(level + up) if keep else int(rng.integers(6))


def thresholds(x, rng):
    return bool(rng.random() < (0.75 if 0.1 + 0.2 * x > 0.15 else 0.25))


def draw_on_a_coarse_grid(x, rng):
    u = rng.random()
    v = (u + 2.0**52) - 2.0**52
    return bool(x == 1 and v >= 0.9 and u < 0.6)


def integer_as_a_float(x, rng):
    k = rng.integers(0, 2**60)
    return bool(x == 1 and int(float(k)) != k)


def integer_times_one(x, rng):
    k = rng.integers(0, 2**60)
    return bool(x == 1 and int(k * 1.0) - int(k) != 0)
