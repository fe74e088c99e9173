"""A library function that others define is lowered in one place, and does what they do."""

import ast
import itertools
import math
import operator
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.special

import dpaudit
from dpaudit.formal.lift import lift
from dpaudit.formal.lifting.canonical import ALIKE, canonical_name
from dpaudit.formal.lifting.definitions import DEFINITIONS
from dpaudit.formal.program import Call, walk
from tests.unit.formal import defined_programs as programs

LINES = [line.partition(": ")[::2] for line in DEFINITIONS.strip().split("\n")]
LARGE = 2**70
NUMBERS = [0.0, -0.0, 1.5, 3, True, 1e308, math.inf, -math.inf, math.nan, LARGE, -7]
ARRAYS = [
    np.array([1.5, -2.0, math.nan]),
    np.array([1, 2, 3]),
    np.array([[True, False]]),
    np.float32([0.1, 0.2]),
    np.arange(6.0).reshape(2, 3),
    [1, 2.5],
]
COLUMNS = [pd.Series([1.5, math.nan, 3.0]), pd.DataFrame({"x": [1.0, 2.0], "y": [math.nan, 4.0]})]
KINDS = [bool, int, float, np.int8, np.uint64, np.float32, "float64", "i4"]
ANY = [*NUMBERS, "3", None, *ARRAYS[:3]]
GIVEN = {  # arguments to try a function on
    "builtins.pow": [each for each in itertools.product(ANY, ANY) if each[1] is not LARGE],
    "math.log": list(itertools.product(ANY, ANY)),
    "method.isnull": [(each,) for each in COLUMNS],
    "method.notnull": [(each,) for each in COLUMNS],
    "numpy.append": [*itertools.product((*NUMBERS[:6], *ARRAYS, *COLUMNS[:1]), repeat=2), ("a", 1)],
    "numpy.average": [
        (each, *axis) for each in (*NUMBERS[:6], *ARRAYS, *COLUMNS) for axis in ((), (0,), (1,))
    ],
    "numpy.copy": [(each,) for each in (*NUMBERS, *ARRAYS, *COLUMNS, "text", None)],
    "numpy.identity": [(3,), (0,), (-1,), (2.0,), *((2, kind) for kind in KINDS)],
    "numpy.isinf": [(each,) for each in (*NUMBERS[:9], -7, np.float32(3), *ARRAYS, "3", None)],
    "numpy.ones": [(n, *kind) for n in (0, 3, (2, 3), -1, 2.5) for kind in ((), *zip(KINDS))],
    "scipy.special.expit": [(each,) for each in (*NUMBERS[:9], *ARRAYS[:2])],
}
GIVEN["numpy.isneginf"] = GIVEN["numpy.isposinf"] = GIVEN["numpy.isinf"]
GIVEN["numpy.zeros"] = GIVEN["numpy.ones"]
CLOSE = {"scipy.special.expit"}  # the same of real numbers


class Methods:
    def __getattr__(self, name):
        return lambda receiver, *given: getattr(receiver, name)(*given)


MODULES = {
    "builtins": types.SimpleNamespace(pow=pow),
    "math": math,
    "method": Methods(),
    "numpy": np,
    "operator": operator,
    "scipy": scipy,
}


def outcome(function, given):
    """Return what a function gives: its value as a text that tells types, or its error."""
    with np.errstate(all="ignore"):
        try:
            found = function(*given)
        except (ArithmeticError, MemoryError, TypeError, ValueError, IndexError) as error:
            return "TypeError" if isinstance(error, TypeError) else type(error).__name__
    if isinstance(found, np.ndarray | np.generic):
        return type(found).__name__, found.dtype, found.shape, found.tobytes()
    return type(found).__name__, repr(found)


@pytest.mark.parametrize(("name", "text"), LINES, ids=[text for _, text in LINES])
def test_a_definition_does_what_the_function_does(name, text):
    function, defined = eval(name, MODULES), eval(text, MODULES)
    parameters = ast.parse(text).body[0].value.args
    least = len(parameters.posonlyargs + parameters.args) - len(parameters.defaults)
    most = len(parameters.posonlyargs + parameters.args)
    tried = [given for given in GIVEN[name] if least <= len(given) <= most]
    assert tried
    for given in tried:
        if name in CLOSE:
            np.testing.assert_allclose(defined(*given), function(*given), rtol=1e-12, atol=1e-16)
        else:
            assert outcome(defined, given) == outcome(function, given), given


def called(program):
    return [n.function for n in walk(lift(program).entry) if isinstance(n, Call)]


@pytest.mark.parametrize(
    ("program", "known", "gone"),
    [
        (programs.nothing_at_first, ["numpy.full"] * 3, "numpy.zeros"),
        (programs.ones, ["numpy.full", "numpy.full", "numpy.ones_like"], "numpy.ones"),
        (programs.copies, ["numpy.array", "method.copy"], "numpy.copy"),
        (programs.logarithms, ["math.log"] * 3, "operator.pow"),
        (programs.powers, ["operator.pow"], "numpy.power"),
        (
            programs.infinities,
            ["operator.eq", "numpy.absolute", "operator.eq", "numpy.maximum"],
            "numpy.isinf",
        ),
        (programs.means, ["numpy.mean"] * 2, "numpy.copy"),
    ],
)
def test_programs_hold_what_defines_a_function(program, known, gone):
    found = called(program)
    assert [name for name in found if name in known] == known
    assert gone not in found


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        (programs.texts, {"numpy.zeros", "numpy.ones"}),
        (programs.means, {"numpy.average"}),
        (programs.powers, {"builtins.pow"}),
        (programs.two_errors, {"math.log"}),
        (programs.spread, {"numpy.zeros"}),
    ],
)
def test_a_call_with_arguments_of_another_meaning_stays_what_it_is(program, kept):
    """Texts fill with '' and not with '0'; of two errors the first that the code meets counts."""
    assert kept <= set(called(program))
    assert "numpy.full" not in called(program)


# The one module in which each library function is lowered, and what else has to name it.
LOWERED = {name: {"definitions"} for name, _ in LINES} | {name: {"canonical"} for name in ALIKE}
LOWERED["builtins.divmod"] = {"calls"}
LOWERED["builtins.pow"] |= {"plain"}  # which bounds what a function is called with
LOWERED["numpy.average"] |= {"respelled"}  # with weights
LOWERED["scipy.special.expit"] |= {"synonyms"}  # which finds it in other words
ALSO_KNOWN = {"math.log"}  # of one argument


@pytest.fixture(scope="module")
def strings():
    """Return the words in the strings of the proof side, by module."""
    root, found = Path(dpaudit.__file__).parent, {}
    for room in ("formal", "checker", "floats"):
        for file in sorted((root / room).rglob("*.py")):
            nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            texts = (n.value for n in nodes if isinstance(n, ast.Constant))
            words = (w.rstrip(":") for t in texts if isinstance(t, str) for w in t.split())
            found[file.stem] = found.get(file.stem, set()) | set(words)
    return found


@pytest.mark.parametrize("name", sorted(LOWERED.keys() - ALSO_KNOWN))
def test_a_function_is_lowered_in_one_module_and_no_other_knows_it(strings, name):
    assert {module for module, words in strings.items() if name in words} == LOWERED[name]


@pytest.mark.parametrize(("name", "other"), ALIKE.items())
def test_functions_that_do_the_same_have_one_name(name, other):
    library, _, word = name.partition(".")
    assert canonical_name(getattr(MODULES[library], word)) == other
