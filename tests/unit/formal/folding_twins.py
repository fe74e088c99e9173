"""Twins of `folding_programs` in which no public constant chooses, or another than it seems."""

import enum
import functools

import numpy as np

from tests.unit.formal.folding_programs import CHOICES, Engine, Noise, counted, told


class Alike(enum.Enum):
    LAPLACE = "laplace"
    NONE = "none"

    def __eq__(self, other):
        return True

    __hash__ = enum.Enum.__hash__


class AlikeText(str, enum.Enum):  # noqa: UP042
    LAPLACE = "laplace"

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class Elsewhere(enum.Enum):
    LAPLACE = "laplace"
    NONE = "none"

    @classmethod
    def _missing_(cls, value):
        return cls.NONE


class Otherwise(enum.Enum):
    LAPLACE = "laplace"

    @property
    def value(self):
        return "none"


class Named(enum.Enum):
    LAPLACE = "laplace"
    NONE = "none"


class Mapped(enum.Enum):
    LAPLACE = "laplace"
    NONE = "none"


def says_it_is_equal(data, rng, noise=Alike.LAPLACE):
    return told(data, rng) if noise == Alike.NONE else counted(data, rng)


def says_its_text_is_equal(data, rng, noise=AlikeText.LAPLACE):
    return told(data, rng) if noise == "none" else counted(data, rng)


def looks_members_up_elsewhere(data, rng):
    return told(data, rng) if Elsewhere("") is Elsewhere.NONE else counted(data, rng)


def computes_its_value(data, rng, noise=Otherwise.LAPLACE):
    return told(data, rng) if noise.value == "none" else counted(data, rng)


def sets_its_value(data, rng, noise=Named.LAPLACE):
    Named.LAPLACE._value_ = "none"
    return counted(data, rng) if noise.value == "laplace" else told(data, rng)


def maps_its_value(data, rng):
    Mapped._value2member_map_["laplace"] = Mapped.NONE
    return counted(data, rng) if Mapped("laplace") is Mapped.LAPLACE else told(data, rng)


def text_of_a_member(data, rng, noise=Noise.LAPLACE):
    return counted(data, rng) if str(noise) == "laplace" else told(data, rng)


def rebound_by_the_data(data, rng, noise="laplace"):
    for _ in data:
        noise = "none"
    return counted(data, rng) if noise == "laplace" else told(data, rng)


def rebound_in_an_arm(data, rng, noise="laplace"):
    if rng.random() < 0.5:
        noise = "none"
    return counted(data, rng) if noise == "laplace" else told(data, rng)


def rebound_in_a_loop(data, rng):
    noise, found = "laplace", []
    for _ in range(2):
        found.append(counted(data, rng) if noise == "laplace" else told(data, rng))
        noise = "none"
    return found


def rebound_before_the_next_round(data, rng):
    noise, found = "laplace", []
    for turn in range(2):
        if turn == 0:
            noise = "none"
            continue
        found.append(counted(data, rng) if noise == "laplace" else told(data, rng))
        noise = "laplace"
    return found


def rebound_while_it_is_asked(data, rng, noise="laplace"):
    found = 1 if (noise := "none") else 0
    return counted(data, rng) if noise == "laplace" else told(data, rng) + found


def rebound_beside_another(data, rng, noise="laplace"):
    noise, found = "none", 0
    return counted(data, rng) if noise == "laplace" else told(data, rng) + found


def rebound_after_a_lambda(data, rng):
    noise = "laplace"
    release = lambda: counted(data, rng) if noise == "laplace" else told(data, rng)  # noqa: E731
    noise = "none"
    return release()


def hidden_by_a_comprehension(data, rng):
    noise = "laplace"
    found = [counted(data, rng) if noise == "laplace" else told(data, rng) for noise in ("none",)]
    return found, noise


def code_rebound_in_a_loop(data, rng):
    release, found = counted, []
    for _ in range(2):
        found.append(release(data, rng))
        release = told
    return found


def code_that_depends_on_the_data(data, rng):
    return CHOICES["laplace" if len(data) < 3 else "none"](data, rng)


def code_passed_by_a_star(data, rng):
    return _released(*(data, rng, told))


def word_passed_by_a_star(data, rng):
    return _by_word(*(data, rng, "none"))


def _released(data, rng, release=counted):
    return release(data, rng)


def _by_word(data, rng, noise="laplace"):
    return counted(data, rng) if noise == "laplace" else told(data, rng)


TABLE = {"laplace": counted}


def _change():
    TABLE["laplace"] = told


def table_that_changes(data, rng):
    _change()
    return TABLE["laplace"](data, rng)


def table_set_in_the_function(data, rng):
    table = {"laplace": counted}
    table["laplace"] = told
    return table["laplace"](data, rng)


def table_by_another_name(data, rng):
    table = {"laplace": counted}
    other = table
    other["laplace"] = told
    return table["laplace"](data, rng)


def table_with_a_key_twice(data, rng):
    return {1: counted, True: told}[1](data, rng)  # noqa: F601


def default_that_changes(data, rng, settings={"noise": "laplace"}):  # noqa: B006
    noise = settings["noise"]
    settings["noise"] = "none"
    return counted(data, rng) if noise == "laplace" else told(data, rng)


class OfTheClass:
    noise = "laplace"


def class_that_changes(data, rng):
    OfTheClass.noise = "none"
    return counted(data, rng) if OfTheClass().noise == "laplace" else told(data, rng)


class Turning:
    def __init__(self):
        self.noise = "laplace"

    def release(self, data, rng):
        found = counted(data, rng) if self.noise == "laplace" else told(data, rng)
        self.noise = "none"
        return found


def object_that_changes(data, rng):
    engine = Turning()
    return engine.release(data, rng), engine.release(data, rng)


class Reading:
    def __init__(self, data):
        self.data = data

    @property
    def noise(self):
        return "none" if len(self.data) > 3 else "laplace"


def property_that_reads_data(data, rng):
    return counted(data, rng) if Reading(data).noise == "laplace" else told(data, rng)


def method_of_another_name(data, rng):
    return Engine("none", 1.0).by_format(len(data), rng)


def partial_of_a_draw(data, rng):
    release = functools.partial(max, rng.laplace(), -1e9)
    return len(data) + release(), len(data) * 2 + release()


def partial_before_a_change(data, rng):
    scale = 0.001
    draw = functools.partial(rng.laplace, 0, scale)
    scale = 1.0
    return len(data) + draw() + 0 * scale


def partial_called_later(data, rng):
    scale = 0.001
    draw = functools.partial(rng.laplace, 0, scale)

    def release():
        return len(data) + draw()

    scale = 1.0
    return release() + 0 * scale


def one_that_is_not_true(data, rng, noisy=1):
    return counted(data, rng) if noisy is True else told(data, rng)


def float_that_is_not_the_sum(data, rng, epsilon=0.3):
    return counted(data, rng) if epsilon == 0.1 + 0.2 else told(data, rng)


def functions_looked_at_later(data, rng):
    later = []
    for release in (counted, told):
        later += [lambda: release(data, rng)]  # noqa: B023
    return later[0]()


def functions_listed_for_later(data, rng):
    return [lambda: release(data, rng) for release in (counted, told)][0]()  # noqa: B023, RUF015


def loop_that_ends_early(data, rng):
    found = 0.0
    for release in (counted, told):
        found = release(data, rng)
        if rng.random() < 0.5:
            break
    return found


def loop_of_which_the_last_is_used(data, rng):
    for release in (counted, told):
        release(data, rng)
    return release(data, rng)


def list_that_grows(data, rng, steps=[counted]):  # noqa: B006
    steps.append(told)
    return [release(data, rng) for release in steps]


def type_of_what_the_data_make(data, rng, epsilon=1.0):
    if len(data) > 2:
        epsilon = 1
    return counted(data, rng) if type(epsilon) is float else told(data, rng)


def type_of_another_float(data, rng, epsilon=np.float64(1.0)):  # noqa: B008
    return counted(data, rng) if type(epsilon) is float else told(data, rng)


def type_of_a_truth(data, rng, flag=True):
    return counted(data, rng) if type(flag) is int else told(data, rng)


BROKEN = [
    type_of_what_the_data_make, type_of_another_float, type_of_a_truth,
    functions_looked_at_later, functions_listed_for_later, loop_that_ends_early,
    loop_of_which_the_last_is_used, list_that_grows,
    says_it_is_equal, says_its_text_is_equal, looks_members_up_elsewhere, computes_its_value,
    sets_its_value, maps_its_value, text_of_a_member, rebound_by_the_data, rebound_in_an_arm,
    rebound_in_a_loop, rebound_before_the_next_round, rebound_while_it_is_asked,
    rebound_beside_another, rebound_after_a_lambda, hidden_by_a_comprehension,
    code_rebound_in_a_loop, code_that_depends_on_the_data, code_passed_by_a_star,
    word_passed_by_a_star, table_that_changes, table_set_in_the_function, table_by_another_name,
    table_with_a_key_twice, default_that_changes, class_that_changes, object_that_changes,
    property_that_reads_data, method_of_another_name, partial_of_a_draw, partial_before_a_change,
    partial_called_later, one_that_is_not_true, float_that_is_not_the_sum,
]  # fmt: skip
