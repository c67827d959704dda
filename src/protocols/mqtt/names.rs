//! Value names: packet types, return codes, reason codes by packet, properties.

use crate::tree::Names;

pub(super) const TYPES: Names = &[
    (1, "connect"),
    (2, "connack"),
    (3, "publish"),
    (4, "puback"),
    (5, "pubrec"),
    (6, "pubrel"),
    (7, "pubcomp"),
    (8, "subscribe"),
    (9, "suback"),
    (10, "unsubscribe"),
    (11, "unsuback"),
    (12, "pingreq"),
    (13, "pingresp"),
    (14, "disconnect"),
    (15, "auth"),
];

pub(super) const QOS: Names = &[(0, "at most once"), (1, "at least once"), (2, "exactly once")];
pub(super) const GRANTED: Names = &[(0, "at most once"), (1, "at least once"), (2, "exactly once"), (0x80, "failure")];
pub(super) const RETURNS: Names = &[
    (0, "accepted"),
    (1, "unacceptable protocol version"),
    (2, "identifier rejected"),
    (3, "server unavailable"),
    (4, "bad user name or password"),
    (5, "not authorized"),
];
pub(super) const RETAIN_HANDLING: Names = &[
    (0, "send at the time of the subscribe"),
    (1, "send if the subscription is new"),
    (2, "do not send at the time of the subscribe"),
];

pub(super) const CONNACK: Names = &[
    (0x00, "success"),
    (0x80, "unspecified error"),
    (0x81, "malformed packet"),
    (0x82, "protocol error"),
    (0x83, "implementation specific error"),
    (0x84, "unsupported protocol version"),
    (0x85, "client identifier not valid"),
    (0x86, "bad user name or password"),
    (0x87, "not authorized"),
    (0x88, "server unavailable"),
    (0x89, "server busy"),
    (0x8a, "banned"),
    (0x8c, "bad authentication method"),
    (0x90, "topic name invalid"),
    (0x95, "packet too large"),
    (0x97, "quota exceeded"),
    (0x99, "payload format invalid"),
    (0x9a, "retain not supported"),
    (0x9b, "qos not supported"),
    (0x9c, "use another server"),
    (0x9d, "server moved"),
    (0x9f, "connection rate exceeded"),
];

/// Reason codes of PUBACK and PUBREC.
pub(super) const RECEIVED: Names = &[
    (0x00, "success"),
    (0x10, "no matching subscribers"),
    (0x80, "unspecified error"),
    (0x83, "implementation specific error"),
    (0x87, "not authorized"),
    (0x90, "topic name invalid"),
    (0x91, "packet identifier in use"),
    (0x97, "quota exceeded"),
    (0x99, "payload format invalid"),
];

/// Reason codes of PUBREL and PUBCOMP.
pub(super) const RELEASED: Names = &[(0x00, "success"), (0x92, "packet identifier not found")];

pub(super) const SUBACK: Names = &[
    (0x00, "granted qos 0"),
    (0x01, "granted qos 1"),
    (0x02, "granted qos 2"),
    (0x80, "unspecified error"),
    (0x83, "implementation specific error"),
    (0x87, "not authorized"),
    (0x8f, "topic filter invalid"),
    (0x91, "packet identifier in use"),
    (0x97, "quota exceeded"),
    (0x9e, "shared subscriptions not supported"),
    (0xa1, "subscription identifiers not supported"),
    (0xa2, "wildcard subscriptions not supported"),
];

pub(super) const UNSUBACK: Names = &[
    (0x00, "success"),
    (0x11, "no subscription existed"),
    (0x80, "unspecified error"),
    (0x83, "implementation specific error"),
    (0x87, "not authorized"),
    (0x8f, "topic filter invalid"),
    (0x91, "packet identifier in use"),
];

pub(super) const DISCONNECT: Names = &[
    (0x00, "normal disconnection"),
    (0x04, "disconnect with will message"),
    (0x80, "unspecified error"),
    (0x81, "malformed packet"),
    (0x82, "protocol error"),
    (0x83, "implementation specific error"),
    (0x87, "not authorized"),
    (0x89, "server busy"),
    (0x8b, "server shutting down"),
    (0x8c, "bad authentication method"),
    (0x8d, "keep alive timeout"),
    (0x8e, "session taken over"),
    (0x8f, "topic filter invalid"),
    (0x90, "topic name invalid"),
    (0x93, "receive maximum exceeded"),
    (0x94, "topic alias invalid"),
    (0x95, "packet too large"),
    (0x96, "message rate too high"),
    (0x97, "quota exceeded"),
    (0x98, "administrative action"),
    (0x99, "payload format invalid"),
    (0x9a, "retain not supported"),
    (0x9b, "qos not supported"),
    (0x9c, "use another server"),
    (0x9d, "server moved"),
    (0x9e, "shared subscriptions not supported"),
    (0x9f, "connection rate exceeded"),
    (0xa0, "maximum connect time"),
    (0xa1, "subscription identifiers not supported"),
    (0xa2, "wildcard subscriptions not supported"),
];

pub(super) const AUTH: Names = &[(0x00, "success"), (0x18, "continue authentication"), (0x19, "re-authenticate")];

pub(super) const PROPERTIES: Names = &[
    (0x01, "payload format indicator"),
    (0x02, "message expiry interval"),
    (0x03, "content type"),
    (0x08, "response topic"),
    (0x09, "correlation data"),
    (0x0b, "subscription identifier"),
    (0x11, "session expiry interval"),
    (0x12, "assigned client identifier"),
    (0x13, "server keep alive"),
    (0x15, "authentication method"),
    (0x16, "authentication data"),
    (0x17, "request problem information"),
    (0x18, "will delay interval"),
    (0x19, "request response information"),
    (0x1a, "response information"),
    (0x1c, "server reference"),
    (0x1f, "reason string"),
    (0x21, "receive maximum"),
    (0x22, "topic alias maximum"),
    (0x23, "topic alias"),
    (0x24, "maximum qos"),
    (0x25, "retain available"),
    (0x26, "user property"),
    (0x27, "maximum packet size"),
    (0x28, "wildcard subscription available"),
    (0x29, "subscription identifier available"),
    (0x2a, "shared subscription available"),
];
