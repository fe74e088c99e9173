"""`dpaudit report`, `compare` and `review`: what is made of stored runs."""

from __future__ import annotations

import click

from dpaudit.cli.asked import settings
from dpaudit.cli.files import (
    check_writable,
    final,
    kept,
    printable,
    read_json,
    read_run,
    write,
    write_json,
)


@click.command()
@click.argument("run_file", metavar="RUN")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "sarif", "junit", "github", "markdown"]),
    help="Format of the report. [default: by the ending of FILE]",
)
@click.option("--output", metavar="FILE", default="-", help="Write the report; - is stdout.")
def report(run_file: str, form: str | None, output: str) -> None:
    """Write a stored run in another format.

    The formats are HTML, SARIF, JUnit, GitHub annotations and Markdown. RUN is a file that
    "dpaudit run --json" wrote; - is stdin. dpaudit imports and runs nothing of what was audited.

    Exit codes: 0, or 2 if the command is wrong. The verdicts do not change the exit code.
    """
    from dpaudit.report.formats import SUFFIXES, format_of, render

    check_writable(output)
    chosen = form or format_of(output)
    try:
        run = read_json(run_file)
        if chosen is None:
            endings = ", ".join(SUFFIXES)
            raise click.UsageError(f"give --format, or --output FILE whose name ends in {endings}")
        text = render(run, chosen)
    except ValueError as error:
        raise click.UsageError(printable(f"{run_file} cannot be used: {error}")) from None
    write(output, text)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("old_file", metavar="OLD")
@click.argument("new_file", metavar="NEW")
def compare(old_file: str, new_file: str) -> None:
    """Show what became better or worse between two runs.

    OLD and NEW are files that "dpaudit run --json" wrote, or numbers of stored runs. 1 is the
    first stored run, and -1 is the last.

    \b
    Exit codes:
      0  nothing is worse
      1  a verdict is worse, or an audit is missing
      2  the command is wrong

    An audit is not missing if the paths or --select of NEW leave it out.
    """
    from dpaudit.report.compare import Way, compare_lines
    from dpaudit.report.compare import compare as compared
    from dpaudit.report.formats import MISSHAPEN, known_run, misshapen

    runs = []
    for name in (old_file, new_file):
        try:
            runs.append(known_run(read_run(name)))
        except ValueError as error:
            raise click.UsageError(printable(f"{name} cannot be used: {error}")) from None
    try:
        changes = compared(*runs)
    except MISSHAPEN as error:
        raise click.UsageError(printable(f"one of the runs: {misshapen(error)}")) from None
    click.echo("\n".join(compare_lines(changes)))
    click.get_current_context().exit(1 if any(c.way is Way.WORSE for c in changes) else 0)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--run",
    "run_file",
    metavar="RUN",
    default="-1",
    show_default=True,
    help="The run: a file that dpaudit run --json wrote, or the number of a stored run.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the dossier as JSON.")
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    default="review.html",
    show_default=True,
    help="Write the dossier as HTML.",
)
def review(paths: tuple[str, ...], run_file: str, json_file: str | None, html_file: str) -> None:
    """Write a dossier for a security review.

    The dossier holds a run, and what the linter finds in PATHs. Audits do not answer every question
    of a review. Answer the others in [tool.dpaudit.review] of pyproject.toml, under these keys:
    parameters, unit, clamping, budget, floating_point, randomness, side_channels, trust_model,
    access, collection, utility. The dossier shows a hazard without an answer as open.

    \b
    Exit codes:
      0  no hazard is violated or open
      1  a hazard is violated or open
      2  the command is wrong
      3  a file could not be written

    If 1 and 3 both apply, dpaudit exits with 1.
    """
    from dpaudit.report.formats import MISSHAPEN, known_run, misshapen
    from dpaudit.report.lint import lint_to_dict
    from dpaudit.report.page.dossier import dossier_html
    from dpaudit.review import dossier
    from dpaudit.static.lint import LintError
    from dpaudit.static.lint import lint as read_all

    for name in (json_file, html_file):
        check_writable(name)
    if json_file == html_file:
        raise click.UsageError(f"--json and --html both name {html_file}; give two names")
    declared = settings().review
    try:
        linted = lint_to_dict(read_all(paths), 0)
    except LintError as error:
        raise click.UsageError(printable(str(error))) from None
    try:
        run = known_run(read_run(run_file))
    except ValueError as error:
        raise click.UsageError(printable(f"--run {run_file} cannot be used: {error}")) from None
    try:
        made = dossier(run, linted, declared)
        page = dossier_html(made)
        wrong = [h for h in made["hazards"] if h["status"] in ("violated", "open")]
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None
    except MISSHAPEN as error:
        raise click.UsageError(printable(f"{run_file}: {misshapen(error)}")) from None
    if json_file is not None:
        kept(json_file, lambda: write_json(json_file, made))
    kept(html_file, lambda: write(html_file, page))
    for hazard in wrong:
        click.echo(f"{hazard['status']:<9}{hazard['title']}", err=True)
    click.get_current_context().exit(final(1 if wrong else 0))
