//! Fields of messages and their values.

use crate::tree::{Kind, Names, NodeRef, fields};
use std::fmt::{self, Write};

pub(super) const KINDS: Names = &[
    (0, "Init"),
    (1, "Init response"),
    (2, "Operation request"),
    (3, "Operation response"),
    (4, "Event"),
    (5, "Disconnect"),
    (6, "Internal operation request"),
    (7, "Internal operation response"),
    (8, "Message"),
    (9, "Raw message"),
];

/// Operations of rooms and lobbies; other applications may use the codes otherwise.
pub(super) const OPERATIONS: Names = &[
    (217, "Get game list"),
    (218, "Server settings"),
    (219, "Web RPC"),
    (220, "Get regions"),
    (221, "Get lobby statistics"),
    (222, "Find friends"),
    (225, "Join random game"),
    (226, "Join game"),
    (227, "Create game"),
    (228, "Leave lobby"),
    (229, "Join lobby"),
    (230, "Authenticate"),
    (231, "Authenticate once"),
    (248, "Change groups"),
    (251, "Get properties"),
    (252, "Set properties"),
    (253, "Raise event"),
    (254, "Leave"),
];

pub(super) const EVENTS: Names = &[
    (223, "Authentication"),
    (224, "Lobby statistics"),
    (226, "Application statistics"),
    (227, "Match"),
    (228, "Queue state"),
    (229, "Game list update"),
    (230, "Game list"),
    (250, "Cache slice changed"),
    (251, "Error"),
    (253, "Properties changed"),
    (254, "Leave"),
    (255, "Join"),
];

pub(super) const INTERNAL_OPERATIONS: Names = &[(0, "Exchange keys"), (1, "Ping")];

/// Values with a type of one letter.
pub(super) const TYPES_16: Names = &[
    (0x2a, "null"),
    (0x44, "dictionary"),
    (0x61, "strings"),
    (0x62, "byte"),
    (0x63, "custom"),
    (0x64, "double"),
    (0x66, "float"),
    (0x68, "hashtable"),
    (0x69, "integer"),
    (0x6b, "short"),
    (0x6c, "long"),
    (0x6e, "integers"),
    (0x6f, "boolean"),
    (0x73, "string"),
    (0x78, "bytes"),
    (0x79, "array"),
    (0x7a, "objects"),
];

pub(super) const TYPES_18: Names = &[
    (2, "boolean"),
    (3, "byte"),
    (4, "short"),
    (5, "float"),
    (6, "double"),
    (7, "string"),
    (8, "null"),
    (9, "integer"),
    (10, "long"),
    (11, "integer of 1 byte"),
    (12, "negative integer of 1 byte"),
    (13, "integer of 2 bytes"),
    (14, "negative integer of 2 bytes"),
    (15, "long of 1 byte"),
    (16, "negative long of 1 byte"),
    (17, "long of 2 bytes"),
    (18, "negative long of 2 bytes"),
    (19, "custom"),
    (20, "dictionary"),
    (21, "hashtable"),
    (23, "objects"),
    (27, "false"),
    (28, "true"),
    (29, "short 0"),
    (30, "integer 0"),
    (31, "long 0"),
    (32, "float 0"),
    (33, "double 0"),
    (34, "byte 0"),
    (64, "arrays"),
    (66, "booleans"),
    (67, "bytes"),
    (68, "shorts"),
    (69, "floats"),
    (70, "doubles"),
    (71, "strings"),
    (73, "integers"),
    (74, "longs"),
    (83, "customs"),
    (84, "dictionaries"),
    (85, "hashtables"),
];

fields! {
    MESSAGE = protocol("photon.message", "Photon", "Photon operations and events")
        .covers("Operations, responses and events with their parameters in GpBinary 1.6 and 1.8")
        .leaves_open("Encrypted messages, contents of custom types");
    MAGIC = number("photon.message.magic", "magic", "0xf3").hex(2).once();
    MESSAGE_FLAGS = number("photon.message.flags", "flags", "").hex(2).once();
    IS_ENCRYPTED = bool("photon.message.encrypted", "encrypted", "").mask(0x80).once();
    KIND = number("photon.message.kind", "kind", "").names(KINDS).mask(0x7f).once();
    VERSION_MAJOR = number("photon.message.init.protocol_major", "protocol version", "First part of the version of GpBinary").once();
    VERSION_MINOR = number("photon.message.init.protocol_minor", "minor protocol version", "").once();
    SDK = number("photon.message.init.sdk", "SDK", "").hex(2).once();
    CLIENT_VERSION = bytes("photon.message.init.client_version", "client version", "Four bits each for the first two parts").once();
    INIT_FLAGS = number("photon.message.init.flags", "init flags", "").hex(2).once();
    APPLICATION = text("photon.message.init.application", "application", "Name or ID of the application").once();
    OPERATION = number("photon.message.operation", "operation", "Code of the operation").names(OPERATIONS).once();
    INTERNAL_OPERATION = number("photon.message.internal_operation", "internal operation", "").names(INTERNAL_OPERATIONS).once();
    EVENT = number("photon.message.event", "event", "Code of the event").names(EVENTS).once();
    RETURN_CODE = number("photon.message.return_code", "return code", "0 for success").once();
    DEBUG_MESSAGE = group("photon.message.debug_message", "debug message", "").named(nothing, entry_value, nothing);
    PARAMETER_COUNT = number("photon.message.parameter_count", "parameters", "").once();
    PARAMETER = group("photon.message.parameter", "parameter", "").named(parameter_title, entry_value, nothing);
    KEY = number("photon.message.parameter.key", "key", "").once_per(&PARAMETER);
    TYPE_16 = number("photon.message.value.letter", "type", "GpBinary 1.6").hex(2).names(TYPES_16);
    TYPE_18 = number("photon.message.value.type", "type", "GpBinary 1.8; above 127 the code of a custom type").names(TYPES_18);
    KEY_TYPE_16 = number("photon.message.dictionary.key_letter", "key type", "0 if each key has its own").hex(2).names(TYPES_16);
    VALUE_TYPE_16 = number("photon.message.dictionary.value_letter", "value type", "0 if each value has its own").hex(2).names(TYPES_16);
    ELEMENT_TYPE_16 = number("photon.message.array.letter", "element type", "").hex(2).names(TYPES_16);
    KEY_TYPE_18 = number("photon.message.dictionary.key_type", "key type", "0 if each key has its own").names(TYPES_18);
    VALUE_TYPE_18 = number("photon.message.dictionary.value_type", "value type", "0 if each value has its own").names(TYPES_18);
    LENGTH = number("photon.message.value.length", "length", "In bytes");
    COUNT = number("photon.message.value.count", "count", "");
    NUMBER = number("photon.message.value.number", "number", "");
    FLOAT = float("photon.message.value.float", "number", "");
    BOOL = bool("photon.message.value.bool", "boolean", "");
    TEXT = text("photon.message.value.text", "text", "");
    BYTES = bytes("photon.message.value.bytes", "bytes", "");
    BITS = bytes("photon.message.value.bits", "booleans", "A bit for each, from the lowest one of the first byte");
    CUSTOM = number("photon.message.value.custom_type", "custom type", "Code of the application");
    ENTRY = group("photon.message.entry", "entry", "A key and a value").named(entry_title, entry_value, nothing);
    ELEMENT = group("photon.message.element", "element", "").named(nothing, entry_value, nothing);
    MESSAGE_DATA = bytes("photon.message.data", "data", "Encrypted or undissected bytes");
    BAD_VALUE = broken("photon.message.bad_value", "bad value", "A value of an unknown type or of a wrong size");
}

use crate::tree::title::nothing;

/// Whether a node is a value without others below.
fn is_value(node: &NodeRef<'_>) -> bool {
    [&NUMBER, &FLOAT, &BOOL, &TEXT, &BYTES].into_iter().any(|field| std::ptr::eq(node.field(), field))
}

/// Writes the key of a parameter.
fn parameter_title(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.child(&KEY).and_then(NodeRef::number) {
        Some(key) => write!(out, "parameter {key}"),
        None => Ok(()),
    }
}

/// Writes the first value: the key of an entry.
fn entry_title(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.children().find(is_value) {
        Some(key) if key.field().kind == Kind::Text => crate::tree::clean(&key.text(), out),
        Some(key) => key.write_value(out),
        None => Ok(()),
    }
}

/// Writes the last value, unless it is one of several.
fn entry_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let is_single = node.child(&COUNT).is_none();
    match node.children().last().filter(|last| is_single && is_value(last)) {
        Some(last) => last.write_value(out),
        None => Ok(()),
    }
}
