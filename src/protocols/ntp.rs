//! NTP (RFC 5905), SNTP, and the headers of NTP control messages (RFC 9327).
//!
//! Timestamps are seconds since 1900 and a fraction, 32 bits each; the seconds wrap in 2036.
//!
//! ```text
//! leap:2 version:3 mode:3 | stratum:1 | poll:1 | precision:1 | root delay:4 | root dispersion:4 | reference:4
//! reference timestamp:8 | origin timestamp:8 | receive timestamp:8 | transmit timestamp:8 | key ID:4 | digest
//! control   leap:2 version:3 mode:3 | response error more opcode:1 | sequence:2 | status:2 | association ID:2 | offset:2 | count:2 | data
//! ```
//! Not covered: extension fields (RFC 7822), shown as bytes; implementation-specific messages of mode 7.

use crate::tree::{Field, Names, Side, Timestamp, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&NTP, FIELDS)
    .found(&[
        On::Udp(123).exchange::<OpenRequests>(Heuristic::Datagram(recognize)),
        On::Udp(123).exchange::<OpenRequests>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    NTP = protocol("ntp", "NTP", "Network Time Protocol")
        .covers("Timestamps and clock parameters of all versions, control messages; responses matched with their requests")
        .leaves_open("Extension fields, and implementation-specific messages of mode 7");
    FLAGS = number("ntp.flags", "Flags", "").hex(2).once();
    LEAP = number("ntp.flags.li", "Leap indicator", "Warning of a leap second at the end of the day").mask(0xc0).names(LEAPS).once();
    VERSION = number("ntp.flags.vn", "Version number", "").mask(0x38).once();
    MODE = number("ntp.flags.mode", "Mode", "").mask(0x07).names(MODES).once();
    STRATUM = number("ntp.stratum", "Peer clock stratum", "Distance from the reference clock; 0 is unspecified or a kiss-o'-death").once();
    POLL = number("ntp.ppoll", "Peer polling interval", "log2 seconds").once();
    PRECISION = number("ntp.precision", "Peer clock precision", "log2 seconds in two's complement, as an unsigned byte").once();
    ROOT_DELAY = number("ntp.rootdelay", "Root delay", "Round-trip delay to the reference clock, in 1/65536 seconds").once();
    ROOT_DISPERSION = number("ntp.rootdispersion", "Root dispersion", "In 1/65536 seconds").once();
    REFERENCE = bytes("ntp.refid", "Reference ID", "Address of the server's source, clock type at stratum 1, or kiss code").once();
    REFERENCE_TIME = text("ntp.reftime", "Reference timestamp", "When the clock was last set or corrected").once();
    ORIGIN = text("ntp.org", "Origin timestamp", "When the client sent its request").once();
    RECEIVE = text("ntp.rec", "Receive timestamp", "When the server received the request").once();
    TRANSMIT = text("ntp.xmt", "Transmit timestamp", "When this message was sent").once();
    KEY = bytes("ntp.keyid", "Key ID", "Identifies the symmetric key");
    MAC = bytes("ntp.mac", "Message authentication code", "Digest keyed with the symmetric key");
    EXTENSION = bytes("ntp.ext", "Extension fields", "Extension fields and undissected bytes after them");
    CONTROL = number("ntp.ctrl.flags2", "Control flags", "").hex(2).once();
    CONTROL_RESPONSE = bool("ntp.ctrl.flags2.r", "Response bit", "").mask(0x80).once();
    CONTROL_ERROR = bool("ntp.ctrl.flags2.error", "Error bit", "").mask(0x40).once();
    CONTROL_MORE = bool("ntp.ctrl.flags2.more", "More bit", "Further fragments of the response follow").mask(0x20).once();
    CONTROL_OPCODE = number("ntp.ctrl.flags2.opcode", "Opcode", "").mask(0x1f).names(OPCODES).once();
    SEQUENCE = number("ntp.ctrl.sequence", "Sequence", "Copied into the response").once();
    STATUS = number("ntp.ctrl.status", "Status", "Status word of the system, a peer or a clock").hex(4).once();
    ASSOCIATION = number("ntp.ctrl.associd", "Association ID", "0 is the system").once();
    OFFSET = number("ntp.ctrl.offset", "Offset", "Offset of this fragment in the data, in bytes").once();
    COUNT = number("ntp.ctrl.count", "Count", "Bytes of data").once();
    CONTROL_DATA = text("ntp.ctrl.data", "Data", "Variables as name=value");
    DATA = bytes("ntp.data", "Data", "Undissected bytes");
    REQUEST_IN = number("ntp.request_in", "Request in", "").once();
    DELTA = float("ntp.delta_time", "Delta time", "Seconds since the request").seconds().once();
}

const LEAPS: Names =
    &[(0, "no warning"), (1, "last minute has 61 seconds"), (2, "last minute has 59 seconds"), (3, "not synchronised")];
const MODES: Names = &[
    (0, "reserved"),
    (1, "symmetric active"),
    (2, "symmetric passive"),
    (3, "client"),
    (4, "server"),
    (5, "broadcast"),
    (6, "control"),
    (7, "private"),
];
const OPCODES: Names = &[
    (1, "read status"),
    (2, "read variables"),
    (3, "write variables"),
    (4, "read clock variables"),
    (5, "write clock variables"),
    (6, "set trap address"),
    (7, "trap"),
];

/// Size of a message without authentication in bytes.
const MESSAGE: usize = 48;
/// Size of a control message without data in bytes.
const CONTROL_HEADER: usize = 12;
/// Seconds from 1900 to 1970, the Unix epoch.
const UNIX_EPOCH: i64 = 2_208_988_800;
/// Sizes of a key ID with an MD5 or SHA-1 digest in bytes.
const DIGESTS: [usize; 2] = [20, 24];

/// Requires a known version and the minimum size of the mode; truncated frames are judged by the captured bytes.
fn recognize(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| match (flags >> 3 & 7, flags & 7) {
        (1..=4, 1..=5) => bytes.len() >= MESSAGE,
        (1..=4, 6) => bytes.len() >= CONTROL_HEADER,
        (1..=4, 7) => bytes.len() >= 8,
        _ => false,
    })
}

/// Whether a datagram has the size of a message, or its first byte is that of one.
fn is_likely(bytes: &[u8]) -> bool {
    const LEAST: usize = 4;
    let is_known = bytes.first().is_some_and(|flags| matches!((flags >> 3 & 7, flags & 7), (1..=4, 1..=7)));
    bytes.len() == MESSAGE || is_known && bytes.len() >= LEAST
}

/// Pending requests of one conversation, by transmit timestamp or sequence number of a control message.
#[derive(Default)]
struct OpenRequests(Requests<u64>);

impl Exchange for OpenRequests {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        const CLIENT: u64 = 3;
        const SERVER: u64 = 4;
        let flags = wire.flags(&FLAGS, 1, &[&LEAP, &VERSION, &MODE])?;
        let mode = MODE.bits_of(flags);
        wire.name(name_of(MODES, mode).unwrap_or_default());
        match mode {
            6 => return self.control(wire),
            7 => {
                return wire.rest_is(&DATA);
            }
            _ => {}
        }
        let [origin, transmit] = clock(wire)?;
        let version = VERSION.bits_of(flags);
        wire.info(format_args!("version {version}"));
        match mode {
            CLIENT => {
                self.0.ask(transmit, wire);
            }
            SERVER => {
                if let Some(question) = self.0.answer(&origin) {
                    question.put(wire, &REQUEST_IN, &DELTA);
                }
            }
            _ => {}
        }
        match wire.remaining() {
            0 => {}
            left if DIGESTS.contains(&left) => {
                wire.bytes(&KEY, 4)?;
                wire.rest(&MAC);
            }
            4 => wire.bytes(&KEY, 4).map(drop)?,
            _ => {
                wire.rest(&EXTENSION);
            }
        }
        Ok(())
    }
}

impl OpenRequests {
    fn control(&mut self, wire: &mut Wire<'_>) -> Result {
        let bits = [&CONTROL_RESPONSE, &CONTROL_ERROR, &CONTROL_MORE, &CONTROL_OPCODE];
        let flags = wire.flags(&CONTROL, 1, &bits)?;
        wire.info(format_args!("{}", name_of(OPCODES, CONTROL_OPCODE.bits_of(flags)).unwrap_or("unknown operation")));
        let sequence = u64::from(wire.u16_be(&SEQUENCE)?);
        for field in [&STATUS, &ASSOCIATION, &OFFSET] {
            wire.u16_be(field)?;
        }
        wire.counted(Wire::u16_be, &COUNT, &CONTROL_DATA)?;
        if CONTROL_RESPONSE.bits_of(flags) == 0 {
            self.0.ask(sequence, wire);
        } else if let Some(question) = self.0.answer(&sequence) {
            question.put(wire, &REQUEST_IN, &DELTA);
        }
        // The data is padded to 32 bits, and a digest may follow.
        wire.rest_is(&DATA)
    }
}

/// Dissects the body of a time message. Returns the timestamps that match responses with requests.
fn clock(wire: &mut Wire<'_>) -> Result<[u64; 2]> {
    wire.u8(&STRATUM)?;
    wire.u8(&POLL)?;
    wire.u8(&PRECISION)?;
    wire.u32_be(&ROOT_DELAY)?;
    wire.u32_be(&ROOT_DISPERSION)?;
    wire.bytes(&REFERENCE, 4)?;
    time(wire, &REFERENCE_TIME)?;
    let origin = time(wire, &ORIGIN)?;
    time(wire, &RECEIVE)?;
    let transmit = time(wire, &TRANSMIT)?;
    Ok([origin, transmit])
}

/// Size of a timestamp in bytes.
const SIZE: usize = 8;

/// Dissects a timestamp.
fn time(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(SIZE)?;
    let raw = u64::from_be_bytes(*ahead.first_chunk().unwrap_or(&[0; SIZE]));
    put_time(wire, field, raw, start);
    Ok(raw)
}

/// Adds a timestamp of eight bytes at `start`. Values before 1968 belong to the era after 2036.
pub(super) fn put_time(wire: &mut Wire<'_>, field: &'static Field, raw: u64, start: usize) {
    const ERA: i64 = 1 << 32;
    let (high, low) = (i64::try_from(raw >> 32).unwrap_or(0), raw & 0xffff_ffff);
    let era = if raw >> 63 == 0 { ERA } else { 0 };
    let seconds = high + era - UNIX_EPOCH;
    let nanos = u32::try_from((low * 1_000_000_000) >> 32).unwrap_or(0);
    match raw {
        0 => wire.put_text(field, start..start + SIZE, format_args!("NULL")),
        _ => wire.put_text(field, start..start + SIZE, format_args!("{}", Timestamp { seconds, nanos })),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const CLIENT: &str = "230006ea000000000000000000000000000000000000000000000000000000000000000000000000d9fd004440000000";
    const SERVER: &str = "240206e800000c810000124469edcf1cd9fcfe2000000000d9fd004440000000d9fd004448000000d9fd004449000000";
    const CONTROL: &str = "160200010000000000000000";

    fn read(asked: &mut OpenRequests, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| asked.message(Side::Client, wire))
    }

    fn alone(hex: &str) -> String {
        read(&mut OpenRequests::default(), hex)
    }

    #[test]
    fn a_client_message_is_dissected() {
        insta::assert_snapshot!(alone(CLIENT), @r#"
        ntp 0..48 | client | version 4
          0..1 ntp.flags = 0x23
            0..1 ntp.flags.li = 0 (no warning)
            0..1 ntp.flags.vn = 4
            0..1 ntp.flags.mode = 3 (client)
          1..2 ntp.stratum = 0
          2..3 ntp.ppoll = 6
          3..4 ntp.precision = 234
          4..8 ntp.rootdelay = 0
          8..12 ntp.rootdispersion = 0
          12..16 ntp.refid = 00000000
          16..24 ntp.reftime = "NULL"
          24..32 ntp.org = "NULL"
          32..40 ntp.rec = "NULL"
          40..48 ntp.xmt = "Nov 23, 2015 03:02:28.250000000 UTC"
        "#);
    }

    #[test]
    fn a_server_response_is_matched_with_its_request() {
        let mut asked = OpenRequests::default();
        read(&mut asked, CLIENT);
        insta::assert_snapshot!(read(&mut asked, SERVER), @r#"
        ntp 0..48 | server | version 4
          0..1 ntp.flags = 0x24
            0..1 ntp.flags.li = 0 (no warning)
            0..1 ntp.flags.vn = 4
            0..1 ntp.flags.mode = 4 (server)
          1..2 ntp.stratum = 2
          2..3 ntp.ppoll = 6
          3..4 ntp.precision = 232
          4..8 ntp.rootdelay = 3201
          8..12 ntp.rootdispersion = 4676
          12..16 ntp.refid = 69edcf1c
          16..24 ntp.reftime = "Nov 23, 2015 02:53:20.000000000 UTC"
          24..32 ntp.org = "Nov 23, 2015 03:02:28.250000000 UTC"
          32..40 ntp.rec = "Nov 23, 2015 03:02:28.281250000 UTC"
          40..48 ntp.xmt = "Nov 23, 2015 03:02:28.285156250 UTC"
          ntp.request_in = 0
        "#);
    }

    #[test]
    fn a_control_message_is_dissected() {
        insta::assert_snapshot!(alone(CONTROL), @r#"
        ntp 0..12 | control | read variables
          0..1 ntp.flags = 0x16
            0..1 ntp.flags.li = 0 (no warning)
            0..1 ntp.flags.vn = 2
            0..1 ntp.flags.mode = 6 (control)
          1..2 ntp.ctrl.flags2 = 0x02
            1..2 ntp.ctrl.flags2.r = false
            1..2 ntp.ctrl.flags2.error = false
            1..2 ntp.ctrl.flags2.more = false
            1..2 ntp.ctrl.flags2.opcode = 2 (read variables)
          2..4 ntp.ctrl.sequence = 1
          4..6 ntp.ctrl.status = 0x0000
          6..8 ntp.ctrl.associd = 0
          8..10 ntp.ctrl.offset = 0
          10..12 ntp.ctrl.count = 0
        "#);
    }

    #[test]
    fn the_heuristic_checks_version_and_length() {
        assert!([CLIENT, SERVER, CONTROL].iter().all(|hex| recognize(&trial::bytes(hex))));
        assert!(!recognize(&trial::bytes(CLIENT)[..47]) && !recognize(&[0; 48]) && !recognize(&[]));
    }

    #[test]
    fn timestamps_of_the_second_era_begin_in_2036() {
        let mut bytes = trial::bytes(CLIENT);
        bytes[40..48].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 1]);
        let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| OpenRequests::default().message(Side::Client, wire));
        assert!(dump.contains("ntp.xmt = \"Feb  7, 2036 06:28:16.000000000 UTC\""), "{dump}");
    }
}
