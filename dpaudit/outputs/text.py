"""Short, stable texts for values that are no numbers."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from dpaudit.outputs.observed import NUMBER

LONGEST = 200
LONGEST_READ = 20_000  # characters of a text whose numbers are looked at
BLANK = "at 0x…"
UNPRINTABLE = "unprintable ("
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
_WHOLE_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{8,16}\b")


def without_addresses(text: str) -> str:
    """Return the text with memory addresses blanked: they differ from process to process."""
    return _ADDRESS.sub(BLANK, text)


def unplaced(text: str) -> str:
    """Return a text of the mechanism's without addresses as ``repr`` writes them."""
    return _WHOLE_ADDRESS.sub("at …", text) if " 0x" in text else text


def is_unread(text: str) -> bool:
    """Whether a label shows where an object lies, or that it fails, instead of what it holds."""
    return BLANK in text or text.startswith(UNPRINTABLE)


def shortened(text: str) -> str:
    """Return the text, or its beginning and a digest of the whole where it is long."""
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return f"{text[: LONGEST - 40]}… ({len(text)} characters, {digest})"


def describe(value: object) -> str:
    """Return a label for any value: its ``repr`` without addresses, whatever ``repr`` does."""
    try:
        return shortened(without_addresses(repr(value)))
    except MemoryError:
        raise
    except Exception as error:
        return f"{UNPRINTABLE}{type(error).__name__})"


def integer_text(value: int) -> str:
    """Return an integer in decimals, or in hexadecimals where Python refuses so many digits."""
    return shortened(str(value) if value.bit_length() < 4096 else hex(value))


def parts_of_text(text: str) -> Any:
    """Return what a text says: JSON as it is read, any other text with its numbers beside it.

    Parameters
    ----------
    text : str

    Returns
    -------
    object
        The text itself where it has no numbers, or is long.
    """
    if len(text) > LONGEST_READ:
        return text
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict | list):
        return said
    numbers = [float(each) for each in NUMBER.findall(text)]
    return {"its text": NUMBER.sub("{}", text), "its numbers": numbers} if numbers else text
