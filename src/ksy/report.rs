//! Collects errors and warnings of files, sorted by position.

use super::diagnostic::Diagnostic;
use super::source_range::{SourceFile, SourceRange, offset};

/// An error or a warning with a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) error: bool,
    /// Whether only `ksy check` shows a warning: nothing is read differently because of it.
    pub(super) is_advice: bool,
    pub(super) place: SourceRange,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Problem {
    pub(super) fn error(place: SourceRange, message: impl Into<String>) -> Problem {
        Problem { error: true, is_advice: false, place, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    pub(super) fn help_if(mut self, help: Option<String>) -> Problem {
        self.help = help.or(self.help);
        self
    }
}

/// Errors and warnings in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Report {
    problems: Vec<Problem>,
    left_out: usize,
}

/// Maximum number of stored problems; further ones are counted.
const MOST: usize = 200;

/// Number of problems with suggestions.
const HELPED: usize = 10;

impl Report {
    pub(super) fn add(&mut self, problem: Problem) {
        if self.is_full() {
            self.left_out += 1;
        } else if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Whether further problems are only counted, so that suggestions need not be computed.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= MOST
    }

    /// Whether enough problems have suggestions, each of which compares all names.
    pub(super) fn has_helped(&self) -> bool {
        self.problems.len() >= HELPED
    }

    pub(super) fn error(&mut self, place: SourceRange, message: impl Into<String>) {
        self.add(Problem::error(place, message));
    }

    pub(super) fn warning(&mut self, place: SourceRange, message: impl Into<String>, help: Option<String>) {
        self.add(Problem { error: false, ..Problem::error(place, message).help_if(help) });
    }

    /// A warning that only `ksy check` shows.
    pub(super) fn advice(&mut self, place: SourceRange, message: impl Into<String>, help: Option<String>) {
        self.add(Problem { error: false, is_advice: true, ..Problem::error(place, message).help_if(help) });
    }

    /// Adds the problems of another report.
    pub(super) fn append(&mut self, other: Report) {
        other.problems.into_iter().for_each(|problem| self.add(problem));
        self.left_out += other.left_out;
    }

    /// Adds the problems of another report, with errors as warnings.
    pub(super) fn add_as_warnings(&mut self, other: Report, ending: &str) {
        for problem in other.problems {
            self.add(Problem { error: false, message: format!("{}{ending}", problem.message), help: None, ..problem });
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.left_out > 0 || self.problems.iter().any(|problem| problem.error)
    }

    /// The problems with lines and columns, ordered by file and position.
    pub(super) fn into_diagnostics(mut self, files: &[SourceFile]) -> Vec<Diagnostic> {
        self.problems.sort_by_key(|problem| (problem.place.file, problem.place.start));
        let last = self.problems.last().map(|problem| problem.place);
        let mut diagnostics: Vec<Diagnostic> = self.problems.into_iter().map(|problem| locate(problem, files)).collect();
        if self.left_out > 0
            && let Some(place) = last
        {
            let message = format!("{} more errors and warnings are not listed", self.left_out);
            diagnostics.push(locate(Problem::error(place, message), files));
        }
        diagnostics
    }
}

/// Characters of a line that are kept before and after a column.
const KEPT: usize = 200;

/// The line, the column and the text of a position.
fn locate(problem: Problem, files: &[SourceFile]) -> Diagnostic {
    let Problem { error, is_advice, place, message, help } = problem;
    let file = files.get(place.file as usize);
    let is_whole = place == SourceRange::whole(place.file);
    let text = file.map_or("", |file| file.text.as_str());
    let start = (place.start as usize).min(text.len());
    let before = text.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = text.get(start..).and_then(|behind| behind.find('\n')).map_or(text.len(), |at| start + at);
    let source = text.get(line_start..line_end).unwrap_or_default().trim_end_matches('\r');
    let column = text.get(line_start..start).unwrap_or_default().chars().count();
    // Otherwise, each problem about one long line would copy it.
    let from = column.saturating_sub(KEPT);
    let kept: String = source.chars().skip(from).take(2 * KEPT).collect();
    let marked = text.get(start..(place.end as usize).clamp(start, line_end)).unwrap_or_default().trim_end();
    Diagnostic {
        error,
        is_advice,
        path: file.map(|file| file.path.clone()).unwrap_or_default(),
        line: if is_whole { 0 } else { offset(before.matches('\n').count() + 1) },
        column: offset(column + 1),
        source: kept,
        skipped: offset(from),
        width: offset(marked.chars().count().max(1)),
        message,
        help,
    }
}
