//! Packets with an opcode as messages of the protocol `log`, whose layout is in `protocols/log.rs`.

use super::rebuilt::{Conversation, Ends, Rebuilt};
use crate::tree::Side;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Maximum number of open conversations. Above it, conversations begin again.
const OPEN: usize = 1024;

/// Addresses of logs that state none, from a block for documentation.
pub(super) const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
pub(super) const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

/// First port of clients without one.
const FIRST_PORT: u16 = 50_000;

const NAMED: u8 = 1;
const HEADER: u8 = 2;

/// What a log states of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u16,
    pub(super) build: u32,
    pub(super) locale: [u8; 4],
    pub(super) tool: u8,
    pub(super) key: Vec<u8>,
    pub(super) realm: Vec<u8>,
    pub(super) remark: Vec<u8>,
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    pub(super) side: Side,
    /// Nanoseconds since 1970.
    pub(super) time: u64,
    pub(super) opcode: u32,
    /// The name of the opcode; may be empty.
    pub(super) name: &'a [u8],
    pub(super) payload: &'a [u8],
    pub(super) comment: &'a str,
}

/// The conversations of a log.
pub(super) struct Opcodes {
    header: Vec<u8>,
    open: HashMap<Ends, Conversation, foldhash::fast::RandomState>,
}

/// Endpoints of the conversation of this number, in a log that states none.
pub(super) fn unknown_ends(number: u32, port: u16) -> Ends {
    let client = FIRST_PORT + u16::try_from(number % 10_000).unwrap_or_default();
    Ends { client: SocketAddr::new(CLIENT, client), server: SocketAddr::new(SERVER, port) }
}

impl Opcodes {
    pub(super) fn new(header: &Header) -> Opcodes {
        let short = |bytes: &[u8]| bytes.get(..255).unwrap_or(bytes).to_vec();
        let counted = |bytes: Vec<u8>| [vec![u8::try_from(bytes.len()).unwrap_or_default()], bytes].concat();
        let parts = [
            header.version.to_le_bytes().to_vec(),
            header.build.to_le_bytes().to_vec(),
            header.locale.to_vec(),
            vec![header.tool],
            counted(short(&header.key)),
            counted(short(&header.realm)),
            header.remark.clone(),
        ];
        Opcodes { header: parts.concat(), open: HashMap::default() }
    }

    /// Adds a packet.
    pub(super) fn add(&mut self, out: &mut Rebuilt, ends: Ends, packet: &Packet<'_>) {
        let Packet { side, time, opcode, name, payload, comment } = *packet;
        if self.open.len() >= OPEN && !self.open.contains_key(&ends) {
            self.open.clear();
        }
        let header = &self.header;
        let conversation = self.open.entry(ends).or_insert_with(|| {
            let mut conversation = out.connect(ends, time, "");
            out.send(&mut conversation, Side::Server, time, &[&head(HEADER, header.len(), 0), header], "");
            conversation
        });
        let name = name.get(..255).unwrap_or(name);
        let count = [u8::try_from(name.len()).unwrap_or_default()];
        if name.is_empty() {
            out.send(conversation, side, time, &[&head(0, payload.len(), opcode), payload], comment);
        } else {
            let size = 1 + name.len() + payload.len();
            out.send(conversation, side, time, &[&head(NAMED, size, opcode), &count, name, payload], comment);
        }
    }
}

/// The bytes before those of a message.
fn head(kind: u8, size: usize, opcode: u32) -> [u8; 12] {
    let [l0, l1, l2, l3] = u32::try_from(size + 4).unwrap_or(u32::MAX).to_le_bytes();
    let [o0, o1, o2, o3] = opcode.to_le_bytes();
    [b'l', b'o', b'g', kind, l0, l1, l2, l3, o0, o1, o2, o3]
}
