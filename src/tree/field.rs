//! A field: everything that is known about a value before any byte is seen.

use super::{Generated, NodeRef};
use std::fmt;

/// Numbers with a name each, as a protocol's tables have them, in the order of the numbers.
pub type Names = &'static [(u64, &'static str)];

/// Whether names are in the order of their numbers, each of them once.
pub(crate) const fn are_sorted(names: Names) -> bool {
    let mut rest = names;
    while let [(one, _), behind @ ..] = rest {
        if let [(next, _), ..] = behind
            && *one >= *next
        {
            return false;
        }
        rest = behind;
    }
    true
}

/// The name of a number, if the table has one.
#[must_use]
#[inline]
pub fn name_of(names: Names, number: u64) -> Option<&'static str> {
    debug_assert!(are_sorted(names), "{names:?}");
    // In most tables each has its own place, counted from 0.
    let at_home = usize::try_from(number).ok().and_then(|place| names.get(place)).filter(|(key, _)| *key == number);
    let among_all = || names.get(names.binary_search_by_key(&number, |(key, _)| *key).ok()?);
    at_home.or_else(among_all).map(|(_, name)| *name)
}

/// What kind of value a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A protocol; its node is a layer.
    Protocol,
    /// Several fields that belong together.
    Group,
    /// A whole number.
    Number,
    /// A floating-point number.
    Float,
    /// True or false.
    Bool,
    /// Bytes without further meaning.
    Bytes,
    /// Text, UTF-8 unless its description says otherwise.
    Text,
    /// An Ethernet address.
    Mac,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// The code of a note; never a node of its own.
    Note(Level),
}

/// How serious a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing: an assumption, a choice.
    Info,
    /// Readable but strange.
    Odd,
    /// Malformed, truncated, or bytes stay unread because of it.
    Broken,
}

impl Level {
    /// `info`, `odd` or `broken`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Odd => "odd",
            Level::Broken => "broken",
        }
    }
}

/// Writes words about a node when somebody prints it.
pub type Words = fn(NodeRef<'_>, &mut dyn fmt::Write) -> fmt::Result;

/// A group told in one line: what stands for it when its fields are folded away.
#[derive(Clone, Copy)]
pub struct Digest {
    /// The value column.
    pub value: Words,
    /// The meaning column.
    pub meaning: Words,
}

/// What is known about a value before any byte is seen: its filter name, its label, how it is shown.
///
/// Fields are statics and are compared by address.
pub struct Field {
    /// The name in filters and JSON, `proto.snake_case`.
    pub abbrev: &'static str,
    /// The label in tables.
    pub name: &'static str,
    /// One sentence for the glossary.
    pub about: &'static str,
    /// What kind of value it holds.
    pub kind: Kind,
    /// Digits when shown in hexadecimal; 0 for decimal.
    pub hex: u8,
    /// Names of its values.
    pub names: Names,
    /// The bits of the number it is read from; 0 for all of them.
    pub mask: u64,
    /// A second name that this field shares with others, as `tcp.port` stands for both ports.
    pub also: &'static str,
    /// How the group is told in one line.
    pub digest: Option<Digest>,
    /// The field whose many nodes a node of this one stands for, where not everything is shown.
    pub instead: Option<&'static Field>,
    /// Whether its values are hidden unless somebody asks for secrets.
    pub secret: bool,
    /// Whether its value is shown although its bytes are a secret.
    pub public: bool,
    /// Whether its bytes say something else than its value, so that outputs give both.
    pub transformed: bool,
    /// Whether its values are seconds, which columns show with nine digits behind the point, as Wireshark does.
    pub seconds: bool,
    /// How its values follow from other fields; no node has such a field.
    pub generated: Option<Generated>,
    /// How JSON begins to tell of it, up to its value, put together beforehand because there may be millions of it; empty where
    /// that was not done.
    pub head: &'static str,
    /// Of a protocol: what of it is read, in a sentence or two.
    pub covers: &'static str,
    /// Of a protocol: what is not read, and what nobody has written down.
    pub open: &'static str,
}

impl Field {
    const fn new(kind: Kind, abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field {
            abbrev,
            name,
            about,
            kind,
            hex: 0,
            names: &[],
            mask: 0,
            also: "",
            digest: None,
            instead: None,
            secret: false,
            public: false,
            transformed: false,
            seconds: false,
            generated: None,
            head: "",
            covers: "",
            open: "",
        }
    }

    /// A protocol: `name` is what people call it, `about` its whole name.
    #[must_use]
    pub const fn protocol(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Protocol, abbrev, name, about)
    }

    /// Fields that belong together.
    #[must_use]
    pub const fn group(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Group, abbrev, name, about)
    }

    /// A whole number.
    #[must_use]
    pub const fn number(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Number, abbrev, name, about)
    }

    /// A floating-point number.
    #[must_use]
    pub const fn float(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Float, abbrev, name, about)
    }

    /// True or false.
    #[must_use]
    pub const fn bool(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Bool, abbrev, name, about)
    }

    /// Bytes without further meaning.
    #[must_use]
    pub const fn bytes(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Bytes, abbrev, name, about)
    }

    /// Text.
    #[must_use]
    pub const fn text(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Text, abbrev, name, about)
    }

    /// An Ethernet address.
    #[must_use]
    pub const fn mac(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Mac, abbrev, name, about)
    }

    /// An IPv4 address.
    #[must_use]
    pub const fn ipv4(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Ipv4, abbrev, name, about)
    }

    /// An IPv6 address.
    #[must_use]
    pub const fn ipv6(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Ipv6, abbrev, name, about)
    }

    /// A note worth knowing.
    #[must_use]
    pub const fn info(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Info), abbrev, name, about)
    }

    /// A note about something readable but strange.
    #[must_use]
    pub const fn odd(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Odd), abbrev, name, about)
    }

    /// A note about something malformed or lost.
    #[must_use]
    pub const fn broken(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Broken), abbrev, name, about)
    }

    /// Shown in hexadecimal with this many digits.
    #[must_use]
    pub const fn hex(mut self, digits: u8) -> Field {
        self.hex = digits;
        self
    }

    /// Its values have names.
    #[must_use]
    pub const fn names(mut self, names: Names) -> Field {
        assert!(are_sorted(names), "names are in the order of their numbers");
        self.names = names;
        self
    }

    /// It is these bits of the number it is read from.
    #[must_use]
    pub const fn mask(mut self, mask: u64) -> Field {
        self.mask = mask;
        self
    }

    /// It also answers to this name.
    #[must_use]
    pub const fn also(mut self, name: &'static str) -> Field {
        self.also = name;
        self
    }

    /// It can be told in one line.
    #[must_use]
    pub const fn digest(mut self, value: Words, meaning: Words) -> Field {
        self.digest = Some(Digest { value, meaning });
        self
    }

    /// It is shown in place of the nodes of another field, unless everything is.
    #[must_use]
    pub const fn instead_of(mut self, many: &'static Field) -> Field {
        self.instead = Some(many);
        self
    }

    /// Its values are nobody's business.
    #[must_use]
    pub const fn secret(mut self) -> Field {
        self.secret = true;
        self
    }

    /// Its value is shown although its bytes are a secret: it is what they stand for.
    #[must_use]
    pub const fn public(mut self) -> Field {
        self.public = true;
        self
    }

    /// Its bytes are not its value: they are scrambled, packed, or in an order of their own.
    #[must_use]
    pub const fn transformed(mut self) -> Field {
        self.transformed = true;
        self
    }

    /// Its values are seconds.
    #[must_use]
    pub const fn seconds(mut self) -> Field {
        self.seconds = true;
        self
    }

    /// JSON begins like this to tell of it, up to its value.
    #[must_use]
    pub const fn headed(mut self, head: &'static str) -> Field {
        self.head = head;
        self
    }

    /// Of a protocol: what of it is read, in a sentence or two for somebody who wonders whether it does.
    #[must_use]
    pub const fn covers(mut self, covers: &'static str) -> Field {
        self.covers = covers;
        self
    }

    /// Of a protocol: what is not read, and what nobody has written down.
    #[must_use]
    pub const fn leaves_open(mut self, open: &'static str) -> Field {
        self.open = open;
        self
    }

    /// Its place in the masked bits of a raw number.
    #[must_use]
    pub const fn bits_of(&self, raw: u64) -> u64 {
        if self.mask == 0 { raw } else { (raw & self.mask) >> self.mask.trailing_zeros() }
    }

    /// Whether this is the very same field.
    #[must_use]
    pub fn is(&self, other: &Field) -> bool {
        std::ptr::eq(self, other)
    }

    /// Whether it goes by this name, its own or a shared one.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.abbrev == name || (self.also == name && !name.is_empty())
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.abbrev)
    }
}

/// Declares the fields of a protocol and the list `FIELDS` of all of them.
///
/// ```
/// use proto_dissect::tree::*;
/// fields! {
///     TOY = protocol("toy", "Toy", "A toy protocol");
///     SIZE = number("toy.size", "size", "Bytes that follow").hex(4);
/// }
/// assert_eq!(FIELDS.len(), 2);
/// ```
#[macro_export]
macro_rules! fields {
    ($($name:ident = $kind:ident($abbrev:expr, $label:expr, $about:expr $(,)?) $(.$with:ident($($arg:expr),*))*;)+) => {
        $(
            #[doc = concat!($abbrev, " · ", $label, " · ", $about, " · ")]
            pub static $name: $crate::tree::Field = $crate::tree::Field::$kind($abbrev, $label, $about)
                .headed(concat!(r#"{"name":""#, $abbrev, r#"","label":""#, $label, r#"","value":"#))
                $(.$with($($arg),*))*;
        )+
        /// Every field of this protocol.
        pub static FIELDS: &[&$crate::tree::Field] = &[$(&$name),+];
    };
}
