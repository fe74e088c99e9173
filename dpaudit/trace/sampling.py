"""Sampling of noise: the calls that draw it, and helpers that only draw what they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dpaudit.trace.accumulators import named
from dpaudit.trace.definitions import Code, Spot
from dpaudit.trace.noise_forms import NOISE, RATES, is_right, names_in, scale_in
from dpaudit.trace.parts import parameters


@dataclass(frozen=True, slots=True)
class Noise:
    """A call that makes noise on a line: a draw, or one of the helper that draws it."""

    call: ast.Call
    scale: ast.expr | None
    rate: bool


class Sampling:
    """The noise of a release.

    Parameters
    ----------
    code : Code
    drawn : list of int
        The lines that draw it.
    """

    def __init__(self, code: Code, drawn: list[int]) -> None:
        self._code = code
        self.drawn = drawn

    def scales(self, line: int) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what forms the scales of noise that is drawn on a line, or given to its sampler."""
        spot = self._code.spot(line)
        noises = list(self.noises(spot)) if spot is not None else []
        if spot is not None and noises and self.samples(spot) and _is_width(noises[0]):
            yield from (
                (self._code.spot(given.lineno) or spot, given)
                for given in self._code.handed(spot.function, parameters_in(spot)[0])
            )
        elif spot is not None:
            for noise in noises:
                if noise.scale is not None and not noise.rate:
                    yield self._code.spotted(spot, noise.scale)

    def samples(self, spot: Spot) -> bool:
        """Whether a line returns noise of a parameter of its function, and nothing else."""
        match spot.statement:
            case ast.Return(value=ast.BinOp(left=ast.Name(id=sign), op=ast.Mult()) as value):
                signs = [v for _, v in self._code.assigned(spot, sign, spot.statement)]
                drawn = any(isinstance(n, ast.Call) for v in signs for n in ast.walk(v))
            case ast.Return(value=ast.expr() as value):
                drawn = True
            case _:
                return False
        if spot.line not in self.drawn and not any(True for _ in self.noises(spot)):
            return False
        used = parameters_in(spot)
        return drawn and len(used) == 1 and is_right(value, used[0])

    def draws_in(self, function: ast.FunctionDef) -> bool:
        """Whether a function draws noise of the release, or calls what draws noise of a scale."""
        last = function.end_lineno or 0
        drawn = any(function.lineno <= line <= last for line in self.drawn)
        calls = (n for n in ast.walk(function) if isinstance(n, ast.Call))
        return drawn or any(named(call.func) in NOISE for call in calls)

    def noise(self, spot: Spot) -> Noise | None:
        """Return the noise of a line; None where there are several of different scales."""
        noises = list(self.noises(spot))
        on_line = [n for n in noises if n.call.lineno <= spot.line <= (n.call.end_lineno or 0)]
        noises = on_line or noises
        scales = {None if n.scale is None else ast.unparse(n.scale) for n in noises}
        return noises[0] if len(scales) == 1 else None

    def noises(self, spot: Spot) -> Iterator[Noise]:
        """Yield the calls of a statement that make noise which the release is about."""
        own = any(
            line in range(spot.statement.lineno, (spot.statement.end_lineno or 0) + 1)
            for line in self.drawn
        )
        for call in ast.walk(spot.statement):
            if not isinstance(call, ast.Call):
                continue
            name = named(call.func)
            if own and name in NOISE:
                yield Noise(call, scale_in(call), name in RATES)
                continue
            helper = self._code.called(call)
            inside = None if helper is None or helper is spot.function else self._sampling(helper)
            if helper is not None and inside is not None:
                [used] = parameters_in(inside)
                yield Noise(call, self._code.argument(helper, call, used), rate=False)

    def _sampling(self, helper: ast.FunctionDef) -> Spot | None:
        """Return the statement of a helper that samples, if it is one."""
        spot = self._code.spot(helper.body[-1].lineno)
        drawn = spot is not None and spot.line in self.drawn
        return spot if spot is not None and drawn and self.samples(spot) else None


class OfRelease:
    """What is read from the code of a release, beside the noise of it.

    Parameters
    ----------
    code : Code
    sampling : Sampling
    """

    def __init__(self, code: Code, sampling: Sampling) -> None:
        self._code = code
        self._sampling = sampling


def parameters_in(spot: Spot) -> list[str]:
    """Return the parameters of its function that a statement computes with, each once."""
    own = parameters(spot.function)
    return [name for name in names_in(spot.statement) if name in own]


def _is_width(noise: Noise) -> bool:
    """Whether a draw is given a scale, or one over it as a rate."""
    return noise.rate == isinstance(noise.scale, ast.BinOp)
