"""Arguments of noise: the line that forms one, limits it or picks its records."""

from __future__ import annotations

import ast

from dpaudit.trace.definitions import Spot
from dpaudit.trace.forms import limits
from dpaudit.trace.noise_forms import SUMS, limited_in, other_side, picks, summand_of, sums
from dpaudit.trace.parts import is_reference
from dpaudit.trace.sampling import Noise, OfRelease, parameters_in


class Arguments(OfRelease):
    """What noise is added to, and what that is computed from."""

    def limited(self, line: int) -> int | None:
        """Return the line that limits the sum of records to which a line adds noise, if one does.

        The limit stands in the same function as the sum.
        """
        spot = self._code.spot(line)
        noise = self._sampling.noise(spot) if spot is not None else None
        if spot is None or noise is None:
            return None
        hidden = other_side(spot.statement, noise.call)
        name = hidden.id if isinstance(hidden, ast.Name) else ""
        for home, value in self._code.assigned(spot, name, spot.statement) if name else ():
            inner = limited_in(value)
            if inner is None:
                return None
            if sums(inner):
                return value.lineno
            if isinstance(inner, ast.Name):
                below = next(self._code.assigned(home, inner.id, home.statement), None)
                return value.lineno if below is not None and sums(below[1]) else None
            return None
        return None

    def divided(self, spot: Spot, noise: Noise) -> int | None:
        """Return the line that divides, where a line only adds up what nothing bounds."""
        match other_side(spot.statement, noise.call):
            case (
                ast.Call(func=ast.Attribute(value=ast.Name() as summed, attr=name), args=[])
                | ast.Call(func=ast.Name(id=name), args=[ast.Name() as summed])
            ) if name in SUMS:
                formed = self._code.formed(spot, summed)
                divides = formed is not None and any(
                    isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
                    for node in ast.walk(formed)
                )
                return formed.lineno if formed is not None and divides else None
        return None

    def hidden(self, spot: Spot, noise: Noise) -> int | None:
        """Return the line that forms what noise is added to, where that has a name."""
        other = other_side(spot.statement, noise.call)
        if other is None or not is_reference(other):
            return None
        formed = self._code.formed(spot, other, before=spot.statement)
        return None if formed is None else formed.lineno

    def handed_on(self, spot: Spot) -> int | None:
        """Return the line that forms what a line gives another name, or other labels."""
        match spot.statement:
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) if is_reference(
                value
            ):
                formed = self._code.formed(spot, value)
                return None if formed is None else formed.lineno
        return None

    def gathered(self, spot: Spot, rows: int) -> int | None:
        """Return the line of a function that limits what a line adds up, one of each neighbor."""
        summand = summand_of(spot.statement) if rows == 1 else None
        function = self._code.called(summand) if isinstance(summand, ast.Call) else None
        last = function.body[-1] if function is not None else None
        if isinstance(last, ast.Return) and limits(ast.unparse(last)):
            return last.lineno
        return None

    def limited_there(self, spot: Spot) -> int | None:
        """Return the line that gives a sum or a mean to the function that limits it."""
        match spot.statement:
            case ast.Return(value=ast.Call() as value) if limits(ast.unparse(value)):
                names = parameters_in(spot)
            case _:
                return None
        for home, call in self._code.calls(spot.function):
            for name in names:
                given = self._code.argument(spot.function, call, name)
                if given is not None and sums(given) and not self._sampling.noise(home):
                    return call.lineno
        return None

    def summed(self, spot: Spot) -> int | None:
        """Return the line that limits each entry of the rows which a line adds up."""
        match spot.statement:
            case ast.Assign(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as rows), keywords=[axis])
            ) if sums(spot.statement.value) and axis.arg == "axis":
                formed = self._code.formed(spot, rows)
                inner = None if formed is None else limited_in(formed)
                return formed.lineno if formed is not None and inner is not None else None
        return None

    def picked(self, spot: Spot) -> int | None:
        """Return the line that picks the records with which a line computes."""
        for node in ast.walk(spot.statement):
            formed = self._code.formed(spot, node) if isinstance(node, ast.Name) else None
            picked = None if formed is None else self._code.entered(formed)
            if picked is not None and picks(picked):
                return picked.lineno
        return None
