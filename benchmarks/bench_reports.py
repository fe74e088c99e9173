"""What reports cost: a run of 500 audits as JSON and in every format, and the HTML file's size.

Run as ``python benchmarks/bench_reports.py``. The reports are made up, so that no audit is timed;
500 audits are the size at which the gate itself is to stay below three seconds.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace

from dpaudit.claims import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.report.formats import RUN_FORMATS, render
from tests.reporting import SEEN, TRAIL, not_refuted, refuted, run_of

AUDITS = 500
CLAIMS = (PureDP(1.0), ApproxDP(1.0, 1e-6), RenyiDP(2.0, 0.5), ZeroConcentratedDP(0.1),
          GaussianDP(1.0))  # fmt: skip


def reports():
    for index in range(AUDITS):
        made = (refuted if index % 2 else not_refuted)(trail=TRAIL, sightings=SEEN)
        yield (
            f"audits/shop.py::audit_{index}",
            replace(made, claim=CLAIMS[index % len(CLAIMS)], file=__file__, line=20),
            "NOT_REFUTED",
        )


def main() -> None:
    made = list(reports())
    start = time.process_time()
    run = run_of(*made)
    total = seconds = time.process_time() - start
    print(f"{'format':<10}{'CPU seconds':>13}{'an audit':>12}{'bytes':>12}")
    print(f"{'json':<10}{seconds:>13.2f}{seconds / AUDITS:>12.5f}{len(json.dumps(run)):>12,}")
    for form in RUN_FORMATS:
        start = time.process_time()
        text = render(run, form)
        seconds = time.process_time() - start
        total += seconds
        print(f"{form:<10}{seconds:>13.2f}{seconds / AUDITS:>12.5f}{len(text):>12,}")
    print(f"all of them: {total:.2f} s for {AUDITS} audits")


if __name__ == "__main__":
    main()
