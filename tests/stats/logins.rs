//! Flows, logins, and statistics of SIP, DHCP, RTSP, ICMP and SMB, in the form of tshark, with values computed by hand.

use crate::common::{Scratch, run, run_with};
use etherparse::PacketBuilder;
use serde_json::Value;

/// A capture of segments of a connection to a port, 10 ms apart: from the client if true, with their payload.
fn connection(port: u16, sent: &[(bool, &str)]) -> Vec<u8> {
    let mut capture = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    let mut next = [101_u32, 501];
    let mut put = |at: u32, by_client: bool, [seq, ack]: [u32; 2], syn: bool, payload: &[u8]| {
        let (src, dst) = if by_client { ([10, 0, 0, 1], [10, 0, 0, 2]) } else { ([10, 0, 0, 2], [10, 0, 0, 1]) };
        let ports = if by_client { (4000, port) } else { (port, 4000) };
        let segment = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4(src, dst, 64).tcp(ports.0, ports.1, seq, 500);
        let segment = match (syn, by_client) {
            (true, true) => segment.syn(),
            (true, false) => segment.syn().ack(ack),
            _ => segment.ack(ack).psh(),
        };
        let mut frame = Vec::new();
        segment.write(&mut frame, payload).unwrap();
        let len = u32::try_from(frame.len()).unwrap();
        for number in [0, at * 10_000, len, len] {
            capture.extend(number.to_le_bytes());
        }
        capture.extend(frame);
    };
    put(0, true, [100, 0], true, b"");
    put(1, false, [500, 101], true, b"");
    for (at, (by_client, payload)) in (2..).zip(sent) {
        let (own, other) = if *by_client { (0, 1) } else { (1, 0) };
        put(at, *by_client, [next[own], next[other]], false, payload.as_bytes());
        next[own] += u32::try_from(payload.len()).unwrap();
    }
    capture
}

fn printed(part: &str, capture: &[u8], more: &[&str]) -> String {
    let run = run_with(&[&["stats", "-z", part][..], more].concat(), capture);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{part}");
    run.out
}

const FTP: &[(bool, &str)] = &[
    (false, "220 ready\r\n"),
    (true, "USER anna\r\n"),
    (false, "331 go on\r\n"),
    (true, "PASS moss-green\r\n"),
    (true, "ACCT more-moss\r\n"),
];

#[test]
fn a_flow_of_segments_is_drawn_as_tshark_draws_it() {
    let expected = "\
|Time     | 10.0.0.1                              |
|         |                   | 10.0.0.2          |                   
|0.000000 |         SYN       |                   |Seq = 0
|         |(4000)   ------------------>  (21)     |
|0.010000 |         SYN, ACK  |                   |Seq = 0 Ack = 1
|         |(4000)   <------------------  (21)     |
|0.020000 |         PSH, ACK - Len: 11            |Seq = 1 Ack = 1
|         |(4000)   <------------------  (21)     |
|0.030000 |         PSH, ACK - Len: 11            |Seq = 1 Ack = 12
|         |(4000)   ------------------>  (21)     |
";
    let capture = connection(21, &FTP[..2]);
    assert_eq!(printed("flow,tcp,network", &capture, &[]), expected);
    assert_eq!(printed("flow,tcp,standard", &capture, &[]), expected);
    let one = printed("flow,tcp,network,tcp.flags.syn == 1 && tcp.flags.ack == 0", &capture, &[]);
    assert_eq!(one, expected.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    let cut = printed("flow,tcp,network", &capture, &["--limit", "stats.rows=3"]);
    assert!(cut.ends_with("1 further packets are left out (--limit stats.rows=N)\n"), "{cut}");
}

#[test]
fn a_flow_of_several_connections_has_their_numbers() {
    let out = run(&["-q", "-z", "flow,tcp,network", "-r", "samples/http.pcap"]).out;
    assert!(out.starts_with("Conv.| Time    | 192.168.1.20                          |\n     |         |"), "{out}");
    assert!(out.contains(&format!("\n{}\n1    |", "-".repeat(57))), "{out}");
    assert_eq!(out.matches("SYN       |").count(), 3);
}

#[test]
fn a_flow_of_any_frames_has_types_of_icmp_as_ports() {
    let icmp = run(&["-z", "flow,icmp,network", "samples/layers.pcap"]).out;
    assert!(icmp.contains("|         |(0)      ------------------>  (2048)   |\n"), "{icmp}");
    assert!(icmp.contains("|         |(771)    <------------------  (0)      |\n"), "{icmp}");
    let any = run(&["stats", "--json", "-z", "flow,any,network", "samples/layers.pcap"]).out;
    let any: Value = serde_json::from_str(&any).unwrap();
    let packets = any["flow_any"]["packets"].as_array().unwrap();
    assert_eq!(packets.len(), 19);
    assert_eq!((&packets[0]["src"], &packets[0]["dst"]), (&Value::from("02:50:49:50:00:11"), &Value::from("ff:ff:ff:ff:ff:ff")));
    // Only IP packets have addresses of the network layer.
    let standard = run(&["stats", "--json", "-z", "flow,any,standard", "samples/layers.pcap"]).out;
    let standard: Value = serde_json::from_str(&standard).unwrap();
    assert_eq!(standard["flow_any_standard"]["packets"].as_array().unwrap().len(), 15);
}

/// Rows of `-z credentials`, with their columns joined by a space.
fn logins(capture: &[u8], more: &[&str]) -> Vec<String> {
    let out = printed("credentials", capture, more);
    let rows = out.lines().skip(3).take_while(|line| !line.starts_with('='));
    rows.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn logins_are_listed_with_user_names_and_without_passwords() {
    let ftp = connection(21, FTP);
    let out = printed("credentials", &ftp, &[]);
    let expected = "\
===================================================================
Packet     Protocol         Username         Info            
------     --------         --------         --------
6          FTP              anna             Username in packet: 4
===================================================================
";
    assert_eq!(out, expected);
    assert!(!out.contains("moss"));
    assert_eq!(logins(&ftp, &["--show-secrets"]), ["6 FTP anna Username in packet: 4 moss-green"]);
    let json = printed("credentials", &ftp, &["--json"]);
    assert!(json.contains(r#"{"frame":6,"protocol":"FTP","username":"anna","username_frame":4}"#), "{json}");
}

#[test]
fn logins_in_base64_show_the_name_alone() {
    let get = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YW5uYTptb3NzLWdyZWVu\r\n\r\n";
    let http = connection(80, &[(true, get)]);
    assert_eq!(logins(&http, &[]), ["3 HTTP basic auth anna"]);
    assert_eq!(logins(&http, &["--show-secrets"]), ["3 HTTP basic auth anna moss-green"]);
    let greeting = [(false, "220 mail ESMTP\r\n"), (true, "EHLO me\r\n"), (false, "250 AUTH LOGIN PLAIN\r\n")];
    let login = [
        (true, "AUTH LOGIN\r\n"),
        (false, "334 VXNlcm5hbWU6\r\n"),
        (true, "YW5uYQ==\r\n"),
        (false, "334 UGFzc3dvcmQ6\r\n"),
        (true, "bW9zcy1ncmVlbg==\r\n"),
        (false, "235 ok\r\n"),
    ];
    let smtp = connection(25, &[&greeting[..], &login[..]].concat());
    assert_eq!(logins(&smtp, &[]), ["10 SMTP anna Username in packet 8"]);
    assert_eq!(logins(&smtp, &["--show-secrets"]), ["10 SMTP anna Username in packet 8 moss-green"]);
    let plain = [(true, "AUTH PLAIN AGFubmEAbW9zcy1ncmVlbg==\r\n"), (false, "235 ok\r\n")];
    let smtp = connection(25, &[&greeting[..], &plain[..]].concat());
    assert_eq!(logins(&smtp, &[]), ["6 SMTP anna Username in packet 6"]);
    let pop = [(false, "+OK ready\r\n"), (true, "USER anna\r\n"), (false, "+OK\r\n"), (true, "PASS moss-green\r\n")];
    assert_eq!(logins(&connection(110, &pop), &[]), ["6 POP3 anna Username in packet 4"]);
    // A password whose name was not captured.
    assert_eq!(logins(&connection(110, &[pop[0], pop[3]]), &[]), ["4 POP3 n.a."]);
    assert_eq!(
        logins(&connection(143, &[(false, "* OK ready\r\n"), (true, "a1 LOGIN anna moss-green\r\n")]), &[]),
        ["4 IMAP anna"]
    );
}

/// A capture of UDP datagrams between the same ports, 10 ms apart: from the client if true.
fn datagrams([client, server]: [u16; 2], sent: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let mut capture = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    for (at, (by_client, payload)) in (0..).zip(sent) {
        let (src, dst) = if *by_client { ([10, 0, 0, 1], [10, 0, 0, 2]) } else { ([10, 0, 0, 2], [10, 0, 0, 1]) };
        let ports = if *by_client { (client, server) } else { (server, client) };
        let mut frame = Vec::new();
        PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4(src, dst, 64).udp(ports.0, ports.1).write(&mut frame, payload).unwrap();
        let len = u32::try_from(frame.len()).unwrap();
        for number in [0, at * 10_000, len, len] {
            capture.extend(u32::to_le_bytes(number));
        }
        capture.extend(frame);
    }
    capture
}

#[test]
fn sip_messages_are_counted_by_code_and_method_with_setup_times() {
    let message = |first: &str, sequence: &str| {
        format!("{first}\r\nVia: SIP/2.0/UDP a\r\nFrom: <sip:a@b>\r\nTo: <sip:c@d>\r\nCall-ID: 77@a\r\nCSeq: {sequence}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    };
    let invite = || message("INVITE sip:c@d SIP/2.0", "1 INVITE");
    let sent = [
        (true, invite()),
        (true, invite()),
        (false, message("SIP/2.0 180 Ringing", "1 INVITE")),
        (false, message("SIP/2.0 200 OK", "1 INVITE")),
        (true, message("ACK sip:c@d SIP/2.0", "1 ACK")),
        (true, message("BYE sip:c@d SIP/2.0", "2 BYE")),
        (false, message("SIP/2.0 299 Fine", "2 BYE")),
    ];
    let expected = "
===================================================================
SIP Statistics

Number of SIP messages: 7
Number of resent SIP messages: 1

* SIP Status Codes in reply packets
  SIP 180 Ringing         :     1 Packets
  SIP 200 OK              :     1 Packets
  SIP 299 Success - Others :     1 Packets

* List of SIP Request methods
  ACK             :     1 Packets
  BYE             :     1 Packets
  INVITE          :     2 Packets

* Average setup time 40 ms
 Min 40 ms
 Max 40 ms
===================================================================
";
    let capture = datagrams([5060, 5060], &sent);
    assert_eq!(printed("sip,stat", &capture, &[]), expected);
    let filtered = printed("sip,stat,sip.Method == \"BYE\"", &capture, &[]);
    assert!(filtered.contains("SIP Statistics with filter sip.Method == \"BYE\"\n\nNumber of SIP messages: 1\n"), "{filtered}");
}

#[test]
fn dhcp_messages_are_counted_by_type() {
    let message = |kind: u8| -> Vec<u8> {
        let head = [&[1, 1, 6, 0, 9, 9, 9, 9][..], &[0; 20], &[2, 2, 2, 2, 2, 2], &[0; 202]].concat();
        [&head[..], &[0x63, 0x82, 0x53, 0x63, 53, 1, kind, 255]].concat()
    };
    let sent: Vec<(bool, Vec<u8>)> = [1, 1, 3, 5, 99].iter().map(|kind| (true, message(*kind))).collect();
    let capture = datagrams([68, 67], &sent);
    let out = printed("dhcp,stat", &capture, &[]);
    let begin = format!(
        "\n{}\nDHCP (BOOTP) Statistics:\nFilter for statistics: \nDHCP Message Type |Packets |\nDHCP Statistics\n",
        "=".repeat(101)
    );
    assert!(out.starts_with(&begin), "{out}");
    let row = |name: &str| out.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert_eq!(row("Discover"), "Discover                  |2 |");
    assert_eq!([row("Offer"), row("Request"), row("ACK")].map(|row| row[26..].to_owned()), ["|0 |", "|1 |", "|1 |"]);
}

#[test]
fn response_times_are_listed_by_command() {
    let smb2 = run(&["-q", "-z", "smb2,srt", "-r", "samples/windows.pcap"]).out;
    let head =
        "SMB2 SRT Statistics:\nFilter: \nIndex  Commands               Calls    Min SRT    Max SRT    Avg SRT    Sum SRT\n";
    assert!(smb2.contains(head), "{smb2}");
    // As -T fields -Y smb2.time -e smb2.cmd -e smb2.time prints.
    assert!(smb2.contains("\n    1  Session Setup               2   0.020248   0.020248   0.020248   0.040496\n"), "{smb2}");
    let icmp = run(&["-q", "-z", "icmp,srt", "-r", "samples/layers.pcap"]).out;
    assert!(icmp.contains("\nRequests  Replies   Lost      % Loss\n1         1         0           0.0%\n"), "{icmp}");
    assert!(icmp.contains("\n0.420     0.420     0.420     0.420     0.000          4         4         \n"), "{icmp}");
    let none = run(&["-z", "icmp,srt,frame.number == 1", "samples/layers.pcap"]).out;
    assert!(
        none.contains(
            "Filter: frame.number == 1\n\nRequests  Replies   Lost      % Loss\n0         0         0           0.0%\n"
        ),
        "{none}"
    );
}

#[test]
fn rtsp_messages_are_counted_by_method_and_code() {
    let sent = [
        (true, "OPTIONS rtsp://a/b RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        (false, "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n"),
        (true, "PLAY rtsp://a/b RTSP/1.0\r\nCSeq: 2\r\n\r\n"),
        (false, "RTSP/1.0 454 Session Not Found\r\nCSeq: 2\r\n\r\n"),
    ];
    let out = printed("rtsp,tree", &connection(554, &sent), &[]);
    assert!(out.contains("\nRTSP/Packet Counter:\n"), "{out}");
    for row in [
        "Total RTSP Packets        4 ",
        "   454 Session Not Found  1 ",
        "  PLAY                    1 ",
        " Other RTSP Packets       0 ",
    ] {
        assert!(out.contains(&format!("\n{row}")), "{row}: {out}");
    }
}

#[test]
fn names_that_are_almost_right_get_the_nearest() {
    for (name, meant) in [
        ("flow", "flow,any,network"),
        ("flow,tcp", "flow,tcp,network"),
        ("creds", "credentials"),
        ("http_req", "http_req,tree"),
        ("bootp,stat", "dhcp,stat"),
        ("dest,tree", "dests,tree"),
        ("smb2,rtt", "smb2,srt"),
    ] {
        let run = run(&["-z", name, "nothing"]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}");
        assert!(run.err.contains("did you mean") && run.err.contains(meant), "{name}: {}", run.err);
    }
}

#[test]
fn each_of_several_inputs_has_its_own_statistics() {
    let [first, second] =
        [("logins-1.pcap", 21), ("logins-2.pcap", 21)].map(|(name, port)| Scratch::new(name, &connection(port, FTP)));
    let both = |more: &[&str]| {
        run(&[&["stats", "-z", "credentials", "-z", "flow,tcp,network"][..], more, &[first.path(), second.path()]].concat()).out
    };
    let out = both(&["--threads", "1"]);
    assert_eq!(out.matches("FTP              anna").count(), 2, "{out}");
    assert_eq!(out, both(&["--threads", "2"]));
}
