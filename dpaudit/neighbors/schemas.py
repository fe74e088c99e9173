"""Records from schemas that people have: pandera's of frames, and Pydantic models.

A domain holds exactly the values that a schema admits. Where dpaudit has no such domain, or the
schema bounds nothing, the error names the column, the fact and the remedy.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from dpaudit.extras import optional
from dpaudit.neighbors.categorical import Categorical
from dpaudit.neighbors.numbers import Integer, Real
from dpaudit.neighbors.records import Records

# What a fact says of a value.
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "values": lambda value, listed: value in listed,
    "min_length": lambda value, length: len(value) >= length,
    "max_length": lambda value, length: len(value) <= length,
    "starts": lambda value, pattern: re.match(pattern, value) is not None,
    "contains": lambda value, pattern: re.search(pattern, value) is not None,
}
_CHECKS: dict[str, Callable[..., dict[str, Any]]] = {
    "equal_to": lambda value: {"values": (value,)},
    "greater_than": lambda min_value: {"gt": min_value},
    "greater_than_or_equal_to": lambda min_value: {"ge": min_value},
    "in_range": lambda min_value, max_value, include_min=True, include_max=True: {
        "ge" if include_min else "gt": min_value,
        "le" if include_max else "lt": max_value,
    },
    "isin": lambda allowed_values: {"values": tuple(allowed_values)},
    "less_than": lambda max_value: {"lt": max_value},
    "less_than_or_equal_to": lambda max_value: {"le": max_value},
    "str_contains": lambda pattern: {"contains": getattr(pattern, "pattern", pattern)},
    "str_length": lambda min_value=None, max_value=None, exact_value=None: {
        "min_length": min_value if exact_value is None else exact_value,
        "max_length": max_value if exact_value is None else exact_value,
    },
    "str_matches": lambda pattern: {"starts": getattr(pattern, "pattern", pattern)},
}
# How dtypes are written, without case, backend and parameters; then those of datasets we make.
_DTYPES = {"boolean": "bool", "categorical": "category", "enum": "category", "object": "str",
           "string": "str"}  # fmt: skip
_MADE = {"bool", "boolean", "float64", "int64", "none", "object", "str", "string"}
_LIMITS = frozenset({"ge", "gt", "le", "lt"})
_KEYS = {  # of a node of Pydantic's core schema: what bounds a value of this type
    "bool": frozenset[str](),
    "float": _LIMITS,
    "int": _LIMITS,
    "str": frozenset({"max_length", "min_length", "pattern"}),
}
_NEUTRAL = {"allow_inf_nan", "metadata", "ref", "schema", "serialization", "strict", "type"}


def container_of(schema: Any) -> str | None:
    """Return the container of which it is a pandera schema, None for anything else."""
    kinds = schema.__mro__ if isinstance(schema, type) else type(schema).__mro__
    names = [kind.__module__ for kind in kinds if kind.__module__.startswith("pandera.")]
    if not names:
        return None
    return "polars" if any("polars" in name.split(".") for name in names) else "pandas"


def columns_of(schema: Any, *, typed: bool) -> dict[str, Records] | None:
    """Return the domain of each column of a schema, under "" that of bare records.

    Parameters
    ----------
    schema : Any
        A pandera schema or model of frames or series, or a Pydantic model.
    typed : bool
        Whether the dtypes are those of given records, so that they need not be NumPy's own.

    Returns
    -------
    dict of str to Records
        None for anything else.

    Raises
    ------
    ValueError
        Where the schema bounds no values, or checks what a domain cannot say.
    """
    if container_of(schema) is not None:
        return _of_pandera(schema, typed)
    if isinstance(schema, type) and "__pydantic_core_schema__" in vars(schema):
        return _of_pydantic(schema)
    return None


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a schema: its values are those of a kind for which each fact holds."""

    where: str
    kind: str
    facts: tuple[tuple[str, Any], ...]
    missing: bool

    def domain(self) -> Records:
        listed = (False, True) if self.kind == "bool" else next(iter(self._said("values")), None)
        if listed is not None:
            values = [v for v in listed if v is not None and self.admits(v)]
            if self.kind == "float":
                values = [float(v) for v in values]
            return Categorical(values, allow_missing=self.missing)
        if self.kind == "int":
            lows = [
                *map(math.ceil, self._said("ge")),
                *(math.floor(v) + 1 for v in self._said("gt")),
            ]
            highs = [
                *map(math.floor, self._said("le")),
                *(math.ceil(v) - 1 for v in self._said("lt")),
            ]
            return Integer(*self._ends(lows, highs), allow_missing=self.missing)
        if self.kind == "float":
            lows = [
                _float_within(name, v, math.inf) for name in ("ge", "gt") for v in self._said(name)
            ]
            highs = [
                _float_within(name, v, -math.inf) for name in ("le", "lt") for v in self._said(name)
            ]
            return Real(*self._ends(lows, highs), allow_missing=self.missing)
        if self.kind == "str":
            return self._texts()
        raise _refusal(self.where, f"is of type {self.kind}, of which dpaudit has no records")

    def admits(self, value: Any) -> bool:
        """Whether every fact holds for a value."""
        return all(_HOLDS[name](value, bound) for name, bound in self.facts)

    def _on_a_line(self, text: str) -> bool:
        """Whether a text is admitted; ``$`` is the end of a line to Python, of a text to others."""
        return "\n" not in text and self.admits(text)

    def _said(self, name: str) -> list[Any]:
        return [bound for fact, bound in self.facts if fact == name]

    def _ends(self, lows: list[Any], highs: list[Any]) -> tuple[Any, Any]:
        for ends, side, sign in ((lows, "lower", "ge"), (highs, "upper", "le")):
            if not ends:
                raise _refusal(
                    self.where, f"is of type {self.kind} without {side} bound", f"give it {sign}="
                )
        return max(lows), min(highs)

    def _texts(self) -> Records:
        from dpaudit.neighbors.strategies import StrategyRecords

        strategies = optional("hypothesis.strategies")
        letters = strategies.characters(exclude_categories=["Cc", "Cs"])
        patterns = [*self._said("starts"), *self._said("contains")]
        longest = self._said("max_length")
        if not patterns and not longest:
            raise _refusal(self.where, "holds any text", "list its values, or give it max_length=")
        if patterns:
            texts = strategies.from_regex(patterns[0], alphabet=letters).filter(self._on_a_line)
        else:
            least = max(self._said("min_length"), default=0)
            texts = strategies.text(letters, min_size=least, max_size=min(longest))
        return StrategyRecords(strategies.none() | texts if self.missing else texts)


def _float_within(fact: str, bound: Any, inwards: float) -> float:
    """Return the outermost float for which a limit holds."""
    end = float(bound)
    while not _HOLDS[fact](end, bound):
        end = math.nextafter(end, inwards)
    return end


def _refusal(where: str, what: str, remedy: str = "leave it out of the schema") -> ValueError:
    return ValueError(
        f"{where} {what}; {remedy}, or write the records yourself: Row(age=Integer(0, 120), …)"
    )


def _of_pandera(given: Any, typed: bool) -> dict[str, Records]:
    schema, name = given, getattr(given, "__name__", None)  # that of a class
    if name is not None:
        schema = given.to_schema()
    name = name or schema.name or type(schema).__name__
    bare = not hasattr(schema, "columns")
    for part in ("index", "unique") if bare else ("checks", "index", "parsers", "unique"):
        if getattr(schema, part, None):
            raise _refusal(f"`{name}`", f"says of whole datasets what dpaudit cannot: {part}",
                           f"leave out its {part}")  # fmt: skip
    if bare:
        return {"": _pandera_column(f"`{name}`", schema, schema.dtype, typed)}
    return {
        column: _pandera_column(
            f"`{column}` of `{name}`",
            part,
            schema.dtype if part.dtype is None else part.dtype,
            typed,
        )
        for column, part in schema.columns.items()
    }


def _pandera_column(where: str, column: Any, dtype: Any, typed: bool) -> Records:
    for option, usual in (("regex", False), ("required", True), ("unique", False), ("parsers", [])):
        if getattr(column, option, usual) != usual:
            raise _refusal(where, f"has {option}={getattr(column, option)!r}, which no record says")
    text = str(dtype).lower().partition("[")[0].partition("(")[0]
    kind = _DTYPES.get(text, text)
    facts: list[tuple[str, Any]] = []
    number = re.fullmatch(r"(u?int|float)(\d+)", kind)
    if kind == "category" and getattr(dtype, "categories", None) is not None:
        facts.append(("values", tuple(dtype.categories)))
    if number and number[1] != "float" and int(number[2]) <= 64:
        kind, limits = "int", np.iinfo(kind)
        narrow = [("ge", int(limits.min)), ("le", int(limits.max))]
        facts += narrow if number[2] != "64" else [f for f in narrow if f == ("ge", 0)]
    elif number:
        kind = "float"
    if not typed and text not in _MADE:
        raise _refusal(
            where,
            f"has the dtype {dtype}, which datasets that dpaudit makes do not have",
            "use AddRemove.around(frame, schema), which keeps the dtypes of your frame",
        )
    for check in column.checks:
        if check.raise_warning:
            continue  # it bounds nothing
        if check.name not in _CHECKS or not check.statistics or check.groupby is not None:
            raise _refusal(where, f"has the check {check.name!r}, which dpaudit does not know")
        said = _CHECKS[check.name](**check.statistics)
        facts += [(fact, bound) for fact, bound in said.items() if bound is not None]
    if kind in ("category", "none"):
        kind = "str" if any(fact == "values" for fact, _ in facts) else f"{dtype} without values"
    missing = column.nullable and all(check.ignore_na for check in column.checks)
    return _Column(where, kind, tuple(facts), missing).domain()


def _of_pydantic(model: Any) -> dict[str, Records]:
    where, node = f"`{model.__name__}`", model.__pydantic_core_schema__
    named = {}
    if node["type"] == "definitions":
        named = {part["ref"]: part for part in node["definitions"]}
        node = node["schema"]
    node = named.get(node.get("schema_ref"), node)
    config = node.get("config", {})
    odd = [key for key in config if key.startswith("str_")]
    if config.get("extra_fields_behavior") == "allow":
        odd.append("extra='allow'")
    if node["type"] != "model" or node["schema"]["type"] != "model-fields":
        odd.append("more than fields")
    if odd:
        raise _refusal(where, f"has {', '.join(odd)}, which dpaudit does not know")
    return {
        name: _pydantic_column(f"`{name}` of {where}", part["schema"], named)
        for name, part in node["schema"]["fields"].items()
    }


def _pydantic_column(where: str, node: Mapping[str, Any], named: Mapping[str, Any]) -> Records:
    missing = False
    while node["type"] in ("default", "nullable", "definition-ref"):
        missing = missing or node["type"] == "nullable"
        node = named[node["schema_ref"]] if node["type"] == "definition-ref" else node["schema"]
    kind = str(node["type"])
    if kind == "function-after" and isinstance(node["function"]["function"], operator.attrgetter):
        facts = {"values": tuple(member.value for member in node["schema"]["members"])}
    elif kind == "enum":
        facts = {"values": tuple(map(_plain, node["members"]))}
    elif kind == "literal":
        facts = {"values": tuple(map(_plain, node["expected"]))}
        missing = missing or None in node["expected"]
    elif kind not in _KEYS:
        what = "a validator of its own" if kind.startswith("function") else f"the type {kind!r}"
        raise _refusal(where, f"has {what}, which dpaudit does not know")
    elif odd := sorted(set(node) - _KEYS[kind] - _NEUTRAL):
        raise _refusal(where, f"has {odd[0]}={node[odd[0]]!r}, which dpaudit does not know")
    else:
        told = {key: node[key] for key in _KEYS[kind] if key in node}
        facts = {"contains" if key == "pattern" else key: told[key] for key in sorted(told)}
    return _Column(where, kind, tuple(facts.items()), missing).domain()


def _plain(member: Any) -> Any:
    """Return the value of an enumeration of texts or numbers: it equals its member."""
    return (
        member.value
        if isinstance(member, Enum) and isinstance(member, str | float | int)
        else member
    )
