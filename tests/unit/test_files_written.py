"""What cannot be written is refused before the audits take their time, with a remedy."""

import os
from pathlib import Path

import click
import pytest

from dpaudit.cli.files import check_writable, make_folder, write

# /proc refuses new files to root too, for whom modes refuse nothing.
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")


@needs_proc
@pytest.mark.parametrize("refuse", [check_writable, lambda name: write(name, "text")])
def test_a_file_that_the_system_refuses_is_a_usage_error(refuse):
    with pytest.raises(click.UsageError, match=r"cannot be written \(.*; give a place"):
        refuse("/proc/nothing.json")


@needs_proc
def test_a_folder_in_which_nothing_can_be_written_is_a_usage_error():
    with pytest.raises(click.UsageError, match="cannot be made or written"):
        make_folder(Path("/proc"))


def test_asking_leaves_no_file_and_changes_none(tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_text("before")
    check_writable(str(kept))
    check_writable(str(tmp_path / "new.json"))
    make_folder(tmp_path)
    assert kept.read_text() == "before"
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    check_writable(str(tmp_path / "pipe"))  # would wait for a reader
