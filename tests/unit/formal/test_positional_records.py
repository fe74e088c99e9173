"""A public number of records is an array like any other, of which one entry differs."""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, GaussianDP, Integer, PureDP, Real, ReplaceOne
from dpaudit.neighbors import Row
from tests.checking import check
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal.positional_programs import QUERIES

ONE = PureDP(1.0)
UNIT = ReplaceOne(Real(0, 1), size=4)
WIDE = ReplaceOne(Real(-3, 3), size=3)
COUNTED = AddRemove(Integer(0, 2), max_size=5)


def released(query, scale):
    def release(data, rng):
        answer = query(data)
        return answer + rng.laplace(0, scale, size=np.shape(answer))

    return release


def _named(cases):
    return [pytest.param(*case, id=case[0].__name__) for case in cases]


@pytest.mark.parametrize(("query", "neighbors", "moved"), sampled(_named(QUERIES), 8))
def test_noise_for_what_one_record_moves_is_proved_and_less_is_not(query, neighbors, moved):
    assert is_proved(released(query, float(moved)), ONE, neighbors)
    assert not is_proved(released(query, 0.99 * moved), ONE, neighbors)


def _value(domain, draw):
    ends = [domain.low, domain.high]
    if isinstance(domain, Integer):
        return int(draw.integers(domain.low, domain.high + 1))
    return float(draw.choice([*ends, draw.uniform(*ends)]))


def _pair(neighbors, draw):
    records = neighbors.records
    if isinstance(records, Row):
        import pandas as pd

        rows = [[_value(d, draw) for d in records.domains] for _ in range(5)]
        others = rows[1:] if isinstance(neighbors, ReplaceOne) else rows[:-2]
        frames = (pd.DataFrame(part, columns=records.names) for part in (rows[:-1], others))
        types = {name: float if name == "v" else int for name in records.names}
        return tuple(frame.astype(types) for frame in frames)
    left = np.array([_value(records, draw) for _ in range(neighbors.size)])
    right = left.copy()
    right[draw.integers(neighbors.size)] = _value(records, draw)
    return left, right


@pytest.mark.parametrize(("query", "neighbors", "moved"), _named(QUERIES))
def test_no_pair_moves_a_query_by_more_and_some_pair_by_as_much(query, neighbors, moved):
    draw = np.random.default_rng(7)
    moves = []
    for _ in range(600):
        left, right = (np.asarray(query(data), dtype=float) for data in _pair(neighbors, draw))
        moves.append(np.abs(left - right).sum())
    assert max(moves) <= moved + 1e-9
    assert max(moves) >= 0.75 * moved


def noise_for_each(data, rng):
    return (data + rng.laplace(0, 1, size=len(data))).tolist()


def noise_put_in(data, rng):
    noise = rng.laplace(0, 1, size=data.shape[0])
    released = np.empty_like(noise)
    for i in range(data.shape[0]):
        released[i] = data[i] + noise[i]
    return released.sum()


def noisy_and_what_follows(data, rng):
    noisy = data + rng.laplace(0, 1, size=data.shape)
    noisy *= 2
    return noisy.mean(), np.sort(noisy), noisy.std()


SOUND = [noise_for_each, noise_put_in, noisy_and_what_follows]


@pytest.mark.parametrize("mechanism", SOUND)
def test_noise_for_each_of_a_public_number_is_proved_and_checked(mechanism):
    report = dpaudit.verify(mechanism, ONE, UNIT)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert check(report.certificate.to_dict()).accepted


def one_noise_for_all(data, rng):
    return data + rng.laplace(0, 1)


def one_noise_for_two(data, rng):
    noise = rng.laplace(0, 2, size=4)
    return data + noise, 2 * data + noise


def one_entry_again(data, rng):
    return data + rng.laplace(0, 1, size=4), data[0] + rng.laplace(0, 1)


def one_entry_without(data, rng):
    noisy = data + rng.laplace(0, 1, size=4)
    noisy[0] = data[0]
    return noisy


def another_form_that_changes_with_it(data, rng):
    x = data * 1.0
    w = x.reshape(2, 2)
    x *= 10.0
    return w + rng.laplace(0, 1, size=(2, 2))


def part_that_changes_with_it(data, rng):
    x = data * 1.0
    w = np.flip(x)
    x *= 10.0
    return w + rng.laplace(0, 1, size=4)


def two_places_for_one_number(data, rng):
    x = 2 * data - 1
    return x[2] * (1 - x[0] * x[1]) + rng.laplace(0, 2)


def place_by_a_record(data, rng):
    return data[int(3 * data[0])] + rng.laplace(0, 1)


def entry_of_an_empty_array(data, rng):
    released = np.empty_like(data)
    released[0] = data[0] + rng.laplace(0, 1)
    return released


BROKEN = [
    one_noise_for_all, one_noise_for_two, one_entry_again, one_entry_without,
    another_form_that_changes_with_it, part_that_changes_with_it, two_places_for_one_number,
    place_by_a_record, entry_of_an_empty_array,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", BROKEN)
def test_noise_for_each_that_hides_less_is_not_verified(mechanism):
    assert not is_proved(mechanism, ONE, UNIT)


@pytest.mark.parametrize(
    "neighbors",
    [
        AddRemove(Real(0, 1), max_size=4),  # the number of entries tells
        ReplaceOne(Real(0, 1), size=4, group=2),
        ReplaceOne(Real(0, 1, allow_nan=True), size=4),
        ReplaceOne(Real(0, 1, enforced=False), size=4),
        ReplaceOne(Real(0, 1.01), size=4),
    ],
)
def test_noise_for_each_is_not_verified_of_other_records(neighbors):
    def release(data, rng):
        return data + rng.laplace(0, 1, size=len(data))

    assert not is_proved(release, ONE, neighbors)


def shortened_by_a_branch(data, rng):
    norm = np.linalg.norm(data)
    if norm > 1.5:
        data = data * (1.5 / norm)
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_by_a_branch_that_divides(data, rng):
    norm = np.linalg.norm(data)
    if norm >= 1.5:
        data = 1.5 / norm * data
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_to_another_length(data, rng):
    norm = np.linalg.norm(data)
    if norm > 1.5:
        data = data * (1.6 / norm)
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_from_another_length(data, rng):
    norm = np.linalg.norm(data)
    if norm > 1.6:
        data = data * (1.5 / norm)
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_where_it_is_short(data, rng):
    norm = np.linalg.norm(data)
    if norm < 1.5:
        data = data * (1.5 / (norm + 1e-9))
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_by_a_part(data, rng):
    norm = np.linalg.norm(data[:2])
    if norm > 1.5:
        data = data * (1.5 / norm)
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_in_one_place(data, rng):
    norm = np.linalg.norm(data)
    vector = data.copy()
    if norm > 1.5:
        vector[0] = vector[0] * (1.5 / norm)
    return vector + rng.normal(0, 3.0, size=data.shape)


def shortened_after_a_step(data, rng):
    norm = np.linalg.norm(data)
    data = data + 1
    if norm > 1.5:
        data = data * (1.5 / norm)
    return data + rng.normal(0, 3.0, size=data.shape)


def shortened_and_whether(data, rng):
    norm, long = np.linalg.norm(data), False
    if norm > 1.5:
        data = data * (1.5 / norm)
        long = True
    return data + rng.normal(0, 3.0, size=data.shape), long


def shortened_in_place_of_two(data, rng):
    norm, kept = np.linalg.norm(data), data
    if norm > 1.5:
        data = data * (1.5 / norm)
    return data + kept + rng.normal(0, 6.0, size=data.shape)


def shortened_beside_its_norm(data, rng):
    norm = np.linalg.norm(data)
    if norm > 1.5:
        data = data * (1.5 / norm)
    return data + rng.normal(0, 3.0, size=data.shape), norm


@pytest.mark.parametrize("mechanism", [shortened_by_a_branch, shortened_by_a_branch_that_divides])
def test_a_branch_that_shortens_a_vector_is_proved(mechanism):
    assert is_proved(mechanism, GaussianDP(1.0), WIDE)


@pytest.mark.parametrize(
    "mechanism",
    [
        shortened_to_another_length, shortened_from_another_length, shortened_where_it_is_short,
        shortened_by_a_part, shortened_in_one_place, shortened_after_a_step,
        shortened_and_whether, shortened_in_place_of_two, shortened_beside_its_norm,
    ],
)  # fmt: skip
def test_a_branch_that_shortens_otherwise_is_not_verified(mechanism):
    assert not is_proved(mechanism, GaussianDP(1.0), WIDE)


def objects_without_this_function(data, rng):
    return np.tanh(np.array(data, dtype=object)).sum() + rng.laplace(0, 1)


def column_of_objects_without_it(data, rng):
    return np.tanh(data.astype(object)).sum() + rng.laplace(0, 1)


def indices_beyond_the_counts(data, rng):
    counts = np.zeros(2)
    np.add.at(counts, data, 1)
    return counts + rng.laplace(0, 1, size=2)


def counts_of_as_many_as_there_are(data, rng):
    return np.bincount(data, weights=data) + rng.laplace(0, 2, size=3)


def weighted_counts_of_integers(data, rng):
    counts = np.bincount(data, weights=np.ones(len(data)), minlength=3)
    return np.zeros_like(counts), counts + rng.laplace(0, 1, size=3)


def list_of_values_added(data, rng):
    counts = np.zeros(3, dtype=int)
    np.add.at(counts, data, [1 for _ in data])
    return counts + rng.laplace(0, 1, size=3)


def weights_of_the_length(data, rng):
    weights = np.full(len(data), 1.0) * len(data)
    return np.bincount(data, weights=weights, minlength=3) + rng.laplace(0, 1, size=3)


@pytest.mark.parametrize(
    "mechanism",
    [
        objects_without_this_function, column_of_objects_without_it, indices_beyond_the_counts,
        counts_of_as_many_as_there_are, weights_of_the_length, weighted_counts_of_integers,
        list_of_values_added,
    ],
)  # fmt: skip
def test_what_raises_or_weighs_by_the_number_of_records_is_not_verified(mechanism):
    assert not is_proved(mechanism, ONE, COUNTED)


def sum_beside_a_copy(data, rng):
    x = data * 1.0
    w = x.copy().reshape(2, 2)
    x *= 10.0
    return w.sum() + rng.laplace(0, 1)


def test_a_change_of_what_was_copied_changes_no_copy():
    assert is_proved(sum_beside_a_copy, ONE, UNIT)
