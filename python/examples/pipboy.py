"""The framing of Fallout 4's Pip-Boy as a protocol in Python: `python pipboy.py CAPTURE`.

    length:4 | type:1 | payload
"""

from __future__ import annotations

import sys
from typing import Optional

import proto_dissect as pd

TYPES = dict(enumerate("heartbeat connection_accepted connection_refused data_update local_map_update command command_result".split()))
KINDS = {0: ("bool", 1), 1: ("i8", 1), 2: ("u8", 1), 3: ("i32le", 4), 4: ("u32le", 4), 5: ("f32le", 4)}


@pd.protocol("pippy", tcp=[27000], title="Pip-Boy in Python", names={"type": TYPES})
class PipBoy:
    def extent(self, side: str, data: bytes, more: bool) -> Optional[int]:
        return 5 + int.from_bytes(data[:4], "little") if len(data) >= 5 else None

    def message(self, side: str, wire: pd.Wire) -> None:
        wire.u32le("length")
        kind = wire.u8("type")
        wire.name(TYPES.get(kind, "unknown"))
        if kind != 3:
            wire.rest("payload")
            return
        count = 0
        while wire.remaining and wire.peek(1)[0] in KINDS:
            with wire.group("entry"):
                method, _ = KINDS[wire.u8("entry.kind")]
                wire.u32le("entry.id")
                getattr(wire, method)(f"entry.{method}")
            count += 1
        wire.info(f"{count} simple entries")
        wire.rest("rest")


if __name__ == "__main__":
    for message in pd.open(sys.argv[1], filter="pippy"):
        print(message.number, message.direction, message.name, message.info)
