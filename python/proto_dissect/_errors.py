"""Exceptions. Their texts are those of the command line."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """Base of the package's exceptions."""


class OptionError(Error, ValueError):
    """An option that does not fit: an unknown protocol, setting or key, a `.ksy` file with errors."""


class FilterError(Error, ValueError):
    """A mistake in a display filter."""

    def __init__(self, text: str, position: int = 0, length: int = 0) -> None:
        super().__init__(text)
        self.position = position
        """Offset of the wrong part in the filter, in bytes."""
        self.length = length
        """Length of the wrong part; 0 if something is missing."""


class NotACapture(Error, ValueError):
    """An input that is neither a capture nor hex text."""


class UnknownField(Error, KeyError):
    """A field name that no protocol has."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingField(Error, KeyError):
    """A field that a message does not have."""


class Damaged(Error):
    """A capture that is cut or damaged. All records before the damage were returned."""

    def __init__(self, text: str, frame: int = 0, offset: Optional[int] = None) -> None:
        super().__init__(text)
        self.frame = frame
        """Number of the last frame before it."""
        self.offset = offset
        """Offset in the decompressed input, if known."""


class Truncated(Error, EOFError):
    """The bytes of a message end too early. A protocol need not catch it: the message gets a note."""

    def __init__(self, text: str, needed: int = 0) -> None:
        super().__init__(text)
        self.needed = needed
        """Number of missing bytes."""
