//! EAPOL (IEEE 802.1X): authentication and key agreement of a station with its switch or access point.
//!
//! ```text
//! version:1 | type:1 | length:2 | body
//!   0 EAP      code:1 | identifier:1 | length:2 | type:1 | data
//!   3 key      descriptor type:1 | by type
//!     1 RC4    key length:2 | replay counter:8 | IV:16 | index:1 | signature:16 | key
//!     2, 254   information:2 | key length:2 | replay counter:8 | nonce:32 | IV:16 | RSC:8 | ID:8 | MIC:16 | length:2 | data
//! ```
//! Sources: IEEE 802.1X-2020, clause 11; IEEE 802.11-2020, clause 12.7. Not covered: methods of EAP, elements in key data.

use crate::protocols::eap;
use crate::tree::{Names, Value, fields, name_of};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&EAPOL, FIELDS).found(FOUND).rest(&DATA);

/// EAP packets inside EAPOL.
pub static EAP_PROTOCOL: Protocol = super::layer(&eap::EAP, eap::FIELDS);

/// 802.11 keys inside EAPOL.
pub static KEY_PROTOCOL: Protocol = super::layer(&key_fields::RSNA, key_fields::FIELDS);

const FOUND: &[Found] = &[On::EtherType(0x888e).datagram(Heuristic::Anything, packet)];

fields! {
    EAPOL = protocol("eapol", "EAPOL", "802.1X Authentication");
    VERSION = number("eapol.version", "Version", "").names(VERSIONS).once();
    TYPE = number("eapol.type", "Type", "").names(TYPES).once();
    LENGTH = number("eapol.len", "Length", "Of the body, in bytes").once();
    DESCRIPTOR = number("eapol.keydes.type", "Key Descriptor Type", "").names(DESCRIPTORS).once();
    KEY_LENGTH = number("eapol.keydes.key_len", "Key Length", "In bytes").once();
    COUNTER = number("eapol.keydes.replay_counter", "Replay Counter", "").once();
    IV = bytes("eapol.keydes.key_iv", "Key IV", "").once();
    INDEX = number("eapol.keydes.key_index", "Key Index", "").hex(2).once();
    INDEX_TYPE = bool("eapol.keydes.key_index.type", "Type", "Unicast, else broadcast").mask(0x80).once();
    INDEX_NUMBER = number("eapol.keydes.key_index.number", "Number", "").mask(0x7f).once();
    SIGNATURE = bytes("eapol.keydes.key_signature", "Key Signature", "").once();
    KEY = bytes("eapol.keydes.key", "Key", "Encrypted").encrypted().once();
    BODY = bytes("eapol.keydes.body", "Key Descriptor Body", "").once();
    DATA = bytes("eapol.data", "Data", "Undissected bytes");
    PADDING = bytes("eapol.padding", "Padding", "").once();
}

mod key_fields {
    use super::KEY_VERSIONS;
    use crate::tree::fields;

    fields! {
        RSNA = protocol("wlan_rsna_eapol", "802.11 RSNA key", "Key of IEEE 802.11 inside EAPOL");
        NUMBER = number("wlan_rsna_eapol.keydes.msgnr", "Message number", "Of the handshake").once();
        INFO = number("wlan_rsna_eapol.keydes.key_info", "Key Information", "").hex(4).once();
        INFO_VERSION = number("wlan_rsna_eapol.keydes.key_info.keydes_version", "Key Descriptor Version", "").mask(0x0007).names(KEY_VERSIONS).once();
        INFO_TYPE = bool("wlan_rsna_eapol.keydes.key_info.key_type", "Key Type", "Pairwise, else a group key").mask(0x0008).once();
        INFO_INDEX = number("wlan_rsna_eapol.keydes.key_info.key_index", "Key Index", "").mask(0x0030).once();
        INFO_INSTALL = bool("wlan_rsna_eapol.keydes.key_info.install", "Install", "").mask(0x0040).once();
        INFO_ACK = bool("wlan_rsna_eapol.keydes.key_info.key_ack", "Key ACK", "").mask(0x0080).once();
        INFO_MIC = bool("wlan_rsna_eapol.keydes.key_info.key_mic", "Key MIC", "").mask(0x0100).once();
        INFO_SECURE = bool("wlan_rsna_eapol.keydes.key_info.secure", "Secure", "").mask(0x0200).once();
        INFO_ERROR = bool("wlan_rsna_eapol.keydes.key_info.error", "Error", "").mask(0x0400).once();
        INFO_REQUEST = bool("wlan_rsna_eapol.keydes.key_info.request", "Request", "").mask(0x0800).once();
        INFO_ENCRYPTED = bool("wlan_rsna_eapol.keydes.key_info.encrypted_key_data", "Encrypted Key Data", "").mask(0x1000).once();
        INFO_SMK = bool("wlan_rsna_eapol.keydes.key_info.smk_message", "SMK Message", "").mask(0x2000).once();
        NONCE = bytes("wlan_rsna_eapol.keydes.nonce", "WPA Key Nonce", "").once();
        RSC = bytes("wlan_rsna_eapol.keydes.rsc", "WPA Key RSC", "Receive sequence counter").once();
        KEY_ID = bytes("wlan_rsna_eapol.keydes.id", "WPA Key ID", "").once();
        MIC = bytes("wlan_rsna_eapol.keydes.mic", "WPA Key MIC", "").once();
        DATA_LENGTH = number("wlan_rsna_eapol.keydes.data_len", "WPA Key Data Length", "In bytes").once();
        KEY_DATA = bytes("wlan_rsna_eapol.keydes.data", "WPA Key Data", "").once();
    }
}

use key_fields::*;

const VERSIONS: Names = &[(1, "802.1X-2001"), (2, "802.1X-2004"), (3, "802.1X-2010")];
const TYPES: Names = &[
    (0, "EAP Packet"),
    (1, "Start"),
    (2, "Logoff"),
    (3, "Key"),
    (4, "Encapsulated ASF Alert"),
    (5, "MKA"),
    (6, "Announcement (Generic)"),
    (7, "Announcement (Specific)"),
    (8, "Announcement Request"),
];
const DESCRIPTORS: Names = &[(1, "RC4 Descriptor"), (2, "EAPOL RSN Key"), (254, "EAPOL WPA Key")];
const KEY_VERSIONS: Names =
    &[(1, "RC4 Cipher, HMAC-MD5 MIC"), (2, "AES Cipher, HMAC-SHA1 MIC"), (3, "AES Cipher, AES-128-CMAC MIC")];

const EAP_PACKET: u8 = 0;
const KEY_PACKET: u8 = 3;

fn packet(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION)?;
    let kind = wire.u8(&TYPE)?;
    let length = usize::from(wire.u16_be(&LENGTH)?);
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    wire.within(length, &DATA, |wire| match kind {
        EAP_PACKET => wire.group(&eap::EAP, eap::packet),
        KEY_PACKET => key(wire),
        _ => wire.rest_is(&DATA),
    })?;
    wire.rest_is(&PADDING)
}

fn key(wire: &mut Wire<'_>) -> Result {
    match wire.u8(&DESCRIPTOR)? {
        1 => {
            let length = usize::from(wire.u16_be(&KEY_LENGTH)?);
            wire.u64_be(&COUNTER)?;
            wire.bytes(&IV, 16)?;
            wire.flags(&INDEX, 1, &[&INDEX_TYPE, &INDEX_NUMBER])?;
            wire.bytes(&SIGNATURE, 16)?;
            if length > 0 && wire.remaining() > 0 {
                wire.bytes(&KEY, length)?;
            }
        }
        2 | 254 => wire.group(KEY_PROTOCOL.this, robust_key)?,
        _ => drop(wire.rest(&BODY)),
    }
    Ok(())
}

/// A WPA key frame: the 4-way handshake of pairwise keys, or one of two messages of the group key handshake.
fn robust_key(wire: &mut Wire<'_>) -> Result {
    let bits = [
        &INFO_VERSION,
        &INFO_TYPE,
        &INFO_INDEX,
        &INFO_INSTALL,
        &INFO_ACK,
        &INFO_MIC,
        &INFO_SECURE,
        &INFO_ERROR,
        &INFO_REQUEST,
        &INFO_ENCRYPTED,
        &INFO_SMK,
    ];
    let info = wire.flags(&INFO, 2, &bits)?;
    wire.u16_be(&KEY_LENGTH)?;
    let counter = wire.u64_be(&COUNTER)?;
    let has = |field: &crate::tree::Field| field.bits_of(info) != 0;
    let has_nonce = wire.ahead().get(..32).is_some_and(|nonce| nonce.iter().any(|byte| *byte != 0));
    let (number, all) = match (has(&INFO_TYPE), has(&INFO_ACK)) {
        (true, true) if has(&INFO_MIC) => (3, "4"),
        (true, true) => (1, "4"),
        (true, false) if has_nonce => (2, "4"),
        (true, false) => (4, "4"),
        (false, true) => (1, "2 for the group"),
        (false, false) => (2, "2 for the group"),
    };
    wire.add(&NUMBER, Value::Unsigned(number));
    wire.info(format_args!("message {number} of {all}, replay counter {counter}"));
    wire.bytes(&NONCE, 32)?;
    wire.bytes(&IV, 16)?;
    wire.bytes(&RSC, 8)?;
    wire.bytes(&KEY_ID, 8)?;
    wire.bytes(&MIC, 16)?;
    wire.counted(Wire::u16_be, &DATA_LENGTH, &KEY_DATA).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    const PORT: Next = Next::EtherType(0x888e);
    const RSN: &str = "02 03 005f 02 008a 0010 0000000000000001 \
        000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 00000000000000000000000000000000 0000000000000000 \
        0000000000000000 00000000000000000000000000000000 0000";

    #[test]
    fn packets_of_eap_are_read() {
        insta::assert_snapshot!(layers(PORT, &["01 00 0009 02 05 0009 01 616e6e61 0000"]), @r#"
        eapol 0..15 | EAP Packet | Response, Identity: anna
          0..1 eapol.version = 1 (802.1X-2001)
          1..2 eapol.type = 0 (EAP Packet)
          2..4 eapol.len = 9
          4..13 eap = 
            4..5 eap.code = 2 (Response)
            5..6 eap.id = 5
            6..8 eap.len = 9
            8..9 eap.type = 1 (Identity)
            9..13 eap.identity = "anna"
          13..15 eapol.padding = 0000
        "#);
        insta::assert_snapshot!(layers(PORT, &["02 00 0004 03 05 0004"]), @"
        eapol 0..8 | EAP Packet | Success
          0..1 eapol.version = 2 (802.1X-2004)
          1..2 eapol.type = 0 (EAP Packet)
          2..4 eapol.len = 4
          4..8 eap = 
            4..5 eap.code = 3 (Success)
            5..6 eap.id = 5
            6..8 eap.len = 4
        ");
        insta::assert_snapshot!(layers(PORT, &["01 01 0000"]), @"
        eapol 0..4 | Start
          0..1 eapol.version = 1 (802.1X-2001)
          1..2 eapol.type = 1 (Start)
          2..4 eapol.len = 0
        ");
    }

    #[test]
    fn key_frames_are_read() {
        insta::assert_snapshot!(layers(PORT, &[RSN]), @"
        eapol 0..99 | Key | message 1 of 4, replay counter 1
          0..1 eapol.version = 2 (802.1X-2004)
          1..2 eapol.type = 3 (Key)
          2..4 eapol.len = 95
          4..5 eapol.keydes.type = 2 (EAPOL RSN Key)
          5..99 wlan_rsna_eapol = 
            5..7 wlan_rsna_eapol.keydes.key_info = 0x008a
              5..7 wlan_rsna_eapol.keydes.key_info.keydes_version = 2 (AES Cipher, HMAC-SHA1 MIC)
              5..7 wlan_rsna_eapol.keydes.key_info.key_type = true
              5..7 wlan_rsna_eapol.keydes.key_info.key_index = 0
              5..7 wlan_rsna_eapol.keydes.key_info.install = false
              5..7 wlan_rsna_eapol.keydes.key_info.key_ack = true
              5..7 wlan_rsna_eapol.keydes.key_info.key_mic = false
              5..7 wlan_rsna_eapol.keydes.key_info.secure = false
              5..7 wlan_rsna_eapol.keydes.key_info.error = false
              5..7 wlan_rsna_eapol.keydes.key_info.request = false
              5..7 wlan_rsna_eapol.keydes.key_info.encrypted_key_data = false
              5..7 wlan_rsna_eapol.keydes.key_info.smk_message = false
            7..9 eapol.keydes.key_len = 16
            9..17 eapol.keydes.replay_counter = 1
            wlan_rsna_eapol.keydes.msgnr = 1
            17..49 wlan_rsna_eapol.keydes.nonce = 32 bytes
            49..65 eapol.keydes.key_iv = 00000000000000000000000000000000
            65..73 wlan_rsna_eapol.keydes.rsc = 0000000000000000
            73..81 wlan_rsna_eapol.keydes.id = 0000000000000000
            81..97 wlan_rsna_eapol.keydes.mic = 00000000000000000000000000000000
            97..99 wlan_rsna_eapol.keydes.data_len = 0
        ");
        let legacy =
            "01 03 0031 01 0005 0000000000000002 00112233445566778899aabbccddeeff 81 00112233445566778899aabbccddeeff 0102030405";
        insta::assert_snapshot!(layers(PORT, &[legacy]), @"
        eapol 0..53 | Key
          0..1 eapol.version = 1 (802.1X-2001)
          1..2 eapol.type = 3 (Key)
          2..4 eapol.len = 49
          4..5 eapol.keydes.type = 1 (RC4 Descriptor)
          5..7 eapol.keydes.key_len = 5
          7..15 eapol.keydes.replay_counter = 2
          15..31 eapol.keydes.key_iv = 00112233445566778899aabbccddeeff
          31..32 eapol.keydes.key_index = 0x81
            31..32 eapol.keydes.key_index.type = true
            31..32 eapol.keydes.key_index.number = 1
          32..48 eapol.keydes.key_signature = 00112233445566778899aabbccddeeff
          48..53 eapol.keydes.key = 0102030405
        ");
    }

    #[test]
    fn a_key_frame_that_is_cut_is_noted() {
        let tree = cut(PORT, &["02 03 005f 02 008a 00"], 92);
        insta::assert_snapshot!(crate::wire::trial::below(&tree, &["eapol.keydes.type", "eapol.data"]), @"
        eapol 0..8 | Key
          4..5 eapol.keydes.type = 2 (EAPOL RSN Key)
          7..8 eapol.data = 00
        ! broken dissect.cut at 7..8 eapol: the capture holds 1 bytes too few of this frame
        ");
    }
}
