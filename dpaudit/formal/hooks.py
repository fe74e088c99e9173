"""What a prover adds to the walk through a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.formal import program as ir
from dpaudit.formal.domain import Foreign, Known, Value
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Flow, Walk


class Hooks:
    """What a prover adds to the walk; as it stands, draws are refused.

    Attributes
    ----------
    with_floats : bool
        Whether its proofs count only together with an analysis of floats.
    """

    with_floats: ClassVar[bool] = False

    def draw(self, node: ir.Draw, arguments: dict[str, Value], walk: Walk) -> Value:
        """Return the value of a draw of noise."""
        raise Unsupported(f"a draw of {node.family} noise", node.place)

    def call(self, call: Any) -> Value | None:
        """Return the value of a call (`calls.Application`) with a foreign value in it, or None."""
        return None

    def truth(self, value: Foreign, place: Place, walk: Walk) -> bool:
        """Return the outcome of a test on a foreign value: `walk.decide(...)` after paying."""
        raise Unsupported("a test on a noisy value", place)

    def iterate(self, value: Foreign, place: Place, walk: Walk) -> list[Value]:
        """Return the items of a foreign value that is iterated over."""
        raise Unsupported("iteration over a noisy value", place)

    def subscript(self, value: Value, index: Value, place: Place, walk: Walk) -> Value | None:
        """Return ``value[index]`` where either is foreign."""
        return None

    def attribute(self, value: Foreign, name: str, place: Place, walk: Walk) -> Value | None:
        """Return ``value.name``."""
        return None

    def store(self, value: Value, index: Value, new: Value, place: Place) -> Value | None:
        """Return what ``value`` is after ``value[index] = new`` where one of them is foreign."""
        return None

    def join(self, left: Value, right: Value, place: Place) -> Value | None:
        """Return what stands for either, one of them foreign, after a private test."""
        return None

    def private_test(self, test: Value, node: ir.Node, walk: Walk) -> None:
        """Refuse or report a test on a private value; both branches follow."""

    def sampled(self, node: ir.While, walk: Walk) -> Flow | None:
        """Return how a loop ends that draws until a coin says so; None for any other loop."""
        return None

    def generator(self, node: ir.Generator, walk: Walk) -> Value:
        """Return the value of a source of randomness."""
        return Known(node)
