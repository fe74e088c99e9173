"""What a limit on time cannot end is not begun."""

import math
import time
from fractions import Fraction

import pytest

from dpaudit import AddRemove, Categorical, PureDP, Verdict, verify
from dpaudit.checker.effort import BITS, beyond

BITS_OF_ALL = AddRemove(Categorical([0, 1]))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("operator.pow", (10, 10**9)),
        ("operator.pow", (Fraction(1, 3), -(10**9))),
        ("operator.lshift", (1, 10**11)),
        ("operator.mul", (1 << BITS, 3)),
        ("operator.mul", ([0], 10**9)),
        ("math.factorial", (10**7,)),
        ("math.comb", (10**8, 10**7)),
        ("math.perm", (10**8,)),
        ("builtins.sum", (range(10**10),)),
        ("builtins.list", (range(0, -(10**30), -1),)),
    ],
)
def test_what_would_run_for_minutes_in_one_step_is_told(name, arguments):
    assert beyond(name, arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("operator.pow", (2, 10_000)),
        ("operator.pow", (1, 10**12)),
        ("operator.pow", (0.5, 10**12)),
        ("operator.lshift", (0, 10**12)),
        ("operator.mul", ([0, 0], 1000)),
        ("math.factorial", (1000,)),
        ("math.comb", (10**8, 10**8 - 1)),
        ("builtins.len", (range(10**10),)),
        ("builtins.sum", (range(10**6),)),
        ("numpy.sqrt", (2.0,)),
    ],
)
def test_what_takes_a_moment_is_not(name, arguments):
    assert beyond(name, arguments) is None


def with_a_scale_of(compute):
    def count(data, rng):
        return len(data) + rng.laplace(scale=compute())

    return count


@pytest.mark.parametrize(
    "compute",
    [
        lambda: 10 ** int("1000000000"),
        lambda: 1 << int("100000000000"),
        lambda: math.factorial(10**7),
        lambda: sum(range(10**10)),
    ],
)
def test_a_proof_ends_in_time_where_a_number_would_take_minutes(compute):
    began = time.process_time()
    report = verify(with_a_scale_of(compute), PureDP(1.0), BITS_OF_ALL, timeout=5)
    assert report.verdict is Verdict.INCONCLUSIVE
    # The numbers would take minutes or all memory.
    assert time.process_time() - began < 60
