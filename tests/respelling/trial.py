"""What is rewritten, and whether the outcome is the same: audited mechanisms and their verdicts."""

from __future__ import annotations

import ast
import functools
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

import dpaudit
from dpaudit.collect import collect
from dpaudit.formal.confirm import DRAWS
from dpaudit.formal.engine import FormalEngine
from dpaudit.subject import Subject
from tests.respelling.plain import PLAIN
from tests.respelling.rewrite import Rewrite
from tools.declared import AUDITS, kind_of
from tools.mutation import Mutant, definition_of, load, source_of

_NUMBERS = count()
_PAIRS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """A mechanism as its audit has it.

    Attributes
    ----------
    audit : str
    mechanism : callable
    claim : Claim
    neighbors : Neighbors
    marked : bool
        Whether the audit marked it as vectorized.
    tree : ast.Module
        The module that defines it.
    entry : str
        Name of the function.
    sound : bool
    """

    audit: str
    mechanism: Callable[..., Any]
    claim: Any
    neighbors: Any
    marked: bool
    tree: ast.Module
    entry: str
    sound: bool


@functools.cache
def originals() -> dict[str, Original]:
    """Return the plain mechanisms and those of `audits/`, each once, by the name of the audit."""
    found = dict(plain())
    seen = set[Any]()
    for collected in collect([AUDITS]).audits:
        audit, kind = collected.audit, kind_of(collected.audit)
        if kind is None or audit.claim is None or audit.neighbors is None:
            continue
        function = definition_of(audit.mechanism)
        text = source_of(function)
        if not str(getattr(function, "__module__", "")).startswith("mechanisms.") or text is None:
            continue
        if function in seen:
            continue
        seen.add(function)
        marked = Subject.of(audit.mechanism).vectorized
        given = audit.mechanism, audit.claim, audit.neighbors, marked
        tree, entry = ast.parse(text), function.__name__
        found[collected.name] = Original(collected.name, *given, tree, entry, kind == "sound")
    return found


@functools.cache
def plain() -> dict[str, Original]:
    """Return the small mechanisms, by name."""
    found = {}
    for function, claim, neighbors in PLAIN:
        name, tree = f"plain::{function.__name__}", alone(function)
        given = name, function, claim, neighbors, False, tree, function.__name__
        found[name] = Original(*given, sound=True)
    return found


def alone(function: Callable[..., Any]) -> ast.Module:
    """Return a module with one of the small mechanisms, which call no other, and its imports."""
    module = ast.parse(source_of(function) or "")
    held = (ast.Import, ast.ImportFrom)
    module.body = [
        node
        for node in module.body
        if isinstance(node, held) or getattr(node, "name", "") == function.__name__
    ]
    return module


@contextmanager
def loaded(original: Original, tree: ast.Module) -> Iterator[Any]:
    """Yield the mechanism that a module makes of an original; its file is there meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        mutant = Mutant("rewritten", ast.unparse(tree))
        name = f"rewritten_{next(_NUMBERS)}"
        yield load(mutant, original.mechanism, Path(folder), name, marked=original.marked)


def chained(
    original: Original, rewrites: Sequence[Rewrite], *, twin: bool = False
) -> ast.Module | None:
    """Return the module after several rewrites, the last one as a twin on request."""
    tree: ast.Module | None = original.tree
    for i, rewrite in enumerate(rewrites):
        last = i == len(rewrites) - 1
        tree = None if tree is None else rewrite(tree, original.entry, twin=twin and last)
    return tree


def verdict(
    original: Original, mechanism: Any, seconds: float
) -> tuple[dpaudit.Verdict, str | None]:
    """Return what the prover alone says with a budget of steps, and its reason."""
    report = dpaudit.audit(
        mechanism,
        original.claim,
        original.neighbors,
        engines=[FormalEngine(budget=seconds)],
        max_calls=DRAWS,
        max_seconds=None,
    )
    return report.verdict, report.reason


def contradicted(original: Original, mechanism: Any, calls: int) -> bool:
    """Return whether running a mechanism refutes its claim, at a level of 1e-6."""
    report = dpaudit.audit(
        mechanism,
        original.claim,
        original.neighbors,
        engines=["trace", "statistical"],
        max_calls=calls,
        max_seconds=None,
    )
    return report.verdict is dpaudit.Verdict.REFUTED


def run(original: Original, mechanism: Any, seeds: int = 1) -> list[Any]:
    """Return the outputs on a few datasets with the same draws; an exception is its type."""
    pairs = list(islice(original.neighbors.pairs(np.random.default_rng(3)), _PAIRS))
    subject = Subject.of(mechanism)
    both = [data for pair in pairs for data in (pair.left, pair.right)]
    return [_once(subject, data, seed) for data in both for seed in range(seeds)]


def _once(subject: Subject, data: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    random.seed(seed)
    given = (data, 1, rng) if subject.vectorized else (data, rng) if subject.takes_rng else (data,)
    given = (data.copy() if hasattr(data, "copy") else data, *given[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(seed)  # noqa: NPY002
        try:
            return subject.function(*given)
        except Exception as error:
            return type(error).__name__


def alike(first: Any, second: Any) -> bool:
    """Return whether two outputs are the same up to rounding, whatever holds their numbers."""
    if isinstance(first, str) or isinstance(second, str) or first is None or second is None:
        return type(first) is type(second) and bool(first == second)
    if isinstance(first, dict) and isinstance(second, dict):
        return list(first) == list(second) and alike(list(first.values()), list(second.values()))
    if isinstance(first, list | tuple) and isinstance(second, list | tuple | np.ndarray):
        return len(first) == len(second) and all(map(alike, first, second))
    try:
        one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        return repr(first) == repr(second)
    return one.shape == other.shape and np.allclose(one, other, 1e-9, 1e-9, equal_nan=True)


def kept(original: Original, mechanism: Any, same: str) -> bool:
    """Return whether a rewritten mechanism does what the original does.

    With the same draws it gives the same outputs. Where the law alone is the same, outputs have the
    same form, and the same exceptions are raised.
    """
    before, after = run(original, original.mechanism), run(original, mechanism)
    if same == "draws":
        return all(map(alike, before, after))
    return all(isinstance(a, str) == isinstance(b, str) for a, b in zip(before, after, strict=True))
