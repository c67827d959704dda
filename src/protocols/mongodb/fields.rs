//! Fields of messages and documents.

use crate::tree::{Names, fields, title};

fields! {
    MONGO = protocol("mongo", "MongoDB", "MongoDB wire protocol")
        .covers("All messages with their BSON documents, decompressed; responses matched with their requests");
    LENGTH = number("mongo.message_length", "Message Length", "In bytes").once();
    REQUEST = number("mongo.request_id", "Request ID", "").hex(8).once();
    RESPONSE = number("mongo.response_to", "Response To", "ID of the request").hex(8).once();
    OPCODE = number("mongo.opcode", "OpCode", "").names(OPCODES).once();
    REQUEST_FRAME = number("mongo.request_frame", "Request frame", "").once();
    TIME = float("mongo.time", "Time", "Seconds since the request").seconds().once();
    FLAGS = number("mongo.msg.flags", "Message Flags", "").hex(8).once();
    IS_CHECKED = bool("mongo.msg.flags.checksumpresent", "ChecksumPresent", "").mask(0x0000_0001).once();
    IS_MORE = bool("mongo.msg.flags.moretocome", "MoreToCome", "").mask(0x0000_0002).once();
    IS_EXHAUST = bool("mongo.msg.flags.exhaustallowed", "ExhaustAllowed", "").mask(0x0001_0000).once();
    SECTION = group("mongo.msg.sections.section", "Section", "").titled(title::kind);
    KIND = number("mongo.msg.sections.section.kind", "Kind", "").names(&[(0, "Body"), (1, "Document Sequence")]);
    SECTION_SIZE = number("mongo.msg.sections.section.size", "Size", "In bytes, itself included");
    SECTION_NAME = text("mongo.msg.sections.section.doc_sequence_id", "SeqID", "Argument of the command that the documents are");
    CHECKSUM = number("mongo.msg.checksum", "Checksum", "CRC-32C").hex(8).once();
    REPLY_FLAGS = number("mongo.reply.flags", "Reply Flags", "").hex(8).once();
    NOT_FOUND = bool("mongo.reply.flags.cursornotfound", "Cursor Not Found", "").mask(0x01).once();
    FAILED = bool("mongo.reply.flags.queryfailure", "Query Failure", "").mask(0x02).once();
    STALE = bool("mongo.reply.flags.sharedconfigstale", "Shared Config Stale", "").mask(0x04).once();
    AWAIT = bool("mongo.reply.flags.awaitcapable", "Await Capable", "").mask(0x08).once();
    CURSOR = number("mongo.cursor_id", "Cursor ID", "");
    STARTING = number("mongo.starting_from", "Starting From", "").once();
    RETURNED = number("mongo.number_returned", "Number Returned", "").once();
    ZERO = bytes("mongo.document.zero", "Zero", "").once();
    COLLECTION = text("mongo.full_collection_name", "fullCollectionName", "").once();
    DATABASE = text("mongo.database_name", "Database Name", "").once();
    COLLECTION_NAME = text("mongo.collection_name", "Collection Name", "").once();
    WRITE_FLAGS = number("mongo.write.flags", "Flags", "").hex(8).once();
    QUERY_FLAGS = number("mongo.query.flags", "Query Flags", "").hex(8).once();
    TAILABLE = bool("mongo.query.flags.tailable_cursor", "Tailable Cursor", "").mask(0x02).once();
    SECONDARY = bool("mongo.query.flags.slave_ok", "Slave OK", "A secondary server may respond").mask(0x04).once();
    REPLAY = bool("mongo.query.flags.op_log_reply", "Op Log Reply", "").mask(0x08).once();
    NO_TIMEOUT = bool("mongo.query.flags.no_cursor_timeout", "No Cursor Timeout", "").mask(0x10).once();
    AWAIT_DATA = bool("mongo.query.flags.awaitdata", "AwaitData", "").mask(0x20).once();
    EXHAUST = bool("mongo.query.flags.exhaust", "Exhaust", "").mask(0x40).once();
    PARTIAL = bool("mongo.query.flags.partial", "Partial", "").mask(0x80).once();
    SKIP = number("mongo.number_to_skip", "Number To Skip", "").once();
    RETURN = number("mongo.number_to_return", "Number to Return", "").once();
    CURSORS = number("mongo.number_to_cursor_ids", "Number of Cursor IDS", "").once();
    ORIGINAL = number("mongo.compression.original_opcode", "Original OpCode", "").names(OPCODES).once();
    UNCOMPRESSED = number("mongo.compression.original_size", "Uncompressed Size", "In bytes").once();
    COMPRESSOR = number("mongo.compression.compressor", "Compressor", "").names(&[(0, "Noop (Uncompressed)"), (1, "Snappy"), (2, "Zlib"), (3, "Zstd")]).once();
    COMPRESSED = bytes("mongo.compression.compressed_data", "Compressed Data", "").body().once();
    DOCUMENT = group("mongo.document", "Document", "");
    DOCUMENT_LENGTH = number("mongo.document.length", "Document length", "In bytes, itself included");
    ELEMENT = group("mongo.element", "Element", "").named(title::key, title::last_value, title::nothing);
    NAME = text("mongo.element.name", "Element", "");
    TYPE = number("mongo.element.type", "Type", "").hex(2).names(TYPES);
    STRING_LENGTH = number("mongo.element.value.length", "Length", "In bytes; of a text with NUL");
    BINARY_LENGTH = number("mongo.element.length", "Length", "Of code with its scope, in bytes");
    SUBTYPE = number("mongo.element.subtype", "Subtype", "Of binary data").hex(2);
    DOUBLE = float("mongo.element.value.double", "Value", "");
    STRING = text("mongo.element.value.string", "Value", "");
    BYTES = bytes("mongo.element.value.bytes", "Value", "");
    OBJECT = bytes("mongo.element.value.objectid", "ObjectID", "");
    BOOLEAN = bool("mongo.element.value.bool", "Value", "");
    INT = number("mongo.element.value.int", "Value", "");
    LONG = number("mongo.element.value.int64", "Value", "");
    PATTERN = text("mongo.element.value.regex.pattern", "Value", "");
    OPTIONS = text("mongo.element.value.regex.options", "Value", "");
    POINTER = bytes("mongo.element.value.db_ptr", "ObjectID", "");
    END = bytes("mongo.document.end", "End", "Zero that ends a document");
    DATA = bytes("mongo.unknown", "Unknown", "Undissected bytes");
    BAD_COMPRESSION = odd("mongo.note.compression", "bad compression", "The compressed data are invalid, or longer than declared");
    BAD = broken("mongo.note.value", "bad value", "Unexpected type or length");
}

pub(super) const OPCODES: Names = &[
    (1, "Reply"),
    (1000, "Message"),
    (2001, "Update document"),
    (2002, "Insert document"),
    (2003, "Reserved"),
    (2004, "Query"),
    (2005, "Get More"),
    (2006, "Delete document"),
    (2007, "Kill Cursors"),
    (2010, "Command Request"),
    (2011, "Command Reply"),
    (2012, "Compressed Data"),
    (2013, "Extensible Message Format"),
];
const TYPES: Names = &[
    (0x01, "Double"),
    (0x02, "String"),
    (0x03, "Document"),
    (0x04, "Array"),
    (0x05, "Binary"),
    (0x06, "Undefined"),
    (0x07, "Object ID"),
    (0x08, "Boolean"),
    (0x09, "Datetime"),
    (0x0a, "NULL"),
    (0x0b, "Regular Expression"),
    (0x0c, "DBPointer"),
    (0x0d, "JavaScript Code"),
    (0x0e, "Symbol"),
    (0x0f, "JavaScript Code w/Scope"),
    (0x10, "Int32"),
    (0x11, "Timestamp"),
    (0x12, "Int64"),
    (0x13, "Decimal128"),
    (0x7f, "Max Key"),
    (0xff, "Min Key"),
];
