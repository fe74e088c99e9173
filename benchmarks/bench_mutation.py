"""Soundness by mutation: no program with a small mistake may be VERIFIED unless it is private.

The sound reference mechanisms are changed in one place each (`tools/mutation.py`) and given to the
formal engine with the claim and the neighbors of their audits. Each that is VERIFIED is then looked
at by all that can contradict a proof: the trace engine runs it with frozen noise on hundreds of
pairs and hands the worst to the statistical engine, which bets against the claim at α = 1e-6 (a
REFUTED there is a false proof; where so few calls could have caught nothing, it runs again with
more), and the checker of certificates reads the proof with other code and another solver. The goal:
no false proof, no interpreter that dies.

With `--results FILE` every mutant is written down as it ends; the same command goes on where it was
stopped, in an order drawn at random, so that whatever is done is a fair sample.
"""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from common import jobs_option, met, print_provenance, seed_option
from pebble import ProcessExpired, ProcessPool

import dpaudit
from dpaudit.checker import check
from tools.mutation import Case, cases, load

LOOKING = 15.0  # seconds in which a verified mutant is run
AGAIN = 20  # times the calls and the seconds, where a run could have caught nothing
CHECKING = 10.0  # seconds in which its certificate is checked
SPARE = 300.0  # seconds beyond all limits after which a mutant's process is stopped


def decided(case: Case, calls: int, timeout: float) -> dict[str, Any]:
    """Return what the formal engine says of a mutant, and what others say of those it verifies."""
    result: dict[str, Any] = _named(case)
    with tempfile.TemporaryDirectory() as folder:
        try:
            name = f"mutant_{case.number}"
            original, marked = case.mechanism, case.vectorized
            mechanism = load(case.mutant, original, Path(folder), name, marked=marked)
        except Exception as error:  # a mutant may fail in any way when it is imported
            return result | {"verdict": "BROKEN", "why": type(error).__name__}
        report = dpaudit.verify(mechanism, case.claim, case.neighbors, timeout=timeout)
        result |= {
            "verdict": report.verdict.name,
            "findings": [finding.id for finding in report.findings],
            "seconds": round(report.seconds, 3),
        }
        if report.verdict is dpaudit.Verdict.VERIFIED:
            assert report.certificate is not None
            result["kind"] = report.certificate.kind
            content = report.certificate.to_dict()
            checked = check(content, mechanism=mechanism, timeout=CHECKING)
            result |= {"accepted": checked.accepted, "why": checked.reason}
            for times in (1, AGAIN):
                run = dpaudit.audit(
                    mechanism,
                    case.claim,
                    case.neighbors,
                    engines=["trace", "statistical"],
                    max_calls=calls * times,
                    max_seconds=LOOKING * times,
                )
                if run.verdict is not dpaudit.Verdict.INCONCLUSIVE:
                    break
            result |= {
                "run": run.verdict.name,
                "run_findings": [f.id for f in run.findings],
                "run_reason": run.reason,
            }
    return result


def _named(case: Case) -> dict[str, Any]:
    return {"number": case.number, "audit": case.audit, "change": case.mutant.change}


def _each(todo: Sequence[Case], calls: int, timeout: float, jobs: int) -> Iterator[dict[str, Any]]:
    """Yield results as they come; what raises, dies or hangs is the result of its mutant."""
    limit = timeout + LOOKING * (1 + AGAIN) + CHECKING + SPARE
    context = multiprocessing.get_context("spawn")
    function = partial(decided, calls=calls, timeout=timeout)
    with ProcessPool(max_workers=jobs, max_tasks=100, context=context) as pool:
        futures = {pool.schedule(function, args=(case,), timeout=limit): case for case in todo}
        for future in as_completed(futures):
            try:
                yield future.result()
            except TimeoutError:
                yield _named(futures[future]) | {"verdict": "HUNG"}
            except ProcessExpired as died:
                yield _named(futures[future]) | {"verdict": "CRASHED", "why": str(died)}
            except BrokenProcessPool:
                raise
            except Exception as error:  # leaving the pool would wait for all that is still to do
                why = f"{type(error).__name__}: {error}"
                yield _named(futures[future]) | {"verdict": "RAISED", "why": why}


@click.command()
@click.option("--mutants", default=2_000, show_default=True, help="How many, drawn at random.")
@click.option("--calls", default=40_000, show_default=True, help="Of a verified mutant.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds of a proof.")
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
@click.option("--only", default="", help="A part of the names of audits: `learning` or `k_means`.")
@seed_option
@jobs_option
def main(
    mutants: int, calls: int, timeout: float, results: Path | None, only: str, seed: int, jobs: int
) -> None:
    """Count what becomes of mutants, and false proofs among them."""
    print_provenance()
    everything = cases()
    order = np.random.default_rng(seed).permutation(len(everything))
    chosen = [i for i in order if only in everything[i].audit][:mutants]
    done = [] if results is None or not results.exists() else _read(results)
    known = {result["number"] for result in done}
    todo = [everything[i] for i in chosen if i not in known]
    for result in _each(todo, calls, timeout, jobs):
        done.append(result)
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    counts = Counter(result["verdict"] for result in done)
    print(f"{len(done)} mutants: " + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    proved = [result for result in done if result["verdict"] == "VERIFIED"]
    kinds = Counter(result["kind"] for result in proved)
    print("proved by " + ", ".join(f"{kind}: {n}" for kind, n in sorted(kinds.items())))
    print(
        "then run: " + ", ".join(f"{n} {v}" for v, n in Counter(r["run"] for r in proved).items())
    )
    rejected = [result for result in proved if not result["accepted"]]
    for result in rejected:
        print(f"not accepted {result['audit']}: {result['change']}: {result['why']}")
    for result in proved:
        if result["run"] == "INCONCLUSIVE":
            print(f"not run {result['audit']}: {result['change']}: {result['run_reason']}")
    false = [result for result in proved if result["run"] == "REFUTED"]
    for result in false:
        print(f"FALSE PROOF {result['audit']}: {result['change']}")
    died = [result for result in done if result["verdict"] in ("CRASHED", "HUNG", "RAISED")]
    for result in died:
        print(f"{result['verdict']} {result['audit']}: {result['change']} {result.get('why', '')}")
    print(f"{len(rejected)} certificates not accepted within {CHECKING:g} s")
    print(f"{len(false)} false proofs: {met(not false)}")
    print(f"{len(died)} that died, hung or raised: {met(not died)}")


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
