"""Mutants are called as their originals are."""

from functools import partial

import numpy as np

from audits._rows import labelled
from dpaudit.subject import MARK, Subject, vectorized
from mechanisms.noisy_gradient_descent import noisy_gradient_descent
from tools.mutation import Mutant, definition_of, load, source_of

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


def test_a_mechanism_that_glue_is_given_is_mutated_and_not_the_glue(tmp_path):
    rows = partial(labelled, partial(noisy_gradient_descent, noise=4.0))
    assert definition_of(rows) is noisy_gradient_descent
    text = source_of(rows)
    mutant = load(Mutant("", text.replace("tanh", "sin")), rows, tmp_path, "mutant_in_glue")
    assert mutant.func is labelled
    (inside,) = mutant.args
    assert inside.keywords == {"noise": 4.0}
    assert inside.func.__module__ == "mutant_in_glue"
    mutated = definition_of(inside).__globals__["gradients"]
    assert "sin" in mutated.__code__.co_names
    assert mutant(np.ones(3), np.random.default_rng(1)).shape == (2, 1)
