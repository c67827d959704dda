//! A session of Xfire: login, friends, games, chat with one and with many, a file sent from one client to another.

mod packets;

use std::net::Ipv4Addr;
use std::time::Duration;

use flate2::Crc;
use sha1::{Digest, Sha1};

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Endpoint, Host, Link};
use crate::tcp::{Conversation, Mishap, Side, Stack};
pub use packets::every_packet;

const CLIENT: Stack = Stack { first: 0x51aa_0b07, mss: 1460, window: 65_535, window_scale: 0, clock: None };
const SERVER: Stack = Stack { first: 0x9e00_41c4, mss: 1380, window: 16_384, window_scale: 0, clock: None };

const LOGIN: &str = "falk";
const PASSWORD: &str = "moss-green";
const SALT: &str = "6bdc1f0a2c9e4d37b185e2f07a4c9d31";
const P2P_SALT: &str = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";

type Sid = [u8; 16];

const OWN: Sid = *b"\x0a\x11\x5f\x9c\x02\xd4\x46\x8e\xb7\x30\xc5\x61\x7e\x29\xf3\x84";
const IDA: Sid = *b"\x1b\x20\x6a\xad\x13\xe5\x57\x9f\xc8\x41\xd6\x72\x8f\x3a\x04\x95";
const OLE: Sid = *b"\x2c\x31\x7b\xbe\x24\xf6\x68\xa0\xd9\x52\xe7\x83\x90\x4b\x15\xa6";
const OFFLINE: Sid = [0; 16];
const ROOM: [u8; 21] = *b"\x40\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f\x50\x51\x52\x53\x54";

/// A value of an attribute.
enum Value<'a> {
    Text(&'a str),
    Int(u32),
    Sid(Sid),
    Texts(&'a [&'a str]),
    Ints(&'a [u32]),
    Sids(&'a [Sid]),
    Bytes(&'a [u8]),
    Did([u8; 21]),
    Dids(&'a [[u8; 21]]),
    IntLists(&'a [&'a [u32]]),
    Long(i64),
    Byte(u8),
    Named(&'a [(&'a str, Value<'a>)]),
    Numbered(&'a [(u8, Value<'a>)]),
}

use Value::{Byte, Bytes, Did, Dids, Int, IntLists, Ints, Long, Named, Numbered, Sids, Text, Texts};

fn text(out: &mut Vec<u8>, text: &str) -> Result {
    out.extend(u16::try_from(text.len())?.to_le_bytes());
    out.extend(text.as_bytes());
    Ok(())
}

fn list(out: &mut Vec<u8>, kind: u8, count: usize) -> Result {
    out.push(kind);
    out.extend(u16::try_from(count)?.to_le_bytes());
    Ok(())
}

/// The type of a value and the value.
fn value(out: &mut Vec<u8>, value: &Value) -> Result {
    out.push(match value {
        Value::Text(_) => 1,
        Value::Int(_) => 2,
        Value::Sid(_) => 3,
        Value::Texts(_) | Value::Ints(_) | Value::Sids(_) | Value::Bytes(_) | Value::Dids(_) | Value::IntLists(_) => 4,
        Value::Named(_) => 5,
        Value::Did(_) => 6,
        Value::Long(_) => 7,
        Value::Byte(_) => 8,
        Value::Numbered(_) => 9,
    });
    match value {
        Value::Text(words) => text(out, words)?,
        Value::Int(number) => out.extend(number.to_le_bytes()),
        Value::Sid(id) => out.extend(id),
        Value::Texts(all) => {
            list(out, 1, all.len())?;
            all.iter().try_for_each(|words| text(out, words))?;
        }
        Value::Ints(all) => {
            list(out, 2, all.len())?;
            out.extend(all.iter().flat_map(|number| number.to_le_bytes()));
        }
        Value::Sids(all) => {
            list(out, 3, all.len())?;
            out.extend(all.iter().flatten());
        }
        Value::Bytes(all) => {
            list(out, 8, all.len())?;
            out.extend(*all);
        }
        Value::Did(id) => out.extend(id),
        Value::Dids(all) => {
            list(out, 6, all.len())?;
            out.extend(all.iter().flatten());
        }
        Value::IntLists(all) => {
            list(out, 4, all.len())?;
            for ints in *all {
                list(out, 2, ints.len())?;
                out.extend(ints.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        Value::Long(number) => out.extend(number.to_le_bytes()),
        Value::Byte(number) => out.push(*number),
        Value::Named(members) => {
            out.push(u8::try_from(members.len())?);
            out.extend(with_names(members)?);
        }
        Value::Numbered(members) => {
            out.push(u8::try_from(members.len())?);
            out.extend(with_numbers(members)?);
        }
    }
    Ok(())
}

fn with_names(members: &[(&str, Value)]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (name, member) in members {
        out.push(u8::try_from(name.len())?);
        out.extend(name.as_bytes());
        value(&mut out, member)?;
    }
    Ok(out)
}

fn with_numbers(members: &[(u8, Value)]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (key, member) in members {
        out.push(*key);
        value(&mut out, member)?;
    }
    Ok(out)
}

/// `length:2 | type:2 | count:1 | attributes`; the length includes everything.
fn message(kind: u16, count: usize, attributes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::from(u16::try_from(attributes.len() + 5)?.to_le_bytes());
    out.extend(kind.to_le_bytes());
    out.push(u8::try_from(count)?);
    out.extend(attributes);
    Ok(out)
}

fn named(kind: u16, members: &[(&str, Value)]) -> Result<Vec<u8>> {
    message(kind, members.len(), &with_names(members)?)
}

fn numbered(kind: u16, members: &[(u8, Value)]) -> Result<Vec<u8>> {
    message(kind, members.len(), &with_numbers(members)?)
}

/// The same with a length of four bytes.
fn about_file(kind: u16, members: &[(&str, Value)]) -> Result<Vec<u8>> {
    let attributes = with_names(members)?;
    let mut out = Vec::from(u32::try_from(attributes.len() + 7)?.to_le_bytes());
    out.extend(kind.to_le_bytes());
    out.push(u8::try_from(members.len())?);
    out.extend(attributes);
    Ok(out)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha1(parts: &[&str]) -> [u8; 20] {
    let mut sha1 = Sha1::new();
    parts.iter().for_each(|part| sha1.update(part.as_bytes()));
    sha1.finalize().into()
}

/// One client, the server it is logged in to, and a friend with a direct connection.
struct Play {
    trace: Trace,
    talk: Conversation,
    datagrams: u32,
}

fn home() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 28, 40), 128)
}

fn server() -> Host {
    Host::new(Ipv4Addr::new(198, 51, 100, 20), 48)
}

fn friend() -> Host {
    Host::new(Ipv4Addr::new(203, 0, 113, 77), 112)
}

impl Play {
    fn begin() -> Result<Play> {
        let ends = ((home().port(50_612), CLIENT), (server().port(25_999), SERVER));
        let mut play = Play { trace: Trace::new(), talk: Conversation::new(Link::Ethernet, ends.0, ends.1), datagrams: 0 };
        play.talk.open(&mut play.trace)?;
        Ok(play)
    }

    fn end(mut self, first: Side) -> Result<Vec<u8>> {
        self.talk.close(&mut self.trace, first)?;
        capture::pcap(capture::ETHERNET, &self.trace.frames())
    }

    fn client(&mut self, bytes: &[u8]) -> Result {
        self.send_bytes(Side::Client, bytes, &[])
    }

    fn server(&mut self, bytes: &[u8]) -> Result {
        self.send_bytes(Side::Server, bytes, &[])
    }

    fn send_bytes(&mut self, from: Side, bytes: &[u8], mishaps: &[Mishap]) -> Result {
        self.talk.send_badly(&mut self.trace, from, bytes, mishaps)?;
        self.wait(30)
    }

    fn wait(&mut self, millis: u64) -> Result {
        self.talk.wait(&mut self.trace, Duration::from_millis(millis))
    }

    fn datagram(&mut self, from: Endpoint, to: Endpoint, payload: &[u8]) -> Result {
        self.datagrams += 1;
        let packet = net::udp(from, to, u16::try_from(0x3000 + self.datagrams)?, payload)?;
        self.trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
        self.wait(45)
    }

    /// From the client, or from its friend.
    fn p2p(&mut self, is_own: bool, kind: u32, key: u8, id: u32, inside: &[u8]) -> Result {
        let (own, other) = (home().port(40_100), friend().port(51_200));
        let (from, to, sid) = if is_own { (own, other, OWN) } else { (other, own, IDA) };
        let mut out = vec![key, 0, 0, 0];
        out.extend(sha1(&[&hex(&sid), P2P_SALT]));
        out.extend(kind.to_le_bytes());
        out.extend(id.to_le_bytes());
        out.extend([0; 4]);
        out.extend(u32::try_from(inside.len())?.to_le_bytes());
        out.extend([0; 4]);
        if !inside.is_empty() {
            let mut tail = vec![0; 4];
            tail.extend(inside);
            tail.extend(if kind == 0 { b"DL" } else { b"IM" });
            tail.extend([0; 14]);
            let mut crc = Crc::new();
            crc.update(&tail);
            tail.extend(crc.sum().to_le_bytes());
            out.extend(tail.iter().map(|byte| byte ^ key));
        }
        self.datagram(from, to, &out)
    }
}

pub fn session() -> Result<Vec<u8>> {
    let mut play = Play::begin()?;
    login(&mut play)?;
    friends(&mut play)?;
    games(&mut play)?;
    chat(&mut play)?;
    room(&mut play)?;
    file(&mut play)?;
    play.server(&named(145, &[("reason", Int(1))])?)?;
    play.end(Side::Server)
}

fn login(play: &mut Play) -> Result {
    play.client(b"UA01")?;
    play.client(&named(3, &[("version", Int(155))])?)?;
    play.server(&named(128, &[("salt", Text(SALT))])?)?;
    let inner = hex(&sha1(&[LOGIN, PASSWORD, "UltimateArena"]));
    let digest = hex(&sha1(&[&inner, SALT]));
    play.client(&named(1, &[("name", Text("Falk")), ("password", Text(&digest)), ("flags", Int(0))])?)?;
    let mut burst = named(
        130,
        &[
            ("userid", Int(4_711)),
            ("sid", Value::Sid(OWN)),
            ("nick", Text("Falk vom Moor")),
            ("status", Int(0)),
            ("dlset", Text("")),
            ("p2pset", Text("")),
            ("clntset", Text("")),
            ("minrect", Int(1)),
            ("maxrect", Int(164_867)),
            ("ctry", Int(276)),
            ("n1", Int(0xc633_6415)),
            ("n2", Int(0xc633_6416)),
            ("n3", Int(0xc633_6417)),
            ("pip", Int(0xcb00_7128)),
        ],
    )?;
    burst.extend(numbered(141, &[(0x4c, Numbered(&[(1, Text("0")), (6, Text("1"))]))])?);
    burst.extend(numbered(151, &[(0x19, Ints(&[90_001, 90_002])), (0x1a, Texts(&["Harbour", "Family"]))])?);
    burst.extend(named(400, &[("did", Did([7; 21]))])?);
    play.server(&burst)?;
    play.client(&named(
        17,
        &[
            ("conn", Int(2)),
            ("nat", Int(4)),
            ("sec", Int(5)),
            ("clientip", Int(0xc0a8_1c28)),
            ("naterr", Int(0)),
            ("upnpinfo", Text("")),
        ],
    )?)
}

/// The list of friends takes more than one segment, and these are reordered.
fn friends(play: &mut Play) -> Result {
    let names: Vec<String> = (0..150).map(|number| format!("player{number:03}")).collect();
    let mut known: Vec<&str> = vec!["ida", "ole"];
    known.extend(names.iter().map(String::as_str));
    let mut nicks = vec!["Ida", "Öle"];
    nicks.resize(known.len(), "");
    let ids: Vec<u32> = (5_001..).take(known.len()).collect();
    let list = named(131, &[("friends", Texts(&known)), ("nick", Texts(&nicks)), ("userid", Ints(&ids))])?;
    play.send_bytes(Side::Server, &list, &[Mishap::Overtaken(0)])?;
    play.server(&numbered(132, &[(0x01, Ints(&[5_001, 5_002, 5_003])), (0x03, Sids(&[IDA, OLE, OFFLINE]))])?)?;
    play.server(&named(154, &[("sid", Sids(&[OLE])), ("msg", Texts(&["(AFK) gone fishing"]))])?)?;
    play.server(&numbered(152, &[(0x01, Ints(&[5_001, 5_002])), (0x19, Ints(&[90_001, 90_001]))])?)?;
    play.server(&numbered(
        158,
        &[(0x6c, Ints(&[300])), (0x02, Texts(&["Moor Runners"])), (0x72, Texts(&["MR"])), (0x34, Ints(&[0]))],
    )?)?;
    play.server(&numbered(159, &[(0x6c, Int(300)), (0x01, Ints(&[5_001])), (0x02, Texts(&["ida"])), (0x0d, Texts(&["Ida|MR"]))])?)
}

fn games(play: &mut Play) -> Result {
    play.client(&named(4, &[("gameid", Int(4_578)), ("gip", Int(0xcb00_7105)), ("gport", Int(28_960))])?)?;
    play.server(&named(
        135,
        &[
            ("sid", Sids(&[IDA, OLE])),
            ("gameid", Ints(&[4_578, 0])),
            ("gip", Ints(&[0xcb00_7105, 0])),
            ("gport", Ints(&[28_960, 0])),
        ],
    )?)?;
    play.client(&named(13, &[("value", Int(0)), ("stats", Ints(&[]))])?)?;
    play.server(&named(144, &[("value", Int(0))])?)?;
    play.client(&numbered(32, &[(0x2e, Text("on the moor"))])?)
}

fn im(index: u32, words: &str) -> Result<Vec<u8>> {
    peer(2, IDA, &[("msgtype", Int(0)), ("imindex", Int(index)), ("im", Text(words))])
}

fn peer(kind: u16, sid: Sid, members: &[(&str, Value)]) -> Result<Vec<u8>> {
    named(kind, &[("sid", Value::Sid(sid)), ("peermsg", Named(members))])
}

fn chat(play: &mut Play) -> Result {
    play.client(&im(0, "Are you on the server already?")?)?;
    play.server(&peer(133, IDA, &[("msgtype", Int(1)), ("imindex", Int(0))])?)?;
    play.server(&peer(133, IDA, &[("msgtype", Int(3)), ("imindex", Int(1)), ("typing", Int(1))])?)?;
    play.wait(1_800)?;
    play.server(&peer(
        133,
        IDA,
        &[("msgtype", Int(0)), ("imindex", Int(1)), ("im", Text("Since noon… brb, the map is for you"))],
    )?)?;
    play.client(&peer(2, IDA, &[("msgtype", Int(1)), ("imindex", Int(1))])?)?;
    let address = [
        ("msgtype", Int(2)),
        ("ip", Int(0xcb00_714d)),
        ("port", Int(51_200)),
        ("localip", Int(0x0a00_0005)),
        ("localport", Int(51_200)),
        ("status", Int(1)),
        ("salt", Text(P2P_SALT)),
    ];
    play.server(&peer(133, IDA, &address)?)
}

fn room(play: &mut Play) -> Result {
    let join = [
        (0x04, Did([0; 21])),
        (0x0b, Int(1)),
        (0xaa, Int(1)),
        (0x05, Text("Harbour talk")),
        (0x5f, Text("lantern")),
        (0xa7, Byte(0)),
    ];
    play.client(&named(25, &[("climsg", Int(19_700)), ("msg", Numbered(&join))])?)?;
    play.server(&numbered(
        351,
        &[
            (0x04, Did(ROOM)),
            (0x0b, Int(1)),
            (0x0c, Int(0)),
            (0x12, Int(5)),
            (0x17, Int(1)),
            (0x05, Text("Harbour talk")),
            (0xa5, Byte(1)),
        ],
    )?)?;
    play.server(&numbered(
        353,
        &[(0x04, Did(ROOM)), (0x01, Int(5_002)), (0x02, Text("ole")), (0x0d, Text("Öle")), (0x12, Int(2))],
    )?)?;
    play.server(&numbered(355, &[(0x04, Did(ROOM)), (0x01, Int(5_002)), (0x2e, Text("ahoy"))])?)?;
    play.client(&named(25, &[("climsg", Int(19_702)), ("msg", Numbered(&[(0x04, Did(ROOM)), (0x2e, Text("ahoy yourself"))]))])?)?;
    play.server(&numbered(354, &[(0x04, Did(ROOM)), (0x01, Int(5_002))])?)
}

/// A probe, NAT traversal, and the file: requested, sent again with another key, and done.
fn file(play: &mut Play) -> Result {
    let mut probe = b"SC01\x04\x5a\xcb\0\x01\0\0\0\x01\0\0\0".to_vec();
    probe.extend(40_100_u16.to_be_bytes());
    play.datagram(home().port(40_100), server().port(9_856), &probe)?;
    let mut reply = b"CK01\x28\x71\0\xcb".to_vec();
    reply.extend(40_100_u16.to_le_bytes());
    play.datagram(server().port(9_856), home().port(40_100), &reply)?;

    play.p2p(true, 0x10, 0, 1, &[])?;
    play.p2p(false, 0x20, 0, 1, &[])?;
    play.p2p(true, 0x300, 0, 2, &peer(2, IDA, &[("msgtype", Int(3)), ("imindex", Int(1)), ("typing", Int(1))])?)?;
    play.p2p(false, 0x40, 0, 2, &[])?;
    let id = || Int(0x8000_0001);
    let request = [
        ("fileid", id()),
        ("filename", Text("moor.map")),
        ("desc", Text("the new one")),
        ("size", Long(48)),
        ("mtime", Int(1_448_390_000)),
    ];
    play.p2p(false, 0, 0, 10, &about_file(16_007, &request)?)?;
    play.p2p(true, 0, 0, 11, &about_file(16_008, &[("fileid", id()), ("reply", Byte(1))])?)?;
    let wanted = about_file(16_011, &[("fileid", id()), ("offset", Long(0)), ("size", Int(48)), ("msgid", Int(1))])?;
    play.p2p(true, 0, 0, 12, &wanted)?;
    play.p2p(true, 0, 0x33, 12, &wanted)?;
    let bytes: Vec<u8> = (0..48).collect();
    let data = [("fileid", id()), ("offset", Long(0)), ("size", Int(48)), ("data", Bytes(&bytes)), ("msgid", Int(1))];
    play.p2p(false, 0, 0, 13, &about_file(16_012, &data)?)?;
    play.p2p(true, 0, 0, 14, &about_file(16_013, &[("fileid", id())])?)
}
