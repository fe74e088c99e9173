"""Laws of expressions of uniform draws: which noise an inverse distribution function returns.

Every draw that occurs is a function of uniform variables on (0, 1): an exponential one is
``-scale * log(U)``. Where an expression is ``a + c * log(l(U))`` and l maps the interval of U onto
(0, 1), it is ``a - c * E`` with E exponential. All laws here follow from that: a Laplace variable
is E or -E with equal chances, or the difference of two; a Gumbel one is ``-log(E)``; the normal one
is that of Box and Muller; a geometric one is the whole part of ``E / -log(q)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.checker.operators import ORDERED
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.named_noise import LINEAR, SOURCES, as_number, is_scalar
from dpaudit.formal.lifting.uniforms import (
    HALF,
    Cosine,
    Logarithm,
    NoLawError,
    Root,
    Whole,
    limits,
    linear,
    recognised,
    side,
)
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Draw,
    Expression,
    Function,
    Mapping,
    Name,
    Named,
    Place,
    Return,
    Starred,
    Statement,
    Subscript,
)

_LOWER = ("max", "maximum", "fmax")  # and the upper ones
_KEPT_FROM = (*_LOWER, "min", "minimum", "fmin")
_MOST = 900  # powers of two between all constants of an expression and 1
_FINEST = sympy.Rational(1, 2**53)  # what `random` draws is a multiple of it
_SCALED = ("laplace", "normal", "standard_normal")


@dataclass(frozen=True, slots=True)
class Law:
    """``location + factor * Z + offset``, with Z of a standard law of the family.

    Attributes
    ----------
    family : str
    location : Expression or None
        What the noise is added to.
    factor : Expr
        Of the public expressions that `atoms` names.
    offset : int
        Of geometric noise.
    size : Expression or None
    atoms : dict
    sources : tuple of Draw
    """

    family: str
    location: Expression | None
    factor: Any
    offset: int
    size: Expression | None
    atoms: dict[Any, Expression]
    sources: tuple[Draw, ...]


@dataclass(slots=True)
class _Reader:
    """Reads an expression as one of uniform variables and of other, unread expressions."""

    sources: list[tuple[Any, Draw, Any]] = field(default_factory=list)  # variable, draw, value
    atoms: dict[Any, Expression] = field(default_factory=dict)
    names: dict[Any, Any] = field(default_factory=dict)
    divisors: set[Any] = field(default_factory=set)  # atoms that must not be 0
    scalar: bool = False  # whether a function of numbers alone is applied to the draws

    def read(self, node: Expression) -> Any:
        if isinstance(node, Draw):
            return self.drawn(node)
        if not _has_source(node):
            return self.atom(node)
        if isinstance(node, Choice):
            self.scalar = True
            return self.choice(node.test, node.yes, node.no)
        if isinstance(node, Call) and isinstance(node.function, Function):
            return self.read(_inlined(node))
        if not isinstance(node, Call) or not isinstance(node.function, str) or node.keywords:
            raise NoLawError
        return self.applied(node.function, node.arguments, node)

    def atom(self, node: Expression) -> Any:
        if isinstance(node, Constant) and type(node.value) in (int, float):
            if type(node.value) is float and not math.isfinite(node.value):
                raise NoLawError
            if node.value in (math.pi, 2 * math.pi):
                return sympy.pi * (1 if node.value == math.pi else 2)
            return sympy.Rational(Fraction(node.value))
        if rewriting.draws(node):
            key: Any = id(node)
        elif isinstance(node, Call) and not node.keywords and _is_arithmetic(node):
            return LINEAR[str(node.function)](*map(self.atom, node.arguments))
        elif isinstance(node, Call) and node.function == "operator.neg":
            return -self.atom(node.arguments[0])
        elif (rest := _negated(node)) is not None:
            return -self.atom(rest)
        else:
            key = rewriting.text(node)
        if key not in self.names:
            symbol = sympy.Symbol(f"atom{len(self.names)}", positive=True)
            self.names[key], self.atoms[symbol] = symbol, node
        return self.names[key]

    def drawn(self, node: Draw) -> Any:
        before = [value for _, draw, value in self.sources if draw is node]
        if before:
            return before[0]
        uniform = sympy.Symbol(f"u{len(self.sources)}", real=True)
        given = dict(node.arguments)
        given.pop("size", None)
        if node.family == "random" and not given:
            value = uniform
        elif node.family == "uniform" and set(given) <= {"low", "high"}:
            low = self.number(given.get("low"), 0)
            value = low + (self.number(given.get("high"), 1) - low) * uniform
        elif node.family in ("exponential", "standard_exponential") and set(given) <= {"scale"}:
            scale = self.atom(given["scale"]) if given else sympy.Integer(1)
            value = -scale * Logarithm(uniform)
        elif node.family in _SCALED and set(given) <= {"scale", "loc"}:
            if "loc" in given and self.number(given["loc"], 0) != 0:
                raise NoLawError
            value = uniform * (self.atom(given["scale"]) if "scale" in given else 1)
        elif node.family == "geometric" and set(given) == {"p"}:
            value = uniform
        elif (values := _coin(node)) is not None:
            self.scalar = self.scalar or node.argument("size") is None
            value = sympy.Piecewise((values[0], uniform < HALF), (values[1], True))
        else:
            raise NoLawError
        self.sources.append((uniform, node, value))
        return value

    def number(self, node: Expression | None, default: int) -> Any:
        value = sympy.Integer(default) if node is None else self.atom(node)
        if value.free_symbols or not value.is_Rational:
            raise NoLawError
        return value

    def choice(self, test: Expression, yes: Expression, no: Expression) -> Any:
        if not isinstance(test, Call) or test.function not in ORDERED or test.keywords:
            raise NoLawError
        left, right = map(self.read, test.arguments)
        less = _told(left - right if str(test.function)[9] == "l" else right - left)
        return sympy.Piecewise((self.read(yes), less < 0), (self.read(no), True))

    def applied(self, name: str, arguments: tuple[Expression, ...], node: Call) -> Any:
        short = name.rpartition(".")[2]
        if name in LINEAR and len(arguments) == 2:
            left, right = map(self.read, arguments)
            if name in ("operator.truediv", "numpy.divide"):
                self.divisors |= right.free_symbols & set(self.atoms)
            return LINEAR[name](left, right)
        if name == "numpy.where" and len(arguments) == 3:
            return self.choice(*arguments)
        if name in ("math.copysign", "numpy.copysign") and len(arguments) == 2:
            self.scalar = self.scalar or name.startswith("math.")
            size, sign = map(self.read, arguments)
            return self.without_sign(size) * _sign(sign)
        if short in _KEPT_FROM and name.startswith(("builtins.", "numpy.")) and len(arguments) == 2:
            return self.kept(short, *map(self.read, arguments))
        if short == "pow" and len(arguments) == 2:
            base, exponent = map(self.read, arguments)
            if exponent == HALF:
                return Root(base)
            raise NoLawError
        if len(arguments) != 1:
            raise NoLawError
        value = self.read(arguments[0])
        self.scalar = self.scalar or name.startswith(("math.", "builtins.float", "builtins.int"))
        return self.function(name, short, value)

    def kept(self, short: str, one: Any, other: Any) -> Any:
        """Return x of ``max(x, 1e-300)``, where x is a uniform number on (0, 1).

        Between 0 and `_FINEST` no generator draws anything, so that the limit moves only 0.
        """
        value, limit = (other, one) if one.is_Rational else (one, other)
        self.scalar = self.scalar or short in ("max", "min")
        if not limit.is_Rational or not 0 < (limit if short in _LOWER else 1 - limit) < _FINEST:
            raise NoLawError
        low, high = limits(value, [variable for variable, _, _ in self.sources])
        if (low, high) != (0, 1):
            raise NoLawError
        return value

    def without_sign(self, value: Any) -> Any:
        if value.is_positive or (value.is_Rational and value >= 0):
            return value
        try:
            return value * _sign(value)
        except NoLawError:
            return value * side(value, [variable for variable, _, _ in self.sources])

    def function(self, name: str, short: str, value: Any) -> Any:
        if name == "operator.neg":
            return -value
        if name in ("operator.pos", "builtins.float"):
            return value
        found: dict[str, Callable[[Any], Any]] = {
            "sign": _sign,
            "abs": self.without_sign,
            "absolute": self.without_sign,
            "fabs": self.without_sign,
            "log": Logarithm,
            "log1p": lambda x: Logarithm(1 + x),
            "sqrt": Root,
            "cos": Cosine,
            "sin": lambda x: Cosine(x - sympy.pi / 2),
            "floor": Whole,
            "ceil": lambda x: -Whole(-x),
        }
        if name.partition(".")[0] not in ("math", "numpy", "builtins") or short not in found:
            raise NoLawError
        return found[short](value)


def _inlined(node: Call) -> Expression:
    """Return what a function yields that only tests its argument: ``1 if u >= 0 else -1``."""
    function, arguments = node.function, node.arguments
    assert isinstance(function, Function)
    plain = not node.keywords and not function.defaults and function.starred is None
    if not plain or len(function.parameters) != len(arguments):
        raise NoLawError
    if any(map(rewriting.draws, function.body)):
        raise NoLawError  # what it draws is drawn anew in each call
    given = dict(zip(function.parameters, arguments, strict=True))
    # A variable that has its own name there, such as ``self``, is the same one here.
    given = {k: v for k, v in given.items() if not (isinstance(v, Name) and v.id == k)}
    many = [value for value in given.values() if not isinstance(value, Name | Constant)]
    starred = any(isinstance(value, Starred) for value in arguments)
    several = len([value for value in many if not _is_object(value)]) != 1
    if starred or several or any(map(_binds, function.body)):
        raise NoLawError
    return rewriting.filled(_yielded(function.body), given)


def _binds(statement: Statement) -> bool:
    """Return whether there are names in a statement that are not variables of its function."""
    return any(isinstance(n, Comprehension | Closure | Named) for n in rewriting.inner(statement))


def _is_object(node: Expression) -> bool:
    """Return whether an expression is an object whose attributes are numbers that are given."""
    if not isinstance(node, Call) or not isinstance(node.function, Function) or node.keywords:
        return False
    own, body = node.function.parameters[0], node.function.body
    given = all(isinstance(argument, Constant | Mapping) for argument in node.arguments)
    return given and all(_stores(statement, own) for statement in body[:-1])


def _stores(statement: Statement, own: str) -> bool:
    """Return whether a statement gives an attribute to an object: a number or an argument."""
    target = statement.target if isinstance(statement, Assign) else None
    of = target.value if isinstance(target, Subscript) else None
    plain = isinstance(statement, Assign) and isinstance(statement.value, Name | Constant)
    return plain and isinstance(of, Name) and of.id == own


def _yielded(body: tuple[Statement, ...]) -> Expression:
    """Return the value of a block of tests and returns as one expression."""
    first, *rest = body or (None,)
    if isinstance(first, Return):
        return first.value
    if not isinstance(first, Branch):
        raise NoLawError
    no = _yielded(first.no or tuple(rest))
    return Choice(first.place, first.test, _yielded(first.yes), no)


def law_of(node: Expression) -> Law | None:
    """Return the law of an expression of draws, None where it has none that is known."""
    parts = [*rewriting.inner(node)]
    limits = [limit for part in parts for limit in _limits_of_logarithm(part)]
    if sum(map(_binary_digits, parts)) - sum(map(_binary_digits, limits)) > _MOST:
        return None  # floats may lose what the program multiplies on the way
    reader = _Reader()
    try:
        value = reader.read(node)
        sizes = [draw.argument("size") for _, draw, _ in reader.sources]
        origins = [draw.generator for _, draw, _ in reader.sources]
        alike = all(rewriting.same(size, sizes[0]) for size in sizes) and all(
            rewriting.same(origin, origins[0]) for origin in origins
        )
        if not 1 <= len(sizes) <= 3 or not alike or (sizes[0] is not None and reader.scalar):
            return None
        scaled = _multiple(reader, value) or _two_sided(reader, value)
        family, location, factor, offset = scaled or recognised(
            value, [u for u, _, _ in reader.sources]
        )
        left = factor.free_symbols
        if not reader.divisors <= left or not set(reader.atoms) <= left | location.free_symbols:
            return None  # what cancels out may be NaN, or raise an error
        if family == "geometric":
            factor = _chance_of(reader, factor)
    except NoLawError:
        return None
    if factor == 0 or not _is_number(factor, reader):
        return None
    atom = reader.atoms.get(location)
    if location != 0 and atom is None:
        return None
    drawn = tuple(draw for _, draw, _ in reader.sources)
    return Law(family, atom, factor, offset, sizes[0], reader.atoms, drawn)


def _limits_of_logarithm(node: Any) -> tuple[Any, ...]:
    """Return the arguments of max in ``log(max(1e-300, u))``: nothing multiplies the limit."""
    match node:
        case Call(
            function="math.log" | "numpy.log",
            arguments=(Call(function="builtins.max" | "numpy.maximum", arguments=(_, _) as given),),
        ) if min(map(_binary_digits, given)) == 0:
            return given
    return ()


def _binary_digits(node: Any) -> float:
    """Return how far a constant is from 1, in powers of two."""
    number = isinstance(node, Constant) and type(node.value) in (int, float)
    if not number or not node.value or not math.isfinite(node.value):
        return 0.0
    return abs(math.log2(abs(node.value)))


def _chance_of(reader: _Reader, factor: Any) -> Any:
    """Return 1 - q where the expression says 1 - exp(log(q))."""
    for symbol in factor.free_symbols:
        node = reader.atoms[symbol]
        if not isinstance(node, Call) or node.function not in ("math.log", "numpy.log"):
            continue
        if factor == 1 - sympy.exp(symbol) and not node.keywords and len(node.arguments) == 1:
            return 1 - reader.atom(node.arguments[0])
    return factor


def _is_number(factor: Any, reader: _Reader) -> bool:
    """Return whether a factor is one of the atoms that draw nothing."""
    return all(s in reader.atoms and not rewriting.draws(reader.atoms[s])
               for s in factor.free_symbols)  # fmt: skip


def _negated(node: Expression) -> Expression | None:
    """Return x of ``-1 * x``."""
    if not isinstance(node, Call) or node.function != "operator.mul":
        return None
    first, second = node.arguments
    minus = isinstance(first, Constant) and type(first.value) in (int, float) and first.value == -1
    return second if minus else None


def _is_arithmetic(node: Call) -> bool:
    numbers = all(
        isinstance(a, Constant) or (isinstance(a, Call) and a.function in LINEAR)
        for a in node.arguments
    )
    return node.function in LINEAR and len(node.arguments) == 2 and numbers


def _has_source(node: Expression) -> bool:
    return any(isinstance(part, Draw) and _is_source(part) for part in rewriting.inner(node))


def _is_source(node: Draw) -> bool:
    return node.family in SOURCES - {"integers", "choice"} or _coin(node) is not None


def _coin(node: Draw) -> tuple[Any, Any] | None:
    """Return both values of a draw that takes two with equal chances."""
    given = dict(node.arguments)
    given.pop("size", None)
    numbers = {
        name: value.value
        for name, value in given.items()
        if isinstance(value, Constant) and isinstance(value.value, int | list | tuple)
    }
    if node.family == "integers" and len(numbers) == len(given) and given:
        low, high = (numbers.get("low"), numbers.get("high"))
        if set(numbers) <= {"low", "high", "endpoint"} and isinstance(low, int):
            low, high = (0, low) if high is None else (low, high)
            if isinstance(high, int) and high + bool(numbers.get("endpoint")) - low == 2:
                return sympy.Integer(low), sympy.Integer(low + 1)
    if node.family == "choice" and set(given) == {"a"}:
        a = given["a"]
        items = getattr(a, "items", None)
        values = numbers.get("a") if items is None else [getattr(i, "value", None) for i in items]
        two = values if isinstance(values, list | tuple) and len(values) == 2 else ()
        if two and all(type(v) in (int, float) and abs(v) < 100 for v in two):
            return sympy.Rational(Fraction(two[0])), sympy.Rational(Fraction(two[1]))
    return None


def _sign(value: Any) -> Any:
    return sympy.Piecewise((-1, _told(value) < 0), (1, True))  # 0 has no chance


def _told(value: Any) -> Any:
    """Return a number of one uniform variable, which says nothing of what is not drawn.

    Raises
    ------
    NoLawError
        For other numbers: atoms count as positive, and a coin may be 0.
    """
    plain = not value.has(sympy.Piecewise, Logarithm, Root, Cosine, Whole)
    (variable,) = value.free_symbols if len(value.free_symbols) == 1 else (None,)
    if not plain or variable is None or not variable.name.startswith("u"):
        raise NoLawError
    return value


def _multiple(reader: _Reader, value: Any) -> tuple[str, Any, Any, int] | None:
    """Return the law of ``location + factor * Z`` with one draw Z of a symmetric law."""
    scaled = [entry for entry in reader.sources if entry[1].family in _SCALED]
    if not scaled:
        return None
    if len(reader.sources) != 1 or value.has(sympy.Piecewise, Logarithm, Root, Cosine, Whole):
        raise NoLawError
    ((variable, draw, _),) = scaled
    location, factor = linear(value, variable)
    names = factor.free_symbols & set(reader.atoms)
    if location.free_symbols & names or not all(_is_named(reader.atoms[n]) for n in names):
        raise NoLawError  # such as a private value, or an array, times noise
    family = "laplace" if draw.family == "laplace" else "normal"
    return family, location, -factor if factor.could_extract_minus_sign() else factor, 0


def _is_named(node: Expression) -> bool:
    """Return whether an expression is a scale as people write it: of variables and numbers."""
    plain = Name | Attribute | Constant
    return all(
        isinstance(n, plain) or (isinstance(n, Call) and (n.function in LINEAR or is_scalar(n)))
        for n in rewriting.inner(node)
    )


def _two_sided(reader: _Reader, value: Any) -> tuple[str, Any, Any, int] | None:
    """Return the law of ``location + G - G'`` with two geometric draws of one law."""
    if not any(draw.family == "geometric" for _, draw, _ in reader.sources):
        return None
    if len(reader.sources) != 2 or value.has(sympy.Piecewise, Logarithm, Root, Cosine, Whole):
        raise NoLawError
    (one, first, _), (other, second, _) = reader.sources
    if first.family != second.family or not rewriting.same(first, second):
        raise NoLawError
    rest, up = linear(value, one)
    location, down = linear(rest, other)
    if sorted((up, down)) != [-1, 1]:
        raise NoLawError
    return "two-sided", location, reader.atom(first.arguments[0][1]), 0


# --- expressions of what was read


def written(law: Law, place: Place) -> Expression:
    """Return the draw that has a law, with what is added to it."""
    generator = law.sources[0].generator
    size = () if law.size is None else (("size", law.size),)
    name = "p" if law.family in ("geometric", "two-sided") else "scale"
    mirrored = name == "scale" and law.factor.could_extract_minus_sign()
    factor = -law.factor if mirrored else law.factor
    scale = as_number(_expression(factor, law.atoms, place))
    if law.family == "two-sided":
        drawn: Expression = rewriting.call(place, "operator.sub", *law.sources)
    else:
        drawn = Draw(place, law.family, ((name, scale), *size), generator)
    if mirrored:
        drawn = rewriting.call(place, "operator.neg", drawn)
    if law.offset:
        drawn = rewriting.call(place, "operator.sub", drawn, Constant(place, -law.offset))
    if law.location is not None:
        drawn = rewriting.call(place, "operator.add", law.location, drawn)
    return drawn


def _expression(value: Any, atoms: dict[Any, Expression], place: Place) -> Expression:
    if value in atoms:
        return atoms[value]
    if value.is_Integer:
        return Constant(place, int(value))
    if value.is_Rational:
        close = float(value)
        if Fraction(close) == Fraction(int(value.p), int(value.q)):
            return Constant(place, close)
        return _quotient(sympy.Integer(value.p), sympy.Integer(value.q), atoms, place)
    if value.is_Add or value.is_Mul:
        top, bottom = value.as_numer_denom() if value.is_Mul else (value, sympy.Integer(1))
        if bottom != 1:
            return _quotient(top, bottom, atoms, place)
        name = "operator.add" if value.is_Add else "operator.mul"
        terms = sorted(value.args, key=lambda term: term.could_extract_minus_sign())
        whole = _expression(terms[0], atoms, place)
        for term in terms[1:]:
            less = value.is_Add and term.could_extract_minus_sign()
            part = _expression(-term if less else term, atoms, place)
            whole = rewriting.call(place, "operator.sub" if less else name, whole, part)
        return whole
    if isinstance(value, sympy.exp | sympy.log | Logarithm):
        name = "math.exp" if isinstance(value, sympy.exp) else "math.log"
        return rewriting.call(place, name, _expression(value.args[0], atoms, place))
    if value.is_Pow and value.exp == -1:
        return _quotient(sympy.Integer(1), value.base, atoms, place)
    if value.is_Pow and value.exp.is_Integer and value.exp > 1:
        return _expression(value.base, atoms, place) if value.exp == 1 else rewriting.call(
            place, "operator.pow", _expression(value.base, atoms, place),
            Constant(place, int(value.exp)),
        )  # fmt: skip
    raise NoLawError


def _quotient(top: Any, bottom: Any, atoms: dict[Any, Expression], place: Place) -> Expression:
    parts = (_expression(top, atoms, place), _expression(bottom, atoms, place))
    return rewriting.call(place, "operator.truediv", *parts)
