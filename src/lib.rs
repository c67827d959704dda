//! A packet dissector: captures and hex dumps in, annotated field trees out.
#![forbid(unsafe_code)]

pub mod input;
pub mod protocols;
pub mod tree;
pub mod wire;
