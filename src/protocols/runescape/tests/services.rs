//! Update services and start-up files, whole ones and broken ones.

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
    let trees = talk(&[], &[(CLIENT, vec![15]), (SERVER, server)]);
    assert!(!trees[2].contains("rs.od.crc") && trees[3].contains("rs.od.version = 257"), "{}", trees.concat());
    assert!(trees[4].contains("rs.od.version = 514"), "{}", trees[4]);
    let wrong = talk(&[], &[(CLIENT, vec![15]), (SERVER, [vec![0; 8], piece(2, 2, 612, 5)].concat())]);
    insta::assert_snapshot!(wrong[2..].concat(), @r#"
    rs 0..6 | chunk
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..5 rs.od.size = 612
      5..6 rs.od.chunk = 2
    ! broken rs.malformed at 6..6 rs.od.chunk: piece 2 begins behind the end of 612 bytes
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
    let trees = talk(&[], &[hello.clone(), (SERVER, [vec![0], group(0xff)].concat())]);
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
    let wrong = talk(&[], &[hello, (SERVER, [vec![0], group(0xfe)].concat())]);
    assert!(wrong[2].contains("! broken rs.malformed"), "{}", wrong[2]);
}

#[test]
fn a_request_that_is_none_is_malformed() {
    insta::assert_snapshot!(said(&[], &[(CLIENT, "11"), (CLIENT, "4A 41 47 47 0A 0A")]), @r#"
    rs 0..1 | service | start-up files
      0..1 rs.service = 17 (start-up files)
    rs 0..6 | request
      0..6 rs.data = 4a4147470a0a
    ! broken rs.malformed at 0..6 rs: expected JAGGRAB, a path and two line feeds
    "#);
}
