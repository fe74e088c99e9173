"""Names a mechanism so that a script can find it again."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

SENT_AS = "__dpaudit_reference__"  # of a copy in another process: where the original is found
_PARTIAL = re.compile(r"functools\.partial\((?P<function>[\w.]+:\w+)(?P<arguments>, .*)?\)", re.S)


def reference(mechanism: Callable[..., Any] | str) -> str:
    """Return where a mechanism can be imported from.

    Parameters
    ----------
    mechanism : callable or str
        ``"module:function"`` is returned as it is.

    Returns
    -------
    str
        ``"module:function"`` where importing that gives this very object, and
        ``"functools.partial(module:function, epsilon=2.0)"`` for a partial of such a function with
        arguments that can be written down. Otherwise words that a person understands and
        `parse_reference` refuses.

    Examples
    --------
    >>> import json
    >>> reference(functools.partial(json.dumps, indent=2))
    'functools.partial(json:dumps, indent=2)'
    """
    if isinstance(mechanism, str):
        return mechanism
    if isinstance(mechanism, functools.partial):
        return _partial(mechanism)
    kind = type(mechanism)
    if not hasattr(mechanism, "__qualname__"):
        found = _bound_name(mechanism, kind.__module__)
        if hasattr(kind, "__dpaudit_subject__"):
            return found or repr(mechanism)
        return found or f"{kind.__module__}:{kind.__qualname__}(…)"
    module, qualname = str(mechanism.__module__), str(mechanism.__qualname__)
    if inspect.ismethod(mechanism):
        return f"{module}:{qualname} of an object"
    if getattr(sys.modules.get(module), qualname, None) is mechanism:
        return f"{module}:{qualname}"
    found = _bound_name(mechanism, module) or getattr(mechanism, SENT_AS, None)
    if found is not None:
        return found
    # A local function or a lambda keeps its name, which no import accepts.
    return f"{module}:{qualname}" if "<" in qualname else f"{module}:<{qualname}>"


def parse_reference(text: str) -> tuple[str, str, str | None] | None:
    """Read what `reference` wrote.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of (str, str, str or None), or None
        Module, function, and the source of a partial's further arguments; None for a mechanism
        that no import finds.
    """
    partial = _PARTIAL.fullmatch(text)
    place = partial["function"] if partial else text
    module, _, name = place.partition(":")
    importable = module != "__main__" and not module.startswith("_dpaudit_")
    if not (importable and all(map(str.isidentifier, module.split("."))) and name.isidentifier()):
        return None
    if partial is None:
        return module, name, None
    arguments = (partial["arguments"] or "").removeprefix(", ")
    try:
        ast.parse(f"f({arguments})", mode="eval")
    except SyntaxError:
        return None
    return module, name, arguments


def _partial(mechanism: functools.partial[Any]) -> str:
    function = reference(mechanism.func)
    try:
        arguments = [_written(value) for value in mechanism.args]
        arguments += [f"{name}={_written(value)}" for name, value in mechanism.keywords.items()]
    except (TypeError, ValueError):
        arguments = ["…"]
    return f"functools.partial({', '.join([function, *arguments])})"


def _written(value: object) -> str:
    """Write plain values, fractions and arrays; an object or a function has no source."""
    from dpaudit.neighbors import dataset_to_source

    if type(value) is Fraction:
        return f"Fraction({value.numerator}, {value.denominator})"
    if callable(value) or type(value).__module__.partition(".")[0] not in (
        "builtins",
        "numpy",
        "pandas",
    ):
        raise TypeError(f"{value!r} cannot be written as source")
    return dataset_to_source(value)


def _bound_name(mechanism: object, module: str) -> str | None:
    """Return the module's name that is bound to this very object."""
    names = vars(sys.modules[module]) if module in sys.modules else {}
    return next((f"{module}:{name}" for name, value in names.items() if value is mechanism), None)


def declares_audits(namespace: Mapping[str, Any]) -> bool:
    """Whether a module has imported something of dpaudit.

    Parameters
    ----------
    namespace : mapping of str to Any
        The variables of the module.
    """
    for value in list(namespace.values()):
        own = value.__name__ if isinstance(value, ModuleType) else None
        if isinstance(value, (type, FunctionType)):
            own = value.__module__
        if isinstance(own, str) and own.partition(".")[0] == "dpaudit":
            return True
    return False
