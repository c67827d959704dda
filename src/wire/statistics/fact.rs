//! Named values of a statistic, as JSON has them.

use std::borrow::Cow;

/// Names and values, in order.
pub type Facts<'a> = Vec<(&'static str, Fact<'a>)>;

/// A value.
pub enum Fact<'a> {
    /// A count.
    Count(u64),
    /// An integer.
    Signed(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// Texts.
    Texts(&'a [String]),
    /// Values with names.
    Object(Facts<'a>),
    /// Several objects.
    List(Box<dyn Iterator<Item = Facts<'a>> + 'a>),
}

impl<'a> Fact<'a> {
    /// A list with an object for each item.
    pub fn list<T: 'a>(items: impl IntoIterator<Item = T, IntoIter: 'a>, object: impl Fn(T) -> Facts<'a> + 'a) -> Fact<'a> {
        Fact::List(Box::new(items.into_iter().map(object)))
    }
}

impl From<u64> for Fact<'_> {
    fn from(count: u64) -> Self {
        Fact::Count(count)
    }
}

impl From<i64> for Fact<'_> {
    fn from(number: i64) -> Self {
        Fact::Signed(number)
    }
}

impl From<f64> for Fact<'_> {
    fn from(number: f64) -> Self {
        Fact::Number(number)
    }
}

impl<'a> From<&'a str> for Fact<'a> {
    fn from(text: &'a str) -> Self {
        Fact::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Fact<'_> {
    fn from(text: String) -> Self {
        Fact::Text(Cow::Owned(text))
    }
}
