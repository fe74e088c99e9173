"""Each rule finds its bad example, and nothing in its good one."""

import ast

import pytest

from dpaudit.static.modules import Project
from dpaudit.static.reading import guessed, read
from dpaudit.static.relations import UNKNOWN, relation_in
from dpaudit.static.rules import RULES
from dpaudit.violations import VIOLATIONS

HEAD = """\
import copy
import math
from collections import Counter

import numpy as np

logger = None

"""


def facts_of(rule, example, folder):
    """Return the facts of each function of an example."""
    path = folder / "example.py"
    path.write_text(HEAD + example)
    project = Project()
    module = project.module(path, "example.py")
    relation = UNKNOWN
    if rule.relation:
        relation = relation_in(ast.parse(rule.relation, mode="eval").body, {})
    found = [
        read(project, function, relation, data=guessed(function))
        for function in module.functions.values()
    ]
    assert all(facts.complete for facts in found)
    return found


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_bad_example(rule, tmp_path):
    *_, last = facts_of(rule, rule.bad, tmp_path)
    assert list(rule.look(last))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_nothing_in_its_good_example(rule, tmp_path):
    for facts in facts_of(rule, rule.good, tmp_path):
        assert list(rule.look(facts)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_rule_finds_an_error_in_a_good_example(rule, tmp_path):
    for facts in facts_of(rule, rule.good, tmp_path):
        errors = [(r.name, h.message) for r in RULES for h in r.look(facts) if h.level == "error"]
        assert errors == []


def test_rules_have_names_of_their_own_and_ids_of_the_taxonomy():
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert {rule.id, *rule.also} <= set(VIOLATIONS)
        assert rule.statement.endswith(".")
