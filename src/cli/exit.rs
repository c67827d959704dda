//! How a run ends, as a shell sees it.

/// How a run ended. Of several inputs the gravest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Read to the end.
    Fine = 0,
    /// Something unexpected, or nothing printed where that was asked about.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// An input cannot be opened.
    CannotOpen = 3,
    /// An input is nothing that can be read.
    NotACapture = 4,
    /// An input is damaged.
    Damaged = 5,
    /// SIGINT ended the run.
    Interrupted = 130,
    /// SIGTERM ended the run.
    Terminated = 143,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}
