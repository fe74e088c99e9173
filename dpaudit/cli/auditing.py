"""`dpaudit run` and `dpaudit audit`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from dpaudit.cli.asked import (
    baseline,
    parsed,
    print_failures,
    settings,
    told_of,
)
from dpaudit.cli.caching import cache_of, check_cache, collected_and_read, keep, since
from dpaudit.cli.files import (
    check_writable,
    final,
    kept,
    make_folder,
    printable,
    said,
    write_certificate,
    write_run,
    write_script,
)
from dpaudit.cli.options import (
    CLAIM,
    audit_options,
    baseline_option,
    check_beacon,
    check_log,
    check_total,
    known_duration,
    seconds_of,
)
from dpaudit.cli.resuming import orderly_end, resuming
from dpaudit.cli.self_testing import run_self_test
from dpaudit.cli.stdout import reserved

if TYPE_CHECKING:
    from dpaudit.accumulate import Accumulation
    from dpaudit.booked import Booked
    from dpaudit.collect import Collection
    from dpaudit.outcome import Outcome
    from dpaudit.saved_pairs import SavedPairs

_NOT_KEPT = "which are not kept; `dpaudit run --accumulate` keeps its calls"


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--select",
    multiple=True,
    metavar="PATTERN",
    help="Run only audits whose name, mechanism or expectation contains or matches this pattern. "
    "May be repeated.",
)
@click.option(
    "--certificates",
    "certificates",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the certificate of each VERIFIED audit to this folder, for dpaudit check. "
    "With --beacon, write those of evidence too.",
)
@click.option(
    "--scripts",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the witness of each REFUTED audit to this folder, as a script that replays it.",
)
@baseline_option
@click.option("--resume", is_flag=True, help="Continue the last run, which was stopped.")
@click.option(
    "--accumulate",
    is_flag=True,
    help="Add to the evidence of earlier runs with this option, if nothing has changed since. "
    "Each run uses a new seed.",
)
@click.option(
    "--cache",
    "cache_folder",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Do not run an audit again that was as expected, and of which nothing has changed since. "
    "Keep results in this folder.",
)
@click.option(
    "--changed-since",
    metavar="REV",
    help="Run only audits that may depend on a file that differs from this git revision.",
)
@click.option(
    "--total",
    metavar="DURATION",
    callback=known_duration,
    help="Time for all audits together, such as 90s, 5m or 1h. Runs the first tier of calls of all "
    "audits, then later tiers, those of undecided and changed audits first.",
)
@click.option(
    "--self-test",
    "tests_itself",
    is_flag=True,
    help="Sabotage the noise of each mechanism, and report audits that do not see it as BLIND. "
    "Takes the place of the audits.",
)
@audit_options(declared=True)
def run(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    certificates: Path | None,
    scripts: Path | None,
    baseline_file: str | None,
    resume: bool,
    accumulate: bool,
    cache_folder: Path | None,
    changed_since: str | None,
    total: str | None,
    tests_itself: bool,
    **options: Any,
) -> None:
    """Run the audits that audit files declare.

    PATH is an audit file or a folder of them. The default is audits/. dpaudit stores each result
    in the folder .dpaudit/ as soon as the audit ends.
    """
    from dpaudit.baseline.runs import judged, troubles
    from dpaudit.outcome import (
        INTERRUPTED,
        exit_code,
        run_to_dict,
        save_certificates,
        save_scripts,
    )
    from dpaudit.report.audited import baseline_lines
    from dpaudit.report.progress import progress_for

    until = None if total is None else time.monotonic() + seconds_of(total)
    if tests_itself:
        run_self_test(paths, select, click.get_current_context().params)
    if resume and (certificates or scripts):
        raise click.UsageError(
            "--resume keeps no certificates or scripts of what was finished; run anew for these"
        )

    if resume and accumulate:
        raise click.UsageError(
            "--accumulate continues each audit where it was stopped; leave --resume out"
        )
    if accumulate and options["beacon"] is not None:
        raise click.UsageError(
            "--accumulate adds to the evidence of earlier nights, and what --beacon leaves is "
            "replayed by itself, from one public value; leave one of them out"
        )
    if accumulate and options["tier"] is not None:
        raise click.UsageError(
            "--accumulate makes as many calls each night as --max-calls says; leave --tier out"
        )
    check_total(total, accumulate=accumulate, beacon=options["beacon"])
    others = {"resume": resume, "accumulate": accumulate, "beacon": options["beacon"]}
    check_cache(cache_folder, **others, certificates=certificates, scripts=scripts)
    check_beacon(options)
    json_file, reports = options.pop("json_file"), options.pop("reports")
    check_writable(json_file)
    out = reserved(json_file)
    for folder in (certificates, scripts):
        if folder is not None:
            make_folder(folder)
    accepted, today = baseline(baseline_file), date.today()
    collection, noted = collected_and_read(paths, select, cache_folder)
    collection = since(collection, changed_since)
    check_log(options["beacon"])
    jobs = options.pop("jobs")
    audits, given, defaults = collection.audits, _options(options), settings().options
    asked: dict[str, Any] = {
        "paths": paths,
        "selection": select,
        "options": given,
        "settings": defaults,
    }
    asked |= {"baseline": accepted.text} if accepted.text else {}
    asked |= {"changed_since": changed_since} if changed_since else {}
    asked |= {"total": total} if total else {}
    if accumulate:
        asked["accumulate"] = True
    booked = _booked(collection, asked, resume=resume, needed=resume or accumulate)
    pairs = _saved_pairs(booked, options["beacon"])
    noted |= {"saved": pairs.text} if pairs is not None else {}
    cache, booked = cache_of(cache_folder, collection, booked, given, defaults, noted)
    gives = [each.options_of for each in (cache, pairs) if each is not None]
    if accumulate:
        gives = [_accumulation(booked, given.pop("seed", None)).options]
    with orderly_end(), progress_for(len(audits) - len(booked.recalled), sys.stderr) as display:
        outcomes = booked.run(
            audits,
            jobs=jobs,
            options=given,
            defaults=defaults,
            watch=display,
            own=lambda each: {k: v for options in gives for k, v in options(each).items()},
            judge=lambda outcome: judged(outcome, accepted, today),
            until=until,
        )
    keep(cache, outcomes)
    if pairs is not None:
        for each in outcomes:
            kept(f"the pair of {each.collected.name}", partial(pairs.keep, each))
    told = kept(
        "the comparison with the baseline",
        lambda: troubles(outcomes, accepted, today, selected=bool(select or changed_since)),
        [],
    )
    code = exit_code(outcomes, len(collection.failures), sum(each.expired for each in told))
    result = run_to_dict(
        outcomes,
        collection.failures,
        code,
        collection.skipped,
        paths=paths or settings().paths,
        selection=select,
        options=click.get_current_context().params,
    )
    said(result["not_made"])
    result["baseline"] = told_of(accepted, told)
    _print_run(outcomes, collection, out)
    for line in kept("what the baseline accepts", lambda: baseline_lines(result), []):
        click.echo(printable(line), file=out)
    for what, folder, save in (
        ("certificate", certificates, save_certificates),
        ("script", scripts, save_scripts),
    ):
        if folder is not None:
            missing: list[str] = []
            written = save(outcomes, folder, missing)
            said(missing)
            many = "" if written == 1 else "s"
            click.echo(printable(f"{written:,} {what}{many} in {folder}"), file=out)
    kept(
        "the end of the run in the store",
        lambda: booked.finish({**result, "exit_code": final(code)}),
    )
    write_run(json_file, reports, result, code)
    context = click.get_current_context()
    if code == INTERRUPTED and booked.store.is_kept:
        click.echo(printable(f"to continue this run: {resuming(context)}"), file=out)
    context.exit(final(code))


@click.command()
@click.argument("mechanism", metavar="MODULE:FUNCTION")
@click.option(
    "--claim", "claim_text", required=True, type=CLAIM, help='The claim, such as "PureDP(1.0)".'
)
@click.option(
    "--neighbors",
    "neighbors_text",
    help='The datasets that count as neighbors, such as "AddRemove(Real(0, 100), max_size=20)".',
)
@click.option(
    "--around",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Real records (.csv, .parquet, .json): neighbors are those with one less. With "
    "--neighbors AddRemove(…) also those with one more, as it says.",
)
@click.option(
    "--expect", default="NOT_REFUTED", show_default=True, help="Expected verdict or violation id."
)
@click.option(
    "--script", "script_file", metavar="FILE", help="Write a script that replays the witness."
)
@click.option("--certificate", metavar="FILE", help="Write the certificate, if there is one.")
@audit_options(declared=False)
def audit(
    mechanism: str,
    claim_text: str,
    neighbors_text: str | None,
    around: Path | None,
    expect: str,
    script_file: str | None,
    certificate: str | None,
    **options: Any,
) -> None:
    """Audit one mechanism, without an audit file.

    MODULE:FUNCTION names the mechanism, as in shop.release:noisy_mean.
    """
    from dpaudit.collect import CollectedAudit
    from dpaudit.declare import Audit
    from dpaudit.outcome import exit_code, run_to_dict
    from dpaudit.report.progress import progress_for
    from dpaudit.running import run_all
    from dpaudit.worker.contexts import silent_tracker

    silent_tracker()
    check_beacon(options)
    json_file, reports = options.pop("json_file"), options.pop("reports")
    check_writable(json_file)
    check_writable(script_file)
    check_writable(certificate)
    out = reserved(json_file, script_file, certificate)
    if neighbors_text is None and around is None:
        raise click.UsageError(
            'give --neighbors, such as --neighbors "AddRemove(Real(0, 100), max_size=20)", or '
            "--around with a file of real records"
        )
    claim, neighbors = parsed(mechanism, claim_text, neighbors_text, around)
    try:
        declared = Audit(mechanism, claim, neighbors, expect=expect)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    check_log(options["beacon"])
    jobs = options.pop("jobs")
    with progress_for(1, sys.stderr) as display:
        [outcome] = run_all(
            [CollectedAudit(mechanism, declared)],
            jobs=jobs,
            options=_options(options),
            watch=display,
        )
    if outcome.report is None:
        what = f"could not be completed: {outcome.error}"
        if outcome.interrupted:
            what = f"{outcome.error}, {_NOT_KEPT}" if outcome.error else "interrupted"
        click.echo(printable(f"{mechanism}: {what}"), file=out)
    else:
        click.echo(_told(outcome, certificate), file=out)
    code = exit_code([outcome])
    result = run_to_dict([outcome], (), code, options=click.get_current_context().params)
    said(result["not_made"])
    if script_file is not None:
        kept("the script", lambda: write_script(script_file, outcome.report))
    proved = None if outcome.report is None else outcome.report.certificate
    if certificate is not None and proved is None:
        click.echo("there is no certificate, so none is written", err=True)
    elif certificate is not None:
        kept("the certificate", lambda: write_certificate(certificate, proved))
    write_run(json_file, reports, result, code)
    click.get_current_context().exit(final(code))


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Return options for `dpaudit.audit`; those not given are left to the declarations."""
    return {key: value for key, value in given.items() if value is not None}


def _booked(collection: Collection, asked: dict[str, Any], *, resume: bool, needed: bool) -> Booked:
    """Book the run in the store of the project, or say why it cannot be."""
    import dpaudit
    from dpaudit.booked import Booked, import_named
    from dpaudit.recalled import validate_recalled
    from dpaudit.roots import project_root
    from dpaudit.store import Store, StoreError, code_of

    root = project_root(Path())
    import_named(collection.audits)
    command = {**asked, "version": dpaudit.__version__}
    try:
        store = Store(root)
    except StoreError as error:
        if needed:
            raise click.UsageError(printable(str(error))) from None
        click.echo(printable(f"nothing is stored: {error}"), err=True)
        store = Store(None)
    try:
        booked = Booked.begin(store, command, code_of(root), collection.audits, root, resume=resume)
        validate_recalled(collection.audits, booked.recalled)
    except StoreError as error:
        raise click.UsageError(printable(str(error))) from None
    if booked.recalled:
        said = (
            f"{len(booked.recalled):,} of {len(collection.audits):,} audits as the store has them"
        )
        click.echo(said, err=True)
    return booked


def _saved_pairs(booked: Booked, beacon: str | None) -> SavedPairs | None:
    """Return the pairs of earlier refutations; what is replayed from a beacon chooses its own."""
    from dpaudit.roots import project_root
    from dpaudit.saved_pairs import SavedPairs

    return SavedPairs(project_root(Path())) if booked.store.is_kept and beacon is None else None


def _accumulation(booked: Booked, seed: int | None) -> Accumulation:
    from dpaudit.accumulate import Accumulation
    from dpaudit.roots import project_root

    return Accumulation(project_root(Path()), booked.store, booked.number, booked.code, seed)


def _print_run(outcomes: Sequence[Outcome], collection: Collection, file: TextIO) -> None:
    from dpaudit.outcome import Status, counted, row
    from dpaudit.report.audited import in_words
    from dpaudit.report.table import print_table

    def table() -> bool:
        print_table([row(outcome) for outcome in outcomes], file)
        return True

    if not kept("the table", table, False):
        for outcome in outcomes:
            click.echo(printable(f"{outcome.collected.name}: {_in_short(outcome)}"), file=file)
    for outcome in outcomes:
        expected = in_words(outcome.collected.audit.expect)
        expected = f"{outcome.collected.name}: expected {expected}"
        if outcome.status is Status.UNEXPECTED:
            click.echo(f"\n{printable(expected)}\n{_told(outcome)}", file=file)
        elif outcome.status is Status.ACCEPTED:
            accepted = kept("why it is accepted", partial(_accepted, outcome), "ACCEPTED")
            click.echo(printable(f"{outcome.collected.name}: {accepted}"), file=file)
        elif outcome.status is Status.INTERRUPTED and outcome.error:
            click.echo(printable(f"{outcome.collected.name}: {outcome.error}"), file=file)
        elif outcome.status is Status.INCOMPLETE:
            what = f"{outcome.collected.name} could not be completed: {outcome.reason}"
            click.echo(printable(what), file=file)
    print_failures(collection, file)
    click.echo(counted(outcomes, len(collection.failures)), file=file)


def _accepted(outcome: Outcome) -> str:
    from dpaudit.report.audited import accepted_because

    return accepted_because(outcome.to_dict())


def _told(outcome: Outcome, saved: str | None = None) -> str:
    """Return the summary of an audit, or its verdict where that fails."""
    what = f"the summary of {outcome.collected.name}"
    return kept(what, lambda: outcome.told(saved), _in_short(outcome))


def _in_short(outcome: Outcome) -> str:
    verdict = "no verdict" if outcome.verdict is None else str(outcome.verdict)
    return f"{verdict}  {outcome.status.value}"
