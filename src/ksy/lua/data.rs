//! Code that reads data from a stream.

use super::code::{Code, bare, quoted};
use super::expr::is_little;
use super::fields::{Shape, shapes, suffix};
use super::{Lua, Obstacle};
use crate::ksy::model::{Bytes, Data, Endian, Member, Object, ParentOf, Process, Size, Switch, Terminator};

/// The destination of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'t> {
    /// It is assigned.
    SourceRange(&'t str),
    /// It is returned.
    Return,
}

impl Target<'_> {
    fn line(self, value: &str) -> String {
        match self {
            Target::SourceRange(place) => format!("{place} = {value}"),
            Target::Return => format!("return {value}"),
        }
    }
}

impl Lua<'_> {
    /// Code that reads a value.
    pub(super) fn data(&self, of: &Member, data: &Data, target: Target<'_>, code: &mut Code) -> Result<(), Obstacle> {
        self.data_of(of, &shapes(of), data, target, code)
    }

    fn data_of(
        &self,
        of: &Member,
        shapes: &[(Shape, &'static str)],
        data: &Data,
        target: Target<'_>,
        code: &mut Code,
    ) -> Result<(), Obstacle> {
        let key = || format!("path .. {}", quoted(format!(".{}{}", of.name, suffix(shapes, data)).as_bytes()));
        let value = match data {
            Data::Int { bytes: 1, signed, .. } => format!("{}(io, tree, {}, 1)", int(*signed), key()),
            Data::Int { bytes, signed, endian, .. } => {
                format!("{}(io, tree, {}, {bytes}, {})", int(*signed), key(), order(*endian))
            }
            Data::Float { bytes, endian } => format!("float(io, tree, {}, {bytes}, {})", key(), order(*endian)),
            Data::Bits { width, endian, bool, .. } => {
                let boolean = if *bool { ", true" } else { "" };
                format!("bits(io, tree, {}, {width}, {}{boolean})", key(), is_little(*endian))
            }
            Data::Bytes(bytes) => format!("bytes(tree, {}, {})", key(), self.part(bytes)?),
            Data::Str(bytes, encoding) => {
                format!("text(tree, {}, {}, {})", key(), self.part(bytes)?, self.encoding(encoding, of.place))
            }
            Data::Object(object) => self.object(object, &key())?,
            Data::Switch(switch) => return self.switch(of, shapes, switch, target, code),
        };
        code.line(&target.line(&value));
        Ok(())
    }

    fn object(&self, object: &Object, key: &str) -> Result<String, Obstacle> {
        let stream = match &object.bytes {
            Some(bytes) => format!("within({})", self.part(bytes)?),
            None => "io".to_owned(),
        };
        let options = match (&object.parent, object.external) {
            (_, true) => Some("{ alone = true }".to_owned()),
            (ParentOf::Reader, false) => None,
            (ParentOf::Nothing, false) => Some("{ parent = false }".to_owned()),
            (ParentOf::Expr(parent), false) => Some(format!("{{ parent = {} }}", self.expr(parent)?)),
        };
        let mut values = format!("{}, this, {stream}, tree, {key}", self.type_of(object.of));
        match (self.arguments(object)?, options) {
            (Some(arguments), Some(options)) => values += &format!(", {arguments}, {options}"),
            (Some(arguments), None) => values += &format!(", {arguments}"),
            (None, Some(options)) => values += &format!(", nil, {options}"),
            (None, None) => {}
        }
        Ok(format!("object({values})"))
    }

    fn switch(
        &self,
        of: &Member,
        shapes: &[(Shape, &'static str)],
        switch: &Switch,
        target: Target<'_>,
        code: &mut Code,
    ) -> Result<(), Obstacle> {
        code.open("do");
        code.line(&format!("local on = {}", bare(&self.expr(&switch.on)?)));
        let mut word = "if";
        for (case, data) in &switch.cases {
            code.open(&format!("{word} on == {} then", self.expr(case)?));
            self.data_of(of, shapes, data, target, code)?;
            code.close_without_line();
            word = "elseif";
        }
        match (&switch.otherwise, switch.cases.is_empty()) {
            (Some(data), true) => self.data_of(of, shapes, data, target, code)?,
            (Some(data), false) => {
                code.open("else");
                self.data_of(of, shapes, data, target, code)?;
                code.close("end");
            }
            (None, false) => code.line("end"),
            (None, true) => {}
        }
        code.close("end");
        Ok(())
    }

    /// A byte range with its post-processing.
    fn part(&self, bytes: &Bytes) -> Result<String, Obstacle> {
        let part = match (&bytes.size, &bytes.terminator) {
            (Size::Terminator, Some(terminator)) => terminated(terminator),
            (Size::Terminator, None) => "rest(io)".to_owned(),
            (Size::Expr(size), terminator) => {
                format!("sized(io, {}{})", bare(&self.expr(size)?), stripped(bytes.pad_right, terminator))
            }
            (Size::Eos, terminator) => format!("rest(io{})", stripped(bytes.pad_right, terminator)),
        };
        Ok(match &bytes.process {
            None => part,
            Some(Process::Xor(key)) => format!("xor({part}, {})", self.expr(key)?),
            Some(Process::RotateLeft(bits)) => format!("rotate({part}, {})", self.expr(bits)?),
            Some(Process::RotateRight(bits)) => format!("rotate({part}, -{})", self.expr(bits)?),
            Some(Process::Zlib) => format!("inflate({part})"),
            Some(Process::Custom { name, place, .. }) => {
                return Err(Obstacle::new(*place, &format!("the processor `{name}`")));
            }
        })
    }
}

const fn int(signed: bool) -> &'static str {
    if signed { "signed" } else { "unsigned" }
}

const fn order(endian: Endian) -> &'static str {
    match endian {
        Endian::Fixed(fixed) => is_little(fixed),
        Endian::RunTime => "this._little",
    }
}

/// Removes padding and a terminator.
fn stripped(pad: Option<u8>, terminator: &Option<Terminator>) -> String {
    let pad = pad.map_or_else(|| "nil".to_owned(), |pad| pad.to_string());
    match terminator {
        Some(terminator) if terminator.include => format!(", {pad}, {}, true", quoted(&terminator.bytes)),
        Some(terminator) => format!(", {pad}, {}", quoted(&terminator.bytes)),
        None if pad == "nil" => String::new(),
        None => format!(", {pad}"),
    }
}

/// Bytes up to a terminator.
fn terminated(terminator: &Terminator) -> String {
    let flags = [terminator.include, !terminator.consume, !terminator.eos_error];
    let count = flags.iter().rposition(|flag| *flag).map_or(0, |last| last + 1);
    let flags: String = flags.iter().take(count).map(|flag| format!(", {flag}")).collect();
    format!("terminated(io, {}{flags})", quoted(&terminator.bytes))
}
