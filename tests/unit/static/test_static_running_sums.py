"""Running sums with noise for one change are found in every spelling; other loops are not."""

from __future__ import annotations

import pytest

from dpaudit.static.lint import lint

HEAD = """
from itertools import accumulate
import numpy as np

class Total:
    def __init__(self, rng):
        self.total, self.rng = 0, rng
    def add(self, x):
        self.total += int(x > 0)
        return self.total + self.rng.laplace(scale=1.0)

class Share:
    def __init__(self, data):
        self.data, self.total = data, 0.0
    def of(self, low, high):
        self.total = 0.0
        for x in self.data:
            if low <= x < high:
                self.total += 1
        return self.total

def release(data, rng, {settings}):
    \"\"\"Differentially private.\"\"\"
    total, out = 0, []
    {body}
"""
RUNNING = {
    "constant": """for x in data:
        total += min(max(x, 0), 1)
        yield total + rng.laplace(scale=1.0)""",
    "assigned": """for x in data:
        total = total + min(max(x, 0), 1)
        yield total + rng.laplace(0, 1 / epsilon)""",
    "in numbers": """for x in data:
        total = min(max(x, 0), 1) + total
        out.append(total + rng.laplace(0, 2.0))
    return out""",
    "accumulated": """for t in accumulate(data):
        yield t + rng.laplace(scale=1 / epsilon)""",
    "comprehension": "return [t + rng.laplace(scale=1 / epsilon) for t in np.cumsum(data)]",
    "beginnings": """for i in range(len(data)):
        yield sum(data[: i + 1]) + rng.laplace(scale=1 / epsilon)""",
    "object": """counter = Total(rng)
    for x in data:
        yield counter.add(x)""",
}
SOUND = {
    "noise on what is added": """for x in data:
        total += min(max(x, 0), 1) + rng.laplace(scale=1 / epsilon)
        yield total""",
    "one answer": """for x in data:
        total = total + min(max(x, 0), 1)
    return total + rng.laplace(scale=1 / epsilon)""",
    "parts": """for low, high in ((0, 10), (10, 20)):
        count = 0
        for x in data:
            count = count + (low <= x < high)
        out.append(count + rng.laplace(scale=1 / epsilon))
    return out""",
    "parts of an object": """share = Share(data)
    for low, high in ((0, 10), (10, 20)):
        out.append(share.of(low, high) + rng.laplace(scale=1 / epsilon))
    return out""",
    "the largest so far": """for t in accumulate([0.0, 1.0, 2.0]):
        out.append(sum(x == t for x in data) + rng.laplace(scale=1 / epsilon))
    return out""",
    "budget for each": """for i, x in enumerate(data[:10]):
        total = total + min(max(x, 0), 1)
        out.append(total + rng.laplace(scale=10 / epsilon))
    return out""",
    "a fixed beginning": """for i in range(2):
        out.append(sum(data[i : i + 1]) + rng.laplace(scale=1 / epsilon))
    return out""",
}


def overspent(tmp_path, body, settings="epsilon=1.0"):
    path = tmp_path / "release.py"
    path.write_text(HEAD.format(body=body, settings=settings))
    found = [f for f in lint([path]).findings if f.level == "error"]
    return [f.message for f in found if f.id == "DPA107" and f.message.startswith("release")]


@pytest.mark.parametrize("how", RUNNING)
def test_running_sums_with_noise_for_one_change_are_found(tmp_path, how):
    epsilon = 0.5 if how == "in numbers" else 1.0
    assert overspent(tmp_path, RUNNING[how], f"epsilon={epsilon}")


@pytest.mark.parametrize("how", SOUND)
def test_sums_that_pay_for_each_answer_have_no_error(tmp_path, how):
    assert not overspent(tmp_path, SOUND[how])
