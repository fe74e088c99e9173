"""Twins of `sequential_programs` that break the claim: order, laziness or a late check matters.

Each one would keep the claim if its generators were lists, its coroutines plain functions that run
where they are called, or its tasks ran one after the other.
"""

import asyncio

import numpy as np

from tests.unit.formal.sequential_programs import BudgetExceeded, Engine, run


class OddError(Exception):
    def __init__(self, needed):
        super().__init__(f"{needed:.2f}")


class LoudError(Exception):
    def __init__(self, engine):
        engine.data = engine.data * 5
        super().__init__("loud")


class Shared(Engine):
    async def waits_before_paying(self, epsilon):
        if self.left < epsilon:
            return 0.0
        await asyncio.sleep(0)
        self.left -= epsilon
        return len(self.data) + self.rng.laplace(scale=1 / epsilon)

    async def leaks(self):
        self.left = float(len(self.data))

    def late(self, epsilon):
        answer = len(self.data) + self.rng.laplace(scale=1 / epsilon)
        if self.left < 0:
            raise BudgetExceeded(epsilon, self.left)
        self.left -= epsilon
        return answer

    @property
    async def limited(self):
        self.data = np.clip(self.data, 0, 1)


async def limits(engine):
    engine.data = np.clip(engine.data, 0, 1)


def limiting(engine):
    yield 1
    engine.data = np.clip(engine.data, 0, 1)
    yield 2


def released(engine):
    return engine.data.sum() + engine.rng.laplace()


async def races(data, rng):
    engine = Shared(data, 1.0, rng)
    return await asyncio.gather(*[engine.waits_before_paying(0.5) for _ in range(4)])


async def asks_what_is_left_beforehand(data, rng):
    engine = Shared(data, 1.0, rng)
    return await asyncio.gather(
        *[engine.count_or_nothing(max(engine.left / 2, 0.125)) for _ in range(4)]
    )


async def others_go_on_after_one_raised(data, rng):
    engine = Shared(data, 1.0, rng)
    try:
        await asyncio.gather(engine.count(2.0), engine.leaks())
    except BudgetExceeded:
        return engine.left


async def never_awaited(data, rng):
    engine = Shared(data, 1.0, rng)
    limits(engine)
    return released(engine)


async def awaited_once_of_two(data, rng):
    engine = Shared(data, 1.0, rng)
    (await limits(Shared(data, 1.0, rng)), limits(engine))
    return released(engine)


async def awaited_later(data, rng):
    engine = Shared(data, 1.0, rng)
    task = limits(engine)
    answer = released(engine)
    await task
    return answer


def applied(function, given):
    return function(given)


async def never_awaited_by_a_helper(data, rng):
    engine = Shared(data, 1.0, rng)
    applied(limits, engine)
    return released(engine)


async def never_awaited_inside(data, rng):
    limit = [1e9]

    async def sets():
        limit[0] = 1.0

    given = sets
    given()
    return np.clip(data, 0, limit[0]).sum() + rng.laplace()


class Runner:
    def __init__(self, name):
        self.name = name

    def run(self, coroutine):
        return self.name, coroutine


async def never_awaited_by_a_runner(data, rng):
    limit, runner = [1e9], Runner("one")

    async def sets():
        limit[0] = 1.0

    runner.run(sets())
    return np.clip(data, 0, limit[0]).sum() + rng.laplace()


async def never_awaited_property(data, rng):
    engine = Shared(data, 1.0, rng)
    engine.limited  # noqa: B018 - a coroutine
    return released(engine)


async def tasks_share_a_list(data, rng):
    seen = []

    async def one(k):
        seen.append(k)
        await asyncio.sleep(0)
        return len(seen) * (len(data) if len(seen) > 1 else 0) + rng.laplace()

    return await asyncio.gather(one(1), one(2))


async def exceptions_as_results(data, rng):
    engine = Shared(data, 1.0, rng)
    await asyncio.gather(engine.leaks(), return_exceptions=True)
    return engine.left


async def tasks_after_a_release(data, rng):
    engine = Shared(data, 1.0, rng)
    tasks = [limits(engine)]
    return released(engine), await asyncio.gather(*tasks)


def never_asked(data, rng):
    engine = Shared(data, 1.0, rng)
    limiting(engine)
    return released(engine)


def asked_later(data, rng):
    engine = Shared(data, 1.0, rng)
    values = limiting(engine)
    answer = released(engine)
    list(values)
    return answer


def asked_for_the_first(data, rng):
    engine = Shared(data, 1.0, rng)
    next(limiting(engine))
    return released(engine)


def left_early(data, rng):
    engine = Shared(data, 1.0, rng)
    for _ in limiting(engine):
        break
    return released(engine)


def ends_with_the_shortest(data, rng):
    engine = Shared(data, 1.0, rng)
    for _, _ in zip([1], limiting(engine), strict=False):
        pass
    return released(engine)


def stops_at_the_first_truth(data, rng):
    engine = Shared(data, 1.0, rng)
    any(limiting(engine))
    return released(engine)


def looks_between(data, rng):
    engine = Shared(data, 1.0, rng)
    sums = [float(engine.data.sum()) for _ in limiting(engine)]
    return sums[0] + rng.laplace()


def looks_between_by_key(data, rng):
    engine = Shared(data, 1.0, rng)
    best = max(limiting(engine), key=lambda k: -k * engine.data.sum())
    return best + released(engine)


def one_buffer(data, limits):
    buffer = [0.0]
    for limit in limits:
        buffer[0] = float(np.clip(data, 0, limit).sum())
        yield buffer


def reads_a_buffer_between(data, rng):
    first, _ = [each[0] for each in one_buffer(data, (5.0, 1.0))]
    return first + rng.laplace()


def reads_a_buffer_afterwards(data, rng):
    first, _ = one_buffer(data, (1.0, 5.0))
    return first[0] + rng.laplace()


def adds_to_the_budget_between(data, rng):
    engine, answers = Shared(data, 1.0, rng), []
    for answer in engine.answers(0.25):
        answers.append(answer)
        if len(answers) < 12:
            engine.left += 0.25
    return answers


def asked_twice(data, rng):
    engine = Shared(data, 1.0, rng)
    values = engine.answers(0.5)
    return [*values, *values, float(len(data))]


def ends_privately(data, rng):
    for _ in range(3):
        yield rng.laplace()
        if len(data) == 3:
            return


def shows_its_end(data, rng):
    return len(list(ends_privately(data, rng)))


def raises_privately(data, rng):
    yield rng.laplace()
    if len(data) == 3:
        raise BudgetExceeded(1, 0)


def shows_what_was_raised(data, rng):
    try:
        return list(raises_privately(data, rng))
    except BudgetExceeded:
        return []


def prints_between(data, rng):
    for value in (1, 2):
        print(value * len(data))
        yield value + rng.laplace()


def shows_what_is_printed(data, rng):
    return list(prints_between(data, rng))


def else_of_a_loop(data, rng):
    answers = []
    for answer in Engine(data, 1.0, rng).answers(0.5):
        answers.append(answer)  # noqa: PERF402 - it has an else
    else:
        answers.append(float(len(data)))
    return answers


def checks_late(data, rng):
    engine, answers = Shared(data, 1.0, rng), []
    try:
        while True:
            answers.append(engine.late(0.5))
    except BudgetExceeded as error:
        answers.append(str(error))
    return answers


def checks_after_the_answer(data, rng):
    engine, answers = Shared(data, 1.0, rng), []
    for _ in range(3):
        answer = len(engine.data) + rng.laplace(scale=2)
        answers.append(answer)
        try:
            engine.spend(0.5)
        except BudgetExceeded:
            continue
    return answers


def fails_otherwise(data, rng):
    try:
        raise OddError("much")
    except OddError:
        return len(data) + rng.laplace()
    except ValueError:
        return len(data)


def fails_otherwise_around(data, rng):
    try:
        try:
            raise OddError("much")
        except OddError:
            return len(data) + rng.laplace()
    except ValueError:
        return len(data)


def changes_what_it_is_given(data, rng):
    engine = Shared(np.clip(data, 0, 1), 1.0, rng)
    try:
        raise LoudError(engine)
    except LoudError:
        return released(engine)


def kept_rows_change(data, rng):
    def rows():
        row = [len(data) + rng.laplace(), 0]
        yield row
        row[0] = len(data)

    return [row for row in rows()]  # noqa: C416, as people write it


def kept_from_rows_that_change(data, rng):
    row = [0.0, 0.0]

    def rows():
        for scale in (1, 2):
            row[0], row[1] = scale, len(data)
            yield row
            row[1] = len(data) + rng.laplace(scale=scale)

    return [count for scale, count in rows()]


def kept_of_a_long_stream(data, rng):
    def counts():
        for low in (0, 5):
            yield low, np.sum(data >= low) + rng.laplace()

    return {low: count for low, count in counts()}  # noqa: C416, as people write it


def sees_a_row_in_a_tuple(data, rng):
    row = [0.0]

    def rows():
        for _ in (1, 2):
            row[0] = max(0.0, len(data) - 1000.0)
            yield (row,) * 1
            row[0] = 0.0

    return [t[0][0] for t in rows()]


def sees_a_row_in_a_list(data, rng):
    row = [0.0]

    def rows():
        for _ in (1, 2):
            row[0] = max(0.0, len(data) - 1000.0)
            yield [row] * 1
            row[0] = 0.0

    return sum(t[0][0] for t in rows())


ASYNC = [
    races, asks_what_is_left_beforehand, others_go_on_after_one_raised, never_awaited,
    awaited_once_of_two, awaited_later, never_awaited_by_a_helper,
    never_awaited_by_a_runner, never_awaited_inside, never_awaited_property, tasks_share_a_list,
    tasks_after_a_release, exceptions_as_results,
]  # fmt: skip
BROKEN = [
    never_asked, asked_later, asked_for_the_first, left_early, ends_with_the_shortest,
    stops_at_the_first_truth, looks_between, looks_between_by_key, reads_a_buffer_between,
    reads_a_buffer_afterwards, adds_to_the_budget_between, asked_twice, shows_its_end,
    shows_what_was_raised, shows_what_is_printed, else_of_a_loop, checks_late,
    checks_after_the_answer, fails_otherwise, fails_otherwise_around, changes_what_it_is_given,
    kept_rows_change, kept_from_rows_that_change, kept_of_a_long_stream,
    sees_a_row_in_a_tuple, sees_a_row_in_a_list, *map(run, ASYNC),
]  # fmt: skip
