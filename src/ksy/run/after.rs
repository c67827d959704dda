//! What a message leaves for others: changes of the session, and bytes that other messages or protocols read.

use super::Machine;
use super::carried::Carried;
use super::running::Running;
use super::variables::{Changes, Used};
use crate::tree::Span;
use crate::wire::Wire;

/// What a message left.
#[derive(Default)]
pub(in crate::ksy) struct After {
    pub changes: Changes,
    pub used: Used,
    /// The continued processors of the direction.
    pub running: Running,
    /// Names under which they went on in this message, as bits.
    pub continued: u64,
    /// The elements that carry messages.
    pub carried: Vec<Element>,
    pub embedded: Embedded,
    /// Whether a note says that a value has no case.
    pub has_remarked: bool,
}

/// Bytes that other protocols read as a part of the message.
#[derive(Default)]
pub(in crate::ksy) struct Embedded {
    /// Their protocols and places.
    pub payloads: Vec<(&'static str, Span)>,
    /// Derived sources with their bytes.
    pub buffers: Vec<(u32, Vec<u8>)>,
}

impl After {
    /// Copies elements out of a source that ends with this cursor.
    pub(in crate::ksy) fn copy_elements(&mut self, wire: &Wire<'_>) {
        for element in self.carried.iter_mut().filter(|element| element.bytes.is_none()) {
            let range = element.span.start as usize..element.span.end as usize;
            element.bytes = Some(wire.source_bytes(range).to_vec());
        }
    }
}

/// An element that carries a message, with its bytes.
pub(in crate::ksy) struct Element {
    pub carried: Carried,
    pub span: Span,
    /// Its bytes if they are not of the message itself.
    pub bytes: Option<Vec<u8>>,
}

impl Machine<'_, '_> {
    /// What the message left; nothing in a file without a session.
    #[inline]
    pub(super) fn after(&mut self) -> After {
        if self.program.session.is_empty() && self.program.effects.is_empty() && self.program.continued.is_empty() {
            return After::default();
        }
        let changes = self.changes();
        let running = std::mem::take(&mut self.running);
        After { changes, used: self.used, running, continued: self.memory.continued, ..After::default() }
    }
}
