"""Write docs/images/audits.svg: a terminal with one refuted and one verified audit, as they ran."""

from __future__ import annotations

import html
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tools.description import ROOT

README, PICTURE = ROOT / "README.md", ROOT / "docs" / "images" / "audits.svg"
_WIDTH = 108
_STYLES = {"$": "bold", "REFUTED": "bold red", "VERIFIED": "bold green", "…": "dim"}
# The sections of a report that have no time and no count of this run.
_SHOWN = ("Next", "Witness", "Assumptions")


def source_of(readme: str) -> str:
    """Return the mechanisms of the README, which it saves as ``first.py``."""
    found = re.search(r"```python\n(# first\.py\n.*?)```", readme, re.S)
    assert found is not None, "README.md has no block that begins with # first.py"
    return found[1]


def commands_of(readme: str) -> list[str]:
    """Return the commands of the README that audit one mechanism."""
    return re.findall(r"^dpaudit (audit first:.*?)(?: +#.*)?$", readme, re.M)


def shown_lines(command: str, output: str) -> list[str]:
    """Return what the picture shows of a command and its output.

    Parameters
    ----------
    command : str
    output : str
        The whole report.

    Returns
    -------
    list of str
        The command, and the sections that are the same in every run; … is in place of others.
    """
    sections = output.strip().split("\n\n")
    lines = [f"$ dpaudit {command}", *sections[0].splitlines(), "", sections[1]]
    for section in sections[2:]:
        if section.startswith(_SHOWN):
            lines += ["", *section.splitlines()]
        elif lines[-1] != "…":
            lines += ["", "…"]
    return lines


def text_of(svg: str) -> list[str]:
    """Return the words of each line of a picture.

    Parameters
    ----------
    svg : str

    Returns
    -------
    list of str
        Without the title, and with blanks as they stand.
    """
    rows: dict[float, str] = {}
    for row, text in re.findall(
        r'<text class="[^"]*-r\d+"[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', svg
    ):
        rows[float(row)] = rows.get(float(row), "") + html.unescape(text).replace("\xa0", " ")
    return [rows[row].rstrip() for row in sorted(rows)]


def picture(lines: list[str]) -> str:
    """Return lines of a terminal as an SVG that loads nothing."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), highlight=False)
    for line in lines:
        style = _STYLES.get(line.split(" ")[0], "")
        console.print(Text(line, style=style))
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.S)
    svg = console.export_svg(title="dpaudit", code_format=without_fonts, unique_id="audits")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def main() -> None:
    """Run the audits of the README, and write the picture."""
    readme = README.read_text(encoding="utf-8")
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "first.py").write_text(source_of(readme), encoding="utf-8")
        for command in commands_of(readme):
            words = re.findall(r'"([^"]*)"|(\S+)', command)
            done = subprocess.run(
                [sys.executable, "-m", "dpaudit", *("".join(word) for word in words)],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            lines += [*([""] if lines else []), *shown_lines(command, done.stdout)]
    PICTURE.write_text(picture(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
