"""Reads one function: its parameters, then its statements."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from dpaudit.static.expressions import evaluate, exits, kept_generator
from dpaudit.static.facts import Facts, Place
from dpaudit.static.forms import symbol
from dpaudit.static.frames import Frame, Reading, TooLargeError
from dpaudit.static.modules import Function, Project
from dpaudit.static.relations import Relation
from dpaudit.static.statements import block
from dpaudit.static.values import NOTHING, RECORDS, SIZE, Maker, Value

_GENERATORS = re.compile(r"^_?(rng|generator|random_state|prng|coins|bit_?gen)$")
_CONFIGURATION = re.compile(
    r"^_?(self|cls|epsilon|eps|delta|sensitivity|scale|size|shape|n_samples|seed|alpha|beta|gamma|"
    r"rho|mu|sigma|k|n|m|d|axis|loc|bounds?(_\w+)?|\w+_bounds?|data_norm|range|weights|coef|low|"
    r"high|lower|upper|bins|clip|noise|noise_multiplier|steps|rounds|rate|threshold|dtype|quant\w*|"
    r"random_.*|n_.*|num_.*|max_.*|min_.*|accountant|budget|args|kwargs|name|path|verbose|"
    r"keys|columns?|cols?|fields?|categories|candidates|options|choices|grid|edges|domain|quer(y|ies)|"
    r"predicate|condition|where|mechanism|norm|std|var|cent(er|re)s?|scale_.*|.*_scale|privacy.*|.*epsilon.*)$"
)
_DATA = re.compile(
    r"^(data|dataset|[xXyY]s?|values|records|rows|df|frame|table|users?|answers|updates?|grads?|"
    r"gradients|samples?|counts|scores|votes|labels|array|examples|examples_?)$"
)
_VECTORS = ("ndarray", "NDArray", "list", "List", "Sequence", "Iterable", "Series", "DataFrame",
            "ArrayLike", "Array", "Sized", "Tensor", "Collection", "Floats", "Records", "Votes",
            "tuple", "Mapping")  # fmt: skip
_SCALARS = ("float", "int", "bool", "str", "bytes", "object", "complex")
_NEVER = ("Callable", "Generator", "bool", "str", "RandomState", "type", "dict")


def read(
    project: Project,
    function: Function,
    relation: Relation,
    *,
    data: Sequence[str] | None = None,
    epsilon: float | None = None,
) -> Facts:
    """Read a function as a mechanism.

    Parameters
    ----------
    project : Project
        Where the functions that it calls are found.
    function : Function
    relation : Relation
    data : sequence of str, optional
        The parameters that are known to hold data; guessed by their names where None.
    epsilon : float, optional
        What is claimed.

    Returns
    -------
    Facts
        ``complete`` is False where it was too large to be read to its end.
    """
    place = Place(function.module.shown, function.node.lineno)
    facts = Facts(
        function.name,
        place,
        relation,
        claimed=data is not None,
        epsilon=epsilon,
        function=function,
    )
    reading = Reading(project, facts, stack=[function.node])
    frame = Frame(reading, function)
    try:
        frame.names |= _parameters(frame, guessed(function) if data is None else data)
        facts.defaults = dict(frame.names)
        if isinstance(function.node, ast.Lambda):
            frame.hands_on = function.node.body
            value = evaluate(frame, function.node.body)
            if all(way.kind != "return" for way in facts.exits):
                exits(frame, "return", function.node, value)
        else:
            block(frame, function.node.body)
    except (TooLargeError, RecursionError):
        facts.complete = False
    return facts


def first_parameter(function: Function) -> list[str]:
    """Return the parameter of a mechanism that holds the data: the first that nothing fixes.

    Parameters
    ----------
    function : Function
    """
    return [p.arg for p in _positional(function) if p.arg not in function.fixed][:1]


def guessed(function: Function) -> list[str]:
    """Return the parameters that seem to hold data.

    Parameters
    ----------
    function : Function

    Returns
    -------
    list of str
        Of those without a default that are named neither as a generator nor as a setting: the
        first, and what is called data, records, gradients and the like.
    """
    positional = _positional(function)
    free = positional[: len(positional) - len(function.node.args.defaults)] or positional[:1]
    held = [p.arg for p in free if p.arg not in function.fixed and _holds_data(p)]
    return [name for i, name in enumerate(held) if i == 0 or _DATA.match(name)]


def _positional(function: Function) -> list[ast.arg]:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    bound = bool(function.owner and positional and positional[0].arg in ("self", "cls"))
    return positional[bound:]


def _holds_data(parameter: ast.arg) -> bool:
    if _GENERATORS.match(parameter.arg) or _CONFIGURATION.match(parameter.arg):
        return False
    annotation = _annotation(parameter)
    return not any(re.match(rf"(\w+\.)*{never}\b", annotation) for never in _NEVER)


def _parameters(frame: Frame, data: Sequence[str]) -> dict[str, Value]:
    function, spec = frame.function, frame.function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, ast.expr | None] = dict(
        zip([p.arg for p in reversed(positional)], reversed(spec.defaults), strict=False)
    )
    defaults |= {p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)}
    values: dict[str, Value] = {}
    for parameter in (*positional, *spec.kwonlyargs):
        name = parameter.arg
        default = defaults.get(name)
        made = None if default is None else kept_generator(function.module, default)
        if name in function.fixed:
            values[name] = function.fixed[name]
        elif name in data:
            values[name] = _data(parameter, frame.facts.relation)
        elif _GENERATORS.match(name) or "Generator" in _annotation(parameter) or made is not None:
            seeded = made is not None and made.kind == "module-seeded"
            values[name] = Value(maker=made if seeded else Maker("parameter"))
        else:
            values[name] = _setting(frame, name, default)
    return values


def _setting(frame: Frame, name: str, default: ast.expr | None) -> Value:
    """Return a parameter that is no data: it has a name, and a number by default."""
    known = None if default is None else evaluate(frame, default)
    return Value(
        params=frozenset({name}),
        number=None if known is None else known.number,
        form=symbol(name),
        function=None if known is None else known.function,
        text="" if known is None or known.function is not None else known.text,
        marks=(NOTHING if known is None else known.marks & {"vector", "none", "truth"}),
    )


def _data(parameter: ast.arg, relation: Relation) -> Value:
    annotation = _annotation(parameter)
    word = annotation.rpartition(".")[2] if "[" not in annotation else annotation
    scalar = any(re.match(rf"{kind}\b", word) for kind in _SCALARS) and "[" not in annotation
    vector = any(re.search(rf"\b{kind}\b", annotation) for kind in _VECTORS)
    scalar = scalar or (relation.kind == "local" and not vector)
    vector = vector or (relation.kind in ("add", "replace", "queries") and not scalar)
    marks = {"own", "raw"}
    marks |= {"scalar"} if scalar else set()
    marks |= {"vector"} if vector else set()
    marks |= {"float"} if "float" in annotation else set()
    if re.search(r"\bu?int", annotation):
        marks |= {"integer", "nan"}
    if re.search(r"void|DataFrame|object", annotation):
        marks |= {"table"}
    if relation.nan is False and relation.bounded is not False:
        marks |= {"nan"}
    return Value(RECORDS, NOTHING if scalar else SIZE, marks=frozenset(marks))


def _annotation(parameter: ast.arg) -> str:
    return "" if parameter.annotation is None else ast.unparse(parameter.annotation)
