"""Counts whose noise scale is the result of a function of public constants."""

import functools
import itertools
import math
import random

import numpy as np
import scipy.optimize
import scipy.special

WIDTHS = [1.0, 0.5, 0.25]
FACTOR = 1.0
LOG: list[float] = []


def set_factor(value):
    global FACTOR
    FACTOR = value


def search(epsilon, delta, sensitivity, tolerance=1e-10):
    """Return the scale of the analytic Gaussian mechanism."""

    def cdf(t):
        return 0.5 * (1 + math.erf(t / math.sqrt(2)))

    def loss(sigma):
        a, b = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
        return cdf(a - b) - math.exp(epsilon) * cdf(-a - b)

    low, high = 1e-3, 1.0
    while loss(high) > delta:
        low, high = high, 2 * high
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if loss(middle) > delta else (low, middle)
    return high


def solved(epsilon, delta, sensitivity):
    def gap(sigma):
        a, b = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
        upper = scipy.special.ndtr(a - b) - np.exp(epsilon) * scipy.special.ndtr(-a - b)
        return upper - delta

    return scipy.optimize.brentq(gap, 1e-2, 1e3) * (1 + 1e-9)


def solved_of_numpy(epsilon, delta, sensitivity):
    return np.float64(search(epsilon, delta, sensitivity))


def largest_distance(k):
    """Return the largest l1 distance of two orders of k numbers."""
    best = 0
    for order in itertools.permutations(range(k)):
        best = max(best, sum(abs(a - b) for a, b in zip(order, range(k), strict=True)))
    return best


def both(epsilon, delta):
    shares = []
    for part in (0.5, 0.5):
        shares.append(part * epsilon)
    return shares[0], search(shares[1], delta, 1.0)


def widest():
    best = 0.0
    for width in WIDTHS:
        best = max(best, width)
    return best


def scaled():
    total = 0.0
    while total < FACTOR:
        total += FACTOR / 4
    return total


def logged(epsilon):
    for _ in range(2):
        LOG.append(epsilon)
    return 2.0 / len(LOG)


def remembered(epsilon, seen=[]):  # noqa: B006
    for _ in range(2):
        seen.append(epsilon)
    return 2.0 / len(seen)


def drawn(epsilon):
    best = 0.0
    for _ in range(3):
        best = max(best, random.random())
    return best / epsilon


def counted(epsilon):
    for _ in range(1):
        counted.calls = getattr(counted, "calls", 0) + 1
    return 1.0 / (epsilon * counted.calls)


def counter():
    calls = 0

    def scale(epsilon):
        nonlocal calls
        for _ in range(1):
            calls += 1
        return 1.0 / (epsilon * calls)

    return scale


shrinking = counter()
NEXT = iter([1.0] * 4 + [1e-6] * 1000)


def next_one(epsilon):
    for width in NEXT:
        return width / epsilon
    return 1.0 / epsilon


def by_text(epsilon):
    total = 0
    for word in ("a", "b"):
        total += hash(word) % 7
    return (1.0 + total) / epsilon


def endless(epsilon):
    low = 0.0
    while low < 1.0:
        low = low / 2
    return 1.0 / epsilon


def raising(epsilon):
    for _ in range(1):
        if epsilon > 0:
            raise ValueError("too large")
    return 1.0


def interrupted(epsilon):
    try:
        for _ in range(2_000_000):
            pass
    except:  # noqa: E722
        return 1.0
    return 1e-6 / epsilon


def interrupted_by_all(epsilon):
    try:
        for _ in range(2_000_000):
            pass
    except BaseException:
        return 1.0
    return 1e-6 / epsilon


def depth(n):
    try:
        return depth(n + 1)
    except RuntimeError:
        return n


def by_depth(epsilon):
    return 1.0 if depth(0) > 10 else 1e-6 / epsilon


def by_key(epsilon):
    widths = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}
    for word in widths.keys() | widths.keys():
        return widths[word] / epsilon


def by_listed_key(epsilon):
    widths = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}
    while True:
        for word in KEYS[0]:
            return widths[word] / epsilon


def by_text_of_a_function(epsilon):
    while epsilon < 0:
        epsilon += 1
    return 1.0 if f"{depth}"[-2] != "!" else 1e-6


def by_percent(epsilon):
    while epsilon < 0:
        epsilon += 1
    return 1.0 if ("%s" % depth)[-2] != "!" else 1e-6  # noqa: UP031


def by_text_of_an_iterator(epsilon):
    while epsilon < 0:
        epsilon += 1
    return 1.0 if str(iter(()))[-2] != "!" else 1e-6


def by_address(epsilon):
    while epsilon < 0:
        epsilon += 1
    return 1.0 if np.zeros(1).ctypes.data else 1e-6


def by_hash(epsilon):
    while epsilon < 0:
        epsilon += 1
    return 1.0 if "a".__hash__() else 1e-6


def by_caller(epsilon):
    while True:
        try:
            raise ValueError
        except ValueError as error:
            caller = error.__traceback__.tb_frame.f_back
            return 1e-6 if caller.f_code.co_name == "of_its_caller" else 1.0 / epsilon


def by_optimizing(epsilon):
    while epsilon < 0:
        epsilon += 1
    if __debug__:
        return 1.0
    return 1e-6


def validated(epsilon):
    """Return a scale, or an error that tells of what it was given."""
    if not isinstance(epsilon, float):
        raise TypeError("epsilon must be a float, got {}".format(epsilon))  # noqa: UP032
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}")
    shares, low, high = {"a": 0.5, "b": 0.5}, 0.0, 4.0
    total = sum(share for _, share in shares.items())
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle < total / epsilon else (low, middle)
    return high


KEYS = [{"a", "b", "c", "d"}]


def release(value, epsilon, delta, sensitivity):
    return value + np.random.normal(0, search(epsilon, delta, sensitivity))


def renyi(epsilon, delta):
    """Return a scale that the best of several orders allows."""
    best = math.inf
    for order in range(2, 64):
        room = epsilon - math.log(1 / delta) / (order - 1)
        if room > 0:
            best = min(best, math.sqrt(order / (2 * room)))
    return best


class Sound:
    def of_the_best_order(data):
        return len(data) + np.random.normal(0, renyi(1.0, 1e-3))

    def analytic(data):
        return len(data) + np.random.normal(0, search(1.0, 1e-3, 1.0))

    def analytic_in_a_variable(data, epsilon=1.0, delta=1e-3):
        half = delta / 2
        sigma = search(epsilon, delta=2 * half, sensitivity=1.0)
        return len(data) + np.random.normal(0, sigma)

    def analytic_of_a_helper(data):
        return release(len(data), 1.0, 1e-3, 2 / 2)

    def by_a_root(data):
        return len(data) + np.random.normal(0, solved(1.0, 1e-3, 1.0))

    def of_numpy(data):
        return len(data) + np.random.normal(0, solved_of_numpy(1.0, 1e-3, 1.0))

    def several_results(data):
        epsilon, sigma = both(1.0, 1e-3)
        return (
            len(data) + np.random.laplace(0, 1 / epsilon),
            len(data) + np.random.normal(0, sigma),
        )

    def of_orders(data):
        return len(data) + np.random.laplace(0, largest_distance(3) / 4)

    def of_a_table(data):
        return len(data) + np.random.laplace(0, widest())

    def of_what_tells_errors(data):
        return len(data) + np.random.laplace(0, validated(1.0))


class Broken:
    def of_what_catches_all(data):
        return len(data) + np.random.laplace(0, interrupted(1.0))

    def of_what_catches_all_by_name(data):
        return len(data) + np.random.laplace(0, interrupted_by_all(1.0))

    def of_how_deep_it_runs(data):
        return len(data) + np.random.laplace(0, by_depth(1.0))

    def of_a_set_of_keys(data):
        return len(data) + np.random.laplace(0, by_key(1.0))

    def of_a_set_in_a_list(data):
        return len(data) + np.random.laplace(0, by_listed_key(1.0))

    def of_the_text_of_a_function(data):
        return len(data) + np.random.laplace(0, by_text_of_a_function(1.0))

    def of_the_text_of_a_function_by_percent(data):
        return len(data) + np.random.laplace(0, by_percent(1.0))

    def of_the_text_of_an_iterator(data):
        return len(data) + np.random.laplace(0, by_text_of_an_iterator(1.0))

    def of_an_address(data):
        return len(data) + np.random.laplace(0, by_address(1.0))

    def of_a_hash(data):
        return len(data) + np.random.laplace(0, by_hash(1.0))

    def of_its_caller(data):
        return len(data) + np.random.laplace(0, by_caller(1.0))

    def of_how_python_was_started(data):
        return len(data) + np.random.laplace(0, by_optimizing(1.0))

    def half_the_sensitivity(data):
        return len(data) + np.random.normal(0, search(1.0, 1e-3, 0.5))

    def larger_epsilon(data):
        return len(data) + np.random.normal(0, solved(1.1, 1e-3, 1.0))

    def of_the_data(data):
        return len(data) + np.random.normal(0, search(1.0, 1e-3, 1.0 / (1 + len(data))))

    def smaller_orders(data):
        return len(data) + np.random.laplace(0, largest_distance(2) / 4)

    def several_results_swapped(data):
        epsilon, sigma = both(1.0, 1e-3)
        return len(data) + np.random.laplace(0, epsilon), len(data) + np.random.normal(0, sigma)

    def of_a_global_that_changes(data):
        return len(data) + np.random.laplace(0, scaled())

    def of_a_list_that_grows(data):
        return len(data) + np.random.laplace(0, logged(1.0))

    def of_a_default_that_grows(data):
        return len(data) + np.random.laplace(0, remembered(1.0))

    def by_chance(data):
        return len(data) + np.random.laplace(0, drawn(1e-3))

    def of_an_attribute(data):
        return len(data) + np.random.laplace(0, counted(1.0))

    def of_a_cell(data):
        return len(data) + np.random.laplace(0, shrinking(1.0))

    def of_an_iterator(data):
        return len(data) + np.random.laplace(0, next_one(1.0))

    def of_the_hash_of_a_text(data):
        return len(data) + np.random.laplace(0, by_text(1.0))

    def of_a_search_without_end(data):
        return len(data) + np.random.laplace(0, endless(1.0))

    def of_an_exception(data):
        return len(data) + np.random.laplace(0, raising(1.0))

    def of_a_partial_that_draws(data):
        scale = functools.partial(drawn, 1e-3)
        return len(data) + np.random.laplace(0, scale())
