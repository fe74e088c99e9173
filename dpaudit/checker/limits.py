"""Limits of a check: solvers and loops count steps, so that no machine's speed decides it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

BUDGET = 60.0  # of one certificate, in seconds of a quiet machine
# For one second of a quiet machine. In powers each step of cvc5 lasts longer than the one before:
# 20,000 steps took .01 s, 50,000 took 1 s and 100,000 more than 60 s; so there are never more.
CVC5_STEPS, CVC5_LINEAR = 20_000, 100_000
CVC5_MOST = 40_000
Z3_STEPS = 200_000
LOOK = 1e-4  # seconds that a turn of a loop, or a question, is taken to last
PATIENCE = 3.0  # times the steps of a question, in real time, until cvc5 itself gives up
MOST = 2**32 - 1  # steps that a solver can be told to take


def steps_of(seconds: float, rate: int) -> int:
    """Return how many steps a solver may take.

    Parameters
    ----------
    seconds : float
    rate : int
        `CVC5_STEPS`, `CVC5_LINEAR` or `Z3_STEPS`.
    """
    return int(min(max(1.0, seconds * rate), MOST))


def limit(solver: Any, seconds: float, *, linear: bool = False) -> None:
    """Limit what cvc5 does with one question.

    Parameters
    ----------
    solver : cvc5.Solver
    seconds : float
        Of a quiet machine.
    linear : bool
        Whether the question is of linear arithmetic, in which all steps last alike. For any other
        question the steps have a most; and as a single step may last for ever, cvc5 also gives up
        in real time, far beyond what its steps take.
    """
    if linear:
        solver.setOption("rlimit-per", str(steps_of(seconds, CVC5_LINEAR)))
        return
    solver.setOption("rlimit-per", str(min(steps_of(seconds, CVC5_STEPS), CVC5_MOST)))
    solver.setOption("tlimit-per", str(int(1000 * PATIENCE * max(seconds, 1.0))))


def now() -> float:
    """Return the seconds of a real clock."""
    return time.monotonic()


@dataclass(slots=True)
class Meter:
    """What is left for a check.

    Attributes
    ----------
    steps : float
        In seconds of a quiet machine.
    end : float
        Of a limit that a user set, on the clock of `now`; infinite where there is none.
    """

    steps: float = BUDGET
    end: float = math.inf

    def left(self, looks: int = 1) -> float:
        """Count some looks, and return the seconds that are left."""
        self.steps -= looks * LOOK
        return min(self.steps, self.end - now()) if self.end < math.inf else self.steps
