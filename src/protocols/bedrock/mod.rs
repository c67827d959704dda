//! Minecraft, Bedrock edition, over RakNet: what servers say of themselves in a list, and a session up to where it is encrypted.
//!
//! ```text
//! pong     length:2 | edition;name;protocol;version;players;most;server id;second line;mode;mode number;port;port for IPv6;…
//! message  fe | packets                          until the server has told how they are compressed
//!          fe | compressed packets               up to protocol 648
//!          fe | algorithm:1 | packets            since 649: 0 deflate, 1 Snappy, 255 none
//! packet   length | header | body                header: id:10 bits | sender:2 | receiver:2
//! ```
//! Lengths and headers are VarInts. Numbers of the first packets are big-endian, those of the others little-endian.
//!
//! Not covered: what is encrypted, which is all behind the server's handshake; bodies of the game's packets, which differ from version
//! to version; sessions of which the beginning was not captured, unless one of the usual ports tells them.

mod batch;
mod motd;
#[cfg(test)]
mod tests;

use crate::tree::{Names, fields};
use crate::wire::{Looks, On, Protocol};

/// Minecraft, Bedrock edition.
pub static PROTOCOL: Protocol = Protocol {
    this: &BEDROCK,
    fields: FIELDS,
    found: &[
        On::Over("raknet").exchange(Looks::Spotted(batch::looks), batch::open),
        On::Over("raknet.pong").datagram(Looks::Datagram(motd::looks), motd::read),
    ],
    rest: Some(&DATA),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[],
};

fields! {
    BEDROCK = protocol("bedrock", "Minecraft Bedrock", "Minecraft, Bedrock edition")
        .covers("What servers say of themselves in a list; packets of a session up to where it is encrypted, the first ones by their fields")
        .leaves_open("What is encrypted, and bodies of the game's packets");
    MOTD_LENGTH = number("bedrock.motd.length", "length", "Bytes that follow");
    EDITION = text("bedrock.motd.edition", "edition", "MCPE, or MCEE for the education edition");
    NAME = text("bedrock.motd.name", "name", "What the server is called");
    MOTD_PROTOCOL = text("bedrock.motd.protocol", "protocol", "Version of the protocol");
    MOTD_VERSION = text("bedrock.motd.version", "version", "Version of the game");
    PLAYERS = text("bedrock.motd.players", "players", "How many play");
    MOST_PLAYERS = text("bedrock.motd.max_players", "most players", "How many may play");
    SERVER_ID = text("bedrock.motd.server_id", "server id", "Number that the server chose for itself");
    SECOND_LINE = text("bedrock.motd.second_line", "second line", "What a list shows below the name: the world");
    MODE = text("bedrock.motd.mode", "mode", "How the game is played");
    MODE_NUMBER = text("bedrock.motd.mode_number", "mode number", "The same as a number");
    PORT = text("bedrock.motd.port", "port", "Port for IPv4");
    PORT_6 = text("bedrock.motd.port_ipv6", "port for IPv6", "Port for IPv6");
    MORE = text("bedrock.motd.more", "more", "What later versions add");

    MARK = number("bedrock.mark", "mark", "What RakNet knows the game's messages by").hex(2);
    ALGORITHM = number("bedrock.algorithm", "algorithm", "How the packets are compressed").names(ALGORITHMS);
    COMPRESSED = bytes("bedrock.compressed", "compressed", "The packets as they were compressed");
    ENCRYPTED = bytes("bedrock.encrypted", "encrypted", "Packets that are encrypted");
    PACKET = group("bedrock.packet", "packet", "A packet").digest(batch::packet_value, batch::packet_meaning);
    LENGTH = number("bedrock.packet.length", "length", "Bytes of the header and the body");
    ID = number("bedrock.packet.id", "id", "What kind of packet").names(batch::IDS);
    SENDER = number("bedrock.packet.sender", "sender", "Which player of the client sends it");
    RECEIVER = number("bedrock.packet.receiver", "receiver", "Which player of the client it is for");
    VERSION = number("bedrock.protocol", "protocol", "Version of the protocol");
    THRESHOLD = number("bedrock.compression.threshold", "threshold", "Messages from this size on are compressed");
    CHOSEN = number("bedrock.compression.algorithm", "algorithm", "How messages are compressed from here on").names(ALGORITHMS);
    THROTTLES = bool("bedrock.throttle", "throttle", "Whether clients leave out what cannot be seen when players are many");
    THROTTLE_FROM = number("bedrock.throttle.threshold", "throttle from", "How many players are many");
    THROTTLE_BY = float("bedrock.throttle.scalar", "throttle by", "How much is left out");
    REQUEST_LENGTH = number("bedrock.login.length", "request length", "Bytes of both texts with their lengths");
    TEXT_LENGTH = number("bedrock.login.text_length", "text length", "Bytes of the text");
    CHAIN = text("bedrock.login.chain", "chain", "Who the player is, signed");
    CLIENT_DATA = text("bedrock.login.client_data", "client data", "What the client tells of itself, signed");
    STATUS = number("bedrock.play_status", "status", "How the login went").names(STATUSES);
    TOKEN_LENGTH = number("bedrock.handshake.length", "token length", "Bytes of the token");
    TOKEN = text("bedrock.handshake.token", "token", "The server's key and a salt: encryption begins behind the message");
    BODY = bytes("bedrock.packet.body", "body", "What the packet says");
    DATA = bytes("bedrock.data", "data", "Bytes that are not understood");

    BAD_LENGTH = odd("bedrock.note.length", "bad length", "The text is not as long as it says");
    BAD_NUMBER = broken("bedrock.note.number", "bad number", "A VarInt of more than five bytes");
    BAD_COMPRESSION = broken("bedrock.note.compression", "bad compression", "Bytes that are not what they are said to be compressed with");
    TOO_LONG = broken("bedrock.note.too_long", "too long", "More bytes than are decompressed");
    TOO_MANY = broken("bedrock.note.too_many", "too many", "More packets than are read of one message");
}

const ALGORITHMS: Names = &[(0, "deflate"), (1, "Snappy"), (255, "none"), (65535, "none")];

const STATUSES: Names = &[
    (0, "login success"),
    (1, "client is too old"),
    (2, "server is too old"),
    (3, "player spawn"),
    (4, "invalid tenant"),
    (5, "edition mismatch: education server"),
    (6, "edition mismatch: education client"),
    (7, "server is full"),
];
