//! `lua`: checks of Wireshark's dissectors in Lua.

use super::screen::Screen;
use super::scripts::{self, LuaOptions};
use super::{Exit, of_output, print_error};
use clap::{Args as Group, Subcommand, ValueHint};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Subcommands of `lua`.
#[derive(Debug, Subcommand)]
pub enum Lua {
    /// List what scripts register, and which of their calls are not supported
    ///
    /// Each script is loaded by itself, as with --lua, and nothing is dissected. The exit code is 2 if one cannot be loaded.
    Check(LuaCheck),
}

/// Scripts to check.
#[derive(Debug, Group)]
pub struct LuaCheck {
    /// Scripts to check; a folder is loaded as Wireshark's plugin folder
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
}

/// Runs a subcommand.
pub(super) fn run(asked: &Lua, options: &LuaOptions, screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    let Lua::Check(check) = asked;
    let mut to = screen.writer(false);
    let mut exit = Exit::Fine;
    for file in &check.files {
        let found = match scripts::check(file, options, read) {
            Ok(found) => found,
            Err(text) => {
                print_error(format_args!("{text}"));
                return Exit::Usage;
            }
        };
        let mut text = String::new();
        for line in found.shown {
            let mut clean = String::new();
            // Writing to a String does not fail.
            let _ = crate::tree::clean(&line, &mut clean).and_then(|()| writeln!(text, "{clean}"));
        }
        if let Err(error) = to.write_all(text.as_bytes()) {
            return of_output(&error);
        }
        if !found.errors.is_empty() {
            exit = Exit::Usage;
            if let Err(error) = to.flush() {
                return of_output(&error);
            }
            found.errors.iter().for_each(|error| print_error(format_args!("{error}")));
        }
    }
    match to.flush() {
        Ok(()) => exit,
        Err(error) => of_output(&error),
    }
}
