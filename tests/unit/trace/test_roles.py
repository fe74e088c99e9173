"""A line that forms nothing itself gives way to the one that does."""

import pytest

from dpaudit.evidence import Finding
from dpaudit.trace.roles import by_role

# `>` begins the line that an engine has told, `~` one that draws noise, `=` that of the cause.
MOVED = {
    "an accumulator is filled": (
        "DPA105",
        """
def f(data):
>   counts = np.zeros(3)
    for x in data:
=       counts[x] += 2
    return counts
""",
    ),
    "an attribute is filled by another method": (
        "DPA109",
        """
class A:
    def __init__(self):
>       self.seen = {}
    def add(self, x):
=       self.seen[x] = 1
""",
    ),
    "a sampler is right for its parameter": (
        "DPA105",
        """
def noise(width):
>~  return random.expovariate(1 / width)
def f(data):
=   spread = 1.0 / 8
    return len(data) + noise(spread)
""",
    ),
    "a coin is right for its chance": (
        "DPA106",
        """
def flip(p):
>~  return secrets.randbelow(N) < p * N
def f(bit):
=   keep = 0.99
    if flip(keep):
        return bit
    return 1 - bit
""",
    ),
    "the scale is a property": (
        "DPA106",
        """
class A:
    @property
    def std(self):
=       return self.clip / 7
    def f(self, x):
>~      return x + np.random.normal(0, self.std)
""",
    ),
    "the scale is an entry of a table": (
        "DPA106",
        """
def f(x):
=   config = {"std": 3.0 * 2}
>~  return x + np.random.normal(0, config["std"])
""",
    ),
    "what noise is added to has a name": (
        "DPA105",
        """
def f(x, std):
=   g = shorten(x.mean())
>~  g = g + np.random.normal(0, std)
    return g
""",
    ),
    "a function limits what each record adds": (
        "DPA105",
        """
def limit(v):
=   return np.clip(v, -1, 1)
def f(rows):
    total = 0
    for v in rows:
>       total = total + limit(v)
    return total
""",
    ),
    "labels are no values": (
        "DPA105",
        """
def f(frame):
=   means = frame.groupby("a").mean()
>   shown = means.reindex(KEYS).fillna(0.0)
    return shown
""",
    ),
    "a helper is given its scale": (
        "DPA103",
        """
def add(value, sensitivity, epsilon):
>~  return value + np.random.laplace(0, sensitivity / epsilon)
def f(data, epsilon):
    best = max(data)
=   return add(sum(data), best + 1, epsilon)
""",
    ),
    "what nothing bounds is divided": (
        "DPA104",
        """
def f(data):
=   weights = 1.0 / data
>~  return weights.sum() + np.random.laplace(scale=10.0)
""",
    ),
    "a sensitivity is computed where it is handed over": (
        "DPA105",
        """
def width(sensitivity, epsilon):
    return sensitivity / epsilon
def f(data, top, n):
=   scale = width(top / (n * n), 1.0)
>~  return data.mean() + np.random.laplace(0, scale)
""",
    ),
}
TURNED = {
    "a budget over a sensitivity": (
        "DPA106",
        """
def width(epsilon, sensitivity):
=   return epsilon / sensitivity
def f(data):
>   total = np.clip(data, 0, 4).sum()
~   return total + np.random.laplace(scale=width(1.0, 4.0))
""",
    ),
    "the sum is limited, and not what each record adds": (
        "DPA105",
        """
def f(data):
    mean = np.mean(data)
=   mean = np.clip(mean, -1, 1)
>~  return mean + np.random.laplace(scale=0.1)
""",
    ),
}
KEPT = {
    "a sampler that is wrong by itself": (
        "DPA106",
        """
def noise(scale):
>=~ return random.expovariate(1 / scale) / 2
def f(data):
    return len(data) + noise(1.0 / 8)
""",
    ),
    "noise that is redrawn with another scale": (
        "DPA106",
        """
def noise(scale):
>=~ return random.expovariate(1 / (2 * scale))
def f(data):
    spread = 1.0 / 8
    return len(data) + noise(spread)
""",
    ),
    "a value that leaves": (
        "DPA101",
        """
def f(data):
    total = sum(data)
>=  return total
""",
    ),
    "a rate that is a budget over a sensitivity": (
        "DPA105",
        """
def f(data, epsilon, top):
>=  total = sum(data)
~   return total + random.expovariate(epsilon / top)
""",
    ),
    "a scale that is formed on the line of the noise": (
        "DPA106",
        """
def f(data, epsilon):
>=~ return len(data) + np.random.laplace(0, 0.5 / epsilon)
""",
    ),
    "a sampler that is asked for several scales": (
        "DPA105",
        """
def noise(scale):
>=~ return np.random.laplace(0, scale)
def f(data):
    a = 1 / 2
    b = 1 / 3
    return len(data) + noise(a), sum(data) + noise(b)
""",
    ),
}


def told(folder, kind, text):
    """Write a program and return its finding with the line of the cause."""
    lines = text.lstrip("\n").splitlines()
    path = folder / "program.py"
    marks = [set(line) & set(">=~") if line[:1] in ">=~" else set() for line in lines]
    for number, line in enumerate(lines):
        if marks[number]:
            head = line[:4].translate(str.maketrans(">=~", "   "))
            lines[number] = head + line[4:]
            marks[number] = set(line[:4])
    path.write_text("\n".join(lines) + "\n")

    def marked(sign):
        return [n for n, mark in enumerate(marks, 1) if sign in mark]

    noise = tuple((str(path), n, "the laplace noise") for n in marked("~"))
    [line], [cause] = marked(">"), marked("=")
    return Finding(kind, "error", "f", (), str(path), line, noise), cause


@pytest.mark.parametrize(("kind", "text"), MOVED.values(), ids=MOVED)
def test_a_line_that_forms_nothing_gives_way(kind, text, tmp_path):
    finding, cause = told(tmp_path, kind, text)
    assert (by_role(finding).id, by_role(finding).line) == (kind, cause)


@pytest.mark.parametrize(("kind", "text"), TURNED.values(), ids=TURNED)
@pytest.mark.parametrize("given", ["DPA105", "DPA106"])
def test_the_side_that_is_wrong_is_named(kind, text, given, tmp_path):
    finding, cause = told(tmp_path, given, text)
    found = by_role(finding)
    assert (found.id, found.line) == (kind, cause)
    assert kind == given or given in found.also


@pytest.mark.parametrize(("kind", "text"), KEPT.values(), ids=KEPT)
def test_a_line_that_forms_what_is_wrong_stays(kind, text, tmp_path):
    finding, cause = told(tmp_path, kind, text)
    assert by_role(finding) == finding
    assert finding.line == cause


def test_a_call_on_a_line_that_did_not_run_is_no_cause(tmp_path):
    finding, _ = told(tmp_path, *KEPT["a sampler that is asked for several scales"])
    path = finding.file
    [text] = [KEPT["a sampler that is asked for several scales"][1]]
    rewritten = text.replace("noise(a), sum(data)", "noise(a)\n    return sum(data)")
    (tmp_path / "other").mkdir()
    finding, _ = told(tmp_path / "other", "DPA105", rewritten)
    ran = {(finding.file, n) for n in (2, 4, 6)}
    assert path != finding.file
    assert by_role(finding, ran=lambda: ran).line == 4


def test_what_a_user_adds_several_times_is_not_the_fault_of_its_limit(tmp_path):
    finding, _ = told(tmp_path, *MOVED["a function limits what each record adds"])
    assert by_role(finding, rows=3) == finding


def test_without_a_source_nothing_is_moved():
    finding = Finding("DPA105", "error", "f", (), "nowhere.py", 3)
    assert by_role(finding) == finding
