//! Fields of a segment that depend on earlier segments of its connection.

use super::*;
use crate::layers::seconds;
use crate::tree::{AnalysisFlag, AnalysisFlags, Demand, Field, Value};
use crate::wire::{Result, Wire};
use std::fmt;

/// Progress of a connection at a segment. Times are nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Since the first frame, and since the previous frame.
    pub times: Option<[i64; 2]>,
    /// Bitmap of connection phases before this segment.
    pub completeness: u8,
    /// Bytes sent and not acknowledged.
    pub in_flight: Option<u32>,
    /// Bytes sent since the last segment with PSH.
    pub pushed: Option<u32>,
    /// From the SYN to the end of the handshake.
    pub round_trip: Option<i64>,
    /// For a FIN: whether it is the first of the connection.
    pub ends_first: Option<bool>,
}

/// The fields of [`Progress`], in the order of its members.
const PROGRESS: [&Field; 8] =
    [&TIME_RELATIVE, &TIME_DELTA, &COMPLETENESS, &BYTES_IN_FLIGHT, &PUSH_BYTES_SENT, &INITIAL_RTT, &FIN_ACTIVE, &FIN_PASSIVE];

/// Whether a field of [`Progress`] is requested.
pub fn requests_progress(demand: Demand) -> bool {
    PROGRESS.iter().any(|field| demand.may_keep(field))
}

impl Progress {
    pub(super) fn put(&self, wire: &mut Wire<'_>) {
        let times = self.times.map(|times| times.map(seconds));
        let number = |number: Option<u32>| number.map(|number| Value::Unsigned(number.into()));
        let values = [
            times.map(|[relative, _]| relative),
            times.map(|[_, delta]| delta),
            Some(Value::Unsigned(self.completeness.into())),
            number(self.in_flight),
            number(self.pushed),
            self.round_trip.map(seconds),
            self.ends_first.filter(|first| *first).map(Value::Bool),
            self.ends_first.filter(|first| !first).map(|_| Value::Bool(true)),
        ];
        for (field, value) in PROGRESS.into_iter().zip(values) {
            if let Some(value) = value {
                wire.add(field, value);
            }
        }
    }
}

/// The field of each analysis result, in display order.
const FLAGS_IN_ORDER: [(AnalysisFlag, &Field); 15] = [
    (AnalysisFlag::ReusedPorts, &REUSED_PORTS),
    (AnalysisFlag::FastRetransmission, &FAST_RETRANSMISSION),
    (AnalysisFlag::SpuriousRetransmission, &SPURIOUS_RETRANSMISSION),
    (AnalysisFlag::Retransmission, &RETRANSMISSION),
    (AnalysisFlag::OutOfOrder, &OUT_OF_ORDER),
    (AnalysisFlag::LostSegment, &LOST_SEGMENT),
    (AnalysisFlag::AckLostSegment, &ACK_LOST_SEGMENT),
    (AnalysisFlag::WindowUpdate, &WINDOW_UPDATE),
    (AnalysisFlag::WindowFull, &WINDOW_FULL),
    (AnalysisFlag::KeepAlive, &KEEP_ALIVE),
    (AnalysisFlag::KeepAliveAck, &KEEP_ALIVE_ACK),
    (AnalysisFlag::DuplicateAck, &DUPLICATE_ACK),
    (AnalysisFlag::ZeroWindowProbe, &ZERO_WINDOW_PROBE),
    (AnalysisFlag::ZeroWindow, &ZERO_WINDOW),
    (AnalysisFlag::ZeroWindowProbeAck, &ZERO_WINDOW_PROBE_ACK),
];

/// The fields of analysis results, in display order.
pub fn flag_fields(flags: AnalysisFlags) -> impl Iterator<Item = &'static Field> {
    FLAGS_IN_ORDER.into_iter().filter(move |(flag, _)| flags.has(*flag)).map(|(_, field)| field)
}

/// Analysis of a segment by earlier ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalysisResults {
    /// Results.
    pub flags: AnalysisFlags,
    /// Number of a duplicate acknowledgment, and the frame of the original.
    pub duplicate: Option<(u32, u64)>,
    /// The acknowledged frame, and the nanoseconds since.
    pub acks: Option<(u64, i64)>,
    /// For a retransmission: the oldest unacknowledged frame, and the nanoseconds since.
    pub repeats: Option<(u64, i64)>,
}

impl AnalysisResults {
    pub(super) fn put(&self, wire: &mut Wire<'_>) -> Result {
        if self.flags.is_empty() && self.acks.is_none() {
            return Ok(());
        }
        wire.group(&ANALYSIS, |wire| {
            since(wire, [&ACKS_FRAME, &ACK_RTT], self.acks);
            for field in flag_fields(self.flags) {
                wire.add(field, Value::Bool(true));
            }
            since(wire, [&RTO_FRAME, &RTO], self.repeats);
            if let Some((number, frame)) = self.duplicate {
                wire.add(&DUPLICATE_ACK_NUM, Value::Unsigned(number.into()));
                wire.add(&DUPLICATE_ACK_FRAME, Value::Unsigned(frame));
            }
            Ok(())
        })
    }
}

/// An earlier frame and the seconds since.
fn since(wire: &mut Wire<'_>, [frame, time]: [&'static Field; 2], since: Option<(u64, i64)>) {
    #[allow(clippy::cast_precision_loss, reason = "seconds of a number this large have no use for nanoseconds")]
    if let Some((number, nanos)) = since {
        wire.add(frame, Value::Unsigned(number));
        if nanos != 0 {
            wire.add(time, Value::Double(nanos as f64 / 1e9));
        }
    }
}

/// The results in brackets, for the packet summary.
impl fmt::Display for AnalysisResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for field in flag_fields(self.flags) {
            match self.duplicate.filter(|_| field.is(&DUPLICATE_ACK)) {
                Some((number, _)) => write!(f, "[{} {number}] ", field.name)?,
                None => write!(f, "[{}] ", field.name)?,
            }
        }
        Ok(())
    }
}
