"""Checks the float obligations of a program under a claim."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.floats.data import cases, is_unbounded
from dpaudit.floats.interpret import Interpreter
from dpaudit.floats.ledger import SHARE, Ledger
from dpaudit.floats.values import Many, Num, Refused, Thing, Unknown, flat, point, privately
from dpaudit.neighbors import AddRemove, Around, QueryAnswers, ReplaceOne, ZeroOut

RECORDS = 20  # log2 of the records for which a proof must hold
ANSWERS = 16  # log2 of the magnitude of answers, in units of their distance, beside that
MOST = 50
LEAST, GREATEST = -3, 2  # log2 of parameters for which a proof for all of them must hold
EXACT_KINDS = frozenset({"alignment", "exact", "lemma"})
_NUMBERS = (ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP)  # claims that are numbers
_FOLDER = re.compile(r'(?<="place": ")[^"]*/')
_last: tuple[Any, Bounds] | None = None  # what was asked, and what was found


@dataclass(frozen=True, slots=True)
class Bounds:
    """What was found.

    Attributes
    ----------
    size : int
        The obligations hold up to 2^size records, or for answers of up to 2^size distances.
    loss, crossing : float
        Of (a) and (b), at 2^20 records, or for answers of up to 2^16 distances.
    unbounded : bool
        Whether `size` is about the magnitude of answers.
    """

    size: int
    loss: float
    crossing: float
    unbounded: bool

    def sentence(self) -> str:
        """Return what the report says."""
        what = (
            f"answers of magnitude up to 2^{self.size} times their distance"
            if self.unbounded
            else f"up to 2^{self.size} records"
        )
        lost = "nothing" if self.loss == 0 else f"at most {_up(self.loss)} of privacy loss"
        decided = "" if self.crossing == 0 else (
            f", and decides a comparison of noise with probability at most {_up(self.crossing)}"
        )  # fmt: skip
        return f"for {what}, the rounding of floats before noise costs {lost}{decided}"


def float_bounds(program: dict[str, Any], claim: Any, neighbors: Any, kind: str) -> Bounds:
    """Return what rounding adds to a proof.

    What was found last is kept: the prover asks, and then the checker asks the same.

    Parameters
    ----------
    program : dict
        As a certificate holds it.
    claim : Claim
    neighbors : Neighbors
    kind : str
        Of the proof: a cost proof pays for noise where it is added, others keep it hidden.

    Raises
    ------
    Refused
        Where an obligation does not hold, or the analysis does not know.
    """
    global _last
    asked = _question(program, claim, neighbors, kind)
    last = _last
    if asked is not None and last is not None and last[0] == asked:
        return last[1]
    found = _found(program, claim, neighbors, kind)
    _last = (asked, found)
    return found


def _question(program: dict[str, Any], claim: Any, neighbors: Any, kind: str) -> Any:
    """Return what tells questions apart, None where an answer must not be used again.

    Equality takes 1, 1.0 and True for the same and a text leaves out fields, so both must agree.
    A certificate names files from the folder of its project.
    """
    if type(claim) not in _NUMBERS:
        return None
    try:
        parts = {name: part for name, part in program.items() if name != "sources"}
        text = _FOLDER.sub("", json.dumps(parts))
        asked = (text, type(claim), claim, repr(claim), neighbors, repr(neighbors))
        hash(asked)  # what holds arrays cannot be compared
    except (TypeError, ValueError):
        return None
    return *asked, kind


def _found(program: dict[str, Any], claim: Any, neighbors: Any, kind: str) -> Bounds:
    def grow(size: int) -> None:
        _run(program, neighbors, kind, size, {}, worst, done)
        _validate(worst, claim)

    worst, done = Ledger(), set[tuple[float, float]]()
    grow(RECORDS)
    size, loss, crossing = RECORDS, worst.loss, worst.crossing
    for candidate in (23, 26, 30, 36, 43, MOST):
        try:
            grow(candidate)
        except Refused:
            break
        size = candidate
    unbounded = is_unbounded(neighbors)
    return Bounds(_magnitude(size) if unbounded else size, loss, crossing, unbounded)


def _magnitude(size: int) -> int:
    """Return log2 of the magnitude of answers that goes with a number of records."""
    return size - RECORDS + ANSWERS


def _run(
    program: dict[str, Any], neighbors: Any, kind: str, size: int, symbols: dict[str, Num],
    worst: Ledger, done: set[tuple[float, float]],
) -> None:  # fmt: skip
    """Let `worst` be the most that the obligations come to up to 2^size.

    Numbers of records that are in `done` are not run again: what the mechanism gets is the same.
    """
    magnitude = 2.0 ** _magnitude(size)
    if is_unbounded(neighbors):
        done.clear()  # what it gets is larger now
    for fewest, most in sizes(neighbors, size, kind):
        if (fewest, most) in done:
            continue
        done.add((fewest, most))
        for data in cases(neighbors, most, magnitude, fewest):
            strict = kind in EXACT_KINDS
            ledger = Ledger(margin=worst.margin, strict=strict)
            interpreter = Interpreter(
                program, ledger, strict=strict, records=most, sized=is_sized(neighbors)
            )
            _left(interpreter.run(privately(data), symbols), program, ledger)
            if ledger.loss > worst.loss:
                worst.loss, worst.worst = ledger.loss, ledger.worst
            worst.crossing = max(worst.crossing, ledger.crossing)


def _validate(ledger: Ledger, claim: Any) -> None:
    """Raise where the obligations come to more than a claim leaves."""
    epsilon, delta = losses(claim)
    if ledger.loss * ledger.margin > SHARE * epsilon:
        raise Refused(
            f"rounding before noise is added may cost {_up(ledger.loss)} of privacy loss; at most "
            f"2^-10 of the claimed {epsilon:.4g} is allowed", ledger.worst,
        )  # fmt: skip
    if delta and ledger.crossing > delta / 100:
        raise Refused(
            f"rounding decides comparisons of noise with probability {_up(ledger.crossing)}, more "
            f"than a hundredth of delta", ledger.worst,
        )  # fmt: skip


def _left(result: Any, program: dict[str, Any], ledger: Ledger) -> None:
    """Charge what is left of the errors in the result."""
    if isinstance(result, Many):
        for item in result.items:
            _left(item, program, ledger)
        return
    if isinstance(result, Thing) and result.value == ("generator", None):
        raise Refused(
            "the output is a generator, which shows how often it was used",
            program["entry"]["place"],
        )
    number = flat(result)
    if isinstance(number, Unknown):
        raise Refused(number.why, program["entry"]["place"])
    ledger.settle(number, program["entry"]["place"])


def sizes(neighbors: Any, size: int, kind: str) -> list[tuple[float, float]]:
    """Return between how many records there are: cases that cover all numbers up to 2^size."""
    if isinstance(neighbors, ReplaceOne | ZeroOut):
        return [(float(neighbors.size), float(neighbors.size))]
    if not isinstance(neighbors, AddRemove | Around):
        return [(1.0, 1.0)]
    if kind == "exact" and isinstance(neighbors, AddRemove):  # dataset by dataset
        return [(float(n), float(n)) for n in range(neighbors.min_size, neighbors.max_size + 1)]
    few = [(float(n), float(n)) for n in range(9)]
    more = [(2.0**k, 2.0 ** (k + 1)) for k in range(3, size)]
    return [(low, high) for low, high in few + more if high >= min(neighbors.min_size, 2.0**size)]


def is_sized(neighbors: Any) -> bool:
    """Return whether all datasets have as many records."""
    return isinstance(neighbors, ReplaceOne | ZeroOut | QueryAnswers)


def losses(claim: Any) -> tuple[float, float]:
    """Return the loss to which rounding is compared, and the δ.

    2·error/b is the loss of Laplace noise, and the shift of Gaussian noise in its deviations: that
    is μ of Gaussian privacy, and √(2ρ) of concentrated privacy.
    """
    match claim:
        case PureDP():
            return float(claim.epsilon), 0.0
        case ApproxDP():
            return float(claim.epsilon) or 2.0**-10, float(claim.declared_delta)
        case GaussianDP():
            return float(claim.mu), 0.0
        case ZeroConcentratedDP():
            return math.sqrt(2 * float(claim.rho)), 0.0
        case RenyiDP():
            return math.sqrt(2 * float(claim.epsilon) / min(float(claim.order), 1e6)), 0.0
    try:
        steps = (2.0 ** (k / 4) for k in range(-40, 20))
        return next(e for e in steps if claim.delta(e) <= 2.0**-20), 0.0
    except (AttributeError, StopIteration, TypeError, ValueError):
        return 2.0**-10, 0.0  # a claim of another kind: the least that is usual


def range_of_parameters(
    program: dict[str, Any], claim: SymbolicClaim, neighbors: Any, kind: str
) -> tuple[float, float]:
    """Return between which values of the claim's parameters the obligations hold.

    They are checked at four values an octave, all parameters of the program at the same value (a
    `delta` at 2^-20), each with a quarter of what is allowed, since the bounds change by less than
    a factor 4 from one value to the next.

    Raises
    ------
    Refused
        Where they do not hold at all values from `LEAST` to `GREATEST`.
    """

    def holds(step: int) -> Refused | None:
        value = 2.0 ** (step / 4)
        symbols = {name: point(_value(name, value)) for name in program["symbolic"]}
        at = {name: _value(name, value) for name in claim.symbols}
        try:
            stated = claim.at(at)
        except (ValueError, ArithmeticError):
            return None  # there is no such claim
        worst = Ledger(margin=4.0)
        try:
            _run(program, neighbors, kind, RECORDS, symbols, worst, set())
            _validate(worst, stated)
        except Refused as refused:
            return Refused(f"at {value:.3g}: {refused.why}", refused.place)
        return None

    for step in range(4 * LEAST, 4 * GREATEST + 1):
        refused = holds(step)
        if refused is not None:
            raise refused
    low, high = 4 * LEAST, 4 * GREATEST
    while low > -80 and holds(low - 1) is None:
        low -= 1
    while high < 40 and holds(high + 1) is None:
        high += 1
    return 2.0 ** (low / 4), 2.0 ** (high / 4)


def _value(name: str, value: float) -> float:
    return 2.0**-20 if "delta" in name else value


def _up(value: float) -> str:
    """Return a number with three digits, rounded up."""
    if value <= 0 or not math.isfinite(value):
        return str(value)
    places = 2 - math.floor(math.log10(value))
    if places > 300:  # no float is the power of ten
        return "1e-298"
    digits = 10**places if places >= 0 else 10.0**places
    return f"{math.ceil(value * digits) / digits:.3g}"
