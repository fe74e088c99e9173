"""What a program tells the accountants of dp-accounting that it spends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.extras import optional
from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.draws import SPENT


def primitives() -> Iterator[Primitive]:
    """Yield the method that events are composed with."""
    accounting = optional("dp_accounting.privacy_accountant")
    yield Primitive(accounting.PrivacyAccountant, "compose", _spent)


def _spent(accountant: Any, event: Any, count: int = 1) -> Noise:
    return Noise(SPENT, {"event": event, "count": count, "accountant": type(accountant).__name__})
