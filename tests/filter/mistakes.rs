//! Mistakes are located, before anything is read.

use proto_dissect::filter::Filter;
use proto_dissect::registry::Registry;

/// Invalid filters: the marked text, words of the message, and the suggestion.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("tcp.prot == 80", "tcp.prot", "is not a valid protocol or protocol field", "tcp.port"),
    ("ip and udp.srcprt", "udp.srcprt", "is not a valid protocol or protocol field", "udp.srcport"),
    ("frame.nmber > 3", "frame.nmber", "is not a valid protocol or protocol field", "frame.number"),
    ("mesage.name == x", "mesage.name", "is not a valid protocol or protocol field", "message.name"),
    ("TCP", "TCP", "is not a valid protocol or protocol field", "tcp"),
    ("pipboy.typ == data_update", "pipboy.typ", "is not a valid protocol or protocol field", "pipboy.type"),
    ("80 == tcp.prt", "tcp.prt", "is not a valid protocol or protocol field", "tcp.port"),
    ("tcp.prt in {80}", "tcp.prt", "is not a valid protocol or protocol field", "tcp.port"),
    ("len(udp.paylod) > 3", "udp.paylod", "is not a valid protocol or protocol field", "udp.payload"),
    ("eth.scr[0:3] == 00:11:22", "eth.scr", "is not a valid protocol or protocol field", "eth.src"),
    ("tcp.flag & 2", "tcp.flag", "is not a valid protocol or protocol field", "tcp.flags"),
    ("1 == 1", "1", "not a constant", ""),
    ("\"tcp\"", "\"tcp\"", "not a constant", ""),
    ("tcp.port == eighty", "eighty", "expected an integer for tcp.port", ""),
    ("tcp.port == 80.5", "80.5", "expected an integer for tcp.port", ""),
    ("tcp.port == \"80\"", "\"80\"", "expected an integer", ""),
    ("tcp.port == 0x", "0x", "expected an integer", ""),
    ("tcp.port == 99999999999999999999", "99999999999999999999", "expected an integer", ""),
    ("tcp.srcport == tcp.dstprt", "tcp.dstprt", "expected an integer", "tcp.dstport"),
    ("pipboy.type == data_updat", "data_updat", "or a value name", "\"data_update\""),
    ("pipboy.type in {3, comand}", "comand", "or a value name", "\"command\""),
    ("ip.src == 10.0.0.256", "10.0.0.256", "an IPv4 address", ""),
    ("ip.src == 10", "10", "an IPv4 address", ""),
    ("ip.src == 10.0.0.0/33", "10.0.0.0/33", "an IPv4 address", ""),
    ("ip.src == 2001:db8::1", "2001:db8::1", "an IPv4 address", ""),
    ("ip.src == host.example", "host.example", "an IPv4 address", ""),
    ("ipv6.src == 10.0.0.1", "10.0.0.1", "an IPv6 address", ""),
    ("ipv6.src == 2001:::1", "2001:::1", "an IPv6 address", ""),
    ("eth.src == 00:11", "00:11", "an Ethernet address", ""),
    ("udp.payload == abc", "abc", "expected bytes", "\"abc\""),
    ("udp.payload contains hello", "hello", "expected bytes", "\"hello\""),
    ("tcp.flags.syn == maybe", "maybe", "true or false", "true"),
    ("tcp.flags.syn > 0", "tcp.flags.syn", "has no order", ""),
    ("tcp.flags.syn <= tcp.flags.ack", "tcp.flags.syn", "has no order", ""),
    ("frame.time_relative > soon", "soon", "seconds", ""),
    ("frame.time_epoch > yesterday", "yesterday", "seconds since 1970", ""),
    ("frame.time_relative > \"2015-11-24 21:20:00\"", "\"2015-11-24 21:20:00\"", "seconds", ""),
    ("pipboy.entry.float == heavy", "heavy", "expected a number", ""),
    ("tcp.port contains 80", "tcp.port", "is a number", ""),
    ("ip.src contains c0:a8", "ip.src", "is an IPv4 address", ""),
    ("tcp.port matches \"80\"", "tcp.port", "is a number", ""),
    ("tcp.port ~ \"80\"", "tcp.port", "has no text to match", ""),
    ("message.name matches data", "data", "in quotes", "\"data\""),
    ("message.name matches \"(\"", "\"(\"", "not a regular expression", ""),
    ("message.name matches \"a{2000000000}\"", "\"a{2000000000}\"", "not a regular expression", ""),
    ("http.host == pipboy", "pipboy", "http.host is text, pipboy is a protocol", "\"pipboy\""),
    ("frame.protocols contains tcp", "tcp", "expected a constant", "\"tcp\""),
    ("ip.proto == tcp", "tcp", "ip.proto is a number, tcp is a protocol", "\"tcp\""),
    ("tcp.port == ip.src", "ip.src", "is an IPv4 address", ""),
    ("ip.src in {ip.dst}", "ip.dst", "expected a constant", ""),
    ("tcp.port[0] == 1", "tcp.port", "cannot be sliced", ""),
    ("message.name & 1", "message.name", "bitwise and", ""),
    ("tcp.flags & tcp.window_size_value", "tcp.window_size_value", "must be a constant", ""),
    ("lower(tcp.port) == 1", "tcp.port", "is not text", ""),
    ("len(tcp.port) == 2", "tcp.port", "has no length", ""),
    ("pipboy.error.count == 1", "pipboy.error.count", "is a note", ""),
    ("count(pipboy.error.count) > 1", "pipboy.error.count", "is a note", ""),
    ("len(tcp)", "len(tcp)", "expected a comparison", ""),
    ("len() == 1", "len()", "takes one field", ""),
    ("len(tcp, udp) == 1", "len(tcp, udp)", "takes one field", ""),
    ("lenght(tcp) == 1", "lenght", "unknown function", "len"),
    ("tcp(udp)", "tcp", "unknown function", ""),
    ("(tcp == 1", "(", "unclosed bracket", ""),
    ("tcp and (udp or (ip)", "(", "unclosed bracket", ""),
    ("len(tcp", "len(", "unclosed bracket", ""),
    ("len\u{a0}(tcp", "len\u{a0}(", "unclosed bracket", ""),
    ("tcp)", ")", "unmatched closing bracket", ""),
    ("tcp.port in {80", "{", "unclosed bracket", ""),
    ("tcp.port in {}", "{}", "must not be empty", ""),
    ("tcp.port in {80,}", "}", "expected a value", ""),
    ("tcp.port in {100..80}", "100..80", "ends before it begins", ""),
    ("tcp.port in 80", "80", "expected a set", ""),
    ("tcp.port not 80", "80", "expected in", ""),
    ("tcp.port ==", "", "unexpected end", ""),
    ("tcp and", "", "unexpected end", ""),
    ("not", "", "unexpected end", ""),
    ("and tcp", "and", "expected a field or a value", ""),
    ("tcp and or udp", "or", "expected a field or a value", ""),
    ("tcp udp", "udp", "expected an operator", ""),
    ("tcp AND udp", "AND", "expected an operator", "and"),
    ("tcp adn udp", "adn", "expected an operator", "and"),
    ("tcp.port == 80 == 80", "==", "cannot be chained", ""),
    ("tcp.port = 80", "=", "unexpected", "=="),
    ("tcp | udp", "|", "unexpected", "||"),
    ("tcp # 3", "#", "unexpected", ""),
    ("eth.src[0][0] & 1 & 1 & 1", "&", "more than four", ""),
    ("((eth.src[0][0])[0][0])[0]", "[0]", "more than four", ""),
    ("any tcp", "any tcp", "require a comparison", ""),
    ("(tcp and udp) == 1", "(tcp and udp)", "not a condition", ""),
    ("message.name == \"abc", "\"", "quote is missing", ""),
    ("message.name == r\"abc", "r\"", "quote is missing", ""),
    ("message.name matches \"\\d\"", "\\d", "is not an escape sequence", "\\\\d"),
    ("message.name == \"\\x\"", "\\x", "is not an escape sequence", ""),
    ("tcp.port == 'ab'", "'ab'", "one byte", "\"ab\""),
    ("eth.src[0 == 1", "[", "bracket is missing", ""),
    ("eth.src[x] == 1", "x", "expected bytes such as", ""),
    ("eth.src[0:0] == 1", "0:0", "expected bytes such as", ""),
    ("eth.src[0,3-1] == 1", "3-1", "expected bytes such as", ""),
    ("eth.src[] == 1", "", "expected bytes such as", ""),
];

#[test]
fn mistakes_are_located_and_corrections_suggested() {
    let mut wrong = Vec::new();
    for (expression, marked, words, suggested) in MISTAKES {
        let Err(mistake) = Filter::parse(expression, Registry::default()) else {
            wrong.push(format!("{expression}: no mistake"));
            continue;
        };
        let found = expression.get(mistake.at..mistake.at + mistake.len);
        let suggests = suggested.is_empty() || mistake.nearest.iter().any(|nearest| nearest == suggested);
        if found != Some(*marked) || !mistake.what.contains(words) || !suggests {
            wrong.push(format!("{mistake}\n  expected {marked:?} {words:?} {suggested:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_mistake_is_shown_with_a_mark_under_it() {
    let shown = Filter::parse("ip.src == 10.0.0.1 and tcp.prot == 80", Registry::default()).unwrap_err().to_string();
    assert_eq!(
        shown,
        "tcp.prot is not a valid protocol or protocol field
  ip.src == 10.0.0.1 and tcp.prot == 80
                         ^^^^^^^^
  try tcp.port, mbtcp.prot_id"
    );
    let hostile = Filter::parse("message.name == \"\u{1b}[31m\u{202e}\" x", Registry::default()).unwrap_err().to_string();
    assert!(!hostile.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{hostile}");
}
