"""Code that cannot be read refuses the runs that come to it, and no others."""

import pytest

from dpaudit import AddRemove, Integer, PureDP
from dpaudit.formal.fixed_seed import seed_of
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved
from tests.unit.formal import setting_programs

NEIGHBORS = AddRemove(Integer(0, 3), max_size=6)
CONFIG = {"noise": "laplace", "kind": "count"}


def noisy(value, rng, plot=False, kind="laplace"):
    if plot:
        figure = draw_the_value(value)  # noqa: F821
        figure.show()
    if kind == "laplace":
        return value + rng.laplace()
    import surely_not_installed

    return surely_not_installed.noise(value)


def by_default(data, rng):
    return noisy(len(data), rng)


def by_a_name(data, rng):
    return noisy(len(data), rng, kind="laplace")


def by_a_table(data, rng):
    if CONFIG["noise"] == "laplace":
        return len(data) + rng.laplace()
    return not_written_yet(data)  # noqa: F821


def chosen(value, rng, kind="laplace"):
    noisy = value + rng.laplace()
    return noisy if kind == "laplace" else not_written_yet(value)  # noqa: F821


def by_an_expression(data, rng):
    return chosen(len(data), rng)


class Engine:
    def __init__(self, epsilon, check=False):
        self.epsilon, self.check = epsilon, check

    def count(self, data, rng):
        noise = rng.laplace(scale=1 / self.epsilon)
        if self.check:
            validate_the_budget(self)  # noqa: F821
        return len(data) + noise


def by_an_attribute(data, rng):
    return Engine(1.0).count(data, rng)


@pytest.mark.parametrize(
    "mechanism", [by_default, by_a_name, by_a_table, by_an_expression, by_an_attribute]
)
def test_code_that_no_run_comes_to_need_not_be_understood(mechanism):
    assert is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def it_is_run(data, rng):
    return noisy(len(data), rng, plot=True)


def the_other_kind(data, rng):
    return noisy(len(data), rng, kind="gauss")


def the_data_decide(data, rng):
    if len(data) > 3:
        tell_somebody(data)  # noqa: F821
    return len(data) + rng.laplace()


def the_data_end_it(data, rng):
    if not data:
        return 0.0
    return not_written_yet(data)  # noqa: F821


def the_answer_decides(data, rng):
    value = len(data) + rng.laplace()
    if value > 3:
        tell_somebody(data)  # noqa: F821
    return value


def the_answer_ends_it(data, rng):
    value = len(data) + rng.laplace()
    if value > 3:
        return value
    return not_written_yet(data)  # noqa: F821


def the_answer_chooses(data, rng):
    value = len(data) + rng.laplace()
    return value if value > 3 else not_written_yet(data)  # noqa: F821


def it_comes_in_a_loop(data, rng):
    found = []
    for each in range(3):
        if each == 2:
            tell_somebody(data)  # noqa: F821
        found.append(len(data) + rng.laplace(scale=3))
    return found


def an_engine_that_checks(data, rng):
    return Engine(1.0, check=True).count(data, rng)


@pytest.mark.parametrize(
    "mechanism",
    [
        it_is_run,
        the_other_kind,
        the_data_decide,
        the_data_end_it,
        the_answer_decides,
        the_answer_ends_it,
        the_answer_chooses,
        it_comes_in_a_loop,
        an_engine_that_checks,
    ],
)
def test_a_run_that_comes_to_what_is_not_understood_is_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def answers(data, rng, more=False):
    if more:
        tell_somebody(data)  # noqa: F821
        yield len(data)


def yields_where_it_is_not_understood(data, rng):
    return list(answers(data, rng))


def keeps_outside(data, rng):
    if CONFIG["noise"] == "none":
        global KEPT
        tell_somebody(data)  # noqa: F821
    KEPT = len(data)
    return KEPT + rng.laplace()


@pytest.mark.parametrize("mechanism", [yields_where_it_is_not_understood, keeps_outside])
def test_code_that_says_what_the_function_is_has_to_be_understood(mechanism):
    with pytest.raises(Unsupported):
        lift(mechanism)


def test_what_is_not_understood_may_draw_by_chance():
    assert seed_of(lift(setting_programs.seeded_or_not_understood)) is None
    assert seed_of(lift(setting_programs.seeded_if_not_more)) is not None
