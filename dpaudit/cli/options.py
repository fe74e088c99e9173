"""The options that say how an audit runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dpaudit.cli.files import check_writable, printable

_F = TypeVar("_F", bound=Callable[..., Any])
_MOST_JOBS = 256  # each starts a process


class Example(click.types.StringParamType):
    """A text that must be given, as in an example."""

    def __init__(self, example: str) -> None:
        self._example = example

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        """Return what to give."""
        return f'Give it, such as {param.opts[0]} "{self._example}".'


CLAIM = Example("PureDP(1.0)")
NEIGHBORS = Example("AddRemove(Real(0, 100), max_size=20)")


def finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Refuse infinities and NaN."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a finite number.")
    return value


_UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0}


def seconds_of(duration: str) -> float:
    """Return the seconds of a duration such as ``90s``, ``5m`` or ``1h``.

    Raises
    ------
    ValueError
        Where it is none.
    """
    number, unit = duration.strip()[:-1], duration.strip()[-1:]
    try:
        seconds = float(number) * _UNITS[unit]
    except (KeyError, ValueError):
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError(f"{duration!r} is no duration; write 90s, 5m or 1h")
    return seconds


def known_duration(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Refuse what is no duration."""
    if value is not None:
        try:
            seconds_of(value)
        except ValueError as error:
            raise click.BadParameter(f"{error}.") from None
    return value


def known_engines(
    _: click.Context, __: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Read names of engines."""
    if value is None:
        return None
    from dpaudit.auditor import named_engines

    try:
        return named_engines(value)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


def named_after_formats(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse files whose names say no format."""
    from dpaudit.report.formats import SUFFIXES, format_of

    for name in value:
        if format_of(name) is None:
            known = ", ".join(SUFFIXES)
            raise click.BadParameter(f"{name!r} names no format; files end in {known}.")
        check_writable(name)
    return value


def check_beacon(options: dict[str, Any]) -> None:
    """Refuse a beacon that is none, or that a seed would contradict."""
    beacon, seed = options["beacon"], options["seed"]
    if beacon is None:
        return
    if options["tier"] is not None:
        raise click.UsageError(
            "--beacon fixes how many calls are made before the first one; leave --tier out, and "
            "give --max-calls"
        )
    if not beacon.strip():
        raise click.UsageError("--beacon is empty; give a public value, such as a commit id")
    if seed is not None:
        raise click.UsageError(
            f"--beacon derives the seed, and --seed {seed} gives one; leave one of them out"
        )


def check_total(total: str | None, *, accumulate: bool, beacon: str | None) -> None:
    """Refuse a time for all audits where how many calls each makes is fixed before."""
    for option, given in (("accumulate", accumulate), ("beacon", beacon is not None)):
        if total is not None and given:
            raise click.UsageError(
                f"--total ends audits after a tier of calls, and --{option} makes as many calls as "
                "--max-calls says; leave one of them out"
            )


def check_log(beacon: str | None) -> None:
    """Refuse a beacon where runs under it cannot be logged."""
    from dpaudit.beacon.log import EvidenceLog, LogError
    from dpaudit.roots import FOLDER, project_root

    if beacon is None:
        return
    try:
        EvidenceLog(project_root(Path.cwd()) / FOLDER).close()
    except LogError as error:
        raise click.UsageError(printable(str(error))) from None


def baseline_option(command: _F) -> _F:
    """Add the option that names a baseline file."""
    return click.option(
        "--baseline",
        "baseline_file",
        metavar="FILE",
        help="Accept the known findings in this file, which dpaudit baseline writes. "
        "[default: as in [tool.dpaudit], else none]",
    )(command)


def audit_options(declared: bool) -> Callable[[_F], _F]:
    """Add the options that say how an audit runs; `declared` where an audit file may say so too."""

    def otherwise(value: str) -> str:
        return f" [default: {'as declared, else ' if declared else ''}{value}]"

    options = [
        click.option(
            "--json", "json_file", metavar="FILE", help="Write the results as JSON; - is stdout."
        ),
        click.option(
            "--report",
            "reports",
            multiple=True,
            metavar="FILE",
            callback=named_after_formats,
            help="Write a report, in the format of the ending: .html, .sarif, .xml (JUnit) or .md. "
            "May be repeated.",
        ),
        click.option(
            "--max-calls",
            type=click.IntRange(min=1),
            help="Most mechanism calls per audit, on both datasets together."
            + otherwise("1,000,000"),
        ),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            callback=finite,
            help="Most seconds of real time per audit." + otherwise("no limit"),
        ),
        click.option(
            "--tier",
            type=click.IntRange(min=1),
            help="Stop after this tier of calls. Tier 1 has 2,000 calls, and each next tier has "
            "four times as many.",
        ),
        click.option(
            "--alpha",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            callback=finite,
            help="Probability of a false refutation per audit." + otherwise("1e-6"),
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            help="Seed of all randomness." + otherwise("0"),
        ),
        click.option(
            "--beacon",
            metavar="VALUE",
            help="Derive the seeds from a public value that nobody chose, such as a commit id. "
            "Others can then replay the evidence from its certificate.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, _MOST_JOBS),
            default=1,
            show_default=True,
            help="Number of audits that run at the same time.",
        ),
        click.option(
            "--isolation",
            type=click.Choice(["process", "none"]),
            default="process",
            show_default=True,
            help="Where mechanisms run: in worker processes, or (none) in this process.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            callback=finite,
            help="Most seconds for one batch of calls in its worker process. [default: 300]",
        ),
        click.option(
            "--arithmetic",
            type=click.Choice(["real", "float"]),
            help="With float, sampling also tests the low-order bits of float outputs."
            + otherwise("real"),
        ),
        click.option(
            "--engines",
            metavar="NAME[,NAME…]",
            callback=known_engines,
            help="Run only these engines, of static, formal, trace and statistical."
            + otherwise("all four"),
        ),
    ]

    def add(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return add
