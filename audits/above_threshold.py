"""The sparse vector technique, and three published variants that are not private."""

import numpy as np

from dpaudit import Audit, Pairs, PureDP, QueryAnswers
from mechanisms.above_threshold import above_threshold
from mechanisms.flawed.svt_no_query_noise import svt_no_query_noise
from mechanisms.flawed.svt_no_stop import svt_no_stop
from mechanisms.flawed.svt_unbalanced import svt_unbalanced

answers = QueryAnswers(10)
halves = np.repeat([1.0, 0.0], 5)
halves_swap = Pairs([(halves, halves[::-1])])

dwork_and_roth = Audit(above_threshold, PureDP(1.0), answers, max_calls=30_000)

no_query_noise = Audit(svt_no_query_noise, PureDP(1.0), answers, expect="DPA108")
unbalanced = Audit(svt_unbalanced, PureDP(1.0), halves_swap, expect="DPA106")
no_stop = Audit(svt_no_stop, PureDP(1.0), QueryAnswers(20), expect="DPA107")
