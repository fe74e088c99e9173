"""What is promised, and the region of event probabilities that each promise allows."""

from dpaudit.claims.accounting import from_dp_event
from dpaudit.claims.composition import compose
from dpaudit.claims.functional import PrivacyProfile, TradeOff
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.libraries import from_accountant, from_diffprivlib, from_opendp
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim, HalfPlane
from dpaudit.claims.renyi import RenyiDP, ZeroConcentratedDP

__all__ = [
    "ApproxDP",
    "Claim",
    "GaussianDP",
    "HalfPlane",
    "PrivacyProfile",
    "PureDP",
    "RenyiDP",
    "TradeOff",
    "ZeroConcentratedDP",
    "compose",
    "from_accountant",
    "from_diffprivlib",
    "from_dp_event",
    "from_opendp",
]
