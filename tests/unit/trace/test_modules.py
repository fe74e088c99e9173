"""The line of a cause is followed through all files of a program."""

import sys
import time
from dataclasses import replace

import pytest

import dpaudit
from dpaudit.evidence import Finding
from dpaudit.trace.roles import by_role

# `>` begins the line that an engine has told, `~` one that draws noise, `=` that of the cause.
SAMPLER = """
import random

def laplace_noise(scale):
>~  return scale * (random.expovariate(1) - random.expovariate(1))
"""
PLAIN = """
import numpy as np

def laplace_noise(scale):
>~  return np.random.laplace(0, scale)
"""
MOVED = {
    "a sampler is asked for a scale elsewhere": (
        "DPA106",
        {
            "noise": PLAIN,
            "query": """
from noise import laplace_noise

def f(data, epsilon):
=   scale = 1.0 / (2 * epsilon)
    return sum(data) + laplace_noise(scale)
""",
        },
    ),
    "a sampler has another name where it is used": (
        "DPA105",
        {
            "noise": PLAIN,
            "query": """
from noise import laplace_noise as lap

def f(data, epsilon):
=   return sum(data) + lap(1.0 / epsilon)
""",
        },
    ),
    "a sampler is that of a module": (
        "DPA106",
        {
            "noise": PLAIN,
            "query": """
import noise

def f(data, epsilon):
=   width = 1.0 / (3 * epsilon)
    return sum(data) + noise.laplace_noise(width)
""",
        },
    ),
    "what a sampler of another file is added to has a name": (
        "DPA105",
        {
            "noise": PLAIN.replace(">~", "~ "),
            "query": """
from noise import laplace_noise

def f(data, epsilon):
=   total = sum(min(x, 9.0) for x in data)
>   return total + laplace_noise(1.0 / epsilon)
""",
        },
    ),
    "what declares audits asks a sampler": (
        "DPA106",
        {
            "noise": PLAIN,
            "query": """
import dpaudit
from noise import laplace_noise

@dpaudit.audited
def f(data, epsilon):
=   scale = 0.5 / epsilon
    return sum(data) + laplace_noise(scale)
""",
        },
    ),
    "a scale is a property of the settings": (
        "DPA106",
        {
            "engine": """
import numpy as np
from settings import Settings

class Engine:
    def __init__(self, settings: Settings):
        self.settings = settings
    def f(self, data):
>~      return sum(data) + np.random.laplace(0, self.settings.width)
""",
            "settings": """
class Settings:
    epsilon = 1.0
    @property
    def width(self):
=       return 1.0 / (2 * self.epsilon)
""",
        },
    ),
    "a scale is an entry of the settings": (
        "DPA106",
        {
            "engine": """
import numpy as np
from settings import CONFIG

class Engine:
    def f(self, data):
>~      return sum(data) + np.random.laplace(0, CONFIG["width"])
""",
            "settings": """
CONFIG = {
    "epsilon": 1.0,
=   "width": 0.5 * 1.0,
}
""",
        },
    ),
    "a class is given its scale where it is made": (
        "DPA106",
        {
            "engine": """
import numpy as np

class Engine:
    def __init__(self, width):
        self.width = width
    def f(self, data):
>~      return sum(data) + np.random.laplace(0, self.width)
""",
            "query": """
from engine import Engine

def f(data, epsilon):
=   width = 0.5 * (1.0 / epsilon)
    return Engine(width).f(data)
""",
        },
    ),
}
KEPT = {
    "another program has an attribute of that name": (
        "DPA106",
        {
            "engine": """
import numpy as np

class Engine:
    def f(self, data):
>~=     return sum(data) + np.random.laplace(0, self.width)
""",
            "query": "import engine\nimport other\n",
            "other": """
class Other:
    def __init__(self, a):
        self.width = 2 * a
""",
        },
    ),
    "a function of that name is not the one that is imported": (
        "DPA106",
        {
            "noise": SAMPLER.replace(">~  return", ">~= return"),
            "query": """
import noise
from scipy.stats import laplace_noise

def f(data, epsilon):
    return sum(data) + laplace_noise(2.0 * epsilon)
""",
        },
    ),
    "what declares audits hands over a scale": (
        "DPA106",
        {
            "engine": """
import numpy as np

def f(data, width):
>~=     return sum(data) + np.random.laplace(0, width)
""",
            "query": """
import dpaudit
import engine

def audited(data):
    return engine.f(data, width=0.5 * 1.0)
""",
        },
    ),
    "two files ask for it": (
        "DPA106",
        {
            "noise": PLAIN.replace(">~  ", ">~= "),
            "query": """
import third
from noise import laplace_noise

def f(data, epsilon):
    return sum(data) + laplace_noise(1.0 / epsilon)
""",
            "third": """
from noise import laplace_noise

def f(data, epsilon):
    return max(data) + laplace_noise(2.0 / epsilon)
""",
        },
    ),
}


def told(folder, kind, texts):
    """Write a program and return its finding, with the file and the line of the cause."""
    found = {sign: [] for sign in ">~="}
    for name, text in texts.items():
        path, lines = folder / f"{name}.py", text.lstrip("\n").split("\n")
        for number, line in enumerate(lines, 1):
            for sign in set(line[:4]) & set(found) if line[:1] in ">~=" else ():
                found[sign].append((str(path), number))
        blank = str.maketrans(">=~", "   ")
        path.write_text("\n".join(line[:4].translate(blank) + line[4:] for line in lines))
    [at], [cause] = found[">"], found["="]
    noise = tuple((*place, "the laplace noise") for place in found["~"])
    return Finding(kind, "error", "f", (), *at, noise), cause


def mechanism(folder):
    query = folder / "query.py"
    return str(query if query.exists() else folder / "engine.py")


@pytest.mark.parametrize(("kind", "texts"), MOVED.values(), ids=MOVED)
def test_a_line_gives_way_to_one_of_another_file(kind, texts, tmp_path):
    finding, cause = told(tmp_path, kind, texts)
    found = by_role(finding, subject=mechanism(tmp_path))
    assert (found.id, found.file, found.line) == (kind, *cause)


@pytest.mark.parametrize(("kind", "texts"), KEPT.values(), ids=KEPT)
def test_a_line_stays_where_another_file_says_nothing_of_it(kind, texts, tmp_path):
    finding, cause = told(tmp_path, kind, texts)
    assert by_role(finding, subject=mechanism(tmp_path)) == finding
    assert (finding.file, finding.line) == cause


@pytest.mark.parametrize("given", ["DPA105", "DPA106"])
def test_a_scale_that_is_given_to_another_file_may_be_turned(given, tmp_path):
    query = """
from noise import laplace_noise

def f(data, sensitivity, epsilon):
=   scale = sensitivity * epsilon
    return sum(data) + laplace_noise(scale)
"""
    finding, cause = told(tmp_path, given, {"noise": PLAIN, "query": query})
    found = by_role(finding, subject=mechanism(tmp_path))
    assert (found.id, found.file, found.line) == ("DPA106", *cause)


def test_of_two_files_that_is_meant_to_which_a_run_came(tmp_path):
    finding, _ = told(tmp_path, *KEPT["two files ask for it"])
    query = mechanism(tmp_path)
    ran = {(query, 5), (finding.file, finding.line)}
    found = by_role(finding, subject=query, ran=lambda: ran)
    assert (found.file, found.line) == (query, 5)


def test_a_package_hands_on_what_its_modules_define(tmp_path):
    (tmp_path / "kit").mkdir()
    query = """
from kit import laplace_noise

def f(data, epsilon):
=   scale = 0.5 / epsilon
    return sum(data) + laplace_noise(scale)
"""
    texts = {
        "kit/__init__": "from .noise import laplace_noise\n",
        "kit/noise": PLAIN,
        "query": query,
    }
    finding, cause = told(tmp_path, "DPA106", texts)
    found = by_role(finding, subject=mechanism(tmp_path))
    assert (found.file, found.line) == cause


@pytest.mark.parametrize(
    "text",
    [
        "import query\nfrom query import *",
        "def (",
        "(" * 500,
        "from ....... import a",
        "\ufeff\x0c",
    ],
)
def test_a_file_that_tells_nothing_breaks_nothing(text, tmp_path):
    texts = dict(MOVED["a sampler is that of a module"][1])
    texts["query"] = f"\nimport broken\nimport nowhere.at.all{texts['query']}"
    finding, cause = told(tmp_path, "DPA106", texts)
    (tmp_path / "broken.py").write_text(text)
    found = by_role(finding, subject=mechanism(tmp_path))
    assert (found.file, found.line) == cause


@pytest.mark.parametrize("line", [-1, 0, 6, 7, 1_000])
def test_a_line_that_a_file_does_not_have_is_none_of_another(line, tmp_path):
    finding, _ = told(tmp_path, *MOVED["a sampler is that of a module"])
    finding = replace(finding, line=line)
    assert by_role(finding, subject=mechanism(tmp_path)) == finding


def test_of_very_many_files_some_are_read(tmp_path):
    texts = dict(MOVED["a sampler is that of a module"][1])
    names = [f"part_{n}" for n in range(200)]
    every = "".join(f"import {name}\n" for name in names)
    texts["query"] = f"\n{every}{texts['query']}"
    finding, cause = told(tmp_path, "DPA106", texts)
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"{every}x = [1, 2, 3]\n" + "y = x\n" * 2_000)
    begun = time.process_time()
    found = by_role(finding, subject=mechanism(tmp_path))
    assert (found.file, found.line) == cause
    assert time.process_time() - begun < 5


def test_an_audit_names_a_line_of_the_file_that_forms_the_scale(tmp_path, monkeypatch):
    query = """
from dp_noise_of_a_kit import laplace_noise

def f(data):
=   scale = 1.0 / 2.5
    return sum(data) + laplace_noise(scale)
"""
    texts = {"dp_noise_of_a_kit": PLAIN, "dp_query_of_a_kit": query}
    _, cause = told(tmp_path, "DPA106", texts)
    monkeypatch.syspath_prepend(str(tmp_path))
    import dp_query_of_a_kit as kit  # type: ignore[import-not-found]

    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1))
    report = dpaudit.audit(kit.f, dpaudit.PureDP(1.0), neighbors, max_calls=2_000)
    error = report.findings[0]
    assert (error.id in ("DPA105", "DPA106"), error.file, error.line) == (True, *cause)
    for name in texts:
        sys.modules.pop(name)
