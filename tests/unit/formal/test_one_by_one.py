"""One answer changes: the proof goes by which one; noise of a vector hides one value each."""

from __future__ import annotations

import json
from functools import partial
from random import Random

import numpy as np
import pytest

import dpaudit
from dpaudit import GaussianDP, PureDP, QueryAnswers, Real, ReplaceOne
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.tree_counter_missing_level import tree_counter_missing_level
from mechanisms.flawed.tree_counter_shared_noise import tree_counter_shared_noise
from mechanisms.secure_aggregation import secure_aggregation
from mechanisms.tree_counter import tree_counter
from tests.checking import check
from tests.unit.checker.mutations import sealed

ONE = QueryAnswers(8, norm="l0")
THREE = QueryAnswers(3, norm="l0")
PURE = PureDP(1.0)


def outcome(mechanism, claim=PURE, neighbors=ONE):
    """Return the proof, or the text of why there is none."""
    try:
        return prove_by_cost(lift(mechanism), claim, neighbors, deadline=now() + 300)
    except Unsupported as error:
        return str(error)


@pytest.fixture(scope="module")
def certificate():
    report = dpaudit.verify(tree_counter, PURE, ONE, timeout=300)
    assert report.verdict is dpaudit.Verdict.VERIFIED
    return report.certificate.to_dict()


def test_the_binary_tree_is_proved_and_the_proof_is_accepted(certificate):
    result = check(certificate)
    assert result.accepted, result.reason


def test_a_release_that_is_told_to_cost_less_is_rejected(certificate):
    changed = json.loads(json.dumps(certificate))
    changed["proof"]["releases"][0]["epsilon"] = "1/8"
    result = check(sealed(changed))
    assert result.decided
    assert "`proof.releases` is" in result.reason


def test_a_smaller_claim_than_the_levels_of_the_tree_cost_is_not_proved():
    assert isinstance(outcome(partial(tree_counter, epsilon=2.0), PureDP(2.0)), CostProof)
    assert "cost 2" in outcome(partial(tree_counter, epsilon=2.0), PureDP(1.75))


@pytest.mark.parametrize("mechanism", [tree_counter_missing_level, tree_counter_shared_noise])
def test_flawed_trees_are_not_proved(mechanism):
    assert isinstance(outcome(mechanism), str)


def test_where_several_answers_change_none_is_taken_for_the_only_one():
    assert isinstance(outcome(tree_counter, neighbors=QueryAnswers(8, norm="linf")), str)
    # Each answer is in as many nodes as there are levels, so that l1 costs no more than l0.
    assert isinstance(outcome(tree_counter, neighbors=QueryAnswers(8, norm="l1")), CostProof)


def by_entry(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q)).tolist()
    return [x + n for x, n in zip(q.tolist(), noise, strict=True)]


def by_place(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    return [q[i] + noise[i] for i in range(len(q))]


def until_one_is_large(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    out = []
    for i in range(len(q)):
        noisy = q[i] + noise[i]
        out.append(noisy)
        if noisy > 10:
            break
    return out


def whole_and_by_entry(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    one = q[0] + noise[0]
    return q + noise, one


def by_entry_and_whole(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    both = q + noise
    return q[0] + noise[0], both


@pytest.mark.parametrize(
    "mechanism", [by_entry, by_place, until_one_is_large, whole_and_by_entry, by_entry_and_whole]
)
def test_one_noise_for_each_entry_pays_for_the_entry_that_changes(mechanism):
    assert isinstance(outcome(mechanism, neighbors=THREE), CostProof)
    assert isinstance(outcome(mechanism, PureDP(0.99), THREE), str)


def one_raw(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q)).tolist()
    return [q[0] + noise[0], q[7]]


def noise_of_another_entry(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q)).tolist()
    return [q[i] + noise[i // 2] for i in range(8)]


def noise_that_is_shown(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q)).tolist()
    return [q[3] + noise[3], noise[3]]


def noise_by_place_from_the_end(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    return [q[0] + noise[-1], q[1] + noise[7]]


def shown_and_by_entry(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    total = noise.sum()
    return q[0] + noise[0], total


def whole_shown_after_entries(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q))
    one = q[0] + noise[0]
    return one, noise.sum()


def a_list_added_to_a_list(q, rng):
    noise = rng.laplace(scale=1.0, size=len(q)).tolist()
    return q.tolist() + noise


def smallest_is_taken_for_the_first(q, rng):
    return np.sort(q)[0] + rng.laplace(scale=0.5), q[1] + rng.laplace(scale=2.0)


def changed_before_it_is_read(q, rng):
    q = q.copy()
    q[1] = q[0]
    return q[1] + rng.laplace(scale=1.0), q[0] + rng.laplace(scale=1.0)


def branch_on_an_answer(q, rng):
    return rng.laplace(scale=1.0) + (q[0] if q[1] > 0 else q[2])


def scale_of_an_answer(q, rng):
    return q[0] + rng.laplace(scale=2.0 + abs(q[1]))


LEAKS = [
    one_raw,
    noise_of_another_entry,
    noise_that_is_shown,
    noise_by_place_from_the_end,
    shown_and_by_entry,
    whole_shown_after_entries,
    a_list_added_to_a_list,
    smallest_is_taken_for_the_first,
    changed_before_it_is_read,
    branch_on_an_answer,
    scale_of_an_answer,
]


@pytest.mark.parametrize("mechanism", LEAKS)
def test_what_leaks_in_one_case_is_not_proved(mechanism):
    assert isinstance(outcome(mechanism), str)


def blocks_of(q, rng, *, blocks=((0, 1),), scale=1.0):
    noise = rng.laplace(scale=scale, size=len(blocks)).tolist()
    values = q.tolist()
    return [sum(values[i] for i in block) + n for block, n in zip(blocks, noise, strict=True)]


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_overlapping_blocks_cost_what_their_exact_loss_is(seed):
    """Which is that of the answer in most blocks: sums of Laplace densities attain it."""
    random = Random(seed)
    count = random.randint(2, 6)
    blocks = tuple(tuple(random.sample(range(8), random.randint(1, 5))) for _ in range(count))
    loss = max(sum(i in block for block in blocks) for i in range(8)) / 4
    mechanism = partial(blocks_of, blocks=blocks, scale=4.0)
    assert isinstance(outcome(mechanism, PureDP(loss)), CostProof)
    assert isinstance(outcome(mechanism, PureDP(loss - 2**-20)), str)


def test_entries_that_may_be_infinite_before_they_are_clipped_are_still_one_that_changes():
    entry = Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True)
    six = ReplaceOne(entry, size=6)
    assert isinstance(outcome(secure_aggregation, GaussianDP(1.0), six), CostProof)
    assert isinstance(outcome(secure_aggregation, GaussianDP(0.99), six), str)
    two = ReplaceOne(entry, size=6, group=2)
    assert isinstance(outcome(secure_aggregation, GaussianDP(1.99), two), str)


def unwritten(q, rng):
    """Return what the memory held before, which may be another dataset's."""
    out = np.empty(len(q))
    out[1:] = rng.laplace(scale=1.0, size=len(q) - 1)
    return out


def unwritten_of_known_length(q, rng):
    return np.empty(5), q[0] + rng.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [unwritten, unwritten_of_known_length])
def test_an_array_that_nobody_filled_may_hold_what_another_dataset_left(mechanism):
    assert "numpy.empty" in outcome(mechanism)
