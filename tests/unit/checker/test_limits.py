"""Limits of cvc5: one place sets them, so that no question goes without."""

import ast
from pathlib import Path

import pytest

from dpaudit.checker import limits
from dpaudit.checker.proofs import emitted_for

ROOT = Path(__file__).parents[3] / "dpaudit"
SMALL = "(set-logic ALL)(declare-const x Real)(assert (> x 1))(assert (< x 0))(check-sat)"


class Recorded(dict):
    """Takes options as a solver does."""

    setOption = dict.__setitem__  # noqa: N815


def test_the_limits_of_cvc5_are_set_in_one_module_alone():
    setting = {
        file.relative_to(ROOT).as_posix()
        for file in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Constant) and node.value in ("rlimit-per", "tlimit-per")
    }
    assert setting == {"checker/limits.py"}


@pytest.mark.parametrize("seconds", [0.0, 0.01, 1.0, 2.0, 60.0, 1e9])
def test_a_question_of_powers_has_a_most_of_steps_and_an_end_in_real_time(seconds):
    given = Recorded()
    limits.limit(given, seconds)
    assert 1 <= int(given["rlimit-per"]) <= limits.CVC5_MOST
    assert int(given["tlimit-per"]) >= 1000 * limits.PATIENCE


def test_solvers_that_are_asked_for_proofs_are_limited_like_others(monkeypatch):
    limited = []
    monkeypatch.setattr(
        "dpaudit.checker.proofs.limit", lambda *given, **_: limited.append(given[1])
    )
    assert emitted_for("x is not there", SMALL, 7.0).steps > 0
    assert limited == [7.0]
