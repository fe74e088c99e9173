"""Randomized responses through `random`, `secrets` and objects, as people write them, and twins."""

import copy
import math
import random
import secrets
from collections import Counter

import numpy as np

HABITS = ("never", "weekly", "daily")
KEEP = 0.5  # and else any of three: 4 to 1
LN_4 = math.log(4) + 1e-9
_SYSTEM = secrets.SystemRandom()


def respond(value):
    if random.random() < KEEP:
        return value
    return random.choice(HABITS)


def turned(value, keep):
    if random.random() < keep:
        return value
    return random.choice(HABITS)


class Client:
    def __init__(self, value):
        self.value = value
        self.coin = secrets.SystemRandom()

    def report(self):
        if self.coin.random() < KEEP:
            return self.value
        return self.coin.choice(HABITS)


class Rejecting:
    def __init__(self, value):
        self.value = value

    def report(self):
        if _SYSTEM.random() < 2 / 3:
            return self.value
        other = _SYSTEM.choice(HABITS)
        while other == self.value:
            other = _SYSTEM.choice(HABITS)
        return other


class Survey:
    def __init__(self, keep):
        self.keep = keep
        self.reports = []

    def submit(self, value):
        self.reports.append(turned(value, self.keep))

    def estimate(self):
        n = len(self.reports)
        found = {}
        for habit in HABITS:
            found[habit] = (self.reports.count(habit) - n / 6) / self.keep
        return found


# --- sound, ln 4


def texts_of_answers(data):
    answers = [respond(value) for value in data]
    return str(sorted(answers)), "; ".join(answers)


def coin_of_its_own(data):
    def turned(value):
        coin = secrets.SystemRandom()
        return value if coin.random() < KEEP else coin.choice(HABITS)

    return repr([turned(value) for value in data])


def coin_of_secrets(data):
    answers = [value if secrets.randbelow(2) else secrets.choice(HABITS) for value in data]
    return ",".join(answers)


def objects_in_turns(data):
    answers = []
    for value in data:
        client = Client(value)
        answers.append(client.report())
    return answers, repr(Counter(answers))


def objects_in_a_comprehension(data):
    return [Rejecting(value).report() for value in data]


def an_object_that_collects(data):
    survey = Survey(KEEP)
    for value in data:
        survey.submit(value)
    return {"reports": list(survey.reports), "estimate": survey.estimate()}


class Phone:
    def __init__(self, keep, coin=None):
        self.keep = keep
        self.coin = coin or random.SystemRandom()

    def answers(self, data):
        return [self.turned(value) for value in data]

    def turned(self, value):
        return value if self.coin.random() < self.keep else self.coin.choice(HABITS)

    def estimate(self, answers):
        share = answers.count("never") / len(answers)
        return (share - (1 - self.keep) / 3) / self.keep


def an_object_that_draws(data):
    phone = Phone(KEEP)
    answers = phone.answers(data)
    return phone.estimate(answers), answers


def collected(data):
    answers = []
    for value in data:
        answers.append(respond(value))  # noqa: PERF401
    return answers


def printed(data):
    print("survey begins")
    answers = collected(data)
    shares = {}
    for habit in HABITS:
        shares[habit] = 0
    for answer in answers:
        shares[answer] += 1
    print(f"{len(answers)} answers, {shares}")
    return answers, shares


def printed_in_turns(data):
    total = 0
    for value in data:
        answer = respond(value)
        print("reported", answer)
        total += len(answer)
    return total


# --- broken: each differs from one above by one thing


def numpys_text_is_told(data):
    answers = [value if random.random() < KEEP else np.random.choice(HABITS) for value in data]  # noqa: NPY002
    return repr(answers)


def more_is_kept(data):
    return ",".join(value if random.random() < 0.51 else random.choice(HABITS) for value in data)


def chance_of_the_record(data):
    return [v if random.random() < (0.5 if v == "never" else 0.4) else "daily" for v in data]


def chance_of_another_record(data):
    first = data[0]
    return [respond(value) if first == "never" else "daily" for value in data]


def one_coin_for_two(data):
    coin = random.random() < KEEP
    return [value if coin else random.choice(HABITS) for value in data]


def known_seed(data):
    coin = random.Random(7)
    return [value if coin.random() < KEEP else coin.choice(HABITS) for value in data]


def known_seed_in_turns(data):
    def turned(value):
        coin = random.Random(7)
        return value if coin.random() < KEEP else coin.choice(HABITS)

    return [turned(value) for value in data]


def of_what_occurs(data):
    seen = sorted(set(data))
    return [value if random.random() < KEEP else random.choice(seen) for value in data]


def truth_beside(data):
    survey = Survey(KEEP)
    for value in data:
        survey.submit(value)
    survey.reports.append(data[0])
    return list(survey.reports)


class Remembering:
    def __init__(self):
        self.last = "never"

    def report(self, value):
        told = self.last if random.random() < KEEP else value
        self.last = value
        return told


def object_of_all_turns(data):
    memory = Remembering()
    return [memory.report(value) for value in data]


class Shared:
    def __init__(self, value, log):
        self.value = value
        log.append(value)

    def report(self):
        return respond(self.value)


def list_of_all_turns(data):
    log = []
    answers = [Shared(value, log).report() for value in data]
    return answers, len(set(log))


class Keeping:
    def __init__(self, value, held=[]):  # noqa: B006
        held.append(value)
        self.held = held

    def report(self):
        return respond(self.held[0])


def default_of_all_turns(data):
    return [Keeping(value).report() for value in data]


def printed_truth(data):
    answers = collected(data)
    print(data.count("never"))
    return answers


def printed_when_kept(data):
    answers = []
    for value in data:
        answer = respond(value)
        if answer == value:
            print("kept")
        answers.append(answer)
    return answers


def generator_beside(data):
    coin = random.Random()
    return [value if coin.random() < KEEP else coin.choice(HABITS) for value in data], [coin]


def generator_in_an_object_beside(data):
    phone = Phone(KEEP, random.Random())
    answers = [phone.turned(value) for value in data]
    return answers, phone.coin


def generator_that_a_function_returns(data):
    def shown(of):
        return {"phone": of}

    phones = [Phone(KEEP, random.Random())]
    phone = phones[0]
    return [phone.turned(value) for value in data], shown(phones)


def draws_of_a_copy(data):
    phone = Phone(KEEP, random.Random())
    other = copy.deepcopy(phone)
    return [phone.turned(value) for value in data], other.coin.random()


def truth_from_a_function(data):
    def collect(values):
        return [value if random.random() < KEEP else values[0] for value in values]

    answers = collect(data)
    return answers, len(answers)


def one_object_or_equal_ones(data):
    shares = {}
    kept = [list([shares if value == "never" else {} for value in data]), 1]  # noqa: C411
    shares["n"] = 1
    return kept


def answers_that_are_changed(data):
    row = {"n": 0}
    rows = [row if value == "never" else {"n": 0} for value in data]
    rows[0]["n"] = 1
    return rows


def passed_on(data):
    def mark(rows):
        rows[0]["n"] = 1
        return rows

    row = {"n": 0}
    rows = [row if value == "never" else {"n": 0} for value in data]
    return mark(rows)


def moved_by_a_loop(data):
    def note(held, value):
        held.append(value)
        return held

    answers = []
    held = []
    for value in data:
        answers.append(respond(held[0] if held else value))
        held = note(held, value)
    return answers


class Handset:
    def __init__(self, keep):
        self.keep, self.last = keep, None
        self.coin = random.Random()
        self.backup = self.coin
        self.again = (self.backup, keep)

    def turned(self, value):
        return value if self.coin.random() < self.keep else self.coin.choice(HABITS)

    def remembered(self, value):
        self.last = self.coin
        return self.turned(value)


def second_name_of_a_generator(data):
    phone = Handset(KEEP)
    return [phone.turned(value) for value in data], phone.backup


def third_name_of_a_generator(data):
    phone = Handset(KEEP)
    return [phone.turned(value) for value in data], phone.again


def generator_that_a_turn_keeps(data):
    phone = Handset(KEEP)
    return [phone.remembered(value) for value in data], phone.last


def generator_that_is_kept_later(data):
    phone = Handset(KEEP)
    answers = [phone.turned(value) for value in data]
    phone.last = phone.coin
    return answers, phone.last


SOUND = [
    texts_of_answers, coin_of_its_own, coin_of_secrets, objects_in_turns,
    objects_in_a_comprehension, an_object_that_collects, an_object_that_draws,
    printed, printed_in_turns,
]  # fmt: skip
BROKEN = [
    numpys_text_is_told, more_is_kept, chance_of_the_record, chance_of_another_record,
    one_coin_for_two, known_seed, known_seed_in_turns, of_what_occurs, truth_beside,
    object_of_all_turns, list_of_all_turns, default_of_all_turns,
    printed_truth, generator_beside,
    second_name_of_a_generator, third_name_of_a_generator, generator_that_a_turn_keeps,
    generator_that_is_kept_later,
    generator_in_an_object_beside, generator_that_a_function_returns, draws_of_a_copy,
    printed_when_kept, truth_from_a_function, one_object_or_equal_ones,
    answers_that_are_changed, passed_on, moved_by_a_loop,
]  # fmt: skip
