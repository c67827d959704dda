import builtins
import datetime
import ipaddress
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

__version__: str

Value = Union[int, float, bool, str, bytes, ipaddress.IPv4Address, ipaddress.IPv6Address, datetime.datetime, "Field", None]

class Field:
    """A field of a message, with its children."""

    @property
    def name(self) -> str:
        """Filter name."""
    @property
    def label(self) -> str:
        """Label, as in tables."""
    @property
    def value(self) -> Value:
        """Value; `None` for groups and masked numbers."""
    @property
    def text(self) -> Optional[str]:
        """Meaning of the value, such as the name of a number."""
    @property
    def offset(self) -> Optional[int]:
        """Offset in its buffer; `None` for a generated value."""
    @property
    def length(self) -> Optional[int]:
        """Number of bytes; `None` for a generated value."""
    @property
    def buffer(self) -> str:
        """The buffer that the offset refers to: `frame/3`, `tcp/0/c2s`, `derived/0`."""
    @property
    def bits(self) -> Optional[Tuple[int, int]]:
        """First bit and number of bits within the bytes, if the field is not all of them."""
    @property
    def raw(self) -> bytes:
        """Its bytes; secrets are masked with asterisks."""
    @property
    def masked(self) -> bool:
        """Whether the value or some of its bytes are masked."""
    @property
    def fields(self) -> List[Field]:
        """The fields inside."""
    def __iter__(self) -> Iterator[Field]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Any:
        """The first value of a name in it."""
    @overload
    def get(self, name: str) -> Any: ...
    @overload
    def get(self, name: str, default: Any) -> Any: ...
    def all(self, name: str) -> List[Any]:
        """All values of a name in it."""
    def __contains__(self, name: str) -> bool: ...
    def _repr_html_(self) -> str: ...

class Note:
    """Something that a dissector found unusual or wrong."""

    @property
    def level(self) -> str:
        """`info`, `odd` or `broken`."""
    @property
    def code(self) -> str:
        """Filter name of the note."""
    @property
    def text(self) -> str:
        """Explanation."""

class Message:
    """A record: a message, a packet, or a gap. It stays valid when reading goes on."""

    @property
    def kind(self) -> str:
        """`message`, `packet`, `late` or `gap`."""
    @property
    def number(self) -> int:
        """Number of the message, from 1; of a packet, that of its frame."""
    @property
    def time(self) -> Optional[datetime.datetime]:
        """Capture time in UTC, with microseconds."""
    @property
    def time_ns(self) -> Optional[int]:
        """Capture time in nanoseconds since 1970."""
    @property
    def protocol(self) -> Optional[str]:
        """Filter name of the protocol; of a packet, of its innermost one."""
    @property
    def path(self) -> str:
        """Protocols from the outermost to its own: `eth:ip:tcp:xfire`."""
    @property
    def name(self) -> str:
        """Name of the type of message; may be empty."""
    @property
    def info(self) -> str:
        """Summary; may be empty."""
    @property
    def direction(self) -> Optional[str]:
        """`c2s` or `s2c`; `None` if unknown."""
    @property
    def source(self) -> Optional[str]:
        """Sender, such as `192.0.2.1:80`."""
    @property
    def destination(self) -> Optional[str]:
        """Receiver."""
    @property
    def stream(self) -> Optional[str]:
        """Conversation, such as `tcp/0`."""
    @property
    def frames(self) -> List[int]:
        """Numbers of the frames that carry it."""
    @property
    def file(self) -> str:
        """Name of the input."""
    @property
    def bytes(self) -> bytes:
        """The bytes of the message, or of the whole frame; secrets are masked with asterisks."""
    @property
    def offset(self) -> Optional[int]:
        """Offset of its bytes in their buffer."""
    @property
    def buffer(self) -> Optional[str]:
        """The buffer of its bytes: `frame/3`, or a direction of a stream, `tcp/0/c2s`."""
    def __len__(self) -> int: ...
    @property
    def fields(self) -> List[Field]:
        """The fields of the message; of a packet, its layers."""
    @property
    def layers(self) -> List[Field]:
        """The layers, outermost first: headers, then the message."""
    @property
    def notes(self) -> List[Note]:
        """What dissectors found unusual or wrong."""
    @property
    def malformed(self) -> bool:
        """Whether a note is of the level `broken`."""
    def __getitem__(self, name: str) -> Any:
        """The first value of a name."""
    @overload
    def get(self, name: str) -> Any: ...
    @overload
    def get(self, name: str, default: Any) -> Any: ...
    def all(self, name: str) -> List[Any]:
        """All values of a name."""
    def __contains__(self, name: str) -> bool: ...
    def _repr_html_(self) -> str: ...

class Reader:
    """Records of captures, as an iterator."""

    def __init__(self, inputs: Sequence[Any], words: Sequence[str], filter: Optional[str], packets: bool) -> None: ...
    def __iter__(self) -> Reader: ...
    def __next__(self) -> Message: ...
    def close(self) -> None:
        """Closes the input. Messages that were read stay valid."""
    def __enter__(self) -> Reader: ...
    def __exit__(self, *error: object) -> None: ...

class Table:
    """Columns of captures, as an Arrow stream. Each consumer reads the inputs anew."""

    def __init__(
        self, inputs: Sequence[Any], words: Sequence[str], columns: Sequence[str], filter: Optional[str], packets: bool
    ) -> None: ...
    @property
    def columns(self) -> List[str]:
        """Names of the columns."""
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

class Session:
    def __new__(cls, *arguments: Any, **options: Any) -> Any: ...
    def _feed(
        self, frame: bytes, seconds: Optional[int], nanos: int, link: str, length: Optional[int]
    ) -> None: ...
    def finish(self) -> None:
        """Ends the conversations, so that pending messages come from the iterator."""
    def __iter__(self) -> Session: ...
    def __next__(self) -> Message: ...

def follow(
    input: Any, words: Sequence[str], stream: str
) -> List[Tuple[str, int, Optional[bytes], int, Optional[int]]]: ...
def run(words: Sequence[str]) -> Tuple[int, bytes, List[str]]: ...
def register(
    id: str,
    title: str,
    class_: type,
    tcp: Sequence[int],
    udp: Sequence[int],
    fields: Sequence[Tuple[str, str]],
    names: Dict[str, Dict[int, str]],
) -> None: ...

def forget(id: str) -> bool:
    """Removes a protocol in Python, for readers that are opened later. Returns whether there was one."""

class Group:
    def __enter__(self) -> Wire: ...
    def __exit__(self, *error: object) -> None: ...

class Wire:
    """The cursor of a protocol. Each method reads the next bytes as a field."""

    def u8(self, name: str) -> int: ...
    def u16le(self, name: str) -> int: ...
    def u16be(self, name: str) -> int: ...
    def u24le(self, name: str) -> int: ...
    def u24be(self, name: str) -> int: ...
    def u32le(self, name: str) -> int: ...
    def u32be(self, name: str) -> int: ...
    def u64le(self, name: str) -> int: ...
    def u64be(self, name: str) -> int: ...
    def i8(self, name: str) -> int: ...
    def i16le(self, name: str) -> int: ...
    def i16be(self, name: str) -> int: ...
    def i32le(self, name: str) -> int: ...
    def i32be(self, name: str) -> int: ...
    def i64le(self, name: str) -> int: ...
    def i64be(self, name: str) -> int: ...
    def varint(self, name: str) -> int: ...
    def f32le(self, name: str) -> float: ...
    def f32be(self, name: str) -> float: ...
    def f64le(self, name: str) -> float: ...
    def f64be(self, name: str) -> float: ...
    def bool(self, name: str) -> builtins.bool: ...
    def bytes(self, name: str, count: int) -> builtins.bytes: ...
    def text(self, name: str, count: int, encoding: str = "utf-8") -> str: ...
    def text_nul(self, name: str, encoding: str = "utf-8") -> str: ...
    def ipv4(self, name: str) -> ipaddress.IPv4Address: ...
    def ipv6(self, name: str) -> ipaddress.IPv6Address: ...
    def rest(self, name: str) -> builtins.bytes:
        """Reads all remaining bytes."""
    def skip(self, count: int) -> None:
        """Passes bytes without a field."""
    def peek(self, count: Optional[int] = None) -> builtins.bytes:
        """The next bytes, which stay unread; fewer at the end."""
    def value(self, name: str, value: Union[int, float, str]) -> None:
        """States a value that is not on the wire."""
    def group(self, name: str) -> Group:
        """A group of fields: `with wire.group("entry"): ...`."""
    def inner(self, data: builtins.bytes, count: Optional[int] = None) -> Wire:
        """A cursor over bytes made of the next `count` ones, such as decrypted ones; by default of all."""
    def note(self, text: str, level: str = "odd") -> None:
        """Notes something: `info`, `odd` or `broken`."""
    def name(self, name: str) -> None:
        """Sets the name of the message."""
    def info(self, info: str) -> None:
        """Sets the summary of the message."""
    @property
    def at(self) -> int:
        """Offset of the next byte in the message."""
    @property
    def remaining(self) -> int:
        """Number of unread bytes."""
    @property
    def truncated(self) -> builtins.bool:
        """Whether the capture lacks the end of the message."""
