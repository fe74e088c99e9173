"""A dashboard of query objects, with a budget that a ``with`` statement spends."""

from abc import ABC, abstractmethod
from contextlib import contextmanager
from operator import itemgetter


class Budget:
    def __init__(self, total):
        self.total = total
        self.spent = 0.0

    @contextmanager
    def spend(self, epsilon):
        if self.spent + epsilon > self.total + 1e-9:
            raise RuntimeError("no budget is left")
        self.spent += epsilon
        yield epsilon


class Query(ABC):
    def __init__(self, epsilon, rng):
        self.epsilon = epsilon
        self.rng = rng

    @abstractmethod
    def exact(self, words): ...

    def release(self, words):
        return self.exact(words) + self.rng.laplace(scale=1 / self.epsilon)


class Size(Query):
    def exact(self, words):
        return len(words)


class OfKind(Query):
    def __init__(self, kind, **rest):
        super().__init__(**rest)
        self.kind = kind

    def exact(self, words):
        return words.count(self.kind)


def leading_answer(words, rng):
    budget = Budget(1.0)
    queries = {"all": Size(0.5, rng), "a": OfKind("a", epsilon=0.5, rng=rng)}
    answers = {}
    for name, query in queries.items():
        with budget.spend(query.epsilon):
            answers[name] = query.release(words)
    name, answer = max(answers.items(), key=itemgetter(1))
    return f"{name}: {answer:.1f}"


def answers_on_one_charge(words, rng):
    budget = Budget(1.0)
    queries = [Size(0.5, rng), OfKind("a", epsilon=0.5, rng=rng), OfKind("a", epsilon=0.5, rng=rng)]
    with budget.spend(0.5):
        answers = [query.release(words) for query in queries]
    return answers
