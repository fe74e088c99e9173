"""What a mechanism prints is an output under audit: the terminal shows the report alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import logging, sys, warnings
logging.basicConfig(level="INFO")
import dpaudit
from dpaudit import AddRemove, PureDP, Real

def noisy(data, rng):
    print("printed", len(data))
    sys.stderr.write("written to stderr")
    warnings.warn("warned")
    logging.info("logged %d", len(data))
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)

if __name__ == "__main__":
    report = dpaudit.audit(
        noisy, PureDP(1.0), AddRemove(Real(0, 1), max_size=4), max_calls=400, progress=False,
        isolation=sys.argv[1],
    )
    logging.info("the end")
    print(report.verdict)
"""


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_what_a_mechanism_prints_does_not_reach_the_terminal(tmp_path, isolation):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), isolation], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("REFUTED\n", "INFO:root:the end\n")
