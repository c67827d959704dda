//! The fields, the names of values, and the notes.

use super::words::{nothing, plain, role_meaning, role_value};
use crate::tree::{Names, fields};

pub(super) const IDENTIFIERS: Names = &[(0x4000_0000, "up to v1.7 beta 2"), (0x4000_0001, "since v1.7 beta 3")];

pub(super) const TYPES: Names = &[
    (0x61, "array"),
    (0x62, "bool"),
    (0x66, "float"),
    (0x69, "integer"),
    (0x6f, "null"),
    (0x71, "quaternion"),
    (0x73, "string"),
    (0x76, "vector"),
];

fields! {
    LIBRPC = protocol("librpc", "LibRPC", "LibRPC, script calls between a VC:MP server and its clients")
        .covers("Every node and value, bare in a datagram or in its carrier, told as a script has it");
    CALL_TEXT = text("librpc.call", "call", "The message as a script has it").digest(plain, nothing);
    IDENTIFIER = number("librpc.identifier", "identifier", "What tells the message from other script data").hex(8).names(IDENTIFIERS);
    NODE = group("librpc.node", "node", "The call, or what is set");
    NODE_TAG = text("librpc.node.tag", "tag", "What kind of node it is");
    NODE_NAME = text("librpc.node.name", "name", "What kind of node it is, in words");
    NODE_SIZE = number("librpc.node.size", "size", "Bytes of the node behind its size");
    DEPTH = number("librpc.depth", "depth", "Nodes and arrays around it, itself included");
    FUNCTION_LEN = number("librpc.function.len", "name length", "Bytes of the function's name");
    FUNCTION = text("librpc.function", "function", "Name of the function that is called");
    ARG_COUNT = number("librpc.arg_count", "argument count", "Arguments of the call");
    CALLEE = group("librpc.callee", "callee", "What gives the function that is called").digest(role_value, role_meaning);
    FIRST = group("librpc.first", "first", "What is got from, or set").digest(role_value, role_meaning);
    KEY = group("librpc.key", "key", "Member that is got").digest(role_value, role_meaning);
    ARG = group("librpc.arg", "argument", "A value that is handed over").digest(role_value, role_meaning);
    ELEMENT = group("librpc.element", "element", "A value in an array").digest(role_value, role_meaning);
    VALUE_TYPE = number("librpc.value.type", "type", "What kind of value it is").hex(2).names(TYPES);
    STRING_LEN = number("librpc.value.len", "length", "Bytes of the string");
    STRING_VALUE = text("librpc.value.string", "string", "The string");
    INTEGER_VALUE = number("librpc.value.integer", "integer", "The whole number");
    FLOAT_VALUE = float("librpc.value.float", "float", "The real number");
    BOOL_VALUE = bool("librpc.value.bool", "bool", "True or false");
    X = float("librpc.value.x", "x", "First part of a vector or a quaternion");
    Y = float("librpc.value.y", "y", "Second part of a vector or a quaternion");
    Z = float("librpc.value.z", "z", "Third part of a vector or a quaternion");
    W = float("librpc.value.w", "w", "Last part of a quaternion");
    ARRAY_SIZE = number("librpc.array.size", "size", "Bytes of all elements");
    ARRAY_COUNT = number("librpc.array.count", "count", "Elements of the array");
    UNPARSED = bytes("librpc.unparsed", "unparsed", "Bytes that are not understood");

    TRUNCATED = broken("librpc.expert.truncated", "truncated", "The message ends before its node begins");
    NODE_OVERRUN = broken("librpc.expert.node_overrun", "node too long", "A node is longer than what holds it");
    NAME_OVERRUN = broken("librpc.expert.name_overrun", "name too long", "The name of a function is longer than its node");
    UNKNOWN_TAG = broken("librpc.expert.unknown_tag", "unknown tag", "A value whose length nobody knows");
    VALUE_OVERRUN = broken("librpc.expert.value_overrun", "value too long", "A value is longer than what holds it");
    ARRAY_OVERRUN = broken("librpc.expert.array_overrun", "array too long", "An array is longer than what holds it");
    TOO_DEEP = broken("librpc.expert.too_deep", "nested too deep", "Nodes or arrays nest deeper than is followed");
    TOO_MANY = broken("librpc.expert.too_many", "too many nodes", "More nodes and arrays than are followed");
    BAD_IDENTIFIER = odd("librpc.expert.bad_identifier", "unknown identifier", "An identifier that no known version sends");
    TRAILING_BYTES = odd("librpc.expert.trailing_bytes", "trailing bytes", "Bytes behind the node");
    BAD_BOOL = odd("librpc.expert.bad_bool", "bad bool", "Neither 0 nor 1");
    MISSING_ENVIRONMENT = odd("librpc.expert.missing_environment", "missing environment", "A raw call without the object to call it on");
    BAD_CALLEE = odd("librpc.expert.bad_callee", "bad callee", "What is called is no node");
    BAD_PLACEMENT = odd("librpc.expert.bad_placement", "bad placement", "A get or set where none may be, or from a server");
    BAD_SET = odd("librpc.expert.bad_set", "bad set", "A set without exactly a place and a value");
    SIZE_OVER = odd("librpc.expert.size_over_65535", "size over 65535", "A size that the genuine reader would misread");
}
