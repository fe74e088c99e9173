"""What is released along one path: by how much each value may differ, and how it is hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.ends import End
from dpaudit.checker.cost.values import Change, Taken
from dpaudit.checker.exact.numbers import Number, keeps_chance
from dpaudit.checker.file import NotCheckedError

REVEALED = "revealed"  # a sample that leaves as it is
WHOLE = ("geometric", "truncated", "two-sided", "discrete normal")


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One draw of noise.

    Attributes
    ----------
    law : str
        Its name; ``"truncated"`` is Laplace noise cut to an integer, towards zero.
    scale : Number or Form
        Scale, standard deviation, or the chance p of a geometric draw; r of weights e^(-r|x|) and
        v of weights e^(-x²/2v), of whole numbers x.
    place : str
    call : int
        Which call drew it, counted along the path.
    """

    law: str
    scale: Any
    place: str
    call: int


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One release.

    Attributes
    ----------
    law : {"laplace", "geometric", "normal", "discrete normal", "pure", "revealed"}
    rate : Number
        What a change by 1 costs: nats for the first two, the square of mu for the third, twice
        rho for the fourth. Of ``"revealed"``: the chance of each record's coin.
    change : Change
        Of the value that is hidden; for ``"pure"`` unused.
    epsilon : End
        Of ``"pure"``: its whole cost (nats).
    place : str
        Of the noise.
    call : int
    sample : Taken or None
        Of ``"revealed"``: the sample.
    crowd : tuple of (int, Number), or None
        Of how many answers only the number of ones is told, and the chance of each to be a lie.
    """

    law: str
    rate: Number
    change: Change
    place: str
    call: int
    epsilon: End = 0
    sample: Taken | None = None
    crowd: tuple[int, Number] | None = None


@dataclass(slots=True, eq=False)
class Ledger:
    """The releases of one path, and what became of its draws.

    `sampled` holds the laws of draws that sampling loops returned, `single` are calls of one draw,
    `falls` sets of weights, which lie in each other, below whose sums a draw was looked for, and
    `compared` comparisons of noisy values of which only the outcomes were told.
    """

    items: list[Item] = field(default_factory=list)
    calls: int = 0
    sums: list[Any] = field(default_factory=list)
    single: set[int] = field(default_factory=set)
    _used: dict[Draw, str] = field(default_factory=dict)
    sampled: dict[Draw, Any] = field(default_factory=dict)
    falls: dict[Draw, list[frozenset[Any]]] = field(default_factory=dict)
    compared: list[Any] = field(default_factory=list)
    _picked: dict[Draw, tuple[Item, Sequence[Any]]] = field(default_factory=dict)

    def pick(self, item: Item, entries: Sequence[Any]) -> None:
        """Note the cost of the place of the largest of some noisy values, none of them shown."""
        self.items.append(item)
        self._picked |= {draw: (item, entries) for entry in entries for draw in entry.draws}

    @property
    def paid(self) -> tuple[int, int]:
        """How many releases there are, and comparisons to be paid for."""
        return len(self.items), len(self.compared)

    def unpick(self, draws: Iterable[Draw]) -> Sequence[Any]:
        """Take back the cost of a place, and return the values: whoever is shown all knows it.

        So it is with values that were compared.
        """
        for draw in draws:
            star = [each for each in self.compared if draw in each.draws]
            if star:
                return self._uncompared(star)
            if draw in self._picked:
                item, entries = self._picked[draw]
                self.items.remove(item)
                for other in (d for entry in entries for d in entry.draws):
                    del self._picked[other], self._used[other]
                return entries
        return ()

    def _uncompared(self, star: Sequence[Any]) -> Sequence[Any]:
        """Forget comparisons that share a draw, those too that share another one with them."""
        draws = frozenset[Draw]().union(*(each.draws for each in star))
        forgotten = [each for each in self.compared if each.draws & draws]
        self.compared = [each for each in self.compared if not each.draws & draws]
        for draw in frozenset[Draw]().union(*(each.draws for each in forgotten)):
            del self._used[draw]
        return [side for each in forgotten for side in (each.first, each.second)]

    def used(self, draw: Draw) -> bool:
        """Return whether a draw was used."""
        return draw in self._used

    @property
    def uses(self) -> int:
        """How many draws were used."""
        return len(self._used)

    def use(self, draw: Draw, how: str) -> None:
        """Note that a draw is ``"seen"``, or hides something, which it may do once.

        Raises
        ------
        NotCheckedError
            Where it was used before.
        """
        before = self._used.get(draw)
        if before is not None and not before == how == "seen":
            what = "noise that is used twice; draw anew for each use"
            raise NotCheckedError(f"not checked: {what}", draw.place)
        self._used[draw] = how


def geometric_rate(p: Number) -> Number:
    """Return -log(1 - p), as a rational number where it is one.

    1 - p = e^-q is decided exactly for the simplest rational q that the ball of the logarithm
    allows.
    """
    alpha = 1 - p
    if alpha.sign() <= 0:
        raise NotCheckedError("not checked: geometric noise that is always 1")
    if not keeps_chance(p):
        raise NotCheckedError("not checked: geometric noise whose chance floats do not tell")
    rate: Number = -alpha.log()
    if rate.fraction is not None:
        return rate
    middle = rate.ball.mid().fmpq()
    guess = Fraction(int(middle.p), int(middle.q)).limit_denominator(2**70)
    q = Number(guess)
    try:
        if ((-q).exp() - alpha).sign() == 0:
            return q
    except NotCheckedError:
        pass
    return rate
