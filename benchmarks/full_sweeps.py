"""All cases of every test of which `make test` tries some (tests/sweeps.py).

Other arguments are given to pytest: ``python benchmarks/full_sweeps.py -n 2 -x``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def swept() -> list[str]:
    """The files of tests with parametrized tests, or that import from tests/sweeps.py."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(f.relative_to(ROOT)) for f in files if _is_swept(f.read_text("utf-8"))]


def _is_swept(text: str) -> bool:
    return "tests.sweeps" in text or "parametrize" in text


def main(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", *arguments, *swept()]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "DPAUDIT_SWEEPS": "full"}
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
