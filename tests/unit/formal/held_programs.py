"""Mechanisms that keep objects and times in lists and dicts: sound ones, and twins that are not."""

import time
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np


class Spend:
    def __init__(self, epsilon):
        self.epsilon = epsilon


@dataclass
class Ledger:
    spends: list = field(default_factory=list)
    made: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)

    def spend(self, epsilon, name):
        spend = Spend(epsilon)
        self.spends.append(spend)
        self.made[name] = spend
        self.notes.append({"spend": spend, "name": name})
        return spend

    def total(self):
        return sum(spend.epsilon for spend in self.spends) if self.spends else 0.0


class Laplace:
    def __init__(self, width):
        self.width = width

    def around(self, value):
        return value + np.random.laplace(0, self.width)


def sound_objects_in_a_ledger(data):
    ledger = Ledger()
    ledger.spend(0.5, "count")
    ledger.spend(0.5, "again")
    ends = len(data) + np.random.laplace(0, 1 / ledger.made["count"].epsilon)
    return ends, Laplace(1 / ledger.spends[1].epsilon).around(len(data)), ledger.total()


def sound_objects_in_lists_of_variables(data):
    steps = []
    for _ in range(2):
        steps.append(Laplace(4.0))
    answers = [step.around(len(data)) for step in [Laplace(4.0), Laplace(4.0)]]
    for step in steps:
        answers.append(step.around(len(data)))
    return answers, len(steps), (lambda step: step.width)(steps[0])


@dataclass
class Entry:
    name: str
    at: float = field(default_factory=time.time)


class TimedLedger:
    def __init__(self):
        self.entries = []
        self.start = time.time()

    def note(self, name):
        self.entries.append({"name": name, "at": datetime.now().isoformat()})
        self.entries.append(Entry(name))
        self.took = time.time() - self.start


def sound_a_clock_that_is_read_into_a_ledger(data):
    ledger = TimedLedger()
    ledger.note("count")
    return len(data) + np.random.laplace(0, 1), len(ledger.entries)


def an_object_that_changes_after_it_was_put_in(data):
    ledger = Ledger()
    ledger.spend(1.0, "count").epsilon = 1000.0
    return len(data) + np.random.laplace(0, 1 / ledger.spends[0].epsilon)


def one_object_twice_in_a_list(data):
    step = Laplace(1.0)
    steps = [step, step]
    for each in steps:
        each.width = each.width / 4
    return steps[0].around(len(data))


def one_list_of_two_ledgers(data):
    ledger, other = Ledger(), Ledger()
    other.spends = ledger.spends
    ledger.spend(1.0, "count")
    other.spends[0].epsilon = 100
    return len(data) + np.random.laplace(0, 1 / ledger.spends[0].epsilon)


def a_private_object_in_a_list(data):
    ledger = Ledger()
    ledger.spend(len(data), "count")
    return ledger


def an_object_that_counts_as_its_attributes(data):
    steps = [Laplace(1.0)]
    return len(data) + np.random.laplace(0, len(steps[0]))


def an_object_that_a_lambda_uses_twice(data):
    return (lambda step: [step.around(len(data)), step.around(len(data))])(Laplace(1.0))


def stamp(value):
    return time.time()


STAMPS = [stamp, stamp]


def a_time_that_is_released(data):
    start = time.time()
    return len(data) + np.random.laplace(0, 1), time.time() - start


def a_display_with_a_time(data):
    return {"count": len(data) + np.random.laplace(0, 1), "at": time.time()}


def an_object_with_a_time(data):
    return TimedLedger()


def a_branch_on_the_time(data):
    if time.time() - 5 > 0:
        return 1
    return len(data) + np.random.laplace(0, 1)


def a_function_that_reads_the_clock(data):
    return list(map(stamp, data[:1])), len(data) + np.random.laplace(0, 1)


def functions_that_read_the_clock(data):
    return [each(0) for each in STAMPS], len(data) + np.random.laplace(0, 1)
