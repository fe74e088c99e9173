"""The error text: an exception is an output, and so is what it says."""

from __future__ import annotations

import builtins

from dpaudit.formal.program import Call, Constant, Expression, Place
from dpaudit.formal.unsupported import Unsupported


def error_name(value: Expression | None, place: Place) -> str:
    """Return what is raised, where its text is fixed.

    Parameters
    ----------
    value : Expression or None
        Of a ``raise``.
    place : Place

    Raises
    ------
    Unsupported
        Where the text may depend on data.
    """
    match value:
        case None:
            return "error"
        case Constant(value=type() as kind) if any(
            kind is each for each in vars(builtins).values()
        ):
            return kind.__name__
        case Call(function=str(name), arguments=arguments, keywords=()) if all(
            isinstance(argument, Constant) for argument in arguments
        ):
            return name
    raise Unsupported("an exception whose text may depend on data", place)
