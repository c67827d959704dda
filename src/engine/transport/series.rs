//! Datagrams that only a series of them identifies ([`crate::wire::Series`]).

use crate::registry::{Candidate, Registry};
use crate::tree::BySide;
use crate::wire::{Heuristic, SERIES_HEAD, Series, Step};

/// What the datagrams of a conversation that no protocol recognizes have in common, per side.
#[derive(Default)]
pub(in crate::engine) struct Progress {
    sides: BySide<Side>,
}

/// The datagrams of one side.
#[derive(Default)]
enum Side {
    /// None that may belong to a series.
    #[default]
    Nothing,
    /// Some in order.
    Some(Run),
    /// Enough of them.
    Certain(Candidate),
}

/// Datagrams in order.
struct Run {
    candidate: Candidate,
    head: [u8; SERIES_HEAD],
    count: u8,
    advances: bool,
}

/// A series that has just become certain.
pub(in crate::engine) struct CertainSeries {
    pub(in crate::engine) candidate: Candidate,
    /// Datagrams of it that came before, and that no protocol recognized.
    pub(in crate::engine) before: u8,
}

impl Progress {
    /// The name under which datagrams of this side are handed over, if a series has identified them.
    pub(in crate::engine) fn place(&self, side: crate::tree::Side) -> Option<&'static str> {
        match &self.sides[side] {
            Side::Certain(candidate) => Some(candidate.protocol.this.abbrev),
            Side::Nothing | Side::Some(_) => None,
        }
    }

    /// Adds a datagram that no protocol recognizes. Returns the series that it completes.
    pub(in crate::engine) fn add(&mut self, registry: Registry, side: crate::tree::Side, bytes: &[u8]) -> Option<CertainSeries> {
        let state = &mut self.sides[side];
        if matches!(state, Side::Certain(_)) {
            return None;
        }
        let next = match std::mem::take(state) {
            Side::Some(run) => run.continued(bytes),
            _ => None,
        };
        let run = next.or_else(|| Run::begin(registry, bytes))?;
        let series = series(&run.candidate)?;
        if run.count < series.least || !run.advances {
            *state = Side::Some(run);
            return None;
        }
        *state = Side::Certain(run.candidate);
        Some(CertainSeries { candidate: run.candidate, before: run.count - 1 })
    }
}

impl Run {
    fn begin(registry: Registry, bytes: &[u8]) -> Option<Run> {
        let head = *bytes.first_chunk()?;
        let begins = |candidate: &Candidate| series(candidate).is_some_and(|series| (series.begins)(bytes));
        registry.in_series().find(begins).map(|candidate| Run { candidate, head, count: 1, advances: false })
    }

    /// The run with one datagram more, unless that belongs to no series with it.
    fn continued(self, bytes: &[u8]) -> Option<Run> {
        let series = series(&self.candidate)?;
        let head = *bytes.first_chunk().filter(|_| (series.begins)(bytes))?;
        let step = (series.follows)(&self.head, bytes);
        let advances = self.advances || step == Step::Advances;
        (step != Step::No).then_some(Run { head, count: self.count.saturating_add(1), advances, ..self })
    }
}

fn series(candidate: &Candidate) -> Option<&'static Series> {
    match &candidate.found.heuristic {
        Heuristic::Series(series) => Some(series),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Side::Client;

    /// A generator of numbers that look random (xorshift).
    struct Random(u32);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0
        }
    }

    /// A header like that of RTP.
    fn header(kind: u8, number: u32, time: u32, source: u32) -> Vec<u8> {
        let number = number.to_be_bytes();
        [&[0x80, kind][..], &number[2..], &time.to_be_bytes(), &source.to_be_bytes(), &[7; 20]].concat()
    }

    /// The datagram that completes a series, counted from 1, and those before it.
    fn found(datagrams: impl IntoIterator<Item = Vec<u8>>) -> Option<(usize, u8)> {
        let mut progress = Progress::default();
        let mut numbered = datagrams.into_iter().zip(1..);
        numbered.find_map(|(bytes, number)| progress.add(Registry::default(), Client, &bytes).map(|found| (number, found.before)))
    }

    #[test]
    fn the_fourth_packet_of_a_source_completes_a_series() {
        assert_eq!(found((0..9).map(|number| header(0, number, number * 160, 0x1234_5678))), Some((4, 3)));
        // Two frames of video; only the second one has a later time.
        let video = (0..9).map(|number| header(if number == 4 { 0xe0 } else { 0x60 }, number, number / 5 * 3000, 0x1234_5678));
        assert_eq!(found(video), Some((6, 5)));
        // A packet of something else begins anew.
        let interrupted = (0..9).map(|number| if number == 2 { vec![1; 40] } else { header(8, number, number * 160, 77) });
        assert_eq!(found(interrupted), Some((7, 3)));
    }

    #[test]
    fn each_side_has_a_series_of_its_own() {
        let mut progress = Progress::default();
        for number in 0..6 {
            let bytes = header(0, number, number * 160, 0x1234_5678);
            let side = if number % 2 == 0 { Client } else { Client.other() };
            assert!(progress.add(Registry::default(), side, &bytes).is_none());
        }
        assert_eq!(progress.place(Client), None);
        assert!(progress.add(Registry::default(), Client, &header(0, 6, 960, 0x1234_5678)).is_some());
        assert_eq!((progress.place(Client), progress.place(Client.other())), (Some("rtp"), None));
    }

    #[test]
    fn counters_and_random_bytes_are_no_series() {
        const COUNT: u32 = 400;
        let mut random = Random(0x9e37_79b9);
        for round in 0..64 {
            let (kind, source) = ((random.next() >> 24) as u8, random.next());
            let noise = |random: &mut Random| (0..10).flat_map(|_| random.next().to_be_bytes()).collect::<Vec<u8>>();
            let random_bytes: Vec<Vec<u8>> = (0..COUNT).map(|_| [&[0x80][..], &noise(&mut random)].concat()).collect();
            let times: Vec<u32> = (0..COUNT).map(|_| random.next()).collect();
            let all = |make: &dyn Fn(u32, u32) -> Vec<u8>| -> Vec<Vec<u8>> {
                (0..).zip(&times).map(|(at, time)| make(at, *time)).collect()
            };
            let cases = [
                ("random bytes", random_bytes),
                ("a counter in each place", all(&|at, _| [&[0x80][..], &at.to_be_bytes().repeat(8)].concat())),
                ("a counter and zeros", all(&|at, _| header(kind, at, 0, 0))),
                ("a counter and a constant", all(&|at, _| header(kind, at, source, source))),
                ("a counter and random times", all(&|at, time| header(kind, at, time, source))),
                ("a counter and random sources", all(&|at, time| header(kind, at, at * 160, time))),
                ("a counter downwards", all(&|at, _| header(kind, 60_000 - at, at * 160, source))),
                ("a constant and a clock", all(&|at, _| header(kind, 7, at * 160, source))),
                ("a type that counts", all(&|at, _| header((at % 128) as u8, at, at * 160, source))),
                ("types of RTCP", all(&|at, _| header(200 + (at % 4) as u8, at, at * 160, source))),
                ("repetitions", all(&|_, _| header(kind, 1, 160, source))),
                ("steps of a thousand", all(&|at, _| header(kind, at * 1000, at * 160, source))),
            ];
            for (name, datagrams) in cases {
                assert_eq!(found(datagrams), None, "{name}, round {round}");
            }
        }
    }
}
