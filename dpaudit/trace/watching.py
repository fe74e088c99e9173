"""Watches code as it runs, line by line: by `sys.monitoring` from Python 3.12, else `sys.settrace`.

Both give a trace function in the sense of `sys.settrace` the same calls. `sys.monitoring` (PEP 669)
leaves a debugger's trace function and code that is not followed alone.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType, FrameType
from typing import Any

from dpaudit.trace.draws import is_users

Watch = Callable[[FrameType, str, Any], Any]


def watching(watch: Watch | None) -> AbstractContextManager[None]:
    """Let a trace function see the user's code that this thread runs in the block.

    Parameters
    ----------
    watch : callable or None
        Called with a frame, ``"call"`` and None, it returns None, or what is to be called in its
        place with ``"line"`` and, with what the frame returns, ``"return"``.
    """
    if watch is None:
        return nullcontext()
    if sys.version_info >= (3, 12):
        tool = _free_tool()
        if tool is not None:
            return _monitored(watch, tool)
    return _traced(watch)


@contextmanager
def _traced(watch: Watch) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(before)


if sys.version_info >= (3, 12):

    def _free_tool() -> int | None:
        """Return a number by which nothing else monitors, None where there is none."""
        return next((i for i in range(6) if sys.monitoring.get_tool(i) is None), None)

    @contextmanager
    def _monitored(watch: Watch, tool: int) -> Iterator[None]:
        monitoring = sys.monitoring
        events = monitoring.events
        thread = threading.get_ident()
        followers: dict[FrameType, Any] = {}
        followed: set[CodeType] = set()

        def begun(code: CodeType, _: int, *thrown: BaseException) -> Any:
            if not is_users(code):
                return None if thrown else monitoring.DISABLE
            if threading.get_ident() == thread:
                frame = sys._getframe(1)
                follower = watch(frame, "call", None)
                if follower is not None:
                    followers[frame] = follower
                    if code not in followed:
                        followed.add(code)
                        inside = events.LINE | events.PY_RETURN | events.PY_YIELD
                        monitoring.set_local_events(tool, code, inside)
            return None

        def told(frame: FrameType, event: str, argument: Any) -> None:
            follower = followers.pop(frame, None)
            if follower is not None:
                again = follower(frame, event, argument)
                if event == "line":
                    followers[frame] = follower if again is None else again

        def line(*_: Any) -> None:
            told(sys._getframe(1), "line", None)

        def ended(*said: Any) -> None:
            told(sys._getframe(1), "return", said[-1])

        def unwound(*_: Any) -> None:
            told(sys._getframe(1), "return", None)

        called = {
            events.PY_START: begun,
            events.PY_RESUME: begun,
            events.PY_THROW: begun,
            events.PY_UNWIND: unwound,
            events.LINE: line,
            events.PY_RETURN: ended,
            events.PY_YIELD: ended,
        }
        monitoring.use_tool_id(tool, "dpaudit")
        try:
            for event, function in called.items():
                monitoring.register_callback(tool, event, function)
            whole = events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND
            monitoring.set_events(tool, whole)
            yield
        finally:
            monitoring.set_events(tool, 0)
            for code in followed:
                monitoring.set_local_events(tool, code, 0)
            for event in called:
                monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)
