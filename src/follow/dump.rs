//! Output of conversations: hex dump, text, raw bytes, JSON, YAML, C arrays.
//!
//! The hex dump has the format of Wireshark's Follow Stream and can be used as input. Message names follow the text column:
//!
//! ```text
//! 00000000  23 00 00 00 01                                   #....              #4 Pip-Boy connection_accepted  frame 7
//! ```

use super::{Event, Missing, Payload};
use crate::render::{Frames, Members, Rfc3339, Role, Theme, cut, fold_painted, object, seconds, write_summary};
use crate::tree::{Address, BySide, Ends, Side, Timestamp, hex};
use data_encoding::BASE64;
use std::fmt::{self, Write as _};
use std::io::{self, Write};

/// Bytes per line.
const PER_LINE: usize = 16;

/// Width of the hex columns, and of the text column.
const BYTES: usize = 59;
const TEXT: usize = 17;

/// Width of the hex columns with half as many bytes.
const BYTES_OF_HALF: usize = 34;

/// Indentation of the server's lines.
const INDENT: &str = "    ";

/// Spaces before a message name.
const BETWEEN: usize = 2;

/// Minimum width of a message name, below which it gets a separate line.
const LEAST: usize = 24;

/// Size of the output buffer.
const BLOCK: usize = 32 << 10;

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Wireshark's Follow Stream, with the server's side indented.
    Hex,
    /// Text, with dots for unprintable bytes.
    Ascii,
    /// Raw bytes.
    Raw,
    /// JSON array of payloads.
    Json,
    /// One JSON object per line.
    Ndjson,
    /// YAML as in Wireshark.
    Yaml,
    /// One C array per payload.
    CArray,
}

/// Writes a conversation.
pub struct Dump<W> {
    to: W,
    form: Form,
    theme: Theme,
    /// Width of the terminal, if any.
    width: Option<usize>,
    out: String,
    /// Number of payloads per side.
    sent: BySide<u64>,
    /// Sender of the last payload, in text.
    last: Option<Side>,
    begun: bool,
}

impl<W: Write> Dump<W> {
    /// Writes to `to`.
    pub fn new(to: W, form: Form, theme: Theme, width: Option<usize>) -> Dump<W> {
        Dump { to, form, theme, width, out: String::new(), sent: BySide::default(), last: None, begun: false }
    }

    /// Writes an event.
    pub fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Payload(payload) => self.payload(&payload)?,
            Event::Missing(missing) => self.missing(&missing)?,
        }
        self.begun = true;
        self.pass_on(0)
    }

    /// Ends the output.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.form {
            Form::Json => self.out.push_str(if self.begun { "\n]\n" } else { "[]\n" }),
            Form::Ascii if self.last.is_some() => self.out.push('\n'),
            _ => {}
        }
        self.pass_on(0)?;
        self.to.flush()
    }

    /// Passes on the buffer if it is longer than this.
    fn pass_on(&mut self, more_than: usize) -> io::Result<()> {
        if self.out.len() > more_than {
            self.to.write_all(self.out.as_bytes())?;
            self.out.clear();
            self.out.shrink_to(2 * BLOCK);
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        if self.form == Form::Hex && !self.begun {
            let [client, server] = ends_of(payload).map(Shown);
            self.comment(&format!("# {}  {client} → {server}", payload.stream));
        }
        if payload.is_stray {
            let line = format!("{}: {} bytes that have no place in the stream", payload.side, payload.bytes.len());
            self.remark(&line)?;
        }
        match self.form {
            Form::Hex => self.hex(payload),
            Form::Ascii => self.ascii(payload),
            Form::Raw => self.to.write_all(payload.bytes),
            Form::Json | Form::Ndjson => self.json(&Event::Payload(*payload)),
            Form::Yaml => self.yaml(payload),
            Form::CArray => self.c_array(payload),
        }?;
        self.sent[payload.side] += 1;
        Ok(())
    }

    fn missing(&mut self, missing: &Missing) -> io::Result<()> {
        let Missing { side, off, len, frame, .. } = missing;
        let line = format!("{side}: {len} bytes missing at {off} (given up at frame {frame})");
        match self.form {
            Form::Json | Form::Ndjson => self.json(&Event::Missing(*missing)),
            _ => self.remark(&line),
        }
    }

    /// Writes a line about bytes, except between raw ones and in JSON.
    fn remark(&mut self, line: &str) -> io::Result<()> {
        match self.form {
            Form::Hex => {
                self.comment(&format!("# {}", self.theme.paint(Role::Gap, line)));
                Ok(())
            }
            Form::Ascii => {
                let start = if self.last.take().is_some() { "\n" } else { "" };
                writeln!(self.out, "{start}{}", self.theme.paint(Role::Gap, format_args!("[{line}]"))).map_err(unwritable)
            }
            Form::Yaml => writeln!(self.out, "  # {line}").map_err(unwritable),
            Form::CArray => writeln!(self.out, "/* {line} */").map_err(unwritable),
            Form::Json | Form::Ndjson | Form::Raw => Ok(()),
        }
    }

    fn hex(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        let has_margin = self.width.is_none_or(|width| width >= INDENT.len() + BYTES + TEXT + BETWEEN + LEAST);
        if !has_margin {
            let about = about(payload).map_err(unwritable)?;
            self.comment(&self.theme.paint(Role::Secondary, format_args!("# {about}")).to_string());
        }
        let is_narrow = self.width.is_some_and(|width| width < INDENT.len() + BYTES + TEXT);
        let per_line = if is_narrow { PER_LINE / 2 } else { PER_LINE };
        let indent = if payload.side == Side::Client { "" } else { INDENT };
        let mut off = payload.off;
        let mut line = String::new();
        for (number, bytes) in payload.bytes.chunks(per_line).enumerate() {
            line.clear();
            hex_line(off, bytes, per_line, &mut line).map_err(unwritable)?;
            let has_margin = has_margin && number == 0;
            if has_margin {
                let _ = write!(line, "{:1$}", "", (BYTES + TEXT).saturating_sub(line.len()));
            }
            write!(self.out, "{indent}{}", self.theme.paint(Role::Side(payload.side), &line)).map_err(unwritable)?;
            if has_margin {
                self.margin(payload).map_err(unwritable)?;
            }
            self.out.push('\n');
            off = off.saturating_add(bytes.len() as u64);
            self.pass_on(BLOCK)?;
        }
        Ok(())
    }

    /// Writes the message name after its first line.
    fn margin(&mut self, payload: &Payload<'_>) -> fmt::Result {
        let mut about = about(payload)?;
        if let Some(width) = self.width {
            cut(&mut about, width.saturating_sub(INDENT.len() + BYTES + TEXT + BETWEEN));
        }
        write!(self.out, "  {}", self.theme.paint(Role::Secondary, about))
    }

    /// Writes a line without bytes.
    fn comment(&mut self, line: &str) {
        fold_painted(line, self.width.unwrap_or(usize::MAX), "#   ", &mut self.out);
        self.out.push('\n');
    }

    fn ascii(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        if self.last.is_some_and(|last| last != payload.side) {
            self.out.push('\n');
        }
        self.last = Some(payload.side);
        for part in payload.bytes.chunks(BLOCK) {
            let mut text = String::with_capacity(part.len());
            let mut bytes = part.iter().peekable();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'\r' if bytes.peek() == Some(&&b'\n') => {}
                    b'\n' | b'\t' | b' '..=b'~' => text.push(char::from(*byte)),
                    _ => text.push('.'),
                }
            }
            write!(self.out, "{}", self.theme.paint(Role::Side(payload.side), text)).map_err(unwritable)?;
            self.pass_on(BLOCK)?;
        }
        Ok(())
    }

    fn json(&mut self, event: &Event<'_>) -> io::Result<()> {
        let before = match (self.form, self.begun) {
            (Form::Json, false) => "[\n",
            (Form::Json, true) => ",\n",
            _ => "",
        };
        self.to.write_all(before.as_bytes())?;
        object(&mut self.to, |of| match event {
            Event::Missing(missing) => missing_members(missing, of),
            Event::Payload(payload) => payload_members(payload, of),
        })?;
        if self.form == Form::Ndjson {
            self.to.write_all(b"\n")?;
        }
        Ok(())
    }

    fn yaml(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        if !self.begun {
            self.out.push_str("peers:\n");
            for (number, end) in ends_of(payload).into_iter().enumerate() {
                let _ = writeln!(self.out, "  - peer: {number}");
                match end {
                    Some(Address::Socket(end)) => {
                        let _ = writeln!(self.out, "    host: \"{}\"\n    port: {}", end.ip(), end.port());
                    }
                    Some(end) => drop(writeln!(self.out, "    host: \"{end}\"")),
                    None => {}
                }
            }
            self.out.push_str("packets:\n");
        }
        let _ = writeln!(self.out, "  - packet: {}\n    peer: {}", frame_of(payload), payload.side.index());
        if let Some(time) = payload.time() {
            self.out.push_str("    timestamp: ");
            seconds(time.since(Timestamp { seconds: 0, nanos: 0 }), 9, &mut self.out).map_err(unwritable)?;
            self.out.push('\n');
        }
        if payload.secret > 0 {
            let _ = writeln!(self.out, "    # {}", Masked(payload.secret));
        }
        self.out.push_str("    data: !!binary |\n");
        for bytes in payload.bytes.chunks(48) {
            self.out.push_str("      ");
            BASE64.encode_append(bytes, &mut self.out);
            self.out.push('\n');
            self.pass_on(BLOCK)?;
        }
        Ok(())
    }

    fn c_array(&mut self, payload: &Payload<'_>) -> io::Result<()> {
        let number = self.sent[payload.side];
        let _ = writeln!(self.out, "char peer{}_{number}[] = {{ /* Packet {} */", payload.side.index(), frame_of(payload));
        if payload.secret > 0 {
            let _ = writeln!(self.out, "/* {} */", Masked(payload.secret));
        }
        let lines = payload.bytes.len().div_ceil(8);
        for (at, bytes) in payload.bytes.chunks(8).enumerate() {
            let mut between = "";
            for byte in bytes {
                let _ = write!(self.out, "{between}0x{byte:02x}");
                between = ", ";
            }
            self.out.push_str(if at + 1 == lines { " };\n" } else { ",\n" });
            self.pass_on(BLOCK)?;
        }
        Ok(())
    }
}

/// The members of a gap.
fn missing_members(missing: &Missing, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("type", "gap")?;
    of.words("stream", missing.stream)?;
    of.put("dir", missing.side.direction())?;
    of.put("off", &missing.off)?;
    of.put("len", &missing.len)?;
    of.put("frame", &missing.frame)
}

fn payload_members(payload: &Payload<'_>, of: &mut Members<'_, '_>) -> io::Result<()> {
    let message = &payload.message;
    of.put("type", "words")?;
    if message.n > 0 {
        of.put("n", &message.n)?;
    }
    if let Some(time) = payload.time().and_then(Rfc3339::of) {
        of.words("time", time)?;
    }
    if let Some(since) = message.times.since_start() {
        of.put("t", &(since as f64 / 1e9))?;
    }
    of.words("stream", payload.stream)?;
    of.put("dir", payload.side.direction())?;
    for (key, end) in [("src", payload.ends.src), ("dst", payload.ends.dst)] {
        end.map_or(Ok(()), |end| of.words(key, end))?;
    }
    if let Some(protocol) = message.protocol() {
        of.put("protocol", protocol.abbrev)?;
    }
    for (key, text) in [("name", message.name()), ("info", &message.info())] {
        if !text.is_empty() {
            of.put(key, text)?;
        }
    }
    of.put("frames", &message.frames())?;
    of.put("off", &payload.off)?;
    of.put("len", &payload.bytes.len())?;
    if payload.is_stray {
        of.put("stray", &true)?;
    }
    if payload.secret > 0 {
        of.put("masked", &payload.secret)?;
    }
    let mut digits = String::with_capacity(2 * payload.bytes.len());
    hex(payload.bytes, &mut digits).map_err(unwritable)?;
    of.put("bytes", &digits)
}

/// Formats a message: `#4 Pip-Boy connection_accepted  frame 7`.
fn about(payload: &Payload<'_>) -> Result<String, fmt::Error> {
    let message = &payload.message;
    let mut about = String::new();
    match message.n {
        // The payload of a tunnel may be no message.
        0 => about.push('#'),
        n => write!(about, "#{n}")?,
    }
    write!(about, " {}", message.protocol().map_or("", |field| field.name))?;
    if !(message.name().is_empty() && message.info().is_empty()) {
        about.push(' ');
        write_summary(message.name(), &message.info(), &mut about)?;
    }
    write!(about, "  {}", Frames(&message.frames()))?;
    if payload.secret > 0 {
        write!(about, "  {}", Masked(payload.secret))?;
    }
    Ok(about)
}

/// Number of masked bytes.
struct Masked(usize);

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} masked", self.0, if self.0 == 1 { "byte" } else { "bytes" })
    }
}

/// Writes a line of the hex dump, without indentation.
fn hex_line(off: u64, bytes: &[u8], per_line: usize, line: &mut String) -> fmt::Result {
    // Offsets have eight digits and wrap around.
    write!(line, "{:08x} ", off & 0xffff_ffff)?;
    for (at, byte) in bytes.iter().enumerate() {
        write!(line, "{}{byte:02x}", if at == 8 { "  " } else { " " })?;
    }
    let columns = if per_line < PER_LINE { BYTES_OF_HALF } else { BYTES };
    write!(line, "{:1$}", "", columns.saturating_sub(line.len()))?;
    for (at, byte) in bytes.iter().enumerate() {
        if at == 8 {
            line.push(' ');
        }
        line.push(if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '.' });
    }
    Ok(())
}

/// Client and server.
fn ends_of(payload: &Payload<'_>) -> [Option<Address>; 2] {
    let Ends { src, dst, .. } = *payload.ends;
    if payload.side == Side::Client { [src, dst] } else { [dst, src] }
}

struct Shown(Option<Address>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// Frame that completed the message.
fn frame_of(payload: &Payload<'_>) -> u64 {
    payload.message.frames().last().copied().unwrap_or_default()
}

fn unwritable(_: fmt::Error) -> io::Error {
    io::Error::other("a value could not be written out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_columns_of_wireshark() {
        let mut line = String::new();
        hex_line(5, br#"{"lang":"en","ve"#, PER_LINE, &mut line).unwrap();
        assert_eq!(line, r#"00000005  7b 22 6c 61 6e 67 22 3a  22 65 6e 22 2c 22 76 65 {"lang": "en","ve"#);
        line.clear();
        hex_line(0x1_0000_0000, b"#\0", PER_LINE, &mut line).unwrap();
        assert_eq!(line, "00000000  23 00                                            #.");
    }
}
