# ruff: noqa: NPY002 (the legacy states are what is tested)
import operator
import random
import sys

import numpy as np
import pytest

from dpaudit.randomness import GlobalStates, SeededSource

EVERY_STATE = GlobalStates(numpy=True, python=True)


def numpy_state():
    state = np.random.get_state(legacy=False)
    return state["state"]["pos"], state["state"]["key"].tolist(), state["has_gauss"]


def test_global_states_are_restored():
    np.random.seed(5)
    np.random.normal()
    random.seed(7)
    before = numpy_state(), random.getstate()
    with SeededSource((1,), "label", EVERY_STATE):
        np.random.normal()
        random.random()
    assert (numpy_state(), random.getstate()) == before


def test_global_states_are_restored_after_an_exception():
    before = numpy_state(), random.getstate()

    def fail():
        with SeededSource((1,), "coupled", EVERY_STATE):
            np.random.seed(3)
            random.seed(3)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (numpy_state(), random.getstate()) == before


def test_a_bit_generator_that_the_user_installed_comes_back():
    from numpy.random import mtrand

    original = mtrand.get_bit_generator()
    own = np.random.PCG64(1)
    try:
        mtrand.set_bit_generator(own)
        with SeededSource((1,), "label", GlobalStates()):
            np.random.normal()
        assert mtrand.get_bit_generator() is own
    finally:
        mtrand.set_bit_generator(original)


def test_equal_keys_give_equal_numbers_and_other_keys_others():
    def numbers(key):
        with SeededSource(key, "label", GlobalStates()) as source:
            left, right = source.generators
            return left.random(), right.random(), np.random.random(), random.random()

    assert numbers((1, 2)) == numbers((1, 2))
    assert not set(numbers((1, 2))) & set(numbers((1, 3)))
    assert len(set(numbers((1, 2)))) == 4


@pytest.mark.parametrize(
    ("draw", "states"),
    [
        (lambda: np.random.normal(), GlobalStates(numpy=True)),
        (lambda: np.random.laplace(), GlobalStates(numpy=True)),
        (lambda: random.gauss(0, 1), GlobalStates(python=True)),
    ],
)
def test_coupled_sides_see_the_same_global_numbers_and_every_pair_new_ones(draw, states):
    seen = []
    with SeededSource((4,), "coupled", states) as source:
        for _ in range(50):
            source.before_call(0)
            left = draw()
            source.before_call(1)
            assert draw() == left
            source.after_pair()
            seen.append(left)
    assert len(set(seen)) == 50


@pytest.mark.parametrize("extra", ["none", "word", "half-word", "many"])
def test_coupled_generators_are_in_step_at_every_pair_and_reuse_no_number(extra):
    """A pair that repeated a 64-bit number of another would fail with probability below 1e-14."""
    seen = []
    with SeededSource((4,), "coupled", GlobalStates()) as source:
        left, right = source.generators
        for i in range(100):
            a, b = left.integers(2**63, size=3), right.integers(2**63, size=3)
            assert a.tolist() == b.tolist()
            seen += a.tolist()
            if extra == "word":
                seen.append(int((left, right)[i % 2].integers(2**63)))
            elif extra == "half-word":
                (left, right)[i % 2].integers(2**31, dtype=np.uint32)
            elif extra == "many":
                seen += right.integers(2**63, size=i).tolist()
            source.after_pair()
    assert len(set(seen)) == len(seen)


def test_coupled_global_numbers_are_not_reused_when_sides_draw_unequally():
    seen = []
    with SeededSource((4,), "coupled", GlobalStates(numpy=True)) as source:
        for i in range(60):
            source.before_call(0)
            left = np.random.random(2).tolist()
            source.before_call(1)
            right = np.random.random(2 + i % 5).tolist()
            assert right[:2] == left
            seen += right
            source.after_pair()
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("mode", ["label", "independent"])
def test_uncoupled_sides_see_different_numbers(mode):
    with SeededSource((4,), mode, GlobalStates(numpy=True)) as source:
        left, right = source.generators
        assert left.random() != right.random()
        source.before_call(0)
        first = np.random.random()
        source.before_call(1)
        assert np.random.random() != first
        assert source.after_pair is None


def test_it_is_noticed_which_global_state_is_drawn_from():
    with SeededSource((1,), "label", GlobalStates()) as source:
        assert source.used() == GlobalStates()
        random.random()
        assert source.used() == GlobalStates(python=True)
        np.random.random()
        assert source.used() == EVERY_STATE


class Torch:
    """What PyTorch offers to seed its numbers, for where it is not installed."""

    def __init__(self):
        stream = random.Random(7)
        self.manual_seed, self.rand = stream.seed, stream.random
        self.get_rng_state, self.set_rng_state = stream.getstate, stream.setstate
        self.equal = operator.eq


@pytest.fixture
def torch(monkeypatch):
    stand_in = Torch()
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    return stand_in


def test_coupled_sides_see_the_same_numbers_of_torch(torch):
    before, seen = torch.get_rng_state(), []
    with SeededSource((4,), "coupled", GlobalStates(torch=True)) as source:
        for _ in range(20):
            source.before_call(0)
            left = torch.rand()
            source.before_call(1)
            assert torch.rand() == left
            source.after_pair()
            seen.append(left)
    assert len(set(seen)) == 20
    assert torch.get_rng_state() == before


def test_numbers_of_torch_are_seeded_and_noticed(torch):
    def number(key):
        with SeededSource(key, "independent", GlobalStates()) as source:
            assert source.used() == GlobalStates()
            drawn = torch.rand()
            assert source.used() == GlobalStates(torch=True)
            return drawn

    assert number((1,)) == number((1,)) != number((2,))


def test_torch_that_is_imported_by_the_mechanism_is_kept_apart(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with SeededSource((1,), "independent", GlobalStates()) as source:
        monkeypatch.setitem(sys.modules, "torch", Torch())
        assert source.used() == GlobalStates(torch=True)


def test_a_mechanism_may_seed_the_global_state_itself():
    with SeededSource((1,), "coupled", GlobalStates(numpy=True)) as source:
        source.before_call(0)
        np.random.seed(0)
        left = np.random.random()
        source.before_call(1)
        np.random.seed(0)
        assert np.random.random() == left
        source.after_pair()
