//! Vectors of the reference as trees, malformed input and whole sessions.

mod damage;
mod log_writer;
mod login;
mod malformed;
mod osrs;
mod outline;
mod packets;
mod places;
mod plain_opcodes;
mod random_packets;
mod random_updates;
mod replay;
mod round_trip;
mod services;
mod session;
mod session_log;
mod table_notation;
mod vectors;

#[path = "../../../../samples/make/runescape/notation/mod.rs"]
mod notation;
#[path = "../../../../samples/make/runescape/people.rs"]
mod people;

use super::*;
use crate::tree::Side;
use crate::wire::{Cut, Dissector, Extent, Settings, trial};

const CLIENT: Side = Side::Client;
const SERVER: Side = Side::Server;

/// V9: service request, response and login response.
const V9_SERVICE: &str = "0E 1A";
const V9_ANSWER: &str = "00 00 00 00 00 00 00 00 00 09 0A 0B 0C 0D 0E 0F 10";
const V9_IN: &str = "02 00 00";
/// V10: login without RSA.
const V10: &str = "10 4D FF 01 3D 00 11 11 11 11 22 22 22 22 33 33 33 33 44 44 44 44 55 55 55 55
    66 66 66 66 77 77 77 77 88 88 88 88 99 99 99 99 24 0A 01 02 03 04 05 06 07 08
    09 0A 0B 0C 0D 0E 0F 10 13 37 13 37 7A 65 7A 69 6D 61 0A 68 75 6E 74 65 72 32 0A";
/// V11: the same under a 512-bit key.
const V11: &str = "10 69 FF 01 3D 00 11 11 11 11 22 22 22 22 33 33 33 33 44 44 44 44 55 55 55 55
    66 66 66 66 77 77 77 77 88 88 88 88 99 99 99 99 40
    75 81 1F E2 84 B4 E5 59 B1 69 2A 00 90 FC 34 B6 09 7D 54 12 98 84 57 99 1D 25
    B9 FE 23 D6 A4 79 5B F8 75 9C 43 A7 E7 D3 17 A7 B9 FF 55 11 6E 73 7C BC 54 B8
    49 0E 75 15 51 60 58 C3 72 C3 00 40";
const KEY: &str = "n = C4B59A47B2EF38691E6D5FE7ADC1A1CCBD5291CA818120B55E9D95EAE9A92E3E
    75298E533140F5B8D8173192EAB3D22C47461CB76608EB0B6CF48C56A91DA08F
e = 10001
d = 42368ED40B9B1275EFD409304700A2A1F4285302C34CDFE1AD13865F287FD61C
    80CA83D6C8752A470916981B7B9BBB1FF1CF7B6CA198ED4E6B974BAFF2F92BC1";
/// The same key as written by `openssl`: PKCS#1, and PKCS#8.
pub const PKCS1: &str = "-----BEGIN RSA PRIVATE KEY-----
MIIBOQIBAAJBAMS1mkey7zhpHm1f563Bocy9UpHKgYEgtV6dlerpqS4+dSmOUzFA
9bjYFzGS6rPSLEdGHLdmCOsLbPSMVqkdoI8CAwEAAQJAQjaO1AubEnXv1AkwRwCi
ofQoUwLDTN/hrROGXyh/1hyAyoPWyHUqRwkWmBt7m7sf8c97bKGY7U5rl0uv8vkr
wQIhAOl2ZsNIpe1PQORKN0dBwyEWAyvnNEWe7kQYdFcrVZxHAiEA17LqRjEoq+W4
1Wb8WAYmTadDzu0Z+nSlKAz7LkArpXkCICv0ieaMoAjtGgehXYUCAa4SCejTMAlH
og6aGBVtaEHzAiBygzjfBPArumzTVrZ3YORq63cTX0sgbVbVGXcsicLiOQIgAVFc
6fz9URO5UHzWUvUNIJjlBnvCBslXVOFG243Lv68=
-----END RSA PRIVATE KEY-----
";
pub const PKCS8: &str = "-----BEGIN PRIVATE KEY-----
MIIBUwIBADANBgkqhkiG9w0BAQEFAASCAT0wggE5AgEAAkEAxLWaR7LvOGkebV/n
rcGhzL1SkcqBgSC1Xp2V6umpLj51KY5TMUD1uNgXMZLqs9IsR0Yct2YI6wts9IxW
qR2gjwIDAQABAkBCNo7UC5sSde/UCTBHAKKh9ChTAsNM3+GtE4ZfKH/WHIDKg9bI
dSpHCRaYG3ubux/xz3tsoZjtTmuXS6/y+SvBAiEA6XZmw0il7U9A5Eo3R0HDIRYD
K+c0RZ7uRBh0VytVnEcCIQDXsupGMSir5bjVZvxYBiZNp0PO7Rn6dKUoDPsuQCul
eQIgK/SJ5oygCO0aB6FdhQIBrhIJ6NMwCUeiDpoYFW1oQfMCIHKDON8E8Cu6bNNW
tndg5GrrdxNfSyBtVtUZdyyJwuI5AiABUVzp/P1RE7lQfNZS9Q0gmOUGe8IGyVdU
4Ubbjcu/rw==
-----END PRIVATE KEY-----
";
/// V12: login of revision 225 after the server's greeting.
const V12_GREETING: &str = "09 0A 0B 0C 0D 0E 0F 10";
const V12: &str = "10 4B E1 00 11 11 11 11 22 22 22 22 33 33 33 33 44 44 44 44 55 55 55 55
    66 66 66 66 77 77 77 77 88 88 88 88 99 99 99 99 24 0A 01 02 03 04 05 06 07 08
    09 0A 0B 0C 0D 0E 0F 10 13 37 13 37 7A 65 7A 69 6D 61 0A 68 75 6E 74 65 72 32 0A";
/// V13: packets of the client.
const V13: &str = "0B F3 0B 16 0C 01 00 02 01 FF FE 92 0C FF B4 08 7F 7E 3A C9 51 C0 3B E1 93 09
    9A A1 0D 69 74 65 6D 20 39 39 35 20 31 30 30 0A 13 12 00 29 1E 31 6D 31 71 54
    65 EB 06 4D 10 39 10 D3 4C EA 15 16 0C 05 FA 0C 12 5A 06 18 00 83 10 B7 23 0E
    0C 00 85 00 1B 00 F3 01 4A EC A2 66 00 80 04 80";
/// V14: packets of the server.
const V14: &str = "91 81 81 00 4D 01 12 01 92 C7 16 57 65 6C 63 6F 6D 65 20 74 6F 20 52 75 6E 65
    53 63 61 70 65 2E 0A F4 03 04 82 00 00 0A 32 0F 4D 81 AF AC 00 FF B4 2C 01 03
    E8 00 00 9C 00 11 0C 8E 00 03 01 B8 10 FF 0F 00 40 42 64 03 00 80 00 BB 00 0F
    0C 8E 02 03 E4 FF 00 1E 84 80 80 C8 00 00 00 6B 00 0F 41 74 74 61 63 6B 20 73
    74 79 6C 65 0A 01 29 DD 17 00 00 00 08 02 86 68 94 00 00 01 01 02 65 EB 06 4D
    10 39 10 D3 4C EA 15 00 0B 28 D0 2C 63 03 00 19 23 65 D7 45 AF 00 52 E6 C9 B0
    00 05 FC 3F FE 10 CD 00 00 00 00 00 00 01 12 00 01 1A 01 24 01 00 01 21 01 2A
    01 0A 00 01 02 03 04 03 28 03 37 03 33 03 34 03 35 03 36 03 38 00 00 00 00 6C
    1A 00 CC 7E 00 00 E8 02 A6 01 00 01 02 00 FC E9 BB 03 65 04 81 FA 0A 07 7F 03
    F6 9C 00 17 00 01 34 3F 00 0F FF F0 15 26 03 02 48 65 6C 6C 6F 21 0A 2D 19 25
    19 11";

/// Settings with these values.
fn given_settings(settings: &[(&str, &str)]) -> Settings {
    let mut result = Settings::new();
    for (name, value) in settings {
        let setting = PROTOCOL.settings.iter().find(|setting| setting.name == *name).unwrap();
        result.set(setting, (*value).to_owned());
    }
    result
}

/// Dissects a conversation: each message as a tree, unknown bytes by their number.
fn dissect_messages(settings: &[(&str, &str)], messages: &[(Side, Vec<u8>)]) -> Vec<String> {
    let Dissector::Stream(open) = PROTOCOL.found[0].dissector else { panic!("no stream") };
    let mut session = open(&given_settings(settings));
    let mut waiting = [Vec::new(), Vec::new()];
    let mut trees = Vec::new();
    for (side, bytes) in messages {
        let waiting: &mut Vec<u8> = &mut waiting[side.index()];
        waiting.extend(bytes);
        while !waiting.is_empty() {
            let count = match session.extent(*side, waiting, true) {
                Extent::Message(count) if count <= waiting.len() => {
                    trees.push(trial::message(&PROTOCOL, session.as_mut(), *side, &waiting[..count], Cut::No));
                    count
                }
                Extent::Unknown(count) => {
                    trees.push(format!("data {count}\n"));
                    count.min(waiting.len())
                }
                _ => break,
            };
            waiting.drain(..count);
        }
    }
    for side in Side::BOTH {
        let bytes = std::mem::take(&mut waiting[side.index()]);
        if !bytes.is_empty()
            && let Extent::Message(want) | Extent::NeedMore(want) = session.extent(side, &bytes, false)
        {
            let cut = if want <= bytes.len() { Cut::No } else { Cut::Stream { needed: want } };
            trees.push(trial::message(&PROTOCOL, session.as_mut(), side, &bytes, cut));
        }
    }
    trees
}

/// Dissects bytes given as text and joins the trees.
fn dissect(settings: &[(&str, &str)], messages: &[(Side, &str)]) -> String {
    let messages: Vec<_> = messages.iter().map(|(side, hex)| (*side, trial::bytes(hex))).collect();
    dissect_messages(settings, &messages).concat()
}

/// Packets of a revision with opcodes in clear.
fn clear(revision: &str, side: Side, hex: &str) -> String {
    dissect(&[("rs.revision", revision), ("rs.isaac", "off")], &[(side, hex)])
}

/// First lines of trees.
fn heads(trees: &[String]) -> String {
    trees.iter().map(|tree| tree.lines().next().unwrap().to_owned() + "\n").collect()
}
