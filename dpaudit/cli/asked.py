"""From the words of a command to audits, claims, neighbors and settings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from dpaudit.cli.files import printable

if TYPE_CHECKING:
    from dpaudit.baseline.file import Baseline, Trouble
    from dpaudit.claims import Claim
    from dpaudit.collect import Collection
    from dpaudit.neighbors import Neighbors
    from dpaudit.settings import Settings


def import_from_here() -> None:
    """Let mechanisms be named as from this folder and from the project that it is in."""
    from dpaudit.collect import put_on_path
    from dpaudit.roots import project_root
    from dpaudit.worker.leaving import never_leave_as_passed

    never_leave_as_passed()  # what is named is imported next
    put_on_path(project_root(Path.cwd()))
    put_on_path(Path.cwd())


def parsed(
    mechanism: str, claim: str, neighbors: str | None, around: Path | None = None
) -> tuple[Claim, Neighbors]:
    """Read the nouns of the command line, or say what is wrong with them.

    Parameters
    ----------
    mechanism, claim : str
    neighbors : str, optional
        May be left out where a file is given.
    around : Path, optional
        A file of records; the neighbors are those around them.
    """
    from dpaudit.apart import one_line
    from dpaudit.declare import Audit
    from dpaudit.notation import parse_claim, parse_neighbors
    from dpaudit.subject import Subject, imported

    import_from_here()
    _validate_numbers(claim)
    try:
        related = None if neighbors is None else parse_neighbors(neighbors, imported)
        if around is not None:
            related = _around(around, related)
        assert related is not None
        parsed = parse_claim(claim), related
        Audit(mechanism, *parsed)
        Subject.of(mechanism)
    except (Exception, SystemExit) as error:
        # Importing the mechanism may raise anything.
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None
    return parsed


def _around(file: Path, neighbors: Neighbors | None) -> Neighbors:
    """Return the neighbors around the records of a file."""
    from dpaudit.apart import one_line
    from dpaudit.extras import optional

    pd = optional("pandas")

    from dpaudit.neighbors import AddRemove

    readers = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".json": pd.read_json}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise ValueError(f"--around must be a file {', '.join(readers)}, got {file.name!r}")
    try:
        frame = reader(file)
    except (ValueError, TypeError, AttributeError, OSError) as error:
        raise ValueError(
            f"--around {file.name!r} cannot be read ({one_line(error)}); give a file of records, "
            "one a row"
        ) from None
    if neighbors is None:
        return AddRemove.around(frame)
    if not isinstance(neighbors, AddRemove):
        raise ValueError(
            f"--around takes --neighbors of AddRemove or none, got {neighbors}; AddRemove says "
            "what a record that is added may be"
        )
    records = None if neighbors.unit is not None else neighbors.records
    return AddRemove.around(
        frame,
        records,
        group=neighbors.group,
        unit=neighbors.unit,
        min_size=neighbors.min_size,
    )


def _validate_numbers(claim: str) -> None:
    """Refuse a claim that names parameters of the mechanism: draws are made at numbers."""
    from dpaudit.claims.symbolic import SymbolicClaim
    from dpaudit.notation import NotationError, parse_claim

    try:
        parse_claim(claim)
    except NotationError:
        try:
            names = SymbolicClaim.of(claim).symbols
        except ValueError:
            return
        raise click.UsageError(
            printable(
                f"--claim {claim!r} names {', '.join(names)}, and an audit needs numbers; give "
                "numbers, such as PureDP(1.0), or decide it for all values with dpaudit verify"
            )
        ) from None
    except ValueError:
        return


def stated(mechanism: str, claim: str, neighbors: str) -> tuple[Claim | str, Neighbors]:
    """Read a claim, or keep it as a text where it names parameters of the mechanism."""
    from dpaudit.apart import one_line
    from dpaudit.claims.symbolic import SymbolicClaim
    from dpaudit.formal.for_all import validated
    from dpaudit.notation import parse_neighbors
    from dpaudit.subject import imported

    try:
        symbolic = SymbolicClaim.of(claim)
    except ValueError:
        return parsed(mechanism, claim, neighbors)
    import_from_here()
    try:
        validated(imported(mechanism), symbolic)
        return claim, parse_neighbors(neighbors, imported)
    except (Exception, SystemExit) as error:
        known = isinstance(error, TypeError | ValueError | ImportError)
        raise click.UsageError(str(error) if known else one_line(error)) from None


def collected(paths: Sequence[str], select: Sequence[str]) -> Collection:
    """Collect and select, or say what is wrong with the paths."""
    from dpaudit.collect import CollectionError, collect
    from dpaudit.worker.leaving import never_leave_as_passed

    never_leave_as_passed()
    try:
        found = collect(paths or settings().paths)
    except CollectionError as error:
        raise click.UsageError(str(error)) from None
    if not found.audits:
        print_failures(found, sys.stderr)
        remedy = "bind a dpaudit.Audit to a name in a file"
        if found.failures:
            remedy = "mend the files above"
        raise click.UsageError(f"no audits were collected; {remedy}")
    chosen = found.select(select)
    if not chosen.audits:
        patterns = ", ".join(map(repr, select))
        raise click.UsageError(
            f"none of {len(found.audits)} audits is selected by {patterns}; "
            "dpaudit list shows their names"
        )
    return chosen


def settings() -> Settings:
    """Return what the project says, or that it cannot be read."""
    from dpaudit.settings import SettingsError, read_settings

    try:
        return read_settings(Path())
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def baseline(file: str | None) -> Baseline:
    """Return what the project accepts, or say why it cannot be read."""
    from dpaudit.baseline.file import Baseline, BaselineError, read_baseline

    named = file or settings().baseline
    if named is None:
        return Baseline()
    try:
        return read_baseline(Path(named))
    except BaselineError as error:
        raise click.UsageError(printable(str(error))) from None


def told_of(accepted: Baseline, troubles: Sequence[Trouble]) -> dict[str, Any] | None:
    """Return what result files say of a baseline, None where there is none."""
    from dataclasses import asdict

    if not accepted.name:
        return None
    return {"file": accepted.name, "troubles": [asdict(trouble) for trouble in troubles]}


def print_failures(collection: Collection, file: TextIO) -> None:
    """Print which files could not be used, and which were skipped."""
    said = [(failure.file, failure.message) for failure in collection.failures]
    said += [(skip.file, skip.message) for skip in collection.skipped]
    for name, message in said:
        click.echo(printable(f"{name} {message}"), file=file)
