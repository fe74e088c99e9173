"""Budgets that are tested or booked too late are found; sound look-alikes are not."""

from __future__ import annotations

import pytest

from dpaudit.static.lint import lint

ENGINE = """
import asyncio
import logging
import numpy as np

logger = logging.getLogger(__name__)

class Exceeded(Exception):
    pass

class Engine:
    def __init__(self, data, rng, budget=1.0, accountant=None):
        self.data, self.rng, self.budget = data, rng, budget
        self.spent, self.used = 0.0, 0
        self.answers, self.cache = [], {{}}
        self.lock = asyncio.Lock()
        self.accountant = accountant
    def charge(self, price):
        if self.spent + price > self.budget:
            raise Exceeded(price)
        self.spent += price
    def noisy(self, eps):
        return len(self.data) + self.rng.laplace(scale=1 / eps)
    {method}

def release(data, rng, eps=0.5):
    engine = Engine(data, rng)
    {use}
"""
FOUR = "return [engine.ask(eps) for _ in range(4)]"
TOGETHER = """async def all_of():
        return await asyncio.gather(*[engine.ask(eps) for _ in range(4)])
    return asyncio.run(all_of())"""
LATE = {
    "the test leaves the price out": """
        if self.spent > self.budget:
            raise Exceeded
        self.spent += eps
        return self.noisy(eps)""",
    "the same after the answer": """
        answer = self.noisy(eps)
        if self.spent >= self.budget:
            raise Exceeded
        self.spent += eps
        return answer""",
    "the same by early return": """
        if self.budget <= 0:
            return None
        self.budget -= eps
        return self.noisy(eps)""",
    "kept before the refusal": """
        self.answers.append(self.noisy(eps))
        self.charge(eps)
        return self.answers[-1]""",
    "kept in a dictionary": """
        answer = self.noisy(eps)
        self.cache[eps] = answer
        self.spent += eps
        if self.spent > self.budget:
            raise Exceeded
        return answer""",
    "logged before the refusal": """
        answer = self.noisy(eps)
        logger.info("answer %s", answer)
        self.charge(eps)
        return answer""",
    "told by the exception": """
        answer = self.noisy(eps)
        if self.spent + eps > self.budget:
            raise Exceeded(f"no budget for {answer}")
        self.spent += eps
        return answer""",
    "returned where it is refused": """
        answer = self.noisy(eps)
        if self.spent + eps > self.budget:
            return answer
        self.spent += eps
        return answer""",
    "the refusal is swallowed": """
        try:
            self.charge(eps)
        except Exceeded:
            logger.warning("over budget")
        return self.noisy(eps)""",
    "an accountant of a library refuses": """
        self.answers.append(self.noisy(eps))
        self.accountant.spend(eps, 0)
        return self.answers[-1]""",
    "a path skips the booking": """
        if self.spent + eps > self.budget:
            raise Exceeded
        answer = self.noisy(eps)
        if answer < 5:
            return answer
        self.spent += eps
        return answer""",
}
IN_TIME = {
    "discarded when it is refused": """
        answer = self.noisy(eps)
        self.charge(eps)
        return answer""",
    "booked, tested, then answered": """
        self.spent += eps
        if self.spent > self.budget:
            raise Exceeded
        return self.noisy(eps)""",
    "a kept answer is free": """
        if eps in self.cache:
            return self.cache[eps]
        self.charge(eps)
        self.cache[eps] = self.noisy(eps)
        return self.cache[eps]""",
    "the accountant is optional": """
        if self.accountant is not None:
            self.accountant.spend(eps, 0)
        return self.noisy(eps)""",
    "answers are counted": """
        if self.used >= 2:
            raise Exceeded
        self.used += 1
        return self.noisy(eps)""",
    "the price is cut to what is left": """
        eps = min(eps, self.budget)
        if self.budget <= 0:
            return None
        self.budget -= eps
        return self.noisy(eps)""",
    "the sum with the price has a name": """
        needed = self.spent + eps
        if needed > self.budget:
            raise Exceeded
        self.spent = needed
        return self.noisy(eps)""",
    "taken back": """
        self.answers.append(self.noisy(eps))
        if self.spent + eps > self.budget:
            self.answers.pop()
            raise Exceeded
        self.spent += eps
        return self.answers[-1]""",
    "noise alone is kept": """
        self.noise = self.rng.laplace(scale=1 / eps)
        self.charge(eps)
        return len(self.data) + self.noise""",
    "the answer before is told again": """
        if self.spent + eps > self.budget:
            return self.answers[-1] if self.answers else None
        self.spent += eps
        self.answers.append(self.noisy(eps))
        return self.answers[-1]""",
    "the refusal ends in nothing": """
        try:
            self.charge(eps)
        except Exceeded:
            logger.warning("over budget, %s refused", eps)
            return None
        return self.noisy(eps)""",
    "asked, answered, then booked": """
        if not self.can_spend(eps):
            raise Exceeded
        answer = self.noisy(eps)
        self.spent += eps
        return answer
    def can_spend(self, eps):
        return self.spent + eps <= self.budget""",
    "booked in the end whatever happens": """
        if self.spent + eps > self.budget:
            raise Exceeded
        try:
            return self.noisy(eps)
        finally:
            self.spent += eps""",
    "half of what is left": """
        while True:
            share = self.budget / 2
            self.answers.append(self.noisy(share))
            self.budget -= share
            if self.budget < 0.01:
                return self.answers""",
    "a second price, refused by name": """
        if not self.check(eps):
            return self.cache.get(eps)
        self.cache[eps] = self.noisy(eps)
        self.spent += eps
        self.last(0.1)
        return self.cache[eps]
    def last(self, eps):
        if self.spent + eps > self.budget:
            raise Exceeded
    def check(self, eps):
        return self.spent + eps <= self.budget""",
    "a share of the limit": """
        spent, share = 0.0, eps / 4
        for _ in range(4):
            self.answers.append(self.noisy(share))
            spent += share
            if spent > eps + 1e-9:
                break
        return self.answers""",
    "positive form": """
        if self.spent + eps <= self.budget:
            self.spent += eps
            return self.noisy(eps)
        return None""",
    "an early return without an answer": """
        if eps <= 0:
            return 0.0
        self.charge(eps)
        return self.noisy(eps)""",
}
WAITS = """async def ask(self, eps):
        if self.spent + eps > self.budget:
            return None
        await asyncio.sleep(0)
        self.spent += eps
        return self.noisy(eps)"""
LOCKED = """async def ask(self, eps):
        async with self.lock:
            if self.spent + eps > self.budget:
                return None
            await asyncio.sleep(0)
            self.spent += eps
        return self.noisy(eps)"""
AT_ONCE = """async def ask(self, eps):
        self.charge(eps)
        await asyncio.sleep(0)
        return self.noisy(eps)"""
ONE_BY_ONE = "return [asyncio.run(engine.ask(eps)) for _ in range(4)]"


def overspent(tmp_path, method, use=FOUR):
    """Return the messages of DPA107 in a default run, and no other error."""
    path = tmp_path / "release.py"
    method = method if method.startswith("async") else f"def ask(self, eps):{method}"
    path.write_text(ENGINE.format(method=method, use=use))
    errors = [f for f in lint([path]).findings if f.level == "error"]
    assert {f.id for f in errors} <= {"DPA107"}
    return [f.message for f in errors]


@pytest.mark.parametrize("how", LATE)
def test_a_budget_that_is_looked_at_late_is_found_by_default(tmp_path, how):
    assert overspent(tmp_path, LATE[how])


@pytest.mark.parametrize("how", IN_TIME)
def test_a_sound_way_to_keep_a_budget_has_no_error(tmp_path, how):
    assert not overspent(tmp_path, IN_TIME[how])


@pytest.mark.parametrize(
    ("method", "use", "found"),
    [
        (WAITS, TOGETHER, True),
        (WAITS, ONE_BY_ONE, False),
        (LOCKED, TOGETHER, False),
        (AT_ONCE, TOGETHER, False),
    ],
)
def test_tasks_at_once_pass_one_test_of_the_budget(tmp_path, method, use, found):
    assert bool(overspent(tmp_path, method, use)) == found


STREAM = """
import numpy as np
def stream(data, rng, queries, eps=0.25, total=1.0):
    spent = 0.0
    for query in queries:
        {body}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("yield query(data) + rng.laplace(0, 1 / eps)\n        spent += eps\n"
         "        if spent > total:\n            return", True),
        ("if spent + eps > total:\n            return\n        spent += eps\n"
         "        yield query(data) + rng.laplace(0, 1 / eps)", False),
        ("yield query(data) + rng.laplace(0, 1 / eps)\n        spent += eps\n"
         "        if spent >= total:\n            return", False),
    ],
)  # fmt: skip
def test_a_generator_that_yields_before_its_test_is_found(tmp_path, body, found):
    path = tmp_path / "release.py"
    path.write_text(STREAM.format(body=body))
    assert any(f.id == "DPA107" for f in lint([path]).findings) == found


def test_a_function_that_asks_an_object_with_noise_is_read_by_default(tmp_path):
    path = tmp_path / "release.py"
    path.write_text(ENGINE.format(method="limit = 1", use="return engine.noisy(eps), sum(data)"))
    found = lint([path])
    assert any(f.id == "DPA101" and "release" in f.message for f in found.findings)
    assert any(name == "release" for _, _, name in found.unaudited)


def test_a_call_of_what_a_long_expression_makes_does_not_stop_the_linter(tmp_path):
    path = tmp_path / "release.py"
    long = ", ".join(f"'column_{i}'" for i in range(100))
    path.write_text(f"def release(data):\n    return Table([{long}]).of(data).total()\n")
    assert lint([path]).exit_code() == 0


SLACK = """
import logging

logger = logging.getLogger(__name__)

class Engine:
    def __init__(self, data, rng, total=1.0):
        self.data, self.rng, self.total, self.spent = data, rng, total, 0.0
    def ask(self, eps):
        if {test}:
            raise ValueError("spent")
        self.spent += eps
        {log}
        return len(self.data) + self.rng.laplace(scale=1 / eps)

def release(data, rng, eps=0.5):
    return Engine(data, rng).ask(eps)
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("self.spent + eps > self.total + 0.25", True),
        ("self.spent + eps > self.total * 1.5", True),
        ("2 * self.total < self.spent + eps", True),
        ("not self.spent + eps <= self.total / 0.5", True),
        ("self.spent + eps > self.total", False),
        ("self.spent + eps > self.total + 1e-9", False),
        ("self.spent + eps > self.total * (1 + 1e-12)", False),
        ("self.spent + eps > 0.9 * self.total", False),
        ("self.spent + eps + 0.25 > self.total", False),
    ],
)
def test_a_test_of_the_budget_with_slack_is_found_and_a_tolerance_is_not(tmp_path, test, found):
    file = tmp_path / "engine.py"
    file.write_text(SLACK.format(test=test, log="pass"), encoding="utf-8")
    said = [f.message for f in lint([file]).findings if f.id == "DPA107"]
    assert any("lets more be spent than the budget" in each for each in said) is found


def test_an_exact_count_that_a_method_logs_is_found_though_no_neighbors_are_known(tmp_path):
    log = 'logger.info("%d rows", len(self.data))'
    file = tmp_path / "engine.py"
    text = SLACK.format(test="self.spent + eps > self.total", log=log)
    file.write_text(text, encoding="utf-8")
    said = [f for f in lint([file]).findings if f.id == "DPA101"]
    assert [f.level for f in said] == ["warning"]
    assert "the number of records is logged or printed" in said[0].message
