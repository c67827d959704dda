//! JSON objects whose members are written as they are named, for what is no record.

use super::writer;
use serde::ser::Serialize;
use std::fmt::Display;
use std::io::{self, Write};

/// The members of an object that is being written.
pub struct Members<'a> {
    to: &'a mut dyn Write,
    empty: bool,
}

/// Write an object.
///
/// # Errors
/// Those of writing.
pub fn object(to: &mut dyn Write, members: impl FnOnce(&mut Members<'_>) -> io::Result<()>) -> io::Result<()> {
    to.write_all(b"{")?;
    members(&mut Members { to, empty: true })?;
    to.write_all(b"}")
}

fn value(to: &mut dyn Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    let mut out = Vec::new();
    writer::write(&mut out, to, value)?;
    to.write_all(&out)
}

impl Members<'_> {
    fn key(&mut self, key: &str) -> io::Result<()> {
        if !std::mem::take(&mut self.empty) {
            self.to.write_all(b",")?;
        }
        value(self.to, key)?;
        self.to.write_all(b":")
    }

    /// A member that is a number, a text, or a list of them.
    ///
    /// # Errors
    /// Those of writing.
    pub fn put(&mut self, key: &str, what: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.key(key)?;
        value(self.to, what)
    }

    /// A text that is put together while it is written.
    ///
    /// # Errors
    /// Those of writing.
    pub fn words(&mut self, key: &str, words: impl Display) -> io::Result<()> {
        self.put(key, &words.to_string())
    }

    /// A member that is an object.
    ///
    /// # Errors
    /// Those of writing.
    pub fn object(&mut self, key: &str, members: impl FnOnce(&mut Members<'_>) -> io::Result<()>) -> io::Result<()> {
        self.key(key)?;
        object(self.to, members)
    }

    /// A member that is a list of objects.
    ///
    /// # Errors
    /// Those of writing.
    pub fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut members: impl FnMut(&mut Members<'_>, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(key)?;
        self.to.write_all(b"[")?;
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.to.write_all(b",")?;
            }
            object(self.to, |object| members(object, item))?;
        }
        self.to.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_stay_harmless() {
        let mut out = Vec::new();
        object(&mut out, |object| {
            object.put("b", &1)?;
            object.words("a", "\u{202e}")?;
            object.list("l", [1, 2], |object, number| object.put("n", &number))?;
            object.object("o", |_| Ok(()))
        })
        .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"b":1,"a":"\u202e","l":[{"n":1},{"n":2}],"o":{}}"#);
    }
}
