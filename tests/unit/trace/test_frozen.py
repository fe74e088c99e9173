# ruff: noqa: NPY002 (the legacy states are part of what is frozen)
import os
import random
import secrets
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread

import numpy as np
import pytest
from numpy.random import default_rng as imported_rng
from numpy.random import laplace as imported_laplace

from dpaudit import frozen_noise
from dpaudit.trace.frozen import UnseenNoiseError

kept = np.random.default_rng(3)


class Service:
    def __init__(self):
        self.rng = np.random.default_rng()
        self.random = random.Random()


service = Service()


def noise():
    return [
        kept.laplace(),
        service.rng.normal(size=2).tolist(),
        service.random.gauss(0, 1),
        np.random.default_rng().laplace(),
        np.random.Generator(np.random.PCG64()).normal(),
        np.random.RandomState().laplace(),
        np.random.normal(),
        imported_rng().integers(100),
        imported_laplace(),
        random.random(),
        random.SystemRandom().random(),
        secrets.randbelow(10**9),
        secrets.token_bytes(4),
        os.urandom(4),
        kept.permutation(9).tolist(),
    ]


def test_a_seed_repeats_the_noise_of_every_source():
    with frozen_noise(seed=1):
        first = noise()
    with frozen_noise(seed=1):
        again = noise()
    with frozen_noise(seed=2):
        other = noise()
    assert first == again
    assert not any(one == two for one, two in zip(first, other, strict=True))


def test_zero_noise_leaves_the_location():
    with frozen_noise(zero=True):
        assert kept.laplace(5.0, 2.0) == 5.0
        assert kept.normal(size=3).tolist() == [0.0, 0.0, 0.0]
        assert random.gauss(2, 1) == 2
        assert kept.geometric(0.5) - kept.geometric(0.5) == 0
        assert kept.uniform(-1, 1) == 0.0
        assert kept.permutation(3).tolist() == [0, 1, 2]
        assert kept.choice(["a", "b"]) == "a"
        assert os.urandom(2) == bytes(2)
        data = np.arange(5)
        kept.shuffle(data)
        assert data.tolist() == [0, 1, 2, 3, 4]


def test_zero_noise_has_the_types_of_noise():
    free = kept.laplace(), kept.integers(5), kept.random(2), kept.geometric(0.5)
    with frozen_noise(zero=True):
        frozen = kept.laplace(), kept.integers(5), kept.random(2), kept.geometric(0.5)
    assert list(map(type, free)) == list(map(type, frozen))


def test_generators_stand_still_and_go_on_where_they_stood():
    rng, twin = np.random.default_rng(7), np.random.default_rng(7)
    with frozen_noise(seed=1):
        rng.laplace(size=10)
    assert rng.laplace() == twin.laplace()


def test_global_states_are_restored_though_they_were_seeded_inside():
    np.random.seed(5)
    random.seed(5)
    expected = np.random.normal(), random.random()
    np.random.seed(5)
    random.seed(5)
    with frozen_noise(seed=1):
        np.random.seed(9)
        random.seed(9)
        np.random.normal()
    assert (np.random.normal(), random.random()) == expected


def test_an_exception_passes_and_everything_is_restored():
    before = np.random.default_rng, np.random.laplace, os.urandom, random.Random.gauss, kept
    with pytest.raises(KeyError), frozen_noise(seed=1):
        raise KeyError
    after = np.random.default_rng, np.random.laplace, os.urandom, random.Random.gauss, kept
    assert all(one is two for one, two in zip(before, after, strict=True))


def test_raw_bits_of_a_generator_are_an_error():
    with pytest.raises(UnseenNoiseError, match="PCG64"), frozen_noise(seed=1):
        kept.bit_generator.random_raw()


def test_raw_bits_of_a_generator_that_was_made_inside_are_an_error():
    made = []
    with pytest.raises(UnseenNoiseError, match="PCG64"), frozen_noise(seed=1):
        made.append(np.random.default_rng()) or made[0].bit_generator.random_raw()


def test_a_generator_where_no_name_can_be_replaced_is_an_error():
    hidden = (np.random.default_rng(3),)
    with pytest.raises(UnseenNoiseError), frozen_noise(zero=True):
        hidden[0].laplace()


def test_generators_made_inside_are_plain_ones_after():
    made = []
    with frozen_noise(seed=1):
        made.append(np.random.default_rng(4))
    assert type(made[0]) is np.random.Generator
    assert made[0].laplace() == np.random.default_rng(4).laplace()


def test_threads_started_inside_draw_streams_of_their_own():
    def drawn():
        together = Barrier(2)  # so that each thread draws once

        def one(_):
            together.wait()
            return np.random.default_rng().laplace()

        with frozen_noise(seed=1), ThreadPoolExecutor(2) as pool:
            return sorted(pool.map(one, range(2)))

    first = drawn()
    assert first == drawn()
    assert len(set(first)) == 2


def test_other_threads_draw_as_ever():
    inside, outside = [], []

    def frozen():
        with frozen_noise(zero=True):
            inside.append(np.random.default_rng(1).laplace())
            thread = Thread(target=lambda: inside.append(np.random.default_rng(1).laplace()))
            thread.start()
            thread.join()

    runner = Thread(target=frozen)
    runner.start()
    outside.append(np.random.default_rng(1).laplace())
    runner.join()
    assert inside == [0.0, 0.0]
    assert outside == [np.random.default_rng(1).laplace()]


def test_contexts_nest():
    with frozen_noise(seed=1):
        outer = kept.laplace()
    with frozen_noise(seed=1):
        with frozen_noise(zero=True):
            assert kept.laplace() == 0.0
        assert kept.laplace() == outer


@pytest.mark.parametrize(
    "options", [{}, {"seed": 1, "zero": True}, {"seed": 1.5}, {"seed": True}, {"zero": 1}]
)
def test_arguments_that_say_nothing_or_two_things_are_refused(options):
    with pytest.raises(TypeError), frozen_noise(**options):
        pass


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="at least 0"), frozen_noise(seed=-1):
        pass
