"""`dpaudit verify` and `dpaudit check`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from dpaudit.cli.asked import import_from_here, stated
from dpaudit.cli.files import (
    check_writable,
    final,
    kept,
    printable,
    write,
    write_certificate,
    write_script,
)
from dpaudit.cli.options import finite
from dpaudit.cli.stdout import reserved, to_stdout


@click.command()
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
    callback=finite,
    help="A limit in seconds of real time. [default: none; steps of work are counted]",
)
@click.option("--certificate", metavar="FILE", help="Write the certificate of a proof here.")
@click.option("--script", "script_file", metavar="FILE", help="Write the witness's replay here.")
@click.option(
    "--fix", is_flag=True, help="Print the smallest change that verifies as a diff; apply nothing."
)
def verify(
    mechanism: str,
    claim_text: str,
    neighbors_text: str,
    timeout: float | None,
    certificate: str | None,
    script_file: str | None,
    fix: bool,
) -> None:
    """Prove or refute a claim from the mechanism's source.

    With --fix the report goes to stderr and the diff to stdout, so that it can be piped to
    "git apply". Exit codes: 0 VERIFIED as it is, 1 any other verdict, 2 a usage error, 3 the
    mechanism could not be handed to a worker process, or a file could not be written.
    """
    from dpaudit.apart import one_line
    from dpaudit.auditor import verify as decide
    from dpaudit.evidence import Verdict
    from dpaudit.report.text import summary
    from dpaudit.worker import WorkerError

    check_writable(certificate)
    check_writable(script_file)
    out = reserved(certificate, script_file, wanted=fix)
    claim, neighbors = stated(mechanism, claim_text, neighbors_text)
    if fix and isinstance(claim, str):
        raise click.UsageError("--fix takes a claim of numbers, such as PureDP(1.0)")
    try:
        report = decide(mechanism, claim, neighbors, timeout=timeout, fix=fix, isolation="process")
    except (WorkerError, SystemExit) as error:
        click.echo(printable(f"{mechanism}: could not be completed: {one_line(error)}"), err=True)
        click.get_current_context().exit(3)
    script = "dpaudit verify with --script FILE"
    short = f"{report.verdict}  {mechanism}"
    told = kept("the summary", lambda: summary(report, diff=False, script=script), short)
    click.echo(told, file=out)
    if report.repair is not None:
        to_stdout(report.repair.diff)
    if certificate is not None:
        if report.certificate is None:
            click.echo("nothing was proved, so no certificate is written", err=True)
        else:
            kept("the certificate", lambda: write_certificate(certificate, report.certificate))
    if script_file is not None:
        kept("the script", lambda: write_script(script_file, report))
    click.get_current_context().exit(final(0 if report.verdict is Verdict.VERIFIED else 1))


@click.command()
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
    callback=finite,
    help="A limit in seconds of real time for each. [default: none; steps of work are counted]",
)
@click.option(
    "--mechanism",
    metavar="MODULE:FUNCTION",
    help="The code that the certificates are to be about: it is imported, and may be run.",
)
@click.option(
    "--source",
    "source_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file that holds the mechanism; it is read as text. [default: looked for on the path]",
)
@click.option("--no-source", is_flag=True, help="Compare with no source: nothing is accepted.")
@click.option(
    "--proofs/--no-proofs",
    help="Write cvc5's own proof of each obligation into the certificates that are accepted.",
)
def check(
    files: tuple[str, ...],
    timeout: float | None,
    mechanism: str | None,
    source_file: Path | None,
    no_source: bool,
    proofs: bool,
) -> None:
    """Check certificates without trusting what made them.

    A certificate is accepted where its proof is right and is of the code at hand, whose source is
    read as text. Nothing that a file names is imported or run. Name the code by --mechanism for
    evidence, and for a module that calls a function or has a loop when it is imported; by
    --mechanism or --source for proofs by exact distributions. Without that they exit with 3.

    Exit codes: 0 all are accepted, 1 one is rejected, 2 usage, 3 one could not be checked or not
    compared with its code, or is no certificate. Where both apply, 1 wins over 3.
    """
    from dpaudit.checker import attached
    from dpaudit.checker import check as checked_by

    if sum([mechanism is not None, source_file is not None, no_source]) > 1:
        raise click.UsageError("give one of --mechanism, --source and --no-source")
    if mechanism is not None:
        _validate_named(mechanism)
    source: bool | Path = source_file if source_file is not None else not no_source
    code = 0
    for name in files:
        try:
            found = checked_by(
                Path(name), mechanism=mechanism, source=source, timeout=timeout, proofs=proofs
            )
        except OSError as error:
            raise click.UsageError(printable(f"{name} cannot be read: {error.strerror}")) from None
        if found.accepted:
            click.echo(printable(f"{name}: accepted ({found.kind}, {found.seconds:.1f} s)"))
            for sentence in found.says:
                click.echo(printable(f"  {sentence}"))
            for sentence in found.trusted:
                click.echo(printable(f"  on trust: {sentence}"))
            if proofs:
                what = f"{name} with the solver's proofs"
                write_them = partial(_kept_proofs, Path(name), found.solver_proofs, attached)
                click.echo(printable(f"  {kept(what, write_them, 'no proofs are kept')}"))
            continue
        said = f"rejected: {found.reason}" if found.decided else found.reason
        right = "; the proof itself is right" if found.proved and not found.decided else ""
        click.echo(printable(f"{name}: {said}{right}"))
        code = 1 if found.decided or code == 1 else 3
    click.get_current_context().exit(final(code))


def _validate_named(mechanism: str) -> None:
    """Refuse a mechanism that no certificate can be about, or that cannot be imported."""
    from dpaudit.checker.file import RejectedError
    from dpaudit.checker.named import named

    import_from_here()
    try:
        named(mechanism)
    except RejectedError as error:
        told = str(error).removeprefix("not checked: ")
        raise click.UsageError(
            printable(f"--mechanism: {told}; name the function that the certificate is to be about")
        ) from None


def _kept_proofs(path: Path, proofs: Sequence[Any], attached: Callable[..., Any]) -> str:
    """Write a solver's proofs into a certificate, and say what they trust."""
    content = json.dumps(attached(path, proofs), indent=1, allow_nan=False)
    write(str(path), content + "\n")
    trusted = Counter[str]()
    for proof in proofs:
        trusted.update(proof.trusted)
    steps = sum(proof.steps for proof in proofs)
    said = ", ".join(f"{n} {rule}" for rule, n in sorted(trusted.items())) or "none"
    return f"cvc5's proofs: {len(proofs)}, of {steps:,} steps; taken on trust by it: {said}"
