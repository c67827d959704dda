//! Prefiltering by layers before messages are dissected: it does not affect shown or counted values.

use super::messages::MESSAGES;
use super::tshark::AS_TSHARK;
use super::{each_record_judged, number, parsed};
use crate::common::own_cases;
use proto_dissect::engine::Prefilter;
use proto_dissect::filter::Filter;
use proto_dissect::record::{Record, View};
use proto_dissect::tree::Demand;

/// What a filter leaves of a sample.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    /// The records that pass, each with how many nodes it has and its summary.
    passed: Vec<String>,
    /// What is counted.
    counted: [u64; 4],
    /// All nodes there were.
    nodes: usize,
}

/// What filters leave of a sample, in one pass over it. The prefilter selects the frames that matter by their layers.
fn shown(sample: &str, view: View, filters: &[Filter], prefilter: Option<Prefilter>) -> Vec<Shown> {
    let (mut passed, mut nodes) = (vec![Vec::new(); filters.len()], 0);
    let tally = each_record_judged(sample, view, Demand::EVERYTHING, prefilter, |record| {
        let (tree, summary) = match record {
            Record::Message(message) => {
                let layer = message.layer.node;
                let end = message.of.tree.nodes.get(layer as usize).map(|node| node.end);
                (Some(message.of.tree), format!("{end:?} of {layer}, {:?}", message.layer))
            }
            Record::Packet(packet) => (Some(packet.of.tree), format!("{} nodes", packet.of.tree.nodes.len())),
            Record::Late(late) => (None, format!("late {:?}", late.frames())),
            Record::Gap(gap) => (None, format!("{gap:?}")),
        };
        nodes += tree.map_or(0, |tree| tree.nodes.len());
        // Parts that no output needs are not present.
        let is_seen = match record {
            Record::Message(message) => message.of.tree.is_seen(message.layer),
            Record::Packet(packet) => !packet.of.tree.outcome.filtered_out,
            Record::Late(_) | Record::Gap(_) => true,
        };
        for (filter, passed) in filters.iter().zip(&mut passed).filter(|_| is_seen) {
            if filter.matches(record) {
                passed.push(format!("{} {summary}", number(record)));
            }
        }
    });
    let counted = [tally.messages, tally.gaps, tally.malformed, tally.undissected];
    passed.into_iter().map(|passed| Shown { passed, counted, nodes }).collect()
}

/// What each of these expressions leaves of a sample with a prefilter, and without.
fn both(sample: &str, view: View, expressions: &[&str]) -> Vec<[Shown; 2]> {
    let filters: Vec<Filter> = expressions.iter().map(|expression| parsed(expression)).collect();
    let without = shown(sample, view, &filters, None);
    let with = |(filter, expression): (Filter, &&str)| {
        shown(sample, view, &[filter], Some(parsed(expression).into_prefilter())).remove(0)
    };
    filters.into_iter().zip(expressions).map(with).zip(without).map(<[Shown; 2]>::from).collect()
}

#[test]
fn matching_records_are_complete_and_counts_are_unchanged() {
    for (view, rows) in [(View::Packets, AS_TSHARK), (View::Messages, MESSAGES), (View::Packets, MESSAGES)] {
        for (sample, rows) in rows {
            let expressions: Vec<&str> = own_cases(*rows, 0, 8).map(|(expression, _)| *expression).collect();
            for (expression, [with, without]) in expressions.iter().zip(both(sample, view, &expressions)) {
                assert_eq!((with.passed, with.counted), (without.passed, without.counted), "{sample} {expression}");
                assert!(with.nodes <= without.nodes);
            }
        }
    }
}

#[test]
fn messages_that_cannot_pass_are_not_kept() {
    let none = [
        "ip.src == 203.0.113.254",
        "tcp.port == 1 and pipboy",
        "not tcp.port and not udp.port",
        "not (ip.src == 192.168.28.0/24 or pipboy.type == 3)",
        "tcp xor tcp.port",
    ];
    for (expression, [with, without]) in none.iter().zip(both("pipboy.pcap", View::Messages, &none)) {
        assert!(with.passed.is_empty() && with.nodes * 2 < without.nodes, "{expression}: {} of {}", with.nodes, without.nodes);
    }
    let some =
        ["pipboy", "not pipboy.type == 3", "ip.src == 203.0.113.254 or message.name == heartbeat", "data", "frame[0] == 1"];
    for (expression, [with, without]) in some.iter().zip(both("pipboy.pcap", View::Messages, &some)) {
        assert_eq!(with, without, "{expression}");
    }
}
