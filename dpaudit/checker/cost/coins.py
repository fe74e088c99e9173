"""Whether a function of a program is a coin: True with chance e^(-n/d).

The function is written out in one line, with its variables by the order in which they come up, and
must read like one of the lines below, for which the chance is proved:

    while n > d: { unless itself(c, c): return False;  n -= d }
    k = 1;  while uniform{0, ..., kd - 1} < n: k += 1;  return k is odd

Let g = n/d. For g <= 1 the second loop is left with k > j with chance (g/1)(g/2)...(g/j) = g^j/j!,
and k is odd with chance 1 - g + g²/2! - g³/3! + ... = e^-g. So itself(c, c) is True with chance
1/e, without a further call of itself, and each round of the first loop takes 1 off g and is passed
with that chance. (J. von Neumann 1951; Canonne, Kamath & Steinke 2020, Algorithm 1.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Coin:
    """The names of n, d and the generator among the parameters, which are all."""

    above: str
    below: str
    generator: str


_ABOVE = ("(n operator.gt d)", "(d operator.lt n)")
_AMONG = ("(k operator.mul d)", "(d operator.mul k)")
_ODD = ("((k operator.mod 2) operator.eq 1)", "((k operator.mod 2) operator.ne 0)")
_OPERATORS = frozenset(
    f"operator.{name}" for name in ("gt", "lt", "mul", "mod", "eq", "ne", "not_", "iadd", "isub")
)
_LINES = frozenset(
    f"while {above}{{if (operator.not_ itself(c,c,g)){{return False}}{{}};n operator.isub d;}};"
    f"k=1;while (g.integers[low={among}] operator.lt n){{k operator.iadd 1;}};return {odd};"
    for above, among, odd in product(_ABOVE, _AMONG, _ODD)
)


def coin_of(function: Node) -> Coin | None:
    """Return the parameters of a function that is a coin, None for any other."""
    names = list(function["parameters"])
    if len(names) != 3 or len(set(names)) != 3 or function["starred"] is not None:
        return None
    for n, d, g in ((a, b, c) for a in names for b in names for c in names):
        if len({n, d, g}) == 3:
            writer = _Writer(function["name"], {n: "n", d: "d", g: "g"})
            try:
                line = writer.block(function["body"])
            except (_OtherError, KeyError, TypeError, ValueError):
                continue
            if line in _LINES:
                return Coin(n, d, g)
    return None


class _OtherError(Exception):
    """The function holds what no coin does."""


@dataclass(slots=True)
class _Writer:
    own: str
    names: dict[str, str]

    def block(self, statements: list[Node]) -> str:
        """Write statements, those left out that do nothing."""
        return "".join(
            f"{self._statement(node)};"
            for node in statements
            if not (node["kind"] == "Evaluate" and node["value"]["kind"] == "Constant")
        )

    def _statement(self, node: Node) -> str:
        match node["kind"]:
            case "While" if not node["otherwise"]:
                return f"while {self._value(node['test'])}{{{self.block(node['body'])}}}"
            case "Branch" if not node["no"] and len(node["yes"]) == 1:
                return f"if {self._value(node['test'])}{{{self._statement(node['yes'][0])}}}{{}}"
            case "Assign":
                return f"{self._name(node['target'], new=True)}={self._value(node['value'])}"
            case "Update" if node["function"] in _OPERATORS:
                return (
                    f"{self._name(node['target'])} {node['function']} {self._value(node['value'])}"
                )
            case "Return":
                return f"return {self._value(node['value'])}"
        raise _OtherError

    def _name(self, node: Node, *, new: bool = False) -> str:
        if node["kind"] != "Name":
            raise _OtherError
        if new and node["id"] not in self.names and "k" not in self.names.values():
            self.names[node["id"]] = "k"
        return self.names[node["id"]]

    def _value(self, node: Node) -> str:
        match node["kind"]:
            case "Name":
                return self._name(node)
            case "Constant":
                return self._constant(node["value"])
            case "Draw" if node["family"] == "integers" and len(node["arguments"]) == 1:
                ((name, inside),) = node["arguments"]
                if name == "low":
                    return f"{self._value(node['generator'])}.integers[low={self._value(inside)}]"
            case "Call" if isinstance(node["function"], str) and not node["keywords"]:
                return self._call(node["function"], node["arguments"])
        raise _OtherError

    def _constant(self, value: Any) -> str:
        if value is False:
            return "False"
        return str(int(value["int"]))

    def _call(self, function: str, arguments: list[Node]) -> str:
        if function == f"recursion:{self.own}":
            one, other, generator = arguments
            counts = [int(c["value"]["int"]) for c in (one, other) if c["kind"] == "Constant"]
            if len(counts) == 2 and counts[0] == counts[1] >= 1:
                return f"itself(c,c,{self._value(generator)})"
            raise _OtherError
        if function not in _OPERATORS:
            raise _OtherError
        if len(arguments) == 1:
            return f"({function} {self._value(arguments[0])})"
        left, right = map(self._value, arguments)
        return f"({left} {function} {right})"
