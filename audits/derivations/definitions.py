"""What ε and δ mean, and what they do not."""

from dpaudit import Audit, Derivation

# Randomized response with two fair coins: the truth with probability 3/4.
two_coins = Audit(
    Derivation(
        {},
        steps=[
            ("1/2 + 1/2*1/2", "==", "3/4"),
            ("3/4", "==", "3*(1 - 3/4)"),
            ("3*(1 - 3/4)", "==", "exp(log(3))*(1 - 3/4)"),
        ],
    ),
    expect="VERIFIED",
    reason="ln 3",
)
two_coins_as_one = Audit(
    Derivation(
        {},
        steps=[
            ("log(3/4) - log(1 - 3/4)", "==", "log(3)"),
            ("log(3)", "<=", "1"),
        ],
    ),
    expect="DPA113",
    reason="ln 3 is 1.0986",
)

# Outcomes with probabilities (p, 1 - p) against (q, 1 - q), at ε = 0.
two_outcomes = {"p": "real", "q": "real", "delta": "real"}
with_probability = Audit(
    Derivation(
        two_outcomes,
        given=["0 < q", "q < p", "p <= 1", "p - q <= delta", "delta < 1"],
        steps=[("p", "<=", "delta")],
    ),
    expect="DPA113",
    reason="(.6, .4) against (.5, .5): δ is .1, and the loss is positive with probability .6",
)
hockey_stick = Audit(
    Derivation(
        two_outcomes,
        given=["0 < q", "q < p", "p <= 1", "p - q <= delta", "delta < 1"],
        steps=[
            ("Max(p - q, 0) + Max((1 - p) - (1 - q), 0)", "==", "p - q"),
            ("p - q", "<=", "delta"),
        ],
    ),
    expect="VERIFIED",
)

# (x, a number drawn from 1 to m) with δ = 1/m: every output has probability 1/m or 0.
output_by_output = Audit(
    Derivation(
        {"m": "integer", "epsilon": "positive"},
        given=["m >= 2"],
        steps=[
            ("m*(1/m)", "==", "1"),
            ("1", "<=", "exp(epsilon)*0 + 1/m"),
        ],
    ),
    expect="DPA113",
    reason="the event of all m outputs has probability 1 against 0",
)
catastrophe_pure = Audit(
    Derivation(
        {"epsilon": "positive", "delta": "positive"},
        given=["delta < 1"],
        steps=[("delta", "<=", "exp(epsilon)*0")],
    ),
    expect="DPA113",
    reason="with probability δ the output is x itself, which the neighbor cannot return",
)
catastrophe_approximate = Audit(
    Derivation(
        {"epsilon": "positive", "delta": "positive"},
        given=["delta < 1"],
        steps=[("delta", "<=", "exp(epsilon)*0 + delta")],
    ),
    expect="VERIFIED",
)
sampled_rows = Audit(
    Derivation(
        {"epsilon": "positive", "delta": "positive", "rate": "real"},
        given=["delta < rate", "rate <= 1"],
        steps=[("rate", "<=", "exp(epsilon)*0 + delta")],
    ),
    expect="DPA113",
    reason="a row that is sampled is shown: (0, rate) and no less",
)
sampled_rows_at_the_rate = Audit(
    Derivation(
        {"rate": "real"},
        given=["0 <= rate", "rate <= 1"],
        steps=[("rate", "<=", "exp(0)*0 + rate")],
    ),
    expect="VERIFIED",
)

# (p, 1 - p) against (q, 1 - q), p the likelier side: e^D for orders 2 and infinity.
divergences = {"p": "real", "q": "real"}
second_order_covers_pure = Audit(
    Derivation(
        divergences,
        given=["0 < q", "q < p", "p < 1", "p + q == 1"],
        steps=[("p/q", "<=", "p**2/q + (1 - p)**2/(1 - q)")],
    ),
    expect="DPA113",
    reason="Rényi DP of finite order is weaker than pure DP",
)
pure_covers_second_order = Audit(
    Derivation(
        divergences,
        given=["0 < q", "q < p", "p < 1"],
        steps=[("p**2/q + (1 - p)**2/(1 - q)", "<=", "p/q")],
    ),
    expect="VERIFIED",
)
largest_kl = Audit(
    Derivation({}, steps=[("log(3)", "<=", "3/4*log(3) + 1/4*log(1/3)")]),
    expect="DPA113",
    reason="KL of two fair coins is half of ln 3, and the sup of the log-ratio is ln 3",
)
kl_is_less = Audit(
    Derivation({}, steps=[("3/4*log(3) + 1/4*log(1/3)", "<=", "log(3)")]),
    expect="VERIFIED",
)
