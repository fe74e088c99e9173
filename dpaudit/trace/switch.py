"""Who answers the noise calls of a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dpaudit.trace.draws import Director, Hands, Price, Request
from dpaudit.trace.signatures import Signature, bound

INHERITED = "_dpaudit_director"


class _Local(threading.local):
    director: Director | None = None
    asked: bool = False  # whether the thread that started this one has been asked
    busy: bool = False


_local = _Local()
passed: set[int] = set()  # owners of noise calls that nobody answered while they were watched


def current() -> Director | None:
    """Return who answers noise calls here and now; None where they are to pass."""
    if _local.busy:
        return None
    if _local.director is None and not _local.asked:
        _local.asked = True
        _local.director = vars(threading.current_thread()).pop(INHERITED, None)
    return _local.director


def attended() -> bool:
    """Whether a director is there, be it busy or not."""
    return current() is not None or _local.director is not None


class directed:  # noqa: N801
    """A context in which a director answers this thread's noise calls, or nobody.

    Parameters
    ----------
    director : Director or None
    """

    __slots__ = ("_before", "_director")

    def __init__(self, director: Director | None) -> None:
        self._director = director

    def __enter__(self) -> None:
        self._before = current(), _local.busy
        _local.director, _local.busy = self._director, False

    def __exit__(self, *_: object) -> None:
        _local.director, _local.busy = self._before


@contextmanager
def unwatched() -> Iterator[None]:
    """Let the noise calls of this thread pass."""
    before = _local.busy
    _local.busy = True
    try:
        yield
    finally:
        _local.busy = before


def plain(value: Any) -> Any:
    """Return a value without tracing types; lists and tuples to their first level."""
    kind = type(value)
    if kind is float or kind is int:
        return value
    if hasattr(kind, "_dpaudit_plain"):
        return value._dpaudit_plain()
    if kind in (list, tuple) and any(hasattr(type(each), "_dpaudit_plain") for each in value):
        return kind(plain(each) for each in value)
    return value


def answering(
    kind: str,
    source: str,
    signature: Signature,
    original: Callable[..., Any],
    replaced: Callable[[Hands], Callable[..., Any]],
    owner: int,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:
    """Answer one noise call: by the director of this thread, or as ever where there is none."""
    noise = kind, source, bound(signature, args, kwargs), None
    return asking(noise, original, replaced, owner, args, kwargs)


def asking(
    noise: tuple[str, str, Mapping[str, Any], Price | None],
    original: Callable[..., Any],
    replaced: Callable[[Hands], Callable[..., Any]],
    owner: int,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:
    """Answer a noise call whose kind, source, arguments and price are known."""
    director = current()
    if director is None:
        if not _local.busy:
            passed.add(owner)
        return original(*args, **kwargs)

    def call(function: Callable[..., Any]) -> Any:
        return function(*map(plain, args), **{n: plain(value) for n, value in kwargs.items()})

    def natural() -> Any:
        return call(original)

    def again(hands: Hands) -> Any:
        return call(replaced(hands))

    kind, source, arguments, price = noise
    request = Request(kind, source, arguments, again, owner, price)

    _local.busy = True
    try:
        return director.draw(request, natural)
    finally:
        _local.busy = False


def noting_seed(source: str, seed: Any, owner: int) -> None:
    """Tell the director of this thread that a generator is seeded."""
    director = current()
    if director is None:
        passed.add(owner)
        return
    director.draw(Request("seed", source, {"seed": seed}, lambda _: None, owner), lambda: None)


def noting_state() -> None:
    """Tell the director of this thread that the state of a generator is read, set or copied."""
    director = current()
    if director is not None:
        getattr(director, "state_seen", lambda: None)()


def started_by(thread: threading.Thread) -> None:
    """Give a thread that starts now a director of its own."""
    director = current()
    if director is not None:
        setattr(thread, INHERITED, director.branch())


def carried(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return work for the thread of a pool, under a director of its own."""
    director = current()
    if director is None:
        return work
    branch = director.branch()

    def run(*args: Any, **kwargs: Any) -> Any:
        with directed(branch):
            return work(*args, **kwargs)

    return run
