//! Names of link types, for output and for the command line. `layers` maps them to dissectors.

use std::borrow::Cow;
use std::sync::LazyLock;

/// The name of a link type of the tcpdump.org list, in lower case; `None` if it has no name here.
#[must_use]
pub fn link_name(link: u16) -> Option<&'static str> {
    let at = LINKS.binary_search_by_key(&link, |(number, _)| *number).ok()?;
    LINKS.get(at)?.1.split('\t').next()
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
    let known = LINKS.iter().rev().find(|(_, names)| names.split('\t').any(|name| self::plain(name) == plain));
    known.map(|(number, _)| *number).or_else(|| user(plain))
}

/// All names that [`link_number`] accepts, for suggestions.
pub fn link_names() -> impl Iterator<Item = &'static str> {
    LINKS.iter().flat_map(|(_, names)| names.split('\t'))
}

/// Link types for private use have names too.
fn user(name: &str) -> Option<u16> {
    let number: u16 = name.strip_prefix("user")?.parse().ok()?;
    (number < 16).then_some(147 + number)
}

fn plain(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.to_ascii_lowercase().replace(['_', '.', ' '], "-"))
}

/// Numbers and names of `links.tsv`, sorted by number. The first name is printed; people write any of them.
static LINKS: LazyLock<Vec<(u16, &str)>> = LazyLock::new(|| {
    let rows = include_str!("links.tsv").lines().filter_map(|line| line.split_once('\t'));
    rows.filter_map(|(number, names)| Some((number.parse().ok()?, names))).collect()
});

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
        assert!(LINKS.len() == include_str!("links.tsv").lines().count() && LINKS.is_sorted_by(|(one, _), (next, _)| one < next));
        for (number, names) in LINKS.iter() {
            for name in names.split('\t') {
                let found = link_number(name).unwrap();
                assert!(found == *number || name == "raw" && found == 101, "{name} is {found}");
            }
        }
        let mut names: Vec<_> = link_names().map(plain).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(all - names.len(), 2, "only raw has three numbers");
    }

    /// Numbers and names of the LINKTYPE_ values in libpcap and on tcpdump.org's page of link-layer header types.
    const LIBPCAP: &str = "\
        50 PPP_HDLC 51 PPP_ETHER 99 SYMANTEC_FIREWALL 100 ATM_RFC1483 101 RAW 102 SLIP_BSDOS 103 PPP_BSDOS 104 C_HDLC 105 IEEE802_11 \
        106 ATM_CLIP 107 FRELAY 108 LOOP 109 ENC 110 LANE8023 111 HIPPI 112 NETBSD_HDLC 113 LINUX_SLL 114 LTALK 115 ECONET 116 \
        IPFILTER 117 PFLOG 118 CISCO_IOS 119 IEEE802_11_PRISM 120 IEEE802_11_AIRONET 121 HHDLC 122 IP_OVER_FC 123 SUNATM 124 RIO 125 \
        PCI_EXP 126 AURORA 127 IEEE802_11_RADIOTAP 128 TZSP 129 ARCNET_LINUX 130 JUNIPER_MLPPP 131 JUNIPER_MLFR 132 JUNIPER_ES 133 \
        JUNIPER_GGSN 134 JUNIPER_MFR 135 JUNIPER_ATM2 136 JUNIPER_SERVICES 137 JUNIPER_ATM1 138 APPLE_IP_OVER_IEEE1394 139 \
        MTP2_WITH_PHDR 140 MTP2 141 MTP3 142 SCCP 143 DOCSIS 144 LINUX_IRDA 145 IBM_SP 146 IBM_SN 147 USER0 148 USER1 149 USER2 150 \
        USER3 151 USER4 152 USER5 153 USER6 154 USER7 155 USER8 156 USER9 157 USER10 158 USER11 159 USER12 160 USER13 161 USER14 162 \
        USER15 163 IEEE802_11_AVS 164 JUNIPER_MONITOR 165 BACNET_MS_TP 166 PPP_PPPD 167 JUNIPER_PPPOE 168 JUNIPER_PPPOE_ATM 169 \
        GPRS_LLC 170 GPF_T 171 GPF_F 172 GCOM_T1E1 173 GCOM_SERIAL 174 JUNIPER_PIC_PEER 175 ERF_ETH 176 ERF_POS 177 LINUX_LAPD 178 \
        JUNIPER_ETHER 179 JUNIPER_PPP 180 JUNIPER_FRELAY 181 JUNIPER_CHDLC 182 MFR 183 JUNIPER_VP 184 A429 185 A653_ICM 186 \
        USB_FREEBSD 187 BLUETOOTH_HCI_H4 188 IEEE802_16_MAC_CPS 189 USB_LINUX 190 CAN20B 191 IEEE802_15_4_LINUX 192 PPI 193 \
        IEEE802_16_MAC_CPS_RADIO 194 JUNIPER_ISM 195 IEEE802_15_4_WITHFCS 196 SITA 197 ERF 198 RAIF1 199 IPMB_KONTRON 200 JUNIPER_ST \
        201 BLUETOOTH_HCI_H4_WITH_PHDR 202 AX25_KISS 203 LAPD 204 PPP_WITH_DIR 205 C_HDLC_WITH_DIR 206 FRELAY_WITH_DIR 207 \
        LAPB_WITH_DIR 210 FLEXRAY 211 MOST 212 LIN 213 X2E_SERIAL 214 X2E_XORAYA 215 IEEE802_15_4_NONASK_PHY 216 LINUX_EVDEV 217 \
        GSMTAP_UM 218 GSMTAP_ABIS 219 MPLS 220 USB_LINUX_MMAPPED 221 DECT 222 AOS 223 WIHART 224 FC_2 225 FC_2_WITH_FRAME_DELIMS 226 \
        IPNET 227 CAN_SOCKETCAN 228 IPV4 229 IPV6 230 IEEE802_15_4_NOFCS 231 DBUS 232 JUNIPER_VS 233 JUNIPER_SRX_E2E 234 \
        JUNIPER_FIBRECHANNEL 235 DVB_CI 236 MUX27010 237 STANAG_5066_D_PDU 238 JUNIPER_ATM_CEMIC 239 NFLOG 240 NETANALYZER 241 \
        NETANALYZER_TRANSPARENT 242 IPOIB 243 MPEG_2_TS 244 NG40 245 NFC_LLCP 246 PFSYNC 247 INFINIBAND 248 SCTP 249 USBPCAP 250 \
        RTAC_SERIAL 251 BLUETOOTH_LE_LL 252 WIRESHARK_UPPER_PDU 253 NETLINK 254 BLUETOOTH_LINUX_MONITOR 255 BLUETOOTH_BREDR_BB 256 \
        BLUETOOTH_LE_LL_WITH_PHDR 257 PROFIBUS_DL 258 PKTAP 259 EPON 260 IPMI_HPM_2 261 ZWAVE_R1_R2 262 ZWAVE_R3 263 WATTSTOPPER_DLM \
        264 ISO_14443 265 RDS 266 USB_DARWIN 267 OPENFLOW 268 SDLC 269 TI_LLN_SNIFFER 270 LORATAP 271 VSOCK 272 NORDIC_BLE 273 \
        DOCSIS31_XRA31 274 ETHERNET_MPACKET 275 DISPLAYPORT_AUX 276 LINUX_SLL2 277 SERCOS_MONITOR 278 OPENVIZSLA 279 EBHSCR 280 \
        VPP_DISPATCH 281 DSA_TAG_BRCM 282 DSA_TAG_BRCM_PREPEND 283 IEEE802_15_4_TAP 284 DSA_TAG_DSA 285 DSA_TAG_EDSA 286 ELEE 287 \
        Z_WAVE_SERIAL 288 USB_2_0 289 ATSC_ALP 290 ETW 291 NETANALYZER_NG 292 ZBOSS_NCP 293 USB_2_0_LOW_SPEED 294 USB_2_0_FULL_SPEED \
        295 USB_2_0_HIGH_SPEED 296 AUERSWALD_LOG 297 ZWAVE_TAP 298 SILABS_DEBUG_CHANNEL 299 FIRA_UCI 300 MDB 301 DECT_NR 302 EDK2_MM \
        303 DEBUG_ONLY 304 DECT_NR_TAP \
        ";

    #[test]
    fn names_and_numbers_are_those_of_libpcap() {
        let words: Vec<&str> = LIBPCAP.split_ascii_whitespace().collect();
        for pair in words.chunks(2) {
            let [number, name] = pair else { panic!("{pair:?}") };
            let number: u16 = number.parse().unwrap();
            assert_eq!(link_number(name), Some(number), "{name}");
            assert_eq!(link_number(&format!("LINKTYPE_{name}")), Some(number), "{name}");
            let own = link_name(number).map(plain);
            assert!((147..163).contains(&number) || own.as_deref() == Some(&plain(name)), "{number} {name}: {own:?}");
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
}
