"""`dpaudit baseline`: known findings are written down, each with a reason and an end."""

from __future__ import annotations

import json
import shlex
from datetime import date
from pathlib import Path

import click

from dpaudit.cli.asked import settings
from dpaudit.cli.files import check_writable, printable, read_run, write


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("found_file", metavar="[FOUND]", default="-1")
@click.option("--reason", required=True, help="Why the findings are accepted.")
@click.option(
    "--until",
    required=True,
    metavar="DATE",
    help="The last day on which they are accepted, such as 2027-01-31.",
)
@click.option(
    "--output",
    metavar="FILE",
    help="Add the entries to this file. [default: as in [tool.dpaudit], else "
    "dpaudit-baseline.toml]",
)
def baseline(found_file: str, reason: str, until: str, output: str | None) -> None:
    """Accept known findings for a reason and until a date.

    FOUND is the number of a stored run, or a file of results. The default is -1, the last run.
    "dpaudit run --json" and "dpaudit lint --format json" write such files.

    Entries that the baseline already has stay as they are. An expired entry is replaced if its
    finding is there again. An audit that decided nothing cannot be accepted.

    Exit codes: 0, or 2 if the command is wrong.
    """
    from dpaudit.baseline.file import FILE, Baseline, BaselineError, parsed_day, read_baseline
    from dpaudit.baseline.writing import expired, extended, unaccepted
    from dpaudit.report.formats import MISSHAPEN, misshapen

    name = output or settings().baseline or FILE
    check_writable(name)
    if not reason.strip():
        raise click.UsageError("--reason is empty; say why these findings are accepted")
    try:
        last = parsed_day(until)
    except ValueError:
        raise click.UsageError(
            printable(f"--until must be a day such as 2027-01-31, got {until!r}")
        ) from None
    if last < date.today():
        raise click.UsageError(f"--until is the last day, and {last} has passed; give a later one")
    try:
        before = read_baseline(Path(name)) if Path(name).exists() else Baseline()
        found = read_run(found_file)
        if not isinstance(found, dict) or not {"audits", "findings"} & found.keys():
            raise ValueError(
                "it is neither a run nor what the linter found; dpaudit run --json FILE and "
                "dpaudit lint --format json write these"
            )
        new = unaccepted(found)
        old = expired(before, new, date.today())
        text = extended(before, new, reason.strip(), last, old)
    except BaselineError as error:
        raise click.UsageError(printable(str(error))) from None
    except MISSHAPEN as error:
        said = misshapen(error) if not isinstance(error, ValueError) else error
        raise click.UsageError(printable(f"{found_file} cannot be used: {said}")) from None
    if not new:
        click.echo("there is no unexpected refutation and no finding to accept")
        return
    write(name, text)
    what = "entry" if len(new) == 1 else "entries"
    added = f"{len(new):,} {what} added to {name}"
    if old:
        what = "one that has" if len(old) == 1 else f"{len(old):,} that have"
        added += f" in the place of {what} expired"
    if output is not None or settings().baseline is None:
        command = "run" if "audits" in found else "lint PATH"
        setting = f"baseline = {json.dumps(name, ensure_ascii=False)}"
        added += (
            f"; to use it, add --baseline {shlex.quote(name)} to dpaudit {command}, or "
            f"{setting} to [tool.dpaudit] in pyproject.toml"
        )
    click.echo(printable(added))
    outside = [about for _, about in new if Path(about.partition("::")[0]).is_absolute()]
    if outside:
        click.echo(
            printable(
                f"{outside[0]} lies outside of the repository, so its entry holds on this machine "
                "only; run dpaudit in the repository of that file"
            ),
            err=True,
        )
