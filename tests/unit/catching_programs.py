"""Mechanisms that catch exceptions of their own: `SOUND` ones, and `LEAKING` ones."""

import math

import numpy as np


class BudgetExceededError(Exception):
    pass


class EmptyError(BudgetExceededError):
    pass


class Engine:
    def __init__(self, data, epsilon, rng):
        self._data, self._left, self._rng = data, epsilon, rng

    def _spend(self, epsilon):
        if epsilon > self._left:
            raise BudgetExceededError("the budget is spent")
        self._left -= epsilon

    def count(self, epsilon=0.5):
        self._spend(epsilon)
        return len(self._data) + self._rng.laplace(0, 1 / epsilon)

    def total(self, epsilon=0.5):
        self._spend(epsilon)
        return np.clip(self._data, 0, 10).sum() + self._rng.laplace(0, 10 / epsilon)

    def exact(self):
        return float(len(self._data))


class Late(Engine):
    def count(self, epsilon=0.5):
        answer = len(self._data) + self._rng.laplace(0, 1 / epsilon)
        if self._left < 0:
            raise BudgetExceededError("the budget is spent")
        self._left -= epsilon
        return answer


class Forgetful(Engine):
    def _spend(self, epsilon):
        if epsilon > self._left:
            raise BudgetExceededError("the budget is spent")


class Bare(Engine):
    def _spend(self, epsilon):
        if epsilon > self._left:
            raise ValueError("the budget is spent")
        self._left -= epsilon


def refused_at_last(data, rng):
    engine = Engine(data, 1.0, rng)
    answers = [engine.count(), engine.total()]
    try:
        answers.append(engine.count())
    except BudgetExceededError:
        answers.append(None)
    return answers


def until_refused(data, rng):
    engine, answers = Engine(data, 1.0, rng), []
    try:
        while True:
            answers.append(engine.count(0.25))
    except BudgetExceededError:
        return answers


def goes_on_after_a_refusal(data, rng):
    engine, answers = Engine(data, 1.0, rng), []
    for epsilon in (0.25, 0.5, 0.5, 0.25):
        try:
            answer = engine.count(epsilon)
        except BudgetExceededError as error:
            print("refused:", error)
            continue
        answers.append(answer)
    return answers


def a_paid_test_that_raises(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        if noisy < 3:
            raise BudgetExceededError("few")
        large = 1.0
    except BudgetExceededError:
        large = 0.0
    return large


def a_refusal_that_is_no_subclass(data, rng):
    try:
        raise EmptyError("x")
    except BudgetExceededError:
        return len(data) + rng.laplace()


def answers_side_by_side(data, rng):
    engine = Engine(data, 1.0, rng)
    return engine.count(), engine.total()


SOUND = [
    refused_at_last, until_refused, goes_on_after_a_refusal, a_paid_test_that_raises,
    a_refusal_that_is_no_subclass, answers_side_by_side,
]  # fmt: skip


def exact_when_refused(data, rng):
    try:
        return Engine(data, 0.1, rng).count(1.0)
    except BudgetExceededError:
        return float(len(data))


def exact_after_the_last(data, rng):
    engine, answers = Engine(data, 1.0, rng), []
    try:
        while True:
            answers.append(engine.count(0.25))
    except BudgetExceededError:
        return [*answers, float(len(data))]


def exact_where_python_raises(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        math.log(noisy)
    except ValueError:
        return noisy, float(len(data))
    return noisy, 0.0


def exact_where_anything_is_raised(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        math.log(noisy)
    except Exception:
        return noisy, float(len(data))
    return noisy, 0.0


def exact_otherwise(data, rng):
    try:
        noisy = Engine(data, 1.0, rng).count(1.0)
    except BudgetExceededError:
        return 0.0
    else:
        return noisy, float(len(data))


def exact_in_the_end(data, rng):
    try:
        return Engine(data, 1.0, rng).count(1.0)
    finally:
        print(len(data))


def raises_for_few(data, rng):
    try:
        if len(data) < 3:
            raise BudgetExceededError("few")
        few = 0.0
    except BudgetExceededError:
        few = 1.0
    return few


def says_how_many(data, rng):
    try:
        raise BudgetExceededError(f"{len(data)} records")
    except BudgetExceededError as error:
        print(error)
    return 0


def asks_the_error(data, rng):
    try:
        raise BudgetExceededError("x")
    except BudgetExceededError as error:
        return float(len(data)) if str(error) == "x" else 0.0


def raises_again(data, rng):
    try:
        try:
            return Engine(data, 0.1, rng).count(1.0)
        except BudgetExceededError:
            raise
    except BudgetExceededError:
        return float(len(data))


def a_function_in_between(data, rng):
    def asked(engine):
        return engine.count(2.0)

    try:
        return asked(Engine(data, 1.0, rng))
    except BudgetExceededError:
        return float(len(data))


def a_late_check(data, rng):
    engine, answers = Late(data, 1.0, rng), []
    for _ in range(4):
        try:
            answers.append(engine.count())
        except BudgetExceededError:
            answers.append(-1.0)
    return answers


LEAKING = [
    exact_when_refused, exact_after_the_last, exact_where_python_raises,
    exact_where_anything_is_raised, exact_otherwise, exact_in_the_end, raises_for_few,
    says_how_many, asks_the_error, raises_again, a_function_in_between, a_late_check,
]  # fmt: skip
