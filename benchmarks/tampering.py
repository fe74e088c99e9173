"""Tampered certificates: what somebody may hand in who wants another claim or other code signed.

A certificate of each kind is proved for a mechanism of a module of its own. Each file that is made
of one is checked as `dpaudit check` does, with a hook that records imports; a mechanism that is
named in a file leaves a trace where it is called.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, Integer, PureDP, QueryAnswers, Real
from dpaudit.beacon.audited import audited
from dpaudit.checker import Checked, check
from dpaudit.checker.file import digest
from dpaudit.notation import parse_claim, parse_neighbors

MODULE = "tampered_release"
SOURCE = """\
import math

import numpy as np

from tampered_scale import SENSITIVITY, scale_of

EPSILON = 1.0
GRID = np.arange(0, 5)


def count(data, rng):
    return len(data) + rng.laplace(scale=1 / EPSILON)


def other(data, rng):
    return len(data) + rng.laplace(scale=0.001)


def total(data, rng, epsilon=1.0):
    return data.clip(0, 1).sum() + rng.laplace(scale=scale_of(epsilon))


def coin(data, rng):
    return bool(data) if rng.random() < 0.7 else not data


def above(answers, rng):
    threshold = 3 + rng.laplace(scale=4)
    for i in range(len(answers)):
        if answers[i] + rng.laplace(scale=8) >= threshold:
            return i
    return -1


def median(data, rng):
    x = np.sort(np.clip(data, 0, 1))
    return len(x) + rng.laplace(scale=1.0)


def query(data):
    return np.clip(data, 0, 1).sum()


def trap(data, rng):
    open("called", "w").close()
    return 0.0
"""
HELPER = """\
SENSITIVITY = 1.0


def scale_of(epsilon):
    return SENSITIVITY / epsilon
"""
EDITS = (
    (MODULE, "EPSILON = 1.0", "EPSILON = 1000.0"),
    (MODULE, "scale=1 / EPSILON", "scale=0.001 / EPSILON"),
    (MODULE, "data.clip(0, 1)", "data.clip(0, 9)"),
    (MODULE, "scale=8)", "scale=0.5)"),
    (MODULE, "np.clip(data, 0, 1).sum", "np.clip(data, 0, 7).sum"),
    ("tampered_scale", "SENSITIVITY = 1.0", "SENSITIVITY = 0.001"),
    ("tampered_scale", "SENSITIVITY / epsilon", "SENSITIVITY / epsilon / 50"),
    (MODULE, "def trap", "exec('EPSILON = 1000.0')\n\n\ndef trap"),
    (MODULE, "def trap", "count.__globals__['EPSILON'] = 1000.0\n\n\ndef trap"),
    (MODULE, "def trap", "SET = setattr(math, 'e', 3)\n\n\ndef trap"),
)
NAMES = (
    "os:system", "builtins:eval", "json:codecs.open", "subprocess:run", "dpaudit.cli:main",
    f"{MODULE}:trap", f"{MODULE}:other", f"{MODULE}:math.exp", f"{MODULE}:np.save",
    f"functools.partial({MODULE}:trap, x=1)", "functools.partial(os:system)", "this:s", "a:b", "",
    "../etc/passwd:root", "\x1b[31m:x", "antigravity:geohash",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**400, 1e308, "", "x" * 2_000, "\x00\x1b]0;owned\x07", [], {}, [[]],
    {"kind": "Draw"}, "PureDP(0.001)", "PureDP(1e308)", "PureDP(5e-324)", "RenyiDP(1e300, 1.0)",
    "ApproxDP(1.0, 1e-300)", "GaussianDP(1e-300)", "AddRemove(Real(0, 1), max_size=1000000000)",
    "AnyPair(Integer(0, 1000000000))", "QueryAnswers(1000000000)", "AddRemove(Real(-1e308, 1e308))",
    "ReplaceOne(Categorical([0, 1]), 60)", "AddRemove(Real(0, 1), max_size=10**9)", "1/0",
    "__import__('os').system('touch called')", "/etc/passwd:root",
)  # fmt: skip
STATEMENT = ("mechanism", "query", "claim", "neighbors", "norm", "bound", "claimed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; `fault` is empty where all is as it must be."""

    how: str
    result: str
    fault: str


class Hook:
    """Records the modules that are looked for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Record a name, and leave the module to others."""
        self.names.append(name)


def write_modules(folder: Path) -> None:
    """Write the modules that the certificates are about."""
    (folder / f"{MODULE}.py").write_text(SOURCE, encoding="utf-8")
    (folder / "tampered_scale.py").write_text(HELPER, encoding="utf-8")


def certificates(folder: Path) -> dict[str, dict[str, Any]]:
    """Return a certificate of each kind, of the modules in a folder, which are imported."""
    sys.path.insert(0, str(folder))
    try:
        released = __import__(MODULE)
        people = AddRemove(Real(0, 1), max_size=5)
        bits = AnyPair(Categorical([False, True]))
        proved = {
            "cost": dpaudit.verify(released.total, PureDP(1.0), people),
            "count": dpaudit.verify(released.count, PureDP(1.0), people),
            "exact": dpaudit.verify(released.coin, PureDP(1.0), bits),
            "alignment": dpaudit.verify(released.above, PureDP(1.0), QueryAnswers(4)),
            "sensitivity": dpaudit.sensitivity(released.query, people, claimed=1.0),
            "derivation": dpaudit.check_derivation(
                dpaudit.Derivation({"n": "integer"}, ["n >= 2"], [("1/n", "<=", "1/2")])
            ),
            "evidence": audited(
                released.count, PureDP(0.5), AddRemove(Integer(0, 1), max_size=3),
                beacon="tampering", engines=["statistical"], max_calls=4_000, alpha=1e-2,
                folder=folder / ".evidence",
            ),
        }  # fmt: skip
        found = {}
        for name, report in proved.items():
            assert report.certificate is not None, name
            found[name] = json.loads(json.dumps(report.certificate.to_dict()))
        return found
    finally:
        sys.path.remove(str(folder))
        for name in (MODULE, "tampered_scale"):
            sys.modules.pop(name, None)


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with the digests that fit, as somebody would who forges one."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    program = rest.get("program")
    try:
        rest["program_hash"] = None if program is None else digest(program)
        return {**rest, "digest": digest(rest)}
    except (TypeError, ValueError):
        return content


def tampered(
    kept: dict[str, dict[str, Any]], count: int, seed: int
) -> Iterator[tuple[str, dict[str, Any], tuple[str, str, str] | None]]:
    """Yield how a file was made, what it holds, and an edit of the source that goes with it."""
    rng = random.Random(seed)
    names = sorted(kept)
    for n in range(count):
        name = names[n % len(names)]
        made = copy.deepcopy(kept[name])
        way = rng.choice(("leaf", "leaf", "leaf", "drop", "swap", "relabel", "statement", "source"))
        edit = None
        if way in ("leaf", "drop"):
            at, key = _anywhere(made, rng)
            if way == "drop":
                del at[key]
            else:
                at[key] = _other(at[key], rng)
            way = f"{way} {str(key)[:20]}"
        elif way == "swap":
            part = rng.choice(sorted(made))
            made[part] = copy.deepcopy(kept[rng.choice(names)][part])
            way = f"swap {part}"
        elif way == "relabel":
            key = "query" if "query" in made["subject"] else "mechanism"
            made["subject"][key] = rng.choice(NAMES)
            way = f"relabel {made['subject'][key]!r:.40}"
        elif way == "statement":
            key = rng.choice(
                [k for k in STATEMENT if k in made["subject"]] or list(made["subject"])
            )
            made["subject"][key] = rng.choice(VALUES)
            way = f"statement {key}"
        else:
            edit = rng.choice(EDITS)
            way = f"source {edit[1]!r}"
        yield f"{name}: {way}", sealed(made), edit


def tried(
    how: str,
    content: dict[str, Any],
    edit: tuple[str, str, str] | None,
    kept: dict[str, dict[str, Any]],
    folder: Path,
) -> Outcome:
    """Check a file in a folder with the modules, one of them perhaps edited."""
    write_modules(folder)
    if edit is not None:
        file = folder / f"{edit[0]}.py"
        text = file.read_text(encoding="utf-8")
        assert edit[1] in text
        file.write_text(text.replace(edit[1], edit[2]), encoding="utf-8")
    file = folder / "certificate.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    hook = Hook()
    before = set(sys.modules)
    sys.meta_path.insert(0, hook)  # type: ignore[arg-type]
    try:
        named = folder / f"{MODULE}.py" if how.startswith("exact") else True  # else nothing is run
        found = check(file, source=named, timeout=20)
    except Exception as error:  # a traceback is what must not be
        return Outcome(how, "raised", f"{type(error).__name__}: {error!s:.100}")
    finally:
        sys.meta_path.remove(hook)  # type: ignore[arg-type]
    result = "accepted" if found.accepted else "rejected" if found.rejected else "not checked"
    return Outcome(how, result, _fault(how, found, content, edit, kept, folder, before))


def _fault(
    how: str,
    found: Checked,
    content: dict[str, Any],
    edit: tuple[str, str, str] | None,
    kept: dict[str, dict[str, Any]],
    folder: Path,
    before: set[str],
) -> str:
    ours = {MODULE, "tampered_scale", "this", "antigravity"} & (set(sys.modules) - before)
    if ours:
        return f"imported {sorted(ours)}"
    if (folder / "called").exists() or Path("called").exists():
        return "called the trap"
    if found.seconds > 30:
        return f"took {found.seconds:.0f} s"
    whole = kept[how.partition(":")[0]]
    stated = [each["subject"] for each in kept.values()]
    if found.accepted and content["subject"] not in stated and not _holds(content, folder):
        return "accepted another statement"
    if found.accepted and content["program"] is not None and not _same_code(content, whole):
        return "accepted another program"
    if found.accepted and edit is not None and _concerns(edit, whole):
        return "accepted for edited source"
    return ""


def _holds(content: dict[str, Any], folder: Path) -> bool:
    """Return whether the prover proves a statement that was not handed out, as a weaker one is."""
    subject = content["subject"]
    name = subject.get("mechanism", subject.get("query", "")).partition(":")[2]
    sys.path.insert(0, str(folder))
    try:
        function = getattr(__import__(MODULE), name)
        neighbors = parse_neighbors(subject["neighbors"])
        if "query" in subject:
            claimed = float(Fraction(subject["claimed"]))
            report: Any = dpaudit.sensitivity(function, neighbors, claimed=claimed)
        else:
            report = dpaudit.verify(function, parse_claim(subject["claim"]), neighbors)
        return bool(report.verdict is dpaudit.Verdict.VERIFIED)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    finally:
        sys.path.remove(str(folder))
        for each in (MODULE, "tampered_scale"):
            sys.modules.pop(each, None)


def _same_code(content: dict[str, Any], whole: dict[str, Any]) -> bool:
    from dpaudit.checker.lifted import difference

    return not difference(content["program"], whole["program"])


def _concerns(edit: tuple[str, str, str], whole: dict[str, Any]) -> bool:
    """Return whether an edit changes what the certificate is about, as far as text tells."""
    if whole["program"] is None:
        return False
    if "def trap" in edit[1]:
        return True
    name = str(whole["subject"].get("mechanism", whole["subject"].get("query"))).partition(":")[2]
    body = SOURCE.partition(f"def {name}(")[2].partition("\n\n\n")[0]
    if edit[0] == "tampered_scale":
        return "scale_of" in body
    return edit[1] in body or (edit[1].startswith("EPSILON") and "EPSILON" in body)


def _anywhere(value: Any, rng: random.Random) -> tuple[Any, Any]:
    """Return a container inside a value, and a key of it: by depth first, then by chance."""
    while True:
        key = rng.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        inside = value[key]
        if not isinstance(inside, dict | list) or not inside or rng.random() < 0.1:
            return value, key
        value = inside


def _other(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.4:
        return copy.deepcopy(rng.choice(VALUES))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * rng.choice((0, -1, 2, 0.5)) + rng.choice((0, 1))
    if isinstance(value, str):
        digits = [i for i, letter in enumerate(value) if letter.isdigit()]
        if digits:
            at = rng.choice(digits)
            return f"{value[:at]}{rng.randrange(10)}{value[at + 1 :]}"
        return value[::-1] + "1"
    return [value]
