//! Minecraft, Bedrock edition, over RakNet: server information in pongs, and sessions up to their encryption.
//!
//! ```text
//! pong     length:2 | edition;name;protocol;version;players;most;server id;second line;mode;mode number;port;port for IPv6;…
//! message  fe | packets                          until the server announces the compression
//!          fe | compressed packets               up to protocol 648
//!          fe | algorithm:1 | packets            since 649: 0 deflate, 1 Snappy, 255 none
//! packet   length | header | body                header: id:10 bits | sender:2 | receiver:2
//! ```
//! Lengths and headers are VarInts. Numbers are big-endian in the first packets and little-endian in the others.
//!
//! Not covered: encrypted packets, which are all after the server's handshake; bodies of game packets, which depend on the
//! version; sessions joined midway on other than the default ports.

mod batch;
mod motd;
#[cfg(test)]
mod tests;

use crate::tree::{Names, fields};
use crate::wire::{Heuristic, On, Protocol};

pub static PROTOCOL: Protocol = Protocol::new(&BEDROCK, FIELDS)
    .found(&[
        On::Over("raknet").exchange::<batch::Session>(Heuristic::InContext(batch::detect)),
        On::Over("raknet.pong").datagram(Heuristic::Datagram(motd::detect), motd::read),
    ])
    .rest(&DATA);

fields! {
    BEDROCK = protocol("bedrock", "Minecraft Bedrock", "Minecraft, Bedrock edition")
        .covers("Server information in pongs; packets of a session up to its encryption, the first ones with their fields")
        .leaves_open("Encrypted packets, and bodies of game packets");
    MOTD_LENGTH = number("bedrock.motd.length", "length", "Bytes that follow").once();
    EDITION = text("bedrock.motd.edition", "edition", "MCPE, or MCEE for the education edition").once();
    NAME = text("bedrock.motd.name", "name", "").once();
    MOTD_PROTOCOL = text("bedrock.motd.protocol", "protocol", "").once();
    MOTD_VERSION = text("bedrock.motd.version", "version", "").once();
    PLAYERS = text("bedrock.motd.players", "players", "").once();
    MOST_PLAYERS = text("bedrock.motd.max_players", "max players", "").once();
    SERVER_ID = text("bedrock.motd.server_id", "server id", "").once();
    SECOND_LINE = text("bedrock.motd.second_line", "second line", "World name, the second line of a server list").once();
    MODE = text("bedrock.motd.mode", "mode", "").once();
    MODE_NUMBER = text("bedrock.motd.mode_number", "mode number", "").once();
    PORT = text("bedrock.motd.port", "port", "IPv4 port").once();
    PORT_6 = text("bedrock.motd.port_ipv6", "port for IPv6", "").once();
    MORE = text("bedrock.motd.more", "more", "Additional parts of later versions").once();

    MARK = number("bedrock.mark", "mark", "0xfe, the RakNet message ID of game packets").hex(2);
    ALGORITHM = number("bedrock.algorithm", "algorithm", "").names(ALGORITHMS);
    COMPRESSED = bytes("bedrock.compressed", "compressed", "");
    ENCRYPTED = bytes("bedrock.encrypted", "encrypted", "").encrypted();
    PACKET = group("bedrock.packet", "packet", "").collapsed(batch::packet_value, batch::packet_meaning);
    LENGTH = number("bedrock.packet.length", "length", "Length of header and body");
    ID = number("bedrock.packet.id", "id", "Packet type").names(batch::IDS);
    SENDER = number("bedrock.packet.sender", "sender", "Sub-client ID of the sender");
    RECEIVER = number("bedrock.packet.receiver", "receiver", "Sub-client ID of the receiver");
    VERSION = number("bedrock.protocol", "protocol", "");
    THRESHOLD = number("bedrock.compression.threshold", "threshold", "Minimum size of compressed messages");
    CHOSEN = number("bedrock.compression.algorithm", "algorithm", "Compression algorithm from here on").names(ALGORITHMS);
    THROTTLES = bool("bedrock.throttle", "throttle", "Clients skip rendering when many players are visible");
    THROTTLE_FROM = number("bedrock.throttle.threshold", "throttle from", "Number of players for throttling");
    THROTTLE_BY = float("bedrock.throttle.scalar", "throttle by", "Throttling factor");
    REQUEST_LENGTH = number("bedrock.login.length", "request length", "Length of both texts with their length fields");
    TEXT_LENGTH = number("bedrock.login.text_length", "text length", "In bytes");
    CHAIN = text("bedrock.login.chain", "chain", "Identity of the player, a chain of signed tokens").secret();
    CLIENT_DATA = text("bedrock.login.client_data", "client data", "Client properties, a signed token");
    STATUS = number("bedrock.play_status", "status", "Result of the login").names(STATUSES);
    TOKEN_LENGTH = number("bedrock.handshake.length", "token length", "In bytes");
    TOKEN = text("bedrock.handshake.token", "token", "Server key and salt; encryption starts after this message");
    BODY = bytes("bedrock.packet.body", "body", "Undecoded body");
    DATA = bytes("bedrock.data", "data", "Undecoded bytes");

    BAD_LENGTH = odd("bedrock.note.length", "bad length", "The text does not have the declared length");
    BAD_NUMBER = broken("bedrock.note.number", "bad number", "A VarInt of more than five bytes");
    BAD_COMPRESSION = broken("bedrock.note.compression", "bad compression", "The bytes do not decompress with the declared algorithm");
    TOO_LONG = broken("bedrock.note.too_long", "too long", "The decompressed size exceeds the maximum");
    TOO_MANY = broken("bedrock.note.too_many", "too many", "The number of packets exceeds the maximum");
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
