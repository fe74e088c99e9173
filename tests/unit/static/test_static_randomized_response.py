"""Randomized response over several values: the odds are those against each other value."""

from __future__ import annotations

import pytest

from dpaudit.static.analysis import found_in
from dpaudit.static.modules import Project
from dpaudit.static.reading import read
from dpaudit.static.relations import Relation

FOUR = Relation("local", False, False, 0.0, 3.0, True)
TEXT = """
import math
import random
import numpy as np
def release(value, epsilon=1.0, k=4):
    p = {p}
    if random.random() < p:
        return value
    {other}
"""
OF_TWO = "math.exp(epsilon) / (math.exp(epsilon) + 1)"
OF_ALL = "math.exp(epsilon) / (math.exp(epsilon) + k - 1)"
AGAIN = "y = value\n    while y == value:\n        y = np.random.randint(k)\n    return y"
SHIFTED = "y = random.randrange(3)\n    return y if y < value else y + 1"
ANY = "return np.random.randint(k)"
AROUND = "return (value + random.randrange(1, k)) % k"
PARITY = "return np.random.randint(0, 1000) % 2"


@pytest.mark.parametrize(
    ("p", "other", "found"),
    [
        (OF_TWO, AGAIN, True),
        (OF_TWO, SHIFTED, True),
        (OF_TWO, ANY, True),
        (OF_ALL, ANY, True),
        (OF_ALL, AGAIN, False),
        (OF_ALL, SHIFTED, False),
        (OF_ALL, AROUND, False),
        ("(math.exp(epsilon) - 1) / (math.exp(epsilon) - 1 + k)", ANY, False),
        ("0.5", PARITY, False),
        ("0.4", SHIFTED, False),
    ],
)
def test_the_odds_of_the_truth_count_the_other_values(tmp_path, p, other, found):
    path = tmp_path / "mechanism.py"
    path.write_text(TEXT.format(p=p, other=other))
    project = Project((tmp_path,))
    function = project.module(path, str(path)).functions["release"]
    facts = read(project, function, FOUR, data=["value"], epsilon=1.0)
    errors = {f.id for f in found_in(facts) if f.level == "error"}
    assert errors == ({"DPA106"} if found else set())
