"""The rules, one a file."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from dpaudit.static.rule import Rule

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (import_module(f"{__name__}.{module.name}").RULE for module in iter_modules(__path__)),
        key=lambda rule: (rule.id, rule.name),
    )
)


def rules_of(id: str) -> tuple[Rule, ...]:
    """Return the rules that find violations of an id.

    Parameters
    ----------
    id : str

    Returns
    -------
    tuple of Rule
    """
    return tuple(rule for rule in RULES if rule.id == id)
