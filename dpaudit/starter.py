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

# Which datasets count as neighbors: those that differ by one record. Here a record is a number
# between 0 and 1. Change it to your records: Integer, Categorical or Row. If the number of records
# is public, use ReplaceOne. If each person runs the mechanism on one record, use AnyPair.
# The mechanism gets a NumPy array. With container="pandas" or "polars" and Row records, it gets a
# data frame.
people = AddRemove(Real(0, 1), max_size=16)

# The claim. Others are ApproxDP(epsilon, delta), RenyiDP, ZeroConcentratedDP, GaussianDP.
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
    stated = claim if claim is not None else _claimed(subject.mechanism)
    family = (stated or "PureDP").partition("(")[0]
    return _FILE.format(
        name=name,
        module=module,
        where=file.as_posix(),
        variable=f"{name}_audit",
        claim=stated or f"PureDP({EPSILON})",
        claimed=""
        if stated
        else "# The mechanism has no default epsilon, so the one below is a guess.\n",
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
