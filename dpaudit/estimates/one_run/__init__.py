"""How private one training run was: bounds from canaries that fair coins put in or left out."""

from dpaudit.estimates.one_run.audit import one_run
from dpaudit.estimates.one_run.pvalues import (
    binomial_p_value,
    recursive_p_value,
    worst_p_value,
)

__all__ = ["binomial_p_value", "one_run", "recursive_p_value", "worst_p_value"]
