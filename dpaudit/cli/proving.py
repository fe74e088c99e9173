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
from dpaudit.cli.options import CLAIM, NEIGHBORS, finite
from dpaudit.cli.stdout import reserved, to_stdout


@click.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option(
    "--claim",
    "claim_text",
    required=True,
    type=CLAIM,
    help='The claim, such as "PureDP(1.0)". "PureDP(epsilon)" claims it for all values of a '
    "parameter of the mechanism.",
)
@click.option(
    "--neighbors",
    "neighbors_text",
    required=True,
    type=NEIGHBORS,
    help='The datasets that count as neighbors, such as "AddRemove(Real(0, 100))".',
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    help="Most seconds of real time. [default: no limit for the proof, whose number of steps is "
    "limited; 60 s for traces and 20 s for samples]",
)
@click.option("--certificate", metavar="FILE", help="Write the certificate of the proof.")
@click.option(
    "--script", "script_file", metavar="FILE", help="Write a script that replays the witness."
)
@click.option(
    "--fix", is_flag=True, help="Print the smallest change that verifies, as a diff; apply nothing."
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
    """Prove or refute a claim from the source of a mechanism.

    If the source decides nothing, the mechanism is traced for at most 60 seconds. Draws decide what
    is suspected. If nothing is, up to 20,000 outputs are sampled, for at most 20 seconds. For more
    samples, run dpaudit audit.

    With --fix, the report goes to stderr and the diff to stdout. You can pipe the diff to
    "git apply".

    \b
    Exit codes:
      0  VERIFIED
      1  any other verdict
      2  the command is wrong
      3  the mechanism could not run in a worker process, or a file could not be written
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
    told = kept(
        "the summary", lambda: summary(report, diff=False, script=script, saved=certificate), short
    )
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
    proved = report.verdict is Verdict.VERIFIED
    click.get_current_context().exit(final(0 if proved else 1))


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
    help="Most seconds of real time for each file. [default: no limit; the number of steps is "
    "limited]",
)
@click.option(
    "--mechanism",
    metavar="MODULE:FUNCTION",
    help="The code that the certificates must be about. dpaudit imports it and may run it.",
)
@click.option(
    "--source",
    "source_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file that holds the mechanism, read as text. [default: found on the path]",
)
@click.option(
    "--no-source", is_flag=True, help="Do not compare with source; then no certificate is accepted."
)
@click.option(
    "--proofs/--no-proofs",
    help="Add cvc5's own proof of each obligation to the accepted certificates.",
)
def check(
    files: tuple[str, ...],
    timeout: float | None,
    mechanism: str | None,
    source_file: Path | None,
    no_source: bool,
    proofs: bool,
) -> None:
    """Check certificates against the source of the mechanism.

    dpaudit accepts a certificate if its proof is right and is about the code at hand. It reads the
    source as text, and imports or runs nothing that a certificate names.

    Name the code with --mechanism for certificates of evidence, and for modules that call functions
    or run loops when they are imported. Without the option, dpaudit cannot decide such
    certificates and exits with 3.

    \b
    Exit codes:
      0  every certificate is accepted
      1  a certificate is rejected
      2  the command is wrong
      3  a file is not a certificate, or dpaudit could not decide it

    If 1 and 3 both apply, dpaudit exits with 1.
    """
    from dpaudit.checker import attached
    from dpaudit.checker import check as checked_by
    from dpaudit.checker.file import IDEALIZED, LOW_BITS

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
            if found.theorem:
                click.echo(printable(f"  it proves: {found.theorem}"))
            for sentence in found.says:
                click.echo(printable(f"  {sentence}"))
            for sentence in found.assumptions:
                click.echo(printable(f"  assumption: {sentence}"))
            if IDEALIZED in found.assumptions:
                click.echo(printable(f"  {LOW_BITS}"))
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
    from dpaudit.checker.file import NOT_CHECKED, RejectedError
    from dpaudit.checker.named import named

    import_from_here()
    try:
        named(mechanism)
    except RejectedError as error:
        told = str(error).removeprefix(NOT_CHECKED)
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
