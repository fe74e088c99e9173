"""What an observer learns about a record: a mechanism as a channel from records to outputs."""

from dpaudit.estimates.information.allowed import (
    leakage_allowed,
    mutual_information_allowed,
    sharpest_information,
)
from dpaudit.estimates.information.capacity import channel_capacity
from dpaudit.estimates.information.leakage import min_entropy_leakage
from dpaudit.estimates.information.marginals import maximum_entropy_prior
from dpaudit.estimates.information.shannon import (
    conditional_entropy,
    entropy,
    mutual_information,
)

__all__ = [
    "channel_capacity",
    "conditional_entropy",
    "entropy",
    "leakage_allowed",
    "maximum_entropy_prior",
    "min_entropy_leakage",
    "mutual_information",
    "mutual_information_allowed",
    "sharpest_information",
]
