//! Names of enums, also of those whose names a table gives for one version.

use super::value::{NOTHING, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{EnumCode, Program};
use crate::ksy::model::TableVersion;
use crate::ksy::run::variables::{Held, Plain};

/// The number of a member that no opcode of the version has.
const NO_MEMBER: i128 = i128::MIN;

impl<'p> Machine<'p, '_> {
    /// The rows of a table that the message used last.
    pub(super) fn use_version(&mut self, table: u32, version: u32) {
        match self.memory.versions.iter_mut().find(|(known, _)| *known == table) {
            Some((_, known)) => *known = version,
            None => self.memory.versions.push((table, version)),
        }
    }

    /// The version of a table that names the values of an enum, if the enum has a table.
    ///
    /// It is that of the last use in the message, else that of a session variable.
    pub(super) fn find_version(&mut self, names: u32) -> Option<u32> {
        let program: &'p Program = self.program;
        let table = program.enums.get(names as usize)?.table?;
        if let Some((_, version)) = self.memory.versions.iter().find(|(known, _)| *known == table) {
            return Some(*version).filter(|version| *version != NOTHING);
        }
        let io = self.memory.objects.first().map_or(0, |object| object.io);
        let (used, keys) = (self.used, self.keys);
        let mut found = NOTHING;
        for number in (0..).take(program.session.len()) {
            let may_hold = match self.held.get(number as usize) {
                Some(Held::Known(Plain::Table(known, _), _)) => *known == table,
                Some(Held::First) | None => program.session.get(number as usize).is_some_and(|of| of.table == Some(table)),
                _ => false,
            };
            if may_hold
                && let Ok(V::Table(known, version)) = self.variable(&Frame::of(0, io), number)
                && known == table
            {
                found = version;
                break;
            }
        }
        // A name is no use of a value: it changes nothing about what the message depends on.
        (self.used, self.keys) = (used, keys);
        self.use_version(table, found);
        Some(found).filter(|version| *version != NOTHING)
    }

    fn rows(&self, code: &EnumCode) -> Option<&'p TableVersion> {
        let program: &'p Program = self.program;
        let table = code.table?;
        let (_, version) = self.memory.versions.iter().find(|(known, _)| *known == table)?;
        program.tables.get(table as usize)?.versions.get(*version as usize)
    }

    /// The name of a value of an enum whose version was found before.
    pub(super) fn enum_name(&self, names: u32, number: i128) -> Option<&str> {
        let program: &'p Program = self.program;
        let code = program.enums.get(names as usize)?;
        let own = || code.name(number).map(|name| self.text(name));
        let Some(rows) = self.rows(code) else { return own() };
        rows.name(number).or_else(|| rows.size(number).and_then(|_| own()))
    }

    /// The number of a member of an enum with a table: that of its name in the version.
    pub(super) fn enum_member(&mut self, names: u32, index: u32) -> i128 {
        self.find_version(names);
        let program: &'p Program = self.program;
        let Some(code) = program.enums.get(names as usize) else { return NO_MEMBER };
        let Some((own, name)) = code.members.get(index as usize) else { return NO_MEMBER };
        let Some(rows) = self.rows(code) else { return *own };
        let named = rows.opcode(self.text(*name));
        let is_other = || {
            let other = rows.name(*own)?;
            code.members.iter().find(|(_, name)| self.text(*name) == other)
        };
        named.unwrap_or_else(|| if is_other().is_some() { NO_MEMBER } else { *own })
    }
}
