//! One message through every sink: exact output, without control characters.

use super::trial::{self, Trial, framed, gap, hostile, is_harmless, plain_table, streamed};
use super::{Column, ColumnOptions, Occurrence, PSEUDO_FIELDS, PseudoValue, TableOptions, Theme, Values, pseudo_field};
use crate::record::View::{Messages, Packets};
use insta::assert_snapshot;

/// A toy with a length, flags, a name and three entries.
const TOY: &[u8] = b"\x00\x00\x07\x4c\x85Rad\x00\x01\x0a\x02\x14\x03\x1e0123456789";

fn read(wire: &mut crate::wire::Wire<'_>) -> crate::wire::Result {
    wire.name("update");
    wire.info(format_args!("3 entries"));
    wire.u32_be(&trial::SIZE)?;
    wire.flags(&trial::FLAGS, 1, &[&trial::HIGH, &trial::LOW])?;
    wire.text_nul(&trial::NAME)?;
    wire.note(&trial::STRANGE, format_args!("a name"));
    for _ in 0..3 {
        wire.group(&trial::ENTRY, |wire| {
            wire.u8(&trial::KEY)?;
            wire.u8(&trial::OTHER)
        })?;
    }
    wire.rest(&trial::BODY);
    wire.add(&trial::SIGNED, crate::tree::Value::Signed(-3));
    Ok(())
}

fn entries(count: u8) -> Trial {
    let bytes: Vec<u8> = (0..count).flat_map(|at| [at, at]).collect();
    framed(&bytes, |wire| {
        wire.name("many");
        while wire.remaining() > 0 {
            wire.group(&trial::ENTRY, |wire| {
                wire.u8(&trial::KEY)?;
                wire.u8(&trial::OTHER)
            })?;
        }
        Ok(())
    })
}

fn column(name: &str) -> Column {
    let of = match pseudo_field(name) {
        Some(pseudo) => Values::Pseudo(pseudo),
        None => Values::Fields(trial::FIELDS.iter().copied().filter(|field| field.answers_to(name)).collect()),
    };
    Column { name: name.into(), of }
}

fn columns(trial: &Trial, names: &[&str], options: ColumnOptions) -> String {
    trial.columns(Messages, names.iter().copied().map(column).collect(), options)
}

#[test]
fn a_message_is_a_heading_and_a_table() {
    assert_snapshot!(streamed(TOY, read).table(Messages, plain_table()), @r#"
    #1  +0.000000  tcp/0 s2c  10.0.0.1:27000 → 10.0.0.2:51000  Toy  update, 3 entries  frames 16,17
     offset  bytes                field      value                 meaning
        100  00 00 07 4c          size       1868
        104  85                   flags      0x85
        104  1... ....              high     true
        104  .... 0101              low      5
        105  52 61 64 00          name       "Rad"
        109  01 0a                entry [1]  10                    key 1
        111  02 14                entry [2]  20                    key 2
        113  03 1e                entry [3]  30                    key 3
        115  30 31 32 33 34 35 …  body       30313233343536373839
                                  signed     -3
    ! odd  toy.strange  a name  at offset 105  (toy.name)
    "#);
}

#[test]
fn full_output_folds_and_truncates_nothing() {
    let options = TableOptions { verbose_fields: true, ..plain_table() };
    assert_snapshot!(streamed(TOY, read).table(Messages, options), @r#"
    #1  +0.000000  tcp/0 s2c  10.0.0.1:27000 → 10.0.0.2:51000  Toy  update, 3 entries  frames 16,17
     offset  bytes                          field      value                 meaning
        100  00 00 07 4c                    size       1868
        104  85                             flags      0x85
        104  1... ....                        high     true
        104  .... 0101                        low      5
        105  52 61 64 00                    name       "Rad"
        109                                 entry [1]  10                    key 1
        109  01                               key      1
        110  0a                               value    10
        111                                 entry [2]  20                    key 2
        111  02                               key      2
        112  14                               value    20
        113                                 entry [3]  30                    key 3
        113  03                               key      3
        114  1e                               value    30
        115  30 31 32 33 34 35 36 37 38 39  body       30313233343536373839
                                            signed     -3
    ! odd  toy.strange  a name  at offset 105  (toy.name)
    "#);
}

#[test]
fn carriers_and_a_dump_surround_the_table() {
    let options = TableOptions { carriers: true, hex: true, ..plain_table() };
    assert_snapshot!(streamed(TOY, read).table(Messages, options), @r#"
    #1  +0.000000  tcp/0 s2c  10.0.0.1:27000 → 10.0.0.2:51000  Toy  update, 3 entries  frames 16,17
    ── Link
     offset  bytes  field  value   meaning
          0  00 08  type   0x0008  Toy
    00000000  00 08                                             |..|
    ── Toy  update, 3 entries  in tcp/0/s2c
     offset  bytes                field      value                 meaning
        100  00 00 07 4c          size       1868
        104  85                   flags      0x85
        104  1... ....              high     true
        104  .... 0101              low      5
        105  52 61 64 00          name       "Rad"
        109  01 0a                entry [1]  10                    key 1
        111  02 14                entry [2]  20                    key 2
        113  03 1e                entry [3]  30                    key 3
        115  30 31 32 33 34 35 …  body       30313233343536373839
                                  signed     -3
    ! odd  toy.strange  a name  at offset 105  (toy.name)
    00000064  00 00 07 4c 85 52 61 64  00 01 0a 02 14 03 1e 30  |...L.Rad.......0|
    00000074  31 32 33 34 35 36 37 38  39                       |123456789|
    "#);
}

#[test]
fn details_are_of_the_chosen_protocols_only() {
    let options = TableOptions { details: vec![&trial::LINK], ..plain_table() };
    assert_snapshot!(framed(TOY, read).table(Messages, options), @r#"
    #1  +0.000000  10.0.0.1:27000 → 10.0.0.2:51000  Toy  update, 3 entries  frame 17
    Link
     offset  bytes  field  value   meaning
          0  00 08  type   0x0008  Toy
    ! odd  toy.strange  a name  at offset 7  (toy.name)
    "#);
}

#[test]
fn a_packet_is_a_heading_and_a_table_for_each_layer() {
    assert_snapshot!(framed(TOY, read).table(Packets, plain_table()), @r#"
    #17  +0.000000  31 bytes (captured 27)  lnk:toy  10.0.0.1:27000 → 10.0.0.2:51000  update, 3 entries
    Link
     offset  bytes  field  value   meaning
          0  00 08  type   0x0008  Toy
    Toy  update, 3 entries
     offset  bytes                field      value                 meaning
          2  00 00 07 4c          size       1868
          6  85                   flags      0x85
          6  1... ....              high     true
          6  .... 0101              low      5
          7  52 61 64 00          name       "Rad"
         11  01 0a                entry [1]  10                    key 1
         13  02 14                entry [2]  20                    key 2
         15  03 1e                entry [3]  30                    key 3
         17  30 31 32 33 34 35 …  body       30313233343536373839
                                  signed     -3
    ! odd  toy.strange  a name  at offset 7  (toy.name)
    "#);
}

#[test]
fn many_siblings_are_cut_to_a_handful() {
    assert_snapshot!(entries(62).table(Messages, plain_table()), @r#"
    #1  +0.000000  10.0.0.1:27000 → 10.0.0.2:51000  Toy  many  frame 17
     offset  bytes  field       value  meaning
          2  00 00  entry [1]   0      key 0
          4  01 01  entry [2]   1      key 1
          6  02 02  entry [3]   2      key 2
          8  03 03  entry [4]   3      key 3
         10  04 04  entry [5]   4      key 4
         12  05 05  entry [6]   5      key 5
         14  06 06  entry [7]   6      key 6
         16  07 07  entry [8]   7      key 7
         18  08 08  entry [9]   8      key 8
         20  09 09  entry [10]  9      key 9
         22  0a 0a  entry [11]  10     key 10
         24  0b 0b  entry [12]  11     key 11
             … 50 more entries (-V shows all)
    "#);
}

#[test]
fn a_narrow_terminal_cuts_values_and_never_wraps() {
    let trial = framed(&[b'x'; 300], |wire| wire.text(&trial::NAME, 300).map(drop));
    for width in [60, 80, 200] {
        let table = trial.table(Messages, TableOptions { width: Some(width), ..plain_table() });
        let widest = table.lines().skip(1).map(super::text::width).max();
        assert!(widest <= Some(width), "{widest:?} in {width}\n{table}");
        assert!(table.contains("xxx…"), "{table}");
    }
    let all = trial.table(Messages, TableOptions { width: Some(80), verbose_fields: true, ..plain_table() });
    assert_eq!(all.lines().skip(1).filter(|line| super::text::width(line) > 80).count(), 0);
    assert_eq!(all.matches('x').count(), 300);
}

#[test]
fn a_message_without_details_takes_one_line() {
    let trial = framed(&[0, 0, 0, 0], |wire| {
        wire.name("heartbeat");
        wire.u32_be(&trial::SIZE).map(drop)
    });
    assert_snapshot!(trial.table(Messages, plain_table()), @r#"
    #1  +0.000000  10.0.0.1:27000 → 10.0.0.2:51000  Toy  heartbeat  frame 17
    "#);
}

#[test]
fn data_takes_a_line_with_a_preview() {
    let mut trial = framed(&[], |_| Ok(()));
    trial.tree.layers.clear();
    let bytes: Vec<u8> = (0..40).collect();
    crate::layers::unexplained(&mut trial.tree, crate::layers::Bytes::of_frame(&bytes), 0..40, None);
    trial.bytes = bytes;
    assert_snapshot!(trial.table(Messages, plain_table()), @r#"
    #1  +0.000000  10.0.0.1:27000 → 10.0.0.2:51000  Data  40 bytes  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f …  frame 17
    "#);
}

#[test]
fn a_gap_takes_a_line() {
    assert_snapshot!(gap().table(Messages, plain_table()), @r#"
    --  gap  tcp/0 s2c  1460 bytes missing at 9000 (given up at frame 40)
    "#);
    assert_snapshot!(gap().list(Packets, Theme::plain()), @r#"
    40                                  →                                    0
    -- gap  tcp/0 s2c  1460 bytes missing at 9000 (given up at frame 40)
    "#);
    assert_snapshot!(gap().json(Packets, false), @r#"
    {"type":"packet","n":40,"length":0,"captured":0,"layers":[]}
    {"type":"gap","stream":"tcp/0","dir":"s2c","off":9000,"len":1460,"frame":40}
    "#);
    assert_eq!(columns(&gap(), &["frame.number"], ColumnOptions::default()), "");
}

#[test]
fn a_list_has_a_line_for_each_record() {
    assert_snapshot!(framed(TOY, read).list(Messages, Theme::plain()), @r#"
        1   0.000000        10.0.0.1:27000 → 10.0.0.2:51000        Toy         25 update, 3 entries
    "#);
    assert_snapshot!(framed(TOY, read).list(Packets, Theme::plain()), @r#"
       17   0.000000        10.0.0.1:27000 → 10.0.0.2:51000        Toy         31 update, 3 entries
    "#);
}

/// A frame without endpoints takes as much of a wide line as the shortest endpoints.
#[test]
fn a_wide_list_leaves_room_for_endpoints() {
    let [framed, gap] = [framed(TOY, read), gap()].map(|trial| trial.list_within(Packets, Theme::plain(), Some(120)));
    assert_snapshot!(framed, @"   17   0.000000 10.0.0.1:27000 → 10.0.0.2:51000 Toy         31 update, 3 entries");
    assert_eq!(gap.lines().next(), Some("   40                                           0"));
}

#[test]
fn hostile_text_is_harmless_in_every_sink() {
    let trial = hostile();
    let columns = |options| {
        trial.columns(Messages, vec![column("toy.name"), column("message.name")], ColumnOptions { separator: '|', ..options })
    };
    let everything = TableOptions { verbose_fields: true, carriers: true, hex: true, ..plain_table() };
    for view in [Messages, Packets] {
        let all = [
            trial.table(view, plain_table()),
            trial.table(view, everything.clone()),
            trial.list(view, Theme::plain()),
            trial.json(view, true),
            columns(ColumnOptions::default()),
            columns(ColumnOptions::csv()),
        ];
        for text in all {
            assert!(is_harmless(&text), "{text:?}");
            assert!(text.ends_with('\n') && !text.contains('\r'), "{text:?}");
        }
    }
}

#[test]
fn a_theme_colours_tables_and_lines_without_moving_anything() {
    let coloured = TableOptions { theme: Theme::coloured(), hex: true, carriers: true, ..plain_table() };
    let plain = TableOptions { theme: Theme::plain(), ..coloured.clone() };
    let trial = streamed(TOY, read);
    for view in [Messages, Packets] {
        let table = trial.table(view, coloured.clone());
        assert!(table.contains("\x1b["));
        assert_eq!(without_colour(&table), trial.table(view, plain.clone()));
        assert_eq!(without_colour(&trial.list(view, Theme::coloured())), trial.list(view, Theme::plain()));
    }
}

fn without_colour(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn columns_are_written_as_tshark_writes_them() {
    let trial = framed(TOY, read);
    let names = ["frame.number", "toy.size", "toy.any", "toy.flags.high", "toy.body", "toy.host", "lnk.type"];
    assert_eq!(
        columns(&trial, &names, ColumnOptions::default()),
        "17\t1868\t1,10,2,20,3,30\t1\t30313233343536373839\t\t0x0008\n"
    );
    let first = ColumnOptions { occurrence: Occurrence::First, separator: ';', ..ColumnOptions::default() };
    assert_eq!(columns(&trial, &["toy.any", "toy.size"], first), "1;1868\n");
    let last = ColumnOptions { occurrence: Occurrence::Last, quote: Some('\''), ..ColumnOptions::default() };
    assert_eq!(columns(&trial, &["toy.any", "toy.host"], last), "'30'\t\n");
}

#[test]
fn quotes_are_doubled_in_csv_only() {
    let trial = framed(b"a\"b,\tc", |wire| wire.text(&trial::NAME, 6).map(drop));
    let tshark = ColumnOptions { quote: Some('"'), ..ColumnOptions::default() };
    assert_eq!(columns(&trial, &["toy.name"], tshark), "\"a\"b,\\tc\"\n");
    assert_eq!(columns(&trial, &["toy.name"], ColumnOptions::csv()), "\"a\"\"b,\\tc\"\n");
}

#[test]
fn pseudo_fields_are_written_as_tshark_writes_them() {
    let trial = streamed(TOY, read);
    let names: Vec<&str> = PSEUDO_FIELDS.iter().map(|pseudo| pseudo.name).collect();
    assert!(names.is_sorted());
    // A date depends on the local time zone.
    let names: Vec<&str> = names.into_iter().filter(|name| *name != "frame.time").collect();
    let line = columns(&trial, &names, ColumnOptions { separator: ' ', ..ColumnOptions::default() });
    assert_snapshot!(line, @r#"
    10.0.0.2 update, 3 entries 25 17 17 Toy 10.0.0.1 0.000000 Expert Info (Warning/Protocol): a name 150994944 a name 6291456  s2c 10.0.0.2:51000 27  1 0   31 0 17 0.000000000 lnk:toy 0.000000000 1448400002.055398000 0.000000000 3 entries s2c update  1 toy 1 update toy 10.0.0.1:27000 tcp/0
    "#);
}

#[test]
fn words_of_pseudo_fields_are_harmless() {
    assert_eq!(PseudoValue::Words("a\x1b").to_string(), "a\\u{1b}");
}

#[test]
fn columns_of_groups_and_of_no_bytes_show_what_tshark_shows() {
    assert_eq!(columns(&entries(3), &["toy.entry"], ColumnOptions::default()), "1,1,1\n");
    let empty = framed(b"", |wire| {
        wire.put(&trial::BODY, crate::tree::Value::Bytes, 0..0);
        Ok(())
    });
    assert_eq!(columns(&empty, &["toy.body"], ColumnOptions::default()), "<MISSING>\n");
}
