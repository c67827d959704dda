//! Fields of the transport.

use super::command_title;
use crate::tree::{Names, fields, title};

pub(super) const TYPES: Names = &[
    (1, "Acknowledge"),
    (2, "Connect"),
    (3, "Verify connect"),
    (4, "Disconnect"),
    (5, "Ping"),
    (6, "Send reliable"),
    (7, "Send unreliable"),
    (8, "Send fragment"),
    (11, "Send unsequenced"),
    (12, "Fetch server time"),
    (13, "Send unreliable processed"),
    (14, "Send reliable unsequenced"),
    (15, "Send fragment unsequenced"),
    (16, "Acknowledge unsequenced"),
    (17, "Acknowledge several"),
    (18, "Acknowledge several unsequenced"),
];

const FLAG_NAMES: Names = &[(0, "none"), (1, "encrypted"), (0xcc, "CRC")];

fields! {
    PHOTON = protocol("photon", "Photon", "Photon, messages of a game service over UDP")
        .covers("All commands; messages in order, fragments joined, for protocols over `photon`")
        .leaves_open("Encrypted datagrams, TCP and `WebSocket` connections");
    PEER = number("photon.peer_id", "peer ID", "ID of the client at the server; 65535 before one is assigned").once();
    FLAGS = number("photon.flags", "flags", "").hex(2).names(FLAG_NAMES).once();
    COUNT = number("photon.command_count", "commands", "").once();
    SENT_TIME = number("photon.sent_time", "sent time", "Milliseconds").once();
    CHALLENGE = number("photon.challenge", "challenge", "Number that the client chose for the connection").hex(8).once();
    CRC = number("photon.crc", "CRC", "CRC-32 of the datagram").hex(8).once();
    COMMAND = group("photon.command", "command", "").named(command_title, title::nothing, title::nothing);
    TYPE = number("photon.command.type", "type", "").names(TYPES).once_per(&COMMAND);
    CHANNEL = number("photon.channel_id", "channel", "255 for the connection itself").once_per(&COMMAND);
    COMMAND_FLAGS = number("photon.command.flags", "command flags", "").hex(2).once_per(&COMMAND);
    RELIABLE = bool("photon.command.reliable", "reliable", "The receiver acknowledges the command").mask(0x01).once_per(&COMMAND);
    UNSEQUENCED = bool("photon.command.unsequenced", "unsequenced", "").mask(0x02).once_per(&COMMAND);
    BLOCK = number("photon.command.block", "block", "Offset of the bits of an acknowledgement").once_per(&COMMAND);
    RESERVED = number("photon.command.reserved", "reserved", "4 in commands of clients").hex(2).once_per(&COMMAND);
    LENGTH = number("photon.command.length", "length", "Bytes of the command").once_per(&COMMAND);
    NUMBER = number("photon.reliable_sequence", "reliable sequence number", "").once_per(&COMMAND);
    RECEIVED_NUMBER = number("photon.received_sequence", "received sequence number", "Reliable sequence number that is acknowledged").once_per(&COMMAND);
    RECEIVED_TIME = number("photon.received_sent_time", "received sent time", "Sent time of the acknowledged command").once_per(&COMMAND);
    OUTGOING_PEER = number("photon.outgoing_peer_id", "outgoing peer ID", "ID that the server assigns").once_per(&COMMAND);
    MTU = number("photon.mtu", "MTU", "In bytes").once_per(&COMMAND);
    WINDOW = number("photon.window_size", "window size", "In bytes").once_per(&COMMAND);
    CHANNELS = number("photon.channel_count", "channels", "").once_per(&COMMAND);
    INCOMING_BANDWIDTH = number("photon.incoming_bandwidth", "incoming bandwidth", "Bytes per second; 0 for no limit").once_per(&COMMAND);
    OUTGOING_BANDWIDTH = number("photon.outgoing_bandwidth", "outgoing bandwidth", "Bytes per second; 0 for no limit").once_per(&COMMAND);
    THROTTLE_INTERVAL = number("photon.throttle_interval", "throttle interval", "Milliseconds").once_per(&COMMAND);
    THROTTLE_ACCELERATION = number("photon.throttle_acceleration", "throttle acceleration", "").once_per(&COMMAND);
    THROTTLE_DECELERATION = number("photon.throttle_deceleration", "throttle deceleration", "").once_per(&COMMAND);
    UNRELIABLE_NUMBER = number("photon.unreliable_sequence", "unreliable sequence number", "").once_per(&COMMAND);
    GROUP = number("photon.unsequenced_group", "unsequenced group", "").once_per(&COMMAND);
    START_NUMBER = number("photon.fragment.start_sequence", "start sequence number", "Sequence number of the first fragment").once_per(&COMMAND);
    FRAGMENTS = number("photon.fragment.count", "fragment count", "").once_per(&COMMAND);
    INDEX = number("photon.fragment.number", "fragment number", "Counted from 0").once_per(&COMMAND);
    TOTAL = number("photon.fragment.total_length", "total length", "Bytes of all fragments").once_per(&COMMAND);
    OFFSET = number("photon.fragment.offset", "fragment offset", "In bytes").once_per(&COMMAND);
    PAYLOAD = bytes("photon.payload", "payload", "").once_per(&COMMAND);
    RETRANSMISSION = bool("photon.retransmission", "retransmission", "The payload was received before").once_per(&COMMAND);
    PING = bytes("photon.ping", "ping", "Constant").once();
    PING_NUMBER = number("photon.ping.number", "ping number", "The answer repeats it").once();
    DATA = bytes("photon.undissected", "data", "Encrypted or undissected bytes");
    CONFLICT = odd("photon.conflict", "conflict", "A payload differs from an earlier one with its numbers");
    BAD_FRAGMENT = odd("photon.bad_fragment", "bad fragment", "Fragment number that is not below the count, or too many fragments");
    INCOMPLETE = odd("photon.fragments_missing", "fragments missing", "Some fragments of a message never came");
    UNKNOWN_COMMAND = odd("photon.unknown_command", "unknown command", "Command type that is not assigned");
    BAD_LENGTH = broken("photon.bad_length", "bad length", "Length below that of a command without body");
}
