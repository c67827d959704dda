//! Generates Wireshark dissectors in Lua from Kaitai Struct files.
//!
//! The output is meant to be read: first a common part, then enums, fields and types in the order of the file. Unsupported
//! constructs become comments, and warnings.

mod code;
mod data;
mod expr;
mod fields;
mod names;
mod registration;
mod session;
mod types;

use super::Diagnostic;
use super::model::{EnumId, Spec, TypeId};
use super::registration::Registration;
use super::report::Report;
use super::source_range::SourceRange;
use code::{Code, quoted, words};
use fields::Fields;
use names::Names;
use registration::{Units, proto};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The start of every dissector.
const START: &str = include_str!("start.lua");
/// Functions that types use.
const PRELUDE: &str = include_str!("prelude.lua");
/// Functions that find message boundaries.
const STREAM: &str = include_str!("stream.lua");
/// The function that Wireshark calls.
const END: &str = include_str!("end.lua");

/// A generated dissector.
#[derive(Debug)]
pub struct Dissector {
    /// The Lua text.
    pub text: String,
    /// Warnings about constructs that Lua does not support.
    pub diagnostics: Vec<Diagnostic>,
}

/// Maximum numbers of types of a file, and of their attributes and instances. More would take minutes.
const TYPES: usize = 1 << 10;
const MEMBERS: usize = 1 << 13;

/// Why a file is too large for a dissector.
#[must_use]
pub fn refusal(spec: &Spec) -> Option<String> {
    let members: usize = spec.types.iter().map(|of| of.seq.len() + of.instances.len()).sum();
    let is_beyond = |count: usize, most: usize, what: &str| {
        (count > most).then(|| format!("the file has {count} {what}; dissectors in Lua are written for up to {most}"))
    };
    is_beyond(spec.types.len(), TYPES, "types").or_else(|| is_beyond(members, MEMBERS, "attributes and instances"))
}

/// Generates the dissector of a file: `top` is one of [`Spec::roots`].
#[must_use]
pub fn dissector(spec: &Spec, top: TypeId) -> Dissector {
    let names = Names::new(spec);
    let lua = Lua { spec, top, names, inexact: RefCell::default(), problems: RefCell::default(), enums: RefCell::default() };
    let text = lua.file(top);
    Dissector { text, diagnostics: lua.problems.into_inner().into_diagnostics(&spec.files) }
}

/// A construct that Lua does not support.
#[derive(Debug)]
struct Obstacle {
    place: SourceRange,
    what: String,
}

impl Obstacle {
    fn new(place: SourceRange, what: &str) -> Obstacle {
        Obstacle { place, what: what.to_owned() }
    }
}

struct Lua<'s> {
    spec: &'s Spec,
    /// The type of the whole file.
    top: TypeId,
    names: Names,
    /// Constructs of the current code that Lua does not support exactly.
    inexact: RefCell<Vec<String>>,
    problems: RefCell<Report>,
    /// Enums whose names the code uses.
    enums: RefCell<BTreeSet<EnumId>>,
}

impl Lua<'_> {
    fn file(&self, top: TypeId) -> String {
        let of = self.spec.type_of(top);
        let registration = Registration::of(self.spec, top);
        let units = Units::new(self.spec, top);
        let fields = Fields::new(self.spec, &self.names, &units.tops(), &of.name);
        let types = fields.types();
        let mut code = Code::default();
        let runs = units.runs(self.spec);
        types.iter().for_each(|id| self.write_type(*id, &runs, &mut code));
        registration.iter().for_each(|registration| self.titles(registration, &mut code));
        let has_session = self.has_session(&units);
        self.dissector(&units, registration.is_some_and(Registration::is_on_tcp), &mut code);
        if has_session {
            self.session(&units, &mut code);
        }
        let mut end = Code::default();
        self.register(registration, &mut end);
        self.enums.borrow_mut().extend(fields.enums());

        let mut text = self.head(top);
        text.push_str(&section("What all dissectors of this kind share: reading bytes."));
        text += PRELUDE;
        text.push_str(&section("What all dissectors of this kind share: finding messages."));
        text += STREAM;
        if has_session {
            text.push_str(&section("What dissectors with session variables share."));
            text += session::SESSION;
        }
        text.push_str(&section(&format!("The protocol {}.", of.name)));
        text += &self.declarations(&fields, &types);
        text += &code.into_text();
        text += END;
        text + &end.into_text()
    }

    /// Head comments, and the protocol.
    fn head(&self, top: TypeId) -> String {
        let of = self.spec.type_of(top);
        let title = of.meta.title.clone().unwrap_or_default();
        let source = self.spec.files.get(of.place.file as usize).and_then(|file| file.path.file_name());
        let source = source.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut head = Code::default();
        head.comment(if title.is_empty() { &of.name } else { &title });
        head.comment(&format!("Written by `proto-dissect ksy lua {source}`. Load it with `-X lua_script:{}.lua`.", of.name));
        if let Some(license) = &of.meta.license {
            head.comment(&format!("Licence of the file: {license}"));
        }
        head.blank();
        let most = Registration::of(self.spec, top).and_then(|registration| registration.max_message).unwrap_or(MOST_BYTES);
        head.line(&format!("local root = {}", quoted(of.name.as_bytes())));
        head.line(&format!("local proto = {}", proto(&of.name, &title)));
        head.line("-- The most bytes that a message may lack.");
        head.line(&format!("local MOST_BYTES = {most}"));
        head.blank();
        head.into_text() + START
    }

    /// Enums, fields and types.
    fn declarations(&self, fields: &Fields, types: &BTreeSet<TypeId>) -> String {
        let mut code = Code::default();
        for id in self.enums.borrow().iter() {
            self.names_of(*id, &mut code);
        }
        fields.write(&self.names, &mut code);
        code.line("proto.fields = fields");
        code.blank();
        for id in types {
            code.line(&format!("{} = define({})", self.type_of(*id), words(self.names.type_name(*id))));
        }
        code.into_text()
    }

    /// The names of an enum. Wireshark supports names for 32-bit values.
    fn names_of(&self, id: EnumId, to: &mut Code) {
        let of = self.spec.enum_of(id);
        to.comment(of.docs.doc.as_deref().unwrap_or_default());
        to.open(&format!("{} = {{", code::member("names", self.names.enum_name(id))));
        for member in &of.members {
            if !(i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&member.value) {
                to.comment(&format!("{} = {}: Wireshark has names of 32-bit values only.", member.value, member.name));
                self.warn(member.place, format!("Wireshark has names of 32-bit values only, and {} is larger", member.name));
                continue;
            }
            to.line(&format!("[{}] = {},", member.value, words(&member.name)));
        }
        to.close("}");
        to.blank();
    }

    /// Records that code uses the names of an enum.
    fn uses(&self, id: EnumId) {
        self.enums.borrow_mut().insert(id);
    }

    /// Adds a construct that Lua does not support exactly.
    fn note_inexact(&self, place: SourceRange, what: String) {
        self.warn(place, what.clone());
        self.inexact.borrow_mut().push(what);
    }

    fn take_inexact(&self) -> Vec<String> {
        std::mem::take(&mut self.inexact.borrow_mut())
    }

    fn warn(&self, place: SourceRange, what: String) {
        self.problems.borrow_mut().warning(place, what, None);
    }

    /// A comment in place of an unsupported construct.
    fn obstacle(&self, obstacle: &Obstacle, to: &mut Code) {
        to.comment(&format!("Not in Lua: {}.", obstacle.what));
        self.warn(obstacle.place, format!("Lua scripts of Wireshark cannot do this: {}", obstacle.what));
    }

    /// The same if nothing after it can be read.
    fn fails(&self, obstacle: &Obstacle, to: &mut Code) {
        self.obstacle(obstacle, to);
        to.line(&format!("fail({})", words(&format!("not read by this script: {}", obstacle.what))));
    }
}

/// Default limit of the missing bytes of a message.
const MOST_BYTES: usize = 16 << 20;

fn section(title: &str) -> String {
    format!("\n{}\n-- {title}\n\n", "-".repeat(100))
}

#[cfg(test)]
mod tests;
