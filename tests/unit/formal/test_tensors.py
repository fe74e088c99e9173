"""Tensors of PyTorch are lowered to arrays of float64, and all else of it is refused."""

import ast
import importlib.util
import sys
import types
from pathlib import Path

import pytest

import dpaudit
from dpaudit import AddRemove, ApproxDP, PureDP, Real, Verdict
from dpaudit.formal.lift import assumptions, lift
from dpaudit.formal.unsupported import Unsupported

HERE = Path(__file__).parent
TREE = ast.parse((HERE / "torch_programs.py").read_text())


def marked(mark):
    """The names of the programs that are marked so."""
    found = [each for each in TREE.body if isinstance(each, ast.FunctionDef)]
    marks = {each.name: "".join(map(ast.unparse, each.decorator_list)) for each in found}
    return [name for name, marks in marks.items() if marks.partition("(")[0] == mark]


def loaded(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def programs():
    """The programs on PyTorch, or on what stands in for it, which no other test sees."""
    try:
        import torch  # noqa: F401
    except ImportError:
        loaded("torch", HERE / "torch_stand_in.py")
    yield loaded("torch_programs", HERE / "torch_programs.py")
    stands_in = hasattr(sys.modules["torch"], "_state")
    for name in ["torch_programs", *(["torch", "torch.distributions"] if stands_in else [])]:
        del sys.modules[name]


def verified(function, low=0):
    claim = ApproxDP(1, 1e-5) if "normal" in function.__name__ else PureDP(1.0)
    return dpaudit.verify(function, claim, AddRemove(Real(low, 1)))


@pytest.mark.parametrize("name", marked("proved"))
def test_it_is_proved(programs, name):
    report = verified(getattr(programs, name))
    assert report.verdict is Verdict.VERIFIED, report.summary()


@pytest.mark.parametrize("name", marked("twin"))
def test_its_broken_twin_is_not_proved(programs, name):
    function = getattr(programs, name)
    report = verified(function, low=-2 if name == "clamped_on_one_side" else 0)
    assert report.verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("name", marked("refused"))
def test_it_is_refused_with_its_reason(programs, name):
    function = getattr(programs, name)
    with pytest.raises(Unsupported, match=programs.REFUSED[function]):
        lift(function)


def test_that_nobody_seeds_the_generator_is_assumed(programs):
    assert "nobody seeds a generator" in " ".join(assumptions(lift(programs.count)))


@pytest.mark.parametrize(
    "line",
    ["torch.manual_seed(3)", "torch.random.manual_seed(3)", "torch.set_rng_state(STATE)"],
)
def test_a_module_that_seeds_torch_is_refused_for_noise_of_torch_alone(programs, tmp_path, line):
    file = tmp_path / "seeding_torch.py"
    file.write_text(
        "import torch\n\n"
        "STATE = torch.get_rng_state()\n\n"
        "def release(data):\n"
        "    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)\n"
        "    return (x.sum() + torch.randn((), dtype=torch.float64)).item()\n\n"
        "def plain(data, rng):\n"
        "    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)\n"
        "    return x.sum().item() + rng.laplace()\n\n"
        "def begin():\n"
        f"    {line}\n\n"
        "def both(data):\n"
        "    begin()\n"
        "    return release(data)\n"
    )
    module = types.SimpleNamespace(**vars(loaded("seeding_torch", file)))
    with pytest.raises(Unsupported):
        lift(module.both)
    with pytest.raises(Unsupported, match="seeds one"):
        lift(module.release)  # the file reads the state
    lift(module.plain)


@pytest.mark.parametrize("line", ["torch.randn = min", "torch.Tensor.sum = max"])
def test_a_patch_of_torch_is_refused(programs, tmp_path, line):
    file = tmp_path / "patching_torch.py"
    file.write_text(
        "import torch\n\n"
        "def patch():\n"
        f"    {line}\n\n"
        "def release(data, rng):\n"
        "    patch()\n"
        "    x = torch.tensor(data, dtype=torch.float64).clamp(0, 1)\n"
        "    return x.sum().item() + rng.laplace()\n"
    )
    with pytest.raises(Unsupported, match="belongs to a library"):
        lift(loaded("patching_torch", file).release)


def test_jax_is_refused_with_its_reason(programs, tmp_path):
    stand_in = types.ModuleType("jax")
    exec("def normal(key): return 0.0", vars(stand_in))
    file = tmp_path / "drawing_with_jax.py"
    file.write_text("import jax\n\ndef release(data):\n    return data.sum() + jax.normal(3)\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "jax", stand_in)
        release = loaded("drawing_with_jax", file).release
        with pytest.raises(Unsupported, match=r"a call of JAX .float32 by default"):
            lift(release)
