"""Overspending: the line at which several releases are each given the whole budget."""

from __future__ import annotations

import ast

from dpaudit.trace.accumulators import named
from dpaudit.trace.definitions import Spot
from dpaudit.trace.noise_forms import is_budget, names_in, other_side, sums
from dpaudit.trace.parts import around, parameters
from dpaudit.trace.sampling import OfRelease


class Overspending(OfRelease):
    """What gives the releases of a mechanism their budget."""

    def formed(self, spot: Spot) -> int | None:
        """Return the line that gives releases their budget, for one that draws the noise of each.

        Parameters
        ----------
        spot : Spot

        Notes
        -----
        What books a budget wrongly comes first: a test that leaves out the price, or the largest
        price in place of the sum. In a loop it forms the scale. Where a function hands its own
        budget to several that draw noise, it is the call of the one that the line is in.
        """
        misbooked = self._misbooked(spot)
        if misbooked is not None:
            return misbooked
        noise = self._sampling.noise(spot)
        if noise is None or noise.scale is None:
            return None
        looped = any(isinstance(n, ast.For) for n in around(spot.function, spot.statement))
        looped |= any(
            isinstance(n, ast.ListComp | ast.DictComp) and noise.call in ast.walk(n)
            for n in ast.walk(spot.statement)
        )
        if looped and isinstance(noise.scale, ast.Name):
            found = next(self._code.assigned(spot, noise.scale.id, spot.statement), None)
            return None if found is None else found[1].lineno
        budgets = [n for n in names_in(noise.scale) if is_budget(ast.Name(n))]
        if looped or len(budgets) != 1 or budgets[0] not in parameters(spot.function):
            return None
        return self._handed_to_several(spot.function, budgets[0])

    def _misbooked(self, spot: Spot) -> int | None:
        """Return the test of a sum that is spent which comes too early, or what adds no price."""
        calls = [n for n in ast.walk(spot.function) if isinstance(n, ast.Call)]
        called = [self._code.called(call) or self._code.held(call) for call in calls]
        for function in (spot.function, *called):
            line = None if function is None else _tested_late(function) or _replaced(function)
            if line is not None:
                return line
        return None

    def _handed_to_several(self, function: ast.FunctionDef, budget: str) -> int | None:
        calls = list(self._code.calls(function))
        if len(calls) != 1:
            return None
        [(home, call)] = calls
        given = self._code.argument(function, call, budget)
        if not isinstance(given, ast.Name) or given.id not in parameters(home.function):
            return None
        others = (n for n in ast.walk(home.function) if isinstance(n, ast.Call) and n is not call)
        repeated = any(isinstance(n, ast.For) for n in around(home.function, home.statement))
        shared = any(
            helper is not function and self._sampling.draws_in(helper)
            and any(isinstance(a, ast.Name) and a.id == given.id for a in n.args)
            for n in others if (helper := self._code.called(n)) is not None
        )  # fmt: skip
        return call.lineno if repeated or shared else None

    def entry_of_sum(self, line: int) -> int | None:
        """Return the line that adds up a vector, to whose entries a line in a loop adds noise.

        Its entries are one release.

        Parameters
        ----------
        line : int
        """
        spot = self._code.spot(line)
        noise = self._sampling.noise(spot) if spot is not None else None
        if spot is None or noise is None:
            return None
        match other_side(spot.statement, noise.call):
            case ast.Subscript(value=ast.Name() as vector, slice=ast.Name(id=at)):
                loops = [n for n in around(spot.function, spot.statement) if isinstance(n, ast.For)]
                if len(loops) != 1 or not isinstance(loops[0].target, ast.Name):
                    return None
                first, formed = loops[0].lineno, self._code.formed(spot, vector)
                own = loops[0].target.id == at and formed is not None and formed.lineno < first
                return formed.lineno if own and formed is not None and sums(formed) else None
        return None


def _tests(function: ast.FunctionDef) -> list[ast.If]:
    """Return the tests of a function that raise."""
    return [
        node for node in ast.walk(function)
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)
    ]  # fmt: skip


def _tested_late(function: ast.FunctionDef) -> int | None:
    """Return the test of a sum that is spent, without the price which is then added to it."""
    nodes = ast.walk(function)
    booked = [n for n in nodes if isinstance(n, ast.AugAssign) and names_in(n.value)]
    for node in _tests(function):
        read = set(names_in(node.test))
        for each in booked:
            after = each.lineno > node.lineno and ast.unparse(each.target) in read
            if after and read.isdisjoint(names_in(each.value)):
                return node.test.lineno
    return None


def _replaced(function: ast.FunctionDef) -> int | None:
    """Return the line that books the largest or the last price, where a test reads the sum."""
    read = {name for node in _tests(function) for name in names_in(node.test)}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = ast.unparse(node.targets[0]), node.value
        if target not in read or isinstance(node.targets[0], ast.Name):
            continue
        largest = isinstance(value, ast.Call) and named(value.func) in ("max", "maximum")
        priced = not parameters(function).isdisjoint(names_in(value))
        if priced and (isinstance(value, ast.Name) or (largest and target in names_in(value))):
            return node.lineno
    return None
