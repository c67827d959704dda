"""`protocol`: a class as a protocol."""

from __future__ import annotations

import inspect
import re
from typing import Callable, Dict, Iterable, Mapping, Optional, Type, TypeVar

from . import _native

Class = TypeVar("Class", bound=type)

_READS = re.compile(r"""\.(\w+)\(\s*["']([a-z0-9_.]+)["']""")
_NUMBER = re.compile(r"[ui](8|(16|24|32|64)(le|be))|varint")


class Skip:
    """What `extent` returns for bytes that belong to no message."""

    def __init__(self, count: int) -> None:
        self.skipped = count
        """Number of bytes."""


def _kind(method: str) -> Optional[str]:
    """The kind of field that a method of the cursor reads."""
    if _NUMBER.fullmatch(method):
        return "number"
    if re.fullmatch(r"f(32|64)(le|be)", method):
        return "float"
    known = {"text_nul": "text", "rest": "bytes"}
    return known.get(method, method if method in ("bool", "text", "bytes", "ipv4", "ipv6", "group") else None)


def _read_by(cls: type) -> Dict[str, str]:
    """The fields that the source of a class reads by constant names, so that filters know them before the first message."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    found = ((name, _kind(method)) for method, name in _READS.findall(source))
    return {name: kind for name, kind in found if kind}


def protocol(
    name: str,
    *,
    tcp: Iterable[int] = (),
    udp: Iterable[int] = (),
    title: Optional[str] = None,
    fields: Optional[Mapping[str, str]] = None,
    names: Optional[Mapping[str, Mapping[int, str]]] = None,
) -> Callable[[Class], Class]:
    """Makes a class a protocol, for readers that are opened afterwards.

    An object of the class is the state of one conversation. `extent(self, side, data, more)` returns the length of the message
    that `data` begins with, `None` if more bytes are needed to know it, or `Skip(n)`. `message(self, side, wire)` reads a message.
    A class without `extent` reads datagrams. `recognize(data)`, a static method, finds the protocol on any port by its first bytes.

    Fields are known by the names in the class's source; `fields` declares others, {"hp": "number"}. `names` names values:
    {"type": {1: "chat"}}.
    """

    def register(cls: Class) -> Class:
        known = {**_read_by(cls), **(fields or {})}
        tables = {field: dict(table) for field, table in (names or {}).items()}
        _native.register(name, title or name, cls, list(tcp), list(udp), list(known.items()), tables)
        return cls

    return register
