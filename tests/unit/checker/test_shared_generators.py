"""Exact proofs about code without a parameter `rng`: what it draws is drawn from stand-ins."""

# ruff: noqa: NPY002 - the older functions are what is tested

import inspect
import math
import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from dpaudit import AnyPair, Categorical, PureDP, Verdict, verify
from dpaudit.checker.file import NotCheckedError
from dpaudit.formal.unsupported import Unsupported
from tests.checking import check
from tests.exact_laws import certificate, law
from tests.sweeps import thinned
from tests.unit.checker import shared_draws
from tests.unit.checker.mutations import sealed

BITS = AnyPair(Categorical([0, 1]))
COINS = [
    f for f in vars(shared_draws).values()
    if inspect.isfunction(f) and f.__name__.startswith(("by_", "with_"))
]  # fmt: skip
LAWS = {
    shared_draws.a_choice: {0: 1 / 4, 1: 1 / 2, 2: 1 / 4},
    shared_draws.a_secret_choice: {0: 1 / 4, 1: 1 / 2, 2: 1 / 4},
    shared_draws.an_integer: {1: 1 / 3, 2: 1 / 3, 3: 1 / 3},
    shared_draws.an_integer_of_numpy: {1: 1 / 2, 2: 1 / 2},
    shared_draws.a_geometric_number: {1: 1 / 2, 2: 1 / 4, 3: 1 / 8, 4: 1 / 8},
    shared_draws.heads: {k: math.comb(3, k) * 0.25**k * 0.75 ** (3 - k) for k in range(4)},
    shared_draws.of_many: dict.fromkeys(range(4), 1 / 4),
}


@pytest.mark.parametrize("mechanism", thinned(COINS), ids=lambda f: f.__name__)
def test_a_coin_of_any_generator_is_proved_and_accepted(mechanism):
    report = verify(mechanism, PureDP(1.0), BITS)
    assert report.verdict is Verdict.VERIFIED
    assert report.checked
    assert verify(mechanism, PureDP(0.75), BITS).verdict is Verdict.REFUTED


@pytest.mark.parametrize("mechanism", LAWS, ids=lambda f: f.__name__)
def test_a_stand_in_has_the_law_of_what_it_stands_for(mechanism):
    """It would fail once in a million runs a mechanism with a fresh seed, as `secrets` has."""
    expected = LAWS[mechanism]
    found = {int(key[1]): float(chance.fraction) for key, chance in law(mechanism, 0).items()}
    assert found == pytest.approx(expected)
    random.seed(0)
    np.random.seed(0)
    counted = Counter(int(mechanism(0)) for _ in range(2_000))
    assert set(counted) == set(expected)
    found = chisquare([counted[k] for k in expected], [2_000 * p for p in expected.values()])
    assert found.pvalue > 1e-6


def of_a_state(x):
    random.setstate(random.getstate())
    return x


def test_a_seed_or_a_state_is_not_checked():
    for mechanism in (shared_draws.of_a_known_seed, of_a_state):
        with pytest.raises((NotCheckedError, Unsupported)):
            law(mechanism, 0)


def test_a_program_without_a_generator_does_not_draw_from_one():
    found = certificate(shared_draws.takes_a_generator, PureDP(1.0), BITS)
    found["program"]["rng"] = None
    found["program"]["fixed"]["rng"] = {"kind": "Constant", "place": "", "value": None}
    result = check(sealed(found))
    assert not result.accepted
