//! Notes common to all protocols: codes of the engine and the cursor.

use crate::tree::fields;

fields! {
    DISSECT = protocol("dissect", "Dissection", "Notes on the dissection itself");
    TRAILER = bytes("dissect.trailer", "trailer", "Bytes behind the payload length that the layer declares");
    SHORT = broken("dissect.short", "too short", "The message ends before a mandatory field");
    CUT = broken("dissect.cut", "cut by the capture", "The capture does not hold the whole frame");
    UNFINISHED = broken("dissect.unfinished", "unfinished", "The stream or the capture ends inside the message");
    LOST = broken("dissect.lost", "bytes lost", "Bytes of the stream are not in the capture");
    DEEP = broken("dissect.deep", "nested too deep", "Groups nest deeper than the limit");
    FULL = broken("dissect.full", "too many fields", "The frame has more fields than the limit");
    TEXT_FULL = broken("dissect.text_full", "too much text", "The text created for the frame exceeds the limit");
    BYTES_FULL = broken("dissect.bytes_full", "too many derived bytes", "The bytes decompressed or decrypted for the frame exceed the limit");
    HUGE = broken("dissect.huge", "message too long", "The declared length of the message exceeds the limit");
    FRACTION = odd("dissect.time_fraction", "fraction of a second", "The fraction of the capture time in the file is a second or more");
    UNUSUAL = odd("dissect.unusual", "unusual", "Only the port shows the protocol, because the message has a field with a wrong value");
    LEFT_OVER = odd("dissect.left_over", "bytes left over", "More bytes than the fields explain");
    OVERLAP = odd("dissect.overlap", "overlap differs", "A segment overlaps earlier bytes with different content; the first copy counts");
    STALE = odd("dissect.stale", "outside the stream", "A segment lies before the start of the stream, in an abandoned gap, or out of range");
    SERIES = info("dissect.series", "recognized late", "The first datagrams of a series are data, because only several of them show the protocol");
    TIE = info("dissect.tie", "others fit", "Other protocols recognize the bytes as well");
    BUG = broken("dissect.bug", "dissector bug", "The dissector failed on this message; the rest of the conversation is data");
    EVICTED = info("dissect.evicted", "state evicted", "State that later messages need was evicted or not kept, to bound memory");
    GIVEN_UP = broken("dissect.given_up", "given up", "State of the conversation was evicted to bound memory");
}
