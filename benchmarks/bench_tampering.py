"""How many tampered certificates are accepted for what was not proved. The goal: none.

Certificates of each kind are changed at random places, mixed, relabelled, or go with edited source;
each is checked as `dpaudit check` does. None may be accepted for another claim, other neighbors or
other code, raise, import or call what it names, or take more than half a minute.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

import click
from common import met, print_provenance
from tampering import certificates, tampered, tried, write_modules


@click.command()
@click.option("--files", default=1_500, show_default=True, help="How many.")
@click.option("--seed", default=0, show_default=True)
def main(files: int, seed: int) -> None:
    """Check tampered certificates."""
    print_provenance()
    outcomes: Counter[str] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write_modules(folder)
        kept = certificates(folder)
        here = Path.cwd()
        os.chdir(folder)
        try:
            for how, content, edit in tampered(kept, files, seed):
                outcome = tried(how, content, edit, kept, folder)
                outcomes[outcome.result] += 1
                if outcome.fault:
                    faults.append(outcome)
        finally:
            os.chdir(here)
    for outcome in faults:
        print(f"{outcome.how}: {outcome.result}: {outcome.fault}")
    print(f"{files:,} files, seed {seed}: " + ", ".join(f"{n:,} {r}" for r, n in outcomes.items()))
    print(f"no fault: {met(not faults)}")


if __name__ == "__main__":
    main()
