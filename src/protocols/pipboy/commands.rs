//! Commands and their results, matched by command ID.

use super::json::{self, Parsed};
use super::*;
use crate::tree::{Time, Value, name_of};
use crate::wire::{Result, Wire};
use std::collections::VecDeque;

const FAST_TRAVEL: u64 = 9;
const TOGGLE_RADIO_STATION: u64 = 12;

/// Maximum number of remembered commands: some never get a result.
const COMMANDS_MAX: usize = 1024;

/// Commands of a connection, the latest last.
#[derive(Default)]
pub(super) struct Commands(VecDeque<Command>);

#[derive(Clone, Copy)]
struct Command {
    id: i64,
    kind: Option<u64>,
    frame: u64,
    time: Time,
}

impl Commands {
    fn remember(&mut self, command: Command) {
        if self.0.len() >= COMMANDS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(command);
    }

    /// Returns the last command with this ID; some apps do not increment it.
    fn of(&self, id: i64) -> Option<Command> {
        self.0.iter().rev().find(|command| command.id == id).copied()
    }
}

pub(super) fn command(wire: &mut Wire<'_>, session: &mut Session) -> Result {
    let parsed = json::object(wire, &JSON, COMMAND_MEMBERS);
    let kind = parsed.of(&COMMAND_TYPE).and_then(|kind| kind.parse().ok());
    let target = target(kind, &parsed).filter(|_| !wire.defers()).map(|id| session.values.world().path(id).to_string());
    if let Some(path) = &target {
        wire.add_text(&COMMAND_TARGET, format_args!("{path}"));
    }
    if let Some(id) = parsed.of(&COMMAND_ID).and_then(|id| id.parse().ok()) {
        let (frame, time) = wire.completed();
        session.commands.remember(Command { id, kind, frame, time });
    }
    let id = parsed.of(&COMMAND_ID).map(|id| format!("id {id}"));
    let name = kind.and_then(|kind| name_of(COMMANDS, kind)).map(str::to_owned);
    let name = name.or_else(|| parsed.of(&COMMAND_TYPE).map(|kind| format!("type {kind}")));
    wire.info(format_args!("{}", Line(&[name.as_deref(), parsed.of(&COMMAND_ARGS), target.as_deref(), id.as_deref()])));
    Ok(())
}

/// Returns the value ID that a command takes as its first argument.
fn target(kind: Option<u64>, parsed: &Parsed) -> Option<u32> {
    if !matches!(kind, Some(FAST_TRAVEL | TOGGLE_RADIO_STATION)) {
        return None;
    }
    let args: Vec<serde_json::Value> = serde_json::from_str(parsed.of(&COMMAND_ARGS)?).ok()?;
    u32::try_from(args.first()?.as_u64()?).ok()
}

pub(super) fn command_result(wire: &mut Wire<'_>, commands: &Commands) -> Result {
    let parsed = json::object(wire, &JSON, RESULT_MEMBERS);
    let command = parsed.of(&RESULT_ID).and_then(|id| commands.of(id.parse().ok()?));
    if let Some(command) = command {
        answer(wire, command);
    }
    let either = |field, yes, no| parsed.of(field).map(|is| if is == "true" { yes } else { no });
    let id = parsed.of(&RESULT_ID).map(|id| format!("id {id}"));
    let name = command.and_then(|command| name_of(COMMANDS, command.kind?));
    let allowed = either(&RESULT_ALLOWED, "allowed,", "refused,");
    let success = either(&RESULT_SUCCESS, "success", "no success");
    let message = parsed.of(&RESULT_MESSAGE).map(|why| format!("({why})"));
    wire.info(format_args!("{}", Line(&[id.as_deref(), name, allowed, success, message.as_deref()])));
    Ok(())
}

/// Adds the command of a result and the response time.
fn answer(wire: &mut Wire<'_>, command: Command) {
    if let Some(kind) = command.kind {
        wire.add(&RESULT_COMMAND, Value::Unsigned(kind));
    }
    wire.add(&RESULT_COMMAND_FRAME, Value::Unsigned(command.frame));
    if let Some(seconds) = since(wire, command.time) {
        wire.add(&RESULT_TIME, seconds);
    }
}
