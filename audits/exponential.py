"""The exponential mechanism over four candidates, and over candidates that are private."""

from dpaudit import AddRemove, Audit, Integer, PureDP, QueryAnswers
from mechanisms.exponential import exponential
from mechanisms.flawed.exponential_private_candidates import exponential_private_candidates
from mechanisms.flawed.exponential_without_two import exponential_without_two

scores = QueryAnswers(4)

all_scores_move = Audit(exponential, PureDP(1.0), scores, max_calls=30_000)
without_the_two = Audit(exponential_without_two, PureDP(1.0), scores, expect="DPA106")
enough_for_monotone_scores = Audit(
    exponential_without_two,
    PureDP(1.0),
    QueryAnswers(4, monotone=True),
    reason="scores that all move one way need no 2 (Dwork & Roth 2014, after Theorem 3.10)",
    max_calls=30_000,
)
private_candidates = Audit(
    exponential_private_candidates,
    PureDP(1.0),
    AddRemove(Integer(0, 9), max_size=8),
    expect="DPA109",
)
