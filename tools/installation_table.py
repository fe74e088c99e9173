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
OF_ITS_OWN = {"libraries"}  # whose pins do not go with constraints.txt


def extras() -> list[str]:
    """Return the extras that are measured."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name not in OF_ITS_OWN]


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


def table() -> str:
    """Return the table in Markdown."""
    rows: list[tuple[str, ...]] = [
        ("install", "packages", "size (MB)", "beyond the base (MB)", "processor time (s)"),
        ("---", "---:", "---:", "---:", "---:"),
    ]
    base = 0.0
    for extra in ["", *extras()]:
        name = f"dpaudit[{extra}]" if extra else "dpaudit"
        with TemporaryDirectory() as folder:
            count, size, seconds = installed(f"{ROOT}[{extra}]" if extra else str(ROOT),
                                             Path(folder) / "env")  # fmt: skip
        base = base or size
        more = f"{size - base:.0f}" if extra else "–"
        rows.append((f"`{name}`", str(count), f"{size:.0f}", more, f"{seconds:.0f}"))
        print(*rows[-1], flush=True)
    return "\n".join(map(table_row, rows))


def main() -> None:
    """Write the table anew."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
