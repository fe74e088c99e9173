"""Generators, coroutines and engines that go on after an exception, each within its claim."""

import asyncio

import numpy as np


class BudgetExceeded(Exception):
    def __init__(self, needed, left):
        super().__init__(f"{needed:.2f} is needed, {left:.2f} is left")
        self.needed = needed


class Engine:
    def __init__(self, data, budget, rng):
        self.data, self.left, self.rng = np.asarray(data), budget, rng
        self.lock = asyncio.Lock()

    def spend(self, epsilon):
        if epsilon > self.left:
            raise BudgetExceeded(epsilon, left=self.left)
        self.left -= epsilon

    def above(self, low, epsilon=0.4):
        self.spend(epsilon)
        return np.sum(self.data >= low) + self.rng.laplace(scale=1 / epsilon)

    def answers(self, step):
        while self.left >= step:
            self.left -= step
            yield len(self.data) + self.rng.laplace(scale=1 / step)

    async def count(self, epsilon):
        async with self.lock:
            self.spend(epsilon)
        return len(self.data) + self.rng.laplace(scale=1 / epsilon)

    async def count_or_nothing(self, epsilon):
        if self.left < epsilon:
            return 0.0
        self.left -= epsilon
        return len(self.data) + self.rng.laplace(scale=1 / epsilon)


def statistics(data, rng):
    yield len(data) + rng.laplace(scale=2)
    yield np.clip(data, 0, 5).sum() + rng.laplace(scale=10)


def binned(data, edges, rng):
    for low, high in edges:
        yield np.sum((data >= low) & (data < high)) + rng.laplace(scale=2)


def report(data, rng):
    yield len(data) + rng.laplace(scale=2)
    yield from binned(data, [(0, 3), (3, 6), (6, 11)], rng)


def by_digit(data, rng):
    for digit in range(11):
        yield digit, len([x for x in data if x == digit]) + rng.laplace()


def straight_list(data, rng):
    return list(statistics(data, rng))


def straight_unpacked(data, rng):
    count, total = statistics(data, rng)
    return total / max(count, 1.0)


def straight_starred(data, rng):
    first, *others = [0.0, *statistics(data, rng)]
    return first, others


def straight_loop(data, rng):
    lines = []
    for place, value in enumerate(statistics(data, rng)):
        lines.append((place, round(value, 1)))
    return lines


def straight_extended(data, rng):
    lines = ["count", "total"]
    lines.extend(statistics(data, rng))
    return lines


def delegated(data, rng):
    return list(report(data, rng))


def alarms(data, threshold, rng, limits=(2, 4, 6)):
    noisy_threshold = threshold + rng.laplace(scale=2)
    for limit in limits:
        if np.sum(data > limit) + rng.laplace(scale=4) >= noisy_threshold:
            yield "above"
            return
        yield "below"


def kept_answers(data, rng):
    return [answer for answer in alarms(data, 4, rng)]  # noqa: C416, as people write it


def kept_by_digit(data, rng):
    return {digit: count for digit, count in by_digit(data, rng)}  # noqa: C416, as people write it


def kept_names(data, rng):
    def named():
        for low, high in ((0, 5), (5, 11)):
            count = np.sum((data >= low) & (data < high)) + rng.laplace()
            yield f"{low} to {high}", count

    return [(count, name) for name, count in named()]


def largest_digit(data, rng):
    return max(by_digit(data, rng), key=lambda pair: pair[1])[0]


def digits_as_dict(data, rng):
    return dict(by_digit(data, rng))


def of_an_engine(data, rng):
    return [round(x, 1) for x in Engine(data, 1.0, rng).answers(0.25)]


def mean_of_an_engine(data, rng):
    answers = list(Engine(data, 1.0, rng).answers(0.5))
    return sum(answers) / len(answers)


def inside(data, rng):
    def each():
        yield len(data) + rng.laplace(scale=2)
        yield len(data) + rng.laplace(scale=2)

    return sorted(each())


def caught_in_a_loop(data, rng):
    engine, results = Engine(data, 1.0, rng), {}
    for low in (0, 2, 4, 6):
        try:
            results[low] = engine.above(low)
        except BudgetExceeded:
            results[low] = None
    return results


def caught_around_a_loop(data, rng):
    engine, answers = Engine(data, 1.0, rng), []
    try:
        while True:
            answers.append(engine.above(0, 0.3))
    except BudgetExceeded:
        return answers


def caught_with_its_text(data, rng):
    engine = Engine(data, 1.0, rng)
    first = engine.above(0, 0.6)
    try:
        second = engine.above(3, 0.6)
    except BudgetExceeded as error:
        second = str(error)
    return first, second, engine.above(5, 0.4)


async def paused(data, scale, rng):
    await asyncio.sleep(0)
    return len(data) + rng.laplace(scale=scale)


async def total(data, scale, rng):
    return float(np.clip(data, 0, 5).sum()) + rng.laplace(scale=scale)


async def one_by_one(data, rng):
    count = await paused(data, 2, rng)
    return count, await total(data, 10, rng)


async def together(data, rng):
    count, amount = await asyncio.gather(paused(data, 2, rng), total(data, 10, rng))
    return {"count": count, "amount": amount}


async def tasks(data, rng):
    return await asyncio.gather(
        *[asyncio.create_task(paused(data[data == k], 1, rng)) for k in range(11)]
    )


async def listed_tasks(data, rng):
    tasks = [paused(data[data == k], 1, rng) for k in range(11)]
    return dict(enumerate(await asyncio.gather(*tasks)))


async def workers(data, rng):
    async def one(k):
        return len(data[data == k]) + rng.laplace()

    return await asyncio.gather(*(one(k) for k in range(11)))


async def takes_turns(data, rng):
    engine = Engine(data, 1.0, rng)
    return await asyncio.gather(*[engine.count_or_nothing(0.5) for _ in range(4)])


async def streamed(data, rng):
    yield len(data) + rng.laplace(scale=2)
    await asyncio.sleep(0.0)
    yield len(data) + rng.laplace(scale=2)


async def collected(data, rng):
    return [answer async for answer in streamed(data, rng)]


async def followed(data, rng):
    answers = []
    async for answer in streamed(data, rng):
        answers.append(answer)
    return answers


async def served(data, rng):
    engine, answers = Engine(data, 1.0, rng), []
    for _ in range(4):
        try:
            answers.append(await engine.count(0.5))
        except BudgetExceeded:
            break
    return answers


def run(coroutine_function):
    """Return a mechanism that runs a coroutine function to its end."""

    def mechanism(data, rng):
        return asyncio.run(coroutine_function(data, rng))

    mechanism.__name__ = coroutine_function.__name__
    return mechanism


ASYNC = [
    one_by_one, together, tasks, listed_tasks, workers, takes_turns, collected, followed, served,
]  # fmt: skip
SOUND = [
    straight_list, straight_unpacked, straight_starred, straight_loop, straight_extended, delegated,
    largest_digit, digits_as_dict, kept_answers, kept_by_digit, kept_names, of_an_engine,
    inside, caught_in_a_loop, caught_around_a_loop, caught_with_its_text, *map(run, ASYNC),
]  # fmt: skip
