"""Examples: pairs that an audit tries before all others."""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real, Verdict
from dpaudit.examples import EXAMPLE, MOST, examples_of, seed_with
from dpaudit.subject import Subject

VALUES = AddRemove(Real(0, 100), max_size=8)
TELLING = [37.25, 61.5, 37.25], [37.25, 61.5]  # no pattern and no random draw proposes it


def leaks_on_the_example(data, rng):
    """A count with too little noise where the data holds 37.25 twice."""
    scale = 0.1 if np.count_nonzero(data == 37.25) > 1 else 1.0
    return len(data) + rng.laplace(scale=scale)


def marked(*pairs, mechanism=leaks_on_the_example):
    def same(data, rng):
        return mechanism(data, rng)

    for left, right in reversed(pairs):
        same = dpaudit.example(left, right)(same)
    return same


def sampled(mechanism, neighbors=VALUES, **options):
    options = {"max_calls": 800, "engines": ["statistical"], "isolation": "none"} | options
    return dpaudit.audit(mechanism, PureDP(1.0), neighbors, **options)


def test_sampling_refutes_on_an_example_what_it_misses_without():
    """A sound mechanism would be refuted with probability at most 1e-6."""
    assert sampled(leaks_on_the_example).verdict is not Verdict.REFUTED
    report = sampled(marked(TELLING))
    assert report.verdict is Verdict.REFUTED
    assert {tuple(report.witness.left), tuple(report.witness.right)} == set(map(tuple, TELLING))


def test_traces_name_the_cause_on_an_example():
    """The seed is fixed; another one would fail with probability at most 1e-3."""
    report = sampled(marked(TELLING), engines=["trace", "statistical"], max_calls=3_000)
    assert report.verdict is Verdict.REFUTED
    assert report.evidence[0].engine == "trace"
    assert report.evidence[0].suspects or report.evidence[0].verdict is Verdict.REFUTED


def test_a_pair_of_other_neighbors_is_an_error_with_the_remedy():
    mechanism = marked(([1.0, 2.0, 3.0], [1.0]))
    with pytest.raises(ValueError, match=r"no pair of AddRemove.*\[1, 2, 3\] and \[1\].*Change"):
        sampled(mechanism)


@pytest.mark.parametrize("wrong", [([1.0], [1.0]), ([101.0], []), ("text", [1.0]), (None, [])])
def test_what_is_no_pair_of_datasets_is_an_error(wrong):
    with pytest.raises(ValueError, match="an example of same is no pair of"):
        sampled(marked(wrong))


def test_an_example_of_listed_pairs_must_be_listed():
    listed = Pairs([(np.array([1.0]), np.array([2.0]))])
    assert len(examples_of(Subject.of(marked((np.array([2.0]), np.array([1.0])))), listed)) == 1
    with pytest.raises(ValueError, match="is no pair of"):
        examples_of(Subject.of(marked((np.array([2.0]), np.array([3.0])))), listed)


def test_examples_are_tried_in_the_order_in_which_they_stand_and_once():
    pairs = ([1.0], []), ([2.0], []), ([1.0], [])
    found = examples_of(Subject.of(marked(*pairs)), VALUES)
    assert [float(each.pair.left[0]) for each in found] == [1.0, 2.0]
    assert all(isinstance(each.pair.left, np.ndarray) and each.why == EXAMPLE for each in found)


def test_the_decorator_returns_the_same_function():
    def mechanism(data, rng):
        return 0

    assert dpaudit.example([1.0], [])(mechanism) is mechanism


def test_so_many_examples_that_others_had_no_place_are_an_error():
    pairs = [([float(i)], []) for i in range(MOST + 1)]
    with pytest.raises(ValueError, match=r"at most 8 examples, got 9.*dpaudit\.Pairs"):
        marked(*pairs)
    assert len(examples_of(Subject.of(marked(*pairs[:MOST])), VALUES)) == MOST


def test_an_audit_with_examples_draws_with_another_seed_and_reports_the_given_one():
    """A pair may be chosen for what a run with the given seed showed."""
    example = examples_of(Subject.of(marked(TELLING)), VALUES)
    other = examples_of(Subject.of(marked(([1.0], []))), VALUES)
    assert seed_with(3, ()) == 3
    assert len({3, seed_with(3, example), seed_with(3, other), seed_with(4, example)}) == 4
    assert sampled(marked(TELLING), seed=3).seed == 3


def test_partial_and_vectorized_mechanisms_keep_their_examples():
    from functools import partial

    @dpaudit.vectorized
    @dpaudit.example(*TELLING)
    def many(data, size, rng):
        return len(data) + rng.laplace(size=size)

    @dpaudit.example(*TELLING)
    def scaled(data, rng, scale):
        return len(data) + rng.laplace(scale=scale)

    for mechanism in (many, partial(scaled, scale=1.0)):
        assert len(examples_of(Subject.of(mechanism), VALUES)) == 1


def test_a_sound_mechanism_is_proved_with_examples_too():
    @dpaudit.example(*TELLING)
    def count(data, rng):
        return len(data) + rng.laplace(scale=1.0)

    report = dpaudit.verify(count, PureDP(1.0), VALUES)
    assert report.verdict is Verdict.VERIFIED
    assert any("low-order bits" in sentence for sentence in report.assumptions)


DECORATED = """
import dpaudit
import numpy as np
{before}

@{decorator}
def total(data, rng):
    return data.sum() + rng.laplace(scale=100)
"""


@pytest.mark.parametrize(
    ("decorator", "before", "is_known"),
    [
        ("dpaudit.example([1.0, 2.0], [1.0])", "", True),
        ("first([1.0], [])", "from dpaudit import example as first", True),
        ("dpaudit.example(np.array([1.0]), np.array([]))", "", True),
        ("dpaudit.example(changed(), [])", "def changed():\n    return [0.0]", False),
        ("example([1.0], [])", "def example(*pair):\n    return lambda f: f", False),
    ],
)
def test_certificates_know_an_example_and_no_decorator_like_it(
    tmp_path, monkeypatch, decorator, before, is_known
):
    from dpaudit.checker import check

    name = f"decorated_{tmp_path.name}"
    file = tmp_path / f"{name}.py"
    file.write_text(DECORATED.format(decorator=decorator, before=before))
    monkeypatch.syspath_prepend(str(tmp_path))
    report = dpaudit.verify(f"{name}:total", PureDP(1.0), VALUES, progress=False)
    if report.certificate is None:
        assert not is_known
        return
    report.certificate.save(tmp_path / "c.json")
    assert check(tmp_path / "c.json", source=file).accepted == is_known


def test_examples_count_in_worker_processes():
    """A sound mechanism would be refuted with probability at most 1e-6."""
    report = sampled(marked(TELLING), isolation="process", engines=["trace", "statistical"])
    assert report.verdict is Verdict.REFUTED
