//! DCE/RPC over connections and named pipes (C706, MS-RPCE): calls of procedures of another computer.
//!
//! ```text
//! header      version:1, 5 | minor:1 | type:1 | flags:1 | data representation:4 | length:2 | authentication:2 | call ID:4
//!   0 request     hint:4 | context:2 | operation:2 | [object:16] | stub data
//!   2 response    hint:4 | context:2 | cancels:1 | reserved:1 | stub data
//!   3 fault       hint:4 | context:2 | cancels:1 | flags:1 | status:4 | reserved:4 | stub data
//!  11 bind, 14 alter context     sizes:2 × 2 | group:4 | contexts:1 | reserved:3 | context …
//!  12 bind ack, 15 alter ack     sizes:2 × 2 | group:4 | length:2 | address | alignment | results:1 | reserved:3 | result …
//!  13 bind nak   reason:2 | versions:1 | (major:1 | minor:1) …
//! context     ID:2 | transfer syntaxes:1 | reserved:1 | interface:16 | version:2 | minor:2 | (syntax:16 | version:4) …
//! result      result:2 | reason:2 | syntax:16 | version:4
//! verifier    alignment | type:1 | level:1 | padding:1 | reserved:1 | context:4 | value      at the end, if its length is not 0
//! ```
//! The first half of the data representation states the byte order. Not covered: datagrams, joining of fragments, stub data.

#[cfg(test)]
mod tests;

use super::little::{self, Guid};
use super::prefixed::{odd_extent, odd_messages};
use crate::limits;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Exchange, Extent, Heuristic, On, Opening, Protocol, Requests, Result, Verdict, Wire};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol = Protocol::new(&DCERPC, FIELDS)
    .found(&[
        On::Tcp(135).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(135).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
        On::Over(PIPE).exchange::<Session>(Heuristic::Datagram(begins)),
    ])
    .rest(&STUB);

fields! {
    DCERPC = protocol("dcerpc", "DCE/RPC", "Distributed Computing Environment / Remote Procedure Call")
        .covers("Headers on TCP and on named pipes of SMB with bindings, calls, faults and verifiers; responses matched with their requests")
        .leaves_open("Datagrams, joining of fragments, data of procedures");
    VERSION = number("dcerpc.ver", "Version", "").once();
    MINOR = number("dcerpc.ver_minor", "Version (minor)", "").once();
    TYPE = number("dcerpc.pkt_type", "Packet type", "").names(TYPES).once();
    FLAGS = number("dcerpc.cn_flags", "Packet Flags", "").hex(2).once();
    FLAG_OBJECT = bool("dcerpc.cn_flags.object", "Object", "").mask(0x80).once();
    FLAG_MAYBE = bool("dcerpc.cn_flags.maybe", "Maybe", "").mask(0x40).once();
    FLAG_DNE = bool("dcerpc.cn_flags.dne", "Did Not Execute", "").mask(0x20).once();
    FLAG_MPX = bool("dcerpc.cn_flags.mpx", "Multiplex", "").mask(0x10).once();
    FLAG_RESERVED = bool("dcerpc.cn_flags.reserved", "Reserved", "").mask(0x08).once();
    FLAG_CANCEL = bool("dcerpc.cn_flags.cancel_pending", "Cancel Pending", "").mask(0x04).once();
    FLAG_LAST = bool("dcerpc.cn_flags.last_frag", "Last Frag", "").mask(0x02).once();
    FLAG_FIRST = bool("dcerpc.cn_flags.first_frag", "First Frag", "").mask(0x01).once();
    DREP = bytes("dcerpc.drep", "Data Representation", "").once();
    DREP_ORDER = number("dcerpc.drep.byteorder", "Byte order", "").names(&[(0, "Big-endian"), (1, "Little-endian")]).once();
    DREP_CHARACTER = number("dcerpc.drep.character", "Character", "").names(&[(0, "ASCII"), (1, "EBCDIC")]).once();
    DREP_FLOAT = number("dcerpc.drep.fp", "Floating-point", "").names(&[(0, "IEEE"), (1, "VAX"), (2, "Cray"), (3, "IBM")]).once();
    LENGTH = number("dcerpc.cn_frag_len", "Frag Length", "In bytes").once();
    AUTH_LENGTH = number("dcerpc.cn_auth_len", "Auth Length", "In bytes").once();
    CALL = number("dcerpc.cn_call_id", "Call ID", "Copied into the response").once();
    MAX_SENT = number("dcerpc.cn_max_xmit", "Max Xmit Frag", "In bytes").once();
    MAX_RECEIVED = number("dcerpc.cn_max_recv", "Max Recv Frag", "In bytes").once();
    GROUP = number("dcerpc.cn_assoc_group", "Assoc Group", "").hex(8).once();
    CONTEXTS = number("dcerpc.cn_num_ctx_items", "Num Ctx Items", "").once();
    CONTEXT = group("dcerpc.cn_ctx_item", "Ctx Item", "");
    CONTEXT_ID = number("dcerpc.cn_ctx_id", "Context ID", "");
    SYNTAXES = number("dcerpc.cn_num_trans_items", "Num Trans Items", "");
    INTERFACE = text("dcerpc.cn_bind_to_uuid", "Interface UUID", "");
    INTERFACE_VERSION = number("dcerpc.cn_bind_if_ver", "Interface Ver", "");
    INTERFACE_MINOR = number("dcerpc.cn_bind_if_ver_minor", "Interface Ver Minor", "");
    SYNTAX = text("dcerpc.cn_bind_trans_id", "ID", "");
    SYNTAX_VERSION = number("dcerpc.cn_bind_trans_ver", "ver", "");
    ADDRESS_LENGTH = number("dcerpc.cn_sec_addr_len", "Scndry Addr len", "In bytes").once();
    ADDRESS = text("dcerpc.cn_sec_addr", "Scndry Addr", "").once();
    RESULTS = number("dcerpc.cn_num_results", "Num results", "").once();
    RESULT = number("dcerpc.cn_ack_result", "Ack result", "").names(RESULT_NAMES);
    REASON = number("dcerpc.cn_ack_reason", "Ack reason", "").names(REASONS);
    FEATURES = number("dcerpc.cn_bind_trans_btfn", "Bind Time Features", "").hex(4);
    ACK_SYNTAX = text("dcerpc.cn_ack_trans_id", "Transfer Syntax", "");
    ACK_VERSION = number("dcerpc.cn_ack_trans_ver", "Syntax ver", "");
    REJECT = number("dcerpc.cn_reject_reason", "Reject reason", "").names(REJECTS).once();
    PROTOCOLS = number("dcerpc.cn_num_protocols", "Number of protocols", "").once();
    PROTOCOL_MAJOR = number("dcerpc.cn_protocol_ver_major", "Protocol major version", "");
    PROTOCOL_MINOR = number("dcerpc.cn_protocol_ver_minor", "Protocol minor version", "");
    HINT = number("dcerpc.cn_alloc_hint", "Alloc hint", "In bytes").once();
    OPERATION = number("dcerpc.opnum", "Opnum", "").once();
    OBJECT = text("dcerpc.obj_id", "Object UUID", "").once();
    CANCELS = number("dcerpc.cn_cancel_count", "Cancel count", "").once();
    FAULT_FLAGS = number("dcerpc.cn_fault_flags", "Fault flags", "").hex(2).once();
    FAULT_EXTENDED = bool("dcerpc.cn_fault_flags.extended_error", "Extended error information present", "").mask(0x01).once();
    STATUS = number("dcerpc.cn_status", "Status", "").hex(8).names(STATUSES).once();
    RESPONSE_TO = number("dcerpc.request_in", "Request in frame", "").once();
    TIME = float("dcerpc.time", "Time from request", "Seconds").seconds().once();
    RESERVED = bytes("dcerpc.reserved", "Reserved", "");
    STUB = bytes("dcerpc.stub_data", "Stub data", "");
    VERIFIER = group("dcerpc.auth_verifier", "Auth Info", "").once();
    AUTH_TYPE = number("dcerpc.auth_type", "Auth type", "").names(AUTH_TYPES).once();
    AUTH_LEVEL = number("dcerpc.auth_level", "Auth level", "").names(AUTH_LEVELS).once();
    AUTH_PADDING = number("dcerpc.auth_pad_len", "Auth pad len", "In bytes").once();
    AUTH_RESERVED = number("dcerpc.auth_rsrvd", "Auth Rsrvd", "").once();
    AUTH_CONTEXT = number("dcerpc.auth_ctx_id", "Auth Context ID", "").once();
    AUTH_VALUE = bytes("dcerpc.auth_value", "Auth Value", "Proof of an identity").secret().once();
}

const TYPES: Names = &[
    (0, "Request"),
    (1, "Ping"),
    (2, "Response"),
    (3, "Fault"),
    (4, "Working"),
    (5, "Nocall"),
    (6, "Reject"),
    (7, "Ack"),
    (8, "Cl_cancel"),
    (9, "Fack"),
    (10, "Cancel_ack"),
    (11, "Bind"),
    (12, "Bind_ack"),
    (13, "Bind_nak"),
    (14, "Alter_context"),
    (15, "Alter_context_resp"),
    (16, "AUTH3"),
    (17, "Shutdown"),
    (18, "Co_cancel"),
    (19, "Orphaned"),
    (20, "RPC-over-HTTP RTS"),
];
const RESULT_NAMES: Names = &[(0, "Acceptance"), (1, "User rejection"), (2, "Provider rejection"), (3, "Negotiate ACK")];
const REASONS: Names = &[
    (0, "Reason not specified"),
    (1, "Abstract syntax not supported"),
    (2, "Proposed transfer syntaxes not supported"),
    (3, "Local limit exceeded"),
];
const REJECTS: Names = &[
    (0, "Reason not specified"),
    (1, "Temporary congestion"),
    (2, "Local limit exceeded"),
    (4, "Protocol version not supported"),
    (8, "Authentication type not recognized"),
    (9, "Invalid checksum"),
];
const STATUSES: Names = &[
    (0x0000_0005, "nca_s_fault_access_denied"),
    (0x0000_06f7, "nca_s_fault_ndr"),
    (0x1c00_0003, "nca_unk_if"),
    (0x1c00_000b, "nca_proto_error"),
    (0x1c00_001a, "nca_s_fault_context_mismatch"),
    (0x1c01_0002, "nca_op_rng_error"),
    (0x1c01_0003, "nca_unk_if"),
];
const AUTH_TYPES: Names = &[
    (0, "None"),
    (1, "Kerberos"),
    (9, "SPNEGO"),
    (10, "NTLMSSP"),
    (14, "SCHANNEL SSP"),
    (16, "Kerberos SSP"),
    (68, "NETLOGON Secure Channel"),
];
const AUTH_LEVELS: Names =
    &[(1, "None"), (2, "Connect"), (3, "Call"), (4, "Packet"), (5, "Packet integrity"), (6, "Packet privacy")];
/// Interfaces by UUID.
const INTERFACES: &[(&str, &str)] = &[
    ("e1af8308-5d1f-11c9-91a4-08002b14a0fa", "EPMv4"),
    ("99fcfec4-5260-101b-bbcb-00aa0021347a", "IOXIDResolver"),
    ("000001a0-0000-0000-c000-000000000046", "ISystemActivator"),
    ("4b324fc8-1670-01d3-1278-5a47bf6ee188", "SRVSVC"),
    ("12345778-1234-abcd-ef00-0123456789ab", "LSARPC"),
    ("12345778-1234-abcd-ef00-0123456789ac", "SAMR"),
    ("12345678-1234-abcd-ef00-01234567cffb", "RPC_NETLOGON"),
    ("12345678-1234-abcd-ef00-0123456789ab", "SPOOLSS"),
    ("367abb81-9844-35f1-ad32-98f038001003", "SVCCTL"),
    ("338cd001-2244-31f1-aaaa-900038001003", "WINREG"),
    ("6bffd098-a112-3610-9833-46c3f87e345a", "WKSSVC"),
    ("e3514235-4b06-11d1-ab04-00c04fc2dcd2", "DRSUAPI"),
];

/// Place of messages on named pipes, handed over with a number of the pipe.
pub(super) const PIPE: &str = "pipe";
const HEADER: usize = 16;
/// Bytes of a header up to its length.
const UP_TO_LENGTH: usize = 10;
const VERIFIER_HEADER: usize = 8;

/// Byte order of the message at the start of the bytes, and its length; `None` if there is none.
fn header(bytes: &[u8]) -> Option<(bool, usize)> {
    let &[5, 0 | 1, kind, _, order, character, 0, 0, a, b] = bytes.first_chunk()? else { return None };
    let is_big = match order {
        0x00 => true,
        0x10 => false,
        _ => return None,
    };
    let length = usize::from(if is_big { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) });
    (kind <= 20 && character <= 3 && length >= HEADER).then_some((is_big, length))
}

/// Byte order and length of a message whose header has one wrong field.
fn odd_header(bytes: &[u8]) -> Option<(bool, usize)> {
    let &[major, minor, kind, _, order, character, reserved, more, a, b] = bytes.first_chunk()?;
    let wrong = [major != 5, minor > 1, kind > 20, order & !0x10 != 0, character > 3, [reserved, more] != [0, 0]];
    let is_big = order & 0x10 == 0;
    let length = usize::from(if is_big { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) });
    (length >= HEADER && wrong.iter().filter(|wrong| **wrong).count() <= 1).then_some((is_big, length))
}

/// Recognizes complete messages whose header has one wrong field.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    odd_messages(opening, Side::other, |bytes| {
        if bytes.len() < UP_TO_LENGTH { Some(UP_TO_LENGTH) } else { odd_header(bytes).map(|(_, length)| length) }
    })
}

/// Whether a message begins here. The rest of a message in fragments of a pipe does not.
pub(super) fn begins(bytes: &[u8]) -> bool {
    header(bytes).is_some()
}

/// Offset of the next message.
fn next(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(5, bytes).find(|at| bytes.get(*at..).and_then(header).is_some())
}

/// Recognizes a header of either side; a response or an acknowledged binding names the server.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let kind = |side: Side| opening.of(side).get(2).copied().filter(|_| header(opening.of(side)).is_some());
    let may_begin = |bytes: &&[u8]| bytes.len() < 10 && b"\x05\0".starts_with(bytes.get(..2).unwrap_or(bytes));
    match Side::BOTH.map(|side| (side, kind(side))) {
        [(side, Some(2 | 3 | 12 | 13 | 15)), _] | [_, (side, Some(2 | 3 | 12 | 13 | 15))] => Verdict::Yes(side),
        [(side, Some(_)), _] | [_, (side, Some(_))] => Verdict::Yes(side.other()),
        _ if !opening.complete && opening.sent.iter().all(may_begin) => Verdict::Unsure,
        _ => Verdict::No,
    }
}

/// A call: the number of the pipe, 0 on TCP, and the call ID.
type Call = (u64, u32);

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<Call>,
    /// Operations of the last calls.
    operations: VecDeque<(Call, u16)>,
    /// Interfaces by pipe and context ID, of the last bindings.
    interfaces: VecDeque<((u64, u16), &'static str)>,
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], more: bool) -> Extent {
        let odd = || odd_header(ahead).and_then(|(_, length)| odd_extent(length, ahead, more, |_| true));
        match header(ahead) {
            Some((_, length)) => Extent::Message(length),
            None if more && ahead.len() < UP_TO_LENGTH => Extent::NeedMore(UP_TO_LENGTH),
            None if let Some(extent) = odd() => extent,
            None => {
                let from = ahead.get(..limits::STREAM_MESSAGE.get()).unwrap_or(ahead);
                Extent::Unknown(next(from).unwrap_or(ahead.len()))
            }
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        self.unit(wire)
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        // A message ends with a verifier if its header states the length of one.
        ahead.get(10..12).is_none_or(|length| length != [0; 2])
    }
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        self.unit(wire)
    }
}

impl Session {
    fn unit(&mut self, wire: &mut Wire<'_>) -> Result {
        let (start, pipe) = (wire.at(), wire.detail());
        let odd = if header(wire.ahead()).is_none() { odd_header(wire.ahead()) } else { None };
        if odd.is_some() {
            wire.note_unusual(format_args!("recognized by its length alone"));
        }
        let is_big = header(wire.ahead()).or(odd).is_none_or(|(is_big, _)| is_big);
        let mut wire = Ordered { wire, is_big };
        wire.wire.u8(&VERSION)?;
        wire.wire.u8(&MINOR)?;
        let kind = wire.wire.u8(&TYPE)?;
        wire.wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        let bits = [&FLAG_OBJECT, &FLAG_MAYBE, &FLAG_DNE, &FLAG_MPX, &FLAG_RESERVED, &FLAG_CANCEL, &FLAG_LAST, &FLAG_FIRST];
        let flags = wire.wire.flags(&FLAGS, 1, &bits)?;
        representation(wire.wire)?;
        let length = usize::from(wire.u16(&LENGTH)?);
        let auth = usize::from(wire.u16(&AUTH_LENGTH)?);
        let call = wire.u32(&CALL)?;
        match kind {
            0 | 11 | 14 if FLAG_FIRST.bits_of(flags) != 0 => drop(self.requests.ask((pipe, call), wire.wire)),
            2 | 3 | 12 | 13 | 15 => {
                if let Some(request) = self.requests.answer(&(pipe, call)) {
                    request.put(wire.wire, &RESPONSE_TO, &TIME);
                }
                if let Some((_, operation)) = self.operations.iter().rev().find(|(known, _)| *known == (pipe, call)) {
                    wire.wire.add(&OPERATION, Value::Unsigned((*operation).into()));
                }
            }
            _ => {}
        }
        let end = start + length;
        let verifier = if auth > 0 { (auth + VERIFIER_HEADER).min(length.saturating_sub(HEADER)) } else { 0 };
        let body = end.saturating_sub(verifier).saturating_sub(wire.wire.at());
        wire.within(body, |wire| match kind {
            0 => self.request(wire, FLAG_OBJECT.bits_of(flags) != 0, (pipe, call)),
            2 => self.response(wire, (pipe, call)),
            3 => fault(wire),
            11 | 14 => self.bind(wire),
            12 | 15 => acknowledge(wire, start),
            13 => refuse(wire),
            _ => Ok(()),
        })?;
        if verifier > 0 { wire.wire.group(&VERIFIER, |inner| verify(&mut Ordered { wire: inner, is_big }, auth)) } else { Ok(()) }
    }

    fn request(&mut self, wire: &mut Ordered<'_, '_>, has_object: bool, (pipe, call): Call) -> Result {
        wire.u32(&HINT)?;
        let context = wire.u16(&CONTEXT_ID)?;
        let operation = wire.u16(&OPERATION)?;
        wire.wire.info(format_args!("call {call}{} operation {operation}", self.interface((pipe, context))));
        self.operations.retain(|(known, _)| *known != (pipe, call));
        if self.operations.len() >= limits::REQUESTS.get() {
            self.operations.pop_front();
            wire.wire.evicted(format_args!("the oldest of more than {} calls", limits::REQUESTS.get()));
        }
        self.operations.push_back(((pipe, call), operation));
        if has_object { little::guid(wire.wire, &OBJECT, wire.is_big).map(drop) } else { Ok(()) }
    }

    fn bind(&mut self, wire: &mut Ordered<'_, '_>) -> Result {
        wire.sizes()?;
        let count = wire.wire.u8(&CONTEXTS)?;
        wire.wire.bytes(&RESERVED, 3)?;
        let mut words = Vec::new();
        let is_big = wire.is_big;
        for _ in 0..count {
            let (id, interface, version) = wire.wire.group(&CONTEXT, |inner| context(&mut Ordered { wire: inner, is_big }))?;
            let name = interface.to_string();
            let known = INTERFACES.iter().find(|(uuid, _)| *uuid == name).map(|(_, name)| *name);
            self.remember((wire.wire.detail(), id), known.unwrap_or("other interface"), wire.wire);
            words.push(format!("{} version {version}", known.unwrap_or(&name)));
        }
        words.truncate(8);
        wire.wire.info(format_args!("{}", words.join(", ")));
        Ok(())
    }

    /// Stores the interface of a presentation context; the number of contexts is limited to that of a message.
    fn remember(&mut self, id: (u64, u16), name: &'static str, wire: &mut Wire<'_>) {
        const MOST: usize = 255;
        self.interfaces.retain(|(known, _)| *known != id);
        if self.interfaces.len() >= MOST {
            self.interfaces.pop_front();
            wire.evicted(format_args!("the oldest of more than {MOST} contexts"));
        }
        self.interfaces.push_back((id, name));
    }

    fn response(&self, wire: &mut Ordered<'_, '_>, (pipe, call): Call) -> Result {
        wire.u32(&HINT)?;
        let context = wire.u16(&CONTEXT_ID)?;
        wire.wire.u8(&CANCELS)?;
        wire.wire.bytes(&RESERVED, 1)?;
        wire.wire.info(format_args!("call {call}{}", self.interface((pipe, context))));
        Ok(())
    }

    fn interface(&self, context: (u64, u16)) -> String {
        self.interfaces.iter().find(|(id, _)| *id == context).map_or_else(String::new, |(_, name)| format!(", {name}"))
    }
}

/// A cursor with the byte order of a message.
struct Ordered<'w, 'a> {
    wire: &'w mut Wire<'a>,
    is_big: bool,
}

impl Ordered<'_, '_> {
    fn u16(&mut self, field: &'static Field) -> Result<u16> {
        if self.is_big { self.wire.u16_be(field) } else { self.wire.u16_le(field) }
    }

    fn u32(&mut self, field: &'static Field) -> Result<u32> {
        if self.is_big { self.wire.u32_be(field) } else { self.wire.u32_le(field) }
    }

    fn within(&mut self, count: usize, read: impl FnOnce(&mut Ordered<'_, '_>) -> Result) -> Result {
        let is_big = self.is_big;
        self.wire.within(count, &STUB, |wire| {
            read(&mut Ordered { wire, is_big })?;
            wire.rest_is(&STUB)
        })
    }

    fn sizes(&mut self) -> Result {
        self.u16(&MAX_SENT)?;
        self.u16(&MAX_RECEIVED)?;
        self.u32(&GROUP).map(drop)
    }
}

fn representation(wire: &mut Wire<'_>) -> Result {
    wire.parent(&DREP, Value::Bytes, |wire| {
        let start = wire.at();
        let &[first, float, ..] = wire.ahead().first_chunk::<4>().unwrap_or(&[0; 4]);
        wire.put(&DREP_ORDER, Value::Unsigned((first >> 4).into()), start..start + 1);
        wire.put(&DREP_CHARACTER, Value::Unsigned((first & 0x0f).into()), start..start + 1);
        wire.put(&DREP_FLOAT, Value::Unsigned(float.into()), start + 1..start + 2);
        wire.skip(2)?;
        wire.bytes(&RESERVED, 2).map(drop)
    })
}

/// A context that is bound: its ID, interface and version.
fn context(wire: &mut Ordered<'_, '_>) -> Result<(u16, Guid, u16)> {
    let id = wire.u16(&CONTEXT_ID)?;
    let count = wire.wire.u8(&SYNTAXES)?;
    wire.wire.bytes(&RESERVED, 1)?;
    let interface = little::guid(wire.wire, &INTERFACE, wire.is_big)?;
    // One number of four bytes, whose lower half is the major version.
    let version = if wire.is_big {
        wire.u16(&INTERFACE_MINOR)?;
        wire.u16(&INTERFACE_VERSION)?
    } else {
        let version = wire.u16(&INTERFACE_VERSION)?;
        wire.u16(&INTERFACE_MINOR)?;
        version
    };
    for _ in 0..count {
        little::guid(wire.wire, &SYNTAX, wire.is_big)?;
        wire.u32(&SYNTAX_VERSION)?;
    }
    Ok((id, interface, version))
}

fn acknowledge(wire: &mut Ordered<'_, '_>, start: usize) -> Result {
    const NEGOTIATED: u16 = 3;
    const ALIGNED: usize = 4;
    wire.sizes()?;
    let length = usize::from(wire.u16(&ADDRESS_LENGTH)?);
    if length > 0 {
        let text = wire.wire.ahead().get(..length).unwrap_or_default();
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        wire.wire.words(&ADDRESS, length, 0..end)?;
    }
    let gap = (wire.wire.at() - start).next_multiple_of(ALIGNED) - (wire.wire.at() - start);
    wire.wire.optional(&RESERVED, gap)?;
    let count = wire.wire.u8(&RESULTS)?;
    wire.wire.bytes(&RESERVED, 3)?;
    let mut words = Vec::new();
    let is_big = wire.is_big;
    for _ in 0..count {
        let result = wire.wire.group(&CONTEXT, |inner| {
            let wire = &mut Ordered { wire: inner, is_big };
            let result = wire.u16(&RESULT)?;
            wire.u16(if result == NEGOTIATED { &FEATURES } else { &REASON })?;
            little::guid(wire.wire, &ACK_SYNTAX, is_big)?;
            wire.u32(&ACK_VERSION)?;
            Ok(result)
        })?;
        words.push(name_of(RESULT_NAMES, result.into()).unwrap_or("unknown result"));
    }
    words.truncate(8);
    wire.wire.info(format_args!("{}", words.join(", ")));
    Ok(())
}

fn refuse(wire: &mut Ordered<'_, '_>) -> Result {
    let reason = wire.u16(&REJECT)?;
    wire.wire.info(format_args!("{}", name_of(REJECTS, reason.into()).unwrap_or("unknown reason")));
    for _ in 0..wire.wire.u8(&PROTOCOLS)? {
        wire.wire.u8(&PROTOCOL_MAJOR)?;
        wire.wire.u8(&PROTOCOL_MINOR)?;
    }
    Ok(())
}

fn fault(wire: &mut Ordered<'_, '_>) -> Result {
    wire.u32(&HINT)?;
    wire.u16(&CONTEXT_ID)?;
    wire.wire.u8(&CANCELS)?;
    wire.wire.flags(&FAULT_FLAGS, 1, &[&FAULT_EXTENDED])?;
    let status = wire.u32(&STATUS)?;
    wire.wire.info(format_args!("{}", name_of(STATUSES, status.into()).map_or_else(|| format!("{status:#010x}"), str::to_owned)));
    wire.wire.bytes(&RESERVED, 4).map(drop)
}

fn verify(wire: &mut Ordered<'_, '_>, length: usize) -> Result {
    wire.wire.u8(&AUTH_TYPE)?;
    wire.wire.u8(&AUTH_LEVEL)?;
    wire.wire.u8(&AUTH_PADDING)?;
    wire.wire.u8(&AUTH_RESERVED)?;
    wire.u32(&AUTH_CONTEXT)?;
    wire.wire.secret_bytes(&AUTH_VALUE, length).map(drop)
}
