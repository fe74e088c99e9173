"""Lists of a module that an object of another module's class keeps: read alone, or changed."""

import importlib
import linecache
import sys

import pytest

from dpaudit import AnyPair, Categorical, PureDP
from dpaudit.formal.lifting.environment import changes_others, is_changed
from tests.proving import is_proved

CLASS = """
import math
import random
class Client:
    def __init__(self, epsilon, domain):
        self.epsilon = epsilon
        self.domain = domain
        self.keep = math.exp(epsilon) / (math.exp(epsilon) + len(domain) - 1)
    def report(self, x):
        if random.random() < self.keep:
            return x
        return random.choice([v for v in self.domain if v != x])
    {more}
{after}
"""
RELEASE = """
import clients
DOMAIN = ["a", "b", "c"]
{more}
def release(x):
    return {made}(1.0, {domain}).report(x)
"""
SOUND = {
    "of_a_module": {},
    "imported": {"more": "from clients import Client", "made": "Client"},
    "in_a_variable": {"more": "def other(x):\n    c = clients.Client(2.0, DOMAIN)\n"
                      "    return len(c.domain), c.domain[0], 'a' in c.domain"},
    "by_name": {"domain": "domain=DOMAIN"},
    "counted": {"inside": "def size(self): return len(self.domain)"},
    "set_anew": {"inside": "def wider(self, x): self.domain = [*self.domain, x]"},
    "kept_again": {"inside": "def again(self): self.other = self.domain"},
}  # fmt: skip
BROKEN = {
    "appended": {"inside": "def wider(self, x): self.domain.append(x)"},
    "added_to": {"inside": "def wider(self, x): self.domain += [x]"},
    "an_entry": {"inside": "def other(self, x): self.domain[0] = x"},
    "deleted": {"inside": "def other(self): del self.domain[0]"},
    "returned": {"inside": "def all(self): return self.domain"},
    "under_another_name": {"inside": "def other(self): d = self.domain; d.append('d')"},
    "given_on": {"inside": "def other(self): wider(self.domain)",
                 "after": "def wider(d): d.append('d')"},
    "kept_under_another_name": {"inside": "def again(self): self.other = self.domain\n"
                                "    def wider(self): self.other.append('d')"},
    "looked_up": {"inside": "def other(self, name): getattr(self, name).append('d')"},
    "among_all": {"inside": "def other(self): self.__dict__['domain'].append('d')"},
    "matched": {"inside": "def other(self):\n        match self:\n"
                "            case Client(domain=d): d.append('d')"},
    "by_a_property": {"inside": "@property\n    def domain(self): return self._d\n"
                      "    @domain.setter\n    def domain(self, d): self._d = d; d.append('d')"},
    "by_another_class": {"after": "class Other:\n    def go(self, c): c.domain.append('d')"},
    "by_the_release": {"more": "def other():\n"
                       "    clients.Client(1.0, DOMAIN).domain.append('d')"},
    "by_the_release_later": {"more": "def other(c):\n    c.domain.append('d')"},
    "made_otherwise": {"inside": "def __new__(cls, e, d): d.append('d'); "
                       "return object.__new__(cls)"},
    "decorated": {"after": "def wrap(c):\n    def made(e, d):\n        d.append('d')\n"
                  "        return c(e, d)\n    return made\nClient = wrap(Client)"},
    "of_a_class_that_is_replaced": {
        "more": "class Own:\n    def __init__(self, d): self.d = d\ndef swap():\n"
        "    global Own\n    Own = lambda d: d.append('d')\n    Own(DOMAIN)"
    },
    "of_a_subclass": {"after": "class Other(Client):\n"
                      "    def go(self): self.domain.append('d')"},
    "in_a_table": {"inside": "def other(self): T.append(self.domain)", "after": "T = []"},
}  # fmt: skip


def load(folder, monkeypatch, given):
    monkeypatch.syspath_prepend(str(folder))
    texts = {
        "clients": CLASS.format(more=given.get("inside", ""), after=given.get("after", "")),
        "release": RELEASE.format(
            more=given.get("more", ""),
            made=given.get("made", "clients.Client"),
            domain=given.get("domain", "DOMAIN"),
        ),
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    linecache.checkcache()
    return importlib.import_module("release")


@pytest.mark.parametrize("given", SOUND.values(), ids=SOUND)
def test_a_list_that_an_object_keeps_and_all_read_is_a_constant(tmp_path, monkeypatch, given):
    module = load(tmp_path, monkeypatch, given)
    assert not is_changed(vars(module), "DOMAIN")
    words = AnyPair(Categorical(["a", "b", "c"]))
    assert is_proved(module.release, PureDP(1 + 1e-9), words)
    assert not is_proved(module.release, PureDP(0.99), words)


@pytest.mark.parametrize("given", BROKEN.values(), ids=BROKEN)
def test_a_list_that_an_object_keeps_and_one_changes_is_none(tmp_path, monkeypatch, given):
    assert is_changed(vars(load(tmp_path, monkeypatch, given)), "DOMAIN")


@pytest.mark.parametrize(
    ("inside", "changed"), [("", False), ("def wider(self): self.domain.append('d')", True)]
)
def test_a_list_of_another_module_that_an_object_keeps_is_asked_about_alike(
    tmp_path, monkeypatch, inside, changed
):
    given = {"inside": inside, "after": "NAMES = ['a', 'b', 'c']", "domain": "clients.NAMES"}
    module = load(tmp_path, monkeypatch, given)
    assert changes_others(vars(module), "NAMES", ["a", "b", "c"]) is changed
