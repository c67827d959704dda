//! Update services and JAGGRAB, well-formed and malformed.

use super::*;

#[test]
fn a_file_in_mixed_pieces_is_joined() {
    let piece = |store: u8, chunk: u8, size: u16, count: usize| {
        let mut bytes = vec![store, 0, 7];
        bytes.extend(size.to_be_bytes());
        bytes.push(chunk);
        bytes.extend(std::iter::repeat_n(store, count));
        bytes
    };
    let server = [vec![0; 8], piece(2, 0, 612, 500), piece(1, 0, 3, 3), piece(2, 1, 612, 112)].concat();
    let trees = dissect_messages(&[], &[(CLIENT, vec![15]), (SERVER, server)]);
    assert!(!trees[2].contains("rs.od.crc") && trees[3].contains("rs.od.version = 257"), "{}", trees.concat());
    assert!(trees[4].contains("rs.od.version = 514"), "{}", trees[4]);
    let wrong = dissect_messages(&[], &[(CLIENT, vec![15]), (SERVER, [vec![0; 8], piece(2, 2, 612, 5)].concat())]);
    insta::assert_snapshot!(wrong[2..].concat(), @r#"
    rs 0..6 | chunk
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..5 rs.od.size = 612
      5..6 rs.od.chunk = 2
    ! broken rs.malformed at 6..6 rs.od.chunk: chunk 2 starts after the end of 612 bytes
    data 5
    "#);
}

#[test]
fn a_group_of_several_blocks_and_one_with_a_wrong_mark() {
    let group = |mark: u8| {
        let mut bytes = vec![2, 0, 3, 0, 0, 0, 2, 0];
        bytes.extend([7; 504]);
        bytes.push(mark);
        bytes.extend([8; 8]);
        bytes
    };
    let hello = (CLIENT, trial::bytes("0F 00 00 02 26"));
    let trees = dissect_messages(&[], &[hello.clone(), (SERVER, [vec![0], group(0xff)].concat())]);
    insta::assert_snapshot!(trees[2], @r#"
    rs 0..521 | js5_group | archive 2, group 3, 512 bytes, compression none
      0..1 rs.js5.archive = 2
      1..3 rs.js5.group = 3
      3..4 rs.js5.flags = 0x00
        3..4 rs.js5.prefetch = false
        3..4 rs.js5.compression = 0 (none)
      4..8 rs.js5.length = 512
      8..512 rs.js5.data = 504 bytes
      512..513 rs.js5.block = 0xff
      513..521 rs.js5.data = 0808080808080808
      rs.js5.crc = 0x475c78d8
    "#);
    let wrong = dissect_messages(&[], &[hello, (SERVER, [vec![0], group(0xfe)].concat())]);
    assert!(wrong[2].contains("! broken rs.malformed"), "{}", wrong[2]);
}

#[test]
fn an_invalid_request_is_malformed() {
    insta::assert_snapshot!(dissect(&[], &[(CLIENT, "11"), (CLIENT, "4A 41 47 47 0A 0A")]), @r#"
    rs 0..1 | service | start-up files
      0..1 rs.service = 17 (start-up files)
    rs 0..6 | request
      0..6 rs.data = 4a4147470a0a
    ! broken rs.malformed at 0..6 rs: expected JAGGRAB, a path and two line feeds
    "#);
}

/// Request lines of a conversation with one message per frame, each at a time in milliseconds.
fn speeds(messages: &[(Side, u32, &[u8])]) -> Vec<String> {
    use crate::engine::Engine;
    use crate::input::{Frame, Link, Timestamp};
    use crate::registry::Registry;
    use crate::tree::{Dissection, dump};
    let mut engine = Engine::complete(Registry::default());
    let mut lines = Vec::new();
    for (number, (side, millis, bytes)) in (1..).zip(messages) {
        let time = Some(Timestamp { seconds: 7, nanos: millis * 1_000_000 });
        let frame = Frame { number, time, link: Link::Stream(*side), bytes, ..Frame::default() };
        let tree = dump(Dissection { tree: engine.dissect(&frame), bytes });
        let about = |line: &&str| [".asked", ".time", ".rate"].iter().any(|name| line.contains(name));
        lines.extend(tree.lines().filter(about).map(|line| format!("{number}: {}", line.trim())));
    }
    lines
}

#[test]
fn files_have_a_duration_and_a_rate() {
    let piece = |chunk: u8, count: usize| [&[2, 0, 7, 2, 100, chunk][..], &vec![9; count]].concat();
    let old = speeds(&[
        (CLIENT, 0, &[15]),
        (SERVER, 10, &[0; 8]),
        (CLIENT, 20, &[2, 0, 7, 2, 0, 0, 1, 1]),
        (SERVER, 100, &piece(0, 500)),
        (SERVER, 145, &[0, 0, 1, 0, 0, 0]),
        (SERVER, 520, &piece(1, 112)),
    ]);
    // 612 bytes in half a second.
    let asked = "rs.od.asked = 3";
    let tree = [
        format!("4: {asked}"),
        format!("5: {asked}"),
        "5: rs.od.time = 0.125".into(),
        format!("6: {asked}"),
        "6: rs.od.time = 0.5".into(),
        "6: rs.od.rate = 1224".into(),
    ];
    assert_eq!(old, tree);
    let new = speeds(&[
        (CLIENT, 0, &[15, 0, 0, 2, 0x26]),
        (SERVER, 10, &[0]),
        (CLIENT, 20, &[1, 2, 0, 3]),
        (SERVER, 270, &[2, 0, 3, 0, 0, 0, 0, 4, 9, 9, 9, 9]),
    ]);
    assert_eq!(new, ["4: rs.js5.asked = 3", "4: rs.js5.time = 0.25", "4: rs.js5.rate = 16"]);
}

#[test]
fn a_configured_service_resumes_midway() {
    let js5 = [("rs.service", "js5")];
    let group = "02 00 03 00 00 00 00 02 41 42";
    insta::assert_snapshot!(dissect(&js5, &[(SERVER, group), (CLIENT, "01 02 00 03")]), @r#"
    rs 0..10 | js5_group | archive 2, group 3, 2 bytes, compression none
      0..1 rs.js5.archive = 2
      1..3 rs.js5.group = 3
      3..4 rs.js5.flags = 0x00
        3..4 rs.js5.prefetch = false
        3..4 rs.js5.compression = 0 (none)
      4..8 rs.js5.length = 2
      8..10 rs.js5.data = 4142
      rs.js5.crc = 0xef5855e8
    rs 0..4 | js5_request | archive 2, group 3, urgent
      0..1 rs.js5.message = 1 (urgent)
      1..2 rs.js5.archive = 2
      2..4 rs.js5.group = 3
    "#);
    let update = [("rs.service", "update")];
    insta::assert_snapshot!(dissect(&update, &[(CLIENT, "02 00 07 02"), (SERVER, "02 00 07 00 03 00 41 00 05")]), @r#"
    rs 0..4 | request | music 7, needed now
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..4 rs.od.priority = 2 (needed now)
    rs 0..9 | chunk | music 7, bytes 0 to 3 of 3
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..5 rs.od.size = 3
      5..6 rs.od.chunk = 0
      6..9 rs.od.data = 410005
      rs.od.crc = 0xd3d99e8b
      rs.od.version = 5
      rs.od.asked = 0
    "#);
    // A captured handshake takes precedence.
    let whole = [(CLIENT, "0F 00 00 02 26"), (SERVER, "00"), (CLIENT, "01 02 00 03"), (SERVER, group)];
    assert_eq!(dissect(&js5, &whole), dissect(&[], &whole));
    assert!(Midway::parse("game").is_err());
}
