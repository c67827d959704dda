//! Recognition by several datagrams, of protocols whose datagrams are too little alone.

/// Bytes at the start of a datagram with which the next one is compared.
pub const SERIES_HEAD: usize = 16;

/// A heuristic for datagrams that one side sends one after the other, none of which is certain alone.
#[derive(Clone, Copy)]
pub struct Series {
    /// Datagrams of a certain series.
    pub least: u8,
    /// Whether a datagram may belong to a series.
    pub begins: fn(&[u8]) -> bool,
    /// Whether a datagram that may belong to one follows another one, of which these are the first bytes.
    pub follows: fn(earlier: &[u8; SERIES_HEAD], later: &[u8]) -> Step,
}

/// How a datagram follows the previous one of its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It belongs to no series with it.
    No,
    /// It fits, but random bytes that repeat would as well. A series needs another step, too.
    Fits,
    /// It fits, with all numbers further on.
    Advances,
}
