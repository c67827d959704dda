//! DTLS 1.0 to 1.3 (RFC 4347, RFC 6347, RFC 9147): records and handshake messages, and encrypted ones if their secrets are known.
//!
//! ```text
//! record     type:1 | version:2 | epoch:2 | sequence number:6 | length:2 | payload
//! DTLS 1.3   001:3 bits | C:1 | S:1 | L:1 | epoch:2 | connection ID if C | sequence number:1, or 2 if S | length:2 if L | payload
//! message    type:1 | length:3 | message sequence:2 | fragment offset:3 | fragment length:3 | fragment
//! ```
//! A datagram contains one or more records. Records of epoch 0 are plaintext. Fragments of a message may arrive in any order
//! and repeatedly. Bodies are those of TLS, with a cookie in the ClientHello. Fields have Wireshark's names for DTLS.
//!
//! The length of a connection ID is not transmitted in records, only in the hellos.
//!
//! Records with a connection ID belong to their association even after an endpoint changes its address.
//!
//! Not covered: decryption of early data.

mod fragments;
mod records;
#[cfg(test)]
mod tests;
mod unified;

use super::stun;
use super::tls::{self, LEVELS, VERSIONS, handshake, hello, names, suites};
use crate::tree::{Names, fields, is_there, title};
use crate::wire::{Heuristic, On, Protocol};
pub(super) use records::{announce, recognize};

pub static PROTOCOL: Protocol = Protocol::new(&DTLS, FIELDS)
    .found(&[
        On::Over("rtp").exchange::<records::Session>(Heuristic::Datagram(recognize)),
        On::Over(stun::RELAYED).exchange::<records::Session>(Heuristic::Datagram(recognize)),
        On::AnyUdp.exchange::<records::Session>(Heuristic::Datagram(recognize)),
    ])
    .rest(&DATA);

fields! {
    DTLS = protocol("dtls", "DTLS", "Datagram Transport Layer Security")
        .covers("Records, hellos, certificates and alerts of DTLS 1.0 to 1.3, reassembled; ACKs; with a key log also encrypted records")
        .leaves_open("Decryption of early data");
    RECORD = group("dtls.record", "record", "DTLS record").collapsed(records::value, records::meaning);
    CONTENT_TYPE = number("dtls.record.content_type", "content type", "").names(TYPES).once_per(&RECORD);
    RECORD_VERSION = number("dtls.record.version", "version", "").hex(4).names(VERSIONS).once_per(&RECORD);
    EPOCH = number("dtls.record.epoch", "epoch", "Counts changes of keys").once_per(&RECORD);
    SEQUENCE_NUMBER = number("dtls.record.sequence_number", "sequence number", "Counts records of the epoch; encrypted in DTLS 1.3").once_per(&RECORD);
    RECORD_LENGTH = number("dtls.record.length", "length", "In bytes").once_per(&RECORD);
    UNIFIED = number("dtls.unified_header.bitmask", "unified header", "Header of an encrypted record of DTLS 1.3").hex(2).once_per(&RECORD);
    HAS_ID = bool("dtls.unified_header.cid_present", "C-bit", "A connection ID follows").mask(0x10).once_per(&RECORD);
    IS_LONG = bool("dtls.unified_header.seq_size", "S-bit", "The sequence number has 16 bits").mask(0x08).once_per(&RECORD);
    HAS_LENGTH = bool("dtls.unified_header.length", "L-bit", "A length follows").mask(0x04).once_per(&RECORD);
    EPOCH_BITS = number("dtls.unified_header.epoch_bits", "epoch", "Its last two bits").mask(0x03).once_per(&RECORD);
    DECRYPTED_NUMBER = number("dtls.record.sequence_number.decrypted", "decrypted sequence number", "Of a record of DTLS 1.3, reconstructed to all of its bits").once_per(&RECORD);
    RECORD_ID = bytes("dtls.record.connection_id", "connection ID", "Chosen by the receiver of the record").once_per(&RECORD);
    ID_LENGTH = number("dtls.connection_id_length", "connection ID length", "In bytes");
    ID = bytes("dtls.connection_id", "connection ID", "Which the other side sends in its records");
    ACKS_LENGTH = number("dtls.ack.record_numbers_length", "record numbers length", "In bytes");
    ACK_NUMBER = group("dtls.ack.record_numbers", "record number", "Record that was received");
    ACK_EPOCH = number("dtls.ack.record_numbers.epoch", "epoch", "");
    ACK_SEQUENCE = number("dtls.ack.record_numbers.sequence_number", "sequence number", "");
    PADDING = bytes("dtls.padding", "padding", "Zero bytes of DTLSInnerPlaintext");
    APP_DATA = bytes("dtls.app_data", "application data", "Encrypted application data").encrypted();
    ENCRYPTED = bytes("dtls.enc_content", "encrypted record content", "Encrypted handshake message or alert, or content of DTLS 1.3").encrypted();
    CHANGE_CIPHER_SPEC = bytes("dtls.change_cipher_spec", "change cipher spec", "Following records of this side are encrypted").valueless();
    DECRYPTED = bytes("dtls.decrypted", "decrypted data", "Decrypted application data");
    DATA = bytes("dtls.data", "data", "Undissected bytes").twin(&tls::DATA);

    HANDSHAKE = group("dtls.handshake", "handshake", "Handshake message or fragment of one").collapsed(handshake::message_value, handshake::message_meaning);
    HANDSHAKE_TYPE = number("dtls.handshake.type", "handshake type", "").names(handshake::TYPES).once_per(&HANDSHAKE).twin(&tls::HANDSHAKE_TYPE);
    HANDSHAKE_LENGTH = number("dtls.handshake.length", "length", "Bytes of the whole message").once_per(&HANDSHAKE).twin(&tls::HANDSHAKE_LENGTH);
    MESSAGE_NUMBER = number("dtls.handshake.message_seq", "message sequence", "Counts messages of the side").once_per(&HANDSHAKE);
    FRAGMENT_OFFSET = number("dtls.handshake.fragment_offset", "fragment offset", "In bytes").once_per(&HANDSHAKE);
    FRAGMENT_LENGTH = number("dtls.handshake.fragment_length", "fragment length", "In bytes").once_per(&HANDSHAKE);
    FRAGMENT = bytes("dtls.handshake.fragment", "fragment", "Part of a handshake message").once_per(&HANDSHAKE);
    FRAGMENT_FRAME = number("dtls.fragment", "fragment frame", "Frame with a fragment of the reassembled message").once_per(&HANDSHAKE);
    FRAGMENT_COUNT = number("dtls.fragment.count", "fragment count", "Of the reassembled message").once_per(&HANDSHAKE);
    REASSEMBLED_LENGTH = number("dtls.reassembled.length", "reassembled length", "In bytes").once_per(&HANDSHAKE);
    COOKIE_LENGTH = number("dtls.handshake.cookie_length", "cookie length", "In bytes");
    COOKIE = bytes("dtls.handshake.cookie", "cookie", "Returned by the client to prove its address");
    SRTP_LENGTH = number("dtls.use_srtp.protection_profiles_length", "SRTP protection profiles length", "In bytes");
    SRTP_PROFILE = number("dtls.use_srtp.protection_profile", "SRTP protection profile", "").hex(4).names(PROFILES);
    MKI_LENGTH = number("dtls.use_srtp.mki_length", "MKI length", "In bytes");
    MKI = bytes("dtls.use_srtp.mki", "MKI", "Master key identifier of SRTP");
    SUITES = bool("dtls.handshake.ciphersuites", "cipher suites", "True if a list of cipher suites is present").generated(&[&SUITES_LENGTH], is_there);
    RANDOM_TIME = text("dtls.handshake.random_time", "GMT Unix time", "gmt_unix_time: the first four bytes of the random").generated(&[&RANDOM], tls::random_time)
        .needs(&[&HANDSHAKE_TYPE, &SUPPORTED_VERSION]);
    RANDOM_BYTES = bytes("dtls.handshake.random_bytes", "random bytes", "The random behind its first four bytes").generated(&[&RANDOM], tls::random_bytes)
        .needs(&[&HANDSHAKE_TYPE, &SUPPORTED_VERSION]);
    ALERT_LEVEL = number("dtls.alert_message.level", "alert level", "").names(LEVELS).twin(&tls::ALERT_LEVEL);
    ALERT = number("dtls.alert_message.desc", "alert description", "").names(names::ALERTS).twin(&tls::ALERT);
    ALERT_MESSAGE = bool("dtls.alert_message", "alert message", "True in records with an alert").generated(&[&ALERT_LEVEL], is_there);
    HEARTBEAT_TYPE = number("dtls.heartbeat_message.type", "heartbeat type", "").names(&[(1, "request"), (2, "response")]).twin(&tls::HEARTBEAT_TYPE);
    HEARTBEAT_LENGTH = number("dtls.heartbeat_message.payload_length", "payload length", "As declared, in bytes").twin(&tls::HEARTBEAT_LENGTH);
    HEARTBEAT_PAYLOAD = bytes("dtls.heartbeat_message.payload", "payload", "Payload to be echoed, and padding").twin(&tls::HEARTBEAT_PAYLOAD);
    VERSION = number("dtls.handshake.version", "version", "legacy_version; 0x0303 in TLS 1.3").hex(4).names(VERSIONS).twin(&tls::VERSION);
    RANDOM = bytes("dtls.handshake.random", "random", "").twin(&tls::RANDOM);
    SESSION_ID_LENGTH = number("dtls.handshake.session_id_length", "session id length", "In bytes").twin(&tls::SESSION_ID_LENGTH);
    SESSION_ID = bytes("dtls.handshake.session_id", "session id", "legacy_session_id in TLS 1.3").twin(&tls::SESSION_ID);
    SUITES_LENGTH = number("dtls.handshake.cipher_suites_length", "cipher suites length", "In bytes").twin(&tls::SUITES_LENGTH);
    SUITE = number("dtls.handshake.ciphersuite", "cipher suite", "Offered by the client or selected by the server").hex(4).names(suites::SUITES).twin(&tls::SUITE);
    COMPRESSIONS_LENGTH = number("dtls.handshake.comp_methods_length", "compression methods length", "In bytes").twin(&tls::COMPRESSIONS_LENGTH);
    COMPRESSION = number("dtls.handshake.comp_method", "compression method", "").names(&[(0, "null"), (1, "deflate")]).twin(&tls::COMPRESSION);
    EXTENSIONS_LENGTH = number("dtls.handshake.extensions_length", "extensions length", "In bytes").twin(&tls::EXTENSIONS_LENGTH);
    EXTENSION = group("dtls.handshake.extension", "extension", "").collapsed(hello::extension_value, hello::extension_meaning).named(hello::extension_value, hello::extension_meaning, title::nothing).twin(&tls::EXTENSION);
    EXTENSION_TYPE = number("dtls.handshake.extension.type", "extension type", "").names(names::EXTENSIONS).once_per(&EXTENSION).twin(&tls::EXTENSION_TYPE);
    EXTENSION_LENGTH = number("dtls.handshake.extension.len", "length", "In bytes").once_per(&EXTENSION).twin(&tls::EXTENSION_LENGTH);
    EXTENSION_DATA = bytes("dtls.handshake.extension.data", "data", "Data of an extension without fields of its own").twin(&tls::EXTENSION_DATA);
    HEARTBEAT_MODE = number("dtls.handshake.extension.heartbeat.mode", "mode", "Whether the peer may send heartbeat requests").names(names::HEARTBEAT_MODES).twin(&tls::HEARTBEAT_MODE);
    EXTENSION_COOKIE_LENGTH = number("dtls.handshake.extensions.cookie_len", "cookie length", "In bytes").twin(&tls::EXTENSION_COOKIE_LENGTH);
    EXTENSION_COOKIE = bytes("dtls.handshake.extensions.cookie", "cookie", "Returned by the client in its second ClientHello").twin(&tls::EXTENSION_COOKIE);
    SNI_LIST_LENGTH = number("dtls.handshake.extensions_server_name_list_len", "server name list length", "In bytes").twin(&tls::SNI_LIST_LENGTH);
    SNI_TYPE = number("dtls.handshake.extensions_server_name_type", "server name type", "").names(&[(0, "host_name")]).twin(&tls::SNI_TYPE);
    SNI_LENGTH = number("dtls.handshake.extensions_server_name_len", "server name length", "In bytes").twin(&tls::SNI_LENGTH);
    SNI = text("dtls.handshake.extensions_server_name", "server name", "SNI: host name requested by the client").twin(&tls::SNI);
    ALPN_LENGTH = number("dtls.handshake.extensions_alpn_len", "ALPN extension length", "In bytes").twin(&tls::ALPN_LENGTH);
    ALPN_STR_LENGTH = number("dtls.handshake.extensions_alpn_str_len", "ALPN string length", "In bytes").twin(&tls::ALPN_STR_LENGTH);
    ALPN = text("dtls.handshake.extensions_alpn_str", "ALPN next protocol", "Application protocol offered or selected").twin(&tls::ALPN);
    GROUPS_LENGTH = number("dtls.handshake.extensions_supported_groups_length", "supported groups list length", "In bytes").twin(&tls::GROUPS_LENGTH);
    GROUP = number("dtls.handshake.extensions_supported_group", "supported group", "Named group for the key exchange").hex(4).names(names::GROUPS).twin(&tls::GROUP);
    FORMATS_LENGTH = number("dtls.handshake.extensions_ec_point_formats_length", "EC point formats length", "In bytes").twin(&tls::FORMATS_LENGTH);
    FORMAT = number("dtls.handshake.extensions_ec_point_format", "EC point format", "").names(&[(0, "uncompressed"), (1, "ansiX962_compressed_prime"), (2, "ansiX962_compressed_char2")]).twin(&tls::FORMAT);
    SIGNATURES_LENGTH = number("dtls.handshake.sig_hash_alg_len", "signature algorithms length", "In bytes").twin(&tls::SIGNATURES_LENGTH);
    SIGNATURE = number("dtls.handshake.sig_hash_alg", "signature algorithm", "SignatureScheme").hex(4).names(names::SIGNATURES).twin(&tls::SIGNATURE);
    VERSIONS_LENGTH = number("dtls.handshake.extensions.supported_versions_len", "supported versions length", "In bytes").twin(&tls::VERSIONS_LENGTH);
    SUPPORTED_VERSION = number("dtls.handshake.extensions.supported_version", "supported version", "Offered by the client or selected by the server").hex(4).names(VERSIONS).twin(&tls::SUPPORTED_VERSION);
    KEY_SHARE_LENGTH = number("dtls.handshake.extensions_key_share_client_length", "client key share length", "In bytes").twin(&tls::KEY_SHARE_LENGTH);
    KEY_SHARE_GROUP = number("dtls.handshake.extensions_key_share_group", "key share group", "Named group of the key share").names(names::GROUPS).twin(&tls::KEY_SHARE_GROUP);
    KEY_SHARE_KEY_LENGTH = number("dtls.handshake.extensions_key_share_key_exchange_length", "key exchange length", "In bytes").twin(&tls::KEY_SHARE_KEY_LENGTH);
    KEY_SHARE_KEY = bytes("dtls.handshake.extensions_key_share_key_exchange", "key exchange", "Public value of the key exchange").twin(&tls::KEY_SHARE_KEY);
    KEY_SHARE_SELECTED = number("dtls.handshake.extensions_key_share_selected_group", "selected group", "Named group requested by HelloRetryRequest").names(names::GROUPS).twin(&tls::KEY_SHARE_SELECTED);
    JA3 = text("dtls.handshake.ja3", "JA3", "MD5 of the JA3 string of the ClientHello").twin(&tls::JA3);
    JA3_FULL = text("dtls.handshake.ja3_full", "JA3 full string", "Input of the JA3 hash").twin(&tls::JA3_FULL);
    JA3S = text("dtls.handshake.ja3s", "JA3S", "MD5 of the JA3S string of the ServerHello").twin(&tls::JA3S);
    JA3S_FULL = text("dtls.handshake.ja3s_full", "JA3S full string", "Input of the JA3S hash").twin(&tls::JA3S_FULL);
    JA4 = text("dtls.handshake.ja4", "JA4", "Fingerprint of the ClientHello, independent of the order of its extensions").twin(&tls::JA4);
    JA4_R = text("dtls.handshake.ja4_r", "JA4 raw", "JA4 with its lists in place of their hashes").twin(&tls::JA4_R);
    CERTIFICATES_LENGTH = number("dtls.handshake.certificates_length", "certificates length", "In bytes").twin(&tls::CERTIFICATES_LENGTH);
    CERTIFICATE_LENGTH = number("dtls.handshake.certificate_length", "certificate length", "In bytes").twin(&tls::CERTIFICATE_LENGTH);
    CERTIFICATE = bytes("dtls.handshake.certificate", "certificate", "X.509 certificate in DER").twin(&tls::CERTIFICATE);
    CURVE_TYPE = number("dtls.handshake.server_curve_type", "curve type", "").hex(2).names(&[(3, "named_curve")]).twin(&tls::CURVE_TYPE);
    NAMED_CURVE = number("dtls.handshake.server_named_curve", "named curve", "").hex(4).names(names::GROUPS).twin(&tls::NAMED_CURVE);
    SERVER_POINT_LENGTH = number("dtls.handshake.server_point_len", "public key length", "In bytes").twin(&tls::SERVER_POINT_LENGTH);
    SERVER_POINT = bytes("dtls.handshake.server_point", "public key", "Ephemeral ECDH public key of the server").twin(&tls::SERVER_POINT);
    PARAMETERS = bytes("dtls.handshake.parameters", "key exchange parameters", "Body of a key exchange message without fields of its own").twin(&tls::PARAMETERS);
    CERTIFICATE_TYPES_COUNT = number("dtls.handshake.cert_types_count", "certificate types count", "").twin(&tls::CERTIFICATE_TYPES_COUNT);
    CERTIFICATE_TYPE = number("dtls.handshake.cert_type", "certificate type", "Certificate type accepted from the client").names(names::CERTIFICATE_TYPES).twin(&tls::CERTIFICATE_TYPE);
    DNAMES_LENGTH = number("dtls.handshake.dnames_len", "distinguished names length", "In bytes").twin(&tls::DNAMES_LENGTH);
    DNAME_LENGTH = number("dtls.handshake.dname_len", "distinguished name length", "In bytes").twin(&tls::DNAME_LENGTH);
    DNAME = text("dtls.handshake.dname", "distinguished name", "Certificate authority accepted by the server").valueless().twin(&tls::DNAME);
    CONTEXT_LENGTH = number("dtls.handshake.certificate_request_context_length", "certificate request context length", "In bytes").twin(&tls::CONTEXT_LENGTH);
    CONTEXT = bytes("dtls.handshake.certificate_request_context", "certificate request context", "Associates a Certificate message with its CertificateRequest").twin(&tls::CONTEXT);
    SIGNED_LENGTH = number("dtls.handshake.sig_len", "signature length", "In bytes").twin(&tls::SIGNED_LENGTH);
    SIGNED = bytes("dtls.handshake.sig", "signature", "Of the key exchange parameters, in ServerKeyExchange").twin(&tls::SIGNED);
    DH_P_LENGTH = number("dtls.handshake.p_len", "p length", "In bytes").twin(&tls::DH_P_LENGTH);
    DH_P = bytes("dtls.handshake.p", "p", "Diffie-Hellman prime").twin(&tls::DH_P);
    DH_G_LENGTH = number("dtls.handshake.g_len", "g length", "In bytes").twin(&tls::DH_G_LENGTH);
    DH_G = bytes("dtls.handshake.g", "g", "Diffie-Hellman generator").twin(&tls::DH_G);
    DH_YS_LENGTH = number("dtls.handshake.ys_len", "public key length", "In bytes").twin(&tls::DH_YS_LENGTH);
    DH_YS = bytes("dtls.handshake.ys", "public key", "Diffie-Hellman public key of the server").twin(&tls::DH_YS);
    DH_YC_LENGTH = number("dtls.handshake.yc_len", "public key length", "In bytes").twin(&tls::DH_YC_LENGTH);
    DH_YC = bytes("dtls.handshake.yc", "public key", "Diffie-Hellman public key of the client").twin(&tls::DH_YC);
    POINT_LENGTH = number("dtls.handshake.client_point_len", "public key length", "In bytes").twin(&tls::POINT_LENGTH);
    POINT = bytes("dtls.handshake.client_point", "public key", "Ephemeral ECDH public key of the client").twin(&tls::POINT);
    PREMASTER_LENGTH = number("dtls.handshake.epms_len", "encrypted premaster length", "In bytes").twin(&tls::PREMASTER_LENGTH);
    PREMASTER = bytes("dtls.handshake.epms", "encrypted premaster", "Premaster secret, encrypted with the RSA key of the server").twin(&tls::PREMASTER);
    VERIFIED_LENGTH = number("dtls.handshake.client_cert_vrfy.sig_len", "signature length", "In bytes").twin(&tls::VERIFIED_LENGTH);
    VERIFIED = bytes("dtls.handshake.client_cert_vrfy.sig", "signature", "Proof of possession of the private key, in CertificateVerify").twin(&tls::VERIFIED);
    RENEGOTIATION_LENGTH = number("dtls.handshake.extensions_reneg_info_len", "renegotiation info length", "In bytes").twin(&tls::RENEGOTIATION_LENGTH);
    RENEGOTIATION = bytes("dtls.handshake.extensions_reneg_info", "renegotiation info", "Verify data of the connection that is renegotiated").twin(&tls::RENEGOTIATION);
    COMPRESSIONS = bool("dtls.handshake.comp_methods", "compression methods", "True if a list of compression methods is present").generated(&[&COMPRESSIONS_LENGTH], is_there);
    CERTIFICATES = bool("dtls.handshake.certificates", "certificates", "True if a list of certificates is present").generated(&[&CERTIFICATES_LENGTH], is_there);
    CERTIFICATE_TYPES = bool("dtls.handshake.cert_types", "certificate types", "True if a list of certificate types is present").generated(&[&CERTIFICATE_TYPES_COUNT], is_there);
    FORMATS = bool("dtls.handshake.extensions_ec_point_formats", "EC point formats", "True if a list of EC point formats is present").generated(&[&FORMATS_LENGTH], is_there);
    GROUPS = bool("dtls.handshake.extensions_supported_groups", "supported groups list", "True if a list of supported groups is present").generated(&[&GROUPS_LENGTH], is_there);
    VERIFY_DATA = bytes("dtls.handshake.verify_data", "verify data", "MAC over the handshake in Finished").valueless().twin(&tls::VERIFY_DATA);
    KEY_UPDATE = number("dtls.handshake.key_update.request_update", "request update", "Whether the receiver is to update its keys as well").names(&[(0, "not requested"), (1, "requested")]).twin(&tls::KEY_UPDATE);
    TICKET_AGE_ADD = number("dtls.handshake.session_ticket_age_add", "ticket_age_add", "Added to the age of the ticket to obscure it").hex(8).twin(&tls::TICKET_AGE_ADD);
    TICKET_NONCE_LENGTH = number("dtls.handshake.session_ticket_nonce_length", "ticket nonce length", "In bytes").twin(&tls::TICKET_NONCE_LENGTH);
    TICKET_NONCE = bytes("dtls.handshake.session_ticket_nonce", "ticket nonce", "Unique among the tickets of a connection").twin(&tls::TICKET_NONCE);
    TICKET_LIFETIME = number("dtls.handshake.session_ticket_lifetime_hint", "ticket lifetime hint", "In seconds").twin(&tls::TICKET_LIFETIME);
    TICKET_LENGTH = number("dtls.handshake.session_ticket_length", "session ticket length", "In bytes").twin(&tls::TICKET_LENGTH);
    TICKET = bytes("dtls.handshake.session_ticket", "session ticket", "Resumes the session").twin(&tls::TICKET);

    TOO_LONG = broken("dtls.too_long", "message too long", "Handshake message longer than the reassembly limit");
    NO_TYPE = broken("dtls.no_type", "no content type", "Decrypted DTLS 1.3 record without a content type");
    RECORD_TOO_LONG = odd("dtls.record.length.invalid", "record too long", "Record length above the maximum of RFC 6347");
    OUTSIDE = broken("dtls.handshake.fragment.outside", "fragment outside its message", "Offset and length of a fragment exceed the length of its message");
    FULL = odd("dtls.handshake.fragment.evicted", "fragments evicted", "Fragments were evicted or not kept because a limit was reached");
    NOT_OPENED = odd("dtls.not_opened", "not decrypted", "Record that the configured secret does not decrypt");
}

const TYPES: Names = &[
    (20, "change_cipher_spec"),
    (21, "alert"),
    (22, "handshake"),
    (23, "application_data"),
    (24, "heartbeat"),
    (25, "tls12_cid"),
    (26, "ack"),
];

/// Protection profiles of SRTP (RFC 5764, RFC 7714, RFC 8723).
const PROFILES: Names = &[
    (0x0001, "SRTP_AES128_CM_HMAC_SHA1_80"),
    (0x0002, "SRTP_AES128_CM_HMAC_SHA1_32"),
    (0x0005, "SRTP_NULL_HMAC_SHA1_80"),
    (0x0006, "SRTP_NULL_HMAC_SHA1_32"),
    (0x0007, "SRTP_AEAD_AES_128_GCM"),
    (0x0008, "SRTP_AEAD_AES_256_GCM"),
];
