"""One step of DP-SGD with jax_privacy, and twins with the errors that training code makes."""

import dp_accounting
import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import clipping, noise_addition

from dpaudit import AddRemove, Audit, Real, ReplaceOne, Row, from_dp_event
from dpaudit.subject import vectorized

REQUIRES = ("jax_privacy",)
CLIP, NOISE, SIZE = 2.0, 1.0, 4
ADDED = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE
START = {"w": np.zeros(1, np.float32), "b": np.zeros(1, np.float32)}
PUBLIC = {"w": np.zeros(1, np.float32), "b": np.full(1, 20, np.float32)}
step_event = dp_accounting.GaussianDpEvent(NOISE)
example = Row(x=Real(-1, 1), y=Real(-4, 4))
batches = AddRemove(example, max_size=SIZE)


def loss(params, x, y):
    return jnp.mean((params["w"] * x + params["b"] - y) ** 2)


def clip_leaf(leaf):
    return clipping.clip_pytree(leaf, CLIP)[0]


bounded = clipping.clipped_grad(loss, l2_clip_norm=CLIP, batch_argnums=(1, 2))
unbounded = clipping.clipped_grad(loss, l2_clip_norm=np.inf, batch_argnums=(1, 2))
by_leaf = clipping.clipped_grad(
    loss,
    l2_clip_norm=np.inf,
    batch_argnums=(1, 2),
    pre_clipping_transform=lambda gradient: jax.tree.map(clip_leaf, gradient),
)
clipped_sum, plain_sum, leaf_sum = (jax.jit(each.fun) for each in (bounded, unbounded, by_leaf))


def summed(function, data, params=START):
    """Return a sum of gradients; batches are padded to one size, so that JAX compiles once."""
    x, y = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32)
    x[: len(data)], y[: len(data)] = data["x"], data["y"]
    return function(params, x, y, is_padding_example=np.arange(SIZE) >= len(data))


def flat(gradient):
    return np.concatenate([gradient["b"], gradient["w"]]).astype(np.float64)


def key(rng):
    return jax.random.wrap_key_data(rng.integers(2**32, size=2, dtype=np.uint32))


def noisy(gradient, stddev, key):
    """Return the gradient with the noise of the library."""
    privatizer = noise_addition.gaussian_privatizer(stddev=stddev, prng_key=key)
    return privatizer.update(gradient, privatizer.init(gradient))[0]


@vectorized
def clipped_step(data, n, rng):
    scale = NOISE * bounded.sensitivity(ADDED)
    return flat(summed(clipped_sum, data)) + rng.normal(scale=scale, size=(n, 2))


@vectorized
def step_clipped_after_averaging(data, n, rng):
    size = max(1, len(data))
    mean = flat(summed(plain_sum, data)) / size
    mean = mean * min(1.0, CLIP / max(np.linalg.norm(mean), 1e-12))
    return mean + rng.normal(scale=NOISE * CLIP / size, size=(n, 2))


@vectorized
def step_clipped_by_leaf(data, n, rng):
    return flat(summed(leaf_sum, data)) + rng.normal(scale=NOISE * CLIP, size=(n, 2))


def privatized_step(data, rng):
    stddev = NOISE * bounded.sensitivity(ADDED)
    return flat(noisy(summed(clipped_sum, data), stddev, key(rng)))


def step_without_the_norm_in_its_noise(data, rng):
    return flat(noisy(summed(clipped_sum, data), NOISE, key(rng)))


def two_steps_with_one_key(data, rng):
    noise_key, stddev = key(rng), NOISE * CLIP
    first = noisy(summed(clipped_sum, data), stddev, noise_key)
    second = noisy(summed(clipped_sum, data, PUBLIC), stddev, noise_key)
    return np.concatenate([flat(first), flat(second)])


release = jax.jit(jax.vmap(noisy, in_axes=(None, None, 0)))


@vectorized
def compiled_step(data, n, rng):
    """Draw the noise of many steps at once, from keys whose number is a power of two."""
    size = 1 << (n - 1).bit_length()
    keys = jax.random.wrap_key_data(rng.integers(2**32, size=(size, 2), dtype=np.uint32))
    noise = release(summed(clipped_sum, data), NOISE * CLIP, keys)
    return np.concatenate([noise["b"], noise["w"]], axis=1)[:n]


clipping_of_examples = Audit(
    clipped_step,
    from_dp_event(step_event),
    batches,
    reason="an example moves the sum by at most its clipping norm",
    engines=["trace", "statistical"],
    max_calls=20_000,
)
clipping_of_replaced_examples = Audit(
    clipped_step,
    from_dp_event(step_event, relation="replace-one"),
    ReplaceOne(example, size=SIZE),
    reason="a replaced example moves the sum by at most twice the norm",
    engines=["trace", "statistical"],
    max_calls=100_000,
)
claim_for_added_examples = Audit(
    clipped_step,
    from_dp_event(step_event),
    ReplaceOne(example, size=SIZE),
    expect="DPA105",
    reason="the claim is for added examples; a replaced one moves the sum by twice the norm",
    engines=["trace", "statistical"],
    max_calls=20_000,
)
clipping_after_averaging = Audit(
    step_clipped_after_averaging,
    from_dp_event(step_event, relation="replace-one"),
    ReplaceOne(example, size=SIZE),
    expect="DPA105",
    reason="the mean of a batch is clipped, not each gradient",
    engines=["trace", "statistical"],
    max_calls=20_000,
)
clipping_by_leaf = Audit(
    step_clipped_by_leaf,
    from_dp_event(step_event),
    batches,
    expect="DPA105",
    reason="two leaves of the clipping norm each have √2 of it together",
    engines=["trace", "statistical"],
    max_calls=20_000,
)
noise_of_the_privatizer = Audit(
    compiled_step,
    from_dp_event(step_event),
    batches,
    reason="noise of one standard deviation times the clipping norm",
    engines=["statistical"],
    max_calls=20_000,
)
noise_without_the_norm = Audit(
    step_without_the_norm_in_its_noise,
    from_dp_event(step_event),
    batches,
    expect="REFUTED",
    reason="the standard deviation is not multiplied by the clipping norm",
    engines=["trace", "statistical"],
    max_calls=4_000,
)
noise_of_one_key = Audit(
    two_steps_with_one_key,
    from_dp_event(dp_accounting.SelfComposedDpEvent(step_event, 2)),
    batches,
    expect="DPA110",
    reason="two steps share their noise, so their difference is exact",
    engines=["trace", "statistical"],
    max_calls=4_000,
)
sampling_that_is_not_done = Audit(
    clipped_step,
    from_dp_event(dp_accounting.PoissonSampledDpEvent(0.25, step_event)),
    batches,
    expect="REFUTED",
    reason="the claim counts on batches of a random quarter; every example is in the batch",
    engines=["trace", "statistical"],
    max_calls=20_000,
)
