"""`dpaudit init` and `dpaudit completion`."""

from __future__ import annotations

from pathlib import Path

import click

from dpaudit.cli.asked import import_from_here
from dpaudit.cli.files import make_folder, printable, write


@click.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option("--claim", "claim_text", help='The claim, such as "PureDP(1.0)".')
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the audit file here. [default: audits/FUNCTION.py]",
)
def init(mechanism: str, claim_text: str | None, output: Path | None) -> None:
    """Write a first audit file for a mechanism.

    MODULE:FUNCTION names the mechanism, as in shop.release:noisy_mean. Then edit the file: say what
    the records are and what is claimed.
    """
    from dpaudit.apart import one_line
    from dpaudit.notation import parse_claim
    from dpaudit.starter import starter

    import_from_here()
    file = output or Path("audits", f"{mechanism.rpartition(':')[2]}.py")
    if file.suffix != ".py":
        raise click.UsageError(f"--output {file} is no Python file; audit files end in .py")
    if file.exists():
        raise click.UsageError(f"{file} exists; give another name by --output")
    try:
        if claim_text is not None:
            parse_claim(claim_text)
        text = starter(mechanism, file, claim_text)
    except (Exception, SystemExit) as error:
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None
    make_folder(file.parent)
    write(str(file), text)
    click.echo(
        printable(f"{file} is written. Edit the records in it, then run: dpaudit run {file}")
    )


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(
        kind(
            click.get_current_context().find_root().command, {}, "dpaudit", "_DPAUDIT_COMPLETE"
        ).source()
    )
