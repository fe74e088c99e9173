"""Read the events of dp-accounting as claims (extra ``accounting``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.claims import validation
from dpaudit.claims.composition import compose_counted
from dpaudit.claims.functional import PrivacyProfile
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.laplace import LaplaceProfile
from dpaudit.claims.pure import PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import ZeroConcentratedDP
from dpaudit.claims.rounding import scalar_up, smallest_float_at_least
from dpaudit.extras import optional


def from_dp_event(event: Any, *, relation: str | None = None) -> Claim:
    """Return the claim that a dp-accounting event stands for.

    Parameters
    ----------
    event : dp_accounting.DpEvent
        No-op, Gaussian, Laplace, discrete Laplace, randomized response, zCDP (xi = 0), Poisson
        sampling, sampling without replacement, and compositions.
    relation : {"add/remove", "replace-one"}, optional
        The neighboring relation of the result. By default the one that `event` stands for. Sampling
        without replacement and randomized response are about replace-one. Poisson sampling and all
        other events are about add/remove.

    Returns
    -------
    Claim
        About neighbors under that relation. Parameters round up. Noise multipliers are per bound on
        the norm of one record. Under replace-one a record changes the sum by up to twice the bound,
        so a Gaussian has mu = 2 / noise. Compositions with sampled parts, or of Gaussian and pure
        parts, are numeric (`compose`). Laplace noise then counts by its whole profile. In other
        compositions the parameters add up.

    Raises
    ------
    ImportError
        Where dp-accounting is not installed.
    TypeError
        Where `event` is not an event.
    ValueError
        Where a part is not supported, or means nothing under the relation; the message names it.

    Examples
    --------
    >>> import dp_accounting
    >>> from_dp_event(dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(2.0), 4))
    GaussianDP(1.0)
    >>> from_dp_event(dp_accounting.GaussianDpEvent(2.0), relation="replace-one")
    GaussianDP(1.0)
    """
    events = optional("dp_accounting.dp_event")
    if not isinstance(event, events.DpEvent):
        raise TypeError(
            f"`event` must be a dp_accounting.DpEvent, got {event!r}; "
            "give one such as dp_accounting.GaussianDpEvent(1.0)"
        )
    return _Reader(_relation(event, relation)).claim(event, tight=False)


def _relation(event: Any, wanted: str | None) -> str:
    """Return the one relation under which every part has a meaning."""
    found = {name: part for part in _parts(event) if (name := _stands_for(part)) is not None}
    if wanted is not None:
        validation.relation(wanted)
        found.setdefault(wanted, f"relation={wanted!r}")
    if len(found) > 1:
        raise ValueError(
            f"{event!r} has no one neighboring relation: {found['add/remove']!r} is about "
            f"'add/remove', {found['replace-one']!r} about 'replace-one'; "
            "give events, and a `relation`, that agree"
        )
    implied = next(iter(found), "add/remove")
    concentrated = any(type(part).__name__ == "ZCDpEvent" for part in _parts(event))
    if concentrated and implied == "replace-one" and wanted is None:
        raise ValueError(
            f"{event!r} is ambiguous: its ZCDpEvent does not say for which relation rho holds, and "
            "other parts are about 'replace-one'. If rho holds for it, give relation='replace-one'"
        )
    return implied


def _parts(event: Any) -> Iterator[Any]:
    """Return the event and all events inside it."""
    yield event
    for inner in (getattr(event, "event", None), *(getattr(event, "events", None) or ())):
        if inner is not None:
            yield from _parts(inner)


def _stands_for(event: Any) -> str | None:
    match type(event).__name__:
        case "PoissonSampledDpEvent":
            return "add/remove"
        case "SampledWithoutReplacementDpEvent":
            return "replace-one"
        case "RandomizedResponseDpEvent" if event.num_buckets > 1:
            return "replace-one"  # there is no response of an absent record
    return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads events under one relation."""

    relation: str

    def claim(self, event: Any, *, tight: bool) -> Claim:
        """Return the claim of an event; a tight one is meant for composition."""
        match type(event).__name__:
            case "NoOpDpEvent":
                return PureDP(0.0)
            case "GaussianDpEvent":
                return GaussianDP(self._over_noise(event))
            case "LaplaceDpEvent":
                epsilon = self._over_noise(event)
                return PrivacyProfile(LaplaceProfile(epsilon)) if tight else PureDP(epsilon)
            case "DiscreteLaplaceDpEvent":
                return self._discrete_laplace(event)
            case "RandomizedResponseDpEvent":
                return _randomized_response(event)
            case "ZCDpEvent" if event.xi == 0:
                return ZeroConcentratedDP(event.rho)
            case "ComposedDpEvent" | "SelfComposedDpEvent":
                return self._composed(event, tight)
            case "PoissonSampledDpEvent":
                return self._sampled(event, event.sampling_probability, tight)
            case "SampledWithoutReplacementDpEvent":
                return self._sampled(event, _share(event), tight)
        raise ValueError(
            f"{event!r} is not supported: it has no claim here; "
            "state its guarantee as a claim, for example PrivacyProfile(function)"
        )

    @property
    def moved(self) -> int:
        """How far one record moves a sum, in bounds on its norm."""
        return 2 if self.relation == "replace-one" else 1

    def _over_noise(self, event: Any) -> float:
        """Return sensitivity over noise, rounded up."""
        noise = event.noise_multiplier
        if not noise > 0:
            raise ValueError(f"{event!r} adds no noise; it promises nothing: give noise above 0")
        if math.isinf(noise):
            return 0.0
        return smallest_float_at_least(self.moved / Fraction(float(noise)))  # rounds up

    def _discrete_laplace(self, event: Any) -> PureDP:
        if not 0 < event.noise_parameter < math.inf:
            raise ValueError(
                f"{event!r} is no distribution: its weights are exp(-a |x|); "
                "give a finite noise parameter a above 0"
            )
        exact = self.moved * Fraction(float(event.noise_parameter)) * Fraction(event.sensitivity)
        return PureDP(smallest_float_at_least(exact))  # rounds up

    def _sampled(self, event: Any, rate: float, tight: bool) -> Claim:
        inner = self.claim(event.event, tight=tight)
        return PureDP(0.0) if rate == 0 else inner.amplified(rate, relation=self.relation)

    def _composed(self, event: Any, tight: bool) -> Claim:
        loose = self._counted(event, 1, tight=False)
        if not loose:
            return PureDP(0.0)
        names = {type(part).__name__ for part in _parts(event)}
        sampled = not names.isdisjoint(_SAMPLED)
        families = {isinstance(claim, GaussianDP) for claim in loose}
        mixed = len(families) > 1 and "ZCDpEvent" not in names
        if not (sampled or mixed or (tight and "LaplaceDpEvent" in names)):
            return compose_counted(loose, numeric=False)
        return compose_counted(self._counted(event, 1, tight=True), numeric=True)

    def _counted(self, event: Any, times: int, *, tight: bool) -> Counter[Claim]:
        """Return the claims of a composition's parts, and how often each."""
        match type(event).__name__:
            case "ComposedDpEvent":
                parts = [self._counted(part, times, tight=tight) for part in event.events]
                return sum(parts, Counter[Claim]())
            case "SelfComposedDpEvent":
                if event.count < 0:
                    raise ValueError(f"{event!r} has a negative count; give one of at least 0")
                return self._counted(event.event, times * event.count, tight=tight)
        return +Counter({self.claim(event, tight=tight): times})


_SAMPLED = frozenset({"PoissonSampledDpEvent", "SampledWithoutReplacementDpEvent"})


def _share(event: Any) -> float:
    """Return the sample's share of the dataset, rounded up."""
    size, whole = event.sample_size, event.source_dataset_size
    if not 0 <= size <= whole or whole < 1:
        raise ValueError(
            f"{event!r} draws no sample: its size must be from 0 to that of the dataset; "
            "give 0 <= sample_size <= source_dataset_size"
        )
    return smallest_float_at_least(Fraction(size, whole))


def _randomized_response(event: Any) -> PureDP:
    noise, buckets = event.noise_parameter, event.num_buckets
    if not 0 < noise <= 1:
        raise ValueError(f"{event!r} adds no noise; it promises nothing: give noise in (0, 1]")
    if noise == 1 or buckets == 1:
        return PureDP(0.0)
    return PureDP(scalar_up(math.log1p((1.0 - noise) * buckets / noise)))  # rounds up
