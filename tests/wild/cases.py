"""All cases. The labels come from the mathematics in `label`, never from dpaudit."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.stats import laplace, norm

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    Session,
)
from tests.wild.case import Broken, Case
from tests.wild.programs import analyst_pipeline as team
from tests.wild.programs import course_notebook as course
from tests.wild.programs import federated_training as fed
from tests.wild.programs import local_collection as local
from tests.wild.programs import private_engine as engine
from tests.wild.programs import query_dashboard as dashboard
from tests.wild.programs import stateful_toolkit as toolkit
from tests.wild.programs import streaming_service as service

LN3 = math.nextafter(math.log(3), 2)
ONE = PureDP(1.0)
SMALL = ApproxDP(1.0, 1e-5)
QUARTER = GaussianDP(0.25)

AGES = AddRemove(Integer(0, 120), max_size=8)
YEARS = AddRemove(Real(0, 120), max_size=8)
INCOMES = AddRemove(Real(0, 100), max_size=8)
SHARES = AddRemove(Real(0, 1), max_size=8)
BILLS = AddRemove(Real(0, 10), max_size=8)
UNCHECKED = AddRemove(Real(0, 5000, enforced=False), max_size=8)
CENTERED = AddRemove(Real(-1, 1), max_size=8)
ANSWERS = QueryAnswers(5)
MANY = QueryAnswers(20)
FOUR = AnyPair(Integer(0, 3))
BIT = AnyPair(Integer(0, 1))
YES_NO = AnyPair(Categorical([False, True]))
COLORS = AnyPair(Categorical(["red", "green", "blue", "black"]))
NUMBER = AnyPair(Real(-1, 1))
SALARY = AnyPair(Real(0, 10, enforced=False))
VOTES = ReplaceOne(Integer(0, 2), size=5)
FLAGS = ReplaceOne(Integer(0, 1), size=4)
WORDS = AddRemove(Categorical(["a", "b", "c"]), max_size=8, container="list")
UPDATES = AddRemove(Row(a=Real(-10, 10), b=Real(-10, 10)), max_size=6)
POINTS = AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), max_size=6)
_level = Categorical(["HS", "BSc", "MSc", "PhD"])
PEOPLE = AddRemove(
    Row(sex=Categorical(["F", "M"]), education=_level), max_size=6, container="pandas"
)
_order = Row(region=Categorical(["north", "south", "west"]), amount=Real(0, 10))
ORDERS = AddRemove(_order, max_size=6, container="pandas")
CUSTOMERS = AddRemove(
    Row(customer=Integer(0, 3), amount=Real(0, 20)),
    unit="customer",
    rows_per_unit=3,
    max_size=4,
    container="pandas",
)
FIVE_ORDERS = ReplaceOne(_order, size=5, container="pandas")
_wild_order = Row(
    region=Categorical(["north", "south", "west"]), amount=Real(0, 10, enforced=False)
)
WILD_ORDERS = AddRemove(_wild_order, max_size=6, container="pandas")

DRAW = "global numpy generator"
CLASS = "object made inside the release"
INVERSE = "Laplace noise by its inverse distribution function"
RANDOM = "functions of random"
FRAME = "pandas"


def reals(*values):
    return np.array(values, dtype=float)


def wholes(*values):
    return np.array(values, dtype=np.int64)


def people(*rows):
    return pd.DataFrame(
        {"sex": [r[0] for r in rows], "education": [r[1] for r in rows]}, dtype=object
    )


def orders(*rows):
    return pd.DataFrame(
        {
            "region": pd.Series([r[0] for r in rows], dtype=object),
            "amount": pd.Series([r[1] for r in rows], dtype=float),
        }
    )


def bought(*amounts):
    """Return the orders of one customer."""
    return pd.DataFrame(
        {"customer": np.zeros(len(amounts), dtype=np.int64), "amount": np.array(amounts, float)}
    )


def updates(*rows):
    return np.array(list(rows), dtype=[("a", float), ("b", float)])


def points(*rows):
    return np.array(list(rows), dtype=[("x", float), ("y", float)])


def matrix(data):
    return np.column_stack([data["a"], data["b"]])


def aggregate(data, rng):
    return fed.aggregate(matrix(data), rng=rng)


def aggregate_then_clip(data):
    return fed.aggregate_then_clip(matrix(data))


def average_of_updates(data):
    return fed.average_of_updates(matrix(data))


def average_over_expected(data):
    return fed.average_over_expected(matrix(data))


def clip_per_coordinate(data):
    return fed.clip_per_coordinate(matrix(data))


def linear_fit(data, rng):
    return fed.linear_fit(data, rng=rng)


def linear_fit_output(data, rng):
    return fed.linear_fit_output(data, rng=rng)


def first_missed_then_hit(missed, hit):
    """Ten answers are below the noisy threshold of 3, and ten above, in one order."""

    def given(shift):
        below = laplace.cdf(3 + shift - missed, scale=4)
        return below**10 * laplace.sf(3 + shift - hit, scale=4) ** 10

    ends = (-60.0, missed - 3.0, hit - 3.0, 0.0, 60.0)
    return quad(
        lambda shift: laplace.pdf(shift, scale=2) * given(shift),
        ends[0], ends[-1], points=sorted({*ends[1:-1]}), limit=400,
    )[0]  # fmt: skip


MISSED = first_missed_then_hit(0.0, 1.0), first_missed_then_hit(1.0, 0.0)
HALF = 0.5
E1, E2, E4 = math.exp(-1), math.exp(-2), math.exp(-4)
TRUTH = math.e / (1 + math.e)
HASH_OF_ZERO = hashlib.sha256(b"pepper0").hexdigest()[:8]
SEEDED = np.random.default_rng(42).laplace(scale=1.0)
OF_2023 = np.random.RandomState(2023).laplace(0, 1)
HUES = ReplaceOne(Categorical(toolkit.COLORS), size=4, container="list")

CASES = (
    # course_notebook
    Case(course.over_forty, ONE, AGES, "a count moves by 1; Laplace noise of scale 1", (DRAW,)),
    Case(
        course.over_forty_strong, ONE, AGES,
        Broken(wholes(50, 50), wholes(50), lambda out: out > 2, HALF, E2 / 2,
               ("DPA106", "DPA105"), "1, 2 * epsilon"),
        (DRAW,),
    ),
    Case(
        course.average_age, ONE, YEARS,
        Broken(reals(0), reals(0, 0), lambda out: abs(out) > 240, E2, E4,
               ("DPA103",), "120 / len(ages)"),
        (DRAW,),
    ),
    Case(course.average_age_split, ONE, YEARS,
         "sum and count with half of epsilon each; the quotient is post-processing", (DRAW,)),
    Case(
        course.average_age_not_split, ONE, YEARS,
        Broken(reals(120), reals(), lambda out: out[0] > 120 and out[1] > 1, 1 / 4, E2 / 4,
               ("DPA107",), "noisy_count = laplace_mech(len(ages), 1, eps)"),
        (DRAW,),
    ),
    Case(
        course.total_gain, ONE, UNCHECKED,
        Broken(reals(1e6), reals(), lambda out: out > 5e5, 1.0, 0.0,
               ("DPA104",), "np.sum(gains)"),
        (DRAW,),
    ),
    Case(course.total_gain_clipped, ONE, UNCHECKED,
         "each record is clipped to [0, 5000], the noise has scale 5000", (DRAW, "min and max")),
    Case(
        course.age_histogram, ONE, YEARS,
        Broken(reals(10, 20, 90), reals(10, 20), lambda out: out[1][-1] == 90, 1.0, 0.0,
               ("DPA109",), "np.histogram(ages, bins=10)"),
        (DRAW,),
    ),
    Case(course.age_histogram_decades, ONE, YEARS,
         "disjoint public bins, Laplace noise of scale 1 each", (DRAW,)),
    Case(course.education_counts, ONE, PEOPLE, "disjoint public groups", (DRAW, FRAME, "dict")),
    Case(
        course.education_value_counts, ONE, PEOPLE,
        Broken(people(("F", "HS"), ("M", "PhD")), people(("F", "HS")), lambda out: "PhD" in out,
               1.0, 0.0, ("DPA109",), 'df["education"].value_counts()'),
        (DRAW, FRAME),
    ),
    Case(course.most_common_education, ONE, PEOPLE,
         "exponential mechanism, exp(s / 2), on counts that move by 1",
         (DRAW, FRAME, "choice with p=")),
    Case(course.report_noisy_max, ONE, PEOPLE,
         "noisy max of counts that all move one way: scale 1 suffices (Dwork & Roth, Claim 3.9)",
         (DRAW, FRAME, "index(max())")),
    Case(
        course.report_noisy_max_with_value, ONE, ANSWERS,
        Broken(reals(0, 0, 0, 0, 0), reals(1, 1, 1, 1, 1), lambda out: out[1] < 0,
               HALF**5, (HALF * math.exp(-HALF)) ** 5,
               ("DPA107", "DPA105"), "return best, noisy[best]"),
        (DRAW,),
    ),
    Case(course.coin_survey, PureDP(LN3), YES_NO, "truth with 3/4: the ratio is 3", (DRAW,)),
    Case(
        course.loaded_coin_survey, PureDP(LN3), YES_NO,
        Broken(True, False, lambda out: bool(out), 0.9, 0.1, ("DPA106",), "random.random() < 0.8"),
        (RANDOM,),
    ),
    Case(course.mean_bill_gaussian, SMALL, BILLS,
         "the classical Gaussian mechanism at epsilon = 1 (Dwork & Roth, Theorem A.1)", (DRAW,)),
    Case(
        course.histogram_gaussian, SMALL, ANSWERS,
        Broken(reals(1, 1, 1, 1, 1), reals(0, 0, 0, 0, 0), lambda out: sum(out) > 26,
               norm.sf((26 - 5) / (math.sqrt(5) * math.sqrt(2 * math.log(1.25e5)))),
               norm.sf(26 / (math.sqrt(5) * math.sqrt(2 * math.log(1.25e5)))),
               ("DPA105", "DPA107"), "gaussian_mech(a, 1, 1.0, 1e-5) for a in answers"),
        (DRAW,),
    ),
    Case(course.above_threshold, ONE, ANSWERS,
         "AboveThreshold (Dwork & Roth, Theorem 3.23)", (DRAW,)),
    Case(
        course.above_threshold_all, ONE, MANY,
        Broken(reals(*[0] * 10, *[1] * 10), reals(*[1] * 10, *[0] * 10),
               lambda out: not any(out[:10]) and all(out[10:]), *MISSED,
               ("DPA107",), "out.append(bool(q + nu_i >= T_hat))"),
        (DRAW,),
    ),
    Case(
        course.auto_clip, ONE, AGES,
        Broken(wholes(35), wholes(), lambda out: abs(out) > 20,
               laplace.sf(20, 35, 41) + laplace.cdf(-20, 35, 41), math.exp(-20),
               ("DPA103", "DPA108"), "best + 1"),
        (DRAW,),
    ),
    Case(course.pivot, ONE, PEOPLE, "disjoint public cells", (DRAW, FRAME)),
    Case(
        course.crosstab, ONE, PEOPLE,
        Broken(people(("F", "HS"), ("M", "PhD")), people(("F", "HS")),
               lambda out: out.shape == (2, 2), 1.0, 0.0, ("DPA109",), "pd.crosstab"),
        (DRAW, FRAME),
    ),
    # private_engine
    Case(engine.count_release, ONE, INCOMES, "a count, Laplace noise of scale 1",
         (CLASS, INVERSE, RANDOM, "budget that raises")),
    Case(engine.count_and_total, ONE, INCOMES, "half of epsilon each",
         (CLASS, INVERSE, RANDOM, "budget that raises")),
    Case(
        engine.total_release, ONE, INCOMES,
        Broken(reals(100), reals(), lambda out: out > 100, HALF, E2 / 2,
               ("DPA105",), "high - low"),
        (CLASS, INVERSE, RANDOM, "budget that raises"),
    ),
    Case(engine.until_exhausted, ONE, INCOMES,
         "four counts with a quarter of epsilon each; their number is public",
         (CLASS, INVERSE, RANDOM, "budget that raises", "try and except")),
    Case(
        engine.forgetful_release, ONE, INCOMES,
        Broken(reals(5), reals(), lambda out: min(out) > 1, 1 / 4, E2 / 4,
               ("DPA107",), "if self.spent > self.epsilon"),
        (CLASS, INVERSE, RANDOM, "budget checked late"),
    ),
    Case(
        Session(engine.QueryEngine, [("count", 0.5), ("total", 0.5, 0, 100), ("count", 0.1)]),
        ONE, INCOMES, "half of epsilon each; the third query is refused",
        (CLASS, INVERSE, RANDOM, "budget that raises"),
    ),
    Case(
        Session(engine.ForgetfulEngine, [("count", 1.0)] * 2), ONE, INCOMES,
        Broken(reals(5), reals(), lambda out: min(out) > 1, 1 / 4, E2 / 4,
               ("DPA107",), "if self.spent > self.epsilon"),
        (CLASS, INVERSE, RANDOM, "budget checked late"),
    ),
    Case(engine.bounded_mean, ONE, INCOMES, "sum and count with half of epsilon each",
         (DRAW, "dataclass")),
    Case(
        engine.bounded_mean_verbose, ONE, INCOMES,
        Broken(reals(), reals(1), lambda out: out.n_records == 0, 1.0, 0.0,
               ("DPA101",), "n_records=len(values)"),
        (DRAW, "dataclass"),
    ),
    Case(engine.logged_count, ONE, INCOMES, "public values and the noisy answer are logged",
         (DRAW, "logging")),
    Case(
        engine.logged_exact_count, ONE, INCOMES,
        Broken(reals(), reals(1), lambda text: "processing 0 rows" in text, 1.0, 0.0,
               ("DPA101",), 'logger.info("processing', logged=True),
        (DRAW, "logging"),
    ),
    Case(
        engine.standardized_sum, ONE, INCOMES,
        Broken(reals(1, 100), reals(1), lambda out: out > 50,
               laplace.sf(50, 101, 100), math.exp(-49) / 2,
               ("DPA103",), "width = max(abs(self.low_)"),
        (DRAW, CLASS),
    ),
    Case(engine.quarterly_report, ONE, INCOMES, "four disjoint parts, a quarter of epsilon each",
         (DRAW, "dataclass", "dict", "budget that raises")),
    Case(
        engine.quarterly_report_bad_budget, ONE, INCOMES,
        Broken(reals(80), reals(), lambda out: min(out.values()) > 1, 1 / 16, E4 / 16,
               ("DPA107",), "(data >= low).sum()"),
        (DRAW, "dict"),
    ),
    Case(
        engine.mean_or_error, ONE, INCOMES,
        Broken(reals(), reals(1), lambda out: isinstance(out, ValueError), 1.0, 0.0,
               ("DPA108",), "if len(data) == 0"),
        (DRAW,),
    ),
    # local_collection
    Case(local.grr, ONE, FOUR, "k-ary randomized response: the ratio is e", (RANDOM,)),
    Case(
        local.grr_without_exclusion, ONE, FOUR,
        Broken(0, 1, lambda out: out == 0, (math.e + 3 / 4) / (math.e + 3),
               3 / 4 / (math.e + 3), ("DPA106",), "random.randint(0, k - 1)"),
        (RANDOM,),
    ),
    Case(
        local.grr_wrong_k, ONE, FOUR,
        Broken(0, 1, lambda out: out == 0, TRUTH, (1 - TRUTH) / 3,
               ("DPA106",), "(math.exp(epsilon) + 1)"),
        (DRAW, "while y == x"),
    ),
    Case(local.oue, ONE, COLORS, "optimized unary encoding (Wang et al. 2017)", (DRAW,)),
    Case(local.sue, ONE, FOUR, "two bits differ, each costs one half",
         (DRAW, "unary encoding with v[x] = 1")),
    Case(
        local.sue_full_budget, ONE, FOUR,
        Broken(0, 1, lambda out: out[0] == 1 and out[1] == 0, TRUTH**2, (1 - TRUTH) ** 2,
               ("DPA106", "DPA107"), "p = math.exp(epsilon) / (math.exp(epsilon) + 1)"),
        (DRAW, "unary encoding with v[x] = 1"),
    ),
    Case(local.local_laplace, ONE, SALARY, "clipped to [0, 10], Laplace noise of scale 10",
         (DRAW, "the value as loc")),
    Case(
        local.local_laplace_one_sided_clip, ONE, SALARY,
        Broken(-1e6, 0.0, lambda out: out < -5e5, 1.0, 0.0, ("DPA104",), "min(salary, 10)"),
        (DRAW, "the value as loc"),
    ),
    Case(local.duchi, ONE, NUMBER, "the probability lies between 1/(e + 1) and e/(e + 1)",
         (RANDOM,)),
    Case(
        local.duchi_one_output, ONE, NUMBER,
        Broken(1.0, -1.0, lambda out: out > 0, 1.0, 0.0,
               ("DPA106", "DPA101", "DPA102"), "p = (x + 1) / 2"),
        (RANDOM,),
    ),
    Case(local.secret_coin, PureDP(LN3), BIT, "truth with 3/4: the ratio is 3", ("secrets",)),
    Case(
        local.secret_coin_biased, PureDP(LN3), BIT,
        Broken(0, 1, lambda out: out == 0, 0.9, 0.1, ("DPA106",), "rng.random() < 0.9"),
        ("SystemRandom",),
    ),
    Case(
        local.hashed, ONE, FOUR,
        Broken(0, 1, lambda out: out[0] == HASH_OF_ZERO, 1.0, 0.0,
               ("DPA101",), 'hashlib.sha256(b"pepper"'),
        ("secrets", "hashlib"),
    ),
    Case(local.keep_or_random, PureDP(1.3), FOUR, "truth with .55, each other value with .15",
         (RANDOM, "choice of a range")),
    Case(local.two_attributes, ONE, FOUR, "two bits, each costs one half", (RANDOM, "divmod")),
    Case(
        local.two_attributes_full, ONE, FOUR,
        Broken(0, 3, lambda out: out == (0, 0), TRUTH**2, (1 - TRUTH) ** 2,
               ("DPA107", "DPA106"), "p = math.exp(epsilon) / (1 + math.exp(epsilon))"),
        (RANDOM, "divmod"),
    ),
    # federated_training
    Case(aggregate, QUARTER, UPDATES, "updates no longer than 1, noise of deviation 4",
         ("rng=None", "helper that clips with if")),
    Case(
        aggregate_then_clip, QUARTER, UPDATES,
        Broken(updates((10, 10)), updates(), lambda out: sum(out) / math.sqrt(2) > 7,
               norm.sf((7 - 10 * math.sqrt(2)) / 4), norm.sf(7 / 4),
               ("DPA105", "DPA104"), "mean = clip_update(mean, 100 * C)"),
        (DRAW,),
    ),
    Case(
        average_of_updates, QUARTER, UPDATES,
        Broken(updates((0, 0)), updates((0, 0), (0, 0)), lambda out: abs(out[0]) > 6,
               2 * norm.sf(1.5), 2 * norm.sf(3), ("DPA103",), "noise_multiplier * clip / max("),
        (DRAW,),
    ),
    Case(average_over_expected, QUARTER, UPDATES,
         "updates no longer than 1, noise of deviation 4, a public divisor", (DRAW,)),
    Case(
        clip_per_coordinate, QUARTER, UPDATES,
        Broken(updates((10, 10)), updates(), lambda out: sum(out) > 1,
               norm.cdf(math.sqrt(2) / 8), norm.sf(math.sqrt(2) / 8),
               ("DPA105",), "np.clip(u, -clip, clip)"),
        (DRAW,),
    ),
    Case(fed.gradient_steps, GaussianDP(0.22), CENTERED,
         "three steps of mu = 1/8: sqrt(3)/8 = .2166", (DRAW,)),
    Case(
        fed.gradient_steps_trace, GaussianDP(0.22), CENTERED,
        Broken(reals(), reals(1), lambda out: out[1][0] == 0.0, 1.0, 0.0,
               ("DPA101",), "history.append"),
        (DRAW,),
    ),
    Case(
        fed.gradient_steps_batch, QUARTER, CENTERED,
        Broken(reals(0, 1), reals(-1, 0, 1), lambda out: out[1] > 0,
               norm.cdf(0.25), norm.cdf(-0.25),
               ("DPA112",), "part = x[t * batch"),
        (DRAW,),
    ),
    Case(fed.vote, ONE, VOTES,
         "two counts move by 1 in opposite directions, noise of scale 2 (Claim 3.9)",
         (DRAW, "noise added entry by entry")),
    Case(
        fed.vote_with_agreement, ONE, VOTES,
        Broken(wholes(0, 0, 0, 1, 1), wholes(0, 0, 2, 1, 1), lambda out: bool(out[1]), 1.0, 0.0,
               ("DPA101", "DPA108"), "counts.max() > len(votes) / 2"),
        (DRAW,),
    ),
    Case(linear_fit, ONE, POINTS, "two sums that move by at most 1, half of epsilon each",
         ("rng or default_rng()", "generator expressions over rows")),
    Case(
        linear_fit_output, ONE, POINTS,
        Broken(points((0, 0)), points((0, 0), (0, 0)), lambda out: abs(out) > 2, E2, E4,
               ("DPA103", "DPA105"), "epsilon * max(len(points), 1)"),
        ("rng or default_rng()", "generator expressions over rows"),
    ),
    Case(fed.sampled_count, ONE, INCOMES,
         "Poisson sampling: log(1 + q (e^inner - 1)) = 1 (Balle, Barthe & Gaboardi 2018)",
         (DRAW, "comprehension that samples")),
    Case(
        fed.unsampled_count, ONE, INCOMES,
        Broken(reals(1), reals(), lambda out: out > 1, HALF,
               HALF / (1 + 2 * (math.e - 1)), ("DPA115", "DPA105", "DPA106"), "inner = math.log"),
        (DRAW,),
    ),
    # analyst_pipeline
    Case(team.revenue_by_region, ONE, WILD_ORDERS, "disjoint public regions, clipped to [0, 10]",
         (FRAME, "module generator", "dict")),
    Case(
        team.revenue_by_region_grouped, ONE, WILD_ORDERS,
        Broken(orders(("north", 1), ("west", 1)), orders(("north", 1)), lambda out: "west" in out,
               1.0, 0.0, ("DPA109",), 'df.groupby("region")["amount"].sum()'),
        (FRAME, "module generator", "groupby"),
    ),
    Case(team.revenue_by_region_reindexed, ONE, WILD_ORDERS,
         "groups filled up to the public regions", (FRAME, "module generator", "groupby")),
    Case(
        team.mean_amount, ONE, ORDERS,
        Broken(orders(("north", 0)), orders(("north", 0), ("north", 0)),
               lambda out: abs(out) > 20, E2, E4, ("DPA103",), "10 / n / epsilon"),
        (DRAW, FRAME),
    ),
    Case(team.mean_amount_known_size, ONE, FIVE_ORDERS,
         "the size is public: a replaced record moves the mean by 10/5", (DRAW, FRAME)),
    Case(team.large_orders, ONE, ORDERS, "a count", (DRAW, FRAME, "query")),
    Case(team.share_of_large, ONE, ORDERS, "two counts with half of epsilon each",
         (DRAW, FRAME)),
    Case(
        team.share_of_large_exact_total, ONE, ORDERS,
        Broken(orders(), orders(("west", 1)), lambda out: out[1] == 0, 1.0, 0.0,
               ("DPA101",), "return large, len(df)"),
        (DRAW, FRAME),
    ),
    Case(
        team.word_counts, ONE, WORDS,
        Broken(["a", "b"], ["a"], lambda out: "b" in out, 1.0, 0.0,
               ("DPA109",), "counts = Counter(words)"),
        (DRAW, "Counter", "dict"),
    ),
    Case(team.word_counts_vocabulary, ONE, WORDS, "a public vocabulary",
         (DRAW, "defaultdict", "d[k] += 1")),
    Case(
        team.word_counts_thresholded, SMALL, WORDS,
        Broken(["a"], [], lambda out: "a" in out, E2 / 2, 0.0,
               ("DPA109", "DPA106", "DPA102"), "if c > threshold"),
        (DRAW, "Counter", "dict"),
    ),
    Case(team.median_income, ONE, INCOMES,
         "exponential mechanism; the utility moves by 1", ("module generator", "choice with p=")),
    Case(
        team.median_income_noisy, ONE, INCOMES,
        Broken(reals(0), reals(0, 0), lambda out: abs(out) > 200, E2, E4,
               ("DPA103",), "100 / len(incomes)"),
        (DRAW,),
    ),
    Case(team.max_income, ONE, INCOMES, "the maximum lies in [0, 100]", (DRAW, "max(default=)")),
    Case(
        team.max_income_cheap, ONE, INCOMES,
        Broken(reals(100), reals(), lambda out: out > 50,
               1 - math.exp(-5) / 2, math.exp(-5) / 2, ("DPA105",), "scale=10 / epsilon"),
        (DRAW, "max(default=)"),
    ),
    Case(team.truncated_count, ONE, INCOMES, "rounding and clipping are post-processing",
         ("scipy.stats",)),
    Case(
        team.retried_count, ONE, INCOMES,
        Broken(reals(), reals(1), lambda out: out < 0.1, 1 - math.exp(-0.1),
               (math.exp(-0.9) - E1) / 2 / (1 - E1 / 2), ("DPA106",), "if value >= 0"),
        ("scipy.stats", "rejection loop"),
    ),
    Case(
        team.seeded_count, ONE, INCOMES,
        Broken(reals(1), reals(), lambda out: abs(out - 1 - SEEDED) < 0.5, 1.0, 0.0,
               ("DPA110",), "generator = np.random.default_rng(seed)"),
        ("a seed in the file",),
    ),
    Case(team.optional_seed_count, ONE, INCOMES, "unseeded unless a seed is given",
         ("seed=None",)),
    Case(
        team.same_noise_twice, ONE, ORDERS,
        Broken(orders(("west", 1)), orders(), lambda out: round(out[0] - out[1]) == 1, 1.0, 0.0,
               ("DPA110",), "return len(df) + noise"),
        (DRAW, FRAME),
    ),
    Case(team.partial_count, ONE, INCOMES, "a count, Laplace noise of scale 1",
         ("partial", "module generator")),
    Case(team.variance, ONE, SHARES, "three sums that move by at most 1, a third of epsilon each",
         (DRAW,)),
    Case(
        team.variance_direct, ONE, SHARES,
        Broken(reals(0, 1), reals(0), lambda out: out > 0.25, HALF, math.exp(-2.5) / 2,
               ("DPA105",), "0.1 / epsilon"),
        (DRAW,),
    ),
    Case(
        team.chunked_means, ONE, SHARES,
        Broken(reals(0, 0, 1, 0, 0), reals(0, 1, 0, 0),
               lambda out: out[0] < 0 and out[1] > 0.5 and out[2] < 0, 1 / 8,
               math.exp(-1.5) / 8, ("DPA112",), "values[i : i + 2]"),
        (DRAW,),
    ),
    Case(team.cumulative_counts, ONE, FLAGS, "four prefixes that move by 1, noise of scale 4",
         (DRAW, "running sum")),
    Case(
        team.cumulative_counts_cheap, ONE, FLAGS,
        Broken(wholes(1, 0, 0, 0), wholes(0, 0, 0, 0), lambda out: min(out) > 1, 1 / 16, E4 / 16,
               ("DPA107", "DPA105"), "out.append(running + np.random.laplace(scale=1 / epsilon))"),
        (DRAW, "running sum"),
    ),
    Case(team.top_products, ONE, ANSWERS,
         "noisy top-k with scale 2k (Ding, Wang, Zhang & Kifer 2019)", (DRAW, "sorted(key=)")),
    Case(
        team.top_products_exact_tail, ONE, ANSWERS,
        Broken(reals(1, 1, 1, 1, 1), reals(0, 0, 0, 0, 0),
               lambda out: out[0][1] == 1.0, 1.0, 0.0, ("DPA101",), "float(answers[i])"),
        (DRAW, "argsort"),
    ),
    # user-level privacy
    Case(team.revenue_of_customers, ONE, CUSTOMERS,
         "amounts are at least 0, so that a customer adds between 0 and 20",
         (DRAW, FRAME, "groupby", "user-level")),
    Case(
        team.revenue_of_customers_capped_by_order, ONE, CUSTOMERS,
        Broken(bought(20, 20, 20), bought(), lambda out: out > 60, HALF, math.exp(-3) / 2,
               ("DPA105",), "np.random.laplace(scale=20 / epsilon)"),
        (DRAW, FRAME, "user-level"),
    ),
    # query_dashboard
    Case(dashboard.leading_answer, ONE, WORDS, "two counts that move by 1, noise of scale 2",
         (CLASS, "with", "dict of objects", "max by key")),
    Case(
        dashboard.answers_on_one_charge, ONE, WORDS,
        Broken(["a"], [], lambda out: min(out) > 1, 1 / 8, math.exp(-1.5) / 8,
               ("DPA107",), "with budget.spend(0.5)"),
        (CLASS, "with", "list of objects"),
    ),
    # stateful_toolkit
    Case(toolkit.color_table, ONE, HUES, "one vote moves two counts by 1; noise of scale 2",
         ("class", "dataclass", "list of the module")),
    Case(toolkit.noisy_turnout, ONE, WORDS, "a count moves by 1; Laplace noise of scale 1",
         (DRAW, "a seed in the file")),
    Case(
        toolkit.turnout, ONE, WORDS,
        Broken(["a", "b"], ["a"], lambda out: out > 1.5 + OF_2023, 1.0, 0.0,
               ("DPA110",), "RandomState(seed)"),
        ("class", "fixed seed"),
    ),
    # streaming_service
    Case(service.totals, ONE, FLAGS, "four prefixes that move by 1, noise of scale 4",
         (DRAW, "generator")),
    Case(
        service.totals_cheap, ONE, FLAGS,
        Broken(wholes(1, 0, 0, 0), wholes(0, 0, 0, 0), lambda out: min(out) > 1, 1 / 16, E4 / 16,
               ("DPA107", "DPA105"), "yield noisy(total, epsilon)"),
        (DRAW, "generator"),
    ),
    Case(service.age_report, ONE, AGES, "a count and a histogram, half of epsilon each",
         (DRAW, "generator", "yield from")),
    Case(
        service.age_report_cumulative, ONE, AGES,
        Broken(wholes(3), wholes(), lambda out: min(out.values()) > 1, 1 / 16, math.exp(-2) / 16,
               ("DPA107",), 'yield f"under {limit}"'),
        (DRAW, "generator"),
    ),
    Case(service.show_dashboard, ONE, WORDS, "two counts of scale 2; no quota for the others",
         (DRAW, "async", "exception that is handled")),
    Case(
        service.show_parallel_dashboard, ONE, WORDS,
        Broken(["a"], [], lambda out: None not in out and min(out) > 1, 1 / 16,
               math.exp(-2) / 16, ("DPA107",), "self.quota -= epsilon"),
        (DRAW, "async", "gather"),
    ),
    Case(service.count_kinds, ONE, WORDS, "counts of three disjoint parts, scale 1",
         (DRAW, "async", "gather")),
    Case(
        service.count_prefixes, ONE, WORDS,
        Broken(["a"], [], lambda out: min(out) > 1, 1 / 8, math.exp(-1.5) / 8,
               ("DPA107",), "return noisy(len(part), 0.5)"),
        (DRAW, "async", "gather"),
    ),
    Case(
        service.drain, ONE, WORDS,
        Broken(["a"], [], lambda out: min(out) > 1, 1 / 8, math.exp(-1.5) / 8,
               ("DPA107",), "if self.quota < 0"),
        (DRAW, CLASS, "exception that is handled"),
    ),
    Case(
        course.over_forty_of_half, ONE.amplified(0.5), AGES,
        "a count of a secret Poisson sample: log(1 + (e - 1)/2) with noise of scale 1",
        (DRAW, "sample by coins"),
    ),
    Case(
        course.over_forty_of_the_other_tenth, ONE.amplified(0.1), AGES,
        Broken(wholes(50), wholes(), lambda out: out > 1, 0.9 / 2 + 0.1 * E1 / 2, E1 / 2,
               ("DPA115", "DPA106"), "random.random() > 0.1"),
        (DRAW, "sample by coins"),
    ),
)  # fmt: skip
