"""Let the environment that runs this see the packages of another, behind its own."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

NAME = "overlay.pth"


def main(below: str) -> None:
    """Write the file that puts the packages of another environment on the path.

    Parameters
    ----------
    below : str
        Python of the environment whose packages are seen where this one has none.
    """
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([below, "-c", code], capture_output=True, text=True, check=True)
    folder = str(Path(done.stdout.strip()).resolve())
    line = f"import site; site.addsitedir({folder!r})\n"
    Path(sysconfig.get_path("purelib"), NAME).write_text(line, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
