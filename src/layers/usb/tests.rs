//! Pseudo-headers and setup packets, each in one frame.

use crate::layers::{Next, trial};

/// A header of usbmon up to the data length: a transfer of endpoint 1 of device 1.5.
const HEADER: &str = "0200000080880000 43 01 81 05 0100 2d 00 00f1536500000000 30750000 00000000 04000000 04000000";
const SETUP: &str = "0000000000000000";
const MAPPED: &str = "08000000 00000000 00020000 00000000";

fn of_link(link: u16, lines: &[&str]) -> String {
    trial::layers(Next::Link(link), lines)
}

/// The lines of a dump whose field is one of these.
fn fields(dump: &str, names: &[&str]) -> Vec<String> {
    let name = |line: &str| line.split_whitespace().find(|word| !word.contains("..")).unwrap_or_default().to_owned();
    dump.lines().filter(|line| names.contains(&name(line).as_str())).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_report_follows_the_header_of_usbmon() {
    insta::assert_snapshot!(of_link(220, &[HEADER, SETUP, MAPPED, "0001ff00"]), @r#"
    usb 0..68 | URB_INTERRUPT in
      0..8 usb.urb_id = 0x0000888000000002
      8..9 usb.urb_type = 'C' (URB_COMPLETE)
      9..10 usb.transfer_type = 0x01 (URB_INTERRUPT)
      10..11 usb.endpoint_address = 0x81
        10..11 usb.endpoint_address.direction = 1 (IN)
        10..11 usb.endpoint_address.number = 1
      11..12 usb.device_address = 5
      12..14 usb.bus_id = 1
      14..15 usb.setup_flag = '-' (not relevant)
      15..16 usb.data_flag = '\x00' (present)
      16..24 usb.urb_ts_sec = 1700000000
      24..28 usb.urb_ts_usec = 30000
      28..32 usb.urb_status = 0
      32..36 usb.urb_len = 4
      36..40 usb.data_len = 4
      40..48 usb.unused_setup_header = 0000000000000000
      48..52 usb.interval = 8
      52..56 usb.start_frame = 0
      56..60 usb.copy_of_transfer_flags = 0x00000200
        56..60 usb.transfer_flags.short_not_ok = false
        56..60 usb.transfer_flags.iso_asap = false
        56..60 usb.transfer_flags.no_transfer_dma_map = false
        56..60 usb.transfer_flags.no_fsbr = false
        56..60 usb.transfer_flags.zero_packet = false
        56..60 usb.transfer_flags.no_interrupt = false
        56..60 usb.transfer_flags.free_buffer = false
        56..60 usb.transfer_flags.dir_in = true
        56..60 usb.transfer_flags.dma_map_single = false
        56..60 usb.transfer_flags.dma_map_page = false
        56..60 usb.transfer_flags.dma_map_sg = false
        56..60 usb.transfer_flags.map_local = false
        56..60 usb.transfer_flags.setup_map_single = false
        56..60 usb.transfer_flags.setup_map_local = false
        56..60 usb.transfer_flags.dma_sg_combined = false
        56..60 usb.transfer_flags.aligned_temp_buffer = false
      60..64 usb.iso.numdesc = 0
      usb.src = "1.5.1"
      usb.dst = "host"
      64..68 usb.capdata = 0001ff00
    "#);
}

#[test]
fn the_header_of_usbmon_has_the_byte_order_of_its_machine() {
    let big = "0000888000000002 43 01 81 05 0001 2d 00 000000006553f100 00007530 ffffffb9 00000004 00000004 0000000000000000";
    let names = ["usb.urb_id", "usb.bus_id", "usb.urb_ts_sec", "usb.urb_status", "usb.data_len", "usb.src"];
    let expected = [
        "0..8 usb.urb_id = 0x0000888000000002",
        "12..14 usb.bus_id = 1",
        "16..24 usb.urb_ts_sec = 1700000000",
        "28..32 usb.urb_status = -71",
        "36..40 usb.data_len = 4",
        "usb.src = \"1.5.1\"",
    ];
    assert_eq!(fields(&of_link(189, &[big, "0001ff00"]), &names), expected);
}

#[test]
fn a_setup_packet_is_read_by_its_request() {
    let names = [
        "usb.setup.bRequest",
        "usb.setup.bRequest.other",
        "usb.bDescriptorType",
        "usb.setup.wFeatureSelector",
        "usb.setup.wEndpoint",
        "usb.setup.wInterface",
        "usb.bConfigurationValue",
        "usb.setup.wValue",
        "usb.setup.wLength",
        "usb.data_fragment",
    ];
    let asks = HEADER.replace("43 01 81 05 0100 2d", "53 02 00 05 0100 00");
    let found = |packet: &str| fields(&of_link(189, &[&asks, packet]), &names).join("; ");
    assert_eq!(
        ["8006 0001 0000 1200", "0201 0000 8100 0000", "0103 0100 0200 0000", "0009 0100 0000 0000", "2109 0002 0100 0200 aabb"]
            .map(found),
        [
            "41..42 usb.setup.bRequest = 6 (GET DESCRIPTOR); 43..44 usb.bDescriptorType = 0x01 (DEVICE); 46..48 usb.setup.wLength = 18",
            "41..42 usb.setup.bRequest = 1 (CLEAR FEATURE); 42..44 usb.setup.wFeatureSelector = 0; 44..46 usb.setup.wEndpoint = 129; 46..48 usb.setup.wLength = 0",
            "41..42 usb.setup.bRequest = 3 (SET FEATURE); 42..44 usb.setup.wFeatureSelector = 1; 44..46 usb.setup.wInterface = 2; 46..48 usb.setup.wLength = 0",
            "41..42 usb.setup.bRequest = 9 (SET CONFIGURATION); 42..43 usb.bConfigurationValue = 1; 46..48 usb.setup.wLength = 0",
            "41..42 usb.setup.bRequest.other = 9; 42..44 usb.setup.wValue = 0x0200; 46..48 usb.setup.wLength = 2; 48..50 usb.data_fragment = aabb"
        ]
    );
}

#[test]
fn isochronous_descriptors_divide_the_data() {
    let header = HEADER.replace("43 01 81", "43 00 83");
    let packets = "00000000 00000000 02000000 00000000  b9ffffff 02000000 02000000 00000000  a1a2 b1b2";
    let frame = of_link(220, &[&header, "00000000 02000000", &MAPPED.replace("00020000 00000000", "00020000 02000000"), packets]);
    let names = ["usb.iso.iso_status", "usb.iso.iso_len", "usb.iso.data", "usb.iso.numdesc"];
    assert_eq!(
        fields(&frame, &names),
        [
            "44..48 usb.iso.numdesc = 2",
            "60..64 usb.iso.numdesc = 2",
            "64..68 usb.iso.iso_status = 0",
            "72..76 usb.iso.iso_len = 2",
            "80..84 usb.iso.iso_status = -71",
            "88..92 usb.iso.iso_len = 2",
            "96..98 usb.iso.data = a1a2",
            "98..100 usb.iso.data = b1b2"
        ]
    );
}

#[test]
fn a_wrong_number_of_isochronous_descriptors_ends_with_the_frame() {
    let header = HEADER.replace("43 01 81", "43 00 83");
    let frame = of_link(220, &[&header, "00000000 ffffffff", &MAPPED.replace("00020000 00000000", "00020000 ffffffff"), "0000"]);
    assert_eq!(fields(&frame, &["usb.iso", "usb.iso.data"]), Vec::<String>::new());
}

#[test]
fn a_request_follows_the_header_of_usbpcap() {
    let header = "1c00 10d0cdab00d0ffff 00000000 0800 00 0200 0700 80 02 08000000 00";
    insta::assert_snapshot!(of_link(249, &[header, "8006 0001 0000 1200"]), @r#"
    usb 0..36 | GET DESCRIPTOR Request DEVICE
      0..2 usb.usbpcap_header_len = 28
      2..10 usb.irp_id = 0xffffd000abcdd010
      10..14 usb.usbd_status = 0x00000000 (USBD_STATUS_SUCCESS)
      14..16 usb.function = 0x0008 (URB_FUNCTION_CONTROL_TRANSFER)
      16..17 usb.irp_info = 0x00
        16..17 usb.irp_info.reserved = 0x00
        16..17 usb.irp_info.direction = 0x00 (FDO -> PDO)
      17..19 usb.bus_id = 2
      19..21 usb.device_address = 7
      21..22 usb.endpoint_address = 0x80
        21..22 usb.endpoint_address.direction = 1 (IN)
        21..22 usb.endpoint_address.number = 0
      22..23 usb.transfer_type = 0x02 (URB_CONTROL)
      23..27 usb.data_len = 8
      27..28 usb.control_stage = 0 (Setup)
      28..36 usb.setup
        28..29 usb.bmRequestType = 0x80
          28..29 usb.bmRequestType.direction = true (Device-to-host)
          28..29 usb.bmRequestType.type = 0x00 (Standard)
          28..29 usb.bmRequestType.recipient = 0x00 (Device)
        29..30 usb.setup.bRequest = 6 (GET DESCRIPTOR)
        30..31 usb.DescriptorIndex = 0x00
        31..32 usb.bDescriptorType = 0x01 (DEVICE)
        32..34 usb.LanguageId = 0x0000 (no language specified)
        34..36 usb.setup.wLength = 18
      usb.src = "host"
      usb.dst = "2.7.0"
    "#);
}

#[test]
fn packets_of_an_isochronous_transfer_are_in_the_header_of_usbpcap() {
    let header = "3300 10d0cdab00d0ffff 00000000 0a00 01 0200 0700 83 00 04000000 05000000 01000000 00000000";
    let frame = of_link(249, &[header, "00000000 04000000 000000c0", "a1a2a3a4"]);
    let names = ["usb.win32.iso_frame", "usb.win32.iso_offset", "usb.win32.iso_data_len", "usb.win32.iso_status", "usb.iso.data"];
    assert_eq!(
        fields(&frame, &names),
        [
            "27..31 usb.win32.iso_frame = 5",
            "39..43 usb.win32.iso_offset = 0x00000000",
            "43..47 usb.win32.iso_data_len = 0x00000004",
            "47..51 usb.win32.iso_status = 0xc0000000",
            "51..55 usb.iso.data = a1a2a3a4"
        ]
    );
}

#[test]
fn a_header_longer_than_known_or_than_its_frame_is_read_as_far_as_possible() {
    let header = "1e00 10d0cdab00d0ffff 00000000 0900 01 0200 0700 81 03 02000000 aabbcc";
    assert_eq!(
        fields(&of_link(249, &[header, "0102"]), &["usb.header_rest", "usb.capdata"]),
        ["27..30 usb.header_rest = aabbcc", "30..32 usb.capdata = 0102"]
    );
    let cut = of_link(249, &[&header.replace("1e00", "ff00")]);
    assert!(cut.contains("usb.transfer_type") && cut.contains("dissect.short"), "{cut}");
}

#[test]
fn a_transfer_follows_the_header_of_macos() {
    let header = "0001 20 01 04000000 00000000 00000000 0807060504030201 00001214 01 07 81 03";
    insta::assert_snapshot!(of_link(266, &[header, "0001ff00"]), @r#"
    usb 0..36 | URB_INTERRUPT in
      0..2 usb.darwin.bcdVersion = 0x0100
      2..3 usb.darwin.header_len = 32
      3..4 usb.darwin.request_type = 1 (COMPLETE)
      4..8 usb.darwin.io_len = 4
      8..12 usb.darwin.io_status = 0x00000000
      12..16 usb.darwin.io_frame_count = 0
      16..24 usb.darwin.io_id = 0x0102030405060708
      24..28 usb.darwin.location_id = 0x14120000
      28..29 usb.darwin_device_speed = 1 (full)
      29..30 usb.darwin.device_address = 7
      30..31 usb.darwin.endpoint_address = 0x81
      31..32 usb.darwin.endpoint_type = 3 (Interrupt)
      usb.src = "20.7.1"
      usb.dst = "host"
      32..36 usb.capdata = 0001ff00
    "#);
}
