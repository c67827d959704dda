//! Random filters: the canonical form parses to the same filter, and nothing panics.

use super::{each_record, number, parsed};
use proptest::prelude::*;
use proto_dissect::filter::Filter;
use proto_dissect::record::View;
use proto_dissect::registry::Registry;
use proto_dissect::tree::Demand;

/// Fields on the left with a suitable right side.
fn comparison() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec!["==", "!=", "===", "!==", "eq", "ne"]);
    let order = prop::sample::select(vec!["==", "!=", "<", ">", "<=", ">=", "lt", "le", "gt", "ge"]);
    let of = prop::sample::select(vec!["", "", "", "any ", "all "]);
    let numbers = prop::sample::select(vec![
        "tcp.port",
        "frame.len",
        "ip.ttl",
        "len(udp.payload)",
        "count(eth.addr)",
        "tcp.flags & 0x12",
        "message.number",
    ]);
    let number = prop_oneof![
        any::<u16>().prop_map(|n| n.to_string()),
        any::<i32>().prop_map(|n| format!("{n}")),
        any::<u8>().prop_map(|n| format!("0b{n:b}")),
        Just("'a'".to_owned()),
        Just("tcp.dstport".to_owned())
    ];
    let texts = prop::sample::select(vec![
        "message.name",
        "frame.protocols",
        "lower(frame.protocols)",
        "stream",
        "upper(lower(message.dir))",
    ]);
    let text = prop_oneof![
        any::<String>().prop_map(|text| format!(
            "{:?}",
            text.replace(['\\', '\'', '"'], "").replace(|c: char| c.is_control() || !c.is_ascii(), "é")
        )),
        Just("plain".to_owned()),
        Just("r\"a\\b\"".to_owned())
    ];
    let slices = prop::sample::select(vec![
        "eth.src[0:2]",
        "eth.dst[-2:]",
        "ip.src[1,2]",
        "udp.payload[1-3,:2]",
        "tcp[20:]",
        "frame[:14][3-5]",
    ]);
    let bytes = prop_oneof![
        any::<[u8; 3]>().prop_map(|[a, b, c]| format!("{a:02x}:{b:02x}:{c:02x}")),
        Just("\"ab\\x00\"".to_owned()),
        Just("eth.src[0:3]".to_owned())
    ];
    let net = any::<([u8; 4], u8)>().prop_map(|([a, b, c, d], prefix)| format!("{a}.{b}.{c}.{d}/{}", prefix % 33));
    prop_oneof![
        (of.clone(), numbers.clone(), order.clone(), number)
            .prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of.clone(), numbers, any::<(u8, u8)>()).prop_map(|(of, left, (a, b))| format!(
            "{of}{left} in {{{a}, {}..{} 7}}",
            a.min(b),
            a.max(b)
        )),
        (of.clone(), texts.clone(), order, text.clone()).prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of.clone(), texts, prop::sample::select(vec!["contains", "matches", "~"]))
            .prop_map(|(of, left, sign)| format!("{of}{left} {sign} \"t[c]p|.\"")),
        (of.clone(), slices, sign.clone(), bytes).prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of, sign, net).prop_map(|(of, sign, net)| format!("{of}ip.addr {sign} {net}")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    let present =
        prop::sample::select(vec!["tcp", "udp.port", "ip", "eth.src[0:3]", "tcp.flags & 2", "frame", "pipboy.error.gap", "data"]);
    let leaf = prop_oneof![comparison(), present.prop_map(str::to_owned)];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let join = prop::sample::select(vec![" and ", " or ", " xor ", "&&", "||", "^^"]);
        prop_oneof![
            (inner.clone(), join, inner.clone()).prop_map(|(a, join, b)| format!("{a}{join}{b}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            inner.clone().prop_map(|inner| format!("!({inner})")),
            inner.prop_map(|inner| format!("not {inner}")),
        ]
    })
}

/// The packets of a sample that match two filters.
fn passed_by(filters: [&Filter; 2]) -> [Vec<u64>; 2] {
    let mut passed = [Vec::new(), Vec::new()];
    for view in [View::Packets, View::Messages] {
        each_record("layers.pcap", view, Demand::EVERYTHING, |record| {
            for (filter, passed) in filters.iter().zip(&mut passed) {
                if filter.matches(record) {
                    passed.push(number(record));
                }
            }
        });
    }
    passed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn formatted_filters_parse_to_the_same_filter(expression in expression()) {
        let filter = Filter::parse(&expression, Registry::default()).map_err(|mistake| TestCaseError::fail(mistake.to_string()))?;
        let written = filter.to_string();
        let again = parsed(&written);
        prop_assert_eq!(&again.to_string(), &written);
        let [passed, passed_again] = passed_by([&filter, &again]);
        prop_assert_eq!(passed, passed_again);
    }

    #[test]
    fn no_text_makes_reading_or_asking_panic(text in any::<String>(), soup in prop::collection::vec(piece(), 0..24)) {
        for text in [text, soup.concat()] {
            match Filter::parse(&text, Registry::default()) {
                Ok(filter) => {
                    let again = parsed(&filter.to_string());
                    let [passed, passed_again] = passed_by([&filter, &again]);
                    prop_assert_eq!(passed, passed_again);
                }
                Err(mistake) => {
                    prop_assert!(text.get(mistake.at..mistake.at + mistake.len).is_some());
                    prop_assert!(!mistake.to_string().is_empty());
                }
            }
        }
    }
}

/// Elements of filters, in random order.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        " ",
        " ",
        "tcp.port",
        "eth.src",
        "message.name",
        "frame",
        "ip.addr",
        "pipboy.type",
        "pipboy.error.gap",
        "tcp",
        "x",
        "80",
        "-1",
        "0x",
        "10.0.0.0/8",
        "::1",
        "aa:bb",
        "1.5",
        "\"a\"",
        "\"",
        "'a'",
        "'",
        "r\"\\",
        "\\",
        "==",
        "!=",
        "===",
        "<",
        ">=",
        "in",
        "{",
        "}",
        "..",
        ",",
        "(",
        ")",
        "[0:2]",
        "[-1]",
        "[",
        "]",
        "&",
        "&&",
        "and",
        "or",
        "xor",
        "not",
        "!",
        "any",
        "all",
        "contains",
        "matches",
        "~",
        "len(",
        "count(",
        "lower(",
        "é",
        "\u{202e}",
        "\n",
    ])
}
