//! Detectors of texts without offsets: digits, base64, percent-encoding, logs.

use super::base64::Base64;
use super::context::Context;
use super::dialects::{Found, found, some};
use super::digits::Digits;
use super::list::List;
use super::log::Log;
use super::percent::Percent;
use super::preface::Preface;
use super::suspicion::{is_above_a_dump, looks_like_digits};
use super::{asm, digits, percent};

impl Preface {
    /// Bare digits, also with a text column.
    pub(super) fn digits(&mut self, context: &Context<'_>) -> Found {
        let fits =
            !self.prose && (looks_like_digits(context.text, 0) && digits::fits(context.line) || digits::has_text(context.line));
        found(fits.then(Digits::default))
    }

    pub(super) fn base64(&mut self, context: &Context<'_>) -> Found {
        let data = Base64::without_scheme(context.text);
        let is_uri = data.len() < context.text.len() && data.iter().all(Base64::is_part);
        let fits = is_uri || !self.prose && Base64::fits(data);
        found(fits.then(Base64::of_lines))
    }

    pub(super) fn percent(&mut self, context: &Context<'_>) -> Found {
        found(percent::fits(context.text).then_some(Percent))
    }

    /// Bytes inside a line; else digits with a few invalid characters, which are reported when the line is parsed.
    pub(super) fn log(&mut self, context: &Context<'_>) -> Found {
        let Context { line, text, .. } = *context;
        match Log::fits(line) {
            // An error above would be lost.
            Ok(true) if self.fault.is_some() => Ok(None),
            Ok(true) if is_above_a_dump(context) => {
                self.suspect = true;
                Ok(None)
            }
            Ok(true) => some(Log::after(self.count)),
            _ if !self.prose && looks_like_digits(text, 8) => some(Digits::default()),
            Ok(false) => {
                let near = asm::fault_of(line).or_else(|| List::fault_of(text)).or_else(|| percent::fault_of(text));
                let near = near.or_else(|| digits::fault_of(line).filter(|_| !self.prose && looks_like_digits(text, 3)));
                let lines = self.lines;
                self.fault = self.fault.take().or_else(|| near.map(|fault| (lines, fault)));
                Ok(None)
            }
            Err(fault) => {
                self.fault.get_or_insert((self.lines, fault));
                Ok(None)
            }
        }
    }
}
