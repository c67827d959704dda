//! The canonical form of filters, the fields they need, and their nesting.

use super::{each_record, parsed};
use crate::common::is_thorough;
use proto_dissect::filter::Filter;
use proto_dissect::record::View;
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Carriers, Demand, Depth, Extras, Fields, Only};

/// Filters and their canonical form.
const WRITTEN: &[(&str, &str)] = &[
    ("", ""),
    ("  tcp  ", "tcp"),
    ("tcp&&udp||!arp", "tcp and udp or not arp"),
    ("tcp and (udp or arp)", "tcp and (udp or arp)"),
    ("(tcp and udp) or arp", "tcp and udp or arp"),
    ("tcp or udp xor arp and ip", "tcp or udp xor arp and ip"),
    ("((tcp or udp) xor arp) and ip", "((tcp or udp) xor arp) and ip"),
    ("not (tcp or udp)", "not (tcp or udp)"),
    ("!(tcp.port==80)", "not tcp.port == 80"),
    ("tcp.port eq 80 or tcp.port ne 81 or tcp.port all_eq 1", "tcp.port == 80 or tcp.port != 81 or tcp.port === 1"),
    ("tcp.port any_ne 0x50", "tcp.port !== 0x50"),
    ("all tcp.port gt 80", "all tcp.port > 80"),
    ("any ip.addr == 10.0.0.0/8", "any ip.addr == 10.0.0.0/8"),
    ("tcp.port in{80,443 8000..8100}", "tcp.port in {80, 443, 8000..8100}"),
    ("tcp.port not in {80}", "not tcp.port in {80}"),
    ("all tcp.port not in {80}", "not all tcp.port in {80}"),
    ("eth.src[:3, 4 ,-2:,1-2] == 0", "eth.src[0:3,4:1,-2:,1-2] == 0"),
    ("tcp.flags&2", "tcp.flags & 2"),
    ("tcp.flags bitwise_and 2 eq 2", "tcp.flags & 2 == 2"),
    ("message.name ~ r\"a\\d\\\"\"", "message.name matches \"a\\\\d\\\\\\\"\""),
    ("message.name contains \"\\x41\\102\\n\\x80é\"", "message.name contains \"AB\\n\\x80é\""),
    (
        "frame.len == 'a' or frame.len == '\\'' or frame.len == '\\x07'",
        "frame.len == 'a' or frame.len == '\\'' or frame.len == '\\x07'",
    ),
    ("len( udp.payload )>3", "len(udp.payload) > 3"),
    ("ip.ttl + tcp.len * 2 == 65", "ip.ttl + tcp.len * 2 == 65"),
    ("(ip.ttl + 1) * 2 == 130", "(ip.ttl + 1) * 2 == 130"),
    ("ip.ttl - (1 - ip.ttl) == 65", "ip.ttl - (1 - ip.ttl) == 65"),
    ("ip.ttl % 2 & 1 == 1", "ip.ttl % 2 & 1 == 1"),
    ("-ip.ttl == -64", "0 - ip.ttl == -64"),
    ("max( ip.ttl,64 )==64", "max(ip.ttl, 64) == 64"),
    ("ssl or bootp", "ssl or bootp"),
];

#[test]
fn filters_are_written_canonically() {
    for (expression, written) in WRITTEN {
        assert_eq!(parsed(expression).to_string(), *written);
        assert_eq!(parsed(written).to_string(), *written);
    }
}

#[test]
fn a_filter_states_the_fields_it_needs() {
    let checked = |expression: &str| {
        let filter = parsed(expression);
        let names: Vec<&str> = filter.fields().iter().map(|field| field.abbrev).collect();
        let demand = filter.demand();
        let asks_for_all = filter.fields().iter().all(|field| demand.named.is_some_and(|named| named.has(field)));
        assert!(asks_for_all, "{expression}");
        (names.join(" "), Demand { named: None, ..demand })
    };
    assert_eq!(checked("message.number > 3 and stream == tcp/0"), (String::new(), Demand::LAYERS));
    assert_eq!(checked("message.name == x"), (String::new(), Demand::NAMES));
    assert_eq!(checked("tcp or pipboy.error.count"), ("tcp pipboy.error.count".into(), Demand::LAYERS));
    let ports = Registry::default().named("tcp.port");
    let for_carriers = Demand { fields: Fields::All, carriers: Carriers::Full, ..Demand::LAYERS }.with(Extras::BYTES);
    let only = |fields| Demand { fields: Fields::Only(Only::these(fields)), ..for_carriers };
    let of_frames = Demand { depth: Depth::Headers, ..only(ports) };
    assert_eq!(checked("tcp.port == 1 or tcp.srcport"), ("tcp.srcport tcp.dstport".into(), of_frames));
    assert_eq!(checked("udp and frame.len > 9"), ("udp".into(), Demand { depth: Depth::Headers, ..Demand::LAYERS }));
    assert_eq!(checked("tcp contains \"a\""), ("tcp".into(), for_carriers.with(Extras::CREDENTIALS)));
    let (_, of_messages) = checked("pipboy.type == 3");
    assert!(of_messages.fields.any() && of_messages.carriers == Carriers::Layers && of_messages.has(Extras::CREDENTIALS));
    assert!(
        checked("tcp.port == 1 and udp.payload contains \"a\"").1.has(Extras::CREDENTIALS)
            && checked("frame contains \"a\"").1.has(Extras::CREDENTIALS)
    );
}

#[test]
fn nesting_has_a_limit_and_chains_have_none() {
    let deep = |depth: usize| format!("{}tcp{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&deep(90), Registry::default()).is_ok());
    for expression in [
        deep(101),
        deep(100_000),
        "!".repeat(100_000),
        format!("{}udp", "len(".repeat(100_000)),
        format!("eth.src{}", "[0]".repeat(100_000)),
    ] {
        let mistake = Filter::parse(&expression, Registry::default()).unwrap_err();
        assert!(mistake.what.contains("nested deeper") || mistake.what.contains("more than four"), "{}", mistake.what);
    }
    // The maximum nesting.
    let nested = (0..45).fold("frame.protocols".to_owned(), |inner, _| format!("upper(lower({inner}))"));
    let filter = parsed(&format!("{nested} matches \"TCP\""));
    assert_eq!(parsed(&filter.to_string()).to_string(), filter.to_string());
    let chain = parsed(&vec!["tcp.port == 1"; if is_thorough() { 20_000 } else { 3000 }].join(" or "));
    let mut passed = 0;
    each_record("layers.pcap", View::Packets, Demand::EVERYTHING, |record| {
        passed += u32::from(filter.matches(record)) + u32::from(chain.matches(record));
    });
    assert_eq!(passed, 2);
}
