"""`dpaudit run --cache` and `dpaudit run --changed-since`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.asked import collected
from dpaudit.cli.files import kept, printable

if TYPE_CHECKING:
    from dpaudit.booked import Booked
    from dpaudit.cache import Cache
    from dpaudit.collect import Collection
    from dpaudit.outcome import Outcome

_MOST_DOUBTS = 5  # that are printed


def check_cache(folder: Path | None, **others: Any) -> None:
    """Refuse options that need every audit to run."""
    for option, given in others.items():
        if folder is not None and given:
            raise click.UsageError(
                f"--cache runs no audit again that is unchanged, and --{option} needs it to run; "
                "leave one of them out"
            )


def collected_and_read(
    paths: Sequence[str], select: Sequence[str], folder: Path | None
) -> tuple[Collection, dict[str, Any]]:
    """Collect, and note for the cache what is read on the way."""
    from dpaudit.worker.reads import read_log, recording

    if folder is None:
        return collected(paths, select), {}
    began = time.time_ns()
    with tempfile.TemporaryDirectory() as logs:
        log = str(Path(logs) / "import")
        with recording(log):
            collection = collected(paths, select)
        files, events = read_log(log)
    if events:
        asked = ", ".join(sorted(events))
        raise click.UsageError(
            printable(
                f"importing the audit files asks what no file says ({asked}), so that no result "
                "can be kept; leave --cache out"
            )
        )
    return collection, {"read": files, "began": began}


def cache_of(
    folder: Path | None,
    collection: Collection,
    booked: Booked,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    noted: Mapping[str, Any],
) -> tuple[Cache | None, Booked]:
    """Return the cache, and the run with what is unchanged; say how much that is."""
    from dpaudit.cache import Cache, CacheError
    from dpaudit.sources import SourceReader

    if folder is None:
        return None, booked
    try:
        cache = Cache(folder, options, defaults, **noted)
    except CacheError as error:
        raise click.UsageError(printable(str(error))) from None
    reader = SourceReader()
    found = {each.name: cache.found(each, reader) for each in collection.audits}
    unchanged = {name: result for name, result in found.items() if result is not None}
    for result in unchanged.values():
        booked.store.keep(booked.number, result)
    many, total = len(unchanged), len(collection.audits)
    click.echo(f"cache: {many:,} of {total:,} audits are unchanged and do not run", err=True)
    _print_doubts(cache.doubts)
    return cache, replace(booked, recalled={**booked.recalled, **unchanged})


def keep(cache: Cache | None, outcomes: Sequence[Outcome]) -> None:
    """Keep in the cache what may be kept."""
    from dpaudit.sources import SourceReader

    if cache is not None:
        reader = SourceReader()
        for outcome in outcomes:
            name = outcome.collected.name
            kept(f"the entry of {name} in the cache", partial(cache.keep, outcome, reader))
        cache.close()


def _print_doubts(doubts: Mapping[str, str]) -> None:
    for name, why in list(doubts.items())[:_MOST_DOUBTS]:
        click.echo(printable(f"always runs: {name}: {why}"), err=True)
    if len(doubts) > _MOST_DOUBTS:
        click.echo(f"always run: {len(doubts) - _MOST_DOUBTS:,} more", err=True)


def since(collection: Collection, revision: str | None) -> Collection:
    """Keep the audits whose sources may have changed since a revision."""
    from dpaudit.changed import ChangedError, changed_files, may_be_changed
    from dpaudit.sources import SourceReader

    if revision is None:
        return collection
    try:
        changed = changed_files(Path.cwd(), revision)
    except ChangedError as error:
        raise click.UsageError(printable(str(error))) from None
    reader = SourceReader()
    chosen = tuple(
        each for each in collection.audits if may_be_changed(reader.sources_of(each), changed)
    )
    many, total = len(chosen), len(collection.audits)
    click.echo(
        f"since {printable(revision)}: {len(changed):,} changed files; {many:,} of {total:,} "
        "audits may depend on them",
        err=True,
    )
    return replace(collection, audits=chosen)
