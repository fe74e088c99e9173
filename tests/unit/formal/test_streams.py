"""Generators that are not passed in: accepted where nobody seeds them, refused where one may."""

import importlib
import linecache
import sys

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne, Verdict, verify
from dpaudit.formal.lifting.streams import seedings, sets_attribute
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal.stream_programs import Broken, Sound

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))


def functions(of):
    return [value for name, value in vars(of).items() if not name.startswith("__")]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", sampled(functions(Sound), 5), ids=named)
def test_draws_of_a_generator_that_nobody_seeds_pay(mechanism):
    report = verify(mechanism, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked
    passed_in = {"passed_on", "wrapped", "of_scipy_with_state", "passed_or_made", "checked"}
    made = {"made_if_none", "with_settings", "seed_that_nobody_gives"}
    if mechanism.__name__ not in passed_in | made:
        assert any("nobody seeds" in said for said in report.assumptions)


@pytest.mark.parametrize("mechanism", functions(Broken), ids=named)
def test_draws_that_are_known_or_too_small_do_not_pay(mechanism):
    assert not is_proved(mechanism, ONE, VALUES)


def load(folder, monkeypatch, **texts):
    """Return the module `release`, with others beside it."""
    monkeypatch.syspath_prepend(str(folder))
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    for name in texts:
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    linecache.checkcache()
    return importlib.import_module("release")


RELEASE = """
import numpy as np
{more}
rng = np.random.default_rng()
def count(data):
    return len(data) + np.random.laplace(0, 1)
def count_of_own(data):
    return len(data) + rng.laplace(0, 1)
"""
SEEDING = {
    "seed": "np.random.seed(3)",
    "seed_by_another_name": "begin = np.random.seed\nbegin(3)",
    "imported_seed": "from numpy.random import seed\nseed(3)",
    "other_bits": "def a():\n    np.random.set_bit_generator(np.random.MT19937(3))\na()",
    "bits_that_are_kept": "def later():\n    BITS = np.random.get_bit_generator()\nlater()",
    "made_anew": "def later():\n    np.random.mtrand._rand.__init__(3)\nlater()",
    "made_anew_by_its_class": "def later():\n    np.random.RandomState.__init__(r, 3)\n"
    "print(later)",
    "state_set_by_copying": "def later():\n    np.random.mtrand._rand.__setstate__(s)\n"
    "print(later)",
    "state_read_by_copying": "def a():\n    K = np.random.mtrand._rand.__reduce__()\na()",
    "seed_in_a_function": "def main():\n    np.random.seed(3)\nmain()",
    "state": "kept = np.random.get_state()\nnp.random.set_state(kept)",
    "looked_up": "getattr(np.random, 'set_state')(np.random.RandomState(3).get_state())",
}


# What may run without being called here by its own name.
LATER = "def later():\n    np.random.seed(3)\n"
KEPT = """from dataclasses import dataclass
@dataclass(frozen=True)
class Case:
    name: str
    f: object
T = []
def case(name, f, *more):
    T.append(Case(name, f))
"""
REACHED = {
    "decorated": "import atexit\n@atexit.register\ndef later():\n    np.random.seed(3)",
    "by_another_name": LATER + "begin = later\nbegin()",
    "in_a_table": LATER + "T = {'x': later}\nfor f in T.values():\n    f()",
    "in_a_table_of_a_table": LATER + "T = [later]\nU = [T]\nU[0][0]()",
    "in_a_table_that_is_given": "def run(table):\n    table[0]()\ndef later():\n"
    "    np.random.seed(3)\nT = [later]\n"
    "run(T)",
    "put_into_a_list_and_called": LATER + "T = []\nT.append(later)\nT[0]()",
    "put_into_a_list_by_a_helper_and_called": LATER + KEPT + "case('x', later)\nT[0].f()",
    "put_into_a_list_and_called_by_another_name": LATER + KEPT + "case('x', later)\n"
    "U = [c.f for c in T]\nU[0]()",
    "put_into_a_list_that_a_function_calls": LATER + KEPT + "case('x', later)\n"
    "def go():\n    T[0].f()\ngo()",
    "put_into_a_list_by_a_helper_that_calls": LATER + "T = []\ndef case(f):\n    T.append(f())\n"
    "case(later)",
    "put_into_a_list_by_a_helper_that_sorts": LATER + "T = []\ndef case(f):\n"
    "    T.sort(key=f)\nT.append(1)\ncase(lambda x: later())",
    "put_into_a_list_of_another_kind": LATER + "class L(list):\n    def append(self, f):\n"
    "        f()\nT = L()\nT.append(later)",
    "put_into_a_list_that_is_replaced": LATER + "class L:\n    def append(self, f):\n"
    "        f()\nT = []\nT = L()\nT.append(later)",
    "put_into_a_list_that_a_function_replaces": LATER + "class L:\n"
    "    def append(self, f):\n        f()\nT = []\ndef swap():\n    global T\n    T = L()\n"
    "swap()\nT.append(later)",
    "put_into_a_list_of_a_parameter": LATER + "class L:\n    def append(self, f):\n"
    "        f()\nT = []\ndef case(T, f):\n    T.append(f)\ncase(L(), later)",
    "looked_at_by_a_property": LATER
    + KEPT.replace(
        "    f: object\n", "    f: object\n    @property\n    def sound(self):\n        self.f()\n"
    )
    + "case('x', later)\n"
    "assert not any(c.sound for c in T)",
    "looked_at_by_a_method_of_that_name": LATER + KEPT + "case('x', later)\nany(c.f() for c in T)",
    "looked_at_in_an_order": LATER + KEPT + "case('x', later)\n"
    "assert sorted(T, key=lambda c: str(c.f()))",
    "looked_at_by_another_len": LATER + KEPT + "def len(t):\n    t[0].f()\ncase('x', later)\n"
    "assert not len(T)",
    "looked_at_by_a_name_of_a_loop": LATER + KEPT + "case('x', lambda x: later())\n"
    "assert [len(1) for len in [c.f for c in T]]",
    "kept_by_a_default_that_answers": "from dataclasses import dataclass\nclass D:\n"
    "    def go(self, f):\n        f()\n    __set__ = lambda self, of, f: self.go(f)\nd = D()\n"
    "@dataclass\nclass Case:\n    f: object = d\n" + LATER + "T = [Case(lambda: later())]",
    "kept_by_a_call_in_a_loop": LATER + "T = []\nfor f in [later]:\n    T.append(f())",
    "a_key_of_a_table": "class A:\n    def __hash__(self):\n"
    "        np.random.seed(3)\n        return 1\n"
    "T = {A(): 1}",
    "kept_by_what_calls": "def make(f):\n    return dict(f=f())\ndef later():\n"
    "    np.random.seed(3)\n"
    "T = [make(later)]",
    "kept_by_another_dict": "def dict(f):\n    f()\ndef later():\n"
    "    np.random.seed(3)\nT = [dict(later)]",
    "kept_by_a_class_that_calls": "from dataclasses import dataclass\n@dataclass\n"
    "class Case:\n    f: object\n"
    "    def __post_init__(self):\n        self.f()\ndef later():\n"
    "    np.random.seed(3)\nT = [Case(later)]",
    "attribute_that_runs": "class A:\n    @property\n    def x(self):\n"
    "        np.random.seed(3)\na = A()\n"
    "T = [a.x]",
    "by_its_text": LATER + "globals()['la' + 'ter']()",
    "by_a_text_that_is_evaluated": LATER + "import release\neval('release.later')()",
    "by_a_fixture": "import pytest\n@pytest.fixture(autouse=True)\ndef later():\n"
    "    np.random.seed(3)",
    "by_a_frame": LATER + "import sys\nsys._getframe(0).f_globals['later']()",
    "by_a_text_of_pandas": "import pandas as pd\n"
    + LATER
    + "pd.DataFrame({'a': [1]}).query('@later() == a')",
    "by_a_text_that_is_kept": LATER + "import inspect\nimport release\nNAME = 'later'\n"
    "inspect.getattr_static(release, NAME)()",
    "by_a_text_of_another_library": LATER + "import pkgutil\nfind = pkgutil.resolve_name\n"
    "find('release:later')()",
    "by_a_setting": "import logging.config\n" + LATER + "logging.config.dictConfig({'version': 1, "
    "'filters': {'f': {'()': 'release.later'}}, 'handlers': {'h': {'class': "
    "'logging.StreamHandler', 'filters': ['f']}}})",
    "looked_up": LATER + "lookup = getattr\nlookup(np, 'x', later)()",
    "lambda": "later = lambda: np.random.seed(3)\nlater()",
    "lambda_default": "later = lambda x=np.random.seed(3): x",
    "default": "def other(x=np.random.seed(3)):\n    return x",
    "class_body": "class A:\n    np.random.seed(3)",
    "made": "class A:\n    def __init__(self):\n        np.random.seed(3)\nA()",
    "made_of_a_base": "class A:\n    def __init__(self):\n        np.random.seed(3)\n"
    "class B(A):\n    pass\nB()",
    "called_by_a_helper": "def a():\n    np.random.seed(3)\ndef b():\n    a()\nb()",
    "method": "class A:\n    def go(self):\n        np.random.seed(3)\nA().go()",
    "method_of_a_base": "class A:\n    def go(self):\n        np.random.seed(3)\n"
    "class B(A):\n    pass\nB().go()",
    "method_of_an_object": "class A:\n    def go(self):\n        np.random.seed(3)\n"
    "a = A()\ndef run(x):\n    x.go()\nrun(a)",
    "method_of_a_class_inside": "def make():\n    class A:\n        def go(self):\n"
    "            np.random.seed(3)\n    return A\nmake()().go()",
    "method_by_library": "class A:\n    def run(self):\n        np.random.seed(3)\nprint(A)",
    "property": "class A:\n    @property\n    def x(self):\n        np.random.seed(3)\nA().x",
    "inside": "def a():\n    def b():\n        np.random.seed(3)\n    return b\na()()",
    "otherwise": "if __name__ == '__main__':\n    pass\nelse:\n    np.random.seed(3)",
    "subclass": "class A:\n    def __init_subclass__(cls):\n        np.random.seed(3)",
    "registered": "def reg(c):\n    c().go()\n@reg\nclass A:\n    def go(self):\n"
    "        np.random.seed(3)",
    "shadowed": "def property(f):\n    f()\n@property\ndef later():\n    np.random.seed(3)",
    "by_attribute": LATER + "import sys\nx = sys.modules[__name__]\nx.later()",
    "state": "def later():\n    return np.random.get_state()\nKEPT = later()",
}
IDLE = {
    "nobody_makes_it": "class A:\n    def __init__(self):\n        np.random.seed(3)",
    "nobody_calls_it": "def later():\n    np.random.seed(3)",
    "only_the_script": "def a():\n    np.random.seed(3)\nif __name__ == '__main__':\n    a()",
    "called_by_idle_ones": "def a():\n    np.random.seed(3)\ndef b():\n    a()",
    "a_text_of_its_name": "from enum import Enum\nclass Way(Enum):\n    LATER = 'later'\n" + LATER,
    "exported": "__all__ = ['count', 'later']\ndef later():\n    np.random.seed(3)",
    "method_of_another_class": "class A:\n    def go(self):\n        np.random.seed(3)\n"
    "class B:\n    def go(self):\n        return 1\nB().go()",
    "kept_in_a_variable": "later = lambda: np.random.seed(3)",
    "kept_in_a_table": LATER + "T = [{'name': 'later', 'f': later}]",
    "kept_by_a_dict": LATER + "T = [dict(f=lambda: later())]",
    "kept_by_a_helper": "def case(name, f):\n    return dict(name=name, f=f)\ndef later():\n"
    "    np.random.seed(3)\nT = [case('later', later)]",
    "kept_by_a_dataclass": "from dataclasses import dataclass\n@dataclass\n"
    "class Case:\n    f: object\n"
    "def later():\n    np.random.seed(3)\nT = [Case(lambda: later())]",
    "put_into_a_list": LATER + "T = []\nT.append(later)",
    "put_into_a_dict": LATER + "T = {}\nT['x'] = later",
    "put_into_a_list_by_a_helper": LATER + KEPT + "case('x', lambda: later())\n"
    "assert len(T) == 1 and not any(c.name == 'y' for c in T)\nN = {c.name: c for c in T}",
    "put_into_a_list_in_a_loop": LATER + KEPT + "for n in 'ab':\n    case(n, lambda n=n: later())",
    "put_into_a_list_as_a_partial": "import functools\n" + LATER + KEPT + "case('x', "
    "functools.partial(later))",
    "another_release": "def b(data):\n    np.random.seed(3)\n    return np.random.laplace(0, 1)",
}


@pytest.mark.parametrize("more", REACHED.values(), ids=REACHED)
def test_what_seeds_is_refused_where_it_may_run(tmp_path, monkeypatch, more):
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert not is_proved(module.count, ONE, VALUES)


@pytest.mark.parametrize("more", IDLE.values(), ids=IDLE)
def test_what_seeds_and_is_not_called_is_assumed_not_to_run_before(tmp_path, monkeypatch, more):
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    report = verify(module.count, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert any("nobody calls" in said and "seeds" in said for said in report.assumptions)


def test_a_factory_that_seeds_before_it_makes_the_release_is_refused(tmp_path, monkeypatch):
    text = (
        "import numpy as np\ndef make():\n    np.random.seed(3)\n    def count(data):\n"
        "        return len(data) + np.random.laplace(0, 1)\n    return count\n"
    )
    module = load(tmp_path, monkeypatch, release=text)
    assert not is_proved(module.make(), ONE, VALUES)


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_module_that_seeds_is_refused(tmp_path, monkeypatch, more):
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert not is_proved(module.count, ONE, VALUES)


# Code that seeds a generator, and whether Python's, NumPy's and the module's own remain unseeded.
SEEDS_ONE = {
    "import random\nrandom.seed(3)": (False, True, True),
    "import random as rnd\nstate = rnd.getstate()\nrnd.setstate(state)": (False, True, True),
    "def start():\n    np.random.seed(3)\nstart()": (True, False, True),
    "import numpy.random as nr\nnr.seed(3)": (True, False, True),
    "from random import seed\nseed(3)": (False, False, False),
    "random = np.random\nrandom.seed(3)": (False, False, False),
    "from numpy import random\nrandom.seed(3)": (False, False, False),
    "def start(random):\n    random.seed(3)\nstart(np.random)": (False, False, False),
    "import random\nrandom.Random.seed(random._inst, 3)": (False, False, False),
    "import sys, random\nsys.modules[__name__].random = np.random\nrandom.seed(3)": (False,) * 3,
    "import random\ndef f(random=np.random):\n    random.seed(3)\nf()": (False, False, False),
    "import random\nfor random in [np.random]:\n    random.seed(3)": (False, False, False),
    "import helpers\nhelpers.start()": (True, False, True),
    "import helpers\nhelpers.random = np.random\nhelpers.go()": (False, False, False),
}
HELPERS = """
import random
import numpy
def start():
    numpy.random.seed(3)
def go():
    random.seed(3)
"""


@pytest.mark.parametrize(("more", "unseeded"), SEEDS_ONE.items())
def test_a_seed_counts_for_its_generator_alone(tmp_path, monkeypatch, more, unseeded):
    text = RELEASE.format(more=more) + (
        "import random as drawn\ndef kept(data):\n"
        "    return sum(drawn.random() < 0.75 if x else drawn.random() < 0.25 for x in data)\n"
    )
    module = load(tmp_path, monkeypatch, helpers=HELPERS, release=text)
    bits = ReplaceOne(Integer(0, 1), size=2)
    found = (
        is_proved(module.kept, PureDP(1.1), bits),
        *(is_proved(each, ONE, VALUES) for each in (module.count, module.count_of_own)),
    )
    assert found == unseeded


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_module_that_is_imported_and_seeds_is_refused(tmp_path, monkeypatch, more):
    other = f"import numpy as np\n{more}\n"
    release = RELEASE.format(more="import helpers")
    module = load(tmp_path, monkeypatch, helpers=other, release=release)
    assert {s.file for s in seedings([vars(module)], [module.count.__code__])} == {
        str(tmp_path / "helpers.py")
    }
    assert not is_proved(module.count, ONE, VALUES)


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_helper_in_another_module_is_refused_if_the_caller_s_module_seeds(
    tmp_path, monkeypatch, more
):
    helpers = "import numpy as np\ndef noise():\n    return np.random.laplace(0, 1)\n"
    release = (
        "import numpy as np\nfrom helpers import noise\n"
        f"{more}\ndef count(data):\n    return len(data) + noise()\n"
    )
    module = load(tmp_path, monkeypatch, helpers=helpers, release=release)
    assert not is_proved(module.count, ONE, VALUES)


# What another module does, with helpers that have a function `shift` of the same name as ours.
QUIET = "import numpy as np\ndef shift(x):\n    return x + np.random.laplace(0, 1)\n"
LOUD = "import numpy as np\ndef shift(x):\n    np.random.seed(3)\n    return x\n"
LOUD += "class Shift:\n    def shift(self, x):\n        np.random.seed(3)\n        return x\n"
USES_QUIET = {
    "as_an_attribute": "import quiet, loud\ndef count(data):\n    return quiet.shift(len(data))",
    "by_another_name": "import quiet as loud, loud as _\n"
    "def count(data):\n    return loud.shift(len(data))",
    "as_a_variable": "import loud\nfrom quiet import shift as move\n"
    "def count(data):\n    return move(len(data))",
    "with_a_star": "import loud\nfrom quiet import *\n"
    "def count(data):\n    return shift(len(data))",
    "as_a_method": "import loud, numpy as np\nclass Own:\n    def shift(self, x):\n"
    "        return x + np.random.laplace(0, 1)\n"
    "def count(data):\n    return Own().shift(len(data))",
    "beside_lambdas_of_a_table": "import quiet, loud\n"
    "T = [dict(f=lambda x: loud.shift(x)),\n     dict(f=lambda data: quiet.shift(len(data)))]",
}
USES_LOUD = {
    "as_an_attribute": "import loud\nloud.shift(1)",
    "by_another_name": "import loud as quieter\nquieter.shift(1)",
    "as_a_variable": "from loud import shift as move\nmove(1)",
    "with_a_star": "from loud import *\nshift(1)",
    "as_a_value": "import loud\ndef run(m):\n    m.shift(1)\nrun(loud)",
    "in_a_list": "import loud\nfor m in [loud]:\n    m.shift(1)",
    "looked_up": "import loud\ngetattr(loud, 'sh' 'ift')(1)",
    "of_a_class": "from loud import Shift\nShift().shift(1)",
    "of_a_base": "import loud\nclass Own(loud.Shift):\n    pass\nOwn().shift(1)",
    "imported_by_a_class": "class Own:\n    import loud\nOwn.loud.shift(1)",
    "member_of_a_class": "class Own:\n    from loud import shift as go\nOwn.go(1)",
    "handed_on": "import middle\nmiddle.shift(1)",
    "module_handed_on": "import middle\nmiddle.held.shift(1)",
    "module_handed_on_as_a_variable": "from middle import held\nheld.shift(1)",
    "handed_on_with_a_star": "from middle import *\nheld.shift(1)",
    "in_a_function": "def run():\n    import loud as inner\n    inner.shift(1)\nrun()",
    "kept": "import loud\nclass Own:\n    def __init__(self):\n        self.m = loud\n"
    "    def go(self):\n        self.m.shift(1)\nOwn().go()",
    "from_elsewhere": "import sys, loud\nloud.shift.__globals__['sh' 'ift'](1)",
}
MIDDLE = "import loud as held\nfrom loud import shift\n"


@pytest.mark.parametrize("text", USES_QUIET.values(), ids=USES_QUIET)
def test_a_function_that_seeds_is_told_from_one_of_its_name_elsewhere(tmp_path, monkeypatch, text):
    module = load(tmp_path, monkeypatch, quiet=QUIET, loud=LOUD, release=text)
    release = vars(module).get("count") or module.T[1]["f"]
    report = verify(release, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert any("nobody calls `shift`" in said for said in report.assumptions)


@pytest.mark.parametrize("more", USES_LOUD.values(), ids=USES_LOUD)
def test_a_function_of_another_module_that_seeds_is_found(tmp_path, monkeypatch, more):
    others = {"loud": LOUD, "middle": MIDDLE}
    module = load(tmp_path, monkeypatch, **others, release=RELEASE.format(more=more))
    assert {s.part.owner or s.part.name for s in seedings([vars(module)], []) if s.runs}
    assert not is_proved(module.count, ONE, VALUES)


def test_a_module_that_sets_another_one_s_generator_is_refused(tmp_path, monkeypatch):
    other = "import numpy as np\ndef start(m):\n    m.rng = np.random.default_rng(3)\n"
    release = RELEASE.format(more="import helpers")
    module = load(tmp_path, monkeypatch, helpers=other, release=release)
    assert verify(module.count, ONE, VALUES).verdict is Verdict.VERIFIED
    assert not is_proved(module.count_of_own, ONE, VALUES)


def test_what_runs_as_a_script_alone_does_not_count(tmp_path, monkeypatch):
    more = 'if __name__ == "__main__":\n    np.random.seed(3)'
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert verify(module.count, ONE, VALUES).verdict is Verdict.VERIFIED


def test_attributes_that_methods_set_on_their_object_are_not_those_of_the_class(
    tmp_path, monkeypatch
):
    text = "class A:\n    n = 0\n    def add(self):\n        self.n += 1\n"
    module = load(tmp_path, monkeypatch, release=text)
    assert not sets_attribute(vars(module), "n")
    for more in ("A.n = 3", "def f(a):\n    a.n = 1", "def f(k):\n    setattr(A, k, 1)"):
        module = load(tmp_path, monkeypatch, release=f"{text}{more}\n")
        assert sets_attribute(vars(module), "n")


SETTING_ANOTHER = {
    "attribute": "other.rng = np.random.default_rng(3)",
    "text": "setattr(other, 'rng', np.random.default_rng(3))",
    "dict": "other.__dict__.update(rng=np.random.default_rng(3))",
    "item": "vars(other)['rng'] = np.random.default_rng(3)",
    "patch": "from unittest import mock\n"
    "mock.patch('{name}.rng', np.random.default_rng(3)).start()",
    "patch_object": "from unittest import mock\n"
    "mock.patch.object(other, 'rng', np.random.default_rng(3)).start()",
}


@pytest.mark.parametrize("how", SETTING_ANOTHER)
def test_a_generator_that_another_module_replaces_by_its_text_is_refused(
    tmp_path, monkeypatch, how
):
    other = "import numpy as np\nrng = np.random.default_rng()\ndef draw():\n"
    helpers = f"import numpy as np\nimport other\n{SETTING_ANOTHER[how].format(name='other')}\n"
    text = "import helpers\nfrom other import draw\ndef count(data):\n"
    texts = {
        "other": f"{other}    return rng.laplace(0, 1)\n",
        "helpers": helpers,
        "release": f"{text}    return len(data) + draw()\n",
    }
    module = load(tmp_path, monkeypatch, **texts)
    assert not is_proved(module.count, ONE, VALUES)


@pytest.mark.parametrize("copied", ["copy.deepcopy(rng)", "pickle.dumps(rng)"])
def test_a_generator_that_is_copied_is_not_one_whose_draws_nobody_knows(
    tmp_path, monkeypatch, copied
):
    more = "import copy, pickle\nrng = np.random.default_rng()\nTWIN = "
    text = RELEASE.format(more="").replace("rng = np.random.default_rng()", more + copied)
    module = load(tmp_path, monkeypatch, release=text)
    assert not is_proved(module.count_of_own, ONE, VALUES)


IMPORTING = {
    "by_a_text": "import importlib\nimportlib.import_module('loud')",
    "by_a_function_of_python": "__import__('loud')",
    "by_a_keyword": "import importlib\nimportlib.import_module(name='loud')",
    "by_a_computed_text": "import importlib\nimportlib.import_module('lo' + 'ud')",
    "by_names_in_a_list": "for name in ['loud']:\n    __import__(name)",
    "by_a_helper": "import importlib\ndef plug(name):\n    return importlib.import_module(name)\n"
    "plug('loud')",
    "by_a_file": "import importlib.util as u\n"
    "spec = u.spec_from_file_location('loud', __file__.replace('release', 'loud'))\n"
    "spec.loader.exec_module(u.module_from_spec(spec))",
}


@pytest.mark.parametrize("more", IMPORTING.values(), ids=IMPORTING)
def test_a_module_that_is_imported_by_a_call_and_seeds_is_refused(tmp_path, monkeypatch, more):
    loud = "import numpy as np\nnp.random.seed(3)\n"
    release = RELEASE.format(more=more)
    module = load(tmp_path, monkeypatch, loud=loud, release=release)
    assert not is_proved(module.count, ONE, VALUES)


LOOKED_UP = {
    "by_a_variable": "name = 'seed'\ngetattr(np.random, name)(3)",
    "by_another_name": "import numpy.random as r\nfor name in ['seed']:\n    getattr(r, name)(3)",
    "in_its_dict": "vars(np.random)['seed'](3)\nnp.random.__dict__['seed'](3)",
    "by_a_getter": "import operator\nname = 'seed'\noperator.attrgetter(name)(np.random)(3)",
    "in_a_text": "exec('np.random.seed(3)')",
    "in_a_text_that_is_read": "import pathlib\nexec(pathlib.Path(__file__).read_text()[:0])",
    "in_a_copy": "import copy\nTWIN = copy.deepcopy(np.random.mtrand._rand)",
}


@pytest.mark.parametrize("more", LOOKED_UP.values(), ids=LOOKED_UP)
def test_a_seed_that_is_looked_up_is_refused(tmp_path, monkeypatch, more):
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert not is_proved(module.count, ONE, VALUES)


def test_a_package_that_seeds_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "__init__.py").write_text("import numpy as np\nnp.random.seed(3)\n")
    (folder / "release.py").write_text(RELEASE.format(more=""))
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("kept.release")
    assert not is_proved(module.count, ONE, VALUES)


def test_a_library_that_is_asked_to_seed_all_generators_is_one_that_seeds(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "lightning_like.py").write_text(
        "import numpy as np\ndef seed_everything(n):\n    np.random.seed(n)\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    more = "from lightning_like import seed_everything\nseed_everything(3)"
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert not is_proved(module.count, ONE, VALUES)
