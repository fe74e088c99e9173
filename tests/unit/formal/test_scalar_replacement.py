"""Objects that loops change are proved as variables, and their broken twins never are."""

import math
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Mapping, walk
from tests.exact_laws import law
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal.separated_programs import (
    BROKEN,
    SOUND,
    Above,
    Counted,
    Mean,
    federated,
    tree_counts,
)


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}-{i}") for i, case in enumerate(cases)]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(SOUND), 4))
def test_an_object_that_a_loop_changes_is_proved_and_its_proof_is_checked(
    mechanism, claim, neighbors
):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), named(BROKEN))
def test_a_broken_twin_is_not_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def counted(data):
    one, other = Counted(), Above()
    found = [one.next() for _ in range(2)]
    for x in data:
        found.append(other.put(x) + one.next())
        found.append(one.n)
    return (*found, other.low, other.high)


def averaged(data):
    made = Mean(0, 4, 1)
    for x in data:
        same = made.add(x)
        same.count += made.add(2).count
    return made.total, made.count


def chained(data):
    made = Mean(0, 4, 1).add(7).add(data[0])
    for x in data:
        made.total -= made._capped(x)
    return made.total, made.count


class Steps(Counted):
    def put(self, first, second=0, third=5):
        self.last = (first, second, third)
        if first > 3:
            return self.n
        self.n += third
        return first - second


def ordered(data):
    made, total = Steps(), 0
    for x in data:
        total += made.put(made.next(), made.next())
        total += made.put(third=made.next(), first=made.next())
        total += made.last[2] * x
    return total, made.n


def updated(data):
    made = Counted()
    for _ in data:
        made.n += made.next()
    return made.n, 0


def in_displays(data):
    made, x = Steps(), 5
    found = [made.put(x, y) + made.next() for x in data if x < made.next() for y in (1, 2)]
    total = sum(made.put(y) for y in [made.next(), x])
    keys = {y: made.put(y) - y for y in (3, 4)}
    found.append(made.put(made.next() + x))
    return (*found, total, *keys, *keys.values(), x, made.n)


class Keeping(Counted):
    def keep(self, function):
        self.n += 1
        return function


def kept_by_each_display(data):
    made, kept = Keeping(), []
    for k in (5, *data):
        kept += [made.keep(lambda: each) for each in (k,)]  # noqa: B023
    return (*[function() for function in kept], made.n)


class Folded:
    def __init__(self):
        self.total, self.seen = 0, []

    def _size(self, values):
        return sum(abs(value) for value in values) + max(values)

    def _looped(self, x):
        for part in (x, 3):
            x = x + part
        return x

    def _moved(self, x):
        self.total = x
        return 1

    def _kept(self, x):
        self.seen.append(x)
        return self.seen


def read_by_methods(data):
    made = Folded()
    for x in data:
        made.total += made._size([x, -2])
        made.total -= made._looped(x)
    return made.total, 0


def set_by_what_is_added(data):
    made = Folded()
    other = made
    for x in data:
        made.total += made._moved(x)
        made.total *= other._moved(x) + 1
    return made.total, 0


def grown_by_what_is_added(data):
    made = Folded()
    for x in data:
        made.total += len(made._kept(x))
        made.seen += made._kept(x)[:1]
    return (*made.seen, made.total)


PROGRAMS = [counted, averaged, chained, ordered, updated, in_displays, kept_by_each_display]
PROGRAMS += [read_by_methods, set_by_what_is_added, grown_by_what_is_added]


@pytest.mark.parametrize("mechanism", PROGRAMS)
@pytest.mark.parametrize("data", [[1, 9, 6], [7], [5, 5, 8, -1]])
def test_the_lifted_program_does_what_the_code_does(mechanism, data):
    (found,) = [output for output, p in law(mechanism, data).items() if not math.isclose(p, 0)]
    assert [Fraction(part) for _, part in found[1]] == [*map(Fraction, mechanism(data))]


@pytest.mark.parametrize("mechanism", [federated, ordered, tree_counts, read_by_methods])
def test_an_object_becomes_a_variable_for_each_attribute(mechanism):
    assert not any(isinstance(node, Mapping) for node in walk(lift(mechanism).entry))
