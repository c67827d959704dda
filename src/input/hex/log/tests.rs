//! Lines of logs with bytes, and without.

use super::*;
use crate::input::hex::Fault;
use crate::tree::Side;

type Bytes = (Vec<u8>, Option<Side>);

fn read(line: &str) -> Result<Option<Bytes>, Fault> {
    let found = Log::default().find(line.as_bytes())?;
    Ok(found.map(|found| (found.bytes, marks(found.before).direction)))
}

#[test]
fn bytes_after_a_label_are_found() {
    let (received, sent) = (Some(Side::Server), Some(Side::Client));
    for (line, direction) in [
        ("recv: 05 00 0b 03", received),
        ("10:15:14.5 <- 05 00 0b 03", received),
        ("[10:15:14.5] >>> 05 00 0b 03", sent),
        ("2024-01-31 10:15:14,123 DEBUG net.c:42 sent 4 bytes: 05 00 0b 03", sent),
        ("tx 05000b03", sent),
        ("S->C [4] 05 00 0b 03", received),
        ("10.0.0.1 -> 10.0.0.2: data=05000b03", None),
        ("payload = \"05 00 0b 03\"", None),
        ("bytes.fromhex('05000b03')", None),
        ("recv: 05:00:0b:03", received),
        ("recv: 05-00-0B-03", received),
        ("recv: 0x05 0x00 0x0b 0x03", received),
        ("recv: [05 00 0b 03]", received),
        ("recv: 05 00 0b 03 (4 bytes)", received),
        ("recv: 0500 0b03  ....", received),
        ("recv(5): <05000b03>", received),
    ] {
        assert_eq!(read(line).unwrap(), Some((vec![5, 0, 11, 3], direction)), "{line}");
    }
}

#[test]
fn prose_has_no_bytes() {
    for line in [
        "It was a bright cold day in April",
        "Port: 8080",
        "face the facade",
        "id=1234",
        "Date: 20241031",
        "connected to 10.0.0.1:80 (fd 12)",
        "the 10 20 rule",
        "recv failed",
        "in 2 of 3",
        "Ethernet 02:50:49:50:00:17 → ff:ff:ff:ff:ff:ff",
        "link/ether 02:50:49:50:00:17",
    ] {
        assert_eq!(read(line).unwrap(), None, "{line}");
    }
}

#[test]
fn malformed_bytes_are_not_prose() {
    for (line, at) in [
        ("recv: 05 00 0g 01 02", 13),
        ("recv: 0g 00 01 02", 7),
        ("recv: 0g 00", 7),
        ("recv: 05 00 xyz 01 02", 12),
        ("recv: 05 00 01 0", 15),
        ("dump 05 00 01 02 ...", 17),
        ("bytes.fromhex('00 30 7f 7f g0')", 27),
    ] {
        assert_eq!(read(line).unwrap_err().at, at, "{line}");
    }
}
