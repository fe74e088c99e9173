"""The line of a cause by the role of lines: what forms nothing itself gives way to what does.

A refutation is of one release: a value is hidden by noise, whose scale is computed. A line has one
of these roles in it.

- It *begins* an accumulator, as ``counts = np.zeros(3)``: what fills that forms the value.
- It *samples*: a helper that draws noise and is right for its parameter. What gives it the
  parameter forms the scale.
- It *adds* noise to what has a name. That is formed where the name is set.
- It *gathers* what a function gives for each record: that function forms it.
- It *misuses* noise: a scale is passed as its location, or it is cut towards 0.
- It *forms* a value: this is the cause.

Values are followed back through variables, attributes, entries, properties and parameters, to the
statement that computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from dpaudit.evidence import Finding
from dpaudit.trace.arguments import Arguments
from dpaudit.trace.definitions import Code, Spot, code_of
from dpaudit.trace.keys import KINDS, Keys
from dpaudit.trace.misuse import Misuse
from dpaudit.trace.overspending import Overspending
from dpaudit.trace.sampling import Sampling, parameters_in
from dpaudit.trace.scales import Scales
from dpaudit.violations import once_located

_OF_SCALES = ("DPA103", "DPA106")
_HIDDEN_BADLY = ("DPA103", "DPA104", "DPA105", "DPA106", "DPA107")
_TOO_LITTLE = ("DPA105", "DPA106", "DPA107")
_LIKE_MISUSE = (*_TOO_LITTLE, "DPA109", "DPA201")
_DEEPEST = 8


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
    message = finding.message if kind == finding.id else once_located(finding.message)
    return replace(finding, id=kind, message=message, file=file, line=line, also=tuple(also))


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
    misused = release.misused(kind)
    if misused is not None:
        return *code.place(misused), "DPA106"
    line, kind = release.side(line, kind)
    for _ in range(_DEEPEST):
        further, other = release.further(line, kind, rows) or (None, kind)
        if further in (None, line) or release.is_handed_over(further, line):
            break
        line, kind = further, other
    return *code.place(line), kind


class _Release:
    """What hides a value in a file, from the lines that draw it."""

    def __init__(self, code: Code, drawn: list[int]) -> None:
        self._code = code
        self._sampling = Sampling(code, drawn)
        self._keys = Keys(code, self._sampling)
        self._scales = Scales(code, self._sampling)
        self._arguments = Arguments(code, self._sampling)
        self._overspending = Overspending(code, self._sampling)
        self._misuse = Misuse(code, self._sampling)

    def misused(self, kind: str) -> int | None:
        """Return a line that misuses the noise, for a kind of violation that it may look like."""
        return self._misuse.line() if kind in _LIKE_MISUSE else None

    def side(self, line: int, kind: str) -> tuple[int, str]:
        """Return a line and its kind, those of the side that is wrong where one surely is."""
        summed = self._overspending.entry_of_sum(line) if kind == "DPA107" else None
        if summed is not None:
            return summed, "DPA105"
        left_out = self._scales.left_out(line) if kind == "DPA108" else None
        if left_out is not None:
            return left_out, "DPA103"
        if kind not in ("DPA105", "DPA106"):
            return line, kind
        turned, limited = self._scales.turned(line), self._arguments.limited(line)
        if limited is None and kind == "DPA105" and len(self._sampling.drawn) == 1:
            limited = self._arguments.limited(self._sampling.drawn[0])
        if turned is not None:
            return turned.lineno, "DPA106"
        stated = self._scales.stated() if kind == "DPA105" and limited is None else limited
        return (line, kind) if stated is None else (stated, "DPA105")

    def further(self, line: int, kind: str, rows: int) -> tuple[int, str] | None:
        """Return the line that forms what a line uses, None where it forms that itself."""
        spot = self._code.spot(line)
        if spot is None:
            return None
        filler = self._code.filler(spot)
        if filler is not None:
            return filler.lineno, kind
        if kind == "DPA101":
            return self._keys.counted(spot) or self._keys.is_constant(spot)
        if kind in KINDS:
            return self._keys.further(spot, kind)
        found = self._formed_at(spot, kind, rows)
        return None if found is None else (found, kind)

    def _formed_at(self, spot: Spot, kind: str, rows: int) -> int | None:
        if kind in _TOO_LITTLE and self._sampling.samples(spot):
            return self._scales.asked(spot, parameters_in(spot))
        if kind == "DPA107":
            return self._overspending.formed(spot)
        if kind == "DPA115":
            return self._arguments.picked(spot)
        noise = self._sampling.noise(spot) if kind in _HIDDEN_BADLY else None
        if noise is not None and kind in _OF_SCALES:
            return self._scales.scaled(spot, noise, kind)
        if kind == "DPA103":
            return self._scales.used(spot) or self._scales.handed(spot)
        if kind == "DPA106":
            return self._scales.computed_there(spot)
        if noise is not None and kind == "DPA105":
            return self._arguments.hidden(spot, noise)
        if noise is not None and kind == "DPA104":
            return self._arguments.divided(spot, noise)
        if kind == "DPA104":
            return self._arguments.limited_there(spot)
        if kind == "DPA105":
            found = self._arguments.gathered(spot, rows) or self._arguments.handed_on(spot)
            return found or self._arguments.limited_there(spot) or self._arguments.summed(spot)
        return None

    def is_handed_over(self, line: int, used: int) -> bool:
        """Whether a line that declares audits gives the code under audit what another line uses.

        What asks a sampler for noise forms the scale wherever it stands.
        """
        spot = self._code.spot(used)
        wired = self._code.is_wiring(line) and not self._code.is_wiring(used)
        return wired and not (spot is not None and self._sampling.samples(spot))
