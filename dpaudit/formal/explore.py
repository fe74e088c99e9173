"""Every path through a program, by the outcomes of its public tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dpaudit.formal.domain import Known, Value
from dpaudit.formal.hooks import Hooks
from dpaudit.formal.program import Program
from dpaudit.formal.trail import Path
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Raised, Walk

MOST_PATHS = 256


def explore(
    program: Program,
    data: Callable[[], Value] | Value,
    hooks: Callable[[], Hooks] = Hooks,
    parameters: dict[str, Value] | None = None,
) -> Iterator[Path]:
    """Yield every path through the program.

    Parameters
    ----------
    program : Program
    data : Value or callable
        What the data parameter holds in the two runs (see `relations.datasets`).
    hooks : callable
        Makes the hooks of one path.
    parameters : dict of str to Value, optional
        Values of other parameters: overrides defaults, and stands in for symbolic ones, which are
        real symbols of their own names otherwise.

    Raises
    ------
    Unsupported
        Where something is not understood.
    """
    from dpaudit.formal.relations import arguments

    script: list[bool] = []
    for _ in range(MOST_PATHS):
        own = hooks()
        walk = Walk(program, own, list(script))
        start = data() if callable(data) else data
        for value in (start, *getattr(start, "columns", {}).values()):
            term = getattr(value, "term", None)
            if term is not None:
                walk.values[term] = value
        keywords = arguments(walk, start, parameters or {})
        entry, value, raised = program.entry, None, False
        place = entry.place
        try:
            value = walk.call(entry, [], keywords, place)
        except Raised as error:
            value, raised, place = Known(None), True, error.place
        yield Path(
            value, place, tuple(walk.decisions), tuple(walk.conditions), tuple(walk.hazards),
            tuple(walk.steps), own, raised,
        )  # fmt: skip
        script = walk.script[: len(walk.decisions)]
        while script and not script[-1]:
            script.pop()
        if not script:
            return
        script[-1] = False
    raise Unsupported(f"more than {MOST_PATHS} paths", program.entry.place)
