"""The page of constructs of public code is what the tool writes."""

import pytest

from tests.constructs import CONSTRUCTS
from tools.constructs_table import PAGE, row
from tools.markdown import table_row


@pytest.mark.parametrize(("index", "sound"), [(0, True), (13, False)])
def test_a_row_of_the_page_is_what_the_engines_say(index, sound):
    assert table_row(row(CONSTRUCTS[index], sound=sound)) in PAGE.read_text(encoding="utf-8")


def test_the_page_has_every_mechanism_of_the_list_once_with_no_false_proof_or_refutation():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "| `" in line]
    rows = {line.split(" | ")[1].strip("`"): line for line in lines}
    named = [f.__name__ for c in CONSTRUCTS for f in (c.sound, c.broken)]
    assert [line.split(" | ")[1].strip("`") for line in lines] == named
    for construct in CONSTRUCTS:
        assert "REFUTED" not in rows[construct.sound.__name__].replace("NOT REFUTED", "")
        assert "VERIFIED" not in rows[construct.broken.__name__]
