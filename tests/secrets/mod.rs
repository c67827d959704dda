//! Secrets are masked in every output format, in every encoding, with any segmentation.

mod lost;
mod made;
mod outputs;
mod texts;

use crate::common::{is_own_case, is_thorough, own_cases, program, run};
use etherparse::PacketBuilder;
use made::*;
use outputs::{FORMS, assert_hides, assert_masked, assert_masked_in, assert_messages_masked, base64, encodings};
use std::collections::BTreeSet;

const SECRET: &str = "Hunter2secret";

/// Maximum length of messages that are cut at every offset.
const SHORT: usize = 40;

/// Offsets to cut a message in two: all if it is short, else next to each secret, inside each, and at intervals.
fn cuts(message: &[u8]) -> Vec<usize> {
    let secret = SECRET.as_bytes();
    let is_near = |cut: usize| {
        let places = message.windows(secret.len()).enumerate().filter(|(_, window)| *window == secret);
        places.flat_map(|(at, _)| [at, at + 1, at + secret.len() - 1, at + secret.len()]).any(|place| place == cut)
    };
    let step = match (message.len() <= SHORT, is_thorough()) {
        (true, true) => 1,
        (true, false) => 8,
        (false, true) => 64,
        (false, false) => 512,
    };
    (1..=message.len()).filter(|cut| cut % step == 0 || *cut == message.len() || is_near(*cut)).collect()
}

/// Adds the last message cut in two, in single bytes, and repeated in one segment.
fn add_segmentations(capture: &mut Capture, port: u16, before: &[(bool, &[u8])], last: &[u8]) {
    for cut in cuts(last) {
        let (first, second) = last.split_at(cut);
        let segments: &[&[u8]] = if second.is_empty() { &[first] } else { &[first, second] };
        let own = capture.ports.next().unwrap();
        capture.connection((own, port), before, segments, cut % 2 == 0);
    }
    let [own, other] = std::array::from_fn(|_| capture.ports.next().unwrap());
    capture.connection((own, port), before, &last.chunks(1).collect::<Vec<_>>(), true);
    capture.connection((other, port), before, &[last], false);
    let again = capture.bytes.len() - (16 + 40 + last.len());
    let repeated = capture.bytes[again..].to_vec();
    capture.bytes.extend(repeated);
}

/// The last message in all segmentations.
fn in_every_segmentation(name: &str, port: u16, before: &[(bool, &[u8])], last: &str) {
    let mut capture = Capture::new(name);
    add_segmentations(&mut capture, port, before, last.replace("SECRET", SECRET).as_bytes());
    assert_masked(&capture);
}

#[test]
fn a_secret_of_ftp_is_masked_in_every_segmentation() {
    in_every_segmentation(
        "ftp",
        21,
        &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n"), (false, b"331 go on\r\n")],
        "PASS SECRET\r\n",
    );
}

#[test]
fn a_secret_of_smtp_is_masked_in_every_segmentation() {
    let before: &[(bool, &[u8])] =
        &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n"), (false, b"250-m\r\n250 AUTH PLAIN LOGIN\r\n")];
    in_every_segmentation("smtp-plain", 25, before, "AUTH PLAIN SECRET\r\n");
    let login = [before, &[(true, b"AUTH LOGIN\r\n"), (false, b"334 VXNlcm5hbWU6\r\n")]].concat();
    let mut capture = Capture::new("smtp-login");
    capture.connection((20_000, 25), &login, &[SECRET.as_bytes(), b"\r\n"], true);
    capture.connection((20_001, 25), &login, &[format!("{SECRET}\r\n").as_bytes()], true);
    capture.connection((20_002, 25), &login, &[SECRET.as_bytes()], true);
    assert_masked(&capture);
}

#[test]
fn a_secret_of_nats_and_of_rtsp_is_masked_in_every_segmentation() {
    in_every_segmentation(
        "nats",
        4222,
        &[(false, b"INFO {\"server_id\":\"a\"}\r\n")],
        "CONNECT {\"user\":\"a\",\"pass\":\"SECRET\"}\r\n",
    );
    let head = "DESCRIBE rtsp://a:SECRET@h/ RTSP/1.0\r\nCSeq: 1\r\nAuthorization: Basic SECRET\r\n\r\n";
    in_every_segmentation("rtsp", 554, &[], head);
}

#[test]
fn a_secret_of_irc_is_masked_in_every_segmentation() {
    in_every_segmentation("irc", 6667, &[], "PASS SECRET\r\nNICK a\r\nUSER a 0 * :b\r\n");
    let before: &[(bool, &[u8])] = &[(true, b"NICK a\r\nUSER a 0 * :b\r\n")];
    in_every_segmentation("irc-oper", 6667, before, "OPER a SECRET\r\n");
    in_every_segmentation("irc-identify", 6667, before, ":a PRIVMSG NickServ :IDENTIFY SECRET\r\n");
}

#[test]
fn secrets_of_mail_are_masked_in_every_segmentation() {
    let imap: &[(bool, &[u8])] = &[(false, b"* OK IMAP4rev1\r\n")];
    in_every_segmentation("imap-login", 143, imap, "a LOGIN b SECRET\r\n");
    let sasl = [imap, &[(true, b"a AUTHENTICATE PLAIN\r\n"), (false, b"+ \r\n")]].concat();
    in_every_segmentation("imap-sasl", 143, &sasl, "SECRET\r\n");
    let pop: &[(bool, &[u8])] = &[(false, b"+OK POP3\r\n"), (true, b"USER a\r\n"), (false, b"+OK\r\n")];
    in_every_segmentation("pop", 110, pop, "PASS SECRET\r\n");
}

#[test]
fn a_secret_of_gamespy_and_of_xmpp_is_masked_in_every_segmentation() {
    in_every_segmentation("gamespy", 29900, GAMESPY, "\\login\\\\uniquenick\\a\\passenc\\SECRET\\id\\1\\final\\");
    in_every_segmentation("xmpp", 5222, XMPP, "<auth mechanism='PLAIN'>SECRET</auth>");
    in_every_segmentation("xmpp-old", 5222, XMPP, "<iq type='set' id='1'><query><password>SECRET</password></query></iq>");
}

/// Messages before logins of GameSpy and XMPP.
const GAMESPY: &[(bool, &[u8])] = &[(false, b"\\lc\\1\\challenge\\abcdefghij\\id\\1\\final\\")];
const XMPP: &[(bool, &[u8])] = &[(true, b"<stream:stream to='a' version='1.0'>"), (false, b"<stream:stream from='a' id='1'>")];

/// Messages before a Telnet password.
const TELNET: &[(bool, &[u8])] = &[(false, b"\xff\xfd\x18\r\nlogin: "), (true, b"a\r\n"), (false, b"\r\nPassword: ")];

#[test]
fn a_secret_of_telnet_is_masked_in_every_segmentation() {
    in_every_segmentation("telnet", 23, TELNET, "SECRET\r\n");
}

#[test]
fn secrets_of_routers_are_masked() {
    const PASSWORD: &[u8; 8] = b"Hunter2s";
    let mut capture = Capture::new("routers");
    for packet in [ospf(PASSWORD), vrrp(PASSWORD)] {
        capture.packet(&packet);
        capture.packet(&quoted(&packet));
    }
    assert_hides(&capture, std::str::from_utf8(PASSWORD).unwrap(), FORMS);
}

#[test]
fn secrets_of_http_are_masked_in_every_segmentation() {
    let json = r#"{"user":"a","password":"SECRET","n":1}"#;
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nSECRET\r\n--x--\r\n";
    let with_body = |kind: &str, body: &str| {
        let length = body.replace("SECRET", SECRET).len();
        format!("POST /login HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
    };
    let mut capture = Capture::new("http");
    for (name, request) in [
        (
            "headers",
            "GET http://u:SECRET@h/ HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer SECRET\r\nCookie: a=SECRET; b=c\r\n\r\n"
                .to_owned(),
        ),
        (
            "query",
            "GET /a?b=c&password=SECRET&c=d HTTP/1.1\r\nHost: h\r\nX-Api-Key: SECRET\r\nReferer: http://h/?token=SECRET\r\n\r\n"
                .to_owned(),
        ),
        ("form", with_body("application/x-www-form-urlencoded", "user=a&password=SECRET&b=c")),
        ("json", with_body("application/json", json)),
        ("multipart", with_body("multipart/form-data; boundary=x", multipart)),
    ] {
        assert!(request.contains("SECRET"), "{name}");
        add_segmentations(&mut capture, 80, &[], request.replace("SECRET", SECRET).as_bytes());
    }
    assert_masked(&capture);
}

#[test]
fn cookies_and_locations_of_responses_are_masked() {
    let mut capture = Capture::new("set-cookie");
    let answer = format!(
        "HTTP/1.1 302 Found\r\nSet-Cookie: a={SECRET}; Path=/\r\nLocation: /x?token={SECRET}\r\nContent-Length: 0\r\n\r\n"
    );
    let dialogue: &[(bool, &[u8])] =
        &[(true, b"GET /?password=Hunter2secret HTTP/1.1\r\nHost: h\r\n\r\n"), (false, answer.as_bytes())];
    capture.connection((20_000, 80), dialogue, &[b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"], true);
    assert_masked(&capture);
}

#[test]
fn a_community_of_snmp_is_masked_also_where_it_is_quoted() {
    let mut capture = Capture::new("snmp");
    capture.packet(&udp(161, &snmp()));
    capture.packet(&quoted(&udp(161, &snmp())));
    let whole = udp(161, &snmp());
    capture.cut_packet(&whole, whole.len() - 10);
    assert_masked(&capture);
}

#[test]
fn quoted_truncated_and_pending_secrets_are_masked() {
    let mut capture = Capture::new("rests");
    let before: &[(bool, &[u8])] = &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")];
    // No line end, with and without an end of the stream.
    capture.connection((20_000, 21), before, &[b"PASS Hunter2secret"], true);
    capture.connection((20_001, 21), before, &[b"PASS Hunter2secret"], false);
    capture.connection((20_002, 25), &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n")], &[b"AUTH PLAIN Hunter2secret"], true);
    // The line end of the last segment was not captured, nor anything after it.
    capture.connection((20_003, 21), before, &[b""], false);
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(20_003, 21, 109, 1000).ack(510);
    builder.write(&mut packet, b"PASS Hunter2secret\r\nQUIT\r\n").unwrap();
    capture.cut_packet(&packet, packet.len() - 8);
    capture.packet(&quoted(&packet));
    assert_masked(&capture);
}

/// Messages before a Terraria password.
const TERRARIA: &[(bool, &[u8])] = &[(true, b"\x0f\0\x01\x0bTerraria279"), (false, b"\x03\0\x25")];

fn terraria() -> Vec<u8> {
    [b"\x11\0\x26\x0d".as_slice(), SECRET.as_bytes()].concat()
}

/// Messages before a SOCKS login.
const SOCKS: &[(bool, &[u8])] = &[(true, b"\x05\x01\x02"), (false, b"\x05\x02")];

fn socks() -> Vec<u8> {
    [b"\x01\x01a\x0d".as_slice(), SECRET.as_bytes()].concat()
}

/// A server port, messages with whether the client sends them, and the secret in them.
type Connection<'a> = (u16, &'a [(bool, &'a [u8])], Vec<u8>);

#[test]
fn secrets_of_binary_protocols_are_masked() {
    let hello = b"UA01\x12\0\x03\0\x01\x07version\x02C\0\0\0";
    let [bind, sasl, add, extended] = ldap();
    let connections: [Connection<'_>; 20] = [
        (139, &[(true, b"\x85\0\0\0")], smb1_others()),
        (5672, &[(true, b"AMQP\0\0\x09\x01")], amqp()),
        (9092, &[], kafka()),
        (27017, &[], mongodb()),
        (445, &[], smb2()),
        (139, &[(true, b"\x85\0\0\0")], smb1()),
        (135, &[], dcerpc()),
        (1080, SOCKS, socks()),
        (5432, POSTGRESQL, postgresql()),
        (389, &[], bind),
        (389, &[], sasl),
        (389, &[], add),
        (389, &[], extended),
        (7777, TERRARIA, terraria()),
        (1883, &[], mqtt()),
        (8080, &[(true, HTTP2_PREFACE)], http2_request()),
        (43594, &[(true, &[14, 0]), (false, &[0; 17])], runescape(true)),
        (43594, &[(true, &[14, 0]), (false, &[0; 17])], runescape(false)),
        (25999, &[(true, hello)], xfire()),
        (8085, &[], log_header()),
    ];
    let (mut whole, mut cut) = (Capture::new("whole"), Capture::new("cut"));
    for (case, (own, (port, before, last))) in (20_000..).zip(&connections).enumerate() {
        whole.connection((own, *port), before, &[last], true);
        if is_own_case(case, 2) {
            add_segmentations(&mut cut, *port, before, last);
        }
    }
    whole.connection((20_100, 8080), &[(true, HTTP2_PREFACE)], &[&http2()], true);
    // The last frame is incomplete when the previous one is shown.
    let two = [HTTP2_PREFACE, &http2_request(), &http2_request()].concat();
    add_segmentations(&mut cut, 8080, &[], &two);
    let mut swapped = Capture::new("swapped");
    // The protocol of the first captured bytes of a connection after a hole is unknown.
    let later = connections.iter().filter(|(_, before, _)| !before.is_empty());
    for (port, before, last) in own_cases(later, 0, 2) {
        for cut in cuts(last).into_iter().filter(|cut| *cut < last.len()) {
            let (first, second) = last.split_at(cut);
            let own = swapped.ports.next().unwrap();
            swapped.connection((own, *port), before, &[first, second], false);
            swapped.swap_last(first, second);
        }
    }
    std::thread::scope(|scope| [&whole, &cut, &swapped].map(|capture| drop(scope.spawn(|| assert_masked(capture)))));
}

#[test]
fn secrets_of_datagrams_are_masked() {
    let mut capture = Capture::new("datagrams");
    // A repeated datagram contains the same secret, and its messages are not dissected again.
    for payload in [raknet(), bedrock(), raknet(), bedrock()] {
        capture.packet(&udp(8192, &payload));
    }
    let rcon = |words: &str| [b"\xff\xff\xff\xff", words.replace("SECRET", SECRET).as_bytes()].concat();
    for (port, payload) in [
        (27960, rcon("rcon SECRET status")),
        (27960, rcon("rcon \"SECRET\" status")),
        (27015, rcon("rcon 12345678 \"SECRET\" status")),
        (27960, rcon(r#"connect "\name\x\password\SECRET\rate\1""#)),
        (27960, rcon("infoResponse\n\\name\\x\\password\\SECRET\\rate\\1")),
        (27015, rcon("connect 48 1234567 \"\\prot\\3\\unique\\-1\" \"\\name\\x\\password\\SECRET\\rate\\1\"\n")),
        (27015, rcon("connect 48 1234567 \"\\prot\\3\" \"\\name\\x\\password\\SECRET\"\n")),
        (29900, rcon(r"\login\\challenge\x\password\SECRET\final\")[4..].to_vec()),
        (7778, rcon(r"\hostname\x\hostport\7777\password\SECRET\final\\queryid\1.1")[4..].to_vec()),
        (5060, sip(DIGEST, "")),
        (5060, sip("Content-Type: application/sdp\r\n", KEYS)),
        (9999, rcon("login: a\npassword: SECRET\n")),
        (1812, radius()),
        (3478, classicstun()),
        (7777, samp()),
        (27900, [&b"\x01\0\0\0\x07"[..], SECRET.as_bytes(), b"\0"].concat()),
        (520, [b"\x02\x02\0\0\xff\xff\0\x02", SECRET.as_bytes(), &[0; 3]].concat()),
    ] {
        let packet = udp(port, &payload);
        capture.packet(&packet);
        capture.packet(&quoted(&packet));
        capture.cut_packet(&packet, packet.len() - 2);
    }
    assert_masked(&capture);
}

#[test]
fn every_form_of_output_masks_what_every_protocol_carries() {
    let mut capture = Capture::new("forms");
    let json = format!(r#"{{"user":"a","password":"{SECRET}"}}"#);
    let frames =
        [(1, true), (2, true), (1, false), (2, false)].map(|(opcode, client)| (client, websocket(opcode, &json, client)));
    let [(_, greeting), (_, login)] = mysql();
    let socket: Vec<(bool, &[u8])> =
        UPGRADE.into_iter().chain(frames.iter().map(|(client, frame)| (*client, &frame[..]))).collect();
    capture.connection((20_000, 80), &socket, &[], true);
    capture.connection((20_001, 3306), &[(false, &greeting)], &[&login], true);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length";
    // Gzip with a stored block, which contains the text unchanged.
    let stored = [&[1, json.len() as u8, 0, !json.len() as u8, 0xff][..], json.as_bytes()].concat();
    let body = [&b"\x1f\x8b\x08\0\0\0\0\0\0\xff"[..], &stored, &[0; 8]].concat();
    let answer = [format!("{head}: {}\r\n\r\n", body.len()).as_bytes(), &body].concat();
    let request = format!("GET http://u:{SECRET}@h/token={SECRET}/x?password={SECRET} HTTP/1.1\r\nHost: h\r\n\r\n");
    capture.connection((20_002, 80), &[(true, request.as_bytes()), (false, &answer)], &[], true);
    let chunks = format!("5\r\nabcde\r\n0\r\nPassword: {SECRET}\r\n\r\n");
    let chunked = format!("POST /?token={SECRET} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
    let bad = format!("GET / HTTP/1.1\r\nHost: h\r\nBad password={SECRET}\r\nContent-Length: password={SECRET}\r\n\r\n");
    capture.connection((20_003, 80), &[(true, chunked.as_bytes())], &[bad.as_bytes()], true);
    capture.connection((20_004, 1883), &[], &[&mqtt()], true);
    for (port, payload) in [(27015, rules()), (161, snmp()), (8192, raknet()), (5060, sip(DIGEST, ""))] {
        capture.packet(&udp(port, &payload));
    }
    assert_masked_in(&capture, FORMS);
}

#[test]
fn binary_secrets_are_masked_where_an_error_quotes_them() {
    let mut capture = Capture::new("quotes");
    capture.packet(&quoted(&udp(8192, &raknet())));
    let mut packet = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(20_000, 1883, 101, 1000)
        .ack(501)
        .write(&mut packet, &mqtt())
        .unwrap();
    capture.packet(&quoted(&packet));
    // Errors quote only the beginning.
    let cut = quoted(&packet[..packet.len() - 2]);
    capture.packet(&cut);
    assert_masked(&capture);
}

#[test]
fn secrets_in_fragments_of_datagrams_are_masked() {
    let mut capture = Capture::new("fragments");
    let payload = [b"\xff\xff\xff\xffrcon ", SECRET.as_bytes(), b" status", &[b' '; 40]].concat();
    for first in [16, 32, 40] {
        fragments(&udp(27960, &payload), first).iter().for_each(|packet| capture.packet(packet));
    }
    // A secret in a second fragment is found when the datagram is complete.
    assert_messages_masked(&capture);
    let mut capture = Capture::new("first-fragment");
    fragments(&udp(27960, &payload), 40).iter().for_each(|packet| capture.packet(packet));
    assert_masked(&capture);
}

#[test]
fn secrets_of_http_inside_tls_are_masked() {
    let mut capture = Capture::new("tls");
    let bytes = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    };
    let sides: Vec<(bool, Vec<u8>)> = TLS.iter().map(|(client, text)| (*client, bytes(text))).collect();
    let sides: Vec<(bool, &[u8])> = sides.iter().map(|(client, bytes)| (*client, &bytes[..])).collect();
    capture.connection((20_000, 443), &sides, &[], true);
    let keys = crate::common::Scratch::new("secrets-keys.txt", KEY_LOG.as_bytes());
    let option = format!("tls.keylog_file={}", keys.path());
    let file = capture.file();
    for form in FORMS.iter().copied().chain([
        &["follow"][..],
        &["follow", "-s", "tcp/0", "-T", "yaml"],
        &["stats"],
        &["objects", "--json"],
    ]) {
        let done = run(&[form, &["-o", &option, file]].concat());
        assert_eq!(done.code, 0, "{form:?} {}", done.err);
        let leak = encodings(SECRET.as_bytes()).into_iter().find(|secret| done.out.contains(secret.as_str()));
        assert_eq!(leak, None, "{form:?}");
    }
    let shown = run(&["--json", "--show-secrets", "-o", &option, file]).out;
    assert!(shown.matches(SECRET).count() > 4, "{shown}");
}

#[test]
fn secrets_of_sip_are_masked_in_every_segmentation() {
    let mut capture = Capture::new("sip");
    add_segmentations(&mut capture, 5060, &[], &sip(DIGEST, ""));
    add_segmentations(&mut capture, 5060, &[], &sip("Content-Type: application/sdp\r\n", KEYS));
    assert_masked(&capture);
}

/// Fields of records, with their values as bytes.
fn values(records: &str) -> Vec<(String, Vec<u8>)> {
    fn walk(value: &serde_json::Value, found: &mut Vec<(String, Vec<u8>)>) {
        match value {
            serde_json::Value::Object(of) => {
                if let (Some(name), Some(value)) = (of.get("name"), of.get("value").and_then(|value| value.as_str())) {
                    let is_bytes = of.get("type").is_some_and(|kind| kind == "bytes");
                    let digit = |at: usize| u8::from_str_radix(value.get(at..at + 2).unwrap(), 16).unwrap();
                    let bytes =
                        if is_bytes { (0..value.len()).step_by(2).map(digit).collect() } else { value.as_bytes().to_vec() };
                    found.push((name.as_str().unwrap().to_owned(), bytes));
                }
                of.values().for_each(|value| walk(value, found));
            }
            serde_json::Value::Array(all) => all.iter().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    records.lines().for_each(|line| walk(&serde_json::from_str(line).unwrap(), &mut found));
    found
}

/// Names of the fields whose values are secrets.
fn secret_fields() -> BTreeSet<String> {
    let all = run(&["fields", "--json"]).out;
    let fields = all.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    fields.filter(|field| field["secret"] == true).map(|field| field["name"].as_str().unwrap().to_owned()).collect()
}

/// Each secret field has a case above, or is in a sample whose output never contains its values.
#[test]
fn each_secret_field_is_tested() {
    let names = secret_fields();
    let mut capture = Capture::new("all");
    let basic = format!("Basic {}", base64(format!("ab:{SECRET}xx").as_bytes()));
    let http = format!("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: {basic}\r\nProxy-Authorization: a\r\nCookie: a=b\r\n\r\n");
    let answer: &[u8] = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    let game: &[(bool, &[u8])] = &[(true, &[14, 0]), (false, &[0; 17])];
    capture.connection((20_000, 80), &[(true, http.as_bytes()), (false, answer)], &[b""], true);
    capture.connection((20_001, 21), &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")], &[b"PASS b\r\n"], true);
    let mail: &[(bool, &[u8])] = &[(false, b"220 m ESMTP\r\n"), (true, b"EHLO a\r\n"), (false, b"250 AUTH PLAIN\r\n")];
    capture.connection((20_002, 25), mail, &[b"AUTH PLAIN b\r\n"], true);
    capture.connection((20_003, 6667), &[], &[b"PASS b\r\nNICK a\r\n"], true);
    capture.connection((20_004, 1883), &[], &[&mqtt()], true);
    capture.connection((20_011, 7777), TERRARIA, &[&terraria()], true);
    capture.connection((20_010, 1080), SOCKS, &[&socks()], true);
    capture.connection((20_009, 8080), &[(true, HTTP2_PREFACE)], &[&http2()], true);
    capture.connection((20_005, 43594), game, &[&runescape(true)], true);
    capture.connection((20_006, 43594), game, &[&runescape(false)], true);
    capture.connection((20_060, 8085), &[], &[&log_header()], true);
    let tokens: Vec<u8> = [&[2, 34, 1][..], b"code", &[0, 0, 4, 70, 1], b"account.user-id.userhash"].concat();
    let login = [16, 0, 8, 0, 0, 0, 239, 1, 2, 3, 4];
    let osrs: &[(bool, &[u8])] = &[(true, &[14]), (false, &[0, 9, 9, 9, 9, 9, 9, 9, 9]), (true, &login), (false, &tokens)];
    capture.connection((20_008, 43594), osrs, &[&[1, 2, 3]], true);
    let [(_, greeting), (_, login)] = mysql();
    capture.connection((20_007, 3306), &[(false, &greeting)], &[&login], true);
    capture.connection((20_012, 143), &[(false, b"* OK IMAP4rev1\r\n")], &[b"a LOGIN b c\r\n"], true);
    let sasl: &[(bool, &[u8])] = &[(false, b"* OK IMAP4rev1\r\n"), (true, b"a AUTHENTICATE PLAIN\r\n"), (false, b"+ \r\n")];
    capture.connection((20_013, 143), sasl, &[b"b\r\n"], true);
    capture.connection((20_014, 110), &[(false, b"+OK POP3\r\n"), (true, b"USER a\r\n")], &[b"PASS b\r\n"], true);
    capture.connection((20_015, 23), TELNET, &[b"b\r\n"], true);
    capture.connection((20_050, 29900), GAMESPY, &[b"\\login\\\\passenc\\b\\final\\"], true);
    capture.connection((20_051, 5222), XMPP, &[b"<auth>b</auth>"], true);
    capture.packet(&udp(27900, &[&b"\x01\0\0\0\x07"[..], SECRET.as_bytes(), b"\0"].concat()));
    capture.packet(&udp(7777, &samp()));
    capture.connection((20_016, 5432), POSTGRESQL, &[&postgresql()], true);
    for (own, request) in (20_017..).zip(ldap()) {
        capture.connection((own, 389), &[], &[&request], true);
    }
    capture.packet(&ospf(b"password"));
    capture.packet(&vrrp(b"password"));
    capture.packet(&udp(1812, &radius()));
    capture.packet(&udp(3478, &classicstun()));
    capture.packet(&udp(520, &[b"\x02\x02\0\0\xff\xff\0\x02", SECRET.as_bytes(), &[0; 3]].concat()));
    for (own, (port, message)) in (20_030..).zip([
        (5672, amqp()),
        (9092, kafka()),
        (445, smb2()),
        (139, smb1()),
        (139, smb1_others()),
        (135, dcerpc()),
        (554, b"PLAY rtsp://a/ RTSP/1.0\r\nAuthorization: Basic b\r\n\r\n".to_vec()),
    ]) {
        capture.connection((own, port), &[], &[&message], true);
    }
    for message in hsrp() {
        capture.packet(&udp(1985, &message));
    }
    capture.packet(&udp(161, &snmp()));
    capture.packet(&udp(8192, &raknet()));
    capture.packet(&udp(8192, &bedrock()));
    capture.packet(&udp(27960, b"\xff\xff\xff\xffrcon b status"));
    capture.packet(&udp(5060, &sip(DIGEST, "")));
    capture.packet(&udp(5060, &sip("Content-Type: application/sdp\r\n", KEYS)));
    let mut seen: BTreeSet<String> =
        values(&run(&["--json", "--show-secrets", capture.file()]).out).into_iter().map(|(name, _)| name).collect();
    let samples = ["samples/xfire.pcap", "samples/xfire-packets.pcap", "samples/runescape.pcap", "samples/quic-keys.pcapng"];
    for (number, sample) in samples.into_iter().enumerate() {
        let mut secrets: BTreeSet<_> = values(&run(&["--json", "--show-secrets", sample]).out).into_iter().collect();
        // Zeros mean no session; the shortest ones occur anywhere.
        secrets.retain(|(name, value)| names.contains(name) && value.len() > 5 && value.iter().any(|byte| *byte != 0));
        assert!(!secrets.is_empty(), "{sample}");
        let forms =
            [&["-V", "-x"][..], &["--json"], &["--packets", "-V", "-x"], &["--packets", "--json"], &["follow", "-T", "ndjson"]];
        for form in own_cases(forms, number, 2) {
            let out = run(&[form, &[sample]].concat()).out;
            let once: BTreeSet<&Vec<u8>> = secrets.iter().map(|(_, value)| value).collect();
            for value in once {
                let is_text = value.iter().all(u8::is_ascii_graphic);
                let leak = encodings(value).into_iter().skip(usize::from(!is_text)).find(|secret| out.contains(secret.as_str()));
                assert_eq!(leak, None, "{sample} {form:?}");
            }
        }
        seen.extend(secrets.into_iter().map(|(name, _)| name));
    }
    // A field that is generated on request has no record.
    let generated = ["-T", "fields", "-e", "http.authbasic", capture.file()];
    assert!(!run(&generated).out.contains(SECRET));
    if run(&[&generated[..], &["--show-secrets"]].concat()).out.contains(SECRET) {
        seen.insert("http.authbasic".to_owned());
    }
    let missing: Vec<_> = names.difference(&seen).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
}

/// Readers interpret a value of type `bytes` as hex, and asterisks are not hex.
#[test]
fn masked_bytes_have_no_type_of_hex() {
    let mut capture = Capture::new("type");
    capture.connection((20_000, 21), &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")], &[b"PASS Hunter2", b"secret\r\n"], true);
    let out = run(&["--packets", "--json", capture.file()]).out;
    let masked = format!("\"value\":\"5041535320{}\",\"masked\":true", "**".repeat(7));
    assert!(out.contains(&masked), "{out}");
}

#[test]
fn a_filter_cannot_probe_a_secret() {
    let mut capture = Capture::new("probe");
    let before: &[(bool, &[u8])] = &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n")];
    capture.connection((20_000, 21), before, &[b"PASS Hunter2secret\r\n"], true);
    capture.connection((20_001, 80), &[], &[b"GET /?password=Hunter2secret&a=b HTTP/1.1\r\nHost: h\r\n\r\n"], true);
    capture.packet(&udp(161, &snmp()));
    capture.packet(&quoted(&udp(161, &snmp())));
    let file = capture.file();
    let count = |filter: &str, view: &[&str]| {
        run(&[view, &["-Y", filter, "-T", "fields", "-e", "frame.number", file]].concat()).out.lines().count()
    };
    for view in [&["--packets"][..], &[]] {
        let filters = [
            "tcp.payload contains \"Hunter2\"",
            "tcp.payload matches \"hunter.secret\"",
            "tcp.payload[5:7] == 48:75:6e:74:65:72:32",
            "tcp.payload[5] == 48",
            "udp.payload contains \"Hunter2\"",
            "frame contains \"Hunter2\"",
            "frame contains 48:75:6e:74:65:72",
            "ftp contains \"Hunter2\"",
            "snmp.community == \"Hunter2secret\"",
            "snmp.community matches \"^H\"",
            "http.request.uri contains \"Hunter2\"",
            "http.request.full_uri contains \"Hunter2\"",
            "upper(http.request.uri) contains \"HUNTER2\"",
            "data.data contains \"Hunter2\"",
            "http.request.full_uri matches \"hunter\"",
            "string(tcp.payload) contains \"48:75:6e\"",
            "tcp.payload in {50:41:53:53:20:48:75:6e:74:65:72:32:73:65:63:72:65:74:0d:0a}",
            "max(tcp.payload[5:1]) == 48",
            "tcp.payload >= 50:41:53:53:20:48 && tcp.payload < 50:41:53:53:20:49",
            "ftp.request.password in {\"Hunter2secret\"}",
            "lower(ftp.request.arg) contains \"hunter\"",
            "len(ftp.request.password) == 13",
            "frame[45:3] == 48:75:6e",
            "tcp contains \"Hunter2\"",
            "ip contains \"Hunter2\"",
            "http.request.line contains \"Hunter2\"",
            "http.request.uri.query contains \"Hunter2\"",
            "_ws.col.Info contains \"Hunter2\"",
        ];
        for filter in own_cases(filters, view.len(), 2) {
            assert_eq!(count(filter, view), 0, "{view:?} {filter}");
            let done = run(&[view, &["-Y", filter, file]].concat());
            assert_eq!(done.code, 0, "{view:?} {filter}: {}", done.err);
        }
        assert_eq!(count("!(tcp.payload contains \"Hunter2\")", view), count("frame.number > 0", view), "{view:?}");
    }
    let shown =
        program().args(["--packets", "-Y", "tcp.payload contains \"Hunter2\"", "--show-secrets", "-l", file]).output().unwrap();
    assert_eq!(shown.stdout.iter().filter(|byte| **byte == b'\n').count(), 2);
}
