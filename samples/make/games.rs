//! Transports and protocols of games: ENet, LiteNetLib, Hazel, Quake and its successors, a split response of a Source server,
//! Steam networking sockets, Unreal's handshake, Battle.net, Terraria, KCP, Photon, RakNet with other message IDs.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, datagrams_hex, pcap, talk};
use crate::tcp::Side;

const ENET: &[Line<'_>] = &[
    // Connect with two channels, its verification with an acknowledgement, an acknowledgement.
    (
        C,
        b"\x8f\xff\x10\x01\x82\xff\0\x01\0\0\xff\xff\0\0\x05\x78\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\x13\x88\0\0\0\x02\0\0\0\x02\
          \x9c\x3b\xa1\x7e\0\0\0\x07",
    ),
    (
        S,
        b"\x80\0\x20\x05\x83\xff\0\x01\0\x03\0\0\0\0\x05\x78\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\x13\x88\0\0\0\x02\0\0\0\x02\
          \x9c\x3b\xa1\x7e\x01\xff\0\x01\0\x01\x10\x01",
    ),
    (C, b"\x80\x03\x10\x20\x01\xff\0\x01\0\x01\x20\x05"),
    // Three payloads and a ping in one datagram.
    (C, b"\x80\x03\x10\x30\x86\0\0\x01\0\x03abc\x07\x01\0\0\0\x01\0\x02de\x49\0\0\0\0\x05\0\x01f\x85\xff\0\x02"),
    // A payload in two fragments, the second one first.
    (S, b"\x80\0\x20\x40\x88\0\0\x02\0\x01\0\x07\0\0\0\x02\0\0\0\x01\0\0\0\x0c\0\0\0\x05 world!"),
    (S, b"\x80\0\x20\x41\x88\0\0\x01\0\x01\0\x05\0\0\0\x02\0\0\0\0\0\0\0\x0c\0\0\0\0hello"),
    (C, b"\0\x03\x8a\xff\0\x03\0\x01\0\0\0\x02\0\0\x8b\xff\0\x04\0\0\x13\x88\0\0\0\x02\0\0\0\x02"),
    (C, b"\xc0\x03\x10\x60\x5a\xa5\x11\x22\x33"),
    (C, b"\0\x03\x84\xff\0\x05\0\0\0\x01"),
];

const LITENETLIB: &[Line<'_>] = &[
    (C, b"\x05\x0b\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08\x10\x02\0\x23\x83\xcb\0\x71\x50\0\0\0\0\0\0\0\0\x04\0key1"),
    (S, b"\x06\x01\x02\x03\x04\x05\x06\x07\x08\0\0"),
    (C, b"\x09\xdc\x05\0\0\0\0\0\0\xdc\x05\0\0"),
    (S, b"\x0a\xdc\x05\0\0\0\0\0\0\xdc\x05\0\0"),
    (C, b"\x0c\x05\0\x01\x01\0\x02a\x03\0\x03\x03\0"),
    (S, b"\x04\x03\0\x01\x02\x03\x04\x05\x06\x07\x08"),
    (S, b"\x02\x01\0\x02\x01\0"),
    (C, b"\x81\x02\0\x02\x01\0\0\0\x02\0hello"),
    (C, b"\x81\x03\0\x02\x01\0\x01\0\x02\0 world"),
    (C, b"\0position"),
    (C, b"\x07\x01\x02\x03\x04\x05\x06\x07\x08bye"),
    (S, b"\x0d"),
];

const HAZEL: &[Line<'_>] = &[
    (C, b"\x08\0\x01\0\x80\xd9\x02\x03\x06falken"),
    (S, b"\x0a\0\x01\xff"),
    (C, b"\x01\0\x02\x04\0\x01\x20\0\0\x40"),
    (S, b"\x0a\0\x02\xff"),
    (S, b"\0\x03\0\x05abc\x02\0\x06de"),
    (C, b"\x0c\0\x03"),
    (S, b"\x09\x01\x01\0\0\x05"),
    (C, b"\x09"),
];

const QUAKE: &[Line<'_>] = &[
    (C, b"\x80\0\0\x0c\x02QUAKE\0\x03"),
    (S, b"\x80\0\0\x24\x83203.0.113.80:26000\0Quay\0dm3\0\x02\x08\x03"),
    (C, b"\x80\0\0\x06\x03\0"),
    (S, b"\x80\0\0\x23\x84\0moss\0\x4d\0\0\0\x05\0\0\0\x3c\0\0\x00192.0.2.9:1\0"),
    (C, b"\x80\0\0\x06\x04\0"),
    (S, b"\x80\0\0\x14\x85sv_gravity\x00800\0"),
    (C, b"\x80\0\0\x0c\x01QUAKE\0\x03"),
    (S, b"\x80\0\0\x09\x81\x9c\x65\0\0"),
];

/// Ports of the accepted connection.
const QUAKE_GAME: &[Line<'_>] =
    &[(S, b"\0\x09\0\x0c\0\0\0\0\x0b\0\0\0"), (C, b"\0\x02\0\x08\0\0\0\0"), (C, b"\0\x10\0\x09\0\0\0\x01\x01")];

const SEQUENCED: &[Line<'_>] = &[
    (C, b"\x01\0\0\x80\0\0\0\0\x39\x30\x03new\0"),
    (S, b"\x01\0\0\x80\x01\0\0\x80\x08welcome\0"),
    (C, b"\x02\0\0\0\x01\0\0\x80\x39\x30\x01"),
];

/// A request for rules and its response in two parts; the same compressed; information of a server of The Ship.
const RULES: &[Line<'_>] = &[
    (C, b"\xff\xff\xff\xff\x56\x0b\x1c\x2d\x3e"),
    (S, b"\xfe\xff\xff\xff\x07\0\0\0\x02\x01\xe0\x04gravity\x00800\0"),
    (S, b"\xfe\xff\xff\xff\x07\0\0\0\x02\0\xe0\x04\xff\xff\xff\xff\x45\x02\0mp_friendlyfire\x000\0sv_"),
    (C, b"\xff\xff\xff\xff\x56\x0b\x1c\x2d\x3e"),
    (
        S,
        b"\xfe\xff\xff\xff\x09\0\0\x80\x02\0\xe0\x04\x36\0\0\0\x71\xc4\xe2\x59\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x06\x72\
          \xa5\x99\0\0\x1b\x4f\x80\xc8\0\x40\x40\x02\0\0\0\xa7\xa7\xdd\xa0\0\0\xa0\0\x54\x50\x68\xd1\xa0\xc8\x0d",
    ),
    (
        S,
        b"\xfe\xff\xff\xff\x09\0\0\x80\x02\x01\xe0\x04\x06\xa9\xfa\xa6\x86\xf5\x09\x90\x6d\x4f\x28\x93\xc6\xfc\x68\xa7\xa9\x44\
          \x7a\xe0\xb0\xc9\xf2\xd8\x12\xee\x78\xa7\x50\xcb\x3f\x73\x56\xa0\x7d\x88\x91\x88\x56\xcb\xe2\xee\x48\xa7\x0a\x12\0\xce\
          \x54\xb3\x20",
    ),
    (C, b"\xff\xff\xff\xff\x54\x53\x6f\x75\x72\x63\x65\x20\x45\x6e\x67\x69\x6e\x65\x20\x51\x75\x65\x72\x79\0"),
    (
        S,
        b"\xff\xff\xff\xff\x49\x07\x53\x68\x69\x70\x20\x53\x65\x72\x76\x65\x72\0\x62\x61\x74\x61\x76\x69\x65\x72\0\x73\x68\x69\
          \x70\0\x54\x68\x65\x20\x53\x68\x69\x70\0\x60\x09\x01\x05\0\x6c\x77\0\0\x01\x03\x03\x31\x2e\x30\x2e\x30\x2e\x34\0",
    ),
];

const BATTLE_NET: &[Line<'_>] = &[
    (C, b"\x01\xff\x50\x31\0\0\0\0\x0068XIPXES\xd3\0\0\0SUne\xc0\0\x02\x14\xc4\xff\xff\xff\x09\x04\0\0\x09\x04\0\0USA\0Quay\0"),
    (S, b"\xff\x25\x08\0\x01\x02\x03\x04"),
    (C, b"\xff\x25\x08\0\x01\x02\x03\x04\xff\x0a\x0a\0mo"),
    (C, b"ss\0\0"),
    (S, b"\xff\x0a\x13\0moss\0PXES\0moss\0"),
    (C, b"\xff\x0e\x0a\0hello\0"),
    (S, b"\xff\x0f\x27\0\x05\0\0\0\0\0\0\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0moss\0hello\0"),
];

const TERRARIA: &[Line<'_>] = &[
    (C, b"\x0f\0\x01\x0bTerraria279"),
    (S, b"\x03\0\x25"),
    (C, b"\x0e\0\x26\x0amoss"),
    (C, b"-green"),
    (S, b"\x05\0\x03\x02\0"),
    (C, b"\x0c\0\x44\x081234-abc\x03\0\x06"),
    (S, b"\x0b\0\x02\0\x06kicked"),
];

/// A connection of Steam networking sockets; its first and third message are padded to 512 bytes.
const STEAM: &[Line<'_>] = &[
    (C, &padded(b"\x20\x10\0\x0d\x78\x56\x34\x12\x19\x01\x02\x03\x04\x05\x06\x07\x08\x20\x0b")),
    (S, b"\x21\x0d\x78\x56\x34\x12\x11\x11\x22\x33\x44\x55\x66\x77\x88\x19\x01\x02\x03\x04\x05\x06\x07\x08\x20\x0b"),
    (C, &padded(b"\x22\x10\0\x0d\x78\x56\x34\x12\x11\x11\x22\x33\x44\x55\x66\x77\x88\x40\x0b")),
    (S, b"\x23\x0d\x78\x56\x34\x12\x19\x02\x03\x04\x05\x06\x07\x08\x09\x20\xe8\x07\x2d\xef\xcd\xab\x90\x48\x0b"),
    (C, b"\x80\xef\xcd\xab\x90\x01\0\xaa\xbb\xcc\xdd\xee\xff"),
    (S, b"\x81\x78\x56\x34\x12\x02\0\x04\x18\x02\x20\x05\xaa\xbb\xcc\xdd\xee\xff"),
    (C, b"\x24\x12\x04left\x18\xe8\x07\x25\xef\xcd\xab\x90\x2d\x78\x56\x34\x12"),
    (S, b"\x25\x15\xef\xcd\xab\x90\x1d\x78\x56\x34\x12"),
];

/// A message padded with zeros to the size of requests.
const fn padded(message: &[u8]) -> [u8; 512] {
    let mut bytes = [0; 512];
    let (start, _) = bytes.split_at_mut(message.len());
    start.copy_from_slice(message);
    bytes
}

/// A connection of Unreal Engine 5, and one that the server rejects because of its version.
const UNREAL: &[Line<'_>] = &[
    (
        C,
        b"\xa1\x01\x02\0\x80\xf3\xe4\x28\x15\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x30\x8b\xe6\x42\x9d\xf8\
          \x54\xaf\x0b\x66\xc1\x1d\x01",
    ),
    (
        S,
        b"\xa1\x01\x82\x80\x80\xf3\xe4\x28\x15\0\x80\0\0\0\0\0\xe7\x73\x40\x7c\x1e\x9a\x44\x03\xd2\xb8\x5f\x60\x11\x7a\x2e\xc9\
          \x84\x3b\xd5\xf0\x06\x1c\x92\x55\xb0\x0c\x67\xc2\x1e\x79\xd4\x01",
    ),
    (
        C,
        b"\xa1\x01\x02\x81\x80\xf3\xe4\x28\x15\0\x80\0\0\0\0\0\xe7\x73\x40\x7c\x1e\x9a\x44\x03\xd2\xb8\x5f\x60\x11\x7a\x2e\xc9\
          \x84\x3b\xd5\xf0\x06\x1c\x92\x7a\xd5\x31\x8c\xe7\x43\x9e\xf9\x55\xb0\x0c\x67\xc2\x1e\x79\xd4\x01",
    ),
    (
        S,
        b"\xa1\x01\x82\x01\x81\xf3\xe4\x28\x15\0\x80\0\0\0\0\0\0\xf0\xbf\x7c\x1e\x9a\x44\x03\xd2\xb8\x5f\x60\x11\x7a\x2e\xc9\x84\
          \x3b\xd5\xf0\x06\x1c\x92\x9f\xfa\x56\xb1\x0d\x68\xc3\x1f\x7a\x01",
    ),
    (C, b"\x01\xf9\x28\0\x04\x32\0\0\x40\xc0\x53\x41"),
    (S, b"\x81\xec\x28\0\x08\x35\0\0\x40\xc0\x41\x41"),
    (
        C,
        b"\xa1\x01\x02\0\x81\xf3\xe4\x28\x15\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc4\x20\x7b\xd6\x32\x8d\
          \xe8\x44\x9f\xfa\x01",
    ),
    (S, b"\xa1\x01\x02\x83\x81\xf3\xe4\x28\x15\0\x80\xf4\x22\xd0\xfd\x2b\x59\x87\x34\x62\x90\x3d\x6b\x99\xc6"),
];

/// A connection of Unreal Engine 4 that continues from another address.
const UNREAL_4: &[Line<'_>] = &[
    (C, b"\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08"),
    (S, b"\x01\0\0\0\0\x80\x28\x02\xe2\xf3\xd0\x24\x1a\x90\xc6\xfd\x02\x8b\xd0\x73\x49\x26\xdc\xa9\x86\x37\xe0\x90\x0c"),
    (C, b"\x01\0\0\0\0\x80\x28\x02\xe2\xf3\xd0\x24\x1a\x90\xc6\xfd\x02\x8b\xd0\x73\x49\x26\xdc\xa9\x86\x37\xe0\x90\x0c"),
    (S, b"\x05\0\0\0\0\0\x80\xff\xe5\xf3\xd0\x24\x1a\x90\xc6\xfd\x02\x8b\xd0\x73\x49\x26\xdc\xa9\x86\x37\xe0\x90\x0c"),
    (C, b"\xc8\x47\x01\x20\x90\x01\0\0\x02\x9e\x0a\x02"),
    (S, b"\x07"),
    (C, b"\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08"),
    (S, b"\x01\0\0\0\0\0\x76\x02\x1a\xdf\x3a\x10\x42\xcd\x78\xa3\xe6\x01\xbc\x97\xf0\x4a\xdd\x6d\x13\x08\x62\xc6\x0c"),
    (
        C,
        b"\x03\0\0\0\0\0\x76\x02\x1a\xdf\x3a\x10\x42\xcd\x78\xa3\xe6\x01\xbc\x97\xf0\x4a\xdd\x6d\x13\x08\x62\xc6\xe4\xf3\xd0\x24\
          \x1a\x90\xc6\xfd\x02\x8b\xd0\x73\x49\x26\xdc\xa9\x86\x37\xe0\x90\x0c",
    ),
    (S, b"\x05\0\0\0\0\0\x80\xff\xe5\xf3\xd0\x24\x1a\x90\xc6\xfd\x02\x8b\xd0\x73\x49\x26\xdc\xa9\x86\x37\xe0\x90\x0c"),
];

/// A message in three fragments, of which the second one is overtaken and another one is sent twice; probes of the window.
const KCP: &[(Side, &str)] = &[
    (C, "0a000000 51 02 8000 14000000 00000000 00000000 0a000000 74686520 6c6f6e67 2077"),
    (S, "0a000000 52 00 7f00 14000000 00000000 01000000 00000000"),
    (C, "0a000000 51 00 8000 28000000 02000000 00000000 06000000 74206875 7421"),
    (C, "0a000000 51 01 8000 28000000 01000000 00000000 09000000 6179206e 65787420 20"),
    (C, "0a000000 51 00 8000 3c000000 02000000 00000000 06000000 74206875 7421"),
    (
        S,
        "0a000000 52 00 8000 28000000 02000000 01000000 00000000 0a000000 52 00 8000 28000000 01000000 03000000 00000000 \
         0a000000 51 00 8000 32000000 00000000 03000000 05000000 6d6f6f72 73",
    ),
    (C, "0a000000 53 00 8000 46000000 00000000 01000000 00000000 0a000000 52 00 8000 32000000 00000000 01000000 00000000"),
    (S, "0a000000 54 00 8000 46000000 00000000 03000000 00000000"),
];

/// The same with a token and a handshake; two messages in one datagram.
const KCP_WITH_TOKEN: &[(Side, &str)] = &[
    (C, "000000ff 00000000 00000000 499602d2 ffffffff"),
    (S, "00000145 00031832 3a0da215 499602d2 14514545"),
    (
        C,
        "32180300 15a20d3a 51 00 0001 83a42523 00000000 00000000 04000000 66616c6b \
         32180300 15a20d3a 51 00 0001 83a42523 01000000 00000000 05000000 6d617265 6e",
    ),
    (
        S,
        "32180300 15a20d3a 52 00 0001 83a42523 00000000 02000000 00000000 32180300 15a20d3a 52 00 0001 83a42523 01000000 02000000 00000000",
    ),
    (C, "00000194 00031832 3a0da215 00000001 19419494"),
];

/// The same with big-endian numbers.
const KCP_BIG_ENDIAN: &[(Side, &str)] = &[
    (C, "0000000b 51 00 0080 00000014 00000000 00000000 00000003 616263"),
    (S, "0000000b 52 00 0080 00000014 00000000 00000001 00000000"),
];

/// A client of Photon whose login overtakes another message, events with values of each type, and one in three fragments.
const PHOTON: &[(Side, &str)] = &[
    (
        C,
        "ffff0001 00000004 22b6e6ba 02ff0104 0000002c 00000001 000004b0 00008000 00000002 00000000 00000000 00001388 \
         00000002 00000002",
    ),
    (
        S,
        "00000002 7dfbd185 22b6e6ba 01ff0004 00000014 00000000 00000001 00000004 03ff0100 0000002c 00000001 bbc804b0 \
         00008000 00000002 00000000 00000000 00001388 00000002 00000002",
    ),
    (
        C,
        "bbc80002 00000032 22b6e6ba 01ff0004 00000014 00000000 00000001 7dfbd185 06000104 00000035 00000001 f3000108 \
         1e410603 00336632 61373163 30356631 65346237 63396330 64366438 65316632 30613362 34",
    ),
    (S, "00000002 7dfbd1b4 22b6e6ba 01000004 00000014 00000000 00000001 00000032 06000100 0000000f 00000001 f30100"),
    (
        C,
        "bbc80001 00000074 22b6e6ba 06000104 00000031 00000003 f302e603 dc070531 2e302e32 e1070466 616c6bd8 070f7061 \
         73733d6d 6f73732d 67726565 6e",
    ),
    (C, "bbc80001 00000075 22b6e6ba 06000104 00000017 00000002 f3060001 01430401 020304"),
    (
        S,
        "00000003 7dfbd212 22b6e6ba 01000004 00000014 00000000 00000002 00000075 01000004 00000014 00000000 00000003 \
         00000074 06000100 0000001d 00000002 f303e600 000802df 1edd0705 746f6b65 6e",
    ),
    (
        S,
        "00000002 7dfbd260 22b6e6ba 07010000 0000001a 00000000 00000001 f304c901 f5050000 c03f0600 01000000 00e70000 \
         0003f304 c82b0002 010103ff 0204feff 03050000 c03f0406 00000000 0000f8bf 0507046d 6f6f7206 080709ff ffffff0f \
         080a0109 0b050a0c 050b0d00 010c0e00 010d0f07 0e10070f 11e80310 12e80311 13800201 0212d603 01020313 14030901 \
         070e1414 00140703 01030501 01610215 15010701 6b1b1617 020b0108 171b181c 191d1a1e 1b1f1c20 1d211e22 1f400143 \
         01aa2042 0aff0321 4302c0ff 22440201 00ffff23 45010000 803f2446 01000000 000000f0 3f254702 01610026 49020201 \
         274a0102 28530280 01aa01bb 29540307 01010501 622a5501 010b010b 02",
    ),
    (
        S,
        "00000002 7dfbd261 22b6e6ba 07010000 0000001a 00000000 00000001 f304c901 f5050000 c03f0701 00000000 001a0000 \
         00000000 0002f304 c901f505 00002040",
    ),
    (
        S,
        "00000001 7dfbd262 22b6e6ba 08000104 00000030 00000005 00000004 00000003 00000001 00000028 00000010 6f766572 \
         20746865 206d6f6f 72206973",
    ),
    (
        S,
        "00000002 7dfbd263 22b6e6ba 08000104 00000030 00000004 00000004 00000003 00000000 00000028 00000000 f304fd02 \
         f5071e54 68652070 61746820 08000104 00000028 00000006 00000004 00000003 00000002 00000028 00000020 20647279 \
         2efe0b02",
    ),
    (
        C,
        "bbc80003 000001a0 22b6e6ba 05ff0104 0000000c 00000002 0cff0104 0000000c 00000003 0b000204 00000016 00000000 \
         00000009 f3820102 0304",
    ),
    (C, "bbc80101 000001b0 22b6e6ba 01020304 05"),
    (
        C,
        "bbc80003 000001c0 22b6e6ba 0e000304 00000010 00000007 f302fe00 11000804 00000014 00000003 00000005 7dfbd263 \
         04ff0104 0000000c 00000004",
    ),
];

/// Pings of a server, and GpBinary 1.6 with checksums.
const PHOTON_16: &[(Side, &str)] = &[
    (C, "7d7d7d7d 7d7d7d7d 7d7d7d7d 07"),
    (S, "7d7d7d7d 7d7d7d7d 7d7d7d7d 07"),
    (
        S,
        "0000cc01 00000100 22b6e6ba 53ca3737 06000100 000000c8 00000001 f304c800 16002a01 62ff026f 01036bff fe046980 \
         00000005 6cffffff ffffffff ff06663f c0000007 64bff800 00000000 00087300 046d6f6f 72097800 000002c0 ff0a6356 \
         00030102 030b6100 02000161 00000c6e 00000002 00000001 ffffffff 0d790002 6b0001ff ff0e7a00 02690000 00012a0f \
         68000173 00016b6f 00104462 69000107 00000007 11440073 00016205 00016112 79000178 00000001 aa137900 01635600 \
         01aa1479 00014462 73000105 00016215 79000179 00016205",
    ),
    (
        C,
        "0005cc02 00000101 22b6e6ba 87c033c3 01000004 00000014 00000000 00000001 00000100 06000104 00000014 00000001 \
         f302fd00 01f46203",
    ),
    (S, "0000cc01 00000102 22b6e6ba 58b1ce77 06000100 0000001e 00000002 f303fd7f f9730008 6e6f206c 6f626279 0000"),
];

/// A connection of RakNet with other message IDs: 7e, 78 and 7d in its setup, 90 for pings.
const RAKNET_RENUMBERED: &[(Side, &str)] = &[
    (S, "7e 00ffff00 fefefefe fdfdfdfd 12345678 98d5573af066c42d 00 0574"),
    (C, "78 00ffff00 fefefefe fdfdfdfd 12345678 04 34ff8eaf 1f40 0574 0102030405060708"),
    (S, "7d 00ffff00 fefefefe fdfdfdfd 12345678 98d5573af066c42d 04 3f57feeb c4ae 0574 00"),
    (C, "84 000000 00 0048 90 0000000000000007"),
    (S, "84 000000 00 0088 93 0000000000000007 0000000000000009"),
    (S, "c0 0001 01 000000"),
];

/// A connection of RakNet captured midway, without any message of its own.
const RAKNET_MIDWAY: &[(Side, &str)] = &[
    (S, "84 0a0000 60 0018 0f0000 050000 00 8a0102"),
    (S, "84 0b0000 60 0020 100000 060000 00 8a030405"),
    (S, "84 0c0000 60 0018 110000 070000 00 8a0607"),
    (C, "c0 0001 00 0a0000 0c0000"),
    (S, "84 0d0000 60 0018 120000 080000 00 8a0809"),
];

/// Adds all of them, with one server.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (ports, messages) in [
        ([50_330, 7777], ENET),
        ([50_331, 9050], LITENETLIB),
        ([50_332, 22_023], HAZEL),
        ([50_333, 26_000], QUAKE),
        ([50_333, 26_012], QUAKE_GAME),
        ([50_334, 27_500], SEQUENCED),
        ([50_335, 27_910], SEQUENCED),
        ([50_336, 27_015], RULES),
        ([50_339, 27_020], STEAM),
        ([50_340, 7777], UNREAL),
        ([50_341, 7787], UNREAL_4),
    ] {
        datagrams(&mut trace, ports, messages)?;
    }
    talk(&mut trace, [50_337, 6112], BATTLE_NET)?;
    talk(&mut trace, [50_338, 7777], TERRARIA)?;
    for (ports, messages) in [
        ([50_342, 8000], KCP),
        ([50_343, 22_101], KCP_WITH_TOKEN),
        ([50_344, 8001], KCP_BIG_ENDIAN),
        ([50_345, 5055], PHOTON),
        ([50_346, 5056], PHOTON_16),
        ([50_347, 19_132], RAKNET_RENUMBERED),
        ([50_348, 19_133], RAKNET_MIDWAY),
    ] {
        datagrams_hex(&mut trace, ports, messages)?;
    }
    pcap(trace)
}
