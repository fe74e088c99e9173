"""Mechanisms on tensors of PyTorch: proved ones, their broken twins, and what is refused."""

import numpy as np
import torch
from torch.distributions import Laplace, Normal

REFUSED = {}


def proved(function):
    return function


def twin(function):
    return function


def refused(why):
    def mark(function):
        REFUSED[function] = why
        return function

    return mark


def noise(scale):
    zero = torch.tensor(0.0, dtype=torch.float64)
    return Laplace(zero, torch.tensor(scale, dtype=torch.float64)).sample()


@proved
def sum_of_clamped(data, epsilon=1.0):
    x = torch.clamp(torch.tensor(data, dtype=torch.float64), min=0.0, max=1.0)
    scale = torch.tensor(1.0 / epsilon, dtype=torch.float64)
    return float(torch.sum(x) + Laplace(0.0, scale).sample())


@proved
def number_of_a_generator(data, rng):
    x = torch.tensor(data, dtype=torch.float64)
    return x.clamp(0, 1).sum().item() + rng.laplace(0, 1.0)


@proved
def count(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (~(x <= 0.5)).sum() + noise(1.0)


@proved
def value_as_location(data):
    x = torch.tensor(data, dtype=torch.float64)
    return Laplace(x.clamp(0, 1).sum(), 1.0).sample().item()


@proved
def several_numbers(data):
    x = torch.tensor(data, dtype=torch.float64)
    n = (x > 0.5).sum()
    return (n + Laplace(torch.zeros(2, dtype=torch.float64), 2.0).sample()).tolist()


@proved
def masked(data):
    x = torch.tensor(data, dtype=torch.float64)
    kept = x[(x > 0.25) & (x < 0.75)]
    return (kept.clamp(0, 1).sum() + noise(1.0)).item()


@proved
def chosen(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (torch.where(x > 0.25, x, 0.0).clamp(0, 1).sum() + noise(1.0)).item()


@proved
def an_array_at_the_end(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(min=0.0).clamp(max=1.0)
    return (x.sum() + Laplace(torch.zeros(1, dtype=torch.float64), 1.0).sample()).numpy()


@twin
def half_the_scale(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (x.clamp(0, 1).sum() + noise(0.5)).item()


@twin
def clamped_on_one_side(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (x.clamp(max=1).sum() + noise(1.0)).item()


@twin
def private_scale(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return (x.sum() + Laplace(torch.tensor(0.0, dtype=torch.float64), x.mean()).sample()).item()


@twin
def divided_by_the_length(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return (x.sum() / len(x) + noise(0.5)).item()


@twin
def noise_of_one_draw_taken_off_again(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    drawn = noise(1.0)
    return (x.sum() + drawn - drawn).item()


@twin
def twice_the_records(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return (2 * x.sum() + noise(1.0)).item()


@refused("float32")
def float32_noise(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (x.clamp(0, 1).sum() + 5 * torch.randn(1)).item()


@refused("float32")
def float32_noise_of_numbers(data):
    return np.clip(data, 0, 1).sum() + torch.distributions.Laplace(0.0, 1.0).sample().item()


@refused("float32")
def type_of_the_data(data):
    x = torch.tensor(data)
    return (x.clamp(0, 1).sum() + noise(1.0)).item()


@refused("float32")
def cast(data):
    x = torch.tensor(data, dtype=torch.float64).float()
    return (x.clamp(0, 1).sum() + noise(1.0)).item()


@refused("float32")
def count_times_a_float(data):
    x = torch.tensor(data, dtype=torch.float64)
    return ((x > 0.5).sum() * 0.1 + noise(0.1)).item()


@refused("float32")
def float32_normal(data):
    total = torch.tensor(data, dtype=torch.float64).clamp(0, 1).sum()
    return (total + torch.normal(0.0, 5.0, size=(1,))).item()


@refused("shares memory")
def shared_memory(data):
    x = torch.from_numpy(data)
    data += 1.0
    return (x.clamp(0, 1).sum() + noise(1.0)).item()


@refused("in place")
def clamped_in_place(data):
    x = torch.tensor(data, dtype=torch.float64)
    x.clamp_(0, 1)
    return (x.sum() + noise(1.0)).item()


@refused("in place")
def another_name(data):
    noisy = torch.tensor(data, dtype=torch.float64).clamp(0, 1).sum() + noise(1.0)
    seen = noisy
    noisy += noise(1.0)
    return seen.item()


@refused("an array of a tensor")
def array_that_is_changed(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    array = x.numpy()
    array[:] = 5.0
    return (x.sum() + noise(1.0)).item()


@refused("not the data itself")
def reversed_data(data):
    """PyTorch raises for arrays with negative strides: only with two records or more."""
    x = torch.tensor(data[::-1], dtype=torch.float64)
    return (x.clamp(0, 1).sum() + noise(1.0)).item()


@refused("may be an array")
def beside_an_array(data):
    """An array on the left raises an exception, which NumPy does not."""
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    weight = np.ones(1) if len(data) > 3 else 1.0
    return (weight * x.sum() + noise(1.0)).item()


@refused("'norm' with these arguments")
def other_norm(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (x.norm(p=1) + noise(1.0)).item()


@refused("an exception tells")
def location_in_a_text(data):
    """A distribution with a scale that is not positive raises, and says where it is."""
    total = torch.tensor(data, dtype=torch.float64).clamp(0, 1).sum()
    scale = 0.5 + noise(1.0)
    return Laplace(total, scale).sample().item()


@refused("the method 'where'")
def mask_of_a_method(data):
    x = torch.tensor(data, dtype=torch.float64)
    return (x.where(x > 0.5, x * 0.0).sum() + noise(1.0)).item()


def told(value):
    print(value)
    return torch.tensor(0.0, dtype=torch.float64)


def law_that_tells(value):
    print(value)
    return Laplace(torch.tensor(0.0, dtype=torch.float64), 1.0)


@refused("has no name")
def shape_of_what_prints(data):
    """Only the shape of the tensor is asked, but the function prints the sum."""
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return told(x.sum().item()).numel()


@refused("has no name")
def noise_like_what_prints(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return torch.randn_like(told(x.sum().item())).item()


@refused("that a function returns")
def law_of_a_function(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return law_that_tells(x.sum().item()).sample().item()


@refused("in another order")
def arguments_in_another_order(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return x.clamp(max=told(x.sum().item()).item(), min=told(0.0).item()).sum().item()


@refused("as a value")
def printed(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    print(x.sum())
    return (x.sum() + noise(1.0)).item()


@refused("as a value")
def formatted(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return f"{x.sum()} {noise(1.0).item()}"


@refused("as a value")
def item_that_is_set(data):
    x = torch.tensor(data, dtype=torch.float64)
    x[:] = 0.0
    return (x.sum() + noise(1.0)).item()


@refused("as a value")
def gone_through(data):
    x = torch.tensor(data, dtype=torch.float64)
    return sum(x) + noise(1.0)


@twin
def variable_of_two_kinds(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    if len(data) > 3:
        x = np.ones(3)
    return (x.sum() + noise(1.0)).item()


@refused("as a value")
def into_numpy(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return float(np.sum(x)) + noise(1.0).item()


@refused("with these arguments")
def generator_of_its_own(data):
    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)
    return (x.sum() + 5 * torch.randn(1, dtype=torch.float64, generator=data)).item()


@proved
def normal_noise(data):
    total = torch.tensor(data, dtype=torch.float64).clamp(0, 1).sum()
    first = total + 9.0 * torch.randn_like(total)
    second = total + Normal(0.0, torch.tensor(9.0, dtype=torch.float64)).sample()
    third = torch.normal(total, 9.0)
    fourth = total + torch.normal(0.0, 9.0, size=(1,), dtype=torch.float64)
    return first.item(), second.item(), third.item(), fourth.tolist()


@twin
def normal_noise_too_small(data):
    total = torch.tensor(data, dtype=torch.float64).clamp(0, 1).sum()
    return (total + 0.5 * torch.randn((), dtype=torch.float64)).item()
