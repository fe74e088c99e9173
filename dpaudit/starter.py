"""A first audit file for a mechanism: what can be read off it, and what its author must say."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpaudit.subject import Subject

EPSILON = 1.0
_FILE = '''\
"""Audits of {name}: `dpaudit run {where}`."""

from dpaudit import {names}

from {module} import {name}

# Which datasets count as neighboring: those that differ by one record, here a number between 0 and
# 1. Say what your records are and how many: Integer, Categorical, Row; ReplaceOne where the size is
# public, AnyPair where each person calls the mechanism alone.
# They come as a NumPy array; container="pandas" makes data frames of Row records, or "polars".
people = AddRemove(Real(0, 1), max_size=16)

# What is promised. Others are ApproxDP(epsilon, delta), RenyiDP, ZeroConcentratedDP, GaussianDP.
{claimed}{variable} = Audit({name}, {claim}, people)
'''


def starter(mechanism: str, file: Path, claim: str | None = None) -> str:
    """Return the text of an audit file for a mechanism.

    Parameters
    ----------
    mechanism : str
        ``"module:function"``.
    file : Path
        Where the text is to stand, for the command that it names.
    claim : str, optional
        Such as ``"PureDP(0.5)"``. The default is the mechanism's own default of ``epsilon`` and
        ``delta``, or else an epsilon of 1, to be changed.

    Raises
    ------
    TypeError, ValueError, ImportError
        Where there is no such mechanism; see `dpaudit.subject.Subject.of`.
    """
    subject = Subject.of(mechanism)
    module, _, name = mechanism.partition(":")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(
            f"{mechanism!r} is no function of a module; bind {name!r} to a name at its top"
        )
    stated = claim if claim is not None else _claimed(subject.function)
    family = (stated or "PureDP").partition("(")[0]
    return _FILE.format(
        name=name,
        module=module,
        where=file.as_posix(),
        variable=f"{name}_audit",
        claim=stated or f"PureDP({EPSILON})",
        claimed="" if stated else "# Nothing was found to say it: the epsilon below is a guess.\n",
        names=", ".join(sorted(["AddRemove", "Audit", "Real", family])),
    )


def _claimed(function: Callable[..., Any]) -> str | None:
    """Return the claim that the defaults of ``epsilon`` and ``delta`` make."""
    given = {
        name: float(parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if isinstance(parameter.default, int | float) and name in ("epsilon", "delta")
    }
    if "epsilon" not in given:
        return None
    if given.get("delta"):
        return f"ApproxDP({given['epsilon']!r}, {given['delta']!r})"
    return f"PureDP({given['epsilon']!r})"
