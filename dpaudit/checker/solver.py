"""Writes problems in SMT-LIB; asks cvc5, and z3 where cvc5 gives up, whether something follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.checker.ask import ask_cvc5, ask_z3
from dpaudit.checker.formula import Condition, Relation, Term, constant

Z3_TRUSTED = "z3 decided what cvc5 did not"
_LARGEST_POWER = 12
_SIGNS = {"<=": "<=", "<": "<", ">=": ">=", ">": ">", "==": "=", "!=": "distinct"}


class BeyondError(Exception):
    """A formula that solvers are not asked about."""


@dataclass(slots=True)
class Writer:
    """Writes formulas in SMT-LIB.

    Attributes
    ----------
    whole : dict of str to bool
        The variables, and whether they are integers.
    needs : list of str
        What must hold for the formulas written so far to have values.
    """

    whole: dict[str, bool]
    needs: list[str] = field(default_factory=list)
    _declared: list[str] = field(default_factory=list)
    _facts: list[str] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _roots: dict[tuple[str, int], str] = field(default_factory=dict)
    _path: list[str] = field(default_factory=list)
    _powers: list[tuple[str, str]] = field(default_factory=list)
    _vague: bool = False
    _logarithms: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for i, (name, integer) in enumerate(self.whole.items()):
            self._declared.append(f"(declare-const v{i} {'Int' if integer else 'Real'})")
            self._names[name] = f"(to_real v{i})" if integer else f"v{i}"

    @property
    def complete(self) -> bool:
        """Whether nothing but what is written is true of the numbers in it."""
        return not self._powers and not self._vague

    def condition(self, condition: Condition) -> str:
        """Return a condition."""
        return _all([self.relation(relation) for relation in condition])

    def relation(self, relation: Relation) -> str:
        """Return a relation."""
        left, right = self.term(relation.left), self.term(relation.right)
        return f"({_SIGNS[relation.sign]} {left} {right})"

    def term(self, term: Term) -> str:
        """Return a number-valued formula; what it needs is added to `needs`."""
        value = constant(term)
        if value is not None:
            return numeral(value)
        if term.op == "variable":
            return self._names[term.name]
        if term.op == "cases":
            return self._cases(term)
        if term.op == "power":
            return self._power(term)
        args = [self.term(arg) for arg in term.args]
        if term.op in _PLAIN:
            return f"({_PLAIN[term.op]} {' '.join(args)})"
        made: str = getattr(self, f"_{term.op}", self._beyond)(*args)
        return made

    def problem(self, goal: str, *, native: bool) -> str:
        """Return a problem that is unsatisfiable where the goal always holds.

        Parameters
        ----------
        goal : str
            What was written by this writer.
        native : bool
            Whether the solver knows the exponential function.
        """
        lines = ["(set-logic ALL)", *self._declared]
        lines.insert(1, f"(define-fun EXP ((x Real)) Real {'(exp x)' if native else '0.0'})")
        if not native:
            lines[1] = "(declare-fun EXP (Real) Real)"
        lines += [f"(assert {fact})" for fact in (*self._facts, *self._exponentials())]
        return "\n".join([*lines, f"(assert (not {goal}))", "(check-sat)", ""])

    def fact(self, text: str) -> None:
        """Assert what is given."""
        self._facts.append(text)

    def _need(self, text: str) -> None:
        self.needs.append(f"(=> {_all(self._path)} {text})" if self._path else text)

    def _fresh(self) -> str:
        name = f"w{len(self._declared)}"
        self._declared.append(f"(declare-const {name} Real)")
        return name

    def _beyond(self, *_: str) -> str:
        raise BeyondError

    def _div(self, above: str, below: str) -> str:
        self._need(f"(distinct {below} 0.0)")
        return f"(/ {above} {below})"

    def _neg(self, a: str) -> str:
        return f"(- {a})"

    def _abs(self, a: str) -> str:
        return f"(ite (>= {a} 0.0) {a} (- {a}))"

    def _max(self, *args: str) -> str:
        found = args[0]
        for other in args[1:]:
            found = f"(ite (>= {found} {other}) {found} {other})"
        return found

    def _min(self, *args: str) -> str:
        found = args[0]
        for other in args[1:]:
            found = f"(ite (<= {found} {other}) {found} {other})"
        return found

    def _sign(self, a: str) -> str:
        return f"(ite (> {a} 0.0) 1.0 (ite (< {a} 0.0) (- 1.0) 0.0))"

    def _floor(self, a: str) -> str:
        return f"(to_real (to_int {a}))"

    def _pi(self) -> str:
        name = self._fresh()
        self._vague = True
        self._facts.append(f"(and (< 3.14159265358979 {name}) (< {name} 3.14159265358980))")
        return name

    def _sqrt(self, a: str) -> str:
        self._need(f"(>= {a} 0.0)")
        return self._root(a, 2)

    def _root(self, a: str, order: int) -> str:
        if (a, order) not in self._roots:
            root = self._roots[a, order] = self._fresh()
            self._facts.append(f"(>= {root} 0.0)")
            self._facts.append(f"(=> (>= {a} 0.0) (= {_product(root, order)} {a}))")
        return self._roots[a, order]

    def _exp(self, a: str) -> str:
        name = f"(EXP {a})"
        if (a, name) not in self._powers:
            self._powers.append((a, name))
        return name

    def _log(self, a: str) -> str:
        self._need(f"(> {a} 0.0)")
        for known, name in self._logarithms:
            if known == a:
                return name
        name = self._fresh()
        self._logarithms.append((a, name))
        self._facts.append(f"(=> (> {a} 0.0) (= {self._exp(name)} {a}))")
        return name

    def _sinh(self, a: str) -> str:
        return f"(/ (- {self._exp(a)} {self._exp(f'(- {a})')}) 2.0)"

    def _cosh(self, a: str) -> str:
        return f"(/ (+ {self._exp(a)} {self._exp(f'(- {a})')}) 2.0)"

    def _tanh(self, a: str) -> str:
        return f"(/ {self._sinh(a)} {self._cosh(a)})"

    def _power(self, term: Term) -> str:
        exponent = constant(term.args[1])
        base = self.term(term.args[0])
        if exponent is None:
            other = self.term(term.args[1])
            return self._exp(f"(* {other} {self._log(base)})")
        if max(abs(exponent.numerator), exponent.denominator) > _LARGEST_POWER:
            raise BeyondError
        if exponent.denominator > 1:
            self._need(f"({'>' if exponent < 0 else '>='} {base} 0.0)")
            base = self._root(base, exponent.denominator)
        product = _product(base, abs(exponent.numerator))
        return self._div("1.0", product) if exponent < 0 else product

    def _cases(self, term: Term) -> str:
        depth = len(self._path)
        values, tests = [], []
        for arg, test in zip(term.args, term.tests, strict=True):
            tests.append(self.condition(test))
            self._path.append(tests[-1])
            values.append(self.term(arg))
            self._path[-1] = f"(not {tests[-1]})"
        del self._path[depth:]
        found = values[-1]
        for value, test_text in zip(values[-2::-1], tests[-2::-1], strict=True):
            found = f"(ite {test_text} {value} {found})"
        return found

    def _exponentials(self) -> list[str]:
        """Return what is true of the exponential function at the arguments that occur."""
        facts = []
        for i, (a, power) in enumerate(self._powers):
            facts.append(f"(> {power} 0.0)")
            facts.append(f"(>= {power} (+ 1.0 {a}))")
            for b, other in self._powers[:i]:
                facts.append(f"(=> (= (+ {a} {b}) 0.0) (= (* {power} {other}) 1.0))")
                facts.append(f"(= (< {a} {b}) (< {power} {other}))")
        return facts


_PLAIN = {"add": "+", "sub": "-", "mul": "*"}


def numeral(value: Fraction) -> str:
    """Return a rational number in SMT-LIB."""
    text = f"{abs(value.numerator)}.0"
    if value.denominator > 1:
        text = f"(/ {text} {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def follows(writer: Writer, goal: str, seconds: float) -> tuple[bool | None, str]:
    """Return whether a goal holds wherever the writer's facts do, and which solver says so.

    None where it is not known. False is believed only where the writer's facts say all there is
    to say.

    Raises
    ------
    NotCheckedError
        Where cvc5 is not installed.
    """
    problem = writer.problem(goal, native=True)
    found = ask_cvc5(problem, min(2.0, seconds * 0.2))
    if found != "unknown":
        return _told(found, writer), "cvc5"
    found = ask_z3(writer.problem(goal, native=False), min(10.0, seconds * 0.3))
    if found != "unknown":
        return _told(found, writer), "z3"
    return _told(ask_cvc5(problem, seconds * 0.2), writer), "cvc5"


def _told(said: str, writer: Writer) -> bool | None:
    if said == "unsat":
        return True
    return False if said == "sat" and writer.complete else None


def _product(base: str, count: int) -> str:
    return base if count == 1 else f"(* {' '.join([base] * count)})" if count else "1.0"


def _all(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"(and {' '.join(parts)})" if parts else "true"
