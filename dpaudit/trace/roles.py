"""The line of a cause by the role of lines: what forms nothing itself gives way to what does.

A refutation is of one release: a value is hidden by noise, whose scale is computed. A line has one
of these roles in it.

- It *begins* an accumulator, as ``counts = np.zeros(3)``: what fills that forms the value.
- It *samples*: a helper that draws noise and is right for its parameter. What gives it the
  parameter forms the scale.
- It *adds* noise to what has a name. That is formed where the name is set.
- It *gathers* what a function gives for each record: that function forms it.
- It *forms* a value: this is the cause.

Values are followed back through variables, attributes, entries, properties and parameters, to the
statement that computes them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace

from dpaudit.evidence import Finding
from dpaudit.trace.accumulators import named
from dpaudit.trace.definitions import Code, Spot, code_of, is_reference, parameters
from dpaudit.trace.forms import limits
from dpaudit.trace.noise_forms import (
    NOISE,
    RATES,
    SUMS,
    factors,
    is_budget,
    is_right,
    limited_in,
    names_in,
    operands,
    other_side,
    scale_in,
    summand_of,
    sums,
)

_OF_SCALES = ("DPA103", "DPA106")
_HIDDEN_BADLY = ("DPA103", "DPA104", "DPA105", "DPA106", "DPA107")
_TOO_LITTLE = ("DPA105", "DPA106", "DPA107")
_STATED = ("sens", "delta_f")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class _Noise:
    """A call that makes noise on a line: a draw, or one of the helper that draws it."""

    call: ast.Call
    scale: ast.expr | None
    rate: bool


def by_role(
    finding: Finding, *, rows: int = 1, ran: Callable[[], Set[tuple[str, int]]] = frozenset
) -> Finding:
    """Return a refutation with the line that forms what is wrong, for one that forms nothing.

    Parameters
    ----------
    finding : Finding
    rows : int
        How many rows neighbors differ in: what each of them adds may then be right by itself.
    ran : callable
        Returns the files and lines that a run comes to; all may be if there are none.

    Notes
    -----
    Where the scale divides a budget by something else, it is wrong whatever it was added to
    (DPA106). Where the sum of records is limited, and not what each adds, the scale is right for
    what it was thought to be (DPA105).
    """
    if finding.line is None or code_of(finding.file) is None:
        return finding
    code = code_of(finding.file, {line for file, line in ran() if file == finding.file})
    assert code is not None
    drawn = [
        line for file, line, what in finding.related
        if what.endswith("noise") and file == finding.file
    ]  # fmt: skip
    release = _Release(code, drawn)
    line, kind = release.side(finding.line, finding.id)
    for _ in range(_DEEPEST):
        further = release.further(line, kind, rows)
        if further in (None, line):
            break
        line = further
    if (line, kind) == (finding.line, finding.id):
        return finding
    also = dict.fromkeys(id for id in (finding.id, *finding.also) if id != kind)
    return replace(finding, id=kind, line=line, also=tuple(also))


class _Release:
    """What hides a value in a file, from the lines that draw it."""

    def __init__(self, code: Code, drawn: list[int]) -> None:
        self._code = code
        self._drawn = drawn

    def side(self, line: int, kind: str) -> tuple[int, str]:
        """Return a line and its kind, those of the side that is wrong where one surely is."""
        if kind not in ("DPA105", "DPA106"):
            return line, kind
        turned, limited = self._turned(), self._limited(line)
        if turned is not None:
            return turned.lineno, "DPA106"
        stated = self._stated() if kind == "DPA105" and limited is None else limited
        return (line, kind) if stated is None else (stated, "DPA105")

    def further(self, line: int, kind: str, rows: int) -> int | None:
        """Return the line that forms what a line uses, None where it forms that itself."""
        spot = self._code.spot(line)
        if spot is None:
            return None
        filler = self._code.filler(spot)
        if filler is not None:
            return filler.lineno
        if kind in _TOO_LITTLE and self.samples(spot):
            return self._asked(spot, _parameters_in(spot))
        noises = list(self._noises(spot)) if kind in _HIDDEN_BADLY else []
        if noises and kind in _OF_SCALES:
            return self._scaled(spot, noises[0])
        if noises and kind == "DPA105":
            return self._hidden(spot, noises[0])
        if noises and kind == "DPA104":
            return self._divided(spot, noises[0])
        if kind == "DPA105":
            return self._gathered(spot, rows) or self._handed_on(spot)
        return None

    def _scaled(self, spot: Spot, noise: _Noise) -> int | None:
        """Return the line that forms a scale which a line only names, or makes of parameters."""
        if noise.scale is None:
            return None
        formed = self._code.formed(spot, noise.scale)
        if formed is not None:
            return formed.lineno
        if other_side(spot.statement, noise.call) is None:
            return None  # it is changed before it is added, which may be wrong
        names = operands(noise.scale)
        return self._asked(spot, names, computed=len(names) > 1)

    def _asked(self, spot: Spot, names: list[str], *, computed: bool = False) -> int | None:
        """Return the line that forms parameters of a helper, or that computes one, if wanted."""
        if not names or not set(names) <= parameters(spot.function):
            return None
        found = [each for name in names for each in self._code.handed(spot.function, name)]
        made = [each for each in found if not isinstance(each, ast.Constant | ast.Name)]
        lines = {each.lineno for each in (made if made or computed else found)}
        return lines.pop() if len(lines) == 1 else None

    def _limited(self, line: int) -> int | None:
        """Return the line that limits the sum of records to which a line adds noise, if one does.

        The limit stands in the same function as the sum.
        """
        spot = self._code.spot(line)
        noise = next(self._noises(spot), None) if spot is not None else None
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

    def _divided(self, spot: Spot, noise: _Noise) -> int | None:
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

    def _handed_on(self, spot: Spot) -> int | None:
        """Return the line that forms what a line gives another name, or other labels."""
        match spot.statement:
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) if is_reference(
                value
            ):
                formed = self._code.formed(spot, value)
                return None if formed is None else formed.lineno
        return None

    def _turned(self) -> ast.expr | None:
        """Return what the scale of noise is, where that is a multiple of a budget."""
        for line in self._drawn:
            spot = self._code.spot(line)
            for home, scale in self._scales(spot) if spot is not None else ():
                formed = self._code.entered(self._code.formed(home, scale) or scale)
                above, below = factors(formed)
                if any(map(is_budget, above)) and not any(
                    is_budget(node) for each in below for node in ast.walk(each)
                ):
                    return formed
        return None

    def _scales(self, spot: Spot) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield the scales of noise that is drawn on a line, those that a sampler is given."""
        noises = list(self._noises(spot))
        if noises and self.samples(spot) and _is_width(noises[0]):
            for given in self._code.handed(spot.function, _parameters_in(spot)[0]):
                yield spot, given
        else:
            yield from ((spot, n.scale) for n in noises if n.scale is not None and not n.rate)

    def _stated(self) -> int | None:
        """Return the line that computes the sensitivity which it hands to a function."""
        found = {
            each.lineno
            for function, name in self._code.parameters_like(_STATED)
            for each in self._code.handed(function, name)
            if isinstance(each, ast.BinOp) and len(names_in(each)) > 1
        }
        return found.pop() if len(found) == 1 else None

    def samples(self, spot: Spot) -> bool:
        """Whether a line returns noise of a parameter of its function, and nothing else."""
        statement = spot.statement
        if not isinstance(statement, ast.Return) or statement.value is None:
            return False
        if spot.line not in self._drawn and not any(True for _ in self._noises(spot)):
            return False
        used = _parameters_in(spot)
        return len(used) == 1 and is_right(statement.value, used[0])

    def _noises(self, spot: Spot) -> Iterator[_Noise]:
        """Yield the calls of a line that make noise which the release is about."""
        own = self._drawn and any(
            line in range(spot.statement.lineno, (spot.statement.end_lineno or 0) + 1)
            for line in self._drawn
        )
        for call in ast.walk(spot.statement):
            if not isinstance(call, ast.Call):
                continue
            name = named(call.func)
            if own and name in NOISE:
                yield _Noise(call, scale_in(call), name in RATES)
            helper = self._code.called(call)
            inside = None if helper is None or helper is spot.function else self._sampling(helper)
            if helper is not None and inside is not None:
                [used] = _parameters_in(inside)
                yield _Noise(call, self._code.argument(helper, call, used), rate=False)

    def _sampling(self, helper: ast.FunctionDef) -> Spot | None:
        """Return the statement of a helper that samples, if it is one."""
        spot = self._code.spot(helper.body[-1].lineno)
        drawn = spot is not None and spot.line in self._drawn
        return spot if spot is not None and drawn and self.samples(spot) else None

    def _hidden(self, spot: Spot, noise: _Noise) -> int | None:
        """Return the line that forms what noise is added to, where that has a name."""
        other = other_side(spot.statement, noise.call)
        if other is None or not is_reference(other):
            return None
        formed = self._code.formed(spot, other, before=spot.statement)
        return None if formed is None else formed.lineno

    def _gathered(self, spot: Spot, rows: int) -> int | None:
        """Return the line of a function that limits what a line adds up, one of each neighbor."""
        summand = summand_of(spot.statement) if rows == 1 else None
        function = self._code.called(summand) if isinstance(summand, ast.Call) else None
        last = function.body[-1] if function is not None else None
        if isinstance(last, ast.Return) and limits(self._code.text(last.lineno)):
            return last.lineno
        return None


def _parameters_in(spot: Spot) -> list[str]:
    """Return the parameters of its function that a statement computes with, each once."""
    nodes = list(ast.walk(spot.statement))
    called = {id(n) for call in nodes if isinstance(call, ast.Call) for n in ast.walk(call.func)}
    own = parameters(spot.function)
    names = (n for n in nodes if isinstance(n, ast.Name) and id(n) not in called)
    return list(dict.fromkeys(n.id for n in names if n.id in own))


def _is_width(noise: _Noise) -> bool:
    """Whether a draw is given a scale, or one over it as a rate."""
    return noise.rate == isinstance(noise.scale, ast.BinOp)
