"""Mutants are called as their originals are."""

from functools import partial

from dpaudit.subject import MARK, Subject, vectorized
from tools.mutation import Mutant, load

TEXT = """def noisy(data, size, rng, *, scale=1.0):
    return len(data) + rng.laplace(scale=scale, size=size)
"""


def noisy(data, size, rng, *, scale=1.0):
    return len(data) + rng.laplace(scale=2 * scale, size=size)


def test_a_mutant_of_a_vectorized_mechanism_is_vectorized(tmp_path):
    original = partial(vectorized(noisy), scale=3.0)
    mutant = load(Mutant("2 * scale -> scale", TEXT), original, tmp_path, "mutant_of_a_test")
    subject = Subject.of(mutant)
    assert subject.vectorized
    assert mutant.keywords == {"scale": 3.0}


def test_a_mutant_is_vectorized_in_a_process_where_its_original_has_no_mark(tmp_path):
    def plain(data, size, rng):
        return len(data)

    plain.__name__ = "noisy"
    assert not hasattr(plain, MARK)
    mutant = load(Mutant("", TEXT), plain, tmp_path, "mutant_of_another_process", marked=True)
    assert Subject.of(mutant).vectorized
