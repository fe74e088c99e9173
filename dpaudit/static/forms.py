"""A public number as a product of powers of names: how a scale is made of ε and a sensitivity."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST = 60  # characters of a symbol


@dataclass(frozen=True, slots=True)
class Form:
    """A coefficient times powers of symbols.

    Attributes
    ----------
    coefficient : float
    powers : tuple of (str, float)
        Sorted by symbol; none is zero. A sum or a call is one symbol, in its own words.

    Examples
    --------
    >>> scale = symbol("sensitivity") / (constant(2.0) * symbol("epsilon"))
    >>> str(scale)
    '0.5 * epsilon**-1 * sensitivity'
    """

    coefficient: float
    powers: tuple[tuple[str, float], ...] = ()

    def __mul__(self, other: Form) -> Form:
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers.get(name, 0.0) + power
        kept = tuple(sorted((name, power) for name, power in powers.items() if power))
        return Form(self.coefficient * other.coefficient, kept)

    def __truediv__(self, other: Form) -> Form:
        inverse = other.raised(-1.0)
        return symbol(f"{self}/{other}") if inverse is None else self * inverse

    def __add__(self, other: Form) -> Form:
        if self.powers == other.powers:
            return Form(self.coefficient + other.coefficient, self.powers)
        return symbol(f"{self} + {other}")

    def raised(self, power: float) -> Form | None:
        """Return this to a power; None where that is no number."""
        try:
            coefficient = self.coefficient**power
        except (ZeroDivisionError, OverflowError):
            return None
        if isinstance(coefficient, complex):
            return None
        return Form(coefficient, tuple((name, power * p) for name, p in self.powers if power * p))

    def power_of(self, names: frozenset[str]) -> float:
        """Return the sum of the powers of these symbols."""
        return sum(power for name, power in self.powers if name in names)

    def __str__(self) -> str:
        parts = [f"{name}**{power:g}" if power != 1 else name for name, power in self.powers]
        if self.coefficient != 1 or not parts:
            parts.insert(0, f"{self.coefficient:g}")
        return " * ".join(parts)


def constant(value: float) -> Form:
    """Return a number as a form."""
    return Form(float(value))


def symbol(name: str) -> Form:
    """Return a name as a form."""
    return Form(1.0, ((name[:_LONGEST], 1.0),))


def applied(function: str, *arguments: Form) -> Form:
    """Return a call of a function as a form: one symbol, in its own words."""
    return symbol(f"{function}({', '.join(map(str, arguments))})")
