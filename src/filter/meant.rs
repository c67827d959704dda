//! Conditions that a lone word or constant stands for, for error messages.

use super::syntax::Syntax;
use std::net::{IpAddr, Ipv6Addr};

/// Words that users type for a condition.
const WORDS: &[(&[&str], &[&str])] = &[
    (&["c2s", "client", "sent"], &["message.dir == \"c2s\""]),
    (&["s2c", "server", "received"], &["message.dir == \"s2c\""]),
    (&["unknown", "undissected", "unrecognized", "unidentified", "undecoded", "payload", "raw"], &["data"]),
    (&["malformed", "broken", "damaged", "corrupt", "invalid"], &["_ws.malformed"]),
    (&["error", "errors", "bad"], &["_ws.expert.severity == \"Error\"", "_ws.malformed"]),
    (&["warning", "warnings", "warn"], &["_ws.expert.severity == \"Warning\""]),
    (&["expert", "note", "notes", "odd"], &["_ws.expert"]),
    (&["lost", "loss", "gap", "gaps", "missing"], &["tcp.analysis.lost_segment"]),
    (&["retransmission", "retransmissions", "retransmit", "retrans"], &["tcp.analysis.retransmission"]),
    (&["syn", "SYN"], &["tcp.flags.syn == 1"]),
    (&["fin", "FIN"], &["tcp.flags.fin == 1"]),
    (&["rst", "RST", "reset"], &["tcp.flags.reset == 1"]),
];

/// Complete conditions that were probably meant by an operand which is none; empty if it resembles nothing.
pub(super) fn conditions(written: &Syntax) -> Vec<String> {
    match written {
        Syntax::Word(word) => of_word(word),
        Syntax::Quoted(text) => std::str::from_utf8(text).map_or_else(|_| Vec::new(), |text| vec![searched(text)]),
        Syntax::Char(byte) => vec![format!("frame contains {byte:02x}")],
        _ => Vec::new(),
    }
}

fn of_word(word: &str) -> Vec<String> {
    if let Some((_, meant)) = WORDS.iter().find(|(words, _)| words.contains(&word)) {
        return meant.iter().map(|meant| (*meant).to_owned()).collect();
    }
    if let Some((transport @ ("tcp" | "udp" | "sctp"), number)) = word.split_once('/')
        && number.parse::<u32>().is_ok()
    {
        return vec![format!("stream == \"{word}\""), format!("{transport}.stream == {number}")];
    }
    if let Ok(port) = word.parse::<u16>() {
        return vec![format!("tcp.port == {port}"), format!("udp.port == {port}"), format!("frame.number == {port}")];
    }
    let (address, _) = word.split_once('/').unwrap_or((word, ""));
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => return vec![format!("ip.addr == {word}")],
        Ok(IpAddr::V6(_)) => return vec![format!("ipv6.addr == {word}")],
        Err(_) => {}
    }
    if let Some((host, port)) = word.rsplit_once(':')
        && port.parse::<u16>().is_ok()
    {
        let host = host.trim_matches(['[', ']']);
        let name = if host.parse::<Ipv6Addr>().is_ok() { "ipv6.addr" } else { "ip.addr" };
        if host.parse::<IpAddr>().is_ok() {
            return vec![format!("{name} == {host} and tcp.port == {port}")];
        }
    }
    let parts: Vec<&str> = word.split([':', '-']).collect();
    let is_byte = |part: &&str| part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    if parts.len() > 1 && parts.iter().all(is_byte) {
        return vec![if parts.len() == 6 { format!("eth.addr == {word}") } else { format!("frame contains {word}") }];
    }
    if word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return vec![format!("message.name == \"{word}\""), searched(word)];
    }
    Vec::new()
}

fn searched(text: &str) -> String {
    format!("frame contains \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use crate::filter::Filter;
    use crate::registry::Registry;

    #[test]
    fn a_lone_constant_is_answered_with_a_condition_that_is_one() {
        for (typed, meant) in [
            ("s2c", "message.dir == \"s2c\""),
            ("client and tcp", "message.dir == \"c2s\""),
            ("unknown", "data"),
            ("not malformed", "_ws.malformed"),
            ("errors", "_ws.expert.severity == \"Error\""),
            ("warnings", "_ws.expert.severity == \"Warning\""),
            ("expert", "_ws.expert"),
            ("lost", "tcp.analysis.lost_segment"),
            ("retransmission", "tcp.analysis.retransmission"),
            ("SYN", "tcp.flags.syn == 1"),
            ("\"GET /a\"", "frame contains \"GET /a\""),
            ("\"a \\\"b\\\" \\\\\"", "frame contains \"a \\\"b\\\" \\\\\""),
            ("'G'", "frame contains 47"),
            ("GET", "message.name == \"GET\""),
            ("tcp/0", "stream == \"tcp/0\""),
            ("8080", "tcp.port == 8080"),
            ("10.0.0.1", "ip.addr == 10.0.0.1"),
            ("10.0.0.0/8", "ip.addr == 10.0.0.0/8"),
            ("fe80::1", "ipv6.addr == fe80::1"),
            ("10.0.0.1:80", "ip.addr == 10.0.0.1 and tcp.port == 80"),
            ("00:11:22:33:44:55", "eth.addr == 00:11:22:33:44:55"),
            ("4d:5a", "frame contains 4d:5a"),
        ] {
            let parse = |text: &str| Filter::parse(text, Registry::default());
            let wrong = parse(typed).map(|filter| filter.to_string()).unwrap_err();
            assert_eq!(wrong.nearest.first().map(String::as_str), Some(meant), "{typed}");
            for nearest in &wrong.nearest {
                assert!(parse(nearest).is_ok(), "{typed}: {nearest}");
            }
        }
    }

    #[test]
    fn a_mistyped_name_is_answered_with_names() {
        let wrong = Filter::parse("tcp.prot", Registry::default()).map(|filter| filter.to_string()).unwrap_err();
        assert_eq!(wrong.nearest.first().map(String::as_str), Some("tcp.port"));
        // An operand of a comparison is no condition.
        let wrong = Filter::parse("s2c == 5", Registry::default()).map(|filter| filter.to_string()).unwrap_err();
        assert!(!wrong.nearest.iter().any(|name| name.contains("==")), "{wrong}");
    }
}
