//! What scripts have registered.

use super::extract::Wanted;
use super::field::{ScriptField, Type};
use super::heuristic::Heuristic;
use super::preference::Preference;
use super::tables::OwnTable;
use crate::tree::Field;
use mlua::{Function, Lua, Table};
use std::collections::HashSet;
use std::path::PathBuf;

/// What scripts may know of the program's own protocols.
#[derive(Clone, Copy)]
pub struct Surroundings {
    /// The built-in fields of this name.
    pub fields: fn(&str) -> Vec<&'static Field>,
    /// The name of the protocol that is called so, if there is one.
    pub protocol: fn(&str) -> Option<&'static str>,
    /// Whether a link, network or transport header has this name.
    pub is_header: fn(&str) -> bool,
    /// The application protocol on this port of TCP (true) or UDP.
    pub on_port: fn(bool, u16) -> Option<&'static str>,
}

/// A protocol of a script.
pub(super) struct ScriptProtocol {
    /// The name in capitals.
    pub(super) name: &'static str,
    /// The name in filters.
    pub(super) filter: &'static str,
    pub(super) description: &'static str,
    /// The layer, and items inside one.
    pub(super) this: &'static Field,
    /// The table that a script gets and changes.
    pub(super) fields: Table,
    pub(super) dissector: Option<Function>,
    pub(super) init: Option<Function>,
    pub(super) prefs_changed: Option<Function>,
    pub(super) preferences: Vec<(String, Preference)>,
    pub(super) experts: Vec<&'static Field>,
}

/// An entry of a table of ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) is_tcp: bool,
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) protocol: usize,
}

/// Everything that is registered.
pub(super) struct World {
    pub(super) fields: Vec<&'static ScriptField>,
    pub(super) protocols: Vec<ScriptProtocol>,
    /// Ports, the last added last.
    pub(super) entries: Vec<Entry>,
    /// Tables that only scripts look up.
    pub(super) tables: Vec<OwnTable>,
    /// Heuristics, the last added last.
    pub(super) heuristics: Vec<Heuristic>,
    /// Protocols that read whole frames.
    pub(super) postdissectors: Vec<usize>,
    pub(super) surroundings: Surroundings,
    /// Whether scripts are being loaded.
    pub(super) is_loading: bool,
    /// Folders whose files may be read: of loaded scripts and of `--lua FOLDER`.
    pub(super) folders: Vec<PathBuf>,
    /// The folder of the script being loaded.
    pub(super) folder: PathBuf,
    /// The names of values for which scripts asked.
    pub(super) wanted: Vec<Wanted>,
    /// Values of preferences on the command line.
    pub(super) options: Vec<(String, String)>,
    /// Values of preferences that are refused.
    pub(super) wrong_options: Vec<String>,
    /// Remarks while loading, in order and each once.
    pub(super) remarks: Vec<String>,
    known: HashSet<String>,
    /// Number of expert infos declared.
    pub(super) experts: usize,
    /// Number of files that scripts loaded, and of bytes they read.
    pub(super) files: usize,
    pub(super) read_bytes: u64,
    /// Number of lines printed.
    pub(super) printed: usize,
    /// Whether no more lines are printed: they would be written over a screen.
    pub(super) is_silent: bool,
}

impl World {
    pub(super) fn new(surroundings: Surroundings, options: Vec<(String, String)>) -> World {
        World {
            fields: Vec::new(),
            protocols: Vec::new(),
            entries: Vec::new(),
            tables: Vec::new(),
            heuristics: Vec::new(),
            postdissectors: Vec::new(),
            surroundings,
            is_loading: true,
            folders: Vec::new(),
            folder: PathBuf::new(),
            wanted: Vec::new(),
            options,
            wrong_options: Vec::new(),
            remarks: Vec::new(),
            known: HashSet::new(),
            experts: 0,
            files: 0,
            read_bytes: 0,
            printed: 0,
            is_silent: false,
        }
    }

    /// Whether a field of this name has values of another kind.
    pub(super) fn clashes(&self, abbrev: &str, of: Type) -> bool {
        let kind = of.kind();
        let own = self.fields.iter().find(|known| known.field.abbrev == abbrev && known.is_registered());
        own.map(|known| known.of.kind())
            .or_else(|| (self.surroundings.fields)(abbrev).first().map(|field| field.kind))
            .is_some_and(|known| known != kind)
    }

    /// Keeps a remark, once.
    pub(super) fn remark(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.remarks.push(text);
        }
    }

    /// The protocol with this filter name.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.protocols.iter().position(|protocol| protocol.filter == name)
    }

    /// What is registered so far.
    pub(super) fn mark(&self) -> Mark {
        Mark { fields: self.fields.len(), protocols: self.protocols.len(), entries: self.entries.clone() }
    }

    /// Takes back what was registered since.
    pub(super) fn return_to(&mut self, mark: Mark) {
        self.fields.truncate(mark.fields);
        self.protocols.truncate(mark.protocols);
        self.heuristics.retain(|known| known.protocol < mark.protocols);
        self.postdissectors.retain(|known| *known < mark.protocols);
        self.entries = mark.entries;
    }
}

/// A state of the registrations.
pub(super) struct Mark {
    fields: usize,
    protocols: usize,
    entries: Vec<Entry>,
}

/// Keeps a remark about the scripts.
pub(super) fn remark(lua: &Lua, text: String) {
    if let Some(mut world) = lua.app_data_mut::<World>() {
        world.remark(text);
    }
}

impl World {
    /// Removes an entry, or a part of one.
    pub(super) fn remove(&mut self, gone: Entry) {
        let mut kept = Vec::new();
        for entry in &self.entries {
            let is_other = entry.is_tcp != gone.is_tcp || entry.protocol != gone.protocol;
            if is_other || entry.last < gone.first || entry.first > gone.last {
                kept.push(*entry);
                continue;
            }
            if let Some(last) = gone.first.checked_sub(1).filter(|last| entry.first <= *last) {
                kept.push(Entry { last, ..*entry });
            }
            if let Some(first) = gone.last.checked_add(1).filter(|first| *first <= entry.last) {
                kept.push(Entry { first, ..*entry });
            }
        }
        self.entries = kept;
    }
}
