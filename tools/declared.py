"""Which mechanisms the audits of a file are about, read from its syntax tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpaudit.collect import CollectedAudit, collect
from dpaudit.declare import Audit
from dpaudit.formal.derivation import Derivation
from dpaudit.violations import VIOLATIONS
from tools.description import ROOT, Description

AUDITS = ROOT / "audits"
TOO_SMALL = "true "  # how the reason begins of a false claim that sampling does not show


@dataclass(frozen=True, slots=True)
class Declared:
    """An audit as it is written down.

    Parameters
    ----------
    name : str
        As `dpaudit run` calls it: file and variable.
    expect : str
    mechanisms : frozenset of str
        Dotted names of everything from `mechanisms` that it reaches, through partials and through
        functions of the file.
    """

    name: str
    expect: str
    mechanisms: frozenset[str]


def declared(path: Path) -> list[Declared]:
    """Return the audits of a file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of Declared
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mechanisms")
        for alias in node.names
    }
    defined: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            defined[node.targets[0].id] = node.value

    def reached(node: ast.AST, seen: frozenset[str]) -> set[str]:
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - seen
        found = {imported[name] for name in names & imported.keys()}
        for name in names & defined.keys():
            found |= reached(defined[name], seen | names)
        return found

    audits = []
    for variable, value in defined.items():
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "Audit":
            options = {k.arg: k.value for k in value.keywords}
            expect = options.get("expect")
            audits.append(
                Declared(
                    f"{path.relative_to(ROOT).as_posix()}::{variable}",
                    str(expect.value) if isinstance(expect, ast.Constant) else "NOT_REFUTED",
                    frozenset(reached(value.args[0], frozenset())),
                )
            )
    return audits


def kind_of(audit: Audit) -> str | None:
    """Return what an audit is good for when false alarms and misses are counted.

    Parameters
    ----------
    audit : Audit

    Returns
    -------
    {"sound", "flawed"} or None
        None where there is nothing to run, for a family, which is no single claim, and where the
        claim is false but, as its reason says, sampling cannot show it: a proof may.
    """
    if isinstance(audit.mechanism, Derivation) or (audit.reason or "").startswith(TOO_SMALL):
        return None
    if audit.over is not None:
        return None
    return "flawed" if audit.expect == "REFUTED" or audit.expect in VIOLATIONS else "sound"


def sound() -> list[CollectedAudit]:
    """Return the audits of mechanisms that hold their claim.

    Returns
    -------
    list of CollectedAudit
    """
    return [
        found
        for found in collect([AUDITS]).audits
        if kind_of(found.audit) == "sound"
        and found.audit.claim is not None
        and found.audit.neighbors is not None
    ]


def title_of(file: str) -> str:
    """Return the first line of an audit file's docstring.

    Parameters
    ----------
    file : str
        Stem of a file in audits/.

    Returns
    -------
    str
    """
    text = ast.get_docstring(ast.parse((AUDITS / f"{file}.py").read_text(encoding="utf-8")))
    return (text or file).splitlines()[0]


def audits_of(file: Description) -> list[Declared]:
    """Return the audits that a mechanism's file is in.

    Parameters
    ----------
    file : Description

    Returns
    -------
    list of Declared
    """
    return [a for a in all_declared() if any(m.startswith(f"{file.module}.") for m in a.mechanisms)]


@cache
def all_declared() -> tuple[Declared, ...]:
    """Return the audits of every file.

    Returns
    -------
    tuple of Declared
    """
    return tuple(audit for path in sorted(AUDITS.glob("*.py")) for audit in declared(path))
