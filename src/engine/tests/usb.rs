//! Answers of USB devices, which are dissected by their requests, and conversations of endpoints.

use super::super::Engine;
use crate::input::{Frame, Link};
use crate::registry::Registry;
use crate::tree::{Dissection, dump};
use crate::wire::trial::bytes;

/// A frame of usbmon: type, transfer, endpoint and device, setup packet and data.
fn urb(id: u8, kind: u8, place: [u8; 3], setup: &str, data: &str) -> Vec<u8> {
    let [transfer, endpoint, device] = place;
    let has_setup = !setup.is_empty();
    let mut frame = vec![id, 0, 0, 0, 0x80, 0x88, 0xff, 0xff, kind, transfer, endpoint, device, 1, 0];
    frame.extend([if has_setup { 0 } else { b'-' }, 0, 0, 0xf1, 0x53, 0x65, 0, 0, 0, 0]);
    frame.extend([0; 16]);
    frame.extend(if has_setup { bytes(setup) } else { vec![0; 8] });
    frame.extend(bytes(data));
    frame
}

/// The lines of the fields with these prefixes.
fn lines_of(frames: &[Vec<u8>], names: &[&str]) -> Vec<String> {
    let mut engine = Engine::complete(Registry::default());
    let mut lines = Vec::new();
    for (number, frame) in (1..).zip(frames) {
        let original_len = u32::try_from(frame.len()).unwrap();
        let described = Frame { number, link: Link::Type(189), bytes: frame, original_len, ..Frame::default() };
        let dumped = dump(Dissection { tree: engine.dissect(&described), bytes: frame });
        let name = |line: &str| line.split_whitespace().find(|word| !word.contains("..")).unwrap_or_default().to_owned();
        let is_meant = |line: &&str| names.iter().any(|known| name(line).starts_with(known));
        lines.extend(dumped.lines().filter(is_meant).map(|line| line.trim().to_owned()));
    }
    lines
}

const CONTROL: [u8; 3] = [2, 0x80, 5];

#[test]
fn descriptors_are_read_by_the_request_that_asked_for_them() {
    let configuration = "09 02 1900 01 01 00 a0 31  09 04 00 00 01 03 01 02 00  07 05 81 03 0800 0a";
    let frames = [urb(1, b'S', CONTROL, "8006 0002 0000 2200", ""), urb(1, b'C', CONTROL, "", configuration)];
    let names = ["usb.request_in", "usb.bInterfaceClass", "usb.bEndpointAddress", "usb.wMaxPacketSize", "usb.bMaxPower", "data"];
    assert_eq!(
        lines_of(&frames, &names),
        [
            "usb.request_in = 1",
            "56..57 usb.bMaxPower = 49",
            "62..63 usb.bInterfaceClass = 0x03 (HID)",
            "68..69 usb.bEndpointAddress = 0x81",
            "68..69 usb.bEndpointAddress.direction = true (IN Endpoint)",
            "68..69 usb.bEndpointAddress.number = 0x1",
            "70..72 usb.wMaxPacketSize = 8",
            "70..72 usb.wMaxPacketSize.slots = 0",
            "70..72 usb.wMaxPacketSize.size = 8"
        ]
    );
}

#[test]
fn strings_and_the_list_of_their_languages_are_distinguished_by_the_index() {
    let frames = [
        urb(1, b'S', CONTROL, "8006 0003 0000 ff00", ""),
        urb(1, b'C', CONTROL, "", "04 03 0904"),
        urb(1, b'S', CONTROL, "8006 0203 0904 ff00", ""),
        urb(1, b'C', CONTROL, "", "0a 03 4d00 6f00 7500 3dd8"),
    ];
    assert_eq!(
        lines_of(&frames, &["usb.wLANGID", "usb.bString"]),
        ["50..52 usb.wLANGID = 0x0409 (English (United States))", "50..58 usb.bString = \"Mou�\""]
    );
}

#[test]
fn a_descriptor_is_read_as_far_as_the_host_asked() {
    let frames = [urb(1, b'S', CONTROL, "8006 0001 0000 0800", ""), urb(1, b'C', CONTROL, "", "12 01 0002 00 00 00 08")];
    assert_eq!(lines_of(&frames, &["usb.bMaxPacketSize0", "usb.idVendor", "!"]), ["55..56 usb.bMaxPacketSize0 = 8"]);
}

#[test]
fn an_answer_without_its_request_or_to_another_device_is_data() {
    let device = "12 01 0002 00 00 00 08";
    let asks = urb(1, b'S', CONTROL, "8006 0001 0000 0800", "");
    for answer in
        [urb(2, b'C', CONTROL, "", device), urb(1, b'C', [2, 0x80, 6], "", device), urb(1, b'C', [1, 0x80, 5], "", device)]
    {
        assert_eq!(lines_of(&[asks.clone(), answer], &["usb.bLength", "data.data"]), ["48..56 data.data = 1201000200000008"]);
    }
}

#[test]
fn data_of_class_requests_is_the_payload() {
    let frames = [
        urb(1, b'S', [2, 0, 5], "2109 0002 0000 0200", "0205"),
        urb(1, b'C', [2, 0, 5], "", ""),
        urb(2, b'S', CONTROL, "a101 0001 0000 0400", ""),
        urb(2, b'C', CONTROL, "", "00000001"),
    ];
    assert_eq!(
        lines_of(&frames, &["usb.data_fragment", "usb.control.Response", "data.data"]),
        [
            "48..50 usb.data_fragment = 0205",
            "48..50 data.data = 0205",
            "48..52 usb.control.Response = 00000001",
            "48..52 data.data = 00000001"
        ]
    );
}
