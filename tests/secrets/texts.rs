//! Secrets that no field of a protocol is for: in texts, by the name in front of them, and behind a prompt.

use super::outputs::DIFFERENT;
use super::*;

#[test]
fn secrets_in_texts_are_masked() {
    let mut capture = Capture::new("texts");
    let text = |message: &str| message.replace("SECRET", SECRET).into_bytes();
    for log in
        ["<13>Nov 28 01:02:03 h login: password=SECRET", "<14>1 - h a - - - {\"token\": \"SECRET\"}", "no priority, pwd=SECRET"]
    {
        capture.packet(&udp(514, &text(log)));
    }
    for body in [
        "<login><user>a</user><password>SECRET</password></login>",
        "<o:Password o:Type=\"#PasswordText\"><![CDATA[SECRET]]></o:Password>",
        "<add key=\"Password\" value=\"SECRET\"/>",
        "<name>password</name>\n<value><string>SECRET</string></value>",
    ] {
        let body = text(body);
        let head = format!("POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n", body.len());
        let own = capture.ports.next().unwrap();
        capture.connection((own, 80), &[], &[&[head.as_bytes(), &body].concat()], true);
    }
    let url = text("GET /a?access_token=SECRET&b=c HTTP/1.1\r\nHost: h\r\n\r\n");
    capture.connection((20_100, 80), &[], &[&url], true);
    let info: &[(bool, &[u8])] = &[(false, b"INFO {\"server_id\":\"a\",\"nonce\":\"b\"}\r\n")];
    for name in ["jwt", "sig"] {
        let own = capture.ports.next().unwrap();
        capture.connection((own, 4222), info, &[format!("CONNECT {{\"{name}\":\"{SECRET}\"}}\r\n").as_bytes()], true);
    }
    let ftp: &[(bool, &[u8])] = &[(false, b"220 FTP\r\n"), (true, b"USER a\r\n"), (false, b"332 account\r\n")];
    capture.connection((20_101, 21), ftp, &[&text("ACCT SECRET\r\n")], true);
    assert_hides(&capture, SECRET, &[DIFFERENT, &[&["-l"], &["-T", "html"], &["-z", "expert"], &["-T", "pdml"]]].concat());
}

#[test]
fn what_answers_a_prompt_for_a_password_is_masked() {
    let mut capture = Capture::new("prompts");
    let letters: Vec<&[u8]> = SECRET.as_bytes().chunks(1).chain([&b"\r"[..]]).collect();
    let telnet: &[(bool, &[u8])] = &[(false, b"login: "), (true, b"a"), (true, b"\r\0"), (false, b"\r\nPassword: ")];
    capture.connection((20_000, 23), telnet, &letters, true);
    let banner: &[(bool, &[u8])] = &[(false, b"Welcome\r\nroute-1 password: ")];
    capture.connection((20_001, 23), banner, &letters, true);
    let mut smtp = Vec::new();
    for (from_client, payload) in [(false, &b"334 UGFzc3dvcmQ6\r\n"[..]), (true, b"Hunter2secret\r\n"), (false, b"235 in\r\n")] {
        let (own, other) = if from_client { (20_002, 25) } else { (25, 20_002) };
        let hosts = if from_client { ([10, 0, 0, 1], [10, 0, 0, 2]) } else { ([10, 0, 0, 2], [10, 0, 0, 1]) };
        let mut packet = Vec::new();
        let seq = smtp.len() as u32 * 18 + 100;
        PacketBuilder::ipv4(hosts.0, hosts.1, 64).tcp(own, other, seq, 1000).ack(100).write(&mut packet, payload).unwrap();
        smtp.push(packet);
    }
    smtp.iter().for_each(|packet| capture.packet(packet));
    assert_hides(&capture, SECRET, &[DIFFERENT, &[&["-l"], &["-T", "html"]]].concat());
}

#[test]
fn a_password_of_hsrp_is_masked_where_its_message_is_cut() {
    const PASSWORD: &[u8; 8] = b"Hunter2s";
    let mut capture = Capture::new("hsrp");
    for mut message in hsrp() {
        let at = message.windows(PASSWORD.len()).position(|window| window == b"password").unwrap();
        message[at..at + PASSWORD.len()].copy_from_slice(PASSWORD);
        for end in at + PASSWORD.len()..message.len() {
            capture.packet(&udp(1985, &message[..end]));
            let whole = udp(1985, &message);
            capture.cut_packet(&whole, whole.len() - (message.len() - end));
        }
    }
    assert_hides(&capture, std::str::from_utf8(PASSWORD).unwrap(), &[DIFFERENT, &[&["-l"]]].concat());
}
