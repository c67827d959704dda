//! Fields of frames, arguments and properties.

use crate::tree::{Names, fields, title};

const CLASSES: Names = &[
    (10, "Connection"),
    (20, "Channel"),
    (30, "Access"),
    (40, "Exchange"),
    (50, "Queue"),
    (60, "Basic"),
    (85, "Confirm"),
    (90, "Tx"),
];

fields! {
    AMQP = protocol("amqp", "AMQP", "Advanced Message Queuing Protocol")
        .covers("All methods of version 0-9-1 with their tables, content headers and bodies")
        .leaves_open("AMQP 1.0");
    PROTOCOL_NAME = text("amqp.init.protocol", "Protocol", "").once();
    PROTOCOL_ID = number("amqp.init.id", "Protocol-ID", "").once();
    MAJOR = number("amqp.init.version_major", "Version Major", "").once();
    MINOR = number("amqp.init.version_minor", "Version Minor", "").once();
    REVISION = number("amqp.init.version_revision", "Version-Revision", "").once();
    TYPE = number("amqp.type", "Type", "").names(TYPES).once();
    CHANNEL = number("amqp.channel", "Channel", "").once();
    LENGTH = number("amqp.length", "Length", "Of the payload, in bytes").once();
    CLASS = number("amqp.method.class", "Class", "").names(CLASSES).once();
    METHOD = number("amqp.method.method", "Method", "The summary names it").once();
    HEADER_CLASS = number("amqp.header.class", "Class ID", "").names(CLASSES).once();
    WEIGHT = number("amqp.header.weight", "Weight", "0").once();
    BODY_SIZE = number("amqp.header.body-size", "Body size", "In bytes").once();
    PROPERTY_FLAGS = number("amqp.header.property-flags", "Property flags", "").hex(4).once();
    PAYLOAD = bytes("amqp.payload", "Payload", "").body().once();
    END = number("amqp.end", "End", "0xce").hex(2).once();
    STRING_LENGTH = number("amqp.string_length", "Length", "Of a text, in bytes");
    TABLE = group("amqp.table", "Table", "");
    TABLE_LENGTH = number("amqp.table.length", "Length", "In bytes");
    ENTRY = group("amqp.table.entry", "Entry", "").named(title::key, title::last_value, title::nothing);
    KEY_LENGTH = number("amqp.table.key_length", "Key length", "In bytes");
    KEY = text("amqp.table.key", "Key", "");
    KIND = text("amqp.table.type", "Type", "Letter of a type");
    TABLE_NUMBER = number("amqp.table.number", "Value", "");
    TABLE_FLOAT = float("amqp.table.float", "Value", "");
    TABLE_BOOL = bool("amqp.table.bool", "Value", "");
    TABLE_TEXT = text("amqp.table.text", "Value", "");
    TABLE_BYTES = bytes("amqp.table.bytes", "Value", "");
    SCALE = number("amqp.table.scale", "Decimal places", "");
    VERSION_MAJOR = number("amqp.method.arguments.version_major", "Version-Major", "").once();
    VERSION_MINOR = number("amqp.method.arguments.version_minor", "Version-Minor", "").once();
    SERVER_PROPERTIES = group("amqp.method.arguments.server_properties", "Server-Properties", "").once();
    MECHANISMS = bytes("amqp.method.arguments.mechanisms", "Mechanisms", "").once();
    LOCALES = bytes("amqp.method.arguments.locales", "Locales", "").once();
    CLIENT_PROPERTIES = group("amqp.method.arguments.client_properties", "Client-Properties", "").once();
    MECHANISM = text("amqp.method.arguments.mechanism", "Mechanism", "").once();
    RESPONSE = bytes("amqp.method.arguments.response", "Response", "Credentials of SASL").secret().once();
    LOCALE = text("amqp.method.arguments.locale", "Locale", "").once();
    CHALLENGE = bytes("amqp.method.arguments.challenge", "Challenge", "").once();
    CHANNEL_MAX = number("amqp.method.arguments.channel_max", "Channel-Max", "").once();
    FRAME_MAX = number("amqp.method.arguments.frame_max", "Frame-Max", "In bytes").once();
    HEARTBEAT = number("amqp.method.arguments.heartbeat", "Heartbeat", "Seconds").once();
    VIRTUAL_HOST = text("amqp.method.arguments.virtual_host", "Virtual-Host", "").once();
    CAPABILITIES = text("amqp.method.arguments.capabilities", "Capabilities", "").once();
    INSIST = bool("amqp.method.arguments.insist", "Insist", "").once();
    KNOWN_HOSTS = text("amqp.method.arguments.known_hosts", "Known-Hosts", "").once();
    REPLY_CODE = number("amqp.method.arguments.reply_code", "Reply-Code", "").once();
    REPLY_TEXT = text("amqp.method.arguments.reply_text", "Reply-Text", "").once();
    CLASS_ID = number("amqp.method.arguments.class_id", "Class-Id", "Of the method that failed").once();
    METHOD_ID = number("amqp.method.arguments.method_id", "Method-Id", "That failed").once();
    REASON = text("amqp.method.arguments.reason", "Reason", "").once();
    OUT_OF_BAND = text("amqp.method.arguments.out_of_band", "Out-Of-Band", "").once();
    CHANNEL_ID = bytes("amqp.method.arguments.channel_id", "Channel-Id", "").once();
    ACTIVE = bool("amqp.method.arguments.active", "Active", "").once();
    TICKET = number("amqp.method.arguments.ticket", "Ticket", "").once();
    EXCHANGE = text("amqp.method.arguments.exchange", "Exchange", "").once();
    EXCHANGE_TYPE = text("amqp.method.arguments.type", "Type", "").once();
    PASSIVE = bool("amqp.method.arguments.passive", "Passive", "").once();
    DURABLE = bool("amqp.method.arguments.durable", "Durable", "").once();
    EXCLUSIVE = bool("amqp.method.arguments.exclusive", "Exclusive", "").once();
    AUTO_DELETE = bool("amqp.method.arguments.auto_delete", "Auto-Delete", "").once();
    INTERNAL = bool("amqp.method.arguments.internal", "Internal", "").once();
    NO_WAIT = bool("amqp.method.arguments.nowait", "Nowait", "").once();
    ARGUMENTS = group("amqp.method.arguments.arguments", "Arguments", "").once();
    IF_UNUSED = bool("amqp.method.arguments.if_unused", "If-Unused", "").once();
    IF_EMPTY = bool("amqp.method.arguments.if_empty", "If-Empty", "").once();
    DESTINATION = text("amqp.method.arguments.destination", "Destination", "").once();
    SOURCE = text("amqp.method.arguments.source", "Source", "").once();
    ROUTING_KEY = text("amqp.method.arguments.routing_key", "Routing-Key", "").once();
    QUEUE = text("amqp.method.arguments.queue", "Queue", "").once();
    MESSAGE_COUNT = number("amqp.method.arguments.message_count", "Message-Count", "").once();
    CONSUMER_COUNT = number("amqp.method.arguments.consumer_count", "Consumer-Count", "").once();
    PREFETCH_SIZE = number("amqp.method.arguments.prefetch_size", "Prefetch-Size", "In bytes").once();
    PREFETCH_COUNT = number("amqp.method.arguments.prefetch_count", "Prefetch-Count", "").once();
    GLOBAL = bool("amqp.method.arguments.global", "Global", "").once();
    CONSUMER_TAG = text("amqp.method.arguments.consumer_tag", "Consumer-Tag", "").once();
    NO_LOCAL = bool("amqp.method.arguments.no_local", "No-Local", "").once();
    NO_ACK = bool("amqp.method.arguments.no_ack", "No-Ack", "").once();
    FILTER = group("amqp.method.arguments.filter", "Filter", "").once();
    MANDATORY = bool("amqp.method.arguments.mandatory", "Mandatory", "").once();
    IMMEDIATE = bool("amqp.method.arguments.immediate", "Immediate", "").once();
    DELIVERY_TAG = number("amqp.method.arguments.delivery_tag", "Delivery-Tag", "").once();
    REDELIVERED = bool("amqp.method.arguments.redelivered", "Redelivered", "").once();
    CLUSTER_ID = text("amqp.method.arguments.cluster_id", "Cluster-Id", "").once();
    MULTIPLE = bool("amqp.method.arguments.multiple", "Multiple", "").once();
    REQUEUE = bool("amqp.method.arguments.requeue", "Requeue", "").once();
    CONTENT_TYPE = text("amqp.method.properties.content_type", "Content-Type", "").once();
    CONTENT_ENCODING = text("amqp.method.properties.content_encoding", "Content-Encoding", "").once();
    HEADERS = group("amqp.method.properties.headers", "Headers", "").once();
    DELIVERY_MODE = number("amqp.method.properties.delivery_mode", "Delivery-Mode", "").names(&[(1, "transient"), (2, "persistent")]).once();
    PRIORITY = number("amqp.method.properties.priority", "Priority", "").once();
    CORRELATION_ID = text("amqp.method.properties.correlation_id", "Correlation-Id", "").once();
    REPLY_TO = text("amqp.method.properties.reply_to", "Reply-To", "").once();
    EXPIRATION = text("amqp.method.properties.expiration", "Expiration", "").once();
    MESSAGE_ID = text("amqp.method.properties.message_id", "Message-Id", "").once();
    TIMESTAMP = number("amqp.method.properties.timestamp_seconds", "Timestamp", "Seconds since 1970").once();
    PROPERTY_TYPE = text("amqp.method.properties.type", "Type", "").once();
    USER_ID = text("amqp.method.properties.user_id", "User-Id", "").once();
    APP_ID = text("amqp.method.properties.app_id", "App-Id", "").once();
    PROPERTY_CLUSTER = text("amqp.method.properties.cluster_id", "Cluster-Id", "").once();
    DATA = bytes("amqp.data", "Data", "Undissected bytes");
    BAD = broken("amqp.note.value", "bad value", "Unexpected type or length");
}

pub(super) const TYPES: Names = &[(1, "Method"), (2, "Content header"), (3, "Content body"), (8, "Heartbeat")];
