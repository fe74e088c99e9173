"""A witness as a standalone Python file that draws its counts anew."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import re
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import TYPE_CHECKING

from dpaudit.claims.power import CONFIDENCE, calls_to_show
from dpaudit.reference import parse_reference
from dpaudit.report.escape import plain
from dpaudit.report.paths import is_inside, shown, shown_folder

if TYPE_CHECKING:
    from dpaudit.evidence import Witness

_FEWEST, _MOST = 10_000, 1_000_000  # calls on each dataset
_LONGEST = 10_000_000  # where the probabilities of the event ask for more


def witness_script(witness: Witness) -> str:
    """Return a Python file that replays a counterexample and prints its counts.

    Parameters
    ----------
    witness : Witness

    Returns
    -------
    str
        It needs numpy, scipy and the mechanism's own module, and not dpaudit. Where the mechanism
        has no name that can be imported, its source is embedded; where that is not enough, the
        file says at its top what to bind.
    """
    from dpaudit.neighbors import dataset_to_source

    left, right = dataset_to_source(witness.left), dataset_to_source(witness.right)
    binding = _binding(witness)
    counts = _counted(witness)
    return _TEMPLATE.format(
        mechanism=_quoted(witness.mechanism),
        claim=_quoted(witness.claim),
        differ=_quoted(witness.how),
        words=_quoted(witness.event.words),
        counts=_quoted(counts),
        imports=_imports(left, right),
        binding=binding
        + _ending(witness)
        + (_observing(witness.observes) if witness.observed else ""),
        left=left,
        right=right,
        event=witness.event.source.strip() or "False",
        named="" if witness.event.source.strip() else _NO_PREDICATE,
        planes=_planes(witness),
        delta=repr(float(witness.claim.declared_delta)),
        claim_text=repr(plain(witness.claim)),
        event_text=repr(plain(witness.event.words)),
        calls=_calls(witness),
        confidence=CONFIDENCE,
        draw=_draw(witness),
        unseen=_unseen(witness),
        seeding="" if witness.reproducible else _UNSEEDED,
    )


def _observing(observes: frozenset[str]) -> str:
    """Return code after which the output is a pair: what is returned, and the texts emitted."""
    from dpaudit.outputs import clocks, files, observed

    told = f"frozenset({sorted(observes)!r})"
    code = _code(clocks, files, observed)
    return f"\n\n{code}\n\n\nmechanism = mechanism and observed(mechanism, {told})"


def _ending(witness: Witness) -> str:
    """Return code after which a generator or a coroutine runs to its end."""
    from dpaudit import ended

    if not re.search(r"\byield\b|\basync def\b", witness.source):
        return ""
    return f"\n\n{_code(ended)}\n\n\n{_ENDING}"


def _code(*modules: ModuleType) -> str:
    """Return what modules define, as it stands in their files."""
    parts = []
    for module in modules:
        code = inspect.getsource(module).partition('"""')[2].partition('"""')[2]
        parts.append(code.replace("from __future__ import annotations", "").strip())
    return re.sub(r"from dpaudit\.outputs.*\n", "", "\n\n\n".join(parts))


def _counted(witness: Witness) -> str:
    if witness.counts is not None:
        return f"{witness.counts} calls (left against right)"
    if witness.confidence < 1:
        how = "not counted: noise was steered, and what came of it was weighed"
    else:
        how = "not counted: both probabilities were computed"
    if witness.probabilities is None:
        return how
    p, q = witness.probabilities
    return f"{how} (at least {p:.3g} on the left, at most {q:.3g} on the right)"


def _unseen(witness: Witness) -> str:
    """Return why counts that do not contradict the claim are no defense of it."""
    lines: tuple[str, ...]
    if witness.first_calls:
        lines = ("the audit counted this event alone: make at least as many calls as it did",)
    elif witness.counts is not None:
        lines = (
            "the audit's evidence was more than this event: all its bets together,",
            "which this replay does not repeat",
        )
    else:
        computed = witness.confidence == 1
        how = "computed both probabilities" if computed else "steered the noise to this event"
        lines = (
            f"the audit {how} and did not count it in plain calls;",
            needs(witness) or "a rare event, or a small difference, takes more calls to be seen",
        )
    return "\n".join(f'    print("{line}")' for line in lines)


def needs(witness: Witness) -> str:
    """Return how many calls show the event of a witness, where its script makes fewer.

    Parameters
    ----------
    witness : Witness

    Returns
    -------
    str
        Empty where the calls that the script makes by itself are enough, or nothing is known.
    """
    if witness.probabilities is None or witness.first_calls:
        return ""
    needed = calls_to_show(witness.claim, *witness.probabilities)
    if needed <= _calls(witness):
        return ""
    if math.isinf(needed):
        return "the event is too rare, or the difference too small, to be shown by counting it"
    return f"{needed:,.0f} calls on each dataset show it with probability 0.9"


def _quoted(text: object) -> str:
    """Return text that cannot end the docstring it is put into."""
    return plain(text, 500).replace("\\", "\\\\").replace('"""', "'''").replace('"', "'")


def _imports(*datasets: str) -> str:
    lines = ["import numpy as np"]
    if any("pd." in source for source in datasets):
        lines.append("import pandas as pd")
    if any("pl." in source for source in datasets):
        lines.append("import polars as pl")
    lines.append("from scipy.stats import beta")
    return "\n".join(f"    {line}" for line in lines)


def _planes(witness: Witness) -> str:
    """Write the claim's half-planes a p - b q <= c that bound how likely the left event may be."""
    planes = [
        (float(h.a), float(h.b), float(h.c))
        for h in witness.claim.half_planes()
        if h.a > 0 and h.b >= 0
    ]
    return "[" + ", ".join(map(repr, planes)) + "]"


def _calls(witness: Witness) -> int:
    made = _FEWEST if witness.counts is None else witness.counts.left_calls
    if witness.first_calls:
        return made
    needed = calls_to_show(witness.claim, *_probabilities(witness))
    usual = min(max(made, _FEWEST), _MOST)
    return max(usual, int(needed)) if needed <= _LONGEST else usual


def _probabilities(witness: Witness) -> tuple[float, float]:
    """Return how likely the event is on both datasets, as far as the audit knows."""
    if witness.probabilities is not None:
        return witness.probabilities
    seen = witness.counts
    if seen is None:
        return 0.0, 0.0
    # Where it was never seen on the right, the audit knows no more than that it is rare there.
    return seen.left / max(1, seen.left_calls), (seen.right + 0.5) / (seen.right_calls + 1)


def _draw(witness: Witness) -> str:
    if witness.vectorized:
        return _VECTORIZED
    calling = _WITH_RNG if witness.takes_rng else _WITHOUT_RNG
    if witness.first_calls:
        return _ONE_BY_ONE.replace("def count(", "def count_here(") + _FIRST_CALLS + calling
    if not witness.takes_rng:
        return _ONE_BY_ONE + calling
    return (_ONE_BY_ONE_ANEW if witness.own_generators else _ONE_BY_ONE) + calling


def _binding(witness: Witness) -> str:
    found = parse_reference(witness.mechanism)
    if found is not None:
        return _import(witness, *found)
    qualname = witness.mechanism.rpartition(":")[2]
    embedded = None if _is_partial(witness.mechanism) else _embedded(witness.source, qualname)
    if embedded is not None:
        return embedded
    return _unbound(f"{witness.mechanism} cannot be imported by name", witness.source)


def _is_partial(mechanism: str) -> bool:
    return mechanism.startswith("functools.partial(")


def _import(witness: Witness, module: str, name: str, arguments: str | None) -> str:
    """Import by name; the folder that the module was found in comes after the working one."""
    folders = "os.getcwd()"
    if witness.file is not None:
        root = Path(witness.file).resolve()
        is_package = root.stem == "__init__"
        for _ in range(len(module.split(".")) + is_package):
            root = root.parent
        folders += _other_folder(witness.file, root)
    found = f"getattr(importlib.import_module({module!r}), {name!r})"
    if arguments is not None:
        found = f"functools.partial({found}, {arguments})"
    fractions = "from fractions import Fraction\n" if "Fraction(" in found else ""
    paths = "from pathlib import Path\n" if "Path(" in folders else ""
    bound = f"try:\n    mechanism = {found}\n{_NOT_IMPORTED}"
    return f"{fractions}{paths}sys.path[:0] = [{folders}]\n{bound}"


def _other_folder(file: str, root: Path) -> str:
    """Return what a script adds to the folders that it imports from, named from the repository.

    It looks for the file from where it is run and from above where it lies; a module outside of the
    repository has no other name than its path.
    """
    inside = shown(file)
    folder = shown_folder(root)
    if inside is None or not is_inside(inside) or Path(folder).is_absolute():
        return f", {str(root)!r}"
    below = Path(inside).relative_to(folder).as_posix()
    return (
        ", *[\n    folder for up in (os.getcwd(), *map(str, Path(__file__).resolve().parents))\n"
        f"    if os.path.isfile(os.path.join(folder := os.path.join(up, {folder!r}), {below!r}))\n"
    ) + "]"


def _embedded(source: str, qualname: str) -> str | None:
    """Return code that defines the mechanism from its source, or None where it cannot."""
    try:
        tree = ast.parse(dedent(source))
    except (SyntaxError, ValueError, RecursionError):
        return None
    name = qualname.rpartition(".")[2].strip("<>")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    defined = [n for n in ast.walk(tree) if isinstance(n, kinds) and n.name == name]
    lambdas = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
    if len(defined) == 1:
        function = defined[0]
        if function.args.args and function.args.args[0].arg == "self":
            return None
        function.decorator_list = [d for d in function.decorator_list if not _marks(d)]
        code, free = f"{ast.unparse(function)}\n\n\nmechanism = {name}", _free_names(function)
    elif not defined and len(lambdas) == 1:
        code, free = f"mechanism = {ast.unparse(lambdas[0])}", _free_names(lambdas[0])
    else:
        return None
    if free:
        names = ", ".join(sorted(free))
        return _unbound(f"it uses names from where it was defined: {names}", code)
    return code


def _marks(decorator: ast.expr) -> bool:
    """Return whether a decorator only tells dpaudit how to call the function."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(named).rpartition(".")[2] in ("vectorized", "example")


def _free_names(function: ast.AST) -> set[str]:
    """Return the names that a function reads and neither it nor the script binds."""
    bound = set(dir(builtins)) | {"math", "np", "pd", "pl"}
    read: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                bound |= {(a.asname or a.name).partition(".")[0] for a in aliases}
            case ast.ExceptHandler(name=str() as name):
                bound.add(name)
    return read - bound


def _unbound(why: str, source: str) -> str:
    """Return code that asks for the mechanism, with what is known of it in comments."""
    comments = "\n".join(f"# {plain(line)}".rstrip() for line in source.splitlines())
    return (
        f"# Bind `mechanism` here: {plain(why, 300)}.\n"
        f"# Import it, or define it and what it uses, in place of the line below.\n"
        f"{comments}{chr(10) if comments else ''}"
        "mechanism = None"
    )


_ENDING = """def to_its_end(function):
    @functools.wraps(function)
    def call(*given, **named):
        return ended(function(*given, **named))

    return call


mechanism = mechanism and to_its_end(mechanism)"""

_NOT_IMPORTED = """except (Exception, SystemExit) as error:
    stop(f"the mechanism cannot be imported ({type(error).__name__}: {error}); correct its module, "
         "or run this file in the folder from which the audit was run")"""

_TEMPLATE = '''"""Replay of a counterexample that dpaudit found.

mechanism  {mechanism}
claim      {claim}
datasets   {differ}
event      {words}
seen       {counts}

Run it with: python FILE [CALLS] [SEED]
Exit codes: 0, the counts contradict the claim; 1, they do not; 2, nothing could be counted.
"""

import copy
import functools
import importlib
import inspect
import math
import os
import random
import subprocess
import sys


def stop(said):
    print(said, file=sys.stderr)
    sys.exit(2)


try:
{imports}
except ImportError as error:
    stop(f"this replay needs {{error.name}}: install it with python -m pip install {{error.name}}")

{binding}

CLAIM = {claim_text}
EVENT = {event_text}
# The claim allows every event probabilities p (left) and q (right) with a p - b q <= c.
HALF_PLANES = {planes}
DELTA = {delta}
CONFIDENCE = {confidence}


def left():
    return {left}


def right():
    return {right}


def event(output):
    return ({event})


def happens(output):
    try:
        return bool(event(output))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return False  # an output of another kind is outside the event


{draw}

def arguments(calls="{calls}", seed="0", *others):
    try:
        calls, seed = int(calls), int(seed)
    except ValueError:
        calls = 0
    if calls < 1 or seed < 0 or others:
        stop("usage: python FILE [CALLS] [SEED], with CALLS at least 1 and SEED at least 0")
    return calls, seed


def main():
    if mechanism is None:
        stop("bind `mechanism` at the top of this file first; the comments there say how")
    calls, seed = arguments(*sys.argv[1:])
{named}    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    np.random.seed(seed)
    random.seed(seed)
{seeding}    on_left = count(left(), calls, rngs[0])
    on_right = count(right(), calls, rngs[1])
    print(f"claim  {{CLAIM}}")
    print(f"event  {{EVENT}}")
    print(f"left   {{on_left:,}} of {{calls:,}} calls ({{on_left / calls:.6g}})")
    print(f"right  {{on_right:,}} of {{calls:,}} calls ({{on_right / calls:.6g}})")

    # Clopper-Pearson: both bounds hold together with at least the stated confidence.
    level = (1 - CONFIDENCE) / 2
    p = float(beta.ppf(level, on_left, calls - on_left + 1)) if on_left else 0.0
    q = float(beta.isf(level, on_right + 1, calls - on_right)) if on_right < calls else 1.0
    epsilon = max(0.0, math.log((p - DELTA) / q)) if p > DELTA else 0.0
    confidence = f"{{CONFIDENCE:.0%}} confidence"
    print(f"left at least {{p:.6g}} and right at most {{q:.6g}} with {{confidence}}")
    print(f"epsilon is at least {{math.floor(epsilon * 1e4) / 1e4:.4f}} at delta {{DELTA:g}}")
    if any(a * p - b * q > c for a, b, c in HALF_PLANES):
        print(f"these counts contradict {{CLAIM}}")
        return
    print(f"these counts alone do not contradict {{CLAIM}}")
{unseen}
    sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        stop(f"nothing could be counted ({{type(error).__name__}}: {{error}})")
'''

_NO_PREDICATE = """    print(f"the event ({EVENT}) is one of the noise: nothing is drawn")
    print(f"by the report's numbers {CLAIM} fails on the datasets of this file")
    sys.exit(2)
"""

_ONE_BY_ONE = """def count(data, calls, rng):
    seen = 0
    for _ in range(calls):
        fresh = copy.deepcopy(data)  # a call may change what it is given
        seen += happens(one_output(fresh, rng))
    return seen


def one_output(data, rng):
    try:
        return call(data, rng)
    except (Exception, SystemExit) as error:
        return error  # an exception is an output
"""

# The mechanism draws from a copy: with one generator for all, calls would repeat its numbers.
_ONE_BY_ONE_ANEW = _ONE_BY_ONE.replace("(fresh, rng)", "(fresh, rng.spawn(1)[0])")

# Each call is the first of a new process, which nobody seeds.
_FIRST_CALLS = """

ONE = "import runpy, sys; print(runpy.run_path(sys.argv[1])['once'](sys.argv[2]))"


def once(side):
    return count_here(left() if side == "left" else right(), 1, np.random.default_rng())


def count(data, calls, rng):
    side = "left" if repr(data) == repr(left()) else "right"
    command = [sys.executable, "-c", ONE, os.path.abspath(__file__), side]
    seen = 0
    for _ in range(calls):
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        seen += int(told.split()[-1])
    return seen
"""

_WITH_RNG = """

BY_NAME = mechanism is not None and "rng" in inspect.signature(mechanism).parameters


def call(data, rng):
    return mechanism(data, rng=rng) if BY_NAME else mechanism(data, rng)
"""

_WITHOUT_RNG = """

def call(data, rng):
    return mechanism(data)
"""

_VECTORIZED = """def count(data, calls, rng):
    seen = 0
    while calls:
        size = min(calls, 100_000)
        try:
            outputs = mechanism(copy.deepcopy(data), size, rng)
        except (Exception, SystemExit) as error:
            outputs = [error] * size  # an exception is an output
        seen += sum(happens(output) for output in outputs)
        calls -= size
    return seen
"""

_UNSEEDED = """    # The mechanism draws from the system's randomness: counts differ between runs.
"""
