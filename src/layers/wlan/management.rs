//! Bodies of management frames: fixed parameters by subtype, then tagged parameters.
//!
//! ```text
//! association request     capabilities:2 | listen interval:2 | tags             response  capabilities:2 | status:2 | AID:2 | tags
//! reassociation request   capabilities:2 | listen interval:2 | access point:6 | tags
//! probe request           tags
//! beacon, probe response  timestamp:8 | interval:2 | capabilities:2 | tags
//! authentication          algorithm:2 | sequence:2 | status:2 | tags, unless the algorithm is SAE
//! disassociation, deauthentication  reason:2 | tags
//! action                  category:1 | data by category
//! ```
//! Not covered: fields of SAE, and of actions behind their category.

use super::super::ethernet::Shown;
use super::elements;
use super::fields::*;
use crate::tree::{Address, Field};
use crate::wire::{Result, Wire, data};

const CAPABILITY_BITS: &[&Field] = &[
    &CAP_ESS,
    &CAP_IBSS,
    &CAP_RESERVED1,
    &CAP_RESERVED2,
    &CAP_PRIVACY,
    &CAP_PREAMBLE,
    &CAP_RESERVED3,
    &CAP_RESERVED4,
    &CAP_SPECTRUM,
    &CAP_QOS,
    &CAP_SLOT,
    &CAP_APSD,
    &CAP_RADIO,
    &CAP_EPD,
    &CAP_RESERVED5,
    &CAP_RESERVED6,
];

/// What follows the fixed parameters.
enum Behind {
    Tags,
    Data,
}

/// The body of a management frame of this subtype.
pub(super) fn body(wire: &mut Wire<'_>, subtype: u64, src: Option<Address>, dst: Option<Address>) -> Result {
    const PROBE_REQUEST: u64 = 4;
    if wire.remaining() == 0 || !matches!(subtype, 0..=5 | 8 | 10..=14) {
        return Ok(());
    }
    wire.group(&MGT, |wire| {
        let behind = match subtype {
            PROBE_REQUEST => Behind::Tags,
            _ => wire.group(&FIXED, |wire| fixed(wire, subtype))?,
        };
        match behind {
            Behind::Data if wire.remaining() > 0 => wire.rest_is(&data::BYTES),
            Behind::Tags if wire.remaining() > 0 => {
                let name = wire.group(&TAGGED, elements::tags)?;
                if let Some(name) = name {
                    let name = String::from_utf8_lossy(name);
                    wire.info(format_args!("{} → {}, SSID \"{name}\"", Shown(src), Shown(dst)));
                }
                Ok(())
            }
            Behind::Data | Behind::Tags => Ok(()),
        }
    })
}

/// The fixed parameters of a subtype.
fn fixed(wire: &mut Wire<'_>, subtype: u64) -> Result<Behind> {
    const SAE: u16 = 3;
    match subtype {
        0 | 2 => {
            wire.flags_le(&CAPABILITIES, 2, CAPABILITY_BITS)?;
            wire.u16_le(&LISTEN)?;
            if subtype == 2 {
                wire.bytes(&CURRENT_AP, 6)?;
            }
        }
        1 | 3 => {
            wire.flags_le(&CAPABILITIES, 2, CAPABILITY_BITS)?;
            wire.u16_le(&STATUS)?;
            wire.bits_le(2, &[&ASSOCIATION])?;
        }
        5 | 8 => {
            wire.u64_le(&TIMESTAMP)?;
            wire.u16_le(&INTERVAL)?;
            wire.flags_le(&CAPABILITIES, 2, CAPABILITY_BITS)?;
        }
        10 | 12 => drop(wire.u16_le(&REASON)?),
        11 => {
            let algorithm = wire.u16_le(&ALGORITHM)?;
            wire.u16_le(&AUTH_SEQ)?;
            wire.u16_le(&STATUS)?;
            if algorithm == SAE {
                return Ok(Behind::Data);
            }
        }
        _ => {
            wire.u8(&CATEGORY)?;
            return Ok(Behind::Data);
        }
    }
    Ok(Behind::Tags)
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    /// The body of a management frame of this subtype.
    fn body(subtype: u8, body: &str) -> String {
        let header = format!("{:02x} 00 0000 020000000001 020000000002 020000000001 1000", subtype << 4);
        let tree = trial::layers(Next::Link(105), &[&header, body]);
        let (first, rest) = tree.split_once('\n').unwrap();
        let below = rest.lines().skip_while(|line| !line.contains("wlan.mgt"));
        [first].into_iter().chain(below.map(|line| line.strip_prefix("  ").unwrap_or(line))).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_beacon_has_the_name_and_the_channel_of_its_network() {
        let beacon =
            "8011992720000000 6400 3104 0007 6d6f73736e6574 01 02 820c 03 01 06 05 04 0001 00 00 07 06 444520 01 0d 14 2a 01 04";
        insta::assert_snapshot!(body(8, beacon), @r#"
        wlan 0..69 | beacon | 02:00:00:00:00:02 → 02:00:00:00:00:01, SSID "mossnet"
        24..69 wlan.mgt
          24..36 wlan.fixed.all
            24..32 wlan.fixed.timestamp = 138103296384
            32..34 wlan.fixed.beacon = 100
            34..36 wlan.fixed.capabilities = 0x0431
              34..36 wlan.fixed.capabilities.ess = true
              34..36 wlan.fixed.capabilities.ibss = false
              34..36 wlan.fixed.capabilities.reserved1 = 0
              34..36 wlan.fixed.capabilities.reserved2 = 0
              34..36 wlan.fixed.capabilities.privacy = true
              34..36 wlan.fixed.capabilities.short_preamble = true
              34..36 wlan.fixed.capabilities.reserved3 = 0
              34..36 wlan.fixed.capabilities.reserved4 = 0
              34..36 wlan.fixed.capabilities.spec_man = false
              34..36 wlan.fixed.capabilities.qos = false
              34..36 wlan.fixed.capabilities.short_slot_time = true
              34..36 wlan.fixed.capabilities.apsd = false
              34..36 wlan.fixed.capabilities.radio_measurement = false
              34..36 wlan.fixed.capabilities.epd = false
              34..36 wlan.fixed.capabilities.reserved5 = 0
              34..36 wlan.fixed.capabilities.reserved6 = 0
          36..69 wlan.tagged.all
            36..45 wlan.tag
              36..37 wlan.tag.number = 0 (SSID parameter set)
              37..38 wlan.tag.length = 7
              38..45 wlan.ssid = "mossnet"
            45..49 wlan.tag
              45..46 wlan.tag.number = 1 (Supported Rates)
              46..47 wlan.tag.length = 2
              47..48 wlan.supported_rates = 0x82 (1(B))
              48..49 wlan.supported_rates = 0x0c (6)
            49..52 wlan.tag
              49..50 wlan.tag.number = 3 (DS Parameter set)
              50..51 wlan.tag.length = 1
              51..52 wlan.ds.current_channel = 6
            52..58 wlan.tag
              52..53 wlan.tag.number = 5 (Traffic Indication Map (TIM))
              53..54 wlan.tag.length = 4
              54..55 wlan.tim.dtim_count = 0
              55..56 wlan.tim.dtim_period = 1
              56..57 wlan.tim.bmapctl = 0x00
                56..57 wlan.tim.bmapctl.multicast = false
                56..57 wlan.tim.bmapctl.offset = 0x00
              57..58 wlan.tim.partial_virtual_bitmap = 00
            58..66 wlan.tag
              58..59 wlan.tag.number = 7 (Country Information)
              59..60 wlan.tag.length = 6
              60..62 wlan.country_info.code = "DE"
              62..63 wlan.country_info.environment = 32 (All)
              63..66 wlan.country_info.fnm
                63..64 wlan.country_info.fnm.fcn = 1
                64..65 wlan.country_info.fnm.nc = 13
                65..66 wlan.country_info.fnm.mtpl = 20
            66..69 wlan.tag
              66..67 wlan.tag.number = 42 (ERP Information)
              67..68 wlan.tag.length = 1
              68..69 wlan.erp_info = 0x04
                68..69 wlan.erp_info.erp_present = false
                68..69 wlan.erp_info.use_protection = false
                68..69 wlan.erp_info.barker_preamble_mode = true
                68..69 wlan.erp_info.reserved = 0x00
        "#);
    }

    #[test]
    fn each_subtype_has_its_fixed_parameters() {
        let bodies = [
            (0, "3104 0a00 0000"),
            (1, "3104 0000 01c0"),
            (2, "3104 0a00 020000000003"),
            (10, "0800"),
            (11, "0000 0100 0000"),
            (11, "0300 0100 0000 1300 a5"),
            (13, "03 00 01"),
        ];
        let trees: Vec<String> = bodies.iter().map(|(subtype, bytes)| body(*subtype, bytes)).collect();
        let is_kept = |line: &&str| !line.contains("wlan.fixed.capabilities.");
        insta::assert_snapshot!(trees.join("\n").lines().filter(is_kept).collect::<Vec<_>>().join("\n"), @r#"
        wlan 0..30 | association request | 02:00:00:00:00:02 → 02:00:00:00:00:01, SSID ""
        24..30 wlan.mgt
          24..28 wlan.fixed.all
            24..26 wlan.fixed.capabilities = 0x0431
            26..28 wlan.fixed.listen_ival = 0x000a
          28..30 wlan.tagged.all
            28..30 wlan.tag
              28..29 wlan.tag.number = 0 (SSID parameter set)
              29..30 wlan.tag.length = 0
              30..30 wlan.ssid = ""
        wlan 0..30 | association response | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..30 wlan.mgt
          24..30 wlan.fixed.all
            24..26 wlan.fixed.capabilities = 0x0431
            26..28 wlan.fixed.status_code = 0x0000 (Successful)
            28..30 wlan.fixed.aid = 0x0001
        wlan 0..34 | reassociation request | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..34 wlan.mgt
          24..34 wlan.fixed.all
            24..26 wlan.fixed.capabilities = 0x0431
            26..28 wlan.fixed.listen_ival = 0x000a
            28..34 wlan.fixed.current_ap = 02:00:00:00:00:03
        wlan 0..26 | disassociation | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..26 wlan.mgt
          24..26 wlan.fixed.all
            24..26 wlan.fixed.reason_code = 0x0008 (Disassociated because sending STA is leaving (or has left) BSS)
        wlan 0..30 | authentication | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..30 wlan.mgt
          24..30 wlan.fixed.all
            24..26 wlan.fixed.auth.alg = 0 (Open System)
            26..28 wlan.fixed.auth_seq = 0x0001
            28..30 wlan.fixed.status_code = 0x0000 (Successful)
        wlan 0..33 | authentication | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..33 wlan.mgt
          24..30 wlan.fixed.all
            24..26 wlan.fixed.auth.alg = 3 (Simultaneous Authentication of Equals (SAE))
            26..28 wlan.fixed.auth_seq = 0x0001
            28..30 wlan.fixed.status_code = 0x0000 (Successful)
          30..33 data.data = 1300a5
        wlan 0..27 | action | 02:00:00:00:00:02 → 02:00:00:00:00:01
        24..27 wlan.mgt
          24..25 wlan.fixed.all
            24..25 wlan.fixed.category_code = 3 (Block Ack)
          25..27 data.data = 0001
        "#);
    }

    #[test]
    fn a_protected_body_and_a_fragment_are_data() {
        for header in ["b0 40 0000", "b0 04 0000"] {
            let rest = "020000000001 020000000002 020000000001 1000 0000 0100 0000";
            let tree = trial::layers(Next::Link(105), &[header, rest]);
            assert!(tree.contains("24..30 data.data = 000001000000") && !tree.contains("wlan.mgt"), "{tree}");
        }
    }
}
