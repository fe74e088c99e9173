"""Read the events of dp-accounting as claims (extra ``accounting``)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.composition import compose
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import ZeroConcentratedDP
from dpaudit.claims.rounding import scalar_up, smallest_float_at_least

if TYPE_CHECKING:
    from types import ModuleType


def from_dp_event(event: Any) -> Claim:
    """Return the claim that a dp-accounting event stands for.

    Parameters
    ----------
    event : dp_accounting.DpEvent
        No-op, Gaussian, Laplace, discrete Laplace, randomized response, zCDP (xi = 0), Poisson
        sampling (add/remove), sampling without replacement (replace-one), and compositions.

    Returns
    -------
    Claim
        Parameters round up. Compositions are `compose` with ``how="basic"``.

    Raises
    ------
    ImportError
        Where dp-accounting is not installed.
    TypeError
        Where `event` is not an event.
    ValueError
        Where a part is not supported; the message names it.

    Examples
    --------
    >>> import dp_accounting
    >>> from_dp_event(dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(2.0), 4))
    GaussianDP(1.0)
    """
    events = _dp_event_module()
    if not isinstance(event, events.DpEvent):
        raise TypeError(
            f"`event` must be a dp_accounting.DpEvent, got {event!r}; "
            "give one such as dp_accounting.GaussianDpEvent(1.0)"
        )
    return _claim_of(event, events)


def _dp_event_module() -> ModuleType:
    try:
        from dp_accounting import dp_event
    except ImportError as error:
        raise ImportError(
            "from_dp_event needs dp-accounting, which is not installed; "
            "install it with: pip install 'dpaudit[accounting]'"
        ) from error
    module: ModuleType = dp_event
    return module


def _claim_of(event: Any, events: ModuleType) -> Claim:
    match type(event).__name__:
        case "NoOpDpEvent":
            return PureDP(0.0)
        case "GaussianDpEvent":
            return GaussianDP(_inverse(event))
        case "LaplaceDpEvent":
            return PureDP(_inverse(event))
        case "DiscreteLaplaceDpEvent":
            exact = Fraction(event.noise_parameter) * event.sensitivity
            return PureDP(smallest_float_at_least(exact))
        case "RandomizedResponseDpEvent":
            return _randomized_response(event)
        case "ZCDpEvent" if event.xi == 0:
            return ZeroConcentratedDP(event.rho)
        case "ComposedDpEvent":
            return compose([_claim_of(part, events) for part in event.events])
        case "SelfComposedDpEvent":
            return _repeated(_claim_of(event.event, events), event.count)
        case "PoissonSampledDpEvent":
            inner = _claim_of(event.event, events)
            return inner.amplified(event.sampling_probability)
        case "SampledWithoutReplacementDpEvent":
            rate = smallest_float_at_least(Fraction(event.sample_size, event.source_dataset_size))
            return _claim_of(event.event, events).amplified(rate, relation="replace-one")
    raise ValueError(
        f"{event!r} is not supported: it has no claim here; "
        "state its guarantee as a claim, for example PrivacyProfile(function)"
    )


def _repeated(claim: Claim, count: int) -> Claim:
    return PureDP(0.0) if count == 0 else compose([claim] * count)


def _inverse(event: Any) -> float:
    """Return sensitivity over noise, rounded up."""
    noise = event.noise_multiplier
    if not noise > 0:
        raise ValueError(f"{event!r} adds no noise; it promises nothing: give noise above 0")
    return smallest_float_at_least(1 / Fraction(noise))  # rounds up


def _randomized_response(event: Any) -> PureDP:
    noise, buckets = event.noise_parameter, event.num_buckets
    if not 0 < noise <= 1:
        raise ValueError(f"{event!r} adds no noise; it promises nothing: give noise in (0, 1]")
    if noise == 1 or buckets == 1:
        return PureDP(0.0)
    return PureDP(scalar_up(math.log1p((1.0 - noise) * buckets / noise)))  # rounds up
