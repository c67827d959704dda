//! A packet dissector: captures and hex dumps in, annotated field trees out.
#![forbid(unsafe_code)]

pub mod cli;
pub mod engine;
pub mod filter;
pub mod flow;
pub mod follow;
pub mod glossary;
pub mod input;
pub mod layers;
pub mod limits;
pub mod protocols;
pub mod record;
pub mod registry;
pub mod render;
pub mod sink;
pub mod stats;
pub mod tree;
pub mod wire;
pub mod write;
