"""Functions that are coins: True with chance e^(-n/d), from uniform whole numbers alone.

Statement. For whole n >= 0 and d >= 1 let a function run

    while n > d:
        if not itself(c, c): return False
        n -= d
    k = 1
    while uniform{0, ..., kd - 1} < n: k += 1
    return k is odd

It returns True with chance e^(-n/d).

Proof. For n <= d the first loop is passed over. Of kd numbers n are below n, as n <= d <= kd, so
that k is beyond j with chance g^j / j!, g = n/d, and odd with chance
sum over even j of (g^j / j! - g^(j + 1) / (j + 1)!) = e^(-g). So itself(c, c), for a c >= 1, is a
coin of chance 1/e; where n > d each round of the first loop is passed with that chance and takes 1
off n/d, and the rounds and the rest are independent: e^(-m) e^(-(n/d - m)). With `>=` for `>` the
call itself(c, c) would never end.

References
----------
J. von Neumann 1951. C. Canonne, G. Kamath, T. Steinke 2020, Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.formal import program as ir
from dpaudit.formal.lifting.functions import itself

_MIRRORED = {"operator.lt": "operator.gt", "operator.gt": "operator.lt"}


@dataclass(frozen=True, slots=True)
class Coin:
    """Which parameters of a function are n, d and the generator."""

    numerator: str
    denominator: str
    generator: str


def coin_of(function: ir.Function) -> Coin | None:
    """Return the parameters of a function that is a coin of chance e^(-n/d), None for others."""
    match [s for s in function.body if not _says_nothing(s)]:
        case [
            ir.While(test=more, body=taken, otherwise=()),
            ir.Assign(target=ir.Name(id=k), value=first),
            ir.While(test=goes_on, body=(counted,), otherwise=()),
            ir.Return(value=last),
        ]:
            found = _compared(more, "operator.gt")
        case _:
            return None
    if found is None or function.starred is not None:
        return None
    n, d = found
    generators = set(function.parameters) - {n, d}
    if len({n, d, k, *generators}) != 4 or len(function.parameters) != 3:
        return None
    (rng,) = generators
    whole = (
        _is_taken(taken, function.name, n, d, rng)
        and _is(first, 1)
        and _goes_on(goes_on, k, n, d, rng)
        and _is_update(counted, "operator.iadd", k, 1)
        and _is_odd(last, k)
    )
    return Coin(n, d, rng) if whole else None


def _says_nothing(node: ir.Statement) -> bool:
    return isinstance(node, ir.Evaluate) and isinstance(node.value, ir.Constant)


def _is(node: ir.Expression, value: int) -> bool:
    return isinstance(node, ir.Constant) and type(node.value) is int and node.value == value


def _compared(node: ir.Expression, name: str) -> tuple[str, str] | None:
    """Return the names on both sides of a comparison, written either way round."""
    match node:
        case ir.Call(function=str(made), arguments=(ir.Name(id=a), ir.Name(id=b)), keywords=()):
            if made == name:
                return a, b
            return (b, a) if made == _MIRRORED[name] else None
    return None


def _is_update(node: ir.Statement, function: str, name: str, by: int | str) -> bool:
    if not isinstance(node, ir.Update) or node.function != function:
        return False
    if not isinstance(node.target, ir.Name) or node.target.id != name:
        return False
    value = node.value
    return _is(value, by) if isinstance(by, int) else isinstance(value, ir.Name) and value.id == by


def _is_taken(body: tuple[ir.Statement, ...], own: str, n: str, d: str, rng: str) -> bool:
    """Whether a round is: leave with False unless the coin of chance 1/e is True, take d off n."""
    match body:
        case (
            ir.Branch(
                test=ir.Call(
                    function="operator.not_",
                    arguments=(
                        ir.Call(
                            function=str(name),
                            arguments=(ir.Constant(value=c), ir.Constant(value=e), ir.Name(id=g)),
                            keywords=(),
                        ),
                    ),
                ),
                yes=(ir.Return(value=ir.Constant(value=False)),),
                no=(),
            ),
            less,
        ):
            same = type(c) is type(e) is int and c == e >= 1 and g == rng and name == itself(own)
            return same and _is_update(less, "operator.isub", n, d)
    return False


def _goes_on(node: ir.Expression, k: str, n: str, d: str, rng: str) -> bool:
    """Whether a test is that one of kd numbers is below n."""
    match node:
        case ir.Call(
            function="operator.lt",
            arguments=(
                ir.Draw(
                    family="integers",
                    arguments=(
                        (
                            "low",
                            ir.Call(
                                function="operator.mul",
                                arguments=(ir.Name(id=one), ir.Name(id=other)),
                                keywords=(),
                            ),
                        ),
                    ),
                    generator=ir.Name(id=g),
                ),
                ir.Name(id=below),
            ),
            keywords=(),
        ):
            return {one, other} == {k, d} and below == n and g == rng
    return False


def _is_odd(node: ir.Expression, k: str) -> bool:
    match node:
        case ir.Call(
            function="operator.eq" | "operator.ne" as test,
            arguments=(
                ir.Call(function="operator.mod", arguments=(ir.Name(id=name), two), keywords=()),
                rest,
            ),
            keywords=(),
        ):
            return name == k and _is(two, 2) and _is(rest, 1 if test == "operator.eq" else 0)
    return False
