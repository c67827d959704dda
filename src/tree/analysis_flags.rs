//! Results of the TCP sequence analysis.

/// Results of the TCP sequence analysis, as in Wireshark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum AnalysisFlag {
    /// Bytes sent before.
    Retransmission,
    /// A retransmission that the peer requested by duplicate acknowledgments.
    FastRetransmission,
    /// A retransmission of acknowledged bytes.
    SpuriousRetransmission,
    /// Bytes that arrived after later ones.
    OutOfOrder,
    /// A previous segment is not in the capture.
    LostSegment,
    /// The acknowledged segment is not in the capture.
    AckLostSegment,
    /// Same acknowledgment as before.
    DuplicateAck,
    /// The receive window is zero.
    ZeroWindow,
    /// A probe of a zero window.
    ZeroWindowProbe,
    /// An answer to a zero window probe.
    ZeroWindowProbeAck,
    /// The segment fills the window of the peer.
    WindowFull,
    /// The segment changes only the window.
    WindowUpdate,
    /// A keep-alive probe.
    KeepAlive,
    /// An answer to a keep-alive probe.
    KeepAliveAck,
    /// A new connection between the endpoints of an earlier one.
    ReusedPorts,
}

/// A set of analysis results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnalysisFlags(u16);

impl AnalysisFlags {
    /// Whether the set contains a result.
    #[must_use]
    pub const fn has(self, flag: AnalysisFlag) -> bool {
        self.0 & 1 << flag as u8 != 0
    }

    /// Whether it is a retransmission after a timeout: neither fast nor spurious.
    #[must_use]
    pub const fn is_after_timeout(self) -> bool {
        use AnalysisFlag::{FastRetransmission, Retransmission, SpuriousRetransmission};
        self.has(Retransmission) && !self.has(FastRetransmission) && !self.has(SpuriousRetransmission)
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a result.
    pub fn add(&mut self, flag: AnalysisFlag) {
        self.0 |= 1 << flag as u8;
    }

    /// Adds the results of another segment.
    pub fn extend(&mut self, others: AnalysisFlags) {
        self.0 |= others.0;
    }
}
