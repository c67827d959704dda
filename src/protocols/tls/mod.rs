//! TLS 1.0 to 1.3 (RFC 5246, RFC 8446): plaintext messages, and encrypted ones if their secrets are known.
//!
//! ```text
//! record        type:1 | version:2 | length:2 | payload:length
//!   20 change_cipher_spec   1
//!   21 alert                level:1 | description:1
//!   22 handshake            message, message …; the last one may continue in the next record
//!   23 application_data     encrypted
//!   24 heartbeat            type:1 | length:2 | payload | padding
//!
//! message       type:1 | length:3 | body:length
//! ```
//! Each record is a message; up to 512 available records of application data form one. In TLS 1.3 all records after the hellos
//! have the outer type application data, which the opaque type field holds, as in Wireshark.
//!
//! A key log, in a pcapng capture or from `-o tls.keylog_file`, decrypts records. The decrypted application data
//! forms an inner stream.
//!
//! Not covered: decryption of SSL 3.0, early data, and ciphers other than AES-GCM, AES-CBC and ChaCha20; SSL 2.0 after the
//! ClientHello; certificates other than X.509; extensions beyond names, versions, groups, signatures, keys, protocols and
//! transport parameters of QUIC.

mod certificate;
pub(super) mod decryption;
pub(super) mod fingerprint;
pub(super) mod handshake;
pub(super) mod hello;
mod heuristics;
mod key_exchange;
pub(super) mod keys;
pub(super) mod names;
mod quic;
pub(super) mod records;
pub(super) mod shown_version;
mod ssl2;
pub(super) mod suites;
pub(super) mod summary;
#[cfg(test)]
mod tests;

use super::dtls;
use crate::tree::{Computed, Field, Kind, Names, NodeRef, Secrets, Side, fields, is_there, title};
use crate::wire::{
    self, ContentSource, Conversation, Exchange, FollowedContent, Found, Heuristic, InvalidValue, On, Protocol, Setting,
    Settings, ValueKind, Wire,
};
pub use certificate::{X509AF, X509CE, X509IF, X509SAT};
use std::borrow::Cow;

/// TLS on a registered port, where the first record has a wrong field.
const fn on_port_if_odd(port: u16) -> Found {
    On::Tcp(port)
        .stream_with(Heuristic::Stream(heuristics::is_odd), |_: &Settings| Box::new(records::Session::of_odd()))
        .by_port()
}

/// Name of records that messages of another protocol carry, each handed over by itself and in order.
pub(super) const IN_MESSAGES: &str = "tls.record";

/// Decrypted records.
pub static CONTENT: FollowedContent = FollowedContent {
    name: "tls",
    what: "TLS",
    source: ContentSource::Deciphered {
        hint: "TLS cannot be decrypted; set the key log of the client with -o tls.keylog_file=FILE",
    },
};

pub static PROTOCOL: Protocol = Protocol::new(&TLS, FIELDS)
    .found(&[
        On::Tcp(443).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(636).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(853).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(993).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(995).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(8443).stream::<records::Session>(Heuristic::Stream(heuristics::on_port)),
        On::AnyTcp.stream::<records::Session>(Heuristic::Stream(heuristics::anywhere)).also_later(heuristics::begins_in_clear),
        on_port_if_odd(443),
        on_port_if_odd(636),
        on_port_if_odd(853),
        on_port_if_odd(993),
        on_port_if_odd(995),
        on_port_if_odd(8443),
        On::Over(IN_MESSAGES).exchange::<InMessages>(Heuristic::Datagram(records::is_record)),
    ])
    .rest(&DATA)
    .tables(|| quic::FIELDS.to_vec())
    .settings(&[Setting {
        name: "tls.keylog_file",
        about: "File of secrets that browsers write with SSLKEYLOGFILE",
        takes: ValueKind::Secrets(key_log),
    }]);

fields! {
    TLS = protocol("tls", "TLS", "Transport Layer Security")
        .covers("Hellos, certificates and alerts; JA3 and JA4; with a key log also encrypted records, and the application protocols in them")
        .leaves_open("Decryption without a key log or of SSL 3.0, SSL 2.0 after the ClientHello, and extensions beyond names, versions, groups, signatures, keys, protocols and parameters of QUIC");
    RECORD = group("tls.record", "record", "TLS record").collapsed(records::record_value, records::record_meaning);
    CONTENT_TYPE = number("tls.record.content_type", "content type", "").names(TYPES).once_per(&RECORD);
    OPAQUE_TYPE = number("tls.record.opaque_type", "opaque type", "Outer content type of an encrypted TLS 1.3 record: application data").names(TYPES).once_per(&RECORD);
    RECORD_VERSION = number("tls.record.version", "version", "Legacy record version").hex(4).names(VERSIONS).once_per(&RECORD);
    RECORD_LENGTH = number("tls.record.length", "length", "In bytes").once_per(&RECORD);
    APP_DATA = bytes("tls.app_data", "application data", "Encrypted application data").encrypted();
    ENCRYPTED = bytes("tls.encrypted", "encrypted message", "Encrypted handshake message or alert").encrypted();
    CHANGE_CIPHER_SPEC = bytes("tls.change_cipher_spec", "change cipher spec", "Following records of this side are encrypted").valueless();
    ALERT_LEVEL = number("tls.alert_message.level", "alert level", "").names(LEVELS);
    ALERT = number("tls.alert_message.desc", "alert description", "").names(names::ALERTS);
    ALERT_MESSAGE = bool("tls.alert_message", "alert message", "True in records with an alert").generated(&[&ALERT_LEVEL, &ENCRYPTED], alert)
        .needs(&[&CONTENT_TYPE]);
    ENCRYPTED_HANDSHAKE = bytes("tls.handshake.encrypted", "encrypted handshake message", "Handshake message that was not decrypted")
        .also("tls.handshake")
        .generated(&[&ENCRYPTED], encrypted_handshake)
        .needs(&[&CONTENT_TYPE]);
    HEARTBEAT_TYPE = number("tls.heartbeat_message.type", "heartbeat type", "").names(&[(1, "request"), (2, "response")]);
    HEARTBEAT_LENGTH = number("tls.heartbeat_message.payload_length", "payload length", "As declared, in bytes");
    HEARTBEAT_PAYLOAD = bytes("tls.heartbeat_message.payload", "payload", "Payload to be echoed, and padding");
    DECRYPTED = bytes("tls.decrypted", "decrypted data", "Decrypted application data");
    MAC = bytes("tls.mac", "MAC", "Authenticator of a record that is not encrypted");
    PADDING = bytes("tls.padding", "padding", "Zero bytes of TLSInnerPlaintext, RFC 8446 section 5.4");
    SEGMENT = bytes("tls.segment.data", "handshake fragment", "Part of a handshake message that spans records");
    DATA = bytes("tls.data", "data", "Undissected bytes");

    HANDSHAKE = group("tls.handshake", "handshake", "Handshake message").collapsed(handshake::message_value, handshake::message_meaning);
    HANDSHAKE_TYPE = number("tls.handshake.type", "handshake type", "").names(handshake::TYPES);
    HANDSHAKE_LENGTH = number("tls.handshake.length", "length", "In bytes");
    VERSION = number("tls.handshake.version", "version", "legacy_version; 0x0303 in TLS 1.3").hex(4).names(VERSIONS);
    RANDOM = bytes("tls.handshake.random", "random", "");
    SESSION_ID_LENGTH = number("tls.handshake.session_id_length", "session id length", "In bytes");
    SESSION_ID = bytes("tls.handshake.session_id", "session id", "legacy_session_id in TLS 1.3");
    CIPHER_SPECS_LENGTH = number("tls.handshake.cipher_spec_len", "cipher specs length", "In bytes");
    CIPHER_SPEC = number("tls.handshake.cipherspec", "cipher spec", "SSL 2.0 cipher kind").hex(6).names(ssl2::SPECS);
    CHALLENGE_LENGTH = number("tls.handshake.challenge_length", "challenge length", "In bytes");
    CHALLENGE = bytes("tls.handshake.challenge", "challenge", "SSL 2.0 challenge");
    SUITES_LENGTH = number("tls.handshake.cipher_suites_length", "cipher suites length", "In bytes");
    SUITES = bool("tls.handshake.ciphersuites", "cipher suites", "True if a list of cipher suites is present").generated(&[&SUITES_LENGTH], is_there);
    RANDOM_TIME = text("tls.handshake.random_time", "GMT Unix time", "gmt_unix_time: the first four bytes of the random").generated(&[&RANDOM], random_time)
        .needs(&[&HANDSHAKE_TYPE, &SUPPORTED_VERSION]);
    RANDOM_BYTES = bytes("tls.handshake.random_bytes", "random bytes", "The random behind its first four bytes").generated(&[&RANDOM], random_bytes)
        .needs(&[&HANDSHAKE_TYPE, &SUPPORTED_VERSION]);
    SUITE = number("tls.handshake.ciphersuite", "cipher suite", "Offered by the client or selected by the server").hex(4).names(suites::SUITES);
    COMPRESSIONS_LENGTH = number("tls.handshake.comp_methods_length", "compression methods length", "In bytes");
    COMPRESSION = number("tls.handshake.comp_method", "compression method", "").names(&[(0, "null"), (1, "deflate")]);
    EXTENSIONS_LENGTH = number("tls.handshake.extensions_length", "extensions length", "In bytes");
    EXTENSION = group("tls.handshake.extension", "extension", "").collapsed(hello::extension_value, hello::extension_meaning).named(hello::extension_value, hello::extension_meaning, title::nothing);
    EXTENSION_TYPE = number("tls.handshake.extension.type", "extension type", "").names(names::EXTENSIONS).once_per(&EXTENSION);
    EXTENSION_LENGTH = number("tls.handshake.extension.len", "length", "In bytes").once_per(&EXTENSION);
    EXTENSION_DATA = bytes("tls.handshake.extension.data", "data", "Data of an extension without fields of its own");
    HEARTBEAT_MODE = number("tls.handshake.extension.heartbeat.mode", "mode", "Whether the peer may send heartbeat requests").names(names::HEARTBEAT_MODES);
    EXTENSION_COOKIE_LENGTH = number("tls.handshake.extensions.cookie_len", "cookie length", "In bytes");
    EXTENSION_COOKIE = bytes("tls.handshake.extensions.cookie", "cookie", "Returned by the client in its second ClientHello");
    SNI_LIST_LENGTH = number("tls.handshake.extensions_server_name_list_len", "server name list length", "In bytes");
    SNI_TYPE = number("tls.handshake.extensions_server_name_type", "server name type", "").names(&[(0, "host_name")]);
    SNI_LENGTH = number("tls.handshake.extensions_server_name_len", "server name length", "In bytes");
    SNI = text("tls.handshake.extensions_server_name", "server name", "SNI: host name requested by the client");
    ALPN_LENGTH = number("tls.handshake.extensions_alpn_len", "ALPN extension length", "In bytes");
    ALPN_STR_LENGTH = number("tls.handshake.extensions_alpn_str_len", "ALPN string length", "In bytes");
    ALPN = text("tls.handshake.extensions_alpn_str", "ALPN next protocol", "Application protocol offered or selected");
    GROUPS_LENGTH = number("tls.handshake.extensions_supported_groups_length", "supported groups list length", "In bytes");
    GROUP = number("tls.handshake.extensions_supported_group", "supported group", "Named group for the key exchange").hex(4).names(names::GROUPS);
    FORMATS_LENGTH = number("tls.handshake.extensions_ec_point_formats_length", "EC point formats length", "In bytes");
    FORMAT = number("tls.handshake.extensions_ec_point_format", "EC point format", "").names(&[(0, "uncompressed"), (1, "ansiX962_compressed_prime"), (2, "ansiX962_compressed_char2")]);
    SIGNATURES_LENGTH = number("tls.handshake.sig_hash_alg_len", "signature algorithms length", "In bytes");
    SIGNATURE = number("tls.handshake.sig_hash_alg", "signature algorithm", "SignatureScheme").hex(4).names(names::SIGNATURES);
    VERSIONS_LENGTH = number("tls.handshake.extensions.supported_versions_len", "supported versions length", "In bytes");
    SUPPORTED_VERSION = number("tls.handshake.extensions.supported_version", "supported version", "Offered by the client or selected by the server").hex(4).names(VERSIONS);
    KEY_SHARE_LENGTH = number("tls.handshake.extensions_key_share_client_length", "client key share length", "In bytes");
    KEY_SHARE_GROUP = number("tls.handshake.extensions_key_share_group", "key share group", "Named group of the key share").names(names::GROUPS);
    KEY_SHARE_KEY_LENGTH = number("tls.handshake.extensions_key_share_key_exchange_length", "key exchange length", "In bytes");
    KEY_SHARE_KEY = bytes("tls.handshake.extensions_key_share_key_exchange", "key exchange", "Public value of the key exchange");
    KEY_SHARE_SELECTED = number("tls.handshake.extensions_key_share_selected_group", "selected group", "Named group requested by HelloRetryRequest").names(names::GROUPS);
    JA3 = text("tls.handshake.ja3", "JA3", "MD5 of the JA3 string of the ClientHello");
    JA3_FULL = text("tls.handshake.ja3_full", "JA3 full string", "Input of the JA3 hash");
    JA3S = text("tls.handshake.ja3s", "JA3S", "MD5 of the JA3S string of the ServerHello");
    JA3S_FULL = text("tls.handshake.ja3s_full", "JA3S full string", "Input of the JA3S hash");
    JA4 = text("tls.handshake.ja4", "JA4", "Fingerprint of the ClientHello, independent of the order of its extensions");
    JA4_R = text("tls.handshake.ja4_r", "JA4 raw", "JA4 with its lists in place of their hashes");
    CERTIFICATES_LENGTH = number("tls.handshake.certificates_length", "certificates length", "In bytes");
    CERTIFICATE_LENGTH = number("tls.handshake.certificate_length", "certificate length", "In bytes");
    CERTIFICATE = bytes("tls.handshake.certificate", "certificate", "X.509 certificate in DER");
    CURVE_TYPE = number("tls.handshake.server_curve_type", "curve type", "").hex(2).names(&[(3, "named_curve")]);
    NAMED_CURVE = number("tls.handshake.server_named_curve", "named curve", "").hex(4).names(names::GROUPS);
    SERVER_POINT_LENGTH = number("tls.handshake.server_point_len", "public key length", "In bytes");
    SERVER_POINT = bytes("tls.handshake.server_point", "public key", "Ephemeral ECDH public key of the server");
    PARAMETERS = bytes("tls.handshake.parameters", "key exchange parameters", "Body of a key exchange message without fields of its own");
    CERTIFICATE_TYPES_COUNT = number("tls.handshake.cert_types_count", "certificate types count", "");
    CERTIFICATE_TYPE = number("tls.handshake.cert_type", "certificate type", "Certificate type accepted from the client")
        .names(names::CERTIFICATE_TYPES);
    DNAMES_LENGTH = number("tls.handshake.dnames_len", "distinguished names length", "In bytes");
    DNAME_LENGTH = number("tls.handshake.dname_len", "distinguished name length", "In bytes");
    DNAME = text("tls.handshake.dname", "distinguished name", "Certificate authority accepted by the server").valueless();
    CONTEXT_LENGTH = number("tls.handshake.certificate_request_context_length", "certificate request context length", "In bytes");
    CONTEXT = bytes("tls.handshake.certificate_request_context", "certificate request context", "Associates a Certificate message with its CertificateRequest");
    SIGNED_LENGTH = number("tls.handshake.sig_len", "signature length", "In bytes");
    SIGNED = bytes("tls.handshake.sig", "signature", "Of the key exchange parameters, in ServerKeyExchange");
    DH_P_LENGTH = number("tls.handshake.p_len", "p length", "In bytes");
    DH_P = bytes("tls.handshake.p", "p", "Diffie-Hellman prime");
    DH_G_LENGTH = number("tls.handshake.g_len", "g length", "In bytes");
    DH_G = bytes("tls.handshake.g", "g", "Diffie-Hellman generator");
    DH_YS_LENGTH = number("tls.handshake.ys_len", "public key length", "In bytes");
    DH_YS = bytes("tls.handshake.ys", "public key", "Diffie-Hellman public key of the server");
    DH_YC_LENGTH = number("tls.handshake.yc_len", "public key length", "In bytes");
    DH_YC = bytes("tls.handshake.yc", "public key", "Diffie-Hellman public key of the client");
    POINT_LENGTH = number("tls.handshake.client_point_len", "public key length", "In bytes");
    POINT = bytes("tls.handshake.client_point", "public key", "Ephemeral ECDH public key of the client");
    PREMASTER_LENGTH = number("tls.handshake.epms_len", "encrypted premaster length", "In bytes");
    PREMASTER = bytes("tls.handshake.epms", "encrypted premaster", "Premaster secret, encrypted with the RSA key of the server");
    VERIFIED_LENGTH = number("tls.handshake.client_cert_vrfy.sig_len", "signature length", "In bytes");
    VERIFIED = bytes("tls.handshake.client_cert_vrfy.sig", "signature", "Proof of possession of the private key, in CertificateVerify");
    RENEGOTIATION_LENGTH = number("tls.handshake.extensions_reneg_info_len", "renegotiation info length", "In bytes");
    RENEGOTIATION = bytes("tls.handshake.extensions_reneg_info", "renegotiation info", "Verify data of the connection that is renegotiated");
    COMPRESSIONS = bool("tls.handshake.comp_methods", "compression methods", "True if a list of compression methods is present").generated(&[&COMPRESSIONS_LENGTH], is_there);
    CERTIFICATES = bool("tls.handshake.certificates", "certificates", "True if a list of certificates is present").generated(&[&CERTIFICATES_LENGTH], is_there);
    CERTIFICATE_TYPES = bool("tls.handshake.cert_types", "certificate types", "True if a list of certificate types is present").generated(&[&CERTIFICATE_TYPES_COUNT], is_there);
    FORMATS = bool("tls.handshake.extensions_ec_point_formats", "EC point formats", "True if a list of EC point formats is present").generated(&[&FORMATS_LENGTH], is_there);
    GROUPS = bool("tls.handshake.extensions_supported_groups", "supported groups list", "True if a list of supported groups is present").generated(&[&GROUPS_LENGTH], is_there);
    VERIFY_DATA = bytes("tls.handshake.verify_data", "verify data", "MAC over the handshake in Finished").valueless();
    KEY_UPDATE = number("tls.handshake.key_update.request_update", "request update", "Whether the receiver is to update its keys as well").names(&[(0, "not requested"), (1, "requested")]);
    TICKET_AGE_ADD = number("tls.handshake.session_ticket_age_add", "ticket_age_add", "Added to the age of the ticket to obscure it").hex(8);
    TICKET_NONCE_LENGTH = number("tls.handshake.session_ticket_nonce_length", "ticket nonce length", "In bytes");
    TICKET_NONCE = bytes("tls.handshake.session_ticket_nonce", "ticket nonce", "Unique among the tickets of a connection");
    TICKET_LIFETIME = number("tls.handshake.session_ticket_lifetime_hint", "ticket lifetime hint", "In seconds");
    TICKET_LENGTH = number("tls.handshake.session_ticket_length", "session ticket length", "In bytes");
    TICKET = bytes("tls.handshake.session_ticket", "session ticket", "Resumes the session");

    TOO_LONG = broken("tls.too_long", "message too long", "Handshake message longer than the reassembly limit");
    RECORD_TOO_LONG = odd("tls.record.length.invalid", "record too long", "Record length above the maximum of RFC 8446 section 5.1");
    NO_TYPE = broken("tls.no_type", "no content type", "Decrypted TLS 1.3 record without a content type");
    NOT_OPENED = odd("tls.not_opened", "not decrypted", "Record that the configured secret does not decrypt");
    RETRY = info("tls.hello_retry", "HelloRetryRequest", "The server requests another ClientHello with another key share");
}

pub(super) const CHANGE_CIPHER_SPEC_TYPE: u8 = 20;
pub(super) const ALERT_TYPE: u8 = 21;
pub(super) const HANDSHAKE_RECORD: u8 = 22;
pub(super) const APPLICATION_DATA: u8 = 23;
pub(super) const HEARTBEAT: u8 = 24;

pub(super) const TYPES: Names =
    &[(20, "change_cipher_spec"), (21, "alert"), (22, "handshake"), (23, "application_data"), (24, "heartbeat")];

pub(super) const LEVELS: Names = &[(1, "warning"), (2, "fatal")];

pub(super) const VERSIONS: Names = &[
    (0x0002, "SSL 2.0"),
    (0x0300, "SSL 3.0"),
    (0x0301, "TLS 1.0"),
    (0x0302, "TLS 1.1"),
    (0x0303, "TLS 1.2"),
    (0x0304, "TLS 1.3"),
    (0xfefc, "DTLS 1.3"),
    (0xfefd, "DTLS 1.2"),
    (0xfeff, "DTLS 1.0"),
];

const TLS_1_0: u16 = 0x0301;
const TLS_1_1: u16 = 0x0302;
const TLS_1_2: u16 = 0x0303;

/// Version that records and hellos encode as 1.2.
const TLS_1_3: u16 = 0x0304;

/// Size of a record header in bytes.
pub(super) const HEADER: usize = 5;

/// Largest payload of a record: 16 KiB and the expansion by encryption.
pub(super) const RECORD_MAX: usize = (16 << 10) + 2048;

/// Checks that a file contains secrets.
fn key_log(text: &str) -> Result<(), InvalidValue> {
    match Secrets::default().learn(text.as_bytes()) {
        0 if !text.trim().is_empty() => Err(InvalidValue {
            line: None,
            message: "expected lines such as CLIENT_RANDOM, 64 digits, and the secret in digits".into(),
        }),
        _ => Ok(()),
    }
}

/// A session whose records another protocol carries.
#[derive(Default)]
struct InMessages(records::Session);

impl Exchange for InMessages {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> wire::Result {
        self.0.message(from, wire)
    }

    fn memory_usage(&self) -> usize {
        self.0.memory_usage()
    }
}

/// Adds gmt_unix_time, the first four random bytes before TLS 1.3, as Wireshark shows it.
pub(super) fn random_time(random: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let Some(seconds) = random.bytes().first_chunk().map(|seconds| u32::from_be_bytes(*seconds)) else { return };
    if has_time(random)
        && let Ok(at) = jiff::Timestamp::from_second(seconds.into())
    {
        let at = at.to_zoned(jiff::tz::TimeZone::system());
        take(Computed::made(format!("{}.000000000 {}", at.strftime("%b %e, %Y %H:%M:%S"), at.strftime("%Z"))));
    }
}

/// Adds the random bytes after gmt_unix_time.
pub(super) fn random_bytes(random: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(behind) = random.bytes().get(4..).filter(|_| has_time(random)) {
        take(Computed::Bytes(Cow::Borrowed(behind)));
    }
}

/// Whether Wireshark shows gmt_unix_time in a random.
fn has_time(random: NodeRef<'_>) -> bool {
    const SERVER_HELLO: u64 = 2;
    let of = random.dissection();
    let layer = (0..random.place()).rev().filter_map(|place| of.node(place)).find(|node| node.field().kind == Kind::Protocol);
    // QUIC uses TLS 1.3 only, whose random has no time.
    if layer.is_none_or(|layer| ![&TLS, &dtls::DTLS].iter().any(|own| layer.field().is(own))) {
        return false;
    }
    let is_of = |field: &'static Field| move |node: &NodeRef<'_>| node.field().stands_for(field);
    let of_server = random.before().find(is_of(&HANDSHAKE_TYPE)).and_then(NodeRef::number) == Some(SERVER_HELLO);
    !(of_server && random.behind().any(|node| node.field().stands_for(&SUPPORTED_VERSION)))
}

/// Content type of the record that contains encrypted bytes.
fn record_type(encrypted: NodeRef<'_>) -> Option<u64> {
    encrypted.before().find(|node| node.field().is(&CONTENT_TYPE)).and_then(NodeRef::number)
}

fn alert(node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    // A decrypted alert is identified by its level.
    let mut same_record = node.behind().take_while(|behind| !behind.field().is(&CONTENT_TYPE));
    let mut is_opened = || same_record.any(|behind| behind.field().is(&ALERT_LEVEL));
    if node.field().is(&ALERT_LEVEL) || record_type(node) == Some(ALERT_TYPE.into()) && !is_opened() {
        take(Computed::Bool(true));
    }
}

fn encrypted_handshake(encrypted: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if record_type(encrypted) == Some(HANDSHAKE_RECORD.into()) {
        take(Computed::Bytes(Cow::Borrowed(encrypted.bytes())));
    }
}
