"""How large a divergence is, between which bounds; what an observer learns; one training run."""

from dpaudit.estimates.divergences import (
    approximate_max_divergence,
    hockey_stick,
    kl_divergence,
    max_divergence,
    total_variation,
)
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.gaussian import gdp_parameter
from dpaudit.estimates.information import (
    channel_capacity,
    conditional_entropy,
    entropy,
    maximum_entropy_prior,
    min_entropy_leakage,
    mutual_information,
)
from dpaudit.estimates.one_run import one_run
from dpaudit.estimates.rates import epsilon_from_rates
from dpaudit.estimates.renyi import renyi_divergence, zcdp_parameter
from dpaudit.estimates.tradeoff import privacy_profile, tradeoff_curve

__all__ = [
    "Estimate",
    "Interval",
    "approximate_max_divergence",
    "channel_capacity",
    "conditional_entropy",
    "entropy",
    "epsilon_from_rates",
    "gdp_parameter",
    "hockey_stick",
    "kl_divergence",
    "max_divergence",
    "maximum_entropy_prior",
    "min_entropy_leakage",
    "mutual_information",
    "one_run",
    "privacy_profile",
    "renyi_divergence",
    "total_variation",
    "tradeoff_curve",
    "zcdp_parameter",
]
