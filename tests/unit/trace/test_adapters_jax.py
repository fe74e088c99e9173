"""Noise of JAX is seen, traced, repeated and taken away."""

import operator
import re
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, GaussianDP, Real, frozen_noise
from dpaudit.subject import Subject
from dpaudit.trace.compare import answer_with, compare, differences, precision
from dpaudit.trace.record import Bench

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp, random = jax.numpy, jax.random


def key_of(rng):
    return random.wrap_key_data(rng.integers(2**32, size=2, dtype=np.uint32))


def noise():
    one, two, three = random.split(key_of(np.random.default_rng()), 3)
    return [
        random.normal(one, (2,)),
        random.laplace(two, (2,)),
        random.uniform(three, (2,), minval=2.0, maxval=4.0),
        random.gumbel(one),
        random.bernoulli(two, 0.5, (40,)),
        random.choice(three, jnp.arange(50), (3,)),
        random.randint(one, (4,), 0, 1_000),
        jax.jit(lambda key: random.normal(key, (2,)))(two),
    ]


def sum_with_noise(data, rng):
    total = jnp.array([data.sum(), 1.0])
    return 2.0 * random.normal(key_of(rng), (2,)) + total


def test_a_seed_repeats_the_noise_also_of_compiled_functions():
    drawn = []
    for seed in (1, 1, 2):
        with frozen_noise(seed=seed):
            drawn.append([each.tolist() for each in noise()])
    assert drawn[0] == drawn[1]
    assert not any(one == two for one, two in zip(drawn[0], drawn[2], strict=True))


def test_without_noise_the_location_is_left():
    with frozen_noise(zero=True):
        normal, laplace, uniform, gumbel, coins, chosen, *_ = noise()
    assert normal.tolist() == laplace.tolist() == [0.0, 0.0]
    assert uniform.tolist() == [3.0, 3.0]
    assert gumbel == 0
    assert not coins.any()
    assert chosen.tolist() == [0, 0, 0]


def test_noise_is_traced_through_arrays_of_jax():
    with Bench(Subject.of(sum_with_noise)) as bench:
        run = bench.run(np.array([3.0, 4.0]), (1,))
        plain = bench.run(np.array([3.0, 4.0]), (1,), traced=False)
    assert [draw.kind for draw in run.noise] == ["integers", "standard_normal"]
    [sink] = run.tape.sinks
    assert run.tape.base(sink) == pytest.approx([7.0, 1.0], abs=1e-5)
    assert sink.coefficients.tolist() == [2.0, 2.0]
    assert np.asarray(run.output) == pytest.approx(np.asarray(plain.output), abs=1e-6)


@pytest.mark.parametrize("other", [1.0, np.array([1.0, 2.0], np.float32), jnp.array([1.0, 2.0])])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_operators_give_what_jax_gives(name, swapped, other):
    def mechanism(data, rng):
        drawn = random.uniform(key_of(rng), (2,), minval=1.0, maxval=2.0)
        return getattr(operator, name)(*((other, drawn) if swapped else (drawn, other)))

    with Bench(Subject.of(mechanism)) as bench:
        traced, plain = (bench.run(np.ones(1), (1,), traced=each) for each in (True, False))
    assert np.asarray(traced.output) == pytest.approx(np.asarray(plain.output), rel=1e-6)


def test_what_is_compiled_meanwhile_draws_anew_afterwards():
    compiled = jax.jit(lambda key: random.normal(key, (2,)))
    with Bench(Subject.of(lambda data, rng: compiled(key_of(rng)))) as bench:
        run = bench.run(np.ones(1), (1,))
    assert [draw.kind for draw in run.noise] == ["integers"]
    one, two = (compiled(random.key(seed)).tolist() for seed in (1, 2))
    assert one != two
    assert one == random.normal(random.key(1), (2,)).tolist()


def test_equal_outputs_differ_by_the_rounding_of_single_precision():
    """The noise of both runs is moved, and added in single precision."""
    bench = Bench(Subject.of(sum_with_noise))
    with bench:
        left = bench.run(np.ones(1), (1,))
        right = bench.run(np.full(1, 3.7), (1,), answer=answer_with(left, {}))
        moves = compare(left, right).coupling.moves
        moved = bench.run(np.full(1, 3.7), (1,), answer=answer_with(left, moves))
    assert sum(move != 0 for move in moves.values()) == 1
    assert not differences(left.output, moved.output, tolerance=precision(left))


def test_functions_and_operators_are_put_back():
    kind = type(jnp.zeros(()))
    before = random.normal, random.key, kind.__add__
    with frozen_noise(seed=1):
        assert random.normal is not before[0]
    assert (random.normal, random.key, kind.__add__) == before


@pytest.mark.parametrize(("noise", "is_broken"), [("4.0 *", False), ("0.5 *", True)])
def test_the_step_of_the_guide_is_audited_as_it_is_pasted(noise, is_broken, tmp_path):
    """Other environments do not run that block. The second has an eighth of the noise.

    The seed is fixed; another one would refute the sound step one time in 1,000.
    """
    guide = Path(__file__).parents[3] / "docs" / "training.md"
    [block] = re.findall(r"^```py\n(.*?)^```", guide.read_text(encoding="utf-8"), re.M | re.S)
    assert "4.0 *" in block
    file = tmp_path / "pasted.py"
    file.write_text(block.replace("4.0 *", noise), encoding="utf-8")
    names = {"__name__": "pasted"}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    report = dpaudit.audit(
        names["step"], GaussianDP(0.25), AddRemove(Real(-1, 1), max_size=2),
        engines=["statistical"], max_calls=1_000, max_seconds=None, isolation="none",
        alpha=1e-3,
    )  # fmt: skip
    assert (report.verdict is dpaudit.Verdict.REFUTED) is is_broken, report.reason
    assert np.isfinite(names["step"](np.ones(2), np.random.default_rng(0))).all()
