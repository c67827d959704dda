//! Cost of reading compared with the minimum: a file read in blocks, and the same file as frames.
//!
//! `PROTO_DISSECT_CAPTURE=FILE cargo bench --bench reading` uses this capture; otherwise one with full frames is generated.

use divan::Bencher;
use divan::counter::BytesCount;
use proto_dissect::input::Capture;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

const BLOCK: usize = 256 << 10;
const MADE_FRAMES: u32 = 40_000;
const MADE_LEN: u32 = 1514;

fn main() {
    divan::main();
}

static PATH: LazyLock<PathBuf> = LazyLock::new(|| match std::env::var_os("PROTO_DISSECT_CAPTURE") {
    Some(path) => PathBuf::from(path),
    None => made().unwrap_or_default(),
});

/// A capture of full Ethernet frames.
fn made() -> io::Result<PathBuf> {
    let path = std::env::temp_dir().join("proto-dissect-bench.pcap");
    let mut file = io::BufWriter::new(File::create(&path)?);
    file.write_all(b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0")?;
    let frame = vec![0x5a; MADE_LEN as usize];
    for number in 0..MADE_FRAMES {
        for word in [number, 0, MADE_LEN, MADE_LEN] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&frame)?;
    }
    file.flush()?;
    Ok(path)
}

fn len() -> u64 {
    fs::metadata(&*PATH).map_or(0, |about| about.len())
}

#[divan::bench]
fn in_blocks(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(len())).bench_local(|| {
        let Ok(mut file) = File::open(&*PATH) else { return 0 };
        let mut block = vec![0; BLOCK];
        let mut bytes = 0;
        while let Ok(count @ 1..) = file.read(&mut block) {
            bytes += black_box(block.get(..count)).map_or(0, <[u8]>::len);
        }
        bytes
    });
}

#[divan::bench]
fn as_frames(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(len())).bench_local(|| {
        let Ok(file) = File::open(&*PATH) else { return 0 };
        let Ok(mut capture) = Capture::open(Box::new(file)) else { return 0 };
        let mut bytes = 0;
        while let Ok(Some(frame)) = capture.next_frame() {
            bytes += black_box(frame.bytes).len();
        }
        bytes
    });
}
