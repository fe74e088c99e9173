"""Learning: samples that amplify, noisy gradients, noisy models and the votes of teachers."""

from functools import partial

import numpy as np
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant

from audits._rows import labelled, tabled
from dpaudit import (
    AddRemove,
    ApproxDP,
    Audit,
    Categorical,
    GaussianDP,
    Integer,
    PrivacyProfile,
    PureDP,
    Real,
    ReplaceOne,
    Row,
    compose,
)
from mechanisms.flawed.gradient_batch_mean import gradient_batch_mean
from mechanisms.flawed.gradient_best_of_runs import gradient_best_of_runs
from mechanisms.flawed.gradient_centered import gradient_centered
from mechanisms.flawed.gradient_clipped_mean import gradient_clipped_mean
from mechanisms.flawed.gradient_early_stopping import gradient_early_stopping
from mechanisms.flawed.gradient_final_noise import gradient_final_noise
from mechanisms.flawed.gradient_median_clip import gradient_median_clip
from mechanisms.flawed.gradient_noise_without_clip import gradient_noise_without_clip
from mechanisms.flawed.gradient_rate_times_noise import gradient_rate_times_noise
from mechanisms.flawed.gradient_raw_loss import gradient_raw_loss
from mechanisms.flawed.gradient_replace import gradient_replace
from mechanisms.flawed.gradient_same_noise import gradient_same_noise
from mechanisms.flawed.gradient_shuffled import gradient_shuffled
from mechanisms.flawed.gradient_unclipped import gradient_unclipped
from mechanisms.flawed.noisy_vote_one_count import noisy_vote_one_count
from mechanisms.flawed.noisy_vote_overlapping_teachers import noisy_vote_overlapping_teachers
from mechanisms.flawed.noisy_vote_raw_check import noisy_vote_raw_check
from mechanisms.flawed.noisy_vote_teachers_by_position import noisy_vote_teachers_by_position
from mechanisms.flawed.noisy_vote_winner_count import noisy_vote_winner_count
from mechanisms.flawed.objective_perturbation_small_gaussian import (
    objective_perturbation_small_gaussian,
)
from mechanisms.flawed.objective_perturbation_unconverged import objective_perturbation_unconverged
from mechanisms.flawed.objective_perturbation_without_jacobian import (
    objective_perturbation_without_jacobian,
)
from mechanisms.flawed.output_perturbation_free_intercept import output_perturbation_free_intercept
from mechanisms.flawed.output_perturbation_raw_features import output_perturbation_raw_features
from mechanisms.flawed.output_perturbation_weak_regularization import (
    output_perturbation_weak_regularization,
)
from mechanisms.flawed.subsampled_all_rows import subsampled_all_rows
from mechanisms.flawed.subsampled_batch_size import subsampled_batch_size
from mechanisms.flawed.subsampled_bootstrap import subsampled_bootstrap
from mechanisms.flawed.subsampled_first_rows import subsampled_first_rows
from mechanisms.flawed.subsampled_fixed_size import subsampled_fixed_size
from mechanisms.flawed.subsampled_private_size import subsampled_private_size
from mechanisms.flawed.subsampled_same_sample import subsampled_same_sample
from mechanisms.flawed.subsampled_without_noise import subsampled_without_noise
from mechanisms.noisy_gradient_descent import noisy_gradient, noisy_gradient_descent
from mechanisms.noisy_vote import confident_noisy_vote, noisy_vote
from mechanisms.objective_perturbation import objective_perturbation
from mechanisms.output_perturbation import output_perturbation
from mechanisms.subsampled import subsampled_count
from mechanisms.subsampled_without_replacement import subsampled_without_replacement

# Samples

records = AddRemove(Real(0, 100), max_size=10)
ten_records = ReplaceOne(Real(-1, 1), size=10)
about_ten_records = AddRemove.around(np.array([-1.0] * 9 + [1.0]), Real(-1, 1))
amplified = PureDP(1.0).amplified(0.2)

poisson_sample = Audit(subsampled_count, amplified, records, expect="VERIFIED", max_calls=32_000)
sample_without_replacement = Audit(
    subsampled_without_replacement,
    PureDP(1.0).amplified(0.2, relation="replace-one"),
    ten_records,
    expect="VERIFIED",
    max_calls=32_000,
)

all_rows = Audit(subsampled_all_rows, amplified, records, expect="DPA115")
sampling_without_noise = Audit(subsampled_without_noise, amplified, records, expect="DPA102")
batch_size = Audit(subsampled_batch_size, amplified, records, expect="DPA101")
sample_of_private_size = Audit(subsampled_private_size, amplified, records, expect="DPA115")
one_sample_for_four = Audit(
    subsampled_same_sample, compose([amplified] * 4), records, expect="DPA115"
)
fixed_size_as_poisson = Audit(subsampled_fixed_size, amplified, about_ten_records, expect="DPA115")
first_rows = Audit(
    subsampled_first_rows,
    PureDP(1.0).amplified(0.2, relation="replace-one"),
    ten_records,
    expect="DPA115",
)
bootstrap = Audit(
    subsampled_bootstrap, PureDP(1.0), ReplaceOne(Real(0, 1), size=10), expect="DPA115"
)

# Noisy gradient descent: a record is one feature x of label 1, or a row of two and their label.

features = AddRemove(Real(-20, 20), max_size=8)
unlimited = AddRemove(Real(-1, 1, enforced=False), max_size=8)
two_features = AddRemove(
    Row(a=Real(-20, 20), b=Real(-20, 20), label=Categorical([-1.0, 1.0])), max_size=8
)


def first_gradient(data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return noisy_gradient(np.zeros(1), data, rng, rate=0.25, clip=1.0, noise=1.0)


def sampled_steps(rate: float, steps: int, sigma: float = 1.0) -> PrivacyProfile:
    """Return the profile of steps that each take a Poisson sample, by dp-accounting."""
    step = privacy_loss_distribution.from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=1e-3
    )
    return PrivacyProfile(step.self_compose(steps).get_delta_for_epsilon)


def sampled_moments(rate: float, steps: int, sigma: float = 1.0, delta: float = 1e-5) -> ApproxDP:
    """Return what the moments of such steps show, by dp-accounting."""
    step = PoissonSampledDpEvent(rate, GaussianDpEvent(sigma))
    accountant = RdpAccountant(range(2, 64)).compose(step, steps)
    return ApproxDP(accountant.get_epsilon(delta), delta)


two_full_steps = Audit(
    partial(labelled, partial(noisy_gradient_descent, noise=4.0)),
    GaussianDP(0.125**0.5),
    features,
    reason="√T/σ for T = 2 steps with σ = 4",
    expect="VERIFIED",
    max_calls=10_000,
)
two_full_steps_on_two_features = Audit(
    partial(tabled, partial(noisy_gradient_descent, noise=4.0)),
    GaussianDP(0.125**0.5),
    two_features,
    expect="VERIFIED",
    max_calls=10_000,
)
one_sampled_step = Audit(
    partial(labelled, first_gradient),
    GaussianDP(1.0).amplified(0.25),
    features,
    expect="VERIFIED",
    reason="Balle, Barthe & Gaboardi 2018, Theorem 8",
    max_calls=20_000,
)
four_sampled_steps = Audit(
    partial(labelled, partial(noisy_gradient_descent, steps=4, rate=0.25)),
    sampled_steps(0.25, 4),
    features,
    reason="composed privacy loss distributions of the sampled Gaussian",
    max_calls=10_000,
)
four_sampled_steps_by_moments = Audit(
    partial(labelled, partial(noisy_gradient_descent, steps=4, rate=0.25)),
    sampled_moments(0.25, 4),
    features,
    expect="VERIFIED",
    reason="moments of the sampled Gaussian (Mironov, Talwar & Zhang 2019)",
    max_calls=10_000,
)
replace_claimed_as_add_remove = Audit(
    partial(labelled, gradient_replace),
    GaussianDP(1.0),
    features,
    reason="C is the sensitivity where records come or go",
    expect="VERIFIED",
    max_calls=32_000,
)

clipped_mean = Audit(
    partial(labelled, gradient_clipped_mean), GaussianDP(1.0), features, expect="DPA105"
)
unclipped = Audit(
    partial(labelled, gradient_unclipped), GaussianDP(1.0), unlimited, expect="DPA104"
)
rate_times_noise = Audit(
    partial(labelled, gradient_rate_times_noise), GaussianDP(1.0), features, expect="DPA106"
)
noise_without_clip = Audit(
    partial(labelled, gradient_noise_without_clip), GaussianDP(1.0), features, expect="DPA106"
)
one_record_replaced = Audit(
    partial(labelled, gradient_replace),
    GaussianDP(1.0),
    ReplaceOne(Real(-20, 20), size=5),
    expect="DPA105",
)
same_noise = Audit(
    partial(labelled, gradient_same_noise), GaussianDP(2**0.5), features, expect="DPA110"
)
final_noise = Audit(
    partial(labelled, gradient_final_noise), GaussianDP(1.0), features, expect="DPA105"
)
raw_loss = Audit(partial(labelled, gradient_raw_loss), GaussianDP(1.0), features, expect="DPA101")
batch_mean = Audit(
    partial(labelled, gradient_batch_mean), GaussianDP(1.0), features, expect="DPA103"
)
early_stopping = Audit(
    partial(labelled, gradient_early_stopping), GaussianDP(1.0), features, expect="DPA108"
)
best_of_runs = Audit(
    partial(labelled, gradient_best_of_runs), GaussianDP(1.0), features, expect="DPA107"
)
shuffled_as_poisson = Audit(
    partial(labelled, gradient_shuffled),
    ApproxDP(2.0, sampled_steps(0.5, 2, sigma=0.5).delta(2.0)),
    features,
    expect="DPA115",
)
median_clip = Audit(
    partial(labelled, gradient_median_clip), GaussianDP(1.0), features, expect="DPA103"
)
centered = Audit(partial(labelled, gradient_centered), GaussianDP(1.0), features, expect="DPA105")

# Output and objective perturbation

unit_interval = ReplaceOne(Real(-1, 1), size=5)
unit_disk = ReplaceOne(Row(a=Real(-1, 1), b=Real(-1, 1), label=Categorical([-1.0, 1.0])), size=5)

noisy_model = Audit(
    partial(labelled, output_perturbation), PureDP(1.0), unit_interval, max_calls=10_000
)
noisy_model_of_two_features = Audit(
    partial(tabled, output_perturbation), PureDP(1.0), unit_disk, max_calls=10_000
)
tilted_objective = Audit(
    partial(labelled, objective_perturbation), PureDP(1.0), unit_interval, max_calls=10_000
)
tilted_objective_of_two_features = Audit(
    partial(tabled, objective_perturbation), PureDP(1.0), unit_disk, max_calls=10_000
)
tilted_objective_of_little_curvature = Audit(
    partial(labelled, partial(objective_perturbation, regularization=0.02)),
    PureDP(1.0),
    ReplaceOne(Real(-1, 1), size=2),
    reason="Δ makes up for the curvature that is missing",
    max_calls=10_000,
)

weak_regularization = Audit(
    partial(labelled, output_perturbation_weak_regularization),
    PureDP(1.0),
    unit_interval,
    expect="DPA105",
)
free_intercept = Audit(
    partial(tabled, output_perturbation_free_intercept),
    PureDP(1.0),
    ReplaceOne(Row(x=Real(-1, 1), label=Categorical([-1.0, 1.0])), size=5),
    expect="DPA105",
)
raw_features = Audit(
    partial(labelled, output_perturbation_raw_features),
    PureDP(1.0),
    ReplaceOne(Real(-20, 20), size=5),
    expect="DPA105",
)
tilt_without_jacobian = Audit(
    partial(labelled, objective_perturbation_without_jacobian),
    PureDP(1.0),
    ReplaceOne(Integer(-1, 1), size=2),
    expect="DPA106",
)
tilt_unconverged = Audit(
    partial(labelled, objective_perturbation_unconverged),
    PureDP(1.0),
    unit_interval,
    expect="DPA106",
)
tilt_of_small_gaussian = Audit(
    partial(labelled, objective_perturbation_small_gaussian),
    PureDP(1.0),
    unit_interval,
    expect="DPA106",
)

# The votes of teachers

sixteen_votes = ReplaceOne(Categorical([0, 1, 2, 3]), size=16)

teachers_vote = Audit(noisy_vote, PureDP(1.0), sixteen_votes, expect="VERIFIED", max_calls=32_000)
confident_teachers_vote = Audit(
    partial(confident_noisy_vote, check_sigma=4.0, sigma=4.0),
    compose([GaussianDP(2**0.5 / 4), GaussianDP(0.25)]),
    sixteen_votes,
    expect="VERIFIED",
    reason="√2/σ for the vote and 1/τ for the check, σ = τ = 4",
    max_calls=32_000,
)

vote_pays_for_one_count = Audit(noisy_vote_one_count, PureDP(1.0), sixteen_votes, expect="DPA105")
winner_and_count = Audit(noisy_vote_winner_count, PureDP(1.0), sixteen_votes, expect="DPA106")
raw_check = Audit(noisy_vote_raw_check, PureDP(1.0), sixteen_votes, expect="DPA108")
overlapping_teachers = Audit(
    noisy_vote_overlapping_teachers,
    PureDP(1.0),
    ReplaceOne(Categorical([0, 1]), size=8),
    expect="DPA105",
)
teachers_by_position = Audit(
    noisy_vote_teachers_by_position,
    PureDP(1.0),
    AddRemove(Categorical([0, 1]), max_size=16),
    expect="DPA112",
)
