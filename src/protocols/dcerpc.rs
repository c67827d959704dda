//! DCE/RPC over connections (C706, MS-RPCE): calls of procedures of another computer.
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

use super::little::{self, Guid};
use crate::limits;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, On, Opening, Protocol, Requests, Result, Settings, Verdict, Wire};
use std::collections::VecDeque;

/// DCE/RPC.
pub static PROTOCOL: Protocol = Protocol::new(
    &DCERPC,
    FIELDS,
    &[
        On::Tcp(135).stream(Heuristic::Stream(recognize), |_: &Settings| Box::<Session>::default()),
        On::AnyTcp.stream(Heuristic::Stream(recognize), |_: &Settings| Box::<Session>::default()),
    ],
)
.rest(&STUB);

fields! {
    DCERPC = protocol("dcerpc", "DCE/RPC", "Distributed Computing Environment / Remote Procedure Call")
        .covers("Headers of connections with bindings, calls, faults and verifiers; responses matched with their requests")
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
    RESPONSE_TO = number("dcerpc.request_in", "Request in frame", "Frame of the request").once();
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

const HEADER: usize = 16;
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

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<u32>,
    /// Interfaces by context ID, of the last bindings.
    interfaces: VecDeque<(u16, &'static str)>,
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        match header(ahead) {
            Some((_, length)) => Extent::Message(length),
            None if ahead.len() < 10 && b"\x05".starts_with(ahead.get(..1).unwrap_or_default()) => Extent::NeedMore(10),
            None => {
                let from = ahead.get(..limits::STREAM_MESSAGE.get()).unwrap_or(ahead);
                Extent::Unknown(next(from).unwrap_or(ahead.len()))
            }
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let start = wire.at();
        let is_big = header(wire.ahead()).is_none_or(|(is_big, _)| is_big);
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
            0 | 11 | 14 if FLAG_FIRST.bits_of(flags) != 0 => drop(self.requests.ask(call, wire.wire)),
            2 | 3 | 12 | 13 | 15 => {
                if let Some(request) = self.requests.answer(&call) {
                    request.put(wire.wire, &RESPONSE_TO, &TIME);
                }
            }
            _ => {}
        }
        let end = start + length;
        let verifier = if auth > 0 { (auth + VERIFIER_HEADER).min(length.saturating_sub(HEADER)) } else { 0 };
        let body = end.saturating_sub(verifier).saturating_sub(wire.wire.at());
        wire.within(body, |wire| match kind {
            0 => self.request(wire, FLAG_OBJECT.bits_of(flags) != 0, call),
            2 => {
                wire.u32(&HINT)?;
                let context = wire.u16(&CONTEXT_ID)?;
                wire.wire.u8(&CANCELS)?;
                wire.wire.bytes(&RESERVED, 1)?;
                wire.wire.info(format_args!("call {call}{}", self.interface(context)));
                Ok(())
            }
            3 => fault(wire),
            11 | 14 => self.bind(wire),
            12 | 15 => acknowledge(wire, start),
            13 => refuse(wire),
            _ => Ok(()),
        })?;
        if verifier > 0 { wire.wire.group(&VERIFIER, |inner| verify(&mut Ordered { wire: inner, is_big }, auth)) } else { Ok(()) }
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        // A verifier ends messages whose header states its length.
        ahead.get(10..12).is_none_or(|length| length != [0; 2])
    }
}

impl Session {
    fn request(&mut self, wire: &mut Ordered<'_, '_>, has_object: bool, call: u32) -> Result {
        wire.u32(&HINT)?;
        let context = wire.u16(&CONTEXT_ID)?;
        let operation = wire.u16(&OPERATION)?;
        wire.wire.info(format_args!("call {call}{} operation {operation}", self.interface(context)));
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
            self.remember(id, known.unwrap_or("other interface"));
            words.push(format!("{} version {version}", known.unwrap_or(&name)));
        }
        words.truncate(8);
        wire.wire.info(format_args!("{}", words.join(", ")));
        Ok(())
    }

    /// Keeps what a context stands for, of as many as a message can name.
    fn remember(&mut self, id: u16, name: &'static str) {
        const MOST: usize = 255;
        self.interfaces.retain(|(known, _)| *known != id);
        if self.interfaces.len() >= MOST {
            self.interfaces.pop_front();
        }
        self.interfaces.push_back((id, name));
    }

    fn interface(&self, context: u16) -> String {
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
            wire.rest(&STUB);
            Ok(())
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
    if gap > 0 {
        wire.wire.bytes(&RESERVED, gap)?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};
    use crate::wire::trial;

    const EPM: &str = "0883afe11f5dc91191a408002b14a0fa";
    const NDR: &str = "045d888aeb1cc9119fe808002b104860";

    /// A little-endian message of a type with this body and verifier.
    fn message(kind: u8, flags: u8, body: &str, verifier: &str) -> Vec<u8> {
        let (body, verifier) = (trial::bytes(body), trial::bytes(verifier));
        let length = u16::try_from(HEADER + body.len() + verifier.len()).unwrap_or_default().to_le_bytes();
        let auth = u16::try_from(verifier.len().saturating_sub(VERIFIER_HEADER)).unwrap_or_default().to_le_bytes();
        [&[5, 0, kind, flags, 0x10, 0, 0, 0][..], &length, &auth, &[7, 0, 0, 0], &body, &verifier].concat()
    }

    fn talk() -> Vec<(Side, Vec<u8>)> {
        vec![
            (
                Side::Client,
                message(
                    11,
                    3,
                    &format!("d016 d016 00000000 01 000000 0000 01 00 {EPM} 0300 0000 {NDR} 02000000"),
                    "0a 02 00 00 01000000 4e544c4d",
                ),
            ),
            (
                Side::Server,
                message(12, 3, &format!("d016 d016 34120000 0400 31333500 0000 01 000000 0000 0000 {NDR} 02000000"), ""),
            ),
            (Side::Client, message(0, 0x83, &format!("04000000 0000 0300 {EPM} 01020304"), "")),
            (Side::Server, message(2, 3, "04000000 0000 00 00 01020304", "")),
            (Side::Server, message(3, 3, "20000000 0000 00 00 0200011c 00000000", "")),
            (Side::Server, message(13, 3, "0400 01 05 00", "")),
            (Side::Client, trial::bytes("05 00 12 03 00 00 00 00 0010 0000 00000008")),
        ]
    }

    #[test]
    fn all_messages_are_dissected() {
        let talk = talk();
        let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        let trees = trees_of(&PROTOCOL, &mut Session::default(), &lines);
        assert!(!trees.contains("\n! "), "{trees}");
        insta::assert_snapshot!(trees, @r#"
        dcerpc 0..84 | Bind | EPMv4 version 3
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 11 (Bind)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 84
          10..12 dcerpc.cn_auth_len = 4
          12..16 dcerpc.cn_call_id = 7
          16..18 dcerpc.cn_max_xmit = 5840
          18..20 dcerpc.cn_max_recv = 5840
          20..24 dcerpc.cn_assoc_group = 0x00000000
          24..25 dcerpc.cn_num_ctx_items = 1
          25..28 dcerpc.reserved = 000000
          28..72 dcerpc.cn_ctx_item
            28..30 dcerpc.cn_ctx_id = 0
            30..31 dcerpc.cn_num_trans_items = 1
            31..32 dcerpc.reserved = 00
            32..48 dcerpc.cn_bind_to_uuid = "e1af8308-5d1f-11c9-91a4-08002b14a0fa"
            48..50 dcerpc.cn_bind_if_ver = 3
            50..52 dcerpc.cn_bind_if_ver_minor = 0
            52..68 dcerpc.cn_bind_trans_id = "8a885d04-1ceb-11c9-9fe8-08002b104860"
            68..72 dcerpc.cn_bind_trans_ver = 2
          72..84 dcerpc.auth_verifier
            72..73 dcerpc.auth_type = 10 (NTLMSSP)
            73..74 dcerpc.auth_level = 2 (Connect)
            74..75 dcerpc.auth_pad_len = 0
            75..76 dcerpc.auth_rsrvd = 0
            76..80 dcerpc.auth_ctx_id = 1
            80..84 dcerpc.auth_value = 4e544c4d
        dcerpc 0..60 | Bind_ack | Acceptance
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 12 (Bind_ack)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 60
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 7
          dcerpc.request_in = 0
          16..18 dcerpc.cn_max_xmit = 5840
          18..20 dcerpc.cn_max_recv = 5840
          20..24 dcerpc.cn_assoc_group = 0x00001234
          24..26 dcerpc.cn_sec_addr_len = 4
          26..30 dcerpc.cn_sec_addr = "135"
          30..32 dcerpc.reserved = 0000
          32..33 dcerpc.cn_num_results = 1
          33..36 dcerpc.reserved = 000000
          36..60 dcerpc.cn_ctx_item
            36..38 dcerpc.cn_ack_result = 0 (Acceptance)
            38..40 dcerpc.cn_ack_reason = 0 (Reason not specified)
            40..56 dcerpc.cn_ack_trans_id = "8a885d04-1ceb-11c9-9fe8-08002b104860"
            56..60 dcerpc.cn_ack_trans_ver = 2
        dcerpc 0..44 | Request | call 7, EPMv4 operation 3
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 0 (Request)
          3..4 dcerpc.cn_flags = 0x83
            3..4 dcerpc.cn_flags.object = true
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 44
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 7
          16..20 dcerpc.cn_alloc_hint = 4
          20..22 dcerpc.cn_ctx_id = 0
          22..24 dcerpc.opnum = 3
          24..40 dcerpc.obj_id = "e1af8308-5d1f-11c9-91a4-08002b14a0fa"
          40..44 dcerpc.stub_data = 01020304
        dcerpc 0..28 | Response | call 7, EPMv4
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 2 (Response)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 28
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 7
          dcerpc.request_in = 0
          16..20 dcerpc.cn_alloc_hint = 4
          20..22 dcerpc.cn_ctx_id = 0
          22..23 dcerpc.cn_cancel_count = 0
          23..24 dcerpc.reserved = 00
          24..28 dcerpc.stub_data = 01020304
        dcerpc 0..32 | Fault | nca_op_rng_error
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 3 (Fault)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 32
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 7
          dcerpc.request_in = 0
          16..20 dcerpc.cn_alloc_hint = 32
          20..22 dcerpc.cn_ctx_id = 0
          22..23 dcerpc.cn_cancel_count = 0
          23..24 dcerpc.cn_fault_flags = 0x00
            23..24 dcerpc.cn_fault_flags.extended_error = false
          24..28 dcerpc.cn_status = 0x1c010002 (nca_op_rng_error)
          28..32 dcerpc.reserved = 00000000
        dcerpc 0..21 | Bind_nak | Protocol version not supported
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 13 (Bind_nak)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 10000000
            4..5 dcerpc.drep.byteorder = 1 (Little-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 21
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 7
          dcerpc.request_in = 0
          16..18 dcerpc.cn_reject_reason = 4 (Protocol version not supported)
          18..19 dcerpc.cn_num_protocols = 1
          19..20 dcerpc.cn_protocol_ver_major = 5
          20..21 dcerpc.cn_protocol_ver_minor = 0
        dcerpc 0..16 | Co_cancel
          0..1 dcerpc.ver = 5
          1..2 dcerpc.ver_minor = 0
          2..3 dcerpc.pkt_type = 18 (Co_cancel)
          3..4 dcerpc.cn_flags = 0x03
            3..4 dcerpc.cn_flags.object = false
            3..4 dcerpc.cn_flags.maybe = false
            3..4 dcerpc.cn_flags.dne = false
            3..4 dcerpc.cn_flags.mpx = false
            3..4 dcerpc.cn_flags.reserved = false
            3..4 dcerpc.cn_flags.cancel_pending = false
            3..4 dcerpc.cn_flags.last_frag = true
            3..4 dcerpc.cn_flags.first_frag = true
          4..8 dcerpc.drep = 00000000
            4..5 dcerpc.drep.byteorder = 0 (Big-endian)
            4..5 dcerpc.drep.character = 0 (ASCII)
            5..6 dcerpc.drep.fp = 0 (IEEE)
            6..8 dcerpc.reserved = 0000
          8..10 dcerpc.cn_frag_len = 16
          10..12 dcerpc.cn_auth_len = 0
          12..16 dcerpc.cn_call_id = 8
        "#);
        survives_damage(&PROTOCOL, Session::default, &lines);
    }

    #[test]
    fn streams_are_recognized_by_a_header() {
        let judge = |client: &[u8], server: &[u8], complete| {
            recognize(&Opening { sent: [client, server], from_start: [true; 2], complete })
        };
        let request = message(0, 3, "04000000 0000 0300", "");
        let response = message(2, 3, "04000000 0000 00 00", "");
        assert_eq!(judge(&request, b"", true), Verdict::Yes(Side::Server));
        assert_eq!(judge(&response, &request, true), Verdict::Yes(Side::Client));
        assert_eq!(judge(b"\x05\0\x0b", b"", false), Verdict::Unsure);
        assert_eq!(judge(b"\x05\x01\0\0\0\0\0\0\0\0", b"", true), Verdict::No);
    }

    #[test]
    fn the_next_message_is_found_behind_lost_bytes() {
        let bytes = [&b"\x05xxxxxxxxx"[..], &message(17, 3, "", "")].concat();
        assert_eq!(Session::default().extent(Side::Client, &bytes, true), Extent::Unknown(10));
    }
}
