"""Frames and counts by key: what is read of them is what the code does, and evil twins fail."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

import dpaudit
from dpaudit.checker import check
from dpaudit.formal.clock import now
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.affine import Affine, NotAffine
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal import frame_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


# What these do to a frame is not followed yet.
NOT_FOLLOWED = {"row_by_row"}


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.SOUND), 8))
def test_counts_and_masks_as_analysts_write_them_are_verified(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    if mechanism.__name__ in NOT_FOLLOWED:
        assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
        assert "frame_programs.py" in report.reason
        return
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(programs.BROKEN)))
def test_an_evil_twin_is_never_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


@pytest.mark.parametrize(
    "mechanism",
    sampled(
        [
            programs.clipped_column_of_a_copy,
            programs.query,
            programs.loc_of_mask_and_column,
            programs.value_counts_by_get,
            programs.value_counts_reindexed,
            programs.group_sizes_reindexed,
            programs.group_sums_by_get,
            programs.count_of_series,
            programs.isin_of_texts,
            programs.between,
            programs.filled_and_clipped,
            programs.dropped_missing,
        ],
        2,
    ),
)
def test_the_checker_accepts_what_is_proved_of_frames(mechanism):
    proof = dpaudit.verify(mechanism, programs.ONE, programs.FRAME).certificate
    assert check(proof.to_dict(), mechanism=mechanism).accepted


@pytest.mark.parametrize("mechanism", [programs.counter_by_get, programs.list_count])
def test_the_checker_accepts_what_is_proved_of_counters(mechanism):
    proof = dpaudit.verify(mechanism, programs.ONE, programs.LISTED).certificate
    assert check(proof.to_dict(), mechanism=mechanism).accepted


class Silent:
    """A generator whose noise is its location."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + (0.0 if size is None else np.zeros(size))


def without_noise(value):
    if isinstance(value, Affine):
        return value.at(defaultdict(float))
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([without_noise(v) for v in value.ravel()])
    if isinstance(value, list | tuple):
        return [without_noise(v) for v in value]
    if isinstance(value, dict):
        return {key: without_noise(v) for key, v in value.items()}
    return without_noise(value.to_numpy()) if hasattr(value, "to_numpy") else value


def plain(value):
    """Return all that a result holds, in one list."""
    if isinstance(value, dict):
        return plain(list(value.items()))
    if isinstance(value, list | tuple | np.ndarray):
        return [each for part in value for each in plain(part)]
    return plain(value.to_numpy()) if hasattr(value, "to_numpy") else [value]


def result(run):
    try:
        return plain(run())
    except Exception as error:  # the output of a mechanism that raises
        return type(error).__name__


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"), sampled(named((*programs.SOUND, *programs.BROKEN)), 35)
)
def test_the_program_that_is_read_does_what_the_code_does(mechanism, claim, neighbors):
    """Both run on fixed pairs of neighbors: nothing is random in it but noise, which is 0."""
    program = lift(mechanism)
    for pair in itertools.islice(neighbors.pairs(np.random.default_rng(0)), 12):
        for side in (pair.left, pair.right):
            try:
                (found,) = Trial(program).outcomes(side, deadline=now() + 1e9)
            except (NotAffine, Unsupported, ValueError):
                return  # the program is not run, or its noise decides
            real = result(lambda side=side: mechanism(copied(side), Silent()))
            read = found.output if found.raised else plain(without_noise(found.output))
            if real != real or (isinstance(real, list) and any(v != v for v in real)):
                continue  # NaN is an output of its own there
            assert read == pytest.approx(real) if not found.raised else isinstance(real, str), side


def copied(value):
    return value.copy() if hasattr(value, "copy") else value
