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


class Answer:
    def __init__(self, value):
        self.value = value


class Asking(Engine):
    def __init__(self, data, epsilon, rng):
        Engine.__init__(self, data, epsilon, rng)
        self.history = []

    def ask(self, epsilon=0.5):
        self._spend(epsilon)
        answer = Answer(len(self._data) + self._rng.laplace(0, 1 / epsilon))
        self.history.append(answer)
        return answer

    def where(self, chosen, epsilon=0.5):
        self._spend(epsilon)
        return sum(1 for x in self._data if chosen(x)) + self._rng.laplace(0, 1 / epsilon)


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


def an_object_that_nobody_takes(data, rng):
    engine = Asking(data, 1.0, rng)
    first = engine.ask(1.0)
    try:
        engine.ask()
    except BudgetExceededError:
        print("refused")
    return first.value, [a.value for a in engine.history]


def an_attribute_of_an_object(data, rng):
    engine = Asking(data, 1.0, rng)
    try:
        return engine.ask(1.0).value
    except BudgetExceededError:
        return None


def objects_in_a_loop(data, rng):
    engine, found = Asking(data, 1.0, rng), {}
    for name in ("a", "b", "c"):
        try:
            answer = engine.ask()
            found[name] = answer.value
        except BudgetExceededError:
            found[name] = None
    return found


def within_an_expression(data, rng):
    engine, found = Asking(data, 1.0, rng), []
    for name in ("a", "b", "c"):
        try:
            found.append((name, round(engine.count(), 2)))
        except BudgetExceededError:
            found.append((name, math.nan))
    return found


def a_function_that_is_given(data, rng):
    engine = Asking(data, 1.0, rng)
    first = engine.where(lambda x: x > 5, 1.0)
    try:
        return first, engine.where(lambda x: x > 3)
    except BudgetExceededError:
        return first, None


SOUND = [
    an_object_that_nobody_takes, an_attribute_of_an_object, objects_in_a_loop,
    within_an_expression, a_function_that_is_given,
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


def an_object_that_is_exact(data, rng):
    engine = Asking(data, 1.0, rng)
    try:
        answer = engine.ask(1.0)
        engine.history[0].value = float(len(data))
        return answer.value
    except BudgetExceededError:
        return None


def an_object_before_the_refusal(data, rng):
    engine = Asking(data, 1.0, rng)
    answer = Answer(float(len(data)))
    try:
        answer = engine.ask(2.0)
    except BudgetExceededError:
        print("refused")
    return answer.value


def a_given_function_that_raises(data, rng):
    def chosen(x):
        if x > 5:
            raise BudgetExceededError("large")
        return True

    try:
        return Asking(data, 1.0, rng).where(chosen, 1.0)
    except BudgetExceededError:
        return None


def another_function_than_the_given(data, rng):
    def fails(x):
        raise BudgetExceededError("large")

    def asked(engine, chosen):
        for each in (chosen, fails):
            chosen = each
            for x in engine._data:
                chosen(x)
        return engine.count(1.0)

    try:
        return asked(Asking(data, 1.0, rng), lambda x: x > 5)
    except BudgetExceededError:
        return None


def what_is_read_before_the_call(data, rng):
    engine, found = Asking(data, 1.0, rng), []
    engine._left = len(data) / 10
    try:
        found.append((engine._left, engine.count(0.01)))
    except BudgetExceededError:
        print("refused")
    return found


def more_answers_than_are_paid(data, rng):
    engine, found = Asking(data, 2.0, rng), []
    for _ in range(5):
        try:
            found.append(round(engine.ask().value, 3))
        except BudgetExceededError:
            found.append(0.0)
    return found


LEAKING = [
    an_object_that_is_exact, an_object_before_the_refusal, a_given_function_that_raises,
    another_function_than_the_given, what_is_read_before_the_call, more_answers_than_are_paid,
    exact_when_refused, exact_after_the_last, exact_where_python_raises,
    exact_where_anything_is_raised, exact_otherwise, exact_in_the_end, raises_for_few,
    says_how_many, asks_the_error, raises_again, a_function_in_between, a_late_check,
]  # fmt: skip
