//! Results of reading inputs, and the exit code derived from them.

use super::args::Output;
use super::counted::Counted;
use super::unexplained::Unexplained;
use super::{Exit, print_error};

/// Result of reading one or several inputs.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Exit code of reading.
    pub read: Exit,
    /// Number of selected records.
    pub taken: u64,
    /// Number of frames read.
    pub frames: u64,
    /// Number of messages.
    pub messages: u64,
    /// Number of malformed messages.
    pub malformed: u64,
    /// Number of gaps.
    pub gaps: u64,
    /// File and frame of the first malformed message or gap.
    pub broken: Option<(String, u64)>,
    /// Messages of unknown format.
    pub unexplained: Unexplained,
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            read: Exit::Fine,
            taken: 0,
            frames: 0,
            messages: 0,
            malformed: 0,
            gaps: 0,
            broken: None,
            unexplained: Unexplained::default(),
        }
    }
}

impl Outcome {
    /// Adds the result of another input.
    pub(super) fn add(&mut self, next: Outcome) {
        self.read = self.read.max(next.read);
        self.taken += next.taken;
        self.frames += next.frames;
        self.messages += next.messages;
        self.malformed += next.malformed;
        self.gaps += next.gaps;
        self.broken = self.broken.take().or(next.broken);
        self.unexplained.add(next.unexplained);
    }

    /// Exit code. Reports violations of `--strict`.
    pub(super) fn exit(&self, output: &Output) -> Exit {
        let strict = match &self.broken {
            Some((file, frame)) if output.strict => {
                let (malformed, gaps) = (Counted(self.malformed, "malformed message"), Counted(self.gaps, "gap"));
                print_error(format_args!("--strict: {malformed}, {gaps}; first at frame {frame} of {file}"));
                Exit::Damaged
            }
            _ => Exit::Fine,
        };
        match self.read.max(strict) {
            Exit::Fine if output.exit_status && self.taken == 0 => Exit::Failed,
            exit => exit,
        }
    }
}
