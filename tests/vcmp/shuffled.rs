//! Random messages, split at random, in repeated and reordered datagrams: always the same messages.

use super::*;
use proptest::prelude::*;
use proto_dissect::tree::Side;

/// A message other than RakNet's own.
#[derive(Debug, Clone)]
struct Message {
    reliability: u8,
    channel: u8,
    payload: Vec<u8>,
    /// Bytes of each part, if it is split.
    part: Option<usize>,
}

fn message() -> impl Strategy<Value = Message> {
    let payload = (0x86_u8..=0xff, prop::collection::vec(any::<u8>(), 0..900)).prop_map(|(id, rest)| [vec![id], rest].concat());
    let how = (prop::sample::select(vec![0_u8, 1, 2, 3, 4]), 0_u8..32, prop::option::of(1_usize..400));
    (how, payload).prop_map(|((reliability, channel, part), payload)| {
        // What is split is always sent reliably.
        let part = part.filter(|part| reliability >= 2 && *part < payload.len() && payload.len() / part < 60);
        Message { reliability, channel, payload, part }
    })
}

/// Writes frames with their counters.
#[derive(Default)]
struct Sender {
    messages: u32,
    orders: [u32; 32],
    sequences: u32,
    splits: u16,
    datagrams: u32,
}

fn three(number: u32) -> [u8; 3] {
    let [low, middle, high, _] = number.to_le_bytes();
    [low, middle, high]
}

impl Sender {
    fn frames(&mut self, message: &Message) -> Vec<Vec<u8>> {
        let order = self.orders[usize::from(message.channel)];
        if message.reliability == 3 {
            self.orders[usize::from(message.channel)] += 1;
        }
        let parts: Vec<&[u8]> = match message.part {
            Some(len) => message.payload.chunks(len).collect(),
            None => vec![&message.payload],
        };
        self.splits += 1;
        self.sequences += 1;
        let count = u32::try_from(parts.len()).unwrap();
        let is_split = message.part.is_some();
        (0_u32..).zip(parts).map(|(index, part)| self.frame(message, order, part, is_split.then_some((count, index)))).collect()
    }

    fn frame(&mut self, message: &Message, order: u32, part: &[u8], split: Option<(u32, u32)>) -> Vec<u8> {
        let mut frame = vec![message.reliability << 5 | if split.is_some() { 0x10 } else { 0 }];
        frame.extend(u16::try_from(part.len() * 8).unwrap().to_be_bytes());
        if message.reliability >= 2 {
            frame.extend(three(self.messages));
            self.messages += 1;
        }
        if [1, 4].contains(&message.reliability) {
            frame.extend(three(self.sequences));
        }
        if [1, 3, 4].contains(&message.reliability) {
            frame.extend(three(order));
            frame.push(message.channel);
        }
        if let Some((count, index)) = split {
            frame.extend(count.to_be_bytes());
            frame.extend(self.splits.to_be_bytes());
            frame.extend(index.to_be_bytes());
        }
        frame.extend(part);
        frame
    }

    fn datagram(&mut self, frames: &[Vec<u8>]) -> Vec<u8> {
        let number = self.datagrams;
        self.datagrams += 1;
        [vec![0x84], three(number).to_vec(), frames.concat()].concat()
    }
}

/// Payload that RakNet hands over, in the order of its bytes.
fn handed_on(sent: &[Sent]) -> Vec<Vec<u8>> {
    let mut engine = Engine::complete(Registry::default());
    let mut out = Vec::new();
    for (number, (src, dst, payload)) in (1..).zip(sent) {
        let mut packet = Vec::new();
        PacketBuilder::ipv4(src.0, dst.0, 64).udp(src.1, dst.1).write(&mut packet, payload).unwrap();
        let original_len = u32::try_from(packet.len()).unwrap();
        let frame = Frame { number, link: Link::Type(RAW), bytes: &packet, original_len, ..Frame::default() };
        let of = Dissection { tree: engine.dissect(&frame), bytes: &packet };
        assert!(of.tree.notes.is_empty(), "{}", outlined(of.tree, &packet));
        let inner = of.tree.layers.iter().map(|layer| of.layer_node(layer).unwrap());
        out.extend(inner.filter(|node| node.field().abbrev == "data").map(|node| of.slice(node.span()).to_vec()));
    }
    assert!(engine.finish().is_none(), "parts are left");
    out.sort();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn messages_are_equal_for_any_order_of_datagrams(
        messages in prop::collection::vec(message(), 1..12),
        sizes in prop::collection::vec(1_usize..6, 1..20),
        places in prop::collection::vec(any::<prop::sample::Index>(), 400),
        repeated in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6),
        from in prop::sample::select(vec![Side::Client, Side::Server]),
    ) {
        let mut sender = Sender::default();
        let frames: Vec<Vec<u8>> = messages.iter().flat_map(|message| sender.frames(message)).collect();
        let mut datagrams = Vec::new();
        let (mut rest, mut sizes) = (&frames[..], sizes.iter().cycle());
        while !rest.is_empty() {
            let (now, later) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
            datagrams.push(sender.datagram(now));
            rest = later;
        }
        let count = datagrams.len();
        for (at, place) in (0..count).zip(&places) {
            datagrams.swap(at, place.index(count));
        }
        for (which, place) in repeated {
            let again = datagrams[which.index(datagrams.len())].clone();
            let place = place.index(datagrams.len() + 1);
            datagrams.insert(place, again);
        }
        let opens = elsewhere(by_client(R10));
        let sent_there = datagrams.into_iter().map(|bytes| match from {
            Side::Client => (opens.0, opens.1, bytes),
            Side::Server => (opens.1, opens.0, bytes),
        });
        let all: Vec<Sent> = std::iter::once(opens.clone()).chain(sent_there).collect();
        let mut expected: Vec<Vec<u8>> = messages.iter().map(|message| message.payload.clone()).collect();
        expected.sort();
        prop_assert_eq!(handed_on(&all), expected);
    }

    #[test]
    fn no_datagram_upsets_a_session(
        datagrams in prop::collection::vec((hostile(), any::<bool>()), 1..12),
    ) {
        let all: Vec<Sent> = datagrams.into_iter().map(|(bytes, by_client)| {
            if by_client { (CLIENT, SERVER, bytes) } else { (SERVER, CLIENT, bytes) }
        }).collect();
        trees(&all);
    }
}

/// Datagrams of every kind, mutated and truncated, and bytes with the start of one.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let known = vec![R1, R2, R3A, R3B, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, Q1, Q2, Q3, M11, M12, M13, M14];
    let messages = vec![R17, R18, R19, R20, R21];
    let whole = prop_oneof![
        3 => prop::sample::select(known).prop_map(bytes),
        1 => prop::sample::select(messages).prop_map(|message| bytes(&frame_of(message))),
        1 => (any::<u8>(), prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(id, rest)| {
            let bits = u16::try_from((rest.len() + 1) * 8).unwrap().to_be_bytes();
            [vec![0x84, 0, 0, 0, 0, bits[0], bits[1], id], rest].concat()
        }),
        1 => (0x80_u8..=0xff, prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(flags, rest)| [vec![flags], rest].concat()),
    ];
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (whole, damage, prop::option::of(any::<prop::sample::Index>())).prop_map(|(mut bytes, damage, end)| {
        for (place, byte) in damage {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len() + 1));
        }
        bytes
    })
}
