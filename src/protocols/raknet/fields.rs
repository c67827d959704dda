//! The fields, the names of values, and the notes.

use super::words::{address_value, nothing, record_value};
use crate::tree::{Names, fields};

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
        .covers("Messages outside of connections, datagrams with their frames, acknowledgements; messages joined from their parts and put in order")
        .leaves_open("Encryption, and files that are sent with RakNet's own means");

    OFFLINE_ID = number("raknet.offline.id", "id", "Kind of a message outside of connections").hex(2).names(OFFLINE_IDS);
    MAGIC = bytes("raknet.magic", "magic", "What messages outside of connections are known by");
    TIME = number("raknet.time", "time", "Clock of a side in milliseconds");
    GUID = number("raknet.guid", "guid", "What names a side").hex(16);
    PROTOCOL_VERSION = number("raknet.protocol", "protocol", "Version of RakNet");
    PADDING = bytes("raknet.padding", "padding", "Zeros that find out how long datagrams may be");
    MTU_PROBE = number("raknet.mtu_probe", "MTU probe", "Length of the packet with its IP and UDP headers, which is what is tried out");
    SECURITY = number("raknet.security", "security", "Whether the connection is to be encrypted");
    COOKIE = number("raknet.cookie", "cookie", "Number that the client has to repeat").hex(8);
    MTU = number("raknet.mtu", "MTU", "Longest packet that is agreed on");
    ADDRESS = group("raknet.address", "address", "Address and port").digest(address_value, nothing);
    SERVER_ADDRESS = group("raknet.server_address", "server address", "Address and port of the server").digest(address_value, nothing);
    CLIENT_ADDRESS = group("raknet.client_address", "client address", "Address and port of the client").digest(address_value, nothing);
    ADDRESS_VERSION = number("raknet.address.version", "version", "Version of IP");
    ADDRESS_IP = ipv4("raknet.address.ip", "ip", "The address, sent with every bit inverted");
    ADDRESS_IPV6 = bytes("raknet.address.ipv6", "socket address", "A whole structure of the sender's operating system");
    ADDRESS_PORT = number("raknet.address.port", "port", "The port");
    OFFLINE_DATA = bytes("raknet.offline.data", "data", "What the game says");

    FLAGS = number("raknet.flags", "flags", "What kind of datagram it is").hex(2);
    FLAG_VALID = bool("raknet.flags.valid", "valid", "Set in all datagrams of connections").mask(0x80);
    FLAG_ACK = bool("raknet.flags.ack", "ACK", "Datagrams that arrived").mask(0x40);
    FLAG_NAK = bool("raknet.flags.nak", "NAK", "Datagrams that are missing, unless it is an ACK").mask(0x20);
    FLAG_BANDWIDTH = bool("raknet.flags.bandwidth", "bandwidth", "The bandwidth follows").mask(0x20);
    FLAG_PAIR = bool("raknet.flags.packet_pair", "packet pair", "One of two that are sent together to measure bandwidth").mask(0x10);
    FLAG_CONTINUOUS = bool("raknet.flags.continuous_send", "continuous send", "More was waiting to be sent").mask(0x08);
    FLAG_NEEDS = bool("raknet.flags.needs_b_and_as", "needs B and AS", "The sender wants to know the bandwidth").mask(0x04);
    DATAGRAM_NUMBER = number("raknet.datagram_number", "datagram number", "Number of the datagram, counted by its sender");

    FRAME = group("raknet.frame", "frame", "A message, or a part of one");
    FRAME_FLAGS = number("raknet.frame.flags", "flags", "How the message is sent").hex(2);
    RELIABILITY = number("raknet.frame.reliability", "reliability", "What is promised of its arrival").mask(0xe0).names(RELIABILITIES);
    HAS_SPLIT = bool("raknet.frame.has_split", "has split", "It is a part of a longer message").mask(0x10);
    BIT_LENGTH = number("raknet.frame.bit_length", "bit length", "Bits of the payload");
    MESSAGE_NUMBER = number("raknet.frame.message_number", "message number", "Number of the reliable message, counted by its sender");
    SEQUENCING_INDEX = number("raknet.frame.sequencing_index", "sequencing index", "Place among messages of which only the newest counts");
    ORDERING_INDEX = number("raknet.frame.ordering_index", "ordering index", "Place among the messages of the channel");
    ORDERING_CHANNEL = number("raknet.frame.ordering_channel", "ordering channel", "Which messages it is in order with");
    SPLIT_COUNT = number("raknet.frame.split_count", "split count", "Parts of the message");
    SPLIT_ID = number("raknet.frame.split_id", "split id", "Which message it is a part of");
    SPLIT_INDEX = number("raknet.frame.split_index", "split index", "Which part it is");
    PAYLOAD = bytes("raknet.frame.payload", "payload", "The message");
    FRAGMENT = bytes("raknet.frame.fragment", "fragment", "A part of a message");
    RETRANSMISSION = bool("raknet.retransmission", "retransmission", "Sent before; it does not count again");
    OUT_OF_ORDER = bool("raknet.out_of_order", "out of order", "Messages of the channel that come before it were not seen yet");
    COMPLETES = number("raknet.completes", "completes", "Parts of the message that are complete with this one");

    BANDWIDTH = float("raknet.ack.as", "bandwidth", "Arrival speed that the receiver measured");
    RECORD_COUNT = number("raknet.ack.record_count", "record count", "Numbers and ranges that follow");
    RECORD = group("raknet.ack.record", "record", "Datagrams of the other side").digest(record_value, nothing);
    SINGLE = number("raknet.ack.single", "single", "Whether it is one number or a range").names(SINGLES);
    NUMBER = number("raknet.ack.number", "number", "Number of a datagram");
    FIRST = number("raknet.ack.first", "first", "Number of the first datagram");
    LAST = number("raknet.ack.last", "last", "Number of the last datagram");
    ACK_OF = number("raknet.ack_of", "ACK of frame", "The frame with the datagram that is acknowledged");
    NAK_OF = number("raknet.nak_of", "NAK of frame", "The frame with the datagram that is said to be missing");
    ACK_TIME = float("raknet.ack_time", "time since", "Seconds from the newest of these datagrams to its acknowledgement");
    ECHOED_TIME = number("raknet.echoed_time", "echoed time", "Clock of the other side in milliseconds, from its ping");
    REQUEST_TIME = number("raknet.request_time", "request time", "Clock of the client when it asked");
    REPLY_TIME = number("raknet.reply_time", "reply time", "Clock of the server when it answered");
    SYSTEM_INDEX = number("raknet.system_index", "system index", "Place of the client among those of the server");
    PASSWORD = text("raknet.password", "password", "What the server is asked to let the client in for").secret();
    PONG_OF = number("raknet.pong_of", "pong of frame", "The frame with the ping that is answered");
    ROUND_TRIP = float("raknet.rtt", "round trip", "Seconds from a ping to its pong");
    OPAQUE = bytes("raknet.opaque", "opaque", "Bytes that are not looked into");
    UNPARSED = bytes("raknet.unparsed", "unparsed", "Bytes that are not understood");

    BAD_LENGTH = broken("raknet.expert.bad_length", "bad length", "Not as long as such a message is");
    BAD_MAGIC = broken("raknet.expert.bad_magic", "bad magic", "Not the bytes that messages outside of connections are known by");
    ACK_MISMATCH = broken("raknet.expert.ack_mismatch", "wrong record count", "The records do not fill the datagram");
    BAD_RANGE = odd("raknet.expert.bad_range", "bad range", "The range ends before it begins");
    BAD_RELIABILITY = broken("raknet.expert.bad_reliability", "bad reliability", "A reliability that is never on the wire");
    FRAME_OVERRUN = broken("raknet.expert.frame_overrun", "frame too long", "The payload is empty or longer than the datagram");
    BAD_CHANNEL = odd("raknet.expert.bad_channel", "bad channel", "There are 32 channels");
    BAD_SPLIT = broken("raknet.expert.bad_split", "bad split", "A part that its message cannot have, or a message of too many");
    SPLIT_CONFLICT = odd("raknet.expert.split_conflict", "split conflict", "The part came before with other bytes; the first ones count");
    INCOMPLETE_SPLIT = broken("raknet.expert.incomplete_split", "incomplete split", "A message of which not all parts came");
    UNKNOWN_DATAGRAM = broken("raknet.expert.unknown_datagram", "unknown datagram", "Neither of a connection nor outside of one");
}
