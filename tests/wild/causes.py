"""Broken glue as people write it, with the kind of violation and the line of its cause.

Every label was written from the definitions in the reference (the line is the innermost one
where the private value, scale, domain or branch that costs too much is formed), before dpaudit
had read the program. `ids` has the most specific kind first; another one is listed only where
the definitions fit both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
)
from dpaudit.claims import Claim
from dpaudit.neighbors import Neighbors
from tests.wild.programs import glue_classes as classes
from tests.wild.programs import glue_helpers as helpers
from tests.wild.programs import glue_releases as releases
from tests.wild.programs import glue_scales as scales
from tests.wild.programs import glue_scripts as scripts
from tests.wild.programs import glue_statistics as statistics
from tests.wild.programs import glue_training as training

ONE = PureDP(1.0)


@dataclass(frozen=True, slots=True)
class Cause:
    """A broken mechanism with its wiring.

    Attributes
    ----------
    mechanism : callable
    neighbors : Neighbors
    ids : tuple of str
    lines : tuple of str
        Parts of the lines that are the cause; several where several form it.
    claim : Claim
    """

    mechanism: Callable[..., Any]
    neighbors: Neighbors
    ids: tuple[str, ...]
    lines: tuple[str, ...]
    claim: Claim = ONE

    @property
    def name(self) -> str:
        """Module and function, without the folder."""
        function = self.mechanism
        return f"{function.__module__.rpartition('.')[2]}:{function.__name__}"


HUNDRED = AddRemove(Real(0, 100), max_size=8)
TEN = AddRemove(Real(0, 10), max_size=8)
FREE = AddRemove(Real(0, 100, enforced=False), max_size=8)
FREE_TEN = AddRemove(Real(0, 10, enforced=False), max_size=8)
WORDS = AddRemove(Categorical(["a", "b", "c"]), max_size=8, container="list")
ITEMS = AddRemove(Integer(0, 3), max_size=8)
LISTED = AddRemove(Integer(0, 9), max_size=8, container="list")
VISITS = AddRemove(
    Row(user=Integer(0, 3), amount=Real(0, 10)), max_size=6, unit="user", rows_per_unit=3
)
POINTS = AddRemove(Row(x=Real(-5, 5), y=Real(-5, 5)), max_size=6)
_person = Row(region=Categorical(["north", "south"]), income=Real(0, 100), age=Integer(0, 99))
PEOPLE = AddRemove(_person, max_size=6, container="pandas")
_unchecked = Row(
    region=Categorical(["north", "south"]), income=Real(0, 100, enforced=False), age=Integer(0, 99)
)
UNCHECKED = AddRemove(_unchecked, max_size=6, container="pandas")
_missing = Row(
    region=Categorical(["north", "south"]),
    income=Real(0, 100, enforced=False, allow_missing=True),
    age=Integer(0, 99),
)
MISSING = AddRemove(_missing, max_size=6, container="pandas")
BIT = AnyPair(Integer(0, 1))
FOUR = AnyPair(Integer(0, 3))

CAUSES = [
    Cause(classes.mean_by_estimator, HUNDRED, ("DPA103",), ("self.sensitivity_ = (",)),
    Cause(classes.scaled_sum, HUNDRED, ("DPA109",), ("self.min_ = values.min()", "self.max_ =")),
    Cause(classes.three_answers, TEN, ("DPA107",), ("return len(matching) +", "return amount +")),
    Cause(
        classes.late_ledger, TEN, ("DPA107",), ("if self.used > self.total", "answers.append(int")
    ),
    Cause(classes.summarize, TEN, ("DPA101",), ("records=len(data)",)),
    Cause(classes.word_counts, WORDS, ("DPA109",), ("self.counts[value] += 1",)),
    Cause(
        classes.counter_counts, WORDS, ("DPA109",), ("counts = Counter(data)", "words = sorted(")
    ),
    Cause(
        classes.seeded_count,
        TEN,
        ("DPA110",),
        ("self.rng = np.random.default_rng(seed)", "seed=1234"),
    ),
    Cause(
        classes.clipped_total,
        AddRemove(Real(-100, 100, enforced=False), max_size=8),
        ("DPA104",),
        ("return np.minimum(values, self.bound)",),
    ),
    Cause(classes.logged_count, TEN, ("DPA101",), ("over = sum(", "log.info(")),
    Cause(classes.model_total, TEN, ("DPA108",), ("if len(x) < 2",)),
    Cause(classes.variance_report, TEN, ("DPA105",), ("self.squares_ =",)),
    Cause(
        classes.safe_average,
        ReplaceOne(Real(0, 100), size=4),
        ("DPA105",),
        ("return float(np.sum(values)) / len(values)",),
    ),
    Cause(classes.best_seller, ITEMS, ("DPA101",), ("counts = [", "return best, counts")),
    Cause(scripts.mean_income, PEOPLE, ("DPA103",), ("sensitivity = 100 / n",)),
    Cause(scripts.income_by_region, PEOPLE, ("DPA109",), ('df.groupby("region")',)),
    Cause(scripts.region_sizes, PEOPLE, ("DPA109",), ("value_counts()",)),
    Cause(scripts.total_unclipped, UNCHECKED, ("DPA104",), ('total = rich["income"].sum()',)),
    Cause(scripts.filled_total, MISSING, ("DPA105", "DPA109"), ('fillna(df["income"].max())',)),
    Cause(scripts.query_and_share, PEOPLE, ("DPA105",), ("share = len(north)",)),
    Cause(
        scripts.two_overlapping,
        PEOPLE,
        ("DPA107",),
        ("add_noise(len(adults)", "add_noise(len(seniors)", "return value + rng.laplace(loc=0.0"),
    ),
    Cause(scripts.equal_width, TEN, ("DPA109",), ("edges = np.linspace(",)),
    Cause(
        scripts.median_by_exponential, HUNDRED, ("DPA106",), ("weights = np.exp(1.0 * utility)",)
    ),
    Cause(scripts.pick_product, WORDS, ("DPA109",), ("products = sorted(set(data))",)),
    Cause(
        scripts.above,
        AddRemove(Real(0, 10), max_size=4),
        ("DPA101", "DPA107"),
        ("answers.append(float(value))",),
    ),
    Cause(
        scripts.sampled_sum,
        TEN,
        ("DPA115", "DPA106"),
        ("epsilon_amplified = math.log", "sampled = clipped[", "return sampled.sum() +"),
    ),
    Cause(scripts.per_coordinate, POINTS, ("DPA105",), ("sums = np.array(",)),
    Cause(
        scripts.gaussian_sum,
        TEN,
        ("DPA106",),
        ("sigma = math.sqrt(", "return total + rng.normal(0, sigma)"),
        ApproxDP(1.0, 1e-5),
    ),
    Cause(scripts.python_sum, TEN, ("DPA110",), ("random.seed(42)",)),
    Cause(scripts.correlated, PEOPLE, ("DPA110",), ("noise = rng.laplace(scale=1.0)",)),
    Cause(
        scripts.published_maximum,
        PEOPLE,
        ("DPA101",),
        ("totals = [", "return winner, noisy[winner], max(totals)"),
    ),
    Cause(
        scripts.chunk_means,
        AddRemove(Real(0, 10), max_size=8),
        ("DPA112",),
        ("block = data[start : start + 2]", "for start in range(0, 8, 2)"),
    ),
    Cause(scripts.visits, VISITS, ("DPA105",), ("total = sum(min(10.0, a)",)),
    Cause(scripts.weekly, PEOPLE, ("DPA105",), ('["capped"].mean()',)),
    Cause(
        training.sgd_step,
        POINTS,
        ("DPA105",),
        (
            "average = clip_norm(average, 1.0)",
            "average = np.sum(gradients",
            "return g\n",
            "g = g * bound / norm",
        ),
    ),
    Cause(training.sgd_private_batch, POINTS, ("DPA101",), ("batch = max(1, len(data))",)),
    Cause(training.noise_once, TEN, ("DPA110",), ("noise = rng.laplace(scale=10.0)",)),
    Cause(training.steps_without_split, TEN, ("DPA107",), ("theta = theta + 0.1 * (gradient",)),
    Cause(
        training.stop_when_small,
        TEN,
        ("DPA108", "DPA101"),
        ("while abs(values.sum() - theta) > 5.0",),
    ),
    Cause(
        training.running_totals,
        ReplaceOne(Real(0, 1), size=6),
        ("DPA107",),
        ("total += min(max(x, 0.0), 1.0)", "yield total + rng.laplace("),
    ),
    Cause(training.stream_counts, TEN, ("DPA109",), ("seen.add(int(x))", "sorted(seen)")),
    Cause(training.warned_mean, TEN, ("DPA108",), ("if total == 0",)),
    Cause(training.cached_count, TEN, ("DPA116",), ("_cache[key] = len(data)",)),
    Cause(training.report_bit, BIT, ("DPA106",), ("p = 0.9", "if rng.random() < p")),
    Cause(
        training.report_unary,
        FOUR,
        ("DPA106", "DPA105"),
        ("flips = rng.random(k)", "vector[value] = 1"),
    ),
    Cause(
        training.report_hash,
        FOUR,
        ("DPA102", "DPA101"),
        ("digest = hashlib.sha256", "return digest if coin < 0.5"),
    ),
    Cause(
        training.report_number,
        AnyPair(Real(0, 10, enforced=False)),
        ("DPA104",),
        ("return float(value) + rng",),
    ),
    Cause(training.ratio, TEN, ("DPA103",), ("scale = 1.0 / (high + low)",)),
    Cause(training.inverse_ratio, TEN, ("DPA105", "DPA104"), ("weights = 1.0 / np.where",)),
    Cause(training.rounded_noise, TEN, ("DPA106",), ("noise = max(-3.0, min(3.0, noise))",)),
    Cause(
        training.top_two, ITEMS, ("DPA101",), ("counts = {c: sum(", "return order[:2], [counts[c]")
    ),
    Cause(training.check_outliers, HUNDRED, ("DPA108", "DPA101"), ("if x > 90",)),
    Cause(training.empty_is_none, LISTED, ("DPA108",), ("if not values",)),
    Cause(training.sum_of_deviations, TEN, ("DPA101",), ("center = x.mean()",)),
    Cause(
        training.split_wrongly,
        TEN,
        ("DPA107",),
        ("self.each = epsilon / (parts - 1)", "out.append(n + release"),
    ),
    Cause(training.winsorized, HUNDRED, ("DPA103",), ("self.cap = float(np.quantile(",)),
    Cause(training.inverted, TEN, ("DPA106",), ("return epsilon / sensitivity",)),
    Cause(
        training.dropped_ends, TEN, ("DPA101",), ("trimmed = ordered[1:-1]", "return [len(trimmed)")
    ),
    Cause(
        training.batches_by_size,
        AddRemove(Real(0, 1), max_size=8),
        ("DPA112",),
        ("batches = np.array_split(data, 3)",),
    ),
    Cause(
        training.busy_levels,
        AddRemove(Integer(0, 9), max_size=8),
        ("DPA107", "DPA106"),
        ("busy.append(visitors + rng",),
    ),
    Cause(
        training.slope,
        POINTS,
        ("DPA110", "DPA101"),
        ("return total + np.random.normal(0, self.spread)",),
        ApproxDP(2.0, 1e-5),
    ),
    Cause(
        training.ticked_boxes,
        ReplaceOne(Integer(0, 3), size=1),
        ("DPA106", "DPA105", "DPA107"),
        ("keep = np.exp(1.0)", "np.random.rand(boxes) < keep"),
    ),
    Cause(
        training.first_crowded,
        ITEMS,
        ("DPA108", "DPA102"),
        ("if alarm.rings(", "return number > self.limit"),
    ),
    Cause(releases.one_side, FREE_TEN, ("DPA104",), ("return v if v < self.bound",)),
    Cause(
        releases.clip_nan,
        AddRemove(Real(0, 10, allow_nan=True), max_size=8),
        ("DPA104",),
        ("vals = np.minimum",),
    ),
    Cause(
        releases.column_sums,
        AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), max_size=6),
        ("DPA110",),
        ("noisy = x.sum(axis=0)",),
    ),
    Cause(releases.private_mode, ITEMS, ("DPA109",), ("options = sorted(set",)),
    Cause(
        releases.popular_words,
        WORDS,
        ("DPA109", "DPA106"),
        ("counts = Counter", "for word, n in", "if noisy > 2.0"),
        ApproxDP(1.0, 1e-4),
    ),
    Cause(releases.own_sampler, TEN, ("DPA106",), ("return -scale",)),
    Cause(releases.rounded_noise, TEN, ("DPA106",), ("noise = round(",)),
    Cause(releases.chunk_sums, TEN, ("DPA112",), ("chunks = np.array_split",)),
    Cause(releases.median_clip, POINTS, ("DPA109", "DPA105"), ("c = float(np.median",)),
    Cause(
        releases.debug_sample,
        TEN,
        ("DPA102", "DPA101"),
        ("if len(data) and rng.random()", 'report["example"] ='),
    ),
    Cause(
        releases.winner_and_votes,
        ITEMS,
        ("DPA101", "DPA108"),
        ("winner = max(tallies", "return winner, noisy"),
    ),
    Cause(releases.settled_estimate, TEN, ("DPA108",), ("if np.abs(data - est).sum() < 10",)),
    Cause(
        helpers.adults_by_survey,
        ReplaceOne(Integer(0, 3), size=5),
        ("DPA105", "DPA106", "DPA103"),
        ("width = 1.0 / (len(survey.rows)", "return answer + np.random"),
    ),
    Cause(helpers.late_fees, TEN, ("DPA105",), ("sensitivity = abs(upper - lower)",)),
    Cause(
        helpers.colored_tile,
        ReplaceOne(Row(x=Integer(0, 9), y=Integer(0, 9)), size=4),
        ("DPA105", "DPA107", "DPA106"),
        ("sensitivity = 9 / (side**2)", "means = tile.mean("),
    ),
    Cause(
        helpers.marked_vote,
        BIT,
        ("DPA102", "DPA101"),
        ('return choice, "kept"', 'return 1 - choice, "turned"'),
    ),
    Cause(
        helpers.popular_page,
        AddRemove(Integer(0, 3), max_size=6, min_size=1, container="list"),
        ("DPA109",),
        ("tally[page] += 1", "weights = {page:", "return random.choices("),
    ),
    Cause(
        helpers.bounded_error,
        ReplaceOne(Real(0, 10), size=4),
        ("DPA106",),
        ("error = np.clip(error, -8, 8)",),
    ),
    Cause(
        helpers.stepped,
        AnyPair(Integer(0, 1)),
        ("DPA106", "DPA102"),
        ("sign = np.random", "steps = np.random.geometric", "return sign * (steps"),
    ),
    Cause(
        helpers.typical_amount,
        AddRemove(Real(0, 10), max_size=4, min_size=1),
        ("DPA102", "DPA101", "DPA108"),
        ("return float(np.max(data))", "if noisy.sum() == 0"),
    ),
    Cause(
        helpers.amounts_profile,
        AddRemove(Real(0, 10), max_size=4, min_size=1),
        ("DPA109",),
        ("counts, edges = np.histogram", "labels = [float(edge)"),
    ),
    Cause(
        helpers.first_alarms,
        QueryAnswers(3),
        ("DPA106", "DPA105", "DPA107"),
        ("share = epsilon / (2 * allowed)", "noisy = reading + np.random"),
    ),
    Cause(statistics.response_of_four, FOUR, ("DPA106",), ("keep = math.exp(1.0)",)),
    Cause(
        statistics.regression_step,
        ReplaceOne(Row(x=Real(-5, 5), y=Real(-5, 5)), size=5),
        ("DPA105",),
        ("gradient = (residuals", "gradient = gradient / max("),
        ApproxDP(1.0, 1e-5),
    ),
    Cause(
        statistics.dashboard,
        WORDS,
        ("DPA109",),
        ("words = Counter(data)", "largest = shown([", '"largest": largest[:5]'),
        PureDP(0.5),
    ),
    Cause(
        statistics.typical_record,
        ReplaceOne(Real(0, 1), size=4),
        ("DPA102", "DPA109"),
        ("ordered = np.sort(data)", "return np.random.choice("),
    ),
    Cause(
        statistics.limited_by_the_largest_user,
        LISTED,
        ("DPA103",),
        ("limit = max(", "spread = 2 * limit"),
    ),
    Cause(
        statistics.amplitude,
        AnyPair(Real(0, 1)),
        ("DPA106",),
        ("wave = np.random.normal()", "return value + wave.real"),
    ),
    Cause(
        statistics.blurred_place,
        AnyPair(Row(x=Real(0, 5), y=Real(0, 5))),
        ("DPA106",),
        ("radius = np.random.exponential(8.0)", 'return point["x"] + radius'),
    ),
    Cause(
        statistics.votes_in_favor,
        AddRemove(Integer(0, 1), max_size=8),
        ("DPA106",),
        ("decay = math.exp(-0.3)", "noise = np.random.geometric(decay)"),
        PureDP(0.3),
    ),
    Cause(
        statistics.blended_centers,
        AddRemove(Real(0, 10), max_size=6, min_size=1),
        ("DPA105", "DPA106", "DPA110"),
        ("blur, more = np.random", "(float(data[nearest == i].sum()) + blur)"),
    ),
    Cause(scales.sum_with_settings, TEN, ("DPA106", "DPA105"), ("SETTINGS = {",)),
    Cause(scales.sum_by_helper, TEN, ("DPA106", "DPA105"), ("spread = 10.0 * epsilon / 4",)),
    Cause(scales.sum_by_plan, TEN, ("DPA106",), ("return self.epsilon / self.sensitivity",)),
    Cause(
        scales.doubled_counts,
        ITEMS,
        ("DPA105", "DPA106"),
        ("self.table[int(x)] += 2", "self.noise(1.0 / self.epsilon)"),
    ),
    Cause(
        scales.gaussian_mean,
        ReplaceOne(Real(0, 10), size=4),
        ("DPA105", "DPA106"),
        ("sigma = sigma_for(top / (n * n)",),
        ApproxDP(0.5, 1e-5),
    ),
    Cause(scales.asked, BIT, ("DPA106",), ("self.keep = math.exp(2 * epsilon)",)),
    Cause(
        scales.report,
        TEN,
        ("DPA107",),
        ('"total": noisy(', "share = epsilon"),
    ),
    Cause(
        scales.mean_step,
        ReplaceOne(Real(-9, 9), size=4),
        ("DPA105",),
        ("step = max(-bound", "mean = np.mean(data)"),
    ),
]
