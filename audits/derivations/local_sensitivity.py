"""Noise that follows the data: tests of stability, smooth sensitivity, sample and aggregate."""

from dpaudit import Audit, Derivation

# At distance 0 the noisy distance L(1/ε) passes a threshold T with probability exp(-εT)/2.
chances = {"epsilon": "positive", "delta": "positive"}
low_threshold = Audit(
    Derivation(
        chances,
        given=["delta < 1/8"],
        steps=[
            ("exp(-epsilon*(log(2/delta)/(2*epsilon)))/2", "==", "sqrt(delta/8)"),
            ("sqrt(delta/8)", "<=", "delta"),
        ],
    ),
    expect="DPA113",
    reason="T = log(2/δ)/(2ε) is half too low: distance 0 passes with probability √(δ/8)",
)
threshold = Audit(
    Derivation(
        chances,
        given=["delta < 1/2"],
        steps=[
            ("exp(-epsilon*(log(1/(2*delta))/epsilon))/2", "==", "delta"),
        ],
    ),
    expect="VERIFIED",
    reason="T = log(1/(2δ))/ε",
)

# The mean of n = 20 records in [0, 1]: 1/(n - k) at distance k, times exp(-βk) with
# β = ε/(2 log(2/δ)) at ε = 1 and δ = 1/n².
distances = {"k": "integer"}
smooth_at_zero = Audit(
    Derivation(
        distances,
        given=["0 <= k", "k <= 19"],
        steps=[("exp(-k/(2*log(800)))/(20 - k)", "<=", "1/20")],
    ),
    expect="DPA113",
    reason="the maximum is not at k = 0: at k = 19 it is .24",
)
smooth_up_to_n = Audit(
    Derivation(
        distances,
        given=["0 <= k", "k <= 20"],
        steps=[("exp(-k/(2*log(800)))/(20 - k)", "<=", "exp(-19/(2*log(800)))")],
    ),
    expect="DPA113",
    reason="k = n divides by zero",
)
smooth = Audit(
    Derivation(
        distances,
        given=["0 <= k", "k <= 20"],
        steps=[
            ("exp(-k/(2*log(800)))/Max(1, 20 - k)", "<=", "exp(-19/(2*log(800)))"),
            ("exp(-19/(2*log(800)))", "<=", "0.2416"),
        ],
    ),
    expect="VERIFIED",
    reason="the maximum over every k is at k = 19",
)


def spent(epsilon: str, delta: str) -> str:
    """Return δ(ε) of noise L(2S/ε) against L(2S e^β/ε), a distance S apart.

    The ratio of the densities passes e^ε left of -T and right of U, in units of 2S/ε.
    """
    beta = f"({epsilon}/(2*log(2/{delta})))"
    gap = f"(1 - exp(-{beta}))"
    left, right = f"(({epsilon}/2 + {beta})/{gap})", f"((3*{epsilon}/2 + {beta})/{gap})"
    below = f"exp(-{left}*exp(-{beta})) - exp({epsilon}/2 - {left})"
    above = f"exp(-{right}*exp(-{beta})) - exp(3*{epsilon}/2 - {right})"
    return f"({below})/2 + ({above})/2"


smooth_noise = Audit(
    Derivation(
        {"epsilon": "real"},
        given=["0.1 <= epsilon", "epsilon <= 1"],
        steps=[(spent("epsilon", "10**-6"), "<=", "10**-6")],
    ),
    expect="VERIFIED",
    reason="Nissim, Raskhodnikova & Smith 2007, Lemma 2.7",
)
smooth_noise_at_twenty = Audit(
    Derivation({}, steps=[(spent("20", "10**-6"), "<=", "10**-6")]),
    expect="DPA113",
    reason="β = ε/(2 log(2/δ)) is for small ε: δ is 5.2e-6",
)

# k parts of n records by position: chunks of ⌈n/k⌉.
sizes = {"n": "integer", "k": "integer", "l": "real", "u": "real"}
fewer_parts = Audit(
    Derivation(
        sizes,
        given=["k >= 1", "n >= k", "l < u"],
        steps=[("(u - l)/ceiling(n/ceiling(n/k))", "<=", "(u - l)/k")],
    ),
    expect="DPA113",
    reason="⌈n/⌈n/k⌉⌉ chunks can be fewer than k: n = 101, k = 100 gives 51",
)
shifted_parts = Audit(
    Derivation(
        {"k": "integer", "m": "integer", "a": "real", "b": "real", "l": "real", "u": "real"},
        given=["k >= 1", "1 <= m", "m <= k", "m*l <= a", "a <= m*u", "m*l <= b", "b <= m*u"],
        steps=[("Abs(a - b)/k", "<=", "(u - l)/k")],
    ),
    expect="DPA113",
    reason="a removed row shifts every later chunk, so that m of k parts move",
)
own_part = Audit(
    Derivation(
        {"k": "integer", "s": "real", "a": "real", "b": "real", "l": "real", "u": "real"},
        given=["k >= 1", "l <= a", "a <= u", "l <= b", "b <= u"],
        steps=[
            ("Abs((s - a + b)/k - s/k)", "==", "Abs(b - a)/k"),
            ("Abs(b - a)/k", "<=", "(u - l)/k"),
        ],
    ),
    expect="VERIFIED",
    reason="where a record's own value chooses its part, one part moves",
)
