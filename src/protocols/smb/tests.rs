//! SMB 1 sessions, valid and malformed.

use super::*;
use crate::wire::{Cut, trial};

/// A message of a command with these flags and contents.
fn message(command: u8, flags: u8, flags2: u16, body: &[u8]) -> Vec<u8> {
    let flags2 = flags2.to_le_bytes();
    [&b"\xffSMB"[..], &[command, 0, 0, 0, 0, flags], &flags2, &[0; 12], b"\x01\0\x02\0\x03\0\x04\0", body].concat()
}

fn read(session: &mut Session, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(Side::Client, wire))
}

const DIALECTS: &[u8] = b"\0\x0c\0\x02NT LM 0.12\0";
const LOGIN: &[u8] =
    b"\x0d\x75\0\x5a\0\xff\xff\x02\0\x01\0\0\0\0\0\x04\0\x04\0\0\0\0\0\x5c\0\0\0\x1d\0aaaabbbbanna\0HOME\0Unix\0Samba\0\
    \x04\xff\0\0\0\0\0\x01\0\x12\0\0\\\\files\\IPC$\0IPC\0";

fn talk() -> Vec<Vec<u8>> {
    vec![
        message(0x72, 0x18, 0x4000, DIALECTS),
        message(0x72, 0x98, 0x4000, b"\x01\0\0\0\0"),
        message(0x73, 0x18, 0, LOGIN),
        message(
            0x25,
            0x00,
            0xc001,
            &[&b"\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0b\0"[..], b"\0\\\0P\0I\0P\0\0\0"].concat(),
        ),
        message(0xa2, 0x18, 0xc001, &[&b"\x18\xff\0\0\0\0\x04\0"[..], &[0; 41], b"\x07\0\0a\0b\0\0\0"].concat()),
        message(0x04, 0x98, 0x4000, b"\0\0\0"),
    ]
}

#[test]
fn commands_are_dissected() {
    let mut session = Session::default();
    let trees: Vec<String> = talk().iter().map(|bytes| read(&mut session, bytes)).collect();
    insta::assert_snapshot!(trial::abridged(&trees.concat()), @r#"
    smb 0..47 | Negotiate Protocol request
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0x72 (Negotiate Protocol)
      5..9 smb.nt_status = 0x00000000 (STATUS_SUCCESS)
      9..10 smb.flags = 0x18
        9..10 smb.flags.response = false
        9..10 smb.flags.notify = false
        9..10 smb.flags.oplock = false
        9..10 smb.flags.canon = true
        9..10 smb.flags.caseless = true
        9..10 smb.flags.receive_buffer = false
        9..10 smb.flags.lock = false
      10..12 smb.flags2 = 0x4000
        10..12 smb.flags2.string = false
        10..12 smb.flags2.nt_error = true
        10..12 smb.flags2.roe = false
        10..12 smb.flags2.dfs = false
        10..12 smb.flags2.esn = false
        10..12 smb.flags2.reparse_path = false
        10..12 smb.flags2.long_names_used = false
        10..12 smb.flags2.sec_sig_required = false
        10..12 smb.flags2.compressed = false
        10..12 smb.flags2.sec_sig = false
        10..12 smb.flags2.ea = false
        10..12 smb.flags2.long_names_allowed = false
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      32..33 smb.wct = 0
      33..35 smb.bcc = 12
      35..36 smb.buffer_format = 2 (Dialect)
      36..47 smb.dialect.name = "NT LM 0.12"
    smb 0..37 | Negotiate Protocol response
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0x72 (Negotiate Protocol)
      5..9 smb.nt_status = 0x00000000 (STATUS_SUCCESS)
      9..10 smb.flags = 0x98
        9..10 smb.flags.response = true
        9..10 smb.flags.notify = false
        9..10 smb.flags.oplock = false
        9..10 smb.flags.canon = true
        9..10 smb.flags.caseless = true
        9..10 smb.flags.receive_buffer = false
        9..10 smb.flags.lock = false
      10..12 smb.flags2 = 0x4000 …
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      smb.response_to = 0
      32..33 smb.wct = 1
      33..35 smb.dialect.index = 0
      35..37 smb.bcc = 0
    smb 0..119 | Session Setup AndX request | anna, Tree Connect AndX, \\\\files\\IPC$
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0x73 (Session Setup AndX)
      5..6 smb.error_class = 0x00 (Success)
      6..7 smb.reserved = 00
      7..9 smb.error_code = 0x0000
      9..10 smb.flags = 0x18 …
      10..12 smb.flags2 = 0x0000
        10..12 smb.flags2.string = false
        10..12 smb.flags2.nt_error = false
        10..12 smb.flags2.roe = false
        10..12 smb.flags2.dfs = false
        10..12 smb.flags2.esn = false
        10..12 smb.flags2.reparse_path = false
        10..12 smb.flags2.long_names_used = false
        10..12 smb.flags2.sec_sig_required = false
        10..12 smb.flags2.compressed = false
        10..12 smb.flags2.sec_sig = false
        10..12 smb.flags2.ea = false
        10..12 smb.flags2.long_names_allowed = false
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      32..33 smb.wct = 13
      33..34 smb.cmd = 0x75 (Tree Connect AndX)
      34..35 smb.reserved = 00
      35..37 smb.andxoffset = 90
      37..39 smb.max_buf = 65535
      39..41 smb.max_mpx_count = 2
      41..43 smb.vc = 1
      43..47 smb.session_key = 0x00000000
      47..49 smb.ansi_pwlen = 4
      49..51 smb.unicode_pwlen = 4
      51..55 smb.reserved = 00000000
      55..59 smb.server_cap = 0x0000005c
      59..61 smb.bcc = 29
      61..65 smb.ansi_password = 61616161
      65..69 smb.unicode_password = 62626262
      69..74 smb.account = "anna"
      74..79 smb.primary_domain = "HOME"
      79..84 smb.native_os = "Unix"
      84..90 smb.native_lanman = "Samba"
      90..91 smb.wct = 4
      91..92 smb.cmd = 0xff
      92..93 smb.reserved = 00
      93..95 smb.andxoffset = 0
      95..97 smb.connect.flags = 0x0000
      97..99 smb.pwlen = 1
      99..101 smb.bcc = 18
      101..102 smb.password = 00
      102..115 smb.path = "\\\\files\\IPC$"
      115..119 smb.service = "IPC"
    smb 0..74 | Trans request | \\PIP
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0x25 (Trans)
      5..9 smb.nt_status = 0x00000000 (STATUS_SUCCESS)
      9..10 smb.flags = 0x00
        9..10 smb.flags.response = false
        9..10 smb.flags.notify = false
        9..10 smb.flags.oplock = false
        9..10 smb.flags.canon = false
        9..10 smb.flags.caseless = false
        9..10 smb.flags.receive_buffer = false
        9..10 smb.flags.lock = false
      10..12 smb.flags2 = 0xc001
        10..12 smb.flags2.string = true
        10..12 smb.flags2.nt_error = true
        10..12 smb.flags2.roe = false
        10..12 smb.flags2.dfs = false
        10..12 smb.flags2.esn = false
        10..12 smb.flags2.reparse_path = false
        10..12 smb.flags2.long_names_used = false
        10..12 smb.flags2.sec_sig_required = false
        10..12 smb.flags2.compressed = false
        10..12 smb.flags2.sec_sig = false
        10..12 smb.flags2.ea = false
        10..12 smb.flags2.long_names_allowed = true
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      32..33 smb.wct = 14
      33..35 smb.tpc = 0
      35..37 smb.tdc = 0
      37..39 smb.mpc = 0
      39..41 smb.mdc = 0
      41..42 smb.msc = 0
      42..43 smb.reserved = 00
      43..45 smb.transaction.flags = 0x0000
      45..49 smb.timeout = 0
      49..51 smb.reserved = 0000
      51..53 smb.pc = 0
      53..55 smb.po = 0
      55..57 smb.dc = 0
      57..59 smb.data_offset = 0
      59..60 smb.sc = 0
      60..61 smb.reserved = 00
      61..63 smb.bcc = 11
      63..64 smb.pad = 00
      64..74 smb.trans_name = "\\PIP"
    smb 0..90 | NT Create AndX request | ab
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0xa2 (NT Create AndX)
      5..9 smb.nt_status = 0x00000000 (STATUS_SUCCESS)
      9..10 smb.flags = 0x18 …
      10..12 smb.flags2 = 0xc001 …
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      32..33 smb.wct = 24
      33..34 smb.cmd = 0xff
      34..35 smb.reserved = 00
      35..37 smb.andxoffset = 0
      37..38 smb.reserved = 00
      38..40 smb.file_name_len = 4
      40..81 smb.create.parameters = 41 bytes
      81..83 smb.bcc = 7
      83..84 smb.pad = 00
      84..90 smb.file = "ab"
    smb 0..35 | Close response
      0..4 smb.server_component = 0x424d53ff
      4..5 smb.cmd = 0x04 (Close)
      5..9 smb.nt_status = 0x00000000 (STATUS_SUCCESS)
      9..10 smb.flags = 0x98 …
      10..12 smb.flags2 = 0x4000 …
      12..14 smb.pid.high = 0
      14..22 smb.signature = 0000000000000000
      22..24 smb.reserved = 0000
      24..26 smb.tid = 1
      26..28 smb.pid = 2
      28..30 smb.uid = 3
      30..32 smb.mid = 4
      smb.response_to = 0
      smb.path = "\\\\files\\IPC$"
      32..33 smb.wct = 0
      33..35 smb.bcc = 0
    "#);
}

#[test]
fn damaged_messages_are_survived() {
    for bytes in talk() {
        let mut session = Session::default();
        trial::survives_damage(&PROTOCOL, &bytes, |wire| session.message(Side::Client, wire));
    }
}

#[test]
fn a_transaction_hands_a_message_of_a_pipe_over() {
    let bind = trial::bytes("05000b03 10000000 1000 0000 01000000");
    let request =
        b"\x10\0\0\x10\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\x54\0\x10\0\x54\0\x02\0\x26\0\x07\0\x21\0\0\\\0P\0I\0P\0E\0\\\0\0\0\0\0";
    let response = b"\x0a\0\0\x10\0\0\0\0\0\x38\0\0\0\x10\0\x38\0\0\0\0\0\x11\0\0";
    let mut session = Session::default();
    for (flags, body) in [(0x00, &request[..]), (0x80, &response[..])] {
        let tree = read(&mut session, &message(0x25, flags, 0xc001, &[body, &bind].concat()));
        assert!(!tree.contains("\n! "), "{tree}");
        let rest: Vec<_> = tree.lines().filter(|line| line.contains("smb.data = ") || line.contains("smb.dc ")).collect();
        assert!(rest.len() < 3 && !rest.iter().any(|line| line.contains("05000b03")), "{rest:?}");
    }
    assert_eq!(session.pipes, [((4, 2), 7)]);
    let mut request = |id: u8| {
        let mut bytes = message(0x25, 0, 0xc001, &[&request[..], &bind].concat());
        bytes[31] = id;
        read(&mut session, &bytes)
    };
    assert!((1..64).all(|id| !request(id).contains("transactions of pipes")));
    assert!(request(64).contains("the oldest of more than 64 transactions of pipes"));
}
