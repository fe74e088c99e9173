"""Changes every leaf of a certificate, one at a time, and makes its digests fit again.

Of leaves at one place of several entries of a list, `make test` changes the first and the last.
"""

import copy
import re

from dpaudit.checker.file import digest
from tests.sweeps import FULL


def sealed(certificate):
    """Return a certificate with the digests that fit, as an attacker would."""
    content = {name: value for name, value in certificate.items() if name != "digest"}
    program = content["program"]
    content["program_hash"] = None if program is None else digest(program)
    return {**content, "digest": digest(content)}


def leaves(value, path=()):
    """Yield the path of every leaf; an empty list or object is one too."""
    if isinstance(value, dict | list) and value:
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inside, (*path, key))
    else:
        yield path


def changed(certificate, path, make=None):
    """Return a copy of which one leaf is another."""
    found = copy.deepcopy(certificate)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = (make or other)(place[path[-1]])
    return sealed(found)


def other(value):
    """Return another value of the same type where there is one."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value + 0.25
        case str():
            return "X" + value[1:] if value[:1].isupper() else value + "1"
        case None:
            return "1"
    return [1] if isinstance(value, list) else {"a": 1}


def first_and_last(paths):
    """Return of paths that differ in numbers alone the first and the last; all in a full sweep."""
    every = list(paths)
    alike = {}
    for path in every:
        alike.setdefault(tuple("" if isinstance(key, int) else key for key in path), []).append(
            path
        )
    ends = {path for same in alike.values() for path in (same[0], same[-1])}
    return [path for path in every if FULL or path in ends]


def mutations(certificate, harmless):
    """Yield each path, whether a change there does no harm, and the changed certificate."""
    for path in first_and_last(leaves(certificate)):
        name = ".".join(map(str, path))
        if path in (("digest",), ("program_hash",)):
            continue
        free = any(re.fullmatch(pattern, name) for pattern in harmless)
        yield name, free, changed(certificate, path)
