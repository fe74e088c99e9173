"""What the command line, a marker, and the settings can say."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from dpaudit.baseline.file import Acceptance
    from dpaudit.outcome import Outcome
    from dpaudit.settings import Settings

__tracebackhide__ = True

MARKER = (
    "dpaudit(alpha, max_calls, max_seconds, seed, engines, ...): options of dpaudit.audit for the "
    "fixture dp. Audits and tests that use dp have the marker, so that -m dpaudit selects them"
)
SETTING = "dpaudit_files"
# What stands in place of declared options, as in `dpaudit run`.
_NAMES = ("alpha", "max_calls", "max_seconds", "seed", "engines", "isolation")


def add_options(parser: pytest.Parser) -> None:
    """Add what can be said on the command line and in the settings.

    Parameters
    ----------
    parser : pytest.Parser
    """
    parser.addini(
        SETTING,
        "globs of audit files, below the root or by name; audits/ unless given (dpaudit)",
        type="args",
        default=[],
    )
    group = parser.getgroup("dpaudit", "audits of differential privacy")
    for name, kind, metavar, text in (
        ("alpha", _alpha, "P", "probability of a false refutation per audit"),
        ("max-calls", _calls, "N", "most mechanism calls per audit, on both datasets together"),
        ("max-seconds", _seconds, "S", "most seconds of real time per audit"),
        ("seed", _seed, "N", "seed of all randomness"),
        (
            "engines",
            _engines,
            "NAME[,NAME]",
            "only these engines: static, formal, trace, statistical",
        ),
    ):
        group.addoption(
            f"--dpaudit-{name}",
            type=kind,
            metavar=metavar,
            help=f"{text}; overrides what audits and tests say",
        )
    group.addoption(
        "--dpaudit-isolation",
        choices=("process", "none"),
        help="run mechanisms in worker processes (default), or in the process of pytest",
    )


def given(config: pytest.Config) -> dict[str, Any]:
    """Return the options of `dpaudit.audit` that the command line gives.

    Parameters
    ----------
    config : pytest.Config

    Returns
    -------
    dict
    """
    values = {name: config.getoption(f"dpaudit_{name}", None) for name in _NAMES}
    return {name: value for name, value in values.items() if value is not None}


def settled(config: pytest.Config) -> Mapping[str, Any]:
    """Return the options of `dpaudit.audit` that the project's ``[tool.dpaudit]`` gives.

    Parameters
    ----------
    config : pytest.Config

    Returns
    -------
    mapping

    Raises
    ------
    pytest.UsageError
        Where the settings cannot be used.
    """
    return _settings(config).options


def _settings(config: pytest.Config) -> Settings:
    import pytest

    from dpaudit.settings import SettingsError, read_settings

    try:
        return read_settings(config.rootpath)
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None


def accepted(config: pytest.Config, outcome: Outcome, name: str) -> Acceptance | None:
    """Return why the project's baseline accepts what an audit found.

    Parameters
    ----------
    config : pytest.Config
    outcome : Outcome
    name : str
        The audit's, as ``dpaudit run`` gives it.

    Returns
    -------
    Acceptance or None

    Raises
    ------
    pytest.UsageError
        Where the baseline cannot be used.
    """
    from datetime import date

    import pytest

    from dpaudit.baseline.file import BaselineError, read_baseline
    from dpaudit.outcome import Status
    from dpaudit.settings import read_settings

    if outcome.status is not Status.UNEXPECTED:
        return None
    file = read_settings(config.rootpath).baseline
    if file is None:
        return None
    try:
        known = read_baseline(config.rootpath / file)
    except BaselineError as error:
        raise pytest.UsageError(str(error)) from None
    return known.accepted(name, outcome.refuting_ids, date.today())


def marked(item: pytest.Item) -> dict[str, Any]:
    """Return the options of `dpaudit.audit` that the item's markers give, the closest first.

    Parameters
    ----------
    item : pytest.Item

    Returns
    -------
    dict

    Raises
    ------
    TypeError
        Where a marker has arguments without a name.
    """
    options: dict[str, Any] = {}
    for marker in item.iter_markers("dpaudit"):
        if marker.args:
            raise TypeError(
                f"the marker dpaudit takes options by name, got {marker.args!r}; "
                "write such as dpaudit(max_calls=10_000)"
            )
        options = {**marker.kwargs, **options}
    return options


def written(config: pytest.Config, prefix: str) -> str:
    """Write the given options as a command line does, with a blank before each.

    Parameters
    ----------
    config : pytest.Config
    prefix : str
        Of their names: ``"--"`` for ``dpaudit run``, ``"--dpaudit-"`` for pytest.

    Returns
    -------
    str
    """
    from dpaudit.report.audited import written as shown

    return shown(given(config), prefix)


def _alpha(text: str) -> float:
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not in (0, 1); 1e-6 is usual")
    return value


def _calls(text: str) -> int:
    value = _integer(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive; 1_000_000 is usual")
    return value


def _seconds(text: str) -> float:
    value = _number(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is no positive, finite number of seconds")
    return value


def _seed(text: str) -> int:
    value = _integer(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative; any integer of at least 0 will do")
    return value


def _engines(text: str) -> tuple[str, ...]:
    from dpaudit.auditor import named_engines

    try:
        return named_engines(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no integer; write such as 7") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number; write such as 0.5") from None
