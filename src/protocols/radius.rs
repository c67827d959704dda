//! RADIUS (RFC 2865, RFC 2866, RFC 2869, RFC 3162, RFC 3579, RFC 5176): access requests, accounting and their attributes.
//!
//! ```text
//! packet      code:1 | identifier:1 | length:2 | authenticator:16 | attributes
//! attribute   type:1 | length:1, header included | value
//! 26          vendor:4 | type:1 | length:1, header included | value …
//! ```
//! Consecutive EAP-Message attributes are the parts of one EAP packet. Passwords are hidden with a secret that both ends share. They stay masked, because that secret may be found by guessing.
//!
//! Not covered: attributes of vendors by name, decryption.

use super::eap;
use crate::tree::{Field, Kind, Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Found, Heuristic, On, Protocol, Requests, Result, Wire};
use std::ops::Range;

const FOUND: &[Found] = &[
    found(1812),
    found(1813),
    found(1645),
    found(1646),
    found(3799),
    likely(1812),
    likely(1813),
    likely(1645),
    likely(1646),
    likely(3799),
];

const fn found(port: u16) -> Found {
    On::Udp(port).exchange::<OpenRequests>(Heuristic::Datagram(recognize))
}

const fn likely(port: u16) -> Found {
    On::Udp(port).exchange::<OpenRequests>(Heuristic::Datagram(is_likely)).by_port()
}

pub static PROTOCOL: Protocol = Protocol::new(&RADIUS, FIELDS).found(FOUND).rest(&DATA);

fields! {
    RADIUS = protocol("radius", "RADIUS", "Remote Authentication Dial In User Service")
        .covers("Packets with their attributes, EAP among them; responses matched with their requests")
        .leaves_open("Attributes of vendors by name, decryption");
    CODE = number("radius.code", "code", "").names(CODES).once();
    ID = number("radius.id", "identifier", "Copied into the response").once();
    LENGTH = number("radius.length", "length", "Of the packet, in bytes").once();
    AUTHENTICATOR = bytes("radius.authenticator", "authenticator", "Random, or a digest of the packet").once();
    REQUEST = bool("radius.req", "request", "").once();
    RESPONSE = bool("radius.rsp", "response", "").once();
    REQUEST_FRAME = number("radius.reqframe", "request frame", "").once();
    TIME = float("radius.time", "time from request", "").seconds().once();
    DUPLICATE = number("radius.req.dup", "duplicate request frame number", "Frame of the same request").once();
    AVP = bytes("radius.avp", "AVP", "Attribute");
    TYPE = number("radius.avp.type", "type", "").names(TYPES);
    AVP_LENGTH = number("radius.avp.length", "length", "Of the attribute, header included, in bytes");
    VENDOR = number("radius.avp.vendor_id", "vendor ID", "Private enterprise number").names(VENDORS);
    VENDOR_TYPE = number("radius.avp.vendor_type", "type", "Type of an attribute of the vendor");
    VENDOR_LENGTH = number("radius.avp.vendor_len", "length", "Of the attribute of the vendor, header included, in bytes");
    UNKNOWN = bytes("radius.Unknown_Attribute", "unknown attribute", "");
    VENDOR_VALUE = bytes("radius.vendor_value", "vendor value", "Value of an attribute of a vendor");
    USER_NAME = text("radius.User_Name", "User-Name", "");
    USER_PASSWORD = bytes("radius.User_Password_encrypted", "User-Password (encrypted)", "").secret();
    CHAP_PASSWORD = bytes("radius.CHAP_Password", "CHAP-Password", "").secret();
    NAS_IP = ipv4("radius.NAS_IP_Address", "NAS-IP-Address", "");
    NAS_PORT = number("radius.NAS_Port", "NAS-Port", "");
    SERVICE_TYPE = number("radius.Service_Type", "Service-Type", "").names(SERVICES);
    FRAMED_PROTOCOL = number("radius.Framed_Protocol", "Framed-Protocol", "").names(&[(1, "PPP"), (2, "SLIP"), (3, "ARAP")]);
    FRAMED_IP = ipv4("radius.Framed_IP_Address", "Framed-IP-Address", "");
    FRAMED_MASK = ipv4("radius.Framed_IP_Netmask", "Framed-IP-Netmask", "");
    FRAMED_ROUTING = number("radius.Framed_Routing", "Framed-Routing", "");
    FILTER_ID = text("radius.Filter_Id", "Filter-Id", "");
    FRAMED_MTU = number("radius.Framed_MTU", "Framed-MTU", "");
    FRAMED_COMPRESSION = number("radius.Framed_Compression", "Framed-Compression", "");
    LOGIN_HOST = ipv4("radius.Login_IP_Host", "Login-IP-Host", "");
    LOGIN_SERVICE = number("radius.Login_Service", "Login-Service", "");
    LOGIN_PORT = number("radius.Login_TCP_Port", "Login-TCP-Port", "");
    REPLY_MESSAGE = text("radius.Reply_Message", "Reply-Message", "");
    CALLBACK_NUMBER = text("radius.Callback_Number", "Callback-Number", "");
    CALLBACK_ID = text("radius.Callback_Id", "Callback-Id", "");
    FRAMED_ROUTE = text("radius.Framed_Route", "Framed-Route", "");
    STATE = bytes("radius.State", "State", "");
    CLASS = bytes("radius.Class", "Class", "");
    SESSION_TIMEOUT = number("radius.Session_Timeout", "Session-Timeout", "In seconds");
    IDLE_TIMEOUT = number("radius.Idle_Timeout", "Idle-Timeout", "In seconds");
    TERMINATION = number("radius.Termination_Action", "Termination-Action", "");
    CALLED = text("radius.Called_Station_Id", "Called-Station-Id", "");
    CALLING = text("radius.Calling_Station_Id", "Calling-Station-Id", "");
    NAS_ID = text("radius.NAS_Identifier", "NAS-Identifier", "");
    PROXY_STATE = bytes("radius.Proxy_State", "Proxy-State", "");
    STATUS = number("radius.Acct_Status_Type", "Acct-Status-Type", "").names(STATUSES);
    DELAY = number("radius.Acct_Delay_Time", "Acct-Delay-Time", "In seconds");
    INPUT_OCTETS = number("radius.Acct_Input_Octets", "Acct-Input-Octets", "");
    OUTPUT_OCTETS = number("radius.Acct_Output_Octets", "Acct-Output-Octets", "");
    SESSION_ID = text("radius.Acct_Session_Id", "Acct-Session-Id", "");
    AUTHENTIC = number("radius.Acct_Authentic", "Acct-Authentic", "").names(&[(1, "RADIUS"), (2, "Local"), (3, "Remote")]);
    SESSION_TIME = number("radius.Acct_Session_Time", "Acct-Session-Time", "In seconds");
    INPUT_PACKETS = number("radius.Acct_Input_Packets", "Acct-Input-Packets", "");
    OUTPUT_PACKETS = number("radius.Acct_Output_Packets", "Acct-Output-Packets", "");
    CAUSE = number("radius.Acct_Terminate_Cause", "Acct-Terminate-Cause", "").names(CAUSES);
    INPUT_GIGAWORDS = number("radius.Acct_Input_Gigawords", "Acct-Input-Gigawords", "");
    OUTPUT_GIGAWORDS = number("radius.Acct_Output_Gigawords", "Acct-Output-Gigawords", "");
    EVENT_TIME = number("radius.Event_Timestamp_seconds", "Event-Timestamp", "Seconds since 1970, UTC");
    CHAP_CHALLENGE = bytes("radius.CHAP_Challenge", "CHAP-Challenge", "");
    PORT_TYPE = number("radius.NAS_Port_Type", "NAS-Port-Type", "").names(PORT_TYPES);
    PORT_LIMIT = number("radius.Port_Limit", "Port-Limit", "");
    TUNNEL_PASSWORD = bytes("radius.Tunnel_Password_encrypted", "Tunnel-Password (encrypted)", "").secret();
    CONNECT_INFO = text("radius.Connect_Info", "Connect-Info", "");
    EAP = bytes("radius.EAP_Message", "EAP-Message", "");
    MESSAGE_AUTHENTICATOR = bytes("radius.Message_Authenticator", "Message-Authenticator", "");
    INTERIM = number("radius.Acct_Interim_Interval", "Acct-Interim-Interval", "In seconds");
    PORT_ID = text("radius.NAS_Port_Id", "NAS-Port-Id", "");
    FRAMED_POOL = text("radius.Framed_Pool", "Framed-Pool", "");
    NAS_IPV6 = ipv6("radius.NAS_IPv6_Address", "NAS-IPv6-Address", "");
    DATA = bytes("radius.data", "data", "Bytes after the packet");
    BAD = broken("radius.note.length", "bad length", "Invalid attribute length");
}

/// Attributes by type, with their names.
const ATTRIBUTES: &[(u8, &Field)] = &[
    (1, &USER_NAME),
    (2, &USER_PASSWORD),
    (3, &CHAP_PASSWORD),
    (4, &NAS_IP),
    (5, &NAS_PORT),
    (6, &SERVICE_TYPE),
    (7, &FRAMED_PROTOCOL),
    (8, &FRAMED_IP),
    (9, &FRAMED_MASK),
    (10, &FRAMED_ROUTING),
    (11, &FILTER_ID),
    (12, &FRAMED_MTU),
    (13, &FRAMED_COMPRESSION),
    (14, &LOGIN_HOST),
    (15, &LOGIN_SERVICE),
    (16, &LOGIN_PORT),
    (18, &REPLY_MESSAGE),
    (19, &CALLBACK_NUMBER),
    (20, &CALLBACK_ID),
    (22, &FRAMED_ROUTE),
    (24, &STATE),
    (25, &CLASS),
    (27, &SESSION_TIMEOUT),
    (28, &IDLE_TIMEOUT),
    (29, &TERMINATION),
    (30, &CALLED),
    (31, &CALLING),
    (32, &NAS_ID),
    (33, &PROXY_STATE),
    (40, &STATUS),
    (41, &DELAY),
    (42, &INPUT_OCTETS),
    (43, &OUTPUT_OCTETS),
    (44, &SESSION_ID),
    (45, &AUTHENTIC),
    (46, &SESSION_TIME),
    (47, &INPUT_PACKETS),
    (48, &OUTPUT_PACKETS),
    (49, &CAUSE),
    (52, &INPUT_GIGAWORDS),
    (53, &OUTPUT_GIGAWORDS),
    (55, &EVENT_TIME),
    (60, &CHAP_CHALLENGE),
    (61, &PORT_TYPE),
    (62, &PORT_LIMIT),
    (69, &TUNNEL_PASSWORD),
    (77, &CONNECT_INFO),
    (79, &EAP),
    (80, &MESSAGE_AUTHENTICATOR),
    (85, &INTERIM),
    (87, &PORT_ID),
    (88, &FRAMED_POOL),
    (95, &NAS_IPV6),
];

const TYPES: Names = &[
    (1, "User-Name"),
    (2, "User-Password"),
    (3, "CHAP-Password"),
    (4, "NAS-IP-Address"),
    (5, "NAS-Port"),
    (6, "Service-Type"),
    (7, "Framed-Protocol"),
    (8, "Framed-IP-Address"),
    (9, "Framed-IP-Netmask"),
    (10, "Framed-Routing"),
    (11, "Filter-Id"),
    (12, "Framed-MTU"),
    (13, "Framed-Compression"),
    (14, "Login-IP-Host"),
    (15, "Login-Service"),
    (16, "Login-TCP-Port"),
    (18, "Reply-Message"),
    (19, "Callback-Number"),
    (20, "Callback-Id"),
    (22, "Framed-Route"),
    (24, "State"),
    (25, "Class"),
    (26, "Vendor-Specific"),
    (27, "Session-Timeout"),
    (28, "Idle-Timeout"),
    (29, "Termination-Action"),
    (30, "Called-Station-Id"),
    (31, "Calling-Station-Id"),
    (32, "NAS-Identifier"),
    (33, "Proxy-State"),
    (40, "Acct-Status-Type"),
    (41, "Acct-Delay-Time"),
    (42, "Acct-Input-Octets"),
    (43, "Acct-Output-Octets"),
    (44, "Acct-Session-Id"),
    (45, "Acct-Authentic"),
    (46, "Acct-Session-Time"),
    (47, "Acct-Input-Packets"),
    (48, "Acct-Output-Packets"),
    (49, "Acct-Terminate-Cause"),
    (52, "Acct-Input-Gigawords"),
    (53, "Acct-Output-Gigawords"),
    (55, "Event-Timestamp"),
    (60, "CHAP-Challenge"),
    (61, "NAS-Port-Type"),
    (62, "Port-Limit"),
    (64, "Tunnel-Type"),
    (65, "Tunnel-Medium-Type"),
    (69, "Tunnel-Password"),
    (77, "Connect-Info"),
    (79, "EAP-Message"),
    (80, "Message-Authenticator"),
    (81, "Tunnel-Private-Group-Id"),
    (85, "Acct-Interim-Interval"),
    (87, "NAS-Port-Id"),
    (88, "Framed-Pool"),
    (95, "NAS-IPv6-Address"),
];
const CODES: Names = &[
    (1, "Access-Request"),
    (2, "Access-Accept"),
    (3, "Access-Reject"),
    (4, "Accounting-Request"),
    (5, "Accounting-Response"),
    (11, "Access-Challenge"),
    (12, "Status-Server"),
    (13, "Status-Client"),
    (40, "Disconnect-Request"),
    (41, "Disconnect-ACK"),
    (42, "Disconnect-NAK"),
    (43, "CoA-Request"),
    (44, "CoA-ACK"),
    (45, "CoA-NAK"),
];
const SERVICES: Names = &[
    (1, "Login"),
    (2, "Framed"),
    (3, "Callback-Login"),
    (4, "Callback-Framed"),
    (5, "Outbound"),
    (6, "Administrative"),
    (7, "NAS-Prompt"),
    (8, "Authenticate-Only"),
    (9, "Callback-NAS-Prompt"),
    (10, "Call-Check"),
];
const STATUSES: Names = &[(1, "Start"), (2, "Stop"), (3, "Interim-Update"), (7, "Accounting-On"), (8, "Accounting-Off")];
const CAUSES: Names = &[
    (1, "User-Request"),
    (2, "Lost-Carrier"),
    (3, "Lost-Service"),
    (4, "Idle-Timeout"),
    (5, "Session-Timeout"),
    (6, "Admin-Reset"),
    (7, "Admin-Reboot"),
    (8, "Port-Error"),
    (9, "NAS-Error"),
    (10, "NAS-Request"),
];
const PORT_TYPES: Names = &[(0, "Async"), (5, "Virtual"), (15, "Ethernet"), (18, "Wireless-Other"), (19, "Wireless-802.11")];
const VENDORS: Names = &[(9, "Cisco"), (311, "Microsoft"), (11_344, "FreeRADIUS"), (14_988, "MikroTik")];

const HEADER: usize = 20;
const LONGEST: usize = 4096;
const VENDOR_SPECIFIC: u8 = 26;
const USER_NAME_TYPE: u8 = 1;
const EAP_MESSAGE: u8 = 79;

/// Recognizes a packet with a known code whose captured attributes fill it.
fn recognize(bytes: &[u8]) -> bool {
    let Some((code, length)) = code_and_length(bytes) else { return false };
    let fits = (HEADER..=LONGEST).contains(&length) && name_of(CODES, code.into()).is_some();
    fits && are_attributes(bytes, length)
}

/// Whether two of three properties hold: a known code, a length that fits, and attributes that fill the datagram.
fn is_likely(bytes: &[u8]) -> bool {
    let Some((code, length)) = code_and_length(bytes).filter(|_| bytes.len() >= HEADER) else { return false };
    let is_known = name_of(CODES, code.into()).is_some();
    let fits = (HEADER..=bytes.len()).contains(&length);
    let are_attributes = || bytes.len() > HEADER && are_attributes(bytes, bytes.len());
    usize::from(is_known) + usize::from(fits) + usize::from(are_attributes()) >= 2
}

fn code_and_length(bytes: &[u8]) -> Option<(u8, usize)> {
    let &[code, _, high, low] = bytes.first_chunk()?;
    Some((code, u16::from_be_bytes([high, low]).into()))
}

/// Whether the lengths of attributes add up to this length, as far as the bytes go.
fn are_attributes(bytes: &[u8], length: usize) -> bool {
    let is_cut = length > bytes.len();
    let Some(mut attributes) = bytes.get(HEADER..length.min(bytes.len())) else { return false };
    while let Some(&[_, length]) = attributes.first_chunk() {
        match attributes.get(usize::from(length)..) {
            Some(rest) if length >= 2 => attributes = rest,
            _ => return is_cut && length >= 2,
        }
    }
    is_cut || attributes.is_empty()
}

/// Pending requests of one conversation, by identifier.
#[derive(Default)]
struct OpenRequests(Requests<u8>);

impl Exchange for OpenRequests {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let code = wire.u8(&CODE)?;
        let is_request = matches!(code, 1 | 4 | 12 | 13 | 40 | 43);
        wire.name(name_of(CODES, code.into()).unwrap_or("unknown code"));
        wire.sent_by(if is_request { Side::Client } else { Side::Server });
        let id = wire.u8(&ID)?;
        let length = usize::from(wire.u16_be(&LENGTH)?);
        wire.bytes(&AUTHENTICATOR, 16)?;
        if is_request {
            wire.add(&REQUEST, Value::Bool(true));
            if let Some(earlier) = self.0.ask(id, wire) {
                wire.add(&DUPLICATE, Value::Unsigned(earlier.frame));
            }
        } else {
            wire.add(&RESPONSE, Value::Bool(true));
            if let Some(request) = self.0.answer(&id) {
                request.put(wire, &REQUEST_FRAME, &TIME);
            }
        }
        wire.within(length.saturating_sub(HEADER), &DATA, |wire| {
            let mut parts = Vec::new();
            wire.each(|wire| attribute(wire, &mut parts))
        })
    }
}

/// Dissects an attribute. `parts` are those of an incomplete EAP packet.
fn attribute(wire: &mut Wire<'_>, parts: &mut Vec<Range<usize>>) -> Result {
    wire.parent(&AVP, Value::Bytes, |wire| {
        let kind = wire.u8(&TYPE)?;
        let length = usize::from(wire.u8(&AVP_LENGTH)?);
        let Some(length @ 1..) = length.checked_sub(2) else {
            return if length == 2 { Ok(()) } else { wire.malformed(&BAD, format_args!("{length} bytes with a header of 2")) };
        };
        if kind == VENDOR_SPECIFIC {
            return wire.within(length, &DATA, vendor);
        }
        if kind == EAP_MESSAGE {
            return eap_message(wire, length, parts);
        }
        let field = ATTRIBUTES.iter().find(|(known, _)| *known == kind).map_or(&UNKNOWN, |(_, field)| *field);
        match (field.kind, length) {
            (Kind::Number, 4) => drop(wire.u32_be(field)?),
            (Kind::Text, _) => {
                let text = wire.text(field, length)?;
                if kind == USER_NAME_TYPE {
                    wire.info(format_args!("{}", String::from_utf8_lossy(text)));
                }
            }
            (Kind::Bytes, _) if field.secret => drop(wire.secret_bytes(field, length)?),
            (Kind::Bytes, _) | (Kind::Ipv4, 4) | (Kind::Ipv6, 16) => drop(wire.bytes(field, length)?),
            _ => drop(wire.bytes(&UNKNOWN, length)?),
        }
        Ok(())
    })
}

/// Dissects a part of an EAP packet. The attribute of the last part has the packet.
fn eap_message(wire: &mut Wire<'_>, length: usize, parts: &mut Vec<Range<usize>>) -> Result {
    let part = wire.at()..wire.at() + length;
    let goes_on = wire.ahead().get(length) == Some(&EAP_MESSAGE);
    if parts.is_empty() && !goes_on {
        wire.put(&EAP, Value::Bytes, part);
        return wire.within(length, &DATA, |wire| wire.group(&eap::EAP, eap::packet));
    }
    wire.bytes(&EAP, length)?;
    parts.push(part);
    if goes_on {
        return Ok(());
    }
    let (mut pieces, mut packet) = (Vec::new(), Vec::new());
    for part in parts.drain(..) {
        pieces.extend(wire.pieces(part.clone(), packet.len() as u64));
        packet.extend(wire.whole().0.get(part).unwrap_or_default());
    }
    wire.joined("EAP", &pieces, &packet, |wire| wire.group(&eap::EAP, eap::packet))
}

/// Dissects attributes of a vendor.
fn vendor(wire: &mut Wire<'_>) -> Result {
    wire.u32_be(&VENDOR)?;
    while let Some(&[_, length]) = wire.ahead().first_chunk() {
        let Some(length) = usize::from(length).checked_sub(2).filter(|length| *length <= wire.remaining() - 2) else { break };
        wire.u8(&VENDOR_TYPE)?;
        wire.u8(&VENDOR_LENGTH)?;
        wire.optional(&VENDOR_VALUE, length)?;
    }
    wire.rest_is(&VENDOR_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn request() -> Vec<u8> {
        let attributes = "0106 616e6e61 0212 00112233445566778899aabbccddeeff 0406 c0a80101 0506 00000007
            1a0c 00000009 0106 61623d63 4006 0000000d 5012 000102030405060708090a0b0c0d0e0f";
        let length = 20 + 6 + 18 + 6 + 6 + 12 + 6 + 18;
        trial::bytes(&format!("01 2a {length:04x} 000102030405060708090a0b0c0d0e0f {attributes}"))
    }

    fn tree(bytes: &[u8]) -> String {
        trial::read(&PROTOCOL, bytes, Cut::No, |wire| OpenRequests::default().message(Side::Client, wire))
    }

    #[test]
    fn an_eap_packet_spans_attributes() {
        let packet = |attributes: &str| {
            let length = 20 + trial::bytes(attributes).len();
            trial::bytes(&format!("01 2a {length:04x} 000102030405060708090a0b0c0d0e0f {attributes}"))
        };
        let whole = packet("4f0b 02050009 01616e6e61");
        insta::assert_snapshot!(tree(&whole), @r#"
        radius 0..31 | Access-Request | Response, Identity: anna
          0..1 radius.code = 1 (Access-Request)
          1..2 radius.id = 42
          2..4 radius.length = 31
          4..20 radius.authenticator = 000102030405060708090a0b0c0d0e0f
          radius.req = true
          20..31 radius.avp = 4f0b0205000901616e6e61
            20..21 radius.avp.type = 79 (EAP-Message)
            21..22 radius.avp.length = 11
            22..31 radius.EAP_Message = 0205000901616e6e61
            22..31 eap = 
              22..23 eap.code = 2 (Response)
              23..24 eap.id = 5
              24..26 eap.len = 9
              26..27 eap.type = 1 (Identity)
              27..31 eap.identity = "anna"
        "#);
        let parts = packet("4f08 02050009 0161 4f05 6e6e61 0506 00000007");
        insta::assert_snapshot!(tree(&parts), @r#"
        radius 0..39 | Access-Request | Response, Identity: anna
          0..1 radius.code = 1 (Access-Request)
          1..2 radius.id = 42
          2..4 radius.length = 39
          4..20 radius.authenticator = 000102030405060708090a0b0c0d0e0f
          radius.req = true
          20..28 radius.avp = 4f08020500090161
            20..21 radius.avp.type = 79 (EAP-Message)
            21..22 radius.avp.length = 8
            22..28 radius.EAP_Message = 020500090161
          28..33 radius.avp = 4f056e6e61
            28..29 radius.avp.type = 79 (EAP-Message)
            29..30 radius.avp.length = 5
            30..33 radius.EAP_Message = 6e6e61
            0..9 eap = 
              0..1 eap.code = 2 (Response)
              1..2 eap.id = 5
              2..4 eap.len = 9
              4..5 eap.type = 1 (Identity)
              5..9 eap.identity = "anna"
          33..39 radius.avp = 050600000007
            33..34 radius.avp.type = 5 (NAS-Port)
            34..35 radius.avp.length = 6
            35..39 radius.NAS_Port = 7
        "#);
        for bytes in [&whole, &parts] {
            trial::survives_damage(&PROTOCOL, bytes, |wire| OpenRequests::default().message(Side::Client, wire));
        }
    }

    #[test]
    fn attributes_are_dissected() {
        assert!(recognize(&request()));
        insta::assert_snapshot!(tree(&request()), @r#"
        radius 0..92 | Access-Request | anna
          0..1 radius.code = 1 (Access-Request)
          1..2 radius.id = 42
          2..4 radius.length = 92
          4..20 radius.authenticator = 000102030405060708090a0b0c0d0e0f
          radius.req = true
          20..26 radius.avp = 0106616e6e61
            20..21 radius.avp.type = 1 (User-Name)
            21..22 radius.avp.length = 6
            22..26 radius.User_Name = "anna"
          26..44 radius.avp = 18 bytes
            26..27 radius.avp.type = 2 (User-Password)
            27..28 radius.avp.length = 18
            28..44 radius.User_Password_encrypted = 00112233445566778899aabbccddeeff
          44..50 radius.avp = 0406c0a80101
            44..45 radius.avp.type = 4 (NAS-IP-Address)
            45..46 radius.avp.length = 6
            46..50 radius.NAS_IP_Address = 192.168.1.1
          50..56 radius.avp = 050600000007
            50..51 radius.avp.type = 5 (NAS-Port)
            51..52 radius.avp.length = 6
            52..56 radius.NAS_Port = 7
          56..68 radius.avp = 1a0c00000009010661623d63
            56..57 radius.avp.type = 26 (Vendor-Specific)
            57..58 radius.avp.length = 12
            58..62 radius.avp.vendor_id = 9 (Cisco)
            62..63 radius.avp.vendor_type = 1
            63..64 radius.avp.vendor_len = 6
            64..68 radius.vendor_value = 61623d63
          68..74 radius.avp = 40060000000d
            68..69 radius.avp.type = 64 (Tunnel-Type)
            69..70 radius.avp.length = 6
            70..74 radius.Unknown_Attribute = 0000000d
          74..92 radius.avp = 18 bytes
            74..75 radius.avp.type = 80 (Message-Authenticator)
            75..76 radius.avp.length = 18
            76..92 radius.Message_Authenticator = 000102030405060708090a0b0c0d0e0f
        "#);
    }

    #[test]
    fn only_packets_that_their_attributes_fill_are_recognized() {
        let mut bytes = request();
        bytes[21] = 1;
        assert!(!recognize(&bytes) && !recognize(b"\x01\0\0\x14") && !recognize(&[0; 20]));
        assert!(recognize(&trial::bytes("02 2a 0014 000102030405060708090a0b0c0d0e0f")));
    }

    #[test]
    fn damaged_packets_are_survived() {
        trial::survives_damage(&PROTOCOL, &request(), |wire| OpenRequests::default().message(Side::Client, wire));
    }
}
