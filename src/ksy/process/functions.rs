//! The functions of expressions.

use super::argument::{bytes, int, number, optional, required, text};
use super::checksum::{crc16, fletcher16};
use super::{Argument, Function, Kind, Parameter};
use hkdf::Hkdf;
use hmac::digest::Digest;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

type Made = Result<Argument, String>;

/// Maximum size of derived keys.
const MOST_DERIVED: u64 = 1 << 16;

/// Maximum number of rounds of PBKDF2, over all blocks of its output.
const MOST_ROUNDS: u64 = 1_000_000;

const DATA: Parameter = required("data", Kind::Bytes);
const KEY: Parameter = required("key", Kind::Bytes);
const SALT: Parameter = required("salt", Kind::Bytes);
const SIZE: Parameter = required("size", Kind::Int);
const HASH: Parameter = required("hash", Kind::Text);
const N: Parameter = required("n", Kind::Int);
const BYTES: Parameter = required("bytes", Kind::Bytes);
const OFFSET: Parameter = required("offset", Kind::Int);

type Call = fn(&[Argument]) -> Made;

/// One that returns bytes.
const fn makes_bytes(name: &'static str, parameters: &'static [Parameter], call: Call, summary: &'static str) -> Function {
    Function { name, parameters, summary, result: Kind::Bytes, call }
}

/// One that returns an integer.
const fn makes_int(name: &'static str, parameters: &'static [Parameter], call: Call, summary: &'static str) -> Function {
    Function { name, parameters, summary, result: Kind::Int, call }
}

/// The functions, by kind.
#[rustfmt::skip]
pub(in crate::ksy) static FUNCTIONS: &[Function] = &[
    makes_bytes("md5", &[DATA], digest::<Md5>, "MD5, 16 bytes"),
    makes_bytes("sha1", &[DATA], digest::<Sha1>, "SHA-1, 20 bytes"),
    makes_bytes("sha256", &[DATA], digest::<Sha256>, "SHA-256, 32 bytes"),
    makes_bytes("sha512", &[DATA], digest::<Sha512>, "SHA-512, 64 bytes"),
    makes_bytes("hmac_md5", &[KEY, DATA], mac::<Hmac<Md5>>, "HMAC with MD5"),
    makes_bytes("hmac_sha1", &[KEY, DATA], mac::<Hmac<Sha1>>, "HMAC with SHA-1"),
    makes_bytes("hmac_sha256", &[KEY, DATA], mac::<Hmac<Sha256>>, "HMAC with SHA-256"),
    makes_bytes("hmac_sha512", &[KEY, DATA], mac::<Hmac<Sha512>>, "HMAC with SHA-512"),
    makes_bytes("pbkdf2", &[required("password", Kind::Bytes), SALT, required("rounds", Kind::Int), SIZE, HASH], pbkdf2, "PBKDF2 (RFC 8018), `hash` \"sha1\" or \"sha256\", at most 65536 bytes and 1000000 rounds in all"),
    makes_bytes("hkdf", &[required("ikm", Kind::Bytes), SALT, required("info", Kind::Bytes), SIZE, optional("hash", Kind::Text)], hkdf, "HKDF (RFC 5869), `hash` \"sha256\", or \"sha1\""),
    makes_int("crc32", &[DATA], crc32, "CRC-32 of zlib and Ethernet"),
    makes_int("crc16", &[DATA, optional("variant", Kind::Any)], crc16_of, "CRC-16: \"arc\" (without a second argument), \"modbus\", \"usb\", \"xmodem\", \"ccitt_false\", \"kermit\", \"x25\", or a polynomial, which is not reflected and starts with 0"),
    makes_int("adler32", &[DATA], adler32, "Adler-32"),
    makes_int("fletcher16", &[DATA], fletcher16_of, "Fletcher-16"),
    makes_bytes("xor", &[BYTES, KEY], xor, "exclusive or with a key that repeats; unchanged with an empty one"),
    makes_bytes("add_u4le", &[BYTES, OFFSET, N], add_u4le, "adds n to the little-endian 32-bit number at an offset, modulo 2³²"),
    makes_bytes("add_u4be", &[BYTES, OFFSET, N], add_u4be, "the same, big-endian"),
    makes_bytes("u1", &[N], |arguments| number_to(arguments, 1, Order::Little), "n as one byte, modulo 2⁸"),
    makes_bytes("u2le", &[N], |arguments| number_to(arguments, 2, Order::Little), "n as 2 bytes, little-endian, modulo 2¹⁶"),
    makes_bytes("u2be", &[N], |arguments| number_to(arguments, 2, Order::Big), "the same, big-endian"),
    makes_bytes("u4le", &[N], |arguments| number_to(arguments, 4, Order::Little), "n as 4 bytes, little-endian, modulo 2³²"),
    makes_bytes("u4be", &[N], |arguments| number_to(arguments, 4, Order::Big), "the same, big-endian"),
    makes_bytes("u8le", &[N], |arguments| number_to(arguments, 8, Order::Little), "n as 8 bytes, little-endian, modulo 2⁶⁴"),
    makes_bytes("u8be", &[N], |arguments| number_to(arguments, 8, Order::Big), "the same, big-endian"),
    makes_bytes("reverse", &[BYTES], reverse, "the bytes in reverse order"),
    makes_bytes("hex", &[required("text", Kind::Text)], hex, "the bytes of hexadecimal digits, which blanks may separate"),
];

fn digest<D: Digest>(arguments: &[Argument]) -> Made {
    Ok(Argument::Bytes(D::digest(bytes(arguments, 0, "data")?).to_vec()))
}

fn mac<M: Mac + KeyInit>(arguments: &[Argument]) -> Made {
    let (key, data) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "data")?);
    let mac = <M as KeyInit>::new_from_slice(key).map_err(|error| error.to_string())?;
    Ok(Argument::Bytes(mac.chain_update(data).finalize().into_bytes().to_vec()))
}

/// An output of this many zeros.
fn output(size: u64) -> Vec<u8> {
    vec![0; usize::try_from(size).unwrap_or_default()]
}

fn unknown_hash(hash: &str) -> String {
    format!("`hash` is `{hash}`; it must be `sha1` or `sha256`")
}

fn pbkdf2(arguments: &[Argument]) -> Made {
    let (password, salt) = (bytes(arguments, 0, "password")?, bytes(arguments, 1, "salt")?);
    let (rounds, size) = (number(arguments, 2, "rounds", MOST_ROUNDS)?, number(arguments, 3, "size", MOST_DERIVED)?);
    let hash = text(arguments, 4, "hash")?;
    let block = match hash {
        "sha1" => 20,
        "sha256" => 32,
        other => return Err(unknown_hash(other)),
    };
    if rounds.saturating_mul(size.div_ceil(block)) > MOST_ROUNDS {
        return Err(format!("{rounds} rounds for {size} bytes are too many; {MOST_ROUNDS} in all are allowed"));
    }
    let Some(rounds) = u32::try_from(rounds).ok().filter(|rounds| *rounds > 0) else {
        return Err(String::from("`rounds` must be at least 1"));
    };
    let mut out = output(size);
    match hash {
        "sha1" => pbkdf2::pbkdf2::<Hmac<Sha1>>(password, salt, rounds, &mut out),
        _ => pbkdf2::pbkdf2::<Hmac<Sha256>>(password, salt, rounds, &mut out),
    }
    .map_err(|error| error.to_string())?;
    Ok(Argument::Bytes(out))
}

fn hkdf(arguments: &[Argument]) -> Made {
    let (ikm, salt) = (bytes(arguments, 0, "ikm")?, bytes(arguments, 1, "salt")?);
    let (info, size) = (bytes(arguments, 2, "info")?, number(arguments, 3, "size", MOST_DERIVED)?);
    let hash = if arguments.len() < 5 { "sha256" } else { text(arguments, 4, "hash")? };
    let mut out = output(size);
    match hash {
        "sha1" => Hkdf::<Sha1>::new(Some(salt), ikm).expand(info, &mut out),
        "sha256" => Hkdf::<Sha256>::new(Some(salt), ikm).expand(info, &mut out),
        other => return Err(unknown_hash(other)),
    }
    .map_err(|_| format!("`size` is {size}; it must be at most 255 digests"))?;
    Ok(Argument::Bytes(out))
}

fn crc32(arguments: &[Argument]) -> Made {
    Ok(Argument::Int(crc32fast::hash(bytes(arguments, 0, "data")?).into()))
}

fn adler32(arguments: &[Argument]) -> Made {
    Ok(Argument::Int(adler2::adler32_slice(bytes(arguments, 0, "data")?).into()))
}

fn fletcher16_of(arguments: &[Argument]) -> Made {
    Ok(Argument::Int(fletcher16(bytes(arguments, 0, "data")?).into()))
}

fn crc16_of(arguments: &[Argument]) -> Made {
    let sum = crc16(bytes(arguments, 0, "data")?, arguments.get(1))?;
    Ok(Argument::Int(sum.into()))
}

fn xor(arguments: &[Argument]) -> Made {
    let (data, key) = (bytes(arguments, 0, "bytes")?, bytes(arguments, 1, "key")?);
    let mut out = data.to_vec();
    out.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
    Ok(Argument::Bytes(out))
}

#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

/// The low bytes of a number.
fn number_to(arguments: &[Argument], size: usize, order: Order) -> Made {
    let number = int(arguments, 0, "n")?.to_le_bytes();
    let mut bytes: Vec<u8> = number.into_iter().take(size).collect();
    if let Order::Big = order {
        bytes.reverse();
    }
    Ok(Argument::Bytes(bytes))
}

fn add_u4le(arguments: &[Argument]) -> Made {
    add_u4(arguments, u32::from_le_bytes, u32::to_le_bytes)
}

fn add_u4be(arguments: &[Argument]) -> Made {
    add_u4(arguments, u32::from_be_bytes, u32::to_be_bytes)
}

fn add_u4(arguments: &[Argument], read: fn([u8; 4]) -> u32, write: fn(u32) -> [u8; 4]) -> Made {
    let (mut out, offset) = (bytes(arguments, 0, "bytes")?.to_vec(), int(arguments, 1, "offset")?);
    let [a, b, c, d, ..] = int(arguments, 2, "n")?.to_le_bytes();
    let len = out.len();
    let number = usize::try_from(offset).ok().and_then(|offset| out.get_mut(offset..)?.first_chunk_mut::<4>());
    let number = number.ok_or_else(|| format!("`offset` is {offset}, and there are {len} bytes"))?;
    *number = write(read(*number).wrapping_add(u32::from_le_bytes([a, b, c, d])));
    Ok(Argument::Bytes(out))
}

fn reverse(arguments: &[Argument]) -> Made {
    Ok(Argument::Bytes(bytes(arguments, 0, "bytes")?.iter().rev().copied().collect()))
}

fn hex(arguments: &[Argument]) -> Made {
    let digits: Vec<u8> = text(arguments, 0, "text")?.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let decoded = data_encoding::HEXLOWER_PERMISSIVE.decode(&digits);
    decoded.map(Argument::Bytes).map_err(|_| String::from("`text` must be pairs of hexadecimal digits"))
}
