//! X.509 certificates: version, issuer, subject, validity, public key and extensions.
//!
//! Fields have Wireshark's names if any; issuer and subject are also shown as one text.

use crate::protocols::ber::{self, BIT_STRING, Der, Element, INTEGER, OBJECT_ID, SEQUENCE, SET};
use crate::tree::{Computed, Field, NodeRef, Value};
use crate::wire::{Protocol, Wire};
use std::fmt::Write;
use std::ops::Range;

const fn found_inside(this: &'static Field, fields: &'static [&'static Field]) -> Protocol {
    Protocol::new(this, fields)
}

/// Structure of certificates.
pub static X509AF: Protocol = found_inside(&af::PROTOCOL, af::FIELDS);
/// Extensions of certificates.
pub static X509CE: Protocol = found_inside(&ce::PROTOCOL, ce::FIELDS);
/// Names in certificates.
pub static X509IF: Protocol = found_inside(&inf::PROTOCOL, inf::FIELDS);
/// Attribute types of names.
pub static X509SAT: Protocol = found_inside(&sat::PROTOCOL, sat::FIELDS);

mod af {
    use crate::tree::Names;
    use crate::tree::fields;
    const TIMES: Names = &[(0, "utcTime"), (1, "generalizedTime")];

    fields! {
        PROTOCOL = protocol("x509af", "X.509", "X.509 certificates")
            .covers("Version, serial number, issuer, subject, validity and public key of each certificate")
            .leaves_open("Verification of signatures; contents of public keys");
        CERTIFICATE = group("x509af.signedCertificate_element", "signed certificate", "tbsCertificate");
        VERSION = number("x509af.version", "version", "").names(&[(0, "v1"), (1, "v2"), (2, "v3")]);
        SERIAL = bytes("x509af.serialNumber", "serial number", "Unique among the certificates of the issuer");
        ALGORITHM = text("x509af.algorithm.id", "signature algorithm", "");
        ISSUER = text("x509af.issuer.name", "issuer", "Distinguished name of the certificate authority");
        NOT_BEFORE = text("x509af.notBefore.time", "not before", "Start of the validity, UTC");
        NOT_AFTER = text("x509af.notAfter.time", "not after", "End of the validity, UTC");
        NOT_BEFORE_KIND = number("x509af.notBefore", "not before", "Encoding of the time: UTCTime or GeneralizedTime")
            .names(TIMES)
            .generated(&[&NOT_BEFORE], super::time_encoding);
        NOT_AFTER_KIND = number("x509af.notAfter", "not after", "Encoding of the time: UTCTime or GeneralizedTime")
            .names(TIMES)
            .generated(&[&NOT_AFTER], super::time_encoding);
        SUBJECT = text("x509af.subject.name", "subject", "Distinguished name of the certificate's holder");
        KEY_ALGORITHM = text("x509af.subjectPublicKeyInfo.algorithm", "public key algorithm", "");
        KEY = bytes("x509af.subjectPublicKey", "subject public key", "");
    }
}

mod ce {
    use crate::tree::fields;
    fields! {
        PROTOCOL = protocol("x509ce", "X.509 extensions", "Extensions of X.509 certificates")
            .covers("Alternative names, authority key identifiers, CRL distribution points, name constraints, access descriptions, basic constraints")
            .leaves_open("Other extensions, which are bytes");
        DNS_NAME = text("x509ce.dNSName", "DNS name", "GeneralName, such as a subject alternative name");
        IPV4 = ipv4("x509ce.IPAddress.ipv4", "IP address", "GeneralName, such as a subject alternative name");
        IPV6 = ipv6("x509ce.IPAddress.ipv6", "IP address", "GeneralName, such as a subject alternative name");
        MAIL = text("x509ce.rfc822Name", "RFC 822 name", "GeneralName with a mail address");
        URI = text("x509ce.uniformResourceIdentifier", "URI", "GeneralName, such as a CRL distribution point");
        DIRECTORY_NAME = text("x509ce.directoryName", "directory name", "GeneralName with a distinguished name");
        REGISTERED_ID = text("x509ce.registeredID", "registered ID", "GeneralName with an object identifier");
        CA = bool("x509ce.cA", "CA", "basicConstraints: whether the subject is a certificate authority");
    }
}

mod inf {
    use crate::tree::fields;
    fields! {
        PROTOCOL = protocol("x509if", "X.509 names", "Names in X.509 certificates")
            .covers("Names of subjects and issuers by attribute");
        ID = text("x509if.attribute", "attribute", "Type of a relative distinguished name, or its OID");
    }
}

mod sat {
    use crate::tree::fields;
    fields! {
        PROTOCOL = protocol("x509sat", "X.509 attribute types", "Attribute types of X.509 names")
            .covers("String types of names");
        COUNTRY = text("x509sat.CountryName", "country name", "ISO 3166 code of two letters");
        SERIAL = text("x509sat.SerialNumber", "serial number", "Serial number of the holder, an attribute of a name");
        PRINTABLE = text("x509sat.printableString", "PrintableString", "");
        UTF8 = text("x509sat.uTF8String", "UTF8String", "");
        TELETEX = text("x509sat.teletexString", "TeletexString", "");
        BMP = text("x509sat.bmpString", "BMPString", "UCS-2");
        IA5 = text("x509sat.IA5String", "IA5String", "ASCII");
    }
}

const UTF8_STRING: u8 = 0x0c;
const PRINTABLE_STRING: u8 = 0x13;
const TELETEX_STRING: u8 = 0x14;
const IA5_STRING: u8 = 0x16;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const BMP_STRING: u8 = 0x1e;
const VERSION_TAG: u8 = 0xa0;
const EXTENSIONS_TAG: u8 = 0xa3;

/// Object identifiers by their bytes.
const OBJECTS: &[(&[u8], &str)] = &[
    (&[0x55, 4, 3], "CN"),
    (&[0x55, 4, 4], "SN"),
    (&[0x55, 4, 5], "serialNumber"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 9], "street"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x55, 4, 12], "title"),
    (&[0x55, 4, 15], "businessCategory"),
    (&[0x55, 4, 17], "postalCode"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1], "emailAddress"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25], "DC"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1], "rsaEncryption"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 5], "sha1WithRSAEncryption"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 4], "md5WithRSAEncryption"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10], "rsassa-pss"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11], "sha256WithRSAEncryption"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 12], "sha384WithRSAEncryption"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 13], "sha512WithRSAEncryption"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1], "ecPublicKey"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2], "ecdsa-with-SHA256"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3], "ecdsa-with-SHA384"),
    (&[0x2b, 0x65, 0x70], "ed25519"),
];

const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const COUNTRY_NAME: &[u8] = &[0x55, 4, 6];
const SERIAL_NUMBER: &[u8] = &[0x55, 4, 5];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 17];
const ISSUER_ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 18];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 19];
const NAME_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 30];
const CRL_DISTRIBUTION_POINTS: &[u8] = &[0x55, 0x1d, 31];
const AUTHORITY_KEY: &[u8] = &[0x55, 0x1d, 35];
const FRESHEST_CRL: &[u8] = &[0x55, 0x1d, 46];
const AUTHORITY_ACCESS: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 1, 1];
const SUBJECT_ACCESS: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 1, 11];

/// Maximum number of attributes and extensions dissected in one certificate.
const MAX_ELEMENTS: usize = 2000;

/// Dissects a certificate at this offset of the source. Returns its subject.
pub(super) fn put(wire: &mut Wire<'_>, at: usize, bytes: &[u8]) -> String {
    let mut all = Der { bytes, at };
    let signed = all.expect(SEQUENCE).and_then(|mut outer| outer.content.expect(SEQUENCE));
    let Some(mut signed) = signed else { return String::new() };
    let mut subject = String::new();
    wire.put_over(&af::CERTIFICATE, Value::None, Some(signed.range), |wire| {
        if let Some(found) = certificate(wire, &mut signed.content) {
            subject = found;
        }
    });
    subject
}

fn certificate(wire: &mut Wire<'_>, der: &mut Der<'_>) -> Option<String> {
    if let Some(mut version) = der.expect(VERSION_TAG) {
        let number = version.content.expect(INTEGER)?;
        let value = number.content.bytes.last().copied().unwrap_or_default();
        wire.put(&af::VERSION, Value::Unsigned(value.into()), number.content.range());
    }
    let serial = der.expect(INTEGER)?;
    wire.put(&af::SERIAL, Value::Bytes, serial.content.range());
    algorithm(wire, &af::ALGORITHM, der)?;
    name(wire, &af::ISSUER, der)?;
    let mut validity = der.expect(SEQUENCE)?;
    for field in [&af::NOT_BEFORE, &af::NOT_AFTER] {
        let time = validity.content.next()?;
        wire.put_text(field, time.content.range(), format_args!("{}", calendar(time.tag, time.content.bytes)));
    }
    let common = name(wire, &af::SUBJECT, der)?;
    let mut key = der.expect(SEQUENCE)?;
    algorithm(wire, &af::KEY_ALGORITHM, &mut key.content)?;
    let bits = key.content.expect(BIT_STRING)?;
    wire.put(&af::KEY, Value::Bytes, bits.content.range());
    let extensions = der.find(|element| element.tag == EXTENSIONS_TAG);
    if let Some(mut list) = extensions.and_then(|mut tagged| tagged.content.expect(SEQUENCE)) {
        for element in list.content.by_ref().take(MAX_ELEMENTS) {
            extension(wire, element.content);
        }
    }
    Some(common)
}

fn algorithm(wire: &mut Wire<'_>, field: &'static Field, der: &mut Der<'_>) -> Option<()> {
    let id = der.expect(SEQUENCE)?.content.expect(OBJECT_ID)?;
    wire.put_text(field, id.content.range(), format_args!("{}", object(id.content.bytes)));
    Some(())
}

/// Dissects a single distinguished name at this offset of the source.
pub(super) fn put_name(wire: &mut Wire<'_>, whole: &'static Field, at: usize, bytes: &[u8]) {
    let range = at..at + bytes.len();
    match (Der { bytes, at }).expect(SEQUENCE) {
        Some(name) => drop(relative_names(wire, whole, range, sets(name.content))),
        None => drop(wire.put(whole, Value::Text, range)),
    }
}

/// Dissects a name: as one text, then by attribute. Returns the common name, or else the complete name.
fn name(wire: &mut Wire<'_>, whole: &'static Field, der: &mut Der<'_>) -> Option<String> {
    let name = der.expect(SEQUENCE)?;
    Some(relative_names(wire, whole, name.range, sets(name.content)))
}

/// Returns the attribute sets of a name.
fn sets(name: Der<'_>) -> impl Iterator<Item = Der<'_>> + Clone {
    name.filter(|element| element.tag == SET).map(|set| set.content)
}

/// Dissects a name with these attribute sets.
fn relative_names<'a>(
    wire: &mut Wire<'_>,
    whole: &'static Field,
    range: Range<usize>,
    sets: impl Iterator<Item = Der<'a>> + Clone,
) -> String {
    let (mut words, mut common) = (String::new(), None);
    for (id, value) in attributes(sets.clone()) {
        let comma = if words.is_empty() { "" } else { ", " };
        let text = text(value.tag, value.content.bytes);
        // Writing to a String does not fail.
        let _ = write!(words, "{comma}{}={text}", object(id.content.bytes));
        if id.content.bytes == COMMON_NAME {
            common = Some(text);
        }
    }
    wire.put_text(whole, range, format_args!("{words}"));
    parts(wire, sets);
    common.unwrap_or(words)
}

/// Dissects each attribute of a name.
fn parts<'a>(wire: &mut Wire<'_>, sets: impl Iterator<Item = Der<'a>>) {
    for (id, value) in attributes(sets) {
        wire.put_text(&inf::ID, id.content.range(), format_args!("{}", object(id.content.bytes)));
        let field = match (id.content.bytes, value.tag) {
            (COUNTRY_NAME, _) => &sat::COUNTRY,
            (SERIAL_NUMBER, _) => &sat::SERIAL,
            (_, PRINTABLE_STRING) => &sat::PRINTABLE,
            (_, UTF8_STRING) => &sat::UTF8,
            (_, TELETEX_STRING) => &sat::TELETEX,
            (_, BMP_STRING) => &sat::BMP,
            (_, IA5_STRING) => &sat::IA5,
            _ => continue,
        };
        wire.put_text(field, value.content.range(), format_args!("{}", text(value.tag, value.content.bytes)));
    }
}

/// Returns types and values of the attributes of a name.
fn attributes<'a>(sets: impl Iterator<Item = Der<'a>>) -> impl Iterator<Item = (Element<'a>, Element<'a>)> {
    let pairs = sets.flatten().filter_map(|mut pair| Some((pair.content.expect(OBJECT_ID)?, pair.content.next()?)));
    pairs.take(MAX_ELEMENTS)
}

fn extension(wire: &mut Wire<'_>, mut der: Der<'_>) -> Option<()> {
    let id = der.expect(OBJECT_ID)?;
    let mut content = der.last()?.content.expect(SEQUENCE)?.content;
    match id.content.bytes {
        ALTERNATIVE_NAMES | ISSUER_ALTERNATIVE_NAMES => general_names(wire, content),
        BASIC_CONSTRAINTS => {
            let truth = content.expect(1)?;
            wire.put(&ce::CA, Value::Bool(truth.content.bytes != [0]), truth.content.range());
        }
        AUTHORITY_KEY => general_names(wire, content.find(|element| element.tag == 0xa1)?.content),
        CRL_DISTRIBUTION_POINTS | FRESHEST_CRL => {
            for point in content.take(MAX_ELEMENTS) {
                distribution_point(wire, point.content);
            }
        }
        // GeneralSubtrees, each of which begins with its base.
        NAME_CONSTRAINTS => {
            for subtree in content.flat_map(|subtrees| subtrees.content).take(MAX_ELEMENTS) {
                general_names(wire, subtree.content);
            }
        }
        // AccessDescription: method and location.
        AUTHORITY_ACCESS | SUBJECT_ACCESS => {
            for description in content.take(MAX_ELEMENTS) {
                general_names(wire, description.content);
            }
        }
        _ => {}
    }
    Some(())
}

/// Dissects a CRL distribution point: its names and its issuer.
fn distribution_point(wire: &mut Wire<'_>, point: Der<'_>) {
    for part in point {
        match part.tag {
            0xa0 => match part.content.clone().next() {
                Some(full) if full.tag == 0xa0 => general_names(wire, full.content),
                Some(relative) if relative.tag == 0xa1 => {
                    let range = relative.content.range();
                    relative_names(wire, &ce::DIRECTORY_NAME, range, std::iter::once(relative.content));
                }
                _ => {}
            },
            0xa2 => general_names(wire, part.content),
            _ => {}
        }
    }
}

/// Dissects GeneralNames by their tags; elements with other tags are skipped.
fn general_names(wire: &mut Wire<'_>, names: Der<'_>) {
    for name in names.take(MAX_ELEMENTS) {
        let mut content = name.content;
        let (field, value) = match (name.tag, content.bytes.len()) {
            (0x81, _) => (&ce::MAIL, Value::Text),
            (0x82, _) => (&ce::DNS_NAME, Value::Text),
            (0x86, _) => (&ce::URI, Value::Text),
            (0x87, 4) => (&ce::IPV4, Value::Bytes),
            (0x87, 16) => (&ce::IPV6, Value::Bytes),
            (0x88, _) => {
                wire.put_text(&ce::REGISTERED_ID, content.range(), format_args!("{}", object(content.bytes)));
                continue;
            }
            (0xa4, _) => {
                self::name(wire, &ce::DIRECTORY_NAME, &mut content);
                continue;
            }
            _ => continue,
        };
        wire.put(field, value, content.range());
    }
}

fn text(tag: u8, bytes: &[u8]) -> String {
    match tag {
        BMP_STRING => {
            let units = bytes.chunks_exact(2).map(|pair| pair.iter().fold(0, |unit: u16, byte| unit << 8 | u16::from(*byte)));
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        TELETEX_STRING => bytes.iter().map(|byte| char::from(*byte)).collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Formats a time in ISO 8601; other text is returned unchanged.
fn calendar(tag: u8, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let digits = match tag {
        // RFC 5280: years 50 to 99 belong to the 20th century.
        UTC_TIME if text.as_str() >= "5" => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        GENERALIZED_TIME => text.clone(),
        _ => return text,
    };
    let part = |range: Range<usize>| digits.get(range);
    let all = [part(0..4), part(4..6), part(6..8), part(8..10), part(10..12), part(12..14)];
    match all {
        [Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(second)] => {
            format!("{year}-{month}-{day} {hour}:{minute}:{second}")
        }
        _ => text,
    }
}

/// Formats an object identifier as its name, or in dotted decimal.
fn object(bytes: &[u8]) -> String {
    if let Some((_, name)) = OBJECTS.iter().find(|(known, _)| *known == bytes) {
        return (*name).to_owned();
    }
    ber::ObjectId(bytes.get(..64).unwrap_or(bytes)).to_string()
}

/// Adds the encoding of a time: UTCTime has 13 characters with its zone, GeneralizedTime more.
fn time_encoding(time: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    const UTC_TIME: usize = 13;
    take(Computed::Number(u64::from(time.bytes().len() > UTC_TIME)));
}
