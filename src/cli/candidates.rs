//! Names the protocols that packets without a port may belong to.

use crate::engine::Engine;

/// Packets that are tried: trying every protocol takes far longer than dissection.
const PACKETS: u32 = 64;

/// Names in one line.
const NAMES: usize = 4;

/// Protocols that fit the packets of a text that are read as data.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    packets: u32,
    /// Names with the number of packets, in order of appearance.
    fits: Vec<(&'static str, u32)>,
}

impl Candidates {
    /// Tries a packet.
    pub(super) fn see(&mut self, engine: &Engine, bytes: &[u8]) {
        if self.packets < PACKETS
            && let Some(names) = engine.candidates(bytes)
        {
            self.add(&names);
        }
    }

    fn add(&mut self, names: &[&'static str]) {
        self.packets += 1;
        for name in names {
            match self.fits.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => self.fits.push((name, 1)),
            }
        }
    }

    /// The protocols that fit most of the packets, and the option to read them; `None` if no packet is data.
    pub(super) fn line(mut self) -> Option<String> {
        if self.packets == 0 {
            return None;
        }
        self.fits.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most = self.fits.iter().filter(|(_, count)| count * 2 > self.packets);
        let names: Vec<&str> = most.map(|(name, _)| *name).take(NAMES).collect();
        Some(match names.first() {
            Some(first) => format!("fits {}; --as {first}", names.join(", ")),
            None => "no protocol fits; --as PROTO reads it as one".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_of_most_packets_are_named() {
        let mut candidates = Candidates::default();
        candidates.add(&["ntp"]);
        candidates.add(&["nbss", "ntp", "dhcpv6"]);
        candidates.add(&["dhcpv6", "ntp"]);
        assert_eq!(candidates.line().as_deref(), Some("fits ntp, dhcpv6; --as ntp"));
        assert_eq!(Candidates::default().line(), None);
        let mut none = Candidates::default();
        none.add(&[]);
        assert!(none.line().is_some_and(|line| line.contains("--as PROTO")));
    }
}
