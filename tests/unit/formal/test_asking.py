"""What helpers ask of their arguments is answered where the code tells it, and nowhere else."""

import itertools
import math
import operator
import typing

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.formal.lifting import kinds
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal import changed_settings, shared_settings
from tests.unit.formal.asking_programs import BROKEN, SOUND, written_out

RECORDS = AddRemove(Real(0, 100), max_size=6, container="list")


@pytest.mark.parametrize("mechanism", sampled(SOUND, 7), ids=lambda m: m.__name__)
def test_what_asks_for_kinds_is_proved_and_checked(mechanism):
    evidence = dpaudit.verify(mechanism, PureDP(1.0), RECORDS)
    assert evidence.verdict is dpaudit.Verdict.VERIFIED, evidence.reason
    assert evidence.checked


def test_noise_of_a_helper_may_be_written_out():
    report = dpaudit.verify(written_out, PureDP(1.0), RECORDS)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason


@pytest.mark.parametrize("mechanism", BROKEN, ids=lambda m: m.__name__)
def test_no_answer_is_taken_for_granted_that_runs_may_give_otherwise(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), RECORDS)


@pytest.mark.parametrize("mechanism", shared_settings.ALL, ids=lambda m: m.__name__)
def test_what_nobody_changes_is_a_constant(mechanism):
    evidence = dpaudit.verify(mechanism, PureDP(1.0), RECORDS)
    assert evidence.verdict is dpaudit.Verdict.VERIFIED, evidence.reason


@pytest.mark.parametrize("mechanism", changed_settings.ALL, ids=lambda m: m.__name__)
def test_what_the_module_of_a_caller_changes_is_no_constant(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), RECORDS)


EXAMPLES = {
    "bool": [True, False],
    "int": [3, 1],
    "float": [2.5, np.float64(0.5)],
    "numpy": [np.float64(0.5), np.int64(2), np.bool_(True), np.float32(1)],
    "scalar": [3, 2.5, np.float64(0.5), np.int64(2)],
    "zero": [np.zeros(()), np.ones((), dtype=int)],
    "array": [np.array([1.0, 2.0]), np.ones((2, 2)), np.array([1, 2]), np.array([True, False])],
    "list": [[1, 2], [[1.0], [2.0]]],
    "tuple": [(1, 2)],
    "shape": [(2,), (2, 2)],
}
MEANS = {
    "bool": lambda x: type(x) is bool,
    "int": lambda x: type(x) is int,
    "float": lambda x: isinstance(x, float),
    "numpy": lambda x: isinstance(x, np.generic),
    "scalar": lambda x: isinstance(x, int | float | complex | np.generic),
    "zero": lambda x: isinstance(x, np.ndarray) and x.ndim == 0,
    "array": lambda x: isinstance(x, np.ndarray) and x.ndim >= 1,
    "list": lambda x: type(x) is list,
    "tuple": lambda x: type(x) is tuple,
    "dict": lambda x: type(x) is dict,
}
NAMES = sorted(
    {
        *kinds._ARRAYS,
        *kinds.COPIES,
        *kinds._REDUCED,
        *kinds._ENTRYWISE,
        *kinds._REAL,
        *kinds._WHOLE,
        *kinds._PICKED,
        *kinds.ARITHMETIC,
        *kinds.COMPARISONS,
        "builtins.float",
        "builtins.list",
        "method.copy",
    }
)


def called(name, arguments):
    """Run a function of the name that programs have."""
    module, _, word = name.partition(".")
    if module == "method":
        return getattr(arguments[0], word)(*arguments[1:])
    found = {"numpy": np, "math": math, "operator": operator}.get(module)
    return getattr(found or __import__("builtins"), word)(*arguments)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_the_kind_of_a_result_is_what_python_and_numpy_yield(name):
    told = 0
    for many in (1, 2):
        for each in itertools.product(EXAMPLES, repeat=many):
            kind = kinds.of_call(name, list(each), set())
            if kind is None:
                continue
            for arguments in itertools.product(*(EXAMPLES[k] for k in each)):
                try:
                    result = called(name, arguments)
                except (TypeError, ValueError, ArithmeticError, AttributeError, IndexError):
                    continue  # there is no result
                assert MEANS[kind](result), (name, each, arguments, result)
                told += 1
    assert told


def test_every_kind_has_its_examples():
    assert set(typing.get_args(kinds.Kind)) == {*EXAMPLES, "dict", "str"}
