"""Reasons for no verdict: what a user understands, with the line, and nothing of the inside."""

import ast
import builtins
import inspect
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import (
    AddRemove,
    AnyPair,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    Row,
    Verdict,
)
from dpaudit.checker import wording
from dpaudit.formal import program
from dpaudit.formal.reasons import Stop, why

VALUES = AddRemove(Real(0, 1), max_size=5)
HERE = program.Place(__file__, 1)


def two_counts(data, rng):
    low = np.sum(np.sin(data) < 0.3) + rng.laplace()
    high = np.sum(np.sin(3 * data) < -0.1) + rng.laplace()
    return low, high


def one_unknown(data, rng):
    first = max(0.0, len(data) + rng.laplace(scale=2))
    return first, np.sum(np.unwrap(0 * data))


def a_ratio(data, rng):
    count = len(data) + rng.laplace(scale=2)
    return np.sum(data) / count + rng.laplace(scale=2)


def nested(data, rng):
    def noisy(scale):
        return rng.laplace(scale=scale)

    return any(answer + noisy(1) > 3 for answer in data)


def transposed_in_order(data, rng):
    return np.transpose(sorted(data)).sum() + rng.laplace()


def reason(mechanism, neighbors=VALUES):
    report = dpaudit.verify(mechanism, PureDP(1), neighbors)
    assert report.verdict is Verdict.INCONCLUSIVE
    return report.reason


def test_releases_that_cost_too_much_are_listed_with_what_each_costs():
    said = reason(two_counts)
    assert "the releases may cost 2, and the claim allows 1 (1 by the noise of line" in said
    assert "they may concern the same records" in said


def test_what_was_understood_before_a_stop_is_said():
    said = reason(one_unknown)
    line = inspect.getsourcelines(one_unknown)[1] + 1
    assert f"(the release of line {line} was understood and is not the cause)" in said
    assert "in `return first, np.sum(np.unwrap(0 * data))`" in said


class Width(float):
    """A number of a class of its own."""


def test_an_object_that_a_class_of_python_makes_is_said_to_be_one():
    def counted(data, rng):
        return len(data) + rng.laplace(scale=Width(2.0))

    assert "an object of 'Width', which float makes" in reason(counted)


def test_ways_that_do_not_apply_are_left_out_while_another_does():
    said = why([Stop("this", "not about it", HERE, applies=False), Stop("that", "a loop", HERE)])
    assert "a loop" in said
    assert "not about it" not in said
    assert "not about it" in why([Stop("this", "not about it", HERE, applies=False)])


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (two_counts, VALUES),
        (one_unknown, VALUES),
        (a_ratio, VALUES),
        (transposed_in_order, VALUES),
        (nested, QueryAnswers(3, 1, norm="linf")),
    ],
)
def test_no_reason_shows_the_inside_of_the_prover(mechanism, neighbors):
    said = reason(mechanism, neighbors)
    assert not re.search(r"\w+_\d+\b|Error\b|Ne\(|unsupported operand|Affine", said), said
    classes = {name for name, _ in inspect.getmembers(program, inspect.isclass)} - {"Place"}
    assert not classes & set(re.findall(r"\b[A-Z]\w+", said.partition(", in `")[0])), said


def test_a_class_that_attrs_wrote_is_said_to_be_one():
    attr = pytest.importorskip("attr")
    made = attr.make_class("Width", {"wide": attr.ib(default=1.0)})

    def counted(data, rng):
        return len(data) + rng.laplace(scale=made().wide)

    report = dpaudit.verify(counted, PureDP(1.0), VALUES)
    assert "the class Width, of which attrs wrote the methods; make it a dataclass" in report.reason


def test_an_object_that_answers_every_attribute_with_an_object_does_not_stop_the_prover():
    polars = pytest.importorskip("polars")
    rows = AddRemove(Row(age=Integer(0, 90)), max_size=5, container="polars")

    def adults(frame, rng):
        return frame.filter(polars.col("age") > 40).height + rng.laplace(0, 1)

    assert "a call of polars" in reason(adults, rows)


def test_what_is_not_understood_is_told_in_words():
    said = reason(transposed_in_order)
    assert ": not understood: an array of sorted records, in `return np.transp" in said


def test_every_word_is_about_a_class_of_the_evaluator_or_of_python():
    rooms = (Path(wording.__file__).parent / room for room in ("cost", "exact"))
    files = (file for room in rooms for file in room.glob("*.py"))
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text())))
    known = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    known |= {*dir(builtins), Fraction.__name__, "Number", "NoneType"}
    assert set(wording._KINDS) <= known
    assert wording.described(object()) == "a value of the type object"
    assert wording.described(PureDP(1.0)) == "a value of this kind"
    assert wording.in_words("truediv") == "a quotient"
    assert wording.in_words("operator.add") == "a sum"
    assert wording.in_words("numpy.exp") == "numpy.exp"
    assert wording.in_words("method.clip") == "the method `clip`"
    assert wording.in_words("draw.integers") == "the draw `integers`"
    assert wording.in_words("builtins.eval") == "`eval`"
    nodes = {name for name, _ in inspect.getmembers(program, inspect.isclass)}
    assert set(wording._CONSTRUCTS) <= nodes


def squared_distance(x, rng):
    y = rng.geometric(0.5) - rng.geometric(0.5) + x
    return (abs(y) - 0.5) ** 2


def angle(x, rng):
    return math.acos(0.5) < np.arccos((rng.random() + x) / 2)


def complex_noise(x, rng):
    return (rng.random() * 1j + x).real


def entry_by_a_draw(x, rng):
    return [1, 2, 3][rng.random() < 0.75] if x else np.ones(3).astype(int)[rng.random() * 2]


@pytest.mark.parametrize(
    "mechanism", [squared_distance, angle, complex_noise, entry_by_a_draw], ids=lambda m: m.__name__
)
def test_a_reason_says_no_exception_of_what_stands_in_for_numbers(mechanism):
    """These run without an exception, except the last, whose exception is not the one that
    exact numbers and draws raise."""
    said = str(dpaudit.verify(mechanism, PureDP(0.1), AnyPair(Integer(0, 1))).reason)
    assert "Error" not in said
    assert not {"Drawn", "Number", "Undecided", "Stepped"} & set(re.findall(r"\w+", said))
