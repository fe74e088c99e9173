"""Randomized response: local privacy, where any two records are neighbors."""

from math import log

from dpaudit import AnyPair, Audit, Categorical, PureDP, vectorized
from mechanisms.flawed.randomized_response_binary_weight import randomized_response_binary_weight
from mechanisms.flawed.randomized_response_wrong_coin import randomized_response_wrong_coin
from mechanisms.randomized_response import (
    k_randomized_response,
    randomized_response,
    randomized_response_many,
)

yes_or_no = AnyPair(Categorical([0, 1]))
four_answers = AnyPair(Categorical([0, 1, 2, 3]))
claim = PureDP(log(3))

two_coins = Audit(randomized_response, claim, yes_or_no, max_calls=30_000)
many_at_once = Audit(vectorized(randomized_response_many), claim, yes_or_no, max_calls=200_000)
k_ary = Audit(k_randomized_response, PureDP(1.0), four_answers, max_calls=30_000)

wrong_coin = Audit(randomized_response_wrong_coin, claim, yes_or_no, expect="DPA106")
binary_weight = Audit(randomized_response_binary_weight, PureDP(1.0), four_answers, expect="DPA106")
