"""Mechanisms whose helpers ask what they were given: None, an object, a number or an array."""

import logging
import math
import random
import secrets
from dataclasses import dataclass

import numpy as np


@dataclass
class Config:
    epsilon: float = 1.0
    bounds: tuple = (0.0, 100.0)


class Settings:
    EPSILON: float = 1.0

    def __init__(self, bound=100.0):
        self.bound = bound


CONFIG = Config()
settings = Settings()


class Account:
    def __init__(self, budget):
        self.budget = budget
        self.spent = 0.0

    def charge(self, epsilon):
        if self.spent + epsilon > self.budget:
            raise ValueError("the budget is spent")
        self.spent += epsilon


class Closed(Account):
    def __len__(self):
        return 0


class Meter:
    def __init__(self, config=None, prng=None):
        self.config = config or CONFIG
        self.prng = prng if prng is not None else np.random

    def count(self, data):
        return len(data) + self.prng.laplace(0, 1 / self.config.epsilon)


class Drawer:
    def __init__(self, prng=np.random):
        self.prng = prng

    def noisy(self, value):
        return value + self.prng.laplace(0, 1.0)


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def count(self, data):
        return len(data) + np.random.laplace(0, self.scale)


METER = Scaled(1.0)


def halves(data):
    return [sum(1 for x in data if x > 50), sum(1 for x in data if x <= 50)]


# --- settings and objects


def count_by_settings(data):
    return len(data) + np.random.laplace(0, 1 / settings.EPSILON)


def total_by_settings(data):
    low, high = CONFIG.bounds
    total = sum(max(low, min(x, high)) for x in data)
    return total + np.random.laplace(0, settings.bound / CONFIG.epsilon)


def by_default_object(data):
    return Meter().count(data)


def by_object_of_the_module(data):
    return Meter(CONFIG).count(data)


def by_meter_of_the_module(data):
    return METER.count(data)


def charged(value, epsilon, account=None):
    if account is not None:
        account.charge(epsilon)
    return value + np.random.laplace(0, 1 / epsilon)


def charged_if_true(value, epsilon, account=None):
    if account:
        account.charge(epsilon)
    return value + np.random.laplace(0, 1 / epsilon)


def always_charged(value, epsilon, account=None):
    account = account or Account(2.0)
    account.charge(epsilon)
    return value + np.random.laplace(0, 1 / epsilon)


def charged_anew(value, epsilon, account=None):
    if not account:
        account = Account(2.0)
    account.charge(epsilon)
    return value + np.random.laplace(0, 1 / epsilon)


def with_account(data):
    return charged(len(data), 1.0, Account(2.0))


def with_account_asked_for_truth(data):
    return charged_if_true(len(data), 1.0, Account(2.0))


def without_account(data):
    return charged_if_true(len(data), 1.0)


def with_default_account(data):
    return always_charged(len(data), 1.0)


def with_given_account(data):
    return always_charged(len(data), 1.0, account=Account(3.0))


def with_account_made_inside(data):
    return charged_anew(len(data), 1.0)


# --- modules as sources of randomness


def drawn_from(value, epsilon, prng=np.random):
    return value + prng.laplace(0, 1 / epsilon)


def from_module(data):
    return drawn_from(len(data), 1.0, np.random)


def from_module_by_default(data):
    return drawn_from(len(data), 1.0)


def from_generator(data):
    return drawn_from(len(data), 1.0, prng=np.random.default_rng())


def from_module_in_object(data):
    return Drawer().noisy(len(data))


def from_module_in_variable(data):
    source = random
    return len(data) + source.expovariate(1.0) - source.expovariate(1.0)


# --- the sign of a logarithm


def signed(scale):
    u = secrets.SystemRandom().random() - 0.5
    return -scale * math.copysign(math.log(1 - 2 * abs(u)), u)


def signed_by_sign(scale):
    u = random.uniform(-0.5, 0.5)
    return scale * np.sign(u) * abs(np.log(1 - 2 * abs(u)))


def signed_logarithm(data):
    return len(data) + signed(1.0)


def size_of_logarithm(data):
    return len(data) + signed_by_sign(1.0)


# --- numbers and arrays


def by_shape(value, epsilon):
    shape = np.shape(value)
    shape = None if shape == () else shape
    return value + np.random.laplace(0, 1 / epsilon, size=shape)


def as_floats(value, epsilon):
    values = np.asarray(value, dtype=float)
    out = values + np.random.laplace(0, 1 / epsilon, size=values.shape)
    return float(out) if out.ndim == 0 else out


def by_class(value, epsilon):
    if isinstance(value, np.ndarray):
        return value + np.random.laplace(0, 1 / epsilon, value.shape)
    elif isinstance(value, list):
        return [v + np.random.laplace(0, 1 / epsilon) for v in value]
    else:
        return value + np.random.laplace(0, 1 / epsilon)


def by_number(value, epsilon):
    if isinstance(value, (int, float)):
        return value + np.random.laplace(0, 1 / epsilon)
    return value + np.random.laplace(0, 1 / epsilon, size=len(value))


def by_scalar(value, epsilon):
    if np.isscalar(value):
        return value + np.random.laplace(0, 1 / epsilon)
    value = np.array(value)
    return value + np.random.laplace(0, 1 / epsilon, value.shape)


def by_length(value, epsilon):
    if hasattr(value, "__len__"):
        return [v + np.random.laplace(0, 1 / epsilon) for v in value]
    return value + np.random.laplace(0, 1 / epsilon)


def number_by_shape(data):
    return by_shape(len(data), 1.0)


def array_by_shape(data):
    return by_shape(np.array(halves(data)), 1.0)


def number_as_floats(data):
    return as_floats(len(data), 1.0)


def list_as_floats(data):
    return as_floats(halves(data), 1.0)


def number_by_class(data):
    return by_class(len(data), 1.0)


def array_by_class(data):
    return by_class(np.array(halves(data)), 1.0)


def list_by_class(data):
    return by_class(halves(data), 1.0)


def both_by_class(data):
    return by_class(len(data), 0.5), by_class(np.array(halves(data)), 0.5)


def number_by_number(data):
    return by_number(len(data), 1.0)


def array_by_number(data):
    return by_number(np.array(halves(data)), 1.0)


def number_by_scalar(data):
    return by_scalar(len(data), 1.0)


def list_by_scalar(data):
    return by_scalar(halves(data), 1.0)


def number_by_length(data):
    return by_length(len(data), 1.0)


def list_by_length(data):
    return by_length(halves(data), 1.0)


# --- the best of pairs, candidates that are passed on, loggers of objects

CANDIDATES = (0, 1, 2)


def utility(data):
    return lambda c: sum(1 for x in data if c * 30 <= x < c * 30 + 30)


def best_of_appended_pairs(data):
    score = utility(data)
    scored = []
    for candidate in CANDIDATES:
        scored.append((candidate, score(candidate) + np.random.laplace(0, 2.0)))
    return max(scored, key=lambda pair: pair[1])[0]


def best_of_pairs_turned_round(data):
    score = utility(data)
    scored = []
    for candidate in CANDIDATES:
        scored.append((score(candidate) + np.random.laplace(0, 2.0), candidate))
    return max(scored, key=lambda pair: pair[0])[1]


def best_of_listed_pairs(data):
    score = utility(data)
    scored = [(c, score(c) + np.random.laplace(0, 2.0)) for c in CANDIDATES]
    return sorted(scored, key=lambda pair: pair[1], reverse=True)[0][0]


def best_of_sorted_pairs(data):
    score = utility(data)
    scored = [(c, score(c) + np.random.laplace(0, 2.0)) for c in CANDIDATES]
    scored.sort(key=lambda pair: -pair[1])
    return scored[0][0]


def weighed(values, scores, epsilon):
    weights = np.exp((scores - scores.max()) * epsilon / 2)
    return np.random.choice(values, p=weights / weights.sum())


def candidates_passed_on(data):
    return weighed(CANDIDATES, np.array([utility(data)(c) for c in CANDIDATES]), 1.0)


def number_of_candidates_passed_on(data):
    return weighed(3, np.array([utility(data)(c) for c in CANDIDATES]), 1.0)


def sign(n):
    if n >= 0:
        return 1
    else:
        return -1


def sign_by_a_helper(data):
    u = random.uniform(-0.5, 0.5)
    return len(data) + (-1 * 1.0 * sign(u) * math.log(1 - 2 * math.fabs(u)))


class Logged:
    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon
        self.logger = logging.getLogger(__name__)
        self.logger.info(f"made for {epsilon}")

    def noisy(self, value):
        result = value + np.random.laplace(0, 1 / self.epsilon)
        self.logger.debug("noisy: %s", result)
        return result


class Telling(Logged):
    def noisy(self, value):
        self.logger.debug("of %s", value)
        return super().noisy(value)


def logs_what_it_releases(data):
    return Logged().noisy(len(data))


# --- other names of one function


def clipped_by_where(data):
    values = np.array(data)
    return np.sum(np.where(values < 10, values, 10)) + np.random.laplace(0, 10.0)


def clipped_by_where_turned_round(data):
    values = np.array(data)
    return np.sum(np.where(values > 10, 10, values)) + np.random.laplace(0, 10.0)


def chosen_by_places(data):
    values = np.array(data)
    return len(values[np.where(values > 50)]) + np.random.laplace(0, 1.0)


def among_some(data):
    values = np.array(data).astype(int)
    return np.isin(values, [1, 2, 3]).sum() + np.random.laplace(0, 1.0)


def counted_by_names(data):
    counts = {"low": 0, "high": 0}
    for x in data:
        counts["low" if x < 50 else "high"] += 1
    return [counts[name] + np.random.laplace(0, 1.0) for name in ("low", "high")]


def noise(scale):
    return np.random.laplace(0, scale)


def written_out(data):
    return str(int(len(data) + noise(1.0)))


SOUND = [
    clipped_by_where,
    clipped_by_where_turned_round,
    chosen_by_places,
    among_some,
    counted_by_names,
    best_of_appended_pairs,
    best_of_pairs_turned_round,
    best_of_listed_pairs,
    best_of_sorted_pairs,
    candidates_passed_on,
    number_of_candidates_passed_on,
    sign_by_a_helper,
    logs_what_it_releases,
    count_by_settings,
    total_by_settings,
    by_default_object,
    by_object_of_the_module,
    by_meter_of_the_module,
    with_account,
    with_account_asked_for_truth,
    without_account,
    with_default_account,
    with_given_account,
    with_account_made_inside,
    from_module,
    from_module_by_default,
    from_generator,
    from_module_in_object,
    from_module_in_variable,
    signed_logarithm,
    size_of_logarithm,
    number_by_shape,
    array_by_shape,
    number_as_floats,
    list_as_floats,
    number_by_class,
    array_by_class,
    list_by_class,
    both_by_class,
    number_by_number,
    array_by_number,
    number_by_scalar,
    list_by_scalar,
    number_by_length,
    list_by_length,
]


# --- broken


def silent_if_closed(value, account=None):
    """Release the value itself where the account is not true."""
    if account:
        return value + np.random.laplace(0, 1.0)
    return value


def closed_account_is_false(data):
    return silent_if_closed(len(data), Closed(2.0))


def closed_account_by_or(data):
    account = Closed(0.5) or Account(2.0)
    return len(data) if account.budget > 1 else len(data) + np.random.laplace(0, 1.0)


def told_before(data, scale=None):
    scale = 10.0 / (1 + len(data))
    scale = scale or 1.0
    return len(data) + np.random.laplace(0, scale)


def told_in_a_branch(data, scale=None):
    if len(data) > 3:
        scale = 0.01
    if scale is None:
        scale = 1.0
    return len(data) + np.random.laplace(0, scale)


def told_in_a_loop(data, seen=None):
    for x in data:
        if x > 50:
            seen = x
    if seen is None:
        return np.random.laplace(0, 1.0)
    return seen + np.random.laplace(0, 1.0)


def told_by_walrus(data, seen=None):
    count = (seen := len(data)) + np.random.laplace(0, 1.0)
    seen = seen or 0
    return count, seen


def told_by_a_function(data, seen=None):
    def look():
        nonlocal seen
        seen = len(data)

    look()
    seen = seen or 0
    return seen


def kind_changes_in_a_loop(data):
    found = 0
    for x in data:
        if x > 50:
            found = [x]
    if isinstance(found, int):
        return np.random.laplace(0, 1.0)
    return found[0] + np.random.laplace(0, 1.0)


def kind_changes_in_a_branch(data):
    found = 0
    if len(data) > 3:
        found = [len(data)]
    return 0.0 if isinstance(found, int) else 1.0


def kind_after_a_loop_that_may_not_run(data):
    found = [1]
    for _ in data:
        found = 0
    else:
        kept = isinstance(found, list)
    return kept


def kind_by_walrus(data):
    found = 0
    (found := [1]) if len(data) > 3 else None
    return isinstance(found, int)


def kind_of_a_later_call(data):
    found = 0
    ask = lambda: isinstance(found, int)  # noqa: E731
    if len(data) > 3:
        found = [1]
    return ask()


def one_noise_for_all(value, epsilon):
    if isinstance(value, np.ndarray):
        return value + np.random.laplace(0, 1 / epsilon)
    return value + np.random.laplace(0, 1 / epsilon)


def array_with_one_noise(data):
    return one_noise_for_all(np.array(halves(data)), 1.0)


def twice_too_loud(value, epsilon):
    if np.ndim(value) == 0:
        return value + np.random.laplace(0, 1 / epsilon)
    return value + np.random.laplace(0, 0.5 / epsilon, np.shape(value))


def array_with_half_the_noise(data):
    return twice_too_loud(np.array(halves(data)), 1.0)


class Bumped:
    def __init__(self):
        self.seen = 0

    def look(self, data):
        self.seen = len(data)


BUMPED = Bumped()


def remembers(data):
    earlier = BUMPED.seen
    BUMPED.look(data)
    return earlier


class Lasting:
    last = 0

    def __init__(self):
        self.kept = []
        self.inner = Bumped()


LASTING = Lasting()


def exchanged(lasting, count):
    earlier, lasting.last = lasting.last, count
    return earlier


def appended(lasting, count):
    lasting.kept.append(count)
    return len(lasting.kept)


def remembers_in_an_argument(data):
    return exchanged(LASTING, len(data))


def remembers_in_a_list(data):
    for _ in data:
        appended(LASTING, 1)
    return appended(LASTING, 1)


def remembers_inside(data):
    def looked(lasting):
        earlier = lasting.inner.seen
        lasting.inner.look(data)
        return earlier

    return looked(LASTING)


class Covered:
    def spread(self):
        return 1.0


COVERED = Covered()
COVERED.spread = lambda: 0.01  # type: ignore[method-assign]


def of_covered(covered, value):
    return value + np.random.laplace(0, covered.spread())


def scale_of_an_object_that_hides_its_method(data):
    return of_covered(COVERED, len(data))


class Tunable:
    loss = 1.0


TUNED = Tunable()


def tune(loss):
    TUNED.loss = loss


def tuned(data):
    return len(data) + np.random.laplace(0, 1 / TUNED.loss)


def log_of_too_little(data):
    u = random.random() - 0.5
    return len(data) - math.copysign(math.log(1 - abs(u)), u)


def logs_what_it_is_given(data):
    return Telling().noisy(len(data))


def best_pair_as_a_whole(data):
    score = utility(data)
    scored = []
    for candidate in CANDIDATES:
        scored.append((score(candidate), score(candidate) + np.random.laplace(0, 2.0)))
    return max(scored, key=lambda pair: pair[1])[0]


def best_of_pairs_with_half_the_noise(data):
    score = utility(data)
    scored = [(c, 2 * score(c) + np.random.laplace(0, 1.0)) for c in CANDIDATES]
    return max(scored, key=lambda pair: pair[1])[0]


def first_of_pairs_before_they_are_sorted(data):
    score = utility(data)
    scored = [(score(c), c + np.random.laplace(0, 2.0)) for c in CANDIDATES]
    first = scored[0][0]
    scored.sort(key=lambda pair: pair[1])
    return first


def pair_appended_after_sorting(data):
    score = utility(data)
    scored = []
    scored.sort(key=lambda pair: pair[1])
    for candidate in CANDIDATES:
        scored.append((score(candidate), candidate))
    return scored[0][0]


def more_candidates_than_weights(data):
    return weighed(len(data), np.array([utility(data)(c) for c in CANDIDATES]), 1.0)


def records_as_candidates(data):
    return weighed(data[:3], np.array([utility(data)(c) for c in CANDIDATES]), 1.0)


def columns_with_one_noise(data):
    table = np.column_stack([np.array(data), 100 - np.array(data)])
    return np.add.reduce(table) + np.random.laplace(0, 100.0)


def members_of_a_list(data):
    return np.isin(data, [1, 2, 3]).sum()


def drawn_by_sign(u):
    return np.random.laplace(0, 0.5) if u >= 0 else np.random.laplace(0, 0.25)


def two_draws_of_a_helper(data):
    u = random.random() - 0.5
    return len(data) + drawn_by_sign(u) + drawn_by_sign(u)


def raised_by_where(data):
    values = np.array(data)
    return np.sum(np.where(values < 10, 10, values)) + np.random.laplace(0, 10.0)


def limited_by_other_numbers(data):
    values = np.array(data)
    return np.sum(np.where(values < 10, values, 20)) + np.random.laplace(0, 10.0)


def written_out_without_noise(data):
    return str(int(len(data) + 0 * noise(1.0)))


BROKEN = [
    two_draws_of_a_helper,
    columns_with_one_noise,
    members_of_a_list,
    raised_by_where,
    limited_by_other_numbers,
    written_out_without_noise,
    logs_what_it_is_given,
    best_pair_as_a_whole,
    best_of_pairs_with_half_the_noise,
    first_of_pairs_before_they_are_sorted,
    pair_appended_after_sorting,
    more_candidates_than_weights,
    records_as_candidates,
    closed_account_is_false,
    closed_account_by_or,
    told_before,
    told_in_a_branch,
    told_in_a_loop,
    told_by_walrus,
    told_by_a_function,
    kind_changes_in_a_loop,
    kind_changes_in_a_branch,
    kind_after_a_loop_that_may_not_run,
    kind_by_walrus,
    kind_of_a_later_call,
    array_with_one_noise,
    array_with_half_the_noise,
    remembers,
    remembers_in_an_argument,
    remembers_in_a_list,
    remembers_inside,
    scale_of_an_object_that_hides_its_method,
    tuned,
    log_of_too_little,
]
