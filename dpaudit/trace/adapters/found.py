"""Finds the adapters of the libraries that are loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from dpaudit.trace.adapters.primitive import Adapter, Primitive, watched
from dpaudit.trace.patches import Patches

GROUP = "dpaudit.noise_adapters"  # an entry point's name is that of the module it is for
_OURS = ("diffprivlib", "dp_accounting", "jax", "opendp", "torch")


class AdapterError(ImportError):
    """An adapter that is installed does not load."""


def patch_libraries(patches: Patches) -> list[tuple[Any, Any]]:
    """Watch the primitives of libraries that are loaded.

    Parameters
    ----------
    patches : Patches

    Returns
    -------
    list of (object, object)
        Functions of modules, each with what takes its place under other names as well.

    Raises
    ------
    AdapterError
        If an adapter that is installed does not load.

    Notes
    -----
    A library that is loaded later is not watched until all contexts have ended.
    """
    pairs: list[tuple[Any, Any]] = []
    for primitive in _primitives():
        real = getattr(primitive.owner, primitive.name, None)
        if real is None:
            continue  # another release, without it
        ours = watched(primitive, real)
        patches.attribute(primitive.owner, primitive.name, ours)
        if not isinstance(primitive.owner, type):
            pairs.append((real, ours))
    if "jax" in sys.modules:
        for owner, name, keeping in import_module("dpaudit.trace.adapters.jax").operators():
            patches.attribute(owner, name, keeping)
    return pairs


def _primitives() -> Iterator[Primitive]:
    declared = _declared()
    for library in sorted({*_OURS, *declared}):
        if library not in sys.modules:
            continue
        if library in declared:
            yield from _loaded(declared[library])()
        else:
            yield from import_module(f"dpaudit.trace.adapters.{library}").primitives()


@lru_cache(maxsize=1)
def _declared() -> dict[str, EntryPoint]:
    return {found.name: found for found in entry_points(group=GROUP)}


def _loaded(found: EntryPoint) -> Adapter:
    try:
        adapter = found.load()
    except Exception as error:
        raise AdapterError(
            f"the adapter {found.value!r} for the noise of {found.name} does not load: "
            f"{type(error).__name__}: {error}; mend or uninstall the package that declares it "
            f"under {GROUP!r}"
        ) from error
    if not callable(adapter):
        raise AdapterError(
            f"the adapter {found.value!r} for the noise of {found.name} is {adapter!r:.60}; "
            "it must be a function that returns the library's Primitives"
        )
    return adapter  # type: ignore[no-any-return]
