//! Why reading stopped.

/// Why reading stopped. What was read before it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The bytes end too early; this many more were wanted.
    Short {
        /// Bytes that were wanted beyond the end.
        needed: usize,
    },
    /// The bytes make no sense; a note at the place says why.
    Malformed,
}

/// What a dissector returns.
pub type Result<T = ()> = std::result::Result<T, Error>;
