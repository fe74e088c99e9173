"""Texts of JSON in exact distributions: of known values they are those that Python makes."""

import json

import pytest

from dpaudit import AnyPair, Integer, PureDP, Verdict, verify

BIT = AnyPair(Integer(0, 1))


def answer_by_a_memo(x, rng):
    known = {}
    key = json.dumps([x, "round 1"])
    if key not in known:
        known[key] = x if rng.random() < 0.7 else 1 - x
    return json.dumps({"first": known[key], "again": known[key]}, sort_keys=True)


def answer_beside_the_record(x, rng):
    """The text holds x itself: no output of one record is one of the other."""
    y = x if rng.random() < 0.7 else 1 - x
    return json.dumps({"answer": y, "of": [x]})


def a_draw_among_a_thousand(x, rng):
    """Returns True with probability 1/1000 for 1, and never for 0. What stands in for a draw must
    not be handed to `default`."""
    y = int(rng.integers(0, 1000))
    return json.dumps([y], default=lambda _: 0) == "[500]" and bool(x)


def the_digits_of_a_draw(x, rng):
    """Returns True where the first digit of x + u is 1: for 1 always, and never for 0."""
    return json.dumps([x + float(rng.random())]).startswith("[1.")


def test_a_text_of_a_randomized_answer_is_proved():
    """The answer is kept with probability 0.7: the loss is log(0.7 / 0.3) = 0.848."""
    assert verify(answer_by_a_memo, PureDP(0.85), BIT).verdict is Verdict.VERIFIED
    assert verify(answer_by_a_memo, PureDP(0.84), BIT).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "mechanism",
    [answer_beside_the_record, a_draw_among_a_thousand, the_digits_of_a_draw],
    ids=lambda mechanism: mechanism.__name__,
)
def test_a_text_that_tells_the_record_is_not_proved(mechanism):
    assert verify(mechanism, PureDP(5.0), BIT).verdict is not Verdict.VERIFIED
