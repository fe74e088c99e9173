"""The Laplace mechanism on one answer and on several, and what breaks it."""

from functools import partial

from dpaudit import AnyPair, Audit, PureDP, QueryAnswers, Real, vectorized
from mechanisms.flawed.catastrophe import catastrophe
from mechanisms.flawed.laplace_fixed_seed import laplace_fixed_seed
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.flawed.laplace_linf_sensitivity import laplace_linf_sensitivity
from mechanisms.flawed.laplace_shared_noise import laplace_shared_noise
from mechanisms.flawed.laplace_truncated import laplace_truncated
from mechanisms.laplace import laplace, laplace_many, laplace_vector

one_answer = AnyPair(Real(0, 1))
five_answers = QueryAnswers(5, norm="l1")
all_may_move = QueryAnswers(5, norm="linf")

scalar = Audit(laplace, PureDP(1.0), one_answer, max_calls=30_000)
small_epsilon = Audit(partial(laplace, epsilon=0.1), PureDP(0.1), one_answer, max_calls=30_000)
many_at_once = Audit(vectorized(laplace_many), PureDP(1.0), one_answer, max_calls=200_000)
vector = Audit(laplace_vector, PureDP(1.0), five_answers, max_calls=30_000)
vector_that_pays_for_all = Audit(
    partial(laplace_vector, sensitivity=5.0), PureDP(1.0), all_may_move, max_calls=30_000
)

half_scale = Audit(laplace_half_scale, PureDP(1.0), one_answer, expect="DPA106")
truncated = Audit(laplace_truncated, PureDP(1.0), one_answer, expect="DPA106")
reveals_once_in_a_hundred = Audit(catastrophe, PureDP(1.0), one_answer, expect="DPA102")
fixed_seed = Audit(laplace_fixed_seed, PureDP(1.0), one_answer, expect="DPA110")
linf_sensitivity = Audit(laplace_linf_sensitivity, PureDP(1.0), all_may_move, expect="DPA105")
shared_noise = Audit(laplace_shared_noise, PureDP(1.0), five_answers, expect="DPA110")
