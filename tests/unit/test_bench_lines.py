"""Lines of code are counted as they are meant: without comments, docstrings and blank lines."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("_bench_lines", BENCHMARKS / "bench_lines.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
        sys.modules.pop("common", None)
    return module


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("x = 1\n", 1),
        ("# a comment\n\nx = 1  # another\n", 1),
        ('"""A module."""\n\nx = 1\n', 1),
        ('def f():\n    """Return.\n\n    Of two lines.\n    """\n    return 1\n', 2),
        ('class A:\n    """A class."""\n\n    x = 1\n', 2),
        ('async def f():\n    "short"\n', 1),
        ("x = (\n    1,\n\n    # between\n    2,\n)\n", 4),
        ('x = """no\n\ndocstring"""\n', 3),
        ('x = 1\n"a string that is no docstring"\n', 2),
        ("x = 1; y = 2\n", 1),
        ('if x:\n    "no docstring"\n', 2),
    ],
)
def test_lines_that_hold_code_are_counted(bench, text, lines):
    assert bench.code_lines(text) == lines


def test_names_of_library_functions_are_found_alone_and_in_lists_of_words(bench):
    text = 'a = {"numpy.clip": 1, "method": 2, "n": "numpy"}\nb = "builtins.abs math.exp".split()\n'
    assert bench.names_written(text) == {"numpy.clip", "builtins.abs", "math.exp"}
    assert bench.names_written('a = "numpy.copy: lambda a: numpy.array(a)"') == {"numpy.copy"}
