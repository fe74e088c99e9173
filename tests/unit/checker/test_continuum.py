"""Any two numbers of a range: of the record that is run on, only the range is known."""

import json
import math
from functools import partial

import numpy as np
import pytest

from dpaudit import AnyPair, ApproxDP, PureDP, Real, verify
from dpaudit.checker.exact.conclusion import conclude
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import NotCheckedError
from dpaudit.formal.unsupported import Unsupported
from mechanisms.duchi_mean import duchi_mean
from mechanisms.flawed.duchi_mean_unclipped import duchi_mean_unclipped
from tests.checking import check
from tests.exact_laws import UNLIMITED, program_of
from tests.unit.checker.mutations import changed, mutations

UNIT = AnyPair(Real(-1, 1))
ANYTHING = AnyPair(Real(-1, 1, allow_nan=True, allow_infinity=True, enforced=False))
HARMLESS = (r"versions\..*", r"trusted\.\d+", r"program\..*place")


def keeps(mechanism, claim, neighbors=UNIT, **fixed):
    """Return whether the claim is found to hold between the records of a range."""
    program = program_of(partial(mechanism, **fixed) if fixed else mechanism)
    try:
        with precisely():
            conclude(program, claim, neighbors, UNLIMITED)
    except NotCheckedError as error:
        if "the claim may fail between records of the range" not in str(error):
            raise
        return False
    return True


@pytest.fixture(scope="module")
def proved():
    report = verify(duchi_mean, PureDP(1.0), ANYTHING)
    return json.loads(json.dumps(report.certificate.to_dict()))


@pytest.mark.parametrize("neighbors", [UNIT, ANYTHING, AnyPair(Real(-1, 1, allow_nan=True))])
def test_a_mechanism_that_clips_is_accepted(neighbors):
    report = verify(duchi_mean, PureDP(1.0), neighbors)
    result = check(report.certificate.to_dict())
    assert result.accepted, result.reason


def test_every_change_of_a_field_is_rejected_or_harmless(proved):
    accepted = []
    for where, free, mutated in mutations(proved, HARMLESS):
        if check(mutated).accepted and not free:
            accepted.append(where)
    assert accepted == []


def test_the_certificate_of_another_mechanism_or_range_is_not_accepted(proved):
    place = "mechanisms.flawed.duchi_mean_unclipped:duchi_mean_unclipped"
    assert not check(changed(proved, ("subject", "mechanism"), lambda _: place)).accepted
    wider = "AnyPair(Real(-2, 2))"
    assert not check(changed(proved, ("subject", "neighbors"), lambda _: wider)).accepted


def test_the_claim_holds_where_the_chance_is_affine_between_its_bounds():
    assert keeps(duchi_mean, PureDP(1.0), ANYTHING)
    assert not keeps(duchi_mean, PureDP(0.999), ANYTHING)
    assert keeps(duchi_mean, ApproxDP(0.5, 0.3))
    assert not keeps(duchi_mean, ApproxDP(0.5, 0.1))


def test_a_mechanism_without_a_clip_is_refused_beyond_its_range():
    assert keeps(duchi_mean_unclipped, PureDP(1.0))
    wide = AnyPair(Real(-3, 3, allow_infinity=True))
    with pytest.raises(NotCheckedError):
        keeps(duchi_mean_unclipped, PureDP(50.0), wide)  # a chance that comes close to 0
    with pytest.raises(NotCheckedError):
        keeps(duchi_mean_unclipped, PureDP(1.0), AnyPair(Real(-1, 1, allow_nan=True)))


def rare_record(value, rng):
    return bool(rng.random() < (0.9 if value == 0.3125 else 0.5))


def steps(value, rng):
    chance = 0.25 if value < -0.5 else 0.75 if value <= 0.5 else 0.5
    return bool(rng.random() < chance)


def three_answers(value, rng):
    draw = rng.random()
    x = min(1.0, max(-1.0, value))
    if draw < 0.25 + x / 8:
        return "low"
    return "middle" if draw < 0.5 + x / 8 else "high"


def one_side(value, rng):
    return bool(rng.random() < 0.5 + min(1.0, value) / 4)


def the_record(value, rng):
    return value if rng.random() < 0.5 else 0.0


def squares(value, rng):
    return bool(rng.random() < 0.25 + value * value / 4)


def two_coins_of_it(value, rng):
    chance = 0.5 + value / 4
    return bool(rng.random() < chance), bool(rng.random() < chance)


def array_of_coins(value, rng):
    return rng.random(3) < 0.5 + value / 4


def numpy_clip(value, rng):
    return bool(rng.random() < 0.5 + np.clip(value, -1, 1) / 4)


def fmax_of_nan(value, rng):
    return bool(rng.random() < 0.5 + np.fmin(np.fmax(value, -1.0), 1.0) / 4)


def maximum_of_nan(value, rng):
    return bool(rng.random() < 0.5 + np.minimum(np.maximum(value, -1.0), 1.0) / 4)


def nan_is_told(value, rng):
    x = 0.0 if math.isnan(value) or np.isinf(value) else max(-1.0, min(1.0, value))
    return bool(rng.random() < 0.5 + x / 4)


def rounded(value, rng):
    return bool(rng.random() < 0.5 + round(value) / 4)


def handled(value, rng):
    try:
        x = math.floor(value)
    except Exception:
        x = 0
    return bool(rng.random() < 0.5 + x / 4)


def test_a_single_record_that_is_treated_otherwise_is_found():
    assert keeps(rare_record, PureDP(1.7))  # .5 against .1
    assert not keeps(rare_record, PureDP(1.5))


def seldom_for_all(value, rng):
    return bool(rng.random() < 1e-13 * (1 + value / 2))


def test_a_coin_of_the_record_that_floats_toss_for_no_record_is_refused():
    with pytest.raises(NotCheckedError, match="floats do not tell"):
        keeps(seldom_for_all, PureDP(2.0))


def test_a_binomial_draw_of_the_record_is_its_coin():
    def drawn(value, rng):
        return rng.binomial(1, 0.5 + value / 4) == 1

    assert keeps(drawn, PureDP(1.0987))  # .75 against .25
    assert not keeps(drawn, PureDP(1.09))


def test_pieces_are_looked_at_one_by_one():
    assert keeps(steps, PureDP(1.0987))  # .75 against .25
    assert not keeps(steps, PureDP(1.09))


def test_what_follows_a_test_of_the_same_draw_is_a_share_of_what_is_left():
    # low in [1/8, 3/8], middle always 1/4, high in [3/8, 5/8]
    assert keeps(three_answers, PureDP(math.log(3) + 1e-9), AnyPair(Real(-9, 9)))
    assert not keeps(three_answers, PureDP(math.log(3) - 1e-6), AnyPair(Real(-9, 9)))


def test_a_bound_on_one_side_alone_is_not_enough():
    assert keeps(one_side, PureDP(1.1))
    assert not keeps(one_side, PureDP(1.1), AnyPair(Real(-1.5, 1)))
    assert not keeps(one_side, PureDP(50.0), AnyPair(Real(-1, 1, enforced=False)))


def test_a_record_that_is_rounded_is_one_of_a_few():
    assert keeps(rounded, PureDP(1.1))
    assert not keeps(rounded, PureDP(1.09))
    with pytest.raises((NotCheckedError, Unsupported)):
        keeps(rounded, PureDP(50.0), AnyPair(Real(-1, 1, enforced=False)))


@pytest.mark.parametrize(
    "mechanism", [the_record, squares, two_coins_of_it, array_of_coins, handled]
)
def test_what_is_not_affine_in_the_record_is_not_checked(mechanism):
    with pytest.raises((NotCheckedError, Unsupported)):
        keeps(mechanism, PureDP(50.0))


def test_nan_is_what_it_is_for_numpy():
    nan = AnyPair(Real(-1, 1, allow_nan=True, allow_infinity=True))
    claim = PureDP(math.log(3) + 1e-9)
    assert keeps(numpy_clip, claim)
    with pytest.raises(NotCheckedError, match=r"numpy\.clip of NaN"):
        keeps(numpy_clip, claim, nan)
    assert keeps(fmax_of_nan, claim, nan)
    with pytest.raises(NotCheckedError):
        keeps(maximum_of_nan, PureDP(40.0), nan)
    assert keeps(nan_is_told, claim, nan)
    assert not keeps(nan_is_told, PureDP(1.0), nan)


def piecewise(value, rng, *, first, second, low, high, at):
    if value < at:
        chance = 0.5 + first * min(high, max(low, value))
    else:
        chance = 0.5 - second * abs(value) / 2
    return bool(rng.random() < chance)


@pytest.mark.parametrize("seed", range(25))
def test_no_two_records_of_a_grid_break_a_claim_that_was_found_to_hold(seed):
    rng = np.random.default_rng(seed)
    low, high = sorted(rng.integers(-8, 9, 2) / 8)
    options = {
        "first": float(rng.integers(-3, 4)) / 8,
        "second": float(rng.integers(-3, 4)) / 8,
        "low": float(low),
        "high": float(high),
        "at": float(rng.integers(-8, 9)) / 8,
    }

    class Recorder:
        def random(self):
            return self

        def __lt__(self, chance):
            self.chance = chance
            return True

    chances = []
    for value in np.linspace(-1, 1, 129):
        recorder = Recorder()
        piecewise(float(value), recorder, **options)
        chances.append(recorder.chance)
    sides = [(c, 1 - c) for c in chances]
    epsilon = max(math.log(max(s[k] for s in sides) / min(s[k] for s in sides)) for k in (0, 1))
    assert keeps(piecewise, PureDP(epsilon + 0.1), **options)
    if epsilon > 0:
        assert not keeps(piecewise, PureDP(epsilon * 0.999), **options)
