//! Endpoints of USB devices are conversations of datagrams in every command.

use crate::common::{Scratch, run};

const LINUX: &str = "samples/usb.pcap";

fn out(arguments: &[&str]) -> String {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    run.out
}

#[test]
fn conversations_have_an_end_and_a_direction() {
    let listed = out(&["-T", "fields", "-e", "stream", "-e", "dir", "-e", "usb.capdata", "-Y", "data && usb.capdata", LINUX]);
    let expected =
        ["usb/1\ts2c\t0001ff00", "usb/1\ts2c\t0002fe00", "usb/1\ts2c\t01000000", "usb/1\ts2c\t000001ff", "usb/2\tc2s\t0001ff00"];
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    let counted = out(&["stats", "-z", "conv,usb", LINUX]);
    assert!(counted.contains("USB conversations: 4") && counted.contains("1.5.1"), "{counted}");
}

#[test]
fn follow_writes_the_payload_of_an_endpoint() {
    let hex = out(&["follow", "-s", "usb/1", "-T", "hex", LINUX]);
    assert_eq!(hex.lines().count(), 5, "{hex}");
    assert!(hex.starts_with("# usb/1  host → 1.5.1"), "{hex}");
    let listed = out(&["follow", LINUX]);
    assert!(["usb/0", "usb/1", "usb/2", "usb/3"].iter().all(|stream| listed.contains(stream)), "{listed}");
}

#[test]
fn captures_of_two_systems_are_compared_by_endpoint() {
    let compared = run(&["diff", LINUX, "samples/usb-windows.pcap"]);
    assert!(compared.out.contains("1.5.1") && compared.out.contains("2.7.1"), "{}", compared.out);
    assert_eq!(run(&["diff", LINUX, LINUX]).code, 0);
}

#[test]
fn a_file_for_payloads_of_usb_names_them() {
    let file = |name: &str, registration: &str| {
        let seq = "seq: [{id: buttons, type: u1}, {id: x, type: s1}, {id: y, type: s1}, {id: wheel, type: s1}]";
        Scratch::new(name, format!("meta: {{id: mouse{registration}}}\n{seq}\n").as_bytes())
    };
    let columns = ["-T", "fields", "-e", "frame.number", "-e", "mouse.x", "-Y", "mouse", LINUX];
    let registered = file("usb-registered.ksy", ", -proto-dissect: {transport: payload, over: usb}");
    let named = out(&[&["-k", registered.path()][..], &columns].concat());
    assert!(named.contains("18\t1\n") && named.lines().count() > 5, "{named}");
    let plain = file("usb-chosen.ksy", "");
    let chosen = out(&[&["-k", plain.path(), "-d", "usb.stream==1,mouse"][..], &columns].concat());
    assert_eq!(chosen, "18\t1\n20\t2\n22\t0\n24\t0\n");
}

#[test]
fn the_file_that_explore_writes_dissects_the_payload() {
    let written = out(&["explore", "-s", "usb/1", "--ksy", LINUX]);
    let file = Scratch::new("usb-found.ksy", written.as_bytes());
    let filter = "stream == usb/1 && unknown_usb_1";
    let named = out(&["-k", file.path(), "-T", "fields", "-e", "protocol", "-Y", filter, LINUX]);
    assert_eq!(named.lines().count(), 4, "{named}");
}

#[test]
fn a_character_is_compared_and_displayed_as_in_wireshark() {
    for (filter, count) in
        [("usb.urb_type == 'S'", 13), ("usb.urb_type == 'C'", 14), ("usb.urb_type == 83", 13), ("usb.addr == \"1.5.1\"", 8)]
    {
        let found = out(&["--packets", "-T", "fields", "-e", "usb.urb_type", "-Y", filter, LINUX]);
        assert_eq!(found.lines().count(), count, "{filter}");
    }
    assert!(out(&["--packets", "-c", "1", "-T", "fields", "-e", "usb.urb_type", LINUX]) == "'S'\n");
}

#[test]
fn filters_on_answers_do_not_depend_on_the_columns() {
    for columns in [&["-e", "frame.number"][..], &["-e", "frame.number", "-e", "usb.idVendor"]] {
        let found = out(&[&["--packets", "-T", "fields", "-Y", "usb.idVendor == 0x046d"][..], columns, &[LINUX]].concat());
        assert!(found.starts_with('2') && found.lines().count() == 1, "{found}");
    }
}
