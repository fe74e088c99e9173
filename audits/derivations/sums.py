"""Sensitivities of sums: clipped on one side, on both, scaled, squared, of vectors."""

import numpy as np

from dpaudit import AddRemove, Audit, Derivation, Real, ReplaceOne

anybody = AddRemove(Real(100, 125, enforced=False))
one_other = ReplaceOne(Real(-10, 10), size=3)
anything = AddRemove(Real(-1_000_000, 1_000_000))


def clipped_sum(data: np.ndarray) -> float:
    """Return the sum of the records, each taken into [100, 125]."""
    return float(np.fmin(np.fmax(data, 100), 125).sum())


def capped_sum(data: np.ndarray) -> float:
    """Return the sum of the records, each at most 100."""
    return float(data.clip(max=100).sum())


clip = {"x": "real", "y": "real", "l": "real", "u": "real"}
clipped = ("Abs(Min(Max(x, l), u))", "<=", "Max(Abs(l), Abs(u))")
width = ("Abs(Min(Max(x, l), u))", "<=", "u - l")

range_for_sum = Audit(
    Derivation(clip, given=["l <= u"], steps=[width]),
    expect="DPA113",
    reason="clipped to [100, 125] one record adds up to 125, not 25",
)
range_for_sum_of_data = Audit(
    Derivation(
        clip,
        given=["l == 100", "u == 125"],
        query=clipped_sum,
        neighbors=anybody,
        cases={
            "add": [("u - l", "==", "25")],
            "remove": [("u - l", "==", "25")],
        },
    ),
    expect="DPA113",
    reason="25 is what the steps say, and the sum moves by up to 125",
)
clipped_sum_of_data = Audit(
    Derivation(
        clip,
        given=["l == 100", "u == 125"],
        query=clipped_sum,
        neighbors=anybody,
        cases={
            "add": [clipped, ("Max(Abs(l), Abs(u))", "==", "125")],
            "remove": [clipped, ("Max(Abs(l), Abs(u))", "==", "125")],
        },
    ),
    expect="VERIFIED",
    reason="max(|l|, |u|)",
)
one_sided_clip = Audit(
    Derivation(
        {"x": "real", "u": "positive"},
        query=capped_sum,
        neighbors=anything,
        cases={
            "add": [("Abs(Min(x, u))", "<=", "u")],
            "remove": [("Abs(Min(x, u))", "<=", "u")],
        },
    ),
    expect="DPA113",
    reason="nothing bounds a record from below: one row of -10⁶",
)
two_sided_clip = Audit(
    Derivation(
        {"x": "real", "l": "real", "u": "real"},
        given=["l <= u"],
        steps=[clipped],
    ),
    expect="VERIFIED",
)
replaced_as_added = Audit(
    Derivation(
        clip,
        given=["l <= u", "l <= x", "x <= u", "l <= y", "y <= u"],
        neighbors=one_other,
        cases={"replace": [("Abs(y - x)", "<=", "Max(Abs(l), Abs(u))")]},
    ),
    expect="DPA113",
    reason="a record that is replaced leaves and joins: from -10 to 10 the sum moves by 20",
)
replaced = Audit(
    Derivation(
        clip,
        given=["l <= u"],
        neighbors=one_other,
        cases={"replace": [("Abs(Min(Max(y, l), u) - Min(Max(x, l), u))", "<=", "u - l")]},
    ),
    expect="VERIFIED",
)
scaled_by_n = Audit(
    Derivation(
        {"n": "integer", "x": "real", "u": "positive"},
        given=["n >= 1", "Abs(x) <= u"],
        steps=[("Abs(n*x)", "==", "n*Abs(x)"), ("n*Abs(x)", "<=", "u")],
    ),
    expect="DPA113",
    reason="n·x moves by n·u",
)
scaled_by_its_factor = Audit(
    Derivation(
        {"n": "integer", "x": "real", "u": "positive"},
        given=["n >= 1", "Abs(x) <= u"],
        steps=[("Abs(n*x)", "==", "n*Abs(x)"), ("n*Abs(x)", "<=", "n*u")],
    ),
    expect="VERIFIED",
)
squared_as_given = Audit(
    Derivation(clip, given=["l <= x", "x <= u", "u >= 0"], steps=[("x**2", "<=", "u")]),
    expect="DPA113",
    reason="x² is at most u² (l² where larger)",
)
squared_by_upper_bound = Audit(
    Derivation(clip, given=["l <= x", "x <= u", "u >= 0"], steps=[("x**2", "<=", "u**2")]),
    expect="DPA113",
    reason="l² may be the larger",
)
squared = Audit(
    Derivation(clip, given=["l <= x", "x <= u"], steps=[("x**2", "<=", "Max(l**2, u**2)")]),
    expect="VERIFIED",
)

# Two gradients of L2 norm at most b; in the plane, since two vectors lie in one.
gradients = {"v": "real", "w": "real", "p": "real", "q": "real", "b": "positive"}
in_the_ball = ["v**2 + w**2 <= b**2", "p**2 + q**2 <= b**2"]
replaced_gradient_as_added = Audit(
    Derivation(
        gradients,
        given=in_the_ball,
        steps=[("sqrt((v - p)**2 + (w - q)**2)", "<=", "b")],
    ),
    expect="DPA113",
    reason="v and -v are 2b apart",
)
replaced_gradient = Audit(
    Derivation(
        gradients,
        given=in_the_ball,
        steps=[
            ("sqrt((v - p)**2 + (w - q)**2)", "<=", "sqrt(v**2 + w**2) + sqrt(p**2 + q**2)"),
            ("sqrt(v**2 + w**2) + sqrt(p**2 + q**2)", "<=", "2*b"),
        ],
    ),
    expect="VERIFIED",
)
added_gradient = Audit(
    Derivation(gradients, given=in_the_ball, steps=[("sqrt(v**2 + w**2)", "<=", "b")]),
    expect="VERIFIED",
)
