"""Write the table of docs/installation.md: size and time of the base and of each extra.

Each is installed with the versions of constraints.txt into an environment of its own, which takes
some minutes; sizes are those of the packages, without pip.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "installation.md"
BEGIN, END = "<!-- sizes: begin -->", "<!-- sizes: end -->"
PINS = ROOT / "constraints.txt"
MEGABYTE = 1e6
HEAD = (
    ("install", "packages", "size (MB)", "beyond the base (MB)", "processor time (s)"),
    ("---", "---:", "---:", "---:", "---:"),
)
NOT_MEASURED = {"dev", "docs", "libraries"}  # for work on dpaudit; with pins of its own


def extras() -> list[str]:
    """Return the extras that are measured."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name not in NOT_MEASURED]


def installed(what: str, folder: Path) -> tuple[int, float, float]:
    """Return how many packages come, their megabytes, and pip's seconds of processor time."""
    venv.create(folder, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*pip, "install", "--quiet", "--constraint", str(PINS), what], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (site,) = folder.glob("lib/python*/site-packages")
    count = len(list(site.glob("*.dist-info")))
    files = [file for file in site.rglob("*") if file.is_file() and not file.is_symlink()]
    return count, sum(file.stat().st_size for file in files) / MEGABYTE, seconds


def measured(extra: str, base: float) -> tuple[str, ...]:
    """Return the row of an extra, of the base where it is empty."""
    with TemporaryDirectory() as folder:
        what = f"{ROOT}[{extra}]" if extra else str(ROOT)
        count, size, seconds = installed(what, Path(folder) / "env")
    more = f"{size - base:.0f}" if extra else "–"
    return name_of(extra), str(count), f"{size:.0f}", more, f"{seconds:.0f}"


def name_of(extra: str) -> str:
    """Return what is written in the first column."""
    return f"`dpaudit[{extra}]`" if extra else "`dpaudit`"


def main() -> None:
    """Measure the extras that are named, or the base and all of them; write each at once."""
    wanted = sys.argv[1:] or ["", *extras()]
    for extra in wanted:
        head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        held, tail = rest.split(END)
        rows = {line.split("|")[1].strip(): line for line in held.splitlines() if "`" in line}
        base = 0.0 if not extra else float(rows[name_of("")].split("|")[3])
        rows[name_of(extra)] = table_row(measured(extra, base))
        known = [rows[n] for each in ["", *extras()] if (n := name_of(each)) in rows]
        lines = [*map(table_row, HEAD), *known]
        PAGE.write_text("\n".join([head + BEGIN, *lines, END + tail]), encoding="utf-8")
        print(rows[name_of(extra)], flush=True)


if __name__ == "__main__":
    main()
