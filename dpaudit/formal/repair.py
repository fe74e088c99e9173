"""The smallest change of the source with which a claim verifies, as a diff.

A change is searched among those that people would make: a factor on a scale or a budget, a scale
written anew, a clip that is missing or one-sided. Each is written into a copy of the file, whose
functions are lifted and proved like any others; nothing is proposed that the whole engine has not
verified. The file itself is never touched.
"""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import floor, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Repair, Verdict
from dpaudit.formal.clock import Limit, fresh, now
from dpaudit.formal.engine import FAULT, VERIFYING, FormalEngine
from dpaudit.formal.lift import lift
from dpaudit.formal.limit import OutOfTime, within
from dpaudit.formal.repairing.arithmetic import times
from dpaudit.formal.repairing.clips import PAIRS, Clip, clips
from dpaudit.formal.repairing.edits import Text, unified_diff
from dpaudit.formal.repairing.factors import LADDER, least, spellings
from dpaudit.formal.repairing.grafting import Reached, reached
from dpaudit.formal.repairing.knobs import SHRINKING, Knob, is_drawing, knobs
from dpaudit.formal.repairing.otherwise import Setting, budget_of, parameters, settings
from dpaudit.formal.repairing.trials import PROVERS, Prover, Trials, reads
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

DEEPEST = 2  # calls from the mechanism to a function that may be changed
SHARE = 0.8  # of the time is spent on the search, the rest on proving what it found
LONGEST, TRIALS = 4.0, 15  # seconds of one proof; more where there is time for so many
MOST = 12  # changes that are tried at other values of the parameters
HALF = 0.5  # of the time that is left may go to one kind of change
CHEAP = 4.0  # times the noise, from which on another way of proof may need less
MUCH = 3.0  # doublings of the noise that are worth another kind of change
INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class _Found:
    """A change that verifies.

    Attributes
    ----------
    content : str
        Of the file.
    factor : float or None
        By which the noise grows, where that is known; 1 where none is added.
    own : bool
        Whether it is written with names that the changed lines use already, and no new numbers.
    general, settings : int
        At how many of so many other values of the parameters it verifies too.
    """

    file: str
    content: str
    lines: tuple[int, ...]
    what: str
    factor: float | None
    places: int
    depth: int
    prover: Prover = PROVERS[0]
    own: bool = False
    general: int = 0
    settings: int = 0

    @property
    def scope(self) -> str:
        """Where the change was proved, for people."""
        here = "at the values that the mechanism runs with"
        if not self.settings:
            return here
        return f"{here}, and at {self.general} of {self.settings} other settings that were tried"

    def rank(self, before: str) -> tuple[Any, ...]:
        """Return the order of preference.

        What holds more generally, then what is written in the code's own names, then what costs
        less by orders of magnitude, then what changes less.
        """
        costs = 1 if self.factor is None else floor(log2(self.factor) / MUCH)
        size = _size(before, self.content)
        much = (costs, self.places, self.factor or 1.0)
        return (-self.general, not self.own, *much, self.depth, size)


@dataclass(frozen=True, slots=True)
class _Function:
    """A function that may be changed."""

    node: ast.FunctionDef
    text: Text
    names: dict[str, Any]
    depth: int
    draws: bool


def repair(
    mechanism: Any, claim: Claim, neighbors: Neighbors, *, timeout: float | None = None
) -> Repair:
    """Return the smallest change of a mechanism's source that makes a claim verify.

    Parameters
    ----------
    mechanism : callable or str
        As for `dpaudit.verify`, which did not verify it.
    claim : Claim
    neighbors : Neighbors
    timeout : float, optional
        A limit in seconds of real time, beside steps of work.

    Returns
    -------
    Repair

    Raises
    ------
    Unsupported
        Where no change was found that verifies; the message says what was tried.

    Notes
    -----
    Changes are ranked: first those that verify at other values of the parameters as well (another
    epsilon with the claim that goes with it, more answers, other bounds), then those that change
    fewer places and fewer characters. The factor on the noise is the least one up to half a
    percent, where the time suffices, rounded up to a number that people write.
    """
    seconds = VERIFYING if timeout is None else timeout
    limit = Limit.of(timeout, seconds)
    try:
        with fresh():
            return within(limit, lambda: _repaired(mechanism, claim, neighbors, seconds))
    except OutOfTime:
        reason = FAULT if limit.working else f"{seconds:g} s of real time ended it; raise `timeout`"
        raise Unsupported(reason) from None


def _repaired(mechanism: Any, claim: Claim, neighbors: Neighbors, seconds: float) -> Repair:
    deadline = now() + seconds
    called = _unwrapped(Subject.of(mechanism).function)
    program = lift(Subject.of(mechanism))
    files = frozenset(source.rpartition(":")[0] for source in program.sources)
    with tempfile.TemporaryDirectory(prefix="dpaudit-repair-") as folder:
        until = now() + SHARE * (deadline - now())
        longest = max(LONGEST, seconds / TRIALS)
        trials = Trials(called, claim, neighbors, files, Path(folder), until, longest)
        found = _searched(trials)
        for candidate in found:
            if _verified(trials, candidate, deadline):
                return _repair(trials, candidate)
    where = "the steps ran out" if now() >= until else f"{trials.tried} changes tried"
    raise Unsupported(f"no change of a scale, a budget or a clip verifies ({where})",
                      program.entry.place)  # fmt: skip


def _unwrapped(function: Any) -> Any:
    """Return the mechanism below the adapter that passes its generator by name."""
    is_adapter = type(function).__module__ == "dpaudit.subject"
    return function._function if is_adapter and hasattr(function, "_function") else function


def _searched(trials: Trials) -> list[_Found]:
    """Return changes that verify, the best first; clips are tried where nothing else does."""
    functions = list(_functions(trials))
    by_cost, *others = PROVERS
    with trials.within(HALF):
        found = [one for f in functions for one in _turned(trials, f, by_cost)]
    with trials.within(HALF):
        if all(one.factor is None or one.factor >= CHEAP for one in found):
            found += _first_of(
                lambda p: (one for f in functions for one in _turned(trials, f, p)), others
            )
    with trials.within(HALF):
        if all(one.factor is None or one.factor > 2**MUCH for one in found):
            found += _first_of(lambda p: (one for f in functions for one in _clipped(trials, f, p)))
    if not found:
        found += [one for f in functions for one in _clipped_and_turned(trials, f)]
    different = list({(one.file, one.content): one for one in reversed(found)}.values())
    different.sort(key=lambda one: one.rank(trials.content(one.file)))
    ranked = [_with_generality(trials, one) for one in different[:MOST]]
    return sorted(ranked, key=lambda one: one.rank(trials.content(one.file)))


def _first_of(
    search: Callable[[Prover], Iterable[_Found]], provers: Sequence[Prover] = PROVERS
) -> list[_Found]:
    """Return what is found by the first prover that finds anything; the quickest comes first."""
    return next((found for p in provers if (found := list(search(p)))), [])


def _functions(trials: Trials) -> Iterator[_Function]:
    """Yield the functions of the user's that may be changed, the mechanism itself first."""
    for one in reached(trials.mechanism, trials.files):
        file = one.function.__code__.co_filename
        if one.depth > DEEPEST or any(part in INSTALLED for part in Path(file).parts):
            continue
        node = _definition(one, trials.content(file))
        if node is not None:
            names = dict(one.function.__globals__)
            text = Text(file, trials.content(file))
            yield _Function(node, text, names, one.depth, is_drawing(node, text))


def _definition(one: Reached, content: str) -> ast.FunctionDef | None:
    code = one.function.__code__
    for node in ast.walk(ast.parse(content)):
        if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
            continue
        if min([node.lineno, *(d.lineno for d in node.decorator_list)]) == code.co_firstlineno:
            return node
    return None


# --- noise


def _turned(trials: Trials, function: _Function, prover: Prover) -> list[_Found]:
    """Return what verifies after more noise, for each place that sets it."""
    found: list[_Found] = []
    for knob in knobs(function.node, function.text, function.names, _budget(trials, function)):
        if trials.over:
            break
        found += _by_factor(trials, function, knob, prover)
    return found


def _budget(trials: Trials, function: _Function) -> str:
    """Return how a function writes the budget: a parameter of its own, or the claimed number."""
    arguments = function.node.args
    own = [a.arg for a in (*arguments.args, *arguments.kwonlyargs)]
    named = next((name for name in SHRINKING if name in own), None)
    return named or repr(budget_of(trials.claim) or 1.0)


def _by_factor(trials: Trials, function: _Function, knob: Knob, prover: Prover) -> Iterator[_Found]:
    """Yield a knob turned as far as it must be, in all the ways to write how far that is."""
    text = function.text

    def holds(factor: str) -> bool:
        content = text.edited(knob.turn(factor))
        return content is not None and trials.verifies(text.file, content, (prover,))

    effort = {} if prover is PROVERS[0] else {"ladder": LADDER[:4], "steps": 3}
    bracket = least(holds, below_one=knob.scale is not None, **effort)  # type: ignore[arg-type]
    if bracket is None:
        return
    spelled = next(((f, v) for f, v in spellings(*bracket) if holds(f)), None)
    if spelled is None:
        return
    factor, value = spelled
    for written in (factor, *_named(trials, function, factor, value)):
        if written == factor or holds(written):
            content = text.edited(knob.turn(written))
            assert content is not None
            yield _Found(
                text.file, content, knob.lines, _said(knob, written, value),
                value if knob.scale is None else None, knob.places,
                function.depth, prover,
                own=written == "1" or _is_own(trials, function, knob, written),
            )  # fmt: skip


def _is_own(trials: Trials, function: _Function, knob: Knob, factor: str) -> bool:
    """Return whether a factor is made of names that the lines which change have already.

    What a parameter has to do with a factor shows at its other values, and counts there.
    """
    names = re.findall(r"[A-Za-z_]\w*", factor)
    free = {*parameters(trials.mechanism), *(a.arg for a in function.node.args.args)}
    if knob.scale is not None:
        free = set()  # the scale that was there had a reason for its names
    return bool(names) and all(n not in free and n in knob.before for n in names)


def _said(knob: Knob, factor: str, value: float) -> str:
    where = "line " if len(knob.lines) == 1 else "lines "
    where += ", ".join(map(str, knob.lines))
    if knob.scale is not None:
        scale = knob.scale if factor == "1" else times(knob.scale, factor)
        return f"{knob.what} of {where} becomes {scale}"
    shown = factor if factor == f"{value:g}" else f"{factor} = {value:.4g}"
    return f"{knob.what} of {where} is multiplied by {shown}"


def _named(trials: Trials, function: _Function, factor: str, value: float) -> Iterator[str]:
    """Yield expressions of the function's own names that have the value."""
    values = _values(trials, function)
    root = factor.endswith("**0.5")
    wanted = round(value**2) if root else value
    for name, number in values.items():
        near = ((1, f"({name} + 1)"), (-1, f"({name} - 1)")) if isinstance(number, int) else ()
        for shift, written in ((0, name), *near):
            if number + shift == wanted and (number > 1 or not shift):
                yield f"{written}**0.5" if root else written
    for low, high in PAIRS:
        if low in values and high in values:
            if values[high] - values[low] == value:
                yield f"({high} - {low})"
            if max(abs(values[low]), abs(values[high])) == value:
                yield f"max(abs({low}), abs({high}))"


def _values(trials: Trials, function: _Function) -> dict[str, float]:
    """Return what the function's own parameters are, as far as that is known."""
    arguments = function.node.args
    values = dict(_defaults(arguments))
    if function.depth == 0:
        values |= parameters(trials.mechanism)
    length = getattr(trials.neighbors, "length", None)
    if function.depth == 0 and isinstance(length, int) and arguments.args:
        values[f"len({arguments.args[0].arg})"] = length
    for call in ast.walk(function.node):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "len":
            known = _length(call, function.names)
            if known is not None:
                values[function.text.segment(call)] = known
    budget = _budget(trials, function)
    return {name: value for name, value in values.items() if name != budget}


def _length(call: ast.Call, names: dict[str, Any]) -> int | None:
    """Return the length of a global that a call of `len` asks for."""
    name = getattr(call.args[0], "id", "") if call.args else ""
    try:
        return len(names[name])
    except (KeyError, TypeError):
        return None


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, float]]:
    pairs = chain(
        zip(reversed(arguments.args), reversed(arguments.defaults), strict=False),
        zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    )
    for argument, default in pairs:
        if isinstance(default, ast.Constant) and type(default.value) in (int, float):
            yield argument.arg, default.value  # type: ignore[misc]


# --- clips


def _clipped(trials: Trials, function: _Function, prover: Prover) -> Iterator[_Found]:
    """Yield clips with which the claim verifies."""
    text = function.text
    for clip, content in _with_clips(trials, function):
        if trials.verifies(text.file, content, (prover,)):
            yield _Found(
                text.file, content, (clip.line,), clip.what, 1.0, 1,
                function.depth, prover, clip.own,
            )  # fmt: skip


def _with_clips(trials: Trials, function: _Function) -> Iterator[tuple[Clip, str]]:
    if not function.draws:
        return
    for clip in clips(function.node, function.text, function.names, trials.neighbors):
        content = function.text.edited(clip.edits)
        if content is not None and not trials.over:
            yield clip, content


def _clipped_and_turned(trials: Trials, function: _Function) -> Iterator[_Found]:
    """Yield clips together with more noise."""
    for clip, content in _with_clips(trials, function):
        text = Text(function.text.file, content)
        same = (
            n
            for n in ast.walk(ast.parse(content))
            if isinstance(n, ast.FunctionDef)
            and (n.name, n.lineno) == (function.node.name, function.node.lineno)
        )
        clipped = replace(function, node=next(same), text=text)
        for found in _turned(trials, clipped, PROVERS[0]):
            what = f"{clip.what}; {found.what}"
            lines = tuple(sorted({clip.line, *found.lines}))
            yield replace(
                found, what=what, lines=lines, places=found.places + 1, own=found.own and clip.own
            )


# --- choosing and proving


def _with_generality(trials: Trials, found: _Found) -> _Found:
    try:
        changed = trials.changed(found.file, found.content)
    except Unsupported:
        return found
    others = [
        _holds_in(trials, setting, changed, found.prover)
        for setting in settings(trials.mechanism, trials.claim, trials.neighbors)
    ]
    return replace(found, general=sum(others), settings=len(others))


def _holds_in(trials: Trials, setting: Setting, changed: Any, prover: Prover) -> bool:
    return trials.proves(setting.of(changed), setting.claim, setting.neighbors, (prover,))


def _size(before: str, after: str) -> int:
    """Return how many characters a change adds, and takes away."""
    import difflib

    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return sum(
        (i2 - i1) + (j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )


def _verified(trials: Trials, found: _Found, deadline: float) -> bool:
    """Return whether the whole engine verifies a change, its second look included."""
    seconds = deadline - now()
    if seconds <= 0:
        return False
    try:
        subject = Subject.of(trials.changed(found.file, found.content))
        if reads(lift(subject), found.file):
            return False
    except (Unsupported, TypeError, ValueError):
        return False
    evidence = FormalEngine(budget=seconds).examine(
        subject, trials.claim, trials.neighbors, Budget(max_calls=1)
    )
    return evidence.verdict is Verdict.VERIFIED


def _repair(trials: Trials, found: _Found) -> Repair:
    before = trials.content(found.file)
    return Repair(
        file=found.file,
        lines=found.lines,
        what=found.what,
        noise=found.factor,
        scope=found.scope,
        diff=unified_diff(found.file, before, found.content),
        content=found.content,
    )
