//! Syslog over UDP (RFC 3164, RFC 5424).
//!
//! ```text
//! <facility × 8 + level> text
//!   RFC 3164   Mmm dd hh:mm:ss host tag: text
//!   RFC 5424   1 timestamp host application process message-id data text
//! ```

use crate::tree::{Field, Names, Value, fields, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&SYSLOG, FIELDS).found(&[
    On::Udp(514).datagram(Heuristic::Datagram(recognize), message),
    On::Udp(514).datagram(Heuristic::Datagram(is_text), message).by_port(),
]);

fields! {
    SYSLOG = protocol("syslog", "Syslog", "Syslog message")
        .covers("Priority and message, in the formats of RFC 3164 and RFC 5424");
    PRIORITY = number("syslog.priority", "Priority", "Facility times eight plus level").once();
    FACILITY = number("syslog.facility", "Facility", "").mask(0x3f8).names(FACILITIES).once();
    LEVEL = number("syslog.level", "Level", "").mask(0x007).names(LEVELS).once();
    MSG = text("syslog.msg", "Message", "").once();
    VERSION = text("syslog.version", "Version", "RFC 5424").once();
    TIMESTAMP = text("syslog.timestamp", "Timestamp", "RFC 5424").once();
    OLD_TIMESTAMP = text("syslog.timestamp_rfc3164", "Timestamp", "RFC 3164").once();
    HOST = text("syslog.hostname", "Hostname", "").once();
    APP = text("syslog.appname", "App Name", "").once();
    PROCESS = text("syslog.procid", "Process ID", "").once();
    MESSAGE_ID = text("syslog.msgid", "Message ID", "Type of the message, RFC 5424").once();
}

const FACILITIES: Names = &[
    (0, "kernel"),
    (1, "user"),
    (2, "mail"),
    (3, "daemon"),
    (4, "security"),
    (5, "syslog"),
    (6, "printer"),
    (7, "news"),
    (8, "UUCP"),
    (9, "clock"),
    (10, "security, private"),
    (11, "FTP"),
    (12, "NTP"),
    (13, "audit"),
    (14, "alert"),
    (15, "clock, other"),
    (16, "local 0"),
    (17, "local 1"),
    (18, "local 2"),
    (19, "local 3"),
    (20, "local 4"),
    (21, "local 5"),
    (22, "local 6"),
    (23, "local 7"),
];
const LEVELS: Names = &[
    (0, "emergency"),
    (1, "alert"),
    (2, "critical"),
    (3, "error"),
    (4, "warning"),
    (5, "notice"),
    (6, "information"),
    (7, "debug"),
];

/// Header fields of RFC 5424 in order.
const HEADER: [&Field; 6] = [&VERSION, &TIMESTAMP, &HOST, &APP, &PROCESS, &MESSAGE_ID];

/// Size of the priority with its brackets, and its value.
fn priority(bytes: &[u8]) -> Option<(usize, u16)> {
    const HIGHEST: u16 = 191;
    let digits = bytes.strip_prefix(b"<")?;
    let end = digits.iter().take(4).position(|byte| *byte == b'>')?;
    let number = std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()?;
    (number <= HIGHEST && digits.first().is_some_and(u8::is_ascii_digit)).then_some((end + 2, number))
}

fn recognize(bytes: &[u8]) -> bool {
    priority(bytes).is_some()
}

/// Whether a datagram without a priority is text.
fn is_text(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let is_shown = |character: char| !character.is_control() || character.is_ascii_whitespace();
    !bytes.is_empty() && std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_shown))
}

fn message(wire: &mut Wire<'_>) -> Result {
    let start = wire.at();
    if let Some((length, number)) = priority(wire.ahead()) {
        let number = u64::from(number);
        wire.skip(length)?;
        wire.put_over(&PRIORITY, Value::Unsigned(number), Some(start..start + length), |wire| {
            for field in [&FACILITY, &LEVEL] {
                wire.put(field, Value::Unsigned(field.bits_of(number)), start..start + length);
            }
        });
        wire.name(name_of(LEVELS, LEVEL.bits_of(number)).unwrap_or_default());
    }
    let line = wire.ahead();
    let at = wire.at();
    let bytes = line.strip_suffix(&[0]).unwrap_or(line);
    let shown = String::from_utf8_lossy(bytes.get(..bytes.len().min(200)).unwrap_or_default());
    wire.info(format_args!("{}", shown.trim_end()));
    if !line.is_empty() {
        wire.text(&MSG, line.len())?;
        parts(wire, bytes, at);
    }
    Ok(())
}

/// Dissects the header of the line.
fn parts(wire: &mut Wire<'_>, line: &[u8], start: usize) {
    if line.starts_with(b"1 ") {
        let mut at = 0;
        for field in HEADER {
            let rest = line.get(at..).unwrap_or_default();
            let Some(length) = memchr::memchr(b' ', rest) else { return };
            wire.put(field, Value::Text, start + at..start + at + length);
            at += length + 1;
        }
        return;
    }
    // Format: Mmm dd hh:mm:ss
    const TIME: usize = 15;
    let is_time = line.get(..TIME).is_some_and(|time| {
        time.iter().enumerate().all(|(at, byte)| match at {
            0..=2 => byte.is_ascii_alphabetic(),
            3 | 6 => *byte == b' ',
            9 | 12 => *byte == b':',
            4 => *byte == b' ' || byte.is_ascii_digit(),
            _ => byte.is_ascii_digit(),
        })
    });
    if !is_time || line.get(TIME) != Some(&b' ') {
        return;
    }
    wire.put(&OLD_TIMESTAMP, Value::Text, start..start + TIME);
    let host = TIME + 1;
    let Some(length) = memchr::memchr(b' ', line.get(host..).unwrap_or_default()) else { return };
    wire.put(&HOST, Value::Text, start + host..start + host + length);
    let tag = host + length + 1;
    let rest = line.get(tag..).unwrap_or_default();
    let Some(length) = memchr::memchr2(b':', b' ', rest) else { return };
    wire.put(&PROCESS, Value::Text, start + tag..start + tag + length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const RFC_3164: &str = "3c33343e4f63742031312032323a31343a313520636f7563682073753a206661696c656420666f722066616c6b";
    const RFC_5424: &str = "3c3136353e3120323032362d31312d32315432323a31343a31352e3030335a20636f7563682e6578616d706c6520706c61792038 \
        3731302049443437202d20416e206576656e740a";

    fn read(hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, message)
    }

    #[test]
    fn a_message_of_rfc_3164_is_dissected() {
        insta::assert_snapshot!(read(RFC_3164), @r#"
        syslog 0..45 | critical | Oct 11 22:14:15 couch su: failed for falk
          0..4 syslog.priority = 34
            0..4 syslog.facility = 4 (security)
            0..4 syslog.level = 2 (critical)
          4..45 syslog.msg = "Oct 11 22:14:15 couch su: failed for falk"
          4..19 syslog.timestamp_rfc3164 = "Oct 11 22:14:15"
          20..25 syslog.hostname = "couch"
          26..28 syslog.procid = "su"
        "#);
    }

    #[test]
    fn a_message_of_rfc_5424_is_dissected() {
        insta::assert_snapshot!(read(RFC_5424), @r#"
        syslog 0..72 | notice | 1 2026-11-21T22:14:15.003Z couch.example play 8710 ID47 - An event
          0..5 syslog.priority = 165
            0..5 syslog.facility = 20 (local 4)
            0..5 syslog.level = 5 (notice)
          5..72 syslog.msg = "1 2026-11-21T22:14:15.003Z couch.example play 8710 ID47 - An event\n"
          5..6 syslog.version = "1"
          7..31 syslog.timestamp = "2026-11-21T22:14:15.003Z"
          32..45 syslog.hostname = "couch.example"
          46..50 syslog.appname = "play"
          51..55 syslog.procid = "8710"
          56..60 syslog.msgid = "ID47"
        "#);
    }

    #[test]
    fn the_heuristic_requires_a_priority() {
        assert!(recognize(b"<0>") && recognize(b"<191>x"));
        assert!(!recognize(b"<192>x") && !recognize(b"<>x") && !recognize(b"<+1>x") && !recognize(b"x") && !recognize(b"<1"));
    }
}
