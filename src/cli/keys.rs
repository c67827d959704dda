//! `--keys`: opens key files, and reports lines that served no conversation.

use super::args::{Args, Reading, Task};
use super::counted::Counted;
use super::usage_error::UsageError;
use super::{Exit, interrupt, print_error, screen};
use crate::keys::{KeyError, KeyRing, Unserved};
use crate::nearest::suggestion;
use crate::registry::Registry;
use crate::wire::{KeyName, Protocol};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of lines without a conversation that are named; the others are counted.
const NAMED: usize = 5;

/// The keys of the run.
static KEYS: Mutex<Option<Arc<KeyRing>>> = Mutex::new(None);

/// Opens the key files, and checks the values of protocols that are known.
pub(super) fn open(reading: &Reading, registry: Registry) -> Result<KeyRing, UsageError> {
    let wrong = |error: KeyError| format!("--keys {error}");
    let keys = KeyRing::open(&reading.keys, &interrupt::is_requested).map_err(wrong)?;
    keys.check(|protocol, name, value| match known(registry, protocol, name) {
        Some(known) => (known.check)(value),
        None => Ok(()),
    })
    .map_err(wrong)?;
    for path in keys.open_pipes().filter(|_| !interrupt::is_requested()) {
        print_error(format_args!("--keys {}: no end yet; lines that arrive later serve as well", path.display()));
    }
    Ok(keys)
}

/// Shares the keys with all conversations. Lines that serve none are reported at the end of the run.
pub(super) fn share(keys: KeyRing) -> Option<Arc<KeyRing>> {
    let keys = (!keys.is_empty()).then(|| Arc::new(keys));
    KEYS.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&keys);
    keys
}

/// The key of this name that a protocol takes.
pub(super) fn known(registry: Registry, protocol: &str, name: &str) -> Option<&'static KeyName> {
    registry.protocols().filter(|known| known.this.abbrev == protocol).find_map(|known| key_of(known, name))
}

fn key_of(protocol: &'static Protocol, name: &str) -> Option<&'static KeyName> {
    protocol.keys.iter().find(|key| key.name == name)
}

/// Whether a run may leave conversations unread: unused lines are not reported then.
pub(super) fn is_partial(args: &Args) -> bool {
    let stops = match &args.task {
        Some(Task::Browse { .. }) => true,
        Some(Task::Objects(objects)) => objects.at.is_some(),
        _ => false,
    };
    stops || args.output.count.is_some() || args.output.numbers.is_some()
}

/// Reports lines that served nothing, and errors of lines that were added while files were in use.
pub(super) fn report(exit: Exit, is_partial: bool) -> Exit {
    let Some(keys) = KEYS.lock().unwrap_or_else(PoisonError::into_inner).take() else { return exit };
    let errors = keys.errors();
    for error in &errors {
        print_error(format_args!("--keys {error}"));
    }
    let was_read = matches!(exit, Exit::Fine | Exit::Failed | Exit::Damaged);
    let has_ended = !interrupt::is_requested() && !screen::is_closed();
    if was_read && has_ended && !is_partial && keys.is_in_use() {
        let unserved = keys.unserved();
        for line in unserved.iter().take(NAMED) {
            print_error(format_args!("{line}: matches no conversation{}", meant(line)));
        }
        if let more @ 1.. = unserved.len().saturating_sub(NAMED) {
            let lines = Counted(more as u64, "more line");
            print_error(format_args!("--keys: {lines} {} no conversation", if more == 1 { "matches" } else { "match" }));
        }
    }
    if errors.is_empty() { exit } else { exit.max(Exit::Usage) }
}

/// The protocol or key that a misspelt line may mean. Its own words are not shown: a value may stand in the wrong place.
fn meant(line: &Unserved) -> String {
    let registry = Registry::default();
    let of_name = || registry.protocols().filter(|protocol| *protocol.this.abbrev == *line.protocol);
    let names: Vec<&str> = of_name().flat_map(key_names).collect();
    let meant = if of_name().next().is_none() {
        let taking = registry.protocols().filter(|protocol| key_names(protocol).next().is_some());
        suggestion(&line.protocol, taking.map(|protocol| protocol.this.abbrev))
    } else {
        suggestion(&line.name, names.iter().copied()).filter(|_| !names.contains(&&*line.name))
    };
    meant.map(|meant| format!("; {meant}")).unwrap_or_default()
}

/// Names of the keys of a protocol. Those of a Kaitai Struct file are among its settings.
fn key_names(protocol: &'static Protocol) -> impl Iterator<Item = &'static str> {
    let is_loaded = Registry::default().loaded().any(|loaded| std::ptr::eq(loaded, protocol));
    let settings = protocol.settings.iter().filter(move |_| is_loaded);
    let variables = settings.filter_map(|setting| setting.name.split_once('.')).map(|(_, name)| name);
    protocol.keys.iter().map(|key| key.name).chain(variables)
}

/// Whether standard input is read twice.
pub(super) fn mistake(args: &Args) -> Option<UsageError> {
    let reading = args.reading().filter(|reading| reads_standard_input(reading))?;
    let count = reading.keys.iter().filter(|path| *path == Path::new("-")).count();
    let is_input = args.names_no_input() || args.input_files().iter().any(|path| path == Path::new("-"));
    (is_input || count > 1).then(|| "--keys -: standard input can be read only once; give a FILE".to_owned())
}

/// Whether a key file is standard input.
pub(super) fn reads_standard_input(reading: &Reading) -> bool {
    reading.keys.iter().any(|path| path == Path::new("-"))
}
