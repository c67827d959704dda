//! What in the file is probably wrong, the most probable first.

use super::{Failure, Fit, Kind};

/// A part of the file that is probably wrong.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// In a few words.
    pub what: String,
    /// The first message that shows it.
    pub first: Failure,
    /// How many of the messages that could show it do, from 0 to 1.
    pub share: f64,
    /// How many do.
    pub count: u64,
}

/// A type of which messages have notes.
fn of_notes(kind: &Kind) -> Option<Suspect> {
    let first = kind.first_odd.clone()?;
    let all = kind.counts.all();
    let what = format!("`{}` has a note in {} of {all} messages at `{}`: {}", kind.name, kind.odd, first.field, first.text);
    Some(Suspect { what, first, share: kind.odd as f64 / all.max(1) as f64 * 0.9, count: kind.odd })
}

impl Fit {
    /// What is probably wrong, the most probable first.
    #[must_use]
    pub fn suspects(&self) -> Vec<Suspect> {
        let mut suspects: Vec<Suspect> = self.of_cases().collect();
        suspects.extend(self.kinds.iter().filter_map(|kind| self.of_kind(kind)));
        suspects.extend(self.kinds.iter().filter_map(|kind| self.of_followers(kind)));
        suspects.extend(self.kinds.iter().filter_map(of_notes));
        suspects.sort_by(|one, other| {
            let by_share = other.share.total_cmp(&one.share);
            by_share.then(other.count.cmp(&one.count)).then(one.first.n.cmp(&other.first.n))
        });
        if suspects.is_empty() {
            suspects.extend(self.all_outside().first.map(|first| Suspect {
                what: String::from("these bytes are no message of the file"),
                first,
                share: 1.0,
                count: 1,
            }));
        }
        suspects
    }

    /// Values without a case. One without a name may be content of the message before.
    fn of_cases(&self) -> impl Iterator<Item = Suspect> {
        self.undescribed.iter().map(|((attribute, value), undescribed)| {
            let is_named = value.contains('(') || undescribed.count > 1;
            Suspect {
                what: format!("`{attribute}` has no case for {value}"),
                first: undescribed.first.clone(),
                share: if is_named { 1.0 } else { 0.5 },
                count: undescribed.count,
            }
        })
    }

    /// A type of which messages fail or have bytes without a field.
    fn of_kind(&self, kind: &Kind) -> Option<Suspect> {
        let first = kind.first.clone()?;
        let counts = kind.counts;
        let count = (counts.broken + counts.unexplained).saturating_sub(kind.without_case);
        if count == 0 {
            return None;
        }
        let is_known = kind.of.is_some() && !kind.name.starts_with("unknown_");
        let share = count as f64 / counts.all().max(1) as f64;
        let what = format!("`{}` fails in {count} of {} messages at `{}`: {}", kind.name, counts.all(), first.field, first.text);
        Some(Suspect { what, first, share: if is_known { share } else { share / 2.0 }, count })
    }

    /// A type that is followed by bytes that are no message, so that its size may be wrong.
    fn of_followers(&self, kind: &Kind) -> Option<Suspect> {
        let first = kind.first_misled.clone()?;
        let all = kind.misled + kind.followed;
        let of = kind.of.map(|of| (self.names.of(of), self.names.attributes(of)));
        let attributes = of.filter(|(_, attributes)| !attributes.is_empty()).map_or_else(String::new, |(name, attributes)| {
            /// Maximum number of attributes listed.
            const LISTED: usize = 8;
            let more = if attributes.len() > LISTED { ", …" } else { "" };
            let listed: Vec<&str> = attributes.iter().take(LISTED).map(String::as_str).collect();
            format!(" (type {name}: {}{more})", listed.join(", "))
        });
        let what = format!("the size of `{}`{attributes}: no message follows {} of {all} times", kind.name, kind.misled);
        Some(Suspect { what, first, share: kind.misled as f64 / all.max(1) as f64 * 0.99, count: kind.misled })
    }
}
