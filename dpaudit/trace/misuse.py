"""Misuse of noise that its own lines show: a scale as its location, noise that is cut towards 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpaudit.trace.accumulators import named
from dpaudit.trace.definitions import Spot
from dpaudit.trace.noise_forms import is_budget, names_in
from dpaudit.trace.sampling import OfRelease

_LOCATED = frozenset({"laplace", "normal", "gumbel", "logistic"})
_TWO_SIDED = frozenset({"laplace", "normal", "gauss", "normalvariate", "logistic",
                        "standard_normal", "randn"})  # fmt: skip
_ONE_SIDED = frozenset({"exponential", "expovariate", "standard_exponential", "random", "rand",
                        "random_sample", "uniform"})  # fmt: skip
_SIGNS = frozenset({"sign", "copysign"})
_SAME = frozenset({"log", "log1p", "sqrt", "exp", "abs", "fabs", "float", "asarray", "array"})
_CUTS = frozenset({"int", "trunc", "fix"})
_SCALES = re.compile(r"scale|sigma|lambda|lambd|std|width|sensitivity", re.I)
_DEEPEST = 8


class Misuse(OfRelease):
    """What is done to the noise of a release that no scale makes up for."""

    def line(self) -> int | None:
        """Return the first line that misuses the noise; None where there is none."""
        spots = filter(None, map(self._code.spot, dict.fromkeys(self._sampling.drawn)))
        return next((line for spot in spots for line in self._lines(spot)), None)

    def _lines(self, spot: Spot) -> Iterator[int]:
        for noise in self._sampling.noises(spot):
            center = _only_location(noise.call)
            if center is not None and self._is_scale(spot, center):
                yield noise.call.lineno
        around = [home for home, _ in self._code.calls(spot.function)]
        for home in (spot, *around):
            for node in ast.walk(home.function):
                cut = _cut(node)
                inside = None if cut is None else self._code.spot(cut.lineno)
                if cut is not None and inside is not None and self._sides(inside, cut) == 2:
                    yield cut.lineno

    def _is_scale(self, spot: Spot, center: ast.expr) -> bool:
        """Whether a location is made of a budget, or is named as a scale."""
        home, formed = self._code.spotted(spot, center)
        nodes = [n for each in (center, formed) for n in ast.walk(each)]
        if any(is_budget(n) for n in nodes if isinstance(n, ast.Name | ast.Attribute)):
            return True
        named_so = any(_SCALES.search(name) for name in names_in(center))
        return named_so and self._sides(home, formed) == 0

    def _sides(self, spot: Spot, value: ast.expr, depth: int = 0) -> int | None:
        """Return how many signs noise may have; 0 for what is no noise, None for a noisy answer."""
        if depth > _DEEPEST:
            return None
        match value:
            case ast.Call():
                return self._of_call(spot, value, depth)
            case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
                return self._sides(spot, inner, depth)
            case ast.BinOp(left=left, right=right):
                both = [self._sides(spot, each, depth) for each in (left, right)]
                adds = isinstance(value.op, ast.Add | ast.Sub)
                if adds and all(both):
                    return 2
                shifted = adds and any(both) and not _is_number(right if both[0] else left)
                return None if shifted else _most(both)
            case ast.IfExp(body=body, orelse=orelse):
                return self._alternatives(spot, [body, orelse], depth)
            case ast.Name(id=name):
                set_to = [v for _, v in self._code.assigned(spot, name, spot.statement)]
                return self._alternatives(spot, set_to, depth)
        return 0

    def _alternatives(self, spot: Spot, values: list[ast.expr], depth: int) -> int | None:
        found = [self._sides(self._code.spot(v.lineno) or spot, v, depth + 1) for v in values]
        both_signs = len({_is_negated(each) for each in values}) == 2
        return 2 if both_signs and _most(found) else _most(found)

    def _of_call(self, spot: Spot, call: ast.Call, depth: int) -> int | None:
        name = named(call.func)
        if name in _TWO_SIDED:
            located = len(call.args) > 1 and not _is_number(call.args[0])
            return None if located else 2
        if name == "rvs":
            return 2 if {"laplace", "norm"} & set(ast.unparse(call.func).split(".")) else None
        if name in _SIGNS or (name == "choice" and _are_signs(call)):
            return 2
        if name in _ONE_SIDED:
            return 1
        if name in _SAME:
            return _most([self._sides(spot, each, depth) for each in call.args])
        entered = self._code.entered(call)
        inside = None if entered is call else self._code.spot(entered.lineno)
        return None if inside is None else self._sides(inside, entered, depth + 1)


def _most(sides: list[int | None]) -> int | None:
    known = [each for each in sides if each is not None]
    return max(known, default=0) if len(known) == len(sides) else None


def _only_location(call: ast.Call) -> ast.expr | None:
    """Return the location that a draw is given without a scale."""
    if named(call.func) not in _LOCATED or any(k.arg in (None, "scale") for k in call.keywords):
        return None
    located = [*call.args, *(k.value for k in call.keywords if k.arg == "loc")]
    return located[0] if len(located) == 1 else None


def _cut(node: ast.AST) -> ast.expr | None:
    """Return what an expression cuts towards 0."""
    match node:
        case ast.Call(func=function, args=[inner], keywords=[]) if named(function) in _CUTS:
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="astype"), args=[ast.Name(id="int")]):
            return inner
    return None


def _are_signs(call: ast.Call) -> bool:
    """Whether what a call chooses from is written out, with a sign on one of two."""
    match call.args[:1]:
        case [ast.List(elts=[_, _] as signs) | ast.Tuple(elts=[_, _] as signs)]:
            return len({_is_negated(each) for each in signs}) == 2
    return False


def _is_number(value: ast.expr) -> bool:
    bare = value.operand if isinstance(value, ast.UnaryOp) else value
    return isinstance(bare, ast.Constant)


def _is_negated(value: ast.expr) -> bool:
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div):
        value = value.left
    return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub)
