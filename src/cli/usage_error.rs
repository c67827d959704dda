//! The error of an option or argument.

/// What is wrong and what to try, in one line.
pub(super) type UsageError = String;
