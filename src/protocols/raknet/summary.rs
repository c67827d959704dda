//! Summaries of addresses and records.

use super::fields::*;
use crate::tree::NodeRef;
use std::fmt::{self, Write};

pub(super) fn nothing(_: NodeRef<'_>, _: &mut dyn Write) -> fmt::Result {
    Ok(())
}

pub(super) fn address_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    if let Some(ip) = node.child(&ADDRESS_IP) {
        ip.write_value(out)?;
    }
    match node.child(&ADDRESS_PORT).and_then(NodeRef::number) {
        Some(port) => write!(out, ":{port}"),
        None => Ok(()),
    }
}

pub(super) fn record_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let number = |field| node.child(field).and_then(NodeRef::number);
    match (number(&NUMBER), number(&FIRST), number(&LAST)) {
        (Some(number), ..) => write!(out, "{number}"),
        (_, Some(first), Some(last)) => write!(out, "{first} to {last}"),
        _ => Ok(()),
    }
}
