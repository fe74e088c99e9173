"""Scales of noise: the line that forms one, or that turns it the wrong way."""

from __future__ import annotations

import ast

from dpaudit.trace.accumulators import named
from dpaudit.trace.definitions import Spot
from dpaudit.trace.noise_forms import (
    NOISE,
    factors,
    is_budget,
    is_computed,
    is_formula,
    names_in,
    operands,
    other_side,
    scale_in,
)
from dpaudit.trace.parts import is_reference, parameters
from dpaudit.trace.sampling import Noise, OfRelease

_DEEPEST = 8
_AT_LEAST = frozenset({"max", "maximum", "int", "float"})


class Scales(OfRelease):
    """What the scales of noise are computed from."""

    def left_out(self, line: int) -> int | None:
        """Return the line that forms a scale, where noise is left out if the scale is zero."""
        spot = self._code.spot(line)
        for node in ast.walk(spot.function) if spot is not None else ():
            match node:
                case ast.If(test=test, body=inside) | ast.IfExp(test=test, body=inside):
                    pass
                case _:
                    continue
            nodes = inside if isinstance(inside, list) else [inside]
            names = names_in(test)
            if test.lineno != line or len(names) != 1 or spot is None:
                continue
            scales = [
                scale for each in nodes for call in ast.walk(each)
                if isinstance(call, ast.Call) and (named(call.func) in NOISE)
                and (scale := scale_in(call)) is not None
            ]  # fmt: skip
            if scales and all(names[0] in names_in(scale) for scale in scales):
                formed = self._code.formed(spot, ast.parse(names[0], mode="eval").body)
                return None if formed is None else formed.lineno
        return None

    def turned(self, line: int) -> ast.expr | None:
        """Return what the scale of noise is, where that is a multiple of a budget.

        That of the noise on a line is meant, or else that of all noise.
        """
        drawn = [line] if line in self._sampling.drawn else self._sampling.drawn
        scales = [
            self._code.entered(value) for at in drawn for _, value in self._sampling.scales(at)
        ]
        return scales[0] if scales and all(map(_is_turned, scales)) else None

    def scaled(self, spot: Spot, noise: Noise, kind: str) -> int | None:
        """Return the line that forms a scale which a line only names, or makes of parameters."""
        if noise.scale is None:
            return None
        added = other_side(spot.statement, noise.call) is not None
        alone = getattr(spot.statement, "value", None) is noise.call
        given = not parameters(spot.function).isdisjoint(names_in(noise.scale))
        if given and not (added or alone):
            return None  # it is changed before it is added, which may be wrong
        formed = self._code.formed(spot, noise.scale)
        if formed is not None:
            return formed.lineno
        if kind == "DPA103":
            made = self._of_data(spot, noise.scale)
            if made is not None:
                return made
        names = operands(noise.scale)
        return self.asked(spot, names, computed=len(names) > 1) if added else None

    def _of_data(self, spot: Spot, scale: ast.expr) -> int | None:
        """Return the one line that forms parts of a scale which the data may have made."""
        formed = set(self._parts(spot, scale).values())
        return formed.pop() if len(formed) == 1 else None

    def used(self, spot: Spot) -> int | None:
        """Return the one line that forms parts of a scale which a line without noise uses too."""
        for line in self._sampling.drawn:
            at = self._code.spot(line)
            noise = self._sampling.noise(at) if at is not None else None
            if at is None or noise is None or noise.scale is None or at.function != spot.function:
                continue
            parts = self._parts(at, noise.scale)
            used = {parts[name] for name in names_in(spot.statement) if name in parts}
            if len(used) == 1 and min(used) < spot.line:
                return used.pop()
        return None

    def handed(self, spot: Spot) -> int | None:
        """Return the line that forms the one part of a scale that a helper is not told as it is.

        The helper computes the scale from its parameters, and of the others what forms them is
        public.
        """
        value = getattr(spot.statement, "value", None)
        names = names_in(value) if isinstance(value, ast.BinOp) else []
        own = parameters(spot.function)
        given = [name for name in names if not is_budget(ast.Name(name))]
        return self.asked(spot, given, computed=len(given) > 1) if set(names) <= own else None

    def _parts(self, spot: Spot, scale: ast.expr) -> dict[str, int]:
        """Return the lines that form the parts of a scale which the data may have made."""
        own = parameters(spot.function)
        names = [n for n in ast.walk(scale) if isinstance(n, ast.Name) and n.id not in own]
        private = {n.id: n for n in names if not (is_budget(n) or self._code.is_public(spot, n))}
        formed = {name: self._code.formed(spot, n) for name, n in private.items()}
        return {
            name: value.lineno for name, value in formed.items()
            if value is not None and not _is_of_budget(value) and not _is_size(value)
        }  # fmt: skip

    def asked(self, spot: Spot, names: list[str], *, computed: bool = False) -> int | None:
        """Return the line that forms parameters of a helper, or that computes one, if wanted."""
        if not names or not set(names) <= parameters(spot.function):
            return None
        found = [each for name in names for each in self._code.handed(spot.function, name)]
        made = [each for each in found if not isinstance(each, ast.Constant | ast.Name)]
        lines = {each.lineno for each in (made if made or computed else found)}
        return lines.pop() if len(lines) == 1 else None

    def stated(self) -> int | None:
        """Return the line that computes the sensitivity for which all noise is made."""
        found = {
            self._computed(*each)
            for line in self._sampling.drawn
            for each in self._sampling.scales(line)
        }
        return found.pop() if len(found) == 1 else None

    def _computed(self, spot: Spot, scale: ast.expr) -> int | None:
        """Return the line that computes what a scale divides by a budget.

        None where that is a number which is written or handed over: it says how far the argument
        may move, and what moves further is the cause. One that is computed is the step that fails.
        """
        divided = 1  # by the budget
        for followed in range(_DEEPEST):
            value = self._code.entered(scale)
            spot = self._code.spot(value.lineno) or spot
            above, below = factors(value)
            below = [each for each in below if not is_formula(each)]
            above = [each for each in above if not is_formula(each)]
            if followed and (len(above) > 1 or len(below) > divided):
                return value.lineno
            if len(above) != 1:
                return None
            [factor] = above
            if not is_reference(factor):
                return factor.lineno if is_computed(factor) else None
            divided = max(divided - len(below), 0)
            formed = self._code.formed(spot, factor)
            if formed is None:
                return None
            scale = formed
        return None

    def computed_there(self, spot: Spot) -> int | None:
        """Return the line of a function that computes a chance or a scale of what is public.

        What divides a parameter by a budget is right for it.
        """
        match spot.statement:
            case ast.Assign(value=ast.Call(args=given, keywords=[]) as call) if all(
                is_budget(e) or ast.unparse(e) == "delta" or self._code.is_public(spot, e)
                for e in given
            ):
                function = self._code.called(call)
                value = None if function is None else self._code.returned(function)
                above, below = ([], []) if value is None else factors(value)
                right = len(above) == len(below) == 1 and is_reference(above[0])
                return None if value is None or right else value.lineno
        return None


def _is_size(value: ast.expr) -> bool:
    """Whether an expression is a number of records, which is no mistake by itself."""
    match value:
        case ast.Call(func=ast.Name(id="len")) | ast.Attribute(attr="size"):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=function, args=given) if named(function) in _AT_LEAST:
            return any(map(_is_size, given))
    return False


def _is_of_budget(value: ast.expr) -> bool:
    """Whether an expression is made of budgets and numbers alone."""
    names = names_in(value)
    computed = any(isinstance(node, ast.Call) for node in ast.walk(value))
    budgets = (is_budget(ast.parse(name, mode="eval").body) for name in names)
    return bool(names) and not computed and all(budgets)


def _is_turned(scale: ast.expr) -> bool:
    """Whether a scale is a multiple of a budget, and is divided by none."""
    above, below = factors(scale)
    divides = any(is_budget(node) for each in below for node in ast.walk(each))
    return any(map(is_budget, above)) and not divides
