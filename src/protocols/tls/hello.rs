//! ClientHello and ServerHello with their extensions.

use super::fingerprint::{self, Offer, is_grease};
use super::summary::Summary;
use super::*;
use crate::protocols::dtls;
use crate::tree::{BySide, Field, NodeRef, Side, Value, name_of};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

const SERVER_NAME: u16 = 0;
const SUPPORTED_GROUPS: u16 = 10;
const POINT_FORMATS: u16 = 11;
const SIGNATURE_ALGORITHMS: u16 = 13;
const USE_SRTP: u16 = 14;
const HEARTBEAT: u16 = 15;
const PROTOCOLS: u16 = 16;
const ENCRYPT_THEN_MAC: u16 = 22;
const SESSION_TICKET: u16 = 35;
const EARLY_DATA: u16 = 42;
const SUPPORTED_VERSIONS: u16 = 43;
const COOKIE: u16 = 44;
const AUTHORITIES: u16 = 47;
const SIGNATURES_OF_CERTIFICATES: u16 = 50;
const KEY_SHARE: u16 = 51;
const CONNECTION_ID: u16 = 54;
const QUIC_PARAMETERS: u16 = 57;
const RENEGOTIATION_INFO: u16 = 65281;
const QUIC_PARAMETERS_OF_DRAFTS: u16 = 65445;

/// First bytes of the random of a HelloRetryRequest.
const RETRY_RANDOM: [u8; 8] = [0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11];

/// Negotiated parameters of a connection.
#[derive(Debug, Default, Clone)]
pub(in crate::protocols) struct Hello {
    /// TLS encoding, also for DTLS.
    pub(in crate::protocols) version: u16,
    pub(in crate::protocols) suite: u16,
    /// Whether the suite encrypts.
    pub(in crate::protocols) encrypts: bool,
    pub(in crate::protocols) client_random: [u8; 32],
    pub(super) server_random: [u8; 32],
    /// Whether encrypt-then-MAC (RFC 7366) was negotiated.
    pub(super) mac_last: bool,
    /// Whether the client offers early data.
    pub(super) early: bool,
    /// Whether the last record contained Finished.
    pub(super) finished: bool,
    pub(super) updated: bool,
    /// Whether QUIC carries the handshake.
    pub(in crate::protocols) over_quic: bool,
    /// Length of the connection ID in records of a side, announced by the other side (RFC 9146).
    pub(in crate::protocols) connection_ids: BySide<Option<u8>>,
    /// Whether DTLS carries the handshake.
    pub(super) over_dtls: bool,
    /// Application protocol selected by the server in EncryptedExtensions.
    pub(in crate::protocols) protocol: String,
}

impl Hello {
    /// Parameters of a DTLS connection.
    pub(in crate::protocols) fn of_dtls() -> Hello {
        Hello { over_dtls: true, ..Hello::default() }
    }

    pub(in crate::protocols) fn is_1_3(&self) -> bool {
        self.version >= TLS_1_3
    }
}

pub(super) fn client(wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
    let (version, random) = start(wire)?;
    hello.client_random = random;
    if hello.over_dtls {
        cookie(wire)?;
    }
    let mut offer = Offer { over_quic: hello.over_quic, over_dtls: hello.over_dtls, version, ..Offer::default() };
    list16(wire, &SUITES_LENGTH, |wire| {
        offer.suites.push(wire.u16_be(&SUITE)?);
        Ok(())
    })?;
    list8(wire, &COMPRESSIONS_LENGTH, |wire| wire.u8(&COMPRESSION).map(drop))?;
    extensions(wire, &mut offer, Context::Client)?;
    learn_id(wire, hello, Side::Server, offer.connection_id.take());
    hello.early = offer.extensions.contains(&EARLY_DATA);
    summary.add_info(&offer.name);
    summary.add_info(&offer.protocols.join(" "));
    if wire.wants(&[&JA3, &JA3_FULL]) {
        let ja3 = fingerprint::ja3(&offer);
        wire.add_text(&JA3_FULL, format_args!("{ja3}"));
        wire.add_text(&JA3, format_args!("{}", fingerprint::md5(&ja3)));
    }
    if wire.wants(&[&JA4, &JA4_R]) {
        let ja4 = fingerprint::ja4(&offer);
        wire.add_text(&JA4, format_args!("{}", ja4.short()));
        wire.add_text(&JA4_R, format_args!("{}", ja4.raw()));
    }
    Ok(())
}

pub(super) fn server(wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
    let is_retry = wire.ahead().get(2..10) == Some(&RETRY_RANDOM);
    let (version, random) = start(wire)?;
    hello.server_random = random;
    let mut offer = Offer { version, ..Offer::default() };
    if is_retry {
        wire.note(&RETRY, format_args!("the server requests another ClientHello"));
    }
    let suite = wire.u16_be(&SUITE)?;
    wire.u8(&COMPRESSION)?;
    extensions(wire, &mut offer, Context::Server)?;
    let version = offer.versions.first().copied().unwrap_or(offer.version);
    hello.version = equivalent(version);
    (hello.suite, hello.encrypts) = (suite, suites::encrypts(suite));
    learn_id(wire, hello, Side::Client, offer.connection_id.take());
    hello.mac_last = offer.extensions.contains(&ENCRYPT_THEN_MAC);
    summary.add_info(if is_retry { "retry" } else { "" });
    summary.add_info(name_of(VERSIONS, version.into()).unwrap_or_default());
    summary.add_info(name_of(suites::SUITES, suite.into()).unwrap_or_default());
    summary.add_info(&offer.protocols.join(" "));
    if wire.wants(&[&JA3S, &JA3S_FULL]) {
        offer.suites = vec![suite];
        let ja3s = fingerprint::ja3s(&offer);
        wire.add_text(&JA3S_FULL, format_args!("{ja3s}"));
        wire.add_text(&JA3S, format_args!("{}", fingerprint::md5(&ja3s)));
    }
    Ok(())
}

/// Stores the connection ID of records of a sender, which the other side has chosen.
fn learn_id(wire: &mut Wire<'_>, hello: &mut Hello, sender: Side, id: Option<Box<[u8]>>) {
    hello.connection_ids[sender] = id.as_ref().and_then(|id| u8::try_from(id.len()).ok());
    if let Some(id) = id {
        dtls::announce(wire, sender, &id);
    }
}

/// The TLS version that a DTLS version is based on.
fn equivalent(version: u16) -> u16 {
    match version {
        0xfeff => 0x0302,
        0xfefd => TLS_1_2,
        0xfefc => TLS_1_3,
        _ => version,
    }
}

/// Dissects a HelloVerifyRequest of DTLS.
pub(super) fn verify(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&VERSION)?;
    cookie(wire)
}

/// Dissects the cookie echoed by a client.
fn cookie(wire: &mut Wire<'_>) -> Result {
    wire.counted(Wire::u8, &dtls::COOKIE_LENGTH, &dtls::COOKIE).map(drop)
}

/// Dissects EncryptedExtensions.
pub(super) fn encrypted(wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
    let mut offer = Offer::default();
    extensions(wire, &mut offer, Context::Server)?;
    hello.protocol = offer.protocols.first().cloned().unwrap_or_default();
    summary.add_info(&offer.protocols.join(" "));
    Ok(())
}

/// Dissects the extensions of a Certificate or NewSessionTicket.
pub(super) fn extensions_alone(wire: &mut Wire<'_>) -> Result {
    list16(wire, &EXTENSIONS_LENGTH, |wire| wire.group(&EXTENSION, |wire| extension(wire, &mut Offer::default(), Context::Other)))
}

/// Dissects a CertificateRequest before TLS 1.3.
pub(super) fn certificate_request(wire: &mut Wire<'_>, has_signatures: bool) -> Result {
    list8(wire, &CERTIFICATE_TYPES_COUNT, |wire| wire.u8(&CERTIFICATE_TYPE).map(drop))?;
    if has_signatures {
        list16(wire, &SIGNATURES_LENGTH, |wire| wire.u16_be(&SIGNATURE).map(drop))?;
    }
    authorities(wire)
}

/// Dissects the extensions of a CertificateRequest of TLS 1.3.
pub(super) fn certificate_request_extensions(wire: &mut Wire<'_>) -> Result {
    extensions(wire, &mut Offer::default(), Context::Request)
}

/// Dissects the distinguished names of certificate authorities.
fn authorities(wire: &mut Wire<'_>) -> Result {
    list16(wire, &DNAMES_LENGTH, |wire| {
        let length = usize::from(wire.u16_be(&DNAME_LENGTH)?);
        if let Some(bytes) = wire.ahead().get(..length) {
            certificate::put_name(wire, &DNAME, wire.at(), bytes);
        }
        wire.skip(length)
    })
}

/// Dissects version, random and session ID at the start of both hellos.
fn start(wire: &mut Wire<'_>) -> Result<(u16, [u8; 32])> {
    let version = wire.u16_be(&VERSION)?;
    let random = wire.bytes(&RANDOM, 32)?.try_into().unwrap_or_default();
    wire.counted(Wire::u8, &SESSION_ID_LENGTH, &SESSION_ID)?;
    Ok((version, random))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Client,
    Server,
    /// CertificateRequest.
    Request,
    /// Other messages with extensions.
    Other,
}

fn extensions(wire: &mut Wire<'_>, offer: &mut Offer, context: Context) -> Result {
    if wire.remaining() == 0 {
        return Ok(());
    }
    list16(wire, &EXTENSIONS_LENGTH, |wire| wire.group(&EXTENSION, |wire| extension(wire, offer, context)))
}

fn extension(wire: &mut Wire<'_>, offer: &mut Offer, context: Context) -> Result {
    let kind = wire.u16_be(&EXTENSION_TYPE)?;
    let length = wire.u16_be(&EXTENSION_LENGTH)?;
    offer.extensions.push(kind);
    wire.within(length.into(), &EXTENSION_DATA, |wire| match (kind, context) {
        // An empty ticket requests a new one.
        (SESSION_TICKET, _) => {
            let end = wire.at() + wire.remaining();
            wire.put(&EXTENSION_DATA, Value::Bytes, wire.at()..end);
            wire.skip(wire.remaining())
        }
        _ if wire.remaining() == 0 => Ok(()),
        (_, Context::Other) => wire.rest_is(&EXTENSION_DATA),
        (AUTHORITIES, _) => authorities(wire),
        (SERVER_NAME, _) => list16(wire, &SNI_LIST_LENGTH, |wire| server_name(wire, offer)),
        (SUPPORTED_GROUPS, _) => list16(wire, &GROUPS_LENGTH, |wire| {
            offer.groups.push(wire.u16_be(&GROUP)?);
            Ok(())
        }),
        (USE_SRTP, _) => {
            list16(wire, &dtls::SRTP_LENGTH, |wire| wire.u16_be(&dtls::SRTP_PROFILE).map(drop))?;
            wire.counted(Wire::u8, &dtls::MKI_LENGTH, &dtls::MKI).map(drop)
        }
        (HEARTBEAT, _) => wire.u8(&HEARTBEAT_MODE).map(drop),
        (COOKIE, _) => wire.counted(Wire::u16_be, &EXTENSION_COOKIE_LENGTH, &EXTENSION_COOKIE).map(drop),
        (POINT_FORMATS, _) => list8(wire, &FORMATS_LENGTH, |wire| {
            offer.formats.push(wire.u8(&FORMAT)?);
            Ok(())
        }),
        (SIGNATURE_ALGORITHMS, _) => list16(wire, &SIGNATURES_LENGTH, |wire| {
            offer.signatures.push(wire.u16_be(&SIGNATURE)?);
            Ok(())
        }),
        (SIGNATURES_OF_CERTIFICATES, _) => list16(wire, &SIGNATURES_LENGTH, |wire| wire.u16_be(&SIGNATURE).map(drop)),
        (PROTOCOLS, _) => list16(wire, &ALPN_LENGTH, |wire| application_protocol(wire, offer)),
        (SUPPORTED_VERSIONS, Context::Client) => list8(wire, &VERSIONS_LENGTH, |wire| {
            offer.versions.push(wire.u16_be(&SUPPORTED_VERSION)?);
            Ok(())
        }),
        (SUPPORTED_VERSIONS, Context::Server) => {
            offer.versions.push(wire.u16_be(&SUPPORTED_VERSION)?);
            Ok(())
        }
        (CONNECTION_ID, _) => {
            offer.connection_id = Some(wire.counted(Wire::u8, &dtls::ID_LENGTH, &dtls::ID)?.into());
            Ok(())
        }
        (QUIC_PARAMETERS, _) => quic::parameters(wire),
        (QUIC_PARAMETERS_OF_DRAFTS, _) if quic::are_parameters(wire.ahead()) => quic::parameters(wire),
        (RENEGOTIATION_INFO, _) => wire.counted(Wire::u8, &RENEGOTIATION_LENGTH, &RENEGOTIATION).map(drop),
        (KEY_SHARE, Context::Client) => list16(wire, &KEY_SHARE_LENGTH, key_share),
        (KEY_SHARE, Context::Server) if wire.remaining() == 2 => wire.u16_be(&KEY_SHARE_SELECTED).map(drop),
        (KEY_SHARE, Context::Server) => key_share(wire),
        _ => wire.rest_is(&EXTENSION_DATA),
    })
}

fn server_name(wire: &mut Wire<'_>, offer: &mut Offer) -> Result {
    wire.u8(&SNI_TYPE)?;
    let length = wire.u16_be(&SNI_LENGTH)?;
    let name = wire.text(&SNI, length.into())?;
    offer.name = String::from_utf8_lossy(name).into_owned();
    Ok(())
}

fn application_protocol(wire: &mut Wire<'_>, offer: &mut Offer) -> Result {
    let length = wire.u8(&ALPN_STR_LENGTH)?;
    let name = wire.text(&ALPN, length.into())?;
    offer.protocols.push(String::from_utf8_lossy(name).into_owned());
    Ok(())
}

fn key_share(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&KEY_SHARE_GROUP)?;
    wire.counted(Wire::u16_be, &KEY_SHARE_KEY_LENGTH, &KEY_SHARE_KEY).map(drop)
}

/// Dissects a list with a 16-bit length.
fn list16(wire: &mut Wire<'_>, length: &'static Field, item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let length = wire.u16_be(length)?;
    items(wire, length.into(), item)
}

/// Dissects a list with an 8-bit length.
fn list8(wire: &mut Wire<'_>, length: &'static Field, item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let length = wire.u8(length)?;
    items(wire, length.into(), item)
}

fn items(wire: &mut Wire<'_>, length: usize, item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    wire.within(length, &EXTENSION_DATA, |wire| wire.each(item))
}

pub(in crate::protocols) fn extension_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(kind) = node.child(&EXTENSION_TYPE) else { return Ok(()) };
    match (kind.name(), kind.number()) {
        (Some(name), _) => out.write_str(name),
        (None, Some(number)) => write!(out, "{number}"),
        (None, None) => Ok(()),
    }
}

/// Short summary of an extension.
pub(in crate::protocols) fn extension_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut first = true;
    for child in node.children() {
        let field = child.field();
        let is_text = [&SNI, &ALPN].iter().any(|text| field.stands_for(text));
        let is_number = [&SUPPORTED_VERSION, &GROUP, &KEY_SHARE_GROUP].iter().any(|number| field.stands_for(number));
        let comma = if first { "" } else { ", " };
        if is_text {
            write!(out, "{comma}")?;
            child.write_value(out)?;
        } else if let Some(name) =
            child.name().filter(|_| is_number && child.number().is_some_and(|number| !is_grease_number(number)))
        {
            write!(out, "{comma}{name}")?;
        } else {
            continue;
        }
        first = false;
    }
    Ok(())
}

fn is_grease_number(number: u64) -> bool {
    u16::try_from(number).is_ok_and(is_grease)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Dissection, FrameInfo, Span, Tree};

    /// Values of GREASE (RFC 8701) are no offers.
    #[test]
    fn the_summary_of_an_extension_names_what_is_offered() {
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        let group = tree.push(&EXTENSION, Value::None, Span::new(0, 0..8));
        for version in [0x2a2a, 0x0304, 0x0303, 0x1234] {
            tree.push(&SUPPORTED_VERSION, Value::Unsigned(version), Span::new(0, 0..2));
        }
        tree.close(group, &EXTENSION, 8);
        let of = Dissection { tree: &tree, bytes: &[0; 8] };
        let mut meaning = String::new();
        extension_meaning(of.node(group).unwrap(), &mut meaning).unwrap();
        assert_eq!(meaning, "TLS 1.3, TLS 1.2");
    }
}
