//! IGMP, multicast group membership. Versions 1 (RFC 1112), 2 (RFC 2236) and 3 (RFC 3376).
//!
//! ```text
//! type:1 | response time:1 | checksum:2 | group:4
//! query of version 3    … | flags:1 | interval:1 | sources:2 | source:4 …
//! report of version 3   type:1 | reserved:1 | checksum:2 | reserved:2 | records:2 | record …
//! record                type:1 | words of extra data:1 | sources:2 | group:4 | source:4 … | extra data
//! ```

use super::{HeaderPayload, layer};
use crate::tree::{Names, Value, fields, name_of};
use crate::wire::{Protocol, Result, Wire};
use std::net::Ipv4Addr;

pub static PROTOCOL: Protocol = layer(&IGMP, FIELDS);

fields! {
    IGMP = protocol("igmp", "IGMP", "Internet Group Management Protocol");
    VERSION = number("igmp.version", "Version", "IGMP version, derived from type and length").once();
    TYPE = number("igmp.type", "Type", "").hex(2).names(TYPES).once();
    MAX_RESP = number("igmp.max_resp", "Max resp time", "Tenths of a second").once();
    CHECKSUM = number("igmp.checksum", "Checksum", "").hex(4).once();
    RESERVED = bytes("igmp.reserved", "Reserved", "");
    MADDR = ipv4("igmp.maddr", "Multicast address", "");
    FLAGS = number("igmp.flags", "Flags", "").hex(2).once();
    S = bool("igmp.s", "Suppress", "Suppress router-side processing").mask(0x08).once();
    QRV = number("igmp.qrv", "QRV", "Querier's robustness variable").mask(0x07).once();
    QQIC = number("igmp.qqic", "QQIC", "Querier's query interval in seconds, in exponential form from 128").once();
    NUM_SRC = number("igmp.num_src", "Number of sources", "");
    SADDR = ipv4("igmp.saddr", "Source address", "");
    NUM_RECORDS = number("igmp.num_grp_recs", "Number of records", "").once();
    RECORD = group("igmp.record", "group record", "Multicast group record");
    RECORD_TYPE = number("igmp.record_type", "Record type", "").names(RECORDS);
    AUX_LEN = number("igmp.aux_data_len", "Aux data len", "Units of four bytes");
    AUX = bytes("igmp.aux_data", "Aux data", "");
    DATA = bytes("igmp.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[
    (0x11, "membership query"),
    (0x12, "membership report, version 1"),
    (0x13, "DVMRP"),
    (0x14, "PIM, version 1"),
    (0x16, "membership report, version 2"),
    (0x17, "leave group"),
    (0x22, "membership report, version 3"),
];
const RECORDS: Names = &[
    (1, "only from these"),
    (2, "all but from these"),
    (3, "now only from these"),
    (4, "now all but from these"),
    (5, "from these too"),
    (6, "no longer from these"),
];

/// Names of the versions in the Protocol column.
const COLUMNS: [&str; 4] = ["IGMP", "IGMPv1", "IGMPv2", "IGMPv3"];

const QUERY: u8 = 0x11;
const REPORT_1: u8 = 0x12;
const REPORT_2: u8 = 0x16;
const LEAVE: u8 = 0x17;
const REPORT_3: u8 = 0x22;

/// Message length of versions 1 and 2.
const SHORT: usize = 8;

/// An IGMP message.
pub(super) fn message(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    let ahead = wire.ahead();
    let kind = ahead.first().copied().unwrap_or_default();
    let version = match kind {
        QUERY if ahead.len() > SHORT => 3,
        QUERY if ahead.get(1) == Some(&0) => 1,
        REPORT_1 => 1,
        REPORT_3 => 3,
        _ => 2,
    };
    wire.add(&VERSION, Value::Unsigned(version));
    wire.embeds("igmp");
    wire.column(COLUMNS.get(usize::try_from(version).unwrap_or_default()).copied().unwrap_or("IGMP"));
    wire.u8(&TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    match kind {
        REPORT_3 => report(wire)?,
        QUERY | REPORT_1 | REPORT_2 | LEAVE => about_group(wire, version)?,
        _ => {
            wire.bytes(&RESERVED, 1)?;
            wire.u16_be(&CHECKSUM)?;
        }
    }
    wire.rest(&DATA);
    Ok(HeaderPayload::nothing(wire.at()))
}

/// A message about one group, or about all groups if it is 0.
fn about_group(wire: &mut Wire<'_>, version: u64) -> Result {
    wire.u8(&MAX_RESP)?;
    wire.u16_be(&CHECKSUM)?;
    let group = Ipv4Addr::from(wire.bytes(&MADDR, 4)?.first_chunk().copied().unwrap_or_default());
    if group.is_unspecified() {
        wire.info(format_args!("all groups"));
    } else {
        wire.info(format_args!("{group}"));
    }
    if version == 3 {
        wire.flags(&FLAGS, 1, &[&S, &QRV])?;
        wire.u8(&QQIC)?;
        let sources = wire.u16_be(&NUM_SRC)?;
        for _ in 0..sources {
            wire.bytes(&SADDR, 4)?;
        }
    }
    Ok(())
}

fn report(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&RESERVED, 1)?;
    wire.u16_be(&CHECKSUM)?;
    wire.bytes(&RESERVED, 2)?;
    let records = wire.u16_be(&NUM_RECORDS)?;
    wire.info(format_args!("{records} {}", if records == 1 { "record" } else { "records" }));
    for _ in 0..records {
        wire.group(&RECORD, |wire| {
            wire.u8(&RECORD_TYPE)?;
            let aux = usize::from(wire.u8(&AUX_LEN)?);
            let sources = wire.u16_be(&NUM_SRC)?;
            wire.bytes(&MADDR, 4)?;
            for _ in 0..sources {
                wire.bytes(&SADDR, 4)?;
            }
            wire.optional(&AUX, aux * 4).map(drop)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_report_of_version_3_lists_groups() {
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(2), &["22 00 ea03 0000 0001", "04 00 0001 effffffa 0a000001"]), @r#"
        igmp 0..20 | membership report, version 3 | 1 record
          igmp.version = 3
          0..1 igmp.type = 0x22 (membership report, version 3)
          1..2 igmp.reserved = 00
          2..4 igmp.checksum = 0xea03
          4..6 igmp.reserved = 0000
          6..8 igmp.num_grp_recs = 1
          8..20 igmp.record
            8..9 igmp.record_type = 4 (now all but from these)
            9..10 igmp.aux_data_len = 0
            10..12 igmp.num_src = 1
            12..16 igmp.maddr = 239.255.255.250
            16..20 igmp.saddr = 10.0.0.1
        "#);
    }

    #[test]
    fn the_version_of_a_query_depends_on_its_length() {
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(2), &["11 64 ee9b 00000000", "02 7d 0000"]), @r#"
        igmp 0..12 | membership query | all groups
          igmp.version = 3
          0..1 igmp.type = 0x11 (membership query)
          1..2 igmp.max_resp = 100
          2..4 igmp.checksum = 0xee9b
          4..8 igmp.maddr = 0.0.0.0
          8..9 igmp.flags = 0x02
            8..9 igmp.s = false
            8..9 igmp.qrv = 2
          9..10 igmp.qqic = 125
          10..12 igmp.num_src = 0
        "#);
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(2), &["11 00 eeff 00000000"]), @r#"
        igmp 0..8 | membership query | all groups
          igmp.version = 1
          0..1 igmp.type = 0x11 (membership query)
          1..2 igmp.max_resp = 0
          2..4 igmp.checksum = 0xeeff
          4..8 igmp.maddr = 0.0.0.0
        "#);
    }

    #[test]
    fn a_count_causes_no_allocation() {
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(2), &["22 00 ea03 0000 ffff", "04 00 ffff effffffa 0a000001"]), @r#"
        igmp 0..20 | membership report, version 3 | 65535 records
          igmp.version = 3
          0..1 igmp.type = 0x22 (membership report, version 3)
          1..2 igmp.reserved = 00
          2..4 igmp.checksum = 0xea03
          4..6 igmp.reserved = 0000
          6..8 igmp.num_grp_recs = 65535
          8..20 igmp.record
            8..9 igmp.record_type = 4 (now all but from these)
            9..10 igmp.aux_data_len = 0
            10..12 igmp.num_src = 65535
            12..16 igmp.maddr = 239.255.255.250
            16..20 igmp.saddr = 10.0.0.1
        ! broken dissect.short at 20..20 igmp: 4 more bytes needed, 0 left
        "#);
    }
}
