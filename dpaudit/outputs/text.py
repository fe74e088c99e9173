"""Short, stable texts for values that are no numbers."""

from __future__ import annotations

import hashlib
import re

LONGEST = 200
BLANK = "at 0x…"
UNPRINTABLE = "unprintable ("
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


def without_addresses(text: str) -> str:
    """Return the text with memory addresses blanked: they differ from process to process."""
    return _ADDRESS.sub(BLANK, text)


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
