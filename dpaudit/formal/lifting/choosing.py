"""Draws in proportion to exponentials become the largest of the exponents with Gumbel noise.

``rng.choice(n, p=w / sum(w))`` with ``w = exp(e)`` returns i with a probability in proportion to
e^(e_i). So does the index of the largest of ``e + G`` with independent Gumbel draws G of scale 1
(Gumbel 1954; Durfee and Rogers 2019, Lemma 4.2), and a constant added to all e changes nothing.

That holds of floats too where the largest e is taken off before: else powers may be infinite, or
all 0, in one run alone. So what takes nothing off stays what it is, and its floats are judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.named_noise import as_number
from dpaudit.formal.lifting.rewriting import call
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
    Evaluate,
    Expression,
    For,
    Name,
    Raise,
    Starred,
    Statement,
    Subscript,
    Update,
    walk,
)
from dpaudit.formal.program import Sequence as Display

Block = tuple[Statement, ...]
_WRAPPED = ("numpy.array", "numpy.asarray", "builtins.list", "method.tolist")
_SUMS = ("builtins.sum", "numpy.sum", "method.sum", "math.fsum")
_KEEPING_SIGN_WORDS = """
builtins.float builtins.int builtins.len math.sqrt numpy.float64 numpy.sqrt operator.add
operator.mul operator.pow operator.truediv
"""
_KEEPING_SIGN = frozenset(_KEEPING_SIGN_WORDS.split())
_MOST = (
    "builtins.max", "numpy.max", "method.max", "scipy.special.logsumexp",
)  # fmt: skip


def chosen(body: Block, parameters: Sequence[str], defaults: Mapping[str, Constant]) -> Block:
    """Return a body without draws in proportion to exponentials.

    Parameters
    ----------
    body : tuple of Statement
    parameters : sequence of str
    defaults : dict of str to Constant
    """
    body = tuple(map(_single, body))
    if not any(_is_weighted(n) for s in body for n in rewriting.inner(s)):
        return body
    chooser = _Chooser(body, parameters, defaults)
    return _without(chooser.block(body), chooser.unread)


def _single(statement: Statement) -> Statement:
    """Return a statement in which ``choices(among)[0]`` is ``choice(among)``."""
    new = {}
    for node in rewriting.inner(statement):
        drawn = node.value if isinstance(node, Subscript) and _is_number(node.index, 0) else None
        if isinstance(drawn, Draw) and drawn.family == "choice":
            size = drawn.argument("size")
            if size is not None and _is_number(size, 1):
                rest = tuple((n, v) for n, v in drawn.arguments if n not in ("size", "replace"))
                new[id(node)] = replace(drawn, arguments=rest)
    return rewriting.exchanged(statement, dict(new)) if new else statement


def _is_number(node: Expression, value: int) -> bool:
    return isinstance(node, Constant) and type(node.value) is int and node.value == value


def _without(body: Block, names: set[str]) -> Block:
    """Return a block without assignments to variables that nothing but each other reads."""
    while names:
        rest = tuple(s for s in body if not any(_stores_only(s, name) for name in names))
        left = names - set(rewriting.reads(*rest))
        if left == names:
            return rest
        names = left
    return body


def _stores_only(statement: Statement, name: str) -> bool:
    if not isinstance(statement, Assign | Update) or not isinstance(statement.target, Name):
        return False
    return statement.target.id == name and _is_steady(statement.value)


def _is_weighted(node: Any) -> bool:
    return isinstance(node, Draw) and node.family == "choice" and node.argument("p") is not None


class _Chooser:
    def __init__(
        self, body: Block, parameters: Sequence[str], defaults: Mapping[str, Constant]
    ) -> None:
        self.unread: set[str] = set()  # variables that led to weights
        self.defaults = defaults
        self.body = body
        self.parameters = parameters
        self.stored = rewriting.stores(*body)

    def block(self, statements: Block) -> Block:
        """Return a block with the draws in it rewritten, those of blocks inside too."""
        changed = list(statements)
        for at, statement in enumerate(statements):
            changed[at] = rewriting.with_blocks(changed[at], self.block)
            value = rewriting.value_of(statement)
            if value is None:
                continue
            known = self.known(statements[:at])
            new = {}
            for node in _reached(value):
                found = self.drawn(node, known)
                if found is not None:
                    new[id(node)] = found
                    break
            if new:
                changed[at] = rewriting.exchanged(statement, dict(new))
        return tuple(changed)

    def known(self, before: Block) -> dict[str, Expression]:
        """Return what variables hold, where that is still what it was."""
        held: dict[str, Expression] = {}
        for statement in before:
            if isinstance(statement, Branch) and all(isinstance(s, Raise) for s in statement.yes):
                continue
            if isinstance(statement, Update) and isinstance(statement.target, Name):
                name = statement.target.id
                if name in held and _is_share(statement, held[name], held):
                    held = {n: v for n, v in held.items() if not rewriting.reads(v)[name]}
                    continue
            if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
                held = {}  # arrays may have changed in place, under any of their names
                continue
            if not changes_nothing(statement.value):
                held = {}
            name, value = statement.target.id, statement.value
            if name in held:  # p = p / sum(p), or total = sum(p); p = p / total
                old = {name: held[name]}
                value = rewriting.filled(value, old)
                held = {n: rewriting.filled(v, old) for n, v in held.items() if n != name}
            held = {n: v for n, v in held.items() if n != name and not rewriting.reads(v)[name]}
            if not rewriting.draws(value) and not rewriting.reads(value)[name]:
                held[name] = value
        return held

    def drawn(self, node: Any, known: dict[str, Expression]) -> Expression | None:
        """Return the choice, None where a node is none that is understood."""
        draw = node
        if not isinstance(draw, Draw) or not _is_weighted(draw):
            return None
        numbers = (n for n, v in self.defaults.items() if isinstance(v.value, int | float))
        known = {n: self.defaults[n] for n in numbers if not self.stored[n]} | known
        given = dict(draw.arguments)
        size = given.get("size")
        none = size is None or (isinstance(size, Constant) and size.value is None)
        if not none or set(given) - {"a", "p", "size", "replace"}:
            return None
        exponent = self.exponent(given["p"], known)
        among = given.get("a")
        if exponent is None or among is None or not _is_steady(exponent):
            return None
        self.unread |= _led(given["p"], self.body)
        place = draw.place
        count = self.is_count(among, known)
        if count is None and not isinstance(among, Name):
            return None
        if isinstance(exponent, Comprehension | Display):
            of_floats = (("dtype", Constant(place, float)),)  # whatever types records tell
            exponent = replace(call(place, "numpy.array", exponent), keywords=of_floats)
        noise = Draw(
            place, "gumbel", (("size", call(place, "builtins.len", exponent)),), draw.generator
        )
        total = call(place, "operator.add", exponent, noise)
        index = call(place, "builtins.int", call(place, "numpy.argmax", total))
        if count and isinstance(among, Constant):
            return index
        # A number of candidates that is not that of the weights is an error: it must be public.
        items = call(place, "builtins.list", call(place, "builtins.range", among))
        if count is not None:
            return Subscript(place, items if count else among, index)
        is_number = call(place, "builtins.isinstance", among, Constant(place, int))
        of_either = (Subscript(place, items, index), Subscript(place, among, index))
        return Choice(place, is_number, *of_either)  # which calls of the function may tell

    def is_count(self, among: Expression, known: dict[str, Expression]) -> bool | None:
        """Return whether the candidates are 0, 1, ..., given by their number; None if unknown."""
        if isinstance(among, Constant):
            if type(among.value) is int:
                return True
            line = isinstance(among.value, np.ndarray) and among.value.ndim == 1
            return False if line or isinstance(among.value, list | tuple | str) else None
        if isinstance(among, Display):
            return False
        if isinstance(among, Attribute):
            return True if among.name == "size" else None
        if isinstance(among, Call):
            if among.function in ("builtins.len", "builtins.int"):
                return True
            listing = (
                "builtins.list",
                "numpy.array",
                "numpy.arange",
                "builtins.range",
                "builtins.sorted",
            )
            return False if among.function in listing else None
        if isinstance(among, Name):
            if among.id in known:
                return self.is_count(known[among.id], known)
            if among.id in self.defaults and not self.stored[among.id]:
                return self.is_count(self.defaults[among.id], known)
            return False if self.is_iterated(among.id) else None
        return None

    def is_iterated(self, name: str) -> bool:
        """Return whether a variable is gone through, or its length is taken."""
        if self.stored[name] > (name not in self.parameters):
            return False
        for statement in self.body:
            for part in rewriting.inner(statement):
                listed = []
                if isinstance(part, Comprehension):
                    listed = [iterable for _, iterable, _ in part.clauses[:1]]
                elif isinstance(part, For):
                    listed = [part.iterable]
                elif isinstance(part, Call) and part.function == "builtins.len":
                    listed = list(part.arguments)
                for one in listed:
                    if isinstance(one, Call) and one.function == "builtins.enumerate":
                        one = one.arguments[0]
                    if isinstance(one, Name) and one.id == name:
                        return True
        return False

    # --- weights

    def exponent(self, weights: Expression, known: dict[str, Expression]) -> Expression | None:
        """Return e where weights are in proportion to exp(e)."""
        weights = _filled(weights, known)
        if isinstance(weights, Call) and not weights.keywords:
            name, arguments = weights.function, weights.arguments
            if name in _WRAPPED and len(arguments) == 1:
                return self.exponent(arguments[0], known)
            share = name in ("operator.truediv", "numpy.divide") and len(arguments) == 2
            if share and _is_total(arguments[1], arguments[0], known):
                return self.exponent(arguments[0], known)
            if name == "scipy.special.softmax" and len(arguments) == 1:
                return _unshifted(arguments[0], known)
            if name == "numpy.exp" and len(arguments) == 1:
                inner = _unshifted(arguments[0], known)
                held = _filled(arguments[0], known)
                return None if inner in (held, arguments[0]) else inner
        if (
            isinstance(weights, Comprehension)
            and weights.kind == "list"
            and len(weights.clauses) == 1
        ):
            return self.listed(weights, known)
        return None

    def listed(self, weights: Comprehension, known: dict[str, Expression]) -> Expression | None:
        (target, items, conditions) = weights.clauses[0]
        element = weights.element
        if conditions:
            return None
        if isinstance(element, Call) and not element.keywords:
            if element.function in ("math.exp", "numpy.exp") and len(element.arguments) == 1:

                def is_shift(score: Expression, shift: Expression) -> bool:
                    steady = not set(rewriting.reads(target)) & set(rewriting.reads(shift))
                    own = isinstance(items, Name) and rewriting.same(score, target)
                    return steady and own and _is_most(shift, items, known)

                inner = _shift_free(element.arguments[0], {}, is_shift)
                return None if inner is None else replace(weights, element=inner)
            if element.function == "operator.truediv":
                top, bottom = element.arguments
                if rewriting.same(top, target) and _is_total(bottom, items, known):
                    return self.exponent(items, known)
        return None


def _reached(node: Expression) -> Iterator[Expression]:
    """Yield the parts that are evaluated once whenever the expression is."""
    from dpaudit.formal.lifting.lowering import operands

    yield node
    for child in operands(node):
        yield from _reached(child)


def _filled(node: Expression, known: dict[str, Expression]) -> Expression:
    """Return what a variable holds."""
    for _ in range(8):
        if not isinstance(node, Name) or node.id not in known:
            break
        node = known[node.id]
    return node


def _led(node: Expression, body: Block) -> set[str]:
    """Return the variables that an expression is computed from, as far as a block assigns them."""
    found: set[str] = set()
    waiting = list(rewriting.reads(node))
    while waiting:
        name = waiting.pop()
        if name not in found:
            own = [s for s in body if _stores_only(s, name)]
            found |= {name} if own else set()
            waiting += [n for s in own for n in rewriting.reads(s) if n not in found]
    return found


def _wholly(node: Expression, known: dict[str, Expression]) -> Any:
    """Return the text of an expression with all variables replaced by what they hold."""
    for _ in range(8):
        values = {n: known[n] for n in rewriting.reads(node) if n in known}
        if not values:
            break
        node = rewriting.filled(node, values)
    return rewriting.text(node)


def _is_total(total: Expression, weights: Expression, known: dict[str, Expression]) -> bool:
    """Return whether a number is the sum of weights, which are positive."""
    total = _filled(total, known)
    if not isinstance(total, Call):
        return False
    keywords = dict(total.keywords)
    if total.function == "numpy.linalg.norm":
        order = keywords.get("ord") or (total.arguments[1] if len(total.arguments) == 2 else None)
        one = isinstance(order, Constant) and order.value == 1
        plain = one and len(keywords) + len(total.arguments) == 2
    else:
        plain = total.function in _SUMS and not keywords and len(total.arguments) == 1
    return plain and _bare(total.arguments[0], known) == _bare(weights, known)


def _bare(node: Expression, known: dict[str, Expression]) -> Any:
    """Return the text of an expression without conversions to an array or list around it."""
    node = _filled(node, known)
    while isinstance(node, Call) and node.function in _WRAPPED and len(node.arguments) == 1:
        node = _filled(node.arguments[0], known)
    return _wholly(node, known)


def _is_most(shift: Expression, scores: Expression, known: dict[str, Expression]) -> bool:
    """Return whether a number is the largest of scores, or the logarithm of their sum of powers."""
    shift = _filled(shift, known)
    if not isinstance(shift, Call) or shift.function not in _MOST or shift.keywords:
        return False
    if len(shift.arguments) != 1:
        return False
    return bool(_bare(shift.arguments[0], known) == _bare(scores, known))


def _unshifted(exponent: Expression, known: dict[str, Expression]) -> Expression:
    """Return an exponent without the largest of it taken off."""
    held = _filled(exponent, known)
    found = _shift_free(held, known, lambda left, right: _is_most(right, left, known))
    if found is not None:
        return _unshifted(found, known)
    return held if isinstance(held, Call) and rewriting.is_quiet(held) else exponent


def _shift_free(
    node: Expression,
    known: dict[str, Expression],
    is_shift: Callable[[Expression, Expression], bool],
) -> Expression | None:
    """Return what differs from exponents by the same number everywhere, None if none is taken."""
    node = _filled(node, known)
    if not isinstance(node, Call) or node.keywords or len(node.arguments) != 2:
        return None
    left, right = node.arguments
    if node.function in ("operator.sub", "numpy.subtract") and is_shift(left, right):
        return left
    if node.function not in ("operator.mul", "operator.truediv"):
        return None
    found = _shift_free(left, known, is_shift) if _is_positive(right, known) else None
    if found is not None:
        return replace(node, arguments=(found, _factor(right)))
    after = node.function == "operator.mul" and _is_positive(left, known)
    found = _shift_free(right, known, is_shift) if after else None
    return None if found is None else replace(node, arguments=(_factor(left), found))


def _factor(node: Expression) -> Expression:
    """Return a factor that is one number, and that the float analysis refuses where it is negative.

    With a negative one the greatest exponent is that of the least, and was not taken off.
    """
    number = as_number(node)
    known = isinstance(number, Constant)
    return number if known else rewriting.call(node.place, "operator.pos", number)


def _is_positive(factor: Expression, known: dict[str, Expression]) -> bool:
    """Return whether no negative number is seen in a factor; what a parameter is nobody knows."""
    factor = _filled(factor, known)
    if isinstance(factor, Constant):
        return isinstance(factor.value, int | float) and factor.value > 0
    if isinstance(factor, Call):
        return (
            factor.function in _KEEPING_SIGN
            and not factor.keywords
            and all(_is_positive(value, known) for value in factor.arguments)
        )
    return isinstance(factor, Name | Attribute)


def _is_share(update: Update, held: Expression, known: dict[str, Expression]) -> bool:
    """Return whether ``w /= sum(w)``, which changes no choice, of an array that was just made."""
    made = isinstance(held, Comprehension) or (
        isinstance(held, Call) and held.function in ("numpy.exp", "operator.truediv")
    )
    share = made and update.function == "operator.itruediv" and isinstance(update.target, Name)
    return share and _is_total(update.value, update.target, known)


def _is_steady(node: Expression) -> bool:
    """Return whether an expression draws nothing and may be evaluated again."""
    kept = (Starred, Update, Evaluate)
    return not rewriting.draws(node) and not any(
        isinstance(n, kept) or (isinstance(n, Assign) and not isinstance(n.target, Name))
        for n in walk(node)
    )
