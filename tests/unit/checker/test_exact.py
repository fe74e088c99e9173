"""Certificates of exact distributions: the program is run again, on draws that fork."""

import ast
import hashlib
import importlib
import math
import subprocess
import sys
from fractions import Fraction
from functools import partial

import flint
import numpy as np
import pytest

import dpaudit.checker
from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    Pairs,
    PureDP,
    RenyiDP,
    vectorized,
    verify,
)
from dpaudit.checker.exact.numbers import PRECISION, Number
from dpaudit.checker.exact.shims import exact
from dpaudit.checker.file import ALIKE, NotCheckedError
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.randomized_response_rare_code import randomized_response_rare_code
from mechanisms.randomized_response import (
    k_randomized_response,
    randomized_response,
    randomized_response_many,
)
from mechanisms.truncated_geometric import truncated_geometric
from mechanisms.unary_encoding import unary_encoding
from tests.checking import check
from tests.exact_laws import certificate, claimed, decide, law, of_another
from tests.sweeps import sampled
from tests.unit.checker.mutations import changed, mutations

HARMLESS = (r"versions\..*", r"trusted\.\d+", r"program\..*place")
BITS = AnyPair(Categorical([0, 1]))


@pytest.fixture(scope="module")
def two_coins():
    return certificate(randomized_response, PureDP(math.log(3)), BITS)


@pytest.fixture(scope="module")
def four_answers():
    return certificate(k_randomized_response, PureDP(1.0), AnyPair(Integer(0, 3)))


CASES = [
    (unary_encoding, PureDP(1.0), AnyPair(Integer(0, 3))),
    (partial(randomized_response_rare_code, truth=0.75), PureDP(math.log(3)), BITS),
    (truncated_geometric, PureDP(math.log(1.5)), Pairs([(0, 1), (1, 2), (4, 5)])),
    (randomized_response, RenyiDP(2, math.log(7 / 3) + 1e-9), BITS),
    (randomized_response, ApproxDP(0.5, 0.34), BITS),
    (vectorized(randomized_response_many), PureDP(math.log(3)), BITS),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), CASES)
def test_what_the_prover_hands_over_is_accepted(mechanism, claim, neighbors):
    result = check(certificate(mechanism, claim, neighbors))
    assert result.accepted, result.reason


@pytest.mark.parametrize("name", sampled(["two_coins", "four_answers"], 1))
def test_every_change_of_a_field_is_rejected_or_harmless(name, request):
    accepted = [
        (where, free)
        for where, free, found in mutations(request.getfixturevalue(name), HARMLESS)
        if check(found).accepted != free
    ]
    assert accepted == []


@pytest.mark.parametrize(
    "claim", [PureDP(1.0), PureDP(1.0986), ApproxDP(0.5, 0.3), RenyiDP(2, 0.84)]
)
def test_a_smaller_claim_is_rejected_by_numbers(two_coins, claim):
    result = check(claimed(two_coins, claim))
    assert result.decided
    assert "the claim is exceeded on " in result.reason


def test_a_claim_that_rounding_alone_exceeds_is_not_called_false(four_answers):
    result = check(claimed(four_answers, PureDP(math.nextafter(1.0, 0.0))))
    assert not result.accepted
    assert not result.decided


def test_a_claim_that_is_kept_exactly_is_accepted(four_answers):
    assert check(four_answers).accepted
    proof = four_answers["proof"]
    assert (proof["loss"], proof["spent"]) == ("1", proof["allowed"])


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("proof", "spent"), "5/2", "spent"),
        (("proof", "spent"), "3 + 0*exp(1) + 1/10", "spent"),
        (("proof", "loss"), "1", "loss"),
        (("proof", "loss"), "[1.0 +/- 5]", "loss"),
        (("proof", "attained_by"), ["0", "0"], "attained_by"),
        (("proof", "pairs"), 2, "pairs"),
        (("subject", "mechanism"), "mechanisms.randomized_response:k_randomized_response", ""),
        (
            ("subject", "mechanism"),
            "mechanisms.flawed.randomized_response_wrong_coin:randomized_response_wrong_coin",
            "",
        ),
        (("subject", "mechanism"), "os:system", "of Python itself"),
        (("subject", "neighbors"), "AnyPair(Categorical([0, 1, 2]))", ""),
        (("subject", "neighbors"), "AnyPair(Real(0, 1))", ""),
        (("subject", "neighbors"), "Pairs([(0, 0)])", ""),
        (("assumptions",), [], "assumptions"),
        (("sources",), {}, "sources"),
    ],
)
def test_a_certificate_that_says_something_else_is_rejected(two_coins, path, value, reason):
    result = check(changed(two_coins, path, lambda _: value))
    assert not result.accepted
    assert reason in result.reason


def test_without_the_source_the_program_is_of_no_known_code(two_coins):
    result = dpaudit.checker.check(two_coins, source=False)
    assert result.proved
    assert (result.accepted, result.decided) == (False, False)


WRONG = {
    "of_the_clock": "import time\ndef f(bit, rng): return int(time.time()) % 1 + 0 * bit\n",
    "of_another_generator": (
        "import random\ndef f(bit, rng): return bit if random.random() < 1e-9 else 0\n"
    ),
    "of_numpy": (
        "import numpy as np\n"
        "def f(bit, rng): return bit if np.random.default_rng().random() < 1e-9 else 0\n"
    ),
    "that_remembers": ("seen = []\ndef f(bit, rng):\n    seen.append(bit)\n    return seen[0]\n"),
    "with_a_global": (
        "seen = None\ndef f(bit, rng):\n    global seen\n    seen = seen or bit\n    return seen\n"
    ),
    "with_an_attribute": (
        "def f(bit, rng):\n    f.seen = getattr(f, 'seen', bit)\n    return f.seen\n"
    ),
    "with_another_attribute": "def f(bit, rng): return f.raw * bit\nf.raw = 1\n",
    "with_a_mark_that_is_read": (
        "def f(bit, rng): return bit if f.__dpaudit_vectorized__ else 0\n"
        "f.__dpaudit_vectorized__ = True\n"
    ),
    "with_a_mark_that_it_sets": (
        "def f(bit, rng):\n"
        "    try:\n"
        "        return 0 if f.__dpaudit_vectorized__ else bit\n"
        "    except AttributeError:\n"
        "        f.__dpaudit_vectorized__ = True\n"
        "        return bit\n"
    ),
    "with_a_memory_as_default": (
        "def f(bit, rng, seen=[]):\n    seen.append(bit)\n    return seen[0]\n"
    ),
    "with_an_import": (
        "def f(bit, rng):\n    import random\n    return bit if random.random() < 1e-9 else 0\n"
    ),
    "with_hidden_randomness": (
        "import random\nfrom functools import cache\n"
        "@cache\ndef g(bit): return bit if random.random() < 1e-9 else 0\n"
        "def f(bit, rng): return g(bit)\n"
    ),
    "of_its_own_globals": (
        "def f(bit, rng):\n    f.__globals__.setdefault('s', bit)\n    return f.__globals__['s']\n"
    ),
    "that_raises": "def f(bit, rng):\n    if bit: raise ValueError\n    return 0\n",
    "that_tells_the_type": "def f(bit, rng): return 1 if bit else True\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_code_that_hides_what_it_does_is_not_accepted(name, two_coins, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    module = f"wrong_{name}"
    (tmp_path / f"{module}.py").write_text(WRONG[name])
    mechanism = importlib.import_module(module).f
    try:
        assert not isinstance(decide(mechanism, PureDP(math.log(3)), BITS), ExactProof)
        forged = of_another(two_coins, mechanism)
    except Unsupported:
        return
    assert not check(forged).accepted
    named = changed(two_coins, ("subject", "mechanism"), lambda _: f"{module}:f")
    assert not dpaudit.checker.check(named, mechanism=mechanism).accepted


def test_numbers_with_powers_of_e_are_told_apart_and_equal():
    with flint.ctx.workprec(PRECISION):
        one, half = Number(Fraction(1)).exp(), Number(Fraction(1, 2)).exp()
        assert half * half == one
        assert 1 / (1 + Number(Fraction(-1, 2)).exp()) == half / (half + 1)
        assert one < Fraction(2718281829, 10**9)
        assert math.floor(one * 10) == 27


def test_the_checker_imports_nothing_of_the_prover(two_coins, tmp_path):
    import json

    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(two_coins))
    code = (
        "import sys, dpaudit.checker\n"
        "before = {m for m in sys.modules if m.startswith('dpaudit.formal')}\n"
        f"named = {two_coins['subject']['mechanism']!r}\n"
        f"print(dpaudit.checker.check({str(file)!r}, mechanism=named).accepted)\n"
        "print({m for m in sys.modules if m.startswith('dpaudit.formal.')} - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="."
    )
    accepted, loaded = done.stdout.split("\n")[:2]
    assert accepted == "True"
    lifter = ("clock", "hashing", "lift", "lifting", "program", "unsupported")  # which is on trust
    assert {name.split(".")[2] for name in ast.literal_eval(loaded)} <= set(lifter)


@vectorized
def counted_many(data, size, rng):
    return np.full(size, len(data)) + rng.laplace(scale=1.0, size=size)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(counted_many, AddRemove(Integer(0, 9))), (vectorized(randomized_response_many), BITS)],
)
def test_of_outputs_drawn_at_once_one_is_proved_and_the_others_are_trusted(mechanism, neighbors):
    report = verify(mechanism, PureDP(math.log(3)), neighbors)
    assert ALIKE in report.assumptions
    found = check(report.certificate.to_dict())
    assert found.accepted, found.reason
    assert ALIKE in found.trusted


def test_of_a_single_output_no_others_are_trusted(two_coins):
    assert ALIKE not in check(two_coins).trusted


def test_nan_in_an_array_is_not_checked():
    # among objects, clip and its like would take NaN for an ordinary number
    with pytest.raises(NotCheckedError, match="NaN in an array"):
        exact(np.array([1.0, np.nan]))


def by_the_type_of_a_draw(value, rng):
    draw = rng.random()
    return value if isinstance(draw, np.floating) else bool(draw < 0.5)


def by_the_type_of_a_flag(value, rng):
    (flag, *_) = rng.random(20) < 0.5
    return value if isinstance(flag, np.bool_) else bool(flag)


def by_the_type_of_a_record(value, rng):
    return bool(rng.random() < (0.25 if type(value) is float else 0.5))


def by_the_digits_of_a_record(value, rng):
    return bool(rng.random() < (0.25 if len(str(value)) > 3 else 0.5))


def by_the_digits_of_a_quotient(value, rng):
    return bool(rng.random() < (0.25 if len(str(value / 3)) > 3 else 0.5))


def by_a_digest(value, rng):
    return bool(rng.random() < hashlib.sha256(str(value).encode()).digest()[0] / 512 + 0.25)


@pytest.mark.parametrize("mechanism", [by_the_type_of_a_record, by_the_digits_of_a_record])
def test_code_sees_the_types_and_digits_that_it_would_see(mechanism):
    assert law(mechanism, 0.25)["bool", True].fraction == Fraction(1, 4)


@pytest.mark.parametrize(
    "mechanism", [by_the_type_of_a_draw, by_the_type_of_a_flag, by_the_digits_of_a_quotient]
)
def test_code_that_asks_for_what_a_stand_in_hides_is_not_checked(mechanism):
    with pytest.raises((NotCheckedError, Unsupported)):
        law(mechanism, 0.25)


def test_a_digest_is_computed_as_it_is():
    expected = hashlib.sha256(b"0.25").digest()[0] / 512 + 0.25
    chance = law(by_a_digest, 0.25)["bool", True]
    assert chance.fraction == Fraction(expected)
