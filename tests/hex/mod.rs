//! Hex text as a whole: every dialect, and errors.

mod generated;
mod lists;
mod writers;

use crate::common::frames::{Owned, drain, drain_slowly, open, try_drain};
use crate::common::share_of;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use proto_dissect::input::{Link, Timestamp};
use proto_dissect::tree::Side;
use std::fs;
use writers::{COMMUNITY, DOUBTFUL, PACKET, PRINTED, WRITERS, Writer};

fn read(text: &str) -> (Vec<Owned>, Option<String>) {
    let (frames, error) = drain(text.as_bytes());
    let error = error.map(|error| {
        assert_eq!(error.code, "hex");
        error.to_string()
    });
    (frames, error)
}

fn bytes(frames: &[Owned]) -> Vec<&[u8]> {
    frames.iter().map(|frame| &frame.bytes[..]).collect()
}

fn concat_bytes(frames: &[Owned]) -> Vec<u8> {
    frames.iter().flat_map(|frame| frame.bytes.iter().copied()).collect()
}

/// All bytes of a text, or the error.
fn whole(text: &str) -> Result<Vec<u8>, String> {
    match try_drain(text.as_bytes()) {
        Ok((frames, None)) => Ok(concat_bytes(&frames)),
        Ok((_, Some(error))) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn all_writers() -> impl Iterator<Item = &'static Writer> {
    WRITERS.iter().chain(COMMUNITY).chain(DOUBTFUL)
}

#[test]
fn the_same_packet_comes_out_of_every_dialect() {
    for (name, write) in all_writers().chain(PRINTED) {
        let text = write(&PACKET);
        let bom = format!("\u{feff}{text}");
        for text in [text.trim_end(), &text.replace('\n', "\r\n"), &bom, &text] {
            let (frames, error) = read(text);
            assert_eq!(error, None, "{name}\n{text}");
            assert_eq!(bytes(&frames), [PACKET], "{name}\n{text}");
            assert_eq!(drain_slowly(text.as_bytes()).0, frames, "{name}");
        }
    }
    let (_, xxd) = all_writers().next().unwrap();
    assert_eq!(whole(&xxd(&PACKET).to_uppercase()).unwrap(), PACKET);
}

#[test]
fn a_cut_text_never_invents_bytes() {
    for (name, write) in PRINTED {
        let text = &write(&PACKET);
        let whole = concat_bytes(&read(text).0);
        // Less than the first line with data may match another dialect.
        for cut in (text.len() / 4..text.len()).step_by(7) {
            let Some(cut) = text.get(..cut) else { continue };
            let Ok(_) = open(cut.as_bytes()) else { continue };
            let part = concat_bytes(&drain(cut.as_bytes()).0);
            // Without braces, a digit may be truncated from a number unnoticed.
            let unseen = !cut.contains('{') && cut.bytes().rev().nth(1) == Some(b'x');
            assert!(unseen || whole.starts_with(&part), "{name} cut to {cut}");
        }
    }
}

/// The file of texts and what comes of them.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hex/cases.txt");

/// A packet, as a line of that file.
fn shown(frame: &Owned) -> String {
    let mut line = String::from("=");
    if let Some(Timestamp { seconds, nanos }) = frame.time {
        line += &format!(" @{seconds}.{nanos:09}");
    }
    let side = |side: Side, client, server| if side == Side::Client { client } else { server };
    line += frame.direction.map_or("", |of| side(of, " c", " s"));
    if let Some((source, target)) = frame.endpoints {
        line += &format!(" {source}>{target}");
    }
    match frame.link {
        Link::Stream(of) => line += side(of, " C", " S"),
        Link::Type(link) => line += &format!(" link:{link}"),
        Link::Unknown => {}
    }
    for run in frame.bytes.chunk_by(|one, next| one == next) {
        match run.len() {
            count @ 9.. => line += &format!(" {:02x}*{count}", run[0]),
            count => line += &format!(" {:02x}", run[0]).repeat(count),
        }
    }
    line + "\n"
}

#[test]
fn texts_have_their_packets_or_their_error() {
    let file = fs::read_to_string(CASES).unwrap();
    let (mut text, mut found) = (String::new(), String::new());
    for line in file.split_inclusive('\n') {
        match line.strip_prefix('|') {
            Some(line) => text.push_str(line),
            None if text.is_empty() => {
                found.push_str(if line.starts_with(['=', '!']) { "" } else { line });
                continue;
            }
            None => {
                let read = try_drain(text.as_bytes());
                if let Ok(read) = &read {
                    assert_eq!(&drain_slowly(text.as_bytes()), read, "{text}");
                    assert!((1..).zip(&read.0).all(|(number, frame)| frame.number == number), "{text}");
                }
                let (frames, error) = read.map_or_else(
                    |error| (Vec::new(), Some(error.to_string())),
                    |(frames, error)| (frames, error.map(|error| error.to_string())),
                );
                found.extend(text.split_inclusive('\n').map(|line| format!("|{line}")));
                found.extend(frames.iter().map(shown));
                found.extend(error.map(|error| format!("! {error}\n")));
                text.clear();
                found.push_str(if line.starts_with(['=', '!']) { "" } else { line });
            }
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(CASES, found).unwrap();
    } else {
        let differs = file.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
        assert!(file == found, "wanted and found: {differs:#?}");
    }
}
