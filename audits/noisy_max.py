"""Report noisy max: the index is cheap, its value is not."""

from dpaudit import Audit, PureDP, QueryAnswers
from mechanisms.flawed.noisy_max_half_scale import noisy_max_half_scale
from mechanisms.flawed.noisy_max_value import noisy_max_value
from mechanisms.noisy_max import report_noisy_max, report_noisy_max_exponential

answers = QueryAnswers(5)

laplace_noise = Audit(report_noisy_max, PureDP(1.0), answers, max_calls=30_000)
exponential_noise = Audit(report_noisy_max_exponential, PureDP(1.0), answers, max_calls=30_000)

releases_the_value = Audit(noisy_max_value, PureDP(1.0), answers, expect="DPA107")
half_scale = Audit(noisy_max_half_scale, PureDP(1.0), answers, expect="DPA106")
enough_for_monotone_answers = Audit(
    noisy_max_half_scale,
    PureDP(1.0),
    QueryAnswers(5, monotone=True),
    reason="counts of the same records all move one way (Dwork & Roth 2014, Claim 3.9)",
    max_calls=30_000,
)
