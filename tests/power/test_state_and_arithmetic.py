"""State between calls, low-order bits, and the pairs that somebody else found suspicious."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real, Verdict
from dpaudit.evidence import Budget, Suspect
from dpaudit.neighbors import Pair
from dpaudit.statistical import StatisticalEngine
from dpaudit.subject import Subject
from dpaudit.worker import InPlace
from mechanisms.flawed.count_accumulates import count_accumulates
from tests.sweeps import repeated

NUMBERS = AddRemove(Real(0, 1), max_size=4)
ONE_APART = Pairs([(np.array([0.0]), np.array([1.0]))])

_cache = {}
_shared = np.random.default_rng(7)


def first_answer_for_all(data, rng):
    if "answer" not in _cache:
        _cache["answer"] = float(data.sum())
    return _cache["answer"] + rng.laplace()


def shared_generator(data):
    return float(data.sum()) + _shared.laplace()


def noisy_sum(data, rng):
    return data.sum() + rng.laplace()


@pytest.mark.parametrize("mechanism", [count_accumulates, first_answer_for_all])
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_memory_of_earlier_datasets_is_refuted_as_state_between_calls(mechanism, isolation):
    """160 pairs of fresh processes miss a shift by the scale of the noise once in 10^4 runs."""
    report = dpaudit.audit(
        mechanism,
        PureDP(1.0),
        NUMBERS,
        max_calls=10_000,
        isolation=isolation,
        engines=["statistical"],
    )
    assert report.verdict is Verdict.REFUTED
    assert report.findings[0].id == "DPA116"


def test_generator_shared_between_calls_is_no_violation():
    """H0 holds: a refutation comes up once in 10^6 runs with fresh seeds."""
    report = dpaudit.audit(
        shared_generator, PureDP(1.0), ONE_APART, max_calls=30_000, engines=["statistical"]
    )
    assert report.verdict is Verdict.NOT_REFUTED


def test_low_order_bits_are_refuted_only_where_the_arithmetic_is_audited():
    """28 % of the outputs near 0 lie on a grid that 1 + noise never reaches: 30,000 calls miss
    that less than once in 10^9 runs; the real-valued audit errs once in 10^6."""
    real = dpaudit.audit(
        noisy_sum, PureDP(1.0), ONE_APART, max_calls=30_000, engines=["statistical"]
    )
    assert real.verdict is Verdict.NOT_REFUTED
    bits = dpaudit.audit(
        noisy_sum,
        PureDP(1.0),
        ONE_APART,
        max_calls=30_000,
        arithmetic="float",
        engines=["statistical"],
    )
    assert bits.verdict is Verdict.REFUTED
    assert bits.findings[0].id == "DPA111"
    assert "multiple of" in bits.findings[0].message


def rounded(data, size, rng, *, bits):
    return np.round((data.sum() + rng.laplace(size=size)) * 2.0**bits) / 2.0**bits


@pytest.mark.parametrize(("bits", "verdict"), [(52, Verdict.REFUTED), (20, Verdict.NOT_REFUTED)])
def test_a_grid_that_one_binade_alone_shows_is_refuted_and_a_coarse_one_is_not(bits, verdict):
    """Of the outputs from −2 to −1, 6 % in all, half are odd multiples of 2^−52 on one dataset and
    none on the other: 100,000 calls miss that less than once in 10^9 runs."""
    report = dpaudit.audit(
        dpaudit.vectorized(partial(rounded, bits=bits)),
        PureDP(1.0),
        ONE_APART,
        max_calls=100_000,
        arithmetic="float",
        engines=["statistical"],
    )
    assert report.verdict is verdict
    if verdict is Verdict.REFUTED:
        assert report.findings[0].id == "DPA111"
        assert "odd multiple of 2^-52" in report.witness.event.words


def signed_zero(data, rng):
    """A zero in real numbers; as a float it has the sign of the data."""
    return rng.random() * 0.0 * float(data.sum() - 0.5)


def test_the_sign_of_a_zero_tells_only_where_the_arithmetic_is_audited():
    """Nothing is random here but the labels: 30 nats are earned in some 50 calls."""
    real = dpaudit.audit(signed_zero, PureDP(1.0), ONE_APART, max_calls=4_000)
    assert real.verdict is not Verdict.REFUTED
    bits = dpaudit.audit(signed_zero, PureDP(1.0), ONE_APART, max_calls=4_000, arithmetic="float")
    assert bits.verdict is Verdict.REFUTED
    assert bits.findings[0].id == "DPA111"
    assert "-0.0" in bits.witness.event.words


@dpaudit.vectorized
def single_precision(data, size, rng):
    sign = rng.choice(np.array([-1, 1], np.float32), size)
    return np.float32(data.sum()) + sign * rng.standard_exponential(size, dtype=np.float32)


def test_a_grid_of_single_precision_is_refuted_only_where_the_arithmetic_is_audited():
    """Some 40 to 160 of 100,000 outputs of one side recur by chance, which tells next to nothing
    (a million calls: −2 nats). As low-order bits 10,000 calls refute, missed less than once in
    10^9 runs."""
    calls = repeated(20_000, full=200_000)
    real = dpaudit.audit(single_precision, PureDP(1.0), ONE_APART, max_calls=calls)
    assert real.verdict is Verdict.NOT_REFUTED
    bits = dpaudit.audit(
        single_precision, PureDP(1.0), ONE_APART, max_calls=10_000, arithmetic="float"
    )
    assert bits.verdict is Verdict.REFUTED
    assert bits.findings[0].id == "DPA111"


def leaks_on_one_pair(data, rng):
    shift = 40.0 if len(data) == 3 and abs(data[1] - 0.4321) < 1e-9 else 0.0
    return float(data.sum()) + shift + rng.laplace()


def test_suspects_are_tried_first():
    """The suspicious pair is refuted within a few hundred calls; a miss has probability 1e-9."""
    needle = Pair(np.array([0.1, 0.4321, 0.9]), np.array([0.1, 0.4321]), "from elsewhere")
    subject = Subject.of(leaks_on_one_pair)
    evidence = StatisticalEngine().examine(
        subject,
        PureDP(1.0),
        NUMBERS,
        Budget(max_calls=10_000),
        [Suspect(needle, why="a test")],
        runner=InPlace(subject),
    )
    assert evidence.verdict is Verdict.REFUTED
    assert evidence.pairs[0].how == "from elsewhere"
