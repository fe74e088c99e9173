"""A mechanism that raises in every call: the headline and the exit code say the same."""

import itertools
import sys

import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real, Verdict
from dpaudit.cli import cli
from dpaudit.collect import CollectedAudit
from dpaudit.declare import Audit
from dpaudit.evidence import Evidence, no_output
from dpaudit.outcome import Outcome, exit_code
from dpaudit.verdict import Report
from tests.sweeps import FULL, sampled

NEIGHBORS = AddRemove(Real(0, 1), max_size=4)
BODIES = {
    "raises": "raise ValueError('needs a frame')",
    "not written": "raise NotImplementedError",
    "asserts": "assert False, 'no'",
    "wants a frame": "return data.columns + rng.laplace()",
    "wants a list": "data.append(1.0)\n    return len(data) + rng.laplace()",
    "wants a name": "return missing + rng.laplace()",
    "divides by zero": "return rng.laplace() / 0",
    "leaves": "raise SystemExit(1)",
    "raises after noise": "noise = rng.laplace()\n    raise KeyError('no')",
    "raises whatever it sees": "if len(data) > 1:\n        raise ValueError('a')\n"
    "    raise ValueError('a')",
}
ENGINES = (["formal", "statistical"], ["statistical"], ["trace"], ["formal", "trace"])


@pytest.fixture
def module(tmp_path, monkeypatch):
    text = "".join(
        f"def f{number}(data, rng):\n    {body}\n\n" for number, body in enumerate(BODIES.values())
    )
    text += (
        "import dpaudit\n@dpaudit.vectorized\ndef many(data, size, rng):\n    raise OSError('x')\n"
    )
    (tmp_path / "raising_house.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "raising_house", raising=False)
    return tmp_path / "raising_house.py"


# Each mechanism with one choice of engines, in turns; in a full sweep with all.
TRIED = [
    pytest.param(name, engines, id=f"{name}-{'+'.join(engines)}")
    for k, name in enumerate([*BODIES, "many"])
    for j, engines in enumerate(ENGINES)
    if FULL or j == k % len(ENGINES)
]


@pytest.mark.parametrize(("name", "engines"), sampled(TRIED, 3))
def test_nothing_is_said_of_a_mechanism_that_always_raises_but_how_to_mend_it(
    module, name, engines
):
    own = name if name == "many" else f"f{list(BODIES).index(name)}"
    report = dpaudit.audit(
        f"raising_house:{own}", PureDP(1.0), NEIGHBORS, engines=engines, max_calls=400
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.certificate is None
    assert not report.completed
    assert report.summary().startswith("INCONCLUSIVE  ")
    assert "the mechanism gave no output in any call (" in report.reason
    assert f", at {module}:" in report.reason
    missing = "define or import missing in its module"  # a remedy of its own
    wanted = "correct it, or give neighbors whose records and container it accepts"
    assert (missing if "NameError" in report.reason else wanted) in report.reason
    outcome = Outcome(CollectedAudit("a", Audit(own + ":x", PureDP(1.0), NEIGHBORS)), report)
    assert exit_code([outcome]) == 3


@pytest.mark.parametrize("name", ["raises", "not written", "raises after noise"])
def test_a_proof_alone_says_nothing_of_a_mechanism_that_always_raises(module, name):
    place = f"raising_house:f{list(BODIES).index(name)}"
    report = dpaudit.verify(place, PureDP(1.0), NEIGHBORS)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "every call ends in this exception and releases nothing" in report.evidence[0].reason


def forgot(data, rng):
    noisy = len(data) + rng.laplace()  # noqa: F841 (a `return` is what is missing)


def forgot_on_two_ways(data, rng):
    if len(data) > 1:
        return None
    rng.laplace()
    return None


def prints(data, rng):
    print(len(data) + rng.laplace())


def returns_now_and_then(data, rng):
    noisy = len(data) + rng.laplace()
    if noisy > 1:
        return noisy
    return None


@pytest.mark.parametrize("mechanism", [forgot, forgot_on_two_ways])
def test_a_proof_alone_says_nothing_of_a_mechanism_that_always_returns_none(mechanism):
    report = dpaudit.audit(mechanism, PureDP(1.0), NEIGHBORS, max_calls=400)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.certificate is None
    assert "every call returns None and releases nothing" in report.reason


@pytest.mark.parametrize("mechanism", [prints, returns_now_and_then])
def test_a_mechanism_that_returns_none_and_releases_something_is_proved(mechanism):
    assert dpaudit.verify(mechanism, PureDP(1.0), NEIGHBORS).verdict is Verdict.VERIFIED


def test_a_mechanism_that_raises_now_and_then_is_audited(module):
    """A fresh seed refutes it with probability 1e-6 at most."""

    def now_and_then(data, rng):
        if rng.random() < 0.5:
            raise ValueError("no luck")
        return len(data) + rng.laplace()

    report = dpaudit.audit(
        now_and_then, PureDP(1.0), NEIGHBORS, engines=["statistical"], max_calls=20_000
    )
    assert report.completed
    assert report.verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_the_command_says_the_line_and_exits_with_three(module, isolation):
    nouns = ("--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 1), max_size=4)")
    ways = ("--max-calls", "400", "--isolation", isolation)
    done = CliRunner().invoke(cli, ["audit", "raising_house:f0", *nouns, *ways])
    assert done.exit_code == 3, done.output
    assert "INCONCLUSIVE  raising_house:f0" in done.output
    assert "VERIFIED" not in done.output
    assert "(ValueError: needs a frame, at raising_house.py:2)" in done.output


ANSWERS = [*Verdict, None]


@pytest.mark.parametrize("first", ANSWERS, ids=str)
@pytest.mark.parametrize("second", ANSWERS, ids=str)
def test_only_a_refutation_stands_where_an_engine_did_not_run_to_its_end(first, second):
    for ends in itertools.product((True, False), repeat=2):
        evidence = [
            Evidence(name, verdict, f"says {name}", completed=end)
            for name, verdict, end in zip("ab", (first, second), ends, strict=True)
        ]
        report = Report("m:f", PureDP(1.0), "", (), tuple(evidence))
        if Verdict.REFUTED in (first, second):
            assert report.verdict is Verdict.REFUTED
        elif not all(ends):
            assert report.verdict is Verdict.INCONCLUSIVE
            assert [f"says {n}" in report.reason for n in "ab"] == [not end for end in ends]
        else:
            assert report.verdict is max(
                filter(None, (first, second)), default=Verdict.INCONCLUSIVE
            )


def test_a_pair_that_always_raises_is_charged_and_drawn_from_no_more():
    @dpaudit.vectorized
    def answers_below_two(side, size, rng):
        if side >= 2:
            raise ValueError("no such side")
        return rng.laplace(size=size)

    report = dpaudit.audit(
        answers_below_two,
        PureDP(1.0),
        Pairs([(0, 1), (2, 3)]),
        engines=["statistical"],
        max_calls=20_000,
    )
    heard, silent = report.evidence[0].pairs
    assert report.verdict is Verdict.NOT_REFUTED
    assert silent.calls < 1_000
    assert heard.calls > 18_500
    assert silent.weight == heard.weight
    assert any("every call raised" in note for note in report.evidence[0].notes)


def test_pairs_on_which_different_exceptions_are_raised_are_drawn_from():
    @dpaudit.vectorized
    def complains(side, size, rng):
        raise (ValueError if side == 2 else KeyError)("no")

    report = dpaudit.audit(
        complains,
        PureDP(1.0),
        Pairs([(0, 1), (2, 3)]),
        engines=["statistical"],
        max_calls=20_000,
    )
    assert report.verdict is Verdict.REFUTED


def test_one_exception_in_all_calls_ends_the_sampling_early():
    @dpaudit.vectorized
    def closed(data, size, rng):
        raise ValueError("closed")

    report = dpaudit.audit(closed, PureDP(1.0), NEIGHBORS, engines=["statistical"])
    assert report.verdict is Verdict.INCONCLUSIVE
    assert not report.completed
    assert report.pairs_tried >= 16
    assert report.calls < 20_000
    ended = f"so the sampling ended after {report.calls:,} of 1,000,000 calls"
    assert any(ended in note for note in report.evidence[0].notes)


@pytest.mark.parametrize("leak", ["text", "class", "note"])
def test_an_exception_that_seldom_tells_of_the_data_is_refuted_still(leak):
    """A fresh seed misses it with probability less than 1e-6."""

    def tells(data, rng):
        error = ValueError("closed")
        if len(data) % 2 and rng.random() < 0.02:
            if leak == "class":
                raise KeyError("closed")
            if leak == "note":
                print("odd")
            raise ValueError("odd" if leak == "text" else "closed") from None
        raise error

    report = dpaudit.audit(
        tells, PureDP(1.0), NEIGHBORS, engines=["statistical"], max_calls=100_000
    )
    assert report.verdict is Verdict.REFUTED


def test_exceptions_whose_texts_are_noisy_answers_are_sampled_to_the_end():
    def answers(data, rng):
        raise ValueError(str(round(len(data) + rng.laplace(scale=0.7))))

    report = dpaudit.audit(
        answers, PureDP(1.0), NEIGHBORS, engines=["statistical"], max_calls=200_000
    )
    assert report.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("complaint", "remedy"),
    [
        ("NameError: name 'pd' is not defined, at a.py:3", "add `import pandas as pd` in its"),
        ("NameError: name 'math' is not defined, at a.py:3", "add `import math` in its module"),
        ("NameError: name 'own' is not defined, at a.py:3", "define or import own in its module"),
        ("AttributeError: 'numpy.ndarray' object has no attribute 'groupby'", 'container="pandas"'),
        ("ValueError: too few", "correct it, or give neighbors whose records and container it"),
    ],
)
def test_the_remedy_of_an_exception_in_every_call_is_that_of_its_kind(complaint, remedy):
    assert f"({complaint}); " in no_output(complaint)
    assert remedy in no_output(complaint)
