"""The assumptions of a derivation, written anew."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.checker.file import RejectedError
from dpaudit.checker.stated import Stated


def validate_assumptions(stated: Stated, found: Sequence[str]) -> None:
    """Refuse a certificate that lists other assumptions than those it rests on."""
    wanted = [f"{name} is {kind}" for name, kind in stated.kinds.items()]
    wanted += stated.given
    if stated.neighbors is not None:
        wanted += stated.neighbors.assumptions()
        wanted += unproved(stated)
        for way, moved in stated.moved.items():
            does = ", ".join(f"{name} becomes {text}" for name, text in moved.items())
            wanted.append(f"in the case {way!r} {does}, and nothing else changes")
    for sentence in wanted:
        if sentence not in found:
            raise RejectedError(f"`assumptions` lacks {sentence!r:.120}")
    for sentence in found:
        if sentence not in wanted:
            raise RejectedError(f"`assumptions` has {sentence!r:.120}, on which nothing rests")


def unproved(stated: Stated) -> list[str]:
    """Return, for each case without a formula of the change, that it is taken on trust."""
    return [
        f"{step.starts} bounds the change of {stated.query} in the case {step.case!r} (not proved)"
        for step in stated.steps
        if step.first and step.case is not None and step.case not in stated.changes
    ]
