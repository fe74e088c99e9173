"""Fixed seed: refutes programs that draw all of their noise from seeds that are written in them.

The output of such a program is a function of the data. Where it differs on two neighboring
datasets, it is certain on one of them and impossible on the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import flint
import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import Event, Finding
from dpaudit.formal.clock import charge, now
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.generators import SEEDED
from dpaudit.formal.lifting.streams import NUMPY_SEED, PYTHON_SEED
from dpaudit.formal.program import (
    UNREAD,
    Attribute,
    Call,
    Constant,
    Evaluate,
    Expression,
    Function,
    Generator,
    Place,
    Program,
    Return,
    Statement,
    Subscript,
    children,
    walk,
)
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.trial.check import broken_at
from dpaudit.formal.trial.events import equals
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, Runner, WorkerError
from dpaudit.worker.tasks import Task

Block = tuple[Statement, ...]
SEEDS = (NUMPY_SEED, PYTHON_SEED)
KEY = 0x5EED  # apart from the seeds of other engines
MOST_PAIRS, MOST_SHRINKS = 24, 24
RUNS = 2  # on each dataset, before all those that confirm
_APART = Fraction(1, 10**6)  # between outputs, relative to them: far above rounding
_RANDOM = (UNREAD, "numpy.random.", "random.", "secrets.", "scipy.stats.", "uuid.", "time.", "os.")
_INDEX = re.compile(r"(?:\[(?:\d+|'\w+')\])*")  # where a number stands in an output


def refute_seeded(
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    subject: Subject,
    *,
    deadline: float,
    runner: Runner | None = None,
) -> Counterexample:
    """Return two datasets on which a program without chance returns different numbers.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    subject : Subject
        The real code, which is run.
    deadline : float
        In terms of `dpaudit.formal.clock.now`.
    runner : Runner, optional
        Where it is run; in this process unless given.

    Raises
    ------
    Unsupported
        Where chance is not seen to be absent, or no pair is found.
    """
    place = seed_of(program)
    if place is None:
        raise OutOfScope("not all of the noise is from seeds that are written down")
    if broken_at(claim, flint.arb(1), flint.arb(0)) is None:
        raise Unsupported("the claim allows every output", place)
    search = _Search(InPlace(subject) if runner is None else runner, deadline)
    found = search.first(islice(neighbors.pairs(np.random.default_rng(0)), MOST_PAIRS))
    if found is None:
        raise Unsupported("no pair was found on which the seeded outputs differ", place)
    while (smaller := search.first(islice(neighbors.shrink(found.pair), MOST_SHRINKS))) is not None:
        found = smaller
    words = (
        "the noise comes from a seed that is known, so that the output is a function of the data"
    )
    finding = Finding(
        "DPA110",
        "error",
        f"{words}: output{found.path} is {found.left:.6g} on one dataset, {found.right:.6g} on the "
        "other",
        file=place.file,
        line=place.line,
        engine="formal",
        pair=(found.pair.left, found.pair.right),
    )
    event = Event(
        f"output{found.path} = {found.left:.6g}",
        equals(f"output{found.path}", Fraction(found.left)),
    )
    how = "probabilities 1 and 0: nothing in the program is drawn by chance"
    return Counterexample(
        found.pair.left, found.pair.right, found.pair.how, event, np.inf, how, finding,
        (1.0, 1.0), (0.0, 0.0),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Found:
    pair: Pair
    path: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class _Search:
    """Runs the code on pairs of datasets."""

    runner: Runner
    deadline: float

    def first(self, pairs: Iterator[Pair]) -> _Found | None:
        """Return the first pair with different outputs; pairs without records last."""
        later: _Found | None = None
        for number, pair in enumerate(pairs):
            if now() > self.deadline:
                break
            charge(700)
            found = self._differs(pair, number)
            sizes = [len(side) for side in (pair.left, pair.right) if hasattr(side, "__len__")]
            if found is not None and 0 not in sizes:
                return found
            later = later or found
        return later

    def _differs(self, pair: Pair, number: int) -> _Found | None:
        task = Task(pair.left, pair.right, "independent", RUNS, (KEY, number))
        try:
            [seen] = self.runner.run([task])
        except WorkerError:
            return None
        left, right = _constants(seen.left), _constants(seen.right)
        for path in left.keys() & right.keys():
            one, two = Fraction(left[path]), Fraction(right[path])
            if abs(one - two) > _APART * max(Fraction(1), abs(one), abs(two)):
                return _Found(pair, path, left[path], right[path])
        return None


def _constants(columns: Columns | None) -> dict[str, float]:
    """Return the numbers that are the same in all runs, by their place in the output."""
    assert columns is not None
    return {
        path: float(values[0])
        for path, values in columns.numbers.items()
        if _INDEX.fullmatch(path) and np.isfinite(values).all() and np.all(values == values[0])
    }


# --- whether all noise comes from seeds


def seed_of(program: Program) -> Place | None:
    """Return where the noise of a program is seeded, None where it may draw by chance.

    Parameters
    ----------
    program : Program

    Notes
    -----
    A generator that outlives the call is seeded before its first draw if a statement of the body
    does so, or the function that the statement calls: neither in a branch nor in a loop.
    """
    nodes = list(walk(program.entry))
    generators = [node for node in nodes if isinstance(node, Generator)]
    if not generators or program.symbolic or any(g.origin != "seeded" for g in generators):
        return None
    if any(not _is_known(node) for node in nodes):
        return None
    spine = _Spine()
    if not spine.follow(program.entry.body):
        return None
    seeding = [node for node in nodes if isinstance(node, Call) and node.function in SEEDS]
    if not all(_is_seeding(n) or spine.is_only_call(n, nodes) for n in seeding):
        return None
    used = {g.seed.value for g in generators if isinstance(g.seed, Constant)}
    return next((node.place for node in seeding if node.function in used), generators[0].place)


def _is_known(node: Any) -> bool:
    """Return whether a node calls nothing that may draw by chance."""
    if isinstance(node, Constant):
        return not callable(node.value) or canonical_name(node.value) is not None
    if not isinstance(node, Call) or isinstance(node.function, Function):
        return True
    name = node.function
    return isinstance(name, str) and (name in (*SEEDS, SEEDED) or not name.startswith(_RANDOM))


def _is_integer(node: Expression | None) -> bool:
    return isinstance(node, Constant) and type(node.value) is int


def _is_seeding(node: Expression) -> bool:
    """Return whether a call seeds with an integer that is written down."""
    if not isinstance(node, Call) or node.function not in SEEDS:
        return False
    return len(node.arguments) == 1 and not node.keywords and _is_integer(node.arguments[0])


class _Spine:
    """The statements that surely run, in their order, and what they have seeded."""

    def __init__(self) -> None:
        self.seeded: set[str] = set()
        self.seen: set[int] = set()  # ids of the calls that seed

    def is_only_call(self, seeding: Call, nodes: list[Any]) -> bool:
        """Return whether a call that seeds was met, and runs but once."""
        around = {id(n): n for n in nodes if isinstance(n, Function) and seeding in walk(n)}
        calls = {id(n): n for n in nodes if isinstance(n, Call) and id(n.function) in around}
        return id(seeding) in self.seen and len(calls) == len(around) - 1  # nobody calls the entry

    def follow(self, body: Block, sure: bool = True) -> bool:
        """Return whether all that a body draws is seeded by then.

        Parameters
        ----------
        body : tuple of Statement
        sure : bool
            Whether it surely runs.
        """
        for statement in body:
            value = getattr(statement, "value", None)
            if sure and isinstance(statement, Evaluate) and _is_seeding(statement.value):
                self.seen.add(id(value))
                self.seeded.add(str(statement.value.function))  # type: ignore[union-attr]
            elif isinstance(value, Call | Subscript | Attribute):
                if not self._value(value, sure):
                    return False
            elif not self._is_seeded((statement,)):
                return False
            if not isinstance(statement, Return) and any(
                isinstance(n, Return) for n in _own(statement)
            ):
                sure = False
        return True

    def _value(self, node: Expression, sure: bool) -> bool:
        """Return whether all that a value draws is seeded by then, what it is made of first."""
        if isinstance(node, Subscript | Attribute):
            at = (node.index,) if isinstance(node, Subscript) else ()
            return self._value(node.value, sure) and self._is_seeded(at)
        if not isinstance(node, Call) or not isinstance(node.function, Function):
            return self._is_seeded((node,))
        given = (*node.arguments, *dict(node.keywords).values())
        if not all(self._value(argument, sure) for argument in given):
            return False
        return self.follow(node.function.body, sure)

    def _is_seeded(self, parts: tuple[Any, ...]) -> bool:
        generators = (n for part in parts for n in walk(part) if isinstance(n, Generator))
        return all(map(self._is_known, generators))

    def _is_known(self, generator: Generator) -> bool:
        """Return whether a generator has been seeded by now with an integer."""
        seed = generator.seed
        if isinstance(seed, Constant) and seed.value in SEEDS:
            return seed.value in self.seeded
        if isinstance(seed, Call) and seed.function == SEEDED:
            (seed,) = seed.arguments
        return _is_integer(seed)


def _own(statement: Statement) -> Iterator[Any]:
    """Yield a statement and what is below it, without the functions that it calls."""
    yield statement
    for child in children(statement):
        if not isinstance(child, Function | Expression):
            yield from _own(child)  # type: ignore[arg-type]
