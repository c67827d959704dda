//! Fields: the static description of values, independent of any packet.

use super::{Generated, NodeRef, Titled};
use std::fmt;

/// Value names, sorted by number.
pub type Names = &'static [(u64, &'static str)];

/// Whether the numbers are sorted and unique.
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

/// The name of a number, if there is one.
#[must_use]
#[inline]
pub fn name_of(names: Names, number: u64) -> Option<&'static str> {
    #[cfg(test)]
    assert!(are_sorted(names), "{names:?}");
    // Most tables are contiguous from 0.
    let at_home = usize::try_from(number).ok().and_then(|place| names.get(place)).filter(|(key, _)| *key == number);
    let among_all = || names.get(names.binary_search_by_key(&number, |(key, _)| *key).ok()?);
    at_home.or_else(among_all).map(|(_, name)| *name)
}

/// What kind of value a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
// Without the niche of `Note`, a kind becomes a bit of `Only` without arithmetic.
#[repr(u8)]
pub enum Kind {
    /// A protocol; its node is a layer.
    Protocol,
    /// A group of fields.
    Group,
    /// An integer.
    Number,
    /// A floating-point number.
    Float,
    /// A boolean.
    Bool,
    /// Raw bytes.
    Bytes,
    /// Text, UTF-8 unless its description says otherwise.
    Text,
    /// An Ethernet address.
    Mac,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// The code of a note; never a node.
    Note(Level),
}

/// The severity of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// An assumption or a choice.
    Info,
    /// Well-formed but unusual.
    Odd,
    /// Malformed, truncated or partly undissected.
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

/// How the bytes of a field count in the coverage of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Explained by the field.
    Explained,
    /// Encrypted, and therefore without subfields.
    Encrypted,
    /// Content that a message only transports: a file, a picture, media.
    Body,
    /// Not explained: bytes that no other field takes.
    Unexplained,
}

/// How often a field may occur. JSON objects keyed by name always contain repeatable values as arrays.
#[derive(Debug, Clone, Copy)]
pub enum Times {
    /// Any number of times.
    Any,
    /// At most once in a layer.
    Once,
    /// At most once in each group of this field, or of one that is [`Field::alike`].
    OncePer(&'static Field),
}

/// How columns show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As usual.
    Usual,
    /// Floating-point numbers with at most so many significant digits.
    Digits(u8),
    /// Bytes with this character between them.
    Separated(char),
    /// Hexadecimal numbers with no more than the digits of the field, as tshark writes values that are wider than their field.
    Narrow,
}

/// Formats a node lazily, when it is printed.
pub type Words = fn(NodeRef<'_>, &mut dyn fmt::Write) -> fmt::Result;

/// The one-line summary of a collapsed group.
#[derive(Clone, Copy)]
pub struct CollapsedText {
    /// The value column.
    pub value: Words,
    /// The meaning column.
    pub meaning: Words,
}

/// A field declaration: filter name, label and format.
///
/// Fields are statics and are compared by address.
pub struct Field {
    /// The name in filters and JSON, `proto.snake_case`.
    pub abbrev: &'static str,
    /// The label in tables.
    pub name: &'static str,
    /// The description, one sentence.
    pub about: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// Number of hexadecimal digits; 0 for decimal.
    pub hex: u8,
    /// Whether values are displayed as a character in single quotes.
    pub character: bool,
    /// Names of its values.
    pub names: Names,
    /// The bit mask within the raw number; 0 for all bits.
    pub mask: u64,
    /// An alias shared with other fields, as `tcp.port` for both ports.
    pub also: &'static str,
    /// The one-line summary of a collapsed group.
    pub collapsed: Option<CollapsedText>,
    /// The name in tables instead of the label.
    pub titled: Option<Titled>,
    /// The field whose repeated nodes this one represents in collapsed output.
    pub instead: Option<&'static Field>,
    /// Whether its values are masked unless secrets are displayed.
    pub secret: bool,
    /// Whether its value is displayed although its bytes are secret.
    pub public: bool,
    /// Whether its bytes differ from its value, so that outputs show both.
    pub transformed: bool,
    /// How its bytes count in the coverage of a message.
    pub share: Share,
    /// Whether its values are seconds, which columns show with nine decimals, as Wireshark does.
    pub seconds: bool,
    /// How columns show its values, if not as usual.
    pub layout: Layout,
    /// Whether columns show 1 for it, because the field of this name has no value in Wireshark.
    pub valueless: bool,
    /// Whether columns show one value per packet, because Wireshark has one layer for all messages of a segment.
    pub per_packet: bool,
    /// Whether it is kept only if a filter or column names it, because Wireshark's tree does not show it or because it needs
    /// state.
    pub on_request: bool,
    /// How often it may occur.
    pub times: Times,
    /// For a group: the group with the same fields.
    pub alike: Option<&'static Field>,
    /// The field that it replaces if a reader is shared with another protocol.
    pub twin: Option<&'static Field>,
    /// How its values are derived from other fields; such a field has no nodes.
    pub generated: Option<Generated>,
    /// The precomputed JSON prefix up to the value; may be empty.
    pub head: &'static str,
    /// For a protocol: the supported features, in a sentence or two.
    pub covers: &'static str,
    /// For a protocol: what is not covered, including undocumented parts.
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
            character: false,
            names: &[],
            mask: 0,
            also: "",
            collapsed: None,
            titled: None,
            instead: None,
            secret: false,
            public: false,
            transformed: false,
            share: Share::Explained,
            seconds: false,
            layout: Layout::Usual,
            valueless: matches!(kind, Kind::Group),
            per_packet: false,
            on_request: false,
            times: Times::Any,
            alike: None,
            twin: None,
            generated: None,
            head: "",
            covers: "",
            open: "",
        }
    }

    /// A protocol: `name` is the short name, `about` the full name.
    #[must_use]
    pub const fn protocol(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Protocol, abbrev, name, about)
    }

    /// A group of fields.
    #[must_use]
    pub const fn group(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Group, abbrev, name, about)
    }

    /// An integer.
    #[must_use]
    pub const fn number(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Number, abbrev, name, about)
    }

    /// A floating-point number.
    #[must_use]
    pub const fn float(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Float, abbrev, name, about)
    }

    /// A boolean.
    #[must_use]
    pub const fn bool(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Bool, abbrev, name, about)
    }

    /// Raw bytes.
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

    /// A note of severity `info`.
    #[must_use]
    pub const fn info(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Info), abbrev, name, about)
    }

    /// A note of severity `odd`: well-formed but unusual.
    #[must_use]
    pub const fn odd(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Odd), abbrev, name, about)
    }

    /// A note of severity `broken`: malformed or lost.
    #[must_use]
    pub const fn broken(abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        Field::new(Kind::Note(Level::Broken), abbrev, name, about)
    }

    /// Displays values in hexadecimal with this many digits.
    #[must_use]
    pub const fn hex(mut self, digits: u8) -> Field {
        self.hex = digits;
        self
    }

    /// Displays values as a character in single quotes, and in hexadecimal if it is not printable.
    #[must_use]
    pub const fn character(mut self) -> Field {
        self.hex = 2;
        self.character = true;
        self
    }

    /// Sets the value names.
    #[must_use]
    pub const fn names(mut self, names: Names) -> Field {
        assert!(are_sorted(names), "names are in the order of their numbers");
        self.names = names;
        self
    }

    /// Sets the bit mask within the raw number.
    #[must_use]
    pub const fn mask(mut self, mask: u64) -> Field {
        self.mask = mask;
        self
    }

    /// Sets the shared name.
    #[must_use]
    pub const fn also(mut self, name: &'static str) -> Field {
        self.also = name;
        self
    }

    /// Sets the one-line summary.
    #[must_use]
    pub const fn collapsed(mut self, value: Words, meaning: Words) -> Field {
        self.collapsed = Some(CollapsedText { value, meaning });
        self
    }

    /// Sets the name in tables instead of the label, such as the kind of an option.
    #[must_use]
    pub const fn titled(mut self, title: Words) -> Field {
        self.titled = Some(Titled { title, cells: None });
        self
    }

    /// Sets the name in tables instead of the label, such as the key of a header, with value and meaning. Such a group is
    /// collapsed.
    #[must_use]
    pub const fn named(mut self, title: Words, value: Words, meaning: Words) -> Field {
        self.titled = Some(Titled { title, cells: Some(CollapsedText { value, meaning }) });
        self
    }

    /// Whether a group of this field is one line in collapsed output.
    #[must_use]
    pub const fn collapses(&self) -> bool {
        self.collapsed.is_some() || matches!(self.titled, Some(Titled { cells: Some(_), .. }))
    }

    /// Represents the nodes of another field in collapsed output.
    #[must_use]
    pub const fn instead_of(mut self, many: &'static Field) -> Field {
        self.instead = Some(many);
        self
    }

    /// Keeps the values only if a filter or column names the field.
    #[must_use]
    pub const fn on_request(mut self) -> Field {
        self.on_request = true;
        self
    }

    /// Masks the values unless secrets are displayed.
    #[must_use]
    pub const fn secret(mut self) -> Field {
        self.secret = true;
        self
    }

    /// Displays the value although its bytes are secret, because it does not reveal them.
    #[must_use]
    pub const fn public(mut self) -> Field {
        self.public = true;
        self
    }

    /// Marks bytes that differ from the value: obfuscated, packed or reordered.
    #[must_use]
    pub const fn transformed(mut self) -> Field {
        self.transformed = true;
        self
    }

    /// Marks encrypted bytes.
    #[must_use]
    pub const fn encrypted(mut self) -> Field {
        self.share = Share::Encrypted;
        self
    }

    /// Marks bytes that no other field takes.
    #[must_use]
    pub const fn unexplained(mut self) -> Field {
        self.share = Share::Unexplained;
        self
    }

    /// Marks content that a message only transports.
    #[must_use]
    pub const fn body(mut self) -> Field {
        self.share = Share::Body;
        self
    }

    /// Marks values in seconds.
    #[must_use]
    pub const fn seconds(mut self) -> Field {
        self.seconds = true;
        self
    }

    /// Shows 1 in columns, because Wireshark's field has no value.
    #[must_use]
    pub const fn valueless(mut self) -> Field {
        self.valueless = true;
        self
    }

    /// Shows one value per packet in columns, because Wireshark has one layer for all messages of a segment.
    #[must_use]
    pub const fn per_packet(mut self) -> Field {
        self.per_packet = true;
        self
    }

    /// Of a group: shows its bytes in columns, because Wireshark's field has them as its value.
    #[must_use]
    pub const fn valued(mut self) -> Field {
        self.valueless = false;
        self
    }

    /// Declares that the field occurs at most once in a layer.
    #[must_use]
    pub const fn once(mut self) -> Field {
        self.times = Times::Once;
        self
    }

    /// Declares that the field occurs at most once in each group of `group`.
    #[must_use]
    pub const fn once_per(mut self, group: &'static Field) -> Field {
        self.times = Times::OncePer(group);
        self
    }

    /// Declares that the group has the same fields as `group`, and counts as one.
    #[must_use]
    pub const fn alike(mut self, group: &'static Field) -> Field {
        self.alike = Some(group);
        self
    }

    /// Declares the field that it replaces if a reader is shared with another protocol (`Wire::renamed`).
    #[must_use]
    pub const fn twin(mut self, other: &'static Field) -> Field {
        self.twin = Some(other);
        self
    }

    /// Whether it is the field, or replaces it.
    #[must_use]
    pub fn stands_for(&self, other: &Field) -> bool {
        self.is(other) || self.twin.is_some_and(|twin| twin.is(other))
    }

    /// The group by which its rows are counted.
    #[must_use]
    pub fn row(&'static self) -> &'static Field {
        self.alike.unwrap_or(self)
    }

    /// Sets the JSON prefix up to the value.
    #[must_use]
    pub const fn headed(mut self, head: &'static str) -> Field {
        self.head = head;
        self
    }

    /// For a protocol: sets the supported features, in a sentence or two.
    #[must_use]
    pub const fn covers(mut self, covers: &'static str) -> Field {
        self.covers = covers;
        self
    }

    /// For a protocol: sets what is not covered, including undocumented parts.
    #[must_use]
    pub const fn leaves_open(mut self, open: &'static str) -> Field {
        self.open = open;
        self
    }

    /// The masked bits of a number, shifted down.
    #[must_use]
    pub const fn bits_of(&self, raw: u64) -> u64 {
        if self.mask == 0 { raw } else { (raw & self.mask) >> self.mask.trailing_zeros() }
    }

    /// Whether both are the same static.
    #[must_use]
    pub fn is(&self, other: &Field) -> bool {
        std::ptr::eq(self, other)
    }

    /// Whether `name` is its filter name or its alias.
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
        /// All fields of this protocol.
        pub static FIELDS: &[&$crate::tree::Field] = &[$(&$name),+];
    };
}
