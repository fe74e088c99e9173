"""A noise call of a library, as an adapter describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpaudit.trace.draws import Hands, Price, UnseenNoiseError
from dpaudit.trace.switch import asking, current


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """What a call of a library's noise is about to draw.

    Attributes
    ----------
    kind : str
        The law, under the name that NumPy has for it where it has one: ``"laplace"``.
    arguments : mapping of str to Any
        Under NumPy's names as well: ``{"loc": 3.0, "scale": 2.0}``. A value that noise is added to
        is ``loc``; a weighted choice is among ``a`` with probabilities ``p``.
    price : callable, optional
        What different arguments cost by the library's own accounting; see `Price`.
    """

    kind: str
    arguments: Mapping[str, Any]
    price: Price | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """A function of a library that draws noise, or accounts for it.

    Attributes
    ----------
    owner : module or class
        What holds it.
    name : str
        Its name there.
    describe : callable
        Called with the arguments of a noise call; returns its `Noise`, or None where this call
        is to pass unnoticed.
    again : callable, optional
        ``again(hands, original)`` returns a function of the same arguments that draws from
        ``hands``, and advances no generator of the library. Without it the noise takes no seed,
        and `dpaudit.frozen_noise` says so.

    Notes
    -----
    What the primitive itself draws is part of it, and not seen apart.
    """

    owner: Any
    name: str
    describe: Callable[..., Noise | None]
    again: Callable[[Hands, Callable[..., Any]], Callable[..., Any]] | None = None

    @property
    def source(self) -> str:
        """Where its noise comes from, such as ``"diffprivlib.mechanisms.laplace.Laplace"``."""
        if isinstance(self.owner, type):
            return f"{self.owner.__module__}.{self.owner.__qualname__}"
        return str(self.owner.__name__)


Adapter = Callable[[], Iterable[Primitive]]


def watched(primitive: Primitive, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what takes the place of a library's function while noise is intercepted."""
    hidden = (real,)  # a closure that held it would be given its replacement
    source = primitive.source

    def repeated(hands: Hands) -> Callable[..., Any]:
        if primitive.again is None:
            raise UnseenNoiseError(
                f"the noise of {source} is drawn in compiled code that takes no seed; "
                "leave that call out of the context, or give it a stand-in"
            )
        return primitive.again(hands, hidden[0])

    def drawn(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return hidden[0](*args, **kwargs)
        noise = primitive.describe(*args, **kwargs)
        if noise is None:
            return hidden[0](*args, **kwargs)
        request = noise.kind, source, noise.arguments, noise.price
        return asking(request, hidden[0], repeated, 0, args, kwargs)

    drawn.__name__ = primitive.name
    drawn.__qualname__ = getattr(real, "__qualname__", primitive.name)
    drawn.__doc__ = real.__doc__
    del real
    return drawn
