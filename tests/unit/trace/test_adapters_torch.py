"""Noise of torch is seen, repeated and taken away."""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict, frozen_noise
from dpaudit.evidence import NOT_COUPLED
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench

torch = pytest.importorskip("torch", reason="torch is not installed")


def noise():
    drawn = [
        torch.randn(2),
        torch.normal(0.0, 2.0, (2,)),
        torch.rand(2),
        torch.randint(0, 100, (4,)),
        torch.zeros(2).normal_(),
        torch.zeros(2).uniform_(),
        torch.zeros(2).exponential_(),
        torch.randn(2, generator=torch.Generator()),
    ]
    return [each.tolist() for each in drawn]


def test_a_seed_repeats_the_noise_and_moves_no_generator():
    before = torch.random.get_rng_state()
    drawn = []
    for seed in (1, 1, 2):
        with frozen_noise(seed=seed):
            drawn.append(noise())
    assert drawn[0] == drawn[1]
    assert not any(one == two for one, two in zip(drawn[0], drawn[2], strict=True))
    assert torch.equal(torch.random.get_rng_state(), before)


def test_without_noise_the_mean_is_left():
    with frozen_noise(zero=True):
        assert torch.normal(3.0, 1.0, (2,)).tolist() == [3.0, 3.0]
        assert torch.normal(torch.tensor([1.0, 2.0]), 1.0).tolist() == [1.0, 2.0]
        assert torch.zeros(2).normal_(4.0, 1.0).tolist() == [4.0, 4.0]
        assert torch.randn(2).tolist() == [0.0, 0.0]


def test_a_run_notes_kind_and_arguments():
    def mechanism(data):
        return float(data.sum() + torch.normal(mean=0.0, std=2.0, size=(1,))[0])

    with Bench(Subject.of(mechanism)) as bench:
        run = bench.run(np.ones(3), (1,))
    [draw] = run.noise
    assert draw.kind == "torch.normal"
    assert draw.request.arguments == {"mean": 0.0, "std": 2.0, "size": (1,)}


def test_functions_are_put_back():
    before = torch.randn, torch.Tensor.normal_
    with frozen_noise(seed=1):
        assert torch.randn is not before[0]
    assert (torch.randn, torch.Tensor.normal_) == before


def test_noise_of_torch_is_coupled_and_takes_a_seed():
    """Fixed seed; the seed that the mechanism sets is found by the trace, without draws."""

    def seeded(data):
        torch.manual_seed(0)
        return noisy(data)

    def noisy(data):
        return float(data.sum() + torch.distributions.Laplace(0.0, 1.0).sample())

    options = {"neighbors": AddRemove(Real(0, 1)), "seed": 0, "progress": False, "tier": 1}
    report = dpaudit.audit(noisy, PureDP(1.0), **options)
    assert report.verdict is not Verdict.REFUTED
    assert NOT_COUPLED not in [note for each in report.evidence for note in each.notes]
    found = dpaudit.audit(seeded, PureDP(1.0), **options)
    assert found.verdict is Verdict.REFUTED
    assert found.findings[0].id == "DPA110"
