"""What the programs of `torch_programs` ask of PyTorch, with NumPy, for where it is not installed.

It is loaded under the name ``torch``. Its types, dtypes and exceptions are those of PyTorch 2.
"""

import sys
import types

import numpy as np

_state = [np.random.default_rng(7)]


class dtype:  # noqa: N801 - the name that PyTorch gives it
    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def __repr__(self):
        return f"torch.{self.name}"


float64, float32 = dtype("float64", np.float64), dtype("float32", np.float32)
int64, bool = dtype("int64", np.int64), dtype("bool", np.bool_)
_KINDS = {np.dtype(each.kind): each for each in (float64, float32, int64, bool)}


class Tensor:
    __array_priority__ = 1000

    def __init__(self, array):
        self.array = np.asarray(array)

    dtype = property(lambda self: _KINDS[self.array.dtype])
    shape = property(lambda self: self.array.shape)

    def __len__(self):
        return len(self.array)

    def __float__(self):
        return float(self.array.item())

    def __getitem__(self, index):
        return Tensor(self.array[index.array if isinstance(index, Tensor) else index])

    def __invert__(self):
        return Tensor(~self.array)

    def __neg__(self):
        return Tensor(-self.array)

    def __iadd__(self, other):
        self.array += other.array
        return self

    def item(self):
        return self.array.item()

    def tolist(self):
        return self.array.tolist()

    def numpy(self):
        return self.array

    def double(self):
        return Tensor(self.array.astype(np.float64))

    def float(self):
        return Tensor(self.array.astype(np.float32))

    def numel(self):
        return self.array.size

    def clamp_(self, low, high):
        self.array = np.clip(self.array, low, high)
        return self

    def clamp(self, min=None, max=None):
        return Tensor(np.clip(self.array, min, max))

    def sum(self, dim=None):
        return Tensor(self.array.sum(axis=dim))

    def mean(self, dim=None):
        return Tensor(self.array.mean(axis=dim))

    def max(self):
        return Tensor(self.array.max())

    def norm(self, p=2, dim=None, keepdim=False):
        return Tensor(np.linalg.norm(self.array, axis=dim, keepdims=keepdim))


def _operator(function, turned):
    def apply(self, other):
        sides = (self.array, other.array if isinstance(other, Tensor) else other)
        if isinstance(other, list):
            return NotImplemented
        return Tensor(function(*(reversed(sides) if turned else sides)))

    return apply


for _name, _function in (
    ("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.divide),
    ("lt", np.less), ("le", np.less_equal), ("gt", np.greater), ("ge", np.greater_equal),
    ("and", np.bitwise_and), ("or", np.bitwise_or),
):  # fmt: skip
    setattr(Tensor, f"__{_name}__", _operator(_function, turned=False))
    setattr(Tensor, f"__r{_name}__", _operator(_function, turned=True))


def tensor(data, *, dtype=None):
    array = np.asarray(data.array if isinstance(data, Tensor) else data)
    if dtype is None:
        dtype = float32 if array.dtype.kind == "f" and not isinstance(data, np.ndarray) else None
    return Tensor(array.astype(array.dtype if dtype is None else dtype.kind))


def from_numpy(array):
    return Tensor(array)


def _noise(draw, dtype):
    return Tensor(np.asarray(draw).astype((dtype or float32).kind))


def _shape(shape):
    return shape[0] if len(shape) == 1 else shape


def randn(*shape, dtype=None):
    return _noise(_state[0].standard_normal(_shape(shape)), dtype)


def rand(*shape, dtype=None):
    return _noise(_state[0].random(_shape(shape)), dtype)


def randn_like(input):
    return _noise(_state[0].standard_normal(input.shape), input.dtype)


def normal(mean, std, size=None, *, dtype=None):
    loc, scale = (each.array if isinstance(each, Tensor) else each for each in (mean, std))
    return _noise(_state[0].normal(loc, scale, size), dtype if size is not None else float64)


def zeros(*shape, dtype=None):
    return _noise(np.zeros(_shape(shape)), dtype)


def clamp(input, min=None, max=None):
    return input.clamp(min, max)


def sum(input, dim=None):
    return input.sum(dim)


def maximum(input, other):
    return Tensor(np.maximum(input.array, other.array))


def where(condition, input, other):
    sides = (each.array if isinstance(each, Tensor) else each for each in (input, other))
    return Tensor(np.where(condition.array, *sides))


def equal(one, other):
    return one == other


def manual_seed(seed):
    _state[0] = np.random.default_rng(seed)


def get_rng_state():
    return _state[0].bit_generator.state


def set_rng_state(state):
    _state[0].bit_generator.state = state


class _Law:
    def __init__(self, loc, scale):
        given = [each.array if isinstance(each, Tensor) else each for each in (loc, scale)]
        tensors = [each for each in (loc, scale) if isinstance(each, Tensor)]
        self.given, self.dtype = given, float64 if tensors else float32
        if not np.all(np.asarray(scale.array if isinstance(scale, Tensor) else scale) > 0):
            raise ValueError("Expected parameter scale to be greater than 0")

    def sample(self, sample_shape=()):
        shape = (*sample_shape, *np.broadcast_shapes(*map(np.shape, self.given)))
        return _noise(getattr(_state[0], self.family)(*self.given, shape), self.dtype)


class Laplace(_Law):
    family = "laplace"


class Normal(_Law):
    family = "normal"


distributions = types.ModuleType("torch.distributions")
distributions.Laplace, distributions.Normal = Laplace, Normal
sys.modules["torch.distributions"] = distributions
