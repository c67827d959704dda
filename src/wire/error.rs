//! Why reading stopped.

/// Why reading stopped. Fields read before are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The bytes end too early.
    Short {
        /// Number of missing bytes.
        needed: usize,
    },
    /// The bytes are malformed; a note at the position has the reason.
    Malformed,
}

/// The result of a dissector.
pub type Result<T = ()> = std::result::Result<T, Error>;
