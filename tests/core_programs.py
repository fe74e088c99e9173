# ruff: noqa: PERF401 - loops are what is lowered
"""Mechanisms in the territory of Core: sound ones that are lowered, and broken ones.

Each broken one differs from a sound one by one defect. None may be proved.
"""

import math

import numpy as np

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
    RenyiDP,
    ReplaceOne,
    Row,
    ZeroConcentratedDP,
)

ONE = PureDP(1.0)
PERCENT = AddRemove(Real(0, 100))
UNIT = AddRemove(Real(0, 1))
SIGNED = AddRemove(Real(-2, 3))
LISTED = AddRemove(Real(0, 1), container="list")
WHOLE = AddRemove(Integer(0, 5))
BITS = AddRemove(Categorical([0, 1]))
FLAGS = AddRemove(Categorical([False, True]))
NAMES = AddRemove(Categorical(["a", "b", "c"]))
FIVE = ReplaceOne(Real(0, 1), size=5)
FIVE_WHOLE = ReplaceOne(Integer(0, 5), size=5)
MISSING = AddRemove(Real(0, 1, allow_nan=True))
ENDLESS = AddRemove(Real(0, 1, allow_infinity=True))
LOOSE = AddRemove(Real(0, 1, enforced=False))
LOOSE_WHOLE = AddRemove(Integer(0, 5, enforced=False))
TWO = AddRemove(Real(0, 1), group=2)
TABLE = AddRemove(Row(age=Real(0, 100), paid=Real(0, 10)))
ANSWER = AnyPair(Real(0, 1))
INTEGER = AnyPair(Integer(0, 1))
L1 = QueryAnswers(3, norm="l1")
L2 = QueryAnswers(3, norm="l2")
LINF = QueryAnswers(3)
USERS = AddRemove(Row(user=Integer(1, 4), x=Real(0, 1)), unit="user", rows_per_unit=3)

SOUND = []
BROKEN = []
HELD = np.zeros(2)
KEPT = []


def sound(neighbors, claim=ONE):
    """Register a mechanism that keeps its claim and is proved."""
    return lambda mechanism: SOUND.append((mechanism, claim, neighbors)) or mechanism


def broken(neighbors, claim=ONE):
    """Register a mechanism that breaks its claim."""
    return lambda mechanism: BROKEN.append((mechanism, claim, neighbors)) or mechanism


# --- sound


@sound(PERCENT)
def total(data, rng):
    return data.sum() + rng.laplace(scale=100)


@sound(PERCENT)
def total_of_clipped(data, rng):
    return np.clip(data, 0, 50).sum() + rng.laplace(0, 50)


@sound(LOOSE)
def total_of_loose(data, rng):
    return data.clip(0, 2).sum() + rng.laplace(0, 2)


@sound(LOOSE_WHOLE)
def total_of_loose_integers(data, rng):
    return int(np.clip(data, 0, 2).sum()) + rng.laplace(0, 2)


@sound(MISSING)
def count_of_those_at_hand(data, rng):
    return len(data[~np.isnan(data)]) + rng.laplace(0, 1)


@sound(MISSING)
def total_with_missing_as_zero(data, rng):
    return np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(0, 1)


@sound(SIGNED)
def mean_of_inserted(data, rng):
    return data.sum() / max(1, len(data)) + rng.laplace(scale=3)


@sound(FIVE)
def mean_of_replaced(data, rng):
    return np.mean(data) + rng.laplace(scale=1 / len(data))


@sound(BITS)
def geometric_count(data, rng):
    p = 1 - np.exp(-1.0)
    return int(data.sum()) + int(rng.geometric(p) - rng.geometric(p))


@sound(WHOLE)
def histogram_by_list(data, rng):
    return [np.sum(data == k) + rng.laplace(0, 1) for k in range(6)]


@sound(WHOLE)
def histogram_by_bincount(data, rng):
    return np.bincount(data, minlength=6) + rng.laplace(size=6)


@sound(PERCENT)
def histogram_by_edges(data, rng):
    counts, _ = np.histogram(data, bins=[0, 25, 50, 100])
    return counts + rng.laplace(size=3)


@sound(FIVE_WHOLE)
def histogram_replaced(data, rng):
    return [np.sum(data == k) + rng.laplace(0, 2) for k in range(6)]


@sound(PERCENT)
def two_parts(data, rng):
    low, high = data[data < 50], data[data >= 50]
    return {"low": low.sum() + rng.laplace(0, 50), "high": high.sum() + rng.laplace(0, 100)}


@sound(PERCENT)
def mask_and_its_complement(data, rng):
    old = data > 30
    return np.count_nonzero(old) + rng.laplace(), np.count_nonzero(~old) + rng.laplace()


@sound(NAMES)
def count_by_name(data, rng):
    return {name: int((data == name).sum()) + rng.laplace(0, 1) for name in ("a", "b", "c")}


@sound(FLAGS)
def count_flags(data, rng):
    return data.sum() + rng.laplace()


@sound(LISTED)
def list_total(data, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(0, 1)


@sound(LISTED)
def list_count(data, rng):
    return sum(1 for x in data if x > 0.5 and x < 0.75) + rng.laplace(0, 1)


@sound(TABLE, PureDP(2.0))
def table_of_two(data, rng):
    old = data[data["age"] > 65]
    return len(old) + rng.laplace(), old["paid"].sum() + rng.laplace(0, 10)


@sound(TWO)
def group_of_two(data, rng):
    return len(data) + rng.laplace(0, 2)


@sound(PERCENT)
def half_each(data, rng):
    n = len(data) + rng.laplace(0, 2)
    s = data.sum() + rng.laplace(0, 200)
    if n < 1:
        return 0.0
    return s / n


@sound(PERCENT)
def adaptive(data, rng):
    first = len(data) + rng.laplace(0, 2)
    return (data.sum() + rng.laplace(0, 200)) if first > 10 else len(data) + rng.laplace(0, 2)


@sound(PERCENT)
def scaled_noise(data, rng):
    return len(data) - 2 * rng.laplace() / 2, 1.0


@sound(PERCENT)
def with_helpers(data, rng):
    def noisy(value, scale):
        return value + rng.laplace(0.0, scale)

    answers = []
    for bound in (1.0, 2.0):
        answers.append(noisy(np.minimum(data, bound).sum(), 2 * bound))
    return answers


@sound(PERCENT, GaussianDP(1.0))
def gaussian(data, rng):
    return len(data) + rng.normal(0, 1)


@sound(L2, GaussianDP(1.0))
def gaussian_vector(answers, rng):
    return answers + rng.normal(size=3)


@sound(L1)
def laplace_vector(answers, rng):
    return [a + rng.laplace() for a in answers]


@sound(PERCENT, ZeroConcentratedDP(1.0))
def concentrated(data, rng):
    return len(data) + rng.normal(), len(data) + rng.laplace()


@sound(PERCENT, RenyiDP(4, 2.0))
def renyi(data, rng):
    return len(data) + rng.normal()


@sound(PERCENT, ApproxDP(1.0, 1e-5))
def approximate(data, rng):
    return len(data) + rng.laplace(0, 2), len(data) + rng.normal(0, 10)


@sound(ANSWER)
def one_answer(answer, rng):
    return max(0.0, answer + rng.laplace())


@sound(Pairs([(0.0, 2.0), (5.0, 4.0)]))
def listed_pairs(answer, rng):
    return answer + rng.laplace(0, 2)


def raises_for_few(data, rng):
    noisy = len(data) + rng.laplace()
    if noisy < 100:
        raise ValueError("too few")
    return noisy


def far_away(answer, rng):
    return (answer + 1e17) + rng.laplace()


# --- broken: sensitivity


@broken(PERCENT)
def scale_too_small(data, rng):
    return data.sum() + rng.laplace(0, 99.99)


@broken(SIGNED)
def range_not_magnitude(data, rng):
    return data.sum() + rng.laplace(0, 2)


@broken(AddRemove(Real(100, 125)))
def width_of_a_range_far_from_zero(data, rng):
    return data.sum() + rng.laplace(0, 25)


@broken(LOOSE)
def range_not_enforced(data, rng):
    return data.sum() + rng.laplace(0, 1)


@broken(LOOSE)
def clipped_on_one_side(data, rng):
    return np.minimum(data, 1).sum() + rng.laplace(0, 1)


@broken(LOOSE)
def clipped_after_the_sum(data, rng):
    return np.clip(data.sum(), 0, 2) + rng.laplace(0, 1)


@broken(MISSING)
def nan_passes_the_clip(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(0, 1)


@broken(MISSING)
def nan_in_a_sum(data, rng):
    return data.sum() + rng.laplace(0, 1)


@broken(AddRemove(Real(0, 1, allow_nan=True), container="list"))
def nan_through_python_max(data, rng):
    return sum(max(min(x, 1.0), 0.0) for x in data) + rng.laplace(0, 1)


@broken(ENDLESS)
def infinity_in_a_sum(data, rng):
    return data.sum() + rng.laplace(0, 1)


@broken(ENDLESS)
def infinity_times_zero(data, rng):
    return np.clip(data * 0, 0, 1).sum() + rng.laplace(0, 1)


@broken(TWO)
def group_forgotten(data, rng):
    return len(data) + rng.laplace(0, 1)


@broken(FIVE)
def replaced_signed_width(data, rng):
    return (2 * data - 1).sum() + rng.laplace(0, 1)


@broken(ReplaceOne(Real(0, 1), size=5, group=2))
def replaced_group_forgotten(data, rng):
    return data.sum() + rng.laplace(0, 1)


@broken(FIVE)
def mean_over_four(data, rng):
    return data.sum() / 4 + rng.laplace(0, 1 / 5)


@broken(PERCENT)
def mean_over_private_size(data, rng):
    return data.sum() / len(data) + rng.laplace(0, 100)


@broken(PERCENT)
def mean_of_maybe_nothing(data, rng):
    return data.mean() + rng.laplace(0, 100)


@broken(SIGNED)
def mean_width_of_range(data, rng):
    return data.sum() / max(1, len(data)) + rng.laplace(0, 2.5)


@broken(SIGNED)
def mean_over_at_least_a_half(data, rng):
    return 2 * data.sum() / max(1, len(data)) + rng.laplace(0, 3)


@broken(SIGNED)
def mean_over_another_count(data, rng):
    return data.sum() / max(1, len(data[data > 0])) + rng.laplace(0, 3)


@broken(SIGNED)
def mean_less_one(data, rng):
    return data.sum() / (max(1, len(data)) - 0.5) + rng.laplace(0, 3)


@broken(SIGNED)
def sum_plus_much_over_count(data, rng):
    return (data.sum() + 1000) / max(1, len(data)) + rng.laplace(0, 3)


@broken(AddRemove(Real(-2, 3), group=2))
def mean_of_two(data, rng):
    return data.sum() / max(1, len(data)) + rng.laplace(0, 3)


@broken(UNIT)
def squares_of_more(data, rng):
    return ((3 * data) ** 2).sum() + rng.laplace(0, 3)


@broken(UNIT)
def product_of_sums(data, rng):
    return data.sum() * data.sum() + rng.laplace(0, 1)


@broken(UNIT)
def largest(data, rng):
    return data.max(initial=0) + rng.laplace(0, 0.5)


@broken(UNIT)
def offset_a_record(data, rng):
    return (data + 1).sum() + rng.laplace(0, 1)


@broken(UNIT)
def inverse_of_records(data, rng):
    return (1 / (data + 1e-3)).sum() + rng.laplace(0, 1)


@broken(UNIT)
def where_with_a_large_value(data, rng):
    return np.where(data > 0.5, 10.0, data).sum() + rng.laplace(0, 1)


@broken(UNIT)
def distance_from_a_constant(data, rng):
    return np.abs(data - 5).sum() + rng.laplace(0, 1)


@broken(AddRemove(Integer(0, 2**61)))
def integers_that_wrap(data, rng):
    return (data * 8).sum() + rng.laplace(0, 2.0**64)


@broken(AddRemove(Integer(0, 2**61)))
def sum_that_wraps(data, rng):
    return data.sum() + rng.laplace(0, 2.0**61)


@broken(WHOLE)
def small_integers_that_wrap(data, rng):
    return (data.astype(np.int8) * 60).sum() + rng.laplace(0, 300)


@broken(AddRemove(Real(0, 1e308)))
def floats_that_overflow(data, rng):
    return data.sum() + rng.laplace(0, 1e308)


@broken(AddRemove(Real(-1e308, 1e308)))
def records_that_overflow(data, rng):
    return np.clip(data * 10 - data * 10, -1, 1).sum() + rng.laplace(0, 1)


@broken(LINF)
def vector_each_may_move(answers, rng):
    return answers + rng.laplace(size=3)


@broken(L1)
def vector_added_up_twice(answers, rng):
    return answers + answers + rng.laplace(size=3)


@broken(L2)
def laplace_under_l2(answers, rng):
    return answers + rng.laplace(size=3)


@broken(LINF, GaussianDP(1.0))
def gaussian_under_linf(answers, rng):
    return answers + rng.normal(size=3)


@broken(L1)
def running_sums(answers, rng):
    return [answers[0] + rng.laplace(), answers[0] + answers[1] + rng.laplace()]


@broken(Pairs([(0.0, 2.0), (5.0, 4.0)]))
def listed_pairs_farther(answer, rng):
    return answer + rng.laplace(0, 1)


@broken(USERS)
def rows_of_users(data, rng):
    return len(data) + rng.laplace()


# --- broken: noise


@broken(UNIT)
def no_noise(data, rng):
    return data.sum()


@broken(UNIT)
def noise_and_the_value(data, rng):
    count = len(data)
    return count + rng.laplace(), count


@broken(UNIT)
def noise_shown(data, rng):
    noise = rng.laplace()
    return len(data) + noise, noise


@broken(UNIT, PureDP(2.0))
def noise_used_twice(data, rng):
    noise = rng.laplace()
    return len(data) + noise, data.sum() + noise


@broken(UNIT, PureDP(2.0))
def noise_of_size_one(data, rng):
    return np.array([len(data), data.sum()]) + rng.laplace(size=1)


@broken(UNIT)
def noise_subtracted_again(data, rng):
    noise = rng.laplace()
    return len(data) + noise - noise


@broken(UNIT, PureDP(2.0))
def noise_scaled_twice(data, rng):
    noise = rng.laplace()
    return len(data) + 2 * noise, data.sum() + 2 * noise


@broken(UNIT)
def noise_tested(data, rng):
    noise = rng.laplace()
    if noise > 0:
        return len(data) + noise
    return len(data) + rng.laplace()


@broken(UNIT)
def noise_cut(data, rng):
    return len(data) + min(max(rng.laplace(), -1.0), 1.0)


@broken(UNIT)
def noise_on_one_side(data, rng):
    return len(data) + abs(rng.laplace())


@broken(UNIT)
def noise_rounded(data, rng):
    return data.sum() + round(rng.laplace())


@broken(UNIT)
def noise_squared(data, rng):
    noise = rng.laplace()
    return len(data) + noise * noise


@broken(UNIT)
def noise_times_nothing(data, rng):
    return len(data) + 0.0 * rng.laplace()


@broken(UNIT)
def noise_times_the_data(data, rng):
    return len(data) * rng.laplace()


@broken(UNIT)
def noise_inverted(data, rng):
    return len(data) + 1 / rng.laplace()


@broken(UNIT)
def scale_zero(data, rng):
    return len(data) + rng.laplace(0, 0.0)


@broken(UNIT)
def scale_from_the_data(data, rng):
    return len(data) + rng.laplace(0, 1 + data.sum())


@broken(UNIT)
def scale_from_an_answer(data, rng):
    noisy = abs(len(data) + rng.laplace(0, 2))
    return len(data) + rng.laplace(0, noisy)


@broken(UNIT)
def normal_for_pure(data, rng):
    return len(data) + rng.normal(0, 100)


@broken(UNIT)
def uniform(data, rng):
    return len(data) + rng.uniform(-1, 1)


@broken(BITS)
def geometric_one_side(data, rng):
    return int(data.sum()) + rng.geometric(1 - np.exp(-1.0))


@broken(BITS)
def geometric_less_itself(data, rng):
    g = rng.geometric(1 - np.exp(-1.0))
    return int(data.sum()) + (g - g)


@broken(BITS)
def geometric_of_two_chances(data, rng):
    return int(data.sum()) + (rng.geometric(1 - np.exp(-1.0)) - rng.geometric(0.9))


@broken(BITS)
def geometric_added(data, rng):
    p = 1 - np.exp(-1.0)
    return int(data.sum()) + (rng.geometric(p) + rng.geometric(p))


@broken(UNIT)
def geometric_on_floats(data, rng):
    p = 1 - np.exp(-1.0)
    return data.sum() + (rng.geometric(p) - rng.geometric(p))


@broken(BITS)
def geometric_doubled(data, rng):
    p = 1 - np.exp(-1.0)
    return int(data.sum()) + 2 * (rng.geometric(p) - rng.geometric(p))


@broken(BITS)
def geometric_too_sure(data, rng):
    p = 1 - np.exp(-1.01)
    return int(data.sum()) + (rng.geometric(p) - rng.geometric(p))


@broken(UNIT)
def seeded(data):
    return len(data) + np.random.default_rng(0).laplace()


@broken(UNIT)
def seeded_by_the_data(data):
    return len(data) + np.random.default_rng(len(data)).laplace()


@broken(UNIT)
def state_of_the_generator(data, rng):
    noisy = len(data) + rng.laplace()
    return noisy, rng.bit_generator.state["state"]["state"]


@broken(UNIT)
def generator_returned(data, rng):
    return len(data) + rng.laplace(), rng


@broken(UNIT)
def noise_a_record(data, rng):
    return len([x + rng.laplace() for x in data])


# --- broken: budget


@broken(UNIT)
def twice(data, rng):
    return [len(data) + rng.laplace() for _ in range(2)]


@broken(UNIT, GaussianDP(1.0))
def gaussian_twice(data, rng):
    return [len(data) + rng.normal() for _ in range(2)]


@broken(UNIT, ApproxDP(1.0, 1e-5))
def approximate_too_much(data, rng):
    return len(data) + rng.laplace(0, 1), len(data) + rng.normal(0, 10)


@broken(UNIT, ApproxDP(1.0, 1e-5))
def classical_sigma_halved(data, rng):
    return len(data) + rng.normal(0, math.sqrt(2 * math.log(1.25e5)) / 2)


@broken(UNIT, ZeroConcentratedDP(0.5))
def concentrated_too_much(data, rng):
    return len(data) + rng.normal(0, 0.99)


@broken(UNIT, RenyiDP(2, 1.0))
def renyi_too_much(data, rng):
    return len(data) + rng.normal(0, 0.99)


@broken(UNIT)
def costly_arm(data, rng):
    first = len(data) + rng.laplace(0, 2)
    if first > 10:
        return first
    return first, len(data) + rng.laplace(0, 1)


@broken(PERCENT)
def parts_that_overlap(data, rng):
    return (
        np.sum(data <= 50) + rng.laplace(),
        np.sum(data >= 50) + rng.laplace(),
    )


@broken(PERCENT)
def parts_that_overlap_by_rounding(data, rng):
    return (
        np.sum(data + 10 >= 11) + rng.laplace(),
        np.sum(data < 1) + rng.laplace(),
    )


@broken(MISSING)
def parts_that_both_hold_nan(data, rng):
    return (
        np.sum(~(data < 0.5)) + rng.laplace(),
        np.sum(~(data >= 0.5)) + rng.laplace(),
    )


@broken(FIVE)
def parts_of_replaced(data, rng):
    return (
        np.sum(data < 0.5) + rng.laplace(),
        np.sum(data >= 0.5) + rng.laplace(),
    )


@broken(TABLE)
def parts_of_two_columns(data, rng):
    return (
        np.sum(data["age"] < 5) + rng.laplace(),
        np.sum(data["paid"] >= 5) + rng.laplace(),
    )


@broken(PERCENT)
def part_and_all(data, rng):
    return np.sum(data < 50) + rng.laplace(), len(data) + rng.laplace()


@broken(PERCENT)
def same_part_twice(data, rng):
    low = data[data < 50]
    return len(low) + rng.laplace(), len(low) + rng.laplace(), np.sum(data >= 50) + rng.laplace()


@broken(WHOLE)
def bins_each_twice(data, rng):
    return [np.sum(data == k) + rng.laplace() for k in (0, 1, 1)]


@broken(WHOLE)
def cumulative_counts(data, rng):
    return [np.sum(data <= k) + rng.laplace() for k in range(6)]


@broken(PERCENT)
def histogram_with_all_thresholds(data, rng):
    return (data[:, None] >= np.array([25.0, 50.0])).sum(axis=0) + rng.laplace(size=2)


@broken(WHOLE)
def histogram_without_enough_bins(data, rng):
    return np.bincount(data, minlength=3) + rng.laplace(size=3)


@broken(WHOLE)
def histogram_of_any_length(data, rng):
    counts = np.bincount(data)
    return counts + rng.laplace(size=len(counts))


@broken(PERCENT)
def histogram_edges_from_the_data(data, rng):
    counts, _ = np.histogram(data, bins=10)
    return counts + rng.laplace(size=10)


# --- broken: control flow, exceptions, shapes


@broken(UNIT)
def tested_size(data, rng):
    if len(data) > 3:
        return len(data) + rng.laplace()
    return 0.0


@broken(UNIT)
def raises_without_records(data, rng):
    if not len(data):
        raise ValueError("no records")
    return len(data) + rng.laplace()


@broken(UNIT)
def divides_by_the_size_unused(data, rng):
    _ = 1 / len(data)
    return len(data) + rng.laplace()


@broken(UNIT)
def first_record(data, rng):
    return data[0] + rng.laplace()


@broken(UNIT)
def quotes_a_record(data, rng):
    noisy = len(data) + rng.laplace()
    if noisy < 0:
        raise ValueError(f"negative for {data}")
    return noisy


@broken(UNIT)
def as_many_answers_as_records(data, rng):
    return [rng.laplace() for _ in range(len(data))]


@broken(UNIT)
def array_of_records(data, rng):
    return data + rng.laplace(size=len(data))


@broken(UNIT)
def filtered_by_an_answer(data, rng):
    bound = len(data) + rng.laplace(0, 2)
    return data[data > bound].sum() + rng.laplace(0, 1)


@broken(UNIT)
def loop_until_private(data, rng):
    n = 0
    while n < len(data):
        n += 1
    return n


@broken(UNIT)
def python_max_of_an_array(data, rng):
    return max(data, 5).sum() + rng.laplace(0, 5)


@broken(UNIT)
def type_of_the_larger(data, rng):
    return max(data.sum(), 0.0) + rng.laplace(0, 1)


@broken(WHOLE)
def type_of_an_integer(data, rng):
    p = 1 - np.exp(-5.0 / 5)
    return max(int(data.sum()), 0.0) + (rng.geometric(p) - rng.geometric(p))


@broken(AddRemove(Integer(0, 1), container="list"))
def type_of_an_empty_array(data, rng):
    p = 1 - np.exp(-1.0)
    return np.array(data).sum() + (rng.geometric(p) - rng.geometric(p))


@broken(UNIT)
def prints_the_sum(data, rng):
    print(data.sum())
    return len(data) + rng.laplace()


@broken(UNIT)
def warns_with_the_sum(data, rng):
    import warnings

    warnings.warn(f"{data.sum()}", stacklevel=1)
    return len(data) + rng.laplace()


@broken(LISTED)
def too_large_a_square(data, rng):
    return sum(1 for x in data if (x * 1e200) ** 2 > 1) + rng.laplace()


# --- broken: state, aliases, scopes


@broken(UNIT)
def counted_in_a_closure(data, rng):
    total = 0

    def add():
        nonlocal total
        total = len(data)

    add()
    return total + rng.laplace(0, 0.1)


@broken(UNIT)
def counted_by_a_walrus(data, rng):
    total = 0
    [(total := len(data)) for _ in range(1)]
    return total + rng.laplace(0, 0.1)


@broken(UNIT)
def appended_for_every_record(data, rng):
    seen = []
    [seen.append(1) for x in data]
    return len(seen) + rng.laplace(0, 0.1)


@broken(UNIT)
def view_of_an_array(data, rng):
    answers = np.zeros(2)
    view = answers[:1]
    answers[0] = len(data)
    return view[0] + rng.laplace(0, 0.1)


@broken(UNIT)
def reshaped_view(data, rng):
    answers = np.zeros(2)
    view = answers.reshape(1, 2)
    answers[0] = len(data)
    return view


@broken(UNIT)
def the_same_list(data, rng):
    one = [0]
    other = one
    other[0] = len(data)
    return one[0] + rng.laplace(0, 0.1)


@broken(UNIT)
def list_of_the_same_list(data, rng):
    rows = [[0]] * 2
    rows[0][0] = len(data)
    return rows[1][0] + rng.laplace(0, 0.1)


@broken(UNIT)
def through_asarray(data, rng):
    one = np.zeros(2)
    other = np.asarray(one)
    other[0] = len(data)
    return one[0] + rng.laplace(0, 0.1)


@broken(UNIT)
def through_enumerate(data, rng):
    values = [0, 0]
    for place, value in enumerate(values):
        if place:
            return value + rng.laplace(0, 0.1)
        values[1] = len(data)
    return 0.0


@broken(UNIT)
def changed_in_place(data, rng):
    data *= 2
    return len(data) + rng.laplace()


@broken(UNIT)
def stored_in_place(data, rng):
    data[:] = 1
    return len(data) + rng.laplace()


@broken(UNIT)
def clipped_in_place(data, rng):
    np.clip(data, 0, 0.5, out=data)
    return data.sum() + rng.laplace(0, 0.5)


@broken(LISTED)
def list_changed_in_place(data, rng):
    data.append(1.0)
    return len(data) + rng.laplace()


@broken(UNIT)
def written_to_a_global(data, rng):
    HELD[0] = data.sum()
    return len(data) + rng.laplace()


@broken(UNIT)
def kept_in_a_global(data, rng):
    KEPT.append(len(data))
    return len(data) + rng.laplace()


@broken(UNIT)
def read_from_a_global(data, rng):
    return HELD[0], len(KEPT)


@broken(UNIT)
def rounded_into_integers(data, rng):
    counts = np.array([0, 0])
    counts[0] = data.sum()
    return counts[0] + rng.laplace()


@broken(UNIT)
def kept_in_an_attribute(data, rng):
    kept_in_an_attribute.seen = len(data)
    return len(data) + rng.laplace()


@broken(L1)
def answers_changed_in_place(answers, rng):
    answers += rng.laplace(size=3)
    return answers


@broken(UNIT)
def out_argument(data, rng):
    answers = np.zeros(1)
    np.add(answers, len(data), out=answers)
    return answers[0] + rng.laplace(0, 0.1)


@broken(UNIT)
def rounded_into_another(data, rng):
    one, two = np.zeros(1), np.zeros(1)
    one[0] = len(data)
    np.round(one, 0, two)
    return two[0] + rng.laplace(0, 0.1)


@broken(INTEGER)
def integer_divided_away(answer, rng):
    return (answer * 3) // 2 + rng.laplace()


@broken(INTEGER)
def power_of_an_answer(answer, rng):
    return 3**answer + rng.laplace()


@broken(L1)
def sum_of_two_arrays(answers, rng):
    return np.sum([answers, answers]) / 2 + rng.laplace(size=3)


@broken(UNIT)
def size_of_a_table(data, rng):
    scale = 4 / np.size([[1, 2], [3, 4]])
    return len(data) + rng.laplace(0, scale / 2)


@broken(UNIT)
def size_of_an_answer(data, rng):
    rows = np.array([np.round(np.zeros(2) + rng.laplace(size=2)), np.zeros(2)])
    return len(data) + rng.laplace(0, 2 / rows.size)


@broken(UNIT)
def view_made_in_a_loop(data, rng):
    values = np.zeros(2)
    for _ in values:
        view = values.reshape(1, 2)
    values[0] = len(data)
    return view + rng.laplace()


@broken(UNIT)
def default_that_is_private(data, rng):
    n = len(data)

    def read(value=n):
        return value

    return read() + rng.laplace(0, 0.1)


@broken(UNIT)
def state_of_the_generator_restored(data, rng):
    state = rng.bit_generator.state
    first = len(data) + rng.laplace()
    rng.bit_generator.state = state
    return first, data.sum() + rng.laplace()


@broken(UNIT)
def generator_copied(data, rng):
    import copy

    other = copy.deepcopy(rng)
    return len(data) + rng.laplace(0, 2), data.sum() + other.laplace(0, 2)


@broken(WHOLE)
def bits_of_the_records(data, rng):
    return np.sum(~data) + rng.laplace()


@broken(LISTED)
def list_twice_as_long(data, rng):
    return len(data * 2) + rng.laplace()


@broken(UNIT)
def cancelled_scale(data, rng):
    scale = (1e16 + 1.0) - 1e16
    return len(data) + rng.laplace(0, scale + 0.1)
