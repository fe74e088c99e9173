"""The event that shows how far two exact distributions are apart, as a predicate to be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.independent import Mixture
from dpaudit.checker.exact.keys import BELOW, FROM, TAIL, WHOLE
from dpaudit.checker.exact.laws import plugged
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.spending import Chances, by_branch
from dpaudit.claims import ApproxDP, Claim
from dpaudit.formal.balls import loss_at_least
from dpaudit.formal.trial.shapes import pattern, shape_event
from dpaudit.formal.unsupported import Unsupported

_MOST = 64  # outputs in one event
_TOLERANCE = 1e-9  # of numbers in events, relative to those above 1
_ZERO = Number(Fraction(0))
_Point = tuple[Any, Number, Number]  # an output with its probabilities on the left and the right


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


def shown(left: Chances, right: Chances, claim: Claim) -> Shown:
    """Return the outputs that tell most: all that count for a delta, else the one of most loss.

    Parameters
    ----------
    left, right : Chances
        Without types; the outputs are too likely on the left.
    claim : Claim

    Raises
    ------
    Unsupported
        Where an output on the right is so close to one of them that floats may not tell them apart.
    """
    found = [_worst(left, right)]
    if isinstance(claim, ApproxDP) and not isinstance(left, Mixture):
        found = _excess(left, right, Fraction(claim.epsilon)) or found
    if isinstance(right, Mapping):
        _validate_apart([key for key, *_ in found], right)
    p, q = (sum((x[side] for x in found), _ZERO).ball for side in (1, 2))
    events = [shape_event(_shape(key)) for key, *_ in found]
    texts = [source for _, source in events]
    source = texts[0] if len(texts) == 1 else " or ".join(f"({text})" for text in texts)
    words = events[0][0]
    if len(found) > 1:
        words += f", or one of {len(found) - 1} others"
    return Shown(words, source, loss_at_least(p, q, claim.declared_delta), p, q)


def _validate_apart(keys: list[Any], right: Mapping[Any, Number]) -> None:
    """Refuse outputs that differ from one on the right by less than the tolerance of an event."""
    for key in keys:
        if any(other != key and q.sign() > 0 and _close(key, other) for other, q in right.items()):
            raise Unsupported("outputs that floats may not tell apart")


def _close(one: Any, other: Any) -> bool:
    """Return whether two keys are alike but for numbers that are nearly equal."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        if one[:1] == ("number",) == other[:1] and not isinstance(one[1], tuple | Mapping):
            return _nearly_equal(one[1], other[1])
        return all(map(_close, one, other))
    return type(one) is type(other) and bool(one == other)


def _nearly_equal(one: Any, other: Any) -> bool:
    if isinstance(other, tuple):
        return False
    whole = all(not isinstance(x, Number) and x.denominator == 1 for x in (one, other))
    if whole and abs(one) < 2**53:
        return bool(one == other)  # which floats and events tell apart
    near = _near(one)
    return abs(near - _near(other)) <= 2 * _TOLERANCE * max(1.0, abs(near))


def _excess(left: Any, right: Any, epsilon: Fraction) -> list[_Point]:
    """Return the outputs with p > e^epsilon q, those that exceed it most if they are many."""
    growth = Number(epsilon).exp()
    points = [(key, p, right.get(key, _ZERO)) for key, p in left.items()]
    beyond = [(point, point[1] - growth * point[2]) for point in points]
    beyond = [(point, excess) for point, excess in beyond if excess.sign() > 0]
    beyond.sort(key=lambda pair: -float(pair[1].ball.mid()))
    return [point for point, _ in beyond[:_MOST]]


def _worst(left: Chances, right: Chances) -> _Point:
    """Return the output with the largest ratio of probabilities."""
    points: Iterator[_Point]
    if isinstance(left, Mixture):
        points = _of_parts(left, right)
    else:
        assert isinstance(right, Mapping)
        points = ((key, p, right.get(key, _ZERO)) for key, p in left.items())
    best: _Point | None = None
    for key, p, q in points:
        if p.sign() == 0:
            continue
        if q.sign() == 0:
            return key, p, q
        if best is None or (p * best[2] - best[1] * q).sign() > 0:
            best = key, p, q
    assert best is not None
    return best


def _of_parts(left: Mixture, right: Chances) -> Iterator[_Point]:
    """Yield the output with the largest ratio of each branch."""
    for (p, product), partner in by_branch(left, right):
        q, others = (_ZERO, product.parts) if partner is None else (partner[0], partner[1].parts)
        keys = []
        for one, other in zip(product.parts, others, strict=True):
            key, a, b = _worst(one, other)
            if isinstance(other, Mapping):
                _validate_apart([key], other)
            keys.append(key)
            p, q = p * a, q * b
        yield plugged(product.shape, keys), p, q


def _shape(key: Any) -> Any:
    """Return the structure of the outputs with a key, as `dpaudit.formal.trial.shapes` takes it."""
    match key:
        case (str(), tail, end) if key[0] == TAIL:
            return _shape(_at(tail, end))
        case ("number", value):
            return ("told", _shown(value), _number(value))
        case ("plain", value):
            return ("value", type(value).__name__, repr(value))
        case ("float", text):
            return ("value", "float", text)
        case (("list" | "tuple") as kind, items):
            return (kind, tuple(map(_shape, items)))
        case ("array", size, items):
            return ("array", size, tuple(map(_shape, items)))
        case ("dict", pairs):
            return ("dict", tuple((_named(k), _shape(v)) for k, v in pairs))
        case ("set", members):
            return ("set", len(members))
        case ("raised", text):
            return ("raises", text)
    return key


def _named(key: Any) -> str:
    """Return a key of a dict as an expression of Python."""
    return f"{_near(key[1]):.17g}" if key[0] == "number" else pattern(_shape(key))


def _at(key: Any, end: Any) -> Any:
    """Return the key of an output with a range of its integer in place."""
    if isinstance(key, tuple) and key[:1] == (WHOLE,):
        return ("number", end)
    return tuple(_at(item, end) for item in key) if isinstance(key, tuple) else key


def _number(value: Any) -> str:
    """Return a predicate over a number, with ``{0}`` in its place."""
    if isinstance(value, tuple):
        side, end = value
        return f"{{0}} < {end}" if side == BELOW else f"{{0}} >= {end}"
    if isinstance(value, Number) or value.denominator != 1:
        near = _near(value)
        return f"abs({{0}} - {near!r}) <= {_TOLERANCE * max(1.0, abs(near))!r}"
    return f"{{0}} == {int(value)}"


def _near(value: Any) -> float:
    return float(value.ball.mid()) if isinstance(value, Number) else float(value)


def _shown(value: Any) -> str:
    """Return a number as text."""
    if isinstance(value, tuple):
        side, end = value
        return f"{end} and more" if side == FROM else f"less than {end}"
    return f"{_near(value):g}"
