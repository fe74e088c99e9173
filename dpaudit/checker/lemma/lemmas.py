"""The lemmas, with what each needs of two neighboring datasets, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.lemma.cells import Inside
from dpaudit.checker.lemma.closed import Closed, closed
from dpaudit.checker.lemma.library import above
from dpaudit.checker.lemma.scene import PLACE, Scene
from dpaudit.checker.lemma.values import (
    ZERO,
    FirstBeyond,
    Histogram,
    Largest,
    Noise,
    Num,
    Raised,
    Steps,
    Trial,
    public,
)
from dpaudit.claims import ApproxDP, PureDP

GROWS = "entry k is at most entry min(k + 1, last) of every neighbor"
STARTS = "entry 0 is not negative"
MOVES = "what is added to the logarithm of a segment's length moves by l at least and u at most"
MOST = "entry 0 is at most G"
LOCAL = "the answer moves by at most entry 0, at both of two neighbors"


@dataclass(frozen=True, slots=True)
class Found:
    """What a lemma gives.

    Attributes
    ----------
    name : str
    numbers : dict of str to Closed
    epsilon, delta : Closed
    place : str
        Of the noise.
    """

    name: str
    numbers: dict[str, Closed]
    epsilon: Closed
    delta: Closed
    place: str


def sign(value: Any) -> int:
    """Return the sign of a number.

    Raises
    ------
    NotCheckedError
        Where it is too close to 0.
    """
    return closed(value).sign()


def applied(scene: Scene, ends: Sequence[Any], trial: Sequence[Any], claim: Any) -> Found:
    """Return what the lemma on a program gives.

    Parameters
    ----------
    scene : Scene
    ends : sequence
        What comes out on the dataset and on that with a record more.
    trial : sequence of (Trial, Any)
        Of both, with what comes out where it fails; empty where there is none.
    claim : PureDP or ApproxDP

    Raises
    ------
    RejectedError
        Where a condition does not hold.
    NotCheckedError
        Where none is about the program.
    """
    left, right = ends
    if type(left) is not type(right):
        raise NotCheckedError("not checked: neighbors with different outputs")
    if trial:
        scene.added()
        return _propose_test_release(scene, (left, right), trial, claim)
    if isinstance(left, Inside):
        return _interval(scene, left, right, claim)
    scene.added()
    match left:
        case Noise(scale=Largest()):
            return _smooth(scene, left, right, claim)
        case Noise(centre=FirstBeyond() as first):
            return _noisy_distance(scene, left, right, first)
        case Noise(centre=Num()):
            return _laplace(scene, left, right, claim)
        case Raised():
            return _logarithm(scene, left, right)
        case Histogram():
            return _histogram(left)
    raise NotCheckedError("not checked: an output of which no lemma speaks")


def _of(
    name: str, noise: Noise, numbers: dict[str, Closed], epsilon: Closed, delta: Any = 0
) -> Found:
    return Found(name, numbers, epsilon, closed(delta), noise.place)


def _alike(one: Any, other: Any) -> Any:
    """Return a number that both datasets share."""
    texts = [each.text if isinstance(each, Closed) else each for each in (one, other)]
    if texts[0] != texts[1]:
        raise NotCheckedError("not checked: a public number that neighbors do not share")
    return one


# --- conditions


def _sides(one: Steps, other: Steps) -> tuple[tuple[Steps, Steps], ...]:
    return (one, other), (other, one)


def _starts(scene: Scene, one: Steps, other: Steps) -> None:
    for steps in (one, other):
        with scene.aside():
            scene.prove(f"(>= {steps.length.text} 1)", (), "a vector has an entry")
            scene.prove(f"(>= {steps.entry('0').real} 0.0)", (), STARTS)


def _grows(scene: Scene, one: Steps, other: Steps) -> None:
    """Prove that entry k of one is at most entry min(k + 1, last) of the other."""
    for here, there in _sides(one, other):
        last = f"(- {there.length.text} 1)"
        step = f"(ite (<= (+ {PLACE} 1) {last}) (+ {PLACE} 1) {last})"
        given = (f"(< {PLACE} {here.length.text})", f"(>= {there.length.text} 1)")
        with scene.aside():
            goal = f"(<= {here.entry(PLACE).real} {there.entry(step).real})"
            scene.prove(goal, given, GROWS)


def _local(scene: Scene, answers: tuple[Num, Num], one: Steps, other: Steps) -> None:
    """Prove that the answer moves by at most entry 0 of both."""
    f, g = (answer.real for answer in answers)
    for steps in (one, other):
        with scene.aside():
            most = steps.entry("0").real
            scene.prove(f"(<= (- {f} {g}) {most})", (), LOCAL)
            scene.prove(f"(<= (- {g} {f}) {most})", (), LOCAL)


def _decay(one: Steps, other: Steps) -> Closed:
    decay: Closed = _alike(one.decay, other.decay)
    if sign(decay) < 0:
        raise RejectedError("a bound that grows with the distance")
    return decay


# --- lemmas


def _smooth(scene: Scene, left: Noise, right: Noise, claim: Any) -> Found:
    if not (isinstance(left.scale, Largest) and isinstance(right.scale, Largest)):
        raise NotCheckedError("not checked: scales of two kinds")
    c = _alike(left.scale.factor, right.scale.factor)
    if sign(c) <= 0 or not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: a scale that may be negative, or no number below it")
    one, other = left.scale.steps, right.scale.steps
    b = _decay(one, other)
    _starts(scene, one, other)
    _grows(scene, one, other)
    _local(scene, (left.centre, right.centre), one, other)
    numbers = {"b": b, "c": c}
    if left.law == "standard_cauchy":
        return _of("smooth sensitivity", left, numbers, b + 1 / c)
    if left.law != "laplace" or type(claim) is not ApproxDP:
        raise NotCheckedError(f"not checked: {left.law} noise by a smooth bound")
    a = _exact(claim.epsilon) - 1 / c
    if sign(a - b) < 0:
        raise RejectedError("a smooth bound that changes more than the claim leaves")
    if sign(b) == 0:
        return _of("smooth sensitivity", left, numbers, 1 / c)
    # The largest excess of Laplace densities of scales e^b and 1, the ratio less than e^a.
    delta = (1 - (-b).exp()) * (-(a + b) / (b.exp() - 1)).exp()
    return _of("smooth sensitivity", left, {**numbers, "a": a}, _exact(claim.epsilon), delta)


def _logarithm(scene: Scene, left: Raised, right: Raised) -> Found:
    if left.times is None or right.times is None or left.noise.law != "laplace":
        raise NotCheckedError("not checked: e to the power of noise")
    s = _alike(left.noise.scale, right.noise.scale)
    centred = all(isinstance(r.noise.centre, Num) and _is_zero(r.noise.centre)
                  for r in (left, right))  # fmt: skip
    if isinstance(s, Largest) or not centred:
        raise NotCheckedError("not checked: an exponent that is not Laplace noise alone")
    if sign(_alike(left.times.factor, right.times.factor)) <= 0:
        raise NotCheckedError("not checked: a factor that is not positive")
    one, other = left.times.steps, right.times.steps
    b = _decay(one, other)
    _starts(scene, one, other)
    _grows(scene, one, other)
    return _of("the logarithm of a smooth bound", left.noise, {"b": b, "s": s}, b / s)


def _is_zero(centre: Any) -> bool:
    return isinstance(centre, Num) and centre.closed is not None and centre.closed.fraction == 0


def _distance(scene: Scene, one: FirstBeyond, other: FirstBeyond) -> Closed:
    """Prove that the first place is there, and moves by at most 1; return the bound."""
    _alike(one.plus, other.plus)
    _alike(one.beyond.strict, other.beyond.strict)
    bound: Closed = _alike(one.beyond.bound, other.beyond.bound)
    for beyond in (one.beyond, other.beyond):
        with scene.aside():
            goal = above(beyond, f"(- {beyond.steps.length.text} 1)")
            scene.prove(goal, (), "the distance is finite")
    _grows(scene, one.beyond.steps, other.beyond.steps)
    return bound


def _noisy_distance(scene: Scene, left: Noise, right: Noise, first: FirstBeyond) -> Found:
    scale = _alike(left.scale, right.scale)
    if left.law != "laplace" or not isinstance(right.centre, FirstBeyond):
        raise NotCheckedError("not checked: noise of this law on a distance")
    _distance(scene, first, right.centre)
    return _of("the distance to instability", left, {"r": scale}, 1 / scale)


def _propose_test_release(
    scene: Scene, released: tuple[Any, Any], trials: Sequence[tuple[Trial, Any]], claim: Any
) -> Found:
    (one, failed), (other, failed_there) = trials
    tested, tested_there = one.noise, other.noise
    public_end = failed is None and failed_there is None
    first, second = tested.centre, tested_there.centre
    left, right = released
    noisy = isinstance(left, Noise) and isinstance(right, Noise)
    if not (public_end and noisy) or {tested.law, left.law, right.law} != {"laplace"}:
        raise NotCheckedError("not checked: a test of noise of which no lemma speaks")
    if not (isinstance(first, FirstBeyond) and isinstance(second, FirstBeyond)):
        raise NotCheckedError("not checked: a test of noise on what is no distance")
    if left.draw == tested.draw or isinstance(left.scale, Largest):
        raise RejectedError("one noise for a test and for the answer")
    r, s = _alike(tested.scale, tested_there.scale), _alike(left.scale, right.scale)
    threshold = _alike(one.threshold, other.threshold) - first.plus
    if isinstance(r, Largest) or sign(threshold) < 0:
        raise RejectedError("a test whose threshold is below zero")
    if not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: this answer")
    bound = _distance(scene, first, second)
    _local(scene, (left.centre, right.centre), first.beyond.steps, second.beyond.steps)
    numbers = {"r": r, "s": s, "b": bound, "T": threshold}
    delta = (-threshold / r).exp() / 2
    found = _of("propose-test-release", tested, numbers, 1 / r + bound / s, delta)
    if scene.told is None:
        return found
    # Told that the answer moves by at most G. Of Laplace laws that far apart all but a part of
    # what exceeds e^epsilon is lost: 1 - e^((epsilon - G/s)/2).
    far, epsilon = closed(scene.told), _exact(claim.epsilon)
    if sign(epsilon - found.epsilon) < 0 or sign(far / s - epsilon) < 0:
        raise RejectedError("a bound on an answer of which the lemma does not speak")
    for beyond in (first.beyond, second.beyond):
        with scene.aside():
            goal = f"(<= {beyond.steps.entry('0').real} {public(far).text})"
            scene.prove(goal, (), MOST)
    excess = 1 - ((epsilon - far / s) / 2).exp()
    name = "propose-test-release of a bounded answer"
    return _of(name, tested, {**numbers, "G": far}, epsilon, delta * excess)


def _histogram(found: Histogram) -> Found:
    draws, threshold = found.cut.noisy.draws, found.cut.threshold
    r = draws.scale
    if draws.law != "laplace" or sign(threshold - 1) < 0:
        raise RejectedError("counts whose threshold is below one, or without Laplace noise")
    delta = (-(threshold - 1) / r).exp() / 2
    numbers = {"r": r, "T": threshold}
    return Found("stability-based histograms", numbers, 1 / r, delta, draws.place)


def _laplace(scene: Scene, left: Noise, right: Noise, claim: Any) -> Found:
    if left.law != "laplace" or isinstance(left.scale, Largest):
        raise NotCheckedError("not checked: noise of this law")
    r = _alike(left.scale, right.scale)
    most = _exact(claim.epsilon) * r
    if not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: this answer")
    f, g, far = left.centre.real, right.centre.real, public(most).text
    if not far:
        raise NotCheckedError("not checked: a scale that is not rational")
    for goal in (f"(<= (- {f} {g}) {far})", f"(<= (- {g} {f}) {far})"):
        scene.prove(goal, (), "the answer moves by at most what the noise pays for")
    return _of("the Laplace mechanism", left, {"d": most, "r": r}, most / r)


def _interval(scene: Scene, left: Inside, right: Inside, claim: Any) -> Found:
    """Prove how far the logarithm of the density moves, but for what all points have in common.

    That is what is added to the logarithm of a length, at the number of values below a point.
    """
    one, other = left.logs.order, right.logs.order
    first, last = scene.orders[one.name].first, scene.orders[one.name].last
    alike = one.name == other.name and one.more == other.more == 2
    if not alike or first is None or last is None or first >= last:
        raise NotCheckedError("not checked: a point of other segments")
    most = _exact(claim.epsilon)
    for low, high in ((most * -1 / 2, most / 2), (-most, ZERO), (ZERO, most)):
        try:
            with scene.aside():
                _within(scene, left.logs.added, right.logs.added, (low, high))
        except RejectedError:
            continue
        numbers = {"l": low, "u": high}
        name = "the exponential mechanism over an interval"
        return Found(name, numbers, high - low, closed(0), left.place)
    raise RejectedError(f"it does not follow that {MOVES}, with u - l = {claim.epsilon}")


def _within(scene: Scene, here: Steps, there: Steps, bounds: tuple[Closed, Closed]) -> None:
    low, high = (public(bound).text for bound in bounds)
    known = f"(<= {PLACE} n)"
    others = (PLACE, known), (f"(+ {PLACE} 1)", known)
    if scene.replaced:  # what has k values below it may have one more or one less
        up, down = f"(+ {PLACE} 1)", f"(- {PLACE} 1)"
        others = (up, f"(<= {up} n)"), (down, f"(and (<= 0 {down}) {known})")
    for place, given in others:
        far = f"(- {there.entry(place).real} {here.entry(PLACE).real})"
        scene.prove(f"(and (<= {low} {far}) (<= {far} {high}))", (given,), MOVES)


def _exact(value: float) -> Closed:
    return closed(Fraction(value))


def validate_within(found: Found, claim: Any) -> None:
    """Refuse what exceeds the claim."""
    delta = _exact(claim.declared_delta) if type(claim) is ApproxDP else ZERO
    if type(claim) not in (PureDP, ApproxDP):
        raise NotCheckedError("not checked: a claim of this type")
    if sign(found.epsilon - _exact(claim.epsilon)) > 0 or sign(found.delta - delta) > 0:
        raise RejectedError(
            f"the lemma gives epsilon {found.epsilon.text}, delta {found.delta.text}"
        )
