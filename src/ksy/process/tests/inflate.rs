//! zlib, DEFLATE and gzip.

use super::*;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use flate2::{Compress, Compression, FlushCompress};
use std::io::Write;

fn deflated(name: &str, bytes: &[u8]) -> Vec<u8> {
    let level = Compression::best();
    match name {
        "zlib" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
    }
}

#[test]
fn a_whole_stream_is_decompressed_and_its_rest_is_known() {
    for name in ["zlib", "deflate", "gzip"] {
        for text in [&b""[..], b"hello hello hello", &[7; 100_000]] {
            let packed = deflated(name, text);
            assert_eq!(whole(name, &[], &packed).as_deref(), Ok(text), "{name}");
            let mut stage = stage(name, &[]);
            let mut out = Vec::new();
            stage.feed(&[&packed[..], b"next"].concat(), &mut out, 1 << 20).unwrap();
            assert_eq!((stage.rest(), out.as_slice()), (Some(4), text));
            for cut in 0..packed.len().min(40) {
                assert!(whole(name, &[], &packed[..cut]).is_err(), "{name} {cut}");
            }
        }
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    for name in ["zlib", "deflate", "gzip"] {
        let packed = deflated(name, &vec![0; 1 << 20]);
        let mut out = Vec::new();
        assert_eq!(stage(name, &[]).feed(&packed, &mut out, 1 << 16), Err(Failure::TooLong));
        assert!(out.len() <= 1 << 16);
        assert_eq!(stage(name, &[]).feed(&packed, &mut Vec::new(), 1 << 20), Ok(()));
        let (mut pieces, mut out) = (stage(name, &[]), Vec::new());
        pieces.feed(&packed[..20], &mut out, 1 << 20).unwrap();
        assert_eq!(pieces.feed(&packed[20..], &mut out, 1 << 16), Err(Failure::TooLong));
    }
}

/// Messages of one stream, each with a sync flush.
fn flushed(messages: &[Vec<u8>], header: bool) -> Vec<Vec<u8>> {
    let mut compress = Compress::new(Compression::best(), header);
    let pack = |message: &Vec<u8>| {
        let mut packed = Vec::with_capacity(message.len() + 100);
        compress.compress_vec(message, &mut packed, FlushCompress::Sync).unwrap();
        packed
    };
    messages.iter().map(pack).collect()
}

#[test]
fn what_senders_leave_out_is_added_at_the_end_of_a_message() {
    let messages: Vec<Vec<u8>> =
        (0..200_usize).map(|n| format!("message {} of {}", n % 7, n * n).repeat(n % 40 + 1).into_bytes()).collect();
    for (name, header) in [("zlib", true), ("deflate", false)] {
        for cut in [0, 4] {
            let mut stage = stage(name, &[]);
            for (message, packed) in messages.iter().zip(flushed(&messages, header)) {
                assert!(packed.ends_with(&[0, 0, 0xff, 0xff]));
                let mut out = Vec::new();
                stage.feed(&packed[..packed.len() - cut], &mut out, 1 << 20).unwrap();
                stage.end_message(&mut out, 1 << 20).unwrap();
                assert_eq!(out, *message);
                stage.end_message(&mut out, 1 << 20).unwrap();
            }
        }
    }
}

#[test]
fn headers_of_gzip_may_have_all_parts() {
    let parts = hex("1f8b 08 1e 00000000 00 03  0300 616263  6e616d6500  6300  0000");
    let packed = [parts, deflated("gzip", b"text")[10..].to_vec()].concat();
    assert_eq!(whole("gzip", &[], &packed), Ok(b"text".to_vec()));
}
