//! The processors.

use super::argument::{optional, required};
use super::{Kind, Parameter, Processor, aead, aes, block, huffman, inflate, keystream, lz4, plain, whole, zstd};

type Make = fn(&[super::Argument]) -> super::Made;

/// One whose output is as long as its input.
const fn cipher(name: &'static str, parameters: &'static [Parameter], make: Make, summary: &'static str) -> Processor {
    Processor { name, parameters, summary, keeps_length: true, make }
}

/// One whose output has another length.
const fn packed(name: &'static str, parameters: &'static [Parameter], make: Make, summary: &'static str) -> Processor {
    Processor { name, parameters, summary, keeps_length: false, make }
}

const KEY: Parameter = required("key", Kind::Bytes);
const IV: Parameter = required("iv", Kind::Bytes);
const NONCE: Parameter = required("nonce", Kind::Bytes);
const AAD: Parameter = optional("aad", Kind::Bytes);
const BITS: Parameter = required("bits", Kind::Int);

/// The processors, by kind.
#[rustfmt::skip]
pub(in crate::ksy) static PROCESSORS: &[Processor] = &[
    cipher("xor", &[required("key", Kind::Any)], plain::xor, "exclusive or with a byte, or with bytes that repeat"),
    cipher("rol", &[BITS], plain::rotate_left, "each byte rotated left"),
    cipher("ror", &[BITS], plain::rotate_right, "each byte rotated right"),
    cipher("xor_chain", &[KEY], plain::xor_chain, "exclusive or with a key that repeats and with the previous encrypted byte (Lineage 2)"),
    cipher("rc4", &[KEY, optional("drop", Kind::Int)], keystream::rc4, "RC4, key of 1 to 256 bytes; `drop` bytes of keystream are discarded first"),
    cipher("chacha20", &[KEY, NONCE, optional("counter", Kind::Int)], keystream::chacha20, "ChaCha20, key of 32 bytes; nonce of 12 bytes (RFC 8439), 8 (original) or 24 (XChaCha20); first block `counter`, or 0"),
    cipher("salsa20", &[KEY, NONCE], keystream::salsa20, "Salsa20, key of 32 bytes, nonce of 8, or of 24 (XSalsa20)"),
    cipher("isaac", &[required("seed", Kind::Bytes), optional("add", Kind::Int)], keystream::isaac, "ISAAC of RuneScape: each byte is an opcode, minus the low byte of the next word; seed of big-endian words, to each of which `add` is added (50 for the server)"),
    cipher("aes_ctr", &[KEY, IV], aes::ctr, "AES-CTR, key of 16, 24 or 32 bytes; `iv` is the first counter, 16 bytes, big-endian"),
    cipher("aes_ofb", &[KEY, IV], aes::ofb, "AES-OFB"),
    cipher("aes_cfb8", &[KEY, IV], aes::cfb8, "AES-CFB with segments of one byte (Minecraft)"),
    cipher("aes_cfb128", &[KEY, IV], aes::cfb128, "AES-CFB with segments of a block"),
    cipher("aes_ecb", &[KEY], block::aes_ecb, "AES, block by block; as in all block ciphers, padding stays; so do bytes behind the last whole block"),
    cipher("aes_cbc", &[KEY, IV], block::aes_cbc, "AES-CBC; an incomplete last block is an error"),
    cipher("blowfish", &[KEY, optional("order", Kind::Text)], block::blowfish, "Blowfish, key of 4 to 56 bytes; `order` of the words in a block: \"be\", or \"le\" (Lineage 2)"),
    cipher("twofish", &[KEY], block::twofish, "Twofish, key of 16, 24 or 32 bytes"),
    cipher("xtea", &[KEY], block::xtea, "XTEA of 32 rounds with little-endian words (Tibia), key of 16 bytes"),
    cipher("des", &[KEY], block::des, "DES, key of 8 bytes"),
    cipher("des3", &[KEY], block::des3, "Triple DES (EDE), key of 16 or 24 bytes"),
    cipher("rc5", &[KEY], block::rc5, "RC5-32/12/16, key of 16 bytes"),
    packed("aes_gcm", &[KEY, NONCE, AAD], aead::aes_gcm, "AES-GCM, nonce of 12 bytes; the tag of 16 bytes is at the end"),
    packed("chacha20_poly1305", &[KEY, NONCE, AAD], aead::chacha20_poly1305, "ChaCha20-Poly1305 (RFC 8439), nonce of 12 bytes, or 24 (XChaCha20-Poly1305); the tag is at the end"),
    packed("zlib", &[], inflate::zlib, "zlib (RFC 1950)"),
    packed("deflate", &[], inflate::deflate, "DEFLATE without a header (RFC 1951)"),
    packed("gzip", &[], inflate::gzip, "gzip (RFC 1952), one member"),
    packed("lz4", &[optional("size", Kind::Int)], lz4::block, "an LZ4 block per message, of `size` decompressed bytes; continued, earlier output is its dictionary"),
    packed("lz4_frame", &[], lz4::frame, "LZ4 frames, without a dictionary"),
    packed("zstd", &[], zstd::zstd, "Zstandard frames (RFC 8878), each decoded when it is complete"),
    packed("snappy", &[], whole::snappy, "a snappy block per message"),
    packed("lzo", &[], whole::lzo, "LZO1X, one message at a time"),
    packed("bzip2", &[], whole::bzip2, "bzip2, one message at a time"),
    packed("huffman", &[required("table", Kind::Text)], huffman::huffman, "codes of a table (Ultima Online): lines of a symbol and its code in 0 and 1; symbol 256 ends a message"),
];
