"""The gallery says what the files say, and shows a figure for each mechanism that has one."""

from __future__ import annotations

from tools.declared import audits_of
from tools.description import ROOT, described
from tools.gallery import FAMILIES, IMAGES, NOTHING, PAGE, family_of, section, twin_row
from tools.utility import all_utilities

TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = [*described(), *described("nonprivate")]


def test_the_gallery_says_of_a_mechanism_what_its_file_says():
    for file in SHOWN:
        assert file.module in family_of(), f"audit {file.module} in one of audits/{FAMILIES}"
    assert [file.module for file in SHOWN if section(file) not in TEXT] == [], "make gallery"


def test_the_gallery_says_of_a_flawed_twin_what_its_file_says():
    lines = TEXT.splitlines()
    for twin in described("flawed"):
        row = next((line for line in lines if line.startswith(twin_row(twin))), None)
        assert row is not None, f"{twin.name}: make gallery"
        refutable = any(a.expect == twin.fields["Violation"] for a in audits_of(twin))
        assert (NOTHING in row) != refutable, f"{twin.name}: make gallery"


def test_a_mechanism_has_a_figure_of_its_error():
    for name in sorted({utility.mechanism for utility in all_utilities()}):
        assert (IMAGES / "utility" / f"{name}.svg").is_file(), f"{name}: make gallery"
        assert f"images/utility/{name}.svg" in TEXT, f"{name}: make gallery"


def test_every_figure_is_shown_on_a_page():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    for image in IMAGES.rglob("*.svg"):
        assert image.relative_to(ROOT / "docs").as_posix() in pages
