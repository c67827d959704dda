//! Notes of Kaitai Struct files: why a value could not be read.

use crate::tree::fields;
use crate::wire::Protocol;

/// The notes as a protocol, for filters and lists.
pub static PROTOCOL: Protocol = Protocol::new(&KSY, FIELDS);

fields! {
    KSY = protocol("ksy", "Kaitai Struct", "Notes on protocols that Kaitai Struct files describe");
    EOF = broken("ksy.eof", "end of the data", "The bytes end before the field or its terminator does");
    VALID = broken("ksy.valid", "not valid", "A value violates what the file demands of it (`valid`, `contents`)");
    ENDIAN = broken("ksy.endian", "byte order unknown", "No case of `meta/endian` matches");
    CONVERSION = broken("ksy.conversion", "no number", "A text is no number of this base (`to_i`)");
    ENCODING = broken("ksy.encoding", "unknown encoding", "No encoding has this name");
    CHARACTERS = odd("ksy.characters", "not in the encoding", "Bytes are no characters of the encoding and were replaced");
    VALUE = broken("ksy.value", "no such value", "An expression uses a value that does not exist or is of another kind");
    RANGE = broken("ksy.range", "out of range", "A size, position, index or shift is out of range, or a divisor is zero");
    OVERFLOW = broken("ksy.overflow", "overflow", "A number exceeds 128 bits in an expression, or 64 bits in a field");
    UNKNOWN = odd("ksy.unknown", "not deciphered", "Bytes depend on a key, a state or a keystream that is not known");
    KEY = odd("ksy.key", "key does not fit", "What a key of a key file deciphers is no message of the protocol");
    RESUMED = info("ksy.resumed", "messages go on", "Message boundaries were lost, and a segment begins with a message again");
    STALE = odd("ksy.stale", "state may be stale", "Bytes are missing that may have changed the state of the session");
    CONFLICT = odd("ksy.conflict", "other bytes", "An element has other bytes than an earlier one with its numbers");
    FRAGMENT = odd("ksy.fragment", "bad part", "The numbers of a part of a message are impossible, or claim too much");
    CASE = broken("ksy.case", "no case", "No case of a switch describes the value, so that the end of the message is unknown");
    LEFT_OVER = odd("ksy.left_over", "no case", "No case of a switch describes the value, and bytes are left over");
    NO_CONTENT = info("ksy.no_content", "no case", "No case of a switch describes the value: it is read without content");
    INCOMPLETE = odd("ksy.incomplete", "message incomplete", "Parts of a message that datagrams carry are missing");
    PROCESS = broken("ksy.process", "not processed", "Bytes cannot be processed: damaged, or by an unknown processor");
    RECURSION = broken("ksy.recursion", "nested too deep", "Types or instances nest deeper than the limit");
    VALUES = broken("ksy.values", "too many values", "The message has more values than the limit");
    OPERATIONS = broken("ksy.operations", "too many operations", "The message takes more operations than the limit");
    IDLE = broken("ksy.idle", "no progress", "Elements of a repetition take no bytes");
    COMPUTED = broken("ksy.computed", "too many computed bytes", "Texts and bytes that expressions make exceed the limit");
    INFLATED = broken("ksy.inflated", "too many processed bytes", "Decompressed and processed bytes exceed the limit");
}
