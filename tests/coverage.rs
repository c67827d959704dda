//! The samples contain every message type, every kind of value, and every control word that is known to be sent.

use proto_dissect::engine::Engine;
use proto_dissect::input::Capture;
use proto_dissect::registry::Registry;
use proto_dissect::tree::Dissection;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;

/// The values of each field in the samples.
fn values(samples: &[&str]) -> HashMap<&'static str, HashSet<String>> {
    let mut values: HashMap<&'static str, HashSet<String>> = HashMap::new();
    let mut look = |of: Dissection<'_>| {
        for node in (0..of.tree.here()).filter_map(|place| of.node(place)) {
            let seen = values.entry(node.field().abbrev).or_default();
            let mut words = String::new();
            node.write_plain(&mut words).unwrap();
            seen.extend(node.number().map(|number| number.to_string()));
            seen.insert(words);
        }
    };
    for sample in samples {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
        let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
        let mut engine = Engine::complete(Registry::default());
        while let Some(frame) = capture.next_frame().unwrap() {
            look(Dissection { tree: engine.dissect(&frame), bytes: frame.bytes });
        }
        while let Some(tree) = engine.finish() {
            look(Dissection { tree, bytes: &[] });
        }
    }
    values
}

/// Every named value of these fields is in the samples, except exactly those listed as missing.
fn assert_named_values(samples: &[&str], fields: &[(&str, &[u64])]) {
    let values = values(samples);
    for (name, left_out) in fields {
        let field = Registry::default().fields().find(|field| field.abbrev == *name).unwrap_or_else(|| panic!("{name}"));
        assert!(!field.names.is_empty(), "{name} has no names");
        for (value, word) in field.names {
            let is_there = values.get(name).is_some_and(|seen| seen.contains(&value.to_string()));
            assert_ne!(is_there, left_out.contains(value), "{name} {value} ({word}) in {samples:?}");
        }
    }
}

fn assert_words(samples: &[&str], field: &str, words: &[&str]) {
    let values = values(samples);
    for word in words {
        assert!(values.get(field).is_some_and(|seen| seen.contains(*word)), "{field} {word:?} in {samples:?}");
    }
}

#[test]
fn a_pipboy_sample_has_every_message_value_and_command() {
    // Two commands for maps are named, but not in any capture, and their arguments are unknown.
    const NOT_SEEN: &[u64] = &[10, 11];
    assert_named_values(&["pipboy.pcap"], &[("pipboy.type", &[]), ("pipboy.entry.type", &[]), ("pipboy.command.type", NOT_SEEN)]);
    assert_words(&["pipboy.pcap"], "pipboy.discovery.cmd", &["autodiscover"]);
    assert_words(&["pipboy.pcap"], "pipboy.discovery.machine_type", &["PC", "PS4"]);
}

#[test]
fn vscp_samples_have_every_section_opcode_type_and_word() {
    // Never captured: a client states its state only once it is connected.
    const NOT_SAID: &[u64] = &[0, 1, 2];
    assert_named_values(
        &["vscp.pcap"],
        &[
            ("vscp.section_type", &[]),
            ("vscp.opcode", &[]),
            ("vscp.common.type", &[]),
            ("vscp.common.strategy", &[]),
            ("vscp.state", NOT_SAID),
            ("vscp.voice.state", &[]),
            ("vscp.character.medal", &[]),
            ("vscp.set_master.is_master", &[]),
            ("vscp.wls.ack", &[]),
            ("vscp.character.sleep", &[]),
        ],
    );
    let controls = ["request", "ringing", "accept", "reject", "ok", "busy", "end", "silent"];
    assert_words(&["vscp.pcap"], "vscp.private_chat.control", &controls);
    assert_words(&["vscp.pcap"], "vscp.hello.word", &["hello", "hella", "admin", "vchat"]);
    assert_words(&["vscp.pcap"], "vscp.hello_reply.status", &["hello", "reject"]);
    assert_words(&["vscp.pcap"], "vscp.common.type", &["10001", "19"]);
    assert_words(&["vscp-damaged.pcap"], "vscp.opcode", &["99"]);
}

#[test]
fn runescape_samples_have_a_visit_files_and_a_log() {
    let packets = ["move_gameclick", "message_public", "message_private", "update_inv_full", "player_info", "npc_info", "logout"];
    assert_words(&["runescape.pcap"], "rs.name", &packets);
    assert_words(&["runescape.pcap"], "rs.login.revision", &["317", "225"]);
    assert_named_values(&["runescape.pcap", "runescape-cache.pcap"], &[("rs.service", &[16, 17, 18])]);
    assert_words(&["runescape-cache.pcap"], "rs.js5.block", &["0xff"]);
    let logged = ["if_settext", "varp_large", "obj_add", "opnpc2", "send_ping_reply", "logout_withreason"];
    assert_words(&["runescape-log.bin"], "rs.name", &logged);
    assert_words(&["runescape-log.bin"], "rs.direction", &["c2s", "s2c"]);
}

#[test]
fn an_xfire_sample_has_every_packet_request_and_datagram() {
    assert_named_values(
        &["xfire-packets.pcap"],
        &[
            ("xfire.type", &[]),
            ("xfire.climsg", &[]),
            ("xfire.peermsg.msgtype", &[]),
            ("xfire.attr.type", &[]),
            ("xfire.p2p.type", &[]),
        ],
    );
    assert_words(&["xfire-packets.pcap"], "xfire.key_mode", &["string", "byte"]);
    assert_words(&["xfire-packets.pcap"], "xfire.magic", &["UA01"]);
    assert_words(&["xfire.pcap"], "xfire.nat.magic", &["SC01", "CK01"]);
}
