"""A session: several queries against one object, as one mechanism."""

from __future__ import annotations

import copy
import difflib
import hashlib
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PYTHONS = frozenset({*sys.stdlib_module_names, "numpy", "pandas", "polars", "scipy", "torch"})
_NO_CALL = re.compile(r"missing \d+ required|takes .* positional|got (an unexpected|multiple)")
_HEAD = """\
def made({names}):
    def session({parameters}):
        engine = factory({parameters})
        answers = []
"""
_QUERY = """\
        try:
            answer = {query}
            answers.append(copied(answer))
        except Exception as error:
            answers.append(error)
            if ends(error):
                return answers
"""
_TAIL = """\
        return answers
    return session
"""
Query = str | tuple[Any, ...] | Callable[[Any, tuple[Any, ...]], Any]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a session treats exceptions.

    Attributes
    ----------
    refusals : tuple of type, optional
        Those after which it goes on; None for all that are not Python's own.
    place : (file, line)
        Where the session was made: its own code is in no file.
    file, source : str
        The name that its code has for a file, and that code.
    """

    refusals: tuple[type[BaseException], ...] | None
    place: tuple[str, int]
    file: str
    source: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _known, (self.refusals, self.place, self.file, self.source)

    def goes_on(self, cls: type[BaseException]) -> bool:
        """Return whether the session takes an exception for an answer, and goes on."""
        return is_own(cls) if self.refusals is None else issubclass(cls, self.refusals)

    def ends(self, error: BaseException) -> bool:
        """Return whether an exception ends the session; it forgets where it was raised.

        Raises
        ------
        TypeError
            Where no method was entered: the query names none, or its arguments are not those.
        """
        _validate_entered(error)
        error.__traceback__ = error.__context__ = None
        return not self.goes_on(type(error))


_PLANS: dict[str, _Plan] = {}


def _known(
    refusals: tuple[type[BaseException], ...] | None,
    place: tuple[str, int],
    file: str,
    source: str,
) -> _Plan:
    """Return a plan whose code engines find under its file, in a process that is sent it too."""
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    _PLANS[file] = _Plan(refusals, place, file, source)
    return _PLANS[file]


def Session(  # noqa: N802 - a noun, as the mechanisms that it makes
    factory: Callable[..., Any],
    queries: Sequence[Query],
    *,
    refusals: type[BaseException] | Sequence[type[BaseException]] | None = None,
) -> Callable[..., list[Any]]:
    """Return a mechanism that makes an object and asks it several queries.

    Parameters
    ----------
    factory : callable
        ``(data, rng)`` or ``(data)``; returns the object that holds the data, anew for each call.
    queries : sequence
        Each is the name of a method, or a tuple of such a name and its arguments. A dict at the
        end of a tuple holds keywords. A query may also be a callable ``(object, answers) ->
        answer``. It is given the answers so far, and may choose its query by them.
    refusals : class of exceptions, or sequence of them, optional
        After which the session continues. Unless given, those of classes that neither Python nor a
        numerical library defines, such as a ``BudgetExceeded``.

    Returns
    -------
    callable
        A mechanism whose output is the list of all answers, each as it was when it was given. A
        refusal stands in it as an answer; any other exception is the last answer, as the session
        ends there.

    Raises
    ------
    TypeError, ValueError
        Where there is no query, or one is none of these. The mechanism raises TypeError where a
        query names no method of the object, or does not fit its parameters.

    Notes
    -----
    All engines see through it as if the calls were written one after the other. Proofs follow
    refusals of classes of your own. If `refusals` names a class that Python raises itself, such as
    ValueError, there is no proof.

    Examples
    --------
    >>> class Counter:
    ...     def __init__(self, data, rng):
    ...         self.data, self.rng, self.left = data, rng, 1.0
    ...     def count(self, epsilon):
    ...         self.left -= epsilon
    ...         return len(self.data) + self.rng.laplace(scale=1 / epsilon)
    >>> session = Session(Counter, [("count", 0.5), ("count", {"epsilon": 0.5})])
    >>> import numpy as np
    >>> len(session(np.zeros(3), np.random.default_rng(0)))
    2
    """
    caller = sys._getframe(1)
    place = caller.f_code.co_filename, caller.f_lineno
    accepted = _validated_refusals(refusals)
    if not callable(factory):
        raise TypeError(f"`factory` must be callable as (data, rng) or (data), got {factory!r}")
    if isinstance(queries, str) or not queries:
        raise ValueError(
            f'`queries` must be a sequence such as ["count", ("mean", 0.5)], got {queries!r}'
        )
    cells: dict[str, Any] = {"factory": factory, "ends": None, "copied": copy.deepcopy}
    written = [_query(query, number, cells) for number, query in enumerate(queries)]
    parameters = "data, rng" if _takes_rng(factory) else "data"
    source = _HEAD.format(names=", ".join(cells), parameters=parameters)
    source += "".join(_QUERY.format(query=query) for query in written) + _TAIL
    file = _file(f"{source}{accepted}", accepted)
    cells["ends"] = _known(accepted, place, file, source).ends
    space: dict[str, Any] = {}
    exec(compile(source, file, "exec", dont_inherit=True), space)
    session: Callable[..., list[Any]] = space["made"](**cells)
    session.__module__ = caller.f_globals.get("__name__", __name__)
    return session


def _file(text: str, refusals: Any) -> str:
    """Return a file of no other session that takes other classes of the same names for answers."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    file = str(Path(__file__).with_name(f"session-{digest}.py"))
    known = _PLANS.get(file)
    return file if known is None or known.refusals == refusals else _file(digest, refusals)


def session_of(file: str) -> _Plan | None:
    """Return how the session whose code is of a file treats exceptions, None for other files.

    Parameters
    ----------
    file : str
    """
    return _PLANS.get(file)


def _validate_entered(error: BaseException) -> None:
    """Refuse an exception of the call itself, which is a slip in the queries and no answer."""
    trace = error.__traceback__
    if trace is None or trace.tb_next is not None:
        return  # raised inside of a method
    engine = trace.tb_frame.f_locals.get("engine")
    kind = type(engine).__name__
    if isinstance(error, AttributeError) and error.obj is engine:
        names = [name for name in dir(engine) if not name.startswith("_")]
        close = difflib.get_close_matches(str(error.name), names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(names)}"
        raise TypeError(f"a query of the Session names {error.name!r}, and {kind} has none; {hint}")
    if isinstance(error, TypeError) and _NO_CALL.search(str(error)):
        raise TypeError(f"a query of the Session does not fit its method: {error}")


def is_own(cls: type[BaseException]) -> bool:
    """Return whether a class of exceptions is neither Python's nor a numerical library's.

    Parameters
    ----------
    cls : type
    """
    return cls.__module__.partition(".")[0] not in _PYTHONS


def _query(query: Any, number: int, cells: dict[str, Any]) -> str:
    """Return the call of one query; what is not text becomes a variable of the session."""
    name, *given = (query,) if isinstance(query, str) else query if _is_call(query) else (None,)
    if name is None and not callable(query):
        raise TypeError(
            f"a query must be a method's name, a tuple of it and arguments, or a callable "
            f'(object, answers), got {query!r}. For example "count" or ("mean", 0.5)'
        )
    if name is None:
        cells[f"query{number}"] = query
        return f"query{number}(engine, tuple(answers))"
    if not name.isidentifier():
        raise ValueError(f"a query must name a method, got {name!r}; give one such as 'count'")
    keywords = given.pop() if given and isinstance(given[-1], dict) else {}
    arguments = []
    for place, (key, value) in enumerate([*((None, each) for each in given), *keywords.items()]):
        cell = f"argument{number}_{place}"
        cells[cell] = value
        arguments.append(cell if key is None else f"{key}={cell}")
    return f"engine.{name}({', '.join(arguments)})"


def _is_call(query: Any) -> bool:
    return isinstance(query, tuple) and bool(query) and isinstance(query[0], str)


def _validated_refusals(refusals: Any) -> tuple[type[BaseException], ...] | None:
    if refusals is None:
        return None
    every = tuple(refusals) if isinstance(refusals, Sequence) else (refusals,)
    for each in every:
        if not isinstance(each, type) or not issubclass(each, Exception):
            raise TypeError(f"`refusals` must be classes of exceptions, got {each!r}")
    return every


def _takes_rng(factory: Callable[..., Any]) -> bool:
    """Return whether a factory takes a generator beside the data."""
    try:
        parameters = list(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    if len(required) > 2:
        names = ", ".join(p.name for p in required)
        raise TypeError(
            f"`factory` must take (data, rng) or (data), got ({names}); fix the others by a "
            "lambda, such as lambda data, rng: Engine(data, 1.0, rng)"
        )
    return len(required) == 2 or (len(positional) > 1 and positional[1].name == "rng")
