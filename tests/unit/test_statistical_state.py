"""Fresh processes decide whether earlier data matters, and not when each of them ran."""

from itertools import count
from types import SimpleNamespace

import pytest

from dpaudit.outputs import encode
from dpaudit.statistical.ledger import Ledger
from dpaudit.statistical.state import confirm_state

PAIR = SimpleNamespace(left=[0], right=[0, 1])
ENTRY = SimpleNamespace(contender=SimpleNamespace(pair=PAIR))


def asked(answer):
    """Return the finding about a mechanism, given its output after a history."""
    clock = count()

    def fresh(histories, then, keys, *, chained):
        if chained:
            return encode([0.0] * len(histories))
        each = zip(histories, keys, strict=True)
        return encode([answer(before, next(clock), key) for before, key in each])

    race = SimpleNamespace(
        key=(0, 1), ledger=Ledger(1e-6), tonight=lambda share: share, seconds=0.0, aside=0.0,
        other_calls=0, notes=[], runner=SimpleNamespace(fresh=fresh),
        subject=SimpleNamespace(name="m", file="m.py", line=1),
    )  # fmt: skip
    return confirm_state(race, ENTRY, "in a test")


@pytest.mark.parametrize(
    "told",
    [
        lambda now: float(now),  # a clock
        lambda now: now,  # lines of a file, numbers of processes
        lambda now: f"{now:08d}",
        lambda now: now % 2,
    ],
)
def test_what_tells_when_a_process_ran_is_no_memory(told):
    assert asked(lambda before, now, key: told(now)) is None


def test_an_output_that_earlier_data_changes_is_memory():
    found = asked(lambda before, now, key: sum(map(len, before)) + key[-1] % 7 / 7)
    assert found.id == "DPA116"
