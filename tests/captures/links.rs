//! Names and numbers of link types.

use proto_dissect::input::{link_name, link_names, link_number};

/// The table of names.
const LINKS: &str = include_str!("../../src/input/links.tsv");

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.', ' '], "-")
}

#[test]
fn common_link_types_have_names() {
    let names = [0, 1, 12, 14, 101, 105, 113, 228, 276].map(|link| link_name(link).unwrap_or_default());
    assert_eq!(names, ["null", "ethernet", "raw", "raw", "raw", "ieee802.11", "linux-sll", "ipv4", "linux-sll2"]);
    assert_eq!(link_name(160), None);
}

#[test]
fn every_name_leads_to_its_number() {
    let rows = || LINKS.lines().map(|line| line.split_once('\t').unwrap());
    let numbers: Vec<u16> = rows().map(|(number, _)| number.parse::<u16>().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next));
    for ((_, names), number) in rows().zip(numbers) {
        for name in names.split('\t') {
            let found = link_number(name).unwrap();
            assert!(found == number || name == "raw" && found == 101, "{name} is {found}");
        }
    }
    let mut names: Vec<_> = link_names().map(plain).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(all - names.len(), 2, "only raw has three numbers");
}

#[test]
fn names_and_numbers_are_those_of_libpcap() {
    // Those of the LINKTYPE_ values in libpcap and on tcpdump.org's page of link-layer header types.
    for line in include_str!("links-libpcap.tsv").lines() {
        let (number, name) = line.split_once('\t').unwrap();
        let number: u16 = number.parse().unwrap();
        assert_eq!(link_number(name), Some(number), "{name}");
        assert_eq!(link_number(&format!("LINKTYPE_{name}")), Some(number), "{name}");
        let own = link_name(number).map(plain);
        assert!((147..163).contains(&number) || own == Some(plain(name)), "{number} {name}: {own:?}");
    }
    // Names that tcpdump -L prints, where they differ.
    for (name, number) in
        [("EN10MB", 1), ("IEEE802", 6), ("ARCNET", 7), ("PPP_SERIAL", 50), ("PRISM_HEADER", 119), ("I2C_LINUX", 209)]
    {
        assert_eq!(link_number(name), Some(number), "{name}");
    }
}

#[test]
fn names_are_found_as_people_write_them() {
    for (name, number) in [
        ("1", 1),
        ("65535", 65535),
        ("Ethernet", 1),
        ("EN10MB", 1),
        ("DLT_EN10MB", 1),
        ("LINKTYPE_ETHERNET", 1),
        ("raw", 101),
        ("DLT_RAW", 101),
        ("wlan", 105),
        ("IEEE802_11", 105),
        ("IEEE802_11_RADIO", 127),
        ("linux_sll", 113),
        ("DLT_USER0", 147),
        ("user15", 162),
        ("linux-cooked", 113),
        ("Linux cooked v1", 113),
        ("LINUX_SLL2 (Linux cooked v2)", 276),
        ("NULL", 0),
        ("LOOP", 108),
        ("PPP", 9),
        ("ARCNET", 7),
        ("ENC", 109),
        ("PFSYNC", 246),
        ("USB_LINUX_MMAPPED", 220),
        ("IEEE802_15_4_NOFCS", 230),
    ] {
        assert_eq!(link_number(name), Some(number), "{name}");
    }
    for name in ["", "ether net", "user16", "65536", "-1", "dlt_"] {
        assert_eq!(link_number(name), None, "{name}");
    }
}
