"""An audit as it is declared: mechanism, claim, neighbors, and the verdict that is expected."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, cast

from dpaudit.evidence import Verdict
from dpaudit.formal.derivation import Derivation
from dpaudit.grid import cells_of, written
from dpaudit.reference import reference
from dpaudit.violations import VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.evidence import Engine
    from dpaudit.neighbors import Neighbors
    from dpaudit.staged import Limit, Stage
    from dpaudit.verdict import Report

_UNATTRIBUTED = "DPA201"
_DERIVATION_SECONDS = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """An audit that `dpaudit run` collects from an audit file.

    Parameters
    ----------
    mechanism : callable, str or Derivation
        What is audited, or where it is: ``"module:function"``.
    claim : Claim
        The privacy it promises; a derivation has none. With `over` also a function of the setting.
    neighbors : Neighbors
        Which datasets count as neighboring; a derivation names its own. With `over` also a function
        of the setting.
    expect : str or Verdict, default: "NOT_REFUTED"
        The verdict that is expected, or the id of the violation that must be found.
    reason : str, optional
        Why that is the truth: a theorem, a paper, the named defect.
    max_calls, max_seconds, alpha, seed, engines, arithmetic, observes, over
        As for `dpaudit.audit`.
    name : str, optional
        Shown instead of the variable's name.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it should be.

    Examples
    --------
    >>> from dpaudit.claims import PureDP
    >>> from dpaudit.neighbors import AddRemove, Real
    >>> def total(data, rng):
    ...     return data.sum() + rng.laplace(scale=50.0)
    >>> Audit(total, PureDP(1.0), AddRemove(Real(0, 100)), expect="DPA105").expect
    'DPA105'

    A family has a row for each setting:

    >>> def noisy_total(data, rng, epsilon):
    ...     return data.sum() + rng.laplace(scale=100 / epsilon)
    >>> family = Audit(
    ...     noisy_total, PureDP, AddRemove(Real(0, 100)), over={"epsilon": [0.1, 1, 8]}
    ... )
    >>> family.claim_text
    'PureDP(epsilon)'
    """

    mechanism: Callable[..., Any] | str | Derivation
    claim: Claim | Callable[..., Claim] | None = None
    neighbors: Neighbors | Callable[..., Neighbors] | None = None
    _: KW_ONLY
    expect: str = "NOT_REFUTED"
    reason: str | None = None
    max_calls: int | None = None
    max_seconds: float | None = None
    alpha: float | None = None
    seed: int | None = None
    engines: Sequence[str | Engine] | None = None
    arithmetic: Literal["real", "float"] = "real"
    name: str | None = None
    observes: Sequence[str] | None = None
    over: Mapping[str, Iterable[Any]] | None = None

    def __post_init__(self) -> None:
        if self.over is None:
            _validate_nouns(self.mechanism, self.claim, self.neighbors)
        else:
            _validate_family(self.mechanism, self.claim, self.neighbors, self.over)
        object.__setattr__(self, "expect", _validate_expectation(self.expect))
        _validate_numbers(self.max_calls, self.max_seconds, self.alpha, self.seed)
        object.__setattr__(self, "engines", _validate_engines(self.engines))
        if self.arithmetic not in ("real", "float"):
            raise ValueError(f'`arithmetic` must be "real" or "float", got {self.arithmetic!r}')
        for field in ("reason", "name"):
            value = getattr(self, field)
            if value is not None and not (isinstance(value, str) and value.strip()):
                raise TypeError(f"`{field}` must be words or None, got {value!r}")

    def run(self, **overrides: Any) -> Report:
        """Run the audit.

        Parameters
        ----------
        **overrides
            Options of `dpaudit.audit` that take the place of the declared ones; None keeps the
            declared one. ``beacon`` makes the evidence one that can be replayed; `accumulate` is a
            `dpaudit.accumulate.Tonight`, whose `audit` is called instead. ``reads`` names a file
            that gets the names of files that are read.

        Returns
        -------
        Report
        """
        from dpaudit.worker.reads import recording

        with recording(overrides.pop("reads", None)):
            return self._run(overrides)

    def stages(self, limit: Limit, **overrides: Any) -> Iterator[Stage]:
        """Run the audit, and pause after each tier of calls; a derivation has none.

        Parameters
        ----------
        limit : Limit
            See `dpaudit.staged.stages`.
        **overrides
            As for `run`, without `beacon` and `accumulate`.

        Yields
        ------
        Stage
        """
        from dpaudit.auditor import audit_in_stages
        from dpaudit.staged import Stage
        from dpaudit.worker.reads import recording

        log = overrides.pop("reads", None)
        if isinstance(self.mechanism, Derivation):
            yield Stage(self.run(reads=log, **overrides), 0, 0, None)
            return
        nouns = cast("Claim", self.claim), cast("Neighbors", self.neighbors)
        made = audit_in_stages(self.mechanism, *nouns, limit, **self._options(overrides))
        while True:
            with recording(log):
                stage = next(made, None)
            if stage is None:
                return
            yield stage

    def _options(self, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of `dpaudit.audit`: the declared ones, or those in their place."""
        declared = {
            "engines": self.engines,
            "alpha": self.alpha,
            "max_calls": self.max_calls,
            "max_seconds": self.max_seconds,
            "seed": self.seed,
            "arithmetic": self.arithmetic,
            "observes": self.observes,
            "over": self.over,
        }
        given = {key: value for key, value in overrides.items() if value is not None}
        options = {key: value for key, value in declared.items() if value is not None} | given
        options.setdefault("max_seconds", None)
        return options

    def _run(self, overrides: Mapping[str, Any]) -> Report:
        from dpaudit.auditor import audit, check_derivation

        if isinstance(self.mechanism, Derivation):
            seconds = overrides.get("max_seconds") or self.max_seconds or _DERIVATION_SECONDS
            return check_derivation(self.mechanism, timeout=seconds)
        options = self._options(overrides)
        for option in ("beacon", "accumulate") if self.over is not None else ():
            if option in options:
                raise ValueError(
                    f"`{option}` takes one setting at a time, and this audit has `over`; "
                    "declare an audit for each setting, as in {value: Audit(…) for value in …}"
                )
        nouns = cast("Claim", self.claim), cast("Neighbors", self.neighbors)
        if "beacon" in options:
            from dpaudit.beacon.audited import audited

            return audited(self.mechanism, *nouns, **options)
        night = options.pop("accumulate", None)
        run = audit if night is None else night.audit
        report: Report = run(self.mechanism, *nouns, **options)
        return report

    def undeclared(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some options that the audit does not declare.

        Parameters
        ----------
        options : mapping
            Of `dpaudit.audit`.
        """
        return {key: value for key, value in options.items() if getattr(self, key, None) is None}

    def met_by(self, report: Report) -> bool:
        """Return whether the report says what was expected.

        Notes
        -----
        A verdict is met by an equal or a better one, and REFUTED only by itself. The id of a
        violation is met by REFUTED with an error of that id, or that lists it under ``also``.
        DPA201, which names no cause, meets it too. An audit that was not completed meets nothing.
        """
        if not report.completed:
            return False
        if self.expect in VIOLATIONS:
            errors = [f for f in report.findings if f.level == "error"]
            found = {id for f in errors for id in (f.id, *f.also)}
            return report.verdict is Verdict.REFUTED and bool(found & {self.expect, _UNATTRIBUTED})
        expected = Verdict[self.expect]
        if expected is Verdict.REFUTED:
            return report.verdict is Verdict.REFUTED
        return report.verdict >= expected

    @property
    def claim_text(self) -> str | None:
        """The claim in words; a function of the setting by its name and parameters."""
        return None if self.claim is None else written(self.claim)

    @property
    def neighbors_text(self) -> str | None:
        """The neighbors in words; a function of the setting by its name and parameters."""
        return None if self.neighbors is None else written(self.neighbors)

    @property
    def mechanism_name(self) -> str:
        """Name of the mechanism, as ``module:function`` where it has one."""
        if isinstance(self.mechanism, Derivation):
            return str(self.mechanism)
        return reference(self.mechanism)


def _validate_family(mechanism: Any, claim: Any, neighbors: Any, over: object) -> None:
    if isinstance(mechanism, Derivation):
        raise TypeError(
            "an audit of a Derivation takes no `over`: its variables stand for all their values"
        )
    _validate_mechanism(mechanism)
    # A module is imported where its mechanism runs, which then says what parameters it lacks.
    cells_of(None if isinstance(mechanism, str) else mechanism, claim, neighbors, over)


def _validate_nouns(mechanism: object, claim: object, neighbors: object) -> None:
    if isinstance(mechanism, Derivation):
        if claim is not None or neighbors is not None:
            raise TypeError(
                "an audit of a Derivation takes no claim and no neighbors, got "
                f"{claim!r} and {neighbors!r}; name the neighbors in the derivation"
            )
        return
    _validate_mechanism(mechanism)
    if isinstance(claim, type) or not all(hasattr(claim, a) for a in ("delta", "half_planes")):
        raise TypeError(f"`claim` must be a claim such as PureDP(1.0), got {claim!r}")
    if isinstance(neighbors, type) or not all(hasattr(neighbors, a) for a in ("pairs", "shrink")):
        raise TypeError(
            "`neighbors` must be a neighboring relation such as AddRemove(Real(0, 100)), "
            f"got {neighbors!r}"
        )


def _validate_mechanism(mechanism: object) -> None:
    if isinstance(mechanism, str):
        module, _, function = mechanism.partition(":")
        if not (module and function):
            package, _, last = module.rpartition(".")
            both = f"{package or module or 'mypackage.release'}:{function or last or 'noisy_mean'}"
            raise ValueError(
                f'`mechanism` as text is "module:function", got {mechanism!r}; '
                f"name both, such as {both!r}"
            )
    elif not callable(mechanism):
        raise TypeError(
            f"`mechanism` must be callable, got {mechanism!r}; "
            'pass the function itself or "module:function"'
        )


def _validate_expectation(expect: object) -> str:
    if isinstance(expect, Enum):
        expect = expect.name
    if not isinstance(expect, str):
        raise TypeError(f"`expect` must be a verdict or an id such as DPA103, got {expect!r}")
    known = [*(verdict.name for verdict in Verdict), *VIOLATIONS]
    wanted = expect.strip().upper().replace(" ", "_")
    if wanted in known:
        return wanted
    close = difflib.get_close_matches(wanted, known, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
    raise ValueError(f"`expect` must be a verdict or a violation id, got {expect!r}; {hint}")


def _validate_numbers(max_calls: object, max_seconds: object, alpha: object, seed: object) -> None:
    if max_calls is not None and not (_is_integer(max_calls) and max_calls > 0):  # type: ignore[operator]
        raise ValueError(f"`max_calls` must be a positive integer, got {max_calls!r}")
    if max_seconds is not None and not (_is_number(max_seconds) and max_seconds > 0):  # type: ignore[operator]
        raise ValueError(f"`max_seconds` must be positive, got {max_seconds!r}")
    if alpha is not None and not (_is_number(alpha) and 0 < alpha < 1):  # type: ignore[operator]
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha!r}; the default is 1e-6")
    if seed is not None and not (_is_integer(seed) and seed >= 0):  # type: ignore[operator]
        raise ValueError(f"`seed` must be an integer of at least 0, got {seed!r}")


def _validate_engines(engines: object) -> tuple[Any, ...] | None:
    if engines is None:
        return None
    if isinstance(engines, str) or not isinstance(engines, Sequence):
        raise TypeError(f'`engines` must be a sequence such as ["statistical"], got {engines!r}')
    if not engines or not all(isinstance(e, str) or hasattr(e, "examine") for e in engines):
        raise ValueError(f"`engines` must name at least one engine, got {engines!r}")
    from dpaudit.auditor import validate_once

    validate_once(engines)
    return tuple(engines)


def _is_integer(value: object) -> bool:
    import operator

    if isinstance(value, bool):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except TypeError:
        return False
