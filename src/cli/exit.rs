//! Exit codes.

/// Exit code of a run. With several inputs, the highest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Input read to the end.
    Fine = 0,
    /// Unexpected failure, or nothing printed with `--exit-status`.
    Failed = 1,
    /// Usage error.
    Usage = 2,
    /// An input cannot be opened.
    CannotOpen = 3,
    /// An input is neither a capture nor hex text.
    NotACapture = 4,
    /// An input is damaged.
    Damaged = 5,
    /// Interrupted by SIGINT.
    Interrupted = 130,
    /// Terminated by SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// The number of the exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}
