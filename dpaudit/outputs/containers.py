"""Encodes lists, sets, dictionaries, and objects with fields."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dpaudit.outputs.scalars import opaque, type_name
from dpaudit.outputs.sheet import Group, Sheet, Visit, subset
from dpaudit.outputs.text import LONGEST, describe, shortened


def digest(parts: Iterable[object]) -> str:
    """Return a short digest of values by their texts."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(_whole_text(part).encode("utf-8", "backslashreplace"))
        sha.update(b"\0")
    return sha.hexdigest()[:16]


def _whole_text(value: object) -> str:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        if value.dtype.kind in "fc":
            value = value + 0  # -0.0 becomes 0.0, as everywhere
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value == 0:
        value = abs(value)
    return describe(value)


def lists(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write the length and the entries of lists and tuples."""
    _sequences(sheet, group, visit, group.values)


def sets(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write sets as lists sorted by the texts of their entries."""
    _sequences(sheet, group, visit, [sorted(value, key=describe) for value in group.values])


def _sequences(sheet: Sheet, group: Group, visit: Visit, values: Sequence[Sequence[Any]]) -> None:
    lengths = [len(value) for value in values]
    name = type_name(group.kind)
    first = lengths[0]
    if lengths.count(first) == len(lengths):
        sheet.constant(group.path + ":type", group.rows, f"{name}({first})")
    else:
        sheet.label(group.path + ":type", group.rows, [f"{name}({n})" for n in lengths])
    sheet.number(group.path + ".length", group.rows, np.array(lengths, dtype=np.float64))
    # What is written of an entry may depend on its own container only, never on other outputs.
    shares = [_share(group.budget, length) for length in lengths]
    for share in dict.fromkeys(shares):
        if shares.count(share) == len(shares):
            _entries(sheet, group, visit, values, share)
            break
        chosen = [i for i, own in enumerate(shares) if own == share]
        part = dataclasses.replace(group, rows=subset(group.rows, chosen))
        _entries(sheet, part, visit, [values[i] for i in chosen], share)


def _share(budget: int, entries: int) -> int:
    """Return the budget of one entry; it halves at least, so that cycles end."""
    return budget // max(2, entries)


def _entries(
    sheet: Sheet, group: Group, visit: Visit, values: Sequence[Sequence[Any]], share: int
) -> None:
    lengths = np.array([len(value) for value in values])
    longest = int(lengths.max())
    if int(lengths.min()) == longest <= group.budget:
        for j, column in enumerate(zip(*values, strict=True)):
            visit(f"{group.path}[{j}]", group.rows, column, share)
        return
    for j in range(min(longest, group.budget)):
        chosen = np.flatnonzero(lengths > j).tolist()
        entries = [values[i][j] for i in chosen]
        visit(f"{group.path}[{j}]", subset(group.rows, chosen), entries, share)
    too_long = np.flatnonzero(lengths > group.budget).tolist()
    if too_long:
        rests = [digest(values[i][group.budget :]) for i in too_long]
        sheet.label(group.path + ".truncated", subset(group.rows, too_long), rests)


def mappings(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write the keys of dictionaries in order, and the value of each."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    lengths = np.array([len(value) for value in group.values], np.float64)
    sheet.number(group.path + ".length", group.rows, lengths)
    keys = _common_texts(group.values)
    if keys is not None and len(keys) <= group.budget:
        sheet.constant(group.path + ".keys", group.rows, shortened(", ".join(map(repr, keys))))
        share = _share(group.budget, len(keys))
        for key in keys:
            entries = [value[key] for value in group.values]
            visit(f"{group.path}[{describe(key)}]", group.rows, entries, share)
        return
    items = [{f"[{describe(key)}]": value for key, value in d.items()} for d in group.values]
    texts = [shortened(", ".join(key[1:-1] for key in item)) for item in items]
    sheet.label(group.path + ".keys", group.rows, texts)
    _fields(sheet, group, visit, items)


def _common_texts(mappings: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the keys that all share, in the same order, if they are plain and short text."""
    keys = tuple(mappings[0])
    if any(type(key) is not str or len(key) > LONGEST // 2 for key in keys):
        return None
    return keys if all(tuple(mapping) == keys for mapping in mappings) else None


def records(read: Callable[[Any], dict[str, Any]]) -> Callable[[Sheet, Group, Visit], None]:
    """Return the handler of objects whose fields ``read`` returns by name."""

    def handle(sheet: Sheet, group: Group, visit: Visit) -> None:
        items = [
            {f".{name}": value for name, value in read(record).items()} for record in group.values
        ]
        sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
        _fields(sheet, group, visit, items)

    return handle


def described(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write what an object says of itself, and its attributes.

    Where it neither has attributes nor says what it holds, its ``repr`` shows an address: see
    `dpaudit.outputs.Columns.unread`.
    """
    items = [{f".{name}": value for name, value in attributes(one).items()} for one in group.values]
    shown: object = group.kind.__repr__
    if shown is not object.__repr__ or not all(items):
        opaque(sheet, group, visit)
    else:
        sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    _fields(sheet, group, visit, items)


def attributes(value: object) -> dict[str, Any]:
    """Return what an object stores, in its dictionary and in slots."""
    found = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            stored = f"_{kind.__name__.lstrip('_')}{name}" if _is_mangled(name) else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, stored):
                found[stored] = getattr(value, stored)
    return found


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _fields(sheet: Sheet, group: Group, visit: Visit, items: Sequence[dict[str, Any]]) -> None:
    alike: dict[tuple[str, ...], list[int]] = {}
    for i, item in enumerate(items):
        alike.setdefault(tuple(item), []).append(i)
    if len(alike) == 1:
        keys = next(iter(alike))
        share = _share(group.budget, len(keys))
        for key in keys[: group.budget]:
            visit(group.path + key, group.rows, [item[key] for item in items], share)
    else:
        _unlike_fields(group, visit, items)
    long = [i for i, item in enumerate(items) if len(item) > group.budget]
    if long:
        rests = [digest(list(items[i].values())[group.budget :]) for i in long]
        sheet.label(group.path + ".truncated", subset(group.rows, long), rests)


def _unlike_fields(group: Group, visit: Visit, items: Sequence[dict[str, Any]]) -> None:
    holders: dict[tuple[str, int], list[int]] = {}
    for i, item in enumerate(items):
        share = _share(group.budget, len(item))
        for key in list(item)[: group.budget]:
            holders.setdefault((key, share), []).append(i)
    for (key, share), chosen in holders.items():
        visit(group.path + key, subset(group.rows, chosen), [items[i][key] for i in chosen], share)


def namedtuple_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a named tuple."""
    return dict(zip(value._fields, value, strict=True))


def dataclass_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass instance that are set."""
    return {
        field.name: getattr(value, field.name)
        for field in dataclasses.fields(value)
        if hasattr(value, field.name)
    }
