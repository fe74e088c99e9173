"""Ways that end in the same noise, as one way: an early ``return`` of what a later one adds to.

``if len(data) == 0: return 0.0 + noise`` before ``return total + noise`` draws the noise on either
way, once. The law is that of ``return (0.0 if len(data) == 0 else total) + noise``. What is
computed between the two draws nothing, changes nothing, and raises nothing where there are no
records.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
    Constant,
    Draw,
    Expression,
    Generator,
    Name,
    Return,
    Sequence,
    Statement,
)

Block = tuple[Statement, ...]
Drawn = dict[str, Draw]
_TOTAL_WORDS = """
builtins.float builtins.len builtins.list builtins.max builtins.min builtins.sum method.clip
method.sum numpy.array numpy.asarray numpy.clip numpy.count_nonzero numpy.maximum numpy.minimum
numpy.sum operator.add operator.ge operator.gt operator.le operator.lt operator.mul operator.neg
operator.sub
"""
_TOTAL = frozenset(_TOTAL_WORDS.split())
_FLOATS = ("laplace", "normal")
_EXTREMES = ("builtins.max", "builtins.min")
_PLAIN = Call | Comprehension | Constant | Name | Sequence


def merged(body: Block) -> Block:
    """Return the body of a function, its last two ways as one where they end in the same noise.

    Parameters
    ----------
    body : tuple of Statement
    """
    for at, statement in enumerate(body):
        if isinstance(statement, Branch) and _asks_for_records(statement.test):
            after = body[at + 1 :]
            if not statement.no or not after:
                stored = rewriting.stores(*body)
                drawn = {n: d for n, d in _drawn(body[:at]) if stored[n] == 1}
                found = _joined(statement, statement.yes, statement.no or after, drawn)
                return body if found is None else (*body[:at], *found)
    return body


def _drawn(body: Block) -> Iterator[tuple[str, Draw]]:
    """Yield the variables that are given a draw, and the draw."""
    for statement in body:
        match statement:
            case Assign(target=Name(id=name), value=Draw() as draw):
                yield name, draw


def _asks_for_records(test: Expression) -> bool:
    """Return whether a test asks how many records there are, of nothing that is computed for it."""
    if isinstance(test, Call) and test.function == "operator.not_":
        (inside,) = test.arguments
        return isinstance(inside, Name) or _asks_for_records(inside)
    if isinstance(test, Call) and str(test.function).startswith("operator."):
        first, *others = test.arguments
        return len(others) == 1 and isinstance(others[0], Constant) and _is_length(first)
    return _is_length(test)


def _is_length(node: Expression) -> bool:
    if isinstance(node, Attribute):
        return node.name in ("size", "empty") and isinstance(node.value, Name)
    named = isinstance(node, Call) and node.function == "builtins.len" and not node.keywords
    return named and all(isinstance(part, Name) for part in node.arguments)  # type: ignore[union-attr]


def _joined(branch: Branch, yes: Block, no: Block, drawn: Drawn) -> Block | None:
    """Return what both ways do, and a result that is one of two, plus the noise of both."""
    match yes, no:
        case (*first, Return(value=one)), (*second, Return(value=other) as last):
            pass
        case _:
            return None
    between = (*first, *second)
    sides = _shared_noise(one, other, drawn)
    if sides is None or (first and second) or not all(map(_is_total, between)):
        return None
    noise, left, right = sides
    stored = rewriting.stores(*between)
    if any(stored[name] for name in rewriting.reads(branch.test, noise, right if first else left)):
        return None
    draw = drawn[noise.id] if isinstance(noise, Name) else noise
    if isinstance(draw, Draw) and draw.family in _FLOATS:
        left, right = _zero(left), _zero(right)
    place, begun = last.place, []
    ending = Name(place, f"ending·{place.line}")
    if isinstance(left, Constant) and _needs_no_records(right):
        begun, right = [Assign(place, ending, right)], ending
    elif isinstance(right, Constant) and _needs_no_records(left):
        begun, left = [Assign(place, ending, left)], ending
    value = Choice(branch.place, branch.test, left, right)
    return (*between, *begun, Return(place, Call(place, "operator.add", (value, noise))))


def _zero(value: Expression) -> Expression:
    """Return 0 for 0.0: a float that is added to either is a float, and the same."""
    nothing = isinstance(value, Constant) and type(value.value) is float and value.value == 0
    return Constant(value.place, 0) if nothing else value


def _is_total(statement: Statement) -> bool:
    """Return whether a statement gives a variable what needs no records to be computed."""
    match statement:
        case Assign(target=Name(), value=value):
            return _needs_no_records(value)
    return False


def _needs_no_records(value: Expression) -> bool:
    for part in rewriting.inner(value):
        if isinstance(part, Call):
            lone = part.function in _EXTREMES and len(part.arguments) < 2
            if part.function not in _TOTAL or lone:
                return False
        elif not isinstance(part, _PLAIN):
            return False
    return _only_computes(value)


def _only_computes(node: Expression) -> bool:
    return not rewriting.draws(node) and changes_nothing(node)


def _shared_noise(
    one: Expression, other: Expression, drawn: Drawn
) -> tuple[Expression, Expression, Expression] | None:
    """Return noise that is added on both sides, and what it is added to on each."""
    for noise, left in _sums(one, drawn):
        for same, right in _sums(other, drawn):
            computed = _only_computes(left) and _only_computes(right)
            if computed and _is_same_noise(noise, same):
                return same, left, right
    return None


def _sums(node: Expression, drawn: Drawn) -> Iterator[tuple[Expression, Expression]]:
    """Yield the ways to take an expression as noise and what it is added to; alone, to 0."""
    if isinstance(node, Call) and node.function == "operator.add" and len(node.arguments) == 2:
        left, right = node.arguments
        for noise, rest in ((right, left), (left, right)):
            if _is_noise(noise, drawn):
                yield noise, rest
    elif _is_noise(node, drawn):
        yield node, Constant(node.place, 0)


def _is_noise(node: Expression, drawn: Drawn) -> bool:
    return isinstance(node, Draw) or (isinstance(node, Name) and node.id in drawn)


def _is_same_noise(one: Expression, other: Expression) -> bool:
    """Return whether two draws have one law and stream, or two names are that of one draw."""
    if isinstance(one, Name) or isinstance(other, Name):
        return rewriting.same(one, other)
    assert isinstance(one, Draw)
    assert isinstance(other, Draw)
    if one.family != other.family or not rewriting.same(one.arguments, other.arguments):
        return False
    quiet = all(rewriting.is_quiet(value) for _, value in one.arguments)
    streams = one.generator, other.generator
    made = [each.origin for each in streams if isinstance(each, Generator)]
    if made:
        alike = len(made) == 2 and made[0] == made[1]
        return alike and quiet and made[0] in ("argument", "global", "fresh")
    return quiet and all(map(rewriting.is_quiet, streams)) and rewriting.same(*streams)
