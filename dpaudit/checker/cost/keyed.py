"""Dicts that a loop over records fills: by key a number that grows, or a list.

Which keys such a dict has depends on the records, so that nobody may ask for them: what is left is
to read the entry of a key that is named, where a key that no record brought stands for 0, or for an
empty list. A record may bring any key of those that it can take, and on each path it takes one.

A ``defaultdict`` that no loop over records has filled has public keys. Once it is used as the dict
that it is, no such loop may fill it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpaudit.checker.cost import apart
from dpaudit.checker.cost.arithmetic import unary
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Sofar
from dpaudit.checker.exact.numbers import Number, number

_EMPTY = {"builtins.int": 0, "builtins.float": number(0), "builtins.list": "list"}


@dataclass(slots=True, eq=False)
class Growing:
    """A list to which a record adds at most one entry, and in which container it is where."""

    added: list[Any]
    slot: tuple[Any, ...] = ()


@dataclass(slots=True, eq=False)
class Keyed:
    """A dict of which only the records know the keys.

    Attributes
    ----------
    entries : dict
        What is known of its entries: of keys that are not there, that no record brought them.
    missing : {0, Number, "list", None}
        What ``d[k]`` makes of a key that is missing; None where that raises an error.
    name : str or None
        In the body of a loop over records: the variable.
    before : mapping
        Then its entries before the loop.
    began : dict
        By key, what it began as where it was missing: whole numbers, such as 0, or floats.
    public : bool
        Whether no record has brought a key.
    plain : bool
        Whether it was used as a dict whose keys are public, and has to stay one.
    """

    entries: dict[Any, Any] = field(default_factory=dict)
    missing: Any = None
    name: str | None = None
    before: Mapping[Any, Any] = field(default_factory=dict)
    began: dict[Any, set[type]] = field(default_factory=dict)
    public: bool = False
    plain: bool = False

    def started(self, name: str) -> Keyed:
        """Return what stands for it where earlier records have made something of it."""
        return Keyed({}, self.missing, name, self.entries, self.began)


def made(run: Run, kind: Any = None) -> Keyed:
    """Return ``collections.defaultdict(kind)``."""
    missing = _EMPTY.get(kind.name) if isinstance(kind, Named) else None
    if missing is None:
        raise run.refused("a dict with defaults of this kind")
    return Keyed(missing=missing, public=True)


def plain(value: Any) -> Any:
    """Return the entries of a dict whose keys are public, which is one from then on."""
    if not isinstance(value, Keyed) or not value.public:
        return value
    value.plain = True
    return value.entries


def is_key(at: Any) -> bool:
    """Whether an index is a key of a dict, which is known."""
    if isinstance(at, tuple):
        return all(map(is_key, at))
    return at is None or isinstance(at, bool | int | str)


def _entry(run: Run, of: Keyed, key: Any, missing: Any) -> Any:
    """Return an entry, with what a key that is missing begins as."""
    if not is_key(key):
        raise run.refused("a key that is not known")
    if of.plain and key in of.entries:
        return of.entries[key]
    if run.lane is not None and of.name is None:  # whether it is asked for depends on the records
        if of.plain:
            raise run.refused("a key that a dict may not have")
        of.public = False
    began = of.began.setdefault(key, set())
    began.add(type(missing))
    if key not in of.entries:
        several = isinstance(missing, str)
        if of.name is None:
            of.entries[key] = [] if several else missing
        elif several and key in of.before:
            raise run.refused("a list by key that grows in two loops")
        else:
            slot = (of.name, key)
            of.entries[key] = Growing([], slot) if several else Sofar(slot)
    found = of.entries[key]
    if of.name is not None or Number not in began:
        return found
    real = unary(run, "float", found)
    return apart.mark(run, real) if int in began else real  # a float in one run alone


def entry(run: Run, of: Keyed, key: Any) -> Any:
    """Return ``of[key]``."""
    if of.missing is None and not (of.name is not None and key in of.entries):
        raise run.refused("a key that a dict may not have")
    return _entry(run, of, key, of.missing)


def given(run: Run, of: Keyed, key: Any, default: Any = None) -> Any:
    """Return ``of.get(key, default)``, where it makes no difference that the key is missing."""
    if type(default) is list and not default and of.name is None:
        return of.entries.get(key, []) if is_key(key) else _entry(run, of, key, "list")
    zero = isinstance(default, int | Number) and number(default).sign() == 0
    if not zero or isinstance(default, bool) or isinstance(of.missing, str):
        raise run.refused("an entry of a dict whose keys are private")
    return _entry(run, of, key, default)


def settled(run: Run, of: Keyed, key: Any, default: Any = None) -> Any:
    """Return ``of.setdefault(key, default)``."""
    if type(default) is list and not default:
        return _entry(run, of, key, "list")
    return given(run, of, key, default)


def store(run: Run, of: Keyed, key: Any, value: Any) -> None:
    """Put ``of[key] = value`` in the body of a loop."""
    if of.public and run.lane is None and is_key(key):
        plain(of)[key] = value
        return
    own = isinstance(value, Sofar) and value.slot == (of.name, key)
    if of.name is None or not is_key(key) or not own:
        raise run.refused("an assignment to a dict whose keys are private")
    of.entries[key] = value
