//! The TCP layer of a segment: its header and the analysis of earlier segments.

use crate::engine::stream::segment_context::SegmentContext;
use crate::flow::analysis::{Findings, SegmentHeader, Since};
use crate::flow::progress::Progress;
use crate::layers::tcp::{self, AnalysisResults, Header, TcpState};
use crate::layers::{self, Bytes, TransportSegment};
use crate::tree::{Address, Ends, LayerId, Span, Tree};
use crate::wire::Wire;
use std::net::SocketAddr;

/// Analysis results of a segment as displayed.
pub(in crate::engine) fn analysis_results(found: &Findings) -> AnalysisResults {
    let pair = |since: Since| (since.frame, since.nanos);
    AnalysisResults {
        flags: found.flags,
        duplicate: found.duplicate,
        acks: found.acks.map(pair),
        repeats: found.repeats.map(pair),
    }
}

/// Completeness of the connection as displayed.
pub(in crate::engine) fn progress(progress: Progress) -> tcp::Progress {
    let Progress { times, completeness, in_flight, pushed, round_trip, ends_first } = progress;
    tcp::Progress { times, completeness, in_flight, pushed, round_trip, ends_first }
}

pub(in crate::engine) fn analyzed(context: &SegmentContext<'_>) -> SegmentHeader {
    let SegmentContext { frame, segment, header, .. } = context;
    let len = (segment.range.len() + segment.missing).saturating_sub(header.len);
    SegmentHeader {
        frame: frame.number,
        time: frame.time,
        seq: header.seq,
        ack: header.ack,
        len: u32::try_from(len).unwrap_or(u32::MAX),
        syn: header.syn(),
        fin: header.fin(),
        rst: header.rst(),
        acks: header.acks(),
        window: header.window,
        scale: header.scale,
    }
}

/// Adds the TCP layer of a segment with a truncated header.
#[cold]
pub(in crate::engine) fn cut_header(tree: &mut Tree, bytes: Bytes<'_>, segment: &TransportSegment) {
    let ends =
        tree.push_ends(Ends { src: Some(Address::Ip(segment.src)), dst: Some(Address::Ip(segment.dst)), ..Ends::default() });
    tcp_layer(tree, bytes, segment, None, ends, TcpState::default(), false);
}

/// Adds the TCP layer of a segment without connection state.
pub(in crate::engine) fn alone(
    tree: &mut Tree,
    bytes: Bytes<'_>,
    segment: &TransportSegment,
    header: &Header,
    ends: [SocketAddr; 2],
) {
    let [src, dst] = ends.map(|end| Some(Address::Socket(end)));
    let ends = tree.push_ends(Ends { src, dst, ..Ends::default() });
    let tcp_state = TcpState { is_part: segment.is_part, ..TcpState::default() };
    tcp_layer(tree, bytes, segment, Some(header), ends, tcp_state, false);
}

/// Adds the TCP layer of a segment. An in-order segment without notes is represented by its messages only.
pub(in crate::engine) fn tcp_layer(
    tree: &mut Tree,
    bytes: Bytes<'_>,
    segment: &TransportSegment,
    header: Option<&Header>,
    ends: u32,
    tcp_state: TcpState,
    in_step: bool,
) -> LayerId {
    let range = segment.range.clone();
    let layer = tree.push_layer(&tcp::TCP, Span::new(bytes.source, range.clone()), segment.below, ends, false);
    let wanted = tree.demand();
    if in_step {
        tree.set_demand(wanted.for_carriers());
    }
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), layers::cut(segment.missing));
    let brief = header.and_then(|header| tcp::brief(&mut wire, header, tcp_state, segment.missing));
    tree.set_demand(wanted);
    if brief.is_some() {
        layers::finish(tree, layer, range.end);
        return layer;
    }
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), layers::cut(segment.missing));
    let result = tcp::segment(&mut wire, tcp_state, segment.missing);
    if result.is_err() {
        let left = tcp::PROTOCOL.conclude(&mut wire, result);
        tree.outcome.undissected += left as u64;
    }
    layers::finish(tree, layer, range.end);
    layer
}
