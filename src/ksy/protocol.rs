//! A loaded file as a protocol of the registry.
//!
//! Fields are compared by address and are never freed, so those of a file are leaked once on loading.

use super::compile::program::{InitCode, Program, RunCode, Step, UnitCode, VariableCode};
use super::compile::{compile, leak, looks_around};
use super::fields::FileFields;
use super::framing::{Open, Run, Unit, unit};
use super::model::{Spec, TypeId, ValueSource};
use super::registration::{Carrier, DeliverTo, Framed, Registration, Resync, Roots, Shared};
use super::run::measure::rehearse;
use super::run::observed::Observation;
use super::run::variables::{self, Held};
use super::run::{After, Context, Element, Embedded, Memory, Message, Remark, SessionView, UnitPart, run};
use super::session::{Datagrams, Plain, Session, check_key, check_value};
use crate::tree::{BySide, Field, Side};
use crate::wire::{
    Conversation, Described, Dissector, Exchange, Found, Heuristic, KeyName, On, Opening, Protocol, Result, Setting, Settings,
    ValueKind, Verdict, Wire,
};
use std::cell::RefCell;
use std::collections::HashSet;

thread_local! {
    /// Memory of the last run on this thread, for reuse.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// A program with its fields, and properties of its messages.
pub(super) struct File {
    pub(super) program: Program,
    /// Whether values of it are masked.
    pub(super) has_secrets: bool,
    /// The context of messages that others carry.
    pub(super) delivered: u32,
    /// How elements are joined, as shown to the user.
    pub(super) elements: &'static str,
    pub(super) fields: FileFields,
    /// The content of each direction.
    pub(super) sides: BySide<Direction>,
    /// Root and context for an unknown direction.
    any: (u32, u32),
    /// Alternatives for the first bytes.
    pub(super) magic: Vec<Vec<u8>>,
    pub(super) resync: Resync,
    pub(super) max_message: Option<usize>,
    /// Whether all bytes of a side are one message.
    pub(super) is_connection: bool,
    /// Why messages have no end on TCP.
    open: Option<String>,
    /// Whether messages are numbered.
    counts: bool,
    /// The name of the protocol.
    pub(super) id: &'static str,
    /// Whether messages depend on earlier ones: session variables, stages, or processors that go on.
    pub(super) has_session: bool,
    /// The session variables to which messages of each direction add, as bits: each missing message leaves them unknown.
    pub(super) accumulated: BySide<u64>,
    /// The full names of the session variables, which options set.
    pub(super) variables: Vec<&'static str>,
}

/// The content of a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction {
    /// Its root and the context of the root.
    pub(super) root: (u32, u32),
    /// Its messages on a stream. If they have no end, the root.
    pub(super) unit: UnitCode,
    /// The context of its messages; for a run, that of the object that contains it.
    pub(super) place: u32,
    /// For a run, its slot in that object.
    pub(super) slot: u32,
}

impl File {
    /// Dissects a message into the layer of a wire.
    pub(super) fn dissect(&self, message: &Message<'_>, view: SessionView<'_>, wire: &mut Wire<'_>) -> (Result, After) {
        let (result, mut after) = MEMORY.with_borrow_mut(|memory| {
            let result = run(&self.program, &self.fields, message, memory, view, wire);
            memory.clear();
            result
        });
        // Only now, since the protocol may be one of a file, too.
        let Embedded { payloads, buffers } = std::mem::take(&mut after.embedded);
        for (protocol, span) in payloads {
            let derived = buffers.iter().find(|(source, _)| *source == span.source);
            wire.read_embedded(protocol, span, derived.map(|(_, bytes)| bytes.as_slice()));
        }
        (result, after)
    }

    /// Whether messages set stages for the bytes of a direction.
    pub(super) fn stages(&self, side: Side) -> bool {
        let changes = self.program.effects.iter().flat_map(|effect| &effect.stages);
        changes.into_iter().any(|(sides, _)| sides.get(side.index()).copied().unwrap_or_default())
    }

    /// Whether messages change session variables.
    pub(super) fn changes(&self) -> bool {
        self.program.session.iter().any(|variable| variable.is_set)
    }

    /// The names of the session variables that messages change.
    pub(super) fn changing_names(&self) -> Vec<&'static str> {
        self.program.session.iter().filter(|variable| variable.is_set).map(|variable| variable.name).collect()
    }

    /// Which conversations have a session variable together.
    pub(super) fn shared(&self, number: u32) -> Shared {
        self.program.session.get(number as usize).map_or(Shared::No, |variable| variable.shared)
    }

    /// Whether conversations have session variables together.
    pub(super) fn shares(&self) -> bool {
        self.program.session.iter().any(|variable| variable.shared != Shared::No)
    }

    /// The first value of a session variable. One that counts has a number from the beginning.
    pub(super) fn first_value(&self, number: usize) -> Held {
        let Some(variable) = self.program.session.get(number) else { return Held::First };
        match (variable.init, variable.increments) {
            (InitCode::Key, _) => Held::Missing,
            (InitCode::Value(code), true) => match self.program.steps.get(code.start as usize) {
                Some(Step::Int(first)) if code.len == 1 => Held::Known(variables::Plain::Int((*first).into()), 0),
                _ => Held::First,
            },
            (InitCode::Value(_), false) => Held::First,
        }
    }

    /// The session variables that are keys, as bits.
    pub(super) fn key_bits(&self) -> u64 {
        let keys = (0..).zip(&self.program.session).filter(|(_, variable)| matches!(variable.init, InitCode::Key));
        keys.fold(0, |bits, (number, _)| bits | 1 << std::cmp::min(number, 63))
    }

    /// Keeps what runs on this thread see.
    pub(super) fn observe() {
        MEMORY.with_borrow_mut(|memory| memory.observations = Some(Vec::new()));
    }

    /// Takes what runs on this thread saw.
    pub(super) fn observed() -> Vec<Observation> {
        MEMORY.with_borrow_mut(|memory| memory.observations.as_mut().map(std::mem::take).unwrap_or_default())
    }

    /// Calls a function with the memory of this thread.
    pub(super) fn with_memory<T>(call: impl FnOnce(&mut Memory) -> T) -> T {
        MEMORY.with_borrow_mut(call)
    }

    /// Dissects a datagram, or other bytes without stream context.
    pub(super) fn datagram(&self, from: Option<Side>, index: u64, wire: &mut Wire<'_>) -> Result {
        let (of, place) = from.map_or(self.any, |side| self.sides[side].root);
        self.whole(from, index, (UnitPart::Whole(of), place), wire).0
    }

    /// Dissects bytes as an object of this type. Returns the elements of it that carry messages.
    pub(super) fn whole(
        &self,
        from: Option<Side>,
        index: u64,
        (part, place): (UnitPart<'static>, u32),
        wire: &mut Wire<'_>,
    ) -> (Result, Vec<Element>) {
        let context = Context { from, index, ports: ports(wire), opcode: wire.detail() };
        let message = Message { part, place, slot: 0, context, is_cut: false, remark: Some(Remark::Rest) };
        let (result, after) = self.dissect(&message, SessionView::default(), wire);
        (result, after.carried)
    }

    /// Whether bytes can be read as an object of this type without a fault.
    pub(super) fn is_sound(&self, from: Option<Side>, (part, _): (UnitPart<'static>, u32), wire: &Wire<'_>) -> bool {
        let context = Context { from, index: 0, ports: ports(wire), opcode: wire.detail() };
        let view = SessionView::default();
        File::with_memory(|memory| rehearse(&self.program, part, wire.ahead(), context, view, memory)).0
    }

    /// The root of a datagram with its context.
    pub(super) fn datagram_root(&self, from: Side) -> (u32, u32) {
        self.sides[from].root
    }
}

/// The ports of sender and receiver; 0 if unknown.
pub(super) fn ports(wire: &Wire<'_>) -> [u16; 2] {
    wire.ends().map_or([0; 2], |ends| ends.map(|end| end.port()))
}

impl Described for File {
    fn message(&self, wire: &mut Wire<'_>) -> Result {
        self.datagram(wire.sender(), 0, wire)
    }

    fn exchange(&'static self, settings: &Settings) -> Option<Box<dyn Exchange>> {
        (self.counts || self.has_session || self.program.deliver.is_some())
            .then(|| Box::new(Datagrams::new(self, settings)) as Box<dyn Exchange>)
    }

    fn conversation(&'static self, settings: &Settings, from_start: [bool; 2]) -> Box<dyn Conversation> {
        if self.has_session { Box::new(Session::new(self, settings, from_start)) } else { Box::new(Plain::new(self, from_start)) }
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        self.magic.iter().any(|magic| bytes.starts_with(magic))
    }

    fn recognizes_stream(&self, opening: &Opening<'_>) -> Verdict {
        let mut verdict = Verdict::No;
        for side in Side::BOTH.into_iter().filter(|side| opening.starts(*side)) {
            let sent = opening.of(side);
            if self.recognizes(sent) {
                return Verdict::Yes(Side::Server);
            }
            let may_become = || self.magic.iter().any(|magic| magic.starts_with(sent));
            if !sent.is_empty() && !opening.complete && may_become() {
                verdict = Verdict::Unsure;
            }
        }
        verdict
    }

    fn without_streams(&self) -> Option<&str> {
        self.open.as_deref()
    }

    fn relates(&self) -> bool {
        self.shares()
    }
}

/// Creates the protocol of a file with this top. `root` is the message type that the user selects instead of those of the file.
/// `replaces` states that a built-in protocol has the same name. The protocol is leaked.
#[must_use]
pub fn protocol(spec: &Spec, top: TypeId, root: Option<TypeId>, replaces: bool) -> &'static Protocol {
    let file = file(spec, top, root);
    declared(spec, top, file, found(Registration::of(spec, top), file), replaces)
}

/// The program of a file with its fields.
pub(super) fn file(spec: &Spec, top: TypeId, root: Option<TypeId>) -> &'static File {
    let registration = Registration::of(spec, top);
    let roots = match (root, registration) {
        (Some(root), _) => Roots::both(root),
        (None, Some(registration)) => registration.roots,
        (None, None) => Roots::both(top),
    };
    let message = registration.filter(|_| root.is_none()).and_then(|registration| registration.message);
    let units = [Side::Client, Side::Server].map(|side| {
        let root = if side == Side::Client { roots.client } else { roots.server };
        (root, unit(spec, root, message))
    });
    let id = leak(&spec.type_of(top).name);
    let is_on_tcp = registration.is_some_and(|registration| registration.is_on_tcp() && registration.framing == Framed::Messages);
    let runs: Vec<TypeId> = units.iter().filter(|_| is_on_tcp).filter_map(|(_, unit)| holder(unit)).collect();
    let inner = registration.and_then(|registration| registration.deliver.as_ref()).and_then(|deliver| match deliver.receiver {
        DeliverTo::Type(of) => Some(of),
        DeliverTo::Place | DeliverTo::Protocol(_) => None,
    });
    let mut tops = all_roots(roots, &units);
    tops.extend(inner.filter(|inner| !tops.contains(inner)));
    let mut fields = FileFields::new(spec, &tops, id, &secrets(spec, registration, id, &units), &runs);
    fields.add_session(registration.map(|registration| registration.session.as_slice()).unwrap_or_default(), id);
    if spec.types.iter().any(|of| of.seq.iter().chain(&of.instances).any(|member| !member.effect.stages.is_empty())) {
        fields.add_staged(id);
    }
    let program = compile(spec, top, registration);
    if program.deliver.is_some() {
        fields.add_repeated(id);
    }
    let [client, server] = units.each_ref().map(|(root, unit)| direction(spec, &program, &fields, *root, unit.as_ref().ok()));
    let is_connection = registration.is_some_and(|registration| registration.framing == Framed::Connection);
    let open =
        units.iter().filter(|_| !is_connection).find_map(|(_, unit)| unit.as_ref().err()).map(|open| where_open(spec, open));
    Box::leak(Box::new(File {
        has_secrets: registration.is_some_and(|registration| !registration.secrets.is_empty()),
        delivered: inner.map_or(0, |inner| fields.root(inner)),
        elements: leak(&format!("{id} elements")),
        any: (roots.any.0, fields.root(roots.any)),
        sides: BySide { client, server },
        magic: registration.map(|registration| registration.magic.clone()).unwrap_or_default(),
        resync: registration.map(|registration| registration.resync).unwrap_or_default(),
        max_message: registration.and_then(|registration| registration.max_message),
        is_connection,
        open,
        counts: roots.distinct().iter().any(|root| spec.type_of(*root).params.iter().any(|param| param.name == "pd_index")),
        id,
        has_session: !program.session.is_empty() || !program.effects.is_empty() || !program.continued.is_empty(),
        accumulated: {
            let of =
                |root: TypeId| registration.map_or(0, |registration| super::walk::accumulated(spec, root, &registration.session));
            BySide { client: of(roots.client), server: of(roots.server) }
        },
        variables: program.session.iter().map(|variable| leak(&format!("{id}.{}", variable.name))).collect(),
        program,
        fields,
    }))
}

/// The protocol as a value of the registry.
fn declared(spec: &Spec, top: TypeId, file: &'static File, found: Vec<Found>, replaces: bool) -> &'static Protocol {
    let top = spec.type_of(top);
    let id = leak(&top.name);
    let title = top.meta.title.as_deref().or(top.docs.doc.as_deref()).unwrap_or(&top.name);
    let title = leak(&title.split_whitespace().collect::<Vec<_>>().join(" "));
    let path = spec.files.get(top.place.file as usize).map(|file| file.path.display().to_string()).unwrap_or_default();
    let instead = if replaces { ", in place of the built-in protocol of this name" } else { "" };
    let covers = leak(&format!("As {path} describes it{instead}"));
    let this: &'static Field = Box::leak(Box::new(Field::protocol(id, id, title).covers(covers)));
    let all: Vec<&'static Field> = std::iter::once(this).chain(file.fields.all().iter().copied()).collect();
    let protocol = Protocol::new(this, Vec::leak(all)).found(Vec::leak(found));
    let (settings, keys) = (settings(file), keys(file));
    Box::leak(Box::new(Protocol { rest: file.fields.unparsed(0), settings, keys, ..protocol }))
}

/// The session variables as options.
fn settings(file: &File) -> &'static [Setting] {
    let setting = |(name, variable): (&&'static str, &VariableCode)| {
        let is_key = matches!(variable.init, InitCode::Key);
        let about = if is_key { "A key of the session, as in a key file" } else { "The first value of a session variable" };
        let check = if is_key { check_key } else { check_value };
        Setting { name, about, takes: ValueKind::Checked(check) }
    };
    Vec::leak(file.variables.iter().zip(&file.program.session).map(setting).collect())
}

/// The session variables that key files give.
fn keys(file: &File) -> &'static [KeyName] {
    let keys = file.program.session.iter().filter(|variable| matches!(variable.init, InitCode::Key));
    Vec::leak(keys.map(|variable| KeyName::new(variable.name, "A key of the session")).collect())
}

type Units = [(TypeId, std::result::Result<Unit, Open>); 2];

/// The type that contains a run of messages.
fn holder(unit: &std::result::Result<Unit, Open>) -> Option<TypeId> {
    match unit {
        Ok(Unit::Run { run, .. }) => Some(run.holder),
        Ok(Unit::Whole(_)) | Err(_) => None,
    }
}

/// The types with which messages or directions begin.
fn all_roots(roots: Roots, units: &Units) -> Vec<TypeId> {
    let mut all = vec![roots.any];
    for (root, unit) in units {
        let whole = if let Ok(Unit::Whole(of)) = unit { Some(*of) } else { None };
        for of in [Some(*root), whole].into_iter().flatten() {
            if !all.contains(&of) {
                all.push(of);
            }
        }
    }
    all
}

/// The paths of secrets as field names: below the root, and below each message of a run.
fn secrets(spec: &Spec, registration: Option<&Registration>, id: &str, units: &Units) -> HashSet<String> {
    let mut above = vec![id.to_owned()];
    for (root, unit) in units {
        if let Ok(Unit::Run { run, .. }) = unit {
            let names =
                chain(spec, *root, run).into_iter().filter_map(|of| spec.type_of(of).seq.last()).map(|last| last.name.as_str());
            above.push(names.fold(id.to_owned(), |path, name| format!("{path}.{name}")));
        }
    }
    let secrets = registration.map(|registration| registration.secrets.as_slice()).unwrap_or_default();
    let paths = secrets.iter().flat_map(|secret| above.iter().map(|above| format!("{above}.{}", secret.path.join("."))));
    paths.collect()
}

/// The types from a root down to the one that contains a run, each at the end of the previous one.
fn chain(spec: &Spec, root: TypeId, run: &Run) -> Vec<TypeId> {
    let last = |of: &TypeId| {
        let ValueSource::Read(read) = &spec.type_of(*of).seq.last()?.source else { return None };
        if let super::model::Data::Object(object) = &read.data { Some(object.of) } else { None }
    };
    let mut all: Vec<TypeId> = Vec::new();
    let mut next = Some(root);
    while let Some(of) = next.filter(|of| !all.contains(of)) {
        all.push(of);
        next = if of == run.holder { None } else { last(&of) };
    }
    all
}

fn direction(spec: &Spec, program: &Program, fields: &FileFields, root: TypeId, unit: Option<&Unit>) -> Direction {
    let whole = |of: TypeId| Direction {
        root: (root.0, fields.root(root)),
        unit: UnitCode::Whole(of.0),
        place: fields.root(of),
        slot: 0,
    };
    let run = match unit {
        None => return whole(root),
        Some(Unit::Whole(of)) => return whole(*of),
        Some(Unit::Run { run, .. }) => run,
    };
    let types = chain(spec, root, run);
    let mut place = fields.root(root);
    for (around, inner) in types.iter().zip(types.iter().skip(1)) {
        let slot = last_slot(program, *around);
        let is_inner = |entry: &&super::fields::Entry| entry.kind == super::compile::ShapeKind::Object(*inner);
        place = fields.entries(place, slot).iter().find(is_inner).map_or(place, |entry| entry.context);
    }
    let has_once = types.iter().any(|of| spec.type_of(*of).seq.len() > 1);
    let member = spec.type_of(run.holder).seq.last();
    let depends = member.is_some_and(|member| !member.expressions().is_empty())
        || types.iter().any(|of| spec.type_of(*of).endian_switch.is_some())
        || looks_around(spec);
    let slot = last_slot(program, run.holder);
    let holder = program.types.get(run.holder.0 as usize);
    let member = holder.map_or(0, |holder| holder.members + holder.seq.saturating_sub(1));
    let run = RunCode { root: root.0, member, has_once, uses_once: has_once && depends };
    Direction { unit: UnitCode::Run(run), place, slot, ..whole(root) }
}

/// The slot of the last attribute of a type.
fn last_slot(program: &Program, of: TypeId) -> u32 {
    program.types.get(of.0 as usize).map_or(0, |of| of.first_instance().saturating_sub(1))
}

/// Why a message has no end, with the position in the file.
fn where_open(spec: &Spec, open: &Open) -> String {
    let file = spec.files.get(open.place.file as usize);
    let before = file.and_then(|file| file.text.get(..open.place.start as usize)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let path = file.map(|file| file.path.display().to_string()).unwrap_or_default();
    format!("{path}:{line}:{column}: {}", open.reason)
}

/// The places where the registration of a file finds its protocol. The user can always select it.
fn found(registration: Option<&Registration>, file: &'static File) -> Vec<Found> {
    let datagrams = Dissector::Described(file);
    let streams = Dissector::DescribedStream(file);
    let by_magic = Heuristic::Described(file);
    let has_magic = !file.magic.is_empty();
    let mut found = Vec::new();
    let mut add = |on, heuristic, dissector| found.push(Found { on, heuristic, dissector, later: None, by_port: false });
    if let Some(registration) = registration {
        let ranges = || registration.ports.iter().map(|range| (*range.start(), *range.end()));
        for carrier in &registration.carriers {
            match carrier {
                Carrier::Tcp => {
                    ranges().for_each(|(first, last)| add(tcp(first, last), Heuristic::Anything, streams));
                    if has_magic {
                        add(On::AnyTcp, by_magic, streams);
                    }
                }
                Carrier::Udp => {
                    ranges().for_each(|(first, last)| add(udp(first, last), Heuristic::Anything, datagrams));
                    if has_magic {
                        add(On::AnyUdp, by_magic, datagrams);
                    }
                }
                Carrier::Payload(Some(over)) => {
                    let (place, heuristic) = (On::Over(leak(over)), if has_magic { by_magic } else { Heuristic::Anything });
                    add(place, heuristic, datagrams);
                    // A protocol that carries a stream, such as TLS.
                    if file.open.is_none() {
                        add(place, heuristic, streams);
                    }
                }
                Carrier::Payload(None) => {}
            }
        }
    }
    add(On::Chosen, Heuristic::Anything, datagrams);
    if file.open.is_none() {
        add(On::Chosen, Heuristic::Anything, streams);
    }
    found
}

fn tcp(first: u16, last: u16) -> On {
    if first == last { On::Tcp(first) } else { On::TcpRun(first, last) }
}

fn udp(first: u16, last: u16) -> On {
    if first == last { On::Udp(first) } else { On::UdpRun(first, last) }
}
