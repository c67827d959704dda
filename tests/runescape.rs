//! Sessions of Old School RuneScape from the user's view: lists, statistics, paths, chat, and custom tables.

use crate::common::{Folder, Scratch, assert_golden, run};
use etherparse::PacketBuilder;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Capture, Frame};
use proto_dissect::registry::Registry;
use proto_dissect::tree::Tree;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A session of revision 239: two players meet, walk, talk and fight an NPC.
const SESSION: &str = "samples/runescape-osrs-239.bin";

#[test]
fn a_session_of_239_shows_chat_movement_and_inventories() {
    let list = run(&["-l", SESSION]);
    assert_eq!((list.code, list.err.as_str()), (0, ""));
    for words in [
        "Odo: \"hello, where is the goblin?\"",
        "message_public, Maren: \"it is behind you!\"",
        "Maren walks to 3223,3219",
        "Maren runs to 3226,3222",
        "Odo appears at 3228,3220",
        "new NPC 3029",
        "1 update (hitmarks, say), NPC 5120: \"ouch!\"",
        "update_inv_full, combined id 149:0, inventory id 93, capacity 4, objs 4, 10 × 995",
        "slot 3: 1 × 526",
    ] {
        assert!(list.out.contains(words), "{words}: {}", list.out);
    }
    assert_golden("runescape-osrs-list.txt", &list.out);
}

#[test]
fn packets_players_and_positions_are_counted() {
    let counted = run(&["stats", "-z", "rs,tree", SESSION]);
    assert_eq!((counted.code, counted.err.as_str()), (0, ""));
    assert_golden("runescape-osrs-stats.txt", &counted.out);
}

/// The only object with a name.
fn object(folder: &Folder, name: &str) -> Vec<u8> {
    let mut files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    fs::read(files.find(|path| path.to_str().unwrap().ends_with(name)).unwrap()).unwrap()
}

#[test]
fn paths_and_chat_are_saved() {
    let folder = Folder::new("runescape-objects");
    let saved = run(&["objects", SESSION, "--write-dir", folder.path().to_str().unwrap()]);
    assert_eq!((saved.code, saved.err.as_str()), (0, ""));
    let paths: Value = serde_json::from_slice(&object(&folder, "-paths.json")).unwrap();
    let tiles = |player: usize| -> Vec<[Value; 3]> {
        let path = paths["players"][player]["path"].as_array().unwrap();
        path.iter().map(|stand| ["ms", "x", "y"].map(|key| stand[key].clone())).collect()
    };
    let at = |ms: u32, x: u32, y: u32| [ms, x, y].map(Value::from);
    assert_eq!(
        tiles(0),
        [at(0, 3222, 3218), at(600, 3223, 3219), at(1200, 3224, 3220), at(1800, 3226, 3222), at(4200, 3226, 3221)]
    );
    assert_eq!(tiles(1), [at(600, 3228, 3220), at(1200, 3227, 3220)]);
    let of = |player: usize, key: &str| paths["players"][player][key].clone();
    assert_eq!([of(0, "name"), of(0, "local"), of(1, "name")], [json!("Maren"), json!(true), json!("Odo")]);

    let chat = String::from_utf8(object(&folder, "-chat.txt")).unwrap();
    assert_eq!(
        chat,
        "21:20:00.000 [game] welcome. the bank is to the west.\n\
         21:20:01.200 [public] Odo: hello, where is the goblin?\n\
         21:20:01.200 [public] Maren: it is behind you!\n\
         21:20:01.800 [public] Maren: it is behind you!\n\
         21:20:01.800 [private] Tilly: are you there?\n\
         21:20:02.400 [npc] NPC 5120: ouch!\n"
    );

    // Tiles from 3214 to 3236 and from 3210 to 3230, north at the top, eight pixels each.
    let picture = object(&folder, "-paths.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (23 * 8, 21 * 8));
    let tile = |x: usize, y: usize| [0, 7].map(|part| pixels[((3230 - y) * 8 + part) * info.line_size + (x - 3214) * 8 + part]);
    assert_eq!([tile(3222, 3218), tile(3226, 3221)], [[0, 0]; 2], "the local player");
    assert_eq!([tile(3228, 3220), tile(3227, 3220)], [[128, 128]; 2], "another one");
    assert_eq!(tile(3225, 3218), [255, 255], "nobody was here");
}

#[test]
fn every_revision_is_listed_with_its_packets_and_how_many_are_complete() {
    let listed = run(&["protocols", "rs"]).out;
    // The reference counts the same.
    for (revision, server, client, complete) in [
        (223, 135, 98, 227),
        (224, 136, 100, 229),
        (225, 138, 100, 229),
        (226, 145, 101, 234),
        (227, 137, 100, 232),
        (228, 138, 100, 233),
        (229, 138, 100, 233),
        (230, 136, 100, 231),
        (231, 138, 102, 235),
        (232, 140, 93, 227),
        (233, 142, 101, 236),
        (234, 136, 101, 230),
        (235, 136, 101, 230),
        (236, 144, 101, 238),
        (237, 140, 117, 250),
        (238, 140, 101, 235),
        (239, 150, 101, 245),
    ] {
        let line = format!("osrs-{revision}: {server} server packets, {client} client packets; {complete} complete\n");
        assert!(listed.contains(&line), "{line}{listed}");
    }
}

#[test]
fn mistakes_in_a_table_are_reported_with_line_and_column() {
    for (rows, expected) in [
        ("s2c\t4\t-2\tmine\ta:u8 b:{x:u9}*3\n", "line 1: column 25: the type of x is \"u9\""),
        ("s2c\t4\t-2\tmine\ta:u8\n\ns2c\t5\t-2\tother\ta:u16@b=1\n", "line 3: column 22: b names no field before it"),
        ("239\tplayer\t0x2\tsay\ttext:jst0\n", "line 1: column 25: the type of text is \"jst0\""),
    ] {
        let table = Scratch::new("runescape-mistake.tsv", rows.as_bytes());
        let failed = run(&["-o", &format!("rs.table={}", table.path()), "-l", SESSION]);
        assert_eq!((failed.code, failed.out.as_str()), (2, ""));
        assert!(failed.err.contains(expected), "{}", failed.err);
    }
}

/// The session as a log of a revision without a table.
fn new_revision(name: &str) -> Scratch {
    let mut log = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION)).unwrap();
    log[7] = 240;
    Scratch::new(name, &log)
}

#[test]
fn a_new_revision_is_read_with_rows_of_the_user_or_with_an_older_one() {
    let log = new_revision("runescape-240.bin");
    let alone = run(&["-l", log.path()]);
    assert!(alone.out.contains("session_log, revision 240"), "{}", alone.out);
    assert!(alone.err.contains("rs.table=FILE") && alone.err.contains("rs.revision=osrs-NUMBER"), "{}", alone.err);

    let older = run(&["-o", "rs.revision=osrs-239", "-l", log.path()]);
    let session = run(&["-l", SESSION]).out;
    assert_eq!((older.code, older.err.as_str()), (0, ""));
    assert_eq!(older.out, session.replace("revision 239", "revision 240"));

    // Rows of this revision from the sources, with the rows about updates.
    let rows =
        |name: &str| fs::read_to_string(format!("{}/src/protocols/runescape/tables/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let entry = |list: &str| {
        list.split(' ').find_map(|entry| entry.strip_prefix("239").map(|rest| rest.trim_start_matches(':').to_owned()))
    };
    let mut table = String::from("direction\topcode\tsize\tname\tfields\n");
    for line in rows("osrs.tsv").lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if let Some(opcode) = entry(cells[4]) {
            table.push_str(&format!("{}\t{opcode}\t{}\t{}\t{}\n", cells[0], cells[1], cells[2], cells[3]));
        }
    }
    let mut blocks = Vec::new();
    for line in rows("osrs-info.tsv").lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let Some(own) = entry(cells[4]) else { continue };
        let (first, order) = own.split_once(':').unwrap_or((&own, "0"));
        let row = match (cells[0], cells[1]) {
            ("type", what) => format!("240\ttype\t{what}\t{what}\t{}\n", cells[3]),
            (who, what) if what.starts_with("mask") => format!("240\t{who}\t{what}\t0x{first}\t\n"),
            ("zone", _) => format!("240\tzone\t{first}\t{}\t{}\n", cells[2], cells[3]),
            (who, "") => format!("240\t{who}\t0x{first}\t{}\t{}\n", cells[2], cells[3]),
            (who, what) => format!("240\t{who}\t{what}\t{}\t{}\n", cells[2], cells[3]),
        };
        blocks.push((order.parse::<u32>().unwrap(), row));
    }
    blocks.sort_by_key(|(order, _)| *order);
    table.extend(blocks.into_iter().map(|(_, row)| row));
    let table = Scratch::new("runescape-240.tsv", table.as_bytes());
    let own = run(&["-o", &format!("rs.table={}", table.path()), "-l", log.path()]);
    assert_eq!((own.code, own.err.as_str()), (0, ""));
    assert_eq!(own.out, session.replace("revision 239", "revision 240"));
}

/// Packets of the session, whose frames arrive in pieces of this size.
fn packets_in_pieces(size: usize) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION);
    let mut capture = Capture::open(Box::new(fs::File::open(path).unwrap())).unwrap();
    let mut engine = Engine::complete(Registry::default());
    let mut packets = Vec::new();
    let mut take = |tree: &Tree| {
        let of_game = tree.layers.iter().filter(|layer| tree.nodes[layer.node as usize].field.abbrev == "rs");
        packets.extend(of_game.map(|layer| format!("{} {}", tree.generated_text(layer.name), tree.info(layer))));
    };
    while let Some(frame) = capture.next_frame().unwrap() {
        for bytes in frame.bytes.chunks(size) {
            let original_len = u32::try_from(bytes.len()).unwrap();
            take(engine.dissect(&Frame { bytes, original_len, ..frame }));
        }
    }
    while let Some(tree) = engine.finish() {
        take(tree);
    }
    packets
}

#[test]
fn a_log_is_the_same_in_pieces() {
    let whole = packets_in_pieces(usize::MAX);
    assert_eq!(whole.len(), 40);
    for size in [1, 7, 100] {
        assert_eq!(packets_in_pieces(size), whole, "pieces of {size} bytes");
    }
}

/// A connection with these payloads, in raw IP packets.
fn talk(segments: &[(bool, &[u8])]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101].map(u32::to_le_bytes).concat();
    let (client, server) = ([192, 0, 2, 1], [192, 0, 2, 2]);
    let mut next = [100, 500];
    let begin: [(bool, &[u8]); 2] = [(true, b""), (false, b"")];
    for (number, (from_client, payload)) in begin.iter().chain(segments).enumerate() {
        let own = usize::from(!from_client);
        let ((src, dst), [from, to]) =
            if *from_client { ((client, server), [50_000, 40_000]) } else { ((server, client), [40_000, 50_000]) };
        let builder = PacketBuilder::ipv4(src, dst, 64).tcp(from, to, next[own], 8192);
        let builder = if number < 2 { builder.syn() } else { builder };
        let builder = if number == 0 { builder } else { builder.ack(next[1 - own]) };
        next[own] += u32::try_from(payload.len()).unwrap() + u32::from(number < 2);
        let mut packet = Vec::new();
        builder.write(&mut packet, payload).unwrap();
        let size = u32::try_from(packet.len()).unwrap();
        file.extend([u32::try_from(number).unwrap(), 0, size, size].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

#[test]
fn sides_are_read_in_capture_order_when_recognition_comes_late() {
    // Two bytes of a client show no service, and a response of zeros is a greeting of older clients, unless the service is known.
    let answer = [&[0; 4][..], &[13, 0, 0, 0, 0], &7_u64.to_be_bytes()].concat();
    let login = [&[16, 79, 255][..], &317_u16.to_be_bytes(), &[0; 76]].concat();
    for cut in [1, 9, 14, 17] {
        let mut segments: Vec<(bool, &[u8])> = vec![(true, &[14, 20])];
        segments.extend(answer.chunks(cut).map(|bytes| (false, bytes)));
        segments.push((true, &login));
        let file = Scratch::new(&format!("rs-late-{cut}.pcap"), &talk(&segments));
        let list = run(&["-l", "-d", "tcp.port==40000,rs", file.path()]).out;
        let names = ["service, game login", "handshake, go on", "login, revision 317"];
        let places = names.map(|name| list.find(name));
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "{cut}: {list}");
    }
}
