//! Test helpers: write bytes in the formats of tools, from their documentation and not from the readers.

/// A tool or convention, and its formatter.
pub type Writer = (&'static str, fn(&[u8]) -> String);

/// A frame of UDP.
#[rustfmt::skip]
pub const PACKET: [u8; 72] = [
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45, 0x00,
    0x00, 0x3a, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0x66, 0xb0, 0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00,
    0x00, 0x02, 0x13, 0x88, 0x69, 0x78, 0x00, 0x26, 0x00, 0x00, 0x23, 0x00, 0x00, 0x00, 0x01, 0x7b,
    0x22, 0x6c, 0x61, 0x6e, 0x67, 0x22, 0x3a, 0x22, 0x65, 0x6e, 0x22, 0x2c, 0x22, 0x76, 0x65, 0x72,
    0x73, 0x69, 0x6f, 0x6e, 0x22, 0x3a, 0x22, 0x31,
];

/// Dialects in which any bytes are unambiguous.
pub const WRITERS: &[Writer] = &[
    ("xxd", |bytes| xxd(bytes, 2, false)),
    ("xxd -g1", |bytes| xxd(bytes, 1, false)),
    ("hexdump -C", hexdump_c),
    ("hexdump", |bytes| words(bytes, 16, "")),
    ("od -tx1z", od_z),
    ("od -td1", |bytes| od_decimal(bytes, true)),
    ("tshark -x", |bytes| rows(bytes, |at, row| format!("{at:04x}  {:<47}   {}\n", spaced(row), text(row)))),
    ("tcpdump -XX", tcpdump),
    ("Frida hexdump()", frida),
    ("gdb x/16xb", gdb),
    ("gdb x/16db", gdb_decimal),
    ("WinDbg db", windbg),
    ("DOS debug", |bytes| rows(bytes, |at, row| format!("0C1B:{:04X}  {}   {}\n", at + 0x100, dashed(row), text(row)))),
    ("IDA, hex view", |bytes| rows(bytes, |at, row| format!("{:016X}  {}  {}\n", at + 0x14_0003_0000, halves(row), text(row)))),
    ("IDA, listing", ida),
    ("hexyl", |bytes| hexyl(bytes, ['│', '┊', '─'])),
    ("hexyl --border ascii", |bytes| hexyl(bytes, ['|', '|', '-'])),
    ("HxD", hxd),
    ("PowerShell Format-Hex", format_hex),
    ("010 Editor", |bytes| rows(bytes, |at, row| format!("{at:04X}h: {:<47}  {}\n", spaced(row), text(row)))),
    ("UltraEdit", |bytes| rows(bytes, |at, row| format!("{at:08x}h: {:<47} ; {}\n", spaced(row), text(row)))),
    ("lldb memory read", |bytes| rows(bytes, |at, row| format!("0x{:08x}: {:<47}  {}\n", at + 0x1000, spaced(row), text(row)))),
    ("certutil -encodehex", |bytes| rows(bytes, |at, row| format!("{at:04x}\t{}   {}\n", halves(row), text(row)))),
    ("groups of four bytes and two spaces", |bytes| rows(bytes, |at, row| format!("{at:08x}: {}\n", joined(row, 4, "  ")))),
    ("the same as pairs", |bytes| {
        rows(bytes, |at, row| {
            let groups: Vec<String> = row.chunks(4).map(spaced).collect();
            format!("{at:04x}  {}\n", groups.join("  "))
        })
    }),
    ("xxd -p", |bytes| bytes.chunks(30).map(|row| joined(row, 30, "") + "\n").collect()),
    ("colons", |bytes| joined(bytes, 1, ":")),
    ("dashes", |bytes| joined(bytes, 1, "-")),
    ("numbers with 0x", |bytes| list(bytes, |byte| format!("0x{byte:02X}"))),
    ("xxd -i", |bytes| format!("unsigned char p[] = {{\n  {}\n}};\n", list(bytes, |byte| format!("0x{byte:02x}")))),
    ("Java", |bytes| format!("byte[] p = {{ {} }};", list(bytes, |byte| format!("(byte) 0x{byte:02x}")))),
    ("escapes", escapes),
    ("octal escapes in quotes", |bytes| {
        format!("$1 = \"{}\"", bytes.iter().fold(String::new(), |text, byte| text + &format!("\\{byte:03o}")))
    }),
    ("strace -xx", |bytes| format!("read(3, \"{}\", 4096) = {}\n", escapes(bytes), bytes.len())),
    ("percent-encoding", percent),
    ("percent-encoding of everything", |bytes| bytes.iter().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"))),
    ("IDA, db", |bytes| rows(bytes, |at, row| format!(".rdata:{:08X}  db {}\n", at + 0x40_2000, list(row, masm)))),
    ("a log line", |bytes| format!("connected\nrecv: {}\nclosed\n", spaced(bytes))),
    ("a time before it", |bytes| format!("[10:15:14.5] <- {}\n", spaced(bytes))),
    ("below prose", |bytes| format!("recv {} bytes:\n{}", bytes.len(), rows(bytes, |_, row| format!("  {}\n", spaced(row))))),
    ("tshark -z follow,tcp,raw", |bytes| {
        format!("\n====\nFollow: tcp,raw\nFilter: tcp.stream eq 0\n{}\n====\n", joined(bytes, 1, ""))
    }),
    ("follow -T yaml", yaml),
];

/// Dialects of logs, debuggers and community tools.
pub const COMMUNITY: &[Writer] = &[
    ("logcat", |bytes| rows(bytes, |at, row| format!("01-02 12:00:01.123  1234  5678 D NetGame : {at:04x}: {}\n", spaced(row)))),
    ("kernel print_hex_dump", |bytes| {
        rows(bytes, |at, row| format!("[ 1234.567890] game: {at:08x}: {}  {}\n", spaced(row), text(row)))
    }),
    ("a debugger's dash", |bytes| {
        chunks(bytes, 8, |at, row| format!("{:08X} - {}\n", 0x01A2_0000 + at, spaced(row).to_uppercase()))
    }),
    ("radare2 px", |bytes| {
        let head = "- offset -   0 1  2 3  4 5  6 7  8 9  A B  C D  E F  0123456789ABCDEF\n".to_owned();
        head + &rows(bytes, |at, row| format!("0x{at:08x}  {:<39}  {}\n", joined(row, 2, " "), text(row)))
    }),
    ("Visual Studio", |bytes| {
        rows(bytes, |at, row| format!("0x{:016X}  {}  {}\n", at + 0x1C0_A2B4_1000, spaced(row), text(row)))
    }),
    ("strace -e write", |bytes| {
        let head = format!("write(3, \"...\"..., {}) = {}\n", bytes.len(), bytes.len());
        head + &rows(bytes, |at, row| format!(" | {at:05x}  {}  {:<16} |\n", halves(row), text(row)))
    }),
    ("decimal offsets", |bytes| chunks(bytes, 12, |at, row| format!("qml: dump +{at:03} {}\n", spaced(row)))),
    ("WowPacketParser", |bytes| {
        let border = format!("|{}|{}|\n", "-".repeat(49), "-".repeat(33));
        let ruler = format!("| {} | 0 1 2 3 4 5 6 7 8 9 A B C D E F |\n", spaced(&(0..16).collect::<Vec<u8>>()).to_uppercase());
        let apart = |row: &[u8]| text(row).chars().map(|shown| format!("{shown} ")).collect::<String>();
        let body = rows(bytes, |_, row| format!("| {:<47} | {:<32}|\n", spaced(row).to_uppercase(), apart(row)));
        format!("{border}{ruler}{border}{body}{border}")
    }),
    ("mangos", |bytes| {
        rows(bytes, |_, row| format!("|  {:<47} |  {:<16} |\n", spaced(row).to_uppercase(), text(row).replace('.', "?")))
    }),
    ("Delphi", |bytes| {
        format!("  raw : array[0..{}] of Byte = (\n\t{}\n);\n", bytes.len() - 1, list(bytes, |byte| format!("${byte:02X}")))
    }),
    ("Visual Basic", |bytes| format!("Dim p() As Byte = {{ _\n    {} _\n}}\n", list(bytes, |byte| format!("&H{byte:02X}")))),
    ("bits", |bytes| bytes.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join(" ")),
    ("bits with 0b", |bytes| bytes.iter().map(|byte| format!("0b{byte:08b}")).collect::<Vec<_>>().join(" ")),
    ("xxd -b", |bytes| {
        let bits = |row: &[u8]| row.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join(" ");
        chunks(bytes, 6, |at, row| format!("{at:08x}: {:<53}  {}\n", bits(row), text(row)))
    }),
    ("Snort", |bytes| format!("content:\"|{}|\"; sid:1;", spaced(bytes))),
    ("columns of tshark", |bytes| format!("7\t192.0.2.10\t{}\n", joined(bytes, 80, ""))),
    ("a data URI", |bytes| format!("data:application/octet-stream;base64,{}", data_encoding::BASE64.encode(bytes))),
    ("gdb x/8c", |bytes| {
        let cell = |byte: &u8| format!("{} '{}'", byte.cast_signed(), char::from(*byte).escape_default());
        let row =
            |at, row: &[u8]| format!("0x{:x}:\t{}\n", 0x7ffe_1000 + at, row.iter().map(cell).collect::<Vec<_>>().join("\t"));
        chunks(bytes, 8, row)
    }),
    ("rows behind a log", |bytes| {
        let head = format!("[12:00:01] DEBUG recv {} bytes:\n", bytes.len());
        head + &rows(bytes, |_, row| format!("[12:00:01] DEBUG {:<47}  {}\n", spaced(row), text(row)))
    }),
];

/// Further options and languages.
pub const PRINTED: &[Writer] = &[
    ("xxd -c8 -g1", |bytes| chunks(bytes, 8, |at, row| format!("{at:08x}: {:<23}  {}\n", spaced(row), text(row)))),
    ("xxd -i -u", |bytes| {
        format!("unsigned char p[] = {{\n  {}\n}};\nunsigned int p_len = 72;\n", list(bytes, |byte| format!("0X{byte:02X}")))
    }),
    ("od -Ax -tx1", |bytes| rows(bytes, |at, row| format!("{at:06x} {}\n", spaced(row))) + &format!("{:06x}\n", bytes.len())),
    ("od -tx1", |bytes| rows(bytes, |at, row| format!("{at:07o} {}\n", spaced(row))) + &format!("{:07o}\n", bytes.len())),
    ("od -Ad -tx1", |bytes| rows(bytes, |at, row| format!("{at:07} {}\n", spaced(row))) + &format!("{:07}\n", bytes.len())),
    ("od -Ax -tx1 -w32", |bytes| {
        chunks(bytes, 32, |at, row| format!("{at:06x} {}\n", spaced(row))) + &format!("{:06x}\n", bytes.len())
    }),
    ("od -x", |bytes| words(bytes, 8, "")),
    ("od -Ax -tx4", |bytes| {
        let number = |four: &[u8]| four.iter().rev().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let row = |at, row: &[u8]| format!("{at:06x} {}\n", row.chunks(4).map(number).collect::<Vec<_>>().join(" "));
        rows(bytes, row) + &format!("{:06x}\n", bytes.len())
    }),
    ("od -An -tx1", |bytes| rows(bytes, |_, row| format!(" {}\n", spaced(row)))),
    ("tcpdump -xx", |bytes| {
        let head = "22:13:20.000005 IP 10.0.0.1.5000 > 10.0.0.2.27000: UDP, length 30\n".to_owned();
        head + &rows(bytes, |at, row| format!("\t0x{at:04x}:  {}\n", joined(row, 2, " ")))
    }),
    ("tshark -Px", |bytes| {
        let head = "    1   0.000000     10.0.0.1 → 10.0.0.2     TAPA 72 Tunnel - V=2, T=Type 0\n\n".to_owned();
        head + &rows(bytes, |at, row| format!("{at:04x}  {:<47}   {}\n", spaced(row), text(row)))
    }),
    ("a C string", |bytes| format!("char p[] =\n{};\n", chunks(bytes, 40, |_, row| format!("\"{}\"\n", escapes(row))))),
    ("Python bytes", |bytes| format!("b'{}'", python(bytes))),
    ("a Python variable", |bytes| format!("data = b'{}'\n", python(bytes))),
    ("Python bytes in parentheses", |bytes| {
        format!("data = (\n{})\n", chunks(bytes, 40, |_, row| format!("    b'{}'\n", python(row))))
    }),
    ("rows of 0x", |bytes| chunks(bytes, 8, |_, row| list(row, |byte| format!("0x{byte:02x}")) + ",\n")),
    ("a Rust array", |bytes| format!("let p = [\n    {}\n];\n", list(bytes, |byte| format!("0x{byte:02x}")))),
    ("odd spacing", |bytes| chunks(bytes, 7, |_, row| joined(row, 1, "   ") + "  \n")),
    ("words of four digits", |bytes| joined(bytes, 2, " ")),
    ("Follow Stream", |bytes| {
        let apart = |row: &[u8]| row.chunks(8).map(text).collect::<Vec<_>>().join(" ");
        rows(bytes, |at, row| format!("{at:08x}  {:<48} {}\n", halves(row).trim_end(), apart(row)))
    }),
    ("base64", |bytes| {
        chunks(data_encoding::BASE64.encode(bytes).as_bytes(), 76, |_, line| String::from_utf8_lossy(line).into_owned() + "\n")
    }),
];

/// Dialects whose short forms are ambiguous and therefore rejected.
pub const DOUBTFUL: &[Writer] = &[
    ("xxd -e", |bytes| xxd(bytes, 4, true)),
    ("xxd -g4", |bytes| xxd(bytes, 4, false)),
    ("od -tu1", |bytes| od_decimal(bytes, false)),
    ("bare pairs", spaced),
    ("decimals", |bytes| list(bytes, |byte| byte.to_string())),
    ("decimals in brackets", |bytes| format!("[{}]", list(bytes, |byte| byte.to_string()))),
    ("signed bytes", |bytes| format!("[{}]", list(bytes, |byte| byte.cast_signed().to_string()))),
    ("a Go slice", |bytes| {
        let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
        format!("[{}]", numbers.join(" "))
    }),
    ("JSON of a Buffer", |bytes| format!("{{\"type\":\"Buffer\",\"data\":[{}]}}", list(bytes, |byte| byte.to_string()))),
    ("Erlang", |bytes| format!("<<{}>>", list(bytes, |byte| byte.to_string()).replace(' ', ""))),
    ("a Buffer of Node.js", |bytes| format!("<Buffer {}>", spaced(bytes))),
    ("bytes.fromhex", |bytes| format!("bytes.fromhex('{}')", spaced(bytes))),
    ("binascii.hexlify", |bytes| format!("b'{}'", joined(bytes, 1, ""))),
];

pub fn rows(bytes: &[u8], row: impl Fn(usize, &[u8]) -> String) -> String {
    chunks(bytes, 16, row)
}

fn chunks(bytes: &[u8], width: usize, row: impl Fn(usize, &[u8]) -> String) -> String {
    bytes.chunks(width).enumerate().map(|(number, bytes)| row(number * width, bytes)).collect()
}

fn escapes(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("\\x{byte:02x}"))
}

/// As `repr` prints bytes.
fn python(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| match byte {
        b'\n' => text + "\\n",
        b'\'' | b'\\' => text + &format!("\\{}", char::from(*byte)),
        b' '..=b'~' => text + &String::from(char::from(*byte)),
        _ => text + &format!("\\x{byte:02x}"),
    })
}

pub fn spaced(bytes: &[u8]) -> String {
    joined(bytes, 1, " ")
}

pub fn joined(bytes: &[u8], size: usize, between: &str) -> String {
    let hex = |group: &[u8]| group.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    bytes.chunks(size).map(hex).collect::<Vec<_>>().join(between)
}

fn list(bytes: &[u8], number: impl Fn(u8) -> String) -> String {
    bytes.iter().map(|byte| number(*byte)).collect::<Vec<_>>().join(", ")
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' }).collect()
}

/// Eight bytes, a gap, eight bytes, and blanks for missing ones.
fn halves(row: &[u8]) -> String {
    let (left, right) = row.split_at(row.len().min(8));
    format!("{:<23}  {:<23}", spaced(left), spaced(right))
}

fn dashed(row: &[u8]) -> String {
    let (left, right) = row.split_at(row.len().min(8));
    let between = if right.is_empty() { "" } else { "-" };
    format!("{:<47}", format!("{}{between}{}", spaced(left), spaced(right)))
}

/// `xxd`; with `-e` each group is little-endian, and the last group is aligned to the right.
fn xxd(bytes: &[u8], size: usize, reversed: bool) -> String {
    rows(bytes, |at, row| {
        let groups: Vec<String> = row
            .chunks(size)
            .map(|group| {
                if reversed {
                    format!("{:>width$}", joined(&group.iter().rev().copied().collect::<Vec<_>>(), size, ""), width = size * 2)
                } else {
                    joined(group, size, "")
                }
            })
            .collect();
        let width = 16 * 2 + 16 / size - 1;
        format!("{at:08x}: {:<width$}  {}\n", groups.join(" "), text(row))
    })
}

fn hexdump_c(bytes: &[u8]) -> String {
    rows(bytes, |at, row| format!("{at:08x}  {}  |{}|\n", halves(row), text(row))) + &format!("{:08x}\n", bytes.len())
}

/// Words of two bytes in machine order; an odd last byte is padded with zero.
fn words(bytes: &[u8], radix: u32, end: &str) -> String {
    let offset = |at: usize| if radix == 8 { format!("{at:07o}") } else { format!("{at:07x}") };
    let word = |pair: &[u8]| format!("{:02x}{:02x}", pair.get(1).copied().unwrap_or(0), pair[0]);
    let row = |at: usize, row: &[u8]| format!("{} {}{end}\n", offset(at), row.chunks(2).map(word).collect::<Vec<_>>().join(" "));
    rows(bytes, row) + &offset(bytes.len()) + "\n"
}

fn od_z(bytes: &[u8]) -> String {
    rows(bytes, |at, row| format!("{at:07o} {:<47}  >{}<\n", spaced(row), text(row))) + &format!("{:07o}\n", bytes.len())
}

fn od_decimal(bytes: &[u8], signed: bool) -> String {
    let number = |byte: &u8| if signed { format!("{:5}", byte.cast_signed()) } else { format!("{byte:4}") };
    rows(bytes, |at, row| format!("{at:07o}{}\n", row.iter().map(number).collect::<String>())) + &format!("{:07o}\n", bytes.len())
}

fn tcpdump(bytes: &[u8]) -> String {
    let row = |at, row: &[u8]| format!("\t0x{at:04x}:  {:<39}  {}\n", joined(row, 2, " "), text(row));
    format!("22:13:20.000005 ARP, Request who-has 10.0.0.2\n{}", rows(bytes, row))
}

fn frida(bytes: &[u8]) -> String {
    let head = "           0  1  2  3  4  5  6  7  8  9  A  B  C  D  E  F  0123456789ABCDEF\n";
    head.to_owned() + &rows(bytes, |at, row| format!("{:08x}  {:<47}  {}\n", at + 0x7f8a_1000, spaced(row), text(row)))
}

fn gdb_rows(bytes: &[u8], number: impl Fn(&u8) -> String) -> String {
    chunks(bytes, 8, |at, row| {
        let symbol = if at == 0 { "<msg>".to_owned() } else { format!("<msg+{at}>") };
        let numbers: Vec<String> = row.iter().map(&number).collect();
        format!("0x{:x} {symbol}:\t{}\n", 0x5555_5555_8010 + at, numbers.join("\t"))
    })
}

fn gdb(bytes: &[u8]) -> String {
    gdb_rows(bytes, |byte| format!("0x{byte:02x}"))
}

fn gdb_decimal(bytes: &[u8]) -> String {
    gdb_rows(bytes, |byte| byte.cast_signed().to_string())
}

fn windbg(bytes: &[u8]) -> String {
    let row = |at: usize, row: &[u8]| format!("00007ff6`{:08x}  {}  {}\n", at + 0x1234_0000, dashed(row), text(row));
    "0:000> db 7ff612340000\n".to_owned() + &rows(bytes, row)
}

fn ida(bytes: &[u8]) -> String {
    rows(bytes, |at, row| format!(".rdata:{:016X}  {}\n", at + 0x1_4000_3000, joined(row, 1, " ").to_uppercase()))
}

/// A number in MASM notation: decimal below ten, else hex with a leading digit.
fn masm(byte: u8) -> String {
    match byte {
        0..=9 => byte.to_string(),
        0xa0.. => format!("0{byte:X}h"),
        _ => format!("{byte:X}h"),
    }
}

fn hexyl(bytes: &[u8], [outer, inner, line]: [char; 3]) -> String {
    let shown = |byte: &u8| match byte {
        0 => '0',
        b'!'..=b'~' => char::from(*byte),
        b' ' => ' ',
        b'\t' | b'\n' | b'\r' | 0x0c => '_',
        0x80.. => '×',
        _ => '•',
    };
    let bar = |count: usize| String::from(line).repeat(count);
    let corner = |ascii: char, drawn: char| if outer == '|' { ascii } else { drawn };
    let border = |open, close| {
        format!("{}{}{close}\n", corner('+', open), [8, 25, 25, 8, 8].map(bar).join(&String::from(corner('+', '┬'))))
    };
    let row = |at: usize, row: &[u8]| {
        let (left, right) = row.split_at(row.len().min(8));
        let digits = |half: &[u8]| format!(" {:<23} ", spaced(half));
        let glyphs = |half: &[u8]| format!("{:<8}", half.iter().map(shown).collect::<String>());
        let cells = [digits(left), digits(right), glyphs(left), glyphs(right)];
        let [a, b, c, d] = cells;
        format!("{outer}{at:08x}{outer}{a}{inner}{b}{outer}{c}{inner}{d}{outer}\n")
    };
    border('┌', corner('+', '┐')) + &rows(bytes, row) + &border('└', corner('+', '┘'))
}

fn hxd(bytes: &[u8]) -> String {
    let head = "Offset(h) 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n\n";
    head.to_owned() + &rows(bytes, |at, row| format!("{at:08X}  {:<47}  {}\n", spaced(row).to_uppercase(), text(row)))
}

fn format_hex(bytes: &[u8]) -> String {
    let head = "           00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n\n";
    head.to_owned() + &rows(bytes, |at, row| format!("{at:08X}   {:<47}  {}\n", spaced(row).to_uppercase(), text(row)))
}

/// Like `encodeURIComponent`, with spaces as in forms. The first byte is always escaped, so that there is an escape.
fn percent(bytes: &[u8]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    bytes.iter().enumerate().fold(String::new(), |text, (at, byte)| match byte {
        b' ' if at > 1 => text + "+",
        _ if at > 1 && plain(*byte) => text + &String::from(char::from(*byte)),
        _ => text + &format!("%{byte:02X}"),
    })
}

fn yaml(bytes: &[u8]) -> String {
    let peer = |number| format!("  - peer: {number}\n    host: \"10.0.0.{number}\"\n    port: 5000\n");
    let encoded = data_encoding::BASE64.encode(bytes);
    let lines = chunks(encoded.as_bytes(), 64, |_, line| format!("      {}\n", String::from_utf8_lossy(line)));
    let packet = "packets:\n  - packet: 5\n    peer: 1\n    timestamp: 1448400000.005992000\n    data: !!binary |\n";
    format!("peers:\n{}{}{packet}{lines}", peer(0), peer(1))
}
