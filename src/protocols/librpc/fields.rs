//! Fields with their formatting, value names and notes.

use super::script::Quoted;
use crate::tree::title::nothing;
use crate::tree::{Names, NodeRef, clean, clean_escaped, fields};
use std::fmt::{self, Write};

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
        .covers("Every node and value, in plain datagrams or inside VC:MP, with its script form");
    CALL_TEXT = text("librpc.call", "call", "Script form of the message").collapsed(plain, nothing);
    IDENTIFIER = number("librpc.identifier", "identifier", "Distinguishes messages from other script data").hex(8).names(IDENTIFIERS);
    NODE = group("librpc.node", "node", "Call or assignment");
    NODE_TAG = text("librpc.node.tag", "tag", "");
    NODE_NAME = text("librpc.node.name", "name", "Name of the node type");
    NODE_SIZE = number("librpc.node.size", "size", "Bytes after the size");
    DEPTH = number("librpc.depth", "depth", "Nesting level, including this node or array");
    FUNCTION_LEN = number("librpc.function.len", "name length", "In bytes");
    FUNCTION = text("librpc.function", "function", "Name of the called function");
    ARG_COUNT = number("librpc.arg_count", "argument count", "");
    CALLEE = group("librpc.callee", "callee", "Value that is called").collapsed(role_value, role_meaning);
    FIRST = group("librpc.first", "first", "Object that is accessed or assigned").collapsed(role_value, role_meaning);
    KEY = group("librpc.key", "key", "Accessed member").collapsed(role_value, role_meaning);
    ARG = group("librpc.arg", "argument", "").collapsed(role_value, role_meaning);
    ELEMENT = group("librpc.element", "element", "").collapsed(role_value, role_meaning);
    VALUE_TYPE = number("librpc.value.type", "type", "").hex(2).names(TYPES);
    STRING_LEN = number("librpc.value.len", "length", "In bytes");
    STRING_VALUE = text("librpc.value.string", "string", "");
    INTEGER_VALUE = number("librpc.value.integer", "integer", "");
    FLOAT_VALUE = float("librpc.value.float", "float", "");
    BOOL_VALUE = bool("librpc.value.bool", "bool", "");
    X = float("librpc.value.x", "x", "X component of a vector or quaternion");
    Y = float("librpc.value.y", "y", "Y component of a vector or quaternion");
    Z = float("librpc.value.z", "z", "Z component of a vector or quaternion");
    W = float("librpc.value.w", "w", "W component of a quaternion");
    ARRAY_SIZE = number("librpc.array.size", "size", "Size of all elements in bytes");
    ARRAY_COUNT = number("librpc.array.count", "count", "");
    UNPARSED = bytes("librpc.unparsed", "unparsed", "Undecoded bytes");

    TRUNCATED = broken("librpc.expert.truncated", "truncated", "The message ends before its node");
    NODE_OVERRUN = broken("librpc.expert.node_overrun", "node too long", "A node exceeds its container");
    NAME_OVERRUN = broken("librpc.expert.name_overrun", "name too long", "A function name exceeds its node");
    UNKNOWN_TAG = broken("librpc.expert.unknown_tag", "unknown tag", "Unknown value tag, so its length is unknown");
    VALUE_OVERRUN = broken("librpc.expert.value_overrun", "value too long", "A value exceeds its container");
    ARRAY_OVERRUN = broken("librpc.expert.array_overrun", "array too long", "An array exceeds its container");
    TOO_DEEP = broken("librpc.expert.too_deep", "nested too deep", "Nodes or arrays exceed the maximum nesting");
    TOO_MANY = broken("librpc.expert.too_many", "too many nodes", "The number of nodes and arrays exceeds the limit");
    BAD_IDENTIFIER = odd("librpc.expert.bad_identifier", "unknown identifier", "Identifier of an unknown version");
    TRAILING_BYTES = odd("librpc.expert.trailing_bytes", "trailing bytes", "Bytes after the node");
    BAD_BOOL = odd("librpc.expert.bad_bool", "invalid bool", "A bool value other than 0 and 1");
    MISSING_ENVIRONMENT = odd("librpc.expert.missing_environment", "missing environment", "Raw call without an object");
    BAD_CALLEE = odd("librpc.expert.bad_callee", "bad callee", "The callee is not a node");
    BAD_PLACEMENT = odd("librpc.expert.bad_placement", "bad placement", "A get or set in an invalid position, or sent by a server");
    BAD_SET = odd("librpc.expert.bad_set", "bad set", "A set without exactly one target and one value");
    SIZE_OVER = odd("librpc.expert.size_over_65535", "size over 65535", "The original receiver keeps only 16 bits of the size");
}

/// Text without quotes; it contains its own escape sequences.
fn plain(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    clean_escaped(&node.text(), out)
}

/// Short form of a value: a small value itself, a node by its function, an array by its elements.
fn role_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    for child in node.children() {
        let field = child.field();
        if field.is(&STRING_VALUE) {
            return clean_escaped(&Quoted(child.text_bytes()).to_string(), out);
        }
        if field.is(&INTEGER_VALUE) || field.is(&FLOAT_VALUE) || field.is(&BOOL_VALUE) {
            return child.write_value(out);
        }
        if field.is(&X) {
            return reals(node, out);
        }
        if field.is(&FUNCTION) {
            clean(&child.text(), out)?;
            return out.write_str("(…)");
        }
        if field.is(&ARRAY_SIZE) {
            let count = node.child(&ARRAY_COUNT).and_then(NodeRef::number).unwrap_or_default();
            return write!(out, "{count} {}", if count == 1 { "element" } else { "elements" });
        }
    }
    Ok(())
}

fn reals(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut before = "(";
    for part in [&X, &Y, &Z, &W].into_iter().filter_map(|field| node.child(field)) {
        out.write_str(before)?;
        part.write_value(out)?;
        before = ", ";
    }
    out.write_char(')')
}

/// Type of a value.
fn role_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    if let Some(kind) = node.child(&VALUE_TYPE) {
        return out.write_str(kind.name().unwrap_or_default());
    }
    node.child(&NODE_NAME).map_or(Ok(()), |name| out.write_str(&name.text()))
}
