"""The lifted program: Python with every name resolved, which is what the proofs speak of.

Names of functions are canonical: ``operator.add`` for ``+`` (``operator.iadd`` for ``+=``),
``numpy.clip``, ``math.log``, ``builtins.len``, and ``method.sum`` for ``x.sum()``, whose receiver
is the first argument. Draws of noise are nodes of their own, whichever library they come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

from dpaudit.checker.program import EMITTED as EMITTED

UNREAD = "code that is not understood"  # what the name of a function begins with that stands for it


class ClassName(str):
    """The name of a user's class of exceptions, which comes before what such an exception says."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node was written: the line in the file of its function."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Anything with a place in the source."""

    place: Place


# --- expressions


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Node):
    """A value known before the run: a literal, a default, a global, a closure's cell.

    A float stands for the real number that it is, so that 0.1 is not 1/10.
    """

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    """A local variable."""

    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Generator(Node):
    """A source of randomness: the one passed in, or one made inside.

    Attributes
    ----------
    origin : {"argument", "fresh", "seeded", "global"}
        Passed in; made without a seed; made with `seed`; one that outlives the call, which nobody
        is seen to seed.
    seed : Expression or None
    library : {"numpy", "legacy", "python"} or None
        Whose methods it has, if that is known: NumPy's generators, `numpy.random` and
        `RandomState`, or `random` and `secrets`. What they draw is of other types.
    """

    origin: Literal["argument", "fresh", "seeded", "global"]
    seed: Expression | None = None
    library: Literal["numpy", "legacy", "python"] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Draw(Node):
    """One call that draws noise.

    Attributes
    ----------
    family : str
        As in `numpy.random.Generator`: ``laplace``, ``normal``, ``geometric``, ``exponential``,
        ``gumbel``, ``random``, ``uniform``, ``integers``, ``choice``, ``binomial``,
        ``permutation``, …
    arguments : tuple of (str, Expression)
        By the names that NumPy gives them (``loc``, ``scale``, ``size``, ``low``, ``high``,
        ``p``, ``n``, ``a``, ``replace``); only those that were passed. Variances, rates and the
        like of other libraries are translated.
    generator : Expression
    """

    family: str
    arguments: tuple[tuple[str, Expression], ...]
    generator: Expression

    def argument(self, name: str) -> Expression | None:
        """Return the argument of that name, None where it was not passed."""
        return dict(self.arguments).get(name)


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A function applied to arguments.

    Attributes
    ----------
    function : str, Function or Constant
        A canonical name, a lifted function, or a function that can only be run (on values that
        are known).
    arguments : tuple of Expression
        `Starred` ones included.
    keywords : tuple of (str, Expression)
    """

    function: str | Function | Constant
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Starred(Node):
    """``*value`` in a call or a sequence."""

    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Node):
    """``start:stop:step`` in a subscript."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Subscript(Node):
    """``value[index]``; several indices are a `Sequence`."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Node):
    """``value.name`` that is not a call: ``x.shape``, ``x.T``."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Sequence(Node):
    """A tuple, list or set display."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Node):
    """A dict display."""

    items: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Node):
    """``[element for target in iterable if conditions …]``.

    `kind` "generator" is consumed by the call that it stands in; "dict" has (key, value) sequences
    as elements.
    """

    kind: Literal["list", "set", "dict", "generator"]
    element: Expression
    clauses: tuple[tuple[Target, Expression, tuple[Expression, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """``yes if test else no``."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Logic(Node):
    """``and`` or ``or``, which stop at the first operand that decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Named(Node):
    """``(target := value)``."""

    target: Name
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Node):
    """A lambda or a function defined inside: it sees the variables around it."""

    function: Function


Expression = (
    Constant
    | Name
    | Generator
    | Draw
    | Call
    | Starred
    | Slice
    | Subscript
    | Attribute
    | Sequence
    | Mapping
    | Comprehension
    | Choice
    | Logic
    | Named
    | Closure
)
Target = Name | Subscript | Attribute | Starred | Sequence


# --- statements


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Node):
    """``target = value``; tuples of targets are `Sequence` nodes."""

    target: Target
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Update(Node):
    """``target op= value``, in place where the target is an array; `function` is canonical."""

    target: Target
    function: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate(Node):
    """An expression for its effect: ``flags.append(above)``."""

    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Node):
    """``if test: yes else: no``."""

    test: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class For(Node):
    """``for target in iterable: body else: otherwise``."""

    target: Target
    iterable: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class While(Node):
    """``while test: body``."""

    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Return(Node):
    """``return value``."""

    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Leave(Node):
    """``break`` or ``continue``."""

    how: Literal["break", "continue"]


@dataclass(frozen=True, slots=True, eq=False)
class Raise(Node):
    """``raise value``, or an assertion that failed."""

    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Define(Node):
    """``def name(...)`` inside a function."""

    name: str
    function: Closure


Statement = Assign | Update | Evaluate | Branch | For | While | Return | Leave | Raise | Define


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """A function whose source was read.

    Attributes
    ----------
    name : str
    parameters : tuple of str
        All of them, in order; keyword-only ones last.
    defaults : dict of str to Constant
        Of parameters that have one.
    body : tuple of Statement
    starred : str or None
        Name of ``*args``.
    """

    name: str
    parameters: tuple[str, ...]
    defaults: dict[str, Constant]
    body: tuple[Statement, ...]
    starred: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A mechanism, lifted.

    Attributes
    ----------
    entry : Function
        What is called.
    data : str
        The parameter that takes the private data.
    rng : str or None
        The parameter that takes the generator.
    fixed : dict of str to Constant
        Parameters whose values are known: defaults and what `functools.partial` fixed.
    symbolic : tuple of str
        Parameters without a value: the proof is for all of them.
    sources : dict of str to str
        SHA-256 of the source of every function that was read, by ``file:name``.
    prints : bool
        Whether it returns a list of what it printed beside what it returned.
    weighs : bool
        Whether it chooses by weights, as it is written.
    assumed : tuple of str
        What was assumed of code that is seen not to run.
    """

    entry: Function
    data: str
    rng: str | None
    fixed: dict[str, Constant]
    symbolic: tuple[str, ...]
    sources: dict[str, str]
    prints: bool = False
    weighs: bool = False
    assumed: tuple[str, ...] = ()


def is_weighted(node: Node) -> bool:
    """Return whether a choice by weights is somewhere in a node."""
    draws = (each for each in walk(node) if isinstance(each, Draw))
    return any(draw.family == "choice" and draw.argument("p") is not None for draw in draws)


_parts: dict[type[Node], tuple[str, ...]] = {}


def parts_of(node: Node) -> tuple[str, ...]:
    """Return the names of a node's fields that may hold nodes, in their order."""
    found = _parts.get(type(node))
    if found is None:
        found = tuple(field.name for field in fields(node) if field.name != "place")
        _parts[type(node)] = found
    return found


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below, in the order of their fields."""
    for name in parts_of(node):
        yield from nodes_in(getattr(node, name))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it; lifted functions that it calls included."""
    yield node
    for child in children(node):
        yield from walk(child)


def nodes_in(value: Any) -> Iterator[Node]:
    """Yield the nodes that a field holds, alone or in containers."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from nodes_in(item)
