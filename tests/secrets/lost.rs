//! Secrets of which a segment is lost.

use super::outputs::DIFFERENT;
use super::*;

/// The end of the secret. Segments with bytes before it are lost.
const SECRET_END: &str = "2secret";

#[test]
fn the_end_of_a_secret_is_masked_where_a_segment_before_it_is_lost() {
    let text = |message: &str| message.replace("SECRET", SECRET).into_bytes();
    let form =
        "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 25\r\n\r\np=1&password=SECRET";
    let smtp: &[(bool, &[u8])] = &[
        (false, b"220 m ESMTP\r\n"),
        (true, b"EHLO a\r\n"),
        (false, b"250 m\r\n"),
        (true, b"AUTH LOGIN\r\n"),
        (false, b"334 x\r\n"),
    ];
    let connections: [Connection<'_>; 13] = [
        (21, &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n"), (false, b"331 go on\r\n")], text("PASS SECRET\r\n")),
        (23, TELNET, text("SECRET\r\n")),
        (25, smtp, text("SECRET\r\n")),
        (80, &[], text("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer SECRET\r\n\r\n")),
        (80, &[], text(form)),
        (110, &[(false, b"+OK POP3\r\n"), (true, b"USER a\r\n"), (false, b"+OK\r\n")], text("PASS SECRET\r\n")),
        (143, &[(false, b"* OK IMAP4rev1\r\n")], text("a LOGIN b SECRET\r\n")),
        (4222, &[(false, b"INFO {\"server_id\":\"a\"}\r\n")], text("CONNECT {\"user\":\"a\",\"pass\":\"SECRET\"}\r\n")),
        (6667, &[(true, b"NICK a\r\nUSER a 0 * :b\r\n")], text("OPER a SECRET\r\n")),
        (1883, &[], mqtt()),
        (1080, SOCKS, socks()),
        (5432, POSTGRESQL, postgresql()),
        (7777, TERRARIA, terraria()),
    ];
    let mut capture = Capture::new("lost");
    for (port, before, last) in &connections {
        let at = last.windows(SECRET.len()).position(|window| window == SECRET.as_bytes()).unwrap();
        let end = at + SECRET.len() - SECRET_END.len();
        // The lost segment has the whole beginning of the secret, or not its first bytes.
        for first in [at, at + 3] {
            let own = capture.ports.next().unwrap();
            capture.connection((own, *port), before, &[&last[..first], &last[first..end], &last[end..]], true);
            capture.lose(&last[first..end], &last[end..]);
        }
    }
    assert_hides(&capture, SECRET_END, &[DIFFERENT, &[&["-l"], &["-T", "html"]]].concat());
}

/// Messages of which the beginning, or what precedes the secret, is lost.
#[test]
fn bytes_behind_lost_ones_are_masked_until_a_message_begins() {
    let text = |message: &str| message.replace("SECRET", SECRET).into_bytes();
    let body = text(r#"{"user":"a","password":"SECRET","n":true}"#);
    let head = format!("POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    let connections: [Connection<'_>; 12] = [
        (21, &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n"), (false, b"331 go on\r\n")], text("PASS SECRET\r\n")),
        (25, &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n"), (false, b"250 m\r\n")], text("AUTH PLAIN SECRET\r\n")),
        (80, &[], [head.as_bytes(), &body].concat()),
        (110, &[(false, b"+OK POP3\r\n"), (true, b"USER a\r\n"), (false, b"+OK\r\n")], text("PASS SECRET\r\n")),
        (143, &[(false, b"* OK IMAP4rev1\r\n")], text("a LOGIN b SECRET\r\n")),
        (4222, &[(false, b"INFO {\"server_id\":\"a\"}\r\n")], text("CONNECT {\"user\":\"a\",\"pass\":\"SECRET\"}\r\n")),
        (6379, &[(true, b"PING\r\n"), (false, b"+PONG\r\n")], text("*2\r\n$4\r\nAUTH\r\n$13\r\nSECRET\r\n")),
        (6667, &[(true, b"NICK a\r\nUSER a 0 * :b\r\n")], text("OPER a SECRET\r\n")),
        (1883, &[], mqtt()),
        (1080, SOCKS, socks()),
        (5432, POSTGRESQL, postgresql()),
        (7777, TERRARIA, terraria()),
    ];
    let mut capture = Capture::new("doubt");
    for (port, before, last) in &connections {
        let at = last.windows(SECRET.len()).position(|window| window == SECRET.as_bytes()).unwrap();
        for (first, end) in [(0, 4.min(at)), (at.saturating_sub(3), at)] {
            let own = capture.ports.next().unwrap();
            let segments: &[&[u8]] = &[&last[..first], &last[first..end], &last[end..]];
            capture.connection((own, *port), before, &segments[usize::from(first == 0)..], true);
            capture.lose(&last[first..end], &last[end..]);
        }
    }
    assert_hides(&capture, SECRET, &[DIFFERENT, &[&["-l"], &["-T", "html"]]].concat());
}
