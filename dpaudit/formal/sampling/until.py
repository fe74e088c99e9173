"""Noise that a sampling loop returns, or adds to what it returns."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.domain import Known, Number
from dpaudit.formal.evaluate import check_eager
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import Noise
from dpaudit.formal.program import Place
from dpaudit.formal.sampling.laws import Law
from dpaudit.formal.sampling.rejection import Round, assigned
from dpaudit.formal.sampling.values import Held, Signed, Swung
from dpaudit.formal.trail import Step
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Flow, Walk

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger

_PYTHON = frozenset({"builtins", "operator", "math", "fractions", "method"})
_CHANGES_NOTHING = frozenset(
    {
        *(f"operator.{n}" for n in ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow")),
        *("operator.neg", "builtins.int", "builtins.abs", "fractions.Fraction", "math.isqrt"),
    }
)


def returned(ledger: Ledger, node: ir.While, walk: Walk) -> Flow | None:
    """Return how a loop ends that draws whole numbers until a coin says so.

    None where it is another loop. What the loop returns is noise, or an expression with noise in
    the place of the variable that holds the number which was drawn last: the loop itself reads
    only what is public, and what stands after ``return`` is evaluated once.

    Raises
    ------
    Unsupported
        Where it draws whole numbers, and their law is not known.
    """
    endless = isinstance(node.test, ir.Constant) and node.test.value is True
    if not endless or not _draws(node):
        return None
    if walk.private:
        what = "whether noise is drawn depends on private data"
        raise Unpaid("DPA108", what, walk.private[-1][1], node.place)
    _check_python_integers(walk.program, node.place)
    variables = walk.frames[-1].variables
    own = assigned(node.body)
    for name in own:
        variables.pop(name, None)  # a round reads nothing of the one before
    one = Round(walk, own, partial(_law_sampled, ledger, walk, own))
    last = one.value_returned(node.body)
    if isinstance(last.value, ir.Name | ir.Choice) and not _is_outer(last.value, one):
        value = one.value(last.value)
        return Flow("return", _noise(ledger, one.law_of(value, last.place), node, walk), last.place)
    noises: dict[Held, Noise] = {}
    for name, held in one.held.items():
        if isinstance(held, Signed | Swung):
            if held not in noises:
                noises[held] = _noise(ledger, one.law_of(held, last.place), node, walk)
            variables[name] = noises[held]
    _check_set(last.value, own, walk)
    check_eager(last.value)
    return Flow("return", walk.evaluate(last.value), last.place)


def _check_python_integers(program: ir.Program, place: Place) -> None:
    """Refuse a program in which a known number may be an integer of NumPy, which overflows.

    Its draws are the only ones of NumPy's: it holds no array, and calls nothing of NumPy.
    """
    entry = ir.walk(program.entry)
    for part in (*entry, *program.fixed.values()):
        if isinstance(part, ir.Constant) and not _is_python(part.value):
            raise Unsupported("a sampling loop in a program with numbers of NumPy", place)
        if isinstance(part, ir.Call) and not isinstance(part.function, ir.Function):
            name = part.function if isinstance(part.function, str) else "numpy"
            own = name.startswith("recursion:")
            if name.partition(".")[0] not in _PYTHON and not own:
                raise Unsupported("a sampling loop in a program that calls NumPy", place)


def _is_python(value: Any) -> bool:
    if type(value) is Fraction:
        return type(value.numerator) is type(value.denominator) is int
    if type(value) in (tuple, list):
        return all(map(_is_python, value))
    return value is None or type(value) in (bool, int, float, str)


def _is_outer(node: ir.Expression, one: Round) -> bool:
    return isinstance(node, ir.Name) and node.id not in one.own


def _draws(node: ir.Node) -> bool:
    return any(isinstance(n, ir.Draw) and n.family == "integers" for n in ir.walk(node))


def _noise(ledger: Ledger, law: Law, node: ir.While, walk: Walk) -> Noise:
    family: str | None = None
    if law.support == "integers" and law.bend == 0 and law.slope < 0:
        family, scale = "two-sided", sympy.exp(_exact(law.slope))
        says = f"discrete Laplace noise, of weights exp({law.slope}*Abs(x))"
    elif law.support == "integers" and law.slope == 0 and law.bend < 0:
        family, scale = "discrete-normal", -1 / (2 * _exact(law.bend))
        says = f"discrete Gaussian noise, of weights exp({law.bend}*x**2)"
    if family is None:
        raise Unsupported("a sampling loop that returns noise of another law", node.place)
    ledger.count += 1
    ledger.laws[ledger.count] = law
    walk.steps.append(Step("rejection sampling", node.place, says))
    return Noise((ledger.count,), family, scale, None, node.place)


def _exact(value: object) -> sympy.Rational:
    return sympy.Rational(str(value))


def _law_sampled(ledger: Ledger, walk: Walk, own: frozenset[str], node: ir.Call) -> Law:
    """Return the law of what a sampler returns that is called in a loop.

    It must end with a sampling loop that returns a drawn number and nothing else, so that this
    number is one of Python's own; and nothing that it is given changes from round to round, so
    that it has the same law in each.
    """
    function = node.function
    assert isinstance(function, ir.Function)
    loop = function.body[-1]
    plain = isinstance(loop, ir.While) and not any(map(_values_returned, function.body[:-1]))
    if not plain or not all(isinstance(v, ir.Name | ir.Choice) for v in _values_returned(loop)):
        raise Unsupported("a call in a sampling loop that is not understood", node.place)
    _check_set(node, own, walk)
    _check_unchanging(node, walk)
    before = _so_far(ledger, walk)
    value = walk.evaluate(node)
    law = ledger.laws.get(value.draw[0]) if isinstance(value, Noise) else None
    if law is None or before != _so_far(ledger, walk):
        raise Unsupported("a call in a sampling loop that is not understood", node.place)
    return law


def _check_unchanging(node: ir.Call, walk: Walk) -> None:
    """Refuse arguments that may be others in the next round: lists, and what changes them."""
    for argument in (*node.arguments, *(value for _, value in node.keywords)):
        kept = all(map(_changes_nothing, ir.walk(argument)))
        if not kept or not _is_unchanging(walk.evaluate(argument)):
            what = "an argument that may be another in each round of a sampling loop"
            raise Unsupported(what, argument.place)


def _changes_nothing(node: ir.Node) -> bool:
    if isinstance(node, ir.Call):
        return isinstance(node.function, str) and node.function in _CHANGES_NOTHING
    return isinstance(node, ir.Name | ir.Constant | ir.Generator | ir.Attribute)


def _is_unchanging(value: Any) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, ir.Generator) or _is_number(value.value)
    return isinstance(value, Number)


def _is_number(value: Any) -> bool:
    return type(value) is not list and type(value) is not tuple and _is_python(value)


def _values_returned(node: ir.Node) -> list[ir.Expression]:
    return [n.value for n in _own(node) if isinstance(n, ir.Return)]


def _check_set(node: ir.Node, own: frozenset[str], walk: Walk) -> None:
    """Refuse what the loop assigns, and has no known value where it is read."""
    for name in _own(node):
        unset = isinstance(name, ir.Name) and name.id not in walk.frames[-1].variables
        if isinstance(name, ir.Name) and unset and name.id in own:
            raise Unsupported(f"`{name.id}` after a sampling loop", name.place)


def _own(node: ir.Node) -> list[ir.Node]:
    below = [n for c in ir.children(node) if not isinstance(c, ir.Function) for n in _own(c)]
    return [node, *below]


def _so_far(ledger: Ledger, walk: Walk) -> tuple[object, ...]:
    """Return what a call must leave as it is: it decides, shows and pays for nothing."""
    counts = len(walk.decisions), len(walk.hazards), len(walk.conditions), len(ledger.releases)
    return *counts, dict(ledger.used)
