"""Objects that loops change, as servers, estimators, sketches and engines of other people do.

Each broken mechanism differs by one defect, or does what a careless rewriting would lose.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from dpaudit import AddRemove, Categorical, GaussianDP, Integer, PureDP, Real, ReplaceOne, Row

ONE = PureDP(1 + 1e-9)
NUMBERS = AddRemove(Real(-5, 15), max_size=8)
LETTERS = AddRemove(Categorical(["a", "b", "c"]), max_size=8)
STREAM = ReplaceOne(Integer(0, 1), size=8)
UPDATES = ReplaceOne(Row(w=Real(-5, 5), b=Real(-5, 5)), size=6, container="list")


class Tally:
    def __init__(self, epsilon):
        self.epsilon = epsilon
        self.totals = {"a": 0, "b": 0, "c": 0}

    def add(self, word):
        self.totals[word] += 1

    def release(self):
        return {k: v + np.random.laplace(0, 1 / self.epsilon) for k, v in self.totals.items()}


@dataclass
class Counters:
    epsilon: float = 1.0
    counts: dict = field(default_factory=lambda: defaultdict(int))

    def see(self, word):
        self.counts[word] = self.counts[word] + 1


class Mean:
    def __init__(self, low, high, epsilon):
        self.low, self.high, self.epsilon = low, high, epsilon
        self.total, self.count = 0.0, 0

    def _capped(self, x):
        if x < self.low:
            return self.low
        if x > self.high:
            return self.high
        return x

    def add(self, x):
        self.total += self._capped(x)
        self.count += 1
        return self

    def mean(self):
        half = self.epsilon / 2
        total = self.total + np.random.laplace(0, self.high / half)
        return total / max(self.count + np.random.laplace(0, 1 / half), 1)


class Server:
    def __init__(self, clip):
        self.clip, self.rounds, self.total = clip, 0, [0.0, 0.0]

    def receive(self, update):
        norm = math.hypot(*update)
        if norm > self.clip:
            update = [u * self.clip / norm for u in update]
        for j in range(2):
            self.total[j] += update[j]
        self.rounds += 1

    def finish(self):
        return [t + np.random.normal(0, 2 * self.clip) for t in self.total]


class Kept:
    def __init__(self):
        self.values = []

    def add(self, x):
        self.values.append(min(max(x, 0.0), 10.0))


class Engine:
    def __init__(self, data, total):
        self.data, self.left, self.log = data, total, []

    def _spend(self, epsilon):
        if epsilon > self.left:
            raise ValueError("spent")
        self.left -= epsilon

    def count(self, epsilon):
        self._spend(epsilon)
        self.log.append(len(self.data) + np.random.laplace(0, 1 / epsilon))
        return self.log[-1]


class Above:
    def __init__(self):
        self.low = self.high = 0

    def put(self, x):
        if x > 5:
            self.high += 1
            return 1
        self.low += 1
        return 0


def a_dict_in_an_object(data):
    tally = Tally(1.0)
    for word in data:
        tally.add(word)
    return tally.release()


def a_default_dict(data):
    made = Counters()
    for word in data:
        made.see(word)
    return [made.counts[k] + np.random.laplace(scale=1 / made.epsilon) for k in ("a", "b", "c")]


def a_mean(data):
    found = Mean(0, 10, 1.0)
    for x in data:
        found.add(x)
    return found.mean()


def federated(updates):
    server = Server(1.0)
    for update in updates:
        server.receive((update["w"], update["b"]))
    return server.finish()


def a_list_that_grows(data):
    kept = Kept()
    for x in data:
        kept.add(x)
    return sum(kept.values) + np.random.laplace(0, 10)


def an_engine(data):
    engine = Engine(data, 1.0)
    answers = []
    for epsilon in (0.5, 0.25, 0.25):
        answers.append(engine.count(epsilon))
    return answers, engine.left


def a_dict_of_dicts(data):
    found = {"n": 0, "parts": {"low": 0, "high": 0}}
    for x in data:
        found["n"] += 1
        found["parts"]["low" if x < 5 else "high"] += 1
    return {k: v + np.random.laplace() for k, v in found["parts"].items()}


def what_a_method_returns(data):
    above, large = Above(), 0
    for x in data:
        large += above.put(x)
    return above.low + np.random.laplace(), large + np.random.laplace()


def added_twice(data):
    found = Mean(0, 10, 1.0)
    for x in data:
        found.add(x).add(x)
    return found.mean()


def too_large_an_epsilon(data):
    found = Mean(0, 10, 1.5)
    for x in data:
        found.add(x)
    return found.mean()


def what_a_method_returns_is_raw(data):
    above, large = Above(), 0
    for x in data:
        large += above.put(x)
    return above.low + np.random.laplace(), large


class Last(Tally):
    def add(self, word):
        self.totals[word] += 1
        self.last = word

    def release(self):
        return super().release(), self.last


def the_last_word(data):
    tally = Last(1.0)
    for word in data:
        tally.add(word)
    return tally.release()


class Stale:
    def __init__(self):
        self.total = 0

    def add(self, x):
        if x > 5:
            gain = 1
        self.total += gain


def a_variable_of_another_call(data):
    stale = Stale()
    for x in (10.0, float(len(data))):
        stale.add(x)
    return stale.total + np.random.laplace()


class Twice:
    def __init__(self):
        self.first = []
        self.second = self.first

    def add(self, x):
        self.first.append(min(max(x, 0), 10))
        self.second.append(min(max(x, 0), 10))


def two_names_of_a_list(data):
    made = Twice()
    for x in data:
        made.add(x)
    return sum(made.first) + np.random.laplace(0, 10)


class Given:
    def __init__(self, counts):
        self.counts = counts

    def add(self, word):
        self.counts[word] += 1


def two_objects_with_one_dict(data):
    counts = {"a": 0, "b": 0, "c": 0}
    first, second = Given(counts), Given(counts)
    for word in data:
        first.add(word)
        second.add(word)
    return [n + np.random.laplace() for n in counts.values()]


def another_name_of_the_object(data):
    tally = Tally(1.0)
    for word in data:
        tally.add(word)
    other = tally
    other.totals["a"] += len(data)
    return tally.release()


def an_object_made_again(data):
    tally = Tally(1.0)
    for word in data:
        tally.add(word)
    if tally.release()["a"] > 1:
        tally = Tally(5.0)
    for word in data:
        tally.add(word)
    return tally.release()


class Stopping:
    def __init__(self):
        self.n, self.done = 0, False

    def add(self, x):
        if self.done:
            return
        self.n += 1
        if x > 10:
            self.done = True


def a_method_that_stops(data):
    made = Stopping()
    for x in data:
        made.add(x)
    return made.n + np.random.laplace()


class Counted:
    def __init__(self):
        self.n = 0

    def next(self):
        self.n += 1
        return self.n


def an_order_of_calls(data):
    counted, total = Counted(), 0
    for _ in range(2):
        total += (len(data) if counted.n == 1 else 0) * counted.next()
    return total + np.random.laplace()


class Drawn:
    def __init__(self):
        self.noise, self.n = np.random.laplace(), 0

    def add(self, x):
        self.n += 1


def noise_of_an_attribute(data):
    made = Drawn()
    for x in data:
        made.add(x)
    return made.n + made.noise


def noise_that_cancels(data):
    made = Drawn()
    for x in data:
        made.add(x)
    return made.n + made.noise, made.noise


def a_budget_that_is_larger(data):
    engine = Engine(data, 1.0)
    answers = []
    for epsilon in (0.5, 0.25, 0.25):
        answers.append(engine.count(epsilon))
    return answers, len(engine.data) * 0.001


class Tree:
    def __init__(self, length, epsilon, spare=1):
        self.length, self.depth = length, math.ceil(math.log2(length))
        self.scale = (self.depth + spare) / epsilon
        self.nodes = {}

    def build(self, stream):
        for level in range(self.depth + 1):
            width = 2**level
            for k in range(0, self.length, width):
                exact = int(sum(stream[k : k + width]))
                self.nodes[level, k // width] = exact + np.random.laplace(scale=self.scale)
        return self

    def prefix(self, t):
        start, total = 0, 0.0
        for level in reversed(range(self.depth + 1)):
            width = 2**level
            if start + width <= t:
                total += self.nodes[level, start // width]
                start += width
        return total

    def prefixes(self):
        return [self.prefix(t) for t in range(1, self.length + 1)]


def a_binary_tree(stream):
    return Tree(8, 1.0).build(stream).prefixes()


def a_binary_tree_with_a_level_too_few(stream):
    return Tree(8, 1.0, spare=0).build(stream).prefixes()


class Shared:
    counts = {"a": 0, "b": 0, "c": 0}  # noqa: RUF012

    def __init__(self):
        self.n = 0

    def add(self, word):
        self.counts[word] += 1
        self.n += 1


def a_dict_of_the_class(data):
    made = Shared()
    for word in data:
        made.add(word)
    return [n + np.random.laplace() for n in made.counts.values()]


class Running:
    """Noisy running counts by a binary tree (Chan, Shi & Song 2011)."""

    def __init__(self, levels, scale, first=0):
        self.nodes, self.noisy, self.t = [0] * levels, [0.0] * levels, first
        self.levels, self.scale = levels, scale

    def push(self, bit):
        self.t += 1
        i = 0
        while not (self.t >> i) & 1:
            i += 1
        self.nodes[i] = sum(self.nodes[:i]) + (1 if bit else 0)
        for j in range(i):
            self.nodes[j] = 0
            self.noisy[j] = 0.0
        self.noisy[i] = self.nodes[i] + np.random.laplace(scale=self.scale)
        return sum(self.noisy[j] for j in range(self.levels) if (self.t >> j) & 1)


class Again(Running):
    def push(self, bit):
        said = super().push(bit)
        self.nodes[1] += 2 if bit else 0  # which counts three times in the node above
        return said


class Doubling(Running):
    def push(self, bit):
        return super().push(bit), super().push(bit)


def tree_counts(data, levels=3, scale=3.0):
    tree = Running(levels, scale)
    return [tree.push(b) for b in data]


def tree_counts_appended(data):
    tree, found = Running(3, 3.0), []
    for b in data:
        found.append(tree.push(b))
    return found


def tree_counts_for_less(data):
    return tree_counts(data, scale=2.9)


def tree_that_counts_again(data):
    tree = Again(3, 3.0)
    return [tree.push(b) for b in data]


def tree_with_each_bit_twice(data):
    tree = Doubling(4, 4.0)
    return [tree.push(b) for b in data]


def tree_and_its_nodes(data):
    tree = Running(3, 3.0)
    return [tree.push(b) for b in data], tree.nodes


def tree_that_starts_later(data):
    tree = Running(3, 3.0, first=sum(data[:1]))
    return [tree.push(b) for b in data]


BITS = ReplaceOne(Integer(0, 1), size=4)
SOUND = [
    (a_dict_in_an_object, ONE, LETTERS),
    (a_default_dict, ONE, LETTERS),
    (a_mean, ONE, NUMBERS),
    (federated, GaussianDP(1 + 1e-9), UPDATES),
    (a_list_that_grows, ONE, NUMBERS),
    (an_engine, ONE, NUMBERS),
    (a_dict_of_dicts, ONE, NUMBERS),
    (what_a_method_returns, PureDP(2 + 1e-9), NUMBERS),
    (noise_of_an_attribute, ONE, NUMBERS),
    (a_binary_tree, ONE, STREAM),
    (tree_counts, ONE, BITS),
    (tree_counts_appended, ONE, BITS),
]
BROKEN = [
    (added_twice, ONE, NUMBERS),
    (too_large_an_epsilon, ONE, NUMBERS),
    (what_a_method_returns_is_raw, PureDP(2 + 1e-9), NUMBERS),
    (the_last_word, ONE, LETTERS),
    (a_variable_of_another_call, ONE, NUMBERS),
    (two_names_of_a_list, ONE, NUMBERS),
    (two_objects_with_one_dict, ONE, LETTERS),
    (another_name_of_the_object, ONE, LETTERS),
    (an_object_made_again, ONE, LETTERS),
    (a_method_that_stops, ONE, NUMBERS),
    (an_order_of_calls, ONE, NUMBERS),
    (noise_that_cancels, ONE, NUMBERS),
    (a_budget_that_is_larger, ONE, NUMBERS),
    (a_dict_of_the_class, ONE, LETTERS),
    (a_dict_in_an_object, PureDP(0.9), LETTERS),
    (an_engine, PureDP(0.9), NUMBERS),
    (federated, GaussianDP(0.9), UPDATES),
    (a_binary_tree_with_a_level_too_few, ONE, STREAM),
    (tree_counts_for_less, ONE, BITS),
    (tree_that_counts_again, ONE, BITS),
    (tree_with_each_bit_twice, ONE, BITS),
    (tree_and_its_nodes, ONE, BITS),
    (tree_that_starts_later, ONE, BITS),
]
