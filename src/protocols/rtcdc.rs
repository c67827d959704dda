//! Data channels of WebRTC (RFC 8831), and DCEP, which opens them (RFC 8832). Each is a pair of SCTP streams with one number.
//!
//! ```text
//! DATA_CHANNEL_OPEN  03 | channel type:1 | priority:2 | reliability parameter:4 | label length:2 | protocol length:2 | label | protocol
//! DATA_CHANNEL_ACK   02
//! ```
//! The payload protocol identifier of SCTP distinguishes DCEP, text and binary messages. An empty message is one byte that does not
//! count.
//!
//! Not covered: the protocols that labels name.

use super::json;
use crate::tree::{Names, Value, fields, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&RTCDC, FIELDS)
    .found(&[
        On::Over("rtcdc").datagram(Heuristic::Anything, control),
        On::Over("rtcdc.text").datagram(Heuristic::Anything, text),
        On::Over("rtcdc.binary").datagram(Heuristic::Anything, binary),
    ])
    .rest(&DATA);

fields! {
    RTCDC = protocol("rtcdc", "RTCDC", "WebRTC Data Channel")
        .covers("DCEP, text and binary messages of data channels")
        .leaves_open("The protocols that labels name");
    MESSAGE_TYPE = number("rtcdc.message_type", "message type", "").names(MESSAGES).once();
    CHANNEL_TYPE = number("rtcdc.channel_type", "channel type", "").names(CHANNELS).once();
    PRIORITY = number("rtcdc.priority", "priority", "").once();
    RELIABILITY = number("rtcdc.reliability_parameter", "reliability parameter", "Retransmissions or milliseconds, as the channel type states").once();
    LABEL_LENGTH = number("rtcdc.label_length", "label length", "In bytes").once();
    PROTOCOL_LENGTH = number("rtcdc.protocol_length", "protocol length", "In bytes").once();
    LABEL = text("rtcdc.label", "label", "Name of the channel").once();
    SUBPROTOCOL = text("rtcdc.protocol", "protocol", "Subprotocol, from the registry of WebSocket").once();
    TEXT = text("rtcdc.text", "text", "").body().once();
    BINARY = bytes("rtcdc.binary", "binary data", "").body().once();
    EMPTY = bytes("rtcdc.empty", "placeholder", "Represents an empty message").once();
    DATA = bytes("rtcdc.data", "data", "Undissected bytes").once();
}

const MESSAGES: Names = &[
    (0, "data channel open request (obsolete)"),
    (1, "data channel open response (obsolete)"),
    (2, "data channel ack"),
    (OPEN as u64, "data channel open"),
];
const CHANNELS: Names = &[
    (0x00, "reliable"),
    (0x01, "partially reliable, retransmissions"),
    (0x02, "partially reliable, timed"),
    (0x80, "reliable, unordered"),
    (0x81, "partially reliable, retransmissions, unordered"),
    (0x82, "partially reliable, timed, unordered"),
];

const OPEN: u8 = 3;

/// Bytes of a text that the heading shows.
const HEADING: usize = 120;

fn control(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u8(&MESSAGE_TYPE)?;
    wire.name(name_of(MESSAGES, kind.into()).unwrap_or("unknown"));
    if kind != OPEN {
        return Ok(());
    }
    let channel = wire.u8(&CHANNEL_TYPE)?;
    wire.u16_be(&PRIORITY)?;
    wire.u32_be(&RELIABILITY)?;
    let label = wire.u16_be(&LABEL_LENGTH)?;
    let protocol = wire.u16_be(&PROTOCOL_LENGTH)?;
    let label = wire.optional(&LABEL, label.into())?;
    let protocol = wire.optional(&SUBPROTOCOL, protocol.into())?;
    let separator = if protocol.is_empty() { "" } else { ", " };
    let (label, protocol) = (String::from_utf8_lossy(label), String::from_utf8_lossy(protocol));
    let channel = name_of(CHANNELS, channel.into()).unwrap_or("unknown type");
    wire.info(format_args!("{label}{separator}{protocol}, {channel}"));
    Ok(())
}

fn text(wire: &mut Wire<'_>) -> Result {
    wire.name("text");
    if wire.ahead() == [0] {
        wire.info(format_args!("empty"));
        return wire.bytes(&EMPTY, 1).map(drop);
    }
    let (all, at) = (wire.ahead(), wire.at());
    let text = String::from_utf8_lossy(all.get(..HEADING).unwrap_or(all));
    let more = if all.len() > HEADING { "…" } else { "" };
    wire.hide_credentials(at..at + all.len());
    let text = wire.masked(&text).into_owned();
    wire.info(format_args!("{text}{more}"));
    if !all.is_empty() {
        wire.put(&TEXT, Value::Text, at..at + all.len());
    }
    if json::is_likely(all) {
        json::text(wire);
    }
    wire.skip(wire.remaining())
}

fn binary(wire: &mut Wire<'_>) -> Result {
    wire.name("binary");
    if wire.ahead() == [0] {
        wire.info(format_args!("empty"));
        return wire.bytes(&EMPTY, 1).map(drop);
    }
    wire.info(format_args!("{} bytes", wire.remaining()));
    wire.rest_is(&BINARY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    #[test]
    fn an_open_message_has_label_and_protocol() {
        let bytes = trial::bytes("03 81 0100 00000002 0005 0007 63686174 21 67616d652e7631");
        insta::assert_snapshot!(trial::read(&PROTOCOL, &bytes, Cut::No, control), @r##"
        rtcdc 0..24 | data channel open | chat!, game.v1, partially reliable, retransmissions, unordered
          0..1 rtcdc.message_type = 3 (data channel open)
          1..2 rtcdc.channel_type = 129 (partially reliable, retransmissions, unordered)
          2..4 rtcdc.priority = 256
          4..8 rtcdc.reliability_parameter = 2
          8..10 rtcdc.label_length = 5
          10..12 rtcdc.protocol_length = 7
          12..17 rtcdc.label = "chat!"
          17..24 rtcdc.protocol = "game.v1"
        "##);
    }

    #[test]
    fn a_heading_shows_the_beginning_of_a_text() {
        let heading = |length: usize| {
            trial::read(&PROTOCOL, &vec![b'a'; length], Cut::No, text).lines().next().unwrap_or_default().to_owned()
        };
        let whole = "a".repeat(HEADING);
        assert_eq!(heading(HEADING), format!("rtcdc 0..{HEADING} | text | {whole}"));
        assert_eq!(heading(HEADING + 1), format!("rtcdc 0..{} | text | {whole}…", HEADING + 1));
    }

    #[test]
    fn messages_cut_anywhere_are_dissected() {
        let bytes = trial::bytes("03 81 0100 00000002 0005 0007 63686174 21 67616d652e7631");
        for length in 0..bytes.len() {
            for read in [control, text, binary] {
                assert!(trial::read(&PROTOCOL, &bytes[..length], Cut::Capture, read).starts_with("rtcdc"));
            }
        }
    }

    #[test]
    fn an_empty_message_is_one_byte_that_does_not_count() {
        let tree = trial::read(&PROTOCOL, &[0], Cut::No, text);
        assert!(tree.contains("text | empty") && !tree.contains("rtcdc.text ="), "{tree}");
    }
}
