"""Functions of any number of arguments are read for the arguments of each call."""

import abc
import functools

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, verify
from dpaudit.evidence import Verdict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from tests.checking import check
from tests.proving import is_proved
from tests.unit.checker.mutations import sealed

NEIGHBORS = AddRemove(Real(0, 10))


def within(low, high):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            value = function(*args, **kwargs)
            return float(min(max(value, low), high))

        return wrapper

    return decorate


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + function(*args, **kwargs)

    return wrapper


@within(-100, 100)
def noisy_sum(values, rng, *, epsilon=1.0, cap=10.0):
    return np.clip(values, 0, cap).sum() + rng.laplace(scale=cap / epsilon)


@twice
def noisy_sum_twice(values, rng, *, epsilon=1.0):
    return np.clip(values, 0, 10).sum() + rng.laplace(scale=10 / epsilon)


def answers(*queries, epsilon, rng):
    return [query + rng.laplace(scale=len(queries) / epsilon) for query in queries]


def answers_that_count_once(*queries, epsilon, rng):
    return [query + rng.laplace(scale=1 / epsilon) for query in queries]


def passed(data, rng):
    return noisy_sum(data, rng, epsilon=1.0)


def passed_another_cap(data, rng):
    return noisy_sum(data, rng, cap=5.0)


def passed_a_larger_epsilon(data, rng):
    return noisy_sum(data, rng, epsilon=2.0)


def passed_twice(data, rng):
    return noisy_sum_twice(data, rng, epsilon=0.5)


def drawn_twice(data, rng):
    return noisy_sum_twice(data, rng)


def two_answers(data, rng):
    return answers(len(data), int((data > 5).sum()), epsilon=1.0, rng=rng)


def two_answers_that_count_once(data, rng):
    return answers_that_count_once(len(data), int((data > 5).sum()), epsilon=1.0, rng=rng)


def rebound(rng, **kwargs):
    kwargs = {"scale": 1.0}
    return rng.laplace(**kwargs)


def rebinds(data, rng):
    return len(data) + rebound(rng, scale=2.0)


class Mechanism(abc.ABC):
    def __init__(self, *, epsilon, sensitivity=1.0, **extra):
        if extra:
            raise TypeError(f"unknown options: {sorted(extra)}")
        self.epsilon, self.sensitivity = epsilon, sensitivity

    @property
    def scale(self):
        return self.sensitivity / self.epsilon

    @abc.abstractmethod
    def noisy(self, value, rng): ...


class Laplace(Mechanism):
    def noisy(self, value, rng):
        return value + rng.laplace(scale=self.scale)


class Capped(Laplace):
    def __init__(self, cap, **options):
        super().__init__(sensitivity=cap, **options)
        self.cap = cap

    def total(self, values, rng):
        return self.noisy(np.clip(values, 0, self.cap).sum(), rng)


class Lenient:
    def __init__(self, **options):
        self.epsilon = options.get("epsilon", 1.0)
        self.cap = options["cap"] if "cap" in options and options else 10.0
        self.given = len(options)

    def total(self, values, rng):
        return np.clip(values, 0, self.cap).sum() + rng.laplace(scale=self.cap / self.epsilon)


class Halving:
    """It changes what it passes on."""

    def __init__(self, **options):
        options["epsilon"] = 2.0
        self.inner = Laplace(**options)


def checked_options(data, rng):
    return Laplace(epsilon=1.0).noisy(len(data), rng)


def options_of_a_base(data, rng):
    return Capped(5.0, epsilon=1.0).total(data, rng)


def options_that_are_looked_up(data, rng):
    return Lenient(cap=5.0).total(data, rng)


def options_that_cost_more(data, rng):
    return Lenient(cap=5.0, epsilon=2.0).total(data, rng)


def a_sensitivity_too_low(data, rng):
    return Laplace(epsilon=1.0, sensitivity=0.5).noisy(len(data), rng)


def options_that_change(data, rng):
    return Halving(epsilon=1.0).inner.noisy(len(data), rng)


@pytest.mark.parametrize("mechanism", [passed, passed_another_cap, passed_twice, two_answers])
def test_arguments_are_passed_on(mechanism):
    report = verify(mechanism, PureDP(1.0), NEIGHBORS, progress=False)
    assert report.verdict is Verdict.VERIFIED, report.summary()


@pytest.mark.parametrize(
    "mechanism", [checked_options, options_of_a_base, options_that_are_looked_up]
)
def test_options_that_are_looked_at_are_those_of_the_call(mechanism):
    report = verify(mechanism, PureDP(1.0), NEIGHBORS, progress=False)
    assert report.verdict is Verdict.VERIFIED, report.summary()


@pytest.mark.parametrize(
    "mechanism",
    [options_that_cost_more, a_sensitivity_too_low, options_that_change],
)
def test_options_that_break_the_claim_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)


@pytest.mark.parametrize("mechanism", [passed_a_larger_epsilon, drawn_twice])
def test_arguments_that_cost_more_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def test_answers_that_are_each_given_the_whole_budget_are_refuted():
    report = verify(two_answers_that_count_once, PureDP(1.0), NEIGHBORS, progress=False)
    assert report.verdict is Verdict.REFUTED, report.summary()


@pytest.mark.parametrize("mechanism", [rebinds, options_that_change])
def test_arguments_by_name_that_change_are_refused(mechanism):
    with pytest.raises(Unsupported, match=r"\*\* "):
        lift(Subject.of(mechanism))


def test_a_decorated_mechanism_is_read_with_its_wrapper():
    assert not is_proved(noisy_sum_twice, PureDP(1.9), NEIGHBORS)


def test_parameters_of_a_decorator_are_those_of_no_mechanism_that_was_not_read():
    report = verify(noisy_sum, PureDP(1.0), NEIGHBORS)
    assert report.verdict is Verdict.VERIFIED
    certificate = report.certificate.to_dict()
    named = certificate["subject"]["mechanism"]
    assert check(certificate).accepted
    for other in (f"{named}_twice", f"functools.partial({named}, epsilon=9.0)"):
        subject = {**certificate["subject"], "mechanism": other}
        assert not check(sealed({**certificate, "subject": subject})).accepted
    nine = {"kind": "Constant", "place": "", "value": {"float": (9.0).hex()}}
    program = {**certificate["program"], "rng": None, "fixed": {"·at_1": nine}}
    assert not check(sealed({**certificate, "program": program})).accepted
