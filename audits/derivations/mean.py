"""The sensitivity of the mean, as it is taught and as it is."""

from dpaudit import AddRemove, Audit, Derivation, Real, ReplaceOne

anybody = AddRemove(Real(0, 10))
somebody_else = ReplaceOne(Real(0, 10), size=10)

# n records with sum s; x joins or leaves, y takes its place.
sizes = {"n": "integer", "s": "real", "x": "real", "u": "real"}
added = ("Abs((s + x)/(n + 1) - s/n)", "==", "Abs(n*x - s)/(n*(n + 1))")
removed = ("Abs((s - x)/(n - 1) - s/n)", "==", "Abs(n*x - s)/(n*(n - 1))")
joins = {"s": "s + x", "n": "n + 1"}
leaves = {"s": "s - x", "n": "n - 1"}

forgets_removal = Audit(
    Derivation(
        sizes,
        given=["n >= 2", "0 <= x", "x <= u", "0 <= s", "s <= n*u"],
        query="s/n",
        neighbors=anybody,
        cases={
            "add": [
                added,
                ("Abs(n*x - s)/(n*(n + 1))", "<=", "n*u/(n*(n + 1))"),
                ("n*u/(n*(n + 1))", "==", "u/(n + 1)"),
            ],
        },
        changes={"add": joins},
    ),
    expect="DPA113",
    reason="the three steps are true, and the fourth, for a record that leaves, is not there",
)
removal_as_addition = Audit(
    Derivation(
        sizes,
        given=["n >= 2", "0 <= x", "x <= u", "x <= s", "s <= x + (n - 1)*u"],
        query="s/n",
        neighbors=anybody,
        cases={
            "add": [added, ("Abs(n*x - s)/(n*(n + 1))", "<=", "u/(n + 1)")],
            "remove": [removed, ("Abs(n*x - s)/(n*(n - 1))", "<=", "u/(n + 1)")],
        },
        changes={"add": joins, "remove": leaves},
    ),
    expect="DPA113",
    reason="n = 2, data (0, 10): removing 0 moves the mean by 5 > 10/3",
)
negative_sum = Audit(
    Derivation(
        sizes,
        given=["n >= 1", "Abs(x) <= u", "Abs(s) <= n*u"],
        steps=[
            ("Abs((s + x)/(n + 1) - s/n)", "<=", "Abs((s + x)/(n + 1) - s/(n + 1))"),
            ("Abs((s + x)/(n + 1) - s/(n + 1))", "==", "Abs(x)/(n + 1)"),
            ("Abs(x)/(n + 1)", "<=", "u/(n + 1)"),
        ],
    ),
    expect="DPA113",
    reason="a greater denominator makes a negative mean greater: n = 1, s = -10, x = 10",
)
local_sensitivity = Audit(
    Derivation(
        {**sizes, "l": "real"},
        given=["n >= 2", "l <= x", "x <= u", "x + (n - 1)*l <= s", "s <= x + (n - 1)*u"],
        query="s/n",
        neighbors=anybody,
        cases={
            "add": [
                added,
                ("Abs(n*x - s)/(n*(n + 1))", "<=", "(n - 1)*(u - l)/(n*(n + 1))"),
                ("(n - 1)*(u - l)/(n*(n + 1))", "<=", "(u - l)/n"),
            ],
            "remove": [
                removed,
                ("Abs(n*x - s)/(n*(n - 1))", "<=", "(n - 1)*(u - l)/(n*(n - 1))"),
                ("(n - 1)*(u - l)/(n*(n - 1))", "==", "(u - l)/n"),
            ],
        },
        changes={"add": joins, "remove": leaves},
    ),
    expect="VERIFIED",
    reason="(u - l)/n, which the removal attains; it scales no noise, since n is private",
)
public_size = Audit(
    Derivation(
        {"n": "integer", "s": "real", "x": "real", "y": "real", "l": "real", "u": "real"},
        given=["n >= 1", "l <= x", "x <= u", "l <= y", "y <= u"],
        query="s/n",
        neighbors=somebody_else,
        cases={
            "replace": [
                ("Abs((s - x + y)/n - s/n)", "==", "Abs(y - x)/n"),
                ("Abs(y - x)/n", "<=", "(u - l)/n"),
            ],
        },
        changes={"replace": {"s": "s - x + y"}},
    ),
    expect="VERIFIED",
    reason="n is public under replacement",
)

# The noise of scale u/(n ε) around 0, seen at t, from n records and from n + 1.
private_scale = Audit(
    Derivation(
        {"n": "integer", "t": "real", "epsilon": "positive", "u": "positive"},
        given=["n >= 1"],
        steps=[
            (
                "log(n + 1) - log(n) + epsilon*n*Abs(t)/u - epsilon*(n + 1)*Abs(t)/u",
                "==",
                "log(n + 1) - log(n) - epsilon*Abs(t)/u",
            ),
            ("log(n + 1) - log(n) - epsilon*Abs(t)/u", "<=", "epsilon"),
        ],
    ),
    expect="DPA113",
    reason="the scale tells n: at t = 0 the loss is log(1 + 1/n), whatever epsilon is",
)
public_scale = Audit(
    Derivation(
        {"a": "real", "b": "real", "t": "real", "epsilon": "positive", "u": "positive"},
        given=["Abs(a - b) <= u"],
        steps=[
            ("epsilon*(Abs(t - b) - Abs(t - a))/u", "<=", "epsilon*Abs(a - b)/u"),
            ("epsilon*Abs(a - b)/u", "<=", "epsilon"),
        ],
    ),
    expect="VERIFIED",
    reason="Dwork & Roth 2014, Theorem 3.6",
)
