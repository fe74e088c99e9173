"""dpaudit: a verifier and auditor for differential privacy.

Give it a mechanism and the privacy it claims; it answers REFUTED with a witness, VERIFIED with a
certificate, or NOT REFUTED with the size of violation that it would have caught.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dpaudit.auditor import audit as audit
    from dpaudit.auditor import check_derivation as check_derivation
    from dpaudit.auditor import verify as verify
    from dpaudit.claims import ApproxDP as ApproxDP
    from dpaudit.claims import GaussianDP as GaussianDP
    from dpaudit.claims import PrivacyProfile as PrivacyProfile
    from dpaudit.claims import PureDP as PureDP
    from dpaudit.claims import RenyiDP as RenyiDP
    from dpaudit.claims import TradeOff as TradeOff
    from dpaudit.claims import ZeroConcentratedDP as ZeroConcentratedDP
    from dpaudit.claims import compose as compose
    from dpaudit.claims import from_dp_event as from_dp_event
    from dpaudit.declare import Audit as Audit
    from dpaudit.estimates import Estimate as Estimate
    from dpaudit.estimates import approximate_max_divergence as approximate_max_divergence
    from dpaudit.estimates import channel_capacity as channel_capacity
    from dpaudit.estimates import conditional_entropy as conditional_entropy
    from dpaudit.estimates import entropy as entropy
    from dpaudit.estimates import epsilon_from_rates as epsilon_from_rates
    from dpaudit.estimates import gdp_parameter as gdp_parameter
    from dpaudit.estimates import hockey_stick as hockey_stick
    from dpaudit.estimates import kl_divergence as kl_divergence
    from dpaudit.estimates import max_divergence as max_divergence
    from dpaudit.estimates import maximum_entropy_prior as maximum_entropy_prior
    from dpaudit.estimates import min_entropy_leakage as min_entropy_leakage
    from dpaudit.estimates import mutual_information as mutual_information
    from dpaudit.estimates import one_run as one_run
    from dpaudit.estimates import privacy_profile as privacy_profile
    from dpaudit.estimates import renyi_divergence as renyi_divergence
    from dpaudit.estimates import total_variation as total_variation
    from dpaudit.estimates import tradeoff_curve as tradeoff_curve
    from dpaudit.estimates import zcdp_parameter as zcdp_parameter
    from dpaudit.evidence import Verdict as Verdict
    from dpaudit.examples import example as example
    from dpaudit.formal.derivation import Derivation as Derivation
    from dpaudit.formal.sensitivity import SensitivityReport as SensitivityReport
    from dpaudit.formal.sensitivity import sensitivity as sensitivity
    from dpaudit.neighbors import AddRemove as AddRemove
    from dpaudit.neighbors import AnyPair as AnyPair
    from dpaudit.neighbors import Categorical as Categorical
    from dpaudit.neighbors import Integer as Integer
    from dpaudit.neighbors import Pairs as Pairs
    from dpaudit.neighbors import QueryAnswers as QueryAnswers
    from dpaudit.neighbors import Real as Real
    from dpaudit.neighbors import ReplaceOne as ReplaceOne
    from dpaudit.neighbors import Row as Row
    from dpaudit.neighbors import ZeroOut as ZeroOut
    from dpaudit.remote import Remote as Remote
    from dpaudit.session import Session as Session
    from dpaudit.subject import vectorized as vectorized
    from dpaudit.trace.frozen import frozen_noise as frozen_noise
    from dpaudit.verdict import Report as Report

_HOME = {
    "auditor": ("audit", "check_derivation", "verify"),
    "claims": (
        "ApproxDP",
        "GaussianDP",
        "PrivacyProfile",
        "PureDP",
        "RenyiDP",
        "TradeOff",
        "ZeroConcentratedDP",
        "compose",
        "from_dp_event",
    ),
    "declare": ("Audit",),
    "estimates": (
        "Estimate",
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
    ),
    "evidence": ("Verdict",),
    "examples": ("example",),
    "formal.derivation": ("Derivation",),
    "formal.sensitivity": ("SensitivityReport", "sensitivity"),
    "neighbors": (
        "AddRemove",
        "AnyPair",
        "Categorical",
        "Integer",
        "Pairs",
        "QueryAnswers",
        "Real",
        "ReplaceOne",
        "Row",
        "ZeroOut",
    ),
    "remote": ("Remote",),
    "session": ("Session",),
    "subject": ("vectorized",),
    "trace.frozen": ("frozen_noise",),
    "verdict": ("Report",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    value = getattr(import_module(f"dpaudit.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
