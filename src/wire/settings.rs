//! What somebody tells a protocol beforehand: keys, passwords, versions.

/// Something that a protocol can be told.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its whole name, that of the protocol first.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// What is given.
    pub takes: Takes,
}

/// What is given for a setting.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// The value itself.
    Value,
    /// A file whose text is the value.
    File,
    /// Whether it is so: `true` or `false`, in capitals or not.
    Switch,
    /// A value that is looked at beforehand.
    Checked(Check),
    /// A value that must be one of those known, unless another setting is given as well.
    Known {
        /// What the value has to be in any case.
        check: Check,
        /// Whether it is known; an error lists those that are.
        known: Check,
        /// The setting that makes others possible.
        unless: &'static str,
    },
    /// A file whose text is looked at beforehand.
    CheckedFile(Check),
    /// A file of secrets, looked at beforehand, which [`super::Wire::secret`] finds.
    Secrets(Check),
}

/// Looks at what is told, so that mistakes are found before anything is read.
pub type Check = fn(&str) -> std::result::Result<(), Unfit>;

/// Why something cannot be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The line of the text, from 1, if it has several.
    pub line: Option<usize>,
    /// What is wrong, and what was expected.
    pub words: String,
}

/// What protocols were told, the last word counting.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    told: Vec<(&'static str, String)>,
    /// The names of those that tell secrets.
    secrets: Vec<&'static str>,
}

impl Settings {
    /// Nothing was told.
    #[must_use]
    pub const fn new() -> Settings {
        Settings { told: Vec::new(), secrets: Vec::new() }
    }

    /// Tell a value. For a setting that takes a file, the text of the file.
    pub fn tell(&mut self, setting: &Setting, value: String) {
        if let Takes::Secrets(_) = setting.takes
            && !self.secrets.contains(&setting.name)
        {
            self.secrets.push(setting.name);
        }
        self.told.push((setting.name, value));
    }

    /// The texts that tell secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().filter_map(|name| self.get(name))
    }

    /// Whether a switch is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The value of a setting, if it was told.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.told.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}
