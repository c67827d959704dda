//! Handshakes and logins of all revisions, and sources of keys.

use super::super::login::extent;
use super::*;
use crate::wire::Extent;

fn state(settings: &[(&str, &str)], login: &str) -> String {
    let tree = dissect(settings, &[(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, login)]);
    tree.lines()
        .filter(|line| line.contains("_state") || line.contains("isaac.state"))
        .map(|line| line.trim().to_owned() + "\n")
        .collect()
}

#[test]
fn keys_come_from_the_block_a_key_a_log_or_a_setting() {
    assert_eq!(state(&[], V10), "rs.login.rsa_state = \"plain\"\nrs.isaac.state = \"plain\"\n");
    assert_eq!(state(&[], V11), "rs.login.rsa_state = \"encrypted\"\nrs.isaac.state = \"none\"\n");
    assert_eq!(state(&[("rs.rsa_key", KEY)], V11), "rs.login.rsa_state = \"decrypted\"\nrs.isaac.state = \"key\"\n");
    let seeds = "0x01020304,0x05060708,0x090a0b0c,0x0d0e0f10";
    assert_eq!(state(&[("rs.isaac", seeds)], V11), "rs.login.rsa_state = \"encrypted\"\nrs.isaac.state = \"log\"\n");
    assert_eq!(
        state(&[("rs.keys", "090A0B0C0D0E0F10 0102030405060708")], V11),
        "rs.login.rsa_state = \"encrypted\"\nrs.isaac.state = \"log\"\n"
    );
    assert_eq!(state(&[("rs.isaac", "off")], V11), "rs.login.rsa_state = \"encrypted\"\nrs.isaac.state = \"off\"\n");
}

#[test]
fn sessions_are_the_same_for_every_key_source() {
    let session =
        |login| [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, login), (SERVER, V9_IN), (SERVER, V14), (CLIENT, V13)];
    let packets = |settings: &[(&str, &str)], login| {
        let tree = dissect(settings, &session(login));
        assert!(!tree.contains("rs.lost_step") && !tree.contains("rs.data"), "{tree}");
        tree[tree.find("update_pid").unwrap()..].to_owned()
    };
    let plain = packets(&[], V10);
    assert_eq!(plain.matches("rs.opcode_wire").count(), 26);
    for key in [KEY, PKCS1, PKCS8] {
        assert_eq!(packets(&[("rs.rsa_key", key)], V11), plain);
    }
    assert_eq!(packets(&[("rs.keys", "090A0B0C0D0E0F10 0102030405060708")], V11), plain);
    assert_eq!(packets(&[("rs.isaac", "16909060,84281096,151653132,219025168")], V11), plain);
}

#[test]
fn answers_of_every_form() {
    let answer = |hex: &str| dissect(&[], &[(CLIENT, "0E 05"), (SERVER, hex)]);
    insta::assert_snapshot!(answer("00 00 00 00 00 00 00 00 07"), @r#"
    rs 0..2 | service | game login
      0..1 rs.service = 14 (game login)
      1..2 rs.name_hash = 5
    rs 0..9 | handshake | world full
      0..8 rs.handshake.ignored = 0000000000000000
      8..9 rs.handshake.response = 7 (world full)
    "#);
    // Newer engines send the seed at once; a name hash above 31 is legal.
    insta::assert_snapshot!(dissect(&[], &[(CLIENT, "0E 40"), (SERVER, "00 01 02 03 04 05 06 07 08")]), @r#"
    rs 0..2 | service | game login
      0..1 rs.service = 14 (game login)
      1..2 rs.name_hash = 64
    ! odd rs.odd at 1..2 rs.name_hash: 64; expected 0 to 31
    rs 0..9 | handshake | go on
      0..1 rs.handshake.response = 0 (go on)
      1..9 rs.handshake.server_seed = 0x0102030405060708
    "#);
    let response = |login: &str, hex: &str| {
        dissect(&[], &[(SERVER, V12_GREETING), (CLIENT, login), (SERVER, hex)]).rsplit_once("rs 0").unwrap().1.to_owned()
    };
    insta::assert_snapshot!(response(V10, "15 0A"), @r#"
    ..2 | login_response | just left another world
      0..1 rs.login.response = 21 (just left another world)
      1..2 rs.login.seconds = 10
    "#);
    insta::assert_snapshot!(response(V10, "0F"), @r#"
    ..1 | login_response | reconnected
      0..1 rs.login.response = 15 (reconnected)
    "#);
    insta::assert_snapshot!(response(V12, "12"), @r#"
    ..1 | login_response | logged in as moderator, or account locked
      0..1 rs.login.response = 18 (logged in as moderator, or account locked)
    "#);
    insta::assert_snapshot!(response(V10, "02 00"), @r#"
    ..2 | login_response | logged in
      0..1 rs.login.response = 2 (logged in)
      1..2 rs.login.rights = 0 (player)
    ! broken rs.truncated at 2..2 rs: the stream ends after 2 of 3 bytes
    "#);
}

#[test]
fn a_newer_login_is_partly_dissected() {
    let block = "0A 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 00 00 00 00 6C 1A 00 CC 68 75 6E 74 65 72 32 00";
    let crcs = "11 22 33 44 ".repeat(29);
    let login = format!(
        "10 00 C7 00 00 02 26 00 01 00 01 02 FD 01 F7 00 {} 61 00 00 00 00 01 00 00 00 02 00 05 {crcs} 21 {block}",
        "AB ".repeat(24)
    );
    let session = [
        (CLIENT, "0E 05"),
        (SERVER, "00 09 0A 0B 0C 0D 0E 0F 10"),
        (CLIENT, login.as_str()),
        (SERVER, "02 00 00 00 00 00 00 00 00 05 01 01"),
    ];
    let tree = dissect(&[], &session);
    assert!(!tree.contains("\n!"), "{tree}");
    insta::assert_snapshot!(tree.lines().filter(|line| !line.contains("login.crc")).collect::<Vec<_>>().join("\n"), @r#"
    rs 0..2 | service | game login
      0..1 rs.service = 14 (game login)
      1..2 rs.name_hash = 5
    rs 0..9 | handshake | go on
      0..1 rs.handshake.response = 0 (go on)
      1..9 rs.handshake.server_seed = 0x090a0b0c0d0e0f10
    rs 0..202 | login | revision 550
      0..1 rs.login.type = 16 (new)
      1..3 rs.login.size = 199
      3..7 rs.login.revision = 550
      7..8 rs.login.zero = 0
      8..9 rs.login.advert_suppressed = 1
      9..10 rs.login.client_signed = 0
      10..11 rs.login.display_mode = 1
      11..13 rs.login.width = 765
      13..15 rs.login.height = 503
      15..16 rs.login.anti_aliasing = 0
      16..40 rs.login.uid24 = 24 bytes
      40..42 rs.login.settings = "a"
      42..46 rs.login.affiliate = 1
      46..50 rs.login.detail = 2
      50..52 rs.login.verify_id = 5
      168..169 rs.login.rsa_length = 33
      rs.login.rsa_state = "plain"
      169..170 rs.login.rsa_magic = 10
      170..174 rs.login.client_seed = 0x01020304
      174..178 rs.login.client_seed = 0x05060708
      178..182 rs.login.server_seed = 0x090a0b0c
      182..186 rs.login.server_seed = 0x0d0e0f10
      186..194 rs.login.username37 = "zezima"
      194..202 rs.login.password = "hunter2"
      rs.isaac.state = "plain"
    rs 0..12 | login_response | logged in
      0..1 rs.login.response = 2 (logged in)
      1..12 rs.login.success = 0000000000000000050101
    "#);
    // OSRS sends no name hash, and the login after the revision is opaque.
    let osrs = dissect(&[], &[(CLIENT, "0E 10 00 08 00 00 00 DF 01 02 03 04")]);
    insta::assert_snapshot!(osrs, @r#"
    rs 0..1 | service | game login
      0..1 rs.service = 14 (game login)
    rs 0..11 | login | revision 223
      0..1 rs.login.type = 16 (new)
      1..3 rs.login.size = 8
      3..7 rs.login.revision = 223
      7..11 rs.login.opaque = 01020304
    "#);
}

#[test]
fn passwords_are_masked_by_default() {
    use crate::tree::{Dissection, FrameInfo, Span, Tree, dump};
    use crate::wire::Wire;
    let bytes = trial::bytes(V10);
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    super::super::login::Login::default().read(&mut wire, &super::super::keys::Keys::default(), None).unwrap();
    tree.close(0, PROTOCOL.this, bytes.len());
    let dump = dump(Dissection { tree: &tree, bytes: &bytes });
    assert!(dump.contains("rs.login.password = ***") && !dump.contains("hunter2"), "{dump}");
    assert!(!tree.masked_spans().is_empty());
}

#[test]
fn the_response_of_osrs_names_the_local_player_and_hides_tokens() {
    // A login of revision 239, opaque; then the response with its size.
    let login = "10 00 08 00 00 00 EF 01 02 03 04";
    let answer = "02 22 00 00 00 00 00 00 01 04 46 01 01 02 03 04 05 06 07 08 11 12 13 14 15 16 17 18 21 22 23 24 25 26 27 28";
    let seed = "00 09 0A 0B 0C 0D 0E 0F 10";
    let trees = dissect(&[], &[(CLIENT, "0E"), (SERVER, seed), (CLIENT, login), (SERVER, answer)]);
    assert!(trees.contains("rs.login.player_index = 1094") && trees.contains("rs.login.user_hash = "), "{trees}");
    assert!(!trees.contains("! broken"), "{trees}");
    for name in ["rs.login.device_code", "rs.login.account_hash", "rs.login.user_id", "rs.login.user_hash"] {
        assert!(fields::FIELDS.iter().any(|field| field.abbrev == name && field.secret), "{name}");
    }
}

#[test]
fn a_one_byte_size_counts_the_bytes_after_it() {
    assert!(matches!(extent(&[16, 60, 0]), Some(Extent::Message(62))));
    assert!(matches!(extent(&[16, 0, 60]), Some(Extent::Message(63))));
}
