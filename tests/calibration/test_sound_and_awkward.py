"""Sound mechanisms that an auditor could mistake for broken ones: none may be refuted.

Each was refuted at α = 1e-6, or crashed the audit, in an earlier state of the engine.
"""

import random
import secrets

import numpy as np
import pytest

import dpaudit
from dpaudit import (
    AddRemove,
    ApproxDP,
    GaussianDP,
    Pairs,
    PureDP,
    Real,
    RenyiDP,
    Verdict,
    ZeroConcentratedDP,
)

NUMBERS = AddRemove(Real(0, 1), max_size=4)
ONE_APART = Pairs([(np.array([0.0]), np.array([1.0]))])
OWN = np.random.default_rng()
OWN_PYTHON = random.Random()


def sampled_with_own_generator(data):
    kept = data[OWN.random(len(data)) < 0.5]
    return kept.sum() + OWN.laplace()


def sampled_with_own_python_generator(data):
    kept = [value for value in data if OWN_PYTHON.random() < 0.5]
    return sum(kept) + OWN_PYTHON.expovariate(1.0) - OWN_PYTHON.expovariate(1.0)


class Sampled:
    def __init__(self):
        self.rng = np.random.default_rng()

    def __call__(self, data):
        return data[self.rng.random(len(data)) < 0.5].sum() + self.rng.laplace()


@pytest.mark.parametrize(
    "mechanism", [sampled_with_own_generator, sampled_with_own_python_generator, Sampled()]
)
def test_generator_that_uses_more_numbers_on_more_data_is_no_memory_of_data(mechanism):
    """H0 holds: refuted once in 10^6 runs with fresh seeds."""
    report = dpaudit.audit(
        mechanism, PureDP(1.0), NUMBERS, max_calls=6_000, engines=["statistical"]
    )
    assert report.verdict is not Verdict.REFUTED


def remembers_its_answers():
    answers = {}

    def noisy_sum(data, rng):
        return answers.setdefault(data.tobytes(), float(data.sum() + rng.laplace()))

    return noisy_sum


def test_noisy_answer_that_is_remembered_is_no_raw_release():
    """Draws that are all the same draw: no verdict, whatever the seed."""
    report = dpaudit.audit(
        remembers_its_answers(), PureDP(1.0), NUMBERS, max_calls=6_000, engines=["statistical"]
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "remembers" in report.reason


def one_of_four(data):
    return len(data) + secrets.randbelow(4)


def test_few_outputs_from_a_source_without_seed_are_no_memory():
    """H0: two calls agree by chance and a third does not, and eight more agree with the first two:
    once in 40,000 runs of these 8 audits."""
    reports = [
        dpaudit.audit(one_of_four, PureDP(1.0), ONE_APART, max_calls=200, engines=["statistical"])
        for _ in range(8)
    ]
    assert not [report for report in reports if "remembers" in report.reason]


@dpaudit.vectorized
def random_words(data, size, rng):
    return [f"{number:08x}" for number in rng.integers(0, 2**32, size=size)]


def test_words_do_not_tell_which_side_of_a_vectorized_call_they_came_from():
    """H0 holds at ε = 0: each of 12 audits is refuted with probability at most .05; more than 5
    come up once in 10^5 runs with fresh seeds."""
    refuted = sum(
        dpaudit.audit(
            random_words,
            PureDP(0.0),
            ONE_APART,
            alpha=0.05,
            max_calls=400,
            seed=seed,
            engines=["statistical"],
        ).verdict
        is Verdict.REFUTED
        for seed in range(12)
    )
    assert refuted <= 5


def noisy_sum(data, rng):
    return data.sum() + rng.laplace()


@pytest.mark.parametrize(
    "claim",
    [
        PureDP(800.0),
        ApproxDP(800.0, 1e-5),
        GaussianDP(100.0),
        RenyiDP(2.0, 800.0),
        RenyiDP(300.0, 1.0),
        ZeroConcentratedDP(1e4),
    ],
    ids=str,
)
def test_huge_parameters_are_computed_with(claim):
    """H0 holds: refuted once in 10^6 runs with fresh seeds."""
    report = dpaudit.audit(noisy_sum, claim, ONE_APART, max_calls=2_000, engines=["statistical"])
    assert report.completed
    assert report.verdict is not Verdict.REFUTED


UNENCODABLE = "\udc80x"  # what Python makes of a file name that is no UTF-8


def raise_it(text):
    raise ValueError(text)


@pytest.mark.parametrize(
    "put",
    [
        str,
        raise_it,
        lambda text: {text: 1},
        lambda text: [0.5, {text}],
        lambda text: np.array([text]),
        lambda text: text * 10_000,
    ],
    ids=["text", "exception", "key", "member", "array", "long text"],
)
def test_text_that_no_encoding_has_is_an_output_like_others(put):
    def response(bit, rng):
        return put(UNENCODABLE) if bit == (rng.random() < 0.75) else "other"

    def audited(epsilon):
        return dpaudit.audit(
            response, PureDP(epsilon), Pairs([(0, 1)]), engines=["statistical"], max_calls=3000
        )

    assert audited(float(np.log(3))).verdict is Verdict.NOT_REFUTED
    broken = audited(0.1)
    assert broken.verdict is Verdict.REFUTED
    broken.summary().encode()
    compile(broken.witness.script().encode(), "witness", "exec")
