"""Targets of an assignment, and what each is given."""

from __future__ import annotations

from typing import Any


def fitted(targets: list[Any], items: list[Any], several: Any) -> list[tuple[Any, Any]] | None:
    """Return which item each target is given, None where they do not fit.

    Parameters
    ----------
    targets : list of dict
    items : list
    several : callable
        Makes one value of the items that are left for a target with a star.
    """
    starred = [i for i, target in enumerate(targets) if target["kind"] == "Starred"]
    if len(starred) == 1 and len(items) >= len(targets) - 1:
        (i,), more = starred, len(items) - len(targets) + 1
        targets = [*targets[:i], targets[i]["value"], *targets[i + 1 :]]
        items = [*items[:i], several(items[i : i + more]), *items[i + more :]]
    fit = len(items) == len(targets) and all(each["kind"] != "Starred" for each in targets)
    return list(zip(targets, items, strict=True)) if fit else None
