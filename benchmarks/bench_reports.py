"""What the gate itself costs around 500 audits: collection, store, and reports in every format.

Run as ``python benchmarks/bench_reports.py``. The reports are made up, each with draws of its own,
so that no audit is timed; 500 audits are the size at which the gate is to stay below three seconds.
The first line is the import of what these need, which a run of audits has imported anyway.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dpaudit.claims import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.collect import collect
from dpaudit.outcome import run_to_dict
from dpaudit.report.formats import RUN_FORMATS, render
from dpaudit.report.indented import indented
from dpaudit.sightings import Bins, CellCounts, Sightings
from dpaudit.store import Store, code_hash
from tests.reporting import not_refuted, outcomes_of, refuted, run_of

AUDITS = 500
FILES = 25
CELLS, ORDERS, BINS, BATCHES = 17, 3, 40, 55  # as audits of numbers have them
CLAIMS = (PureDP(1.0), ApproxDP(1.0, 1e-6), RenyiDP(2.0, 0.5), ZeroConcentratedDP(0.1),
          GaussianDP(1.0))  # fmt: skip
HEAD = """
from dpaudit import AddRemove, Audit, PureDP, Real

people = AddRemove(Real(0, 100), max_size=20)

def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)

"""


def seen(rng: np.random.Generator) -> dict[str, Any]:
    """Return what an audit saw of its outputs, and how its evidence grew."""

    def counts(size: int) -> tuple[int, ...]:
        return tuple(map(int, rng.multinomial(20_000, rng.dirichlet(np.ones(size)))))

    orders = tuple(tuple(map(int, rng.permutation(CELLS))) for _ in range(ORDERS))
    edges = tuple(map(float, np.sort(rng.normal(size=BINS + 1))))
    trail = zip(np.linspace(64, 40_000, BATCHES), rng.normal(size=BATCHES).cumsum(), strict=True)
    return {
        "trail": tuple((int(calls), float(nats)) for calls, nats in trail),
        "sightings": Sightings(
            left="[3, 3]",
            right="[3]",
            event="output > 1.5",
            bins=Bins(
                "output", edges, (), counts(BINS), counts(BINS), counts(BINS), counts(BINS),
                20_000, 20_000,
            ),
            cells=CellCounts(counts(CELLS), counts(CELLS), orders, 0.25),
        ),
    }  # fmt: skip


def reports() -> Iterator[tuple[str, Any, str]]:
    """Yield name, report and expectation of each audit."""
    rng = np.random.default_rng(0)
    for index in range(AUDITS):
        made = (refuted if index % 2 else not_refuted)(**seen(rng))
        yield (
            f"audits/shop.py::audit_{index}",
            replace(made, claim=CLAIMS[index % len(CLAIMS)], file=__file__, line=20),
            "NOT_REFUTED",
        )


def project(folder: Path) -> None:
    """Write audit files."""
    (folder / "audits").mkdir()
    (folder / "pyproject.toml").write_text("")
    each = AUDITS // FILES
    for number in range(FILES):
        body = "".join(f"audit_{i} = Audit(count, PureDP({i + 1}), people)\n" for i in range(each))
        (folder / "audits" / f"file_{number}.py").write_text(HEAD + body)


def stored(folder: Path, run: dict[str, Any]) -> None:
    """Keep a run as `dpaudit run` does."""
    store = Store(folder)
    number = store.begin({"paths": ["audits"]}, "")
    for audit in run["audits"]:
        store.keep(number, audit)
    store.finish(number, run)
    store.close()


def main() -> None:
    made = list(reports())
    outcomes = outcomes_of(*made)
    imported = time.process_time()
    warm = run_of(*made[:2])
    for form in RUN_FORMATS:
        render(warm, form)
    imported = time.process_time() - imported
    print(f"{'part':<12}{'CPU seconds':>13}{'an audit':>12}{'bytes':>12}")
    print(f"{'(imports)':<12}{imported:>13.2f}")
    spent: list[float] = []

    def timed(part: str, call: Callable[[], Any]) -> Any:
        start = time.process_time()
        made = call()
        spent.append(time.process_time() - start)
        size = f"{len(made):,}" if isinstance(made, str) else ""
        print(f"{part:<12}{spent[-1]:>13.2f}{spent[-1] / AUDITS:>12.5f}{size:>12}")
        return made

    with TemporaryDirectory() as name:
        folder = Path(name)
        project(folder)
        found = timed("collection", lambda: collect([folder / "audits"]))
        assert len(found.audits) == AUDITS
        timed("code hash", lambda: code_hash(folder))
        run = timed("as a dict", lambda: run_to_dict(outcomes, (), 1))
        timed("store", lambda: stored(folder, run))
    timed("json", lambda: indented(run))
    for form in RUN_FORMATS:
        timed(form, lambda form=form: render(run, form))
    print(f"all of them: {sum(spent):.2f} s for {AUDITS} audits")


if __name__ == "__main__":
    main()
