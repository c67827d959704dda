//! The column notation: examples of the reference, syntax errors, and malformed payloads.

use super::*;
use crate::wire::InvalidValue;

/// A packet with these fields, dissected with a user-defined table.
fn read(fields: &str, hex: &str) -> String {
    let table = format!("direction\topcode\tsize\tname\tfields\ns2c\t1\t-2\tmine\t{fields}\n");
    let payload = trial::bytes(hex);
    let mut packet = vec![1];
    packet.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
    packet.extend(payload);
    let settings = [("rs.revision", "osrs-240"), ("rs.table", &*table), ("rs.isaac", "off")];
    let tree = dissect_messages(&settings, &[(SERVER, packet)]).concat();
    let shown =
        tree.lines().filter(|line| !["rs.opcode", "rs.name", "rs.direction", "rs.size"].iter().any(|name| line.contains(name)));
    shown.skip(1).map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn examples_of_the_reference_have_its_values() {
    insta::assert_snapshot!(
        read("objs:{slot:usmart obj:u16 count:u8@obj!=0 count_long:i32@count=255}*", "05 00 0B FF 00 01 86 A0 06 00 00"),
        @"
    3..11 rs.mine.objs
      3..4 rs.mine.objs.slot = 5
      4..6 rs.mine.objs.obj = 11
      6..7 rs.mine.objs.count = 255
      7..11 rs.mine.objs.count_long = 100000
    11..14 rs.mine.objs
      11..12 rs.mine.objs.slot = 6
      12..14 rs.mine.objs.obj = 0
    "
    );
    insta::assert_snapshot!(read("n:u8 list:{a:u8}*n", "02 07 08"), @"
    3..4 rs.mine.n = 2
    4..5 rs.mine.list
      4..5 rs.mine.list.a = 7
    5..6 rs.mine.list
      5..6 rs.mine.list.a = 8
    ");
    insta::assert_snapshot!(read("type:u8 x:u16@type=2..6 index:u16@type=1|10", "0A 00 05"), @"
    3..4 rs.mine.type = 10
    4..6 rs.mine.index = 5
    ");
    insta::assert_snapshot!(read("events:{op:u8 v:u8@op=1}*until(op=0)", "01 05 00"), @"
    3..5 rs.mine.events
      3..4 rs.mine.events.op = 1
      4..5 rs.mine.events.v = 5
    5..6 rs.mine.events
      5..6 rs.mine.events.op = 0
    ");
    insta::assert_snapshot!(read("?name:jstr0", ""), @"");
    insta::assert_snapshot!(read("length:u8 text:packed_text_huffman#length~rev", "04 70 8C 83 05"), @r#"
    3..4 rs.mine.length = 4
    4..8 rs.as_sent = 708c8305
    0..4 rs.mine.text = "hello"
    "#);
    insta::assert_snapshot!(read("colour:u8 pattern:u8*colour-12@colour=13..20", "0E 01 02"), @"
    3..4 rs.mine.colour = 14
    4..5 rs.mine.pattern = 1
    5..6 rs.mine.pattern = 2
    ");
    insta::assert_snapshot!(read("flags:u8 a:u8@flags&1 b:u16@flags>>1&1=1", "02 01 00"), @"
    3..4 rs.mine.flags = 2
    4..6 rs.mine.b = 256
    ");
    insta::assert_snapshot!(read("id:u16 data:bytes", "00 05 AB CD"), @"
    3..5 rs.mine.id = 5
    5..7 rs.mine.data = abcd
    ");
}

#[test]
fn names_are_looked_up_outward_and_negative_numbers_shift_as_32_bits() {
    insta::assert_snapshot!(read("kind:u8 list:{x:u8@kind=2 y:i32 z:u8@y>>30=3}*1", "02 07 C0 00 00 00 09"), @"
    3..4 rs.mine.kind = 2
    4..10 rs.mine.list
      4..5 rs.mine.list.x = 7
      5..9 rs.mine.list.y = -1073741824
      9..10 rs.mine.list.z = 9
    ");
    insta::assert_snapshot!(read("a:u8 rest:u8@$left>1 whole:u8@$size=3", "01 02 03"), @"
    3..4 rs.mine.a = 1
    4..5 rs.mine.rest = 2
    5..6 rs.mine.whole = 3
    ");
    insta::assert_snapshot!(read("name:jstrnull unused:u8@name move:fine_move", "00 41 05 01"), @"
      3..4 rs.mine.name =
      4..7 rs.mine.move
        4..5 rs.fine_move.parts = 65
        5..6 rs.fine_move.dx = 5
        6..7 rs.fine_move.angle = 1
    ");
}

#[test]
fn an_empty_group_repeated_many_times_ends() {
    let tree = read("n:i32 list:{a:u8@n=0}*n", "7F FF FF FF");
    assert!(tree.contains("! broken rs.malformed") && tree.contains("take no bytes"), "{}", &tree[tree.len() - 300..]);
    let tree = read("list:{a:u8@a}*", "01 02");
    assert!(tree.is_empty() || tree.contains("! broken"), "{tree}");
}

#[test]
fn mistakes_are_refused_with_line_and_column() {
    for (fields, column, words) in [
        ("n:u8 list:{a:u8*n", 32, "the group has no }"),
        ("n:u8 list:u8*m", 28, "m names no field before it"),
        ("a:u8@b=1 b:u8", 20, "b names no field before it"),
        ("a:u8~rev", 23, "its length is needed"),
        ("a:u8#2~back", 22, "expected rev, add or rev_add"),
        ("a:u8*until(b=0)", 26, "b names no field before it"),
        ("a:u8 b:u8@a>>64", 28, "expected 0 to 63"),
        ("a:u8@$left=x", 26, "where a number was expected"),
        ("a:u8@$lft", 20, "expected $size, $left"),
        ("a:look", 17, "the type of a is \"look\""),
        ("a:u8!b", 19, "expected a space, or #, ~, *, @"),
        ("a:script_args_237(t)", 33, "t names no field before a"),
    ] {
        let InvalidValue { line, message: found } =
            Table::check(&format!("s2c\t1\t0\tok\t\ns2c\t1\t-2\tmine\t{fields}\n")).unwrap_err();
        assert_eq!(line, Some(2), "{fields}");
        assert!(found.starts_with(&format!("column {column}: ")) && found.contains(words), "{fields}: {found}");
    }
}

#[test]
fn rows_of_updates_can_be_given_for_a_new_revision() {
    let table = "direction\topcode\tsize\tname\tfields\ns2c\t1\t-2\tnpc_info_small_v5\tinfo:npc_info_small_osrs\n\
        240\tnpc\tmask2\t0x40\t\n240\tnpc\t0x2\tsay\ttext:jstr0\n240\tnpc\tnew_small\tnew\tindex:16 update:1 dx:-6 dz:-6 type:14\n\
        240\tnpc\tnew_large\tnew\tindex:16 update:1 dx:-8 dz:-8 type:14\n239\tnpc\t0x2\tnot_mine\ttext:u8\n";
    assert_eq!(Table::check(table), Ok(()));
    // Index 5, update, 1, -1, type 9; the end; then the mask and the words.
    let bits = "00000000 0000000000000101 1 000001 111111 00000000001001 1111111111111111".replace(' ', "");
    let payload = [super::packets::bits(&bits), trial::bytes("02 68 69 00")].concat();
    let mut packet = vec![1];
    packet.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
    packet.extend(payload);
    let settings = [("rs.revision", "osrs-240"), ("rs.table", table), ("rs.isaac", "off")];
    let tree = dissect_messages(&settings, &[(SERVER, packet)]).concat();
    assert!(tree.contains("rs.npc_info.update.say.text = \"hi\"") && !tree.contains("! broken"), "{tree}");
    for (row, words) in [
        ("240\tdog\t0x2\tsay\ttext:jstr0", "expected player, npc, type or zone"),
        ("240\tnpc\t2x\tsay\ttext:jstr0", "the mask bit is \"2x\""),
        ("240\tnpc\tnew_small\tnew\tindex:99", "expected such as dx:-5"),
        ("240\tzone\tx\tloc_del\ta:u8", "expected 0 to 255"),
        ("240\tplayer\t0x2\tsay\ttext:jst0", "the type of text is \"jst0\""),
    ] {
        let invalid = Table::check(row).unwrap_err();
        assert!(
            invalid.line == Some(1) && invalid.message.starts_with("column ") && invalid.message.contains(words),
            "{}",
            invalid.message
        );
    }
}

/// The list of NPCs keeps the last occurrence of a repeated index.
#[test]
fn a_replaced_npc_is_last_in_the_list() {
    let table = "direction\topcode\tsize\tname\tfields\ns2c\t1\t-2\tnpc_info_small_v5\tinfo:npc_info_small_osrs\n\
        240\tnpc\tnew_small\tnew\tindex:16 update:1 type:15\n240\tnpc\tnew_large\tnew\tindex:16 update:1 type:15\n";
    let new = |index: u8, kind: u8| vec![0, index, 0, kind];
    let packets = [[vec![0], new(5, 1), new(7, 2), new(5, 3)].concat(), vec![2, 0b1010_0000]];
    let messages = packets.map(|payload| (SERVER, [vec![1, 0, u8::try_from(payload.len()).unwrap()], payload].concat()));
    let settings = [("rs.revision", "osrs-240"), ("rs.table", table), ("rs.isaac", "off")];
    let trees = dissect_messages(&settings, &messages);
    assert!(trees[0].contains("2 NPCs, 0 updates") && !trees[0].contains("! broken"), "{}", trees[0]);
    // The first one walks, and its type is shown.
    let order: Vec<&str> =
        trees[1].lines().filter(|line| line.contains("rs.npc_index") || line.contains("rs.npc_type")).collect();
    assert!(order[0].ends_with("rs.npc_index = 7") && order[1].ends_with("rs.npc_type = 2"), "{}", trees[1]);
}

#[test]
fn lists_whose_length_is_in_the_cache_end_the_reading_without_an_error() {
    let tree = read("flags:u8 recolours:{colour:u16}*$recolours@flags&4 mirror:u8", "04 00 01 00 02 09");
    assert!(tree.contains("rs.needs_cache") && tree.contains("rs.payload") && !tree.contains("! broken"), "{tree}");
}

#[test]
fn results_of_reflection_checks_are_read_by_their_request() {
    // A field, an exception, and a call that returns text.
    let ask = "00 1B 03 00 00 00 07 00 43 00 66 00 02 43 00 67 00 03 43 00 6D 00 00 76 00";
    let table = "direction\topcode\tsize\tname\tfields\n\
        s2c\t1\t-2\treflection_checker\tchecks_count:u8 id:i32 checks:{type:u8 class_name:jstr0 field_name:jstr0@type=0..2 \
        method_name:jstr0@type=3 count:u8@type=3 return_class:jstr0@type=3}*checks_count\n\
        c2s\t2\t-1\treflection_check_reply\tid:i32 results:reflection_results crc:i32\n";
    let payload = trial::bytes(&ask[6..]);
    let mut request = vec![1, 0, u8::try_from(payload.len()).unwrap()];
    request.extend(payload);
    let reply = trial::bytes("02 10 00 00 00 07 00 00 00 01 00 FF 02 68 69 00 DE AD BE EF");
    let reply = [&[2, u8::try_from(reply.len() - 2).unwrap()][..], &reply[2..]].concat();
    let settings = [("rs.revision", "osrs-240"), ("rs.table", table), ("rs.isaac", "off")];
    let trees = dissect_messages(&settings, &[(SERVER, request), (CLIENT, reply)]);
    insta::assert_snapshot!(trial::below(&trees[1], &["rs.reflection_check_reply.results"]), @r#"
    rs 0..20 | reflection_check_reply | id 7, crc -559038737
      6..16 rs.reflection_check_reply.results
        6..11 rs.reflection
          6..7 rs.reflection.code = 0
          7..11 rs.reflection.number = 256
        11..12 rs.reflection
          11..12 rs.reflection.code = -1
        12..16 rs.reflection
          12..13 rs.reflection.code = 2
          13..16 rs.reflection.text = "hi"
    "#);
}
