//! Fields with their formatting, value names and notes.

use crate::tree::title::nothing;
use crate::tree::{Names, NodeRef, fields};
use std::fmt::{self, Write};

pub(super) const RELIABILITIES: Names = &[
    (0, "unreliable"),
    (1, "unreliable_sequenced"),
    (2, "reliable"),
    (3, "reliable_ordered"),
    (4, "reliable_sequenced"),
    (5, "unreliable_with_ack_receipt"),
    (6, "reliable_with_ack_receipt"),
    (7, "reliable_ordered_with_ack_receipt"),
];

pub(super) const OFFLINE_IDS: Names = &[
    (0x01, "unconnected_ping"),
    (0x02, "unconnected_ping_open"),
    (0x05, "open_connection_request_1"),
    (0x06, "open_connection_reply_1"),
    (0x07, "open_connection_request_2"),
    (0x08, "open_connection_reply_2"),
    (0x0d, "out_of_band"),
    (0x12, "already_connected"),
    (0x13, "connection_banned"),
    (0x14, "no_free_incoming_connections"),
    (0x17, "connection_banned"),
    (0x19, "incompatible_protocol_version"),
    (0x1a, "ip_recently_connected"),
    (0x1b, "incompatible_protocol_version"),
    (0x1c, "unconnected_pong"),
];

const SINGLES: Names = &[(0, "a range"), (1, "a single number")];

fields! {
    RAKNET = protocol("raknet", "RakNet", "RakNet, reliable messages over UDP for games")
        .covers("Offline messages, datagrams with their frames, acknowledgements; reassembled split messages; other message IDs with -o")
        .leaves_open("Encryption, and RakNet's file transfers");

    OFFLINE_ID = number("raknet.offline.id", "id", "Type of an offline message").hex(2).names(OFFLINE_IDS).once();
    STOCK_ID = number("raknet.stock_id", "stock id", "Type of a message that the game numbers anew").hex(2).names(OFFLINE_IDS).once();
    MAGIC = bytes("raknet.magic", "magic", "Constant of offline messages").once();
    TIME = number("raknet.time", "time", "Sender's clock in milliseconds").once();
    GUID = number("raknet.guid", "guid", "Unique ID of a peer").hex(16).once();
    PROTOCOL_VERSION = number("raknet.protocol", "protocol", "").once();
    PADDING = bytes("raknet.padding", "padding", "Zero padding that probes the MTU");
    MTU_PROBE = number("raknet.mtu_probe", "MTU probe", "Packet length including IP and UDP headers, as probed").once();
    SECURITY = number("raknet.security", "security", "Encryption is required").once();
    COOKIE = number("raknet.cookie", "cookie", "Echoed by the client").hex(8);
    MTU = number("raknet.mtu", "MTU", "Agreed maximum packet length").once();
    ADDRESS = group("raknet.address", "address", "").collapsed(address_value, nothing);
    SERVER_ADDRESS = group("raknet.server_address", "server address", "").collapsed(address_value, nothing);
    CLIENT_ADDRESS = group("raknet.client_address", "client address", "").collapsed(address_value, nothing);
    ADDRESS_VERSION = number("raknet.address.version", "version", "IP version");
    ADDRESS_IP = ipv4("raknet.address.ip", "ip", "IPv4 address, sent with all bits inverted");
    ADDRESS_IPV6 = bytes("raknet.address.ipv6", "socket address", "Socket address structure of the sender's operating system");
    ADDRESS_PORT = number("raknet.address.port", "port", "");
    OFFLINE_DATA = bytes("raknet.offline.data", "data", "Game data").once();

    FLAGS = number("raknet.flags", "flags", "").hex(2).once();
    FLAG_VALID = bool("raknet.flags.valid", "valid", "Set in all datagrams of connections").mask(0x80).once();
    FLAG_ACK = bool("raknet.flags.ack", "ACK", "Acknowledges received datagrams").mask(0x40).once();
    FLAG_NAK = bool("raknet.flags.nak", "NAK", "Reports missing datagrams, unless the ACK flag is set").mask(0x20).once();
    FLAG_BANDWIDTH = bool("raknet.flags.bandwidth", "bandwidth", "Bandwidth follows").mask(0x20).once();
    FLAG_PAIR = bool("raknet.flags.packet_pair", "packet pair", "One of a pair sent to measure bandwidth").mask(0x10).once();
    FLAG_CONTINUOUS = bool("raknet.flags.continuous_send", "continuous send", "More data was queued").mask(0x08).once();
    FLAG_NEEDS = bool("raknet.flags.needs_b_and_as", "needs B and AS", "Bandwidth is requested").mask(0x04).once();
    DATAGRAM_NUMBER = number("raknet.datagram_number", "datagram number", "Sequence number of the datagram").once();

    FRAME = group("raknet.frame", "frame", "A message or a part of a split message");
    FRAME_FLAGS = number("raknet.frame.flags", "flags", "").hex(2).once_per(&FRAME);
    RELIABILITY = number("raknet.frame.reliability", "reliability", "Delivery guarantee").mask(0xe0).names(RELIABILITIES).once_per(&FRAME);
    HAS_SPLIT = bool("raknet.frame.has_split", "has split", "Part of a split message").mask(0x10).once_per(&FRAME);
    BIT_LENGTH = number("raknet.frame.bit_length", "bit length", "Length of the payload in bits").once_per(&FRAME);
    MESSAGE_NUMBER = number("raknet.frame.message_number", "message number", "Sequence number of the reliable message").once_per(&FRAME);
    SEQUENCING_INDEX = number("raknet.frame.sequencing_index", "sequencing index", "Sequence number among messages of which only the newest counts").once_per(&FRAME);
    ORDERING_INDEX = number("raknet.frame.ordering_index", "ordering index", "Sequence number within the channel").once_per(&FRAME);
    ORDERING_CHANNEL = number("raknet.frame.ordering_channel", "ordering channel", "Channel of ordered or sequenced messages").once_per(&FRAME);
    SPLIT_COUNT = number("raknet.frame.split_count", "split count", "").once_per(&FRAME);
    SPLIT_ID = number("raknet.frame.split_id", "split id", "").once_per(&FRAME);
    SPLIT_INDEX = number("raknet.frame.split_index", "split index", "").once_per(&FRAME);
    PAYLOAD = bytes("raknet.frame.payload", "payload", "Message").once_per(&FRAME);
    FRAGMENT = bytes("raknet.frame.fragment", "fragment", "Part of a split message").once_per(&FRAME);
    RETRANSMISSION = bool("raknet.retransmission", "retransmission", "Sent before");
    OUT_OF_ORDER = bool("raknet.out_of_order", "out of order", "Earlier messages of the channel are missing");
    COMPLETES = number("raknet.completes", "completes", "Number of parts of the message completed by this one");

    BANDWIDTH = float("raknet.ack.as", "bandwidth", "Arrival speed measured by the receiver");
    RECORD_COUNT = number("raknet.ack.record_count", "record count", "").once();
    RECORD = group("raknet.ack.record", "record", "Datagrams of the peer").collapsed(record_value, nothing);
    SINGLE = number("raknet.ack.single", "single", "Single number or range").names(SINGLES).once_per(&RECORD);
    NUMBER = number("raknet.ack.number", "number", "").once_per(&RECORD);
    FIRST = number("raknet.ack.first", "first", "").once_per(&RECORD);
    LAST = number("raknet.ack.last", "last", "").once_per(&RECORD);
    ACK_OF = number("raknet.ack_of", "ACK of frame", "Frame of the acknowledged datagram");
    NAK_OF = number("raknet.nak_of", "NAK of frame", "Frame of the missing datagram");
    ACK_TIME = float("raknet.ack_time", "time since", "Seconds from the newest datagram to its acknowledgement").once_per(&RECORD);
    ECHOED_TIME = number("raknet.echoed_time", "echoed time", "Clock of the peer in milliseconds, from its ping").once();
    REQUEST_TIME = number("raknet.request_time", "request time", "Clock of the client in the request").once();
    REPLY_TIME = number("raknet.reply_time", "reply time", "Clock of the server in the reply").once();
    SYSTEM_INDEX = number("raknet.system_index", "system index", "Index of the client on the server");
    PASSWORD = text("raknet.password", "password", "").secret().once();
    PONG_OF = number("raknet.pong_of", "pong of frame", "Frame number of the ping").once();
    ROUND_TRIP = float("raknet.rtt", "round trip", "Seconds from the ping to the pong").once();
    OPAQUE = bytes("raknet.opaque", "opaque", "Undecoded contents");
    UNPARSED = bytes("raknet.unparsed", "unparsed", "Undecoded bytes");

    BAD_LENGTH = broken("raknet.expert.bad_length", "bad length", "Unexpected length of the message");
    BAD_MAGIC = broken("raknet.expert.bad_magic", "bad magic", "Not the constant of offline messages");
    ACK_MISMATCH = broken("raknet.expert.ack_mismatch", "wrong record count", "The records do not match the datagram length");
    BAD_RANGE = odd("raknet.expert.bad_range", "bad range", "The last number precedes the first");
    BAD_RELIABILITY = broken("raknet.expert.bad_reliability", "bad reliability", "Undefined reliability");
    FRAME_OVERRUN = broken("raknet.expert.frame_overrun", "frame too long", "The payload is empty or exceeds the datagram");
    BAD_CHANNEL = odd("raknet.expert.bad_channel", "bad channel", "Channels range from 0 to 31");
    BAD_SPLIT = broken("raknet.expert.bad_split", "bad split", "Invalid split index or count");
    SPLIT_CONFLICT = odd("raknet.expert.split_conflict", "split conflict", "The part differs from an earlier one with the same index, which is kept");
    INCOMPLETE_SPLIT = broken("raknet.expert.incomplete_split", "incomplete split", "Parts of the message are missing");
    UNKNOWN_DATAGRAM = broken("raknet.expert.unknown_datagram", "unknown datagram", "Neither an offline message nor a datagram of a connection");
}

fn address_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    if let Some(ip) = node.child(&ADDRESS_IP) {
        ip.write_value(out)?;
    }
    match node.child(&ADDRESS_PORT).and_then(NodeRef::number) {
        Some(port) => write!(out, ":{port}"),
        None => Ok(()),
    }
}

fn record_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let number = |field| node.child(field).and_then(NodeRef::number);
    match (number(&NUMBER), number(&FIRST), number(&LAST)) {
        (Some(number), ..) => write!(out, "{number}"),
        (_, Some(first), Some(last)) => write!(out, "{first} to {last}"),
        _ => Ok(()),
    }
}
