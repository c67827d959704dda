//! Fields that Wireshark's Lua adds to trees itself.

use crate::tree::{Field, fields};
use crate::wire::Protocol;

fields! {
    LUA = protocol("_ws.lua", "Lua", "Items of Lua scripts that belong to none of their protocols");
    ERROR = text("_ws.lua.error", "Lua Error", "Why a script stopped");
    TEXT = group("_ws.lua.text", "Text", "Text that a script adds to the tree: its label");
    EXPERT = group("_ws.text", "Expert info", "Bytes that an expert info of a script is about");
    MALFORMED = broken("_ws.malformed", "Malformed packet", "A length is below that of the header");
    STRAY = odd("_ws.string.trailing_stray_characters", "Trailing stray characters", "A text goes on behind its first NUL");
    FAILED = broken("_ws.lua.failed", "Lua error", "A script stopped; its fields before are kept");
    REJECTED = odd("_ws.lua.rejected", "rejected", "A script returned 0 for these bytes, and no other dissector accepts them");
    RESUMED = odd("_ws.lua.resumed", "may start inside a message", "Bytes before are lost, and only the script could know where messages begin");
    WRONG = broken("_ws.lua.proto.error", "Expert error", "An expert info with the severity error");
    WARNING = odd("_ws.lua.proto.warning", "Expert warning", "An expert info with the severity warning");
    NOTE = odd("_ws.lua.proto.note", "Expert note", "An expert info with the severity note");
    CHAT = info("_ws.lua.proto.chat", "Expert chat", "An expert info with the severity chat or comment");
}

/// The protocol of these fields.
pub static PROTOCOL: Protocol = Protocol::new(&LUA, FIELDS);

/// The note of a severity.
pub(super) fn of_severity(severity: i64) -> &'static Field {
    match severity {
        super::expert::ERROR => &WRONG,
        super::expert::WARN => &WARNING,
        super::expert::NOTE => &NOTE,
        _ => &CHAT,
    }
}
