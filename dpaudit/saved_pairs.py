"""Saved pairs: those that refuted an audit in earlier runs, which later runs try first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from dpaudit.beacon.datasets import NoDataError, as_data
from dpaudit.checker.evidence.data import dataset
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Witness
from dpaudit.outcome import Outcome, Status
from dpaudit.roots import FOLDER, made_folder
from dpaudit.untrusted import contents, parsed, validate_place

EXAMPLES = "examples"
MOST = 4  # of one audit, the newest first
LAYOUT = 1


@dataclass(frozen=True, slots=True)
class SavedPairs:
    """The pairs of a project, a file for each audit below ``.dpaudit/examples/``.

    Attributes
    ----------
    root : Path
        The project's folder.
    """

    root: Path

    def options_of(self, collected: CollectedAudit) -> Mapping[str, Any]:
        """Return the option by which an audit tries its pairs first; none where there are none."""
        found = [(dataset(left), dataset(right)) for left, right in self._read(collected.name)]
        return {"saved": found} if found else {}

    def text(self, name: str) -> str:
        """Return the pairs of an audit as text; empty where there are none."""
        found = self._read(name)
        return json.dumps(found) if found else ""

    def keep(self, outcome: Outcome) -> None:
        """Save the pair of a refutation that was not expected.

        Raises
        ------
        OSError
            Where it cannot be written.
        """
        witness = None if outcome.report is None else outcome.report.witness
        if outcome.status is not Status.UNEXPECTED or not isinstance(witness, Witness):
            return
        try:
            pair = [as_data(witness.left), as_data(witness.right)]
        except NoDataError:
            return
        name = outcome.collected.name
        others = [each for each in self._read(name) if each not in (pair, pair[::-1])]
        file = self._file(name)
        made_folder(self.root / FOLDER)
        file.parent.mkdir(exist_ok=True)
        validate_place(file.parent)
        entry = {"layout": LAYOUT, "audit": name, "pairs": [pair, *others][:MOST]}
        with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as written:
            json.dump(entry, written, allow_nan=False)
        os.replace(written.name, file)

    def _read(self, name: str) -> list[list[Any]]:
        """Return the pairs of an audit as data; what is no such file counts as none."""
        try:
            entry = parsed(contents(self._file(name)).decode())
            if entry["layout"] != LAYOUT or entry["audit"] != name:
                return []
            found = [[left, right] for left, right in entry["pairs"][:MOST]]
            for left, right in found:
                dataset(left), dataset(right)
        except (OSError, ValueError, TypeError, KeyError, RejectedError, NotCheckedError):
            return []
        return found

    def _file(self, name: str) -> Path:
        words = re.sub(r"[^\w-]+", "_", name, flags=re.ASCII)[-60:]
        digest = sha256(name.encode()).hexdigest()[:12]
        return self.root / FOLDER / EXAMPLES / f"{words}-{digest}.json"
