"""The static engine in an audit: what the source shows is handed on, and decides nothing."""

from __future__ import annotations

import ast
import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import DEFECT, Budget, Evidence, Finding, Progress, Suspect
from dpaudit.session import session_of
from dpaudit.static.analysis import THERE, found_in
from dpaudit.static.facts import Exit
from dpaudit.static.forms import symbol
from dpaudit.static.ignores import ignored_by, ignores
from dpaudit.static.modules import DEFINITIONS, Function, Module, Project, UnreadableError
from dpaudit.static.reading import first_parameter, read
from dpaudit.static.relations import relation_of
from dpaudit.static.values import Value, changed

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

_OF_DATA = ("DPA109", "DPA110", "DPA112")  # of one line that does it, whoever calls it
READS = "the static engine reports suspicions only"


@dataclass(frozen=True, slots=True)
class StaticEngine:
    """Reads the mechanism's source and hands on what its rules find.

    Notes
    -----
    Its findings are suspicions. Where sampling or a proof refutes the mechanism, `Report.findings`
    adds them to the refutation as its cause; otherwise they are warnings.
    """

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return "static"

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return findings, and no verdict."""
        began = time.perf_counter()
        try:
            findings, reason = _examined(subject, claim, neighbors)
        except Exception as error:  # the other engines go on
            findings, reason = (), f"reading the source failed ({type(error).__name__}). {DEFECT}"
        return Evidence(
            "static",
            None,
            reason,
            findings=findings,
            seconds=time.perf_counter() - began,
            claim=str(claim),
            source_hash=subject.source_hash,
            seed=budget.seed,
        )


def _examined(
    subject: Subject, claim: Claim, neighbors: Neighbors
) -> tuple[tuple[Finding, ...], str]:
    if session_of(str(getattr(getattr(subject.mechanism, "__code__", None), "co_filename", ""))):
        return (), "a Session is no function in a file; `dpaudit lint` reads its class"
    if subject.file is None or subject.line is None:
        return (), "the source of the mechanism is not at hand"
    path = Path(subject.file)
    project = Project((Path.cwd(),))
    try:
        module = project.module(path, str(path))
    except UnreadableError as error:
        return (), f"the source of the mechanism {error}"
    function = definition_of(module, subject)
    if function is None:
        return (), "the definition of the mechanism was not found in its source"
    own = claim.parameter
    facts = read(
        project,
        function,
        relation_of(neighbors),
        data=first_parameter(function),
        epsilon=own[1] if own is not None and own[0] == "epsilon" else None,
    )
    comments, _ = ignores(module, date.today())
    facts = replace(facts, exits=[e for e in facts.exits if _way(e) in subject.observes])
    found = found_in(facts)
    hands_on = isinstance(function.node, ast.Lambda)
    kept = tuple(_located(f, hands_on) for f in found if ignored_by(f, comments) is None)
    return kept, READS if facts.complete else f"{READS}; it was not read to its end"


def _located(finding: Finding, hands_on: bool) -> Finding:
    """Return a finding at the innermost line.

    Noise that a helper draws is told of at the call, which knows the scale, unless that is all of a
    lambda that only hands on its data.
    """
    inner = next(((file, line) for file, line, what in finding.related if what == THERE), None)
    if inner is None or not (hands_on or finding.id in _OF_DATA):
        return finding
    outer = (finding.file or inner[0], finding.line or inner[1], "the call")
    related = tuple(outer if each[2] == THERE else each for each in finding.related)
    return replace(finding, file=inner[0], line=inner[1], related=related)


def _way(way: Exit) -> str:
    """Return the word that ``observes=`` has for a way out."""
    if way.kind != "log":
        return "exceptions" if way.kind == "raise" else "return"
    function = way.node.func if isinstance(way.node, ast.Call) else way.node
    name = getattr(function, "attr", getattr(function, "id", ""))
    words = {"print": "print", "write": "print", "warn": "warnings"}
    return words.get(name, "logging")


def definition_of(module: Module, subject: Subject) -> Function | None:
    """Return the definition that starts on the subject's line."""
    fixed = _fixed(subject.mechanism)
    owners = {id(f.node): f.owner for f in module.functions.values()}
    for node in ast.walk(module.tree):
        if isinstance(node, DEFINITIONS) and node.name == subject.name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == subject.line:
                return Function(node, module, owners.get(id(node), ""), fixed=fixed)
        elif (
            isinstance(node, ast.Lambda)
            and subject.name == "<lambda>"
            and node.lineno == subject.line
        ):
            return Function(node, module, fixed=fixed)
    return None


def _fixed(function: Any) -> dict[str, Value]:
    """Return what `functools.partial` fixed by name."""
    values: dict[str, Value] = {}
    while isinstance(function, functools.partial):
        for name, given in function.keywords.items():
            number = isinstance(given, int | float) and not isinstance(given, bool)
            value = Value(form=symbol(name), params=frozenset({name}))
            values.setdefault(name, changed(value, number=float(given)) if number else value)
        function = function.func
    return values
