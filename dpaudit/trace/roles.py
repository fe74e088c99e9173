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
from dpaudit.trace.definitions import Code, Spot, code_of
from dpaudit.trace.forms import limits
from dpaudit.trace.noise_forms import (
    NOISE,
    RATES,
    SUMS,
    factors,
    is_budget,
    is_computed,
    is_formula,
    is_right,
    limited_in,
    names_in,
    operands,
    other_side,
    scale_in,
    summand_of,
    sums,
)
from dpaudit.trace.parts import is_reference, parameters

_OF_SCALES = ("DPA103", "DPA106")
_HIDDEN_BADLY = ("DPA103", "DPA104", "DPA105", "DPA106", "DPA107")
_TOO_LITTLE = ("DPA105", "DPA106", "DPA107")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class _Noise:
    """A call that makes noise on a line: a draw, or one of the helper that draws it."""

    call: ast.Call
    scale: ast.expr | None
    rate: bool


def by_role(
    finding: Finding,
    *,
    rows: int = 1,
    ran: Callable[[], Set[tuple[str, int]]] = frozenset,
    subject: str | None = None,
) -> Finding:
    """Return a refutation with the line that forms what is wrong, for one that forms nothing.

    Parameters
    ----------
    finding : Finding
    rows : int
        How many rows neighbors differ in: what each of them adds may then be right by itself.
    ran : callable
        Returns the files and lines that a run comes to; all may be if there are none.
    subject : str, optional
        The file in which the mechanism is defined.

    Notes
    -----
    Where the scale divides a budget by something else, it is wrong whatever it was added to
    (DPA106). Where the sum of records is limited, and not what each adds, the scale is right for
    what it was thought to be (DPA105).
    """
    try:
        file, line, kind = _formed(finding, rows, ran, subject)
    except RecursionError:  # an expression of very many parts
        return finding
    if line is None or (file, line, kind) == (finding.file, finding.line, finding.id):
        return finding
    also = dict.fromkeys(id for id in (finding.id, *finding.also) if id != kind)
    return replace(finding, id=kind, file=file, line=line, also=tuple(also))


def _formed(
    finding: Finding, rows: int, ran: Callable[[], Set[tuple[str, int]]], subject: str | None
) -> tuple[str | None, int | None, str]:
    """Return the file and the line that forms what is wrong, and its kind."""
    line, kind = finding.line, finding.id
    noises = [(file, at) for file, at, what in finding.related if what.endswith("noise")]
    others = [*(file for file, _ in noises), *([subject] if subject else [])]
    code = code_of(finding.file, others, ran)
    if line is None or code is None or code.line(finding.file or "", line) is None:
        return finding.file, line, kind
    lines = [code.line(*place) for place in noises]
    release = _Release(code, [at for at in lines if at is not None])
    line, kind = release.side(line, kind)
    for _ in range(_DEEPEST):
        further = release.further(line, kind, rows)
        if further is None or release.is_handed_over(further, line):
            break
        line = further
    return *code.place(line), kind


class _Release:
    """What hides a value in a file, from the lines that draw it."""

    def __init__(self, code: Code, drawn: list[int]) -> None:
        self._code = code
        self._drawn = drawn

    def side(self, line: int, kind: str) -> tuple[int, str]:
        """Return a line and its kind, those of the side that is wrong where one surely is."""
        if kind not in ("DPA105", "DPA106"):
            return line, kind
        turned, limited = self._turned(line), self._limited(line)
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
        noise = self._noise(spot) if kind in _HIDDEN_BADLY else None
        if noise is not None and kind in _OF_SCALES:
            return self._scaled(spot, noise)
        if noise is not None and kind == "DPA105":
            return self._hidden(spot, noise)
        if noise is not None and kind == "DPA104":
            return self._divided(spot, noise)
        if kind == "DPA105":
            return self._gathered(spot, rows) or self._handed_on(spot)
        return None

    def is_handed_over(self, line: int, used: int) -> bool:
        """Whether a line that declares audits gives the code under audit what another line uses.

        What asks a sampler for noise forms the scale wherever it stands.
        """
        spot = self._code.spot(used)
        wired = self._code.is_wiring(line) and not self._code.is_wiring(used)
        return wired and not (spot is not None and self.samples(spot))

    def _scaled(self, spot: Spot, noise: _Noise) -> int | None:
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
        names = operands(noise.scale)
        return self._asked(spot, names, computed=len(names) > 1) if added else None

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
        noise = self._noise(spot) if spot is not None else None
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

    def _turned(self, line: int) -> ast.expr | None:
        """Return what the scale of noise is, where that is a multiple of a budget.

        That of the noise on a line is meant, or else that of all noise.
        """
        drawn = [line] if line in self._drawn else self._drawn
        scales = [self._code.entered(value) for at in drawn for _, value in self._scales(at)]
        return scales[0] if scales and all(map(_is_turned, scales)) else None

    def _scales(self, line: int) -> Iterator[tuple[Spot, ast.expr]]:
        """Yield what forms the scales of noise that is drawn on a line, or given to its sampler."""
        spot = self._code.spot(line)
        noises = list(self._noises(spot)) if spot is not None else []
        if spot is not None and noises and self.samples(spot) and _is_width(noises[0]):
            yield from (
                (self._code.spot(given.lineno) or spot, given)
                for given in self._code.handed(spot.function, _parameters_in(spot)[0])
            )
        elif spot is not None:
            for noise in noises:
                if noise.scale is not None and not noise.rate:
                    yield self._code.spotted(spot, noise.scale)

    def _stated(self) -> int | None:
        """Return the line that computes the sensitivity for which all noise is made."""
        found = {self._computed(*each) for line in self._drawn for each in self._scales(line)}
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
            divided -= len(below)
            formed = self._code.formed(spot, factor)
            if formed is None:
                return None
            scale = formed
        return None

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
        if spot.line not in self._drawn and not any(True for _ in self._noises(spot)):
            return False
        used = _parameters_in(spot)
        return drawn and len(used) == 1 and is_right(value, used[0])

    def _noise(self, spot: Spot) -> _Noise | None:
        """Return the noise of a line; None where there are several of different scales."""
        noises = list(self._noises(spot))
        on_line = [n for n in noises if n.call.lineno <= spot.line <= (n.call.end_lineno or 0)]
        noises = on_line or noises
        scales = {None if n.scale is None else ast.unparse(n.scale) for n in noises}
        return noises[0] if len(scales) == 1 else None

    def _noises(self, spot: Spot) -> Iterator[_Noise]:
        """Yield the calls of a statement that make noise which the release is about."""
        own = any(
            line in range(spot.statement.lineno, (spot.statement.end_lineno or 0) + 1)
            for line in self._drawn
        )
        for call in ast.walk(spot.statement):
            if not isinstance(call, ast.Call):
                continue
            name = named(call.func)
            if own and name in NOISE:
                yield _Noise(call, scale_in(call), name in RATES)
                continue
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
        if isinstance(last, ast.Return) and limits(ast.unparse(last)):
            return last.lineno
        return None


def _parameters_in(spot: Spot) -> list[str]:
    """Return the parameters of its function that a statement computes with, each once."""
    own = parameters(spot.function)
    return [name for name in names_in(spot.statement) if name in own]


def _is_turned(scale: ast.expr) -> bool:
    """Whether a scale is a multiple of a budget, and is divided by none."""
    above, below = factors(scale)
    divides = any(is_budget(node) for each in below for node in ast.walk(each))
    return any(map(is_budget, above)) and not divides


def _is_width(noise: _Noise) -> bool:
    """Whether a draw is given a scale, or one over it as a rate."""
    return noise.rate == isinstance(noise.scale, ast.BinOp)
