//! Runs a command for each input separately.

use super::screen::Screen;
use super::source::Source;
use super::{Exit, of_output};
use std::io::{self, Write};

/// Runs a function for each input and returns the highest exit code. A usage error stops it, because it concerns every input.
///
/// With `heading`, the output for each of several inputs starts with its name, as in `head` and `tail`.
pub(super) fn each(
    sources: &[Source],
    screen: Screen,
    with_headings: bool,
    mut one: impl FnMut(&Source, Screen) -> io::Result<Exit>,
) -> Exit {
    let are_several = sources.len() > 1;
    // A pager for each input would hide the others.
    let screen = if are_several { screen.without_pager() } else { screen };
    let mut worst = Exit::Fine;
    for (number, source) in sources.iter().enumerate() {
        let heading = if are_several && with_headings { heading(source, number > 0, screen) } else { Ok(()) };
        let exit = heading.and_then(|()| one(source, screen)).unwrap_or_else(|error| of_output(&error));
        worst = worst.max(exit);
        if exit == Exit::Usage {
            break;
        }
    }
    worst
}

fn heading(source: &Source, is_later: bool, screen: Screen) -> io::Result<()> {
    let mut to = screen.writer(false);
    writeln!(to, "{}==> {} <==", if is_later { "\n" } else { "" }, source.name())?;
    to.flush()
}
