//! Message boundaries on a stream, from the attributes of a type.

use super::expr::walk::any;
use super::expr::{Expr, Kind, Method};
use super::model::{Bytes, Data, Member, Read, Repeat, Size, Spec, TypeId, ValueSource};
use super::source_range::SourceRange;
use std::collections::HashMap;

/// How messages of a type follow each other on TCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// The content determines the end of the message.
    SelfDelimiting,
    /// The stream is a run of messages up to its end.
    Run(Run),
    /// The message ends with the available bytes: datagrams, payloads of a known size, or whole connections.
    OpenEnded(Open),
}

/// A run of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The repeated type; `None` if numbers, texts or bytes repeat.
    pub message: Option<TypeId>,
    /// The type whose last attribute repeats: the root, or a type at its end.
    pub holder: TypeId,
    /// The name of that attribute.
    pub attribute: String,
    /// Number of attributes before it, which are read once per direction.
    pub once: usize,
}

/// Why the end of a message is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The reason: "`rest` takes all bytes up to the end".
    pub reason: String,
    /// The responsible attribute.
    pub place: SourceRange,
}

/// The content of one direction of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// A sequence of objects of this type.
    Whole(TypeId),
    /// Elements of the last attribute of `root`, or of a type at its end, after attributes read once.
    Run {
        /// The type at the start of the direction.
        root: TypeId,
        /// The repeated attribute.
        run: Run,
    },
}

impl Unit {
    /// The type of a message; `None` if numbers, texts or bytes repeat.
    #[must_use]
    pub fn message(&self) -> Option<TypeId> {
        match self {
            Unit::Whole(of) => Some(*of),
            Unit::Run { run, .. } => run.message,
        }
    }
}

/// The content of a direction that begins with the type `root`. `message` is the repeated type that the file declares.
///
/// # Errors
/// Why no message has an end.
pub fn unit(spec: &Spec, root: TypeId, message: Option<TypeId>) -> Result<Unit, Open> {
    match (framing(spec, root), message) {
        (Framing::Run(run), None) => Ok(Unit::Run { root, run }),
        (Framing::Run(run), Some(message)) if run.message == Some(message) => Ok(Unit::Run { root, run }),
        (Framing::SelfDelimiting, None) => Ok(Unit::Whole(root)),
        (Framing::OpenEnded(open), None) => Err(open),
        (_, Some(message)) => match framing(spec, message) {
            Framing::SelfDelimiting => Ok(Unit::Whole(message)),
            Framing::OpenEnded(open) => Err(open),
            Framing::Run(run) => {
                let place = spec.type_of(run.holder).seq.last().map_or(spec.type_of(message).place, |member| member.place);
                Err(Open { reason: format!("`{}` repeats up to the end", run.attribute), place })
            }
        },
    }
}

/// How messages of this type follow each other on a stream.
#[must_use]
pub fn framing(spec: &Spec, of: TypeId) -> Framing {
    Frames { spec, known: HashMap::new(), depth: 0 }.of_type(of)
}

/// Maximum nesting of types.
const DEPTH: usize = 128;

struct Frames<'s> {
    spec: &'s Spec,
    /// Known types and those in progress; a recursive type ends where its outermost occurrence ends.
    known: HashMap<TypeId, Framing>,
    depth: usize,
}

impl Frames<'_> {
    fn of_type(&mut self, of: TypeId) -> Framing {
        if let Some(framing) = self.known.get(&of) {
            return framing.clone();
        }
        if self.depth >= DEPTH {
            let reason = format!("more than {DEPTH} types inside each other");
            return Framing::OpenEnded(Open { reason, place: self.spec.type_of(of).place });
        }
        self.known.insert(of, Framing::SelfDelimiting);
        self.depth += 1;
        let framing = self.of_seq(of);
        self.depth -= 1;
        self.known.insert(of, framing.clone());
        framing
    }

    fn of_seq(&mut self, of: TypeId) -> Framing {
        let seq = &self.spec.type_of(of).seq;
        for (at, member) in seq.iter().enumerate() {
            let ValueSource::Read(read) = &member.source else { continue };
            let is_last = at + 1 == seq.len();
            match self.of_member(of, member, read, at) {
                Framing::SelfDelimiting => {}
                Framing::Run(run) if is_last => return Framing::Run(run),
                Framing::Run(run) => {
                    let reason = format!("`{}` repeats up to the end, and attributes follow", run.attribute);
                    return Framing::OpenEnded(Open { reason, place: member.place });
                }
                open @ Framing::OpenEnded(_) => return open,
            }
        }
        Framing::SelfDelimiting
    }

    fn of_member(&mut self, of: TypeId, member: &Member, read: &Read, once: usize) -> Framing {
        let open = |reason: String| Framing::OpenEnded(Open { reason, place: member.place });
        if read.io.is_some() {
            return Framing::SelfDelimiting;
        }
        let until_end = match &read.repeat {
            Repeat::Eos => true,
            Repeat::Until(until) => asks_for_the_end(until),
            Repeat::No | Repeat::Count(_) => false,
        };
        let element = self.of_data(&read.data, member);
        match element {
            Framing::SelfDelimiting if until_end && member.condition.is_some() => {
                open(format!("`{}` repeats up to the end, under a condition", member.name))
            }
            Framing::SelfDelimiting if until_end => {
                let message = match &read.data {
                    Data::Object(object) => Some(object.of),
                    _ => None,
                };
                Framing::Run(Run { message, holder: of, attribute: member.name.clone(), once })
            }
            Framing::SelfDelimiting => {
                match member.condition.iter().chain(read.data.expressions()).find(|expr| asks_for_the_end(expr)) {
                    Some(_) => open(format!("`{}` depends on where the stream ends", member.name)),
                    None => Framing::SelfDelimiting,
                }
            }
            Framing::Run(run) if matches!(read.repeat, Repeat::No) && member.condition.is_none() => Framing::Run(run),
            Framing::Run(run) => open(format!("`{}` repeats up to the end, inside `{}`", run.attribute, member.name)),
            open => open,
        }
    }

    fn of_data(&mut self, data: &Data, member: &Member) -> Framing {
        match data {
            Data::Int { .. } | Data::Float { .. } | Data::Bits { .. } => Framing::SelfDelimiting,
            Data::Bytes(bytes) | Data::Str(bytes, _) => of_bytes(bytes, member),
            Data::Object(object) => match &object.bytes {
                Some(bytes) => of_bytes(bytes, member),
                None => self.of_type(object.of),
            },
            Data::Switch(switch) => {
                let all = switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise);
                let framings: Vec<Framing> = all.map(|data| self.of_data(data, member)).collect();
                let open = framings.into_iter().find(|framing| *framing != Framing::SelfDelimiting);
                match open {
                    None => Framing::SelfDelimiting,
                    Some(Framing::Run(run)) => {
                        let reason = format!("a case of `{}` repeats `{}` up to the end", member.name, run.attribute);
                        Framing::OpenEnded(Open { reason, place: member.place })
                    }
                    Some(open) => open,
                }
            }
        }
    }
}

fn of_bytes(bytes: &Bytes, member: &Member) -> Framing {
    match &bytes.size {
        Size::Eos => {
            let reason = format!("`{}` takes all bytes up to the end", member.name);
            Framing::OpenEnded(Open { reason, place: member.place })
        }
        Size::Expr(_) | Size::Terminator => Framing::SelfDelimiting,
    }
}

/// Whether an expression depends on the end of the stream of its own object.
fn asks_for_the_end(expr: &Expr) -> bool {
    any(expr, &mut |expr| match &expr.kind {
        Kind::Method(Method::IoEof | Method::IoSize, io) => {
            matches!(&io.kind, Kind::Io(object) if matches!(object.kind, Kind::This | Kind::Root(_) | Kind::Parent(_)))
        }
        _ => false,
    })
}

impl Framing {
    /// Describes the framing, in words that follow a colon.
    #[must_use]
    pub fn describe(&self, spec: &Spec) -> String {
        match self {
            Framing::SelfDelimiting => "self-delimiting: each message states where it ends".to_owned(),
            Framing::Run(run) => {
                let of = run.message.map_or_else(|| format!("`{}`", run.attribute), |id| format!("`{}`", spec.type_of(id).name));
                let once = match run.once {
                    0 => String::new(),
                    1 => ", behind 1 attribute that is read once for each direction".to_owned(),
                    once => format!(", behind {once} attributes that are read once for each direction"),
                };
                format!("a run of messages {of}{once}")
            }
            Framing::OpenEnded(open) => format!("open-ended: {}", open.reason),
        }
    }
}
