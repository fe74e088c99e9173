"""One training run with jax_privacy, audited by its canaries against the library's accountant."""

import numpy as np
import pytest

from dpaudit.estimates import one_run

pytest.importorskip("jax_privacy", reason="jax_privacy is not installed")

import jax
import jax.numpy as jnp
from jax_privacy import accounting, batch_selection, clipping, noise_addition

from dpaudit import ApproxDP

pytestmark = pytest.mark.filterwarnings("ignore:optax.global_norm:DeprecationWarning")
CLIP, NOISE, DELTA = 6.0, 1.5, 1e-5
STEPS, SHARE, FEATURES, EXAMPLES, CANARIES = 16, 0.2, 10, 200, 1_000


def loss(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


gradient = jax.jit(clipping.clipped_grad(loss, l2_clip_norm=CLIP, batch_argnums=(1, 2)).fun)


def accounted():
    """Return the claim of the library's accountant."""
    accountant = accounting.analysis.DpsgdTrainingAccountant(
        accounting.accountants.PldAccountantConfig(value_discretization_interval=1e-3)
    )
    params = accounting.analysis.DpParams(
        noise_multipliers=NOISE,
        num_samples=EXAMPLES + CANARIES,
        delta=DELTA,
        batch_size=int(SHARE * (EXAMPLES + CANARIES)),
    )
    return ApproxDP(accountant.compute_epsilon(STEPS, params), DELTA)


def trained(included, rng, stddev, share=SHARE):
    """Train a linear model; return the scores of the canaries.

    A canary has a feature of its own and a label far from what the model predicts, so that its
    clipped gradient points along that feature. What the noisy gradients say there is its score.
    """
    x = np.zeros((EXAMPLES + CANARIES, FEATURES + CANARIES), np.float32)
    x[:EXAMPLES, :FEATURES] = rng.normal(size=(EXAMPLES, FEATURES))
    x[EXAMPLES:, FEATURES:] = np.eye(CANARIES)
    y = np.concatenate([x[:EXAMPLES, :FEATURES].sum(axis=1), np.full(CANARIES, 100.0)])
    kept = np.flatnonzero(np.concatenate([np.ones(EXAMPLES, bool), included]))
    key = jax.random.wrap_key_data(rng.integers(2**32, size=2, dtype=np.uint32))
    privatizer = noise_addition.gaussian_privatizer(stddev=stddev, prng_key=key)
    params = np.zeros(x.shape[1], np.float32)
    state, scores = privatizer.init(params), np.zeros(CANARIES)
    sampling = batch_selection.CyclicPoissonSampling(sampling_prob=share, iterations=STEPS)
    for indices in sampling.batch_iterator(len(kept), rng):
        absent = np.ones(len(x), bool)
        absent[kept[indices]] = False
        total = gradient(params, x, y.astype(np.float32), is_padding_example=absent)
        noisy, state = privatizer.update(total, state)
        params = params - 0.1 / len(x) * noisy
        scores -= np.asarray(noisy)[FEATURES:]
    return scores


def audited(seed, stddev, share=SHARE):
    rng = np.random.default_rng(seed)
    included = rng.random(CANARIES) < 0.5
    scores = trained(included, rng, stddev, share)
    return scores, included, one_run(scores, included, delta=DELTA, claim=accounted())


def test_training_stays_below_what_the_library_accounts_for():
    """A fresh seed fails at most once in 20 by the theorem; of 3 seeds none came near."""
    *_, found = audited(1, NOISE * CLIP)
    assert 0 < found.value < found.bound


@pytest.mark.parametrize(
    ("stddev", "share"), [(NOISE, SHARE), (NOISE * CLIP, 1.0)], ids=["norm", "sampling"]
)
def test_noise_without_the_norm_and_whole_batches_exceed_it(stddev, share):
    """With three fresh seeds all bounds exceeded the claim: by .4 and by .6 at least."""
    *_, found = audited(1, stddev, share)
    assert found.value > found.bound
