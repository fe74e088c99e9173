"""An output that never changed in one process may be remembered, or another one may be rare."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dpaudit.outputs import encode
from dpaudit.statistical import state

SEEN = encode([0.0] * 12)
ENTRY = SimpleNamespace(
    contender=SimpleNamespace(
        pair=SimpleNamespace(left=[0], right=[1]),
        pool=SimpleNamespace(side=lambda side: SEEN, seen=(12, 12)),
    )
)


def answers(monkeypatch, output):
    """Ask for outputs that a function of the calls before and of the seed gives."""

    def ask(race, histories, then, keys, chained=False):
        return encode([output(len(h), key) for h, key in zip(histories, keys, strict=True)])

    monkeypatch.setattr(state, "_ask", ask)
    return state.answers_anew(SimpleNamespace(key=(0,)), ENTRY)


def test_a_rare_output_that_its_seed_gives_after_other_calls_too_is_not_remembered(monkeypatch):
    assert answers(monkeypatch, lambda before, key: float(key[-1] == 3))


def test_one_output_for_all_seeds_is_not_remembered(monkeypatch):
    assert answers(monkeypatch, lambda before, key: 0.0)


@pytest.mark.parametrize(
    "output",
    [
        lambda before, key: 0.0 if before else float(key[-1] == 3),
        lambda before, key: 0.0 if before else float(key[-1]),
        lambda before, key: float(key[-1] == 3) * (1 + before),
        lambda before, key: 2.0 if before else float(key[-1] in (3, 5)),
    ],
    ids=["rare answer kept", "answer kept", "count of calls", "another answer kept"],
)
def test_an_answer_that_earlier_calls_change_is_remembered(monkeypatch, output):
    assert not answers(monkeypatch, output)
