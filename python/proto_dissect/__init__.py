"""Captures and hex dumps in, annotated field trees out.

>>> import proto_dissect as pd
>>> for message in pd.open("session.pcapng", filter="pipboy"):
...     print(message.number, message.time, message.name, message.get("pipboy.type"))
"""

from __future__ import annotations

import datetime as _datetime
import json as _json
import os as _os
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import BinaryIO as _BinaryIO
from typing import Iterable as _Iterable
from typing import List as _List
from typing import Optional as _Optional
from typing import Union as _Union
from typing import cast as _cast

from . import _native
from ._errors import Damaged, Error, FilterError, MissingField, NotACapture, OptionError, Truncated, UnknownField
from ._explored import Explored, Group
from ._followed import Followed, Part
from ._native import Field, Message, Note, Reader, Table, Wire, __version__, forget
from ._options import Options as _Options
from ._options import Path as _Path
from ._options import words as _words
from ._protocol import Skip, protocol

if _TYPE_CHECKING:
    from typing_extensions import Unpack as _Unpack

__all__ = [
    "Damaged",
    "Error",
    "Explored",
    "Field",
    "FilterError",
    "Followed",
    "Group",
    "Message",
    "MissingField",
    "NotACapture",
    "Note",
    "OptionError",
    "Part",
    "Reader",
    "Session",
    "Skip",
    "Table",
    "Truncated",
    "UnknownField",
    "Wire",
    "__version__",
    "diff",
    "explore",
    "follow",
    "forget",
    "loads",
    "open",
    "packets",
    "protocol",
    "table",
]

Source = _Union[_Path, bytes, bytearray, _BinaryIO]
"""An input: a path, the content as bytes, or a binary file."""


def _inputs(source: _Union[Source, _Iterable[Source]]) -> _List[Source]:
    if isinstance(source, (str, bytes, bytearray, _os.PathLike)):
        return [source]
    if hasattr(source, "read"):
        return [_cast(_BinaryIO, source)]
    return list(source)


def open(  # noqa: A001
    source: _Union[Source, _Iterable[Source]],
    *,
    filter: _Optional[str] = None,  # noqa: A002
    packets: bool = False,
    **options: "_Unpack[_Options]",
) -> Reader:
    """The messages of one or several captures, as an iterator.

    The format is detected: pcap, pcapng, snoop, hex dumps, each optionally compressed. Messages that match the display filter
    are returned; `packets=True` returns captured packets with all their layers instead. A gap in a stream is a record of the
    kind "gap". A damaged capture raises `Damaged` after its last record.
    """
    return Reader(_inputs(source), _words(options), filter, packets)


def packets(
    source: _Union[Source, _Iterable[Source]],
    *,
    filter: _Optional[str] = None,  # noqa: A002
    **options: "_Unpack[_Options]",
) -> Reader:
    """The captured packets with all their layers; the same as `open` with `packets=True`."""
    return Reader(_inputs(source), _words(options), filter, True)


def loads(
    data: _Union[bytes, bytearray, str],
    protocol: _Optional[str] = None,
    *,
    link: _Optional[str] = None,
    port: _Optional[str] = None,
    filter: _Optional[str] = None,  # noqa: A002
    packets: bool = False,
    **options: "_Unpack[_Options]",
) -> Reader:
    """The messages in raw bytes or in hex text.

    `protocol` is that of the data, such as "xfire:s2c" or "ip"; `link` a link type and `port` a port, such as "tcp:27000",
    instead. Text is hex in any of the formats that the command line reads. Bytes without a protocol are a capture or hex text.
    """
    form = None
    if isinstance(data, str):
        form, data = "hex", data.encode()
    elif protocol or link or port:
        form = "raw"
    extra = {"as": protocol, "link": link, "port": port, "input-format": form}
    return Reader([bytes(data)], _words(options, extra), filter, packets)


class Session(_native.Session):
    """A live session: the program feeds frames from any source, and reads messages as they are complete.

    >>> session = pd.Session()
    >>> session.feed(frame, time.time())
    >>> for message in session: ...
    >>> session.finish()
    """

    def __new__(
        cls,
        *,
        filter: _Optional[str] = None,  # noqa: A002
        packets: bool = False,
        **options: "_Unpack[_Options]",
    ) -> "Session":
        session: Session = super().__new__(cls, _words(options), filter, packets)
        return session

    def feed(
        self,
        frame: _Union[bytes, bytearray, memoryview],
        time: _Union[float, int, _datetime.datetime, None] = None,
        *,
        time_ns: _Optional[int] = None,
        link: str = "ethernet",
        length: _Optional[int] = None,
    ) -> None:
        """Dissects a frame. `time` is in seconds since 1970 or a datetime, `time_ns` in nanoseconds; `length` is that on the
        wire, if the frame is cut."""
        if time_ns is None and time is not None:
            if isinstance(time, _datetime.datetime):
                since = time.astimezone(_datetime.timezone.utc) - _datetime.datetime(1970, 1, 1, tzinfo=_datetime.timezone.utc)
                time_ns = (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
            else:
                # A float has the precision of microseconds today.
                time_ns = int(time) * 1_000_000_000 + round((time - int(time)) * 1_000_000) * 1000
        seconds, nanos = divmod(time_ns, 1_000_000_000) if time_ns is not None else (None, 0)
        self._feed(bytes(frame), seconds, nanos, link, length)


def follow(source: Source, stream: str = "tcp/0", **options: "_Unpack[_Options]") -> Followed:
    """The bytes of a conversation: of each side, and in order. Secrets are masked with asterisks."""
    return Followed(stream, _native.follow(source, _words(options), stream))


def explore(
    source: _Path,
    stream: _Optional[str] = None,
    *,
    filter: _Optional[str] = None,  # noqa: A002
    **options: "_Unpack[_Options]",
) -> Explored:
    """Framing, types and columns of conversations of unknown protocols: of those given, such as "tcp/0" or "tcp/0,tcp/3", of
    those with matching records, or of all that no dissector recognizes."""
    line = ["explore", "--json", *(["-s", stream] if stream else []), *(["-Y", filter] if filter else [])]
    return Explored(_run([*line, *_of_explore(_words(options)), _os.fspath(source)]))


def _of_explore(line: _List[str]) -> _List[str]:
    """`explore` has its own meaning of --ksy: its option for a file is -k."""
    return [f"-k{word[len('--ksy='):]}" if word.startswith("--ksy=") else word for word in line]


def diff(
    a: _Path,
    b: _Path,
    *,
    filter: _Optional[str] = None,  # noqa: A002
    ignore: _Iterable[str] = (),
    **options: "_Unpack[_Options]",
) -> _List["dict[str, object]"]:
    """What differs between the messages of two captures, as the objects of `diff --json`."""
    line = ["diff", "--json", *(["-Y", filter] if filter else []), *(f"--ignore={name}" for name in ignore)]
    return _run([*line, *_words(options), _os.fspath(a), _os.fspath(b)])


def table(
    source: _Union[Source, _Iterable[Source]],
    columns: _Iterable[str],
    *,
    filter: _Optional[str] = None,  # noqa: A002
    packets: bool = False,
    **options: "_Unpack[_Options]",
) -> Table:
    """A row for each message, with these fields as columns: what `-T arrow` with `-e` writes.

    Any consumer of the Arrow PyCapsule interface reads it without a copy: `pyarrow.table(t)`, `polars.DataFrame(t)`,
    `pandas.DataFrame.from_arrow(t)`, DuckDB's `from t`. Columns of fields are lists, since a field may occur more than once.
    """
    return Table(_inputs(source), _words(options), list(columns), filter, packets)


def _run(line: _List[str]) -> _List["dict[str, object]"]:
    """Runs a command that prints one JSON object a line."""
    code, output, errors = _native.run(line)
    objects = [_json.loads(text) for text in output.splitlines() if text]
    if code not in (0, 5) or not objects:
        message = "\n".join(errors) or f"the command failed with exit status {code}"
        raise (NotACapture if code == 4 else OSError if code == 3 else OptionError)(message)
    if code == 5:
        import warnings

        warnings.warn("\n".join(errors), stacklevel=3)
    return objects
