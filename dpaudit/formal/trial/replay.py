"""The real mechanism, run with numbers in place of noise: it must do what was predicted."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.lifting.draws import GENERATOR
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.laws import Geometric, Uniform
from dpaudit.formal.trial.oracle import Interval, Oracle
from dpaudit.formal.trial.outputs import Release, _shape, predicted, single
from dpaudit.subject import Subject

_TOLERANCE = 1e-7


class Departed(Exception):  # noqa: N818
    """The real run asked for other noise than the symbolic one."""


class FrozenGenerator:
    """Answers every draw with numbers that were chosen before, and checks what is asked for."""

    def __init__(self, draws: tuple[Drawn, ...], values: dict[Variable, float]) -> None:
        self._left = iter(draws)
        self._values = values

    def __getattr__(self, family: str) -> Any:
        if family not in GENERATOR:
            raise AttributeError(family)

        def method(*arguments: Any, **keywords: Any) -> Any:
            given = dict(zip(GENERATOR[family], arguments, strict=False)) | keywords
            expected = next(self._left, None)
            if expected is None or expected.family != family:
                raise Departed(f"a draw of {family!r} that was not predicted")
            for name in set(given) | set(expected.arguments):
                if not _alike(given.get(name), expected.arguments.get(name)):
                    raise Departed(f"another {name} of {family!r}")
            return _numbers(expected.result, self._values)

        return method

    def finished(self) -> bool:
        """Whether all predicted draws were made."""
        return next(self._left, None) is None


def _alike(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    try:
        return bool(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(a, b))


def _numbers(result: Any, values: dict[Variable, float]) -> Any:
    if isinstance(result, Affine):
        number = result.at(values)
        return int(number) if result.integral else number
    if isinstance(result, np.ndarray) and result.dtype == object:
        flat = [_numbers(v, values) for v in result.ravel()]
        return np.array(flat).reshape(result.shape)
    return copy.copy(result)


def agrees(subject: Subject, data: Any, release: Release) -> bool:
    """Whether the real code puts out what the symbolic run says, for two settings of the noise."""
    for setting in (0.0, 0.37):
        values = _setting(release, setting)
        if values is None or not _agrees(subject, data, release, values):
            return False
    return True


def _agrees(subject: Subject, data: Any, release: Release, values: dict[Variable, float]) -> bool:
    outcome = release.outcome
    frozen = FrozenGenerator(outcome.draws, values)
    arguments: tuple[Any, ...] = (copy.deepcopy(data),)
    arguments += (1,) if subject.vectorized else ()
    arguments += (frozen,) if subject.takes_rng else ()
    try:
        output = subject.function(*arguments)
    except Departed:
        return False
    except Exception as error:
        return outcome.raised and type(error).__name__ == outcome.output
    if outcome.raised or not frozen.finished():
        return False
    rows: list[Affine] = []
    try:
        shape = _shape(single(output) if subject.vectorized else output, rows, [], "")
    except NotAffine:
        return False
    real = [float(row.constant) for row in rows]
    wanted = predicted(release, values)
    return shape == release.shape and all(
        math.isclose(a, b, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        for a, b in zip(real, wanted, strict=True)
    )


def _setting(release: Release, setting: float) -> dict[Variable, float] | None:
    """Return values of all draws under which the outcome's choices come out as they did."""
    oracle = release.outcome.oracle
    values: dict[Variable, float] = {}
    for variable in _variables(release.outcome.draws):
        value = _value(variable, oracle, setting)
        if value is None:
            return None
        values[variable] = value
    return values


def _variables(draws: tuple[Drawn, ...]) -> Iterator[Variable]:
    for drawn in draws:
        results = drawn.result.ravel() if isinstance(drawn.result, np.ndarray) else [drawn.result]
        for result in results:
            if isinstance(result, Affine):
                yield from result.terms


def _value(variable: Variable, oracle: Oracle, setting: float) -> float | None:
    if variable in oracle.forced:
        return oracle.forced[variable]
    law, interval = variable.law, oracle.intervals.get(variable, Interval())
    if isinstance(law, Geometric):
        value: float = 1 + round(3 * setting)
        return value if interval == Interval() else None
    low, high = interval.low, interval.high
    scale = Fraction(getattr(law, "scale", 1))
    if isinstance(law, Uniform):
        low = law.low if low is None else max(low, law.low)
        high = law.high if high is None else min(high, law.high)
    share = Fraction(1, 2) + Fraction(setting) / 10
    if low is not None and high is not None:
        return float(low + (high - low) * share)
    if low is not None:
        return float(low + scale * share)
    if high is not None:
        return float(high - scale * share)
    return float(scale * Fraction(setting))
