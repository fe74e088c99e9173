"""Whether a mechanism is VERIFIED by its proofs alone: no counterexample may come before them.

A test that a broken mechanism is not proved asks this. It is quicker than `dpaudit.verify`, which
goes on to look for a counterexample and to run the code, and it is stricter: each way of proving is
tried to its end, though a refutation would come before, and no second look beats the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import dpaudit
from dpaudit import auditor
from dpaudit.formal import attempts, exact
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported


def is_proved(mechanism: Any, claim: Any, neighbors: Any) -> bool:
    """Return whether `dpaudit.verify` would have a proof that the checker accepts."""
    with _proofs_alone():
        report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is not dpaudit.Verdict.REFUTED
    return report.verdict is dpaudit.Verdict.VERIFIED


def prover_alone(timeout: float | None) -> list[Any]:
    """Return the engines of a `dpaudit.verify` that does not run what it cannot decide."""
    return [auditor._Prover(timeout)]


@contextmanager
def _proofs_alone() -> Iterator[None]:
    with (
        patch.object(auditor, "_verifying", prover_alone),
        patch.object(attempts, "_attempts", _proofs),
        patch.object(attempts, "_second_look", lambda proof, *_, **__: proof),
        patch.object(exact, "_sampled", lambda *_: None),
    ):
        yield


def _proofs(subject: Any, runner: Any, ways: Any = attempts._attempts) -> Any:
    _seeded, *proofs, _running = ways(subject, runner)
    return tuple((part, what, _proof(attempt)) for part, what, attempt in proofs)


def _proof(attempt: Any) -> Any:
    def proof(*given: Any, **options: Any) -> Any:
        found = attempt(*given, **options)
        if isinstance(found, Counterexample):
            raise Unsupported("a counterexample was found")
        return found

    return proof
