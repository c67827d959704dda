//! TFTP (RFC 1350) with options (RFC 2347).
//!
//! The request goes to port 69. The server responds from another port, which the transfer uses from there on.
//!
//! ```text
//! opcode:2
//!   1 read, 2 write         file, NUL | mode, NUL | (option, NUL | value, NUL) …
//!   3 data                  block:2 | bytes, fewer than the block size in the last block
//!   4 acknowledgment        block:2
//!   5 error                 code:2 | message, NUL
//!   6 option acknowledgment (option, NUL | value, NUL) …
//! ```

use crate::limits;
use crate::tree::{Names, Side, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&TFTP, FIELDS)
    .found(&[
        On::Udp(69).exchange::<Transfer>(Heuristic::Datagram(is_request)),
        On::Over("tftp.transfer").exchange::<Transfer>(Heuristic::Datagram(is_message)),
        On::Udp(69).exchange::<Transfer>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    TFTP = protocol("tftp", "TFTP", "Trivial File Transfer Protocol")
        .covers("All messages with their options; transferred files can be saved");
    OPCODE = number("tftp.opcode", "Opcode", "").names(OPCODES).once();
    SOURCE = text("tftp.source_file", "Source file", "File requested from the server").once();
    DESTINATION = text("tftp.destination_file", "Destination file", "File written to the server");
    MODE = text("tftp.type", "Type", "Transfer mode: octet, netascii or mail").once();
    BLOCK = number("tftp.block", "Block", "Block number; 65535 is followed by 0").once();
    DATA = bytes("tftp.data", "Data", "").body().once();
    CODE = number("tftp.error.code", "Error code", "").names(ERRORS).once();
    MESSAGE = text("tftp.error.message", "Error message", "").once();
    OPTION = group("tftp.option", "option", "RFC 2347").named(title::key, title::last_value, title::nothing);
    OPTION_NAME = text("tftp.option.name", "Option name", "");
    OPTION_VALUE = text("tftp.option.value", "Option value", "");
    TOO_LONG = info("tftp.note.too_long", "not saved", "The file exceeds the limit for saved objects");
}

const OPCODES: Names =
    &[(1, "read request"), (2, "write request"), (3, "data"), (4, "acknowledgement"), (5, "error"), (6, "options accepted")];
const ERRORS: Names = &[
    (0, "not defined"),
    (1, "file not found"),
    (2, "access violation"),
    (3, "disk full"),
    (4, "illegal operation"),
    (5, "unknown transfer"),
    (6, "file exists"),
    (7, "no such user"),
    (8, "option refused"),
];

const READ: u16 = 1;
const WRITE: u16 = 2;

/// Default block size in bytes.
const BLOCK_SIZE: usize = 512;

fn is_message(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && matches!(bytes, [0, 1..=6, ..])
}

/// Recognizes a request, or the beginning of a transfer on port 69.
fn is_request(bytes: &[u8]) -> bool {
    is_message(bytes)
}

/// Recognizes a file name and a mode behind another operation.
fn is_likely(bytes: &[u8]) -> bool {
    const MODES: [&[u8]; 3] = [b"netascii", b"octet", b"mail"];
    let words = bytes.strip_prefix(&[0]).and_then(|rest| rest.get(1..)).unwrap_or_default();
    let mode = words.split(|byte| *byte == 0).nth(1).unwrap_or_default();
    MODES.iter().any(|known| known.eq_ignore_ascii_case(mode))
}

/// State of a transfer.
#[derive(Default)]
struct Transfer {
    /// File name of the request.
    name: String,
    /// Received data, and whether it is incomplete or exceeds the limit.
    file: Vec<u8>,
    lost: bool,
    /// Number of the last block.
    last: u16,
    size: Option<usize>,
}

impl Exchange for Transfer {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let opcode = wire.u16_be(&OPCODE)?;
        wire.name(name_of(OPCODES, opcode.into()).unwrap_or("unknown operation"));
        match opcode {
            READ | WRITE => self.request(wire, opcode),
            3 => self.data(wire),
            4 => {
                let block = wire.u16_be(&BLOCK)?;
                wire.info(format_args!("block {block}"));
                Ok(())
            }
            5 => {
                let code = wire.u16_be(&CODE)?;
                wire.info(format_args!("{}", name_of(ERRORS, code.into()).unwrap_or("unknown error")));
                wire.text_nul(&MESSAGE).map(drop)
            }
            6 => self.options(wire),
            _ => wire.rest_is(&DATA),
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.name.capacity() + self.file.capacity()
    }

    fn announced(&mut self, file: &[u8]) {
        self.name = file_name(file);
    }
}

/// File name without directories.
fn file_name(path: &[u8]) -> String {
    let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// Dissects an option. Returns the block size if it sets one.
fn option(wire: &mut Wire<'_>) -> Result<Option<usize>> {
    wire.group(&OPTION, |wire| {
        let name = wire.text_nul(&OPTION_NAME)?;
        let value = wire.text_nul(&OPTION_VALUE)?;
        let size = || std::str::from_utf8(value).ok()?.parse().ok();
        Ok(if name.eq_ignore_ascii_case(b"blksize") { size() } else { None })
    })
}

impl Transfer {
    /// Dissects a request. The response comes from another port.
    fn request(&mut self, wire: &mut Wire<'_>, opcode: u16) -> Result {
        let file = wire.text_nul(if opcode == READ { &SOURCE } else { &DESTINATION })?;
        self.name = file_name(file);
        wire.info(format_args!("{}", String::from_utf8_lossy(file)));
        wire.text_nul(&MODE)?;
        if let Some([asker, _]) = wire.ends() {
            wire.expect_with(asker, "tftp.transfer", file);
        }
        wire.each(option)
    }

    fn options(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.each(|wire| {
            self.size = option(wire)?.or(self.size);
            Ok(())
        })
    }

    fn data(&mut self, wire: &mut Wire<'_>) -> Result {
        let block = wire.u16_be(&BLOCK)?;
        wire.embeds("data");
        let data = wire.rest(&DATA);
        wire.info(format_args!("block {block}, {} bytes", data.len()));
        if block != self.last.wrapping_add(1) {
            // Retransmitted blocks are ignored.
            self.lost |= block != self.last;
            return Ok(());
        }
        self.last = block;
        if self.file.len() + data.len() > limits::TFTP_FILE.get() && !self.lost {
            self.lost = true;
            self.file = Vec::new();
            wire.note(&TOO_LONG, format_args!("more than {} bytes", limits::TFTP_FILE.get()));
        }
        if self.lost {
            return Ok(());
        }
        self.file.extend_from_slice(data);
        if data.len() < self.size.unwrap_or(BLOCK_SIZE) {
            let port = wire.ends().map_or(0, |[from, _]| from.port());
            let file = std::mem::take(&mut self.file);
            let name = if self.name.is_empty() { format!("tftp-{port}") } else { std::mem::take(&mut self.name) };
            wire.object("file", &name, || Some(file));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const READ_REQUEST: &str = "00016d6170732f706c617a612e62696e006f6374657400626c6b73697a65003800";
    const ACCEPTED: &str = "0006626c6b73697a65003800";
    const FIRST: &str = "00030001706c617a612c2061";
    const ACKNOWLEDGED: &str = "00040001";
    const LAST: &str = "000300026d6170";
    const FAILURE: &str = "000500016e6f2073756368206d617000";

    fn read(transfer: &mut Transfer, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| transfer.message(Side::Client, wire))
    }

    fn alone(hex: &str) -> String {
        read(&mut Transfer::default(), hex)
    }

    #[test]
    fn a_read_request_with_options_is_dissected() {
        insta::assert_snapshot!(alone(READ_REQUEST), @r#"
        tftp 0..33 | read request | maps/plaza.bin
          0..2 tftp.opcode = 1 (read request)
          2..17 tftp.source_file = "maps/plaza.bin"
          17..23 tftp.type = "octet"
          23..33 tftp.option
            23..31 tftp.option.name = "blksize"
            31..33 tftp.option.value = "8"
        "#);
    }

    #[test]
    fn blocks_are_reassembled_to_a_file() {
        let mut transfer = Transfer::default();
        read(&mut transfer, ACCEPTED);
        insta::assert_snapshot!(read(&mut transfer, FIRST), @r#"
        tftp 0..12 | data | block 1, 8 bytes
          0..2 tftp.opcode = 3 (data)
          2..4 tftp.block = 1
          4..12 tftp.data = 706c617a612c2061
        "#);
        assert_eq!(transfer.file, b"plaza, a");
        read(&mut transfer, ACKNOWLEDGED);
        read(&mut transfer, FIRST);
        assert_eq!((transfer.file.len(), transfer.lost), (8, false), "a repeated block counts once");
        read(&mut transfer, LAST);
        assert!(transfer.file.is_empty() && !transfer.lost, "the last block gives the file away");
    }

    #[test]
    fn a_file_has_the_name_of_the_request() {
        let mut transfer = Transfer::default();
        transfer.announced(b"maps/plaza.bin");
        assert_eq!(transfer.name, "plaza.bin");
        transfer.announced(b"C:\\maps\\inn.bin");
        assert_eq!(transfer.name, "inn.bin");
        read(&mut transfer, READ_REQUEST);
        assert_eq!(transfer.name, "plaza.bin");
    }

    #[test]
    fn a_file_with_a_missing_block_is_not_saved() {
        let mut transfer = Transfer::default();
        read(&mut transfer, LAST);
        assert!(transfer.lost);
    }

    #[test]
    fn an_error_message_is_dissected() {
        insta::assert_snapshot!(alone(FAILURE), @r#"
        tftp 0..16 | error | file not found
          0..2 tftp.opcode = 5 (error)
          2..4 tftp.error.code = 1 (file not found)
          4..16 tftp.error.message = "no such map"
        "#);
    }
}
