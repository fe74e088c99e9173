"""What public constants choose is what is proved, and nothing that a run may alter chooses."""

import enum

import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP
from dpaudit.formal.lift import assumptions, lift
from dpaudit.formal.lifting.enumerations import is_enumeration
from dpaudit.formal.program import Branch, Constant, Subscript, walk
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal import folding_programs, folding_twins

NEIGHBORS = AddRemove(Integer(0, 9), max_size=6)


@pytest.mark.parametrize("mechanism", thinned(folding_programs.SOUND))
def test_constants_choose_what_is_proved(mechanism):
    assert is_proved(mechanism, PureDP(1.0), NEIGHBORS)


@pytest.mark.parametrize("mechanism", thinned(folding_twins.BROKEN))
def test_what_a_run_alters_chooses_nothing(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def randomized(value, rng, noise=folding_programs.Noise.LAPLACE, epsilon=1.0, delta=0):
    if delta != 0 or noise is not folding_programs.Noise.LAPLACE:
        return value
    return value + rng.laplace(0, 3 / epsilon)


def test_a_parameter_that_is_symbolic_chooses_nothing():
    held = [any(isinstance(n, Branch) for n in walk(lift(randomized, symbolic=names).entry))
            for names in ((), ("delta",))]  # fmt: skip
    assert held == [False, True]


def test_a_local_randomizer_is_chosen_by_constants_too():
    assert is_proved(randomized, PureDP(1.0), AnyPair(Integer(0, 3)))


def test_a_number_that_is_computed_stays_as_it_is_written():
    program = lift(folding_programs.partial_by_name)
    values = [node.value for node in walk(program.entry) if isinstance(node, Constant)]
    assert 1 in values  # 1 / epsilon, which is no float in the proofs


def test_a_list_that_an_entry_holds_is_one_object_wherever_it_is_read():
    def changed(data, rng):
        held = {"a": [0], "b": [1]}
        answers = held["a"]
        answers.append(len(data))
        return held["a"]

    last = lift(changed).entry.body[-1].value
    assert isinstance(last, Subscript), "a display would be another list"


def test_a_table_that_chooses_is_taken_to_stay_as_it_is():
    said = " ".join(assumptions(lift(folding_programs.table_of_the_module)))
    assert "nothing changes the dict" in said


class Flags(enum.Flag):
    A = 1


class Doubled(int, enum.Enum):
    A = 1

    def __new__(cls, value):
        made = int.__new__(cls, 2 * value)
        made._value_ = value
        return made


class Kept(enum.Enum):
    A = 1

    def __init__(self, value):
        self.more = [value]


@pytest.mark.parametrize(
    "cls", [Flags, Doubled, Kept, folding_twins.Alike, folding_twins.AlikeText, int, enum.Enum]
)
def test_a_class_that_makes_its_members_is_no_plain_enumeration(cls):
    assert not is_enumeration(cls)
