//! SMB 2 and 3 commands, valid and malformed.

use super::*;
use crate::wire::{Cut, trial};

/// A header of a command with these flags, the offset of the next one, and the body.
fn message(command: u8, flags: u8, next: u8, body: &str) -> Vec<u8> {
    let head = format!("fe534d42 4000 0100 00000000 {command:02x}00 0100 {flags:02x}000000 {next:02x}000000");
    let rest = "0500000000000000 fffe0000 01000000 0900000000000000 00000000000000000000000000000000";
    [trial::bytes(&head), trial::bytes(rest), trial::bytes(body)].concat()
}

const FILE: &str = "01000000000000000200000000000000";

fn talk() -> Vec<Vec<u8>> {
    let stamps = "0100000000000000 0200000000000000 0300000000000000 0400000000000000 0010000000000000 0700000000000000 20000000";
    let chained = [
        message(
            5,
            0,
            0xb8,
            &format!(
                "3900 00 00 02000000 {0} {0} 89001200 80000000 07000000 01000000 00000000 7800 0400 80000000 34000000 61006200 00000000 18000000 1000 0400 0000 0000 00000000 4d784163 00000000 00000000 1000 0400 0000 1800 04000000 52714c73 00000000 01020304 00000000",
                "0000000000000000"
            ),
        ),
        message(6, 4, 0, &format!("1800 0100 00000000 {FILE}")),
    ];
    vec![
        message(0, 0, 0, &format!("2400 0200 01 000000 7f000000 {FILE} 68000000 0100 0000 0202 1103 0100 0200 00000000 abcd")),
        message(
            0,
            1,
            0,
            &format!(
                "4100 01 00 0202 0000 {FILE} 07000000 00000100 00000100 00000100 {} 8000 0200 00000000 6001",
                "0000000000000000".repeat(2)
            ),
        ),
        message(1, 0, 0, "1900 00 01 01000000 00000000 5800 0200 0000000000000000 6002"),
        message(1, 1, 0, "0900 0000 4800 0000"),
        message(3, 0, 0, "0900 0000 4800 0800 5c005c006100 6200"),
        message(3, 1, 0, "1000 01 00 00000000 00000000 ff011f00"),
        chained.concat(),
        message(5, 1, 0, &format!("5900 00 00 01000000 {stamps} 00000000 {FILE} 00000000 00000000")),
        message(6, 1, 0, &format!("3c00 0100 00000000 {stamps}")),
        message(8, 0, 0, &format!("3100 50 00 04000000 0000000000000000 {FILE} 00000000 00000000 00000000 0000 0000 00")),
        message(8, 1, 0, "1100 50 00 04000000 00000000 00000000 64617461"),
        message(9, 0, 0, &format!("3100 7000 04000000 0000000000000000 {FILE} 00000000 00000000 0000 0000 00000000 64617461")),
        message(9, 1, 0, "1100 0000 04000000 00000000 0000 0000"),
        message(10, 0, 0, &format!("3000 0100 00000000 {FILE} 0000000000000000 0100000000000000 02000000 00000000")),
        message(
            11,
            0,
            0,
            &format!("3900 0000 17c01100 {FILE} 78000000 02000000 00000000 00000000 00000000 00100000 01000000 00000000 6162"),
        ),
        message(14, 0, 0, &format!("2100 25 00 00000000 {FILE} 6000 0200 00000100 2a00")),
        message(15, 0, 0, &format!("2000 0100 00100000 {FILE} ff0f0000 00000000")),
        message(16, 0, 0, &format!("2900 01 05 00100000 0000 0000 00000000 00000000 00000000 {FILE}")),
        message(16, 1, 0, "0900 4800 02000000 6162"),
        message(17, 0, 0, &format!("2100 01 0d 01000000 6000 0000 00000000 {FILE} 01")),
        message(13, 0, 0, "0400 0000"),
    ]
}

fn read(session: &mut Session, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(Side::Client, wire))
}

#[test]
fn commands_are_dissected() {
    let mut session = Session::default();
    let mut trees: Vec<String> = talk().iter().map(|bytes| read(&mut session, bytes)).collect();
    assert!(trees.iter().all(|tree| !tree.contains("\n! ")), "{trees:#?}");
    insta::assert_snapshot!(trees.remove(6), @r#"
    smb2 0..272 | Create request | ab; Close
      0..4 smb2.protocol_id = 0xfe534d42
      4..6 smb2.header_len = 64
      6..8 smb2.credit.charge = 1
      8..10 smb2.channel_sequence = 0
      10..12 smb2.reserved = 0000
      12..14 smb2.cmd = 5 (Create)
      14..16 smb2.credits.requested = 1
      16..20 smb2.flags = 0x00000000
        16..20 smb2.flags.response = false
        16..20 smb2.flags.async = false
        16..20 smb2.flags.chained = false
        16..20 smb2.flags.signature = false
        16..20 smb2.flags.dfs = false
        16..20 smb2.flags.replay = false
      20..24 smb2.chain_offset = 0x000000b8
      24..32 smb2.msg_id = 5
      32..36 smb2.pid = 0x0000feff
      36..40 smb2.tid = 0x00000001
      smb2.tree = "\\\\ab"
      smb2.share_type = 0x01 (Physical disk)
      40..48 smb2.sesid = 0x0000000000000009
      48..64 smb2.signature = 00000000000000000000000000000000
      64..66 smb2.buffer_code = 0x0039
        64..66 smb2.buffer_code.length = 28
        64..66 smb2.buffer_code.dynamic = true
      66..67 smb2.padding = 00
      67..68 smb2.create.oplock = 0x00 (No oplock)
      68..72 smb2.impersonation.level = 2 (Impersonation)
      72..80 smb2.create_flags = 0x0000000000000000
      80..88 smb2.reserved = 0000000000000000
      88..92 smb2.access_mask = 0x00120089
      92..96 smb2.file_attribute = 0x00000080
        92..96 smb2.file_attribute.read_only = false
        92..96 smb2.file_attribute.hidden = false
        92..96 smb2.file_attribute.system = false
        92..96 smb2.file_attribute.directory = false
        92..96 smb2.file_attribute.archive = false
        92..96 smb2.file_attribute.normal = true
      96..100 smb2.share_access = 0x00000007
      100..104 smb2.create.disposition = 1 (Open (if file exists open it, else fail))
      104..108 smb2.create.options = 0x00000000
      108..110 smb2.olb.offset = 0x00000078
      110..112 smb2.olb.length = 4
      112..116 smb2.olb.offset = 0x00000080
      116..120 smb2.olb.length = 52
      120..124 smb2.filename = "ab"
      124..128 smb2.padding = 00000000
      128..148 smb2.create.extrainfo
        128..132 smb2.create.chain_offset = 0x00000018
        132..134 smb2.olb.offset = 0x00000010
        134..136 smb2.olb.length = 4
        136..138 smb2.padding = 0000
        138..140 smb2.olb.offset = 0x00000000
        140..144 smb2.olb.length = 0
        144..148 smb2.tag = "MxAc"
      148..152 smb2.padding = 00000000
      152..180 smb2.create.extrainfo
        152..156 smb2.create.chain_offset = 0x00000000
        156..158 smb2.olb.offset = 0x00000010
        158..160 smb2.olb.length = 4
        160..162 smb2.padding = 0000
        162..164 smb2.olb.offset = 0x00000018
        164..168 smb2.olb.length = 4
        168..172 smb2.tag = "RqLs"
        172..176 smb2.padding = 00000000
        176..180 smb2.create.chain_value = 01020304
      180..184 smb2.padding = 00000000
      184..188 smb2.protocol_id = 0xfe534d42
      188..190 smb2.header_len = 64
      190..192 smb2.credit.charge = 1
      192..194 smb2.channel_sequence = 0
      194..196 smb2.reserved = 0000
      196..198 smb2.cmd = 6 (Close)
      198..200 smb2.credits.requested = 1
      200..204 smb2.flags = 0x00000004
        200..204 smb2.flags.response = false
        200..204 smb2.flags.async = false
        200..204 smb2.flags.chained = true
        200..204 smb2.flags.signature = false
        200..204 smb2.flags.dfs = false
        200..204 smb2.flags.replay = false
      204..208 smb2.chain_offset = 0x00000000
      208..216 smb2.msg_id = 5
      216..220 smb2.pid = 0x0000feff
      220..224 smb2.tid = 0x00000001
      smb2.tree = "\\\\ab"
      smb2.share_type = 0x01 (Physical disk)
      224..232 smb2.sesid = 0x0000000000000009
      232..248 smb2.signature = 00000000000000000000000000000000
      248..250 smb2.buffer_code = 0x0018
        248..250 smb2.buffer_code.length = 12
        248..250 smb2.buffer_code.dynamic = false
      250..252 smb2.close.flags = 0x0001
        250..252 smb2.close.pq_attrib = true
      252..256 smb2.padding = 00000000
      256..272 smb2.fid = "00000001-0000-0000-0200-000000000000"
    "#);
    let bodies: Vec<&str> = trees.iter().map(|tree| tree.split_once("smb2.signature").unwrap_or_default().1).collect();
    insta::assert_snapshot!(bodies.concat(), @r#"
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0024
       64..66 smb2.buffer_code.length = 18
       64..66 smb2.buffer_code.dynamic = false
     66..68 smb2.dialect_count = 2
     68..69 smb2.sec_mode = 0x01
       68..69 smb2.sec_mode.sign_enabled = true
       68..69 smb2.sec_mode.sign_required = false
     69..70 smb2.padding = 00
     70..72 smb2.reserved = 0000
     72..76 smb2.capabilities = 0x0000007f
       72..76 smb2.capabilities.dfs = true
       72..76 smb2.capabilities.leasing = true
       72..76 smb2.capabilities.large_mtu = true
       72..76 smb2.capabilities.multi_channel = true
       72..76 smb2.capabilities.persistent_handles = true
       72..76 smb2.capabilities.directory_leasing = true
       72..76 smb2.capabilities.encryption = true
     76..92 smb2.client_guid = "00000001-0000-0000-0200-000000000000"
     92..96 smb2.negotiate_context.offset = 0x00000068
     96..98 smb2.negotiate_context.count = 1
     98..100 smb2.reserved = 0000
     100..102 smb2.dialect = 0x0202 (SMB 2.0.2)
     102..104 smb2.dialect = 0x0311 (SMB 3.1.1)
     104..114 smb2.negotiate_context
       104..106 smb2.negotiate_context.type = 0x0001 (SMB2_PREAUTH_INTEGRITY_CAPABILITIES)
       106..108 smb2.negotiate_context.data_length = 2
       108..112 smb2.reserved = 00000000
       112..114 smb2.negotiate_context.data = abcd
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0041
       64..66 smb2.buffer_code.length = 32
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.sec_mode = 0x01
       66..67 smb2.sec_mode.sign_enabled = true
       66..67 smb2.sec_mode.sign_required = false
     67..68 smb2.padding = 00
     68..70 smb2.dialect = 0x0202 (SMB 2.0.2)
     70..72 smb2.negotiate_context.count = 0
     72..88 smb2.server_guid = "00000001-0000-0000-0200-000000000000"
     88..92 smb2.capabilities = 0x00000007
       88..92 smb2.capabilities.dfs = true
       88..92 smb2.capabilities.leasing = true
       88..92 smb2.capabilities.large_mtu = true
       88..92 smb2.capabilities.multi_channel = false
       88..92 smb2.capabilities.persistent_handles = false
       88..92 smb2.capabilities.directory_leasing = false
       88..92 smb2.capabilities.encryption = false
     92..96 smb2.max_trans_size = 65536
     96..100 smb2.max_read_size = 65536
     100..104 smb2.max_write_size = 65536
     104..112 smb2.current_filetime = 0
     112..120 smb2.boot_filetime = 0
     120..122 smb2.olb.offset = 0x00000080
     122..124 smb2.olb.length = 2
     124..128 smb2.negotiate_context.offset = 0x00000000
     128..130 smb2.security_blob = 6001
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0019
       64..66 smb2.buffer_code.length = 12
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.padding = 00
     67..68 smb2.sec_mode = 0x01
       67..68 smb2.sec_mode.sign_enabled = true
       67..68 smb2.sec_mode.sign_required = false
     68..72 smb2.capabilities = 0x00000001
       68..72 smb2.capabilities.dfs = true
       68..72 smb2.capabilities.leasing = false
       68..72 smb2.capabilities.large_mtu = false
       68..72 smb2.capabilities.multi_channel = false
       68..72 smb2.capabilities.persistent_handles = false
       68..72 smb2.capabilities.directory_leasing = false
       68..72 smb2.capabilities.encryption = false
     72..76 smb2.channel = 0x00000000
     76..78 smb2.olb.offset = 0x00000058
     78..80 smb2.olb.length = 2
     80..88 smb2.previous_sesid = 0x0000000000000000
     88..90 smb2.security_blob = 6002
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0009
       64..66 smb2.buffer_code.length = 4
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.session_flags = 0x0000
     68..70 smb2.olb.offset = 0x00000048
     70..72 smb2.olb.length = 0
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0009
       64..66 smb2.buffer_code.length = 4
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.padding = 0000
     68..70 smb2.olb.offset = 0x00000048
     70..72 smb2.olb.length = 8
     72..80 smb2.tree = "\\\\ab"
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0010
       64..66 smb2.buffer_code.length = 8
       64..66 smb2.buffer_code.dynamic = false
     66..67 smb2.share_type = 0x01 (Physical disk)
     67..68 smb2.reserved = 00
     68..72 smb2.share_flags = 0x00000000
     72..76 smb2.share_caps = 0x00000000
     76..80 smb2.access_mask = 0x001f01ff
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0059
       64..66 smb2.buffer_code.length = 44
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.create.oplock = 0x00 (No oplock)
     67..68 smb2.create.rep_flags = 0x00
       67..68 smb2.create.rep_flags.reparse_point = false
     68..72 smb2.create.action = 1 (The file existed and was opened)
     72..80 smb2.create.filetime = 1
     80..88 smb2.last_access.filetime = 2
     88..96 smb2.last_write.filetime = 3
     96..104 smb2.last_change.filetime = 4
     104..112 smb2.allocation_size = 4096
     112..120 smb2.eof = 7
     120..124 smb2.file_attribute = 0x00000020
       120..124 smb2.file_attribute.read_only = false
       120..124 smb2.file_attribute.hidden = false
       120..124 smb2.file_attribute.system = false
       120..124 smb2.file_attribute.directory = false
       120..124 smb2.file_attribute.archive = true
       120..124 smb2.file_attribute.normal = false
     124..128 smb2.reserved = 00000000
     128..144 smb2.fid = "00000001-0000-0000-0200-000000000000"
     144..148 smb2.olb.offset = 0x00000000
     148..152 smb2.olb.length = 0
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x003c
       64..66 smb2.buffer_code.length = 30
       64..66 smb2.buffer_code.dynamic = false
     66..68 smb2.close.flags = 0x0001
       66..68 smb2.close.pq_attrib = true
     68..72 smb2.padding = 00000000
     72..80 smb2.create.filetime = 1
     80..88 smb2.last_access.filetime = 2
     88..96 smb2.last_write.filetime = 3
     96..104 smb2.last_change.filetime = 4
     104..112 smb2.allocation_size = 4096
     112..120 smb2.eof = 7
     120..124 smb2.file_attribute = 0x00000020
       120..124 smb2.file_attribute.read_only = false
       120..124 smb2.file_attribute.hidden = false
       120..124 smb2.file_attribute.system = false
       120..124 smb2.file_attribute.directory = false
       120..124 smb2.file_attribute.archive = true
       120..124 smb2.file_attribute.normal = false
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0031
       64..66 smb2.buffer_code.length = 24
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.read_padding = 0x50
     67..68 smb2.read_flags = 0x00
     68..72 smb2.read_length = 4
     72..80 smb2.file_offset = 0
     80..96 smb2.fid = "00000001-0000-0000-0200-000000000000"
     96..100 smb2.min_count = 0
     100..104 smb2.channel = 0x00000000
     104..108 smb2.remaining_bytes = 0
     108..110 smb2.olb.offset = 0x00000000
     110..112 smb2.olb.length = 0
     112..113 smb2.padding = 00
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0011
       64..66 smb2.buffer_code.length = 8
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.olb.offset = 0x00000050
     67..68 smb2.padding = 00
     68..72 smb2.olb.length = 4
     72..76 smb2.read_remaining = 0
     76..80 smb2.reserved = 00000000
     80..84 smb2.read_data = 64617461
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0031
       64..66 smb2.buffer_code.length = 24
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.data_offset = 0x0070
     68..72 smb2.write_length = 4
     72..80 smb2.file_offset = 0
     80..96 smb2.fid = "00000001-0000-0000-0200-000000000000"
     96..100 smb2.channel = 0x00000000
     100..104 smb2.remaining_bytes = 0
     104..106 smb2.olb.offset = 0x00000000
     106..108 smb2.olb.length = 0
     108..112 smb2.write.flags = 0x00000000
     112..116 smb2.write_data = 64617461
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0011
       64..66 smb2.buffer_code.length = 8
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.reserved = 0000
     68..72 smb2.write.count = 4
     72..76 smb2.write.remaining = 0
     76..80 smb2.reserved = 00000000
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0030
       64..66 smb2.buffer_code.length = 24
       64..66 smb2.buffer_code.dynamic = false
     66..68 smb2.lock_count = 1
     68..72 smb2.reserved = 00000000
     72..88 smb2.fid = "00000001-0000-0000-0200-000000000000"
     88..96 smb2.file_offset = 0
     96..104 smb2.lock_length = 1
     104..108 smb2.lock_flags = 0x00000002
     108..112 smb2.reserved = 00000000
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0039
       64..66 smb2.buffer_code.length = 28
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.reserved = 0000
     68..72 smb2.ioctl.function = 0x0011c017 (FSCTL_PIPE_TRANSCEIVE)
     72..88 smb2.fid = "00000001-0000-0000-0200-000000000000"
     88..92 smb2.olb.offset = 0x00000078
     92..96 smb2.olb.length = 2
     96..100 smb2.max_ioctl_in_size = 0
     100..104 smb2.olb.offset = 0x00000000
     104..108 smb2.olb.length = 0
     108..112 smb2.max_ioctl_out_size = 4096
     112..116 smb2.ioctl.flags = 0x00000001
       112..116 smb2.ioctl.is_fsctl = true
     116..120 smb2.reserved = 00000000
     120..122 smb2.ioctl.data = 6162
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0021
       64..66 smb2.buffer_code.length = 16
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.find.infolevel = 37 (SMB2_FIND_ID_BOTH_DIRECTORY_INFO)
     67..68 smb2.find.flags = 0x00
     68..72 smb2.file_index = 0x00000000
     72..88 smb2.fid = "00000001-0000-0000-0200-000000000000"
     88..90 smb2.olb.offset = 0x00000060
     90..92 smb2.olb.length = 2
     92..96 smb2.max_response_size = 65536
     96..98 smb2.find.pattern = "*"
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0020
       64..66 smb2.buffer_code.length = 16
       64..66 smb2.buffer_code.dynamic = false
     66..68 smb2.notify.flags = 0x0001
     68..72 smb2.max_response_size = 4096
     72..88 smb2.fid = "00000001-0000-0000-0200-000000000000"
     88..92 smb2.notify.filter = 0x00000fff
     92..96 smb2.reserved = 00000000
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0029
       64..66 smb2.buffer_code.length = 20
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.class = 0x01 (FILE_INFO)
     67..68 smb2.infolevel = 0x05
     68..72 smb2.max_response_size = 4096
     72..74 smb2.olb.offset = 0x00000000
     74..76 smb2.reserved = 0000
     76..80 smb2.olb.length = 0
     80..84 smb2.getsetinfo_additional = 0x00000000
     84..88 smb2.reserved = 00000000
     88..104 smb2.fid = "00000001-0000-0000-0200-000000000000"
    = 00000000000000000000000000000000
     smb2.response_to = 0
     64..66 smb2.buffer_code = 0x0009
       64..66 smb2.buffer_code.length = 4
       64..66 smb2.buffer_code.dynamic = true
     66..68 smb2.olb.offset = 0x00000048
     68..72 smb2.olb.length = 2
     72..74 smb2.info = 6162
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0021
       64..66 smb2.buffer_code.length = 16
       64..66 smb2.buffer_code.dynamic = true
     66..67 smb2.class = 0x01 (FILE_INFO)
     67..68 smb2.infolevel = 0x0d
     68..72 smb2.setinfo_size = 1
     72..74 smb2.setinfo_offset = 0x0060
     74..76 smb2.setinfo_reserved = 0
     76..80 smb2.getsetinfo_additional = 0x00000000
     80..96 smb2.fid = "00000001-0000-0000-0200-000000000000"
     96..97 smb2.info = 01
    = 00000000000000000000000000000000
     64..66 smb2.buffer_code = 0x0004
       64..66 smb2.buffer_code.length = 2
       64..66 smb2.buffer_code.dynamic = false
     66..68 smb2.reserved = 0000
    "#);
}

#[test]
fn a_response_names_its_request_and_an_error_its_status() {
    let mut session = Session::default();
    read(&mut session, &message(5, 0, 0, ""));
    let mut response = message(5, 1, 0, "0900 00 00 00000000 00");
    response[8..12].copy_from_slice(&0xc000_0022_u32.to_le_bytes());
    let tree = read(&mut session, &response);
    assert!(
        tree.starts_with("smb2 0..73 | Create response | STATUS_ACCESS_DENIED\n") && tree.contains("smb2.response_to"),
        "{tree}"
    );
}

#[test]
fn transformed_messages_are_dissected() {
    let head =
        "fd534d42 00112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff 02000000 0000 0100 0900000000000000 9999";
    let mut session = Session::default();
    insta::assert_snapshot!(read(&mut session, &trial::bytes(head)), @"
    smb2 0..54 | encrypted | 2 bytes
      0..4 smb2.protocol_id = 0xfd534d42
      4..20 smb2.header.transform.signature = 00112233445566778899aabbccddeeff
      20..36 smb2.header.transform.nonce = 00112233445566778899aabbccddeeff
      36..40 smb2.header.transform.msg_size = 2
      40..42 smb2.header.transform.reserved = 0000
      42..44 smb2.header.transform.flags = 0x0001
      44..52 smb2.sesid = 0x0000000000000009
      52..54 smb2.header.transform.enc_data = 9999
    ");
    insta::assert_snapshot!(read(&mut session, &trial::bytes("fc534d42 00010000 0100 0000 00000000 9999")), @"
    smb2 0..18 | compressed | 256 bytes once decompressed
      0..4 smb2.protocol_id = 0xfc534d42
      4..8 smb2.header.comp_transform.original_size = 256
      8..10 smb2.header.comp_transform.comp_alg = 0x0001 (LZNT1)
      10..12 smb2.header.comp_transform.flags = 0x0000
      12..16 smb2.header.comp_transform.offset = 0x00000000
      16..18 smb2.header.comp_transform.data = 9999
    ");
}

#[test]
fn damaged_messages_are_survived() {
    for bytes in talk() {
        let mut session = Session::default();
        trial::survives_damage(&PROTOCOL, &bytes, |wire| session.message(Side::Client, wire));
    }
}

#[test]
fn a_forgotten_request_for_a_tree_is_noted() {
    let mut session = Session::default();
    let mut ask = || read(&mut session, &message(3, 0, 0, "0900 0000 4800 0800 5c005c006100 6200"));
    assert!((0..TREES).all(|_| !ask().contains("dissect.evicted")) && ask().contains("! info dissect.evicted"));
}
