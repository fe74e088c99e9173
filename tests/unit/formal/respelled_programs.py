"""Sums, bounds, logs, exceptions and decorators in other words, and broken twins of each."""

import functools
import logging
import operator

import numpy as np

from dpaudit import AddRemove, PureDP, QueryAnswers, Real, ReplaceOne, Row

REALS = AddRemove(Real(0, 10))
WILD = AddRemove(Real(0, 10, enforced=False))
MISSING = AddRemove(Real(0, 10, allow_nan=True))
LIST = AddRemove(Real(0, 10), container="list")
PLANE = AddRemove(Row(x=Real(-9, 9), y=Real(-9, 9)))
FOUR = ReplaceOne(Real(-20, 20), size=4)
ANSWERS = QueryAnswers(4)
ONE = PureDP(1.0)


# --- sums and maps


def reduced_by_lambda(data, rng):
    return functools.reduce(lambda total, x: total + x, data, 0.0) + rng.laplace(scale=10.0)


def reduced_by_operator(data, rng):
    return functools.reduce(operator.add, data, 0) + rng.laplace(scale=10.0)


def reduced_squares(data, rng):
    return functools.reduce(lambda total, x: x * x + total, data, 5.0) + rng.laplace(scale=100.0)


def reduced_by_the_total(data, rng):
    return functools.reduce(lambda total, x: total + x * total, data, 1.0) + rng.laplace(scale=10.0)


def reduced_and_doubled(data, rng):
    return functools.reduce(lambda total, x: total + (x + x), data, 0.0) + rng.laplace(scale=10.0)


def reduced_by_product(data, rng):
    return functools.reduce(operator.mul, data, 1.0) + rng.laplace(scale=10.0)


def mapped_noise(answers, rng):
    return list(map(lambda answer: answer + rng.laplace(scale=4.0), answers))


def mapped_with_one_noise(answers, rng):
    noise = rng.laplace(scale=4.0)
    return list(map(lambda answer: answer + noise, answers))


def mapped_with_a_variable_of_its_own(data, rng):
    scale = 1.0
    parts = list(map(lambda x: (scale := 10.0) * x / 10, data))
    return sum(parts) + rng.laplace(scale=scale)


def summed_with_a_variable_of_its_own(data, rng):
    scale = 1.0
    total = sum(map(lambda x: (scale := 10.0) * x / 10, data))
    return total + rng.laplace(scale=scale)


# --- bounds


def limited_by_where(data, rng):
    limited = np.where(data > 10, 10, np.where(data < 0, 0, data))
    return limited.sum() + rng.laplace(scale=10.0)


def limited_by_parameters(data, rng, low=0.0, high=10.0):
    limited = np.where(low > data, low, np.where(data >= high, high, data))
    return limited.sum() + rng.laplace(scale=10.0)


def limits_that_cross(data, rng, low=10.0, high=0.0):
    limited = np.where(data < low, low, np.where(data > high, high, data))
    return limited.sum() + rng.laplace(scale=1.0)


def limited_to_another_bound(data, rng):
    limited = np.where(data > 10, 40, np.where(data < 0, 0, data))
    return limited.sum() + rng.laplace(scale=10.0)


def limited_on_one_side(data, rng):
    limited = np.where(data > 10, data, np.where(data < 0, 0, data))
    return limited.sum() + rng.laplace(scale=10.0)


def limited_by_another_column(data, rng):
    x, y = data["x"], data["y"]
    limited = np.where(y < 0, 0, np.where(x > 1, 1, x))
    return limited.sum() + rng.laplace(scale=1.0)


def assigned_bound(data, rng, high=10.0):
    high = high + len(data)
    limited = np.where(data > high, high, np.where(data < 0, 0, data))
    return limited.sum() + rng.laplace(scale=10.0)


def limited_in_place(data, rng):
    limited = data.copy()
    limited[limited > 10] = 10
    limited[limited < 0] = 0
    return limited.sum() + rng.laplace(scale=10.0)


def limited_in_place_to_another(data, rng):
    limited = data.copy()
    limited[limited > 10] = 40
    limited[limited < 0] = 0
    return limited.sum() + rng.laplace(scale=10.0)


def limited_in_place_above_alone(data, rng):
    limited = data.copy()
    limited[limited > 10] = 10
    return limited.sum() + rng.laplace(scale=10.0)


def limited_where_another_is(data, rng):
    limited = data.copy()
    limited[data - 20 > 10] = 10
    limited[limited < 0] = 0
    return limited.sum() + rng.laplace(scale=10.0)


def limited_after_a_sum(data, rng):
    limited = data.copy()
    total = limited.sum()
    limited[limited > 10] = 10
    limited[limited < 0] = 0
    return total + rng.laplace(scale=10.0)


# --- the best so far


def best_so_far(answers, rng):
    noisy = answers + rng.gumbel(scale=2.0, size=len(answers))
    best = 0
    for i, value in enumerate(noisy):
        if value > noisy[best]:
            best = i
    return best


def best_so_far_by_range(answers, rng):
    noisy = [answer + rng.gumbel(scale=2.0) for answer in answers]
    best = 0
    for i in range(1, len(noisy)):
        if noisy[best] < noisy[i]:
            best = i
    return best


def best_so_far_with_little_noise(answers, rng):
    noisy = answers + rng.gumbel(scale=1.0, size=len(answers))
    best = 0
    for i, value in enumerate(noisy):
        if value > noisy[best]:
            best = i
    return best


def best_of_other_numbers(answers, rng):
    noisy = answers + rng.gumbel(scale=2.0, size=len(answers))
    best = 0
    for i, value in enumerate(noisy):
        if value > answers[best]:
            best = i
    return best


def best_value_so_far(answers, rng):
    noisy = answers + rng.gumbel(scale=2.0, size=len(answers))
    best = 0
    for i, value in enumerate(noisy):
        if value > noisy[best]:
            best = i
    return value, best


def last_of_an_order(answers, rng):
    noisy = answers + rng.laplace(scale=2.0, size=len(answers))
    return int(np.argsort(noisy)[-1])


def first_of_an_order_of_negatives(answers, rng):
    return int(np.argsort(-np.array([a + rng.gumbel(scale=2.0) for a in answers]))[0])


def last_of_the_sorted(answers, rng):
    noisy = [answer + rng.gumbel(scale=2.0) for answer in answers]
    return sorted(range(len(noisy)), key=lambda i: noisy[i])[-1]


def last_of_the_sorted_with_one_noise(answers, rng):
    noisy = answers + rng.laplace(scale=2.0)
    return sorted(range(len(noisy)), key=lambda i: noisy[i])[-1]


def last_of_an_order_with_one_noise(answers, rng):
    noisy = answers + rng.laplace(scale=2.0, size=1)
    return int(np.argsort(noisy)[-1])


def last_of_an_order_with_little_noise(answers, rng):
    noisy = answers + rng.laplace(scale=1.0, size=len(answers))
    return int(np.argsort(noisy)[-1])


def last_of_an_order_of_others(answers, rng):
    noisy = answers + rng.laplace(scale=2.0, size=len(answers))
    return int(np.argsort(answers)[-1]), noisy


def last_of_an_order_that_was_tied(answers, rng):
    noisy = answers + rng.gumbel(scale=2.0, size=len(answers))
    other = noisy
    other[:] = np.round(answers)
    return int(np.argsort(noisy)[-1])


def two_of_an_order(answers, rng):
    noisy = answers + rng.gumbel(scale=4.0, size=len(answers))
    order = np.argsort(-noisy)
    return order[0], order[1]


def three_of_an_order(answers, rng):
    noisy = answers + rng.gumbel(scale=4.0, size=len(answers))
    order = np.argsort(-noisy)
    return order[0], order[1], order[2]


def two_of_an_order_and_its_end(answers, rng):
    noisy = answers + rng.gumbel(scale=4.0, size=len(answers))
    order = np.argsort(-noisy)
    return order[0], order[1], order[-1]


# --- logs


def logged_in_line(data, rng, epsilon=1.0):
    logging.getLogger(__name__).info("with %s", epsilon)
    return data.sum() + rng.laplace(scale=10 / epsilon)


def data_logged_in_line(data, rng):
    logging.getLogger(__name__).debug("with %s", data)
    return data.sum() + rng.laplace(scale=10.0)


def logged_by_a_private_name(data, rng):
    logging.getLogger(str(data)).info("begun")
    return data.sum() + rng.laplace(scale=10.0)


def logged_by_a_private_variable(data, rng):
    name = str(data.sum())
    logging.getLogger(name).info("begun")
    return data.sum() + rng.laplace(scale=10.0)


# --- texts


def labelled(data, rng, epsilon=1.0):
    label = f"with {epsilon:.3f} and {2!r}"
    return {label: data.sum() + rng.laplace(scale=10 / epsilon)}


def labelled_by_the_data(data, rng, epsilon=1.0):
    epsilon = epsilon + len(data)
    label = f"with {epsilon:.3f}"
    return {label: data.sum() + rng.laplace(scale=10.0)}


# --- exceptions


def raised_again(data, rng):
    try:
        total = data.sum()
    except (ValueError, TypeError):
        raise
    return total + rng.laplace(scale=10.0)


def raised_again_by_name(data, rng):
    try:
        return data.sum() + rng.laplace(scale=10.0)
    except ZeroDivisionError as error:
        raise error


def ended_by_a_constant(data, rng, epsilon=1.0):
    """Return a noisy sum."""
    try:
        if epsilon <= 0:
            raise ValueError("epsilon")
        return data.sum() + rng.laplace(scale=10 / epsilon)
    except ValueError:
        return -1.0
    except TypeError:
        raise RuntimeError("no numbers") from None


def ended_by_a_private_test(data, rng):
    try:
        if data.sum() > 5:
            raise ValueError("large")
        return data.sum() + rng.laplace(scale=10.0)
    except ValueError:
        return -1.0


def ended_by_the_data(data, rng):
    try:
        return data.sum() / len(data[data > 5]) * 0 + rng.laplace(scale=10.0)
    except ZeroDivisionError:
        return float(data.sum())


def goes_on_with_the_data(data, rng):
    noise = rng.laplace(scale=10.0)
    try:
        total = data.sum() + noise
        raise ValueError("always")
    except ValueError:
        total = data.sum()
    return total


def told_in_the_end(data, rng):
    try:
        return data.sum() + rng.laplace(scale=10.0)
    finally:
        print(data)


def told_by_the_exception(data, rng):
    try:
        return data.sum() + rng.laplace(scale=10.0)
    except ValueError:
        raise RuntimeError(str(data)) from None


def _first_or_nothing(data):
    try:
        return data[data > 9.5][0]
    except IndexError:
        return 0.0


def _inverse_or_much(x):
    try:
        return 1 / x if x > 0.5 else 1 / (x - x)
    except ZeroDivisionError:
        return 100.0


def ended_in_a_mapped_helper(data, rng):
    return sum(map(_inverse_or_much, data)) + rng.laplace(scale=2.0)


def ended_in_a_key(answers, rng):
    def key(i):
        try:
            return 1 / (answers[i] - answers[i])
        except ZeroDivisionError:
            return answers[i]

    return max(range(4), key=key)


def ended_in_a_helper(data, rng):
    return _first_or_nothing(data) + rng.laplace(scale=1.0)


# --- decorators


def passing_on(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        """Call it."""
        result = function(*args, **kwargs)
        return result

    return wrapper


def four_times(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return [function(*args, **kwargs) for _ in range(4)]

    return wrapper


def with_the_data(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        return result, args[0]

    return wrapper


def on_other_data(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        args = (9 * args[0], *args[1:])
        return function(*args, **kwargs)

    return wrapper


def noisy_sum(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


def instead_of(other):
    def decorator(function):
        @functools.wraps(other)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorator


def exchanged_later(function):
    def exact(data, rng):
        return data.sum()

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    def exchange():
        nonlocal function
        function = exact

    wrapper.exchange = exchange
    return wrapper


@passing_on
def decorated(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


@passing_on
def _noise_of(rng, scale):
    return rng.laplace(scale=scale)


@passing_on
def _little_noise_of(rng, scale):
    return rng.laplace(scale=scale / 4)


def decorated_helper(data, rng):
    return data.sum() + _noise_of(rng, scale=10.0)


def decorated_helper_with_little_noise(data, rng):
    return data.sum() + _little_noise_of(rng, scale=10.0)


@four_times
def decorated_four_times(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


@with_the_data
def decorated_with_the_data(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


@on_other_data
def decorated_on_other_data(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


@instead_of(noisy_sum)
def decorated_as_another(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


@exchanged_later
def decorated_and_exchanged(data, rng):
    return data.sum() + rng.laplace(scale=10.0)


SOUND = (
    (reduced_by_lambda, ONE, LIST),
    (reduced_by_operator, ONE, LIST),
    (reduced_squares, ONE, LIST),
    (mapped_noise, ONE, ANSWERS),
    (limited_by_where, ONE, WILD),
    (limited_by_parameters, ONE, WILD),
    (best_so_far, ONE, ANSWERS),
    (best_so_far_by_range, ONE, ANSWERS),
    (last_of_an_order, ONE, ANSWERS),
    (first_of_an_order_of_negatives, ONE, ANSWERS),
    (last_of_the_sorted, ONE, ANSWERS),
    (limited_in_place, ONE, WILD),
    (two_of_an_order, ONE, ANSWERS),
    (logged_in_line, ONE, REALS),
    (labelled, ONE, REALS),
    (raised_again, ONE, REALS),
    (raised_again_by_name, ONE, REALS),
    (ended_by_a_constant, ONE, REALS),
    (decorated, ONE, REALS),
    (decorated_helper, ONE, REALS),
)
BROKEN = (
    (reduced_by_the_total, ONE, LIST),
    (reduced_and_doubled, ONE, LIST),
    (reduced_by_product, ONE, LIST),
    (mapped_with_one_noise, ONE, ANSWERS),
    (limits_that_cross, ONE, FOUR),
    (limited_to_another_bound, ONE, WILD),
    (limited_on_one_side, ONE, WILD),
    (limited_by_another_column, ONE, PLANE),
    (limited_by_where, ONE, MISSING),
    (assigned_bound, ONE, WILD),
    (best_so_far_with_little_noise, ONE, ANSWERS),
    (best_of_other_numbers, ONE, ANSWERS),
    (best_value_so_far, ONE, ANSWERS),
    (last_of_the_sorted_with_one_noise, ONE, ANSWERS),
    (last_of_an_order_with_one_noise, ONE, ANSWERS),
    (last_of_an_order_with_little_noise, ONE, ANSWERS),
    (last_of_an_order_of_others, ONE, ANSWERS),
    (last_of_an_order_that_was_tied, ONE, ANSWERS),
    (limited_in_place_to_another, ONE, WILD),
    (limited_in_place_above_alone, ONE, WILD),
    (limited_where_another_is, ONE, WILD),
    (limited_after_a_sum, ONE, WILD),
    (limited_in_place, ONE, MISSING),
    (three_of_an_order, ONE, ANSWERS),
    (two_of_an_order_and_its_end, ONE, ANSWERS),
    (data_logged_in_line, ONE, REALS),
    (logged_by_a_private_name, ONE, REALS),
    (logged_by_a_private_variable, ONE, REALS),
    (labelled_by_the_data, ONE, REALS),
    (ended_by_a_private_test, ONE, REALS),
    (ended_by_the_data, ONE, REALS),
    (goes_on_with_the_data, ONE, REALS),
    (told_in_the_end, ONE, REALS),
    (told_by_the_exception, ONE, REALS),
    (ended_in_a_helper, ONE, REALS),
    (ended_in_a_mapped_helper, ONE, LIST),
    (ended_in_a_key, ONE, ANSWERS),
    (mapped_with_a_variable_of_its_own, ONE, LIST),
    (summed_with_a_variable_of_its_own, ONE, LIST),
    (decorated_helper_with_little_noise, ONE, REALS),
    (decorated_four_times, ONE, REALS),
    (decorated_with_the_data, ONE, REALS),
    (decorated_on_other_data, ONE, REALS),
    (decorated_as_another, ONE, REALS),
    (decorated_and_exchanged, ONE, REALS),
)
