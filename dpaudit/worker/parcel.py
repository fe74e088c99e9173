"""Packs a mechanism so that another process can unpack it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

import cloudpickle

from dpaudit.outputs import Raised
from dpaudit.subject import Subject
from dpaudit.worker.tasks import WorkerError


@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickled subject.

    Attributes
    ----------
    digest : str
        Identifies the content.
    content : bytes
        Empty where the receiver has it already.
    sender : int
        Process that packed it.
    """

    digest: str
    content: bytes
    sender: int

    def reference(self) -> Parcel:
        """Return a parcel without content, for receivers that have it."""
        return Parcel(self.digest, b"", self.sender)


def pack(subject: Subject) -> Parcel:
    """Pickle a subject; by value where its module could not be imported elsewhere.

    Raises
    ------
    WorkerError
        Of kind ``"not-picklable"``.
    """
    content = pack_value(subject, f"mechanism {subject.name!r}", subject.module)
    return Parcel(hashlib.sha256(content).hexdigest(), content, os.getpid())


def pack_value(value: Any, what: str, module: str = "") -> bytes:
    """Pickle anything; ``what`` names it in the error."""
    try:
        with _by_value(module):
            return bytes(cloudpickle.dumps(value))
    except MemoryError:
        raise
    except Exception as error:
        raise WorkerError(
            "not-picklable",
            f"{what} cannot be sent to another process: {Raised(error)}; create "
            "open files, locks and connections inside the mechanism, or use isolation='none'",
        ) from error


def unpack(parcel: Parcel) -> Subject:
    """Return the subject of a parcel."""
    subject = cloudpickle.loads(parcel.content)
    assert isinstance(subject, Subject)
    return subject


@contextlib.contextmanager
def _by_value(name: str) -> Iterator[None]:
    module = sys.modules.get(name)
    if module is None or name == "__main__" or _importable(module):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _importable(module: ModuleType) -> bool:
    """Whether another process finds the same module under its name."""
    file = getattr(module, "__file__", None)
    if file is None:  # built in
        return True
    path = None
    spec = None
    parts = module.__name__.split(".")
    for end in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:end]), path)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return spec is not None and spec.origin == file
