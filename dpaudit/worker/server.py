"""The server from which workers are forked says nothing where the program that asked has ended.

It imports this module, see `dpaudit.worker.contexts`; no other program does.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _say(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Show an error, but not that nobody waits for a worker that was about to start."""
    if not issubclass(kind, (EOFError, ConnectionError)):
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = _say
