"""Claims and neighboring relations read from text, without running any of it."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

CLAIMS = ("PureDP", "ApproxDP", "RenyiDP", "ZeroConcentratedDP", "GaussianDP")
CLAIMS_OF_FUNCTIONS = ("TradeOff", "PrivacyProfile")
NEIGHBORS = ("AddRemove", "ReplaceOne", "ZeroOut", "AnyPair", "QueryAnswers", "Pairs")
RECORDS = ("Real", "Integer", "Categorical", "Row")

_CONSTANTS = {"inf": float("inf"), "nan": float("nan")}
_DTYPES = frozenset(
    ["bool", "bool_", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_LONGEST = 10_000
# The first argument of a relation, where it names a schema: AddRemove(shop.records:Person)
_MODEL = re.compile(r"^(\s*\w+\(\s*)([^\W\d][\w.]*:[^\W\d][\w.]*)(?=\s*[,)])")


class NotationError(ValueError):
    """Text that is no claim or neighboring relation.

    Attributes
    ----------
    column : int
        Where the trouble starts, counted from 1.
    """

    def __init__(self, message: str, text: str, column: int) -> None:
        self.column = column
        line = text.replace("\n", " ")
        super().__init__(f"{message} (column {column})\n  {line}\n  {' ' * (column - 1)}^")


def parse_claim(text: str) -> Claim:
    """Read a claim as it is written in Python.

    Parameters
    ----------
    text : str
        A constructor call such as ``"ApproxDP(1.0, 1e-6)"``.

    Returns
    -------
    Claim

    Raises
    ------
    NotationError
        If the text is not a claim; the message points at the column.

    Examples
    --------
    >>> parse_claim("PureDP(epsilon=0.5)")
    PureDP(0.5)
    """
    return cast("Claim", _Reader(text, "a claim", CLAIMS).read())


def parse_neighbors(text: str, models: Callable[[str], Any] | None = None) -> Neighbors:
    """Read a neighboring relation as it is written in Python.

    Parameters
    ----------
    text : str
        A constructor call such as ``"AddRemove(Real(0, 100), max_size=20)"``.
    models : callable, optional
        Returns the schema that ``"module:Model"`` names. Records may then be written so, as in
        ``"AddRemove(module:Model)"``. Without it nothing is imported.

    Returns
    -------
    Neighbors

    Raises
    ------
    NotationError
        If the text is not a neighboring relation; the message points at the column.
    """
    if models is not None:
        text = _MODEL.sub(r"\1'\2'", text)
    return cast("Neighbors", _Reader(text, "a neighboring relation", NEIGHBORS, models).read())


class _Reader:
    """Walks the syntax tree of one expression and builds what it names."""

    def __init__(
        self,
        text: str,
        wanted: str,
        answers: tuple[str, ...],
        models: Callable[[str], Any] | None = None,
    ) -> None:
        self.text = text
        self.wanted = wanted
        self.answers = answers
        self.models = models

    def read(self) -> Any:
        if len(self.text) > _LONGEST:
            raise self.error(f"{len(self.text):,} characters; at most {_LONGEST:,} are read", None)
        if not self.text.strip():
            raise self.error(f"no text; write {self.wanted}, such as {self.example}", None)
        # A tree is only parsed here, and every node is checked below: nothing is evaluated.
        try:
            tree = ast.parse(self.text.strip(), mode="eval").body
        except SyntaxError as error:
            offset = len(self.text) - len(self.text.lstrip())
            raise NotationError(
                f"not {self.wanted}: {error.msg}", self.text, offset + max(1, error.offset or 1)
            ) from None
        except (ValueError, RecursionError, MemoryError):
            raise self.error(f"not {self.wanted}: the text cannot be read", None) from None
        self.text = self.text.strip()
        if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)):
            raise self.error(f"not {self.wanted}; write one such as {self.example}", tree)
        self.check_answer(tree.func)
        try:
            return self.value(tree)
        except RecursionError:
            raise self.error("nested too deeply", None) from None

    @property
    def example(self) -> str:
        """A call that would have been read."""
        return "PureDP(1.0)" if self.answers is CLAIMS else "AddRemove(Real(0, 100), max_size=20)"

    def check_answer(self, name: ast.Name) -> None:
        """Refuse a call that builds something else than what is wanted."""
        if name.id in self.answers:
            return
        if name.id in CLAIMS_OF_FUNCTIONS:
            what = f"{name.id} takes a function, which text cannot hold"
            raise self.error(f"{what}; declare a dpaudit.Audit in a Python file", name)
        if name.id in CLAIMS + NEIGHBORS + RECORDS:
            raise self.error(f"{name.id} is not {self.wanted}; {self.among(self.answers)}", name)
        raise self.unknown(name, self.answers)

    def value(self, node: ast.expr) -> Any:
        """Return the value that a node of the tree stands for."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None):
                return node.value
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return self.signed(node, operand)
            case ast.Name(id=name) if name in _CONSTANTS:
                return _CONSTANTS[name]
            case ast.Name():
                raise self.unknown(node, tuple(_CONSTANTS))
            case ast.List(elts=items):
                return [self.value(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys=keys, values=values):
                return self.mapping(node, keys, values)
            case ast.Attribute(value=ast.Name(id="np"), attr="inf" | "nan" as name):
                return _CONSTANTS[name]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="array")):
                return self.array(node)
            case ast.Call(func=ast.Name() as name):
                return self.call(node, name)
        raise self.error("only names, numbers, strings, lists, tuples and dicts are read", node)

    def signed(self, node: ast.UnaryOp, operand: ast.expr) -> int | float:
        number = self.value(operand)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self.error("a sign belongs before a number", node)
        return -number if isinstance(node.op, ast.USub) else number

    def array(self, node: ast.Call) -> Any:
        """Return an array of numbers or texts, as ``np.array([1.0], dtype=np.float64)``."""
        import numpy as np

        match node:
            case ast.Call(args=[listed], keywords=[]):
                kind = None
            case ast.Call(args=[listed], keywords=[ast.keyword(arg="dtype", value=named)]):
                kind = self.dtype(named)
            case _:
                raise self.error("an array is read as np.array([...], dtype=np.float64)", node)
        try:
            dtype = None if kind is None else np.dtype(kind)
            if dtype is not None and (dtype.hasobject or dtype.itemsize > _LONGEST):
                raise self.error("an array holds numbers or short texts", node)
            made = np.array(self.value(listed), dtype=dtype)
        except (TypeError, ValueError, OverflowError) as error:
            known = isinstance(error, NotationError)
            raise (error if known else self.error(str(error), node)) from None
        if made.dtype.hasobject:
            raise self.error("an array holds numbers or short texts", node)
        return made

    def dtype(self, node: ast.expr) -> Any:
        """Return what `numpy.dtype` takes."""
        match node:
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if name in _DTYPES:
                return name.rstrip("_")
            case ast.Name(id="bool"):
                return "bool"
        return self.value(node)

    def mapping(
        self, node: ast.expr, keys: list[ast.expr | None], values: list[ast.expr]
    ) -> dict[Any, Any]:
        read: dict[Any, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                raise self.error("'**' is not read; write the entries out", node)
            name = self.value(key)
            try:
                read[name] = self.value(value)
            except TypeError:
                raise self.error("a dict's key must be a number or a string", key) from None
        return read

    def call(self, node: ast.Call, name: ast.Name) -> Any:
        if name.id not in CLAIMS + NEIGHBORS + RECORDS:
            raise self.unknown(name, NEIGHBORS + RECORDS)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.error("'*' is not read; write the arguments out", argument)
        positional = [self.value(argument) for argument in node.args]
        first = positional[0] if positional and name.id in NEIGHBORS else None
        if self.models is not None and isinstance(first, str):
            positional[0] = self.models(first)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            columns = name.id == "Row" and isinstance(keyword.value, ast.Dict)
            if keyword.arg is None and not columns:
                raise self.error("'**' is not read; write the arguments out", keyword.value)
            value = self.value(keyword.value)
            for each, domain in (value if keyword.arg is None else {keyword.arg: value}).items():
                if not isinstance(each, str) or each in named:
                    raise self.error(f"{each!r} is not the name of one argument", keyword.value)
                named[each] = domain
        return self.build(node, _constructor(name.id), positional, named)

    def build(
        self, node: ast.Call, make: Callable[..., Any], args: list[Any], named: dict[str, Any]
    ) -> Any:
        signature = inspect.signature(make)
        try:
            signature.bind(*args, **named)
        except TypeError as error:
            usage = f"{make.__name__}({', '.join(map(_parameter, signature.parameters.values()))})"
            unexpected = next((k for k in named if k not in signature.parameters), "")
            close = [name for name in signature.parameters if unexpected and unexpected in name]
            close = close or difflib.get_close_matches(unexpected, signature.parameters, 1)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise self.error(f"{error}{hint}; it is {usage}", node) from None
        try:
            return make(*args, **named)
        except (TypeError, ValueError) as error:
            raise self.error(str(error), node) from error

    def unknown(self, name: ast.Name, names: tuple[str, ...]) -> NotationError:
        folded = {n.casefold(): n for n in names}
        close = difflib.get_close_matches(name.id.casefold(), folded, 1, 0.5)
        hint = f"did you mean {folded[close[0]]}?" if close else self.among(names)
        return self.error(f"unknown name {name.id!r}; {hint}", name)

    def among(self, names: tuple[str, ...]) -> str:
        return f"there are {', '.join(names)}"

    def error(self, message: str, node: ast.expr | None) -> NotationError:
        if node is None:
            return NotationError(message, self.text[:80], 1)
        # The tree counts bytes of UTF-8, and lines; people count characters.
        lines = self.text.split("\n")
        before = lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")
        column = sum(len(line) + 1 for line in lines[: node.lineno - 1]) + len(before) + 1
        return NotationError(message, self.text, column)


def _constructor(name: str) -> Callable[..., Any]:
    module = import_module("dpaudit.claims" if name in CLAIMS else "dpaudit.neighbors")
    return cast("Callable[..., Any]", getattr(module, name))


def _parameter(parameter: inspect.Parameter) -> str:
    name = parameter.name
    match parameter.kind:
        case inspect.Parameter.VAR_KEYWORD:
            return f"**{name}"
        case inspect.Parameter.VAR_POSITIONAL:
            return f"*{name}"
    if parameter.default is inspect.Parameter.empty:
        return name
    return f"{name}={parameter.default!r}"
