//! TLS 1.0 to 1.3, as RFC 5246 and RFC 8446 have it: what is said in the open, and what is sealed if somebody told the keys.
//!
//! ```text
//! record        type:1 | version:2 | length:2 | payload:length
//!   20 change_cipher_spec   1
//!   21 alert                level:1 | description:1
//!   22 handshake            message, message …; one may go on in the next record
//!   23 application_data     encrypted
//!   24 heartbeat            type:1 | length:2 | payload | padding
//!
//! message       type:1 | length:3 | body:length
//! ```
//! A record is a message; application data that is there at once is one, of up to 512 records. In TLS 1.3 everything behind the
//! hellos is application data to look at; its type is then called opaque, as in Wireshark.
//!
//! A key log, in a pcapng capture or of `-o tls.keylog_file`, opens records of TLS 1.2 and 1.3. What the application said in them is
//! a stream inside this one.
//!
//! Not covered: deciphering TLS 1.0 and 1.1, early data, and ciphers other than AES-GCM, AES-CBC and ChaCha20; SSL 2.0 behind the client hello; certificates other than X.509; what extensions beyond names, versions, groups,
//! signatures, keys and protocols say.

mod certificate;
pub(super) mod fingerprint;
pub(super) mod handshake;
mod hello;
pub(super) mod keys;
mod looks;
mod names;
mod records;
mod seal;
mod ssl2;
mod suites;
#[cfg(test)]
mod tests;

use crate::tree::{Computed, Field, Names, NodeRef, Secrets, fields, is_there};
use crate::wire::{Conversation, Looks, On, Protocol, Setting, Settings, Takes, Unfit};
pub use certificate::{X509AF, X509CE, X509IF, X509SAT};
use std::borrow::Cow;

/// TLS.
pub static PROTOCOL: Protocol = Protocol {
    this: &TLS,
    fields: FIELDS,
    found: &[
        On::Tcp(443).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(636).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(853).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(993).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(995).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(8443).stream(Looks::Stream(looks::on_port), open),
        On::AnyTcp.stream(Looks::Stream(looks::anywhere), open),
    ],
    rest: Some(&DATA),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[Setting {
        name: "tls.keylog_file",
        about: "File of secrets that browsers write with SSLKEYLOGFILE",
        takes: Takes::Secrets(key_log),
    }],
};

fields! {
    TLS = protocol("tls", "TLS", "Transport Layer Security")
        .covers("Hellos, certificates and alerts; JA3 and JA4; with a key log all that is sealed, and what applications say in it")
        .leaves_open("What is sealed without a key log or with TLS 1.0 and 1.1, SSL 2.0 behind the client hello, and extensions beyond names, versions, groups, signatures, keys and protocols");
    RECORD = group("tls.record", "record", "A record").digest(records::record_value, records::record_meaning);
    CONTENT_TYPE = number("tls.record.content_type", "type", "What the record is").names(TYPES);
    OPAQUE_TYPE = number("tls.record.opaque_type", "opaque type", "What an encrypted record of TLS 1.3 looks like").names(TYPES);
    RECORD_VERSION = number("tls.record.version", "version", "Version of the record").hex(4).names(VERSIONS);
    RECORD_LENGTH = number("tls.record.length", "length", "Bytes of the record");
    APP_DATA = bytes("tls.app_data", "application data", "Encrypted data of the application");
    ENCRYPTED = bytes("tls.encrypted", "encrypted", "A message of TLS itself, encrypted");
    CHANGE_CIPHER_SPEC = bytes("tls.change_cipher_spec", "change cipher spec", "From here on this side encrypts");
    ALERT_LEVEL = number("tls.alert_message.level", "level", "How bad it is").names(LEVELS);
    ALERT = number("tls.alert_message.desc", "description", "What the alert is about").names(names::ALERTS);
    ALERT_MESSAGE = bool("tls.alert_message", "alert message", "An alert is there").generated(&[&ALERT_LEVEL, &ENCRYPTED], alert)
        .needs(&[&CONTENT_TYPE]);
    ENCRYPTED_HANDSHAKE = bytes("tls.handshake.encrypted", "encrypted handshake message", "A handshake message that is not opened")
        .also("tls.handshake")
        .generated(&[&ENCRYPTED], encrypted_handshake)
        .needs(&[&CONTENT_TYPE]);
    HEARTBEAT_TYPE = number("tls.heartbeat_message.type", "type", "Question or answer").names(&[(1, "request"), (2, "response")]);
    HEARTBEAT_LENGTH = number("tls.heartbeat_message.payload_length", "payload length", "Bytes of the payload, as it claims");
    HEARTBEAT_PAYLOAD = bytes("tls.heartbeat_message.payload", "payload", "What is sent back, and padding");
    DECRYPTED = bytes("tls.decrypted", "decrypted", "What the application said");
    PADDING = bytes("tls.padding", "padding", "Zeros that hide how much was said");
    SEGMENT = bytes("tls.segment.data", "part", "A part of a handshake message that goes on in another record");
    DATA = bytes("tls.data", "data", "Bytes that are not understood");

    HANDSHAKE = group("tls.handshake", "handshake", "A handshake message").digest(handshake::message_value, handshake::message_meaning);
    HANDSHAKE_TYPE = number("tls.handshake.type", "type", "What the message is").names(handshake::TYPES);
    HANDSHAKE_LENGTH = number("tls.handshake.length", "length", "Bytes of the message");
    VERSION = number("tls.handshake.version", "version", "Version; TLS 1.3 says 1.2 here").hex(4).names(VERSIONS);
    RANDOM = bytes("tls.handshake.random", "random", "Random bytes");
    SESSION_ID_LENGTH = number("tls.handshake.session_id_length", "session id length", "Bytes of the session's id");
    SESSION_ID = bytes("tls.handshake.session_id", "session id", "Id of a session to go on with");
    CIPHER_SPECS_LENGTH = number("tls.handshake.cipher_spec_len", "cipher specs length", "Bytes of the list");
    CIPHER_SPEC = number("tls.handshake.cipherspec", "cipher spec", "Algorithms that go together, in SSL 2.0").hex(6).names(ssl2::SPECS);
    CHALLENGE_LENGTH = number("tls.handshake.challenge_length", "challenge length", "Bytes of the challenge");
    CHALLENGE = bytes("tls.handshake.challenge", "challenge", "Random bytes of SSL 2.0");
    SUITES_LENGTH = number("tls.handshake.cipher_suites_length", "cipher suites length", "Bytes of the list");
    SUITES = bool("tls.handshake.ciphersuites", "cipher suites", "A list of cipher suites is there").generated(&[&SUITES_LENGTH], is_there);
    RANDOM_TIME = text("tls.handshake.random_time", "GMT Unix time", "The first four random bytes as a time").generated(&[&RANDOM], random_time)
        .needs(&[&HANDSHAKE_TYPE, &SUPPORTED_VERSION]);
    SUITE = number("tls.handshake.ciphersuite", "cipher suite", "Algorithms that go together").hex(4).names(suites::SUITES);
    COMPRESSIONS_LENGTH = number("tls.handshake.comp_methods_length", "compressions length", "Bytes of the list");
    COMPRESSION = number("tls.handshake.comp_method", "compression", "A way to compress").names(&[(0, "null"), (1, "deflate")]);
    EXTENSIONS_LENGTH = number("tls.handshake.extensions_length", "extensions length", "Bytes of the extensions");
    EXTENSION = group("tls.handshake.extension", "extension", "An extension").digest(hello::extension_value, hello::extension_meaning);
    EXTENSION_TYPE = number("tls.handshake.extension.type", "type", "What is extended").names(names::EXTENSIONS);
    EXTENSION_LENGTH = number("tls.handshake.extension.len", "length", "Bytes of the extension");
    EXTENSION_DATA = bytes("tls.handshake.extension.data", "data", "What the extension says");
    SNI_LIST_LENGTH = number("tls.handshake.extensions_server_name_list_len", "list length", "Bytes of the names");
    SNI_TYPE = number("tls.handshake.extensions_server_name_type", "name type", "What kind of name it is").names(&[(0, "host_name")]);
    SNI_LENGTH = number("tls.handshake.extensions_server_name_len", "name length", "Bytes of the name");
    SNI = text("tls.handshake.extensions_server_name", "server name", "The server that is meant");
    ALPN_LENGTH = number("tls.handshake.extensions_alpn_len", "list length", "Bytes of the protocols");
    ALPN_STR_LENGTH = number("tls.handshake.extensions_alpn_str_len", "protocol length", "Bytes of a protocol's name");
    ALPN = text("tls.handshake.extensions_alpn_str", "protocol", "A protocol to be spoken inside");
    GROUPS_LENGTH = number("tls.handshake.extensions_supported_groups_length", "list length", "Bytes of the groups");
    GROUP = number("tls.handshake.extensions_supported_group", "group", "A group for the exchange of keys").hex(4).names(names::GROUPS);
    FORMATS_LENGTH = number("tls.handshake.extensions_ec_point_formats_length", "list length", "Bytes of the formats");
    FORMAT = number("tls.handshake.extensions_ec_point_format", "point format", "A way to write points of curves").names(&[(0, "uncompressed"), (1, "ansiX962_compressed_prime"), (2, "ansiX962_compressed_char2")]);
    SIGNATURES_LENGTH = number("tls.handshake.sig_hash_alg_len", "list length", "Bytes of the algorithms");
    SIGNATURE = number("tls.handshake.sig_hash_alg", "signature", "An algorithm for signatures").hex(4).names(names::SIGNATURES);
    VERSIONS_LENGTH = number("tls.handshake.extensions.supported_versions_len", "list length", "Bytes of the versions");
    SUPPORTED_VERSION = number("tls.handshake.extensions.supported_version", "supported version", "A version that may be spoken, or is").hex(4).names(VERSIONS);
    KEY_SHARE_LENGTH = number("tls.handshake.extensions_key_share_client_length", "list length", "Bytes of the keys");
    KEY_SHARE_GROUP = number("tls.handshake.extensions_key_share_group", "group", "Group of the key").names(names::GROUPS);
    KEY_SHARE_KEY_LENGTH = number("tls.handshake.extensions_key_share_key_exchange_length", "key length", "Bytes of the key");
    KEY_SHARE_KEY = bytes("tls.handshake.extensions_key_share_key_exchange", "key", "A public key");
    KEY_SHARE_SELECTED = number("tls.handshake.extensions_key_share_selected_group", "selected group", "The group that the server wants").names(names::GROUPS);
    JA3 = text("tls.handshake.ja3", "ja3", "Fingerprint of the client");
    JA3_FULL = text("tls.handshake.ja3_full", "ja3 full", "What the fingerprint is made of");
    JA3S = text("tls.handshake.ja3s", "ja3s", "Fingerprint of the server's answer");
    JA3S_FULL = text("tls.handshake.ja3s_full", "ja3s full", "What the fingerprint is made of");
    JA4 = text("tls.handshake.ja4", "ja4", "Fingerprint of the client, whatever the order of its extensions");
    JA4_R = text("tls.handshake.ja4_r", "ja4 raw", "What the fingerprint is made of");
    CERTIFICATES_LENGTH = number("tls.handshake.certificates_length", "certificates length", "Bytes of the certificates");
    CERTIFICATE_LENGTH = number("tls.handshake.certificate_length", "certificate length", "Bytes of a certificate");
    CERTIFICATE = bytes("tls.handshake.certificate", "certificate", "A certificate");
    CURVE_TYPE = number("tls.handshake.server_curve_type", "curve type", "How the curve is told").hex(2).names(&[(3, "named_curve")]);
    NAMED_CURVE = number("tls.handshake.server_named_curve", "named curve", "The curve").hex(4).names(names::GROUPS);
    SERVER_POINT_LENGTH = number("tls.handshake.server_point_len", "public key length", "Bytes of the key");
    SERVER_POINT = bytes("tls.handshake.server_point", "public key", "Public key of the server");
    PARAMETERS = bytes("tls.handshake.parameters", "parameters", "What a message of the exchange of keys says");
    CERTIFICATE_TYPES_COUNT = number("tls.handshake.cert_types_count", "certificate types count", "How many kinds of certificates follow");
    CERTIFICATE_TYPE = number("tls.handshake.cert_type", "certificate type", "A kind of certificate that the client may send")
        .names(names::CERTIFICATE_TYPES);
    DNAMES_LENGTH = number("tls.handshake.dnames_len", "distinguished names length", "Bytes of the names of acceptable authorities");
    DNAME_LENGTH = number("tls.handshake.dname_len", "distinguished name length", "Bytes of a name");
    DNAME = text("tls.handshake.dname", "distinguished name", "An authority whose certificates are accepted");
    CONTEXT_LENGTH = number("tls.handshake.certificate_request_context_length", "context length", "Bytes of the context");
    CONTEXT = bytes("tls.handshake.certificate_request_context", "context", "Which question the certificates answer");
    SIGNED_LENGTH = number("tls.handshake.sig_len", "signature length", "Bytes of the signature");
    SIGNED = bytes("tls.handshake.sig", "signature", "Proof that the key of the certificate is known");
    VERIFY_DATA = bytes("tls.handshake.verify_data", "verify data", "Seal of the whole handshake");
    KEY_UPDATE = number("tls.handshake.key_update.request_update", "request", "Whether the other side shall change keys, too").names(&[(0, "not requested"), (1, "requested")]);
    TICKET_AGE_ADD = number("tls.handshake.session_ticket_age_add", "age add", "What hides the age of the ticket").hex(8);
    TICKET_NONCE_LENGTH = number("tls.handshake.session_ticket_nonce_length", "nonce length", "Bytes of the nonce");
    TICKET_NONCE = bytes("tls.handshake.session_ticket_nonce", "nonce", "What tells tickets of a connection apart");
    TICKET_LIFETIME = number("tls.handshake.session_ticket_lifetime_hint", "lifetime", "Seconds for which the ticket is good");
    TICKET_LENGTH = number("tls.handshake.session_ticket_length", "ticket length", "Bytes of the ticket");
    TICKET = bytes("tls.handshake.session_ticket", "ticket", "What a client goes on with");

    TOO_LONG = broken("tls.too_long", "too long", "A handshake message longer than is put together");
    RECORD_TOO_LONG = odd("tls.record.length.invalid", "record too long", "More bytes than a record may have");
    NO_TYPE = broken("tls.no_type", "no type", "An opened record that does not say what it is");
    NOT_OPENED = odd("tls.not_opened", "not opened", "A record that its secret does not open");
    RETRY = info("tls.hello_retry", "hello retry", "The server asks the client to begin again with another key");
}

const CHANGE_CIPHER_SPEC_TYPE: u8 = 20;
const ALERT_TYPE: u8 = 21;
const HANDSHAKE_RECORD: u8 = 22;
const APPLICATION_DATA: u8 = 23;
const HEARTBEAT: u8 = 24;

const TYPES: Names = &[(20, "change_cipher_spec"), (21, "alert"), (22, "handshake"), (23, "application_data"), (24, "heartbeat")];

const LEVELS: Names = &[(1, "warning"), (2, "fatal")];

const VERSIONS: Names = &[
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

/// The last version that has its own number everywhere.
const TLS_1_2: u16 = 0x0303;

/// The version that hides behind that of 1.2.
const TLS_1_3: u16 = 0x0304;

/// Bytes of a record's header.
const HEADER: usize = 5;

/// The longest payload of a record: 16 KiB and what encryption adds.
const RECORD_MAX: usize = (16 << 10) + 2048;

/// Whether a file tells any secret.
fn key_log(text: &str) -> Result<(), Unfit> {
    match Secrets::default().learn(text.as_bytes()) {
        0 if !text.trim().is_empty() => {
            Err(Unfit { line: None, words: "expected lines such as CLIENT_RANDOM, 64 digits, and the secret in digits".into() })
        }
        _ => Ok(()),
    }
}

fn open(_: &Settings) -> Box<dyn Conversation> {
    Box::<records::Session>::default()
}

/// The seconds since 1970 that TLS before 1.3 begins its random bytes with, as Wireshark shows them.
fn random_time(random: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    const SERVER_HELLO: u64 = 2;
    let is_of = |field: &'static Field| move |node: &NodeRef<'_>| node.field().is(field);
    let of_server = random.before().find(is_of(&HANDSHAKE_TYPE)).and_then(NodeRef::number) == Some(SERVER_HELLO);
    if of_server && random.behind().any(|node| node.field().is(&SUPPORTED_VERSION)) {
        return;
    }
    let Some(seconds) = random.bytes().first_chunk().map(|seconds| u32::from_be_bytes(*seconds)) else { return };
    if let Ok(at) = jiff::Timestamp::from_second(seconds.into()) {
        let at = at.to_zoned(jiff::tz::TimeZone::system());
        take(Computed::made(format!("{}.000000000 {}", at.strftime("%b %e, %Y %H:%M:%S"), at.strftime("%Z"))));
    }
}

/// The type of the record that encrypted bytes are of.
fn record_type(encrypted: NodeRef<'_>) -> Option<u64> {
    encrypted.before().find(|node| node.field().is(&CONTENT_TYPE)).and_then(NodeRef::number)
}

fn alert(node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    // One that was opened is told by its level.
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
