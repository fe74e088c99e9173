"""The page of constructs of public code is what the tool writes."""

import pytest

from tests.constructs import CONSTRUCTS
from tools.constructs_table import FURTHER, PAGE, known, page, row
from tools.markdown import table_row


@pytest.mark.parametrize(("index", "sound"), [(0, True), (13, False)])
def test_a_row_of_the_page_is_what_the_engines_say(index, sound):
    assert table_row(row(CONSTRUCTS[index], sound=sound)) in PAGE.read_text(encoding="utf-8")


def test_the_page_has_every_mechanism_of_the_list_once_with_no_false_proof_or_refutation():
    text = PAGE.read_text(encoding="utf-8")
    rows = known(text)
    assert page(rows) == text
    for construct in (*CONSTRUCTS, *FURTHER):
        assert "REFUTED" not in rows[construct.sound.__name__].replace("NOT REFUTED", "")
        assert "VERIFIED" not in rows[construct.broken.__name__]
