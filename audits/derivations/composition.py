"""What several releases cost together."""

from dpaudit import AddRemove, Audit, Derivation, Real, ReplaceOne

cost = {"epsilon": "positive"}

# A noisy sum and a noisy count of the same records: s and n against s + x and n + 1.
both = {"epsilon": "positive", "u": "positive", "x": "real"}
loss_of_both = ("epsilon*Abs(x)/u + epsilon*1", "<=", "epsilon + epsilon")
noisy_mean_total = Audit(
    Derivation(
        both,
        given=["Abs(x) <= u"],
        steps=[loss_of_both, ("epsilon + epsilon", "==", "epsilon")],
    ),
    expect="DPA113",
    reason="the sum and the count each cost epsilon, and their quotient costs both",
)
noisy_mean_split = Audit(
    Derivation(
        both,
        given=["Abs(x) <= u"],
        steps=[
            ("epsilon/2*Abs(x)/u + epsilon/2*1", "<=", "epsilon/2 + epsilon/2"),
            ("epsilon/2 + epsilon/2", "==", "epsilon"),
        ],
    ),
    expect="VERIFIED",
    reason="Dwork & Roth 2014, Theorem 3.14",
)
propose_test_release_total = Audit(
    Derivation(
        {"epsilon": "positive", "b": "positive", "d": "real", "f": "real"},
        given=["Abs(d) <= 1", "Abs(f) <= b"],
        steps=[
            ("epsilon*Abs(d) + Abs(f)*epsilon/b", "<=", "epsilon + epsilon"),
            ("epsilon + epsilon", "<=", "epsilon"),
        ],
    ),
    expect="DPA113",
    reason="the test and the release each cost epsilon",
)
propose_test_release_both = Audit(
    Derivation(
        {"epsilon": "positive", "b": "positive", "d": "real", "f": "real"},
        given=["Abs(d) <= 1", "Abs(f) <= b"],
        steps=[("epsilon*Abs(d) + Abs(f)*epsilon/b", "<=", "2*epsilon")],
    ),
    expect="VERIFIED",
)

# Advanced composition of k = 500 at delta = 1e-5 (Dwork, Rothblum & Vadhan 2010, Theorem III.3).
advanced = "epsilon*sqrt(2*500*log(10**5)) + 500*epsilon*(exp(epsilon) - 1)"
advanced_at_one = Audit(
    Derivation(
        {},
        steps=[
            ("sqrt(2*500*log(10**5)) + 500*(exp(1) - 1)", ">=", "966"),
            ("966", ">=", "500*1"),
        ],
    ),
    expect="VERIFIED",
    reason="at epsilon = 1 the formula gives 966, and adding up gives 500",
)
advanced_is_better = Audit(
    Derivation(cost, given=["epsilon <= 1"], steps=[(advanced, "<=", "500*epsilon")]),
    expect="DPA113",
    reason="966 > 500 at epsilon = 1",
)
advanced_for_small_epsilon = Audit(
    Derivation(cost, given=["epsilon <= 0.579"], steps=[(advanced, "<=", "500*epsilon")]),
    expect="VERIFIED",
    reason="it helps for epsilon below .5796",
)

# A record moves from one bin to another: one count falls and one rises.
bins = {"epsilon": "positive", "c": "integer", "d": "integer"}
parallel_replace_as_add = Audit(
    Derivation(
        bins,
        given=["Abs(c) <= 1", "Abs(d) <= 1", "c + d == 0"],
        neighbors=ReplaceOne(Real(0, 1), size=3),
        cases={"replace": [("epsilon*Abs(c) + epsilon*Abs(d)", "<=", "epsilon")]},
    ),
    expect="DPA113",
    reason="two disjoint parts change, and each costs epsilon",
)
parallel_replace = Audit(
    Derivation(
        bins,
        given=["Abs(c) <= 1", "Abs(d) <= 1", "c + d == 0"],
        neighbors=ReplaceOne(Real(0, 1), size=3),
        cases={"replace": [("epsilon*Abs(c) + epsilon*Abs(d)", "<=", "2*epsilon")]},
    ),
    expect="VERIFIED",
)
parallel_add_remove = Audit(
    Derivation(
        bins,
        given=["Abs(c) + Abs(d) <= 1"],
        neighbors=AddRemove(Real(0, 1)),
        cases={
            "add": [("epsilon*Abs(c) + epsilon*Abs(d)", "<=", "epsilon")],
            "remove": [("epsilon*Abs(c) + epsilon*Abs(d)", "<=", "epsilon")],
        },
    ),
    expect="VERIFIED",
    reason="a record that joins or leaves changes one part",
)

# The winner's noise must rise by what its lead falls; q is its score, m the best of the others.
lead = {"m": "real", "q": "real", "c": "real", "d": "real"}
noisy_max_one_step = Audit(
    Derivation(
        lead,
        given=["Abs(c - m) <= 1", "Abs(d - q) <= 1"],
        steps=[("(c - d) - (m - q)", "<=", "1")],
    ),
    expect="DPA113",
    reason="(0, 0) against (1, -1): the lead falls by 2",
)
noisy_max = Audit(
    Derivation(
        lead,
        given=["Abs(c - m) <= 1", "Abs(d - q) <= 1"],
        steps=[("(c - d) - (m - q)", "<=", "2")],
    ),
    expect="VERIFIED",
)
noisy_max_monotone = Audit(
    Derivation(
        lead,
        given=["0 <= c - m", "c - m <= 1", "0 <= d - q", "d - q <= 1"],
        steps=[("(c - d) - (m - q)", "<=", "1")],
    ),
    expect="VERIFIED",
    reason="where all scores move one way, the lead falls by 1",
)

# An ε-DP density p as the exponential mechanism with score log p; z is what the normalizer moves.
generic_exponential = Audit(
    Derivation(
        {"epsilon": "positive", "a": "real", "z": "real"},
        given=["Abs(a) <= epsilon", "Abs(z) <= epsilon"],
        steps=[
            ("Abs(a - z)", "<=", "Abs(a) + Abs(z)"),
            ("Abs(a) + Abs(z)", "<=", "epsilon"),
        ],
    ),
    expect="DPA113",
    reason="generic accounting pays for the score and for the normalizer: 2 epsilon",
)
normalized_exponential = Audit(
    Derivation(
        {"epsilon": "positive", "a": "real", "z": "real"},
        given=["Abs(a) <= epsilon", "z == 0"],
        steps=[("Abs(a - z)", "<=", "epsilon")],
    ),
    expect="VERIFIED",
)
