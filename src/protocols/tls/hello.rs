//! The two hellos and their extensions.

use super::fingerprint::{self, Offer, is_grease};
use super::handshake::{Hello, Told};
use super::{
    ALPN, ALPN_LENGTH, ALPN_STR_LENGTH, CERTIFICATE_TYPE, CERTIFICATE_TYPES_COUNT, COMPRESSION, COMPRESSIONS_LENGTH, DNAME,
    DNAME_LENGTH, DNAMES_LENGTH, EXTENSION, EXTENSION_DATA, EXTENSION_LENGTH, EXTENSION_TYPE, EXTENSIONS_LENGTH, FORMAT,
    FORMATS_LENGTH, GROUP, GROUPS_LENGTH, JA3, JA3_FULL, JA3S, JA3S_FULL, JA4, JA4_R, KEY_SHARE_GROUP, KEY_SHARE_KEY,
    KEY_SHARE_KEY_LENGTH, KEY_SHARE_LENGTH, KEY_SHARE_SELECTED, RANDOM, RETRY, SESSION_ID, SESSION_ID_LENGTH, SIGNATURE,
    SIGNATURES_LENGTH, SNI, SNI_LENGTH, SNI_LIST_LENGTH, SNI_TYPE, SUITE, SUITES_LENGTH, SUPPORTED_VERSION, VERSION, VERSIONS,
    VERSIONS_LENGTH, certificate, suites,
};
use crate::tree::{Field, NodeRef, name_of};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

const SERVER_NAME: u16 = 0;
const SUPPORTED_GROUPS: u16 = 10;
const POINT_FORMATS: u16 = 11;
const SIGNATURE_ALGORITHMS: u16 = 13;
const PROTOCOLS: u16 = 16;
const ENCRYPT_THEN_MAC: u16 = 22;
const EARLY_DATA: u16 = 42;
const SUPPORTED_VERSIONS: u16 = 43;
const AUTHORITIES: u16 = 47;
const SIGNATURES_OF_CERTIFICATES: u16 = 50;
const KEY_SHARE: u16 = 51;

/// The random bytes of a server that asks the client to begin again.
const RETRY_RANDOM: [u8; 8] = [0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11];

pub(super) fn client(wire: &mut Wire<'_>, hello: &mut Hello, told: &mut Told) -> Result {
    let (version, random) = start(wire)?;
    hello.client_random = random;
    let mut offer = Offer { over_quic: hello.over_quic, version, ..Offer::default() };
    list16(wire, &SUITES_LENGTH, |wire| {
        offer.suites.push(wire.u16_be(&SUITE)?);
        Ok(())
    })?;
    list8(wire, &COMPRESSIONS_LENGTH, |wire| wire.u8(&COMPRESSION).map(drop))?;
    extensions(wire, &mut offer, Speaker::Client)?;
    hello.early = offer.extensions.contains(&EARLY_DATA);
    told.say(&offer.name);
    told.say(&offer.protocols.join(" "));
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

pub(super) fn server(wire: &mut Wire<'_>, hello: &mut Hello, told: &mut Told) -> Result {
    let is_retry = wire.ahead().get(2..10) == Some(&RETRY_RANDOM);
    let (version, random) = start(wire)?;
    hello.server_random = random;
    let mut offer = Offer { version, ..Offer::default() };
    if is_retry {
        wire.note(&RETRY, format_args!("the client shall begin again"));
    }
    let suite = wire.u16_be(&SUITE)?;
    wire.u8(&COMPRESSION)?;
    extensions(wire, &mut offer, Speaker::Server)?;
    hello.version = offer.versions.first().copied().unwrap_or(offer.version);
    hello.suite = suite;
    hello.mac_last = offer.extensions.contains(&ENCRYPT_THEN_MAC);
    told.say(if is_retry { "retry" } else { "" });
    told.say(name_of(VERSIONS, hello.version.into()).unwrap_or_default());
    told.say(name_of(suites::SUITES, suite.into()).unwrap_or_default());
    told.say(&offer.protocols.join(" "));
    if wire.wants(&[&JA3S, &JA3S_FULL]) {
        offer.suites = vec![suite];
        let ja3s = fingerprint::ja3s(&offer);
        wire.add_text(&JA3S_FULL, format_args!("{ja3s}"));
        wire.add_text(&JA3S, format_args!("{}", fingerprint::md5(&ja3s)));
    }
    Ok(())
}

/// What the server agrees to once it encrypts.
pub(super) fn encrypted(wire: &mut Wire<'_>, told: &mut Told) -> Result {
    let mut offer = Offer::default();
    extensions(wire, &mut offer, Speaker::Server)?;
    told.say(&offer.protocols.join(" "));
    Ok(())
}

/// Extensions of a certificate or a ticket.
pub(super) fn extensions_alone(wire: &mut Wire<'_>) -> Result {
    list16(wire, &EXTENSIONS_LENGTH, |wire| wire.group(&EXTENSION, |wire| extension(wire, &mut Offer::default(), Speaker::Other)))
}

/// What a server before TLS 1.3 asks a client's certificate for.
pub(super) fn certificate_request(wire: &mut Wire<'_>, has_signatures: bool) -> Result {
    list8(wire, &CERTIFICATE_TYPES_COUNT, |wire| wire.u8(&CERTIFICATE_TYPE).map(drop))?;
    if has_signatures {
        list16(wire, &SIGNATURES_LENGTH, |wire| wire.u16_be(&SIGNATURE).map(drop))?;
    }
    authorities(wire)
}

/// What a server of TLS 1.3 asks a client's certificate for.
pub(super) fn certificate_request_extensions(wire: &mut Wire<'_>) -> Result {
    extensions(wire, &mut Offer::default(), Speaker::Request)
}

/// The names of certification authorities.
fn authorities(wire: &mut Wire<'_>) -> Result {
    list16(wire, &DNAMES_LENGTH, |wire| {
        let length = usize::from(wire.u16_be(&DNAME_LENGTH)?);
        if let Some(bytes) = wire.ahead().get(..length) {
            certificate::put_name(wire, &DNAME, wire.at(), bytes);
        }
        wire.skip(length)
    })
}

/// What both begin with: a version, random bytes, a session.
fn start(wire: &mut Wire<'_>) -> Result<(u16, [u8; 32])> {
    let version = wire.u16_be(&VERSION)?;
    let random = wire.bytes(&RANDOM, 32)?.try_into().unwrap_or_default();
    let length = wire.u8(&SESSION_ID_LENGTH)?;
    if length > 0 {
        wire.bytes(&SESSION_ID, length.into())?;
    }
    Ok((version, random))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Client,
    Server,
    /// A server that asks for a certificate.
    Request,
    /// Beside the two hellos.
    Other,
}

fn extensions(wire: &mut Wire<'_>, offer: &mut Offer, speaker: Speaker) -> Result {
    if wire.remaining() == 0 {
        return Ok(());
    }
    list16(wire, &EXTENSIONS_LENGTH, |wire| wire.group(&EXTENSION, |wire| extension(wire, offer, speaker)))
}

fn extension(wire: &mut Wire<'_>, offer: &mut Offer, speaker: Speaker) -> Result {
    let kind = wire.u16_be(&EXTENSION_TYPE)?;
    let length = wire.u16_be(&EXTENSION_LENGTH)?;
    offer.extensions.push(kind);
    wire.within(length.into(), &EXTENSION_DATA, |wire| match (kind, speaker) {
        _ if wire.remaining() == 0 => Ok(()),
        (_, Speaker::Other) => {
            wire.rest(&EXTENSION_DATA);
            Ok(())
        }
        (AUTHORITIES, _) => authorities(wire),
        (SERVER_NAME, _) => list16(wire, &SNI_LIST_LENGTH, |wire| {
            wire.u8(&SNI_TYPE)?;
            let length = wire.u16_be(&SNI_LENGTH)?;
            let name = wire.text(&SNI, length.into())?;
            offer.name = String::from_utf8_lossy(name).into_owned();
            Ok(())
        }),
        (SUPPORTED_GROUPS, _) => list16(wire, &GROUPS_LENGTH, |wire| {
            offer.groups.push(wire.u16_be(&GROUP)?);
            Ok(())
        }),
        (POINT_FORMATS, _) => list8(wire, &FORMATS_LENGTH, |wire| {
            offer.formats.push(wire.u8(&FORMAT)?);
            Ok(())
        }),
        (SIGNATURE_ALGORITHMS, _) => list16(wire, &SIGNATURES_LENGTH, |wire| {
            offer.signatures.push(wire.u16_be(&SIGNATURE)?);
            Ok(())
        }),
        (SIGNATURES_OF_CERTIFICATES, _) => list16(wire, &SIGNATURES_LENGTH, |wire| wire.u16_be(&SIGNATURE).map(drop)),
        (PROTOCOLS, _) => list16(wire, &ALPN_LENGTH, |wire| {
            let length = wire.u8(&ALPN_STR_LENGTH)?;
            let name = wire.text(&ALPN, length.into())?;
            offer.protocols.push(String::from_utf8_lossy(name).into_owned());
            Ok(())
        }),
        (SUPPORTED_VERSIONS, Speaker::Client) => list8(wire, &VERSIONS_LENGTH, |wire| {
            offer.versions.push(wire.u16_be(&SUPPORTED_VERSION)?);
            Ok(())
        }),
        (SUPPORTED_VERSIONS, Speaker::Server) => {
            offer.versions.push(wire.u16_be(&SUPPORTED_VERSION)?);
            Ok(())
        }
        (KEY_SHARE, Speaker::Client) => list16(wire, &KEY_SHARE_LENGTH, key_share),
        (KEY_SHARE, Speaker::Server) if wire.remaining() == 2 => wire.u16_be(&KEY_SHARE_SELECTED).map(drop),
        (KEY_SHARE, Speaker::Server) => key_share(wire),
        _ => {
            wire.rest(&EXTENSION_DATA);
            Ok(())
        }
    })
}

fn key_share(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&KEY_SHARE_GROUP)?;
    let length = wire.u16_be(&KEY_SHARE_KEY_LENGTH)?;
    if length > 0 {
        wire.bytes(&KEY_SHARE_KEY, length.into())?;
    }
    Ok(())
}

/// A list behind its length in two bytes.
fn list16(wire: &mut Wire<'_>, length: &'static Field, item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let length = wire.u16_be(length)?;
    items(wire, length.into(), item)
}

/// A list behind its length in one byte.
fn list8(wire: &mut Wire<'_>, length: &'static Field, item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let length = wire.u8(length)?;
    items(wire, length.into(), item)
}

fn items(wire: &mut Wire<'_>, length: usize, mut item: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    wire.within(length, &EXTENSION_DATA, |wire| {
        while wire.remaining() > 0 {
            item(wire)?;
        }
        Ok(())
    })
}

pub(super) fn extension_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(kind) = node.child(&EXTENSION_TYPE) else { return Ok(()) };
    match (kind.name(), kind.number()) {
        (Some(name), _) => out.write_str(name),
        (None, Some(number)) => write!(out, "{number}"),
        (None, None) => Ok(()),
    }
}

/// What an extension says, where that is short.
pub(super) fn extension_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut first = true;
    for child in node.children() {
        let field = child.field();
        let is_text = [&SNI, &ALPN].iter().any(|text| field.is(text));
        let is_number = [&SUPPORTED_VERSION, &GROUP, &KEY_SHARE_GROUP].iter().any(|number| field.is(number));
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
