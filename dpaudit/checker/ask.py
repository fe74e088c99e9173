"""Asks cvc5, in this process or in one that can be ended: ``python -m dpaudit.checker.ask``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.limits import Z3_STEPS, limit, steps_of

_NET = 30.0  # times its steps, in real time: far beyond what they take


def ask_cvc5(text: str, seconds: float, options: Mapping[str, str] | None = None) -> str:
    """Return ``"sat"``, ``"unsat"`` or ``"unknown"``.

    Parameters
    ----------
    text : str
        A problem in SMT-LIB with one ``(check-sat)``.
    seconds : float
        Of a quiet machine; the solver counts its own steps.
    options : mapping of str to str, optional
        Of cvc5.

    Raises
    ------
    NotCheckedError
        Where cvc5 is not installed, or does not understand.
    """
    try:
        import cvc5
    except ImportError:
        raise NotCheckedError(
            "not checked: cvc5 is not installed; install it with: pip install cvc5"
        ) from None
    solver = cvc5.Solver()
    limit(solver, seconds)
    for name, value in (options or {}).items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "goal")
    found = "unknown"
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, parser.getSymbolManager()).strip()
        if said:
            found = "unknown" if said.startswith("unknown") else said
    if found not in ("sat", "unsat", "unknown"):
        raise NotCheckedError(f"not checked: cvc5 said {found!r:.100}")
    return found


def ask_cvc5_apart(text: str, seconds: float, options: Mapping[str, str] | None = None) -> str:
    """Return what `ask_cvc5` does, from a process that is ended where it heeds no limit."""
    question = json.dumps([text, seconds, dict(options or {})])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit.checker.ask"],
            input=question,
            capture_output=True,
            text=True,
            timeout=_NET * max(seconds, 1.0),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "unknown"
    said = done.stdout.strip()
    return said if said in ("sat", "unsat") else "unknown"


def ask_z3(text: str, seconds: float) -> str:
    """Return ``"sat"``, ``"unsat"`` or ``"unknown"``; unknown where z3 is not installed."""
    try:
        import z3
    except ImportError:
        return "unknown"
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", steps_of(seconds, Z3_STEPS))
    solver.set("random_seed", 0)
    solver.from_string(text)
    return str(solver.check())


if __name__ == "__main__":
    sys.stdout.write(ask_cvc5(*json.load(sys.stdin)))
