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
@click.option("--all", "everything", is_flag=True, help="Read every function, not only mechanisms.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="The least level of a finding that makes the exit code 1.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "sarif", "junit", "github", "markdown"]),
    help="Format of the findings. [default: by the ending of FILE, else text]",
)
@click.option("--output", metavar="FILE", default="-", help="Write the findings; - is stdout.")
@baseline_option
def lint(
    paths: tuple[str, ...],
    everything: bool,
    fail_on: str,
    form: str | None,
    output: str,
    baseline_file: str | None,
) -> None:
    """Search source for privacy violations.

    dpaudit imports and runs nothing. It reads the functions that an audit names, and functions that
    draw noise and mention privacy. It reports suspicions: only an audit confirms them.

    \b
    To ignore a finding, add a comment to its line:
      # dpaudit: ignore[DPA105] reason="…" until=2027-01-01

    \b
    Exit codes:
      0  no finding reaches --fail-on
      1  a finding does, or an entry of the baseline has expired
      2  the command is wrong
      3  a file could not be analysed

    If 1 and 3 both apply, dpaudit exits with 1.
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
@click.option(
    "--select",
    multiple=True,
    metavar="PATTERN",
    help="List only audits whose name, mechanism or expectation contains or matches this.",
)
def list_audits(paths: tuple[str, ...], select: tuple[str, ...]) -> None:
    """List audits without running them.

    PATH is an audit file or a folder of them. The default is audits/.
    """
    from dpaudit.report.audited import in_words
    from dpaudit.report.table import print_listing

    collection = collected(paths, select)
    print_listing(
        [
            (c.name, c.audit.mechanism_name, c.audit.claim_text, c.audit.neighbors_text,
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
    """Explain a kind of violation, such as DPA103.

    Without an ID, list all kinds. "functions" lists the functions that a proof follows.
    """
    from dpaudit.report.lint import rules_text
    from dpaudit.violations import VIOLATIONS
    from dpaudit.violations import explain as look_up

    if not ids:
        for violation in VIOLATIONS.values():
            click.echo(f"{violation.id}  {violation.name:<26}{violation.statement}")
        return
    if ids == ("functions",):
        from dpaudit.report.functions import followed_text

        click.echo(followed_text())
        return
    try:
        found = [look_up(id) for id in ids]
    except KeyError as error:
        raise click.UsageError(printable(error.args[0])) from None
    texts = [text for kind in found for text in (kind.text(), rules_text(kind.id)) if text]
    click.echo("\n\n".join(texts))
