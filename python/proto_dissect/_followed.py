"""`follow`: the bytes of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple


@dataclass(frozen=True)
class Part:
    """Bytes that one side sent with one message, or bytes that are missing in the capture."""

    direction: str
    """`c2s` or `s2c`."""
    offset: int
    """Offset in the direction's stream."""
    data: Optional[bytes]
    """The bytes; `None` if they are missing."""
    length: int
    """Number of bytes, also of missing ones."""
    time_ns: Optional[int]
    """Capture time in nanoseconds since 1970."""


class Followed:
    """A conversation."""

    def __init__(self, stream: str, parts: Sequence[Tuple[str, int, Optional[bytes], int, Optional[int]]]) -> None:
        self.stream = stream
        """Its name, such as `tcp/0`."""
        self.parts: List[Part] = [Part(*part) for part in parts]
        """Its parts, in order of capture."""

    def _side(self, direction: str) -> bytes:
        return b"".join(part.data or b"" for part in self.parts if part.direction == direction)

    @property
    def client(self) -> bytes:
        """What the client sent, without missing bytes."""
        return self._side("c2s")

    @property
    def server(self) -> bytes:
        """What the server sent, without missing bytes."""
        return self._side("s2c")

    @property
    def gaps(self) -> List[Part]:
        """Where bytes are missing."""
        return [part for part in self.parts if part.data is None]

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        gaps = f", {len(self.gaps)} gaps" if self.gaps else ""
        return f"<Followed {self.stream}: {len(self.client)} bytes from the client, {len(self.server)} from the server{gaps}>"
