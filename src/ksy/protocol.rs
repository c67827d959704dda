//! A loaded file as a protocol of the registry.
//!
//! Fields are compared by address and live as long as the program, so those of a file are leaked once when it is loaded.

use super::compile::program::Program;
use super::compile::{compile, leak};
use super::fields::FileFields;
use super::model::{Spec, TypeId};
use super::run::{Memory, run};
use crate::tree::Field;
use crate::wire::{Described, Found, Heuristic, How, On, Protocol, Result, Wire};
use std::cell::RefCell;

thread_local! {
    /// Memory of the last run on this thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// A program with the fields that it fills.
struct File {
    program: Program,
    fields: FileFields,
    root: TypeId,
}

impl Described for File {
    fn message(&self, wire: &mut Wire<'_>) -> Result {
        MEMORY.with_borrow_mut(|memory| {
            let result = run(&self.program, &self.fields, self.root.0, memory, wire);
            memory.clear();
            result
        })
    }
}

/// The protocol of a file: `root` is the type of a message, and a type of `top`'s file. It lives as long as the program.
#[must_use]
pub fn protocol(spec: &Spec, top: TypeId, root: TypeId) -> &'static Protocol {
    let top = spec.type_of(top);
    let of = spec.type_of(root);
    let id = leak(&top.name);
    let fields = FileFields::new(spec, root, id);
    let title = top.meta.title.as_deref().or(of.docs.doc.as_deref()).unwrap_or(&top.name);
    let title = leak(&title.split_whitespace().collect::<Vec<_>>().join(" "));
    let this: &'static Field = Box::leak(Box::new(Field::protocol(id, id, title)));
    let rest = fields.unparsed(0);
    let all: Vec<&'static Field> = std::iter::once(this).chain(fields.all().iter().copied()).collect();
    let file: &'static File = Box::leak(Box::new(File { program: compile(spec), fields, root }));
    // No payload is recognized by itself: a file is chosen by name.
    let found = Found { on: On::Chosen, heuristic: Heuristic::Anything, how: How::Described(file) };
    let protocol = Protocol::new(this, Vec::leak(all), Vec::leak(vec![found]));
    Box::leak(Box::new(Protocol { rest, ..protocol }))
}
