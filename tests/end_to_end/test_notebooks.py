"""The notebooks run as a reader would run them, and say what their text says."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.sweeps import FULL

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PAPER = pytest.mark.skipif(not FULL, reason="a full sweep runs the notebook of a paper too")
STRICT = "import warnings; warnings.simplefilter('error')"


def named(path: Path) -> str:
    return path.stem


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory):
    """Return a function that runs a notebook, once, in a kernel where warnings are errors."""
    done: dict[str, nbformat.NotebookNode] = {}

    def run(path: Path) -> nbformat.NotebookNode:
        if path.stem not in done:
            folder = tmp_path_factory.mktemp(path.stem)
            notebook = nbformat.read(path, as_version=4)
            notebook.cells.insert(0, nbformat.v4.new_code_cell(STRICT))
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("JUPYTER_RUNTIME_DIR", str(folder / "runtime"))
                patch.setenv("IPYTHONDIR", str(folder / "ipython"))
                resources = {"metadata": {"path": str(folder)}}
                NotebookClient(
                    notebook, timeout=600, kernel_name="python3", resources=resources
                ).execute()
            done[path.stem] = notebook
        return done[path.stem]

    return run


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]


def printed(notebook: nbformat.NotebookNode) -> str:
    return "".join(o.text for o in outputs(notebook) if o.output_type == "stream")


def pictures(notebook: nbformat.NotebookNode) -> list[bytes]:
    shown = [o.data for o in outputs(notebook) if o.output_type == "execute_result"]
    return [base64.b64decode(data["image/png"]) for data in shown if "image/png" in data]


def test_there_are_two_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["a_first_audit", "checking_a_paper"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_notebook_is_kept_without_outputs(path):
    """Outputs hold times and paths of one machine; this suite makes them anew."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_links_of_the_notebook_lead_somewhere(path):
    text = "".join(c.source for c in nbformat.read(path, as_version=4).cells)
    for target in re.findall(r"\]\(([^)\s:]+)\)", text):
        assert (path.parent / target).exists(), target


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS if FULL else NOTEBOOKS[:1], ids=named)
def test_every_cell_runs_without_an_error_or_a_warning(path, executed):
    for out in outputs(executed(path)):
        assert out.output_type != "error"
        assert out.get("name") != "stderr", out.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stem", "number"), [("a_first_audit", 2), pytest.param("checking_a_paper", 3, marks=PAPER)]
)
def test_pictures_are_shown(stem, number, executed):
    found = pictures(executed(FOLDER / f"{stem}.ipynb"))
    assert len(found) == number
    assert all(png.startswith(b"\x89PNG") and len(png) > 10_000 for png in found)


@pytest.mark.slow
def test_first_audit_refutes_and_its_repair_is_not_refuted(executed):
    """The seed is fixed; a sound mechanism is refuted with probability 1e-6 with another."""
    said = printed(executed(FOLDER / "a_first_audit.ipynb"))
    assert "REFUTED  __main__:noisy_mean" in said
    assert "DPA103" in said
    assert "NOT REFUTED  __main__:repaired_mean" in said


@PAPER
@pytest.mark.slow
def test_table_of_the_paper_is_judged_rightly(executed):
    """With fresh seeds a bound exceeds the truth in at most one of twenty runs."""
    said = printed(executed(FOLDER / "checking_a_paper.ipynb"))
    verdicts = dict(re.findall(r"^(\w+) +((?:NOT )?REFUTED) +[\d,]+ calls", said, re.M))
    assert verdicts == {
        "laplace": "NOT REFUTED",
        "noisy_max_index": "NOT REFUTED",
        "noisy_max_value": "REFUTED",
        "histogram_inverted": "REFUTED",
        "threshold_alone": "REFUTED",
    }
    rows = re.findall(r"^(\w+) +at least +([\d.]+) +published +([\d.]+) +true (\S+)", said, re.M)
    assert len(rows) == 5
    bounds = {name: (float(low), float(figure)) for name, low, figure, _ in rows}
    assert all(float(low) <= float(truth) for _, low, _, truth in rows)
    for name in ("histogram_inverted", "threshold_alone"):
        assert bounds[name][0] > bounds[name][1], "more than was published"
    assert "true ε 0.30006" in said
