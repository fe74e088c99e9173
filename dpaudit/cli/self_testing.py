"""`dpaudit run --self-test`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from dpaudit.cli.asked import collected, print_failures, settings
from dpaudit.cli.caching import since
from dpaudit.cli.files import check_writable, final, kept, printable, write_json
from dpaudit.cli.resuming import orderly_end
from dpaudit.cli.stdout import reserved

_OF_RUNS = {"accumulate", "baseline_file", "beacon", "cache_folder", "certificates", "reports"}
_OF_RUNS |= {"resume", "scripts", "total"}


def run_self_test(paths: Sequence[str], select: Sequence[str], given: dict[str, Any]) -> NoReturn:
    """Sabotage the mechanisms of the audits, print which audits see it, and exit.

    Parameters
    ----------
    paths, select : sequence of str
    given : dict
        The options of ``dpaudit run``.
    """
    from dpaudit.report.progress import progress_for
    from dpaudit.self_test import SABOTAGES, exit_code, lines, self_test, to_dict

    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in _OF_RUNS and given.get(parameter.name):
            raise click.UsageError(
                f"--self-test stores and reports no verdicts; leave {parameter.opts[0]} out, and "
                "write its result with --json"
            )
    json_file = given["json_file"]
    check_writable(json_file)
    out = reserved(json_file)
    collection = since(collected(paths, select), given["changed_since"])
    without = {*_OF_RUNS, "json_file", "jobs", "paths", "select", "tests_itself", "changed_since"}
    options = {k: v for k, v in given.items() if v is not None and k not in without}
    with orderly_end(), progress_for(len(collection.audits) * len(SABOTAGES), sys.stderr) as bars:
        tested = self_test(
            collection.audits,
            jobs=given["jobs"],
            options=options,
            defaults=settings().options,
            watch=bars,
        )
    for line in lines(tested):
        click.echo(printable(line), file=out)
    print_failures(collection, out)
    code = exit_code(tested, len(collection.failures))
    if json_file is not None:
        result = to_dict(tested, collection, code, context.params)
        kept(json_file, lambda: write_json(json_file, result))
    context.exit(final(code))
