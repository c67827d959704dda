//! The result as one JSON object.

use super::{Counts, Failure, Fit};
use crate::render::{Members, object};
use crate::tree::hex;
use std::io::{self, Write};

/// Writes a result.
///
/// # Errors
/// Those of writing.
pub fn write(fit: &Fit, capture: &str, to: &mut dyn Write) -> io::Result<()> {
    let outside = fit.all_outside();
    object(to, |of| {
        of.put("type", "try")?;
        of.put("schema", &1_u8)?;
        of.put("file", fit.names.file.as_str())?;
        of.put("capture", capture)?;
        counts(fit.counts(), of)?;
        of.object("outside", |of| {
            of.put("records", &outside.records)?;
            of.put("bytes", &outside.bytes)
        })?;
        of.put("share", &((fit.share() * 10000.0).round() / 10000.0))?;
        of.list("suspects", fit.suspects(), |of, suspect| {
            of.put("what", suspect.what.as_str())?;
            of.put("share", &((suspect.share * 1000.0).round() / 1000.0))?;
            of.put("count", &suspect.count)?;
            of.object("first", |of| failure(&suspect.first, of))
        })?;
        of.list("types", fit.kinds(), |of, kind| {
            of.put("name", kind.name.as_str())?;
            counts(kind.counts, of)?;
            kind.first.as_ref().map_or(Ok(()), |first| of.object("first", |of| failure(first, of)))
        })?;
        of.list("undescribed", fit.all_undescribed(), |of, ((attribute, value), undescribed)| {
            of.put("attribute", attribute.as_str())?;
            of.put("value", value.as_str())?;
            of.put("count", &undescribed.count)?;
            of.object("first", |of| failure(&undescribed.first, of))
        })?;
        of.list("constant", fit.constant(), |of, (field, value, count)| {
            of.put("field", field)?;
            of.put("value", value.as_str())?;
            of.put("count", &count)
        })?;
        let unseen: Vec<String> = fit.unseen().into_iter().map(str::to_owned).collect();
        of.put("unseen", &unseen)
    })?;
    to.write_all(b"\n")
}

fn counts(counts: Counts, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("messages", &counts.all())?;
    of.put("whole", &counts.whole)?;
    of.put("unexplained", &counts.unexplained)?;
    of.put("broken", &counts.broken)?;
    of.put("unexplained_bytes", &counts.bytes)
}

fn failure(of: &Failure, to: &mut Members<'_, '_>) -> io::Result<()> {
    to.put("n", &of.n)?;
    to.put("frame", &of.frame)?;
    if let Some((stream, side)) = of.stream {
        to.words("stream", stream)?;
        to.put("dir", side.direction())?;
    }
    to.put("field", of.field.as_str())?;
    to.put("offset", &of.at)?;
    let mut bytes = String::new();
    // Writing to a string cannot fail.
    let _ = hex(&of.bytes, &mut bytes);
    to.put("bytes", bytes.as_str())?;
    to.put("text", of.text.as_str())?;
    to.put("read", &of.read)
}
