//! Prefiltering by layers before messages are dissected: it does not affect shown or counted values.

use super::messages::MESSAGES;
use super::tshark::AS_TSHARK;
use super::{each_record_judged, number, parsed};
use proto_dissect::record::{Record, View};
use proto_dissect::tree::Demand;

/// Matching records with number of nodes and summary, the counts, and the total number of nodes.
fn shown(sample: &str, view: View, expression: &str, judged: bool) -> (Vec<String>, [u64; 4], usize) {
    let (filter, early) = (parsed(expression), parsed(expression));
    let judge = judged.then(|| early.into_prefilter());
    let (mut passed, mut nodes) = (Vec::new(), 0);
    let tally = each_record_judged(sample, view, Demand::EVERYTHING, judge, |record| {
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
            Record::Packet(packet) => !packet.of.tree.filtered_out,
            Record::Late(_) | Record::Gap(_) => true,
        };
        if is_seen && filter.matches(record) {
            passed.push(format!("{} {summary}", number(record)));
        }
    });
    (passed, [tally.messages, tally.gaps, tally.malformed, tally.undissected], nodes)
}

#[test]
fn matching_records_are_complete_and_counts_are_unchanged() {
    for (view, rows) in [(View::Packets, AS_TSHARK), (View::Messages, MESSAGES), (View::Packets, MESSAGES)] {
        for (sample, rows) in rows {
            for (expression, _) in *rows {
                let (with, without) = (shown(sample, view, expression, true), shown(sample, view, expression, false));
                assert_eq!((with.0, with.1), (without.0, without.1), "{sample} {expression}");
                assert!(with.2 <= without.2);
            }
        }
    }
}

#[test]
fn messages_that_cannot_pass_are_not_kept() {
    for expression in [
        "ip.src == 203.0.113.254",
        "tcp.port == 1 and pipboy",
        "not tcp.port and not udp.port",
        "not (ip.src == 192.168.28.0/24 or pipboy.type == 3)",
        "tcp xor tcp.port",
    ] {
        let (with, without) =
            (shown("pipboy.pcap", View::Messages, expression, true), shown("pipboy.pcap", View::Messages, expression, false));
        assert!(with.0.is_empty() && with.2 * 2 < without.2, "{expression}: {} of {}", with.2, without.2);
    }
    for expression in
        ["pipboy", "not pipboy.type == 3", "ip.src == 203.0.113.254 or message.name == heartbeat", "data", "frame[0] == 1"]
    {
        let (with, without) =
            (shown("pipboy.pcap", View::Messages, expression, true), shown("pipboy.pcap", View::Messages, expression, false));
        assert_eq!(with, without, "{expression}");
    }
}
