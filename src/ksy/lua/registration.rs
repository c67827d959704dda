//! Registers the protocol in Wireshark: ports, first bytes, and message boundaries on TCP.

use super::code::{Code, bare, function, member, quoted};
use super::types::returning;
use super::{Lua, Obstacle};
use crate::ksy::framing::{Unit, unit};
use crate::ksy::model::{Data, Repeat, Spec, Ty, TypeId, ValueSource};
use crate::ksy::registration::{Carrier, Framed, Registration, Roots};

/// The content of the directions of a stream.
pub(super) struct Units {
    pub(super) roots: Roots,
    /// Whether all bytes of a direction are one message.
    is_connection: bool,
    /// By root; an error is the reason why no message has an end.
    units: Vec<(TypeId, Result<Unit, String>)>,
}

impl Units {
    pub(super) fn new(spec: &Spec, top: TypeId) -> Units {
        let registration = Registration::of(spec, top);
        let roots = registration.map_or(Roots::both(top), |registration| registration.roots);
        let message = registration.and_then(|registration| registration.message);
        let is_connection = registration.is_some_and(|registration| registration.framing == Framed::Connection);
        let unit_of = |root: TypeId| {
            if is_connection {
                Err("the file states `framing: connection`".to_owned())
            } else {
                unit(spec, root, message).map_err(|open| open.reason)
            }
        };
        Units { roots, is_connection, units: roots.distinct().into_iter().map(|root| (root, unit_of(root))).collect() }
    }

    /// The roots with what they contain.
    pub(super) fn each(&self) -> impl Iterator<Item = &(TypeId, Result<Unit, String>)> {
        self.units.iter()
    }

    /// Types whose fields belong to the protocol itself.
    pub(super) fn tops(&self) -> Vec<TypeId> {
        let whole = self.units.iter().filter_map(|(_, unit)| if let Ok(Unit::Whole(of)) = unit { Some(*of) } else { None });
        let mut tops = vec![self.roots.any];
        for top in self.units.iter().map(|(root, _)| *root).chain(whole) {
            if !tops.contains(&top) {
                tops.push(top);
            }
        }
        tops
    }

    /// Types that are read message by message: each root of a run, and the types at its end down to the repeated one.
    pub(super) fn runs(&self, spec: &Spec) -> Vec<TypeId> {
        let mut runs = Vec::new();
        for (_, unit) in &self.units {
            let Ok(Unit::Run { root, run }) = unit else { continue };
            let mut at = Some(*root);
            while let Some(of) = at.filter(|of| !runs.contains(of)) {
                runs.push(of);
                at = if of == run.holder { None } else { last_object(spec, of) };
            }
        }
        runs
    }
}

/// The type of the last object of a type.
fn last_object(spec: &Spec, of: TypeId) -> Option<TypeId> {
    match &spec.type_of(of).seq.last()?.source {
        ValueSource::Read(read) if matches!(read.repeat, Repeat::No) => match &read.data {
            Data::Object(object) => Some(object.of),
            _ => None,
        },
        _ => None,
    }
}

impl Lua<'_> {
    /// Names and summaries of messages.
    pub(super) fn titles(&self, registration: &Registration, to: &mut Code) {
        let types = registration.names.iter().chain(&registration.infos).map(|(of, _)| *of);
        for of in types.collect::<std::collections::BTreeSet<_>>() {
            let find =
                |list: &[(TypeId, crate::ksy::expr::Expr)]| list.iter().find(|(id, _)| *id == of).map(|(_, expr)| expr.clone());
            let title = || -> Result<String, Obstacle> {
                let mut parts = Vec::new();
                if let Some(name) = find(&registration.names) {
                    let text = self.expr(&name)?;
                    parts.push(match &name.ty {
                        Ty::Enum(id) => {
                            self.uses(*id);
                            format!("named({}, {text})", member("names", self.names.enum_name(*id)))
                        }
                        _ => text,
                    });
                }
                if let Some(info) = find(&registration.infos) {
                    parts.push(self.expr(&info)?);
                }
                Ok(parts.join(" .. \", \" .. "))
            };
            match title() {
                Ok(title) => returning(&function(&format!("{}.title", self.type_of(of)), "this"), bare(&title), to),
                Err(obstacle) => self.obstacle(&obstacle, to),
            }
        }
    }

    /// The content of directions, and the dissector function of the protocol.
    pub(super) fn dissector(&self, units: &Units, on_tcp: bool, to: &mut Code) {
        to.blank();
        for (root, unit) in &units.units {
            let place = self.variable(*root);
            let of = self.type_of(*root);
            match unit {
                Ok(Unit::Whole(message)) => {
                    let message = self.type_of(*message);
                    to.comment("On TCP, one such object behind another.");
                    to.line(&format!("local {place} = {{ root = {of}, of = {message}, message = whole({message}) }}"));
                }
                Ok(Unit::Run { root, run }) => {
                    let is_plain = run.once == 0 && run.holder == *root;
                    let once = if is_plain { String::new() } else { format!("once = {of}.once, ") };
                    let behind = if is_plain { "" } else { ", behind what is read once" };
                    to.comment(&format!("On TCP, messages one behind another{behind}."));
                    to.line(&format!("local {place} = {{ root = {of}, of = {of}, {once}message = {of}.message }}"));
                }
                Err(reason) => {
                    let why = format!("On TCP, everything that one side sends is one message, because {reason}");
                    to.comment(&format!("{why}. Lua learns of the end from the FIN only."));
                    if on_tcp && !units.is_connection {
                        let place = self.spec.type_of(*root).place;
                        self.warn(place, format!("{why}; the Lua dissector waits for the end of the connection"));
                    }
                    to.line(&format!("local {place} = {{ root = {of} }}"));
                }
            }
        }
        to.blank();
        let Roots { client, server, any } = units.roots;
        to.open("local function unit_of(pinfo)");
        if self.has_session(units) {
            to.line("enter(pinfo)");
        }
        if client != any {
            to.line(&format!("if pinfo.dst_port == pinfo.match then return {} end", self.variable(client)));
        }
        if server != any {
            to.line(&format!("if pinfo.src_port == pinfo.match then return {} end", self.variable(server)));
        }
        to.line(&format!("return {}", self.variable(any)));
        to.close("end");
        to.blank();
    }

    fn variable(&self, root: TypeId) -> String {
        format!("of_{}", self.names.type_name(root))
    }

    /// Registers the protocol at its places.
    pub(super) fn register(&self, registration: Option<&Registration>, to: &mut Code) {
        to.blank();
        let none = [Carrier::Tcp, Carrier::Udp];
        let carriers = registration.map_or(none.as_slice(), |registration| registration.carriers.as_slice());
        let carriers =
            if carriers.iter().any(|carrier| matches!(carrier, Carrier::Tcp | Carrier::Udp)) { carriers } else { &none };
        for carrier in carriers {
            let table = match carrier {
                Carrier::Tcp => "tcp",
                Carrier::Udp => "udp",
                Carrier::Payload(_) => continue,
            };
            self.ports(table, registration, to);
        }
        // `-d` accepts a protocol on any transport.
        for (carrier, table) in none.iter().zip(["tcp", "udp"]) {
            if !carriers.iter().any(|other| std::mem::discriminant(other) == std::mem::discriminant(carrier)) {
                to.line(&format!("DissectorTable.get(\"{table}.port\"):add_for_decode_as(proto)"));
            }
        }
        if let Some(registration) = registration.filter(|registration| registration.deliver.is_some()) {
            let why = "Elements are not delivered as messages of their own, in order and joined";
            to.comment(&format!("{why}."));
            self.warn(registration.place, why.replacen("Elements", "`deliver`: elements", 1));
        }
        let over = registration.into_iter().flat_map(|registration| &registration.carriers);
        for carrier in over {
            if let (Carrier::Payload(over), Some(registration)) = (carrier, registration) {
                let carrier = over.as_deref().map_or_else(|| "another protocol".to_owned(), |over| format!("`{over}`"));
                let why = format!("Carried by {carrier}: a dissector of that protocol calls this one by its name");
                to.comment(&format!("{why}."));
                self.warn(registration.place, why.replacen("Carried", "carried", 1));
            }
        }
    }

    fn ports(&self, table: &str, registration: Option<&Registration>, to: &mut Code) {
        let ports = registration.map(|registration| registration.ports.as_slice()).unwrap_or_default();
        let get = format!("DissectorTable.get(\"{table}.port\")");
        if ports.is_empty() {
            to.line(&format!("{get}:add_for_decode_as(proto)"));
        }
        for range in ports {
            match (range.start(), range.end()) {
                (first, last) if first == last => to.line(&format!("{get}:add({first}, proto)")),
                (first, last) => to.line(&format!("{get}:add(\"{first}-{last}\", proto)")),
            }
        }
        let magic = registration.map(|registration| registration.magic.as_slice()).unwrap_or_default();
        if !magic.is_empty() {
            let magics: Vec<String> = magic.iter().map(|magic| quoted(magic)).collect();
            to.line(&format!("recognize(\"{table}\", {{{}}})", magics.join(", ")));
        }
    }
}

/// A name for `Proto`.
pub(super) fn proto(id: &str, title: &str) -> String {
    format!("Proto({}, {})", quoted(id.as_bytes()), super::code::words(if title.is_empty() { id } else { title }))
}
