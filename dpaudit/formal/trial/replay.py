"""The real mechanism, run with numbers in place of noise: it must do what was predicted."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.clock import charge
from dpaudit.formal.lifting.draws import GENERATOR
from dpaudit.formal.limit import shielded
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.laws import Geometric, Uniform
from dpaudit.formal.trial.outputs import Release, predicted, single, structure
from dpaudit.formal.trial.path_choices import Interval, Oracle
from dpaudit.outputs.containers import attributes, dataclass_fields, namedtuple_fields
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, Runner, WorkerError
from dpaudit.worker.replayed import Call, Replayed, Tape, replayed

_TOLERANCE = 1e-7
_MOVES, _CLEAR = 400, 1e-3  # of values of noise, to where a path of comparisons is followed


def _numbers(result: Any, values: dict[Variable, float]) -> Any:
    if isinstance(result, Affine):
        number = result.at(values)
        return int(number) if result.integral else number
    if isinstance(result, np.ndarray) and result.dtype == object:
        flat = [_numbers(v, values) for v in result.ravel()]
        return np.array(flat).reshape(result.shape)
    return copy.copy(result)


Replay = Callable[[Any, Tape], Replayed]


def replay_of(subject: Subject, runner: Runner | None, seconds: float) -> Replay:
    """Return what runs the real code with a tape: the runner of an audit, or this process.

    Parameters
    ----------
    subject : Subject
    runner : Runner, optional
    seconds : float
        For one run in another process.
    """
    if runner is None or isinstance(runner, InPlace):

        def here(data: Any, tape: Tape) -> Replayed:
            with shielded():  # a context that is left half way would keep the streams
                return replayed(subject, data, tape)

        return here

    def apart(data: Any, tape: Tape) -> Replayed:
        try:
            with shielded():  # the runner holds locks, and has its own clock
                return runner.replay(data, tape, seconds)
        except WorkerError:  # it died, hung, or cannot be sent: nothing is confirmed
            return Replayed(departed=True)

    return apart


def agrees(subject: Subject, data: Any, release: Release, replay: Replay) -> bool:
    """Whether the real code puts out what the symbolic run says, for two settings of the noise."""
    for setting in (0.0, 0.37):
        values = _setting(release, setting)
        if values is None or not _agrees(subject, data, release, values, replay):
            return False
    return True


def first_run(data: Any, release: Release, replay: Replay) -> Replayed:
    """Return what the real code does with the noise of one outcome, which tells how it draws.

    It draws by other methods, or with other scales, than the symbolic run where one draw of a law
    stands for what the code has written itself.
    """
    values = _setting(release, 0.0)
    return Replayed() if values is None else _run(data, release, values, replay)


def _run(data: Any, release: Release, values: dict[Variable, float], replay: Replay) -> Replayed:
    charge(2000)
    draws = release.outcome.draws
    calls = [Call(d.family, d.arguments, _numbers(d.result, values)) for d in draws]
    return replay(data, Tape(tuple(calls), GENERATOR))


def _agrees(
    subject: Subject, data: Any, release: Release, values: dict[Variable, float], replay: Replay
) -> bool:
    outcome = release.outcome
    found = _run(data, release, values, replay)
    if found.departed:
        return False
    if found.raised is not None:
        return outcome.raised and found.raised == outcome.output
    if outcome.raised:
        return False
    rows: list[Affine] = []
    paths: list[str] = []
    try:
        output = single(found.output) if subject.vectorized else found.output
        shape = structure(_lowered(output), rows, paths, "")
    except NotAffine:
        return False
    if shape != release.shape:
        return False
    real = {path: float(row.constant) for path, row in zip(paths, rows, strict=True)}
    return all(
        math.isclose(real[path], wanted, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        for path, wanted in zip(release.paths, predicted(release, values), strict=True)
    )


def _lowered(output: Any) -> Any:
    """Return an output with dicts in the place of objects, as lifted programs have them."""
    fields = None
    if isinstance(output, tuple) and hasattr(output, "_fields"):
        fields = namedtuple_fields(output)
    elif dataclasses.is_dataclass(output) and not isinstance(output, type):
        fields = dataclass_fields(output)
    elif type(output) in (list, tuple):
        return type(output)(map(_lowered, output))
    elif type(output) is dict:
        fields = output
    elif type(type(output)) is type and not hasattr(output, "__array__"):
        fields = attributes(output)
    return {k: _lowered(v) for k, v in fields.items()} if fields else output


def _setting(release: Release, setting: float) -> dict[Variable, float] | None:
    """Return values of all draws under which the outcome's choices come out as they did."""
    oracle = release.outcome.oracle
    values: dict[Variable, float] = {}
    for variable in _variables(release.outcome.draws):
        value = _value(variable, oracle, setting)
        if value is None:
            return None
        values[variable] = value
    return _satisfying(oracle.constraints(), values) if oracle.positive else values


def _satisfying(
    positive: list[Affine], values: dict[Variable, float]
) -> dict[Variable, float] | None:
    """Return values near given ones at which all numbers are positive, None if none are found."""
    for _ in range(_MOVES):
        least = min(positive, key=lambda gap: gap.at(values))
        lack = _CLEAR - least.at(values)
        if lack <= 0:
            return values
        norm = float(sum(factor**2 for factor in least.terms.values()))
        for variable, factor in least.terms.items():
            values[variable] += float(factor) * (lack + _CLEAR) / norm
    return None


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
        low, high = interval.ends(law.low, law.high)
    share = Fraction(1, 2) + Fraction(setting) / 10
    if low is not None and high is not None:
        return float(low + (high - low) * share)
    if low is not None:
        return float(low + scale * share)
    if high is not None:
        return float(high - scale * share)
    return float(scale * Fraction(setting))
