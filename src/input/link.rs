//! Names of link types, for output and for the command line. `layers` maps them to dissectors.

use std::borrow::Cow;

/// The name of a link type of the tcpdump.org list, in lower case; `None` if it has no name here.
#[must_use]
pub fn link_name(link: u16) -> Option<&'static str> {
    let at = LINKS.binary_search_by_key(&link, |(number, _, _)| *number).ok()?;
    LINKS.get(at).map(|(_, name, _)| *name)
}

/// Parses a link type: its number, its name as in [`link_name`], its name in tcpdump.org's list or in libpcap (`EN10MB`,
/// `DLT_LINUX_SLL`), or a common abbreviation (`eth`, `wlan`). Ignores case, the separators `-`, `_` and `.`, and a description
/// as `tcpdump -L` prints it: `LINUX_SLL2 (Linux cooked v2)`.
#[must_use]
pub fn link_number(name: &str) -> Option<u16> {
    if let Ok(number) = name.parse() {
        return Some(number);
    }
    let name = name.split(" (").next().unwrap_or(name);
    let plain = plain(name);
    let plain = plain.strip_prefix("dlt-").or_else(|| plain.strip_prefix("linktype-")).unwrap_or(&plain);
    // A few numbers share a name. The number used in capture files is the last.
    let known = LINKS.iter().rev().find(|(_, name, others)| same(name, plain) || others.iter().any(|other| same(other, plain)));
    known.map(|(number, _, _)| *number).or_else(|| user(plain))
}

/// All names that [`link_number`] accepts, for suggestions.
pub fn link_names() -> impl Iterator<Item = &'static str> {
    LINKS.iter().flat_map(|(_, name, others)| std::iter::once(*name).chain(others.iter().copied()))
}

/// Link types for private use have names too.
fn user(name: &str) -> Option<u16> {
    let number: u16 = name.strip_prefix("user")?.parse().ok()?;
    (number < 16).then_some(147 + number)
}

fn same(name: &str, plain_name: &str) -> bool {
    plain(name) == plain_name
}

fn plain(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.to_ascii_lowercase().replace(['_', '.', ' '], "-"))
}

/// Number, name and aliases, sorted by number.
#[rustfmt::skip]
const LINKS: &[(u16, &str, &[&str])] = &[
    (0, "null", &["bsd-loopback"]),
    (1, "ethernet", &["eth", "ether", "en10mb", "en100mb", "802.3", "ieee802.3"]),
    (3, "ax25", &[]),
    (6, "ieee802.5", &["ieee802", "token-ring", "tr"]),
    (7, "arcnet-bsd", &["arcnet", "bsd-arcnet"]),
    (8, "slip", &[]),
    (9, "ppp", &[]),
    (10, "fddi", &[]),
    (12, "raw", &[]),
    (14, "raw", &[]),
    (50, "ppp-hdlc", &["ppp-serial"]),
    (51, "ppp-ether", &["pppoe"]),
    (99, "symantec-firewall", &[]),
    (100, "atm-rfc1483", &[]),
    (101, "raw", &["ip", "raw-ip", "rawip"]),
    (102, "slip-bsdos", &[]),
    (103, "ppp-bsdos", &[]),
    (104, "c-hdlc", &["chdlc", "cisco-hdlc"]),
    (105, "ieee802.11", &["wlan", "wifi", "802.11"]),
    (106, "atm-clip", &[]),
    (107, "frelay", &["fr", "frame-relay"]),
    (108, "loop", &["openbsd-loop", "openbsd-loopback"]),
    (109, "enc", &[]),
    (113, "linux-sll", &["sll", "cooked", "linux-cooked", "linux-cooked-v1"]),
    (114, "ltalk", &[]),
    (116, "ipfilter", &[]),
    (117, "pflog", &[]),
    (118, "cisco-ios", &[]),
    (119, "ieee802.11-prism", &["prism", "prism-header"]),
    (122, "ip-over-fc", &["fc-ip"]),
    (123, "sunatm", &[]),
    (127, "ieee802.11-radiotap", &["radiotap", "ieee802.11-radio"]),
    (129, "arcnet-linux", &[]),
    (130, "juniper-mlppp", &[]),
    (131, "juniper-mlfr", &[]),
    (132, "juniper-es", &[]),
    (133, "juniper-ggsn", &[]),
    (134, "juniper-mfr", &[]),
    (135, "juniper-atm2", &[]),
    (136, "juniper-services", &[]),
    (137, "juniper-atm1", &[]),
    (138, "apple-ip-over-ieee1394", &[]),
    (139, "mtp2-with-phdr", &[]),
    (140, "mtp2", &[]),
    (141, "mtp3", &[]),
    (142, "sccp", &[]),
    (143, "docsis", &[]),
    (144, "linux-irda", &[]),
    (163, "ieee802.11-avs", &["avs", "ieee802.11-radio-avs"]),
    (164, "juniper-monitor", &[]),
    (165, "bacnet-ms-tp", &[]),
    (166, "ppp-pppd", &[]),
    (167, "juniper-pppoe", &[]),
    (168, "juniper-pppoe-atm", &[]),
    (169, "gprs-llc", &[]),
    (170, "gpf-t", &[]),
    (171, "gpf-f", &[]),
    (172, "gcom-t1e1", &[]),
    (173, "gcom-serial", &[]),
    (174, "juniper-pic-peer", &[]),
    (175, "erf-eth", &[]),
    (176, "erf-pos", &[]),
    (177, "linux-lapd", &["lapd-linux"]),
    (178, "juniper-ether", &[]),
    (179, "juniper-ppp", &[]),
    (180, "juniper-frelay", &[]),
    (181, "juniper-chdlc", &[]),
    (182, "mfr", &[]),
    (183, "juniper-vp", &[]),
    (184, "a429", &[]),
    (185, "a653-icm", &[]),
    (186, "usb-freebsd", &[]),
    (187, "bluetooth-hci-h4", &["bluetooth", "hci"]),
    (188, "ieee802.16-mac-cps", &[]),
    (189, "usb-linux", &["usb"]),
    (190, "can20b", &[]),
    (191, "ieee802.15.4-linux", &[]),
    (192, "ppi", &[]),
    (193, "ieee802.16-mac-cps-radio", &[]),
    (194, "juniper-ism", &[]),
    (195, "ieee802.15.4-withfcs", &["ieee802.15.4", "802.15.4", "zigbee"]),
    (196, "sita", &[]),
    (197, "erf", &[]),
    (198, "raif1", &[]),
    (199, "ipmb-kontron", &[]),
    (200, "juniper-st", &[]),
    (201, "bluetooth-hci-h4-with-phdr", &[]),
    (202, "ax25-kiss", &[]),
    (203, "lapd", &[]),
    (204, "ppp-with-dir", &[]),
    (205, "c-hdlc-with-dir", &[]),
    (206, "frelay-with-dir", &[]),
    (207, "lapb-with-dir", &[]),
    (209, "ipmb-linux", &[]),
    (210, "flexray", &[]),
    (211, "most", &[]),
    (212, "lin", &[]),
    (213, "x2e-serial", &[]),
    (214, "x2e-xoraya", &[]),
    (215, "ieee802.15.4-nonask-phy", &[]),
    (216, "linux-evdev", &[]),
    (217, "gsmtap-um", &[]),
    (218, "gsmtap-abis", &[]),
    (219, "mpls", &[]),
    (220, "usb-linux-mmapped", &["usb-linux-mmap"]),
    (221, "dect", &[]),
    (222, "aos", &[]),
    (223, "wihart", &[]),
    (224, "fc-2", &[]),
    (225, "fc-2-with-frame-delims", &[]),
    (226, "ipnet", &[]),
    (227, "can-socketcan", &["can", "socketcan"]),
    (228, "ipv4", &["ip4"]),
    (229, "ipv6", &["ip6"]),
    (230, "ieee802.15.4-nofcs", &["802.15.4-nofcs"]),
    (231, "dbus", &[]),
    (232, "juniper-vs", &[]),
    (233, "juniper-srx-e2e", &[]),
    (234, "juniper-fibrechannel", &[]),
    (235, "dvb-ci", &[]),
    (236, "mux27010", &[]),
    (237, "stanag-5066-d-pdu", &[]),
    (238, "juniper-atm-cemic", &[]),
    (239, "nflog", &[]),
    (240, "netanalyzer", &[]),
    (241, "netanalyzer-transparent", &[]),
    (242, "ipoib", &[]),
    (243, "mpeg-2-ts", &[]),
    (244, "ng40", &[]),
    (245, "nfc-llcp", &[]),
    (246, "pfsync", &[]),
    (247, "infiniband", &[]),
    (248, "sctp", &[]),
    (249, "usbpcap", &[]),
    (250, "rtac-serial", &[]),
    (251, "bluetooth-le-ll", &["ble"]),
    (252, "wireshark-upper-pdu", &["exported-pdu", "wireshark"]),
    (253, "netlink", &[]),
    (254, "bluetooth-linux-monitor", &[]),
    (255, "bluetooth-bredr-bb", &[]),
    (256, "bluetooth-le-ll-with-phdr", &[]),
    (257, "profibus-dl", &[]),
    (258, "pktap", &[]),
    (259, "epon", &[]),
    (260, "ipmi-hpm-2", &[]),
    (261, "zwave-r1-r2", &[]),
    (262, "zwave-r3", &[]),
    (263, "wattstopper-dlm", &[]),
    (264, "iso-14443", &[]),
    (265, "rds", &[]),
    (266, "usb-darwin", &[]),
    (267, "openflow", &[]),
    (268, "sdlc", &[]),
    (269, "ti-lln-sniffer", &[]),
    (270, "loratap", &[]),
    (271, "vsock", &[]),
    (272, "nordic-ble", &[]),
    (273, "docsis31-xra31", &[]),
    (274, "ethernet-mpacket", &["mpacket"]),
    (275, "displayport-aux", &[]),
    (276, "linux-sll2", &["sll2", "cooked2", "linux-cooked-v2"]),
    (278, "openvizsla", &[]),
    (279, "ebhscr", &[]),
    (280, "vpp-dispatch", &[]),
    (281, "dsa-tag-brcm", &[]),
    (282, "dsa-tag-brcm-prepend", &[]),
    (283, "ieee802.15.4-tap", &[]),
    (284, "dsa-tag-dsa", &[]),
    (285, "dsa-tag-edsa", &[]),
    (286, "elee", &[]),
    (287, "z-wave-serial", &[]),
    (288, "usb-2.0", &[]),
    (289, "atsc-alp", &[]),
    (290, "etw", &[]),
    (291, "netanalyzer-ng", &[]),
    (292, "zboss-ncp", &[]),
    (293, "usb-2.0-low-speed", &[]),
    (294, "usb-2.0-full-speed", &[]),
    (295, "usb-2.0-high-speed", &[]),
    (296, "auerswald-log", &[]),
    (297, "zwave-tap", &[]),
    (298, "silabs-debug-channel", &[]),
    (299, "fira-uci", &[]),
    (300, "mdb", &[]),
    (301, "dect-nr", &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_link_types_have_names() {
        let names = [0, 1, 12, 14, 101, 105, 113, 228, 276].map(|link| link_name(link).unwrap_or_default());
        assert_eq!(names, ["null", "ethernet", "raw", "raw", "raw", "ieee802.11", "linux-sll", "ipv4", "linux-sll2"]);
        assert_eq!(link_name(160), None);
    }

    #[test]
    fn every_name_leads_to_its_number() {
        assert!(LINKS.is_sorted_by(|(one, _, _), (next, _, _)| one < next));
        for (number, name, others) in LINKS {
            for name in others.iter().chain([name]) {
                let found = link_number(name).unwrap();
                assert!(found == *number || *name == "raw" && found == 101, "{name} is {found}");
            }
        }
        let mut names: Vec<_> = link_names().map(plain).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(all - names.len(), 2, "only raw has three numbers");
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
}
