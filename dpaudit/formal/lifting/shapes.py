"""What variables and attributes hold in a source: objects of a class, or other values."""

from __future__ import annotations

import math
import types
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.enumerations import is_enumeration, is_member
from dpaudit.formal.lifting.streams import Kind
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

Holder = tuple[Any, str]  # the class of an attribute, or the code of a variable; and its name
Learned = dict[Holder, tuple[Literal["list", "dict", "varies"], type | None]]
Value = tuple[type, Any]  # a constant, and its type, which tells 1 from True
Kept = Literal["list", "dict", "record", "clock", "found", "tensor"]
_SAID = {"record": "a display with objects or a time", "clock": "a reading of the clock"}
_SAID |= {"found": "an object that may be None"}


class LearnedError(Unsupported):
    """A variable or an attribute is seen to hold something else than it was read as."""

    def __init__(self, learned: Learned, place: Place) -> None:
        super().__init__("a variable of several kinds", place)
        self.learned = learned


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """A list or a dict of objects, or a display that holds some among other values.

    Attributes
    ----------
    kind : {"list", "dict", "record", "clock", "found", "tensor"}
        A record is a display; a clock is a reading of it, which is held as objects are; what is
        found is an object, or None.
    of : Shape or None
        What it holds; None of a record, and of objects of several classes.
    """

    kind: Kept
    of: Shape | None

    @property
    def said(self) -> str:
        """What it is, in words."""
        return _SAID.get(self.kind, f"a {self.kind} of objects")


@dataclass(frozen=True, slots=True, eq=False)
class Tensor(Contents):
    """What is known of a tensor of PyTorch, of an array that shares its memory, or of a law.

    Attributes
    ----------
    role : str
        "tensor", "array", or the family of the noise that is sampled.
    dtype : str
        The type of the entries, by NumPy's name.
    flat : bool
        Whether it surely has no dimension.
    """

    role: str = "tensor"
    dtype: str = "float64"
    flat: bool = False

    @property
    def said(self) -> str:
        """What it is, in words."""
        words = {"tensor": f"a tensor of {self.dtype}", "array": "an array of a tensor"}
        return words.get(self.role, "a distribution of torch")


@lru_cache(maxsize=64)
def tensor(role: str, dtype: str, flat: bool) -> Tensor:
    """Return what is known of such tensors, which is one object for all of them."""
    return Tensor("tensor", None, role, dtype, flat)


@dataclass(slots=True, eq=False)
class Shape:
    """What is known of the objects of one class.

    Attributes
    ----------
    cls : type
    attributes : dict of str to Shape, Kind or None
        What each attribute holds in every object: objects of a class, a generator with the methods
        of a library, what the class itself holds, or None for any other value.
    learned : dict
        What is learned of attributes: of those that vary too.
    values : dict of str to (type, object)
        The constant that an attribute holds in every object, from the time when it is made.
    told : set of str
        Attributes of which the constant was told.
    """

    cls: type
    attributes: dict[str, What] = field(default_factory=dict)
    learned: Learned = field(default_factory=dict)
    values: dict[str, Value | None] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    @property
    def said(self) -> str:
        """What it is, in words."""
        return f"an object of {self.cls.__name__}"

    def hold(self, name: str, what: What, place: Place, value: Value | None = None) -> None:
        """Say what an attribute holds, and the constant where it holds one from the beginning.

        Raises
        ------
        Unsupported
            Where it holds something else elsewhere.
        """
        self.keep(name, value, place)
        if self.attributes.setdefault(name, what) != what:
            said = f"the attribute {name!r} of {self.cls.__name__}, which holds {_said(what)}"
            raise Unsupported(f"{said} here and {_said(self.attributes[name])} elsewhere", place)

    def keep(self, name: str, value: Value | None, place: Place) -> None:
        """Say which constant an attribute holds from the beginning, None where it may vary.

        Raises
        ------
        LearnedError
            Where another constant was told before.
        """
        holder = (self.cls, "values"), name
        value = None if holder in self.learned else value
        if self.values.setdefault(name, value) != value:
            if name in self.told:
                raise LearnedError({holder: ("varies", None)}, place)
            self.values[name] = None

    def value(self, name: str) -> Value | None:
        """Return the constant that an attribute holds in every object."""
        found = self.values.get(name)
        if found is not None:
            self.told.add(name)
        return found

    def stream(self, name: str) -> Kind | None:
        """Return whose methods the generator has that an attribute holds, None if it holds none."""
        found = self.attributes.get(name)
        held = isinstance(found, Shape | Contents)
        return None if held or found == "class" or found == "sink" else found  # type: ignore[return-value]


What = Shape | Contents | Kind | Literal["class", "sink"] | None


def _said(what: What) -> str:
    if isinstance(what, Shape | Contents):
        return what.said
    if what == "class":
        return "what the class holds"
    if what == "sink":
        return "a logger"
    return "another value" if what is None else "a generator"


@dataclass(slots=True, eq=False)
class Holders:
    """What the variables of a function hold, as far as it was read; see `Shape.hold`.

    Attributes
    ----------
    own : frozenset of str
        Variables of this function; others belong to the functions around it.
    outer : Holders or None
    held : dict of str to Shape, Contents or None
    """

    own: frozenset[str]
    outer: Holders | None = None
    held: dict[str, Shape | Contents | None] = field(default_factory=dict)

    def of(self, name: str) -> Holders | None:
        """Return the function whose variable a name is, None for a global one."""
        if name in self.own:
            return self
        return None if self.outer is None else self.outer.of(name)

    def find(self, name: str) -> Shape | Contents | None:
        """Return the shape of the objects that a variable holds, None where it holds others."""
        holder = self.of(name)
        return None if holder is None else holder.held.get(name)

    def hold(self, name: str, what: Shape | Contents | None, place: Place) -> None:
        """Say what a variable holds, or is read as.

        Raises
        ------
        Unsupported
            Where it holds something else elsewhere.
        """
        holder = self.of(name)
        if holder is not None and holder.held.setdefault(name, what) is not what:
            said = f"the variable {name!r}, which holds {_said(what)} here"
            raise Unsupported(f"{said} and {_said(holder.held[name])} elsewhere", place)


def in_class(cls: type, name: str) -> Any:
    """Return what a class has under a name, as its body left it; None where it has nothing."""
    return next((vars(kind)[name] for kind in cls.__mro__ if name in vars(kind)), None)


def is_scalar(value: Any) -> bool:
    """Return whether a value is None, a truth, a number, a text or a member of an enumeration."""
    if type(value) is float:  # NaN is not equal to itself, and the two zeros are not one
        return value == value and (value != 0 or math.copysign(1, value) > 0)
    return type(value) in (bool, int, str, type(None)) or is_member(value)


def is_code(value: Any) -> bool:
    """Return whether a value is a function or a class: equal to itself alone, and true."""
    if type(value) in (types.FunctionType, type) or is_enumeration(value):
        return True
    return callable(value) and canonical_name(value) is not None


def is_setting(value: Any) -> bool:
    """Return whether a value is a constant that cannot change, and that folding computes with."""
    if type(value) is tuple:
        return all(map(is_setting, value))
    return is_scalar(value) or is_code(value)


def is_table(value: Any) -> bool:
    """Return whether a value is a list or a dict of such constants."""
    items = value if type(value) is list else value.items() if type(value) is dict else (...,)
    return all(map(is_setting, items))


def value_of(value: Any) -> Value | None:
    """Return a constant that settings have, None of any other value."""
    return (type(value), value) if is_scalar(value) or is_code(value) else None
