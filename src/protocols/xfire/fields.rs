//! The fields of Xfire and the notes it may get.

use super::keys::*;
use super::packets::TYPES;
use super::words;
use crate::tree::fields;

fields! {
    XFIRE = protocol("xfire", "Xfire", "Xfire instant messenger")
        .covers("Every known packet, whatever its keys, with friends, chats and files in their context; datagrams between clients")
        .leaves_open("Which moniker belongs to which session: datagrams and streams know nothing of each other");
    MAGIC = text("xfire.magic", "magic", "What a client says before its first message");
    LENGTH = number("xfire.length", "length", "Bytes of the message, these two included");
    DL_LENGTH = number("xfire.dl.length", "length", "Bytes of the message between two clients, these four included");
    TYPE = number("xfire.type", "type", "What kind of message it is").names(TYPES);
    ATTR_COUNT = number("xfire.attr_count", "attributes", "How many attributes follow");
    KEY_MODE = text("xfire.key_mode", "keys", "Whether the attributes have names, numbers, or both");
    ATTR = group("xfire.attr", "attr", "A value with its key").digest(words::attr_value, words::attr_meaning);
    NAME_LEN = number("xfire.attr.name_len", "name length", "Bytes of the name");
    ATTR_NAME = text("xfire.attr.name", "name", "What the attribute is called");
    KEY = number("xfire.attr.key", "key", "Number that stands for a name").hex(2).names(KEYS);
    PREFERENCE = number("xfire.attr.preference", "preference", "Which preference it is").also("xfire.attr.key").names(PREFERENCES);
    VALUE_TYPE = number("xfire.attr.type", "type", "What kind of value follows").names(VALUE_TYPES);

    STRING_LEN = number("xfire.value.string_len", "string length", "Bytes of the text");
    VALUE_STRING = text("xfire.value.string", "string", "A text");
    VALUE_INT32 = number("xfire.value.int32", "int32", "A number of 32 bits that may be negative");
    VALUE_SID = bytes("xfire.value.sid", "sid", "A session id, shown with --show-secrets; all zeros when its user is offline")
        .secret()
        .digest(words::plain_value, words::sid_meaning);
    SESSION = number("xfire.session", "session", "Which session id of the connection it is, by first appearance").public();
    VALUE_DID = bytes("xfire.value.did", "did", "A digest id or the id of a chat room").digest(words::hex_value, words::no_meaning);
    VALUE_INT64 = number("xfire.value.int64", "int64", "A number of 64 bits that may be negative");
    VALUE_UINT8 = number("xfire.value.uint8", "uint8", "A number of 8 bits");
    VALUE_BLOCK = bytes("xfire.value.block", "block", "A list of single bytes");
    LIST_GROUP = group("xfire.list", "list", "Values of one type");
    ELEM_TYPE = number("xfire.list.elem_type", "element type", "What kind of values they are").names(VALUE_TYPES);
    LIST_COUNT = number("xfire.list.count", "count", "How many values follow");
    MAP = group("xfire.map", "map", "Attributes that belong together");
    MAP_COUNT = number("xfire.map.count", "count", "How many attributes follow");
    ROW = group("xfire.row", "row", "What lists that belong together say of one thing").digest(words::row_value, words::row_meaning);

    USERID = number("xfire.userid", "user id", "Number of a user").digest(words::number_value, words::user_meaning);
    COMMON_FRIEND = number("xfire.common_friend", "common friend", "Number of a user who is a friend of both").digest(words::number_value, words::user_meaning);
    USER = text("xfire.user", "user", "Name of the user whom an id stands for").public();
    NAME = text("xfire.name", "name", "Name with which a user logs in, or of a clan");
    NICK = text("xfire.nick", "nick", "Name that a user shows to others");
    SID = bytes("xfire.sid", "session id", "Whom a session belongs to, shown with --show-secrets; all zeros when offline").secret().digest(words::plain_value, words::sid_meaning);
    CHAT_ID = bytes("xfire.chat_id", "chat room", "Which chat room; all zeros for a new one").digest(words::hex_value, words::no_meaning);
    ROOM_NAME = text("xfire.room_name", "room name", "What a chat room is called");
    MESSAGE = text("xfire.message", "message", "What somebody says, or the status a user shows");
    GROUP_ID = number("xfire.group_id", "group id", "Number of a group of friends");
    GROUP_NAME = text("xfire.group_name", "group name", "What a group of friends is called");
    CLAN_ID = number("xfire.clan_id", "clan id", "Number of a clan");
    CLAN_NAME = text("xfire.clan_name", "clan name", "What a clan is called");
    GAME_ID = number("xfire.game_id", "game", "Number of a game; 0 for none");
    IP = ipv4("xfire.ip", "ip", "An address");
    PORT = number("xfire.port", "port", "A port");
    PORT_HIGH = number("xfire.port_high", "port, upper half", "The upper 16 bits of a port, not understood").hex(4);
    VERSION = number("xfire.version", "version", "Version of the client");
    LOGIN_DIGEST = text("xfire.login.digest", "password", "Digest of name, password and salt").secret();
    PASSWORD = text("xfire.password", "password", "Password of a chat room").secret();
    SALT = text("xfire.salt", "salt", "Text that is digested along with a secret");
    REASON = number("xfire.reason", "reason", "Why the server ends the connection").names(REASONS);
    RESPONSE = number("xfire.response", "response", "How a wish to enter a chat room ends").names(RESPONSES);
    PERMISSION = number("xfire.permission", "permission", "What a member of a chat room may do").names(PERMISSIONS);
    ACCESS = number("xfire.access", "access", "Who may enter a chat room").names(ACCESSES);
    COUNTRY = number("xfire.country", "country", "Country of the user, ISO 3166 numeric");
    NAT_TYPE = number("xfire.nat.type", "NAT type", "What stands between a client and the others").names(NAT_TYPES);
    VOICE = number("xfire.voice", "voice program", "Which voice program is in use").names(VOICES);
    TIME = number("xfire.time", "time", "Seconds since 1970, UTC").digest(words::number_value, words::time_meaning);
    CLIMSG = number("xfire.climsg", "request", "What a client wants of a chat room").names(CLIMSGS);
    MSGTYPE = number("xfire.peermsg.msgtype", "message type", "What one client says to another").names(MSGTYPES);
    IMINDEX = number("xfire.peermsg.imindex", "number", "Number of a text within its conversation");
    IM = text("xfire.peermsg.im", "text", "What one user says to another");
    TYPING = bool("xfire.peermsg.typing", "typing", "Whether the other user is typing");
    ACKNOWLEDGES = text("xfire.peermsg.acknowledges", "acknowledges", "The text that is acknowledged");
    KEEPALIVE_NUMBER = number("xfire.keepalive.number", "keepalive", "Which keepalive of the connection it is, or answers");
    FILE_ID = number("xfire.file_id", "file id", "Number of a file").hex(8);
    FILE_NAME = text("xfire.file_name", "file name", "What a file is called");
    FILE_SIZE = number("xfire.file_size", "size", "Bytes of a file or of a part of it");
    FILE_OFFSET = number("xfire.file_offset", "file offset", "Where a part of a file begins");
    FILE_EVENT = number("xfire.file_event", "event", "What happens to a file that is sent").names(EVENTS);
    UNPARSED = bytes("xfire.unparsed", "unparsed", "Bytes that are not understood");

    P2P_ENCODING = number("xfire.p2p.encoding", "encoding", "The byte that all bytes behind the header are combined with; 0 for none").hex(2);
    P2P_RESERVED = bytes("xfire.p2p.reserved", "reserved", "Zeros");
    P2P_USER = text("xfire.p2p.user", "user", "Whose moniker it is, as the stream tells that announced the datagrams");
    P2P_MONIKER = bytes("xfire.p2p.moniker", "moniker", "Digest of the sender's session id and a salt").digest(words::hex_value, words::no_meaning);
    P2P_TYPE = number("xfire.p2p.type", "type", "What kind of datagram it is").hex(4).names(super::p2p::TYPES);
    P2P_MSGID = number("xfire.p2p.msgid", "message id", "Number of the datagram, or of the one that is answered");
    P2P_SEQID = number("xfire.p2p.seqid", "sequence id", "Sequence number, or that of the datagram that is answered");
    P2P_DATA_LEN = number("xfire.p2p.data_len", "data length", "Bytes of the message inside");
    P2P_ENCODED = bytes("xfire.p2p.encoded", "encoded", "What is behind the header, as it was sent").secret();
    P2P_UNKNOWN = bytes("xfire.p2p.unknown", "unknown", "Zeros");
    P2P_DATA = group("xfire.p2p.data", "data", "The message inside");
    P2P_CATEGORY = text("xfire.p2p.category", "category", "IM for chat, DL for files");
    P2P_PADDING = bytes("xfire.p2p.padding", "padding", "Zeros behind the category");
    P2P_CRC = number("xfire.p2p.crc32", "CRC-32", "Checksum of the decoded bytes behind the header").hex(8);

    NAT_MAGIC = text("xfire.nat.magic", "magic", "SC01 in a probe, CK01 in its reply");
    NAT_CONSTANT = bytes("xfire.nat.constant", "constant", "The same in all probes");
    NAT_STAGE = number("xfire.nat.stage", "stage", "Which probe it is");
    NAT_LOCAL_PORT = number("xfire.nat.local_port", "local port", "Port from which the client sends");
    NAT_IP = ipv4("xfire.nat.ip", "ip", "Address of the client as the server sees it");
    NAT_PORT = number("xfire.nat.port", "port", "Port of the client as the server sees it");

    TRUNCATED = broken("xfire.expert.truncated", "truncated", "The stream, the capture or the datagram ends inside the message");
    GAP = broken("xfire.expert.gap", "gap", "Bytes of the message are not in the capture");
    BAD_LENGTH = broken("xfire.expert.bad_length", "bad length", "A length that no message has");
    ATTR_OVERRUN = broken("xfire.expert.attr_overrun", "attribute too long", "An attribute needs more bytes than the message has");
    BAD_NAME = broken("xfire.expert.bad_name", "bad name", "A name that no attribute has");
    TRAILING_BYTES = broken("xfire.expert.trailing_bytes", "trailing bytes", "Bytes behind the last attribute");
    UNKNOWN_VALUE_TYPE = broken("xfire.expert.unknown_value_type", "unknown value type", "A value whose length nobody knows");
    EMPTY_OF_UNKNOWN = odd("xfire.expert.unknown_element_type", "unknown element type", "An empty list of an unknown type");
    TOO_DEEP = broken("xfire.expert.too_deep", "nested too deep", "Lists or maps nest deeper than is followed");
    TOO_MANY = broken("xfire.expert.too_many", "too many values", "More values than are shown of a message");
    KEY_MODE_UNEXPECTED = odd("xfire.expert.key_mode_unexpected", "unexpected keys", "The other kind of keys than this type has");
    MIXED_KEYS = odd("xfire.expert.mixed_keys", "mixed keys", "Both kinds of keys in one message");
    BAD_UTF8 = odd("xfire.expert.bad_utf8", "not UTF-8", "Bytes of a text are not UTF-8");
    LIST_COUNT_MISMATCH = odd("xfire.expert.list_count_mismatch", "list counts differ", "Lists that belong together differ in length");
    BAD_DIGEST = odd("xfire.expert.bad_digest", "bad digest", "A login whose password is not 40 hexadecimal digits");
    DIGEST_RIGHT = info("xfire.expert.digest_right", "right password", "The digest is that of the given password");
    DIGEST_WRONG = odd("xfire.expert.digest_wrong", "wrong password", "The digest is not that of the given password");
    UNKNOWN_TYPE = odd("xfire.expert.unknown_type", "unknown type", "A message type that is not known");
    WRONG_DIRECTION = odd("xfire.expert.wrong_direction", "wrong direction", "The other side sends messages of this type");
    NO_MSGTYPE = odd("xfire.expert.no_msgtype", "no message type", "A peer message that does not say what it is");
    RESERVED = odd("xfire.expert.reserved", "reserved bytes", "Bytes that should be zero are not");
    BAD_CRC = odd("xfire.expert.bad_crc", "bad CRC", "The checksum is not that of the bytes");
}
