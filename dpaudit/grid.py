"""The grid of settings of a family: every combination of values, and what each one audits."""

from __future__ import annotations

import difflib
import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.reference import reference
from dpaudit.subject import MARK, imported

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_EXAMPLE = '{"epsilon": [0.1, 1, 8]}'
_CLAIM = ("claim", ("delta", "half_planes"), "PureDP(1.0)")
_NEIGHBORS = ("neighbors", ("pairs", "shrink"), "AddRemove(Real(0, 100))")


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of a grid, and what is audited there.

    Attributes
    ----------
    setting : dict of str to Any
    mechanism : callable
        With the parameters that it has of the setting fixed.
    claim : Claim
    neighbors : Neighbors
    """

    setting: dict[str, Any]
    mechanism: Any
    claim: Claim
    neighbors: Neighbors

    def __str__(self) -> str:
        return described(self.setting)


def settings_of(over: object) -> tuple[dict[str, Any], ...]:
    """Return every setting of a grid, the last parameter changing first.

    Parameters
    ----------
    over : mapping of str to iterable
        Values by name of a parameter.

    Raises
    ------
    TypeError, ValueError
        If it is no such mapping, a list is empty, or a value is listed twice.

    Examples
    --------
    >>> settings_of({"epsilon": [0.1, 1], "size": [5]})
    ({'epsilon': 0.1, 'size': 5}, {'epsilon': 1, 'size': 5})
    """
    if not isinstance(over, Mapping) or not all(isinstance(name, str) for name in over):
        raise TypeError(
            f"`over` must map names of parameters to lists of values, got {over!r:.200}; "
            f"write over={_EXAMPLE}"
        )
    if not over:
        raise ValueError(f"`over` names no parameter; write over={_EXAMPLE}, or leave it out")
    lists = {name: _listed(name, values) for name, values in over.items()}
    return tuple(
        dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())
    )


def _listed(name: str, values: object) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(
            f'`over["{name}"]` must be a list of values, got {values!r:.200}; '
            f"put a single value in brackets: [{values!r:.80}]"
        )
    listed = [v.item() if type(v).__module__ == "numpy" and v.ndim == 0 else v for v in values]
    if not listed:
        raise ValueError(
            f'`over["{name}"]` is empty; list at least one value, or leave {name!r} out'
        )
    texts = [repr(value) for value in listed]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise ValueError(f'`over["{name}"]` lists {twice} twice; list each value once')
    return listed


def described(setting: Mapping[str, Any]) -> str:
    """Return a setting in words.

    Parameters
    ----------
    setting : mapping

    Examples
    --------
    >>> described({"epsilon": 0.1, "size": 5})
    'epsilon=0.1, size=5'
    """
    return ", ".join(f"{name}={value!r:.60}" for name, value in setting.items())


def cells_of(mechanism: Any, claim: Any, neighbors: Any, over: object) -> tuple[Cell, ...]:
    """Return what is audited at each setting.

    Parameters
    ----------
    mechanism : callable, str or None
        Gets those parameters of the setting that it has; None where it is not to be looked at yet.
    claim : Claim or callable
        A function, or a class such as `PureDP`, gets the parameters of the setting that it names.
    neighbors : Neighbors or callable
        Likewise.
    over : mapping of str to iterable

    Raises
    ------
    TypeError, ValueError
        If `over` is no grid, nothing takes one of its parameters, or a function of the setting
        names another one, raises, or returns something else.
    """
    settings = settings_of(over)
    function = imported(mechanism) if isinstance(mechanism, str) else mechanism
    names = list(settings[0])
    own = [] if function is None else _own(function, names, (claim, neighbors))
    return tuple(
        Cell(
            setting,
            functools.partial(function, **{name: setting[name] for name in own})
            if own
            else function,
            _at(claim, setting, *_CLAIM),
            _at(neighbors, setting, *_NEIGHBORS),
        )
        for setting in settings
    )


def _own(
    mechanism: Callable[..., Any], names: Sequence[str], functions: Sequence[Any]
) -> list[str]:
    """Return which of some names are parameters of a mechanism that a setting fixes.

    Raises
    ------
    ValueError
        If one is given by dpaudit, or is a parameter of nothing.
    """
    try:
        parameters = inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # a builtin without a signature
        return list(names)
    called = f"{getattr(mechanism, '__name__', reference(mechanism))}({', '.join(parameters)})"
    given = {next(iter(parameters), ""), "rng", *(["size"] if hasattr(mechanism, MARK) else [])}
    named = [p.name for p in parameters.values() if p.kind in _BY_NAME and p.name not in given]
    elsewhere = {name for each in functions for name in _parameters(each)}
    for name in names:
        if name in given & set(parameters):
            raise ValueError(
                f"`over` names {name!r}, which dpaudit itself passes to {called}; "
                "name a parameter beside it"
            )
        if not (name in named or name in elsewhere or _takes_any(parameters)):
            close = difflib.get_close_matches(name, named, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {named}"
            raise ValueError(
                f"`over` names {name!r}, which is no parameter of {called}, nor of a claim or "
                f"neighbors that are functions; {hint}"
            )
    return [n for n in names if n in named or (n not in elsewhere and _takes_any(parameters))]


def _parameters(given: Any) -> tuple[str, ...]:
    """Return what a function of the setting names; a claim or neighbors name nothing."""
    return tuple(inspect.signature(given).parameters) if is_function(given) else ()


def _takes_any(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def is_function(given: object) -> bool:
    """Return whether a claim or neighbors are given as a function of the setting.

    Parameters
    ----------
    given : object
    """
    return isinstance(given, type | functools.partial) or inspect.isroutine(given)


def _at(
    given: Any, setting: Mapping[str, Any], what: str, attributes: tuple[str, ...], example: str
) -> Any:
    found, how = given, ""
    if is_function(given):
        named = _named(given, setting, what)
        how = f" from {reference(given)} at {described(setting)}"
        try:
            found = given(**named)
        except Exception as error:
            raise ValueError(
                f"`{what}` raised {type(error).__name__} at {described(setting)} ({error}); "
                "mend the function, or leave this value out of `over`"
            ) from error
    if isinstance(found, type) or not all(hasattr(found, name) for name in attributes):
        raise TypeError(
            f"`{what}` must be, or return, {what} such as {example}, got {found!r:.200}{how}"
        )
    return found


def _named(function: Callable[..., Any], setting: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return the part of a setting that a function takes."""
    parameters = inspect.signature(function).parameters
    if _takes_any(parameters):
        return dict(setting)
    for p in parameters.values():
        needed = p.default is p.empty and p.kind is not p.VAR_POSITIONAL
        if needed and (p.name not in setting or p.kind not in _BY_NAME):
            raise ValueError(
                f"`{what}` takes {p.name!r}, which `over` does not have; it has "
                f"{', '.join(setting)}: name the parameters of the function after these"
            )
    return {name: setting[name] for name in parameters if name in setting}


def written(given: Any) -> str:
    """Return a claim or neighbors in words, a function by its name and parameters.

    Parameters
    ----------
    given : Claim, Neighbors or callable
    """
    if not is_function(given):
        return str(given)
    name = getattr(given, "__name__", type(given).__name__)
    return f"{name}({', '.join(_parameters(given))})"
