//! How looking at inputs went, and the exit code that comes of it.

use super::args::Output;
use super::counted::Counted;
use super::unexplained::Unexplained;
use super::{Exit, complain};

/// How looking at one input went, or at several.
#[derive(Debug)]
pub(super) struct Outcome {
    /// How reading went.
    pub read: Exit,
    /// Records that were meant.
    pub taken: u64,
    /// Frames that were read.
    pub frames: u64,
    /// Messages that were counted.
    pub messages: u64,
    /// Messages that were malformed.
    pub malformed: u64,
    /// Runs of missing bytes.
    pub gaps: u64,
    /// The first input that had any, and the frame.
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
    /// The next input went like this.
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

    /// The exit code. Reports what `--strict` rejects.
    pub(super) fn exit(&self, output: &Output) -> Exit {
        let strict = match &self.broken {
            Some((file, frame)) if output.strict => {
                let (malformed, gaps) = (Counted(self.malformed, "malformed message"), Counted(self.gaps, "gap"));
                complain(format_args!("--strict: {malformed}, {gaps}; the first at frame {frame} of {file}"));
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
