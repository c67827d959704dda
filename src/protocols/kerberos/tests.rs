//! Kerberos messages, valid and malformed.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Cut, trial};

/// An element of BER.
fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let contents = parts.concat();
    let length = contents.len();
    let head = match u8::try_from(length) {
        Ok(short @ 0..0x80) => vec![tag, short],
        _ => [&[tag, 0x82][..], &u16::try_from(length).unwrap_or_default().to_be_bytes()].concat(),
    };
    [head, contents].concat()
}

/// A numbered member.
fn member(number: u8, value: &[u8]) -> Vec<u8> {
    element(0xa0 | number, &[value])
}

fn integer(number: u8) -> Vec<u8> {
    vec![2, 1, number]
}

fn text(text: &str) -> Vec<u8> {
    element(0x1b, &[text.as_bytes()])
}

fn name(kind: u8, parts: &[&str]) -> Vec<u8> {
    let parts: Vec<u8> = parts.iter().flat_map(|part| text(part)).collect();
    element(0x30, &[&member(0, &integer(kind)), &member(1, &element(0x30, &[&parts]))])
}

fn sealed() -> Vec<u8> {
    element(0x30, &[&member(0, &integer(18)), &member(1, &integer(2)), &member(2, b"\x04\x02\xab\xcd")])
}

fn ticket() -> Vec<u8> {
    let parts =
        [member(0, &integer(5)), member(1, &text("HOME")), member(2, &name(2, &["krbtgt", "HOME"])), member(3, &sealed())];
    element(0x61, &[&element(0x30, &[&parts.concat()])])
}

fn request() -> Vec<u8> {
    let stamp = element(0x30, &[&member(1, &integer(2)), &member(2, &element(4, &[&sealed()]))]);
    let other = element(0x30, &[&member(1, &integer(128)), &member(2, b"\x04\x01\x00")]);
    let apreq = [
        member(0, &integer(5)),
        member(1, &integer(14)),
        member(2, b"\x03\x05\0\0\0\0\0"),
        member(3, &ticket()),
        member(4, &sealed()),
    ];
    let apreq = element(0x6e, &[&element(0x30, &[&apreq.concat()])]);
    let second = element(0x30, &[&member(1, &integer(1)), &member(2, &element(4, &[&apreq]))]);
    let body = [
        member(0, b"\x03\x05\0\x40\x81\0\x10"),
        member(1, &name(1, &["anna"])),
        member(2, &text("HOME")),
        member(3, &name(2, &["krbtgt", "HOME"])),
        member(5, b"\x18\x0f20370913024805Z"),
        member(7, b"\x02\x04\x7f\0\0\x01"),
        member(8, &element(0x30, &[&integer(18), &integer(17)])),
        member(9, &element(0x30, &[&element(0x30, &[&member(0, &integer(2)), &member(1, b"\x04\x04\xc0\0\x02\x01")])])),
    ];
    let parts = [
        member(1, &integer(5)),
        member(2, &integer(10)),
        member(3, &element(0x30, &[&stamp, &other, &second])),
        member(4, &element(0x30, &[&body.concat()])),
    ];
    element(0x6a, &[&element(0x30, &[&parts.concat()])])
}

fn response() -> Vec<u8> {
    let parts = [
        member(0, &integer(5)),
        member(1, &integer(11)),
        member(3, &text("HOME")),
        member(4, &name(1, &["anna"])),
        member(5, &ticket()),
        member(6, &sealed()),
    ];
    element(0x6b, &[&element(0x30, &[&parts.concat()])])
}

fn refusal() -> Vec<u8> {
    let parts = [
        member(0, &integer(5)),
        member(1, &integer(30)),
        member(4, b"\x18\x0f20370913024805Z"),
        member(5, &integer(7)),
        member(6, &integer(25)),
        member(9, &text("HOME")),
        member(10, &name(2, &["krbtgt", "HOME"])),
        member(11, &text("no")),
    ];
    element(0x7e, &[&element(0x30, &[&parts.concat()])])
}

fn record(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap_or_default().to_be_bytes()[..], message].concat()
}

#[test]
fn records_are_dissected() {
    let talk = [(Side::Client, record(&request())), (Side::Server, record(&response()))];
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &lines), @r#"
    kerberos 0..314 | krb-as-req | anna, krbtgt/HOME
      0..4 kerberos.rm.length = 310
      4..8 kerberos.element = 6a820132
      8..12 kerberos.element = 3082012e
      12..14 kerberos.element = a103
      14..17 kerberos.pvno = 5
      17..19 kerberos.element = a203
      19..22 kerberos.msg_type = 10 (krb-as-req)
      22..26 kerberos.element = a38200a5
      26..30 kerberos.element = 308200a1
      30..59 kerberos.padata_item
        30..32 kerberos.element = 301b
        32..34 kerberos.element = a103
        34..37 kerberos.padata_type = 2 (pA-ENC-TIMESTAMP)
        37..39 kerberos.element = a214
        39..41 kerberos.element = 0412
        41..59 kerberos.padata_value = 18 bytes
          41..59 kerberos.enc_part
            41..43 kerberos.element = 3010
            43..45 kerberos.element = a003
            45..48 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
            48..50 kerberos.element = a103
            50..53 kerberos.kvno = 2
            53..55 kerberos.element = a204
            55..57 kerberos.element = 0402
            57..59 kerberos.cipher = abcd
      59..71 kerberos.padata_item
        59..61 kerberos.element = 300a
        61..63 kerberos.element = a103
        63..66 kerberos.padata_type = -128
        66..68 kerberos.element = a203
        68..70 kerberos.element = 0401
        70..71 kerberos.padata_value = 00
      71..191 kerberos.padata_item
        71..73 kerberos.element = 3076
        73..75 kerberos.element = a103
        75..78 kerberos.padata_type = 1 (pA-TGS-REQ)
        78..80 kerberos.element = a26f
        80..82 kerberos.element = 046d
        82..191 kerberos.padata_value = 109 bytes
          82..84 kerberos.element = 6e6b
          84..86 kerberos.element = 3069
          86..88 kerberos.element = a003
          88..91 kerberos.pvno = 5
          91..93 kerberos.element = a103
          93..96 kerberos.msg_type = 14 (krb-ap-req)
          96..98 kerberos.element = a207
          98..100 kerberos.element = 0305
          100..101 kerberos.unused_bits = 0
          101..105 kerberos.ap_options = 00000000
          105..107 kerberos.element = a340
          107..171 kerberos.ticket
            107..109 kerberos.element = 613e
            109..111 kerberos.element = 303c
            111..113 kerberos.element = a003
            113..116 kerberos.tkt_vno = 5
            116..118 kerberos.element = a106
            118..120 kerberos.element = 1b04
            120..124 kerberos.realm = "HOME"
            124..126 kerberos.element = a219
            126..151 kerberos.sname
              126..128 kerberos.element = 3017
              128..130 kerberos.element = a003
              130..133 kerberos.name_type = 2 (kRB5-NT-SRV-INST)
              133..135 kerberos.element = a110
              135..137 kerberos.element = 300e
              137..139 kerberos.element = 1b06
              139..145 kerberos.SNameString = "krbtgt"
              145..147 kerberos.element = 1b04
              147..151 kerberos.SNameString = "HOME"
            151..153 kerberos.element = a312
            153..171 kerberos.enc_part
              153..155 kerberos.element = 3010
              155..157 kerberos.element = a003
              157..160 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
              160..162 kerberos.element = a103
              162..165 kerberos.kvno = 2
              165..167 kerberos.element = a204
              167..169 kerberos.element = 0402
              169..171 kerberos.cipher = abcd
          171..173 kerberos.element = a412
          173..191 kerberos.enc_part
            173..175 kerberos.element = 3010
            175..177 kerberos.element = a003
            177..180 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
            180..182 kerberos.element = a103
            182..185 kerberos.kvno = 2
            185..187 kerberos.element = a204
            187..189 kerberos.element = 0402
            189..191 kerberos.cipher = abcd
      191..193 kerberos.element = a479
      193..314 kerberos.req_body
        193..195 kerberos.element = 3077
        195..197 kerberos.element = a007
        197..199 kerberos.element = 0305
        199..200 kerberos.options_unused_bits = 0
        200..204 kerberos.kdc_options = 40810010
        204..206 kerberos.element = a111
        206..223 kerberos.cname
          206..208 kerberos.element = 300f
          208..210 kerberos.element = a003
          210..213 kerberos.name_type = 1 (kRB5-NT-PRINCIPAL)
          213..215 kerberos.element = a108
          215..217 kerberos.element = 3006
          217..219 kerberos.element = 1b04
          219..223 kerberos.CNameString = "anna"
        223..225 kerberos.element = a206
        225..227 kerberos.element = 1b04
        227..231 kerberos.realm = "HOME"
        231..233 kerberos.element = a319
        233..258 kerberos.sname
          233..235 kerberos.element = 3017
          235..237 kerberos.element = a003
          237..240 kerberos.name_type = 2 (kRB5-NT-SRV-INST)
          240..242 kerberos.element = a110
          242..244 kerberos.element = 300e
          244..246 kerberos.element = 1b06
          246..252 kerberos.SNameString = "krbtgt"
          252..254 kerberos.element = 1b04
          254..258 kerberos.SNameString = "HOME"
        258..260 kerberos.element = a511
        260..262 kerberos.element = 180f
        262..277 kerberos.till_time = "20370913024805Z"
        277..279 kerberos.element = a706
        279..285 kerberos.nonce = 2130706433
        285..287 kerberos.element = a808
        287..289 kerberos.element = 3006
        289..292 kerberos.ENCTYPE = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
        292..295 kerberos.ENCTYPE = 17 (eTYPE-AES128-CTS-HMAC-SHA1-96)
        295..297 kerberos.element = a911
        297..299 kerberos.element = 300f
        299..314 kerberos.host_address
          299..301 kerberos.element = 300d
          301..303 kerberos.element = a003
          303..306 kerberos.addr_type = 2 (IPv4)
          306..308 kerberos.element = a106
          308..310 kerberos.element = 0404
          310..314 kerberos.address = c0000201
    kerberos 0..131 | krb-as-rep | anna
      0..4 kerberos.rm.length = 127
      kerberos.response_to = 0
      4..6 kerberos.element = 6b7d
      6..8 kerberos.element = 307b
      8..10 kerberos.element = a003
      10..13 kerberos.pvno = 5
      13..15 kerberos.element = a103
      15..18 kerberos.msg_type = 11 (krb-as-rep)
      18..20 kerberos.element = a306
      20..22 kerberos.element = 1b04
      22..26 kerberos.crealm = "HOME"
      26..28 kerberos.element = a411
      28..45 kerberos.cname
        28..30 kerberos.element = 300f
        30..32 kerberos.element = a003
        32..35 kerberos.name_type = 1 (kRB5-NT-PRINCIPAL)
        35..37 kerberos.element = a108
        37..39 kerberos.element = 3006
        39..41 kerberos.element = 1b04
        41..45 kerberos.CNameString = "anna"
      45..47 kerberos.element = a540
      47..111 kerberos.ticket
        47..49 kerberos.element = 613e
        49..51 kerberos.element = 303c
        51..53 kerberos.element = a003
        53..56 kerberos.tkt_vno = 5
        56..58 kerberos.element = a106
        58..60 kerberos.element = 1b04
        60..64 kerberos.realm = "HOME"
        64..66 kerberos.element = a219
        66..91 kerberos.sname
          66..68 kerberos.element = 3017
          68..70 kerberos.element = a003
          70..73 kerberos.name_type = 2 (kRB5-NT-SRV-INST)
          73..75 kerberos.element = a110
          75..77 kerberos.element = 300e
          77..79 kerberos.element = 1b06
          79..85 kerberos.SNameString = "krbtgt"
          85..87 kerberos.element = 1b04
          87..91 kerberos.SNameString = "HOME"
        91..93 kerberos.element = a312
        93..111 kerberos.enc_part
          93..95 kerberos.element = 3010
          95..97 kerberos.element = a003
          97..100 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
          100..102 kerberos.element = a103
          102..105 kerberos.kvno = 2
          105..107 kerberos.element = a204
          107..109 kerberos.element = 0402
          109..111 kerberos.cipher = abcd
      111..113 kerberos.element = a612
      113..131 kerberos.enc_part
        113..115 kerberos.element = 3010
        115..117 kerberos.element = a003
        117..120 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
        120..122 kerberos.element = a103
        122..125 kerberos.kvno = 2
        125..127 kerberos.element = a204
        127..129 kerberos.element = 0402
        129..131 kerberos.cipher = abcd
    "#);
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn datagrams_are_dissected() {
    let mut session = Session::default();
    let bytes = refusal();
    assert!(is_message(&bytes) && !is_message(&bytes[1..]));
    let tree = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Exchange::message(&mut session, Side::Server, wire));
    insta::assert_snapshot!(tree, @r#"
    kerberos 0..84 | krb-error | eRR-PREAUTH-REQUIRED, krbtgt/HOME
      0..2 kerberos.element = 7e52
      2..4 kerberos.element = 3050
      4..6 kerberos.element = a003
      6..9 kerberos.pvno = 5
      9..11 kerberos.element = a103
      11..14 kerberos.msg_type = 30 (krb-error)
      14..16 kerberos.element = a411
      16..18 kerberos.element = 180f
      18..33 kerberos.stime_time = "20370913024805Z"
      33..35 kerberos.element = a503
      35..38 kerberos.susec = 7
      38..40 kerberos.element = a603
      40..43 kerberos.error_code = 25 (eRR-PREAUTH-REQUIRED)
      43..45 kerberos.element = a906
      45..47 kerberos.element = 1b04
      47..51 kerberos.realm = "HOME"
      51..53 kerberos.element = aa19
      53..78 kerberos.sname
        53..55 kerberos.element = 3017
        55..57 kerberos.element = a003
        57..60 kerberos.name_type = 2 (kRB5-NT-SRV-INST)
        60..62 kerberos.element = a110
        62..64 kerberos.element = 300e
        64..66 kerberos.element = 1b06
        66..72 kerberos.SNameString = "krbtgt"
        72..74 kerberos.element = 1b04
        74..78 kerberos.SNameString = "HOME"
      78..80 kerberos.element = ab04
      80..82 kerberos.element = 1b02
      82..84 kerberos.e_text = "no"
    "#);
}

#[test]
fn streams_are_recognized_by_a_record() {
    let judge = |client: &[u8], complete| recognize(&Opening { sent: [client, b""], from_start: [true; 2], complete });
    let record = record(&request());
    assert_eq!(judge(&record, true), Verdict::Yes(Side::Server));
    assert_eq!(judge(&record[..6], false), Verdict::Unsure);
    let version = [0xa1, 3, 2, 1, 5];
    let at = record.windows(version.len()).position(|window| window == version).unwrap() + version.len() - 1;
    let mut other = record.clone();
    other[at] = 4;
    assert_eq!(judge(&other, true), Verdict::No);
    assert!(is_datagram(&record[4..]) && !is_datagram(&other[4..]));
    assert_eq!(judge(b"\0\0\0\x09\x30\0\0\0\0\0", true), Verdict::No);
}

#[test]
fn pre_authentication_is_dissected() {
    let item = |kind: &[u8], value: &[u8]| element(0x30, &[&member(1, kind), &member(2, &element(4, &[value]))]);
    let cipher = element(0x30, &[&member(0, &integer(18)), &member(1, &text("HOMEanna")), &member(2, b"\x04\x01\x07")]);
    let checksum = element(0x30, &[&member(0, &integer(16)), &member(1, b"\x04\x02\x11\x22")]);
    let armor = element(0x30, &[&member(0, &integer(1)), &member(1, b"\x04\x01\x6e")]);
    let fast = |parts: &[Vec<u8>]| item(b"\x02\x02\0\x88", &member(0, &element(0x30, &[&parts.concat()])));
    let offers = [item(&integer(19), &element(0x30, &[&cipher])), item(&integer(2), b""), fast(&[member(0, &sealed())])].concat();
    let error = [member(6, &integer(25)), member(12, &element(4, &[&element(0x30, &[&offers])]))].concat();
    let armored = fast(&[member(0, &armor), member(1, &checksum), member(2, &sealed())]);
    let other = [member(6, &integer(24)), member(12, b"\x04\x02\x30\x00")].concat();
    let lines = [
        element(0x6a, &[&element(0x30, &[&member(3, &element(0x30, &[&armored]))])]),
        element(0x7e, &[&element(0x30, &[&error])]),
        element(0x7e, &[&element(0x30, &[&other])]),
    ]
    .map(|bytes| (Side::Client, record(&bytes)));
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &lines), @r#"
    kerberos 0..77 | krb-as-req
      0..4 kerberos.rm.length = 73
      4..6 kerberos.element = 6a47
      6..8 kerberos.element = 3045
      8..10 kerberos.element = a343
      10..12 kerberos.element = 3041
      12..77 kerberos.padata_item
        12..14 kerberos.element = 303f
        14..16 kerberos.element = a104
        16..20 kerberos.padata_type = 136 (pA-FX-FAST)
        20..22 kerberos.element = a237
        22..24 kerberos.element = 0435
        24..77 kerberos.padata_value = 53 bytes
          24..26 kerberos.element = a033
          26..77 kerberos.armored_data
            26..28 kerberos.element = 3031
            28..30 kerberos.element = a00c
            30..42 kerberos.armor
              30..32 kerberos.element = 300a
              32..34 kerberos.element = a003
              34..37 kerberos.armor_type = 1 (FX-FAST-ARMOR-AP-REQUEST)
              37..39 kerberos.element = a103
              39..41 kerberos.element = 0401
              41..42 kerberos.armor_value = 6e
            42..44 kerberos.element = a10d
            44..57 kerberos.req_checksum
              44..46 kerberos.element = 300b
              46..48 kerberos.element = a003
              48..51 kerberos.cksumtype = 16 (cKSUMTYPE-HMAC-SHA1-96-AES-256)
              51..53 kerberos.element = a104
              53..55 kerberos.element = 0402
              55..57 kerberos.checksum = 1122
            57..59 kerberos.element = a212
            59..77 kerberos.enc_fast_req
              59..61 kerberos.element = 3010
              61..63 kerberos.element = a003
              63..66 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
              66..68 kerberos.element = a103
              68..71 kerberos.kvno = 2
              71..73 kerberos.element = a204
              73..75 kerberos.element = 0402
              75..77 kerberos.cipher = abcd
    kerberos 0..103 | krb-error | eRR-PREAUTH-REQUIRED
      0..4 kerberos.rm.length = 99
      kerberos.response_to = 0
      4..6 kerberos.element = 7e61
      6..8 kerberos.element = 305f
      8..10 kerberos.element = a603
      10..13 kerberos.error_code = 25 (eRR-PREAUTH-REQUIRED)
      13..15 kerberos.element = ac58
      15..17 kerberos.element = 0456
      17..103 kerberos.e_data = 86 bytes
        17..19 kerberos.element = 3054
        19..56 kerberos.padata_item
          19..21 kerberos.element = 3023
          21..23 kerberos.element = a103
          23..26 kerberos.padata_type = 19 (pA-ETYPE-INFO2)
          26..28 kerberos.element = a21c
          28..30 kerberos.element = 041a
          30..56 kerberos.padata_value = 26 bytes
            30..32 kerberos.element = 3018
            32..56 kerberos.etype_info2_entry
              32..34 kerberos.element = 3016
              34..36 kerberos.element = a003
              36..39 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
              39..41 kerberos.element = a10a
              41..43 kerberos.element = 1b08
              43..51 kerberos.info2_salt = "HOMEanna"
              51..53 kerberos.element = a203
              53..55 kerberos.element = 0401
              55..56 kerberos.s2kparams = 07
        56..67 kerberos.padata_item
          56..58 kerberos.element = 3009
          58..60 kerberos.element = a103
          60..63 kerberos.padata_type = 2 (pA-ENC-TIMESTAMP)
          63..65 kerberos.element = a202
          65..67 kerberos.element = 0400
          67..67 kerberos.padata_value = 
        67..103 kerberos.padata_item
          67..69 kerberos.element = 3022
          69..71 kerberos.element = a104
          71..75 kerberos.padata_type = 136 (pA-FX-FAST)
          75..77 kerberos.element = a21a
          77..79 kerberos.element = 0418
          79..103 kerberos.padata_value = 24 bytes
            79..81 kerberos.element = a016
            81..103 kerberos.armored_data
              81..83 kerberos.element = 3014
              83..85 kerberos.element = a012
              85..103 kerberos.enc_fast_rep
                85..87 kerberos.element = 3010
                87..89 kerberos.element = a003
                89..92 kerberos.etype = 18 (eTYPE-AES256-CTS-HMAC-SHA1-96)
                92..94 kerberos.element = a103
                94..97 kerberos.kvno = 2
                97..99 kerberos.element = a204
                99..101 kerberos.element = 0402
                101..103 kerberos.cipher = abcd
    kerberos 0..19 | krb-error | eRR-PREAUTH-FAILED
      0..4 kerberos.rm.length = 15
      4..6 kerberos.element = 7e0d
      6..8 kerberos.element = 300b
      8..10 kerberos.element = a603
      10..13 kerberos.error_code = 24 (eRR-PREAUTH-FAILED)
      13..15 kerberos.element = ac04
      15..17 kerberos.element = 0402
      17..19 kerberos.e_data = 3000
    "#);
    survives_damage(&PROTOCOL, Session::default, &lines);
}
