"""Points of segments between sorted records: what is proved of them, and what must not be."""

import random
from functools import partial

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne
from dpaudit.formal.lemma import prove_by_lemma
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.exponential_segments import exponential_segments
from mechanisms.flawed.exponential_segments_data_range import exponential_segments_data_range
from mechanisms.flawed.exponential_segments_without_length import (
    exponential_segments_without_length,
)
from mechanisms.flawed.quantile_data_candidates import quantile_data_candidates
from mechanisms.quantile import quantile
from tests.checking import proved_by_lemma

CLAIM = PureDP(1.0)
RECORDS, FIVE = AddRemove(Real(0, 100)), ReplaceOne(Real(0, 100), size=5)
ANYTHING = AddRemove(Real(0, 100, enforced=False, allow_nan=True, allow_infinity=True))


def proved(mechanism, claim=CLAIM, neighbors=RECORDS):
    return proved_by_lemma(mechanism, claim, neighbors)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (partial(quantile, sensitivity=0.5), ANYTHING),
        (partial(quantile, sensitivity=0.5), AddRemove(Integer(0, 100))),
        (partial(quantile, q=0.75, sensitivity=0.75), RECORDS),
        (quantile, FIVE),
        (partial(quantile, q=0.9), FIVE),
        (partial(quantile, q=0.0, sensitivity=0.5), RECORDS),  # ranks alone: all move one way
        (exponential_segments, RECORDS),
        (partial(exponential_segments, epsilon=0.5), FIVE),
    ],
)
def test_a_quantile_of_an_interval_is_proved_by_the_lemma_on_it(mechanism, neighbors):
    proof = proved(mechanism, neighbors=neighbors)
    assert proof.conclusion.lemma.name == "the exponential mechanism over an interval"
    assert proof.conclusion.facts


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (partial(quantile, sensitivity=0.5), PureDP(0.99), RECORDS),
        (partial(quantile, q=0.75, sensitivity=0.5), PureDP(1.0), RECORDS),
        (partial(quantile, q=0.75, sensitivity=0.74), PureDP(1.0), RECORDS),
        (partial(quantile, sensitivity=0.5), PureDP(1.0), FIVE),
        (partial(quantile, low=50.0, high=50.0), PureDP(1.0), RECORDS),
        (partial(quantile, low=-1.7e308, high=1.7e308), PureDP(1.0), RECORDS),
        (exponential_segments, PureDP(1.0), FIVE),
        (exponential_segments, PureDP(1.0), AddRemove(Real(0, 100), group=2)),
        (exponential_segments_data_range, PureDP(9.0), RECORDS),
        (exponential_segments_without_length, PureDP(9.0), RECORDS),
        (quantile_data_candidates, PureDP(9.0), FIVE),
    ],
)
def test_no_flawed_twin_is_proved(mechanism, claim, neighbors):
    with pytest.raises(Unsupported):
        proved(mechanism, claim, neighbors)


# --- other ways to write it, all of them right


def with_a_mask(data, rng):
    ends = np.sort(np.concatenate([np.fmin(np.fmax(data, 0.0), 1.0), [0.0, 1.0]]))
    lengths, n = np.diff(ends), len(data)
    places = np.flatnonzero(lengths > 0)
    masses = np.log(lengths[lengths > 0]) - np.abs(places - n / 2)
    sums = np.cumsum(np.exp(masses - np.max(masses)))
    i = places[np.searchsorted(sums, sums[-1] * rng.random(), side="right")]
    return float(rng.uniform(low=ends[i], high=ends[i + 1]))


def with_a_cap(data, rng):
    ends = np.sort(np.concatenate([[0.0, 1.0], np.clip(data, 0.0, 1.0)]))
    lengths, n = np.diff(ends), len(data)
    weights = np.log(lengths, out=np.full(len(lengths), -np.inf), where=lengths > 0)
    scores = np.minimum(np.abs(np.arange(n + 1) - n / 2), 3)
    j = (rng.gumbel(size=len(lengths)) + (weights - scores)).argmax()
    return rng.uniform(ends[j], ends[j + 1])


@pytest.mark.parametrize("mechanism", [with_a_mask, with_a_cap])
def test_it_may_be_written_in_other_ways(mechanism):
    assert proved(mechanism, PureDP(1.0), AddRemove(Real(0, 1)))
    with pytest.raises(Unsupported):
        proved(mechanism, PureDP(0.9), AddRemove(Real(0, 1)))


# --- one step changed each


def cut(data, low=0.0, high=100.0):
    ends = np.sort(np.concatenate([[low], np.fmin(np.fmax(data, low), high), [high]]))
    return ends, np.diff(ends), len(data)


def logarithms(lengths, n):
    return np.log(lengths, where=lengths > 0, out=np.full(n + 1, -np.inf))


def misses_nan(data, rng):
    ends = np.sort(np.concatenate([[0.0], np.minimum(np.maximum(data, 0.0), 100.0), [100.0]]))
    n = len(data)
    j = int(np.argmax(logarithms(np.diff(ends), n) + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def one_noise_for_all(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel()))
    return rng.uniform(ends[j], ends[j + 1])


def half_the_noise(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel(scale=0.5, size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def root_of_the_length(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) / 2 + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def noise_of_another_size(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel(size=n)))
    return rng.uniform(ends[j], ends[j + 1])


def empty_segments_may_be_chosen(data, rng):
    ends, lengths, n = cut(data)
    weights = np.log(lengths, where=lengths > 0, out=np.zeros(n + 1))
    j = int(np.argmax(weights + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def weights_left_over(data, rng):
    """The second logarithm keeps what the first one left where a segment is empty."""
    ends, lengths, n = cut(data)
    there = np.full(n + 1, -np.inf)
    np.log(lengths, where=lengths > 0, out=there)
    ends, lengths, n = cut(data, 0.0, 50.0)
    second = np.log(lengths, where=lengths > 0, out=there)
    j = int(np.argmax(second + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def two_segments(data, rng):
    ends, lengths, n = cut(data)
    weights = logarithms(lengths, n)
    j = int(np.argmax(weights + rng.gumbel(size=n + 1)))
    i = int(np.argmax(weights + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[i + 1])


def longer_segment(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1 + 1])


def middle_of_the_segment(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel(size=n + 1)))
    return (ends[j] + ends[j + 1]) / 2


def index_of_the_segment(data, rng):
    _, lengths, n = cut(data)
    return int(np.argmax(logarithms(lengths, n) + rng.gumbel(size=n + 1)))


def point_and_index(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1]), j


def weights_that_underflow(data, rng):
    ends, lengths, n = cut(data)
    places = np.flatnonzero(lengths > 0)
    sums = np.exp(np.log(lengths[places]) - np.abs(places - n / 2)).cumsum()
    i = places[sums.searchsorted(rng.random() * sums[-1], side="right")]
    return rng.uniform(ends[i], ends[i + 1])


def place_among_the_full_ones(data, rng):
    """An index among segments that are not empty, read as one among all."""
    ends, lengths, n = cut(data)
    places = np.flatnonzero(lengths > 0)
    masses = np.log(lengths[places]) - np.abs(places - n / 2)
    sums = np.exp(masses - masses.max()).cumsum()
    i = sums.searchsorted(rng.random() * sums[-1], side="right")
    return rng.uniform(ends[i], ends[i + 1])


def rank_among_the_full_ones(data, rng):
    """Scores that count segments that are not empty, not records."""
    ends, lengths, n = cut(data)
    places = np.flatnonzero(lengths > 0)
    masses = np.log(lengths[places]) - np.abs(np.arange(n + 1) - n / 2)
    sums = np.exp(masses - masses.max()).cumsum()
    i = places[sums.searchsorted(rng.random() * sums[-1], side="right")]
    return rng.uniform(ends[i], ends[i + 1])


def swallows_the_lengths(data, rng):
    ends, lengths, n = cut(data)
    j = int(np.argmax(logarithms(lengths, n) + 1e17 + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def swallows_the_lengths_by_rank(data, rng):
    ends, lengths, n = cut(data)
    k = np.arange(n + 1)
    weights = logarithms(lengths, n) + 1e17 * k - 1e17 * k
    j = int(np.argmax(weights + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def swallows_the_scores(data, rng):
    """Multiples of 16 are left of them."""
    ends, lengths, n = cut(data)
    far = 1e17 * np.arange(n + 1)
    scores = (np.abs(np.arange(n + 1) - n / 2) + far) - far
    j = int(np.argmax(logarithms(lengths, n) - scores + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def swallows_small_scores(data, rng):
    ends, lengths, n = cut(data)
    cap = 1e3 * np.minimum(np.arange(n + 1), 5)
    scores = 1e-15 * np.abs(np.arange(n + 1) - n / 2) + cap - cap
    j = int(np.argmax(logarithms(lengths, n) - 1e15 * scores + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def of_integers(data, rng, *, low=-1000, high=1000):
    ends, n = np.sort(np.concatenate([[low], data, [high]])), len(data)
    j = int(np.argmax(logarithms(np.diff(ends), n) + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


def test_lengths_of_integers_that_overflow_are_not_proved():
    far = 6 * 10**18  # 5e18 less -6e18 is negative in 64 bits, and that segment has no weight
    assert proved(of_integers, neighbors=AddRemove(Integer(-1000, 1000)))
    with pytest.raises(Unsupported):
        proved(partial(of_integers, low=-far, high=far), neighbors=AddRemove(Integer(-far, far)))


def half_open(data, rng):
    """Puts the records between ends that some of them are beyond."""
    n = len(data)
    ends = np.concatenate([[0.0], np.sort(np.fmin(np.fmax(data, -5.0), 100.0)), [100.0]])
    j = int(np.argmax(logarithms(np.diff(ends), n) + rng.gumbel(size=n + 1)))
    return rng.uniform(ends[j], ends[j + 1])


@pytest.mark.parametrize(
    "mechanism",
    [
        misses_nan,
        one_noise_for_all,
        half_the_noise,
        root_of_the_length,
        noise_of_another_size,
        empty_segments_may_be_chosen,
        weights_left_over,
        two_segments,
        longer_segment,
        middle_of_the_segment,
        index_of_the_segment,
        point_and_index,
        weights_that_underflow,
        place_among_the_full_ones,
        rank_among_the_full_ones,
        swallows_the_lengths,
        swallows_the_lengths_by_rank,
        swallows_the_scores,
        swallows_small_scores,
        half_open,
    ],
)
def test_what_is_another_density_is_not_proved(mechanism):
    with pytest.raises(Unsupported):
        proved(mechanism, PureDP(9.0), ANYTHING)


# --- a choice with the weights as probabilities


def by_choice(data, rng, *, q=0.5, lower=0.0, upper=100.0, epsilon=1.0):
    n = len(data)
    z = np.concatenate([[lower], np.sort(np.clip(data, lower, upper)), [upper]])
    lengths = np.diff(z)
    score = -np.abs(np.arange(n + 1) - q * n)
    w = lengths * np.exp(epsilon * (score - score.max()) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def by_global_choice(data):
    x = np.asarray(data, float)
    n = x.size
    z = np.sort(np.concatenate([np.clip(x, 0.0, 100.0), [0.0, 100.0]]))
    exponents = -np.abs(np.arange(n + 1) - n / 2) / 2
    w = np.exp(exponents - np.max(exponents)) * np.diff(z)
    p = w / np.sum(w)
    k = int(np.random.choice(len(w), p=p))  # noqa: NPY002
    return float(z[k] + random.random() * (z[k + 1] - z[k]))


def without_a_shift(data, rng):
    x = np.asarray(data, dtype=np.float64)
    inside = np.clip(x, 0.0, 100.0)
    inside.sort()
    z = np.append(np.append(0.0, inside), 100.0)
    lengths, ranks = np.diff(z), np.arange(x.shape[0] + 1)
    w = np.exp(-np.abs(ranks - x.size * 0.5) / 2) * lengths
    w = w / sum(w)
    i = rng.choice(ranks, p=w)
    return rng.random() * lengths[i] + z[i]


def by_choices(data):
    n = len(data)
    z = np.hstack([0.0, np.sort(np.clip(data, 0.0, 100.0)), 100.0])
    weights = np.diff(z) * np.exp(-0.5 * np.abs(np.arange(n + 1) - n / 2))
    k = random.choices(range(n + 1), weights=weights)[0]
    return random.uniform(z[k], z[k + 1])


def by_sums(data, rng):
    n = len(data)
    z = np.concatenate(([0.0], np.sort(np.clip(data, 0.0, 100.0)), [100.0]))
    score = np.abs(np.arange(n + 1) - n / 2)
    w = np.diff(z) * np.exp(-score / 2)
    k = np.searchsorted(np.cumsum(w), rng.random() * w.sum(), side="right")
    return rng.uniform(z[k], z[k + 1])


@pytest.mark.parametrize(
    "mechanism",
    [
        by_choice,
        partial(by_choice, q=0.9),
        by_global_choice,
        without_a_shift,
        by_choices,
        by_sums,
    ],
)
def test_a_segment_may_be_chosen_by_its_weight(mechanism):
    proof = proved(mechanism, neighbors=FIVE)
    assert proof.conclusion.lemma.name == "the exponential mechanism over an interval"
    with pytest.raises(Unsupported):
        proved(mechanism, PureDP(0.99), FIVE)


def test_weights_that_may_all_become_0_are_not_proved():
    """With many equal records, all segments but the first and the last are empty."""
    one_by_one = AddRemove(Real(0, 100))
    assert prove_by_lemma(lift(by_choice), CLAIM, one_by_one)  # of real numbers
    for neighbors in (one_by_one, ReplaceOne(Real(0, 100), size=4000)):
        with pytest.raises(Unsupported, match="not of floats"):
            proved(by_choice, CLAIM, neighbors)
    assert proved(by_choice, CLAIM, ReplaceOne(Real(0, 100), size=400))


def weighed(data, low=0.0, high=100.0):
    n = len(data)
    z = np.concatenate([[low], np.sort(np.clip(data, low, high)), [high]])
    return z, np.diff(z) * np.exp(-np.abs(np.arange(n + 1) - n / 2) / 2), n


def leaves_the_lengths_out(data, rng):
    z, _, n = weighed(data)
    w = np.exp(-np.abs(np.arange(n + 1) - n / 2) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def not_clipped(data, rng):
    n = len(data)
    z = np.concatenate([[0.0], np.sort(data), [100.0]])
    w = np.diff(z) * np.exp(-np.abs(np.arange(n + 1) - n / 2) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def ends_of_the_data(data, rng):
    n = len(data)
    z = np.concatenate([[data.min()], np.sort(data), [data.max()]])
    w = np.diff(z) * np.exp(-np.abs(np.arange(n + 1) - n / 2) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def one_segment_less(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def the_next_segment(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k + 1], z[k + 2])


def the_whole_interval(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[0], z[k + 1])


def segment_of_another_array(data, rng):
    _, w, n = weighed(data)
    other, _, _ = weighed(data, 0.0, 50.0)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(other[k], other[k + 1])


def sum_of_other_weights(data, rng):
    z, w, n = weighed(data)
    _, other, _ = weighed(data, 0.0, 50.0)
    k = rng.choice(n + 1, p=w / other.sum())
    return rng.uniform(z[k], z[k + 1])


def weights_as_they_are(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w)
    return rng.uniform(z[k], z[k + 1])


def squares_of_the_weights(data, rng):
    z, w, n = weighed(data)
    w = w * w
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def share_of_running_sums(data, rng):
    z, w, n = weighed(data)
    sums = np.cumsum(w)
    k = rng.choice(n + 1, p=sums / w.sum())
    return rng.uniform(z[k], z[k + 1])


def running_sums_of_shares(data, rng):
    """The shares add up to 1, the draw is below the sum of the weights."""
    z, w, _ = weighed(data)
    k = np.searchsorted(np.cumsum(w / w.sum()), rng.random() * w.sum(), side="right")
    return rng.uniform(z[k], z[k + 1])


def scores_by_the_records(data, rng):
    z, _, n = weighed(data)
    w = np.diff(z) * np.exp(-np.abs(z[np.arange(n + 1)] - 50.0))
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def shift_of_another_vector(data, rng):
    z, _, n = weighed(data)
    score, other = -np.abs(np.arange(n + 1) - n / 2), np.arange(n + 1)
    w = np.diff(z) * np.exp((score - other.max()) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def shift_that_is_scaled_by_rank(data, rng):
    z, _, n = weighed(data)
    ranks = np.arange(n + 1)
    score = -np.abs(ranks - n / 2)
    w = np.diff(z) * np.exp((score - score.max()) * ranks)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def twice_the_shift_taken_by_rank(data, rng):
    z, _, n = weighed(data)
    score = -np.abs(np.arange(n + 1) - n / 2)
    w = np.diff(z) * np.exp((score - score.max()) * (score - score.max()))
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


def one_number_for_both(data, rng):
    """The number that chooses the segment is its place in there too."""
    z, w, _ = weighed(data)
    u = rng.random()
    k = np.searchsorted(np.cumsum(w), u * w.sum(), side="right")
    return z[k] + u * (z[k + 1] - z[k])


def length_of_another_segment(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w / w.sum())
    j = rng.choice(n + 1, p=w / w.sum())
    return z[k] + rng.random() * (z[j + 1] - z[j])


def beyond_the_segment(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w / w.sum())
    return z[k] + 2 * rng.random() * (z[k + 1] - z[k])


def with_the_segment_shown(data, rng):
    z, w, n = weighed(data)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1]), w.sum()


@pytest.mark.parametrize(
    "mechanism",
    [
        leaves_the_lengths_out,
        not_clipped,
        ends_of_the_data,
        one_segment_less,
        the_next_segment,
        the_whole_interval,
        segment_of_another_array,
        sum_of_other_weights,
        weights_as_they_are,
        squares_of_the_weights,
        share_of_running_sums,
        running_sums_of_shares,
        scores_by_the_records,
        shift_of_another_vector,
        shift_that_is_scaled_by_rank,
        twice_the_shift_taken_by_rank,
        one_number_for_both,
        length_of_another_segment,
        beyond_the_segment,
        with_the_segment_shown,
    ],
)
@pytest.mark.parametrize("neighbors", [RECORDS, FIVE])
def test_no_choice_with_one_step_changed_is_proved(mechanism, neighbors):
    """Rounding aside: the lemma itself must not be about them."""
    neighbors = type(neighbors)(Real(0, 100, enforced=False), **_size(neighbors))
    with pytest.raises(Unsupported):
        prove_by_lemma(lift(mechanism), PureDP(4.0), neighbors)


def _size(neighbors):
    return {"size": 5} if isinstance(neighbors, ReplaceOne) else {}


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (partial(by_choice, epsilon=2.0), PureDP(1.0), FIVE),
        (partial(by_choice, q=0.9), PureDP(0.89), RECORDS),
        (partial(by_choice, lower=100.0), PureDP(1.0), FIVE),
        (by_choice, PureDP(1.0), ReplaceOne(Real(0, 100, allow_nan=True), size=5)),
        (by_choice, PureDP(1.0), ReplaceOne(Real(0, 100), size=5, group=2)),
    ],
)
def test_a_choice_that_costs_more_than_the_claim_is_not_proved(mechanism, claim, neighbors):
    with pytest.raises(Unsupported):
        prove_by_lemma(lift(mechanism), claim, neighbors)


def far_below(data, rng, *, moved=-800.0):
    n = len(data)
    z = np.concatenate([[0.0], np.sort(np.clip(data, 0.0, 100.0)), [100.0]])
    w = np.diff(z) * np.exp(moved - np.abs(np.arange(n + 1) - n / 2) / 2)
    k = rng.choice(n + 1, p=w / w.sum())
    return rng.uniform(z[k], z[k + 1])


@pytest.mark.parametrize("moved", [-800.0, -720.0, 720.0])
def test_exponents_beyond_the_floats_are_not_proved(moved):
    """They are no shift: powers of e are infinite, 0, or have lost their last digits."""
    assert prove_by_lemma(lift(partial(far_below, moved=moved)), CLAIM, FIVE)
    with pytest.raises(Unsupported):
        proved(partial(far_below, moved=moved), CLAIM, FIVE)
