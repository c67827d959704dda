//! Fields and notes of Xfire.

use super::keys::*;
use super::packets::TYPES;
use super::summary;
use crate::tree::fields;

fields! {
    XFIRE = protocol("xfire", "Xfire", "Xfire instant messenger")
        .covers("All known packets, with text and numeric attribute keys; friends, chats and files in their context; datagrams between clients")
        .leaves_open("The session of a moniker in datagrams that no stream announced");
    MAGIC = text("xfire.magic", "magic", "Sent by the client before its first message").once();
    LENGTH = number("xfire.length", "length", "Bytes of the message, including this field").once();
    DL_LENGTH = number("xfire.dl.length", "length", "Bytes of the peer-to-peer message, including this field").once();
    TYPE = number("xfire.type", "type", "").names(TYPES).once();
    ATTR_COUNT = number("xfire.attr_count", "attribute count", "");
    KEY_MODE = text("xfire.key_mode", "key mode", "Whether attributes have names, numbers or both as keys").once();
    ATTR = group("xfire.attr", "attr", "Key and value").collapsed(summary::attr_value, summary::attr_meaning).named(summary::key, summary::attr_value, summary::attr_beside);
    NAME_LEN = number("xfire.attr.name_len", "name length", "In bytes").once_per(&ATTR);
    ATTR_NAME = text("xfire.attr.name", "name", "").once_per(&ATTR);
    KEY = number("xfire.attr.key", "key", "Numeric key").hex(2).names(KEYS).once_per(&ATTR);
    PREFERENCE = number("xfire.attr.preference", "preference", "Preference identifier").also("xfire.attr.key").names(PREFERENCES).once_per(&ATTR);
    VALUE_TYPE = number("xfire.attr.type", "type", "").names(VALUE_TYPES).once_per(&ATTR);

    STRING_LEN = number("xfire.value.string_len", "string length", "In bytes");
    VALUE_STRING = text("xfire.value.string", "string", "");
    VALUE_INT32 = number("xfire.value.int32", "int32", "Signed");
    VALUE_SID = bytes("xfire.value.sid", "sid", "Session ID, shown with --show-secrets; all zeros for offline users")
        .secret()
        .collapsed(summary::plain_value, summary::sid_meaning);
    SESSION = number("xfire.session", "session", "Index of the session ID by first appearance in the connection").public();
    VALUE_DID = bytes("xfire.value.did", "did", "Digest ID or chat room ID").collapsed(summary::hex_value, summary::no_meaning);
    VALUE_INT64 = number("xfire.value.int64", "int64", "Signed");
    VALUE_UINT8 = number("xfire.value.uint8", "uint8", "");
    VALUE_BLOCK = bytes("xfire.value.block", "block", "List of single bytes");
    LIST_GROUP = group("xfire.list", "list", "Values of one type");
    ELEM_TYPE = number("xfire.list.elem_type", "element type", "").names(VALUE_TYPES);
    LIST_COUNT = number("xfire.list.count", "count", "");
    MAP = group("xfire.map", "map", "Nested attributes");
    MAP_COUNT = number("xfire.map.count", "count", "");
    ROW = group("xfire.row", "row", "Corresponding elements of parallel lists").collapsed(summary::row_value, summary::row_meaning);

    USERID = number("xfire.userid", "user ID", "").collapsed(summary::number_value, summary::user_meaning);
    COMMON_FRIEND = number("xfire.common_friend", "common friend", "User ID of a common friend").collapsed(summary::number_value, summary::user_meaning);
    USER = text("xfire.user", "user", "Name of the user with this ID").public();
    NAME = text("xfire.name", "name", "Login name of a user, or name of a clan");
    NICK = text("xfire.nick", "nick", "Display name of a user");
    SID = bytes("xfire.sid", "session ID", "Shown with --show-secrets; all zeros for offline users").secret().collapsed(summary::plain_value, summary::sid_meaning);
    CHAT_ID = bytes("xfire.chat_id", "chat room ID", "All zeros for a new room").collapsed(summary::hex_value, summary::no_meaning);
    ROOM_NAME = text("xfire.room_name", "room name", "Name of the chat room");
    MESSAGE = text("xfire.message", "message", "Chat text, or the status of a user");
    GROUP_ID = number("xfire.group_id", "group ID", "Friends group");
    GROUP_NAME = text("xfire.group_name", "group name", "Friends group");
    CLAN_ID = number("xfire.clan_id", "clan ID", "");
    CLAN_NAME = text("xfire.clan_name", "clan name", "");
    GAME_ID = number("xfire.game_id", "game", "Game ID; 0 for none");
    IP = ipv4("xfire.ip", "IP", "");
    PORT = number("xfire.port", "port", "");
    PORT_HIGH = number("xfire.port_high", "port, upper half", "Upper 16 bits of a port; meaning unknown").hex(4);
    VERSION = number("xfire.version", "version", "");
    LOGIN_DIGEST = text("xfire.login.digest", "password", "Digest of name, password and salt").secret();
    PASSWORD = text("xfire.password", "password", "Password of a chat room").secret();
    SALT = text("xfire.salt", "salt", "Hashed together with a secret");
    REASON = number("xfire.reason", "reason", "Reason for the disconnection").names(REASONS);
    RESPONSE = number("xfire.response", "response", "Result of joining a chat room").names(RESPONSES);
    PERMISSION = number("xfire.permission", "permission", "Permission level in a chat room").names(PERMISSIONS);
    ACCESS = number("xfire.access", "access", "Access mode of a chat room").names(ACCESSES);
    COUNTRY = number("xfire.country", "country", "ISO 3166 numeric code of the user's country");
    NAT_TYPE = number("xfire.nat.type", "NAT type", "NAT between the client and its peers").names(NAT_TYPES);
    VOICE = number("xfire.voice", "voice program", "Voice program in use").names(VOICES);
    TIME = number("xfire.time", "time", "Seconds since 1970, UTC").collapsed(summary::number_value, summary::time_meaning);
    CLIMSG = number("xfire.climsg", "request", "Kind of chat room request").names(CLIMSGS);
    MSGTYPE = number("xfire.peermsg.msgtype", "message type", "Type of a peer message").names(MSGTYPES);
    IMINDEX = number("xfire.peermsg.imindex", "number", "Index of an instant message in its conversation");
    IM = text("xfire.peermsg.im", "text", "Instant message");
    TYPING = bool("xfire.peermsg.typing", "typing", "Whether the peer is typing");
    ACKNOWLEDGES = text("xfire.peermsg.acknowledges", "acknowledges", "Text of the acknowledged instant message").once();
    KEEPALIVE_NUMBER = number("xfire.keepalive.number", "keepalive", "Index of the keepalive request in the connection").once();
    FILE_ID = number("xfire.file_id", "file ID", "").hex(8);
    FILE_NAME = text("xfire.file_name", "file name", "");
    FILE_SIZE = number("xfire.file_size", "size", "Size of a file or a chunk, in bytes");
    FILE_OFFSET = number("xfire.file_offset", "file offset", "Offset of a chunk in its file");
    FILE_EVENT = number("xfire.file_event", "event", "State of a file transfer").names(EVENTS);
    UNPARSED = bytes("xfire.unparsed", "unparsed", "Undissected bytes");

    P2P_ENCODING = number("xfire.p2p.encoding", "encoding", "XOR key of all bytes after the header; 0 for none").hex(2).once();
    P2P_RESERVED = bytes("xfire.p2p.reserved", "reserved", "Zero bytes");
    P2P_USER = text("xfire.p2p.user", "user", "Owner of the moniker, from the stream that announced the peer").once();
    P2P_MONIKER = bytes("xfire.p2p.moniker", "moniker", "Digest of the sender's session ID and a salt").collapsed(summary::hex_value, summary::no_meaning).once();
    P2P_TYPE = number("xfire.p2p.type", "type", "").hex(4).names(super::p2p::TYPES).once();
    P2P_MSGID = number("xfire.p2p.msgid", "message ID", "Number of this datagram or of the acknowledged one").once();
    P2P_SEQID = number("xfire.p2p.seqid", "sequence ID", "Sequence number of this datagram or of the acknowledged one").once();
    P2P_DATA_LEN = number("xfire.p2p.data_len", "data length", "Bytes of the inner message").once();
    P2P_ENCODED = bytes("xfire.p2p.encoded", "encoded", "Bytes after the header as transmitted").secret().once();
    P2P_UNKNOWN = bytes("xfire.p2p.unknown", "unknown", "Zero bytes").once();
    P2P_DATA = group("xfire.p2p.data", "data", "Inner message");
    P2P_CATEGORY = text("xfire.p2p.category", "category", "IM for chat, DL for files").once();
    P2P_PADDING = bytes("xfire.p2p.padding", "padding", "Zero bytes after the category").once();
    P2P_CRC = number("xfire.p2p.crc32", "CRC-32", "Checksum of the decoded bytes after the header").hex(8).once();

    NAT_MAGIC = text("xfire.nat.magic", "magic", "SC01 in a probe, CK01 in its reply").once();
    NAT_CONSTANT = bytes("xfire.nat.constant", "constant", "Equal in all probes").once();
    NAT_STAGE = number("xfire.nat.stage", "stage", "Number of the probe").once();
    NAT_LOCAL_PORT = number("xfire.nat.local_port", "local port", "Source port of the client").once();
    NAT_IP = ipv4("xfire.nat.ip", "IP", "Public address of the client").once();
    NAT_PORT = number("xfire.nat.port", "port", "Public port of the client").once();

    TRUNCATED = broken("xfire.expert.truncated", "truncated", "The stream, capture or datagram ends inside the message");
    GAP = broken("xfire.expert.gap", "gap", "Bytes of the message are missing from the capture");
    BAD_LENGTH = broken("xfire.expert.bad_length", "bad length", "Message length outside the valid range");
    ATTR_OVERRUN = broken("xfire.expert.attr_overrun", "attribute too long", "Attribute that exceeds the message");
    BAD_NAME = broken("xfire.expert.bad_name", "bad name", "Invalid attribute name");
    TRAILING_BYTES = broken("xfire.expert.trailing_bytes", "trailing bytes", "Bytes after the last attribute");
    UNKNOWN_VALUE_TYPE = broken("xfire.expert.unknown_value_type", "unknown value type", "Value of unknown type and length");
    EMPTY_OF_UNKNOWN = odd("xfire.expert.unknown_element_type", "unknown element type", "Empty list of an unknown type");
    TOO_DEEP = broken("xfire.expert.too_deep", "nesting too deep", "Lists or maps nest deeper than the limit");
    TOO_MANY = broken("xfire.expert.too_many", "too many values", "The message has more values than the limit");
    KEY_MODE_UNEXPECTED = odd("xfire.expert.key_mode_unexpected", "unexpected key mode", "Key mode that this message type does not use");
    MIXED_KEYS = odd("xfire.expert.mixed_keys", "mixed keys", "Name keys and number keys in one message");
    BAD_UTF8 = odd("xfire.expert.bad_utf8", "not UTF-8", "Text that is not valid UTF-8");
    LIST_COUNT_MISMATCH = odd("xfire.expert.list_count_mismatch", "list counts differ", "Parallel lists of different lengths");
    BAD_DIGEST = odd("xfire.expert.bad_digest", "bad digest", "Login digest that is not 40 hexadecimal digits");
    DIGEST_RIGHT = info("xfire.expert.digest_right", "right password", "The digest matches the configured password");
    DIGEST_WRONG = odd("xfire.expert.digest_wrong", "wrong password", "The digest does not match the configured password");
    UNKNOWN_TYPE = odd("xfire.expert.unknown_type", "unknown type", "Unknown message type");
    WRONG_DIRECTION = odd("xfire.expert.wrong_direction", "wrong direction", "Message type that only the other side sends");
    NO_MSGTYPE = odd("xfire.expert.no_msgtype", "no message type", "Peer message without a message type");
    RESERVED = odd("xfire.expert.reserved", "reserved bytes", "Reserved bytes that are not zero");
    BAD_CRC = odd("xfire.expert.bad_crc", "bad CRC", "Checksum that does not match the bytes");
}
