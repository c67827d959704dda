//! Tables, with names, types and descriptions of their columns.

use crate::record::View;
use std::io::{self, Write};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 64-bit integer.
    Int,
    /// 32-bit integer.
    Short,
    /// 64-bit floating-point number.
    Float,
    /// Boolean.
    Bool,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// Nanoseconds since 1970, UTC.
    Time,
    /// A list of 64-bit integers.
    Ints,
    /// A list of floating-point numbers.
    Floats,
    /// A list of booleans.
    Bools,
    /// A list of texts.
    Texts,
    /// A list of bytes.
    Blobs,
}

impl Type {
    /// Its name in Arrow.
    pub const fn word(self) -> &'static str {
        match self {
            Type::Int => "int64",
            Type::Short => "int32",
            Type::Float => "float64",
            Type::Bool => "bool",
            Type::Text => "utf8",
            Type::Bytes => "binary",
            Type::Time => "timestamp[ns, UTC]",
            Type::Ints => "list<int64>",
            Type::Floats => "list<float64>",
            Type::Bools => "list<bool>",
            Type::Texts => "list<utf8>",
            Type::Blobs => "list<binary>",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Type,
    /// Description.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// A row for each message.
    Messages,
    /// A row for each field of a message or packet.
    Fields,
    /// A row for each packet.
    Packets,
    /// A row for each note, and for each input that failed.
    Notes,
    /// A row for each gap in a stream.
    Gaps,
}

impl Table {
    pub const ALL: [Table; 5] = [Table::Messages, Table::Fields, Table::Packets, Table::Notes, Table::Gaps];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Table::Messages => "messages",
            Table::Fields => "fields",
            Table::Packets => "packets",
            Table::Notes => "notes",
            Table::Gaps => "gaps",
        }
    }

    /// Description of a row.
    pub const fn about(self) -> &'static str {
        match self {
            Table::Messages => "A message (default view)",
            Table::Fields => "A field of a message, or of a packet with --packets",
            Table::Packets => "A packet, or messages that were completed by an earlier one (--packets)",
            Table::Notes => "A note on a message or packet, or an input that failed",
            Table::Gaps => "Bytes of a stream that are not in the capture",
        }
    }

    /// Whether records of this view have rows in it.
    pub fn is_of(self, view: View) -> bool {
        match self {
            Table::Messages => view == View::Messages,
            Table::Packets => view == View::Packets,
            Table::Fields | Table::Notes | Table::Gaps => true,
        }
    }

    /// Whether it has separate files per protocol.
    pub const fn is_partitioned(self) -> bool {
        matches!(self, Table::Messages | Table::Fields | Table::Packets)
    }

    pub const fn columns(self) -> &'static [Column] {
        match self {
            Table::Messages => MESSAGES,
            Table::Fields => FIELDS,
            Table::Packets => PACKETS,
            Table::Notes => NOTES,
            Table::Gaps => GAPS,
        }
    }
}

const fn column(name: &'static str, kind: Type, about: &'static str) -> Column {
    Column { name, kind, about }
}

const FILE: Column = column("file", Type::Text, "The input, as it was named");
const RECORD: Column = column("record", Type::Text, "message, packet or late");
const PROTOCOL: Column = column("protocol", Type::Text, "Innermost protocol; of files of --write-dir, their folder has it");
const TIME: Column = column("time", Type::Time, "Capture time; null outside 1677 to 2262");
const SINCE: Column = column("t", Type::Float, "Seconds since the first frame");
const INFO: Column = column("info", Type::Text, "Summary");
const PATH: Column = column("path", Type::Text, "Protocols, outermost first: eth:ip:tcp:pipboy");
const STREAM: Column = column("stream", Type::Text, "The conversation: tcp/0");
const DIR: Column = column("dir", Type::Text, "c2s or s2c");
const SRC: Column = column("src", Type::Text, "Address that sent it");
const SRC_PORT: Column = column("src_port", Type::Short, "Port that sent it");
const DST: Column = column("dst", Type::Text, "Address that it was sent to");
const DST_PORT: Column = column("dst_port", Type::Short, "Port that it was sent to");
const FRAMES: Column = column("frames", Type::Ints, "Frames that carried it");
const COMMENT: Column = column("comment", Type::Text, "Comment on the frame in the capture");
const BUFFER: Column = column("buffer", Type::Text, "What off counts in: frame/17, tcp/0/s2c or derived/1");
const OFF: Column = column("off", Type::Int, "Offset of the first byte");
const LEN: Column = column("len", Type::Int, "Number of bytes");

const MESSAGES: &[Column] = &[
    FILE,
    column("n", Type::Int, "Number of the message in its input, from 1"),
    TIME,
    SINCE,
    PROTOCOL,
    column("name", Type::Text, "Type of the message"),
    INFO,
    PATH,
    STREAM,
    DIR,
    SRC,
    SRC_PORT,
    DST,
    DST_PORT,
    FRAMES,
    COMMENT,
    BUFFER,
    OFF,
    LEN,
];

const FIELDS: &[Column] = &[
    FILE,
    RECORD,
    column("n", Type::Int, "Number of the message, or of the frame"),
    PROTOCOL,
    column("ordinal", Type::Int, "Number of the field in its record, in reading order, from 1"),
    column("parent", Type::Int, "Ordinal of the field that it lies in; null at the top"),
    column("name", Type::Text, "Filter name"),
    column("type", Type::Text, "What value is: int, float, bool, text or bytes; null without a value"),
    column("int", Type::Int, "The value, if it is an integer up to 2^63-1 or a truth value"),
    column("float", Type::Float, "The value, if it is a floating-point number"),
    column("str", Type::Text, "The value, if it is text, an address, a larger integer or masked"),
    column("bytes", Type::Bytes, "The value, if it is bytes"),
    column("text", Type::Text, "What the value means"),
    column("raw", Type::Bytes, "The bytes, where the value does not show them"),
    column("masked", Type::Bool, "Whether secrets are masked in it; null if not"),
    column("bit", Type::Short, "First bit, of a bit field"),
    column("bits", Type::Short, "Number of bits, of a bit field"),
    column("buffer", Type::Text, "What off counts in, where that is not what the parent or record has"),
    OFF,
    LEN,
];

const PACKETS: &[Column] = &[
    FILE,
    column("n", Type::Int, "Number of the frame; of late messages, of the frame behind which they are shown"),
    column("late", Type::Bool, "Whether it is no packet, but messages that an earlier frame completed"),
    TIME,
    SINCE,
    PROTOCOL,
    column("length", Type::Int, "Bytes on the wire"),
    column("captured", Type::Int, "Bytes captured"),
    column("link", Type::Text, "Link type"),
    column("interface", Type::Text, "Capture interface, name or number"),
    COMMENT,
    INFO,
    PATH,
    STREAM,
    DIR,
    SRC,
    SRC_PORT,
    DST,
    DST_PORT,
    FRAMES,
];

const NOTES: &[Column] = &[
    FILE,
    column("record", Type::Text, "message, packet or late; file for an input that failed"),
    column("n", Type::Int, "Number of the message, or of the frame"),
    column("protocol", Type::Text, "Innermost protocol of the record"),
    column("level", Type::Text, "info, odd or broken; error for an input that failed"),
    column("code", Type::Text, "Name of the note"),
    column("field", Type::Text, "Field that it is on"),
    column("text", Type::Text, "What it says"),
    column("buffer", Type::Text, "What off counts in"),
    OFF,
    LEN,
];

const GAPS: &[Column] = &[FILE, STREAM, DIR, OFF, LEN, column("frame", Type::Int, "Frame at which the gap was given up")];

/// Writes all tables and their columns.
pub fn write_schema(to: &mut dyn Write) -> io::Result<()> {
    for (at, table) in Table::ALL.into_iter().enumerate() {
        if at > 0 {
            writeln!(to)?;
        }
        writeln!(to, "{}: {}", table.word(), table.about())?;
        for Column { name, kind, about } in table.columns() {
            writeln!(to, "  {name:<10} {:<18}  {about}", kind.word())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_of_columns_are_unique_and_explained() {
        for table in Table::ALL {
            let names: HashSet<_> = table.columns().iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns().len());
            assert!(table.columns().iter().all(|column| !column.about.is_empty() && column.name.len() <= 10));
            assert!(table.is_of(View::Messages) || table.is_of(View::Packets));
        }
    }
}
