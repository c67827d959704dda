//! HPACK.
