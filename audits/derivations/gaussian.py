"""The Gaussian mechanism's δ by the exact formula, for σ as it is taught.

Sensitivity 1, a = 1/(2σ), b = εσ: δ(ε) = Φ(a − b) − e^ε Φ(−a − b)  (Balle & Wang 2018, Theorem 8).
"""

from dpaudit import Audit, Derivation


def spent(epsilon: str, logarithm: str) -> str:
    """Return δ(ε) for σ = √(2 · logarithm)/ε."""
    root = f"sqrt(2*{logarithm})"
    below = f"(1 + erf(({epsilon}/(2*{root}) - {root})/sqrt(2)))/2"
    above = f"(1 + erf((-{epsilon}/(2*{root}) - {root})/sqrt(2)))/2"
    return f"{below} - exp({epsilon})*{above}"


classical, short = "log(1.25*10**5)", "log(10**5)"

classical_up_to_one = Audit(
    Derivation(
        {"epsilon": "positive"},
        given=["epsilon <= 1"],
        steps=[(spent("epsilon", classical), "<=", "10**-5")],
    ),
    expect="VERIFIED",
    reason="Dwork & Roth 2014, Theorem A.1, at δ = 1e-5",
)
classical_at_eight = Audit(
    Derivation({}, steps=[(spent("8", classical), "<=", "10**-5")]),
    expect="VERIFIED",
    reason="δ is 7.98e-6, though the theorem ends at ε = 1",
)
classical_at_ten = Audit(
    Derivation({}, steps=[(spent("10", classical), "<=", "10**-5")]),
    expect="DPA113",
    reason="δ is 2.3e-5",
)
classical_for_every_epsilon = Audit(
    Derivation(
        {"epsilon": "positive"},
        given=["epsilon <= 10"],
        steps=[(spent("epsilon", classical), "<=", "10**-5")],
    ),
    expect="DPA113",
    reason="the theorem ends at ε = 1, and the formula between 8 and 9",
)
short_at_one = Audit(
    Derivation({}, steps=[(spent("1", short), "<=", "10**-5")]),
    expect="VERIFIED",
    reason="without the 1.25 δ is 5.3e-8: the slip is harmless here",
)
short_at_eight = Audit(
    Derivation({}, steps=[(spent("8", short), "<=", "10**-5")]),
    expect="DPA113",
    reason="δ is 1.0175e-5 where the 1.25 would have kept it below 1e-5",
)
short_for_large_delta = Audit(
    Derivation({}, steps=[(spent("7", "log(100)"), "<=", "0.01")]),
    expect="DPA113",
    reason="δ is .0145 at (7, .01)",
)
