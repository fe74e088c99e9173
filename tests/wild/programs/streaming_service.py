"""A small service: streams of noisy statistics, handlers that wait, a budget that runs out."""

import asyncio
from itertools import accumulate

import numpy as np


class QuotaExhausted(Exception):
    def __init__(self, asked, left):
        super().__init__(f"asked for {asked}, but only {left:.3f} is left")
        self.asked = asked


def noisy(value, epsilon, sensitivity=1.0):
    return value + np.random.laplace(0.0, sensitivity / epsilon)


def running_totals(flags, epsilon):
    """Yield a noisy running total after each flag."""
    total = 0
    share = epsilon / len(flags)
    for flag in flags:
        total += int(flag)
        yield noisy(total, share)


def running_totals_cheap(flags, epsilon):
    total = 0
    for flag in flags:
        total += int(flag)
        yield noisy(total, epsilon)


def histogram_rows(ages, edges, epsilon):
    for low, high in zip(edges, edges[1:], strict=False):  # noqa: RUF007 - as people write it
        bucket = [age for age in ages if low <= age < high]
        yield f"{low}-{high}", noisy(len(bucket), epsilon)


def full_report(ages, epsilon=1.0):
    yield "all", noisy(len(ages), epsilon / 2)
    yield from histogram_rows(ages, [0, 18, 65, 121], epsilon / 2)


def full_report_cumulative(ages, epsilon=1.0):
    yield "all", noisy(len(ages), epsilon / 2)
    for limit in (18, 65, 121):
        yield f"under {limit}", noisy(sum(1 for age in ages if age < limit), epsilon / 2)


class Service:
    def __init__(self, records, quota=1.0):
        self.records = list(records)
        self.quota = quota
        self.lock = asyncio.Lock()

    def _charge(self, epsilon):
        if epsilon > self.quota + 1e-12:
            raise QuotaExhausted(epsilon, self.quota)
        self.quota -= epsilon

    async def count(self, epsilon):
        async with self.lock:
            self._charge(epsilon)
        await asyncio.sleep(0)
        return noisy(len(self.records), epsilon)

    async def count_unlocked(self, epsilon):
        if self.quota < epsilon:
            return None
        await asyncio.sleep(0)  # "query the database"
        self.quota -= epsilon
        return noisy(len(self.records), epsilon)

    def count_then_charge(self, epsilon):
        answer = noisy(len(self.records), epsilon)
        if self.quota < 0:
            raise QuotaExhausted(epsilon, self.quota)
        self.quota -= epsilon
        return answer


async def dashboard(records):
    service = Service(records)
    tiles = []
    for _ in range(4):
        try:
            tiles.append(await service.count(0.5))
        except QuotaExhausted as error:
            tiles.append(str(error))
    return tiles


async def parallel_dashboard(records):
    service = Service(records)
    return await asyncio.gather(*[service.count_unlocked(0.5) for _ in range(4)])


async def fetch(records, kind, epsilon):
    await asyncio.sleep(0)
    return noisy(len([record for record in records if record == kind]), epsilon)


async def fetch_all(records):
    tasks = [fetch(records, kind, 1.0) for kind in ("a", "b", "c")]
    return dict(zip("abc", await asyncio.gather(*tasks), strict=True))


async def fetch_prefixes(records):
    kinds = accumulate("abc")
    parts = [[record for record in records if record in kind] for kind in kinds]
    return list(await asyncio.gather(*[noisy_length(part) for part in parts]))


async def noisy_length(part):
    return noisy(len(part), 0.5)


# what is released


def totals(flags):
    return list(running_totals(flags, 1.0))


def totals_cheap(flags):
    return list(running_totals_cheap(flags, 1.0))


def age_report(ages):
    return dict(full_report(ages))


def age_report_cumulative(ages):
    return dict(full_report_cumulative(ages))


def show_dashboard(records):
    return asyncio.run(dashboard(records))


def show_parallel_dashboard(records):
    return asyncio.run(parallel_dashboard(records))


def count_kinds(records):
    return asyncio.run(fetch_all(records))


def count_prefixes(records):
    return asyncio.run(fetch_prefixes(records))


def drain(records):
    service = Service(records)
    answers = []
    try:
        while len(answers) < 10:
            answers.append(service.count_then_charge(0.5))
    except QuotaExhausted:
        pass
    return answers
