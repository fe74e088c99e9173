"""Conditions of several lemmas, proved for two neighboring datasets.

A vector has an entry A(x, k) for each number k of steps away from a dataset x. A profile of local
sensitivities has A(x, 0) >= 0 and A(x, k) <= A(x', min(k + 1, last)) for neighbors x, x'; an answer
f that moves by at most A(x, 0) and A(x', 0) moves by at most the profile.
"""

from __future__ import annotations

from dpaudit.checker.file import RejectedError
from dpaudit.checker.lemma.application import alike
from dpaudit.checker.lemma.closed import Closed
from dpaudit.checker.lemma.smt_context import PLACE, Scene
from dpaudit.checker.lemma.values import Num, Steps

GROWS = "entry k is at most entry min(k + 1, last) of every neighbor"
STARTS = "entry 0 is not negative"
LOCAL = "the answer moves by at most entry 0, at both of two neighbors"


def starts(scene: Scene, one: Steps, other: Steps) -> None:
    """Prove that there is an entry 0, and that it is not negative."""
    for steps in (one, other):
        with scene.aside():
            scene.prove(f"(>= {steps.length.text} 1)", (), "a vector has an entry")
            scene.prove(f"(>= {steps.entry('0').real} 0.0)", (), STARTS)


def grows(scene: Scene, one: Steps, other: Steps) -> None:
    """Prove that entry k of one is at most entry min(k + 1, last) of the other, both ways."""
    for here, there in ((one, other), (other, one)):
        last = f"(- {there.length.text} 1)"
        step = f"(ite (<= (+ {PLACE} 1) {last}) (+ {PLACE} 1) {last})"
        given = (f"(< {PLACE} {here.length.text})", f"(>= {there.length.text} 1)")
        with scene.aside():
            goal = f"(<= {here.entry(PLACE).real} {there.entry(step).real})"
            scene.prove(goal, given, GROWS)


def moves(scene: Scene, answers: tuple[Num, Num], most: str, what: str) -> None:
    """Prove that an answer moves by at most a number."""
    f, g = (answer.real for answer in answers)
    scene.prove(f"(<= (- {f} {g}) {most})", (), what)
    scene.prove(f"(<= (- {g} {f}) {most})", (), what)


def local(scene: Scene, answers: tuple[Num, Num], one: Steps, other: Steps) -> None:
    """Prove that the answer moves by at most entry 0 of both."""
    for steps in (one, other):
        with scene.aside():
            moves(scene, answers, steps.entry("0").real, LOCAL)


def decay(one: Steps, other: Steps) -> Closed:
    """Return the rate at which both vectors decay with the distance."""
    rate: Closed = alike(one.decay, other.decay)
    if rate.sign() < 0:
        raise RejectedError("a bound that grows with the distance")
    return rate
