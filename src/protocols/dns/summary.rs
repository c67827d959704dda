//! One-line summaries of questions and records.

use super::fields::{
    A, AAAA, CNAME, DNAME, MX_EXCHANGE, NS, PTR, QRY_NAME, QRY_TYPE, RESP_NAME, RESP_TYPE, SOA_MNAME, SRV_PORT, SRV_TARGET, TXT,
};
use super::rdata::Kind;
use crate::tree::{Field, NodeRef, clean};
use std::fmt;

/// Fields shown in the summary of a record.
const SUMMARY_FIELDS: &[&Field] = &[&A, &AAAA, &NS, &CNAME, &DNAME, &PTR, &SOA_MNAME, &MX_EXCHANGE, &TXT, &SRV_TARGET, &SRV_PORT];

/// Name of a question or record.
pub(super) fn value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let name = node.children().find(|child| child.field().is(&QRY_NAME) || child.field().is(&RESP_NAME));
    name.map_or(Ok(()), |name| clean(&name.text(), out))
}

/// Type of a question.
pub(super) fn query(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    kind(node, &QRY_TYPE, out)
}

/// Type and main values of a record.
pub(super) fn record(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    kind(node, &RESP_TYPE, out)?;
    let telling = |child: &NodeRef<'_>| SUMMARY_FIELDS.iter().any(|field| child.field().is(field));
    node.children().filter(telling).try_for_each(|child| {
        out.write_char(' ')?;
        child.write_plain(out)
    })
}

fn kind(node: NodeRef<'_>, field: &Field, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.child(field).and_then(NodeRef::number).and_then(|number| u16::try_from(number).ok()) {
        Some(number) => write!(out, "{}", Kind(number)),
        None => Ok(()),
    }
}
