//! Where players meet: presence and server lists of GameSpy, queries of SA-MP and of old Minecraft, chat over XMPP, and the paths
//! that Tailscale looks for.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, datagrams_hex, pcap, talk};
use crate::tcp::Side;

const PRESENCE: &[Line<'_>] = &[
    (S, b"\\lc\\1\\challenge\\QWERTYUIOP\\id\\1\\final\\"),
    (
        C,
        b"\\login\\\\challenge\\0123456789ABCDEF\\uniquenick\\falk\\partnerid\\0\\response\\00112233445566778899aabbccddeeff\
          \\port\\2234\\gamename\\moors\\id\\1\\final\\",
    ),
    (S, b"\\lc\\2\\sesskey\\160000\\proof\\ffeeddccbbaa99887766554433221100\\userid\\1\\uniquenick\\falk\\lt\\moss-green\\id\\1\\final\\"),
    (C, b"\\status\\1\\sesskey\\160000\\statstring\\Online\\locstring\\\\final\\\\getprofile\\\\sesskey\\160000\\profileid\\2\\final\\"),
    (S, b"\\pi\\\\profileid\\2\\nick\\maren\\uniquenick\\maren\\final\\"),
];

const SEARCH: &[Line<'_>] = &[
    (C, b"\\nicks\\\\email\\falk@moor.example\\passenc\\moss-green\\namespaceid\\1\\gamename\\moors\\final\\"),
    (S, b"\\nr\\1\\nick\\falk\\uniquenick\\falk\\ndone\\\\final\\"),
];

const LIST: &[Line<'_>] = &[
    (S, b"\\basic\\\\secure\\ABCDEF"),
    (C, b"\\gamename\\moors\\location\\0\\validate\\abcdefgh\\final\\\\queryid\\1.1\\list\\cmp\\gamename\\moors\\final\\"),
    (S, b"\xc0\0\x02\x09\x1e\x62\xc0\0\x02\x0a\x1e\x62\\final\\"),
];

const HEARTBEATS: &[(Side, &str)] = &[
    (C, "09 00000000 6d6f6f727300"),
    (S, "fefd 09 00000000"),
    (C, "03 00000007 686f73746e616d65 00 6d6f6f72 00 67616d656e616d65 00 6d6f6f7273 00 00"),
    (S, "fefd 01 00000007 4142434400"),
    (C, "01 00000007 6d6f73732d677265656e00"),
    (S, "fefd 0a 00000007"),
    (C, "08 00000007"),
];

/// A full response of the fourth version in two datagrams.
const SPLIT: &[(Side, &str)] = &[
    (C, "fefd 09 00000001"),
    (S, "09 00000001 3132333435363700"),
    (C, "fefd 00 00000001 0012d687 ffffff01"),
    (S, "00 00000001 73706c69746e756d00 00 00 686f73746e616d6500 6d6f6f7200 6d61706e616d6500 71756179 00"),
    (
        S,
        "00 00000001 73706c69746e756d00 81 00 6e756d706c617965727300 3200 00 01 706c617965725f00 00 66616c6b00 6d6172656e00 00 \
         73636f72655f00 00 313000 323000 00 02",
    ),
];

const SAMP: &[(Side, &str)] = &[
    (C, "53414d50 cb007150 611e 69"),
    (S, "53414d50 cb007150 611e 69 00 0200 6400 04000000 6d6f6f72 04000000 776f726b 02000000 656e"),
    (C, "53414d50 cb007150 611e 72"),
    (S, "53414d50 cb007150 611e 72 0100 07 76657273696f6e 05 302e332e37"),
    (C, "53414d50 cb007150 611e 63"),
    (S, "53414d50 cb007150 611e 63 0200 04 66616c6b 0a000000 05 6d6172656e 14000000"),
    (C, "53414d50 cb007150 611e 64"),
    (S, "53414d50 cb007150 611e 64 0100 00 04 66616c6b 0a000000 2a000000"),
    (C, "53414d50 cb007150 611e 70 01020304"),
    (S, "53414d50 cb007150 611e 70 01020304"),
    (C, "53414d50 cb007150 611e 6f"),
    (S, "53414d50 cb007150 611e 6f 03000000 642f78 00000000 00000000 00000000"),
    (C, "53414d50 cb007150 611e 78 0a00 6d6f73732d677265656e 0400 68656c70"),
    (S, "53414d50 cb007150 611e 78 0200 6f6b"),
];

/// Pings of Minecraft 1.6, 1.5 and 1.3.
const PINGS: [&[Line<'_>]; 3] = [
    &[
        (C, b"\xfe\x01\xfa\0\x0b\0M\0C\0|\0P\0i\0n\0g\0H\0o\0s\0t\0\x0f\x4a\0\x04\0m\0o\0o\0r\0\0\x63\xdd"),
        (S, b"\xff\0\x16\0\xa7\x001\0\0\x001\x002\x007\0\0\x001\0.\x005\0.\x002\0\0\0m\0o\0o\0r\0\0\x002\0\0\x002\x000"),
    ],
    &[
        (C, b"\xfe\x01"),
        (S, b"\xff\0\x16\0\xa7\x001\0\0\x001\x002\x007\0\0\x001\0.\x005\0.\x002\0\0\0m\0o\0o\0r\0\0\x002\0\0\x002\x000"),
    ],
    &[(C, b"\xfe"), (S, b"\xff\0\x09\0m\0o\0o\0r\0\xa7\x002\0\xa7\x002\x000")],
];

const CHAT: &[Line<'_>] = &[
    (C, b"<?xml version='1.0'?><stream:stream to='moor.example' xmlns='jabber:client' version='1.0'>"),
    (
        S,
        b"<?xml version='1.0'?><stream:stream from='moor.example' id='77' xmlns='jabber:client' version='1.0'><stream:features>\
          <mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>",
    ),
    (C, b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGZhbGsAbW9zcy1ncmVlbg==</auth>"),
    (S, b"<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
    (C, b"<iq type='get' id='a1'><query xmlns='jabber:iq:roster'/></iq><presence><show>chat</show></presence>"),
    (S, b"<iq type='result' id='a1'><query xmlns='jabber:iq:roster'><item jid='maren@moor.example'/></query></iq>"),
    (C, b"<message to='maren@moor.example' type='chat'><body>to the moor?</body></message> "),
    (C, b"</stream:stream>"),
    (S, b"</stream:stream>"),
];

/// Beginning and end of a stream that goes on in TLS.
const CHAT_IN_TLS: &[Line<'_>] = &[
    (C, b"<stream:stream to='moor.example' xmlns='jabber:client' version='1.0'>"),
    (S, b"<stream:stream from='moor.example' id='78' version='1.0'><stream:features><starttls/></stream:features>"),
    (C, b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    (S, b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    (C, b"\x15\x03\x03\0\x02\x02\x28"),
];

/// Tailscale's search for a path.
fn paths() -> [Vec<u8>; 2] {
    [0xa1, 0xb2].map(|key| [&b"TS\xf0\x9f\x92\xac"[..], &[key; 32], &[key ^ 0x0f; 24], &[key ^ 0xf0; 30]].concat())
}

/// Packets of a talk between players that nothing announces, and a report.
fn voice() -> Vec<(Side, Vec<u8>)> {
    let packet = |side: Side, number: u16, source: u8| {
        let time = u32::from(number) * 160;
        (side, [&[0x80, 0][..], &number.to_be_bytes(), &time.to_be_bytes(), &[source; 4], &[0xd5; 160]].concat())
    };
    let mut packets: Vec<_> = (700..706).flat_map(|number| [packet(C, number, 0x5e), packet(S, number + 1, 0x7a)]).collect();
    packets.push((C, [&[0x80, 201, 0, 1][..], &[0x5e; 4], &[0x81, 202, 0, 3], &[0x5e; 4], b"\x01\x04falk\0\0"].concat()));
    packets
}

/// All of them.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (from, to, lines) in [(50_100, 29_900, PRESENCE), (50_101, 29_901, SEARCH), (50_102, 28_900, LIST)] {
        talk(&mut trace, [from, to], lines)?;
    }
    for (from, to, lines) in [(50_103, 27_900, HEARTBEATS), (50_104, 7777, SAMP), (50_105, 29_900, SPLIT)] {
        datagrams_hex(&mut trace, [from, to], lines)?;
    }
    for (from, lines) in (50_110..).zip(PINGS) {
        talk(&mut trace, [from, 25_565], lines)?;
    }
    for (from, lines) in (50_120..).zip([CHAT, CHAT_IN_TLS]) {
        talk(&mut trace, [from, 5222], lines)?;
    }
    let [ping, pong] = paths();
    datagrams(&mut trace, [41_641, 41_641], &[(C, &ping), (S, &pong)])?;
    let voice = voice();
    let voice: Vec<Line<'_>> = voice.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    datagrams(&mut trace, [50_130, 40_002], &voice)?;
    pcap(trace)
}
