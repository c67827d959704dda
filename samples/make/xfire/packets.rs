//! Every packet type once, with its documented attributes; those without documentation have none.

use super::{
    Byte, Bytes, Did, Dids, IDA, Int, IntLists, Ints, Long, Numbered, OLE, OWN, P2P_SALT, Play, ROOM, SALT, Sids, Text, Texts,
    Value, about_file, named, numbered, peer,
};
use crate::Result;
use crate::tcp::Side;

/// A password digest of arbitrary bytes.
const DIGEST: &str = "efbc7394c38acc95325060d8b78fde35e5a64283";
const ADDRESS: u32 = 0xcb00_7105;
const OTHER_ROOM: [u8; 21] = [0x55; 21];

/// Attributes by name, by key, or undocumented; the list has the keys of those.
enum Has<'a> {
    Names(&'a [(&'a str, Value<'a>)]),
    Keys(&'a [(u8, Value<'a>)]),
    Nothing,
}

/// A message about a file, and whether the player sends it.
type AboutFile<'a> = (u16, bool, &'a [(&'a str, Value<'a>)]);

use Has::{Keys, Names, Nothing};

fn packet(kind: u16, has: &Has) -> Result<Vec<u8>> {
    match has {
        Names(members) => named(kind, members),
        Keys(members) => numbered(kind, members),
        Nothing => numbered(kind, &[]),
    }
}

pub fn every_packet() -> Result<Vec<u8>> {
    let mut play = Play::begin()?;
    play.client(b"UA01")?;
    by_client(&mut play)?;
    about_rooms(&mut play)?;
    by_server(&mut play)?;
    by_server_of_rooms(&mut play)?;
    between_clients(&mut play)?;
    play.end(Side::Client)
}

fn by_client(play: &mut Play) -> Result {
    let game = || ("gameid", Int(4_578));
    let list: &[(u16, Has)] = &[
        (18, Names(&[("version", Ints(&[1, 0, 0, 44])), ("skin", Texts(&["Standard", "XF"]))])),
        (3, Names(&[("version", Int(155)), ("major_version", Int(1))])),
        (1, Names(&[("name", Text("falk")), ("password", Text(DIGEST)), ("flags", Int(0))])),
        (4, Names(&[game(), ("gip", Int(ADDRESS)), ("gport", Int(0x0001_7120))])),
        (5, Names(&[("sid", Sids(&[IDA, OLE]))])),
        (6, Names(&[("name", Text("carol")), ("msg", Text("It is Falk from the moor"))])),
        (7, Names(&[("name", Text("carol"))])),
        (8, Names(&[("name", Text("mallory"))])),
        (9, Names(&[("userid", Int(5_009))])),
        (10, Names(&[("prefs", Numbered(&[(1, Text("1")), (6, Text("1")), (0x15, Text("0"))]))])),
        (12, Names(&[("name", Text("ol")), ("fname", Text("Ole")), ("lname", Text("")), ("email", Text(""))])),
        (13, Names(&[("value", Int(0)), ("stats", Ints(&[]))])),
        (14, Names(&[("nick", Text("Falk vom Moor"))])),
        (15, Names(&[("vid", Int(33)), ("vip", Int(ADDRESS)), ("vport", Int(3_784))])),
        (16, Names(&[("lang", Text("de")), ("skin", Text("XF")), ("theme", Text("default")), ("partner", Text(""))])),
        (
            17,
            Names(&[
                ("conn", Int(2)),
                ("nat", Int(1)),
                ("sec", Int(5)),
                ("clientip", Int(0xc0a8_1c28)),
                ("naterr", Int(0)),
                ("upnpinfo", Text("")),
            ]),
        ),
        (19, Names(&[game(), ("gip", Int(ADDRESS)), ("gport", Int(28_960))])),
        (20, Names(&[game(), ("gip", Int(ADDRESS)), ("gport", Int(28_960))])),
        (21, Names(&[game()])),
        (22, Keys(&[(0x21, Int(4_578))])),
        (23, Nothing),
        (24, Names(&[("climsg", Int(17_700)), ("msg", Numbered(&[(0x4f, Ints(&[1])), (0x50, Ints(&[1_448_390_000]))]))])),
        (26, Keys(&[(0x1a, Text("Harbour"))])),
        (27, Keys(&[(0x19, Int(90_001))])),
        (28, Keys(&[(0x19, Int(90_001)), (0x1a, Text("Quay"))])),
        (29, Keys(&[(0x01, Int(5_001)), (0x19, Int(90_001))])),
        (30, Keys(&[(0x01, Int(5_001)), (0x19, Int(90_001))])),
        (31, Nothing),
        (32, Keys(&[(0x2e, Text("on the moor"))])),
        (35, Keys(&[(0x5b, Text("level\u{1}7\u{2}"))])),
        (36, Keys(&[(0x19, Ints(&[0, 90_001])), (0x34, Ints(&[2, 0])), (0x12, Ints(&[1, 2]))])),
        (37, Keys(&[(0x01, Int(5_001))])),
        (38, Nothing),
    ];
    for (kind, has) in list {
        play.client(&packet(*kind, has)?)?;
    }
    let address = || [("ip", Int(ADDRESS)), ("port", Int(40_100)), ("localip", Int(0xc0a8_1c28)), ("localport", Int(40_100))];
    let [ip, port, localip, localport] = address();
    let met = [("msgtype", Int(2)), ip, port, localip, localport, ("status", Int(1)), ("salt", Text(P2P_SALT))];
    for members in [
        &[("msgtype", Int(0)), ("imindex", Int(0)), ("im", Text("ahoy"))][..],
        &[("msgtype", Int(1)), ("imindex", Int(4))],
        &met,
        &[("msgtype", Int(3)), ("imindex", Int(1)), ("typing", Int(1))],
    ] {
        play.client(&peer(2, IDA, members)?)?;
    }
    Ok(())
}

/// Requests of a client about chat rooms.
fn about_rooms(play: &mut Play) -> Result {
    let room = || (0x04, Did(ROOM));
    let list: &[(u32, &[(u8, Value)])] = &[
        (
            19_700,
            &[
                (0x04, Did([0; 21])),
                (0x0b, Int(1)),
                (0xaa, Int(1)),
                (0x05, Text("Harbour talk")),
                (0x5f, Text("lantern")),
                (0xa7, Byte(0)),
            ],
        ),
        (19_701, &[room()]),
        (19_702, &[room(), (0x2e, Text("hi all"))]),
        (19_703, &[]),
        (19_704, &[room(), (0x05, Text("Quay talk"))]),
        (19_705, &[room(), (0x18, Int(5_002)), (0x13, Int(4))]),
        (19_706, &[(0x04, Dids(&[ROOM, OTHER_ROOM]))]),
        (19_707, &[room(), (0x18, Int(5_009))]),
        (19_708, &[room(), (0x18, Ints(&[5_001, 5_002]))]),
        (19_709, &[room(), (0x2a, Byte(1))]),
        (19_710, &[]),
        (19_711, &[room()]),
        (19_712, &[]),
        (19_713, &[]),
        (19_714, &[]),
        (19_716, &[]),
        (19_717, &[]),
        (19_718, &[]),
        (19_720, &[room(), (0x13, Int(2))]),
        (19_724, &[room(), (0x2e, Text("Mind the tide"))]),
        (19_725, &[]),
        (19_729, &[]),
        (19_732, &[]),
        (19_733, &[room(), (0x5f, Text("beacon"))]),
        (19_734, &[room(), (0x17, Int(2))]),
        (19_735, &[room(), (0x16, Byte(1))]),
        (19_736, &[room(), (0x1b, Byte(1))]),
    ];
    for (request, members) in list {
        play.client(&named(25, &[("climsg", Int(*request)), ("msg", Numbered(members))])?)?;
    }
    Ok(())
}

fn by_server(play: &mut Play) -> Result {
    let sids = || ("sid", Sids(&[IDA, OLE]));
    let list: &[(u16, Has)] = &[
        (128, Names(&[("salt", Text(SALT))])),
        (129, Names(&[("reason", Int(1))])),
        (
            130,
            Names(&[
                ("userid", Int(4_711)),
                ("sid", Value::Sid(OWN)),
                ("nick", Text("Falk")),
                ("status", Int(0)),
                ("dlset", Text("")),
                ("p2pset", Text("")),
                ("clntset", Text("")),
                ("minrect", Int(1)),
                ("maxrect", Int(900)),
                ("ctry", Int(276)),
                ("n1", Int(0xc633_6415)),
                ("n2", Int(0xc633_6416)),
                ("n3", Int(0xc633_6417)),
                ("pip", Int(0xcb00_7128)),
                ("salt", Text("")),
                ("reason", Text("")),
            ]),
        ),
        (131, Names(&[("friends", Texts(&["ida", "ole"])), ("nick", Texts(&["Ida", ""])), ("userid", Ints(&[5_001, 5_002]))])),
        (132, Keys(&[(0x01, Ints(&[5_001, 5_002])), (0x03, Sids(&[IDA, OLE]))])),
        (132, Names(&[("userid", Ints(&[5_001, 5_002])), sids()])),
        (
            134,
            Names(&[
                ("version", Ints(&[156])),
                ("file", Texts(&["http://www.example.com/client.exe"])),
                ("command", Ints(&[1])),
                ("fileid", Ints(&[77])),
                ("flags", Int(0)),
            ]),
        ),
        (135, Names(&[sids(), ("gameid", Ints(&[4_578, 0])), ("gip", Ints(&[ADDRESS, 0])), ("gport", Ints(&[28_960, 0]))])),
        (
            136,
            Names(&[
                ("fnsid", Sids(&[[0x3d; 16]])),
                ("userid", Ints(&[6_001])),
                ("name", Texts(&["carol"])),
                ("nick", Texts(&[""])),
                ("friends", IntLists(&[&[5_001, 5_002]])),
            ]),
        ),
        (137, Names(&[("name", Text("carol")), ("result", Int(0))])),
        (138, Names(&[("name", Texts(&["dora"])), ("nick", Texts(&["Dora"])), ("msg", Texts(&["Let me in"]))])),
        (139, Names(&[("userid", Int(5_009))])),
        (141, Keys(&[(0x4c, Numbered(&[(1, Text("0")), (8, Text("0"))]))])),
        (
            143,
            Names(&[
                ("name", Texts(&["ole", "olga"])),
                ("fname", Texts(&["Ole", "Olga"])),
                ("lname", Texts(&["", ""])),
                ("email", Texts(&["", ""])),
            ]),
        ),
        (144, Names(&[("value", Int(0))])),
        (145, Names(&[("reason", Int(1)), ("minrect", Int(1)), ("maxrect", Int(900))])),
        (147, Names(&[sids(), ("vid", Ints(&[32, 35])), ("vip", Ints(&[ADDRESS, ADDRESS])), ("vport", Ints(&[8_767, 9_065]))])),
        (148, Names(&[("max", Int(50)), ("gameid", Ints(&[4_578])), ("gip", Ints(&[ADDRESS])), ("gport", Ints(&[28_960]))])),
        (
            149,
            Names(&[
                ("gameid", Int(4_578)),
                ("gip", Ints(&[ADDRESS])),
                ("gport", Ints(&[28_960])),
                ("friends", IntLists(&[&[5_001, 5_002]])),
            ]),
        ),
        (150, Keys(&[(0x21, Int(4_578)), (0x22, Ints(&[ADDRESS])), (0x23, Ints(&[28_960]))])),
        (151, Keys(&[(0x19, Ints(&[90_001, 90_002])), (0x1a, Texts(&["Harbour", "Family"]))])),
        (152, Keys(&[(0x01, Ints(&[5_001, 5_002])), (0x19, Ints(&[90_001, 90_002]))])),
        (153, Keys(&[(0x19, Int(90_003)), (0x1a, Text("Quay"))])),
        (154, Names(&[("sid", Sids(&[OLE])), ("msg", Texts(&["(AFK) gone fishing"]))])),
        (155, Keys(&[(0x04, Dids(&[ROOM, OTHER_ROOM]))])),
        (156, Names(&[("sid", Sids(&[IDA])), ("gcd", Texts(&["level\u{1}9\u{2}"]))])),
        (157, Keys(&[(0x5c, Ints(&[31])), (0x21, Ints(&[4_578])), (0x54, Texts(&["Sunset"])), (0x50, Ints(&[1_448_390_000]))])),
        (158, Keys(&[(0x6c, Ints(&[300])), (0x02, Texts(&["Moor Runners"])), (0x72, Texts(&["MR"])), (0x34, Ints(&[0]))])),
        (
            159,
            Keys(&[
                (0x6c, Int(300)),
                (0x01, Ints(&[5_001])),
                (0x02, Texts(&["ida"])),
                (0x0d, Texts(&["Ida"])),
                (0x6d, Texts(&["Ida|MR"])),
            ]),
        ),
        (160, Keys(&[(0x6c, Int(300)), (0x01, Int(5_001))])),
        (161, Keys(&[(0x01, Int(5_002)), (0x0d, Text("Ole the Bold"))])),
        (162, Keys(&[(0x6c, Int(300)), (0x01, Int(5_002)), (0x0d, Text("Ole|MR"))])),
        (163, Keys(&[(0x19, Ints(&[0, 90_001])), (0x34, Ints(&[2, 0])), (0x12, Ints(&[1, 2]))])),
        (165, Nothing),
        (169, Keys(&[(0x34, Int(0)), (0x2e, Text("The server restarts at noon"))])),
        (170, Nothing),
        (171, Nothing),
        (
            172,
            Keys(&[
                (0x01, Int(5_001)),
                (0x5c, Ints(&[31])),
                (0x21, Ints(&[4_578])),
                (0x22, Ints(&[ADDRESS])),
                (0x23, Ints(&[28_960])),
                (0x54, Texts(&["Sunset"])),
                (0x50, Ints(&[1_448_390_000])),
                (0x5e, Texts(&["a1"])),
            ]),
        ),
        (173, Keys(&[(0x01, Int(5_001))])),
        (174, Keys(&[(0x01, Int(5_001)), (0x34, Int(1)), (0x1f, Int(112))])),
        (175, Nothing),
        (
            176,
            Keys(&[
                (0x01, Int(5_001)),
                (0x6c, Ints(&[300])),
                (0x72, Texts(&["MR"])),
                (0x81, Texts(&["Moor Runners"])),
                (0x6d, Texts(&["Ida|MR"])),
            ]),
        ),
        (177, Nothing),
        (179, Nothing),
        (
            182,
            Keys(&[
                (0x01, Int(5_001)),
                (0x93, Ints(&[4])),
                (0x94, Texts(&["run.avi"])),
                (0x21, Ints(&[4_578])),
                (0x50, Ints(&[1_448_390_000])),
                (0x54, Texts(&["A run"])),
            ]),
        ),
        (183, Keys(&[(0x21, Int(4_578))])),
        (184, Keys(&[(0x03, Value::Sid(IDA))])),
        (186, Nothing),
        (187, Nothing),
        (188, Nothing),
        (190, Nothing),
        (191, Nothing),
        (400, Names(&[("did", Did([7; 21]))])),
        (
            401,
            Names(&[
                ("did", Did([9; 21])),
                ("ip", Int(ADDRESS)),
                ("port", Int(51_200)),
                ("localip", Int(0x0a00_0005)),
                ("localport", Int(51_200)),
                ("status", Int(1)),
                ("origin", Int(0)),
                ("salt", Text(P2P_SALT)),
            ]),
        ),
        (402, Names(&[("fileid", Int(77)), ("withheld", Int(0)), ("did", Dids(&[[9; 21]]))])),
        (
            404,
            Names(&[
                ("fileid", Int(77)),
                ("size", Long(5_000_000_000)),
                ("chunkcnt", Int(97_657)),
                ("chunksize", Int(51_200)),
                ("filename", Text("patch.exe")),
            ]),
        ),
        (406, Names(&[])),
        (
            450,
            Keys(&[
                (0x4f, Ints(&[1])),
                (0x50, Ints(&[1_448_390_000])),
                (0x21, Ints(&[4_578])),
                (0x02, Texts(&["patch.exe"])),
                (0x51, Ints(&[77])),
                (0x52, Ints(&[1_448_380_000])),
                (0x53, Ints(&[1_448_390_000])),
            ]),
        ),
        (451, Nothing),
        (452, Keys(&[(0x51, Int(77)), (0x56, Text("0123456789abcdef0123456789abcdef0123456789"))])),
    ];
    for (kind, has) in list {
        play.server(&packet(*kind, has)?)?;
    }
    play.server(&peer(133, IDA, &[("msgtype", Int(0)), ("imindex", Int(4)), ("im", Text("dude!"))])?)
}

/// Chat room messages of servers.
fn by_server_of_rooms(play: &mut Play) -> Result {
    let room = || (0x04, Did(ROOM));
    let who = || (0x01, Int(5_002));
    let list: &[(u16, &[(u8, Value)])] = &[
        (350, &[room(), (0x05, Text("Quay talk"))]),
        (
            351,
            &[
                room(),
                (0x0b, Int(1)),
                (0x0c, Int(5)),
                (0x12, Int(5)),
                (0x17, Int(1)),
                (0xaa, Int(1)),
                (0x05, Text("Quay talk")),
                (0x4d, Text("Mind the tide")),
                (0xa5, Byte(1)),
                (0xa6, Byte(0)),
                (0x16, Byte(0)),
                (0x1b, Byte(1)),
            ],
        ),
        (353, &[room(), who(), (0x02, Text("ole")), (0x0d, Text("Ole")), (0x12, Int(2))]),
        (354, &[room(), who()]),
        (355, &[room(), who(), (0x2e, Text("ahoy"))]),
        (356, &[room(), (0xaa, Int(1)), who(), (0x02, Text("ole")), (0x0d, Text("Ole")), (0x05, Text("Quay talk"))]),
        (357, &[room(), (0x18, Int(5_002)), (0x13, Int(4))]),
        (358, &[(0x04, Dids(&[ROOM, OTHER_ROOM])), (0xaa, Ints(&[1, 1])), (0x05, Texts(&["Quay talk", "Deck"]))]),
        (359, &[room(), (0x18, Int(5_009))]),
        (360, &[]),
        (361, &[]),
        (363, &[]),
        (365, &[]),
        (367, &[]),
        (
            368,
            &[
                room(),
                (0x05, Text("Quay talk")),
                (0x4d, Text("Mind the tide")),
                (0x4e, Byte(1)),
                (0x49, Int(2)),
                (0x14, Int(1_448_390_000)),
                (0x17, Int(1)),
                (0x33, Ints(&[5_001, 5_002])),
                (0x44, Ints(&[5, 2])),
                (0x42, Texts(&["ida", "ole"])),
                (0x43, Texts(&["Ida", "Ole"])),
            ],
        ),
        (370, &[room(), (0x13, Int(2))]),
        (374, &[room(), (0x2e, Text("Mind the tide"))]),
        (375, &[]),
        (383, &[]),
        (384, &[]),
        (385, &[room(), (0x5f, Byte(1))]),
        (386, &[room(), (0x17, Int(2))]),
        (387, &[]),
        (388, &[room(), who(), (0x16, Byte(1))]),
        (389, &[room(), (0x1b, Byte(1))]),
    ];
    for (kind, members) in list {
        play.server(&numbered(*kind, members)?)?;
    }
    Ok(())
}

/// Datagrams of every kind, with every message about a file.
fn between_clients(play: &mut Play) -> Result {
    for (id, kind) in (1..).zip([0x10, 0x20, 0x40, 0x80, 0x800, 0x1000]) {
        play.p2p(id % 2 == 1, kind, 0, id, &[])?;
    }
    play.p2p(true, 0x300, 0x66, 7, &peer(2, IDA, &[("msgtype", Int(3)), ("imindex", Int(1)), ("typing", Int(0))])?)?;
    let id = || ("fileid", Int(0x8000_0000));
    let place = || [("offset", Long(0)), ("size", Int(8))];
    let [offset, size] = place();
    let [chunk_offset, chunk_size] = place();
    let [wanted_offset, wanted_size] = place();
    let [data_offset, data_size] = place();
    let list: &[AboutFile] = &[
        (
            16_007,
            true,
            &[id(), ("filename", Text("note.txt")), ("desc", Text("")), ("size", Long(8)), ("mtime", Int(1_448_390_000))],
        ),
        (16_008, false, &[id(), ("reply", Byte(1))]),
        (16_009, false, &[id(), offset, size, ("chunkcnt", Int(1)), ("msgid", Int(1))]),
        (
            16_010,
            true,
            &[id(), chunk_offset, chunk_size, ("checksum", Text("f64d55bb98d9c4e1ad5f4d0f3e7d5f4f0e3ac4a1")), ("msgid", Int(1))],
        ),
        (16_011, false, &[id(), wanted_offset, wanted_size, ("msgid", Int(2))]),
        (16_012, true, &[id(), data_offset, data_size, ("data", Bytes(b"low tide")), ("msgid", Int(2))]),
        (16_013, false, &[id()]),
        (16_014, true, &[id(), ("event", Int(2)), ("type", Int(0))]),
    ];
    for (number, (kind, is_own, members)) in (8..).zip(list) {
        play.p2p(*is_own, 0, 0, number, &about_file(*kind, members)?)?;
    }
    Ok(())
}
