//! Parts of messages. Members of a sequence carry their numbers as tags.

use super::fields::*;
use super::message_type;
use super::names::ERRORS;
use super::padata::{self, Fast};
use crate::protocols::ber::{BIT_STRING, Ber, INTEGER, OCTET_STRING, SEQUENCE};
use crate::tree::{Field, Value, name_of};
use crate::wire::{Result, Wire};

pub(super) const BER: Ber = Ber { element: &ELEMENT, unknown: &UNKNOWN, bad: &BAD };
const GENERAL_STRING: u8 = 0x1b;
const GENERALIZED_TIME: u8 = 0x18;
const TICKET_TAG: u8 = 0x61;
/// Class and form of the tag of a member.
pub(super) const MEMBER: u8 = 0xa0;

type Words = Vec<String>;

/// Members of a sequence, by number. Those unknown to `read` are bytes.
pub(super) fn members(wire: &mut Wire<'_>, mut read: impl FnMut(&mut Wire<'_>, u8) -> Result<bool>) -> Result {
    BER.inside(wire, SEQUENCE, |wire| {
        while wire.remaining() > 0 {
            let tag = wire.peek_u8().unwrap_or_default();
            if tag & 0xe0 != MEMBER {
                return BER.unexpected(wire, "a numbered member");
            }
            BER.inside(wire, tag, |wire| {
                if !read(wire, tag & 0x1f)? {
                    wire.rest(&UNKNOWN);
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// Elements of a list.
pub(super) fn list(wire: &mut Wire<'_>, read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    BER.inside(wire, SEQUENCE, |wire| wire.each(read))
}

/// A member that was read.
pub(super) fn known<T>(result: Result<T>) -> Result<bool> {
    result.map(|_| true)
}

pub(super) fn text(wire: &mut Wire<'_>, field: &'static Field) -> Result<bool> {
    known(BER.string(wire, GENERAL_STRING, field))
}

fn time(wire: &mut Wire<'_>, field: &'static Field) -> Result<bool> {
    known(BER.string(wire, GENERALIZED_TIME, field))
}

pub(super) fn number(wire: &mut Wire<'_>, field: &'static Field) -> Result<bool> {
    known(BER.signed(wire, INTEGER, field))
}

fn bits(wire: &mut Wire<'_>, padding: &'static Field, field: &'static Field) -> Result<bool> {
    known(BER.inside(wire, BIT_STRING, |wire| {
        wire.u8(padding)?;
        if wire.remaining() > 0 { wire.bytes(field, wire.remaining()).map(drop) } else { Ok(()) }
    }))
}

/// A message of any type. Adds to its summary.
pub(super) fn message(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    let tag = wire.peek_u8().unwrap_or_default();
    BER.inside(wire, tag, |wire| match message_type(tag) {
        10 | 12 => request(wire, words),
        11 | 13 => response(wire, words),
        14 => application_request(wire),
        30 => error(wire, words),
        _ => members(wire, |wire, member| match member {
            0 => number(wire, &VERSION),
            1 => number(wire, &TYPE),
            2 | 3 if wire.peek_u8() == Some(SEQUENCE) => known(encrypted(wire, &ENCRYPTED)),
            _ => Ok(false),
        }),
    })
}

fn request(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    members(wire, |wire, member| match member {
        1 => number(wire, &VERSION),
        2 => number(wire, &TYPE),
        3 => known(padata::items(wire, Fast::Request)),
        4 => known(wire.group(&BODY, |wire| body(wire, words))),
        _ => Ok(false),
    })
}

fn body(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    members(wire, |wire, member| match member {
        0 => bits(wire, &OPTIONS_PADDING, &OPTIONS),
        1 => known(principal(wire, &CNAME, &CNAME_STRING, words)),
        2 => text(wire, &REALM),
        3 => known(principal(wire, &SNAME, &SNAME_STRING, words)),
        4 => time(wire, &FROM),
        5 => time(wire, &TILL),
        6 => time(wire, &RENEW),
        7 => known(BER.unsigned(wire, INTEGER, &NONCE)),
        8 => known(list(wire, |wire| BER.signed(wire, INTEGER, &CIPHER_LIST).map(drop))),
        9 => known(list(wire, |wire| wire.group(&ADDRESS, address))),
        10 => known(encrypted(wire, &ENCRYPTED)),
        11 => known(list(wire, ticket)),
        _ => Ok(false),
    })
}

fn address(wire: &mut Wire<'_>) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &ADDRESS_TYPE),
        1 => known(BER.string(wire, OCTET_STRING, &ADDRESS_VALUE)),
        _ => Ok(false),
    })
}

/// A name of one or more parts.
fn principal(wire: &mut Wire<'_>, group: &'static Field, field: &'static Field, words: &mut Words) -> Result {
    let mut parts = Vec::new();
    wire.group(group, |wire| {
        members(wire, |wire, member| match member {
            0 => number(wire, &NAME_TYPE),
            1 => known(list(wire, |wire| {
                let part = BER.string(wire, GENERAL_STRING, field)?;
                parts.push(String::from_utf8_lossy(part).into_owned());
                Ok(())
            })),
            _ => Ok(false),
        })
    })?;
    words.push(parts.join("/"));
    Ok(())
}

fn response(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &VERSION),
        1 => number(wire, &TYPE),
        2 => known(padata::items(wire, Fast::Response)),
        3 => text(wire, &CREALM),
        4 => known(principal(wire, &CNAME, &CNAME_STRING, words)),
        5 => known(ticket(wire)),
        6 => known(encrypted(wire, &ENCRYPTED)),
        _ => Ok(false),
    })
}

fn application_request(wire: &mut Wire<'_>) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &VERSION),
        1 => number(wire, &TYPE),
        2 => bits(wire, &BITS_PADDING, &AP_OPTIONS),
        3 => known(ticket(wire)),
        4 => known(encrypted(wire, &ENCRYPTED)),
        _ => Ok(false),
    })
}

fn ticket(wire: &mut Wire<'_>) -> Result {
    wire.group(&TICKET, |wire| {
        BER.inside(wire, TICKET_TAG, |wire| {
            members(wire, |wire, member| match member {
                0 => number(wire, &TICKET_VERSION),
                1 => text(wire, &REALM),
                2 => known(principal(wire, &SNAME, &SNAME_STRING, &mut Vec::new())),
                3 => known(encrypted(wire, &ENCRYPTED)),
                _ => Ok(false),
            })
        })
    })
}

/// Encrypted data, in a group of this field.
pub(super) fn encrypted(wire: &mut Wire<'_>, group: &'static Field) -> Result {
    wire.group(group, |wire| {
        members(wire, |wire, member| match member {
            0 => number(wire, &CIPHER),
            1 => known(BER.unsigned(wire, INTEGER, &KEY_VERSION)),
            2 => known(BER.string(wire, OCTET_STRING, &DATA)),
            _ => Ok(false),
        })
    })
}

fn error(wire: &mut Wire<'_>, words: &mut Words) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &VERSION),
        1 => number(wire, &TYPE),
        2 => time(wire, &CLIENT_TIME),
        3 => number(wire, &CLIENT_MICROS),
        4 => time(wire, &SERVER_TIME),
        5 => number(wire, &SERVER_MICROS),
        6 => {
            let code = BER.signed(wire, INTEGER, &ERROR)?;
            words.push(name_of(ERRORS, code.cast_unsigned()).map_or_else(|| format!("error {code}"), str::to_owned));
            Ok(true)
        }
        7 => text(wire, &CREALM),
        8 => known(principal(wire, &CNAME, &CNAME_STRING, words)),
        9 => text(wire, &REALM),
        10 => known(principal(wire, &SNAME, &SNAME_STRING, words)),
        11 => text(wire, &ERROR_TEXT),
        12 => known(BER.inside(wire, OCTET_STRING, |wire| wire.parent(&ERROR_DATA, Value::Bytes, error_data))),
        13 => known(checksum(wire)),
        _ => Ok(false),
    })
}

fn error_data(wire: &mut Wire<'_>) -> Result {
    if padata::is_list(wire.ahead()) {
        return padata::items(wire, Fast::Response);
    }
    wire.skip(wire.remaining())
}

pub(super) fn checksum(wire: &mut Wire<'_>) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &CHECKSUM),
        1 => known(BER.string(wire, OCTET_STRING, &CHECKSUM_VALUE)),
        _ => Ok(false),
    })
}
