"""What a function of a module may change is no constant, however it is held and changed.

Each case is the holder of a number, and a piece of code of the same module that changes it. The
mechanism that reads the number is refused, whether or not anybody calls that code.
"""

import importlib

import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved

HOLDERS = {
    "class": ("class Cfg:\n    scale = 1.0\n", "Cfg.scale"),
    "object": (
        "class K:\n    def __init__(self):\n        self.scale = 1.0\nCFG = K()\n",
        "CFG.scale",
    ),
    "dictionary": ("S = {'scale': 1.0}\n", "S['scale']"),
    "array": ("S = np.array([1.0])\n", "float(S[0])"),
    "list": ("S = [1.0]\n", "S[0]"),
    "function": ("def f():\n    return 1.0\ndef g(s=1.0):\n    return s\n", "f() * g()"),
}


def cases(text):
    """Return the pieces of code in a text, by the names in the lines before them."""
    pieces = (piece.partition("\n") for piece in text.split("## ")[1:])
    return {name: code for name, _, code in pieces}


CHANGES = {
    "class": cases("""
## assign
def change(v):
    Cfg.scale = v
## cls
class Sub(Cfg):
    @classmethod
    def change(cls, v):
        cls.scale = v
## type_self
class Sub(Cfg):
    def change(self, v):
        type(self).scale = v
## setattr
def change(v):
    setattr(Cfg, 'scale', v)
## setattr_name
NAME='scale'
def change(v):
    setattr(Cfg, NAME, v)
## setattr_alias
def change(v, put=setattr):
    put(Cfg, 'scale', v)
## map_setattr
def change(v):
    list(map(setattr, [Cfg], ['sca'+'le'], [v]))
## dict
def change(v):
    type.__setattr__(Cfg, 'scale', v)
## init_assign
class Other:
    def __init__(self, v):
        Cfg.scale = v
## init_alias
class Other:
    def __init__(self, v):
        c = Cfg
        c.scale = v
## init_type
class Other(Cfg):
    def __init__(self, v):
        type(self).scale = v
## init_class
class Other(Cfg):
    def __init__(self, v):
        self.__class__.scale = v
## param
def change(c, v):
    c.scale = v
## augassign
def change(v):
    Cfg.scale *= v
## for_target
def change(v):
    for Cfg.scale in v:
        pass
## with_target
def change(v):
    with v as Cfg.scale:
        pass
## tuple_target
def change(v):
    Cfg.scale, _ = v
## del
def change():
    del Cfg.scale
## delattr
def change():
    delattr(Cfg, 'scale')
## global_rebind
def change(v):
    global Cfg
    Cfg = v
## lambda
change = lambda v: setattr(Cfg, 'scale', v)
## comp
def change(v):
    [0 for Cfg.scale in v]
## vars
def change(v):
    vars(Cfg)['scale'] = v
## operator
import operator
def change(v):
    operator.setitem(Cfg.__dict__, 'scale', v)
## object_setattr
def change(v):
    object.__setattr__(Cfg, 'scale', v)
## globals
def change(v):
    globals()['Cfg'] = v
## globals_update
def change(v):
    globals().update(Cfg=v)
## globals_alias
G = globals()
def change(v):
    G['Cfg'] = v
## sys_modules
import sys
def change(v):
    sys.modules[__name__].Cfg = v
## sys_modules_dict
import sys
def change(v):
    sys.modules[__name__].__dict__['Cfg'] = v
## func_globals
def change(v):
    change.__globals__['Cfg'] = v
## exec
def change(v):
    exec('Cfg.scale = v')
## exec_global
def change(v):
    exec('Cfg = v', globals())
"""),
    "object": cases("""
## assign
def change(v):
    CFG.scale = v
## method
class K2(K):
    def change(self, v):
        self.scale = v
## setattr
def change(v):
    setattr(CFG, 'scale', v)
## dict
def change(v):
    CFG.__dict__['scale'] = v
## dict_update
def change(v):
    CFG.__dict__.update(scale=v)
## vars_update
def change(v):
    vars(CFG).update(scale=v)
## reinit
def change(v):
    CFG.__init__(v)
## helper
def put(c, v):
    c.scale = v
def change(v):
    put(CFG, v)
## alias
OTHER = CFG
def change(v):
    OTHER.scale = v
## list
LIST = [CFG]
def change(v):
    LIST[0].scale = v
"""),
    "dictionary": cases("""
## item
def change(v):
    S['scale'] = v
## update
def change(v):
    S.update(scale=v)
## update_unbound
def change(v):
    dict.update(S, scale=v)
## ior
def change(v):
    global S
    S |= v
## operator_ior
import operator
def change(v):
    operator.ior(S, v)
## setitem
def change(v):
    S.__setitem__('scale', v)
## op_setitem
import operator
def change(v):
    operator.setitem(S, 'scale', v)
## op_setitem_from
from operator import setitem
def change(v):
    setitem(S, 'scale', v)
## alias
T = S
def change(v):
    T['scale'] = v
## local_alias
def change(v):
    t = S
    t['scale'] = v
## local_alias_ior
def change(v):
    t = S
    t |= v
## helper
def put(d, v):
    d['scale'] = v
def change(v):
    put(S, v)
## helper_kw
def put(v, *, d):
    d['scale'] = v
def change(v):
    put(v, d=S)
## helper_star
def put(*a):
    a[0]['scale'] = a[1]
def change(v):
    put(*[S, v])
## helper_default
def change(v, d=S):
    d['scale'] = v
## helper_lambda
put = lambda d, v: d.update(scale=v)
def change(v):
    put(S, v)
## helper_method
class P:
    def put(self, d, v):
        d['scale'] = v
def change(v):
    P().put(S, v)
## helper_map
def put(d):
    d['scale'] = 2
def change(v):
    list(map(put, [S]))
## return_alias
def get():
    return S
def change(v):
    get()['scale'] = v
## yield_alias
def get():
    yield S
def change(v):
    next(get())['scale'] = v
## attr_alias
class Q:
    s = S
def change(v):
    Q.s['scale'] = v
## inst_alias
class Q:
    def __init__(self):
        self.s = S
def change(v):
    Q().s['scale'] = v
## getattr_method
def change(v):
    getattr(S, 'update')(scale=v)
## bound
put = S.update
def change(v):
    put(scale=v)
## bound_setitem
put = S.__setitem__
def change(v):
    put('scale', v)
## partial
import functools
put = functools.partial(dict.update, S)
def change(v):
    put(scale=v)
## methodcaller
import operator
def change(v):
    operator.methodcaller('update', scale=v)(S)
## walrus
def change(v):
    (t := S)['scale'] = v
## for_alias
def change(v):
    for t in [S]:
        t['scale'] = v
## comp_alias
def change(v):
    [t.update(scale=v) for t in (S,)]
## tuple_alias
def change(v):
    t, _ = S, 0
    t['scale'] = v
## cond_alias
def change(v, c):
    t = S if c else {}
    t['scale'] = v
## nested
ALL = {'a': S}
def change(v):
    ALL['a']['scale'] = v
## nested_get
ALL = {'a': S}
def change(v):
    ALL.get('a').update(scale=v)
## global_assign
def change(v):
    global S
    S = v
## globals
def change(v):
    globals()['S'] = v
## match
def change(v):
    match S:
        case t:
            t['scale'] = v
## with
import contextlib
def change(v):
    with contextlib.nullcontext(S) as t:
        t['scale'] = v
## for_target
def change(v):
    for S['scale'] in v:
        pass
## aug
def change(v):
    S['scale'] *= v
## del
def change():
    del S['scale']
## star_assign
def change(v):
    (*t,) = [S]
    t[0]['scale'] = v
## thread
import threading
def change(v):
    threading.Thread(target=S.update, kwargs={'scale': v}).start()
"""),
    "function": cases("""
## defaults
def change(v):
    g.__defaults__ = (v,)
## keyword_defaults
def change(v):
    setattr(g, '__kwdefaults__', {'s': v})
## code
def change(v):
    f.__code__ = (lambda: 0.1).__code__
## of_any
def change(h, v):
    h.__code__ = v
"""),
    "array": cases("""
## item
def change(v):
    S[0] = v
## slice
def change(v):
    S[:] = v
## aug_alias
def change(v):
    x = S
    x += v
## aug_view
def change(v):
    x = S[:]
    x += v
## aug_reshape
def change(v):
    x = S.reshape(-1)
    x *= v
## aug_T
def change(v):
    x = S.T
    x *= v
## aug_param
def put(x, v):
    x += v
def change(v):
    put(S, v)
## global_aug
def change(v):
    global S
    S += v
## copyto
def change(v):
    np.copyto(S, v)
## out
def change(v):
    np.multiply(S, v, out=S)
## out_pos
def change(v):
    np.multiply(S, v, S)
## out_method
def change(v):
    v.sum(out=S)
## clip_out
def change(v):
    np.clip(v, 0, 1, S)
## add_at
def change(v):
    np.add.at(S, 0, v)
## put
def change(v):
    np.put(S, 0, v)
## put_m
def change(v):
    S.put(0, v)
## place
def change(v):
    np.place(S, S > 0, v)
## putmask
def change(v):
    np.putmask(S, S > 0, v)
## fill
def change(v):
    S.fill(v)
## fill_diag
def change(v):
    np.fill_diagonal(S.reshape(1, 1), v)
## iadd
import operator
def change(v):
    operator.iadd(S, v)
## imul_from
from operator import imul
def change(v):
    imul(S, v)
## dunder
def change(v):
    S.__imul__(v)
## setflags
def change(v):
    S.setfield(v, 'f8')
## partition
def change():
    S.partition(0)
## shuffle
def change(rng):
    rng.shuffle(S)
## np_shuffle
def change():
    np.random.shuffle(S)
## rng_out
def change(rng):
    rng.random(out=S)
## rng_std_out
def change(rng):
    rng.standard_normal(1, np.float64, S)
## memoryview
def change(v):
    memoryview(S)[0] = v
## frombuffer
def change(v):
    np.frombuffer(S)[:] = v
## nditer
def change(v):
    for x in np.nditer(S, op_flags=['readwrite']):
        x[...] = v
## flat
def change(v):
    S.flat[0] = v
## itemset
def change(v):
    S.itemset(0, v)
## byteswap
def change():
    S.byteswap(inplace=True)
## partial
import functools
put = functools.partial(np.copyto, S)
def change(v):
    put(v)
## alias_copyto
copyto = np.copyto
def change(v):
    copyto(S, v)
## einsum_out
def change(v):
    np.einsum('i->i', v, out=S)
## helper_copyto
def put(x, v):
    np.copyto(x, v)
def change(v):
    put(S, v)
## view_module
V = S[:1]
def change(v):
    V[0] = v
## broadcast
V = np.broadcast_arrays(S)[0]
def change(v):
    V[0] = v
## split
V = np.split(S, 1)
def change(v):
    V[0][0] = v
## series
import pandas as pd
V = pd.Series(S, copy=False)
def change(v):
    V.iloc[0] = v
## real
def change(v):
    S.real[0] = v
## diag
def change(v):
    np.einsum('i->i', S)[0] = v
## nan_to_num
def change(v):
    np.nan_to_num(S, copy=False, nan=v)
## moveaxis
def change(v):
    np.moveaxis(S, 0, 0)[0] = v
"""),
    "list": cases("""
## append
def change(v):
    S.append(v)
## insert_list
def change(v):
    list.insert(S, 0, v)
## bisect
import bisect
def change(v):
    bisect.insort(S, v)
## heap
import heapq
def change(v):
    heapq.heappush(S, v)
## random_shuffle
import random
def change():
    random.shuffle(S)
## iadd
def change(v):
    x = S
    x += [v]
## iconcat
import operator
def change(v):
    operator.iconcat(S, [v])
## delitem
import operator
def change():
    operator.delitem(S, 0)
## slice_del
def change():
    del S[:]
## star
def change(v):
    S[:], = v,
## sort
def change():
    S.sort()
## reverse
def change():
    S.reverse()
## deque
def change(v):
    S.__iadd__([v])
"""),
}  # fmt: skip
CASES = [(holder, how) for holder, changes in CHANGES.items() for how in changes]
ELSEWHERE = {
    "a function": "from {other} import put\ndef change(v):\n    put(S, v)\n",
    "through its module": "import {other} as other\ndef change(v):\n    other.put(S, v)\n",
    "by name": "import {other} as other\ndef change(v):\n    other.put(v=v, held=S)\n",
    "its class": "from {other} import Put\ndef change(v):\n    Put(S).put(v)\n",
    "not read": "from {other} import unknown\ndef change(v):\n    unknown(S)\n",
}
OTHER = """
def put(held, v):
    held['scale'] = v

def look(held):
    return held['scale'] * 2

class Put:
    def __init__(self, held):
        self.held = held

    def put(self, v):
        self.held['scale'] = v

unknown = [put][0]
"""
CACHED = """
from functools import lru_cache

@lru_cache
def table(n):
    return np.ones(n)
"""
CACHED_CHANGES = {
    "item": "def change(v):\n    table(1)[0] = v\n",
    "in place": "def change(v):\n    t = table(1)\n    t *= v\n",
    "filled": "def change(v):\n    table(1).fill(v)\n",
    "handed on": "def put(t, v):\n    t[0] = v\ndef change(v):\n    put(table(1), v)\n",
}
READS = {
    "nothing": "",
    "arithmetic": "def other(x):\n    y = x * S['scale'] + 1.0\n"
        "    y += S['scale']\n    return y\n",
    "loop": "def other():\n    total = 0.0\n    for v in S.values():\n"
        "        total += v\n    return total\n",
    "library": "def other():\n    return np.sqrt(S['scale']), len(S), sorted(S), max(S.values())\n",
    "a copy that changes": "def other():\n    t = dict(S)\n    t['scale'] = 2.0\n    return t\n",
    "a list that grows": "def other():\n    seen = []\n"
        "    seen.append(S['scale'])\n    return seen\n",
    "a helper": "def look(held):\n    return held['scale'] * 2\ndef other():\n    return look(S)\n",
    "a key": "def other(rows):\n    return sorted(rows, key=lambda row: S.get(row, 0))\n",
    "a log": "import logging\ndef other():\n    logging.info('%s', S)\n    print(S)\n",
    "an attribute of another": "class Box:\n    def __init__(self, v):\n"
        "        self.v = v * S['scale']\n",
}  # fmt: skip


def imported(tmp_path, monkeypatch, name, text):
    (tmp_path / f"{name}.py").write_text("import numpy as np\n" + text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def mechanism_that_reads(number):
    return f"\ndef mechanism(data, rng):\n    return len(data) + rng.laplace(scale={number})\n"


@pytest.mark.parametrize(("holder", "how"), CASES, ids=lambda part: str(part))
def test_what_a_function_may_change_is_no_constant(tmp_path, monkeypatch, holder, how):
    held, number = HOLDERS[holder]
    text = held + CHANGES[holder][how] + mechanism_that_reads(number)
    module = imported(tmp_path, monkeypatch, f"changed_{holder}_{how}", text)
    with pytest.raises(Unsupported):
        lift(module.mechanism)


@pytest.mark.parametrize("how", ELSEWHERE)
def test_what_a_function_of_another_module_changes_is_no_constant(tmp_path, monkeypatch, how):
    other = f"puts_{how.replace(' ', '_')}"
    imported(tmp_path, monkeypatch, other, OTHER)
    held, number = HOLDERS["dictionary"]
    text = held + ELSEWHERE[how].format(other=other) + mechanism_that_reads(number)
    module = imported(tmp_path, monkeypatch, f"uses_{other}", text)
    with pytest.raises(Unsupported, match="'S', which may change"):
        lift(module.mechanism)


def test_what_a_function_of_another_module_reads_is_a_constant(tmp_path, monkeypatch):
    imported(tmp_path, monkeypatch, "looks", OTHER)
    held, number = HOLDERS["dictionary"]
    change = "from looks import look\ndef other():\n    return look(S)\n"
    text = held + change + mechanism_that_reads(number)
    assert lift(imported(tmp_path, monkeypatch, "uses_looks", text).mechanism)


@pytest.mark.parametrize("how", CACHED_CHANGES)
def test_a_cached_result_that_a_caller_changes_is_no_constant(tmp_path, monkeypatch, how):
    text = CACHED + CACHED_CHANGES[how] + mechanism_that_reads("float(table(1)[0])")
    module = imported(tmp_path, monkeypatch, f"cached_{how.replace(' ', '_')}", text)
    with pytest.raises(Unsupported, match="'table', which may change"):
        lift(module.mechanism)


def test_a_cached_result_that_is_read_is_a_constant(tmp_path, monkeypatch):
    text = CACHED + mechanism_that_reads("float(table(1)[0])")
    assert lift(imported(tmp_path, monkeypatch, "cached_and_read", text).mechanism)


@pytest.mark.parametrize("how", READS)
def test_what_functions_only_read_is_a_constant(tmp_path, monkeypatch, how):
    held, number = HOLDERS["dictionary"]
    text = held + READS[how] + mechanism_that_reads(number)
    module = imported(tmp_path, monkeypatch, f"read_{how.replace(' ', '_')}", text)
    assert lift(module.mechanism)


IN_PLACE = {
    "called": "operator.iadd(x, len(data))",
    "kept": "f = operator.iadd\n    f(x, len(data))",
    "in a tuple": "(operator.iadd,)[0](x, len(data))",
    "a default": "(lambda f=operator.iadd: f(x, len(data)))()",
    "mapped": "list(map(operator.setitem, [x], [0], [len(data)]))",
    "reduced": "functools.reduce(operator.iadd, [len(data)], x)",
    "of the module": "ADD(x, len(data))",
    "at": "np.add.at(x, 0, len(data))",
    "out": "np.add(x, len(data), out=x)",
    "out by place": "np.add(x, len(data), x)",
    "out in a mapping": "np.add(x, len(data), **{'out': x})",
    "copyto": "np.copyto(x, len(data))",
    "put": "np.put(x, 0, len(data))",
    "another name": "y = x\n    y += len(data)",
    "a view": "y = x[:1]\n    y += len(data)",
}


@pytest.mark.parametrize("how", IN_PLACE)
def test_an_array_that_was_changed_in_place_is_not_taken_for_what_it_was(
    tmp_path, monkeypatch, how
):
    text = "import functools, operator\nADD = operator.iadd\ndef mechanism(data, rng):\n"
    text += f"    x = np.zeros(1)\n    {IN_PLACE[how]}\n    return float(x[0])\n"
    module = imported(tmp_path, monkeypatch, f"in_place_{how.replace(' ', '_')}", text)
    assert not is_proved(module.mechanism, PureDP(1.0), AddRemove(Real(0, 1)))
