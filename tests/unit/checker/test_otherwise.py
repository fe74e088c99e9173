"""What the run on floats guards: exact numbers stand for floats in ways that code can tell."""

import math

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    PureDP,
    Real,
    ReplaceOne,
    Verdict,
    verify,
)
from dpaudit.checker.exact.library import named
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.unsupported import Unsupported
from tests.exact_laws import decide
from tests.proving import is_proved
from tests.sweeps import repeated, thinned
from tests.unit.checker import otherwise_programs as programs

SOME = AnyPair(Categorical([0, 5, 37, 60]))
BITS = AnyPair(Categorical([0, 1]))
TWO = ReplaceOne(Categorical([0.0, 5.0, 7.0]), size=2)
NEGATIVE = AnyPair(Categorical([-7.0, 0.5, 1.0]))
CASES = [
    *((mechanism, SOME) for mechanism in programs.WHOLE),
    *((mechanism, BITS) for mechanism in programs.BITS if mechanism is not programs.i8_add),
    *((mechanism, TWO) for mechanism in programs.FLOATS),
    *((mechanism, AnyPair(Real(0, 1))) for mechanism in programs.RECORDS),
    *((mechanism, NEGATIVE) for mechanism in programs.NEGATIVE),
]


@pytest.mark.parametrize(
    ("mechanism", "neighbors"), thinned(CASES), ids=lambda x: getattr(x, "__name__", "")
)
def test_what_floats_do_otherwise_is_not_proved(mechanism, neighbors):
    """One of three mechanisms, with a fifth of the steps that a full sweep gives each."""
    try:
        found = decide(mechanism, PureDP(1.0), neighbors, seconds=repeated(1, full=5))
    except Unsupported:
        return
    assert not isinstance(found, ExactProof)


ATOMS = [
    programs.atoms,
    programs.atoms_as_text,
    programs.atoms_compared,
    programs.atoms_of_coins,
]


@pytest.mark.parametrize("mechanism", ATOMS, ids=lambda x: x.__name__)
def test_constants_of_which_a_record_chooses_one_are_the_same_floats(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), BITS)


def test_floats_that_are_the_same_for_the_same_output_are_proved():
    report = verify(programs.atoms_of_a_shared_coin, PureDP(1.1), BITS)
    assert report.verdict is Verdict.VERIFIED, report.reason


def test_draws_of_eight_bits_are_not_proved():
    records = AddRemove(Categorical([0, 1]), max_size=3)
    with pytest.raises(Unsupported):
        decide(programs.i8_add, ApproxDP(1.0, 0.01), records, seconds=5.0)


HIDING = """
builtins.eval builtins.exec builtins.open builtins.getattr builtins.__import__ builtins.vars
collections._sys.modules collections.abc functools.update_wrapper itertools.__loader__ math.__spec__
method.tofile method.dump method.__class__ method.format_map method._private attribute.__globals__
attribute.base numpy.load numpy.fromfile numpy.save numpy.lib.format numpy.random.rand
numpy.ctypeslib.ctypes numpy.f2py numpy.testing.assert_ numpy.vectorize operator.attrgetter
operator.methodcaller os.system subprocess.run hashlib.file_digest pandas.read_pickle
"""


@pytest.mark.parametrize("name", HIDING.split())
def test_a_name_that_leads_elsewhere_stands_for_nothing(name):
    with pytest.raises((NotCheckedError, RejectedError)):
        named(name)


def test_a_name_stands_for_what_python_has():
    assert named("operator.add")(2, 3) == 5
    assert named("itertools.chain.from_iterable")([[1], [2]]).__next__() == 1
    assert named("builtins.int.from_bytes")(b"\x01", "big") == 1
    assert named("math.pi")() > 3
    assert np.array_equal(named("numpy.cumsum")([1, 2]), [1, 3])
    assert named("numpy.add.reduce")([1, 2]) == 3
    assert math.isclose(float(named("math.exp")(1).ball.mid()), math.e)
