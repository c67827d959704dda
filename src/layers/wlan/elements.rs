//! Tagged parameters of management frames, which the standard calls elements.
//!
//! ```text
//! tag   number:1 | length:1 | data:length
//!   0 SSID         name
//!   1 50 rates     rate:1 …
//!   3 DS           channel:1
//!   5 TIM          DTIM count:1 | period:1 | control:1 | bitmap
//!   6 IBSS         ATIM window:2
//!   7 country      code:2 | environment:1 | first channel:1, channels:1, power:1 …
//!   42 47 ERP      flags:1
//!   45 HT          capabilities:2 | A-MPDU:1 | MCS set:16 | extended:2 | beamforming:4 | antennas:1
//!   48 RSN         version:2 | group cipher:4 | count:2, pairwise cipher:4 … | count:2, AKM:4 … | capabilities:2
//!                  | count:2, PMKID:16 … | group management cipher:4
//!   61 HT          primary channel:1 | flags:1 | flags:2 | flags:2 | MCS set:16
//!   221 vendor     OUI:3 | type:1 | data; with the OUI 00:50:f2 and type 1, WPA: version:2, and as RSN up to the AKMs
//! ```
//! Every part of RSN after the version is optional. Other tags are data; the last three parts of HT capabilities are numbers.

use super::fields::*;
use crate::tree::{Field, NodeRef, Value, name_of};
use crate::wire::{Error, Result, Wire};
use std::fmt::{self, Write};

const CAPABILITY_BITS: &[&Field] = &[
    &HT_LDPC,
    &HT_WIDTH,
    &HT_SM,
    &HT_GREEN,
    &HT_SHORT20,
    &HT_SHORT40,
    &HT_TXSTBC,
    &HT_RXSTBC,
    &HT_DELAYED,
    &HT_AMSDU,
    &HT_DSSS,
    &HT_PSMP,
    &HT_INTOLERANT,
    &HT_LSIG,
];
const RSN_BITS: &[&Field] =
    &[&RSN_PREAUTH, &RSN_NO_PAIRWISE, &RSN_PTKSA, &RSN_GTKSA, &RSN_MFPR, &RSN_MFPC, &RSN_JMR, &RSN_PEERKEY, &RSN_EXTENDED];
const INFO_3_BITS: &[&Field] = &[
    &HT_RESERVED_24,
    &HT_DUAL_BEACON,
    &HT_DUAL_CTS,
    &HT_BEACON_ID,
    &HT_LSIG_PROTECTION,
    &HT_PCO,
    &HT_PCO_PHASE,
    &HT_RESERVED_36,
];

/// A cipher or AKM suite: the whole number, OUI and type.
type Suite = [&'static Field; 3];

/// A counted list of suites: count, list, suite.
struct SuiteList {
    count: &'static Field,
    list: &'static Field,
    suite: Suite,
}

const GROUP: Suite = [&GROUP_CIPHER, &GROUP_CIPHER_OUI, &GROUP_CIPHER_TYPE];
const MULTICAST: Suite = [&MULTICAST_CIPHER, &MULTICAST_CIPHER_OUI, &MULTICAST_CIPHER_TYPE];
const GROUP_MANAGEMENT: Suite = [&MANAGEMENT_CIPHER, &MANAGEMENT_CIPHER_OUI, &MANAGEMENT_CIPHER_TYPE];
const PAIRWISE_CIPHERS: SuiteList =
    SuiteList { count: &PAIRWISE_COUNT, list: &PAIRWISE_LIST, suite: [&PAIRWISE, &PAIRWISE_OUI, &PAIRWISE_TYPE] };
const UNICAST_CIPHERS: SuiteList =
    SuiteList { count: &UNICAST_COUNT, list: &UNICAST_LIST, suite: [&UNICAST, &UNICAST_OUI, &UNICAST_TYPE] };
const AKMS: SuiteList = SuiteList { count: &AKM_COUNT, list: &AKM_LIST, suite: [&AKM, &AKM_OUI, &AKM_TYPE] };
const WPA_AKMS: SuiteList =
    SuiteList { count: &WPA_AKM_COUNT, list: &WPA_AKM_LIST, suite: [&WPA_AKM, &WPA_AKM_OUI, &WPA_AKM_TYPE] };

/// Reads tags up to the end. Returns the first SSID.
pub(super) fn tags<'a>(wire: &mut Wire<'a>) -> Result<Option<&'a [u8]>> {
    let mut name = None;
    while wire.remaining() > 0 {
        let found = wire.group(&TAG, tag)?;
        name = name.or(found);
    }
    Ok(name)
}

/// Reads a tag. Returns the name in an SSID.
fn tag<'a>(wire: &mut Wire<'a>) -> Result<Option<&'a [u8]>> {
    const SSID_TAG: u8 = 0;
    let number = wire.u8(&TAG_NUMBER)?;
    let length = usize::from(wire.u8(&TAG_LENGTH)?);
    wire.within(length, &TAG_DATA, |wire| {
        if number == SSID_TAG {
            return wire.text(&SSID, length).map(Some);
        }
        element(wire, number)?;
        Ok(None)
    })
}

/// The data of a tag. Unread bytes become data of the tag.
fn element(wire: &mut Wire<'_>, number: u8) -> Result {
    match number {
        1 => wire.each(|wire| wire.u8(&RATE)),
        50 => wire.each(|wire| wire.u8(&EXTENDED_RATE)),
        3 => wire.u8(&CHANNEL).map(drop),
        5 => traffic(wire),
        6 => wire.u16_le(&ATIM).map(drop),
        7 => country(wire),
        16 => wire.rest_is(&CHALLENGE),
        42 | 47 => wire.flags_le(&ERP, 1, &[&ERP_PRESENT, &ERP_PROTECTION, &ERP_BARKER, &ERP_RESERVED]).map(drop),
        45 => high_throughput(wire),
        48 => security(wire),
        61 => high_throughput_operation(wire),
        221 => vendor(wire),
        _ => wire.rest_is(&TAG_DATA),
    }
}

/// A traffic indication map.
fn traffic(wire: &mut Wire<'_>) -> Result {
    wire.u8(&DTIM_COUNT)?;
    wire.u8(&DTIM_PERIOD)?;
    wire.flags_le(&TIM_CONTROL, 1, &[&TIM_MULTICAST, &TIM_OFFSET])?;
    wire.rest_is(&TIM_BITMAP)
}

/// A country with its channels. Channel numbers above 200 announce an operating class.
fn country(wire: &mut Wire<'_>) -> Result {
    const FIRST_EXTENSION: u8 = 201;
    const TRIPLET_SIZE: usize = 3;
    wire.text(&COUNTRY, 2)?;
    wire.u8(&ENVIRONMENT)?;
    while wire.remaining() >= TRIPLET_SIZE {
        if wire.peek_u8().is_some_and(|first| first < FIRST_EXTENSION) {
            wire.group(&TRIPLET, |wire| {
                wire.u8(&FIRST_CHANNEL)?;
                wire.u8(&CHANNELS)?;
                wire.i8(&POWER_LIMIT).map(drop)
            })?;
        } else {
            wire.group(&OPERATING, |wire| {
                wire.u8(&OPERATING_ID)?;
                wire.u8(&OPERATING_CLASS)?;
                wire.u8(&COVERAGE_CLASS).map(drop)
            })?;
        }
    }
    wire.rest_is(&COUNTRY_PADDING)
}

/// HT capabilities.
fn high_throughput(wire: &mut Wire<'_>) -> Result {
    wire.flags_le(&HT_CAPABILITIES, 2, CAPABILITY_BITS)?;
    wire.flags_le(&AMPDU, 1, &[&AMPDU_LENGTH, &AMPDU_DENSITY, &AMPDU_RESERVED])?;
    modulations(wire)?;
    wire.u16_le(&HT_EXTENDED)?;
    wire.u32_le(&TXBF)?;
    wire.u8(&ASEL).map(drop)
}

/// HT operation, which Wireshark calls HT information.
fn high_throughput_operation(wire: &mut Wire<'_>) -> Result {
    wire.u8(&PRIMARY_CHANNEL)?;
    wire.flags_le(&HT_INFO_1, 1, &[&HT_SECONDARY, &HT_CHANNEL_WIDTH, &HT_RIFS, &HT_RESERVED_4])?;
    wire.flags_le(
        &HT_INFO_2,
        2,
        &[&HT_PROTECTION, &HT_NON_GREENFIELD, &HT_RESERVED_11, &HT_OBSS, &HT_SEGMENT_2, &HT_RESERVED_21],
    )?;
    wire.flags_le(&HT_INFO_3, 2, INFO_3_BITS)?;
    modulations(wire)
}

/// A set of modulation and coding schemes: 77 bits of received ones, the highest rate and the transmitted ones.
fn modulations(wire: &mut Wire<'_>) -> Result {
    const SIZE: usize = 16;
    const RECEIVED: usize = 10;
    if wire.remaining() < SIZE {
        return Err(Error::Short { needed: SIZE - wire.remaining() });
    }
    wire.group(&MCS, |wire| {
        wire.group(&MCS_BITMASK, |wire| {
            masked(wire, 0, 4, &[&MCS_0, &MCS_8, &MCS_16, &MCS_24]);
            masked(wire, 4, 4, &[&MCS_32, &MCS_33, &MCS_39]);
            masked(wire, 6, 4, &[&MCS_53]);
            wire.skip(RECEIVED)
        })?;
        wire.bits_le(2, &[&MCS_HIGHEST])?;
        wire.bits_le(4, &[&MCS_DEFINED, &MCS_UNEQUAL, &MCS_STREAMS, &MCS_MODULATION]).map(drop)
    })
}

/// Adds masked bits of a little-endian number of `count` bytes, `skip` bytes ahead.
fn masked(wire: &mut Wire<'_>, skip: usize, count: usize, fields: &[&'static Field]) {
    let start = wire.at() + skip;
    let bytes = wire.ahead().get(skip..skip + count).unwrap_or_default();
    let raw = bytes.iter().rev().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    for field in fields {
        wire.put(field, Value::Unsigned(field.bits_of(raw)), start..start + count);
    }
}

/// RSN: each part may be the last.
fn security(wire: &mut Wire<'_>) -> Result {
    const PMKID_SIZE: usize = 16;
    wire.u16_le(&RSN_VERSION)?;
    let parts: [fn(&mut Wire<'_>) -> Result; 6] = [
        |wire| suite(wire, &GROUP),
        |wire| suites(wire, &PAIRWISE_CIPHERS),
        |wire| suites(wire, &AKMS),
        |wire| wire.flags_le(&RSN_CAPABILITIES, 2, RSN_BITS).map(drop),
        |wire| {
            let count = wire.u16_le(&PMKID_COUNT)?;
            list(wire, &PMKID_LIST, count, |wire| wire.bytes(&PMKID, PMKID_SIZE).map(drop))
        },
        |wire| suite(wire, &GROUP_MANAGEMENT),
    ];
    optional(wire, &parts)
}

/// An element of a vendor.
fn vendor(wire: &mut Wire<'_>) -> Result {
    const MICROSOFT: u32 = 0x0000_50f2;
    const WPA: u8 = 1;
    let vendor = wire.u24_be(&OUI)?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    let at = wire.at();
    let kind = wire.u8(&OUI_TYPE)?;
    if vendor != MICROSOFT {
        // As in Wireshark, the data begin with the type.
        let behind = wire.remaining();
        wire.put(&VENDOR_DATA, Value::Bytes, at..at + 1 + behind);
        return wire.skip(behind);
    }
    wire.put(&WFA_TYPE, Value::Unsigned(kind.into()), at..at + 1);
    if kind != WPA {
        return wire.rest_is(&VENDOR_DATA);
    }
    wire.u16_le(&WPA_VERSION)?;
    let parts: [fn(&mut Wire<'_>) -> Result; 3] =
        [|wire| suite(wire, &MULTICAST), |wire| suites(wire, &UNICAST_CIPHERS), |wire| suites(wire, &WPA_AKMS)];
    optional(wire, &parts)?;
    wire.rest_is(&VENDOR_DATA)
}

/// Reads parts while bytes remain.
fn optional(wire: &mut Wire<'_>, parts: &[fn(&mut Wire<'_>) -> Result]) -> Result {
    for part in parts {
        if wire.remaining() == 0 {
            break;
        }
        part(wire)?;
    }
    Ok(())
}

fn suites(wire: &mut Wire<'_>, fields: &SuiteList) -> Result {
    let count = wire.u16_le(fields.count)?;
    list(wire, fields.list, count, |wire| suite(wire, &fields.suite))
}

/// Reads `count` values below a field, if there are any.
fn list(wire: &mut Wire<'_>, field: &'static Field, count: u16, mut read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    if count == 0 {
        return Ok(());
    }
    wire.group(field, |wire| (0..count).try_for_each(|_| read(wire)))
}

fn suite(wire: &mut Wire<'_>, [whole, oui, kind]: &Suite) -> Result {
    let number = wire.ahead().first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
    let number = number.ok_or_else(|| Error::Short { needed: 4_usize.saturating_sub(wire.remaining()) })?;
    wire.parent(whole, Value::Unsigned(number.into()), |wire| {
        wire.u24_be(oui)?;
        wire.u8(kind).map(drop)
    })
}

pub(super) fn tag_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let number = node.child(&TAG_NUMBER).and_then(NodeRef::number);
    match number.and_then(|number| name_of(super::names::TAGS, number)) {
        Some(name) => out.write_str(name),
        None => number.map_or(Ok(()), |number| write!(out, "tag {number}")),
    }
}

pub(super) fn tag_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&TAG_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    /// A probe request with these tags.
    fn tags(tags: &str) -> String {
        let header = "40 00 0000 ffffffffffff 020000000002 ffffffffffff 1000";
        let tree = trial::layers(Next::Link(105), &[header, tags]);
        let below = tree.lines().skip_while(|line| !line.contains("wlan.tagged.all")).skip(1);
        below.map(|line| line.strip_prefix("      ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rsn_ends_after_any_part() {
        insta::assert_snapshot!(tags("30 2e 0100 000fac04 0200 000fac04 000fac02 0100 000fac08 c000 0100 000102030405060708090a0b0c0d0e0f 000fac06"), @"
        24..72 wlan.tag
          24..25 wlan.tag.number = 48 (RSN Information)
          25..26 wlan.tag.length = 46
          26..28 wlan.rsn.version = 1
          28..32 wlan.rsn.gcs = 1027076
            28..31 wlan.rsn.gcs.oui = 4012
            31..32 wlan.rsn.gcs.type = 4 (AES (CCM))
          32..34 wlan.rsn.pcs.count = 2
          34..42 wlan.rsn.pcs.list
            34..38 wlan.rsn.pcs = 1027076
              34..37 wlan.rsn.pcs.oui = 4012
              37..38 wlan.rsn.pcs.type = 4 (AES (CCM))
            38..42 wlan.rsn.pcs = 1027074
              38..41 wlan.rsn.pcs.oui = 4012
              41..42 wlan.rsn.pcs.type = 2 (TKIP)
          42..44 wlan.rsn.akms.count = 1
          44..48 wlan.rsn.akms.list
            44..48 wlan.rsn.akms = 1027080
              44..47 wlan.rsn.akms.oui = 4012
              47..48 wlan.rsn.akms.type = 8 (SAE (SHA256))
          48..50 wlan.rsn.capabilities = 0x00c0
            48..50 wlan.rsn.capabilities.preauth = false
            48..50 wlan.rsn.capabilities.no_pairwise = false
            48..50 wlan.rsn.capabilities.ptksa_replay_counter = 0x0000
            48..50 wlan.rsn.capabilities.gtksa_replay_counter = 0x0000
            48..50 wlan.rsn.capabilities.mfpr = true
            48..50 wlan.rsn.capabilities.mfpc = true
            48..50 wlan.rsn.capabilities.jmr = false
            48..50 wlan.rsn.capabilities.peerkey = false
            48..50 wlan.rsn.capabilities.extended_key_id_iaf = false
          50..52 wlan.rsn.pmkid.count = 1
          52..68 wlan.rsn.pmkid.list
            52..68 wlan.pmkid.akms = 000102030405060708090a0b0c0d0e0f
          68..72 wlan.rsn.gmcs = 1027078
            68..71 wlan.rsn.gmcs.oui = 4012
            71..72 wlan.rsn.gmcs.type = 6 (BIP (128))
        ");
        insta::assert_snapshot!(tags("30 06 0100 000fac02"), @"
        24..32 wlan.tag
          24..25 wlan.tag.number = 48 (RSN Information)
          25..26 wlan.tag.length = 6
          26..28 wlan.rsn.version = 1
          28..32 wlan.rsn.gcs = 1027074
            28..31 wlan.rsn.gcs.oui = 4012
            31..32 wlan.rsn.gcs.type = 2 (TKIP)
        ");
    }

    #[test]
    fn ht_capabilities_have_the_bits_of_their_modulations() {
        insta::assert_snapshot!(tags("2d 1a ee11 1b ffff0000000000000000 2c01 01000000 0000 00000000 00"), @"
        24..52 wlan.tag
          24..25 wlan.tag.number = 45 (HT Capabilities (802.11n D1.10))
          25..26 wlan.tag.length = 26
          26..28 wlan.ht.capabilities = 0x11ee
            26..28 wlan.ht.capabilities.ldpccoding = false
            26..28 wlan.ht.capabilities.width = true
            26..28 wlan.ht.capabilities.sm = 0x0003 (SM Power Save disabled)
            26..28 wlan.ht.capabilities.green = false
            26..28 wlan.ht.capabilities.short20 = true
            26..28 wlan.ht.capabilities.short40 = true
            26..28 wlan.ht.capabilities.txstbc = true
            26..28 wlan.ht.capabilities.rxstbc = 0x0001 (Rx support of one spatial stream)
            26..28 wlan.ht.capabilities.delayedblockack = false
            26..28 wlan.ht.capabilities.amsdu = false
            26..28 wlan.ht.capabilities.dsscck = true
            26..28 wlan.ht.capabilities.psmp = false
            26..28 wlan.ht.capabilities.40mhzintolerant = false
            26..28 wlan.ht.capabilities.lsig = false
          28..29 wlan.ht.ampduparam = 0x1b
            28..29 wlan.ht.ampduparam.maxlength = 0x03
            28..29 wlan.ht.ampduparam.mpdudensity = 0x06
            28..29 wlan.ht.ampduparam.reserved = 0x00
          29..45 wlan.ht.mcsset
            29..39 wlan.ht.mcsset.rxbitmask
              29..33 wlan.ht.mcsset.rxbitmask.0to7 = 0x000000ff
              29..33 wlan.ht.mcsset.rxbitmask.8to15 = 0x000000ff
              29..33 wlan.ht.mcsset.rxbitmask.16to23 = 0x00000000
              29..33 wlan.ht.mcsset.rxbitmask.24to31 = 0x00000000
              33..37 wlan.ht.mcsset.rxbitmask.32 = 0x00000000
              33..37 wlan.ht.mcsset.rxbitmask.33to38 = 0x00000000
              33..37 wlan.ht.mcsset.rxbitmask.39to52 = 0x00000000
              35..39 wlan.ht.mcsset.rxbitmask.53to76 = 0x00000000
            39..41 wlan.ht.mcsset.highestdatarate = 0x012c
            41..45 wlan.ht.mcsset.txsetdefined = true
            41..45 wlan.ht.mcsset.txrxmcsnotequal = false
            41..45 wlan.ht.mcsset.txmaxss = 0x0000
            41..45 wlan.ht.mcsset.txunequalmod = false
          45..47 wlan.htex.capabilities = 0x0000
          47..51 wlan.txbf = 0x00000000
          51..52 wlan.asel = 0x00
        ");
    }

    #[test]
    fn a_vendor_element_is_wpa_or_data() {
        insta::assert_snapshot!(tags("dd 16 0050f201 0100 0050f202 0100 0050f202 0100 0050f202 dd 06 001018 02 00 1c"), @"
        24..48 wlan.tag
          24..25 wlan.tag.number = 221 (Vendor Specific)
          25..26 wlan.tag.length = 22
          26..29 wlan.tag.oui = 20722
          29..30 wlan.tag.vendor.oui.type = 1
          29..30 wlan.wfa.ie.type = 0x01 (WPA Information Element)
          30..32 wlan.wfa.ie.wpa.version = 1
          32..36 wlan.wfa.ie.wpa.mcs = 5304834
            32..35 wlan.wfa.ie.wpa.mcs.oui = 20722
            35..36 wlan.wfa.ie.wpa.mcs.type = 2 (TKIP)
          36..38 wlan.wfa.ie.wpa.ucs.count = 1
          38..42 wlan.wfa.ie.wpa.ucs.list
            38..42 wlan.wfa.ie.wpa.ucs = 5304834
              38..41 wlan.wfa.ie.wpa.ucs.oui = 20722
              41..42 wlan.wfa.ie.wpa.ucs.type = 2 (TKIP)
          42..44 wlan.wfa.ie.wpa.akms.count = 1
          44..48 wlan.wfa.ie.wpa.akms.list
            44..48 wlan.wfa.ie.wpa.akms = 5304834
              44..47 wlan.wfa.ie.wpa.akms.oui = 20722
              47..48 wlan.wfa.ie.wpa.type = 2 (PSK)
        48..56 wlan.tag
          48..49 wlan.tag.number = 221 (Vendor Specific)
          49..50 wlan.tag.length = 6
          50..53 wlan.tag.oui = 4120
          53..54 wlan.tag.vendor.oui.type = 2
          53..56 wlan.tag.vendor.data = 02001c
        ");
    }

    #[test]
    fn a_tag_longer_than_the_frame_is_cut() {
        insta::assert_snapshot!(tags("01 08 8284"), @"
        24..28 wlan.tag
          24..25 wlan.tag.number = 1 (Supported Rates)
          25..26 wlan.tag.length = 8
          26..27 wlan.supported_rates = 0x82 (1(B))
          27..28 wlan.supported_rates = 0x84 (2(B))
        ! broken dissect.short at 28..28 wlan: 6 more bytes needed, 0 left
        ");
    }
}
