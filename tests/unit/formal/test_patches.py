"""Code that changes a library's functions: no program is read whose calls may mean other things."""

import ast
import importlib

import pandas as pd
import pytest

from dpaudit.formal.lift import lift
from dpaudit.formal.lifting.patches import patching
from dpaudit.formal.unsupported import Unsupported

START = """
import builtins, importlib, logging, math, statistics, sys, warnings
from unittest import mock
import numpy as np
import pandas as pd
from pandas import Series
"""
CHANGES = (
    "np.mean = g",
    "builtins.sum = g",
    "del np.mean",
    "__builtins__['sum'] = g",
    "vars(math)['exp'] = g",
    "math.__dict__.update(exp=g)",
    "setattr(pd.Series, name, g)",
    "builtins.setattr(math, 'exp', g)",
    "type.__setattr__(pd.Series, 'sum', g)",
    "mock.patch('numpy.sum', g).start()",
    "mock.patch.object(pd.Series, 'sum', g).start()",
    "pd.core.nanops.nansum = g",
    "statistics.mean.__code__ = g.__code__",
    "statistics.mean.__globals__['_sum'] = g",
    "np.sctypeDict['double'] = g",
    "for kind in (pd.Series, pd.DataFrame):\n    kind.sum = g",
    "for kind in pd.Series.__mro__:\n    kind.sum = g",
    "for kind, f in {Series: g}.items():\n    kind.sum = f",
    "def f():\n    S = Series\n    S.sum = g",
    "def f(kind):\n    kind.sum = g\nf(Series)",
    "def f(kind=Series):\n    kind.sum = g",
    "class P:\n    def __init__(self, kind):\n        self.kind = kind\n"
    "    def go(self):\n        self.kind.sum = g\nP(Series)",
    "class P:\n    kind = Series\nP.kind.sum = g",
    "type(Series([1])).sum = g",
    "Series([1]).__class__.sum = g",
    "getattr(pd, 'Series').sum = g",
    "importlib.import_module('pandas').Series.sum = g",
    "sys.modules['pandas'].Series.sum = g",
    "from numpy import *\nmean.__wrapped__ = g",
    "sys.maxsize = 5",
    "importlib.import_module('noi' + 'se')",
    "importlib.import_module(name='noi' + 'se')",
    "importlib.import_module('.noise', 'kept')",
    "__import__('kept', fromlist=['noise'])",
    "list(map(importlib.import_module, ['noise']))",
    "load = __import__\nload('noise')",
    "from importlib import import_module as load\nload('noise')",
    "getattr(importlib, 'import_' + 'module')('noise')",
    "vars(sys)['settrace'](g)",
    "importlib.util.spec_from_file_location('n', f).loader.exec_module(m)",
    "import runpy\nrunpy.run_path('noise.py')",
    "import pickle\npickle.loads(b'')",
    "exec(text)",
    "exec('import noise')",
    "builtins.eval(text)",
    "sys.settrace(g)",
    "sys.setprofile(print)",
    "from sys import settrace",
    "sys.meta_path.insert(0, g)",
    "def handler(number, frame):\n    print(frame.f_locals)",
    "import inspect\ndef show(*given):\n    print(inspect.stack())",
    "import gc\nfor each in gc.get_objects():\n    pass",
    "np.seterr(all='raise')",
    "np.seterr(**kept)",
    "np.seterrcall(g)",
    "warnings.simplefilter('error')",
    "warnings.filterwarnings(action)",
    "import copyreg\ncopyreg.pickle(np.ndarray, g)",
    "import codecs\ncodecs.register(g)",
)
KEEPS = (
    "sys.stdout = g",
    "sys.excepthook = g",
    "warnings.showwarning = g",
    "warnings.filterwarnings('ignore', category=g)",
    "np.seterr(divide='ignore')",
    "importlib.import_module('noise')",
    "__import__('noise')",
    "model.eval()",
    "frame.eval('a + b')",
    "getattr(np, name)(3)",
    "import atexit\natexit.register(g)",
    "pd.options.display.max_rows = 5",
    "frame = pd.DataFrame()\nframe.columns = ['a']",
    "class C:\n    size = 1\nC.size = 2",
    "class C:\n    def f(self):\n        type(self).count += 1\n        self.__class__.count = 0",
    "SCALE = math.pi\ng.scale = SCALE",
    "def np_(np):\n    return np",
    "mock.patch.object(g, 'sum')",
    "d = {}\nd['sum'] = np.sum\nd.update(mean=np.mean)",
)
RELEASES = {
    "when it is imported": "pd.Series.sum = g\n",
    "in a callback": "class H(logging.Handler):\n    def emit(self, record):\n"
    "        pd.Series.sum = g\nlog.addHandler(H())\n",
    "in a filter": "def refuse(record):\n    pd.Series.sum = g\nlog.addFilter(refuse)\n",
    "in another module": "import {other}\n",
}
RELEASE = """
log = logging.getLogger(__name__)
def g(self):
    return 100 * float(self.to_numpy().sum())
def unused():
    np.sum = g
def release(frame, rng):
    log.info("a count")
    return frame["x"].sum() + rng.laplace()
"""


@pytest.mark.parametrize("text", CHANGES)
def test_what_changes_a_library_is_seen(text):
    assert patching(list(ast.walk(ast.parse(START + text))))


@pytest.mark.parametrize("text", KEEPS)
def test_what_changes_something_else_is_not(text):
    assert not patching(list(ast.walk(ast.parse(START + text))))


@pytest.mark.parametrize("where", RELEASES)
def test_a_program_is_not_read_where_code_that_runs_changes_a_library(where, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    name = f"patches_{where.replace(' ', '_')}"
    other = START + "def g(self):\n    return 1\npd.Series.sum = g\n"
    (tmp_path / f"{name}_other.py").write_text(other)
    (tmp_path / f"{name}.py").write_text(
        START + RELEASE + RELEASES[where].format(other=f"{name}_other")
    )
    with monkeypatch.context() as kept:
        kept.setattr(pd.Series, "sum", pd.Series.sum)  # and back to what it was
        release = importlib.import_module(name).release
    with pytest.raises(Unsupported, match=r"a change to 'pd\.Series', which belongs to a library"):
        lift(release)


def test_a_function_that_nothing_calls_may_change_a_library(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "patches_nowhere.py").write_text(START + RELEASE)
    lift(importlib.import_module("patches_nowhere").release)
