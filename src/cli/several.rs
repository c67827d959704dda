//! Runs a command for each input separately.

use super::screen::{self, Screen};
use super::source::Source;
use super::{Exit, of_output};
use std::io;

/// Runs a function for each input and returns the highest exit code. A usage error stops it, because it concerns every input.
///
/// With `with_headings`, the output for each of several inputs, unless it is empty, starts with its name, as in `head` and `tail`.
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
    for source in sources {
        if are_several && with_headings {
            screen::announce(format!("==> {} <==", source.name()));
        }
        let exit = one(source, screen).unwrap_or_else(|error| of_output(&error));
        worst = worst.max(exit);
        if exit == Exit::Usage {
            break;
        }
    }
    worst
}
