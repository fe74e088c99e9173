"""Laplace noise on an answer that is made of sums and order statistics."""

from __future__ import annotations

from typing import Any

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.lemma.application import Application, Lemma, alike, exact
from dpaudit.checker.lemma.conditions import moves
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.lemma.values import Largest, Noise, Num, public

LAPLACE = Lemma(
    "the Laplace mechanism",
    "Laplace noise of scale r on an answer that moves by at most d is (d/r)-DP",
    "Dwork & Roth 2014, Theorem 3.6",
    ("the answer moves by at most d between neighbors",),
)


def laplace(scene: Scene, left: Noise, right: Noise, claim: Any) -> Application:
    """Return what Laplace noise gives, on an answer that moves by at most what it pays for."""
    if left.law != "laplace" or isinstance(left.scale, Largest):
        raise NotCheckedError("not checked: noise of this law")
    r = alike(left.scale, right.scale)
    d = exact(claim.epsilon) * r
    if not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: this answer")
    if d.fraction is None:
        raise NotCheckedError("not checked: a scale that is not rational")
    what = "the answer moves by at most what the noise pays for"
    moves(scene, (left.centre, right.centre), public(d).text, what)
    return Application(LAPLACE, {"d": d, "r": r}, d / r)
