"""The command line."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from dpaudit.booked import Booked
    from dpaudit.claims import Claim
    from dpaudit.collect import Collection
    from dpaudit.neighbors import Neighbors
    from dpaudit.outcome import Outcome
    from dpaudit.settings import Settings

_F = TypeVar("_F", bound=Callable[..., Any])
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="dpaudit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    _leave(code if isinstance(code, int) else 0)


def _leave(code: int) -> NoReturn:
    """Exit; after an interrupt at once, since a hung mechanism would keep its thread."""
    if code == _INTERRUPTED:
        import os

        from dpaudit.running import end_workers

        end_workers()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    import dpaudit

    click.echo(f"dpaudit {dpaudit.__version__}")
    context.exit()


def _finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a finite number.")
    return value


def _known_engines(
    _: click.Context, __: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    if value is None:
        return None
    from dpaudit.auditor import ENGINES

    names = tuple(name.strip() for name in value.split(",") if name.strip())
    unknown = [name for name in names if name not in ENGINES]
    if unknown or not names:
        what = f"there is no engine {unknown[0]!r}" if unknown else "no engine is named"
        raise click.BadParameter(f"{what}; there are {', '.join(ENGINES)}.")
    return names


def _named_after_formats(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    from dpaudit.report.formats import SUFFIXES, format_of

    for name in value:
        if format_of(name) is None:
            known = ", ".join(SUFFIXES)
            raise click.BadParameter(f"{name!r} names no format; files end in {known}.")
        _check_writable(name)
    return value


def _audit_options(declared: bool) -> Callable[[_F], _F]:
    """Add the options that say how an audit runs; `declared` where an audit file may say so too."""

    def otherwise(value: str) -> str:
        return f" [default: {'as declared, else ' if declared else ''}{value}]"

    options = [
        click.option("--json", "json_file", metavar="FILE", help="Write JSON here; - is stdout."),
        click.option(
            "--report",
            "reports",
            multiple=True,
            metavar="FILE",
            callback=_named_after_formats,
            help="Write a report here, as .html, .sarif, .xml (JUnit) or .md; may be repeated.",
        ),
        click.option(
            "--max-calls",
            type=click.IntRange(min=1),
            help="Mechanism calls per audit, both datasets together." + otherwise("1,000,000"),
        ),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            callback=_finite,
            help="Wall-clock time per audit." + otherwise("no limit"),
        ),
        click.option(
            "--alpha",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            callback=_finite,
            help="Probability of a false refutation per audit." + otherwise("1e-6"),
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            help="Seed of all randomness." + otherwise("0"),
        ),
        click.option(
            "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="At a time."
        ),
        click.option(
            "--isolation",
            type=click.Choice(["process", "none"]),
            default="process",
            show_default=True,
            help="Run mechanisms in worker processes, or in this one.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            callback=_finite,
            help="Seconds that a batch of calls may take in its worker process. [default: 300]",
        ),
        click.option(
            "--engines",
            metavar="NAME[,NAME…]",
            callback=_known_engines,
            help="Only these, cheapest first, of static, formal, trace and statistical."
            + otherwise("formal,statistical"),
        ),
    ]

    def add(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Audit code that promises differential privacy.

    Exit codes: 0 every audit as expected, 1 an unexpected verdict, 2 a usage or configuration
    error (nothing collected included), 3 an audit could not be completed, 130 interrupted. Where
    several apply, 130 wins over 1, and 1 over 3.
    """


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--select",
    multiple=True,
    metavar="PATTERN",
    help="Only audits whose name, mechanism or expectation has or matches this; may be repeated.",
)
@click.option(
    "--certificates",
    "certificates",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the certificates of what is VERIFIED here, for dpaudit check.",
)
@click.option(
    "--scripts",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the witnesses of what is REFUTED here, as scripts that show them again.",
)
@click.option("--resume", is_flag=True, help="Go on with the last run, which was stopped.")
@_audit_options(declared=True)
def run(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    certificates: Path | None,
    scripts: Path | None,
    resume: bool,
    **options: Any,
) -> None:
    """Run the audits that audit files declare (in audits/ unless PATHs are given).

    Each is stored below .dpaudit/ as it ends.
    """
    from dpaudit.outcome import exit_code, run_to_dict, save_certificates, save_scripts
    from dpaudit.report.progress import progress_for

    if resume and (certificates or scripts):
        raise click.UsageError(
            "--resume keeps no certificates or scripts of what was finished; run anew for these"
        )

    json_file, reports = options.pop("json_file"), options.pop("reports")
    _check_writable(json_file)
    for folder in (certificates, scripts):
        if folder is not None:
            _make_folder(folder)
    collection = _collected(paths, select)
    jobs = options.pop("jobs")
    audits, given, defaults = collection.audits, _options(options), _settings().options
    asked = {"paths": paths, "selection": select, "options": given, "settings": defaults}
    booked = _booked(collection, asked, resume=resume)
    with progress_for(len(audits) - len(booked.recalled), sys.stderr) as display:
        outcomes = booked.run(audits, jobs=jobs, options=given, defaults=defaults, watch=display)
    code = exit_code(outcomes, len(collection.failures))
    result = run_to_dict(outcomes, collection.failures, code, collection.skipped)
    booked.finish(result)
    out = sys.stderr if json_file == "-" else sys.stdout
    _print_run(outcomes, collection, out)
    if json_file is not None or reports:
        _write_run(json_file, reports, result)
    if certificates is not None:
        written = save_certificates(outcomes, certificates)
        what = "certificate" if written == 1 else "certificates"
        click.echo(_plain(f"{written:,} {what} in {certificates}"), file=out)
    if scripts is not None:
        written = save_scripts(outcomes, scripts)
        what = "script" if written == 1 else "scripts"
        click.echo(_plain(f"{written:,} {what} in {scripts}"), file=out)
    click.get_current_context().exit(code)


@cli.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option("--claim", "claim_text", required=True, help='Such as "PureDP(1.0)".')
@click.option(
    "--neighbors",
    "neighbors_text",
    required=True,
    help='Such as "AddRemove(Real(0, 100), max_size=20)".',
)
@click.option("--expect", default="NOT_REFUTED", show_default=True, help="Verdict or violation id.")
@click.option("--script", "script_file", metavar="FILE", help="Write the witness's replay here.")
@_audit_options(declared=False)
def audit(
    mechanism: str,
    claim_text: str,
    neighbors_text: str,
    expect: str,
    script_file: str | None,
    **options: Any,
) -> None:
    """Audit one mechanism."""
    from dpaudit.collect import CollectedAudit
    from dpaudit.declare import Audit
    from dpaudit.outcome import exit_code, run_to_dict
    from dpaudit.report.progress import progress_for
    from dpaudit.running import run_all

    json_file, reports = options.pop("json_file"), options.pop("reports")
    _check_writable(json_file)
    _check_writable(script_file)
    claim, neighbors = _parsed(mechanism, claim_text, neighbors_text)
    try:
        declared = Audit(mechanism, claim, neighbors, expect=expect)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    jobs = options.pop("jobs")
    with progress_for(1, sys.stderr) as display:
        [outcome] = run_all(
            [CollectedAudit(mechanism, declared)],
            jobs=jobs,
            options=_options(options),
            watch=display,
        )
    out = sys.stderr if json_file == "-" else sys.stdout
    if outcome.report is None:
        what = "interrupted" if outcome.interrupted else f"could not be completed: {outcome.error}"
        click.echo(_plain(f"{mechanism}: {what}"), file=out)
    else:
        click.echo(outcome.report.summary(), file=out)
    code = exit_code([outcome])
    if json_file is not None or reports:
        _write_run(json_file, reports, run_to_dict([outcome], (), code))
    if script_file is not None:
        _write_script(script_file, outcome)
    click.get_current_context().exit(code)


@cli.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option(
    "--claim",
    "claim_text",
    required=True,
    help='Such as "PureDP(1.0)", or "PureDP(epsilon)" for all values of a parameter.',
)
@click.option(
    "--neighbors",
    "neighbors_text",
    required=True,
    help='Such as "AddRemove(Real(0, 100), max_size=20)".',
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=_finite,
    default=60.0,
    show_default=True,
    help="Seconds.",
)
@click.option("--certificate", metavar="FILE", help="Write the certificate of a proof here.")
@click.option(
    "--fix", is_flag=True, help="Print the smallest change that verifies as a diff; apply nothing."
)
def verify(
    mechanism: str,
    claim_text: str,
    neighbors_text: str,
    timeout: float,
    certificate: str | None,
    fix: bool,
) -> None:
    """Prove or refute a claim from the mechanism's source.

    With --fix the report goes to stderr and the diff to stdout, so that it can be piped to
    "git apply". Exit codes: 0 VERIFIED as it is, 1 any other verdict, 2 a usage error.
    """
    from dpaudit.auditor import verify as decide
    from dpaudit.evidence import Verdict

    _check_writable(certificate)
    claim, neighbors = _stated(mechanism, claim_text, neighbors_text)
    if fix and isinstance(claim, str):
        raise click.UsageError("--fix takes a claim of numbers, such as PureDP(1.0)")
    report = decide(mechanism, claim, neighbors, timeout=timeout, fix=fix)
    click.echo(report.summary(diff=False), err=fix)
    if report.repair is not None:
        click.echo(report.repair.diff, nl=False)
    if certificate is not None:
        if report.certificate is None:
            click.echo("nothing was proved, so no certificate is written", err=True)
        else:
            report.certificate.save(certificate)
    click.get_current_context().exit(0 if report.verdict is Verdict.VERIFIED else 1)


@cli.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE...",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=_finite,
    default=60.0,
    show_default=True,
    help="Seconds for each certificate.",
)
@click.option(
    "--source/--no-source",
    default=True,
    show_default=True,
    help="Read the mechanism's source, and import and run it where the proof needs that.",
)
@click.option(
    "--proofs/--no-proofs",
    help="Write cvc5's own proof of each obligation into the certificates that are accepted.",
)
def check(files: tuple[str, ...], timeout: float, source: bool, proofs: bool) -> None:
    """Check certificates without trusting what made them.

    Exit codes: 0 all are accepted, 1 one is rejected, 2 usage, 3 one could not be checked.
    """
    from dpaudit.checker import attached
    from dpaudit.checker import check as checked_by

    _import_from_here()
    code = 0
    for name in files:
        try:
            found = checked_by(Path(name), source=source, timeout=timeout, proofs=proofs)
        except OSError as error:
            raise click.UsageError(f"{name} cannot be read: {error.strerror}") from None
        if found.accepted:
            click.echo(_plain(f"{name}: accepted ({found.kind}, {found.seconds:.1f} s)"))
            for sentence in found.trusted:
                click.echo(_plain(f"  on trust: {sentence}"))
            if proofs:
                click.echo(_plain(f"  {_kept_proofs(Path(name), found.solver_proofs, attached)}"))
            continue
        said = f"rejected: {found.reason}" if found.decided else found.reason
        click.echo(_plain(f"{name}: {said}"))
        code = 1 if found.decided or code == 1 else 3
    click.get_current_context().exit(code)


def _kept_proofs(path: Path, proofs: Sequence[Any], attached: Callable[..., Any]) -> str:
    """Write a solver's proofs into a certificate, and say what they trust."""
    content = json.dumps(attached(path, proofs), indent=1, allow_nan=False)
    path.write_text(content + "\n", encoding="utf-8")
    trusted = Counter[str]()
    for proof in proofs:
        trusted.update(proof.trusted)
    steps = sum(proof.steps for proof in proofs)
    said = ", ".join(f"{n} {rule}" for rule, n in sorted(trusted.items())) or "none"
    return f"cvc5's proofs: {len(proofs)}, of {steps:,} steps; taken on trust by it: {said}"


@cli.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option("--claim", "claim_text", help='Such as "PureDP(1.0)".')
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it here. [default: audits/FUNCTION.py]",
)
def init(mechanism: str, claim_text: str | None, output: Path | None) -> None:
    """Write a first audit file for a mechanism."""
    from dpaudit.apart import one_line
    from dpaudit.notation import parse_claim
    from dpaudit.starter import starter

    _import_from_here()
    file = output or Path("audits", f"{mechanism.rpartition(':')[2]}.py")
    if file.exists():
        raise click.UsageError(f"{file} exists; give another name by --output")
    try:
        if claim_text is not None:
            parse_claim(claim_text)
        text = starter(mechanism, file, claim_text)
    except (Exception, SystemExit) as error:
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None
    _make_folder(file.parent)
    _write(str(file), text)
    click.echo(_plain(f"{file} is written; say what its records are, then: dpaudit run {file}"))


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script by which a shell completes dpaudit's commands and options."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "dpaudit", "_DPAUDIT_COMPLETE").source())


@cli.command("list")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--select", multiple=True, metavar="PATTERN", help="As for run.")
def list_audits(paths: tuple[str, ...], select: tuple[str, ...]) -> None:
    """List the audits that audit files declare, without running them."""
    from dpaudit.report.table import print_listing

    collection = _collected(paths, select)
    print_listing(
        [
            (c.name, c.audit.mechanism_name, c.audit.claim, c.audit.neighbors, c.audit.expect,
             c.audit.reason or "")
            for c in collection.audits
        ],
        sys.stdout,
    )  # fmt: skip
    _print_failures(collection, sys.stderr)
    click.get_current_context().exit(3 if collection.failures else 0)


@cli.command()
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
    default="text",
    show_default=True,
    help="Of what is written.",
)
@click.option("--output", metavar="FILE", default="-", help="Write it here; - is stdout.")
def lint(paths: tuple[str, ...], everything: bool, fail_on: str, form: str, output: str) -> None:
    """Read source, without importing it, for what breaks privacy.

    Functions are read that an audit names, or that draw noise and speak of privacy. A comment
    sets a finding aside: # dpaudit: ignore[DPA105] reason="…" until=2027-01-01.

    Exit codes: 0 nothing reaches --fail-on, 1 a finding does, 2 a usage error, 3 a file could not
    be analysed. Where both apply, 1 wins over 3.
    """
    from dpaudit.report.formats import LINT_FORMATS
    from dpaudit.report.lint import lint_lines, lint_to_dict
    from dpaudit.static.lint import LintError
    from dpaudit.static.lint import lint as read_all

    _check_writable(output)
    try:
        report = read_all(paths, everything=everything)
    except LintError as error:
        raise click.UsageError(_plain(str(error))) from None
    code = report.exit_code(fail_on)
    if form == "text":
        _write(output, "\n".join(lint_lines(report)) + "\n")
    elif form == "json":
        _write_json(output, lint_to_dict(report, code))
    else:
        _write(output, LINT_FORMATS[form](lint_to_dict(report, code)))
    click.get_current_context().exit(code)


@cli.command()
@click.argument("run_file", metavar="RUN")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "sarif", "junit", "github", "markdown"]),
    help="Of the report. [default: what FILE is named after]",
)
@click.option("--output", metavar="FILE", default="-", help="Write it here; - is stdout.")
def report(run_file: str, form: str | None, output: str) -> None:
    """Write a report of RUN, the JSON of a run (- is stdin), in another format.

    Nothing of the run is imported or executed. Exit codes: 0, or 2 a usage error; what the run
    found is in its own.
    """
    from dpaudit.report.formats import SUFFIXES, format_of, render

    _check_writable(output)
    chosen = form or format_of(output)
    if chosen is None:
        endings = ", ".join(SUFFIXES)
        raise click.UsageError(f"give --format, or --output FILE whose name ends in {endings}")
    try:
        text = render(_read_json(run_file), chosen)
    except ValueError as error:
        raise click.UsageError(_plain(f"{run_file} cannot be used: {error}")) from None
    _write(output, text)


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("old_file", metavar="OLD")
@click.argument("new_file", metavar="NEW")
def compare(old_file: str, new_file: str) -> None:
    """Say what got better or worse between two runs.

    OLD and NEW are files that run --json wrote, or numbers of runs that are stored: 1 is the first,
    -1 the last one. Exit codes: 0 nothing is worse, 1 something is, or is gone, 2 a usage error.
    """
    from dpaudit.report.compare import Way, compare_lines
    from dpaudit.report.compare import compare as compared
    from dpaudit.report.formats import MISSHAPEN, known_run, misshapen

    runs = []
    for name in (old_file, new_file):
        try:
            runs.append(known_run(_read_run(name)))
        except ValueError as error:
            raise click.UsageError(_plain(f"{name} cannot be used: {error}")) from None
    try:
        changes = compared(*runs)
    except MISSHAPEN as error:
        raise click.UsageError(_plain(f"one of the runs: {misshapen(error)}")) from None
    click.echo("\n".join(compare_lines(changes)))
    click.get_current_context().exit(1 if any(c.way is Way.WORSE for c in changes) else 0)


@cli.command()
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
        raise click.UsageError(_plain(error.args[0])) from None
    texts = [text for kind in found for text in (kind.text(), rules_text(kind.id)) if text]
    click.echo("\n\n".join(texts))


def _import_from_here() -> None:
    """Let mechanisms be named as from this folder and from the project that it is in."""
    from dpaudit.collect import project_root, put_on_path

    put_on_path(project_root(Path.cwd()))
    put_on_path(Path.cwd())


def _parsed(mechanism: str, claim: str, neighbors: str) -> tuple[Claim, Neighbors]:
    """Read the nouns of the command line, or say what is wrong with them."""
    from dpaudit.apart import one_line
    from dpaudit.declare import Audit
    from dpaudit.notation import parse_claim, parse_neighbors
    from dpaudit.subject import Subject

    _import_from_here()
    try:
        parsed = parse_claim(claim), parse_neighbors(neighbors)
        Audit(mechanism, *parsed)
        Subject.of(mechanism)
    except (Exception, SystemExit) as error:
        # Importing the mechanism may raise anything.
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None
    return parsed


def _stated(mechanism: str, claim: str, neighbors: str) -> tuple[Claim | str, Neighbors]:
    """Read a claim, or keep it as a text where it names parameters of the mechanism."""
    from dpaudit.apart import one_line
    from dpaudit.claims.symbolic import SymbolicClaim
    from dpaudit.formal.for_all import validated
    from dpaudit.notation import parse_neighbors
    from dpaudit.subject import imported

    try:
        symbolic = SymbolicClaim.of(claim)
    except ValueError:
        return _parsed(mechanism, claim, neighbors)
    _import_from_here()
    try:
        validated(imported(mechanism), symbolic)
        return claim, parse_neighbors(neighbors)
    except (Exception, SystemExit) as error:
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None


def _collected(paths: Sequence[str], select: Sequence[str]) -> Collection:
    """Collect and select, or say what is wrong with the paths."""
    from dpaudit.collect import CollectionError, collect

    try:
        found = collect(paths or _settings().paths)
    except CollectionError as error:
        raise click.UsageError(str(error)) from None
    if not found.audits:
        _print_failures(found, sys.stderr)
        raise click.UsageError("no audits were collected; bind a dpaudit.Audit to a name in a file")
    chosen = found.select(select)
    if not chosen.audits:
        patterns = ", ".join(map(repr, select))
        raise click.UsageError(f"none of {len(found.audits)} audits is selected by {patterns}")
    return chosen


def _settings() -> Settings:
    """Return what the project says, or that it cannot be read."""
    from dpaudit.settings import SettingsError, read_settings

    try:
        return read_settings(Path())
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Return options for `dpaudit.audit`; those not given are left to the declarations."""
    return {key: value for key, value in given.items() if value is not None}


def _booked(collection: Collection, asked: dict[str, Any], *, resume: bool) -> Booked:
    """Book the run in the store of the project, or say why it cannot be."""
    import dpaudit
    from dpaudit.booked import Booked, import_named
    from dpaudit.collect import project_root
    from dpaudit.store import Store, StoreError, code_hash

    root = project_root(Path())
    import_named(collection.audits)
    command = {**asked, "version": dpaudit.__version__}
    try:
        store = Store(root)
    except StoreError as error:
        if resume:
            raise click.UsageError(_plain(str(error))) from None
        click.echo(_plain(f"nothing is stored: {error}"), err=True)
        store = Store(None)
    try:
        return Booked.begin(store, command, code_hash(root), resume=resume)
    except StoreError as error:
        raise click.UsageError(_plain(str(error))) from None


def _print_run(outcomes: Sequence[Outcome], collection: Collection, file: TextIO) -> None:
    from dpaudit.outcome import Status, counted, row
    from dpaudit.report.audited import why
    from dpaudit.report.table import print_table

    print_table([row(outcome) for outcome in outcomes], file)
    for outcome in outcomes:
        if outcome.status is Status.UNEXPECTED and outcome.report is not None:
            expected = f"{outcome.collected.name}: expected {outcome.collected.audit.expect}"
            click.echo(f"\n{_plain(expected)}\n{outcome.report.summary()}", file=file)
        elif outcome.status is Status.UNEXPECTED:
            lines = [f"{outcome.collected.name}: expected {outcome.collected.audit.expect}"]
            click.echo("\n" + "\n".join(map(_plain, lines + why(outcome.to_dict()))), file=file)
        elif outcome.status is Status.INCOMPLETE:
            what = f"{outcome.collected.name} could not be completed: {outcome.reason}"
            click.echo(_plain(what), file=file)
    _print_failures(collection, file)
    click.echo(counted(outcomes, len(collection.failures)), file=file)


def _print_failures(collection: Collection, file: TextIO) -> None:
    said = [(failure.file, failure.message) for failure in collection.failures]
    said += [(skip.file, skip.message) for skip in collection.skipped]
    for name, message in said:
        click.echo(_plain(f"{name} {message}"), file=file)


def _check_writable(name: str | None) -> None:
    """Refuse a file that cannot be written before the audits take their time."""
    if name is None or name == "-":
        return
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        raise click.UsageError(f"{name} cannot be written; give a file in a folder that exists")


def _make_folder(path: Path) -> None:
    """Make a folder before the audits take their time."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(
            f"{path} cannot be made ({error.strerror}); give a folder in a place that is writable"
        ) from None


def _write_json(name: str, value: object) -> None:
    _write(name, json.dumps(value, indent=2, allow_nan=False) + "\n")


def _write_run(json_file: str | None, reports: Sequence[str], run: dict[str, Any]) -> None:
    from dpaudit.report.formats import format_of, render

    if json_file is not None:
        _write_json(json_file, run)
    for name in reports:
        _write(name, render(run, str(format_of(name))))


def _write(name: str, text: str) -> None:
    if name == "-":
        click.echo(text, nl=False)
    else:
        Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")


def _read_run(name: str) -> object:
    """Read a run from a file, or from the store by its number."""
    from dpaudit.collect import project_root
    from dpaudit.store import Store, StoreError

    if re.fullmatch(r"-?[0-9]+", name) is None or Path(name).exists():
        return _read_json(name)
    try:
        return Store(project_root(Path())).result(int(name))
    except StoreError as error:
        raise ValueError(str(error)) from None


def _read_json(name: str) -> object:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(error.strerror or type(error).__name__) from None
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"it is no JSON ({error})") from None


def _write_script(name: str, outcome: Outcome) -> None:
    witness = None if outcome.report is None else outcome.report.witness
    if witness is None:
        click.echo("no witness was found, so no script is written", err=True)
        return
    text = witness.script()
    if name == "-":
        click.echo(text)
    else:
        Path(name).write_text(text, encoding="utf-8")


def _plain(text: str) -> str:
    from dpaudit.report.escape import plain

    return plain(text)
