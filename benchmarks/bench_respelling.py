"""Does the spelling of a mechanism decide its verdict? Rewrites that keep the law, and evil twins.

Each mechanism of `audits/` that is proved, or refuted by proof, within `--seconds` steps is
rewritten (`tests/respelling`): by each rewrite that applies, by chains of three, and by the evil
twin of each rewrite. A rewrite counts where the rewritten code, run with the same draws on a few
datasets, still does what the original does. The goals: 95 % of the verdicts are the same as a mean
over rewrites, 85 % for each, chains included; no twin is VERIFIED.

A twin looks like a rewrite and is meant to break the claim. Whether it does depends on the
mechanism, so that a twin that is VERIFIED is run as well, by the engines that only draw. Those that
are then refuted are false proofs; those that are not are listed, to be judged by hand, and are
open where they did something else than the original on the few datasets. Intervals are Wilson's at
95 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from common import (
    jobs_option,
    met,
    print_provenance,
    print_table,
    resumable,
    save_option,
    seed_option,
)
from statsmodels.stats.proportion import proportion_confint

from tests.respelling.rewrites import REWRITES
from tests.respelling.trial import chained, contradicted, kept, loaded, originals, run, verdict

CHAIN = 3
BY_NAME = {rewrite.name: rewrite for rewrite in REWRITES}
Item = tuple[str, tuple[str, ...], bool]  # audit, names of rewrites, whether it is a twin


def tried(item: Item, seconds: float, calls: int) -> dict[str, Any]:
    """Return what becomes of one rewritten mechanism."""
    audit, names, twin = item
    original = originals()[audit]
    rewrites = [BY_NAME[name] for name in names]
    tree = chained(original, rewrites, twin=twin)
    if tree is None:
        return {"verdict": None}
    try:
        with loaded(original, tree) as mechanism:
            same = "draws" if all(r.same == "draws" for r in rewrites) else "law"
            is_kept = kept(original, mechanism, "draws" if twin else same)
            if not (is_kept or twin):
                return {"verdict": None}
            found, reason = verdict(original, mechanism, seconds)
            row = {"verdict": found.name, "reason": reason, "refuted": False, "alike": is_kept}
            if twin and found.name == "VERIFIED":
                row["refuted"] = contradicted(original, mechanism, calls)
            if twin and all(isinstance(output, str) for output in run(original, mechanism)):
                return {"verdict": None}  # it only raises errors
            return row
    except (SyntaxError, TypeError, NameError, ValueError) as error:
        return {"verdict": None, "reason": repr(error)}


def _chains(rng: np.random.Generator, audits: Sequence[str], how_many: int) -> list[Item]:
    """Draw chains of rewrites that apply, one after the other."""
    found: list[Item] = []
    while len(found) < how_many:
        audit = str(rng.choice(list(audits)))
        names = tuple(str(n) for n in rng.choice(list(BY_NAME), CHAIN, replace=False))
        if chained(originals()[audit], [BY_NAME[n] for n in names]) is not None:
            found.append((audit, names, False))
    return found


def _sites(rng: np.random.Generator, audits: Sequence[str], most: int, only: str) -> list[Item]:
    """Draw mechanisms for each rewrite that applies to them, and for its twin."""
    items: list[Item] = []
    for name, rewrite in BY_NAME.items():
        if only not in name:
            continue
        for twin in (False, True):
            fit = [a for a in audits if chained(originals()[a], [rewrite], twin=twin) is not None]
            chosen = rng.permutation(len(fit))[:most]
            items += [(fit[i], (name,), twin) for i in chosen]
    return items


def _share(hits: int, of: int) -> str:
    if not of:
        return "-"
    low, high = proportion_confint(hits, of, method="wilson")
    return f"{hits}/{of} ({low:.0%}-{high:.0%})"


@click.command()
@jobs_option
@save_option
@seed_option
@click.option("--mechanisms", default=10_000, show_default=True, help="Drawn at random, at most.")
@click.option("--sample", default=10_000, show_default=True, help="Mechanisms a rewrite, at most.")
@click.option("--chains", default=100, show_default=True, help="Chains of three rewrites.")
@click.option("--twins/--no-twins", default=True, show_default=True)
@click.option("--seconds", default=10.0, show_default=True, help="Of a proof, in steps.")
@click.option("--calls", default=40_000, show_default=True, help="Of a twin that is VERIFIED.")
@click.option("--only", default="", help="A part of the names of rewrites.")
def main(
    jobs: int,
    save: Path | None,
    seed: int,
    mechanisms: int,
    sample: int,
    chains: int,
    twins: bool,
    seconds: float,
    calls: int,
    only: str,
) -> None:
    """Rewrite, prove, and count."""
    print_provenance()
    rng = np.random.default_rng(seed)
    work = partial(tried, seconds=seconds, calls=calls)
    names = sorted(originals())
    tried_ones = sorted(rng.permutation(len(names))[:mechanisms])
    plain: list[Item] = [(names[i], (), False) for i in tried_ones]
    rows = resumable(work, plain, jobs, save)
    before = {item[0]: row["verdict"] for item, row in zip(plain, rows, strict=True)}
    decided = [a for a, found in before.items() if found in ("VERIFIED", "REFUTED")]
    print(f"{len(decided)} of {len(plain)} mechanisms are decided by proof\n")
    drawn = [i for i in _sites(rng, decided, sample, only) if twins or not i[2]]
    items = [*drawn, *(() if only else _chains(rng, decided, chains))]
    after = resumable(work, items, jobs, save)
    raise SystemExit(_told(before, items, after))


def _told(before: dict[str, str], items: list[Item], rows: list[dict[str, Any]]) -> int:
    """Print the tables; return whether a goal is missed."""
    table, shares, false = [], [], 0
    everything = [(item, row) for item, row in zip(items, rows, strict=True) if row["verdict"]]
    for name in (*BY_NAME, ""):
        mine = [(i, r) for i, r in everything if (i[1] == (name,) if name else len(i[1]) == CHAIN)]
        right = [r["verdict"] == before[i[0]] for i, r in mine if not i[2]]
        twins = [r for i, r in mine if i[2]]
        proved = [r for r in twins if r["verdict"] == "VERIFIED"]
        refuted = sum(r["refuted"] for r in proved)
        false += refuted
        shares += [sum(right) / len(right)] if right else []
        other = sum(not (r["refuted"] or r["alike"]) for r in proved)
        open_ = f"{other} open" if other else ""
        row = (name or "chains of three", _share(sum(right), len(right)), str(len(twins)))
        table.append(
            (*row, str(sum(r["verdict"] == "REFUTED" for r in twins)), str(refuted), open_)
        )
    print_table(("rewrite", "same verdict", "twins", "REFUTED", "FALSE", "VERIFIED"), table)
    print()
    for item, row in everything:
        if item[2] and row["verdict"] == "VERIFIED":
            kind = "FALSE PROOF" if row["refuted"] else "VERIFIED twin"
            same = ", which did as the original on the few datasets" if row["alike"] else ""
            print(f"{kind}: {item[0]} {item[1]}{same}")
        elif not item[2] and row["verdict"] != before[item[0]]:
            print(f"{before[item[0]]} -> {row['verdict']}: {item[0]} {item[1]}: {row['reason']}")
    mean, least = float(np.mean(shares)), min(shares)
    print(f"mean share with the same verdict {mean:.1%}, least {least:.1%}")
    print(f"95 % as a mean, 85 % each: {met(mean >= 0.95 and least >= 0.85)}")
    print(f"{sum(i[2] for i, _ in everything)} twins, {false} false proofs: {met(not false)}")
    return int(false > 0)


if __name__ == "__main__":
    main()
