//! Names: of a message, and of values whose table has a version.

use super::Emitter;
use crate::ksy::compile::ShapeKind;
use crate::ksy::compile::program::{NameCode, Program, RunCode};
use crate::ksy::run::Frame;
use crate::ksy::run::value::{Object, V};
use crate::tree::Field;

impl<'p> Emitter<'_, 'p, '_, '_> {
    /// The type and the summary of a message, as far as it was read.
    pub(super) fn heading(&mut self, number: u32) {
        let program: &'p Program = self.machine.program;
        let Object { of, io, is_complete, .. } = self.machine.object(number);
        let Some(code) = program.types.get(of as usize) else { return };
        let frame = Frame::of(number, io);
        if let Some(NameCode { code, names }) = code.naming
            && let Ok(name) = self.machine.eval(&frame, code)
        {
            match name {
                V::Int(number) => {
                    let name = names.and_then(|names| {
                        self.machine.find_version(names);
                        self.machine.enum_name(names, number)
                    });
                    match name {
                        Some(name) => self.wire.name(name),
                        None => self.wire.name(&format!("unknown_{number}")),
                    }
                }
                V::Str(name) => self.wire.name(self.machine.text(name)),
                _ => {}
            }
        }
        if let Some(info) = code.info.filter(|_| is_complete && self.wire.wants_summary())
            && let Ok(V::Str(info)) = self.machine.eval(&frame, info)
        {
            self.wire.info(format_args!("{}", self.machine.text(info)));
        }
    }

    /// The field with the names of the version that the message has.
    #[cold]
    pub(super) fn named(&mut self, field: &'static Field, kind: ShapeKind, named: u32) -> &'static Field {
        let ShapeKind::Int(Some(names)) = kind else { return field };
        let version = self.machine.find_version(names.0);
        version.and_then(|version| self.fields.named(named, version)).unwrap_or(field)
    }
}

/// The name of the attributes before a run: that of the only one, if there is one.
pub(super) fn once_name(program: &Program, run: RunCode) -> &'static str {
    match program.types.get(run.root as usize) {
        Some(of) if of.seq == 2 => of.slots.get(of.params as usize).copied().unwrap_or_default(),
        _ => "opening",
    }
}
