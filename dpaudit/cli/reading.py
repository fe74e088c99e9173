"""`dpaudit lint`, `list` and `explain`: what is read, and not run."""

from __future__ import annotations

import sys
from datetime import date

import click

from dpaudit.cli.asked import baseline, collected, print_failures, told_of
from dpaudit.cli.files import check_writable, printable, write, write_json
from dpaudit.cli.options import baseline_option


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--all", "everything", is_flag=True, help="Read every function.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Least level of a finding that fails.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "sarif", "junit", "github", "markdown"]),
    help="Of what is written. [default: what FILE is named after, else text]",
)
@click.option("--output", metavar="FILE", default="-", help="Write it here; - is stdout.")
@baseline_option
def lint(
    paths: tuple[str, ...],
    everything: bool,
    fail_on: str,
    form: str | None,
    output: str,
    baseline_file: str | None,
) -> None:
    """Read source, without importing it, for what breaks privacy.

    Functions are read that an audit names, or that draw noise and speak of privacy. A comment
    sets a finding aside: # dpaudit: ignore[DPA105] reason="…" until=2027-01-01.

    Exit codes: 0 nothing reaches --fail-on, 1 a finding does, or an entry of the baseline has
    expired, 2 a usage error, 3 a file could not be analysed. Where both apply, 1 wins over 3.
    """
    from dpaudit.baseline.linted import judged
    from dpaudit.report.audited import baseline_lines
    from dpaudit.report.formats import LINT_FORMATS, format_of
    from dpaudit.report.lint import lint_lines, lint_to_dict
    from dpaudit.static.lint import LintError
    from dpaudit.static.lint import lint as read_all

    check_writable(output)
    try:
        report = read_all(paths, everything=everything)
    except LintError as error:
        raise click.UsageError(printable(str(error))) from None
    accepted = baseline(baseline_file)
    report, told = judged(report, accepted, date.today())
    expired = fail_on != "never" and any(each.expired for each in told)
    code = 1 if expired else report.exit_code(fail_on)
    result = lint_to_dict(report, code) | {"baseline": told_of(accepted, told)}
    named = "json" if output.lower().endswith(".json") else "text"
    form = form or format_of(output) or named
    if form == "text":
        write(output, "\n".join([*baseline_lines(result), *lint_lines(report)]) + "\n")
    elif form == "json":
        write_json(output, result)
    else:
        write(output, LINT_FORMATS[form](result))
    click.get_current_context().exit(code)


@click.command("list")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--select", multiple=True, metavar="PATTERN", help="As for run.")
def list_audits(paths: tuple[str, ...], select: tuple[str, ...]) -> None:
    """List the audits that audit files declare, without running them."""
    from dpaudit.report.audited import in_words
    from dpaudit.report.table import print_listing

    collection = collected(paths, select)
    print_listing(
        [
            (c.name, c.audit.mechanism_name, c.audit.claim, c.audit.neighbors,
             in_words(c.audit.expect), c.audit.reason or "")
            for c in collection.audits
        ],
        sys.stdout,
    )  # fmt: skip
    print_failures(collection, sys.stderr)
    click.get_current_context().exit(3 if collection.failures else 0)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
def explain(ids: tuple[str, ...]) -> None:
    """Explain kinds of violation, such as DPA103; without an ID, list them."""
    from dpaudit.report.lint import rules_text
    from dpaudit.violations import VIOLATIONS
    from dpaudit.violations import explain as look_up

    if not ids:
        for violation in VIOLATIONS.values():
            click.echo(f"{violation.id}  {violation.name:<26}{violation.statement}")
        return
    try:
        found = [look_up(id) for id in ids]
    except KeyError as error:
        raise click.UsageError(printable(error.args[0])) from None
    texts = [text for kind in found for text in (kind.text(), rules_text(kind.id)) if text]
    click.echo("\n\n".join(texts))
