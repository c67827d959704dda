//! The `data` protocol: bytes of unknown format.

use crate::tree::{Computed, NodeRef, fields};

fields! {
    DATA = protocol("data", "Data", "Bytes that no protocol explains");
    BYTES = bytes("data.data", "data", "The bytes").once();
    LEN = number("data.len", "length", "How many they are").generated(&[&BYTES], length);
}

fn length(bytes: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Number(bytes.span().len() as u64));
}
