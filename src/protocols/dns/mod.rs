//! DNS, the Domain Name System (RFC 1035), and its multicast variants: multicast DNS (RFC 6762) and LLMNR (RFC 4795).
//!
//! Integers are big-endian. Over TCP each message follows its length.
//!
//! ```text
//! message   id:2 | flags:2 | questions:2 | answers:2 | authorities:2 | additionals:2 | question … | record …
//! question  name | type:2 | class:2
//! record    name | type:2 | class:2 | ttl:4 | length:2 | data, by type
//! EDNS      a record of type OPT (RFC 6891): class and ttl carry the UDP payload size and flags, the data is options
//! ```
//! Not covered: DNS over HTTPS and TLS; stateful operations (RFC 8490); verification of signatures.

mod fields;
mod heuristics;
pub mod hosts;
pub(in crate::protocols) mod names;
mod rdata;
pub mod statistics;
#[cfg(test)]
mod tests;

pub(in crate::protocols) mod values;

use crate::tree::{Field, Side, Value, name_of};
use crate::wire::{Conversation, Error, Exchange, Extent, Heuristic, On, Protocol, Requests, Result, Settings, Wire};
use fields::*;
use names::Name;
use rdata::Message;
use std::fmt;
use values::Kind;

/// Name of messages in bodies of HTTP (RFC 8484).
pub(super) const OVER_HTTPS: &str = "dns.https";

/// Name of messages in streams of QUIC (RFC 9250).
pub(super) const OVER_QUIC: &str = "dns.quic";

pub static PROTOCOL: Protocol = Protocol::new(&DNS, FIELDS)
    .found(&[
        On::Udp(53).exchange_with(Heuristic::Datagram(heuristics::has_header), datagrams),
        On::AnyUdp.exchange_with(Heuristic::Datagram(heuristics::is_message), datagrams),
        On::Tcp(53).stream_with(Heuristic::Stream(heuristics::is_stream), streams),
        On::AnyTcp.stream_with(Heuristic::Stream(heuristics::is_stream_anywhere), streams),
        On::Over(OVER_HTTPS).exchange_with(Heuristic::Datagram(heuristics::has_header), datagrams),
        On::Over(OVER_QUIC).exchange_with(Heuristic::Datagram(heuristics::has_header), datagrams),
        On::Udp(53).exchange_with(Heuristic::Datagram(heuristics::has_question), datagrams).by_port(),
        On::Tcp(53).stream_with(Heuristic::Stream(heuristics::is_likely_stream), streams).by_port(),
    ])
    .rest(&DATA);

/// Multicast DNS, with the fields of DNS.
pub static MULTICAST: Protocol = Protocol {
    this: &MDNS,
    fields: &[&MDNS],
    found: &[
        On::Udp(5353).exchange_with(Heuristic::Datagram(heuristics::has_header), |_| Box::new(Queries::new(Dialect::Multicast))),
        On::Udp(5353)
            .exchange_with(Heuristic::Datagram(heuristics::has_question), |_| Box::new(Queries::new(Dialect::Multicast)))
            .by_port(),
    ],
    ..PROTOCOL
};

/// Link-local multicast name resolution, with the fields of DNS.
pub static LINK_LOCAL: Protocol = Protocol {
    this: &LLMNR,
    fields: &[&LLMNR],
    found: &[
        On::Udp(5355).exchange_with(Heuristic::Datagram(heuristics::has_header), |_| Box::new(Queries::new(Dialect::LinkLocal))),
        On::Udp(5355)
            .exchange_with(Heuristic::Datagram(heuristics::has_question), |_| Box::new(Queries::new(Dialect::LinkLocal)))
            .by_port(),
    ],
    ..PROTOCOL
};

static MDNS: Field = Field::protocol("mdns", "mDNS", "Multicast Domain Name System")
    .covers("As DNS, with the unicast-response and cache-flush bits");
static LLMNR: Field =
    Field::protocol("llmnr", "LLMNR", "Link-local Multicast Name Resolution").covers("As DNS, with the LLMNR flags");

/// Size of the header in bytes.
const HEADER: usize = 12;

/// Size of the length prefix over TCP in bytes.
const LENGTH_SIZE: usize = 2;

/// Opcode of an update, whose sections have other meanings (RFC 2136).
const UPDATE: u64 = 5;

/// Variant of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Dns,
    Multicast,
    LinkLocal,
}

/// Pending queries of one conversation.
struct Queries {
    dialect: Dialect,
    questions: Requests<u16>,
}

impl Queries {
    fn new(dialect: Dialect) -> Queries {
        Queries { dialect, questions: Requests::default() }
    }

    /// Dissects a message from its transaction ID on.
    fn message(&mut self, wire: &mut Wire<'_>) -> Result {
        let whole: Message<'_> = (wire.ahead(), wire.at());
        let (id, header) = header(wire, self.dialect)?;
        let mut summary = MessageSummary { header, first: None, answers: [const { None }; SHOWN_ANSWERS], more: 0 };
        let result = sections(wire, whole, self.dialect, &mut summary);
        let name = name_of(values::OPCODES, header.opcode).unwrap_or("unknown operation");
        if header.is_response && header.opcode == 0 {
            wire.name("response")
        } else {
            wire.name(name)
        }
        wire.info(format_args!("{summary}"));
        if self.dialect != Dialect::Multicast {
            self.pair(wire, id, header.is_response);
        }
        result
    }

    /// Matches a response with its query, or marks a retransmission. Multicast DNS has no transaction IDs.
    fn pair(&mut self, wire: &mut Wire<'_>, id: u16, is_response: bool) {
        if is_response {
            match self.questions.answer(&id) {
                Some(question) => question.put(wire, &RESPONSE_TO, &TIME),
                None => {
                    wire.add(&UNSOLICITED, Value::Bool(true));
                }
            }
        } else if let Some(before) = self.questions.ask(id, wire) {
            wire.add(&RETRANSMISSION, Value::Bool(true));
            wire.add(&RETRANSMIT_IN, Value::Unsigned(before.frame));
        }
    }
}

impl Exchange for Queries {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        Queries::message(self, wire)
    }
}

fn datagrams(_: &Settings) -> Box<dyn Exchange> {
    Box::new(Queries::new(Dialect::Dns))
}

fn streams(_: &Settings) -> Box<dyn Conversation> {
    Box::new(Stream(Queries::new(Dialect::Dns)))
}

/// DNS over TCP.
struct Stream(Queries);

impl Conversation for Stream {
    fn extent(&mut self, _: Side, ahead: &[u8], _: bool) -> Extent {
        match ahead.first_chunk() {
            Some(length) => Extent::Message(LENGTH_SIZE + usize::from(u16::from_be_bytes(*length))),
            None => Extent::NeedMore(LENGTH_SIZE),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        wire.u16_be(&LENGTH)?;
        self.0.message(wire)
    }
}

/// Header values that the summary and the sections need.
#[derive(Debug, Clone, Copy)]
struct Header {
    is_response: bool,
    opcode: u64,
    rcode: u64,
    counts: [u16; 4],
}

/// Dissects the header. Returns the transaction ID as well.
fn header(wire: &mut Wire<'_>, dialect: Dialect) -> Result<(u16, Header)> {
    let id = wire.u16_be(&ID)?;
    let [high, low] = *wire.ahead().first_chunk().unwrap_or(&[0, 0]);
    let flags = u64::from(u16::from_be_bytes([high, low]));
    let is_response = flags & RESPONSE.mask != 0;
    let bits: &[&Field] = match (dialect, is_response) {
        (Dialect::LinkLocal, false) => &[&RESPONSE, &OPCODE, &CONFLICT, &TRUNCATED, &TENTATIVE],
        (Dialect::LinkLocal, true) => &[&RESPONSE, &OPCODE, &CONFLICT, &TRUNCATED, &TENTATIVE, &RCODE],
        (_, false) => &[&RESPONSE, &OPCODE, &TRUNCATED, &REC_DESIRED, &Z, &CHECK_DISABLE],
        (_, true) => &[
            &RESPONSE,
            &OPCODE,
            &AUTHORITATIVE,
            &TRUNCATED,
            &REC_DESIRED,
            &REC_AVAIL,
            &Z,
            &AUTHENTICATED,
            &CHECK_DISABLE,
            &RCODE,
        ],
    };
    wire.flags(&FLAGS, 2, bits)?;
    let opcode = OPCODE.bits_of(flags);
    let counts = if opcode == UPDATE { COUNTS_OF_UPDATE } else { COUNTS };
    let [questions, answers, authorities, additionals] = counts;
    let counts = [wire.u16_be(questions)?, wire.u16_be(answers)?, wire.u16_be(authorities)?, wire.u16_be(additionals)?];
    Ok((id, Header { is_response, opcode, rcode: RCODE.bits_of(flags), counts }))
}

const COUNTS: [&Field; 4] = [&QUERIES, &ANSWERS, &AUTHORITIES, &ADDITIONALS];
const COUNTS_OF_UPDATE: [&Field; 4] = [&ZONES, &PREREQUISITES, &UPDATES, &ADDITIONALS];

/// Dissects the questions and the three record sections, up to the end of the message.
fn sections<'a>(wire: &mut Wire<'a>, whole: Message<'a>, dialect: Dialect, summary: &mut MessageSummary<'a>) -> Result {
    let [questions, rest @ ..] = summary.header.counts;
    for left in (1..=questions).rev() {
        missing(wire, left)?;
        let asked = wire.group(&QUERY, |wire| question(wire, whole, dialect))?;
        summary.first.get_or_insert(asked);
    }
    for (field, count) in [&ANSWER, &AUTHORITY, &ADDITIONAL].into_iter().zip(rest) {
        for left in (1..=count).rev() {
            missing(wire, left)?;
            let answer = wire.group(field, |wire| record(wire, whole, dialect))?;
            if field.is(&ANSWER) {
                summary.add_answer(answer);
            }
        }
    }
    Ok(())
}

/// Notes a count that exceeds the entries present.
fn missing(wire: &mut Wire<'_>, left: u16) -> Result {
    match wire.remaining() {
        0 if wire.cut() == crate::wire::Cut::No => {
            wire.malformed(&BAD_COUNT, format_args!("{left} more entries are declared than present"))
        }
        _ => Ok(()),
    }
}

fn question<'a>(wire: &mut Wire<'a>, whole: Message<'a>, dialect: Dialect) -> Result<(Name<'a>, u16)> {
    let (name, [labels, text]) = names::shown(wire, whole, &QRY_NAME, |name| name)?;
    wire.add(&QRY_NAME_LEN, Value::Unsigned(text));
    wire.add(&LABELS, Value::Unsigned(labels));
    let kind = wire.u16_be(&QRY_TYPE)?;
    class(wire, dialect, &QRY_CLASS, &QRY_QU)?;
    Ok((name, kind))
}

/// Dissects a class; multicast DNS uses its upper bit as a flag.
fn class(wire: &mut Wire<'_>, dialect: Dialect, field: &'static Field, bit: &'static Field) -> Result {
    if dialect != Dialect::Multicast {
        return wire.u16_be(field).map(drop);
    }
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(2)?;
    let number = u16::from_be_bytes(*ahead.first_chunk().unwrap_or(&[0, 0]));
    wire.put(field, Value::Unsigned(u64::from(number & 0x7fff)), start..start + 2);
    wire.put(bit, Value::Bool(number & 0x8000 != 0), start..start + 2);
    Ok(())
}

/// Dissects a record.
fn record<'a>(wire: &mut Wire<'a>, whole: Message<'a>, dialect: Dialect) -> Result<AnswerSummary<'a>> {
    let name = names::name(wire, whole, &RESP_NAME)?;
    let kind = wire.u16_be(&RESP_TYPE)?;
    if kind == values::OPT {
        wire.u16_be(&UDP_SIZE)?;
        wire.u8(&EXT_RCODE)?;
        wire.u8(&EDNS_VERSION)?;
        wire.flags(&EDNS_Z, 2, &[&EDNS_DO, &EDNS_RESERVED])?;
    } else {
        class(wire, dialect, &RESP_CLASS, &CACHE_FLUSH)?;
        wire.u32_be(&TTL)?;
    }
    let len = usize::from(wire.u16_be(&RESP_LEN)?);
    let (message, start) = whole;
    let data = wire.at() - start;
    let complete = len <= wire.remaining();
    let result = wire.within(len, &DATA, |wire| rdata::data(wire, whole, kind, name));
    match result {
        // The declared length delimits the record even if its data is malformed.
        Err(error) if complete => {
            let left = data + len - (wire.at() - start);
            if let Error::Short { needed } = error {
                wire.note(&BAD_DATA, format_args!("{needed} bytes too few for a record of type {}", Kind(kind)));
            }
            wire.optional(&DATA, left)?;
        }
        result => result?,
    }
    Ok(AnswerSummary { message, kind, data: data..data + len })
}

/// Number of answers shown in the summary.
const SHOWN_ANSWERS: usize = 3;

struct MessageSummary<'a> {
    header: Header,
    first: Option<(Name<'a>, u16)>,
    answers: [Option<AnswerSummary<'a>>; SHOWN_ANSWERS],
    more: usize,
}

impl<'a> MessageSummary<'a> {
    fn add_answer(&mut self, answer: AnswerSummary<'a>) {
        match self.answers.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(answer),
            None => self.more += 1,
        }
    }
}

impl fmt::Display for MessageSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some((name, kind)) = self.first {
            write!(f, "{} {name}", Kind(kind))?;
            gap = ": ";
        }
        if self.header.is_response && self.header.rcode != 0 {
            let rcode = name_of(values::RCODES, self.header.rcode).unwrap_or("unknown reply code");
            write!(f, "{gap}{rcode}")?;
            gap = ", ";
        }
        for answer in self.answers.iter().flatten() {
            write!(f, "{gap}{answer}")?;
            gap = ", ";
        }
        if self.more > 0 {
            write!(f, " and {} more", self.more)?;
        }
        Ok(())
    }
}

/// Answer record in the summary of its message.
struct AnswerSummary<'a> {
    message: &'a [u8],
    kind: u16,
    data: std::ops::Range<usize>,
}

impl fmt::Display for AnswerSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.message.get(self.data.clone()).unwrap_or_default();
        let name = |skip: usize| Name::new(self.message, self.data.start + skip);
        match (self.kind, data) {
            (values::A, &[a, b, c, d]) => write!(f, "{}", std::net::Ipv4Addr::new(a, b, c, d)),
            (values::AAAA, data) if data.len() == 16 => {
                write!(f, "{}", std::net::Ipv6Addr::from(*data.first_chunk().unwrap_or(&[0; 16])))
            }
            (values::NS | values::CNAME | values::PTR | values::SOA, _) => write!(f, "{} {}", Kind(self.kind), name(0)),
            (values::MX, _) => write!(f, "MX {}", name(2)),
            (values::SRV, [_, _, _, _, high, low, ..]) => {
                write!(f, "SRV {}:{}", name(6), u16::from_be_bytes([*high, *low]))
            }
            _ => write!(f, "{}", Kind(self.kind)),
        }
    }
}
