//! Tests of messages and values.

use super::MESSAGE;
use super::message::{message, recognize};
use crate::wire::{Cut, trial};

const INIT: &str = "f300 0108 1e 410603 00 33663261 37316330 35663165 34623763";
const RESPONSES: [&str; 3] = ["f303 e5 0000 08 00", "f303 fd f97f 07 02 6e6f 00", "f303 fd 7ff9 73 0002 6e6f 0000"];
const REQUESTS: [&str; 4] = ["f302 fe 00", "f302 fe 0000", "f306 00 01 01 43 02 0102", "f302 fd 0001 f4 62 03"];
const LOGIN: &str = "f302 e6 02 dc 07 03 312e30 d8 07 04 70617373";
const CLOSED: &str = "f382 01020304";
/// A value of each type of the version 1.8.
const VALUES_18: &str = "f304c82b0002010103ff0204feff03050000c03f0406000000000000f8bf0507046d6f6f7206080709ffffffff0f080a01090b050a0c050b0d00010c \
    0e00010d0f070e10070f11e8031012e80311138002010212d6030102031314030901070e1414001407030103050101610215150107016b1b1617020b \
    0108171b181c191d1a1e1b1f1c201d211e221f40014301aa20420aff03214302c0ff2244020100ffff2345010000803f244601000000000000f03f25 \
    47020161002649020201274a01022853028001aa01bb2954030701010501622a5501010b010b02";
/// A value of each type of the version 1.6.
const VALUES_16: &str = "f304c80016002a0162ff026f01036bfffe046980000000056cffffffffffffffff06663fc000000764bff8000000000000087300046d6f6f72097800 \
    000002c0ff0a635600030102030b61000200016100000c6e0000000200000001ffffffff0d7900026b0001ffff0e7a000269000000012a0f68000173 \
    00016b6f0010446269000107000000071144007300016205000161127900017800000001aa1379000163560001aa1479000144627300010500016215 \
    7900017900016205";

fn read(hex: &str) -> String {
    trial::read(&MESSAGE, &trial::bytes(hex), Cut::No, message)
}

#[test]
fn messages_are_dissected() {
    let messages = [&[INIT][..], &RESPONSES, &REQUESTS, &[LOGIN, CLOSED]].concat();
    assert!(messages.iter().all(|hex| recognize(&trial::bytes(hex))));
    let trees: String = messages.into_iter().map(read).collect();
    insta::assert_snapshot!(trees, @r#"
    photon.message 0..25 | Init | GpBinary 1.8
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x00
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 0 (Init)
      2..3 photon.message.init.protocol_major = 1
      3..4 photon.message.init.protocol_minor = 8
      4..5 photon.message.init.sdk = 0x1e
      5..8 photon.message.init.client_version = 410603
      8..9 photon.message.init.flags = 0x00
      9..25 photon.message.init.application = "3f2a71c05f1e4b7c"
    photon.message 0..7 | Operation response | 229 Join lobby, 0 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x03
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 3 (Operation response)
      2..3 photon.message.operation = 229 (Join lobby)
      3..5 photon.message.return_code = 0
      5..6 photon.message.debug_message
        5..6 photon.message.value.type = 8 (null)
      6..7 photon.message.parameter_count = 0
    photon.message 0..10 | Operation response | 253 Raise event, returned 32761, 0 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x03
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 3 (Operation response)
      2..3 photon.message.operation = 253 (Raise event)
      3..5 photon.message.return_code = 32761
      5..9 photon.message.debug_message
        5..6 photon.message.value.type = 7 (string)
        6..7 photon.message.value.length = 2
        7..9 photon.message.value.text = "no"
      9..10 photon.message.parameter_count = 0
    photon.message 0..12 | Operation response | 253 Raise event, returned 32761, 0 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x03
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 3 (Operation response)
      2..3 photon.message.operation = 253 (Raise event)
      3..5 photon.message.return_code = 32761
      5..10 photon.message.debug_message
        5..6 photon.message.value.letter = 0x73 (string)
        6..8 photon.message.value.length = 2
        8..10 photon.message.value.text = "no"
      10..12 photon.message.parameter_count = 0
    photon.message 0..4 | Operation request | 254 Leave, 0 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x02
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 2 (Operation request)
      2..3 photon.message.operation = 254 (Leave)
      3..4 photon.message.parameter_count = 0
    photon.message 0..5 | Operation request | 254 Leave, 0 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x02
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 2 (Operation request)
      2..3 photon.message.operation = 254 (Leave)
      3..5 photon.message.parameter_count = 0
    photon.message 0..9 | Internal operation request | 0 Exchange keys, 1 parameter
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x06
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 6 (Internal operation request)
      2..3 photon.message.internal_operation = 0 (Exchange keys)
      3..4 photon.message.parameter_count = 1
      4..9 photon.message.parameter
        4..5 photon.message.parameter.key = 1
        5..6 photon.message.value.type = 67 (bytes)
        6..7 photon.message.value.length = 2
        7..9 photon.message.value.bytes = 0102
    photon.message 0..8 | Operation request | 253 Raise event, 1 parameter
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x02
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 2 (Operation request)
      2..3 photon.message.operation = 253 (Raise event)
      3..5 photon.message.parameter_count = 1
      5..8 photon.message.parameter
        5..6 photon.message.parameter.key = 244
        6..7 photon.message.value.letter = 0x62 (byte)
        7..8 photon.message.value.number = 3
    photon.message 0..17 | Operation request | 230 Authenticate, 2 parameters
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x02
        1..2 photon.message.encrypted = false
        1..2 photon.message.kind = 2 (Operation request)
      2..3 photon.message.operation = 230 (Authenticate)
      3..4 photon.message.parameter_count = 2
      4..10 photon.message.parameter
        4..5 photon.message.parameter.key = 220
        5..6 photon.message.value.type = 7 (string)
        6..7 photon.message.value.length = 3
        7..10 photon.message.value.text = "1.0"
      10..17 photon.message.parameter
        10..11 photon.message.parameter.key = 216
        11..12 photon.message.value.type = 7 (string)
        12..13 photon.message.value.length = 4
        13..17 photon.message.value.text = "pass"
    photon.message 0..6 | Operation request | encrypted
      0..1 photon.message.magic = 0xf3
      1..2 photon.message.flags = 0x82
        1..2 photon.message.encrypted = true
        1..2 photon.message.kind = 2 (Operation request)
      2..6 photon.message.data = 01020304
    "#);
}

#[test]
fn values_of_the_version_1_8_are_dissected() {
    insta::assert_snapshot!(trial::below(&read(VALUES_18), &["photon.message.parameter"]), @r#"
    photon.message 0..219 | Event | 200, 43 parameters
      4..7 photon.message.parameter
        4..5 photon.message.parameter.key = 0
        5..6 photon.message.value.type = 2 (boolean)
        6..7 photon.message.value.bool = true
      7..10 photon.message.parameter
        7..8 photon.message.parameter.key = 1
        8..9 photon.message.value.type = 3 (byte)
        9..10 photon.message.value.number = 255
      10..14 photon.message.parameter
        10..11 photon.message.parameter.key = 2
        11..12 photon.message.value.type = 4 (short)
        12..14 photon.message.value.number = -2
      14..20 photon.message.parameter
        14..15 photon.message.parameter.key = 3
        15..16 photon.message.value.type = 5 (float)
        16..20 photon.message.value.float = 1.5
      20..30 photon.message.parameter
        20..21 photon.message.parameter.key = 4
        21..22 photon.message.value.type = 6 (double)
        22..30 photon.message.value.float = -1.5
      30..37 photon.message.parameter
        30..31 photon.message.parameter.key = 5
        31..32 photon.message.value.type = 7 (string)
        32..33 photon.message.value.length = 4
        33..37 photon.message.value.text = "moor"
      37..39 photon.message.parameter
        37..38 photon.message.parameter.key = 6
        38..39 photon.message.value.type = 8 (null)
      39..46 photon.message.parameter
        39..40 photon.message.parameter.key = 7
        40..41 photon.message.value.type = 9 (integer)
        41..46 photon.message.value.number = -2147483648
      46..49 photon.message.parameter
        46..47 photon.message.parameter.key = 8
        47..48 photon.message.value.type = 10 (long)
        48..49 photon.message.value.number = -1
      49..52 photon.message.parameter
        49..50 photon.message.parameter.key = 9
        50..51 photon.message.value.type = 11 (integer of 1 byte)
        51..52 photon.message.value.number = 5
      52..55 photon.message.parameter
        52..53 photon.message.parameter.key = 10
        53..54 photon.message.value.type = 12 (negative integer of 1 byte)
        54..55 photon.message.value.number = -5
      55..59 photon.message.parameter
        55..56 photon.message.parameter.key = 11
        56..57 photon.message.value.type = 13 (integer of 2 bytes)
        57..59 photon.message.value.number = 256
      59..63 photon.message.parameter
        59..60 photon.message.parameter.key = 12
        60..61 photon.message.value.type = 14 (negative integer of 2 bytes)
        61..63 photon.message.value.number = -256
      63..66 photon.message.parameter
        63..64 photon.message.parameter.key = 13
        64..65 photon.message.value.type = 15 (long of 1 byte)
        65..66 photon.message.value.number = 7
      66..69 photon.message.parameter
        66..67 photon.message.parameter.key = 14
        67..68 photon.message.value.type = 16 (negative long of 1 byte)
        68..69 photon.message.value.number = -7
      69..73 photon.message.parameter
        69..70 photon.message.parameter.key = 15
        70..71 photon.message.value.type = 17 (long of 2 bytes)
        71..73 photon.message.value.number = 1000
      73..77 photon.message.parameter
        73..74 photon.message.parameter.key = 16
        74..75 photon.message.value.type = 18 (negative long of 2 bytes)
        75..77 photon.message.value.number = -1000
      77..83 photon.message.parameter
        77..78 photon.message.parameter.key = 17
        78..79 photon.message.value.type = 19 (custom)
        79..80 photon.message.value.custom_type = 128
        80..81 photon.message.value.length = 2
        81..83 photon.message.value.bytes = 0102
      83..89 photon.message.parameter
        83..84 photon.message.parameter.key = 18
        84..85 photon.message.value.type = 214
        84..85 photon.message.value.custom_type = 86
        85..86 photon.message.value.length = 3
        86..89 photon.message.value.bytes = 010203
      89..96 photon.message.parameter
        89..90 photon.message.parameter.key = 19
        90..91 photon.message.value.type = 20 (dictionary)
        91..92 photon.message.dictionary.key_type = 3 (byte)
        92..93 photon.message.dictionary.value_type = 9 (integer)
        93..94 photon.message.value.count = 1
        94..96 photon.message.entry
          94..95 photon.message.value.number = 7
          95..96 photon.message.value.number = 7
      96..109 photon.message.parameter
        96..97 photon.message.parameter.key = 20
        97..98 photon.message.value.type = 20 (dictionary)
        98..99 photon.message.dictionary.key_type = 0
        99..100 photon.message.dictionary.value_type = 20 (dictionary)
        100..101 photon.message.dictionary.key_type = 7 (string)
        101..102 photon.message.dictionary.value_type = 3 (byte)
        102..103 photon.message.value.count = 1
        103..109 photon.message.entry
          103..104 photon.message.value.type = 3 (byte)
          104..105 photon.message.value.number = 5
          105..106 photon.message.value.count = 1
          106..109 photon.message.entry
            106..107 photon.message.value.length = 1
            107..108 photon.message.value.text = "a"
            108..109 photon.message.value.number = 2
      109..116 photon.message.parameter
        109..110 photon.message.parameter.key = 21
        110..111 photon.message.value.type = 21 (hashtable)
        111..112 photon.message.value.count = 1
        112..116 photon.message.entry
          112..113 photon.message.value.type = 7 (string)
          113..114 photon.message.value.length = 1
          114..115 photon.message.value.text = "k"
          115..116 photon.message.value.type = 27 (false)
          115..116 photon.message.value.bool = false
      116..122 photon.message.parameter
        116..117 photon.message.parameter.key = 22
        117..118 photon.message.value.type = 23 (objects)
        118..119 photon.message.value.count = 2
        119..121 photon.message.element
          119..120 photon.message.value.type = 11 (integer of 1 byte)
          120..121 photon.message.value.number = 1
        121..122 photon.message.element
          121..122 photon.message.value.type = 8 (null)
      122..124 photon.message.parameter
        122..123 photon.message.parameter.key = 23
        123..124 photon.message.value.type = 27 (false)
        123..124 photon.message.value.bool = false
      124..126 photon.message.parameter
        124..125 photon.message.parameter.key = 24
        125..126 photon.message.value.type = 28 (true)
        125..126 photon.message.value.bool = true
      126..128 photon.message.parameter
        126..127 photon.message.parameter.key = 25
        127..128 photon.message.value.type = 29 (short 0)
        127..128 photon.message.value.number = 0
      128..130 photon.message.parameter
        128..129 photon.message.parameter.key = 26
        129..130 photon.message.value.type = 30 (integer 0)
        129..130 photon.message.value.number = 0
      130..132 photon.message.parameter
        130..131 photon.message.parameter.key = 27
        131..132 photon.message.value.type = 31 (long 0)
        131..132 photon.message.value.number = 0
      132..134 photon.message.parameter
        132..133 photon.message.parameter.key = 28
        133..134 photon.message.value.type = 32 (float 0)
        133..134 photon.message.value.float = 0
      134..136 photon.message.parameter
        134..135 photon.message.parameter.key = 29
        135..136 photon.message.value.type = 33 (double 0)
        135..136 photon.message.value.float = 0
      136..138 photon.message.parameter
        136..137 photon.message.parameter.key = 30
        137..138 photon.message.value.type = 34 (byte 0)
        137..138 photon.message.value.number = 0
      138..144 photon.message.parameter
        138..139 photon.message.parameter.key = 31
        139..140 photon.message.value.type = 64 (arrays)
        140..141 photon.message.value.count = 1
        141..144 photon.message.element
          141..142 photon.message.value.type = 67 (bytes)
          142..143 photon.message.value.length = 1
          143..144 photon.message.value.bytes = aa
      144..149 photon.message.parameter
        144..145 photon.message.parameter.key = 32
        145..146 photon.message.value.type = 66 (booleans)
        146..147 photon.message.value.count = 10
        147..149 photon.message.value.bits = ff03
      149..154 photon.message.parameter
        149..150 photon.message.parameter.key = 33
        150..151 photon.message.value.type = 67 (bytes)
        151..152 photon.message.value.length = 2
        152..154 photon.message.value.bytes = c0ff
      154..161 photon.message.parameter
        154..155 photon.message.parameter.key = 34
        155..156 photon.message.value.type = 68 (shorts)
        156..157 photon.message.value.count = 2
        157..159 photon.message.value.number = 1
        159..161 photon.message.value.number = -1
      161..168 photon.message.parameter
        161..162 photon.message.parameter.key = 35
        162..163 photon.message.value.type = 69 (floats)
        163..164 photon.message.value.count = 1
        164..168 photon.message.value.float = 1
      168..179 photon.message.parameter
        168..169 photon.message.parameter.key = 36
        169..170 photon.message.value.type = 70 (doubles)
        170..171 photon.message.value.count = 1
        171..179 photon.message.value.float = 1
      179..185 photon.message.parameter
        179..180 photon.message.parameter.key = 37
        180..181 photon.message.value.type = 71 (strings)
        181..182 photon.message.value.count = 2
        182..183 photon.message.value.length = 1
        183..184 photon.message.value.text = "a"
        184..185 photon.message.value.length = 0
        185..185 photon.message.value.text = ""
      185..190 photon.message.parameter
        185..186 photon.message.parameter.key = 38
        186..187 photon.message.value.type = 73 (integers)
        187..188 photon.message.value.count = 2
        188..189 photon.message.value.number = 1
        189..190 photon.message.value.number = -1
      190..194 photon.message.parameter
        190..191 photon.message.parameter.key = 39
        191..192 photon.message.value.type = 74 (longs)
        192..193 photon.message.value.count = 1
        193..194 photon.message.value.number = 1
      194..202 photon.message.parameter
        194..195 photon.message.parameter.key = 40
        195..196 photon.message.value.type = 83 (customs)
        196..197 photon.message.value.count = 2
        197..198 photon.message.value.custom_type = 128
        198..199 photon.message.value.length = 1
        199..200 photon.message.value.bytes = aa
        200..201 photon.message.value.length = 1
        201..202 photon.message.value.bytes = bb
      202..211 photon.message.parameter
        202..203 photon.message.parameter.key = 41
        203..204 photon.message.value.type = 84 (dictionaries)
        204..205 photon.message.dictionary.key_type = 3 (byte)
        205..206 photon.message.dictionary.value_type = 7 (string)
        206..207 photon.message.value.count = 1
        207..211 photon.message.element
          207..208 photon.message.value.count = 1
          208..211 photon.message.entry
            208..209 photon.message.value.number = 5
            209..210 photon.message.value.length = 1
            210..211 photon.message.value.text = "b"
      211..219 photon.message.parameter
        211..212 photon.message.parameter.key = 42
        212..213 photon.message.value.type = 85 (hashtables)
        213..214 photon.message.value.count = 1
        214..219 photon.message.element
          214..215 photon.message.value.count = 1
          215..219 photon.message.entry
            215..216 photon.message.value.type = 11 (integer of 1 byte)
            216..217 photon.message.value.number = 1
            217..218 photon.message.value.type = 11 (integer of 1 byte)
            218..219 photon.message.value.number = 2
    "#);
}

#[test]
fn values_of_the_version_1_6_are_dissected() {
    insta::assert_snapshot!(trial::below(&read(VALUES_16), &["photon.message.parameter"]), @r#"
    photon.message 0..188 | Event | 200, 22 parameters
      5..7 photon.message.parameter
        5..6 photon.message.parameter.key = 0
        6..7 photon.message.value.letter = 0x2a (null)
      7..10 photon.message.parameter
        7..8 photon.message.parameter.key = 1
        8..9 photon.message.value.letter = 0x62 (byte)
        9..10 photon.message.value.number = 255
      10..13 photon.message.parameter
        10..11 photon.message.parameter.key = 2
        11..12 photon.message.value.letter = 0x6f (boolean)
        12..13 photon.message.value.bool = true
      13..17 photon.message.parameter
        13..14 photon.message.parameter.key = 3
        14..15 photon.message.value.letter = 0x6b (short)
        15..17 photon.message.value.number = -2
      17..23 photon.message.parameter
        17..18 photon.message.parameter.key = 4
        18..19 photon.message.value.letter = 0x69 (integer)
        19..23 photon.message.value.number = -2147483648
      23..33 photon.message.parameter
        23..24 photon.message.parameter.key = 5
        24..25 photon.message.value.letter = 0x6c (long)
        25..33 photon.message.value.number = -1
      33..39 photon.message.parameter
        33..34 photon.message.parameter.key = 6
        34..35 photon.message.value.letter = 0x66 (float)
        35..39 photon.message.value.float = 1.5
      39..49 photon.message.parameter
        39..40 photon.message.parameter.key = 7
        40..41 photon.message.value.letter = 0x64 (double)
        41..49 photon.message.value.float = -1.5
      49..57 photon.message.parameter
        49..50 photon.message.parameter.key = 8
        50..51 photon.message.value.letter = 0x73 (string)
        51..53 photon.message.value.length = 4
        53..57 photon.message.value.text = "moor"
      57..65 photon.message.parameter
        57..58 photon.message.parameter.key = 9
        58..59 photon.message.value.letter = 0x78 (bytes)
        59..63 photon.message.value.length = 2
        63..65 photon.message.value.bytes = c0ff
      65..73 photon.message.parameter
        65..66 photon.message.parameter.key = 10
        66..67 photon.message.value.letter = 0x63 (custom)
        67..68 photon.message.value.custom_type = 86
        68..70 photon.message.value.length = 3
        70..73 photon.message.value.bytes = 010203
      73..82 photon.message.parameter
        73..74 photon.message.parameter.key = 11
        74..75 photon.message.value.letter = 0x61 (strings)
        75..77 photon.message.value.count = 2
        77..79 photon.message.value.length = 1
        79..80 photon.message.value.text = "a"
        80..82 photon.message.value.length = 0
        82..82 photon.message.value.text = ""
      82..96 photon.message.parameter
        82..83 photon.message.parameter.key = 12
        83..84 photon.message.value.letter = 0x6e (integers)
        84..88 photon.message.value.count = 2
        88..92 photon.message.value.number = 1
        92..96 photon.message.value.number = -1
      96..105 photon.message.parameter
        96..97 photon.message.parameter.key = 13
        97..98 photon.message.value.letter = 0x79 (array)
        98..100 photon.message.value.count = 2
        100..101 photon.message.array.letter = 0x6b (short)
        101..103 photon.message.value.number = 1
        103..105 photon.message.value.number = -1
      105..115 photon.message.parameter
        105..106 photon.message.parameter.key = 14
        106..107 photon.message.value.letter = 0x7a (objects)
        107..109 photon.message.value.count = 2
        109..114 photon.message.element
          109..110 photon.message.value.letter = 0x69 (integer)
          110..114 photon.message.value.number = 1
        114..115 photon.message.element
          114..115 photon.message.value.letter = 0x2a (null)
      115..125 photon.message.parameter
        115..116 photon.message.parameter.key = 15
        116..117 photon.message.value.letter = 0x68 (hashtable)
        117..119 photon.message.value.count = 1
        119..125 photon.message.entry
          119..120 photon.message.value.letter = 0x73 (string)
          120..122 photon.message.value.length = 1
          122..123 photon.message.value.text = "k"
          123..124 photon.message.value.letter = 0x6f (boolean)
          124..125 photon.message.value.bool = false
      125..136 photon.message.parameter
        125..126 photon.message.parameter.key = 16
        126..127 photon.message.value.letter = 0x44 (dictionary)
        127..128 photon.message.dictionary.key_letter = 0x62 (byte)
        128..129 photon.message.dictionary.value_letter = 0x69 (integer)
        129..131 photon.message.value.count = 1
        131..136 photon.message.entry
          131..132 photon.message.value.number = 7
          132..136 photon.message.value.number = 7
      136..147 photon.message.parameter
        136..137 photon.message.parameter.key = 17
        137..138 photon.message.value.letter = 0x44 (dictionary)
        138..139 photon.message.dictionary.key_letter = 0x00
        139..140 photon.message.dictionary.value_letter = 0x73 (string)
        140..142 photon.message.value.count = 1
        142..147 photon.message.entry
          142..143 photon.message.value.letter = 0x62 (byte)
          143..144 photon.message.value.number = 5
          144..146 photon.message.value.length = 1
          146..147 photon.message.value.text = "a"
      147..157 photon.message.parameter
        147..148 photon.message.parameter.key = 18
        148..149 photon.message.value.letter = 0x79 (array)
        149..151 photon.message.value.count = 1
        151..152 photon.message.array.letter = 0x78 (bytes)
        152..156 photon.message.value.length = 1
        156..157 photon.message.value.bytes = aa
      157..166 photon.message.parameter
        157..158 photon.message.parameter.key = 19
        158..159 photon.message.value.letter = 0x79 (array)
        159..161 photon.message.value.count = 1
        161..162 photon.message.array.letter = 0x63 (custom)
        162..163 photon.message.value.custom_type = 86
        163..165 photon.message.value.length = 1
        165..166 photon.message.value.bytes = aa
      166..179 photon.message.parameter
        166..167 photon.message.parameter.key = 20
        167..168 photon.message.value.letter = 0x79 (array)
        168..170 photon.message.value.count = 1
        170..171 photon.message.array.letter = 0x44 (dictionary)
        171..172 photon.message.dictionary.key_letter = 0x62 (byte)
        172..173 photon.message.dictionary.value_letter = 0x73 (string)
        173..179 photon.message.element
          173..175 photon.message.value.count = 1
          175..179 photon.message.entry
            175..176 photon.message.value.number = 5
            176..178 photon.message.value.length = 1
            178..179 photon.message.value.text = "b"
      179..188 photon.message.parameter
        179..180 photon.message.parameter.key = 21
        180..181 photon.message.value.letter = 0x79 (array)
        181..183 photon.message.value.count = 1
        183..184 photon.message.array.letter = 0x79 (array)
        184..188 photon.message.element
          184..186 photon.message.value.count = 1
          186..187 photon.message.array.letter = 0x62 (byte)
          187..188 photon.message.value.number = 5
    "#);
}

#[test]
fn payloads_of_other_kinds_are_data() {
    // A position of another game, whose bytes are no parameters.
    for hex in ["f302 10 00000007 3fc00000", "f304 13 41", "f303 10 0000 00", "f308 07 01 61"] {
        let tree = read(hex);
        assert!(tree.contains("photon.message.data") && !tree.contains("dissect."), "{tree}");
    }
    assert!(!recognize(b"\xf2\x02") && !recognize(b"\xf3\x0a") && !recognize(b"\xf3"));
}

#[test]
fn hostile_values_end() {
    let endless = [
        "14 08 08 ffffffff0f",
        "17 ffffffff0f 0b01",
        "14 1400 ffffffff0f",
        "42 ffffffff0f",
        "09 ffffffffffff",
        "16",
        "40ff".repeat(200).as_str(),
    ]
    .map(|value| read(&format!("f304 c8 01 00 {value}")));
    for tree in endless {
        assert!(tree.contains("photon.") && tree.lines().count() < 700, "{tree}");
    }
}

#[test]
fn damaged_messages_are_dissected() {
    for hex in [INIT, RESPONSES[1], RESPONSES[2], REQUESTS[2], LOGIN, VALUES_18, VALUES_16] {
        trial::survives_damage(&MESSAGE, &trial::bytes(hex), message);
    }
}
