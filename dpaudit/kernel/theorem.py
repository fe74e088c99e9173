"""Theorems: that a program in Core keeps a claim, made by replaying a derivation step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import flint

from dpaudit.core.language import (
    LAWS,
    PRIMITIVES,
    Block,
    Branch,
    Constant,
    Core,
    Draw,
    Let,
    Raise,
    Return,
)
from dpaudit.kernel.costs import Release, fits, release
from dpaudit.kernel.dataset import dataset, norm_of
from dpaudit.kernel.numbers import PRECISION, Real, Refusal
from dpaudit.kernel.relations import Hidden, Known, Num, Relation, Same, written
from dpaudit.kernel.rules import RULES, known

MOST_STEPS = 20_000
_MAKER = object()


@dataclass(frozen=True, slots=True)
class Step:
    """One written step: the rule, the variable that it is about, and what it concludes of it.

    `concludes` is None while the derivation is made, and is then filled in.
    """

    rule: str
    var: int
    concludes: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as JSON-able values."""
        return {"rule": self.rule, "var": self.var, "concludes": self.concludes}


@dataclass(frozen=True, slots=True)
class Theorem:
    """That a program keeps a claim for all neighbors; only `prove` makes one.

    Attributes
    ----------
    core : Core
    claim, neighbors : Claim and Neighbors
    steps : tuple of Step
        The derivation, with every conclusion.
    spent : str
        What the releases cost and what the claim allows.
    """

    core: Core
    claim: Any
    neighbors: Any
    steps: tuple[Step, ...]
    spent: str
    _maker: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._maker is not _MAKER:
            raise TypeError("a theorem is made by `dpaudit.kernel.prove` alone")


@dataclass(slots=True)
class Path:
    """What is known on one path: of its variables, and of what was released."""

    relations: dict[int, Relation | None]  # None: noise that was used up
    releases: list[Release]

    def copy(self) -> Path:
        """Return what is known, for one answer of a test."""
        return Path(dict(self.relations), list(self.releases))

    def of(self, var: int) -> Relation:
        """Return what is known of a variable; noise that was used up is gone."""
        found = self.relations.get(var)
        if found is None:
            raise Refusal(f"v{var} is not bound here, or is noise that was used already")
        return found

    def shown(self, var: int) -> Relation:
        """Return what is known of a variable that is used as it is.

        Noise that hides nothing is drawn the same in both runs, and hides nothing from then on.
        """
        found = self.of(var)
        if isinstance(found, Hidden) and found.on is None:
            found = self.relations[var] = Same()
        return found


def prove(core: Core, claim: Any, neighbors: Any, steps: Sequence[Step]) -> Theorem:
    """Replay a derivation.

    Parameters
    ----------
    core : Core
    claim, neighbors : Claim and Neighbors
    steps : sequence of Step
        One for each instruction, in the order of the program, both answers of a test one after
        the other. Where a conclusion is written it must be what the rule concludes.

    Raises
    ------
    Refusal
        Where a step does not follow, or the claim is not shown.
    """
    with flint.ctx.workprec(PRECISION):
        replay = _Replay(iter(steps))
        start = Path({0: dataset(neighbors, core.data)}, [])
        replay.block(core.block, start)
        if next(replay.steps, None) is not None:
            raise Refusal("steps that are about nothing in the program")
        spent = fits(replay.paths, claim, norm_of(neighbors))
    return Theorem(core, claim, neighbors, tuple(replay.taken), spent, _MAKER)


@dataclass(slots=True)
class _Replay:
    steps: Iterator[Step]
    taken: list[Step] = field(default_factory=list)
    paths: list[list[Release]] = field(default_factory=list)

    def block(self, block: Block, path: Path) -> None:
        for instruction in block.body:
            if instruction.var in path.relations or len(self.taken) >= MOST_STEPS:
                raise Refusal("a variable that is bound twice, or too many steps")
            step = next(self.steps, None)
            if step is None or step.var != instruction.var:
                raise Refusal(f"no step about v{instruction.var}")
            found = concluded(instruction, step.rule, path)
            said = written(found)
            if step.concludes is not None and step.concludes != said:
                raise Refusal(f"{step.rule} concludes {said} of v{step.var}, not what is written")
            path.relations[instruction.var] = found
            self.taken.append(Step(step.rule, step.var, said))
        self.end(block.end, path)

    def end(self, end: Return | Raise | Branch, path: Path) -> None:
        """What ends a path must be the same in both runs; so must be what is tested."""
        if isinstance(end, Branch):
            if not isinstance(path.shown(end.test), Known | Same):
                raise Refusal(f"line {end.line}: a test of a private value")
            self.block(end.yes, path.copy())
            self.block(end.no, path.copy())
            return
        if isinstance(end, Return) and not isinstance(path.shown(end.var), Known | Same):
            raise Refusal(f"line {end.line}: a private value leaves without noise")
        self.paths.append(path.releases)


_OF_NOISE = frozenset({"scaled noise", "noise cast", "two geometrics"})


def concluded(instruction: Constant | Let | Draw, rule: str, path: Path) -> Relation:
    """Return what a rule concludes of an instruction; it changes what is known on the path."""
    if isinstance(instruction, Constant):
        if rule != "constant":
            raise Refusal("a constant has a rule of its own")
        return known(instruction.value)
    if isinstance(instruction, Draw):
        if rule != "draw":
            raise Refusal("a draw has a rule of its own")
        return _drawn(instruction, path)
    if instruction.prim not in PRIMITIVES:
        raise Refusal(f"no primitive {instruction.prim:.40}")
    if rule == "release":
        return _released(instruction, path)
    if rule not in RULES:
        raise Refusal(f"no rule {rule:.60}")
    of_noise = rule in _OF_NOISE
    args = [path.of(arg) if of_noise else path.shown(arg) for arg in instruction.args]
    try:
        found = RULES[rule](instruction, args)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise Refusal(f"{rule} is not about such values") from None
    if of_noise:
        _use_up(instruction, path)
    if isinstance(found, Hidden) and found.law == "two-sided" and found.on:
        return _paid(found.on, found, instruction.line, path)
    return found


def _use_up(let: Let, path: Path) -> None:
    """Forget noise that was made into other noise: it is coupled once."""
    for arg in let.args:
        if isinstance(path.relations.get(arg), Hidden):
            path.relations[arg] = None


def _drawn(draw: Draw, path: Path) -> Relation:
    """A draw whose parameter is a constant is noise; of a released one it is the same for both."""
    parameter = path.shown(draw.parameter)
    if draw.law not in LAWS:
        raise Refusal(f"no law {draw.law:.40}")
    if isinstance(parameter, Same):
        return Same()
    if not isinstance(parameter, Known) or parameter.real is None or not parameter.real.positive():
        raise Refusal(f"line {draw.line}: noise whose scale is private, or no positive number")
    scale = parameter.real
    if draw.law == "geometric":
        scale = Real.of(1) + -scale
        if not scale.positive():
            return Same()
    return Hidden(draw.law, scale)


def _released(let: Let, path: Path) -> Relation:
    """A private number with noise around 0 added, or subtracted, is released and paid for."""
    if let.prim not in ("add", "sub") or len(let.args) != 2 or let.fields:
        raise Refusal(f"{let.prim} is no release")
    one, two = (path.of(arg) for arg in let.args)
    number, noise = (one, two) if isinstance(two, Hidden) else (two, one)
    if not isinstance(number, Num) or not isinstance(noise, Hidden) or noise.on is not None:
        raise Refusal("not noise on a private number")
    if noise.law == "geometric":
        raise Refusal("a geometric number alone is one-sided, and hides nothing")
    _use_up(let, path)
    return _paid(number, noise, let.line, path)


def _paid(number: Num, noise: Hidden, line: int, path: Path) -> Relation:
    path.releases.append(release(number, noise.law, noise.scale, line))
    return Same()
