"""The parts of the statistical engine, one by one."""

import gc
import math
import weakref
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from dpaudit.claims import PureDP
from dpaudit.evidence import Budget
from dpaudit.outputs import Columns, Raised, encode, encode_rows
from dpaudit.statistical.attribute import attribute
from dpaudit.statistical.bandit import FOCUS, Focus, next_arm
from dpaudit.statistical.book import Book, PairsOfDraws, Stakes
from dpaudit.statistical.conclude import _bounds
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.earned import Earned
from dpaudit.statistical.features import learned_order, outcome_partition, plain_partitions
from dpaudit.statistical.null import NullCheck
from dpaudit.statistical.numerics import log_sum_exp, quantile_edges
from dpaudit.statistical.one_sided import WEIGHTS
from dpaudit.statistical.partition import ValuePartition
from dpaudit.statistical.pool import KEEP, Pool
from dpaudit.statistical.race import Race
from dpaudit.statistical.rows import BLOCK, remembered, row_hashes, scalar_path
from dpaudit.statistical.score import (
    feature_map,
    learned_scores,
    score_partition,
    with_steps,
)
from dpaudit.statistical.telling import telling_event

STRANGE = [
    None, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, True, 3, "text", (1.0, 2.0),
    [], {"a": 1}, np.zeros((2, 2)), Raised(ValueError("no")),
]  # fmt: skip


def normal(rng, size):
    return encode([float(x) for x in rng.normal(size=size)])


# Partitions.


SAMPLES = {
    "a density": [float(x) for x in np.random.default_rng(0).normal(size=400)],
    "a density with an atom": [float(max(0, x)) for x in np.random.default_rng(1).normal(size=400)],
    "a density and other things": [
        x if x > -1 else None for x in np.random.default_rng(2).normal(size=400).tolist()
    ],
    "integers": np.random.default_rng(3).integers(0, 12, 400).tolist(),
    "one value": [7.0] * 400,
    "words": list(np.random.default_rng(4).choice(["a", "b", "c"], 400)),
    "vectors": [tuple(row) for row in np.random.default_rng(5).normal(size=(400, 4)).tolist()],
    "flags": [tuple(row) for row in (np.random.default_rng(6).random((400, 3)) < 0.3).tolist()],
    "nothing but None": [None] * 400,
    "lists of any length": [[1.0] * n for n in np.random.default_rng(7).integers(0, 9, 400)],
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_partitions_have_a_cell_for_every_output_seen_or_not(sample):
    outputs = encode(sample)
    for cells in (2, 8, 32):
        for partition in plain_partitions(outputs, cells):
            for others in (outputs, encode(STRANGE), encode(STRANGE + sample), Columns(0)):
                assigned = partition.assign(others)
                assert assigned.shape == (others.size,)
                assert np.all((assigned >= 0) & (assigned < partition.cells))
            for order in partition.orders:
                assert sorted(order) == list(range(partition.cells))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_cell_of_an_output_does_not_depend_on_what_is_beside_it(sample):
    outputs = encode(sample)
    mixed = encode(STRANGE + sample)
    for partition in plain_partitions(outputs, 8):
        alone = np.concatenate([partition.assign(encode([x])) for x in sample[:60]])
        assert np.array_equal(alone, partition.assign(outputs)[:60])
        assert np.array_equal(alone, partition.assign(mixed)[len(STRANGE) :][:60])


def test_atoms_and_values_that_are_no_numbers_have_cells_of_their_own():
    rng = np.random.default_rng(0)
    sample = [*rng.normal(size=300).tolist(), *[0.5] * 30, *[None] * 30, *[math.nan] * 30]
    (partition,) = plain_partitions(encode(sample), 8)
    near, atom, none, nan, unseen = partition.assign(
        encode([0.5 + 1e-9, 0.5, None, math.nan, "never seen"])
    )
    assert len({near, atom, none, nan, unseen}) == 5
    assert (partition.assign(encode(sample)) == atom).sum() == 30


def test_a_density_gets_cells_of_about_equal_mass():
    outputs = normal(np.random.default_rng(1), 4_000)
    (partition,) = plain_partitions(outputs, 10)
    counts = np.bincount(partition.assign(outputs), minlength=partition.cells)
    inner = counts[counts > 0.05 * 4_000]
    assert len(inner) >= 8
    assert counts.max() <= 0.11 * 4_000


def test_few_outcomes_get_a_cell_each_and_many_do_not():
    flags = encode(SAMPLES["flags"])
    partition = outcome_partition(flags)
    assert partition is not None
    assert len(np.unique(partition.assign(flags))) == 8
    assert outcome_partition(encode(SAMPLES["vectors"])) is None


def test_the_learned_order_puts_what_the_right_dataset_favors_last():
    left, right = encode([0.0] * 90 + [1.0] * 10), encode([0.0] * 10 + [1.0] * 90)
    (partition,) = plain_partitions(Columns.concat([left, right]), 8)
    order = list(learned_order(partition, left, right))
    low, high = partition.assign(encode([0.0, 1.0]))
    assert order.index(low) < order.index(high)


def running_sums(answer, seed, size=6_000):
    noise = np.random.default_rng(seed).laplace(scale=3.0, size=(size, 10))
    return encode_rows((answer + noise).cumsum(axis=1))


def test_steps_between_entries_are_learned_from_where_they_predict_better():
    """Noise was added before the sums: the signs of the steps tell most. With a fresh seed this
    fails in less than one of a hundred runs."""
    left, right = running_sums(0, 1), running_sums(1, 2)
    scores = learned_scores(left, right, 0)
    assert [bool(score.features.steps) for score in scores][-1]
    held = running_sums(0, 3), running_sums(1, 4)
    correct = [(s(held[1]) > 0).mean() + (s(held[0]) < 0).mean() for s in (scores[0], scores[-1])]
    assert correct[1] > correct[0] + 0.02


def test_steps_between_flags_or_beyond_the_largest_float_are_no_trouble():
    flags = encode_rows(np.random.default_rng(0).integers(0, 2, (500, 6)))
    assert with_steps(feature_map(flags), flags) is None
    sums = running_sums(0, 5, size=500)
    features = with_steps(feature_map(sums), sums)
    wild = encode([[1.7e308 * (-1) ** i for i in range(10)], [1.0] * 4])
    assert np.isfinite(features(wild)).all()


def test_a_learned_score_tells_two_vectors_apart_that_no_entry_does():
    """The sum of five entries moves by two standard deviations of an entry."""
    rng = np.random.default_rng(2)
    left, right = (
        encode([tuple(row) for row in rng.normal(shift, size=(600, 5)).tolist()])
        for shift in (0.0, 0.4)
    )
    scores = learned_scores(left, right, 0)
    partition = score_partition(scores[0], Columns.concat([left, right]), 8)
    middle = partition.cells // 2
    assert (partition.assign(right) >= middle).mean() > (partition.assign(left) >= middle).mean()
    assert np.mean(scores[0](right)) > np.mean(scores[0](left)) + 0.5


def test_quantile_edges_lie_on_no_value_and_increase():
    values = np.random.default_rng(3).normal(size=500)
    edges = quantile_edges(values, 16)
    assert not np.isin(edges, values).any()
    assert np.all(np.diff(edges) > 0)


def test_log_sum_exp_neither_overflows_nor_loses_small_terms():
    assert log_sum_exp(np.array([1000.0, 1000.0])) == pytest.approx(1000 + math.log(2))
    assert log_sum_exp(np.array([-math.inf, -math.inf])) == -math.inf
    assert log_sum_exp(np.array([-1000.0, -np.inf])) == pytest.approx(-1000)


# Rows.


def test_equal_outputs_have_equal_hashes_in_any_batch():
    batch = ["b", None, (1.0, "x"), 0.0, Raised(ValueError("no")), {"k": 2.5}]
    together = row_hashes(encode(batch))
    reverse = row_hashes(encode(batch[::-1]))[::-1]
    alone = np.concatenate([row_hashes(encode([output])) for output in batch])
    assert np.array_equal(together, reverse)
    assert np.array_equal(together, alone)
    assert row_hashes(encode([-0.0])) == row_hashes(encode([0.0]))


def test_different_outputs_have_different_hashes():
    outputs = [
        0.0, 1.0, 1, True, None, math.nan, math.inf, "1", "1.0", (1.0,), [1.0], (1.0, 2.0),
        (2.0, 1.0), {"a": 1.0}, {"b": 1.0}, (), [], Raised(ValueError("a")),
        Raised(ValueError("b")), Raised(TypeError("a")),
    ]  # fmt: skip
    assert len(set(row_hashes(encode(outputs)).tolist())) == len(outputs)


def test_a_scalar_may_come_with_other_things_beside_it():
    assert scalar_path(encode([1.0, 2.5, None, math.nan])) == ""
    assert scalar_path(encode([1.0, 2])) is None
    assert scalar_path(encode([(1.0, 2.0), (1.0, 3.0)])) is None
    assert scalar_path(encode([None, None])) is None


# The pool.


def test_the_pool_keeps_every_row_with_the_same_probability():
    """Chi-square over six batches of very different sizes; a fresh seed fails one time in 1,000."""
    from scipy.stats import chi2

    sizes = np.array([50, 4_000, 12_000, 20_000, 900, 30_000])
    pool = Pool(11)
    for batch, size in enumerate(sizes):
        pool.add(0, Columns(size, {"": np.full(size, float(batch))}))
    kept = pool.side(0)
    assert kept.size == KEEP
    assert pool.draws == sizes.sum()
    seen = np.bincount(kept.numbers[""].astype(int), minlength=len(sizes))
    expected = KEEP * sizes / sizes.sum()
    # Draws without replacement spread less than a multinomial by the share that is left out.
    statistic = ((seen - expected) ** 2 / expected).sum() / (1 - KEEP / sizes.sum())
    assert statistic < chi2.isf(1e-3, len(sizes) - 1)


def test_the_pool_keeps_everything_until_it_is_full():
    pool = Pool(0)
    for batch in range(4):
        pool.add(1, Columns(1_000, {"": np.arange(1_000) + 1_000.0 * batch}))
    assert np.array_equal(pool.side(1).numbers[""], np.arange(4_000.0))
    assert pool.side(0).size == 0


# The null check.


def test_the_null_check_stays_silent_without_memory():
    """H0: calls are independent. Each of 40 runs reaches 1/0.01 with probability at most .01, so
    more than four do with probability 6e-5."""
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        null = NullCheck(6, seed)
        for _ in range(12):
            labels = rng.integers(0, 2, 80).astype(np.uint8)
            cells = np.where(labels == 1, rng.integers(3, 6, 80), rng.integers(0, 6, 80))
            null.observe(cells, labels)
        alarms += null.log_wealth > math.log(100)
    assert alarms <= 4


def test_the_null_check_sees_that_the_dataset_before_matters():
    """The earlier dataset moves the output's cell in nine calls of ten; 960 calls are plenty."""
    rng = np.random.default_rng(0)
    null = NullCheck(4, 0)
    for _ in range(12):
        labels = rng.integers(0, 2, 80).astype(np.uint8)
        before = np.concatenate([[0], labels[:-1]])
        cells = np.where(rng.random(80) < 0.9, 3 * before, rng.integers(0, 4, 80))
        null.observe(cells.astype(np.intp), labels)
    assert null.log_wealth > 50


def test_the_null_check_sees_drift():
    """After half of some thousand calls, in batches that grow as an audit's do, the output moves
    to cells that it never took before."""
    rng = np.random.default_rng(0)
    null = NullCheck(6, 0)
    drawn = 0
    for batch in range(16):
        size = max(48, drawn // 3)
        labels = rng.integers(0, 2, size).astype(np.uint8)
        null.observe(rng.integers(0, 3, size) + 3 * (batch >= 13), labels)
        drawn += size
    assert null.log_wealth > 30


# What people are shown.


def test_the_telling_event_is_counted_on_the_half_that_did_not_choose_it():
    rng = np.random.default_rng(0)
    left, right = normal(rng, 501), encode([float(x) for x in rng.normal(2.0, size=400)])
    told = telling_event(left, right, Stakes.of(PureDP(0.5)))
    counts = told.counts
    sizes = (200, 250) if told.mirrored else (250, 200)
    assert (counts.left_calls, counts.right_calls) == sizes
    assert counts.left / counts.left_calls > 2 * counts.right / counts.right_calls
    assert told.what == "interval"
    inside = [eval(told.event.source, {"output": float(x)}) for x in left.numbers[""][1::2]]
    assert sum(inside) == (counts.right if told.mirrored else counts.left)


def test_between_equal_samples_the_telling_event_is_not_told_by_its_choice():
    """H0: both sides are equal. The held-out rates differ by less than four standard errors in
    every one of 20 samples; a fresh set of seeds fails about one time in 800."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        counts = telling_event(normal(rng, 300), normal(rng, 300), Stakes.of(PureDP(0.0))).counts
        total = (counts.left + counts.right) / (counts.left_calls + counts.right_calls)
        error = math.sqrt(max(total * (1 - total), 1e-4) * 2 / 150)
        assert abs(counts.left / 150 - counts.right / 150) < 4 * error


def cause(likely, unlikely, epsilon=1.0):
    """What is said of outputs, the likelier dataset first or second."""
    left, right = encode(likely), encode(unlikely)
    told = telling_event(left, right, Stakes.of(PureDP(epsilon)))
    sides = (right, left) if told.mirrored else (left, right)
    return attribute(told, *sides).id


def test_causes_are_read_from_the_outputs():
    rng = np.random.default_rng(0)
    noise = rng.laplace(size=(2, 600)).tolist()
    rare = rng.random(600) < 0.04
    assert cause([0.0] * 50, [1.0] * 50) == "DPA101"
    coins = (2 * rng.integers(0, 2, (2, 600))).tolist()
    leaks = [1 if r else coin for r, coin in zip(rare, coins[0], strict=True)]
    assert cause(leaks, coins[1]) == "DPA102"
    assert cause([3 * x for x in noise[0]], noise[1]) == "DPA103"
    assert cause([Raised(ValueError("empty"))] * 300 + noise[0][:300], noise[1]) == "DPA108"
    assert cause([[x] for x in noise[0]], [[x, x] for x in noise[1]]) == "DPA109"
    assert cause([{"a": x} for x in noise[0]], [{"b": x} for x in noise[1]]) == "DPA109"
    assert cause([x + 3 for x in noise[0]], noise[1]) == "DPA201"


# The bandit.


def contender(index, modes=("label", "coupled")):
    return Contender(None, index, modes, (0,), vectorized=False)


def earned(partitions, one_sided=0.0):
    return Earned(partitions, np.full(2 * len(WEIGHTS), one_sided))


def test_the_bandit_plays_evenly_without_evidence_and_the_telling_stream_with_it():
    rivals = [contender(0), contender(1)]
    for _ in range(40):
        arm = next_arm(rivals, {}, 14.0)
        arm.contender.calls[arm.mode] += 50
    assert {c.calls[m] for c in rivals for m in c.modes} == {500}
    arm = next_arm(rivals, {(1, "coupled"): earned(6.0)}, 14.0)
    assert (arm.contender.index, arm.mode) == (1, "coupled")


def test_the_bandit_plays_labels_where_coupled_draws_show_outputs_of_one_side_alone():
    """For such outputs labels pay twice as much a call; for others coupled draws go on."""
    rival = contender(0)
    rival.calls.update(label=100, coupled=100)
    for own, mode in ((0.0, "coupled"), (6.0, "label")):
        seen = {(0, "coupled"): earned(4.0, own)}
        assert next_arm([rival], seen, 14.0).mode == mode


def test_the_bandit_counts_calls_that_repeat_coupled_draws():
    rival = contender(0)
    rival.calls.update(label=100, coupled=90)
    assert next_arm([rival], {}, 14.0).mode == "coupled"
    rival.repeated = 60
    assert next_arm([rival], {}, 14.0).mode == "label"


def rivals_with_evidence(counts):
    """Return eight pairs; draws on the labels of the fourth fell in two cells like this."""
    rivals, none = [contender(i) for i in range(8)], np.zeros(0)
    book = rivals[3].books["label"]
    book.join([(ValuePartition("", np.array([0.0]), none, none.astype(np.uint64)), None)], 1.0)
    book.experts[0].counts[:, :2] = counts
    return rivals


def play(rivals, allowed, calls):
    """Return the calls to the telling stream and the fewest to any other, as shares of all."""
    focus, stakes = Focus(), Stakes.of(PureDP(1.0))
    while sum(rival.total_calls for rival in rivals) < calls:
        focused = focus.next_arm(rivals, stakes, allowed)
        arm = focused or next_arm(rivals, {}, 14.0)
        arm.contender.calls[arm.mode] += 20
        focus.given += 20 if focused else 0
    least = min(rival.calls[mode] for rival in rivals for mode in rival.modes)
    return rivals[3].calls["label"] / calls, least / calls


def test_most_calls_go_at_first_to_the_stream_whose_best_bet_earned_most_in_hindsight():
    telling, _ = play(rivals_with_evidence([[900, 100], [100, 900]]), 10_000_000, 40_000)
    assert telling == pytest.approx(FOCUS[0], rel=0.05)


def test_over_the_whole_budget_the_focus_takes_a_quarter_and_the_others_are_played_evenly():
    rivals = rivals_with_evidence([[900, 100], [100, 900]])
    telling, least = play(rivals, 40_000, 40_000)
    streams = sum(len(rival.modes) for rival in rivals)
    assert telling <= FOCUS[1] + 0.05
    assert least >= 0.9 * (1 - FOCUS[1]) / (streams - 1)


def test_what_luck_explains_earns_no_focus():
    telling, least = play(rivals_with_evidence([[9, 8], [8, 9]]), 40_000, 40_000)
    assert telling == pytest.approx(least, abs=20 / 40_000)


def test_calls_fit_in_the_time_at_the_pace_so_far():
    def fits(calls, seconds, looked=0.0, processes=0):
        """Draw 100 calls in 5 seconds, and look for memory apart from them."""
        made, spent = 1_100 + processes, 5.0 + looked
        race = SimpleNamespace(
            budget=Budget(max_seconds=seconds),
            calls=made,
            earlier=1_000,
            seconds=spent,
            aside=looked,
            other_calls=processes,
        )
        race.expected = partial(Race.expected, race)
        return Race.fits(race, calls)

    assert fits(10**9, None)
    assert fits(1_400, 20.0)
    assert not fits(1_401, 20.0)
    assert fits(1_700, 50.0, looked=30.0, processes=300)  # 300 calls are left to draw
    assert not fits(1_701, 50.0, looked=30.0, processes=300)


def test_the_bandit_keeps_a_tenth_for_labels_that_only_the_null_check_bets_on():
    rival = contender(0, ("coupled", "independent"))
    for _ in range(200):
        arm = next_arm([rival], {(0, "coupled"): earned(5.0)}, 14.0)
        rival.calls[arm.mode] += 20
    assert rival.calls["label"] == pytest.approx(0.1 * rival.total_calls, rel=0.1)


# Lower bounds.


@dataclass(frozen=True)
class Shows:
    """A pair whose wealth falls with the epsilon that it is weighed against."""

    epsilon: float  # below which its wealth is large
    lost: float  # nats at larger ones

    def log_wealth(self, stakes):
        return 100.0 if stakes.epsilon < self.epsilon else -self.lost


def test_a_lower_bound_is_that_of_the_pair_that_shows_most_not_of_the_strongest_at_the_claim():
    pairs = [Shows(0.1, 0.0)] * 5 + [Shows(0.8, 2.0)]
    entries = [SimpleNamespace(contender=pair, threshold=14.0) for pair in pairs]
    claim = PureDP(1.0)
    race = SimpleNamespace(claim=claim, stakes=Stakes.of(claim), log_wealth=lambda pair: -pair.lost)
    epsilon, parameter = _bounds(race, entries, [])
    assert 0.75 < epsilon < 0.8
    assert parameter == epsilon


# Many partitions read the same outputs.


def test_what_is_remembered_of_outputs_is_computed_once_and_forgotten_with_them():
    asked = []

    @remembered
    def doubled(columns, times):
        asked.append(times)
        return columns.numbers[""] * times

    outputs = encode([1.0, 2.0])
    for _ in range(2):
        assert doubled(outputs, 2).tolist() == [2.0, 4.0]
        assert doubled(outputs, 3).tolist() == [3.0, 6.0]
    assert asked == [2, 3]
    assert doubled(encode([5.0, 6.0]), 2).tolist() == [10.0, 12.0]
    result = weakref.ref(doubled(outputs, 2))
    del outputs
    gc.collect()
    assert result() is None


@pytest.mark.parametrize("size", [1, BLOCK, 2 * BLOCK + 5])
def test_a_book_counts_block_by_block_what_it_would_count_at_once(size):
    rng = np.random.default_rng(8)
    left, right = (encode_rows(rng.normal(mean, size=(size, 4))) for mean in (0.0, 0.1))
    zero, tenth = (encode_rows(rng.normal(mean, size=(500, 4))) for mean in (0.0, 0.1))
    (score,) = learned_scores(zero, tenth, 0)
    partitions = [score_partition(score, tenth, cells) for cells in (4, 8)]
    book = Book(PairsOfDraws())
    book.join([(partition, None) for partition in partitions], 1.0)
    book.add_pairs(left, right)
    assert book.draws == size
    for expert, partition in zip(book.experts, partitions, strict=True):
        expected = np.zeros_like(expert.counts)
        np.add.at(expected, (partition.assign(left), partition.assign(right)), 1)
        assert np.array_equal(expert.counts, expected)
