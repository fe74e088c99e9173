"""The event that shows how far two exact distributions are apart, as a predicate to be run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.claims import ApproxDP, Claim
from dpaudit.formal.enumeration.divergence import Point, largest_ratio, points
from dpaudit.formal.enumeration.measures import HOLE, JOINT, Distribution, expanded, plugged
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import Exact, ball, exp, sign
from dpaudit.formal.price.balls import loss_at_least

_BITS = 128
_MOST = 64  # outputs in one event


@dataclass(frozen=True, slots=True)
class Shown:
    """An event, and the epsilon that its probabilities show.

    Attributes
    ----------
    words, source : str
        As of `dpaudit.evidence.Event`.
    epsilon : float
        Lower bound at the claim's delta (nats, rounded down).
    p, q : Any
        The probabilities of the event on the left and on the right, as balls.
    """

    words: str
    source: str
    epsilon: float
    p: Any
    q: Any


@dataclass(frozen=True, slots=True)
class _Between:
    """Any integer z with low <= z < high, in place of one."""

    low: float
    high: float


def shown(left: Distribution, right: Distribution, claim: Claim) -> Shown:
    """Return the outputs that tell most: all that count for a delta, else the one of most loss.

    Parameters
    ----------
    left, right : Distribution
        The outputs are too likely on the left.
    claim : Claim
    """
    found = _excess(left, right, claim) if isinstance(claim, ApproxDP) else _worst(left, right)
    if not found:
        found = _worst(left, right)
    p, q = (sum(map(_ball, masses[1:]), _ball(masses[0])) for masses in zip(
        *((x.p, x.q) for x in found), strict=True
    ))  # fmt: skip
    texts = [" and ".join(_conditions(_whole(x.key), "output")) or "True" for x in found]
    source = texts[0] if len(texts) == 1 else " or ".join(f"({text})" for text in texts)
    words = f"output is {_shown(_whole(found[0].key))}"
    if len(found) > 1:
        words += f", or one of {len(found) - 1} others"
    return Shown(words, source, loss_at_least(p, q, claim.declared_delta), p, q)


def _excess(left: Distribution, right: Distribution, claim: ApproxDP) -> list[Point]:
    """Return the outputs with p > e^epsilon q, those that exceed it most if they are many."""
    growth = exp(Fraction(claim.epsilon))
    try:
        found = points(expanded(left), expanded(right))
    except NotFiniteError:
        return []
    beyond = [(x, x.p - growth * x.q) for x in found]
    beyond = [(x, excess) for x, excess in beyond if sign(excess) > 0]
    beyond.sort(key=lambda pair: -float(_ball(pair[1]).mid()))
    return [x for x, _ in beyond[:_MOST]]


def _worst(left: Distribution, right: Distribution) -> list[Point]:
    worst = largest_ratio(left, right)
    q = Fraction(0) if worst.ratio is None else worst.mass / worst.ratio
    return [Point(worst.mass, q, worst.key)]


def _ball(value: Any) -> Any:
    return ball(value, _BITS)


def _whole(key: Any) -> Any:
    """Return the key of an output whose parts, or whose integer, stand apart from its shape."""
    first = key[0]
    if first == JOINT:
        return _whole(key[1][0])
    if isinstance(first, str):
        return key
    if isinstance(key[1], int) or _is_range(key[1]):
        return _filled(_whole(first), key[1])
    return plugged(first, [_part(part) for part in key[1]])


def _part(key: Any) -> Any:
    """Return the values of a part; of a family, those at its integer."""
    family = len(key) == 2 and isinstance(key[0][0], tuple)
    return _filled(key[0], key[1]) if family else key


def _is_range(key: Any) -> bool:
    return len(key) == 2 and all(isinstance(end, int | float) for end in key)


def _filled(key: Any, number: Any) -> Any:
    """Return a key with a number in place of its hole."""
    if isinstance(key, tuple):
        return tuple(_filled(part, number) for part in key)
    if not isinstance(key, str) or key != HOLE:
        return key
    return number if isinstance(number, int) else _Between(*number)


def _conditions(key: Any, name: str) -> Iterator[str]:
    """Yield what must hold of a value with this key; nothing of what may be anything."""
    match key:
        case ("number" | "int" | "real" | "bool", value):
            yield _number(value, name)
        case ("NoneType", None):
            yield f"{name} is None"
        case ("str" | "bytes", value):
            yield f"{name} == {value!r}"
        case (("list" | "tuple") as kind, *items):
            kinds = "tuple | np.void" if kind == "tuple" else kind  # a record is read as a tuple
            yield f"isinstance({name}, {kinds}) and len({name}) == {len(items)}"
            for i, item in enumerate(items):
                yield from _conditions(item, f"{name}[{i}]")
        case ("array", tuple(shape), *items):
            yield f"np.shape({name}) == {shape}"
            for index, item in zip(np.ndindex(*shape), items, strict=True):
                at = ", ".join(map(str, index)) or "()"
                yield from _conditions(item, f"{name}[{at}]")
        case ("dict", *pairs):
            yield f"isinstance({name}, dict) and len({name}) == {len(pairs)}"
            for i, (held, value) in enumerate(pairs):
                yield from _conditions(held, f"list({name})[{i}]")
                yield from _conditions(value, f"list({name}.values())[{i}]")
        case ("raised", kind):
            yield f"False  # the call raises {kind}"
        case ("set", members):
            yield f"isinstance({name}, set | frozenset) and len({name}) == {len(members)}"


def _number(value: Any, name: str) -> str:
    if isinstance(value, _Between):
        ends = (f"{int(value.low)} <= " if value.low > -np.inf else "",
                f" < {int(value.high)}" if value.high < np.inf else "")  # fmt: skip
        return f"{ends[0]}{name}{ends[1]}"
    if isinstance(value, str):
        return f"{name} != {name}" if value == "nan" else f"{name} == float({value!r})"
    if isinstance(value, Exact) or Fraction(value).denominator != 1:
        near = float(_ball(value).mid())
        return f"abs({name} - {near!r}) <= {1e-9 * max(1.0, abs(near))!r}"
    return f"{name} == {int(value)}"


def _shown(key: Any) -> str:
    """Return an output as text."""
    match key:
        case ("number" | "int" | "real" | "bool", value):
            if isinstance(value, _Between):
                return f"{value.low:g} up to {value.high:g}"
            return value if isinstance(value, str) else f"{float(_ball(value).mid()):g}"
        case ("NoneType", None):
            return "None"
        case ("str" | "bytes", value):
            return repr(value)
        case ("array", _, *items) | ("list", *items):
            return f"[{', '.join(map(_shown, items))}]"
        case ("tuple", *items):
            return f"({', '.join(map(_shown, items))})"
        case ("dict", *pairs):
            return f"{{{', '.join(f'{_shown(k)}: {_shown(v)}' for k, v in pairs)}}}"
        case ("raised", kind):
            return f"an exception ({kind})"
    return "…"
