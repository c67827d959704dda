//! Transfers of a mouse behind usbmon (Linux) and USBPcap (Windows), with data in hexadecimal.

use crate::Result;
use crate::capture::{self, Trace};
use crate::hex::bytes;
use std::time::Duration;

const USBMON: u16 = 220;
const USBPCAP: u16 = 249;

const CONTROL: u8 = 2;
const INTERRUPT: u8 = 1;

const DEVICE: &str = "12 01 0002 00 00 00 08 6d04 5cc2 0001 01 02 03 01";
const CONFIGURATION: &str =
    "09 02 2200 01 01 00 a0 31  09 04 00 00 01 03 01 02 00  09 21 1101 00 01 22 3400  07 05 81 03 0800 0a";
const PRODUCT: &str = "0c 03 4d00 6f00 7500 7300 6500";
const REPORTS: &[&str] = &["00 01 ff 00", "00 02 fe 00", "01 00 00 00", "00 00 01 ff"];

/// A control transfer: setup packet, data to the device, data from the device.
type Control = (&'static str, &'static str, &'static str);

const CONTROLS: &[Control] = &[
    ("80 06 0001 0000 1200", "", DEVICE),
    ("80 06 0002 0000 2200", "", CONFIGURATION),
    ("80 06 0003 0000 ff00", "", "04 03 0904"),
    ("80 06 0203 0904 ff00", "", PRODUCT),
    ("00 09 0100 0000 0000", "", ""),
    ("80 00 0000 0000 0200", "", "0100"),
    // of the class HID: SET_REPORT and GET_REPORT
    ("21 09 0002 0000 0200", "0205", ""),
    ("a1 01 0001 0000 0400", "", "00000000"),
];

pub fn linux() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let mut id = 0xffff_8880_0000_0000_u64;
    for (setup, sent, received) in CONTROLS {
        id += 0x100;
        let address = if received.is_empty() { 0 } else { 0x80 };
        say(&mut trace, |now| mapped(now, id, b'S', CONTROL, address, Some(&bytes(setup)), &bytes(sent)));
        say(&mut trace, |now| mapped(now, id, b'C', CONTROL, address, None, &bytes(received)));
    }
    for (address, report) in
        REPORTS.iter().map(|report| (0x81, report)).chain(REPORTS.iter().take(1).map(|report| (0x02, report)))
    {
        id += 0x100;
        let is_in = address & 0x80 != 0;
        let data = bytes(report);
        say(&mut trace, |now| mapped(now, id, b'S', INTERRUPT, address, None, if is_in { &[] } else { &data }));
        say(&mut trace, |now| mapped(now, id, b'C', INTERRUPT, address, None, if is_in { &data } else { &[] }));
    }
    let packets = "00000000 00000000 04000000 00000000  00000000 04000000 04000000 00000000  a1a2a3a4 b1b2b3b4";
    say(&mut trace, |now| {
        let mut frame = mapped(now, id, b'C', 0, 0x83, None, &bytes(packets));
        // the number of descriptors
        frame.get_mut(60).into_iter().for_each(|count| *count = 2);
        frame
    });
    capture::pcap(USBMON, &trace.frames())
}

fn say(trace: &mut Trace, frame: impl FnOnce(Duration) -> Vec<u8>) {
    trace.wait(Duration::from_micros(250));
    let frame = frame(trace.now);
    trace.capture(frame);
}

/// The header of the memory-mapped usbmon and data.
fn mapped(now: Duration, id: u64, kind: u8, transfer: u8, address: u8, setup: Option<&[u8]>, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap_or_default().to_le_bytes();
    let status: i32 = if kind == b'S' { -115 } else { 0 };
    let mut frame = id.to_le_bytes().to_vec();
    frame.extend([
        kind,
        transfer,
        address,
        5,
        1,
        0,
        if setup.is_some() { 0 } else { b'-' },
        if data.is_empty() { b'<' } else { 0 },
    ]);
    frame.extend(now.as_secs().to_le_bytes());
    frame.extend(now.subsec_micros().to_le_bytes());
    frame.extend(status.to_le_bytes());
    frame.extend(length);
    frame.extend(length);
    frame.extend(setup.unwrap_or(&[0; 8]));
    frame.extend([0; 16]);
    frame.extend(data);
    frame
}

pub fn windows() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let mut id = 0xffff_d00f_0000_0000_u64;
    for (setup, sent, received) in CONTROLS {
        id += 0x100;
        let request = [bytes(setup), bytes(sent)].concat();
        say(&mut trace, |_| usbpcap(id, true, CONTROL, 0x80, Some(0), &request));
        say(&mut trace, |_| usbpcap(id, false, CONTROL, 0x80, Some(3), &bytes(received)));
    }
    for report in REPORTS {
        id += 0x100;
        say(&mut trace, |_| usbpcap(id, true, INTERRUPT, 0x81, None, &[]));
        say(&mut trace, |_| usbpcap(id, false, INTERRUPT, 0x81, None, &bytes(report)));
    }
    capture::pcap(USBPCAP, &trace.frames())
}

/// The header of USBPcap and data.
fn usbpcap(id: u64, is_request: bool, transfer: u8, address: u8, stage: Option<u8>, data: &[u8]) -> Vec<u8> {
    let function: u16 = if stage.is_some() { 0x0008 } else { 0x0009 };
    let mut frame = vec![27 + u8::from(stage.is_some()), 0];
    frame.extend(id.to_le_bytes());
    frame.extend([0; 4]);
    frame.extend(function.to_le_bytes());
    frame.push(u8::from(!is_request));
    frame.extend([2, 0, 7, 0, address, transfer]);
    frame.extend(u32::try_from(data.len()).unwrap_or_default().to_le_bytes());
    frame.extend(stage);
    frame.extend(data);
    frame
}
