"""Whether a changed source verifies: it is grafted, lifted anew and proved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.formal.clock import OutOfSteps, bounded, now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Program
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.repairing.grafting import grafted
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

Prover = Callable[..., Any]


def _prove_by_alignment(*given: Any, deadline: float) -> Any:
    from dpaudit.formal.alignment.prove import prove_by_alignment

    return prove_by_alignment(*given, deadline=deadline)


PROVERS: tuple[Prover, ...] = (prove_by_cost, _prove_by_alignment, prove_exact)
GRACE = 4.0  # seconds that a proof may take to see its deadline by itself


@dataclass(slots=True, eq=False)
class Trials:
    """Tries changes of the files of one mechanism.

    Attributes
    ----------
    mechanism : callable
    claim : Claim
    neighbors : Neighbors
    files : frozenset of str
        Whose functions were read when the mechanism was lifted.
    folder : Path
        Where changed files are written; a temporary one.
    deadline : float
        On the clock of `dpaudit.formal.clock.now`.
    longest : float
        Seconds of one proof.
    tried : int
        How many changes were lifted.
    """

    mechanism: Any
    claim: Claim
    neighbors: Neighbors
    files: frozenset[str]
    folder: Path
    deadline: float
    longest: float = 4.0
    tried: int = 0
    contents: dict[str, str] = field(default_factory=dict)
    known: dict[Any, bool] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the steps ran out."""
        return now() >= self.deadline

    @contextmanager
    def within(self, share: float) -> Iterator[None]:
        """Let what follows take a share of the time that is left."""
        whole, began = self.deadline, now()
        self.deadline = began + share * max(0.0, whole - began)
        try:
            yield
        finally:
            self.deadline = whole

    def content(self, file: str) -> str:
        """Return a file as it is.

        Raises
        ------
        Unsupported
            Where it cannot be read.
        """
        if file not in self.contents:
            try:
                self.contents[file] = Path(file).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                raise Unsupported(f"{file} cannot be read, so that it cannot be changed") from None
        return self.contents[file]

    def changed(self, file: str, content: str) -> Any:
        """Return the mechanism as it is with another content of a file, on disk in the folder.

        Raises
        ------
        Unsupported
            Where the content is no Python, or has other functions.
        """
        self.tried += 1
        place = self.folder / str(self.tried)
        place.mkdir()
        path = place / Path(file).name
        path.write_bytes(content.encode())
        try:
            return grafted(self.mechanism, self.files, file, self.content(file), path)
        except (SyntaxError, ValueError) as error:
            raise Unsupported(f"the change is no Python: {error}") from None

    def verifies(self, file: str, content: str, provers: Sequence[Prover] = PROVERS) -> bool:
        """Return whether the claim is proved of the mechanism with another content of a file."""
        key = (file, content, tuple(map(id, provers)))
        if key not in self.known:
            self.known[key] = self._verifies(file, content, provers)
        return self.known[key]

    def _verifies(self, file: str, content: str, provers: Sequence[Prover]) -> bool:
        try:
            ast.parse(content)
            changed = self.changed(file, content)
        except (SyntaxError, Unsupported):
            return False
        return self.proves(changed, self.claim, self.neighbors, provers, instead_of=file)

    def proves(
        self,
        mechanism: Any,
        claim: Claim,
        neighbors: Neighbors,
        provers: Sequence[Prover] = PROVERS,
        *,
        instead_of: str | None = None,
    ) -> bool:
        """Return whether one of the provers proves a claim.

        Parameters
        ----------
        mechanism : callable
        claim : Claim
        neighbors : Neighbors
        provers : sequence of callable
        instead_of : str, optional
            A file of which nothing may be read any more.
        """
        seconds = min(self.longest, self.deadline - now())
        if seconds <= 0:
            return False

        def attempt() -> bool:
            program = lift(Subject.of(mechanism))
            if instead_of is not None and reads(program, instead_of):
                return False
            return _proved(program, claim, neighbors, provers, now() + seconds)

        try:
            return bounded(seconds + GRACE, attempt)
        except (Unsupported, OutOfSteps, TypeError, ValueError):
            return False


def reads(program: Program, file: str) -> bool:
    """Return whether a function of a file was read for a program."""
    return any(source.rpartition(":")[0] == file for source in program.sources)


def _proved(
    program: Program, claim: Claim, neighbors: Neighbors, provers: Sequence[Prover], deadline: float
) -> bool:
    for prover in provers:
        try:
            found = prover(program, claim, neighbors, deadline=deadline)
        except Unsupported:
            continue
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue  # a prover that fails proves nothing
        return not isinstance(found, Counterexample)
    return False
