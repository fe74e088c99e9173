"""Claims and relations of the programs that draw as people write it, and of their twins."""

from collections.abc import Callable

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
)

ONE = PureDP(1.0)
TWO = PureDP(2.0)
ADP = ApproxDP(1.0, 1e-5)
V = AddRemove(Real(0, 100))
CAT = AddRemove(Categorical(["a", "b", "c"]))
BIT = AnyPair(Integer(0, 1))
BITS = ReplaceOne(Integer(0, 1), size=4)
YN = AnyPair(Categorical(["yes", "no"]))
COL = AnyPair(Categorical(["red", "green", "blue", "yellow"]))
K4 = AnyPair(Integer(0, 3))
K5 = AnyPair(Integer(0, 4))
Q3 = QueryAnswers(3)
Q5 = QueryAnswers(5)
Cases = list[tuple[Callable, object, object]]


def noting(cases):
    """Return what notes a mechanism with what it claims."""

    def case(claim, neighbors):
        def noted(function):
            cases.append((function, claim, neighbors))
            return function

        return noted

    return case
