//! EAP (RFC 3748), inside EAPOL and RADIUS.
//!
//! ```text
//! code:1 | identifier:1 | length:2 | requests and responses: method:1 | data
//! ```

use crate::tree::{Names, fields, name_of};
use crate::wire::{Result, Wire};

fields! {
    EAP = protocol("eap", "EAP", "Extensible Authentication Protocol");
    CODE = number("eap.code", "Code", "").names(CODES).once();
    ID = number("eap.id", "Id", "Copied into the response").once();
    EAP_LENGTH = number("eap.len", "Length", "In bytes").once();
    METHOD = number("eap.type", "Type", "").names(METHODS).once();
    IDENTITY = text("eap.identity", "Identity", "").once();
    DESIRED = number("eap.desired_type", "Desired Auth Type", "").names(METHODS);
    METHOD_DATA = bytes("eap.data", "Data", "").once();
}

const CODES: Names = &[(1, "Request"), (2, "Response"), (3, "Success"), (4, "Failure"), (5, "Initiate"), (6, "Finish")];
const METHODS: Names = &[
    (1, "Identity"),
    (2, "Notification"),
    (3, "Legacy Nak (Response Only)"),
    (4, "MD5-Challenge EAP (EAP-MD5-CHALLENGE)"),
    (5, "One-Time Password EAP (EAP-OTP)"),
    (6, "Generic Token Card EAP (EAP-GTC)"),
    (13, "TLS EAP (EAP-TLS)"),
    (17, "Cisco Wireless EAP / Lightweight EAP (EAP-LEAP)"),
    (18, "GSM Subscriber Identity Modules EAP (EAP-SIM)"),
    (21, "Tunneled TLS EAP (EAP-TTLS)"),
    (23, "UMTS Authentication and Key Agreement EAP (EAP-AKA)"),
    (25, "Protected EAP (EAP-PEAP)"),
    (26, "MS-CHAP EAP (EAP-MS-AUTH)"),
    (43, "Flexible Authentication via Secure Tunneling EAP (EAP-FAST)"),
    (52, "Password EAP (EAP-pwd)"),
    (254, "Expanded Type"),
];

/// Dissects an EAP packet (RFC 3748).
pub fn packet(wire: &mut Wire<'_>) -> Result {
    const HEADER: usize = 4;
    const IDENTIFIES: u8 = 1;
    const REFUSES: u8 = 3;
    let code = wire.u8(&CODE)?;
    wire.u8(&ID)?;
    let length = usize::from(wire.u16_be(&EAP_LENGTH)?).saturating_sub(HEADER);
    let words = name_of(CODES, code.into()).unwrap_or("unknown code");
    if length == 0 {
        wire.info(format_args!("{words}"));
        return Ok(());
    }
    wire.within(length, &METHOD_DATA, |wire| {
        let method = wire.u8(&METHOD)?;
        let name = name_of(METHODS, method.into()).unwrap_or("unknown method");
        if method == IDENTIFIES && wire.remaining() > 0 {
            let identity = wire.text(&IDENTITY, wire.remaining())?;
            wire.info(format_args!("{words}, {name}: {}", String::from_utf8_lossy(identity)));
            return Ok(());
        }
        wire.info(format_args!("{words}, {name}"));
        while method == REFUSES && wire.remaining() > 0 {
            wire.u8(&DESIRED)?;
        }
        wire.rest_is(&METHOD_DATA)
    })
}
