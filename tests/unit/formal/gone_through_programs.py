"""Mechanisms that go through displays of objects, enter managers of their own, pick the best item.

Sound ones begin with `sound`; each of the others looks like one of them and breaks the claim, or
means something else.
"""

import contextlib
import operator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import numpy as np

KEYS = [0, 1, 2]


class Noise:
    def __init__(self, epsilon, rng, sensitivity=1.0):
        self.scale = sensitivity / epsilon
        self.rng = rng

    def add(self, x):
        return x + self.rng.laplace(0.0, self.scale)

    @classmethod
    def of_half(cls, rng):
        return cls(0.5, rng)


class Query:
    def __init__(self, epsilon, rng):
        self.epsilon = epsilon
        self.rng = rng

    def release(self, data):
        return self.exact(data) + self.rng.laplace(scale=1 / self.epsilon)


class Count(Query):
    def exact(self, data):
        return len(data)


class Above(Query):
    def __init__(self, limit, **rest):
        super().__init__(**rest)
        self.limit = limit

    def exact(self, data):
        return sum(1 for x in data if x > self.limit)


class Bare(Query):
    def release(self, data):
        return len(data)


class Budget:
    def __init__(self, total):
        self.total = total
        self.spent = 0.0

    @contextlib.contextmanager
    def spend(self, epsilon):
        if self.spent + epsilon > self.total + 1e-9:
            raise RuntimeError("the budget is spent")
        self.spent += epsilon
        yield epsilon

    @contextlib.contextmanager
    def settle(self, epsilon):
        yield epsilon
        self.spent += epsilon

    @contextlib.contextmanager
    def swallow(self, epsilon):
        try:  # noqa: SIM105
            yield epsilon
        except ValueError:
            pass

    @contextlib.contextmanager
    def either(self, epsilon):
        if epsilon > 0.5:
            yield epsilon
        else:
            yield 2 * epsilon


class Spend:
    def __init__(self, budget, epsilon):
        self.budget, self.epsilon = budget, epsilon

    def __enter__(self):
        self.budget.spent += self.epsilon
        return self.epsilon

    def __exit__(self, *raised):
        return False


class Hush(Spend):
    def __exit__(self, kind, error, trace):
        return True


class Tell(Spend):
    def __exit__(self, *raised):
        print(raised)


class Doubled(Spend):
    def __enter__(self):
        return 2 * self.epsilon


@dataclass
class Engine:
    epsilon: float
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def count(self, data):
        return len(data) + self.rng.laplace(scale=1 / self.epsilon)


def sound_generator_in_a_field(data, rng):
    return Engine(0.5, rng).count(data), Engine(epsilon=0.5, rng=rng).count(data)


def seeded_generator_in_a_field(data):
    return Engine(1.0, np.random.default_rng(7)).count(data)


def no_generator_in_a_field(data, rng):
    return Engine(1.0, None if len(data) > 3 else rng).count(data)


# --- displays


def sound_tuple_of_classes(data, rng):
    return [q.release(data) for q in (Count(0.5, rng), Above(50, epsilon=0.5, rng=rng))]


def sound_dict_of_classes(data, rng):
    queries = {"n": Count(0.5, rng), "above": Above(50, epsilon=0.5, rng=rng)}
    out = {}
    for name, query in queries.items():
        out[name] = query.release(data)
    return out


def sound_pairs_of_names(data, rng):
    queries = [("n", Count(0.5, rng)), ("above", Above(50, epsilon=0.5, rng=rng))]
    return {name: query.release(data) for name, query in queries}


def sound_name_set_anew(data, rng):
    out = {}
    for name, query in [("n", Count(0.5, rng)), ("above", Above(50, epsilon=0.5, rng=rng))]:
        out[name] = query.release(data)
    last = name
    name, value = max(out.items(), key=itemgetter(1))
    return last, name, value


def sound_comprehension_of_objects(data, rng):
    noises = [Noise(e, rng) for e in (0.25, 0.75)]
    return [noise.add(len(data) + i) for i, noise in enumerate(noises)]


def sound_zip(data, rng):
    noises = [Noise.of_half(rng) for _ in range(2)]
    return [n.add(x) for n, x in zip(noises, [len(data), int((data > 50).sum())], strict=True)]


def sound_two_loops(data, rng):
    queries = [Count(0.25, rng), Above(50, epsilon=0.25, rng=rng)]
    out = []
    for q in queries:
        out.append(q.release(data))
    for q in queries:
        out.append(q.release(data))
    return out, len(queries), queries[0].epsilon


def sound_sum_over_objects(data, rng):
    return sum(q.release(data) for q in (Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)))


def sound_named_before(data, rng):
    count, above = Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)
    return [q.release(data) for q in (count, above)]


def one_without_noise(data, rng):
    return [q.release(data) for q in (Count(0.5, rng), Bare(0.5, rng))]


def one_too_many(data, rng):
    return [q.release(data) for q in (Count(0.5, rng), Count(0.5, rng), Count(0.5, rng))]


def read_after_the_loop(data, rng):
    for q in (Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)):
        q.release(data)
    return [q.release(data), q.release(data), q.release(data)]


def changed_in_between(data, rng):
    queries = [Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)]
    queries[0].epsilon = 5.0
    return [q.release(data) for q in queries]


def one_object_twice(data, rng):
    first = Count(0.25, rng)
    out = []
    for q in (first, first):
        out.append(q.release(data))
        q.epsilon = 4 * q.epsilon
    return out


def grown_later(data, rng):
    queries = [Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)]
    queries.append(Count(0.5, rng))
    return [q.release(data) for q in queries]


def reordered(data, rng):
    queries = [Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)]
    other = queries
    other[1] = Bare(0.5, rng)
    return [q.release(data) for q in queries]


def seen_by_a_function_inside(data, rng):
    queries = [Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)]

    def change():
        queries[0] = Bare(0.5, rng)

    change()
    return [q.release(data) for q in queries]


def bound_late(data, rng):
    asked = []
    for q in (Count(0.25, rng), Count(0.75, rng)):
        asked.append(lambda: q.release(data))  # noqa: B023
    return [ask() for ask in asked]


def left_early(data, rng):
    out = []
    for q in (Count(0.5, rng), Above(50, epsilon=0.5, rng=rng)):
        if len(data) > 3:
            break
        out.append(q.release(data))
    return out


def as_many_as_records(data, rng):
    noises = [Noise.of_half(rng) for _ in range(2)]
    return [n.add(0) for n, _ in zip(noises, data, strict=False)]


def scale_of_the_data(data, rng):
    noises = [Noise(e, rng) for e in (0.5, 0.5 + len(data))]
    return [n.add(x) for n, x in zip(noises, [len(data), len(data)], strict=True)]


# --- managers


def sound_spend(data, rng):
    budget = Budget(1.0)
    with budget.spend(0.5) as epsilon:
        count = len(data) + rng.laplace(scale=1 / epsilon)
    with budget.spend(0.5) as epsilon:
        above = (data > 40).sum() + rng.laplace(scale=1 / epsilon)
    return count, above, budget.spent


def sound_return_inside(data, rng):
    budget = Budget(1.0)
    with budget.spend(1.0) as epsilon:
        return len(data) + rng.laplace(scale=1 / epsilon)


def sound_settle(data, rng):
    budget = Budget(1.0)
    with budget.settle(0.5), budget.spend(0.5):
        count = len(data) + rng.laplace(scale=1.0)
    return count, budget.spent


def sound_object(data, rng):
    budget = Budget(1.0)
    with Spend(budget, 1.0) as epsilon:
        count = len(data) + rng.laplace(scale=1 / epsilon)
    return count, budget.spent


def spends_twice_as_much(data, rng):
    budget = Budget(2.0)
    with budget.spend(1.0) as epsilon:
        count = len(data) + rng.laplace(scale=1 / epsilon)
    with budget.spend(1.0) as epsilon:
        return count, (data > 40).sum() + rng.laplace(scale=1 / epsilon)


def swallows_what_tells(data, rng):
    budget, told = Budget(1.0), "few"
    with budget.swallow(1.0):
        if len(data) > 3:
            raise ValueError("many")
        told = "none"
    return told, rng.laplace(scale=1.0)


def exit_swallows(data, rng):
    budget, told = Budget(1.0), "few"
    with Hush(budget, 1.0):
        if len(data) > 3:
            raise ValueError("many")
        told = "none"
    return told, rng.laplace(scale=1.0)


def exit_tells(data, rng):
    with Tell(Budget(1.0), 1.0):
        if len(data) > 3:
            raise ValueError("many")
    return rng.laplace(scale=1.0)


def enters_with_twice(data, rng):
    with Doubled(Budget(1.0), 1.0) as epsilon:
        return len(data) + rng.laplace(scale=1 / epsilon)


def yields_twice_as_much(data, rng):
    with Budget(1.0).either(0.5) as epsilon:
        return len(data) + rng.laplace(scale=1 / (2 * epsilon))


def no_iterable(data, rng):
    try:
        for _ in Budget(1.0).spend(1.0):
            return rng.laplace(scale=1.0)
    except TypeError:
        return len(data)


def leaves_the_loop(data, rng):
    budget = Budget(9.0)
    for _ in range(3):
        with budget.settle(1.0):
            if len(data) > 3:
                break
    return budget.spent, rng.laplace(scale=1.0)


# --- the best item, and what stands for an item


def sound_best_item(data, rng):
    noisy = {k: int((data == k).sum()) + rng.laplace(0, 1.0) for k in KEYS}
    best = max(noisy.items(), key=lambda item: item[1])
    return best[0]


def sound_best_key_alone(data, rng):
    noisy = {}
    for k in KEYS:
        noisy[k] = int((data > 10 * k).sum()) + rng.laplace(0, 2.0)
    best, _ = max(noisy.items(), key=itemgetter(1))
    return best


def sound_best_key_and_value(data, rng):
    noisy = {k: int((data == k).sum()) + rng.laplace(0, 1.0) for k in KEYS}
    name, value = max(noisy.items(), key=operator.itemgetter(1))
    return f"{name}: {value:.1f}"


def sound_sorted_pairs(data, rng):
    noisy = [(k, int((data == k).sum()) + rng.laplace(0, 1.0)) for k in KEYS]
    noisy.sort(key=itemgetter(1), reverse=True)
    return noisy[0][0]


def value_of_queries_that_overlap(data, rng):
    noisy = {k: int((data > 10 * k).sum()) + rng.laplace(0, 2.0) for k in KEYS}
    name, value = max(noisy.items(), key=itemgetter(1))
    return name, value


def best_without_noise(data, rng):
    counts = {k: int((data == k).sum()) for k in KEYS}
    best = max(counts.items(), key=itemgetter(1))
    return best[0], rng.laplace(0, 1.0)


def index_of_the_data(data, rng):
    pair = itemgetter(min(len(data), 1))
    return pair([0.0, 1.0]) + 0 * rng.laplace(0, 1.0)


def read_as_well(data, rng):
    noisy = {k: int((data > 10 * k).sum()) + rng.laplace(0, 2.0) for k in KEYS}
    best = max(noisy.items(), key=lambda item: item[1])
    return best[0], best


# --- a generator expression that a comprehension goes through


def sound_generator_inside(data, rng):
    noisy = [len(data) + rng.laplace(scale=1.0)]
    return [t * np.float64(2) for t in (noisy[0] for _ in range(2))]


def generator_of_the_data(data, rng):
    noisy = [len(data) + rng.laplace(scale=1.0)]
    return [2 * t for t in (noisy[0] + len(data) for _ in range(2))]


# --- what only many records show, so that no trial on a few of them does


class Question(NamedTuple):
    epsilon: float


class Answered(Question):
    __slots__ = ()
    epsilon = 9.0


class Asked(Question):
    __slots__ = ()

    @property
    def epsilon(self):
        return 9.0


SHADOWED = (Answered(0.5),)
COMPUTED = (Asked(0.5),)


def two_queries(data, rng):
    queries = (Count(0.25, rng), Count(0.25, rng))
    from string import digits as queries  # noqa: F811

    return [len(data) + rng.laplace(scale=4) for q in queries]


def imported_over_a_display(data, rng):
    n = len(data) + rng.laplace(scale=2)
    return two_queries(data, rng) if n > 500 else [n]


def field_that_a_subclass_hides(data, rng):
    n = len(data) + rng.laplace(scale=2)
    if n > 500:
        return [n] + [len(data) + rng.laplace(scale=1 / q.epsilon) for q in SHADOWED]
    return [n]


def field_that_a_subclass_computes(data, rng):
    n = len(data) + rng.laplace(scale=2)
    if n > 500:
        return [n] + [len(data) + rng.laplace(scale=1 / q.epsilon) for q in COMPUTED]
    return [n]
