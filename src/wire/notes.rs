//! The notes that any protocol may get: codes for what the engine and the cursor find.

use crate::tree::fields;

fields! {
    DISSECT = protocol("dissect", "Dissection", "Remarks on the dissection itself");
    TRAILER = bytes("dissect.trailer", "trailer", "Bytes behind what the layer says it carries");
    SHORT = broken("dissect.short", "too short", "The message ends before a field that it must have");
    CUT = broken("dissect.cut", "cut by the capture", "The capture does not hold the whole frame");
    UNFINISHED = broken("dissect.unfinished", "unfinished", "The stream or the capture ends inside the message");
    LOST = broken("dissect.lost", "bytes lost", "Bytes of the stream are not in the capture");
    DEEP = broken("dissect.deep", "nested too deep", "Groups nest deeper than is followed");
    FULL = broken("dissect.full", "too many fields", "More fields than are kept");
    TEXT_FULL = broken("dissect.text_full", "too much text", "More text was created for the frame than is kept");
    BYTES_FULL = broken("dissect.bytes_full", "too many derived bytes", "More bytes were decompressed or decrypted for the frame than are kept");
    HUGE = broken("dissect.huge", "message too long", "The message claims to be longer than is followed");
    LEFT_OVER = odd("dissect.left_over", "bytes left over", "More bytes than the fields explain");
    OVERLAP = odd("dissect.overlap", "overlap differs", "A segment brings other bytes for a place that had some; the first ones count");
    STALE = odd("dissect.stale", "outside the stream", "A segment lies before the start of the stream, in bytes given up, or far off");
    TIE = info("dissect.tie", "others fit", "Other protocols would recognise the bytes as well");
    BUG = broken("dissect.bug", "dissector bug", "The dissector failed on this message; the rest of the conversation is data");
    GIVEN_UP = broken("dissect.given_up", "given up", "State of the conversation was given up to bound memory");
}
