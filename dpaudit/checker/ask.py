"""Asks cvc5 and z3 about problems in SMT-LIB."""

from __future__ import annotations

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.limits import Z3_STEPS, limit, steps_of


def ask_cvc5(text: str, seconds: float) -> str:
    """Return ``"sat"``, ``"unsat"`` or ``"unknown"``.

    Parameters
    ----------
    text : str
        A problem in SMT-LIB with one ``(check-sat)``.
    seconds : float
        Of a quiet machine; the solver counts its own steps.

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
