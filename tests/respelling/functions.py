"""Definitions in other words: helpers, classes, decorators, validation, logs, hints, names."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from tests.respelling.rewrite import Pair, Rewrite, Scene, Statements, lines, made, names_in, stored

Definition = ast.FunctionDef


def _split(definition: Definition) -> tuple[Statements, Statements]:
    """Return the docstring, if there is one, and the rest of a body."""
    at = 0 if ast.get_docstring(definition) is None else 1
    return definition.body[:at], definition.body[at:]


def _with(definition: Definition, body: Statements) -> Statements:
    changed = copy.deepcopy(definition)
    changed.body = [*_split(changed)[0], *body]
    return [changed]


def _before(right: str, wrong: str, *, number: bool = False) -> Callable[[Definition, Scene], Pair]:
    """Return a rule that puts statements before a body; P is a public number, DATA the data."""

    def rule(definition: Definition, scene: Scene) -> Pair:
        numbers = scene.numbers
        if number and not numbers:
            return None
        parts = {"P": ast.Name(numbers[0]) if numbers else None, "DATA": ast.Name(scene.data)}
        body = _split(definition)[1]
        sides = [_with(definition, [*lines(t, **parts), *body]) for t in (right, wrong)]
        return sides[0], sides[1]

    return rule


def _around(right: str, wrong: str) -> Callable[[Definition, Scene], Pair]:
    """Return a rule that puts a body into another statement."""

    def rule(definition: Definition, scene: Scene) -> Pair:
        body = _split(definition)[1]
        parts = {"BODY": body, "DATA": ast.Name(scene.data)}
        sides = [_with(definition, lines(t, **parts)) for t in (right, wrong)]
        return sides[0], sides[1]

    return rule


def _arguments(definition: Definition) -> str:
    """Return how a function passes its own arguments on."""
    positional = [a.arg for a in definition.args.args]
    return ", ".join([*positional, *(f"{a.arg}={a.arg}" for a in definition.args.kwonlyargs)])


def into_a_helper(definition: Definition, scene: Scene) -> Pair:
    """The whole body in a function of its own; the twin calls it twice."""
    if definition.args.vararg or definition.args.kwarg or definition.decorator_list:
        return None
    inner = copy.deepcopy(definition)
    inner.name = scene.fresh("mechanism")
    passed = _arguments(definition)
    call = f"{inner.name}({passed})"
    right = _with(definition, lines(f"return {call}"))
    wrong = _with(definition, lines(f"return {call}, {call}, {call}, {call}"))
    return [inner, *right], [inner, *wrong]


def into_a_class(definition: Definition, scene: Scene) -> Pair:
    """A method of a class, parameters in a dataclass; the twin multiplies what it is given by 4."""
    if definition.args.vararg or definition.args.kwarg or definition.decorator_list:
        return None
    keywords = [a.arg for a in definition.args.kwonlyargs]
    numbers = scene.numbers
    if not numbers or keywords != numbers:
        return None
    settings, runner = scene.fresh("Settings"), scene.fresh("Runner")
    fields = "\n".join(f"    {name}: float" for name in keywords)
    first = ", ".join(a.arg for a in definition.args.args)

    def written(factor: str) -> Statements:
        held = "\n".join(f"        {n} = self.settings.{n}{factor}" for n in keywords)
        text = (
            f"@dataclasses.dataclass(frozen=True)\nclass {settings}:\n{fields}\n"
            f"class {runner}:\n    def __init__(self, settings):\n"
            "        self.settings = settings\n"
            f"    def run(self, {first}):\n{held}\n        BODY\n"
        )
        passed = ", ".join(f"{n}={n}" for n in keywords)
        call = lines(f"return {runner}({settings}({passed})).run({first})")
        return [*lines(text, BODY=_split(definition)[1]), *_with(definition, call)]

    return written(""), written(" * 4") if keywords == ["epsilon"] else None


def decorated(definition: Definition, scene: Scene) -> Pair:
    """A decorator that passes all on; the twin's calls the mechanism four times."""
    if definition.decorator_list:
        return None
    name = scene.fresh("traced")
    text = (
        f"def {name}(function):\n    @functools.wraps(function)\n"
        "    def wrapper(*args, **kwargs):\n        return RESULT\n    return wrapper\n"
    )
    call = "function(*args, **kwargs)"
    sides = []
    for result in (call, ", ".join([call] * 4)):
        changed = copy.deepcopy(definition)
        changed.decorator_list = [ast.Name(name)]
        sides.append([*ast.parse(text.replace("RESULT", result)).body, changed])
    return sides[0], sides[1]


def renamed(definition: Definition, scene: Scene) -> Pair:
    """Other names of local variables; the twin's noise is too small."""
    parameters = {a.arg for a in ast.walk(definition) if isinstance(a, ast.arg)}
    plain = {
        n.id
        for n in ast.walk(definition)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id not in parameters
    }
    nested = any(
        isinstance(n, ast.FunctionDef) and n is not definition for n in ast.walk(definition)
    )
    if not plain or nested:
        return None
    names = {old: scene.fresh(f"v{i}") for i, old in enumerate(sorted(plain))}
    changed = copy.deepcopy(definition)
    for node in ast.walk(changed):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return [changed], None


def hinted(definition: Definition, _: Scene) -> Pair:
    """A docstring, no annotations, and hints of local variables; the twin's noise is too small."""
    changed = copy.deepcopy(definition)
    for argument in (*changed.args.args, *changed.args.kwonlyargs):
        argument.annotation = None
    changed.returns = made("float")
    body = _split(changed)[1]
    hinted_one = [_hinted(s) for s in body]
    changed.body = [*lines('"""Return something."""'), *hinted_one]
    return [changed], None


def _hinted(node: ast.stmt) -> ast.stmt:
    match node:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return ast.AnnAssign(target, made("object"), value, 1)
    return node


def defaults_for_constants(definition: Definition, scene: Scene) -> Pair:
    """A numeric constant as a default argument; the twin's noise is too small."""
    if definition.args.vararg or definition.args.kwarg:
        return None
    changed = copy.deepcopy(definition)
    numbers = [
        n
        for s in _split(changed)[1]
        for n in ast.walk(s)
        if isinstance(n, ast.Constant) and type(n.value) in (int, float)
    ]
    if not numbers:
        return None
    name = scene.fresh("number")
    changed.args.kwonlyargs.append(ast.arg(name))
    changed.args.kw_defaults.append(copy.deepcopy(numbers[0]))

    class _Put(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            return ast.Name(name) if node is numbers[0] else node

    changed.body = [_Put().visit(s) for s in changed.body]
    return [changed], None


def _writes_data(definition: Definition, scene: Scene) -> bool:
    return scene.data in stored(*definition.body)


def taken_as_array(definition: Definition, scene: Scene) -> Pair:
    """Data converted first; the twin multiplies it, where it does so before any clip."""
    if _writes_data(definition, scene) or scene.data not in names_in(*definition.body):
        return None
    body = _split(definition)[1]
    name = ast.Name(scene.data)
    right = _with(definition, [*lines("DATA = np.asarray(DATA)", DATA=name), *body])
    return right, None


def once_assigned(definition: Definition, scene: Scene) -> Pair:
    """Another name of the data; the twin's noise is too small."""
    body = _split(definition)[1]
    other = scene.fresh("values")
    changed = copy.deepcopy(body)
    if _writes_data(definition, scene) or any(
        isinstance(n, ast.Lambda | ast.FunctionDef) for s in body for n in ast.walk(s)
    ):
        return None
    for node in (n for s in changed for n in ast.walk(s)):
        if isinstance(node, ast.Name) and node.id == scene.data:
            node.id = other
    first = lines("OTHER = DATA", OTHER=ast.Name(other), DATA=ast.Name(scene.data))
    return _with(definition, [*first, *changed]), None


_LOG = "logging.getLogger(__name__).info("
FUNCTIONS = (
    Rewrite("body in a helper", "draws", "function", into_a_helper),
    Rewrite("method of a class", "draws", "function", into_a_class),
    Rewrite("decorator", "draws", "function", decorated),
    Rewrite("other names", "draws", "function", renamed),
    Rewrite("hints and docstring", "draws", "function", hinted),
    Rewrite("constant as a default", "draws", "function", defaults_for_constants),
    Rewrite("data as an array", "draws", "function", taken_as_array),
    Rewrite("another name of the data", "draws", "function", once_assigned),
    Rewrite(
        "validation",
        "draws",
        "function",
        _before(
            "if P <= 0:\n    raise ValueError('must be positive')",
            "if np.sum(DATA) > 0.5:\n    raise ValueError('must be small')",
            number=True,
        ),
    ),
    Rewrite(
        "assertion",
        "draws",
        "function",
        _before("assert P > 0", "assert np.sum(DATA) <= 0.5", number=True),
    ),
    Rewrite(
        "log",
        "draws",
        "function",
        _before(f"{_LOG}'with %s', P)", f"{_LOG}'with %s', DATA)", number=True),
    ),
    Rewrite(
        "f-string",
        "draws",
        "function",
        _before(
            "label = f'with {P:.3f}'", "label = f'with {P:.3f}'\nprint(f'{DATA}')", number=True
        ),
    ),
    Rewrite(
        "try and except",
        "draws",
        "function",
        _around(
            "try:\n    BODY\nexcept ZeroDivisionError:\n    raise",
            "try:\n    BODY\nfinally:\n    print(DATA)",
        ),
    ),
    Rewrite(
        "if true",
        "draws",
        "function",
        _around("if True:\n    BODY", "if True:\n    print(DATA)\n    BODY"),
    ),
)
