//! The protocol of bytes that nobody understands.

use crate::tree::fields;

fields! {
    DATA = protocol("data", "Data", "Bytes that no protocol explains");
    BYTES = bytes("data.data", "data", "The bytes");
}
