//! Options of protocols: keys, passwords, versions.

use crate::keys::KeyRing;
use std::sync::Arc;

/// An option of a protocol, set with `-o`.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The full name, with the protocol as prefix.
    pub name: &'static str,
    /// The help text, one sentence.
    pub about: &'static str,
    /// The kind of value.
    pub takes: ValueKind,
}

/// A key that a protocol takes from key files (`--keys`), a line for each conversation that needs it.
#[derive(Debug, Clone, Copy)]
pub struct KeyName {
    /// The name in key files, without the protocol.
    pub name: &'static str,
    /// The help text, one sentence.
    pub about: &'static str,
    /// Validates a value before the capture is read. An error does not quote it.
    pub check: fn(&[u8]) -> std::result::Result<(), String>,
}

impl KeyName {
    /// A key of any bytes.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str) -> KeyName {
        KeyName { name, about, check: |_| Ok(()) }
    }
}

/// The kind of value that an option takes.
#[derive(Debug, Clone, Copy)]
pub enum ValueKind {
    /// The value itself.
    Value,
    /// The path of a file whose text is the value.
    File,
    /// `true` or `false`, in any case.
    Switch,
    /// A value validated before the capture is read.
    Checked(Check),
    /// A value of a known set, unless another option is given as well.
    Known {
        /// Validates the format in any case.
        check: Check,
        /// Validates membership; an error lists the known values.
        known: Check,
        /// The option that permits other values.
        unless: &'static str,
    },
    /// The path of a file validated before the capture is read.
    CheckedFile(Check),
    /// The path of a validated key log, searched by [`super::Wire::secret`].
    Secrets(Check),
}

/// Validates a value, so that mistakes are reported before the capture is read.
pub type Check = fn(&str) -> std::result::Result<(), InvalidValue>;

/// The error of an invalid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidValue {
    /// The line number, from 1, if the text has several lines.
    pub line: Option<usize>,
    /// The mistake and the expected format.
    pub message: String,
}

/// The configured options. The last value of an option counts.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    values: Vec<(&'static str, String)>,
    /// Names of options that hold key logs.
    secrets: Vec<&'static str>,
    /// Keys of key files and options.
    keys: Option<Arc<KeyRing>>,
}

impl Settings {
    /// Creates settings without any values.
    #[must_use]
    pub const fn new() -> Settings {
        Settings { values: Vec::new(), secrets: Vec::new(), keys: None }
    }

    /// Sets a value; for an option that takes a file, the text of the file.
    pub fn set(&mut self, setting: &Setting, value: String) {
        if let ValueKind::Secrets(_) = setting.takes
            && !self.secrets.contains(&setting.name)
        {
            self.secrets.push(setting.name);
        }
        self.values.push((setting.name, value));
    }

    /// Sets the keys of key files and options.
    pub fn set_keys(&mut self, keys: Arc<KeyRing>) {
        self.keys = Some(keys);
    }

    /// The keys of key files and options, if there are any.
    #[must_use]
    pub fn keys(&self) -> Option<&Arc<KeyRing>> {
        self.keys.as_ref()
    }

    /// The texts of all key logs.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().filter_map(|name| self.get(name))
    }

    /// Whether a boolean option is true.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The value of an option, if set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}
