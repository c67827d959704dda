//! The public interface: records of a session, values by name, custom protocols.

use proto_dissect::dissect::{Heuristic, On, Protocol, Result, Wire, fields};
use proto_dissect::{Record, Registry, Session};
use std::fs::File;

fn open(sample: &str) -> Session {
    Session::open(File::open(sample).unwrap()).unwrap()
}

/// The records of a session, one line each.
fn lines(mut session: Session) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(record) = session.next_record().unwrap() {
        lines.push(record.to_string());
    }
    lines
}

/// Counts messages, and packets.
fn messages_and_packets(mut session: Session) -> [usize; 2] {
    let [mut messages, mut packets] = [0; 2];
    while let Some(record) = session.next_record().unwrap() {
        messages += usize::from(matches!(record, Record::Message(_)));
        packets += usize::from(matches!(record, Record::Packet(_)));
    }
    [messages, packets]
}

#[test]
fn a_session_has_the_records_that_the_program_prints() {
    for sample in ["samples/xfire.pcap", "samples/pipboy-damaged.pcap", "samples/vscp.pcap", "samples/neighbours.pcap"] {
        let printed = |view: &[&str]| {
            let run = crate::common::run(&[view, &["-T", "fields", "-e", "frame.number", sample]].concat());
            assert_eq!(run.code, 0, "{}", run.err);
            run.out.lines().count()
        };
        assert_eq!(messages_and_packets(open(sample)), [printed(&["--messages"]), 0], "{sample}");
        assert_eq!(messages_and_packets(open(sample).packets()), [0, printed(&["--packets"])], "{sample}");
    }
}

#[test]
fn a_filter_selects_records_and_reports_its_first_mistake() {
    let logins = lines(open("samples/xfire.pcap").filter("xfire.name").unwrap());
    assert!(!logins.is_empty() && logins.iter().all(|line| line.contains("xfire")), "{logins:?}");
    let mistake = open("samples/xfire.pcap").filter("xfire.nmae").err().unwrap().to_string();
    assert!(mistake.contains("xfire.name"), "{mistake}");
}

#[test]
fn a_value_is_found_in_a_message_and_in_its_carriers() {
    let mut session = open("samples/queries.pcap").filter("frame.number == 1").unwrap();
    let record = session.next_record().unwrap().unwrap();
    assert!(matches!(record, Record::Message(_)));
    let ports: Vec<String> = record.fields("udp.port").map(|port| port.to_string()).collect();
    assert_eq!(ports.len(), 2, "{ports:?}");
    assert_eq!(record.field("udp.srcport").unwrap().to_string(), ports[0]);
    assert!(record.field("tcp.port").is_none());
}

fields! {
    OWN_FIELD = protocol("own", "Own", "A protocol of this test");
    BYTE = number("own.byte", "Byte", "");
}

static OWN: Protocol = Protocol::new(&OWN_FIELD, FIELDS).found(&[On::Udp(53).datagram(Heuristic::Anything, read)]);

fn read(wire: &mut Wire<'_>) -> Result {
    wire.u8(&BYTE)?;
    wire.skip(wire.remaining())
}

#[test]
fn user_protocols_precede_built_in_ones() {
    static ALL: &[&Protocol] = &[&OWN];
    // A DNS query of UDP port 53.
    let datagram = "4500 0039 0001 0000 4011 0000 0a00 0001 0a00 0002 c000 0035 0025 0000 \
        0001 0100 0001 0000 0000 0000 0765 7861 6d70 6c65 0363 6f6d 0000 0100 01\n";
    let session = || Session::open(datagram.as_bytes()).unwrap();
    assert!(lines(session())[0].starts_with("ip:udp:dns"));
    let mut own = session().registry(Registry::default().and(ALL)).filter("own.byte == 0").unwrap();
    let record = own.next_record().unwrap().unwrap();
    assert_eq!((record.field("own.byte").unwrap().number(), record.field("dns.id").is_none()), (Some(0), true));
}
