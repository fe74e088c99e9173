"""Outputs as events: which numbers are fixed, and which lie in an interval."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.trial.affine import Affine
from dpaudit.formal.trial.events import equals
from dpaudit.formal.trial.outputs import structure
from dpaudit.formal.trial.shapes import shape_event


@dataclass(frozen=True, slots=True)
class Box:
    """An open interval of numbers; None where it has no end."""

    low: Fraction | None = None
    high: Fraction | None = None


ANYWHERE = Box()


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """An output of one path, taken apart.

    Attributes
    ----------
    shape : Hashable
        All that is no number, as of `dpaudit.formal.trial.outputs.Release`.
    numbers : list of Affine
    paths : list of str
        Where each number is: ``"[0]"``.
    """

    shape: Hashable
    numbers: list[Affine]
    paths: list[str]

    @staticmethod
    def of(value: Any, *, raised: bool = False) -> Output:
        """Take what is returned, or the name of an error, apart."""
        numbers: list[Affine] = []
        paths: list[str] = []
        shape = ("raises", value) if raised else structure(value, numbers, paths, "")
        return Output(shape, numbers, paths)


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs: those of one structure, each number of which is fixed or in an interval."""

    shape: Hashable
    paths: tuple[str, ...]
    parts: tuple[Fraction | Box, ...]

    @staticmethod
    def of(output: Output, at: int | None = None, box: Box = ANYWHERE) -> Event:
        """Return the event of an output, its noisy numbers anywhere, or one of them in a box."""
        parts = tuple(
            part.constant if not part.terms else box if i == at else ANYWHERE
            for i, part in enumerate(output.numbers)
        )
        return Event(output.shape, tuple(output.paths), parts)

    def within(self, output: Output) -> list[Affine] | None:
        """Return what must be positive for an output to lie in the event, None where none can."""
        if output.shape != self.shape:
            return None
        positive: list[Affine] = []
        for wanted, part in zip(self.parts, output.numbers, strict=True):
            if isinstance(wanted, Box):
                positive += [part - wanted.low] if wanted.low is not None else []
                positive += [wanted.high - part] if wanted.high is not None else []
            elif part.terms or part.constant != wanted:
                return None  # noise hits a single value with probability 0
        return positive

    def described(self) -> tuple[str, str]:
        """Return the event in words, and as a Python expression in ``output`` and ``np``."""
        words, source = shape_event(self.shape)
        said: list[str] = []
        asked: list[str] = []
        for path, part in zip(self.paths, self.parts, strict=True):
            name = f"output{path}"
            if isinstance(part, Fraction):
                said.append(f"{name} = {float(part):g}")
                asked.append(equals(name, part))
                continue
            for sign, end in _ends(part):
                said.append(f"{name} {sign} {float(end):g}")
                asked.append(f"{name} {sign} {float(end)!r}")
        return ", ".join([words, *said]), " and ".join([source, *asked])


def _ends(box: Box) -> Iterator[tuple[str, Fraction]]:
    if box.low is not None:
        yield ">", box.low
    if box.high is not None:
        yield "<", box.high
